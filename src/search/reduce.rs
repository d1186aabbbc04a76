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
        hundredths /= 2;
    }
    hundredths += if late.cut { 100 } else { 0 };
    hundredths -= if late.pv { 100 } else { 0 };
    hundredths -= if late.improving { 30 } else { 0 };
    hundredths -= if late.forcing { 100 } else { 0 };
    hundredths -= if late.killer { 80 } else { 0 };
    hundredths -= if late.threatened { 60 } else { 0 };
    hundredths -= late.history * 100 / params::lmr_history();
    (hundredths / 100).max(0)
}
