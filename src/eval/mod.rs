//! Static evaluation: by the NNUE network ([`nnue`]) or by handcrafted terms ([`hce`]), with
//! internal scores ([`score`]), their win, draw and loss probabilities ([`wdl`]), and the judgement of
//! moves by them.
//! Invariant: |value| < [`score::TB_WIN_IN_MAX_PLY`] for every static evaluation.

mod draw;
pub mod hce;
mod judge;
pub mod nnue;
pub mod score;
pub mod wdl;

use crate::rules::{Color, Position};
pub use judge::{ForcedChange, GameJudgement, JudgedMove, MoveMark, ScoredPosition, judge};
use nnue::{AccumulatorStack, Network};
use score::{TB_WIN_IN_MAX_PLY, Value};

/// The static evaluation of a position with both kings, in internal units from the side to
/// move's point of view: by the network, or handcrafted when `net` is `None`.
///
/// # Examples
///
/// ```
/// use brisance::eval::{self, nnue::Network};
/// use brisance::notation::fen;
/// use brisance::rules::Variant;
///
/// let net = Network::embedded()?;
/// let pos = fen::parse("4k3/pppppppp/8/8/8/8/PPPPPPPP/R2QKB1R b KQ - 0 1", Variant::Atomic)?;
/// assert!(eval::evaluate(&pos, Some(&net)) < 0);
/// assert!(eval::evaluate(&pos, None) < 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn evaluate(pos: &Position, net: Option<&Network>) -> Value {
    match net {
        None => hce::evaluate(pos),
        Some(net) => {
            let mut accumulators = AccumulatorStack::default();
            accumulators.reset(pos);
            let king_threatened = pos.threatens_explosion(!pos.side_to_move());
            evaluate_nnue(net, &mut accumulators, pos, king_threatened)
        }
    }
}

/// The network's evaluation with scaling towards a draw, in internal units from the side to
/// move's point of view. `king_threatened` is true if the opponent could explode the king of the
/// side to move if it were the opponent's turn.
pub(crate) fn evaluate_nnue(
    net: &Network,
    accumulators: &mut AccumulatorStack,
    pos: &Position,
    king_threatened: bool,
) -> Value {
    let value = accumulators.evaluate_with_threat(net, pos, king_threatened);
    let value = draw::scale_value(pos, value, pos.side_to_move());
    value.clamp(1 - TB_WIN_IN_MAX_PLY, TB_WIN_IN_MAX_PLY - 1)
}

/// True when both kings are on the board, which the evaluation requires.
pub fn has_both_kings(pos: &Position) -> bool {
    Color::ALL.iter().all(|&color| pos.king(color).is_some())
}
