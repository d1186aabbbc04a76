//! The solver compared with full-width search and with tablebases; its proofs, replayed with
//! the reference implementation of the rules; altered proof files.
//! Slow: `cargo test --release --test engine proof -- --ignored --nocapture exhaustive_`

mod results; // limits, finished games, costs, PGN
mod signature; // nodes

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

use brisance::eval::nnue::Network;
use brisance::eval::score::{MATE_IN_MAX_PLY, Value};
use brisance::notation::{coord, fen};
use brisance::proof::file::{self, ProofFile};
use brisance::proof::{
    Guide, NullListener, Proof, ProofErrorKind, ProofVerdict, Solver, SolverListener, SolverResult,
    UnknownReason, VerifiedProof,
};
use brisance::rules::{
    Color, GameResult, Move, Outcome, OutcomeReason, PieceType, Position, Variant,
};

use crate::program::FORCED;
use crate::random::Random;
use crate::reference::Board;
use crate::searching;
use crate::table::rows;
use crate::tablebase::{Reference, folder, random_position};
use crate::walk::{self, play, position, shredder, wins};

fn solve(pos: &Position, solver: &Solver) -> SolverResult {
    solver.solve(pos, &NullListener).expect("memory")
}

fn solver(attacker: Color, nodes: u64) -> Solver<'static> {
    Solver { hash_mb: 1, ..searching::solver(attacker, nodes) }
}

/// The network that guides a solver.
fn net() -> &'static Network {
    static NET: LazyLock<Arc<Network>> =
        LazyLock::new(|| Network::embedded().expect("a valid network"));
    &NET
}

fn solver_within(attacker: Color, moves: u16) -> Solver<'static> {
    Solver { max_moves: Some(moves), ..solver(attacker, u64::MAX) }
}

#[track_caller]
fn prove(pos: &Position, solver: &Solver) -> (Proof, VerifiedProof) {
    match solve(pos, solver).verdict {
        ProofVerdict::Proved(proved) => *proved,
        other => panic!("{} is not proved: {other:?}", shredder(pos)),
    }
}

#[track_caller]
fn assert_disproved(pos: &Position, solver: &Solver) {
    let verdict = solve(pos, solver).verdict;
    let is_disproved = matches!(verdict, ProofVerdict::Disproved);
    assert!(is_disproved, "{}: {verdict:?}", shredder(pos));
}

/// Plays the main line of a proof, which ends with the win.
fn play_line(pos: &Position, proof: &Proof, verified: &VerifiedProof) {
    let mut end = pos.clone();
    for &mv in &verified.line {
        assert!(end.outcome().is_none() && end.is_legal(mv), "{pos:?}");
        end.make(mv);
    }
    let outcome = end.outcome().expect("the end of the game");
    assert!(outcome.is_win_of(proof.attacker), "{pos:?}");
}

/// The same position with another fifty-move clock.
fn with_clock(pos: &Position, clock: usize) -> Position {
    let text = shredder(pos);
    let mut fields: Vec<&str> = text.split(' ').collect();
    let clock = clock.to_string();
    fields[4] = &clock;
    fen::parse(&fields.join(" "), pos.variant()).expect("a valid position")
}

/// Compares the solver with full-width search for wins within 1 to `max_moves` moves of either
/// side, on one in `one_in` positions of random games; a third of them are close to the
/// fifty-move rule. In half of them the network guides the solver. Returns the numbers of results
/// that were wins and that were not.
fn compare_with_brute_force(seed: u64, one_in: usize, count: usize, max_moves: u16) -> [u32; 2] {
    let [mut yes, mut no] = [0; 2];
    for variant in Variant::ALL {
        let mut random = Random::new(seed);
        walk::visit(seed, count, variant, |pos| {
            if !random.one_in(one_in) || pos.outcome().is_some() {
                return;
            }
            let mut pos = pos.without_history();
            if random.one_in(3) {
                pos = with_clock(&pos, 94 + random.below(6));
            }
            let attacker = *random.pick(&Color::ALL);
            let net = random.one_in(2).then(net);
            let attacking = u16::from(pos.side_to_move() == attacker);
            let mut expected = false;
            for moves in 1..=max_moves {
                let plies = 2 * moves - attacking;
                expected = wins(&mut pos, attacker, u32::from(plies));
                let solver = Solver { net, ..solver_within(attacker, moves) };
                let result = solve(&pos, &solver);
                let context = format!("{} {attacker} {moves}: {result:?}", shredder(&pos));
                match &result.verdict {
                    ProofVerdict::Proved(proved) => {
                        let is_short = proved.1.plies <= usize::from(plies);
                        assert!(expected && is_short, "{context}");
                        replay(&proved.0);
                        yes += 1;
                    }
                    ProofVerdict::Disproved => {
                        assert!(!expected, "{context}");
                        no += 1;
                    }
                    ProofVerdict::Unknown(_) => panic!("{context}"),
                }
            }
            // Disproved without a limit on the length means that there is no short win either.
            let solver = Solver { net, ..solver(attacker, 2_000) };
            match solve(&pos, &solver).verdict {
                ProofVerdict::Proved(proved) => replay(&proved.0),
                ProofVerdict::Disproved => assert!(!expected, "{}", shredder(&pos)),
                ProofVerdict::Unknown(_) => {}
            }
        });
    }
    [yes, no]
}

#[test]
fn wins_in_two_moves_agree_with_brute_force() {
    let [yes, no] = compare_with_brute_force(31, 20, 5_000, 2);
    assert!(yes > 50 && no > 300, "{yes} {no}");
}

#[test]
fn wins_in_three_moves_agree_with_brute_force() {
    let [yes, no] = compare_with_brute_force(32, 150, 4_000, 3);
    assert!(yes > 10 && no > 50, "{yes} {no}");
}

#[test]
#[ignore = "exhaustive: minutes"]
fn exhaustive_wins_in_three_moves_agree_with_brute_force() {
    let [yes, no] = compare_with_brute_force(33, 20, 20_000, 3);
    println!("{yes} {no}");
    assert!(yes > 200 && no > 800, "{yes} {no}");
}

/// Replays a proof with the reference implementation of the rules.
fn replay(proof: &Proof) {
    let pos = &proof.root;
    let board = Board::from_shredder_fen(&shredder(pos), pos.variant().has_check());
    replay_from(proof, board, &mut Vec::new(), &mut HashMap::new());
}

/// `done` has the positions already verified, with the number of plies that the fifty-move clock
/// needs.
fn replay_from(
    proof: &Proof,
    board: Board,
    line: &mut Vec<String>,
    done: &mut HashMap<String, u32>,
) -> u32 {
    let white = proof.attacker == Color::White;
    assert!(!board.has_lost_king(white));
    let replies = board.replies();
    if board.has_lost_king(!white) {
        return 0;
    }
    let fen = board.shredder_fen();
    let fields: Vec<&str> = fen.split(' ').collect();
    let attacking = (fields[1] == "w") == white;
    if replies.is_empty() {
        assert!(!attacking && board.in_check(), "not mate: {fen}");
        return 0;
    }
    let clock: u32 = fields[4].parse().unwrap();
    assert!(clock < 100, "{fen}");
    let name = fields[..4].join(" ");
    assert!(!line.contains(&name), "returns to {fen}");
    if let Some(slack) = done.get(&name) {
        assert!(clock + slack <= 100);
        return *slack;
    }
    let pos = fen::parse(&fen, proof.root.variant()).unwrap();
    let attack = attacking.then(|| {
        let mv = proof.reply(&pos);
        coord::write(mv.unwrap_or_else(|| panic!("no move in {fen}")), true)
    });
    line.push(name.clone());
    let (mut slack, mut played) = (0, 0);
    for reply in replies {
        if attack.as_ref().is_none_or(|mv| *mv == reply.text) {
            let resets = reply.after.shredder_fen().split(' ').nth(4) == Some("0");
            let after = replay_from(proof, reply.after, line, done);
            slack = slack.max(if resets { 1 } else { after + 1 });
            played += 1;
        }
    }
    assert!(played > 0, "the proof's move is not legal in {fen}");
    line.pop();
    done.insert(name, slack);
    slack
}

/// Forced wins with the least number of moves.
const FORCED_WINS: [(&str, u16); 6] = [
    // Queen sacrifices next to the enemy king, published.
    ("b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1", 4),
    ("3qk3/8/2n5/1B1p4/5P1p/2P4P/8/4K2R b K - 0 1", 3),
    // A quiet move.
    ("7k/8/8/8/8/6q1/P7/K7 b - - 0 1", 2),
    // A lone queen.
    ("8/8/8/3k4/8/8/4Q3/4K3 w - - 0 1", 4),
    // On the last ply before the fifty-move draw.
    ("B7/Rk6/8/8/8/8/7Q/4K3 w - - 99 1", 1),
    ("4k3/7R/8/8/8/8/8/R3K3 w - - 99 80", 1),
];

#[test]
fn forced_wins_are_proved() {
    for (fen, least) in FORCED_WINS {
        let pos = position(fen);
        let free = prove(&pos, &solver(pos.side_to_move(), 200_000));
        assert!(free.1.plies >= usize::from(2 * least - 1), "{fen}");
        replay(&free.0);
        let (proof, verified) = prove(&pos, &solver_within(pos.side_to_move(), least));
        assert_eq!(verified.plies, usize::from(2 * least - 1), "{fen}");
        replay(&proof);
        assert_eq!(verified.line.len(), verified.plies);
        if least > 1 {
            assert_disproved(&pos, &solver_within(pos.side_to_move(), least - 1));
        }
    }
}

/// A guide that knows nothing and searches until it is stopped, and a listener that stops it.
#[derive(Default)]
struct Endless(AtomicBool);

impl SolverListener for Endless {
    fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Guide for Endless {
    fn known(&self, _pos: &Position) -> Option<(Value, Option<Move>)> {
        None
    }

    fn search(
        &self,
        _pos: &Position,
        _nodes: u64,
        time: Option<Duration>,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> u64 {
        assert!(time.is_none_or(|time| time > Duration::from_secs(30)));
        self.0.store(true, Ordering::Relaxed);
        while !is_over() {
            thread::yield_now();
        }
        1
    }
}

/// A guide that is often wrong.
struct Chance;

impl Guide for Chance {
    fn known(&self, pos: &Position) -> Option<(Value, Option<Move>)> {
        let value = [MATE_IN_MAX_PLY, -MATE_IN_MAX_PLY].get(pos.key() as usize % 7)?;
        Some((*value, pos.legal_moves().last().copied()))
    }

    fn search(
        &self,
        _pos: &Position,
        nodes: u64,
        _time: Option<Duration>,
        _is_over: &(dyn Fn() -> bool + Sync),
    ) -> u64 {
        nodes / 2
    }
}

#[test]
fn a_listener_stops_the_search_of_the_guide() {
    let guide = Endless::default();
    let max_time = Some(Duration::from_secs(60));
    let solver = Solver { guide: Some(&guide), max_time, ..Solver::new(Color::White) };
    let result = solver.solve(&position(fen::STARTPOS), &guide).expect("memory");
    let is_open = matches!(result.verdict, ProofVerdict::Unknown(UnknownReason::Limit));
    assert!(is_open && guide.is_stopped());
}

#[test]
fn other_positions_are_not_proved() {
    for fen in [
        // Insufficient material, a win in one for the other side.
        "8/4rk2/8/8/8/8/3K4/8 w - - 0 1",
        "8/8/8/1r6/8/8/1P6/K1k5 w - - 0 1",
        // The fifty-move rule applies now or before the win.
        "4k3/7R/8/8/8/8/8/R3K3 w - - 100 80",
        "8/8/8/3k4/8/8/4Q3/4K3 w - - 95 80",
    ] {
        let pos = position(fen);
        assert_disproved(&pos, &solver(pos.side_to_move(), 1_000_000));
    }
}

#[test]
fn a_third_repetition_is_no_part_of_a_win() {
    let start = position("7k/8/8/8/8/q7/P7/K7 w - - 0 1");
    let mut pos = start.clone();
    play(&mut pos, "a1b1 a3g3 b1a1");
    let (_, verified) = prove(&pos, &solver_within(Color::Black, 2));
    let quiet = play(&mut pos, "g3a3")[0];
    assert_eq!(verified.line[0], quiet);
    play(&mut pos, "a1b1 a3g3 b1a1");
    // The position after the quiet move would occur for the third time.
    let (_, verified) = prove(&pos, &solver_within(Color::Black, 2));
    assert_ne!(verified.line[0], quiet);
    pos.unmake();
    play(&mut pos, "b1c1");
    let (proof, verified) = prove(&pos, &solver(Color::Black, 500_000));
    play_line(&pos, &proof, &verified);
    assert_eq!(proof.root.ply(), pos.ply());
}

/// Compares the solver with tablebases on `count` random positions with three and four pieces. Of the
/// wins that are close to the deciding capture, 80 % or more are proved. Returns their number.
fn compare_with_tables(folder: &Path, seed: u64, count: u32, nodes: u64) -> u32 {
    const NEAR: i32 = 9;
    let tables = Reference::new(folder);
    let mut random = Random::new(seed);
    let (mut proved, mut all) = (0, 0);
    for _ in 0..count {
        let pieces = 3 + random.below(2);
        let pos = random_position(pieces, &mut random);
        let wdl = tables.wdl(&pos);
        let winner = match wdl {
            2 => Some(pos.side_to_move()),
            -2 => Some(!pos.side_to_move()),
            _ => None,
        };
        for attacker in Color::ALL {
            let verdict = solve(&pos, &solver(attacker, nodes)).verdict;
            let is_proved = matches!(verdict, ProofVerdict::Proved(_));
            if winner == Some(attacker) {
                let is_disproved = matches!(verdict, ProofVerdict::Disproved);
                assert!(!is_disproved, "{}", shredder(&pos));
                // A pawn move may zero the clock long before the win.
                let has_pawns = pos.by_type(PieceType::Pawn).any();
                let is_near = tables.dtz(&pos).0.abs() <= NEAR && !has_pawns;
                proved += u32::from(is_near && is_proved);
                all += u32::from(is_near);
            } else if wdl == 0 || winner.is_some() {
                assert!(!is_proved, "{} is not won by {attacker}", shredder(&pos));
            }
        }
    }
    println!("{proved} of {all} near wins proved");
    assert!(proved * 10 >= all * 8, "{proved} of {all}");
    all
}

#[test]
fn results_agree_with_tablebases() {
    let Some(folder) = folder() else { return };
    assert!(compare_with_tables(&folder, 71, 300, 5_000) > 50);
}

#[test]
#[ignore = "exhaustive: minutes"]
fn exhaustive_results_agree_with_tablebases() {
    let Some(folder) = folder() else { return };
    compare_with_tables(&folder, 72, 5_000, 100_000);
}

/// A proof as the lines of its file.
fn proof_lines(fen: &str) -> Vec<String> {
    let pos = position(fen);
    let (proof, verified) = prove(&pos, &solver(pos.side_to_move(), 1_000_000));
    let mut out = Vec::new();
    file::write(&proof, &verified, false, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn read(lines: &[String]) -> Result<ProofFile, String> {
    ProofFile::read(lines.join("\n").as_bytes()).map_err(|error| error.to_string())
}

#[test]
fn a_file_with_a_missing_line_is_refuted() {
    let lines = proof_lines(FORCED);
    // A line may be there twice.
    let file = read(&[&lines[..], &lines[1..2]].concat()).unwrap();
    assert_eq!((file.len(), file.is_empty()), (lines.len() - 1, false));
    assert_eq!(file.verify().unwrap().positions, lines.len() - 1);
    assert!(read(&lines[..1]).unwrap().is_empty());
    for without in 1..lines.len() {
        let mut altered = lines.clone();
        altered.remove(without);
        let error = read(&altered).unwrap().verify().unwrap_err();
        assert_eq!(error.kind, ProofErrorKind::NoMove, "{error}");
        assert!(lines[without].contains(error.fen.rsplitn(3, ' ').nth(2).unwrap()));
    }
    assert!(read(&lines[1..]).unwrap_err().starts_with("line 1"));
}

#[test]
fn an_altered_move_is_refuted_unless_it_wins_too() {
    let lines = proof_lines(FORCED);
    let (mut refused, mut fine) = (0, 0);
    for changed in 1..lines.len() {
        let line: serde_json::Value = serde_json::from_str(&lines[changed]).unwrap();
        let pos = position(line["fen"].as_str().unwrap());
        for mv in pos.legal_moves() {
            let mut altered = lines.clone();
            let fen = line["fen"].as_str().unwrap();
            let mv_text = coord::write(mv, false);
            altered[changed] = format!(r#"{{"fen":"{fen}","move":"{mv_text}"}}"#);
            match read(&altered).unwrap().verify() {
                Err(_) => refused += 1,
                // Then the move must win by brute force too, within the verified plies.
                Ok(verified) => {
                    let mut after = pos.after(mv);
                    let wins = wins(&mut after, Color::Black, verified.plies as u32);
                    assert!(wins, "{mv_text} in {fen}");
                    fine += 1;
                }
            }
        }
    }
    assert!(refused > 200, "{refused}");
    assert!(fine >= lines.len() - 1, "{fine}");
}

#[test]
fn an_altered_header_is_refuted() {
    let lines = proof_lines(FORCED);
    let with = |from: &str, to: &str| {
        assert!(lines[0].contains(from));
        let mut lines = lines.clone();
        lines[0] = lines[0].replace(from, to);
        read(&lines).map(|claim| claim.verify().map(|verified| verified.plies))
    };
    // Another attacker, root or variant, a clock that runs out within the line.
    assert!(with(r#""attacker":"black""#, r#""attacker":"white""#).is_err());
    let other_root = with("4K3 b", "3K4 b").unwrap().unwrap_err();
    assert_eq!(other_root.kind, ProofErrorKind::NoMove);
    assert!(with(r#""atomic""#, r#""nocheckatomic""#).is_ok_and(|result| result.is_err()));
    let late = with("b - - 0 1", "b - - 95 60").unwrap().unwrap_err().kind;
    let draw = ProofErrorKind::GameEnds(Outcome {
        result: GameResult::Draw,
        reason: OutcomeReason::FiftyMoves,
    });
    assert!([draw, ProofErrorKind::FiftyMoveRule].contains(&late), "{late:?}");
    assert_eq!(with("b - - 0 1", "b - - 93 60"), Ok(Ok(7)));
    for (from, to) in [
        ("brisance proof 1", "brisance proof 9"),
        (r#""atomic""#, r#""suicide""#),
        ("4K3 b", "4K3 x"),
        ("{", ""),
    ] {
        let error = with(from, to).unwrap_err();
        assert!(error.starts_with("line 1: "), "{error}");
    }
}

#[test]
fn errors_name_the_line() {
    let lines = proof_lines(FORCED);
    let table = r#"
        no JSON                                                            | line 2
        {"fen":"8/8/8/8/8/8/8/8 b - -","move":"a1a2"}                      | line 2
        {"fen":"b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - -","move":"d8d9"}     | d8d9
        {"fen":"b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 w - -","move":"e1e2"}     | White"#;
    for [bad, why] in rows(table) {
        let mut lines = lines.clone();
        lines[1] = bad.to_owned();
        let error = read(&lines).unwrap_err();
        assert!(error.starts_with("line 2: "), "{error}");
        assert!(error.contains(why), "{error}");
    }
    let mut twice = lines.clone();
    twice.push(lines[1].replace("d8e7", "d8d7"));
    assert!(read(&twice).unwrap_err().contains("second move"));
    assert!(read(&[]).unwrap_err().contains("empty"));
}

/// A strategy that repeats positions is refuted, not followed for ever.
#[test]
fn a_repeating_strategy_is_refuted() {
    let pos = position("8/8/8/3k4/8/8/4Q3/4K3 w - - 0 1");
    let shuffle = |pos: &Position| -> Option<Move> {
        ["e1d1", "d1e1"].iter().find_map(|mv| coord::parse(pos, mv))
    };
    let error = brisance::proof::verify(&pos, Color::White, &shuffle).unwrap_err();
    assert_eq!(error.kind, ProofErrorKind::Repetition, "{error}");
    assert!(error.line.len() >= 4);
}
