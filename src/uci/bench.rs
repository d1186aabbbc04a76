//! The `bench` command of a UCI session.
//! Invariant: the search of a position is never interrupted, so its node count is always exact.

use super::argument::BadArgument;
use super::error::UciError;
use crate::engine::bench::bench_with;
use crate::eval::score::MAX_PLY;

/// Executes `bench [depth]`; it can be stopped after any position.
pub(super) fn bench(
    arguments: &[String],
    is_stopped: &dyn Fn() -> bool,
    print: &dyn Fn(&str),
) -> Result<(), UciError> {
    let depth = match arguments.first() {
        None => None,
        Some(text) => match text.parse::<i32>() {
            Ok(depth) if (1..=MAX_PLY as i32).contains(&depth) => Some(depth),
            _ => {
                let reason = format!("is not a depth from 1 to {MAX_PLY}");
                return Err(BadArgument::new("bench", text, reason).into());
            }
        },
    };
    let on_line = |line: &str| {
        print(line);
        if is_stopped() {
            Err(UciError::Stopped("bench"))
        } else {
            Ok(())
        }
    };
    bench_with(depth, on_line).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_depth_is_rejected_and_a_stop_is_obeyed() {
        let print = |_: &str| {};
        for bad in ["0", "-1", "x", "1000"] {
            let error = bench(&[bad.to_owned()], &|| false, &print).unwrap_err();
            assert!(error.to_string().contains(bad), "{error}");
        }
        let error = bench(&["1".to_owned()], &|| true, &print).unwrap_err();
        assert_eq!(error.to_string(), "bench: stopped");
    }
}
