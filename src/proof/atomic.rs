//! Atomic chess as a [`ProofGame`]: moves, keys, the halfmove clock, and the static evaluation
//! of a node: the end of the game, wins in one for either side, initial proof numbers.
//! Invariant: a proved or disproved evaluation follows from the rules alone, whatever the path.

use super::dfpn::ProofGame;
use super::status::NodeStatus;
use crate::rules::{Color, Move, MoveList, Piece, PieceType, Position};

/// A position and the side whose win is searched.
pub(super) struct AtomicGame {
    pub(super) pos: Position,
    pub(super) attacker: Color,
    /// Keys of positions that occurred twice before the root: the next occurrence is a draw.
    repeated_keys: Vec<u64>,
}

impl AtomicGame {
    pub(super) fn new(pos: &Position, attacker: Color) -> AtomicGame {
        AtomicGame {
            pos: pos.clone(),
            attacker,
            repeated_keys: repeated_keys(pos),
        }
    }
}

/// Keys that occur at least twice in the history of a position.
fn repeated_keys(pos: &Position) -> Vec<u64> {
    let mut past = pos.clone();
    let mut keys = Vec::new();
    while past.ply() > 0 {
        past.unmake();
        keys.push(past.key());
    }
    keys.sort_unstable();
    let pairs = keys.windows(2).filter(|pair| pair[0] == pair[1]);
    let mut repeated: Vec<u64> = pairs.map(|pair| pair[0]).collect();
    repeated.dedup();
    repeated
}

impl ProofGame for AtomicGame {
    type Move = Move;
    type Moves = MoveList;

    fn is_or_node(&self) -> bool {
        self.pos.side_to_move() == self.attacker
    }

    fn moves(&self) -> MoveList {
        let mut moves = self.pos.legal_moves();
        moves.retain(|mv| !mv.is_redundant());
        moves
    }

    fn is_irreversible(&self, mv: Move) -> bool {
        let is_pawn = |piece: Piece| piece.piece_type() == PieceType::Pawn;
        mv.is_capture() || self.pos.piece_at(mv.from()).is_some_and(is_pawn)
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

    fn halfmove_clock(&self) -> u16 {
        self.pos.halfmove_clock()
    }

    fn evaluate(&mut self, depth: Option<u16>) -> NodeStatus {
        let pos = &mut self.pos;
        if pos.king(!self.attacker).is_none() {
            NodeStatus::GAME_WON
        } else if pos.king(self.attacker).is_none() || self.repeated_keys.contains(&pos.key()) {
            NodeStatus::DISPROVED
        } else if pos.side_to_move() == self.attacker {
            evaluate_or_node(pos, depth)
        } else {
            evaluate_and_node(pos, depth)
        }
    }
}

fn evaluate_or_node(pos: &Position, depth: Option<u16>) -> NodeStatus {
    if !pos.has_legal_move() || pos.has_insufficient_material() || depth == Some(0) {
        return NodeStatus::DISPROVED;
    }
    if pos.halfmove_clock() >= 100 {
        return NodeStatus::FIFTY_MOVE_DRAW;
    }
    if pos.win_in_one().is_some() {
        return NodeStatus::WIN_IN_ONE;
    }
    let must_respond = pos.in_check() || pos.threatens_explosion(!pos.side_to_move());
    NodeStatus::Unknown {
        proof: if must_respond { 2 } else { 1 },
        disproof: 1,
    }
}

fn evaluate_and_node(pos: &mut Position, depth: Option<u16>) -> NodeStatus {
    let attacker = !pos.side_to_move();
    let moves = pos.legal_moves();
    if moves.is_empty() {
        return if pos.in_check() {
            NodeStatus::GAME_WON
        } else {
            NodeStatus::DISPROVED
        };
    }
    if pos.has_insufficient_material() || depth == Some(0) {
        return NodeStatus::DISPROVED;
    }
    if pos.halfmove_clock() >= 100 {
        return NodeStatus::FIFTY_MOVE_DRAW;
    }
    if pos.win_in_one().is_some() {
        return NodeStatus::DISPROVED;
    }
    let proof = if pos.in_check() || pos.threatens_explosion(attacker) {
        count_defences(pos, &moves)
    } else {
        // Without a threat on the board, the attacker must find one after each reply.
        4 + moves.len() as u32
    };
    if proof == 0 && depth.is_none_or(|depth| depth >= 2) && pos.halfmove_clock() < 99 {
        return NodeStatus::Proved {
            plies: 2,
            clock_needed: 2,
        };
    }
    NodeStatus::Unknown {
        proof: proof.max(1),
        disproof: 1,
    }
}

/// The number of defending moves after which the attacker has no win in one.
fn count_defences(pos: &mut Position, moves: &MoveList) -> u32 {
    let mut count = 0;
    for &mv in moves.iter().filter(|mv| !mv.is_redundant()) {
        pos.make(mv);
        let lost = pos.win_in_one().is_some() && !pos.has_insufficient_material();
        pos.unmake();
        count += u32::from(!lost);
    }
    count
}
