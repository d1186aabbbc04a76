//! Atomic chess as the solver sees it: moves, keys, clocks, and what a position says without
//! search: the end of the game, wins in one for either side, first guesses of the work left.
//! Invariant: settled answers follow from the rules alone, whatever the path.

use super::dfpn::Game;
use super::status::Status;
use crate::rules::{Color, Move, MoveList, Piece, PieceType, Position};

/// A position and the side whose win is looked for.
pub(super) struct Atomic {
    pub(super) pos: Position,
    pub(super) attacker: Color,
    /// Keys of positions that stood on the board twice before the root: the next time is a
    /// draw.
    spent: Vec<u64>,
}

impl Atomic {
    pub(super) fn new(pos: &Position, attacker: Color) -> Atomic {
        Atomic {
            pos: pos.clone(),
            attacker,
            spent: spent(pos),
        }
    }
}

/// Keys that occur twice in the history of a position.
fn spent(pos: &Position) -> Vec<u64> {
    let mut past = pos.clone();
    let mut keys = Vec::new();
    while past.ply() > 0 {
        past.unmake();
        keys.push(past.key());
    }
    keys.sort_unstable();
    let twice = keys.windows(2).filter(|two| two[0] == two[1]);
    let mut twice: Vec<u64> = twice.map(|two| two[0]).collect();
    twice.dedup();
    twice
}

impl Game for Atomic {
    type Move = Move;
    type Moves = MoveList;

    fn attacking(&self) -> bool {
        self.pos.side() == self.attacker
    }

    fn moves(&self) -> MoveList {
        let mut moves = self.pos.legal_moves();
        moves.retain(|mv| !mv.is_redundant());
        moves
    }

    fn zeroes(&self, mv: Move) -> bool {
        let pawn = |piece: Piece| piece.kind() == PieceType::Pawn;
        mv.is_capture() || self.pos.piece_at(mv.from()).is_some_and(pawn)
    }

    fn make(&mut self, mv: Move) {
        self.pos.make(mv);
    }

    fn unmake(&mut self) {
        self.pos.unmake();
    }

    fn key(&self) -> u64 {
        self.pos.key()
    }

    fn clock(&self) -> u16 {
        self.pos.halfmove()
    }

    fn look(&mut self, depth: Option<u16>) -> Status {
        let pos = &mut self.pos;
        if pos.king(!self.attacker).is_none() {
            Status::OVER
        } else if pos.king(self.attacker).is_none() || self.spent.contains(&pos.key()) {
            Status::DENIED
        } else if pos.side() == self.attacker {
            look_attacking(pos, depth)
        } else {
            look_defending(pos, depth)
        }
    }
}

fn look_attacking(pos: &Position, depth: Option<u16>) -> Status {
    if !pos.has_legal_move() || is_dead(pos) || depth == Some(0) {
        return Status::DENIED;
    }
    if pos.halfmove() >= 100 {
        return Status::OUT_OF_TIME;
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
        return Status::OUT_OF_TIME;
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
