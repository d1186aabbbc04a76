//! The `bench` command of a UCI session.
//! Invariant: an interrupted search prints no node count.

use super::argument::BadArgument;
use super::error::UciError;
use crate::engine::bench::{BenchStop, bench_until};
use crate::eval::score::MAX_PLY;

/// Executes `bench [depth]`; `stop` ends it at once.
pub fn bench(arguments: &[String], stop: BenchStop, print: &dyn Fn(&str)) -> Result<(), UciError> {
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
    match bench_until(depth, Some(stop), on_line)? {
        Some(_) => Ok(()),
        None => Err(UciError::Stopped("bench")),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_bad_depth_is_rejected_and_a_stop_is_obeyed() {
        let print = |_: &str| {};
        let control = Arc::default();
        let stop = |is_requested| BenchStop {
            control: &control,
            is_requested,
        };
        for bad in ["0", "-1", "x", "1000"] {
            let error = bench(&[bad.to_owned()], stop(&|| false), &print).unwrap_err();
            assert!(error.to_string().contains(bad), "{error}");
        }
        let error = bench(&["1".to_owned()], stop(&|| true), &print).unwrap_err();
        assert_eq!(error.to_string(), "bench: stopped");
        // A stop during a search ends it; without one, depth 100 would take hours.
        let requested = AtomicBool::new(false);
        let is_requested = || requested.load(Ordering::Relaxed);
        let error = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(50));
                requested.store(true, Ordering::Relaxed);
                control.stop();
            });
            bench(&["100".to_owned()], stop(&is_requested), &print).unwrap_err()
        });
        assert_eq!(error.to_string(), "bench: stopped");
    }
}
