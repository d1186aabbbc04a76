//! Late-move reductions: how many plies less a late move is searched at first.

use super::params;

/// What is known of a move when its depth is chosen.
pub(super) struct Late {
    pub(super) depth: i32,
    /// Number of the move in the node, from 1.
    pub(super) number: i32,
    pub(super) pv: bool,
    /// The node is expected to fail high.
    pub(super) cut: bool,
    pub(super) improving: bool,
    /// Gives check or attacks a man whose capture explodes the king.
    pub(super) forcing: bool,
    pub(super) killer: bool,
    pub(super) noisy: bool,
    /// The enemy could explode the own king before this move.
    pub(super) threatened: bool,
    /// It was part of a principal variation, this node is not.
    pub(super) was_pv: bool,
    /// Many of the node's children failed high.
    pub(super) refuted: bool,
    /// What histories say of it.
    pub(super) history: i32,
}

/// Logarithms of 1 to 63 in thousandths; index 0 is unused.
pub(super) struct Logarithms([i32; 64]);

impl Logarithms {
    pub(super) fn new() -> Logarithms {
        let of = |n: usize| ((n.max(1) as f64).ln() * 1000.0).round() as i32;
        Logarithms(std::array::from_fn(of))
    }

    fn of(&self, n: i32) -> i32 {
        self.0[n.clamp(1, 63) as usize]
    }

    /// The reduction in hundredths of a ply before any adjustment.
    pub(super) fn base(&self, depth: i32, number: i32) -> i32 {
        params::lmr_base() + self.of(depth) * self.of(number) / (100 * params::lmr_divisor())
    }
}

/// The reduction in plies, at least 0.
pub(super) fn reduction(late: &Late, logarithms: &Logarithms) -> i32 {
    let mut hundredths = logarithms.base(late.depth, late.number);
    if late.noisy {
        hundredths = hundredths * params::lmr_noisy() / 100;
    }
    hundredths += i32::from(late.cut) * params::lmr_cut();
    hundredths -= i32::from(late.pv) * params::lmr_pv();
    hundredths -= i32::from(late.improving) * params::lmr_improving();
    hundredths -= i32::from(late.forcing) * params::lmr_forcing();
    hundredths -= i32::from(late.killer) * params::lmr_killer();
    hundredths -= i32::from(late.threatened) * params::lmr_threat();
    hundredths -= i32::from(late.was_pv) * params::lmr_waspv();
    hundredths += i32::from(late.refuted) * params::lmr_cutoffs();
    hundredths -= late.history * 100 / params::lmr_history();
    (hundredths / 100).max(0)
}
