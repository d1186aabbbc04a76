//! What the search must see: forced wins from our own games (`data/tactics.epd`, made by
//! `scripts/tactics.py`), each proved by the solver, and positions of which others have written
//! what is true. A move counts only if it has a proof.
//! Long: `cargo test --release --test engine tactics -- --ignored --nocapture`.

use std::collections::BTreeMap;

use brisance::engine::Engine;
use brisance::eval::wdl::Shown;
use brisance::notation::epd::{self, Epd};
use brisance::notation::{coord, fen, san};
use brisance::proof::file::{self, Claim};
use brisance::proof::{self, Task, Unwatched, Verdict};
use brisance::rules::{Move, Outcome, Position, Variant};
use brisance::search::{Limits, Silent, Summary};

const LIST: &str = include_str!("data/tactics.epd");

/// Each search begins from nothing; most positions need the first one only.
const NODES: [u64; 3] = [2_000, 20_000, 200_000];
/// A search that finds the move but not that it wins has only been lucky.
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

    /// The most moves the shortest known proof takes.
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

fn search(engine: &mut Engine, pos: &Position, nodes: u64) -> Summary {
    engine.clear();
    engine.set_position(pos.clone());
    engine.control().arm(false);
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    engine.go(&limits, &Silent)
}

fn is_solved(tactic: &Tactic, summary: &Summary) -> bool {
    summary.value >= WINNING
        && summary
            .best
            .is_some_and(|best| tactic.winning.contains(&best))
}

/// The nodes that sufficed, or what the last search said.
fn nodes_to_solve(engine: &mut Engine, tactic: &Tactic) -> Result<u64, Summary> {
    let mut last = None;
    for nodes in NODES {
        let summary = search(engine, &tactic.pos, nodes);
        if is_solved(tactic, &summary) {
            return Ok(nodes);
        }
        last = Some(summary);
    }
    // The list need not name every win: another move that the search prefers must be proved now.
    let last = last.expect("there are limits");
    match last.best {
        Some(best) if last.value >= WINNING && is_proved(&tactic.pos, best) => {
            Ok(NODES[NODES.len() - 1])
        }
        _ => Err(last),
    }
}

fn is_proved(pos: &Position, mv: Move) -> bool {
    let task = Task {
        nodes: Some(2_000_000),
        ..Task::new(pos.side())
    };
    let answer = proof::solve_after(pos, mv, &task, &Unwatched).expect("memory");
    matches!(answer.verdict, Verdict::Proved(_))
}

fn described(tactic: &Tactic, summary: &Summary) -> String {
    let best = summary.best.map(|best| san::write(&tactic.pos, best));
    let (best, value) = (best.unwrap_or_default(), summary.shown());
    format!("{best} {value:?}: {}", tactic.epd)
}

#[test]
fn forced_wins_of_our_own_games_are_found() {
    let (mut engine, tactics) = (Engine::new(), all());
    assert!(tactics.len() >= 100, "{}", tactics.len());
    let failed: Vec<String> = tactics
        .iter()
        .filter_map(|tactic| {
            let failure = nodes_to_solve(&mut engine, tactic).err()?;
            Some(described(tactic, &failure))
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
#[ignore = "prints how many of the wins a search of each size finds"]
fn how_many_nodes_the_wins_take() {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    let mut engine = Engine::new();
    for tactic in all() {
        match nodes_to_solve(&mut engine, &tactic) {
            Ok(nodes) => *counts.entry(nodes).or_default() += 1,
            Err(failure) => println!("missed: {}", described(&tactic, &failure)),
        }
    }
    for (nodes, count) in counts {
        println!("{count} within {nodes} nodes");
    }
}

#[test]
#[ignore = "a quarter of an hour: proves every winning move again"]
fn the_wins_are_proved() {
    for tactic in all() {
        for &mv in &tactic.winning {
            let task = Task {
                nodes: Some(12_000_000),
                ..Task::new(tactic.pos.side())
            };
            let answer = proof::solve_after(&tactic.pos, mv, &task, &Unwatched).expect("memory");
            let Verdict::Proved(proved) = answer.verdict else {
                panic!("{mv:?} is not proved: {}", tactic.epd);
            };
            // What `solve --tree` writes and `solve --check` reads.
            let mut text = Vec::new();
            file::write(&proved.0, &proved.1, false, &mut text).expect("memory is a good disk");
            let claim = Claim::read(&text[..]).expect("what was written");
            claim
                .verify()
                .unwrap_or_else(|fault| panic!("{fault}: {}", tactic.epd));
        }
        let task = Task {
            within: Some(tactic.length()),
            nodes: Some(4_000_000),
            ..Task::new(tactic.pos.side())
        };
        let answer = proof::solve(&tactic.pos, &task, &Unwatched).expect("memory");
        let proved = matches!(answer.verdict, Verdict::Proved(_));
        assert!(proved, "longer than {}: {}", tactic.length(), tactic.name());
    }
}

/// What is known of a position with the side to move, from its view.
enum Known {
    /// It wins, in at most so many moves if that is known, with this move if it is given.
    Wins(Option<i32>, Option<&'static str>),
    /// It is mated in at most so many moves.
    Loses(i32),
    /// Nobody wins; the search must not see more than this either way.
    Drawn(i32),
}

/// A position, moves played from it, and what is known then.
type Case = (&'static str, &'static [&'static str], Known);

/// Published by others. The first three begin with a queen that lets herself be taken on e7 or
/// e2; then comes what searches of others overlooked; then endings.
const KNOWN: [Case; 16] = [
    (
        "b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1",
        &[],
        Known::Wins(Some(4), Some("d8e7")),
    ),
    (
        "b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 w - - 0 1",
        &[],
        Known::Loses(5),
    ),
    (
        "3qk3/8/2n5/1B1p4/5P1p/2P4P/8/4K2R w K - 0 1",
        &[],
        Known::Loses(5),
    ),
    // An early program took six seconds for the mate.
    (
        "r4rk1/4p1b1/2N3p1/p6p/1p1Pn1b1/BP2PP2/P1P3PP/R3K2R b KQ - 0 17",
        &[],
        Known::Wins(Some(9), None),
    ),
    // The third capture is the one that wins; a quiet check inside the tree mates.
    (
        "4K1R1/RR6/8/8/8/8/qqq3p1/7k b - - 0 1",
        &["c2c3"],
        Known::Wins(Some(1), Some("g8g2")),
    ),
    (
        "k7/8/8/8/1N6/8/7Q/4K1B1 b - - 0 1",
        &["a8b7"],
        Known::Wins(Some(1), Some("h2b8")),
    ),
    // A lone king goes down before a queen or two rooks while the kings are apart.
    (
        "8/8/4k3/8/8/8/8/KQ6 w - - 0 1",
        &[],
        Known::Wins(Some(4), None),
    ),
    (
        "8/8/8/8/4k3/8/8/KRR5 w - - 0 1",
        &[],
        Known::Wins(Some(5), None),
    ),
    // Rook and knight or rook and bishop win too, but not soon.
    (
        "8/8/8/8/4k3/8/8/KRN5 w - - 0 1",
        &[],
        Known::Wins(None, None),
    ),
    (
        "8/8/8/8/4k3/8/8/KRB5 w - - 0 1",
        &[],
        Known::Wins(None, None),
    ),
    // Two knights or a single smaller piece win nothing, nor does a queen while the kings touch.
    ("7k/8/8/8/8/8/8/KNN5 w - - 0 1", &[], Known::Drawn(0)),
    ("8/8/8/8/4k3/8/8/KN6 w - - 0 1", &[], Known::Drawn(0)),
    ("8/8/8/4k3/8/8/8/KB6 w - - 0 1", &[], Known::Drawn(0)),
    ("8/8/8/8/4k3/8/8/KR6 w - - 0 1", &[], Known::Drawn(0)),
    ("2q1k3/4K3/8/8/8/8/8/8 w - - 0 1", &[], Known::Drawn(100)),
    // A wall of pawns that nobody can open.
    ("kbB5/pK6/P7/8/8/8/8/8 w - - 0 1", &[], Known::Drawn(50)),
];

/// Fortresses: drawn whatever the count of men says, as their publishers found. The search gives
/// the side with more up to +2.7 and does not see a win; the first it holds against itself, the
/// others only in some games, so perhaps not all of them are what they are said to be.
const FORTRESSES: [&str; 5] = [
    "2k5/8/p7/Pp6/1P6/7p/4b2P/2K5 w - - 0 1",
    "8/5k2/pr6/4R3/P5P1/4K3/1P6/8 w - - 1 1",
    "8/5k2/p5p1/1p5p/7P/BP4P1/P4p2/5R1K b - - 0 28",
    "2r1B3/r1P5/8/3pp1pp/1B1PP1PP/8/7K/2N2bkR w - - 19 1",
    "8/1p3k2/p7/7p/1P4pP/P5P1/3B1p2/5R1K w - - 0 1",
];

#[test]
fn what_others_know_is_known() {
    let mut engine = Engine::new();
    for (text, moves, known) in &KNOWN {
        let mut pos = position(text);
        for mv in *moves {
            pos.make(coord::parse(&pos, mv).expect(mv));
        }
        let summary = search(&mut engine, &pos, 1_000_000);
        let value = summary.value;
        let holds = match *known {
            Known::Wins(within, best) => {
                let best = best.map(|best| coord::parse(&pos, best).expect(best));
                let soon =
                    |moves| matches!(summary.shown(), Shown::Mate(m) if (1..=moves).contains(&m));
                within.map_or(value >= WINNING, soon) && (best.is_none() || best == summary.best)
            }
            Known::Loses(within) => {
                matches!(summary.shown(), Shown::Mate(m) if (-within..0).contains(&m))
            }
            Known::Drawn(most) => value.abs() <= most,
        };
        assert!(
            holds,
            "{text} {moves:?}: {:?} {:?}",
            summary.best,
            summary.shown()
        );
    }
}

/// Plays the engine against itself to the end, with so many nodes a move.
fn played_out(text: &str, nodes: u64) -> Outcome {
    let (mut engine, mut pos) = (Engine::new(), position(text));
    loop {
        if let Some(outcome) = pos.outcome() {
            return outcome;
        }
        engine.set_position(pos.clone());
        engine.control().arm(false);
        let limits = Limits {
            nodes: Some(nodes),
            ..Limits::default()
        };
        let best = engine.go(&limits, &Silent).best;
        pos.make(best.expect("the game is not over"));
    }
}

#[test]
fn a_fortress_is_held() {
    let text = FORTRESSES[0];
    let outcome = played_out(text, 20_000);
    let is_drawn = matches!(outcome, Outcome::Draw { .. });
    assert!(is_drawn, "{text}: {outcome:?}");
}

#[test]
fn fortresses_are_not_called_won() {
    let mut engine = Engine::new();
    for text in FORTRESSES {
        let shown = search(&mut engine, &position(text), 1_000_000).shown();
        let is_open = matches!(shown, Shown::Centipawns(-400..=400));
        assert!(is_open, "{text}: {shown:?}");
    }
}
