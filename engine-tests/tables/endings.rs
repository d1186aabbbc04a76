//! Endings played by the engine against the longest resistance that shakmaty's prober finds.

use brisance::engine::Engine;
use brisance::rules::{Move, Outcome, PieceType, Position};
use brisance::search::Silent;

use super::{Reference, back, engine, folder, go, nodes, position, random_position, text};
use crate::random::Random;

/// What the engine may search a move: the choice is made by the tables.
const NODES: u64 = 200;

/// Four-man positions that the side to move wins, in not less than `least` plies to zeroing:
/// always the same.
pub fn won(reference: &Reference, count: usize, least: i32) -> Vec<Position> {
    let mut random = Random::new(4);
    let mut found = Vec::new();
    while found.len() < count {
        let pos = random_position(4, &mut random);
        if reference.wdl(&pos) == 2 && reference.dtz(&pos).0 >= least {
            found.push(pos);
        }
    }
    found
}

/// The reply that holds out longest: one that does not lose, else the one with the longest
/// distance to zeroing.
fn defence(reference: &Reference, pos: &Position) -> Move {
    let moves = pos.legal_moves();
    let resistance = |&mv: &Move| {
        let mut after = pos.clone();
        after.make(mv);
        match after.outcome() {
            Some(Outcome::Draw { .. }) => i32::MAX,
            Some(Outcome::Win { winner, .. }) if winner == pos.side() => i32::MAX,
            Some(Outcome::Win { .. }) => 0,
            None if reference.wdl(&after) < 2 => i32::MAX,
            None if after.halfmove() == 0 => 1,
            None => 1 + reference.dtz(&after).0,
        }
    };
    moves
        .iter()
        .copied()
        .max_by_key(resistance)
        .expect("the game goes on")
}

/// Plays on until the game is over, and checks that the side to move wins with each phase
/// within its distance to zeroing; one ply more is allowed where tables round. Returns the
/// number of plies.
fn play_out(engine: &mut Engine, reference: &Reference, start: &Position) -> usize {
    let winner = start.side();
    let mut pos = start.clone();
    let (mut plies, mut due) = (0, due(reference, &pos));
    engine.clear();
    while pos.outcome().is_none() {
        let mv = if pos.side() == winner {
            let summary = go(engine, &pos, &nodes(NODES), &Silent);
            summary.best.expect("the game goes on")
        } else {
            defence(reference, &pos)
        };
        pos.make(mv);
        plies += 1;
        assert!(plies <= due, "{}: too slow at {}", text(start), text(&pos));
        if pos.halfmove() == 0 && pos.outcome().is_none() {
            (plies, due) = (0, self::due(reference, &pos));
        }
    }
    let won = matches!(pos.outcome(), Some(Outcome::Win { winner: side, .. }) if side == winner);
    assert!(won, "{} ended with {}", text(start), text(&pos));
    pos.ply() - start.ply()
}

fn due(reference: &Reference, pos: &Position) -> i32 {
    let (dtz, rounded) = reference.dtz(pos);
    dtz.abs() + i32::from(rounded)
}

#[test]
fn won_endings_are_won_in_time() {
    let Some(folder) = folder("won_endings_are_won_in_time") else {
        return;
    };
    let (mut engine, reference) = (engine(&folder), Reference::new(&folder));
    // Whatever comes, and long ones.
    let any = won(&reference, 120, 2);
    let long = won(&reference, 80, 20);
    let mut longest = 0;
    for pos in any.iter().chain(&long) {
        longest = longest.max(play_out(&mut engine, &reference, pos));
    }
    let count = any.len() + long.len();
    println!("{count} endings won, the longest in {longest} plies");
}

#[test]
fn a_clock_that_has_run_leaves_just_enough_time() {
    let Some(folder) = folder("a_clock_that_has_run_leaves_just_enough_time") else {
        return;
    };
    let (mut engine, reference) = (engine(&folder), Reference::new(&folder));
    for pos in won(&reference, 20, 12) {
        let clock = 100 - due(&reference, &pos);
        let late = position(&text(&pos).replace(" - 0 1", &format!(" - {clock} 90")));
        assert_eq!(i32::from(late.halfmove()), clock);
        play_out(&mut engine, &reference, &late);
    }
}

/// A quiet move of a piece, not of a pawn.
fn is_reversible(pos: &Position, mv: Move) -> bool {
    let pawns = pos.of_kind(PieceType::Pawn);
    !mv.is_capture() && !pawns.contains(mv.from())
}

/// Games in which both sides have gone back and forth until the side to move can bring about
/// the third occurrence of a position by `repeats`.
struct Shuffle {
    pos: Position,
    repeats: Move,
}

/// Lets the side to move of `first` play `there` and the other side `to`, twice, so that the
/// position after `repeats` of the side to move occurred twice.
fn shuffle(before: &Position, repeats: Move) -> Option<Shuffle> {
    let mut first = before.clone();
    first.make(repeats);
    let first = first.without_history();
    for there in first.legal_moves() {
        if !is_reversible(&first, there) {
            continue;
        }
        let mut next = first.clone();
        next.make(there);
        let Some(to) = next
            .legal_moves()
            .into_iter()
            .find(|mv| (mv.from(), mv.to()) == back(repeats))
        else {
            continue;
        };
        // Twice round is back at `first`; the last of the moves is what may repeat it.
        let mut pos = first.clone();
        let ways = [
            (there.from(), there.to()),
            (to.from(), to.to()),
            back(there),
            (repeats.from(), repeats.to()),
        ];
        let played = ways.iter().cycle().take(7).all(|&way| {
            let legal = pos.legal_moves();
            match legal.iter().find(|mv| (mv.from(), mv.to()) == way) {
                Some(&mv) => {
                    pos.make(mv);
                    pos.outcome().is_none() && pos.halfmove() > 0
                }
                None => false,
            }
        });
        if played {
            return Some(Shuffle { pos, repeats });
        }
    }
    None
}

#[test]
fn a_winning_side_does_not_repeat_a_third_time() {
    let Some(folder) = folder("a_winning_side_does_not_repeat_a_third_time") else {
        return;
    };
    let (mut engine, reference) = (engine(&folder), Reference::new(&folder));
    let mut cases = 0;
    for pos in won(&reference, 60, 6) {
        engine.clear();
        let best = go(&mut engine, &pos, &nodes(NODES), &Silent).best.unwrap();
        let Some(Shuffle { pos, repeats }) =
            shuffle(&pos, best).filter(|_| is_reversible(&pos, best))
        else {
            continue;
        };
        engine.clear();
        let other = go(&mut engine, &pos, &nodes(NODES), &Silent).best.unwrap();
        let mut after = pos.clone();
        after.make(other);
        let holds = after.outcome().is_none() && reference.wdl(&after) == -2;
        // There may be no other way to win.
        let mut others = pos.legal_moves().into_iter().filter(|&mv| {
            let mut after = pos.clone();
            after.make(mv);
            after.outcome().is_none() && reference.wdl(&after) == -2
        });
        assert!(holds || others.next().is_none(), "{}", text(&pos));
        assert!(!holds || other != repeats);
        cases += usize::from(holds);
    }
    assert!(cases >= 10, "{cases} cases");
}

#[test]
fn a_losing_side_repeats_if_it_can() {
    let Some(folder) = folder("a_losing_side_repeats_if_it_can") else {
        return;
    };
    let (mut engine, reference) = (engine(&folder), Reference::new(&folder));
    let mut cases = 0;
    for won in won(&reference, 60, 6) {
        let mut lost = won.clone();
        lost.make(defence_of_win(&reference, &won));
        if lost.outcome().is_some() {
            continue;
        }
        let found = lost
            .legal_moves()
            .into_iter()
            .filter(|&mv| is_reversible(&lost, mv))
            .find_map(|mv| shuffle(&lost, mv));
        let Some(Shuffle { pos, repeats }) = found else {
            continue;
        };
        engine.clear();
        let summary = go(&mut engine, &pos, &nodes(NODES), &Silent);
        assert_eq!(
            (summary.best, summary.value),
            (Some(repeats), 0),
            "{}",
            text(&pos)
        );
        cases += 1;
    }
    assert!(cases >= 10, "{cases} cases");
}

/// A move of the winning side that keeps the win and does not capture.
fn defence_of_win(reference: &Reference, pos: &Position) -> Move {
    let moves = pos.legal_moves();
    let keeps = |mv: &&Move| {
        let mut after = pos.clone();
        after.make(**mv);
        after.outcome().is_none() && reference.wdl(&after) == -2
    };
    *moves.iter().find(keeps).expect("a won position")
}
