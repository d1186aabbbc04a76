//! Commands that print lines until they are done or `stop` arrives: `go perft`, `bench` and
//! `genfens`.
//! Invariant: a job that was stopped prints no total.

use std::time::Duration;

use super::error::{BadArgument, UciError, in_command};
use super::moves::uci_move;
use super::session::Session;
use crate::engine::bench::bench;
use crate::eval::score::MAX_PLY;
use crate::host;
use crate::rules::divide_until;
#[cfg(feature = "cli")]
use crate::selfplay::genfens;

impl Session {
    fn is_stopped(&self) -> bool {
        host::pause(Duration::ZERO);
        self.queue.control.is_stopped()
    }

    pub fn perft(&self, depth: u32) -> Result<(), UciError> {
        let failed = in_command("go perft");
        if self.position_is_rejected {
            return Err(failed("the last position was rejected"));
        }
        let chess960 = self.options.chess960;
        let mut pos = self.engine.position().clone();
        let total = divide_until(&mut pos, depth, &|| self.is_stopped(), &mut |mv, nodes| {
            let mv = uci_move(mv, chess960);
            self.out.print(&format!("{mv}: {nodes}"));
        });
        let total = total.ok_or_else(|| failed("stopped"))?;
        self.queue.finish();
        self.out.print(&format!("\nNodes searched: {total}"));
        Ok(())
    }

    /// Executes `bench [depth]`. It creates its own engine, so the options do not affect it.
    pub fn bench(&self, arguments: &[String]) -> Result<(), UciError> {
        let read = |text: &String| match text.parse::<i32>() {
            Ok(depth) if (1..=MAX_PLY as i32).contains(&depth) => Ok(depth),
            _ => {
                let reason = format!("is not a depth from 1 to {MAX_PLY}");
                Err(BadArgument::new("bench", text, reason))
            }
        };
        let depth = arguments.first().map(read).transpose()?;
        let result = bench(depth, &self.queue.control, |line| {
            self.out.print(line);
            Ok::<(), UciError>(())
        });
        let result = result?.ok_or_else(|| in_command("bench")("stopped"));
        result.map(drop)
    }

    /// Executes `genfens`, which needs the feature `cli`. It creates its own engine too.
    pub fn genfens(&self, arguments: &[String]) -> Result<(), UciError> {
        #[cfg(feature = "cli")]
        let result = genfens(arguments, &|| self.is_stopped(), &|line| self.out.print(line));
        #[cfg(not(feature = "cli"))]
        let result = {
            let _ = arguments;
            Err("not available in this build")
        };
        result.map_err(in_command("genfens"))
    }
}
