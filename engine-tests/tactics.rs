//! Forced wins from self-play (`data/tactics.epd`, collected by `scripts/tactics.py` and proved
//! by the solver), drawn positions from self-play (`data/draws.epd`), and published positions with
//! known results. A move counts as winning only if it has a proof. The tests are floors that any
//! sane network passes; `scripts/gauge --positions` prints the figures of the present one.
//! Slow: `cargo test --release --test engine tactics -- --ignored deep_`, or `exhaustive_`

use brisance::engine::Engine;
use brisance::eval::wdl::DisplayScore;
use brisance::notation::epd::{self, Epd};
use brisance::notation::{coord, san};
use brisance::proof::file::{self, ProofFile};
use brisance::proof::{NullListener, ProofVerdict, Solver};
use brisance::rules::{Move, Position, Variant};
use brisance::search::{Limits, SearchInfo, SearchResult};

use crate::fuzz::targets::TACTICS;
use crate::puzzles::shipped;
use crate::searching::{go, nodes, play_line, report, solver};
use crate::table::rows;
use crate::walk::{play, position};

/// Node limits of the searches, each with an empty TT; for most positions the first suffices.
const NODES: [u64; 3] = [2_000, 20_000, 100_000];
/// The lowest value of a win that was found: the right move with a lower one is luck.
const WINNING: i32 = 200;

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
    for line in TACTICS.lines() {
        let Some(epd) = epd::parse_line(line, Variant::Atomic).expect(line) else {
            continue;
        };
        let best = epd.operand("bm").expect(line).split(' ');
        let winning = best.map(|text| san::parse(&epd.pos, text).expect(line));
        tactics.push(Tactic { pos: epd.pos.clone(), winning: winning.collect(), epd });
    }
    tactics
}

fn search(engine: &mut Engine, pos: &Position, limit: u64) -> SearchResult {
    engine.clear();
    go(engine, pos, &nodes(limit))
}

fn is_solved(tactic: &Tactic, summary: &SearchResult) -> bool {
    let best = summary.best_move();
    summary.value() >= WINNING && best.is_some_and(|best| tactic.winning.contains(&best))
}

/// Whether the win is found with this number of nodes, or another one that is proved here: the list
/// need not have every winning move.
fn finds_win(engine: &mut Engine, tactic: &Tactic, nodes: u64) -> bool {
    let summary = search(engine, &tactic.pos, nodes);
    let is_proved = |best| {
        let solver = solver(tactic.pos.side_to_move(), 2_000_000);
        let result = solver.solve_after(&tactic.pos, best, &NullListener);
        matches!(result.expect("memory").verdict, ProofVerdict::Proved(_))
    };
    is_solved(tactic, &summary)
        || summary.value() >= WINNING && summary.best_move().is_some_and(is_proved)
}

/// How many puzzles, one in `step`, are solved. Each has one winning move: the first of its line.
fn solved_puzzles(engine: &mut Engine, step: usize) -> (usize, usize) {
    let puzzles = shipped();
    let sample = puzzles.iter().step_by(step);
    let count = sample.len();
    let solved = sample.filter(|puzzle| {
        let line = puzzle.operand("line").expect("a line");
        let first = line.split(' ').next().expect("a move");
        let summary = search(engine, &puzzle.pos, NODES[1]);
        summary.best_move() == coord::parse(&puzzle.pos, first) && summary.value() >= WINNING
    });
    (solved.count(), count)
}

/// How many of the drawn positions have a value within a quarter of a pawn, and their number.
fn draws_seen(engine: &mut Engine, nodes: u64) -> (usize, usize) {
    let lines = include_str!("data/draws.epd").lines();
    let draws = lines.filter_map(|line| epd::parse_line(line, Variant::Atomic).expect(line));
    let scores = draws.map(|draw| search(engine, &draw.pos, nodes).display_score());
    let scores: Vec<_> = scores.collect();
    let seen = scores.iter().filter(|score| matches!(score, DisplayScore::Centipawns(-25..=25)));
    (seen.count(), scores.len())
}

#[test]
fn half_of_the_forced_wins_need_few_nodes() {
    let (mut engine, tactics) = (Engine::new(), all());
    let sample = tactics.iter().step_by(5);
    let count = sample.len();
    let solved = sample.filter(|tactic| {
        let summary = search(&mut engine, &tactic.pos, NODES[1]);
        is_solved(tactic, &summary)
    });
    let solved = solved.count();
    assert!(solved * 2 >= count, "{solved} of {count}");
    let (solved, count) = solved_puzzles(&mut engine, 24);
    assert!(count > 0);
    assert!(solved * 2 >= count, "{solved} of {count} puzzles");
}

/// An ordinary search sees the same mates, but searches the root again after a bound.
#[test]
fn a_search_for_a_mate_ends_at_the_first_bound_that_is_one() {
    let mut engine = Engine::new();
    let (mut mates, mut earlier) = (0, 0);
    for tactic in all().iter().step_by(3) {
        engine.clear();
        let (_, reports) = report(&mut engine, &tactic.pos, &nodes(NODES[2]));
        let is_mate = |info: &&SearchInfo| matches!(info.display_score(), DisplayScore::Mate(1..));
        let Some(first) = reports.infos().iter().find(is_mate).map(|info| info.nodes) else {
            continue;
        };
        engine.clear();
        let limits = Limits { mate: Some(60), ..nodes(NODES[2]) };
        let found = go(&mut engine, &tactic.pos, &limits);
        assert!(matches!(found.display_score(), DisplayScore::Mate(1..)), "{}", tactic.name());
        assert!(found.nodes <= first, "{}", tactic.name());
        play_line(&tactic.pos, &found.lines[0].pv);
        mates += 1;
        earlier += usize::from(found.nodes < first);
    }
    assert!(mates > 5 && earlier > 0, "{mates} {earlier}");
}

#[test]
#[ignore = "deep: a minute"]
fn deep_most_forced_wins_are_found() {
    let (mut engine, tactics) = (Engine::new(), all());
    assert!(tactics.len() >= 100, "{}", tactics.len());
    let mut missed = tactics;
    let count = missed.len();
    for nodes in NODES {
        missed.retain(|tactic| !finds_win(&mut engine, tactic, nodes));
    }
    let missed = missed.len();
    assert!(missed * 5 <= count, "{missed} of {count} missed");
}

#[test]
#[ignore = "deep: ten seconds"]
fn deep_most_draws_are_seen() {
    let mut engine = Engine::new();
    let [(few, count), (seen, _)] = [2_000, 100_000].map(|nodes| draws_seen(&mut engine, nodes));
    assert_eq!(count, 100);
    assert!(few < seen && seen * 2 >= count, "{few}, {seen} of {count}");
}

#[test]
#[ignore = "exhaustive: minutes"]
fn exhaustive_all_winning_moves_are_proved() {
    for tactic in all() {
        for &mv in &tactic.winning {
            // Only the second move of game 76 needs more than 12 million nodes.
            let solver = Solver { hash_mb: 256, ..solver(tactic.pos.side_to_move(), 500_000_000) };
            let result = solver.solve_after(&tactic.pos, mv, &NullListener);
            let ProofVerdict::Proved(proved) = result.expect("memory").verdict else {
                panic!("{mv:?} is not proved: {}", tactic.epd);
            };
            // The file that `solve --tree` writes and `solve --check` reads.
            let mut text = Vec::new();
            file::write(&proved.0, &proved.1, false, &mut text).expect("a vector grows");
            let verified = ProofFile::read(&text[..]).expect("a valid file").verify();
            verified.unwrap_or_else(|error| panic!("{error}: {}", tactic.epd));
        }
        let solver = Solver {
            max_moves: Some(tactic.length()),
            ..solver(tactic.pos.side_to_move(), 4_000_000)
        };
        let result = solver.solve(&tactic.pos, &NullListener).expect("memory");
        let proved = matches!(result.verdict, ProofVerdict::Proved(_));
        assert!(proved, "longer than {}: {}", tactic.length(), tactic.name());
    }
}

/// Published positions with known results; the file explains its columns.
const PUBLISHED: &str = include_str!("data/published.txt");

/// Published fortresses: drawn despite the material. In self-play the engine always holds the first
/// and the others only in some games, so not all of them may be draws.
const FORTRESSES: [&str; 5] = [
    "2k5/8/p7/Pp6/1P6/7p/4b2P/2K5 w - - 0 1",
    "8/5k2/pr6/4R3/P5P1/4K3/1P6/8 w - - 1 1",
    "8/5k2/p5p1/1p5p/7P/BP4P1/P4p2/5R1K b - - 0 28",
    "2r1B3/r1P5/8/3pp1pp/1B1PP1PP/8/7K/2N2bkR w - - 19 1",
    "8/1p3k2/p7/7p/1P4pP/P5P1/3B1p2/5R1K w - - 0 1",
];

/// Searches each published position. Calls `check` with its name, the known result and what the
/// search found.
fn search_published(nodes: u64, check: impl Fn(&str, &str, &SearchResult)) {
    let mut engine = Engine::new();
    for [text, mv, known] in rows(PUBLISHED) {
        let mut pos = position(text);
        play(&mut pos, mv);
        let found = search(&mut engine, &pos, nodes);
        check(&format!("{text} {mv}"), known, &found);
    }
}

/// A mate need not be found, but no result is mistaken for another.
#[test]
fn published_positions_are_not_misjudged() {
    search_published(100_000, |name, known, summary| {
        let value = summary.value();
        let holds = match known.split(' ').next() {
            Some("win") => value > -WINNING,
            Some("loss") => value < WINNING,
            _ if known == "draw 0" => value == 0,
            _ => value.abs() < 600,
        };
        assert!(holds, "{name}, {known}: {value}");
    });
    let mut engine = Engine::new();
    for text in FORTRESSES {
        let score = search(&mut engine, &position(text), 20_000).display_score();
        let is_mate = matches!(score, DisplayScore::Mate(_));
        assert!(!is_mate, "{text}: {score:?}");
    }
}

#[test]
#[ignore = "deep: seconds"]
fn deep_published_mates_are_found() {
    search_published(3_000_000, |name, known, summary| {
        let score = summary.display_score();
        let (result, moves) = known.split_once(' ').unwrap_or((known, ""));
        let most: i32 = moves.parse().unwrap_or(i32::MAX);
        let mate = match score {
            DisplayScore::Mate(moves) => moves,
            DisplayScore::Centipawns(_) => 0,
        };
        let holds = match result {
            "win" if moves.is_empty() => summary.value() >= WINNING,
            "win" => (1..=most).contains(&mate),
            "loss" => (-most..0).contains(&mate),
            _ => summary.value().abs() < 600,
        };
        assert!(holds, "{name}, {known}: {score:?}");
    });
}

#[test]
#[ignore = "report: printed by scripts/gauge --positions"]
fn report_of_known_positions() {
    let (mut engine, tactics) = (Engine::new(), all());
    let count = tactics.len();
    for nodes in NODES {
        let found = tactics.iter().filter(|tactic| finds_win(&mut engine, tactic, nodes));
        let found = found.count();
        println!("forced wins found with {nodes} nodes: {found} of {count}");
        let (seen, count) = draws_seen(&mut engine, nodes);
        println!("draws seen with {nodes} nodes: {seen} of {count}");
    }
    let (nodes, (solved, count)) = (NODES[1], solved_puzzles(&mut engine, 1));
    println!("puzzles solved with {nodes} nodes: {solved} of {count}");
    search_published(1_000_000, |name, known, summary| {
        println!("{name}, {known}: {:?}", summary.display_score());
    });
    for text in FORTRESSES {
        let score = search(&mut engine, &position(text), 1_000_000).display_score();
        let mut pos = position(text);
        while pos.outcome().is_none() {
            let best = search(&mut engine, &pos, 20_000).best_move();
            pos.make(best.expect("the game is not over"));
        }
        let outcome = pos.outcome();
        println!("fortress {text}: {score:?}, in self-play {outcome:?}");
    }
}
