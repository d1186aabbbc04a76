//! Search values in steps that grow with the value.
//! Invariant: up to 80 and at or above the lowest tablebase win a value is kept exactly; between
//! them it changes by at most 1.25 %, and no value passes 5,000, where exports cut off by default.

/// The lowest value of a tablebase win; it and all greater ones are exact.
const TB_WIN_IN_MAX_PLY: i32 = 31_507;
/// The width of a step is its lower edge divided by this.
const FINENESS: i32 = 40;
/// No step contains both this value and a greater one.
const CAP: i32 = 5000;
/// Number of steps for values below the tablebase wins.
const COARSE: usize = count_steps();

/// The end of the step that begins at `edge`.
const fn next_edge(edge: i32) -> i32 {
    let end = edge
        + if edge < 2 * FINENESS {
            1
        } else {
            edge / FINENESS
        };
    if edge <= CAP && end > CAP {
        CAP + 1
    } else if end > TB_WIN_IN_MAX_PLY {
        TB_WIN_IN_MAX_PLY
    } else {
        end
    }
}

const fn count_steps() -> usize {
    let (mut edge, mut count) = (0, 0);
    while edge < TB_WIN_IN_MAX_PLY {
        edge = next_edge(edge);
        count += 1;
    }
    count
}

/// The lower edge of each step, and the end of the last.
const EDGES: [i32; COARSE + 1] = {
    let (mut edges, mut step) = ([0; COARSE + 1], 0);
    while step < COARSE {
        edges[step + 1] = next_edge(edges[step]);
        step += 1;
    }
    edges
};

/// The number of the step that holds a value: the same sign, in the same order.
pub fn step_of(value: i16) -> i32 {
    let size = i32::from(value).abs().min(i16::MAX.into());
    let step = if size >= TB_WIN_IN_MAX_PLY {
        size - TB_WIN_IN_MAX_PLY + COARSE as i32
    } else {
        EDGES.partition_point(|&edge| edge <= size) as i32 - 1
    };
    step * i32::from(value).signum()
}

/// The value in the middle of a step; steps beyond the last are the last.
pub fn value_of(step: i32) -> i16 {
    let index = step.unsigned_abs() as usize;
    let size = match EDGES.get(index..=index + 1) {
        Some(edges) => (edges[0] + edges[1] - 1) / 2,
        None => TB_WIN_IN_MAX_PLY.saturating_add((index - COARSE) as i32),
    };
    (size.min(i16::MAX.into()) * step.signum()) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::score;

    #[test]
    fn tablebase_wins_and_mates_are_exact() {
        assert_eq!(TB_WIN_IN_MAX_PLY, score::TB_WIN_IN_MAX_PLY);
    }

    #[test]
    fn steps_keep_order_sign_and_the_documented_error() {
        let mut last = i32::MIN;
        for value in -i16::MAX..=i16::MAX {
            let step = step_of(value);
            assert!(
                step == last || step == last + 1 || last == i32::MIN,
                "{value}"
            );
            last = step;
            let kept = value_of(step);
            assert_eq!(step_of(kept), step, "{value}");
            assert_eq!(value_of(-step), -kept);
            let (size, error) = (i32::from(value).abs(), i32::from(kept - value).abs());
            let is_exact = size <= 80 || size >= TB_WIN_IN_MAX_PLY;
            assert!(
                error <= if is_exact { 0 } else { size / 80 },
                "{value} {kept}"
            );
            assert_eq!(size > CAP, i32::from(kept).abs() > CAP, "{value} {kept}");
        }
        assert_eq!(value_of(i32::MAX), i16::MAX);
        assert_eq!(value_of(step_of(i16::MIN)), -i16::MAX);
    }
}
