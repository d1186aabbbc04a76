//! Ctrl-C handling of long-running commands: they stop early and keep the finished results.
//! Invariant: at most one of these functions is called per run, as a process has one handler.

use std::process;
use std::sync::Arc;

use super::{CliError, failed};
use crate::files::temporary;
use crate::search::Control;

/// Returns a control that the first Ctrl-C stops; the second one ends the process.
pub fn stop_handle() -> Result<Arc<Control>, CliError> {
    let stop: Arc<Control> = Arc::default();
    let handle = Arc::clone(&stop);
    set_handler(move || {
        if !handle.stop() {
            end_now(130);
        }
    })?;
    Ok(stop)
}

/// Lets Ctrl-C end the process with a message, for commands without results to keep.
pub fn end_process() -> Result<(), CliError> {
    set_handler(|| {
        CliError::Failed("interrupted".to_owned()).report();
        end_now(1);
    })
}

fn set_handler(handler: impl FnMut() + Send + 'static) -> Result<(), CliError> {
    ctrlc::set_handler(handler).or_else(|error| failed(format!("cannot catch Ctrl-C: {error}")))
}

/// Ends the process without its temporary files.
fn end_now(code: i32) -> ! {
    temporary::remove_all();
    process::exit(code)
}
