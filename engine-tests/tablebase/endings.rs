//! Endings played by the engine against the longest resistance that shakmaty's prober finds.

use brisance::engine::Engine;
use brisance::rules::{Move, Position};

use super::{Reference, engine, folder, random_position};
use crate::random::Random;
use crate::searching::{go, nodes};
use crate::walk::{position, x_fen};

/// Nodes per move: few, because the tables decide.
const NODES: u64 = 200;

fn best_move(engine: &mut Engine, pos: &Position) -> Move {
    let best = go(engine, pos, &nodes(NODES)).best_move();
    best.expect("the game is not over")
}

/// Positions with four pieces that the side to move wins, at least `min_dtz` plies from zeroing;
/// always the same.
pub fn won_positions(reference: &Reference, count: usize, min_dtz: i32) -> Vec<Position> {
    let mut random = Random::new(4);
    let mut found = Vec::new();
    while found.len() < count {
        let pos = random_position(4, &mut random);
        if reference.wdl(&pos) == 2 && reference.dtz(&pos).0 >= min_dtz {
            found.push(pos);
        }
    }
    found
}

/// The best defence: a move that does not lose, or else the one with the longest distance to
/// zeroing.
fn best_defence(reference: &Reference, pos: &Position) -> Move {
    let moves = pos.legal_moves();
    let resistance = |&mv: &Move| {
        let after = pos.after(mv);
        match after.outcome() {
            Some(outcome) if outcome.is_win_of(!pos.side_to_move()) => 0,
            Some(_) => i32::MAX,
            None if reference.wdl(&after) < 2 => i32::MAX,
            None if after.halfmove_clock() == 0 => 1,
            None => 1 + reference.dtz(&after).0,
        }
    };
    let best = moves.into_iter().max_by_key(resistance);
    best.expect("the game is not over")
}

/// Plays the game to its end and checks that the side to move wins, each phase within its
/// distance to zeroing; one ply more is allowed where tables round. Returns the number of plies.
fn play_out(engine: &mut Engine, reference: &Reference, start: &Position) -> usize {
    let winner = start.side_to_move();
    let mut pos = start.clone();
    let (mut plies, mut limit) = (0, max_plies(reference, &pos));
    engine.clear();
    while pos.outcome().is_none() {
        let mv = if pos.side_to_move() == winner {
            best_move(engine, &pos)
        } else {
            best_defence(reference, &pos)
        };
        pos.make(mv);
        plies += 1;
        assert!(plies <= limit, "{}: too slow at {pos:?}", x_fen(start));
        if pos.halfmove_clock() == 0 && pos.outcome().is_none() {
            (plies, limit) = (0, max_plies(reference, &pos));
        }
    }
    let won = pos.outcome().is_some_and(|end| end.is_win_of(winner));
    assert!(won, "{} ended with {}", x_fen(start), x_fen(&pos));
    pos.ply() - start.ply()
}

fn max_plies(reference: &Reference, pos: &Position) -> i32 {
    let (dtz, rounded) = reference.dtz(pos);
    dtz.abs() + i32::from(rounded)
}

#[test]
fn won_endings_are_won_before_fifty_moves() {
    let Some(folder) = folder() else { return };
    let (mut engine, reference) = (engine(&folder), Reference::new(&folder));
    // Of any length, and long ones.
    let any = won_positions(&reference, 60, 2);
    let long = won_positions(&reference, 40, 20);
    let mut longest = 0;
    for pos in any.iter().chain(&long) {
        longest = longest.max(play_out(&mut engine, &reference, pos));
    }
    let count = any.len() + long.len();
    println!("{count} endings won, the longest in {longest} plies");
}

#[test]
fn wins_are_in_time_on_the_last_possible_clock() {
    let Some(folder) = folder() else { return };
    let (mut engine, reference) = (engine(&folder), Reference::new(&folder));
    for pos in won_positions(&reference, 20, 12) {
        let clock = 100 - max_plies(&reference, &pos);
        let late = position(&x_fen(&pos).replace(" - 0 1", &format!(" - {clock} 90")));
        assert_eq!(i32::from(late.halfmove_clock()), clock);
        play_out(&mut engine, &reference, &late);
    }
}
