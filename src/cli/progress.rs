//! How far long work has come, on stderr: a bar with the time left on a terminal, a line now
//! and then elsewhere.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

/// Between two lines where there is no terminal.
const QUIET: Duration = Duration::from_secs(30);

/// The progress of work on equal pieces.
pub struct Progress {
    bar: Option<ProgressBar>,
    what: &'static str,
    total: u64,
    done: u64,
    start: Instant,
    told: Instant,
}

impl Progress {
    /// Begins with nothing done; `what` names the pieces.
    pub fn new(total: u64, what: &'static str) -> Progress {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total);
            let style =
                format!("{{bar:30}} {{pos}}/{{len}} {what}, {{elapsed}}, {{eta}} left {{msg}}");
            let style = ProgressStyle::with_template(&style);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(500));
            bar
        });
        let now = Instant::now();
        Progress {
            bar,
            what,
            total,
            done: 0,
            start: now,
            told: now,
        }
    }

    /// More pieces have come up.
    pub fn extend(&mut self, more: u64) {
        self.total += more;
        if let Some(bar) = &self.bar {
            bar.inc_length(more);
        }
    }

    /// One more piece is done.
    pub fn step(&mut self) {
        self.done += 1;
        if let Some(bar) = &self.bar {
            bar.inc(1);
        } else if self.told.elapsed() >= QUIET {
            self.told = Instant::now();
            let left = self.start.elapsed().as_secs_f64() / self.done as f64
                * self.total.saturating_sub(self.done) as f64;
            // Whoever does not want to know has closed stderr.
            let _ = writeln!(
                io::stderr(),
                "{} of {} {}, {} left",
                self.done,
                self.total,
                self.what,
                HumanDuration(Duration::from_secs_f64(left))
            );
        }
    }

    /// Says what is being done.
    pub fn tell(&self, text: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(text);
        }
    }

    /// Does something that may write on the terminal.
    pub fn aside<T>(&self, action: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(action),
            None => action(),
        }
    }

    /// Takes the bar away.
    pub fn close(self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
