//! Reports the progress of long-running commands on stderr: a progress bar on a terminal, a line
//! every 30 seconds elsewhere.
//! Invariant: stdout is never written.

use std::io::{self, IsTerminal, Read};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use parking_lot::Mutex;

use super::{print_stderr, wrap};

/// The interval between two lines if stderr is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(30);
const TICK: Duration = Duration::from_millis(500);

/// The unit in which progress is counted.
#[derive(Clone, Copy)]
enum Unit {
    /// Items with this plural name.
    Items(&'static str),
    Bytes,
    /// How much is left is unknown.
    Unknown,
}

/// The progress of a command. Dropping it removes the bar.
pub struct ProgressReporter {
    /// Hidden if stderr is not a terminal; it counts all the same.
    bar: ProgressBar,
    unit: Unit,
    /// The message has lines of its own.
    is_message_below: bool,
    /// The position at the start, not zero for a resumed run.
    first: u64,
    last_line: Mutex<Instant>,
}

impl ProgressReporter {
    /// Starts at zero of `total` items; `unit` is their plural name.
    pub fn new(total: u64, unit: &'static str) -> ProgressReporter {
        ProgressReporter::resumed(0, total, unit)
    }

    /// Starts at `first` of `total` items, for a resumed run.
    pub fn resumed(first: u64, total: u64, unit: &'static str) -> ProgressReporter {
        ProgressReporter::with_unit(first, total, Unit::Items(unit))
    }

    pub fn for_bytes(total: u64) -> ProgressReporter {
        ProgressReporter::with_unit(0, total, Unit::Bytes)
    }

    /// Shows that the command is running, with the message but without counts.
    pub fn spinner() -> ProgressReporter {
        ProgressReporter::with_unit(0, 0, Unit::Unknown)
    }

    /// Moves the message below the bar; it may have several lines, which are cut at the width of
    /// the terminal.
    pub fn with_message_below(mut self) -> ProgressReporter {
        self.is_message_below = true;
        self.bar.set_style(style(self.unit, "\n{msg}"));
        self
    }

    fn with_unit(first: u64, total: u64, unit: Unit) -> ProgressReporter {
        let bar = if io::stderr().is_terminal() {
            let bar = ProgressBar::new(total);
            // A line that wraps would break the redrawing.
            bar.set_style(style(unit, " {wide_msg}"));
            bar.enable_steady_tick(TICK);
            bar
        } else {
            ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden())
        };
        bar.set_position(first);
        bar.reset_eta();
        ProgressReporter {
            bar,
            unit,
            is_message_below: false,
            first,
            last_line: Mutex::new(Instant::now()),
        }
    }

    pub fn add_total(&self, more: u64) {
        self.bar.inc_length(more);
    }

    pub fn advance(&self, count: u64) {
        self.bar.inc(count);
        self.print_line();
    }

    pub fn wrap_read<R: Read>(&self, reader: R) -> impl Read + use<R> {
        self.bar.wrap_read(reader)
    }

    /// Sets the text shown with the counts.
    pub fn set_message(&self, text: String) {
        if self.is_message_below && !self.bar.is_hidden() {
            let width = wrap::stderr_width();
            self.bar.set_message(wrap::cut_lines(&text, width));
        } else {
            self.bar.set_message(text);
        }
        self.print_line();
    }

    pub fn print_above(&self, text: &str) {
        self.bar.println(text);
    }

    /// Runs an action that may write to the terminal.
    pub fn suspend<T>(&self, action: impl FnOnce() -> T) -> T {
        self.bar.suspend(action)
    }

    pub fn finish(self) {}

    /// Prints a line if there is no bar and the last line is old enough.
    fn print_line(&self) {
        let mut last_line = self.last_line.lock();
        if !self.bar.is_hidden() || last_line.elapsed() < LINE_INTERVAL {
            return;
        }
        *last_line = Instant::now();
        let (done, total) = (self.bar.position(), self.bar.length().unwrap_or_default());
        let counts = match self.unit {
            Unit::Items(name) => format!("{done} of {total} {name}"),
            Unit::Bytes => format!("{} of {}", HumanBytes(done), HumanBytes(total)),
            Unit::Unknown => return print_stderr(&self.bar.message()),
        };
        let seconds = self.bar.elapsed().as_secs_f64();
        let rate = done.saturating_sub(self.first).max(1) as f64 / seconds;
        let left = Duration::from_secs_f64(total.saturating_sub(done) as f64 / rate);
        let message = self.bar.message();
        print_stderr(&format!("{counts}, {} left {message}", HumanDuration(left)));
    }
}

impl Drop for ProgressReporter {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(unit: Unit, message: &str) -> ProgressStyle {
    const TIMES: &str = "{elapsed}, {eta} left";
    let template = match unit {
        Unit::Items(name) => format!("{{bar:12}} {{pos}}/{{len}} {name}, {TIMES}{message}"),
        Unit::Bytes => format!("{{bar:12}} {{bytes}}/{{total_bytes}}, {TIMES}{message}"),
        Unit::Unknown => format!("{{spinner}}{message}"),
    };
    ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
