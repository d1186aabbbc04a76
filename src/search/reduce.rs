//! Late move reductions (LMR): by how many plies the first search of a late move is reduced.
//! Invariant: a reduction is never negative.

use super::params;
use crate::eval::score::Value;

pub struct LmrInput {
    pub depth: i32,
    /// Number of the move in the node, from 1.
    pub move_count: i32,
    pub pv_node: bool,
    /// The node is expected to fail high.
    pub cut_node: bool,
    pub improving: bool,
    /// The move gives check or attacks an explosive target.
    pub forcing: bool,
    pub killer: bool,
    pub noisy: bool,
    /// The opponent could explode the king if it were its turn.
    pub king_threatened: bool,
    /// The TT entry is from a PV node, but the node is none now.
    pub tt_pv: bool,
    /// Many children of the node failed high.
    pub many_cutoffs: bool,
    /// The evaluation minus alpha, in centipawns; 0 in check.
    pub eval_gap: Value,
    pub history: i32,
}

/// Natural logarithms of 1 to 63 in thousandths; index 0 is unused.
pub struct LmrTable([i32; 64]);

impl LmrTable {
    pub fn new() -> LmrTable {
        let log = |n: usize| ((n.max(1) as f64).ln() * 1000.0).round() as i32;
        LmrTable(std::array::from_fn(log))
    }

    fn log(&self, n: i32) -> i32 {
        self.0[n.clamp(1, 63) as usize]
    }

    /// The reduction before adjustments, in hundredths of a ply.
    pub fn base_reduction(&self, depth: i32, move_count: i32) -> i32 {
        params::lmr_base() + self.log(depth) * self.log(move_count) / (100 * params::lmr_divisor())
    }
}

/// The reduction in plies, at least 0.
pub fn lmr_reduction(input: &LmrInput, lmr_table: &LmrTable) -> i32 {
    // In hundredths of a ply.
    let mut reduction = lmr_table.base_reduction(input.depth, input.move_count);
    if input.noisy {
        reduction = reduction * params::lmr_noisy() / 100;
    }
    reduction += i32::from(input.cut_node) * params::lmr_cut();
    reduction -= i32::from(input.pv_node) * params::lmr_pv();
    reduction -= i32::from(input.improving) * params::lmr_improving();
    reduction -= i32::from(input.forcing) * params::lmr_forcing();
    reduction -= i32::from(input.killer) * params::lmr_killer();
    reduction -= i32::from(input.king_threatened) * params::lmr_threat();
    reduction -= i32::from(input.tt_pv) * params::lmr_ttpv();
    reduction += i32::from(input.many_cutoffs) * params::lmr_cutoffs();
    if !input.noisy {
        reduction -= input.eval_gap.clamp(-300, 150) * params::lmr_gap() / 100;
    }
    reduction -= input.history * 100 / params::lmr_history();
    (reduction / 100).max(0)
}
