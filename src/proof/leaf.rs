//! What a position says without search: the end of the game, wins in one for either side,
//! and first guesses of the work left.
//! Invariant: settled answers follow from the rules alone, whatever the path.

use super::status::Status;
use crate::rules::{Color, MoveList, Position};

/// The answer of the rules and of one static look, repetitions on the path aside. `depth` is
/// the number of half-moves that may still be played.
pub(super) fn look(pos: &mut Position, attacker: Color, depth: Option<u16>) -> Status {
    if pos.king(!attacker).is_none() {
        return Status::OVER;
    }
    if pos.king(attacker).is_none() {
        return Status::DENIED;
    }
    if pos.side() == attacker {
        look_attacking(pos, depth)
    } else {
        look_defending(pos, depth)
    }
}

fn look_attacking(pos: &Position, depth: Option<u16>) -> Status {
    if !pos.has_legal_move() || is_dead(pos) || depth == Some(0) {
        return Status::DENIED;
    }
    if pos.halfmove() >= 100 {
        return OUT_OF_TIME;
    }
    if pos.win_in_one().is_some() {
        return Status::WIN_IN_ONE;
    }
    let pressed = pos.in_check() || pos.threatens_explosion(!pos.side());
    Status::Open {
        proof: if pressed { 2 } else { 1 },
        disproof: 1,
    }
}

fn look_defending(pos: &mut Position, depth: Option<u16>) -> Status {
    let attacker = !pos.side();
    let moves = pos.legal_moves();
    if moves.is_empty() {
        return if pos.in_check() {
            Status::OVER
        } else {
            Status::DENIED
        };
    }
    if is_dead(pos) || depth == Some(0) {
        return Status::DENIED;
    }
    if pos.halfmove() >= 100 {
        return OUT_OF_TIME;
    }
    if pos.win_in_one().is_some() {
        return Status::DENIED;
    }
    let threatened = pos.in_check() || pos.threatens_explosion(attacker);
    let proof = if threatened {
        survivors(pos, &moves)
    } else {
        // Nothing hurries him: the attacker must find a threat after each of his moves.
        4 + moves.len() as u32
    };
    if proof == 0 && depth.is_none_or(|depth| depth >= 2) && pos.halfmove() < 99 {
        return Status::Won { plies: 2, slack: 2 };
    }
    Status::Open {
        proof: proof.max(1),
        disproof: 1,
    }
}

/// The fifty-move clock has run out before a win.
const OUT_OF_TIME: Status = Status::NotWon {
    floor: 100,
    tied: None,
};

/// Nobody can win any more.
fn is_dead(pos: &Position) -> bool {
    pos.has_insufficient_material()
}

/// How many of the defender's moves are not answered by an explosion at once.
fn survivors(pos: &mut Position, moves: &MoveList) -> u32 {
    let mut count = 0;
    for &mv in moves.iter().filter(|mv| !mv.is_redundant()) {
        pos.make(mv);
        let lost = pos.win_in_one().is_some() && !is_dead(pos);
        pos.unmake();
        count += u32::from(!lost);
    }
    count
}
