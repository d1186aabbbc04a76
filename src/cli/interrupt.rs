//! What Ctrl-C does to long work: it ends early and keeps what is finished.
//! Invariant: at most one of these is called in a run, for a process has one handler.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Error;
use crate::review::Stop;

fn catch(handler: impl FnMut() + Send + 'static) -> Result<(), Error> {
    ctrlc::set_handler(handler)
        .map_err(|error| Error::Failed(format!("cannot catch Ctrl-C: {error}")))
}

/// A flag that the first Ctrl-C sets; a second one ends the program.
///
/// # Errors
/// When Ctrl-C cannot be caught.
pub(super) fn flag() -> Result<Arc<AtomicBool>, Error> {
    flag_and(|| {})
}

/// As [`flag`]; the first Ctrl-C also does something else.
///
/// # Errors
/// When Ctrl-C cannot be caught.
pub(super) fn flag_and(first: impl Fn() + Send + 'static) -> Result<Arc<AtomicBool>, Error> {
    let interrupted: Arc<AtomicBool> = Arc::default();
    let flag = Arc::clone(&interrupted);
    catch(move || {
        if flag.swap(true, Ordering::Relaxed) {
            process::exit(130);
        }
        first();
    })?;
    Ok(interrupted)
}

/// What ends searches at the first Ctrl-C; a second one ends the program.
///
/// # Errors
/// When Ctrl-C cannot be caught.
pub(super) fn stop() -> Result<Arc<Stop>, Error> {
    let stop: Arc<Stop> = Arc::default();
    let asked = Arc::clone(&stop);
    catch(move || {
        if !asked.ask() {
            process::exit(130);
        }
    })?;
    Ok(stop)
}
