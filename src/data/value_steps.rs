//! Search values in steps that grow with the value.
//! Invariant: up to 80 and at or above the lowest tablebase win a value is kept exactly; between
//! them it changes by at most 1.25 %, and no value passes 5,000, where exports cut off by default.

use std::iter;

use once_cell::sync::Lazy;

/// The lowest value of a tablebase win; it and all greater ones are exact.
const TB_WIN_IN_MAX_PLY: i32 = 31_507;
/// The width of a step is its lower edge divided by this.
const FINENESS: i32 = 40;
/// No step contains both this value and a greater one.
const CAP: i32 = 5000;
/// The lower edge of each step below the tablebase wins, and the end of the last.
static EDGES: Lazy<Vec<i32>> =
    Lazy::new(|| iter::successors(Some(0), |&edge| next_edge(edge)).collect());

/// The end of the step that begins at `edge`; `None` for a tablebase win.
fn next_edge(edge: i32) -> Option<i32> {
    let end = edge + (edge / FINENESS).max(1);
    let limit = if edge <= CAP { CAP + 1 } else { TB_WIN_IN_MAX_PLY };
    (edge < TB_WIN_IN_MAX_PLY).then_some(end.min(limit))
}

/// The number of the step that holds a value: the same sign, in the same order.
pub fn step_of(value: i16) -> i32 {
    let size = i32::from(value).abs().min(i16::MAX.into());
    let beyond = (size - TB_WIN_IN_MAX_PLY).max(0);
    let step = EDGES.partition_point(|&edge| edge <= size) as i32 - 1 + beyond;
    step * i32::from(value).signum()
}

/// The value in the middle of a step; steps beyond the last are the last.
pub fn value_of(step: i32) -> i16 {
    let index = step.unsigned_abs() as usize;
    let size = match EDGES.get(index..=index + 1) {
        Some(edges) => (edges[0] + edges[1] - 1) / 2,
        None => TB_WIN_IN_MAX_PLY.saturating_add((index + 1 - EDGES.len()) as i32),
    };
    (size.min(i16::MAX.into()) * step.signum()) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::score;

    #[test]
    fn steps_keep_order_sign_and_the_documented_error() {
        assert_eq!(TB_WIN_IN_MAX_PLY, score::TB_WIN_IN_MAX_PLY);
        let mut last = i32::MIN;
        for value in -i16::MAX..=i16::MAX {
            let step = step_of(value);
            assert!(step == last || step == last + 1 || last == i32::MIN, "{value}");
            last = step;
            let kept = value_of(step);
            assert_eq!(step_of(kept), step, "{value}");
            assert_eq!(value_of(-step), -kept);
            let (size, error) = (i32::from(value).abs(), i32::from(kept - value).abs());
            let is_exact = size <= 80 || size >= TB_WIN_IN_MAX_PLY;
            assert!(error <= if is_exact { 0 } else { size / 80 }, "{value} {kept}");
            assert_eq!(size > CAP, i32::from(kept).abs() > CAP, "{value} {kept}");
        }
        assert_eq!(value_of(i32::MAX), i16::MAX);
        assert_eq!(value_of(step_of(i16::MIN)), -i16::MAX);
    }
}
