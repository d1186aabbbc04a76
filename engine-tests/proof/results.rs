//! What the solver returns: the end of a search at each of its limits, finished games, the costs
//! that the verifier reports, and the PGN of a proof, all compared with plain replay.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use brisance::engine::Engine;
use brisance::eval::score::{MATE_IN_MAX_PLY, Value};
use brisance::notation::fen;
use brisance::notation::pgn::{NumberedGame, PgnLine, PgnReader};
use brisance::proof::{
    Guide, NullListener, Proof, ProofVerdict, Solver, SolverError, SolverListener, SolverProgress,
    SolverResult, UnknownReason, pgn, verify,
};
use brisance::rules::{Color, GameResult, Move, Position};
use parking_lot::Mutex;

use super::{Chance, FORCED_WINS, net, play_line, prove, solve, solver, solver_within, with_clock};
use crate::walk::{position, shredder, wins};

/// By keys and clocks of positions, the number of plies until the win. The moves before do not
/// matter: a strategy under which a position can recur does not win.
type Lengths = HashMap<(u64, u16), Option<usize>>;

/// The number of plies until the win when the strategy is played against every reply; `None` if
/// it does not win.
fn longest(pos: &mut Position, proof: &Proof, known: &mut Lengths) -> Option<usize> {
    let id = (pos.key(), pos.halfmove_clock());
    if let Some(length) = known.get(&id) {
        return *length;
    }
    let length = longest_after_moves(pos, proof, known);
    known.insert(id, length);
    length
}

fn longest_after_moves(pos: &mut Position, proof: &Proof, known: &mut Lengths) -> Option<usize> {
    if let Some(outcome) = pos.outcome() {
        return outcome.is_win_of(proof.attacker).then_some(0);
    }
    let moves = if pos.side_to_move() == proof.attacker {
        vec![proof.reply(pos)?]
    } else {
        pos.legal_moves().to_vec()
    };
    let mut most = 0;
    for mv in moves {
        pos.make(mv);
        let rest = longest(pos, proof, known);
        pos.unmake();
        most = most.max(rest? + 1);
    }
    Some(most)
}

/// Compares the verifier with plain replay at these clocks; returns how often the win comes too late.
fn replay_at(clocks: Range<usize>, pos: &Position, proof: &Proof) -> usize {
    let is_late = |clock: &usize| {
        let root = with_clock(pos, *clock);
        let verified = verify(&root, proof.attacker, &|pos| proof.reply(pos));
        let expected = longest(&mut root.clone(), proof, &mut Lengths::new());
        let plies = verified.map(|verified| verified.plies).ok();
        assert_eq!(plies, expected, "{} at clock {clock}", shredder(pos));
        expected.is_none()
    };
    clocks.filter(is_late).count()
}

#[test]
fn the_verifier_agrees_with_plain_replay_at_every_clock() {
    let mut too_late = 0;
    for (fen, least) in &FORCED_WINS[..4] {
        let pos = position(fen);
        let (proof, _) = prove(&pos, &solver_within(pos.side_to_move(), *least));
        too_late += replay_at(90..100, &pos, &proof);
    }
    assert!(too_late > 4, "{too_late}");
}

/// In these proofs, which a guide makes long, positions recur at several clocks.
#[test]
fn the_verifier_agrees_with_plain_replay_of_long_proofs() {
    let mut too_late = 0;
    for (fen, _) in &FORCED_WINS[2..4] {
        let pos = position(fen);
        let solver = Solver { guide: Some(&Chance), ..solver(pos.side_to_move(), 2_000_000) };
        let (proof, verified) = prove(&pos, &solver);
        assert_eq!(verified.line.len(), verified.plies, "{fen}");
        play_line(&pos, &proof, &verified);
        too_late += replay_at(99 - verified.plies..100, &pos, &proof);
    }
    assert!(too_late > 4, "{too_late}");
}

/// The contents of the PGN of a proof.
#[derive(Default)]
struct PgnContents {
    /// Keys of the positions that have a continuation, with the side to move.
    continued: HashMap<u64, Color>,
    /// Keys of the positions that refer to a continuation elsewhere.
    references: Vec<u64>,
    replies: usize,
}

/// Reads a line with its variations. In each position the attacker has the move of the proof
/// and the defender has every legal move, beginning with the longest resistance.
fn read_line(pos: &Position, line: &PgnLine, proof: &Proof, contents: &mut PgnContents) {
    let mut pos = pos.clone();
    for (index, played) in line.moves.iter().enumerate() {
        // The first move of a variation is listed with the move that it replaces.
        if index > 0 || contents.continued.is_empty() {
            let mut moves = vec![played.mv];
            moves.extend(played.variations.iter().map(|line| line.moves[0].mv));
            let earlier = contents.continued.insert(pos.key(), pos.side_to_move());
            assert_eq!(earlier, None, "{}", shredder(&pos));
            if pos.side_to_move() == proof.attacker {
                assert_eq!(moves, [proof.reply(&pos).expect("a move")]);
            } else {
                let resistance =
                    |&mv: &Move| longest(&mut pos.after(mv), proof, &mut Lengths::new());
                let most = moves.iter().map(resistance).max().expect("a move");
                assert_eq!(resistance(&moves[0]), most);
                let mut legal = pos.legal_moves().to_vec();
                contents.replies += legal.len();
                legal.sort_by_key(|mv| mv.code());
                moves.sort_by_key(|mv| mv.code());
                assert_eq!(moves, legal, "{}", shredder(&pos));
            }
        }
        for variation in &played.variations {
            read_line(&pos, variation, proof, contents);
        }
        pos.make(played.mv);
    }
    let last = line.moves.last().expect("a move");
    match pos.outcome() {
        Some(outcome) if outcome.result != GameResult::Draw => {
            assert!(outcome.is_win_of(proof.attacker) && last.comments.is_empty());
        }
        _ => {
            assert_eq!(last.comments.len(), 1, "{}", shredder(&pos));
            contents.references.push(pos.key());
        }
    }
}

#[test]
fn the_pgn_of_a_proof_has_every_reply() {
    let mut count = 0;
    for (fen, least) in FORCED_WINS {
        let pos = position(fen);
        let (proof, verified) = prove(&pos, &solver_within(pos.side_to_move(), least));
        let written = pgn::game(&proof).to_pgn();

        let mut games = PgnReader::new(written.as_bytes(), None);
        let first = games.next().expect("a game").expect("a valid one");
        let NumberedGame { game, warnings, .. } = first;
        assert!(warnings.is_empty() && games.next().is_none());
        assert_eq!(game.result, Some(GameResult::Win(proof.attacker)));
        assert!(game.start.same_as(&pos));
        assert_eq!(game.start.halfmove_clock(), pos.halfmove_clock());
        let mut contents = PgnContents::default();
        read_line(&pos, &game.main_line, &proof, &mut contents);
        let continued = &contents.continued;
        let mut references = contents.references.iter();
        assert!(references.all(|key| continued.contains_key(key)));
        let attacks = continued.values().filter(|&&side| side == proof.attacker);
        let counts = (attacks.count(), contents.replies);
        assert_eq!(counts, (verified.positions, verified.replies));
        count += contents.references.len();
    }
    assert!(count > 2, "{count}");
}

#[test]
fn solve_after_counts_the_given_move() {
    let (mut yes, mut no) = (0, 0);
    for (fen, least) in &FORCED_WINS[2..] {
        let pos = position(fen);
        let attacker = pos.side_to_move();
        for mv in pos.legal_moves() {
            for moves in 1..=(*least).min(2) {
                let expected = wins(&mut pos.after(mv), attacker, u32::from(2 * moves - 2));
                let solver = solver_within(attacker, moves);
                let result = solver.solve_after(&pos, mv, &NullListener).expect("memory");
                let is_proved = matches!(result.verdict, ProofVerdict::Proved(_));
                assert_eq!(is_proved, expected, "{fen} {mv:?} within {moves}");
                *if expected { &mut yes } else { &mut no } += 1;
            }
        }
    }
    assert!(yes > 3 && no > 50, "{yes} {no}");
}

/// Proves a win with more help and a part of the nodes that are too few without it.
fn assert_sooner(fen: &str, alone: &Solver, guided: &Solver) {
    let verdict = solve(&position(fen), alone).verdict;
    assert!(matches!(verdict, ProofVerdict::Unknown(_)), "{fen}");
    prove(&position(fen), guided);
}

/// Two positions of played games, eleven and thirteen plies before their end. Counting the
/// defences alone takes more than three times the nodes.
#[test]
fn the_network_finds_wins_sooner() {
    for fen in [
        "1q6/pPb3k1/2P5/7p/P6P/3p2P1/1R3p2/5R1K b - - 1 36",
        "8/2p5/6R1/3P3k/8/8/6p1/6K1 w - - 5 34",
    ] {
        let side = position(fen).side_to_move();
        let guided = Solver { net: Some(net()), ..solver(side, 30_000) };
        assert_sooner(fen, &solver(side, 100_000), &guided);
    }
}

/// An ordinary search sees these wins first; the solver alone takes more than twice the nodes, and
/// for the second one also if it does not try the moves of the mate first.
#[test]
fn a_guide_finds_wins_sooner() {
    for fen in ["4k3/5R2/2N5/p7/4p3/4n3/8/K7 b - - 1 38", "8/5b2/8/P5kR/8/7p/7B/K7 b - - 8 51"] {
        let alone = Solver { net: Some(net()), hash_mb: 16, ..solver(Color::White, 300_000) };
        let engine = Engine::new();
        let guided = Solver { guide: Some(&engine), max_nodes: Some(150_000), ..alone };
        assert_sooner(fen, &alone, &guided);
    }
}

/// Collects reports and stops the search after a number of them.
#[derive(Default)]
struct StopAfter {
    reports: usize,
    seen: Mutex<Vec<SolverProgress>>,
}

impl SolverListener for StopAfter {
    fn is_stopped(&self) -> bool {
        self.seen.lock().len() >= self.reports
    }

    fn progress(&self, progress: &SolverProgress) {
        self.seen.lock().push(*progress);
    }
}

#[test]
fn a_search_ends_at_each_of_its_limits() {
    // A lone queen cannot win while the kings touch; the search of this has no end.
    let pos = position("2q1k3/4K3/8/8/8/8/8/8 b - - 0 1");
    let unlimited = solver(pos.side_to_move(), u64::MAX);
    let ended = |result: &SolverResult| {
        matches!(result.verdict, ProofVerdict::Unknown(UnknownReason::Limit))
    };
    for nodes in [0, 1, 5_000, 100_000] {
        let result = solve(&pos, &solver(pos.side_to_move(), nodes));
        assert!(ended(&result) && result.hashfull <= 1000);
        // All moves of a position are counted at once.
        let counted = result.nodes;
        assert!((nodes..nodes + 100).contains(&counted), "{counted}");
    }
    for max_time in [0, 30].map(Duration::from_millis) {
        let solver = Solver { max_time: Some(max_time), ..unlimited };
        let result = solve(&pos, &solver);
        assert!(ended(&result) && result.time >= max_time);
    }
    let listener = StopAfter { reports: 4, ..StopAfter::default() };
    let result = unlimited.solve(&pos, &listener).expect("memory");
    assert!(ended(&result));
    let seen = listener.seen.into_inner();
    assert_eq!(seen.len(), 4);
    assert!(seen.is_sorted_by(|a, b| a.nodes < b.nodes && a.time <= b.time));
    let has_numbers = |info: &SolverProgress| info.proof_number > 0 && info.disproof_number > 0;
    assert!(seen.iter().all(has_numbers));
    // Every move of the root must be disproved.
    assert!(seen[0].disproof_number > 10);
    let last = seen[3];
    assert!(last.nodes <= result.nodes);
    assert!((1..=result.hashfull).contains(&last.hashfull));
}

/// A guide that sees a win when it searches, or before; the nodes of its searches, and whether they
/// are over at once.
#[derive(Default)]
struct Seeing {
    sees_win: AtomicBool,
    searches: Mutex<Vec<(u64, bool)>>,
}

impl Guide for Seeing {
    fn known(&self, _pos: &Position) -> Option<(Value, Option<Move>)> {
        self.sees_win.load(Ordering::Relaxed).then_some((MATE_IN_MAX_PLY, None))
    }

    fn search(
        &self,
        _pos: &Position,
        nodes: u64,
        _time: Option<Duration>,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> u64 {
        self.sees_win.store(true, Ordering::Relaxed);
        self.searches.lock().push((nodes, is_over()));
        nodes
    }
}

#[test]
fn the_search_of_a_guide_ends_when_it_sees_a_new_win() {
    for sees_win in [false, true] {
        let guide = Seeing { sees_win: sees_win.into(), ..Seeing::default() };
        let solver = Solver { guide: Some(&guide), ..solver(Color::White, 33_000) };
        solve(&position(fen::STARTPOS), &solver);
        let searches = guide.searches.into_inner();
        assert!(matches!(searches[..], [(1..750, is_over)] if is_over != sees_win), "{searches:?}");
    }
}

/// A listener that only does this at each report.
struct Reacting<F>(F);

impl<F: Fn(&SolverProgress) + Sync> SolverListener for Reacting<F> {
    fn is_stopped(&self) -> bool {
        false
    }

    fn progress(&self, progress: &SolverProgress) {
        (self.0)(progress);
    }
}

#[test]
fn threads_and_their_guide_share_the_nodes() {
    const MAX: u64 = 150_000;
    let (guide, seen) = (Seeing::default(), Mutex::new(Vec::new()));
    let solver = Solver { guide: Some(&guide), threads: 2, ..solver(Color::White, MAX) };
    // The other thread searches more nodes than the first one.
    let slow = Reacting(|progress: &SolverProgress| {
        seen.lock().push(progress.nodes);
        thread::sleep(Duration::from_millis(5));
    });
    let result = solver.solve(&position(fen::STARTPOS), &slow).expect("memory");
    assert!(result.nodes >= MAX);
    if let Some((nodes, _)) = guide.searches.into_inner().first() {
        let left = MAX - seen.into_inner()[3];
        assert!((1..=left / 4 * 3).contains(nodes), "{nodes} of {left}");
    }
}

#[test]
fn the_result_of_another_thread_counts_beyond_the_limit() {
    let pos = position(FORCED_WINS[3].0);
    let alone = solver(Color::White, u64::MAX);
    let nodes = solve(&pos, &alone).nodes;
    let both = Solver { threads: 2, max_nodes: Some(100), ..alone };
    let is_proved = |ms: u64| {
        let wait = Reacting(|_: &SolverProgress| thread::sleep(Duration::from_millis(ms)));
        let result = both.solve(&pos, &wait).expect("memory");
        matches!(result.verdict, ProofVerdict::Proved(_)) && result.nodes < nodes / 2 * 3
    };
    assert!([100, 1_000, 5_000].into_iter().any(is_proved));
}

#[test]
fn a_panic_ends_all_threads() {
    let solver = Solver { threads: 2, ..solver(Color::White, u64::MAX) };
    let broken = Reacting(|_: &SolverProgress| panic!("a broken listener"));
    let result = solver.solve(&position(fen::STARTPOS), &broken);
    assert!(matches!(result, Err(SolverError::Panicked)));
}

#[test]
fn a_finished_game_is_won_by_its_winner_only() {
    for (fen, winner) in [
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", Some(Color::Black)),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", Some(Color::White)),
        ("R3k3/7R/8/8/8/8/8/4K3 b - - 0 1", Some(Color::White)),
        ("7K/8/8/8/8/1Q6/8/k7 b - - 0 1", None),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", None),
    ] {
        let pos = position(fen);
        for attacker in Color::ALL {
            match solve(&pos, &solver(attacker, 100)).verdict {
                ProofVerdict::Proved(proved) => {
                    assert_eq!(winner, Some(attacker), "{fen}");
                    assert!(proved.1.plies == 0 && proved.1.line.is_empty());
                }
                ProofVerdict::Disproved => assert_ne!(winner, Some(attacker), "{fen}"),
                ProofVerdict::Unknown(reason) => panic!("{fen}: {reason:?}"),
            }
        }
    }
}
