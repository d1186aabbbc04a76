//! The benchmark: fixed positions searched to a fixed depth. The total node count identifies
//! the behaviour of search and evaluation; the speed depends on the machine.
//! Invariant: one thread, 16 MiB and a cleared TT for every position, so that the node count
//! depends only on the program and the depth.

use std::sync::Arc;
use std::time::Duration;

use super::Engine;
use crate::notation::fen::{self, CastlingStyle};
use crate::rules::{Position, Variant};
use crate::search::{Control, Limits, NullListener};
use crate::util;

/// The default depth in plies; it takes a few seconds.
pub const DEFAULT_DEPTH: i32 = 14;

/// The measurements of a benchmark.
#[derive(Clone, Copy, Debug, Default)]
pub struct BenchResult {
    /// Nodes over all positions.
    pub nodes: u64,
    /// Time spent searching.
    pub time: Duration,
}

impl BenchResult {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        util::nps(self.nodes, self.time)
    }
}

/// The benchmark positions, in the order in which they are searched.
pub fn positions() -> Vec<Position> {
    let read = |texts: &[&str], variant| {
        let read = |text: &&str| fen::parse(text, variant).expect("a test reads them all");
        texts.iter().map(read).collect::<Vec<Position>>()
    };
    let mut positions = read(ATOMIC, Variant::Atomic);
    positions.extend(read(NO_CHECK_ATOMIC, Variant::NoCheckAtomic));
    positions
}

/// Searches every position to `depth` plies, or to [`DEFAULT_DEPTH`]. Passes a line of text for
/// each position and a last line with the total, `<nodes> nodes <nps> nps`, to `on_line`. Returns
/// `None` if `control` is stopped; the search that it interrupts does not count.
///
/// # Errors
/// The first error of `on_line`, which ends the benchmark.
///
/// # Examples
/// ```
/// use brisance::engine::bench::bench;
///
/// let mut lines = Vec::new();
/// let result = bench(Some(2), &Default::default(), |line| {
///     lines.push(line.to_owned());
///     Ok::<(), std::io::Error>(())
/// })?;
/// let total = format!("{} nodes ", result.expect("no stop").nodes);
/// assert!(lines.last().is_some_and(|line| line.starts_with(&total)));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn bench<E>(
    depth: Option<i32>,
    control: &Arc<Control>,
    mut on_line: impl FnMut(&str) -> Result<(), E>,
) -> Result<Option<BenchResult>, E> {
    let mut engine = Engine::new();
    engine.set_control(Arc::clone(control));
    let limits = Limits { depth: Some(depth.unwrap_or(DEFAULT_DEPTH)), ..Limits::default() };
    let mut result = BenchResult::default();
    for (index, pos) in positions().iter().enumerate() {
        engine.clear();
        engine.set_position(pos.clone());
        let found = engine.go_armed(&limits, &NullListener);
        if control.is_stopped() {
            return Ok(None);
        }
        result.nodes += found.nodes;
        result.time += found.time;
        let fen = fen::write(pos, CastlingStyle::XFen);
        on_line(&format!("{:>2}  {:>9}  {fen}", index + 1, found.nodes))?;
    }
    on_line(&format!("{} nodes {} nps", result.nodes, result.nps()))?;
    Ok(Some(result))
}

/// Positions from games played by hand or by a two-ply search, and a few composed ones.
const ATOMIC: &[&str] = &[
    // Openings.
    fen::STARTPOS,
    "rnbqkbnr/pp2p1pp/2p2p2/1B1p4/4P3/2N2N2/PPPP1PPP/R1BQK2R b KQkq - 1 4",
    "rnbqkbnr/pppp4/4pppp/4Q3/8/4P2N/PPPP1PPP/RNB1KB1R w KQkq - 0 5",
    "rnbqkb1r/ppp2pp1/3ppn1p/4Q3/8/4P3/PPPP1PPP/RNB1KBNR w KQkq - 0 5",
    "r2qkbnr/ppp1p1pp/2n2p2/3pN3/3P2b1/5P2/PPP1P1PP/RNBQKB1R w KQkq - 0 5",
    "rnbqkbnr/1pp1pppp/p7/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
    // Middlegames.
    "rnbqk3/pp6/2p1p1pp/1B1p1p1Q/8/P1N1P3/1PPP1PP1/R1B1K3 w Qq - 0 10",
    "3rk2r/1p2n1pp/p2b1p2/8/3P1P2/P1P1p3/1P2P1BP/R1BQK2R w KQk - 3 16",
    "r1b2k2/p1pp1p2/4p2p/5P2/1pPnP2P/5N2/P2P2P1/4KB1R w K - 3 10",
    "rn2k3/p2p1p2/b4q1p/2PPp3/1p2P3/6P1/PP1BNP1P/2KR2NR w q - 1 16",
    "rn2k2r/1p4p1/p1p5/4pp1p/4P3/3P1P2/PP4PP/R2K3R w q - 0 19",
    // Endings: locked pawns, rook, bishop, knight, promotion.
    "3kr3/1b6/p1p1p1p1/P1P1PpPp/5P2/1p1p1K2/1P1P4/1BB5 w - - 5 34",
    "8/p4p2/4pP1p/7P/1kP3P1/8/1r6/4K3 w - - 1 31",
    "8/8/1p6/3kB2p/5p1P/P4P2/2P5/2K5 w - - 4 25",
    "8/8/1pK3p1/p4k2/P7/2n5/8/8 w - - 6 43",
    "8/2P3k1/8/8/5K2/8/p6R/8 w - - 0 1",
    // Kings side by side.
    "r1b2bnr/pp1p1ppp/2n5/3kp3/3KP3/2N5/PPP2PPP/R1B2BNR w - - 0 9",
    "8/8/3qk3/4K3/8/1P6/P5R1/8 b - - 0 1",
    "3q4/8/8/2k5/2K5/8/4Q3/8 w - - 0 1",
    // Chess960.
    "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w GBgb - 0 1",
    "b3kr2/p2p1p1p/1p2p2n/6p1/7P/4P3/P1PP1PP1/3QKRNB w Ff - 0 7",
];

const NO_CHECK_ATOMIC: &[&str] = &[
    "r1b1kbnr/1p2p1p1/2p1P3/p2q1p2/3P1P1P/3B4/PP5R/1R1K2N1 w kq - 0 16",
    "5k2/8/8/p1p3p1/Pp6/1P4N1/8/7K w - - 2 37",
];
