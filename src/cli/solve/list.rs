//! Solves the positions of a list, several at once: each line gives one JSON object.
//! Invariant: the output consists of whole lines in list order, even after an interrupt.

use std::time::Duration;

use serde_json::{Value, json};

use super::args::{SolveArgs, solve_in_turn, winner};
use super::report::JsonListLine;
use crate::cli::list::{self, ListEntry, error_line};
use crate::cli::{CliError, ProgressReporter, Source, interrupt, output, usage};
use crate::engine::Engine;
use crate::engine::batch::WorkPool;
use crate::rules::Color;
use crate::search::{self, Control};
use crate::util::json_line;

const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// Solves each position. True if the list is finished.
pub fn run(args: &SolveArgs, sources: &[Source]) -> Result<bool, CliError> {
    let is_single = args.every_move || args.every_reply || args.tree.is_some();
    if is_single || args.state.is_some() || !args.position.moves.is_empty() {
        return usage(
            "--every-move, --every-reply, --tree, --state and --moves are for one position",
        );
    }
    if let Some(out) = &args.out {
        output::refuse_input(out, sources, "--out")?;
    }
    let entries = list::read(sources, args.position.variant)?;
    let stop = interrupt::stop_handle()?;
    let path = args.out.as_deref();
    let check = |_: &_, _, line: &str, entry: &_| Ok(args.is_result_of(line, entry));
    let (mut out, first) = list::open_output(path, args.resume, args.force, &entries, check)?;
    let (next, total) = (first as u64, entries.len() as u64);
    let progress = ProgressReporter::resumed(next, total, "positions");
    let threads = args.threads.unwrap_or_else(search::cores);
    let mut written = first;
    let done = WorkPool::new(threads)?.run_in_order(
        next..total,
        || args.engine(&stop, 1),
        |engine, index| {
            let line = args.entry_line(&entries[index as usize], engine, &stop);
            (!stop.is_stopped()).then_some(line)
        },
        |_, line| {
            let line = line?;
            progress.suspend(|| out.append(&line))?;
            written += 1;
            progress.advance(1);
            Ok(())
        },
    );
    progress.finish();
    list::finish(out, done.map(|()| written), &entries, sources)?;
    Ok(true)
}

impl SolveArgs {
    /// True if a line of an earlier result belongs to this entry and these options.
    fn is_result_of(&self, line: &str, entry: &ListEntry) -> bool {
        let old: Value = serde_json::from_str(line).unwrap_or_default();
        let Ok(epd) = &entry.epd else {
            return old["type"] == "error";
        };
        let attackers = self.attackers(epd.pos.side_to_move());
        let is_attacker = |side: &Color| old["attacker"] == side.to_string().to_lowercase();
        old["fen"] == self.position.style(&epd.pos).fen()
            && old["within"] == json!(self.within)
            && attackers.iter().any(is_attacker)
    }

    fn entry_line(
        &self,
        entry: &ListEntry,
        engine: &mut Engine,
        stop: &Control,
    ) -> Result<String, CliError> {
        let epd = match &entry.epd {
            Ok(epd) => epd,
            Err(error) => return Ok(error_line(entry, error)?),
        };
        let attackers = self.attackers(epd.pos.side_to_move());
        engine.clear();
        let limits = self.limits(engine, DEFAULT_TIME);
        let report = |attacker| self.report(&epd.pos, attacker);
        let solution = if let Some(outcome) = epd.pos.outcome() {
            let winner = winner(&attackers, outcome);
            report(winner.unwrap_or(attackers[0])).finished(outcome)
        } else {
            let (attacker, result) =
                solve_in_turn(&epd.pos, &limits, &attackers, stop, |_, _| Ok(()))?;
            report(attacker).solution(None, &result, false)
        };
        let (line, id) = (entry.line, epd.operand("id"));
        Ok(json_line(&JsonListLine { line, id, solution })?)
    }
}
