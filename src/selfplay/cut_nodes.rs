//! Examples for the policy head: nodes of searches at which a quiet move fails high.
//! Invariant: which nodes are kept depends only on their positions.

use parking_lot::Mutex;

use crate::data::{GameRecord, PlyRecord};
use crate::eval::score::Value;
use crate::rules::{GameResult, Move, Position};
use crate::search::Listener;

/// Collects one in `divisor` of the cut nodes of searches.
pub struct CutNodeCollector {
    divisor: u64,
    nodes: Mutex<Vec<GameRecord>>,
}

impl CutNodeCollector {
    pub fn new(divisor: u64) -> CutNodeCollector {
        CutNodeCollector {
            divisor,
            nodes: Mutex::default(),
        }
    }

    /// The nodes collected so far, each as a game of one move.
    pub fn into_nodes(self) -> Vec<GameRecord> {
        self.nodes.into_inner()
    }
}

impl Listener for CutNodeCollector {
    fn wants_reports(&self) -> bool {
        false
    }

    fn wants_cut_nodes(&self) -> bool {
        true
    }

    fn cut_node(&self, pos: &Position, mv: Move, value: Value) {
        // The low bits of a key select its TT cluster, so that neighbours would be kept together.
        let hash = pos.key().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        if !hash.is_multiple_of(self.divisor) {
            return;
        }
        let ply = PlyRecord {
            mv,
            value: value.clamp(i16::MIN.into(), i16::MAX.into()) as i16,
            random: false,
        };
        self.nodes.lock().push(GameRecord {
            start: pos.without_history(),
            plies: vec![ply],
            result: GameResult::Draw,
        });
    }
}
