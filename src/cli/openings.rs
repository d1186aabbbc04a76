//! `brisance openings`: generates balanced openings for matches.
//! Invariant: the file always ends with a whole line, and an interrupted and continued run writes
//! the same file as an uninterrupted one.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use clap::Args;

use super::{AppendFile, CliError, OutputPath, ProgressReporter, args, failed, interrupt, usage};
use crate::files::read_lines;
use crate::notation::epd::{self, Epd};
use crate::rules::Variant;
use crate::selfplay::{OpeningCriteria, OpeningGenerator, OpeningSource};
use crate::util::count;

/// Candidates between two writes to the file.
const BATCH: u64 = 256;

/// Generate balanced openings for matches, in EPD.
///
/// Each candidate is reached by random legal moves, except those that allow an immediate win. It is
/// kept if neither side can explode a king on the next move, its search value is within the window
/// (first tested by a search of a tenth of the nodes with three times the window), and it is not a
/// duplicate. `ce` is the value for the side to move, `id` the number of the candidate. The same
/// command continues an interrupted run.
#[derive(Args, Debug)]
pub struct OpeningsArgs {
    /// EPD file to write or continue.
    file: OutputPath,
    /// Total number of openings.
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = args::number::<usize>(0..))]
    count: usize,
    /// Variant: atomic or nocheckatomic.
    #[arg(long, value_name = "NAME", default_value = "atomic", ignore_case = true,
          value_parser = args::variant())]
    variant: Variant,
    /// Start from random Chess960 positions.
    #[arg(long)]
    chess960: bool,
    /// Minimum number of random plies.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = args::number::<usize>(0..))]
    min_plies: usize,
    /// Maximum number of random plies.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = args::number::<usize>(0..))]
    max_plies: usize,
    /// Search nodes per candidate.
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = args::number::<u64>(1..))]
    nodes: u64,
    /// Minimum value for White in internal units.
    #[arg(long, value_name = "CP", default_value_t = -60, value_parser = args::number::<i32>(..))]
    from: i32,
    /// Maximum value for White in internal units.
    #[arg(long, value_name = "CP", default_value_t = 60, value_parser = args::number::<i32>(..))]
    to: i32,
    /// Random seed.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = args::number::<u64>(0..))]
    seed: u64,
    /// Candidates searched in parallel.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = args::threads::<usize>())]
    threads: usize,
}

/// Generates the openings. After an error or an interrupt, those that were found are kept.
pub fn run(args: &OpeningsArgs) -> Result<(), CliError> {
    if args.min_plies > args.max_plies || args.from > args.to {
        return usage("--min-plies must not exceed --max-plies, nor --from --to");
    }
    let criteria = OpeningCriteria {
        variant: args.variant,
        start: if args.chess960 { OpeningSource::Chess960 } else { OpeningSource::StartPos },
        plies: (args.min_plies, args.max_plies),
        nodes: args.nodes,
        window: (args.from, args.to),
        seed: args.seed,
    };
    let (mut seen, mut next) = (HashSet::new(), 0);
    let earlier = AppendFile::resume(&args.file)?;
    let length = read_lines(&earlier.text, |number, line| {
        let (key, index) = read_existing(&args.file, number, line, &criteria)?;
        seen.insert(key);
        next = index + 1;
        Ok::<_, CliError>(true)
    })?;
    let mut file = earlier.keep(length)?;
    let stop = interrupt::stop_handle()?;
    let mut kept = seen.len();
    let mut generator =
        OpeningGenerator::new(criteria, args.threads, next, seen, Arc::clone(&stop))?;
    let progress = ProgressReporter::resumed(kept as u64, args.count as u64, "openings");
    while kept < args.count && !stop.is_stopped() && !generator.is_exhausted() {
        let openings = generator.next_batch(BATCH)?;
        let new = openings.len().min(args.count - kept);
        let mut text = String::new();
        for opening in &openings[..new] {
            let mut epd = Epd::new(opening.position.clone());
            epd.set("ce", opening.value);
            epd.set("id", format!("\"{}\"", opening.index));
            text.push_str(&format!("{epd}\n"));
        }
        kept += new;
        file.append(&text)?;
        file.sync()?;
        progress.advance(new as u64);
        let candidates = count(generator.candidates(), "candidate");
        progress.set_message(format!("of {candidates}"));
    }
    progress.finish();
    let candidates = count(generator.candidates(), "candidate");
    writeln!(io::stdout(), "{} of {candidates}", count(kept, "opening"))?;
    let all = count(args.count, "opening");
    if kept >= args.count {
        Ok(())
    } else if stop.is_stopped() {
        Err(CliError::interrupted(format!("{kept} of {all}")))
    } else {
        failed(format!(
            "only {kept} of {all} found: the last {} candidates gave no new one within the limits \
             (--min-plies, --max-plies, --from, --to)",
            OpeningGenerator::MAX_REJECTED
        ))
    }
}

/// The key and the index of an opening of an earlier run. It must be the candidate that the criteria
/// generate for its index.
fn read_existing(
    path: &Path,
    number: usize,
    line: &str,
    criteria: &OpeningCriteria,
) -> Result<(u64, u64), CliError> {
    let name = path.display();
    let epd = epd::parse_line(line, criteria.variant).ok().flatten();
    let opening = epd.and_then(|epd| {
        let index = epd.operand("id")?.parse().ok()?;
        let value = epd.operand("ce")?.parse().ok()?;
        Some((epd.pos, index, value))
    });
    let Some((pos, index, value)) = opening else {
        let line = line.trim_end();
        return failed(format!("{name}: line {number} was not written by this command: {line}"));
    };
    let candidate = criteria.candidate(index);
    let is_candidate = candidate.is_some_and(|candidate| candidate.key() == pos.key());
    if !is_candidate || !criteria.accepts(&pos, value, 0) {
        return usage(format!(
            "{name}: line {number} was made with another seed, variant, number of plies or \
             window; use the same options to continue, or another file"
        ));
    }
    Ok((pos.key(), index))
}
