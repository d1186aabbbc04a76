//! `brisance book refutations`: proves which moves of opening positions lose by force.
//! Invariant: the book depends on the record and the limit only, not on the number of threads or
//! on interruptions.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::cli::{
    AppendFile, CliError, OutputPath, ProgressReporter, WholeFile, args, failed, interrupt, output,
    print_summary,
};
use crate::engine::EngineError;
use crate::engine::batch::WorkPool;
use crate::eval::nnue::Network;
use crate::files::read_lines;
use crate::opening::{AnalysisRecords, RefutationsBuilder, TriedPosition};
use crate::proof::{ProofVerdict, Solver};
use crate::search::{self, Control};
use crate::util::{self, count, json_line};

const MAX_RECORD: u64 = 1 << 30;

/// Build the book of refutations: opening moves that lose by force.
///
/// Plays the bad moves in each position of the record of `book build --search`, and looks for a
/// forced win of the opponent. Every win is replayed against all replies before it enters the
/// book. OUT.jsonl keeps all results: the same command continues an interrupted run, and a run
/// with a larger record or limit solves the others only.
#[derive(Args, Debug)]
pub struct BookRefutationsArgs {
    /// Book file to write.
    out: OutputPath,
    /// Record of the playable positions.
    #[arg(long, value_name = "FILE")]
    record: PathBuf,
    /// Node limit of a proof; five times as many for moves that lose ten pawns or more.
    #[arg(long, value_name = "N", default_value = "20k", value_parser = args::number::<u64>(1..))]
    nodes: u64,
    /// Positions solved at once [default: all cores].
    #[arg(long, value_name = "N", value_parser = args::threads::<usize>())]
    threads: Option<usize>,
    /// Overwrite an existing book.
    #[arg(long)]
    force: bool,
}

/// A line of the results: a position and the proof that its side to move wins, in hexadecimal.
#[derive(Serialize, Deserialize)]
struct SolvedPosition {
    epd: String,
    nodes: u64,
    proof: Option<String>,
}

impl SolvedPosition {
    fn proof(&self) -> Option<Vec<u8>> {
        let digits = self.proof.as_ref()?;
        let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        (0..digits.len()).step_by(2).map(byte).collect()
    }
}

pub fn run(args: &BookRefutationsArgs) -> Result<(), CliError> {
    output::refuse_standard(&args.out, "OUT")?;
    let positions = positions_after_bad_moves(args)?;
    let path = args.out.with_added_extension("jsonl");
    let mut solved = BTreeMap::new();
    let earlier = AppendFile::resume(&path)?;
    let length = read_lines(&earlier.text, |number, line| {
        let result: SolvedPosition = serde_json::from_str(line)
            .or_else(|error| failed(format!("{} line {number}: {error}", path.display())))?;
        // A result without a proof says nothing about a higher limit.
        let limit = positions.get(&result.epd).map_or(0, |tried| tried.nodes);
        if result.proof.is_some() || result.nodes >= limit {
            solved.insert(result.epd.clone(), result);
        }
        Ok::<_, CliError>(true)
    })?;
    let mut file = earlier.keep(length)?;
    let mut out = WholeFile::open_first(&args.out, args.force || !solved.is_empty())?;
    let stop = interrupt::stop_handle()?;
    let net = Network::embedded().map_err(EngineError::EmbeddedNetwork)?;
    let mut new: Vec<_> = positions.iter().collect();
    new.retain(|(epd, _)| !solved.contains_key(*epd));
    let progress = ProgressReporter::new(new.len() as u64, "positions");
    let done = WorkPool::new(args.threads.unwrap_or_else(search::cores))?.run(
        0..new.len() as u64,
        || Ok::<_, CliError>(()),
        |(), index| {
            let (epd, tried) = new[index as usize];
            let result = solve(epd, tried, &net, &stop);
            (!stop.is_stopped()).then_some(result)
        },
        |_, result| {
            let result = result?;
            file.append(&json_line(&result)?)?;
            solved.insert(result.epd.clone(), result);
            progress.advance(1);
            Ok(())
        },
    );
    progress.finish();
    file.sync()?;
    done?;
    let mut book = RefutationsBuilder::default();
    let mut refuted = 0;
    for (epd, TriedPosition { pos, .. }) in &positions {
        if let Some(proof) = solved.get(epd).and_then(SolvedPosition::proof) {
            refuted += 1;
            book.insert(pos, proof);
        }
    }
    let bytes = book.to_bytes();
    let (all, kept, length) = (count(positions.len(), "position"), book.len(), bytes.len());
    let text = format!("{refuted} of {all} refuted, {kept} of them in the book, {length} bytes");
    out.write(bytes)?;
    print_summary(&args.out, &text)?;
    if stop.is_stopped() {
        return Err(CliError::interrupted(count(solved.len(), "position")));
    }
    Ok(())
}

/// The positions after the bad moves in those of the record, by their EPD.
fn positions_after_bad_moves(
    args: &BookRefutationsArgs,
) -> Result<BTreeMap<String, TriedPosition>, CliError> {
    let name = args.record.display();
    let bytes =
        util::read_file(&args.record, MAX_RECORD).map_err(|error| CliError::read(&name, &error))?;
    let text = String::from_utf8_lossy(&bytes);
    let record =
        AnalysisRecords::parse(&text, None).or_else(|error| failed(format!("{name}: {error}")))?;
    record.bad_moves(args.nodes).or_else(failed)
}

fn solve(
    epd: &str,
    TriedPosition { pos, nodes }: &TriedPosition,
    net: &Network,
    stop: &Control,
) -> Result<SolvedPosition, CliError> {
    let solver =
        Solver { max_nodes: Some(*nodes), net: Some(net), ..Solver::new(pos.side_to_move()) };
    let proof = match solver.solve(pos, stop)?.verdict {
        ProofVerdict::Proved(proved) => RefutationsBuilder::encode(pos, &|pos| proved.0.reply(pos)),
        _ => None,
    };
    let digits = |bytes: Vec<u8>| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(SolvedPosition { epd: epd.to_owned(), nodes: *nodes, proof: proof.map(digits) })
}
