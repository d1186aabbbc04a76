//! Evaluation: how good a position is for the side to move, without search.
//! Invariant: |value| < [`score::TABLE_BOUND`].

mod draw;
pub mod hce;
pub mod nnue;
pub mod score;
pub mod wdl;

use crate::rules::{Color, Position};
use nnue::{Accumulators, Network};
use score::{TABLE_BOUND, Value};

/// The static value of a position with both kings, in internal units from the side to move's
/// view: the network's where there is one, else the handcrafted one.
pub fn evaluate(pos: &Position, net: Option<&Network>) -> Value {
    match net {
        None => hce::evaluate(pos),
        Some(net) => {
            let mut accumulators = Accumulators::default();
            accumulators.reset(net, pos);
            by_network(net, &mut accumulators, pos)
        }
    }
}

/// The network's value, with what the rules know of draws.
pub fn by_network(net: &Network, accumulators: &mut Accumulators, pos: &Position) -> Value {
    let value = draw::scaled(pos, accumulators.evaluate(net, pos), pos.side());
    value.clamp(1 - TABLE_BOUND, TABLE_BOUND - 1)
}

/// True when both kings are there, without which nothing can be evaluated.
pub fn is_evaluable(pos: &Position) -> bool {
    Color::ALL.iter().all(|&color| pos.king(color).is_some())
}
