//! Forced wins from self-play (`data/tactics.epd`, collected by `scripts/tactics.py` and proved
//! by the solver), and published positions with known results. A move counts as winning only
//! if it has a proof.
//! Slow: `cargo test --release --test engine tactics -- --ignored deep_`, or `exhaustive_`

use brisance::engine::Engine;
use brisance::eval::wdl::DisplayScore;
use brisance::notation::epd::{self, Epd};
use brisance::notation::{coord, fen, san};
use brisance::proof::file::{self, ProofFile};
use brisance::proof::{NullListener, ProofVerdict, Solver};
use brisance::rules::{Move, Outcome, Position, Variant};
use brisance::search::{Limits, SearchResult};

use crate::puzzles::shipped;

const LIST: &str = include_str!("data/tactics.epd");

/// Node limits of the searches, each with an empty TT; for most positions the first suffices.
const NODES: [u64; 3] = [2_000, 20_000, 100_000];
/// The lowest value of a win that was found: the right move with a lower one is luck.
const WINNING: i32 = 200;

/// A position with its winning moves.
struct Tactic {
    pos: Position,
    winning: Vec<Move>,
    epd: Epd,
}

impl Tactic {
    fn name(&self) -> &str {
        self.epd.operand("id").expect("every line has an id")
    }

    /// Length of the shortest known proof, in moves.
    fn length(&self) -> u16 {
        let text = self.epd.operand("c0").expect("every line has a length");
        let number = text.split(' ').find_map(|word| word.parse().ok());
        number.expect("the length has a number")
    }
}

fn all() -> Vec<Tactic> {
    let mut tactics = Vec::new();
    for line in LIST.lines() {
        let Some(epd) = epd::parse_line(line, Variant::Atomic).expect(line) else {
            continue;
        };
        let best = epd.operand("bm").expect(line);
        let winning = best
            .split(' ')
            .map(|text| san::parse(&epd.pos, text).expect(line));
        tactics.push(Tactic {
            pos: epd.pos.clone(),
            winning: winning.collect(),
            epd,
        });
    }
    tactics
}

fn position(text: &str) -> Position {
    fen::parse(text, Variant::Atomic).expect(text)
}

fn search(engine: &mut Engine, pos: &Position, nodes: u64) -> SearchResult {
    engine.clear();
    engine.set_position(pos.clone());
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    engine.go(&limits, &NullListener)
}

fn is_solved(tactic: &Tactic, summary: &SearchResult) -> bool {
    summary.value() >= WINNING
        && summary
            .best_move()
            .is_some_and(|best| tactic.winning.contains(&best))
}

/// Searches with each of [`NODES`] until the win is found; otherwise returns the last result.
fn find_win(engine: &mut Engine, tactic: &Tactic) -> Result<(), SearchResult> {
    let mut last = None;
    for nodes in NODES {
        let summary = search(engine, &tactic.pos, nodes);
        if is_solved(tactic, &summary) {
            return Ok(());
        }
        last = Some(summary);
    }
    // The list need not have every winning move, so another one is proved here.
    let last = last.expect("at least one search");
    match last.best_move() {
        Some(best) if last.value() >= WINNING && is_proved(&tactic.pos, best) => Ok(()),
        _ => Err(last),
    }
}

fn is_proved(pos: &Position, mv: Move) -> bool {
    let solver = Solver {
        max_nodes: Some(2_000_000),
        ..Solver::new(pos.side_to_move())
    };
    let result = solver.solve_after(pos, mv, &NullListener).expect("memory");
    matches!(result.verdict, ProofVerdict::Proved(_))
}

fn description(tactic: &Tactic, summary: &SearchResult) -> String {
    let best = summary
        .best_move()
        .map(|best| san::write(&tactic.pos, best));
    let (best, value) = (best.unwrap_or_default(), summary.display_score());
    format!("{best} {value:?}: {}", tactic.epd)
}

#[test]
fn many_forced_wins_need_few_nodes() {
    let (mut engine, tactics) = (Engine::new(), all());
    let sample = tactics.iter().step_by(5);
    let count = sample.len();
    let solved = sample.filter(|tactic| {
        let summary = search(&mut engine, &tactic.pos, NODES[1]);
        is_solved(tactic, &summary)
    });
    let solved = solved.count();
    assert!(solved * 3 >= count * 2, "{solved} of {count}");
}

/// Every puzzle has one winning move: the first of its line.
#[test]
fn most_puzzles_need_few_nodes() {
    let mut engine = Engine::new();
    let (mut count, mut solved) = (0, 0);
    for puzzle in shipped().iter().step_by(12) {
        let first = puzzle
            .operand("line")
            .and_then(|line| line.split(' ').next());
        let first = first.and_then(|text| coord::parse(&puzzle.pos, text));
        let summary = search(&mut engine, &puzzle.pos, NODES[1]);
        count += 1;
        solved += usize::from(summary.best_move() == first && summary.value() >= WINNING);
    }
    assert!(count > 0 && solved * 10 >= count * 9, "{solved} of {count}");
}

#[test]
#[ignore = "deep: a minute"]
fn deep_all_forced_wins_are_found() {
    let (mut engine, tactics) = (Engine::new(), all());
    assert!(tactics.len() >= 100, "{}", tactics.len());
    let failed: Vec<String> = tactics
        .iter()
        .filter_map(|tactic| {
            let failure = find_win(&mut engine, tactic).err()?;
            Some(description(tactic, &failure))
        })
        .collect();
    assert!(
        failed.is_empty(),
        "{} missed:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

#[test]
#[ignore = "exhaustive: minutes"]
fn exhaustive_all_winning_moves_are_proved() {
    for tactic in all() {
        for &mv in &tactic.winning {
            // Only the second move of game 76 needs more than 12 million nodes.
            let solver = Solver {
                hash_mb: 256,
                max_nodes: Some(500_000_000),
                ..Solver::new(tactic.pos.side_to_move())
            };
            let result = solver
                .solve_after(&tactic.pos, mv, &NullListener)
                .expect("memory");
            let ProofVerdict::Proved(proved) = result.verdict else {
                panic!("{mv:?} is not proved: {}", tactic.epd);
            };
            // The file that `solve --tree` writes and `solve --check` reads.
            let mut text = Vec::new();
            file::write(&proved.0, &proved.1, false, &mut text).expect("a vector grows");
            let proof = ProofFile::read(&text[..]).expect("a valid file");
            proof
                .verify()
                .unwrap_or_else(|error| panic!("{error}: {}", tactic.epd));
        }
        let solver = Solver {
            max_moves: Some(tactic.length()),
            max_nodes: Some(4_000_000),
            ..Solver::new(tactic.pos.side_to_move())
        };
        let result = solver.solve(&tactic.pos, &NullListener).expect("memory");
        let proved = matches!(result.verdict, ProofVerdict::Proved(_));
        assert!(proved, "longer than {}: {}", tactic.length(), tactic.name());
    }
}

/// The known result of a position for the side to move.
enum KnownResult {
    /// It wins, within this number of moves and with this move if they are known.
    Wins(Option<i32>, Option<&'static str>),
    /// It is mated within this number of moves.
    Loses(i32),
    /// A draw; the absolute value of the search must not exceed this.
    Drawn(i32),
}

/// A FEN, moves played from it, and the known result after them.
type Case = (&'static str, &'static [&'static str], KnownResult);

/// Published positions: three with a queen sacrifice on e7 or e2, three that other programs
/// misjudged, then endings.
const PUBLISHED: [Case; 16] = [
    (
        "b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1",
        &[],
        KnownResult::Wins(Some(4), Some("d8e7")),
    ),
    (
        "b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 w - - 0 1",
        &[],
        KnownResult::Loses(5),
    ),
    (
        "3qk3/8/2n5/1B1p4/5P1p/2P4P/8/4K2R w K - 0 1",
        &[],
        KnownResult::Loses(5),
    ),
    // An early program needed six seconds for the mate.
    (
        "r4rk1/4p1b1/2N3p1/p6p/1p1Pn1b1/BP2PP2/P1P3PP/R3K2R b KQ - 0 17",
        &[],
        KnownResult::Wins(Some(9), None),
    ),
    // One of three captures wins; in the second position a quiet move mates.
    (
        "4K1R1/RR6/8/8/8/8/qqq3p1/7k b - - 0 1",
        &["c2c3"],
        KnownResult::Wins(Some(1), Some("g8g2")),
    ),
    (
        "k7/8/8/8/1N6/8/7Q/4K1B1 b - - 0 1",
        &["a8b7"],
        KnownResult::Wins(Some(1), Some("h2b8")),
    ),
    // A queen or two rooks beat a lone king while the kings do not touch.
    (
        "8/8/4k3/8/8/8/8/KQ6 w - - 0 1",
        &[],
        KnownResult::Wins(Some(4), None),
    ),
    (
        "8/8/8/8/4k3/8/8/KRR5 w - - 0 1",
        &[],
        KnownResult::Wins(Some(5), None),
    ),
    // Rook and knight or rook and bishop win as well, but take longer.
    (
        "8/8/8/8/4k3/8/8/KRN5 w - - 0 1",
        &[],
        KnownResult::Wins(None, None),
    ),
    (
        "8/8/8/8/4k3/8/8/KRB5 w - - 0 1",
        &[],
        KnownResult::Wins(None, None),
    ),
    // Two knights or a single lesser piece draw, and so does a queen while the kings touch.
    ("7k/8/8/8/8/8/8/KNN5 w - - 0 1", &[], KnownResult::Drawn(0)),
    ("8/8/8/8/4k3/8/8/KN6 w - - 0 1", &[], KnownResult::Drawn(0)),
    ("8/8/8/4k3/8/8/8/KB6 w - - 0 1", &[], KnownResult::Drawn(0)),
    ("8/8/8/8/4k3/8/8/KR6 w - - 0 1", &[], KnownResult::Drawn(0)),
    (
        "2q1k3/4K3/8/8/8/8/8/8 w - - 0 1",
        &[],
        KnownResult::Drawn(150),
    ),
    // A blocked position.
    (
        "kbB5/pK6/P7/8/8/8/8/8 w - - 0 1",
        &[],
        KnownResult::Drawn(50),
    ),
];

/// Published fortresses: drawn despite the material. The search values them at up to +2.7. In
/// self-play it always holds the first and the others only in some games, so not all of them
/// may be draws.
const FORTRESSES: [&str; 5] = [
    "2k5/8/p7/Pp6/1P6/7p/4b2P/2K5 w - - 0 1",
    "8/5k2/pr6/4R3/P5P1/4K3/1P6/8 w - - 1 1",
    "8/5k2/p5p1/1p5p/7P/BP4P1/P4p2/5R1K b - - 0 28",
    "2r1B3/r1P5/8/3pp1pp/1B1PP1PP/8/7K/2N2bkR w - - 19 1",
    "8/1p3k2/p7/7p/1P4pP/P5P1/3B1p2/5R1K w - - 0 1",
];

/// Searches a published position with this number of nodes and checks its known result.
fn check_published(engine: &mut Engine, case: &Case, nodes: u64) {
    let (text, moves, known) = case;
    let mut pos = position(text);
    for mv in *moves {
        pos.make(coord::parse(&pos, mv).expect(mv));
    }
    let summary = search(engine, &pos, nodes);
    let (value, score) = (summary.value(), summary.display_score());
    let mates_within = |moves| matches!(score, DisplayScore::Mate(m) if (1..=moves).contains(&m));
    let holds = match *known {
        KnownResult::Wins(within, best) => {
            let best = best.map(|best| coord::parse(&pos, best).expect(best));
            within.map_or(value >= WINNING, mates_within)
                && (best.is_none() || best == summary.best_move())
        }
        KnownResult::Loses(within) => {
            matches!(score, DisplayScore::Mate(m) if (-within..0).contains(&m))
        }
        KnownResult::Drawn(limit) => value.abs() <= limit,
    };
    assert!(
        holds,
        "{text} {moves:?}: {:?} {score:?}",
        summary.best_move()
    );
}

#[test]
fn published_endings_are_judged_correctly() {
    let mut engine = Engine::new();
    for case in &PUBLISHED[4..] {
        check_published(&mut engine, case, 200_000);
    }
}

#[test]
#[ignore = "deep: seconds"]
fn deep_published_positions_are_judged_correctly() {
    let mut engine = Engine::new();
    for case in &PUBLISHED {
        check_published(&mut engine, case, 1_000_000);
    }
}

/// The outcome of self-play from a position, with this number of nodes per move.
fn self_play(text: &str, nodes: u64) -> Outcome {
    let (mut engine, mut pos) = (Engine::new(), position(text));
    loop {
        if let Some(outcome) = pos.outcome() {
            return outcome;
        }
        engine.set_position(pos.clone());
        let limits = Limits {
            nodes: Some(nodes),
            ..Limits::default()
        };
        let best = engine.go(&limits, &NullListener).best_move();
        pos.make(best.expect("the game is not over"));
    }
}

#[test]
#[ignore = "deep: seconds"]
fn deep_a_fortress_is_held() {
    let text = FORTRESSES[0];
    let outcome = self_play(text, 20_000);
    let is_drawn = matches!(outcome, Outcome::Draw { .. });
    assert!(is_drawn, "{text}: {outcome:?}");
}

/// Searches the fortresses with this number of nodes: none is valued as a win.
fn check_fortresses(nodes: u64) {
    let mut engine = Engine::new();
    for text in FORTRESSES {
        let score = search(&mut engine, &position(text), nodes).display_score();
        let is_open = matches!(score, DisplayScore::Centipawns(-400..=400));
        assert!(is_open, "{text}: {score:?}");
    }
}

#[test]
fn fortresses_are_not_valued_as_wins() {
    check_fortresses(50_000);
}

#[test]
#[ignore = "deep: seconds"]
fn deep_fortresses_are_not_valued_as_wins() {
    check_fortresses(1_000_000);
}
