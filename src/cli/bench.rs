//! `brisance bench`: searches fixed positions to a fixed depth. The node count is the
//! signature of search and evaluation, the speed is that of the machine.
//! Invariant: one thread, 16 MiB and an empty table for each position, so that the count
//! depends on nothing but the program and the depth.

use std::convert::Infallible;
use std::io::{self, Write};
use std::time::Duration;

use clap::Args;

use super::Error;
use crate::engine::Engine;
use crate::eval::score::MAX_PLY;
use crate::notation::fen::{self, CastlingStyle};
use crate::rules::{Position, Variant};
use crate::search::{Limits, Silent};

/// Plies unless the user asks otherwise; a few seconds in all.
const DEPTH: i32 = 14;

/// Search fixed positions: a signature of the search and a measure of speed.
///
/// One thread, 16 MiB, and nothing carried over from one position to the next: the number
/// of nodes is the same on every machine. The last line is `<nodes> nodes <nps> nps`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// Plies to search each position.
    #[arg(long, value_name = "N",
          value_parser = clap::value_parser!(i32).range(1..=MAX_PLY as i64))]
    depth: Option<i32>,
}

/// What a bench measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct BenchResult {
    /// Nodes over all positions.
    pub nodes: u64,
    /// Time spent searching.
    pub time: Duration,
}

impl BenchResult {
    /// Nodes per second, 0 while no time has passed.
    pub fn nps(&self) -> u64 {
        let micros = self.time.as_micros().max(1);
        u64::try_from(u128::from(self.nodes) * 1_000_000 / micros).unwrap_or(u64::MAX)
    }
}

/// The fixed positions, in the order in which they are searched.
pub fn positions() -> Vec<Position> {
    let read = |texts: &[&str], variant| {
        let read = |text: &&str| fen::parse(text, variant).expect("a test reads them all");
        texts.iter().map(read).collect::<Vec<Position>>()
    };
    let mut positions = read(&ATOMIC, Variant::Atomic);
    positions.extend(read(&WITHOUT_CHECK, Variant::NoCheckAtomic));
    positions
}

/// Searches every position to `depth`, or to the usual depth.
pub fn bench(depth: Option<i32>) -> BenchResult {
    match each_line(depth, |_| Ok::<(), Infallible>(())) {
        Ok(result) => result,
        Err(never) => match never {},
    }
}

/// Searches like [`bench()`] and hands on a line for each position, then the sum.
///
/// # Errors
/// The first error of `say`, which ends the bench.
pub fn each_line<E>(
    depth: Option<i32>,
    mut say: impl FnMut(&str) -> Result<(), E>,
) -> Result<BenchResult, E> {
    let mut bench = Bench::new(depth);
    for (index, pos) in positions().iter().enumerate() {
        let nodes = bench.search(pos);
        let fen = fen::write(pos, CastlingStyle::XFen);
        say(&format!("{:>2}  {nodes:>9}  {fen}", index + 1))?;
    }
    let result = bench.result;
    say(&format!("{} nodes {} nps", result.nodes, result.nps()))?;
    Ok(result)
}

/// The command `bench [depth]` of a UCI session; stops between two positions.
///
/// # Errors
/// A depth that is none, or that it was stopped.
pub fn in_session(
    arguments: &[String],
    is_stopped: &dyn Fn() -> bool,
    say: &dyn Fn(&str),
) -> Result<(), String> {
    let depth = match arguments.first() {
        None => None,
        Some(text) => match text.parse::<i32>() {
            Ok(depth) if (1..=MAX_PLY as i32).contains(&depth) => Some(depth),
            _ => return Err(format!("{text:?} is not a depth from 1 to {MAX_PLY}")),
        },
    };
    let checked = |line: &str| {
        say(line);
        if is_stopped() {
            Err("stopped".to_owned())
        } else {
            Ok(())
        }
    };
    each_line(depth, checked).map(|_| ())
}

pub(super) fn run(args: &BenchArgs) -> Result<(), Error> {
    let mut out = io::stdout();
    each_line(args.depth, |line| writeln!(out, "{line}"))?;
    Ok(())
}

/// A bench under way.
struct Bench {
    engine: Engine,
    limits: Limits,
    result: BenchResult,
}

impl Bench {
    fn new(depth: Option<i32>) -> Bench {
        Bench {
            engine: Engine::new(),
            limits: Limits {
                depth: Some(depth.unwrap_or(DEPTH)),
                ..Limits::default()
            },
            result: BenchResult::default(),
        }
    }

    /// Searches one position with an empty table; its nodes.
    fn search(&mut self, pos: &Position) -> u64 {
        self.engine.clear();
        self.engine.set_position(pos.clone());
        self.engine.control().arm(false);
        let summary = self.engine.go(&self.limits, &Silent);
        self.result.nodes += summary.nodes;
        self.result.time += summary.time;
        summary.nodes
    }
}

/// Our own: moments of games played out by hand or by a two-ply search, and a few
/// positions set up for what they show.
const ATOMIC: [&str; 21] = [
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

const WITHOUT_CHECK: [&str; 2] = [
    "r1b1kbnr/1p2p1p1/2p1P3/p2q1p2/3P1P1P/3B4/PP5R/1R1K2N1 w kq - 0 16",
    "5k2/8/8/p1p3p1/Pp6/1P4N1/8/7K w - - 2 37",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_read_and_alive() {
        for pos in positions() {
            assert_eq!(
                pos.outcome(),
                None,
                "{}",
                fen::write(&pos, CastlingStyle::XFen)
            );
        }
    }

    #[test]
    fn a_session_names_a_bad_depth_and_can_stop() {
        let say = |_: &str| {};
        for bad in ["0", "-1", "x", "1000"] {
            let error = in_session(&[bad.to_owned()], &|| false, &say).unwrap_err();
            assert!(error.contains(bad), "{error}");
        }
        let error = in_session(&["1".to_owned()], &|| true, &say).unwrap_err();
        assert_eq!(error, "stopped");
    }

    #[test]
    fn a_new_engine_is_what_the_bench_promises() {
        let settings = Engine::new().settings().clone();
        assert_eq!((settings.threads, settings.hash), (1, 16));
    }
}
