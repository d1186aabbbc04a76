//! What the order of moves at a node depends on: histories and the policy head.
//! Invariant: a bonus by the policy head fits into 16 bits.

use arrayvec::ArrayVec;

use super::history::{Histories, PieceTo, PieceToHistory};
use super::params;
use super::stack::Stack;
use super::tt_memory::prefetch;
use crate::eval::nnue::{ACTIVATION_UNIT, Policy, PolicyThreats, QP};
use crate::rules::{
    CheckInfo, Color, MAX_MOVES, Move, MoveList, Piece, PieceType, Position, Square,
};

/// Bound of the bonus by the policy head. With the explosion threat bonus it fits into 16 bits.
const MAX_POLICY_BONUS: i32 = 25_000;
/// The integer that stands for a logit of 1.
const LOGIT_UNIT: i32 = ACTIVATION_UNIT * QP;

/// What the scores of the quiet moves at a node depend on.
pub struct OrderingKeys {
    pub ply: usize,
    /// The opponent could explode the king if it were its turn.
    pub king_threatened: bool,
    /// The policy head orders the quiet moves.
    pub with_policy: bool,
}

/// The history tables of the quiet moves at a node.
pub struct QuietHistories<'a> {
    us: Color,
    butterfly: &'a [[i16; 64]; 64],
    /// After the moves one, two and four plies earlier.
    continuation: [&'a PieceToHistory; 3],
    pawn: &'a PieceToHistory,
}

impl<'a> QuietHistories<'a> {
    pub fn new(
        histories: &'a Histories,
        stack: &Stack,
        keys: &OrderingKeys,
        us: Color,
    ) -> QuietHistories<'a> {
        let continuation = |back| histories.continuation(stack.previous_piece_to(keys.ply, back));
        QuietHistories {
            us,
            butterfly: histories.butterfly(us, keys.king_threatened),
            continuation: [1, 2, 4].map(continuation),
            pawn: histories.pawn(stack.pawn_history_index(keys.ply)),
        }
    }

    /// The history score of a quiet move of `piece`.
    #[inline]
    pub fn score(&self, piece: Piece, mv: Move) -> i32 {
        let index = PieceTo::new(piece, mv.to()).index();
        let [one_ply, two_ply, four_ply] =
            self.continuation.map(|history| i32::from(history[index]));
        let pawn = i32::from(self.pawn[index]);
        i32::from(self.butterfly[mv.from().index()][mv.to().index()])
            + one_ply
            + ((two_ply * params::conthist2()
                + four_ply * params::conthist4()
                + pawn * params::pawn_history())
                >> 2)
    }

    pub fn prefetch(&self) {
        let us = self.us;
        for history in self.continuation.into_iter().chain([self.pawn]) {
            for piece_type in PieceType::ALL {
                let first = PieceTo::new(Piece::new(us, piece_type), Square::new(0, 0)).index();
                prefetch(&history[first]);
                prefetch(&history[first + 32]);
            }
        }
    }
}

pub fn capture_history(histories: &Histories, pos: &Position, mv: Move) -> i32 {
    pos.piece_at(mv.from())
        .map_or(0, |piece| histories.capture(piece, mv.to(), captured_type(pos, mv)))
}

/// Appends the bonus of each quiet move by the policy head. The mean bonus of all moves is about
/// zero.
pub fn policy_bonuses(
    policy: &Policy,
    pos: &Position,
    check_info: &CheckInfo,
    moves: &MoveList,
    bonuses: &mut ArrayVec<i32, MAX_MOVES>,
) {
    let Some(threats) = PolicyThreats::new(pos, check_info) else {
        return;
    };
    policy.logits(pos, &threats, moves, bonuses);
    let mean = bonuses.iter().sum::<i32>() / bonuses.len().max(1) as i32;
    let weight = params::policy_weight();
    // With this difference the bonus exceeds its bound, and greater ones would overflow.
    let limit = MAX_POLICY_BONUS * LOGIT_UNIT / weight.max(1) + 1;
    for logit in bonuses {
        let bonus = (*logit - mean).clamp(-limit, limit) * weight / LOGIT_UNIT;
        *logit = bonus.clamp(-MAX_POLICY_BONUS, MAX_POLICY_BONUS);
    }
}

/// The index of a move in continuation histories.
pub fn piece_to(pos: &Position, mv: Move) -> Option<PieceTo> {
    pos.piece_at(mv.from()).map(|piece| PieceTo::new(piece, mv.to()))
}

/// The piece type that a move captures; a pawn for promotions without capture.
pub fn captured_type(pos: &Position, mv: Move) -> PieceType {
    pos.piece_at(mv.to()).map_or(PieceType::Pawn, |piece| piece.piece_type())
}
