//! The `bench` command of a UCI session.
//! Invariant: an interrupted search prints no node count.

use std::sync::Arc;

use super::argument::BadArgument;
use super::error::UciError;
use crate::engine::bench::bench_until;
use crate::eval::score::MAX_PLY;
use crate::search::Control;

/// Executes `bench [depth]`; a stop of `control` ends it at once.
pub fn bench(
    arguments: &[String],
    control: &Arc<Control>,
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
        Ok::<(), UciError>(())
    };
    match bench_until(depth, control, on_line)? {
        Some(_) => Ok(()),
        None => Err(UciError::Stopped("bench")),
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_bad_depth_is_rejected_and_a_stop_is_obeyed() {
        let print = |_: &str| {};
        let control = Arc::default();
        for bad in ["0", "-1", "x", "1000"] {
            let error = bench(&[bad.to_owned()], &control, &print).unwrap_err();
            assert!(error.to_string().contains(bad), "{error}");
        }
        // A stop during a search ends it; without one, depth 100 would take hours.
        let error = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(50));
                control.stop();
            });
            bench(&["100".to_owned()], &control, &print).unwrap_err()
        });
        assert_eq!(error.to_string(), "bench: stopped");
        let error = bench(&["1".to_owned()], &control, &print).unwrap_err();
        assert_eq!(error.to_string(), "bench: stopped");
    }
}
