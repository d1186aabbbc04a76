//! `brisance datagen`: generates self-play games for training and appends them to a file.
//! Invariant: whatever ends the run, the file consists of whole chunks.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;

use super::args as shared;
use super::{
    CliError, EvalSourceArgs, OutputPath, ProgressReporter, failed, interrupt, output, usage,
};
use crate::arena::stats::WinDrawLoss;
use crate::data::{CUT_NODES, GameWriter, SegmentHeader};
use crate::engine::{Engine, Settings};
use crate::notation::units;
use crate::rules::{Color, Variant};
use crate::search;
use crate::selfplay::{Datagen, openings};
use crate::util::count;

/// TT size of each game in MiB, enough for the nodes of a few moves.
const HASH_MIB: usize = 2;

/// Generate self-play games for training, appended to a file.
///
/// Each game starts with random plies that do not lose at once; openings that a first search finds
/// unbalanced are discarded. The file consists of checksummed chunks: a run that is killed loses at
/// most the last chunk, and the same command continues it.
#[derive(Args, Debug)]
pub struct DatagenArgs {
    /// File of training games to append to.
    file: OutputPath,
    /// Total number of positions in the file.
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = shared::number::<u64>(0..))]
    positions: u64,
    /// Node limit per move; checked only between iterations.
    #[arg(long, value_name = "N", default_value_t = 5000,
          value_parser = shared::number::<u64>(1..=1_000_000_000))]
    nodes: u64,
    /// Variant: atomic (default) or nocheckatomic. If given, it overrides the Variant tags of
    /// openings in PGN.
    #[arg(long, value_name = "NAME", ignore_case = true, value_parser = shared::variant())]
    variant: Option<Variant>,
    /// Minimum number of random plies.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = shared::number::<usize>(0..))]
    min_plies: usize,
    /// Maximum number of random plies.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = shared::number::<usize>(0..))]
    max_plies: usize,
    /// Share of games from random Chess960 positions, from 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = units::share)]
    chess960: f64,
    /// Opening file (EPD, FEN lines or PGN) instead of the start position.
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Maximum opening value of a first search, in internal units.
    #[arg(long, value_name = "CP", default_value_t = 600, value_parser = shared::number::<i32>(..))]
    balance: i32,
    /// Share of the moves picked at random among the best four, from 0 to 1.
    ///
    /// Only in undecided positions whose best move is quiet. A random move is marked and has the
    /// value of the best one, so that no label looks past it.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = units::share)]
    random_moves: f64,
    /// Maximum loss of a random move, in internal units.
    #[arg(long, value_name = "CP", default_value_t = 60,
          value_parser = shared::number::<i32>(0..))]
    random_window: i32,
    /// Random seed; also depends on the number of games in the file.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = shared::number::<u64>(0..))]
    seed: u64,
    /// Games played in parallel [default: all cores].
    #[arg(long, value_name = "N", value_parser = shared::threads::<usize>())]
    threads: Option<usize>,
    /// Syzygy tablebase directories for adjudication, separated by ':' (';' on Windows).
    #[arg(long, value_name = "DIR")]
    syzygy: Option<OsString>,
    /// Also append cut nodes to this file: positions within the searches in which a quiet move fails
    /// high. The policy head is trained on them.
    #[arg(long, value_name = "FILE")]
    cut_nodes: Option<OutputPath>,
    /// Keep one in N cut nodes.
    #[arg(long, value_name = "N", default_value_t = 64, requires = "cut_nodes",
          value_parser = shared::number::<u64>(1..))]
    cut_node_divisor: u64,
    #[command(flatten)]
    eval: EvalSourceArgs,
}

pub fn run(args: &DatagenArgs) -> Result<(), CliError> {
    output::refuse_standard(&args.file, "FILE")?;
    if args.min_plies > args.max_plies {
        return usage("--min-plies must not exceed --max-plies");
    }
    let mut writer = append(&args.file, None)?;
    let openings = match &args.openings {
        Some(path) => openings::read(path, args.variant.into(), None, &mut output::print_warning)?,
        None => Vec::new(),
    };
    let plan = Datagen {
        variant: args.variant.unwrap_or_default(),
        settings: args.eval.apply(Settings { hash: HASH_MIB, ..Settings::default() }),
        nodes: args.nodes,
        plies: (args.min_plies, args.max_plies),
        chess960: args.chess960,
        openings,
        balance: args.balance,
        random_moves: args.random_moves,
        random_window: args.random_window,
        // The formula determines the games of a continued run.
        seed: args.seed.wrapping_mul(1_000_003).wrapping_add(writer.written().games),
        threads: args.threads.unwrap_or_else(search::cores),
        tables: shared::open_tablebases(args.syzygy.as_deref())?,
        cut_nodes: args.cut_nodes.as_ref().map(|_| args.cut_node_divisor),
    };
    let header = args.segment_header(&plan)?;
    writer.begin_segment(header.clone())?;
    let mut cut_node_writer = args.cut_node_writer(header)?;
    let stop = interrupt::stop_handle()?;
    let first = writer.written().plies;
    let progress = ProgressReporter::resumed(first, args.positions, "positions");
    let start = Instant::now();
    let (mut positions, mut results) = (first, WinDrawLoss::default());
    if first < args.positions {
        plan.run(&stop, |played| -> Result<bool, CliError> {
            let game = played.game;
            writer.add(&game)?;
            if let Some(writer) = &mut cut_node_writer {
                for node in &played.cut_nodes {
                    writer.add(node)?;
                }
            }
            results.add(game.result, Color::White);
            positions += game.plies.len() as u64;
            progress.advance(game.plies.len() as u64);
            progress.set_message(totals(start.elapsed(), positions - first, results));
            Ok(positions < args.positions)
        })?;
    }
    writer.flush()?;
    if let Some(writer) = &mut cut_node_writer {
        writer.flush()?;
    }
    progress.finish();
    shared::warn_about_tablebases(plan.tables.as_ref());
    let counts = writer.written();
    writeln!(io::stdout(), "{counts}")?;
    let done = format!("{} of {}", counts.plies, count(args.positions, "position"));
    if positions >= args.positions {
        Ok(())
    } else if stop.is_stopped() {
        Err(CliError::interrupted(done))
    } else {
        failed(format!(
            "only {done}: {} openings in a row were discarded (--balance, --min-plies, \
             --max-plies, --openings)",
            Datagen::MAX_DISCARDED
        ))
    }
}

/// The name of the setting that distinguishes cut nodes from games.
const CONTENTS: &str = "contents";

/// Opens a file that has these contents, or none.
fn append(path: &Path, contents: Option<&str>) -> Result<GameWriter, CliError> {
    let writer = GameWriter::append(path)?;
    let old = writer.segment().and_then(|header| header.get(CONTENTS));
    if writer.written().games > 0 && old != contents {
        let [has, needs] = [old, contents].map(|contents| contents.unwrap_or("games"));
        let name = path.display();
        return failed(format!("{name} holds {has}, not {needs}; use another file"));
    }
    Ok(writer)
}

impl DatagenArgs {
    fn cut_node_writer(&self, header: SegmentHeader) -> Result<Option<GameWriter>, CliError> {
        let Some(path) = &self.cut_nodes else {
            return Ok(None);
        };
        output::refuse_standard(path, "--cut-nodes")?;
        let mut writer = append(path, Some(CUT_NODES))?;
        let header = header.with(CONTENTS, CUT_NODES);
        writer.begin_segment(header.with("one in", self.cut_node_divisor))?;
        Ok(Some(writer))
    }

    /// The settings that are kept in the file with the games.
    fn segment_header(&self, plan: &Datagen) -> Result<SegmentHeader, CliError> {
        let engine = Engine::with_settings(plan.settings.clone())?;
        let network = match engine.net() {
            Some(net) => format!("{}, CRC-32 {:08x}", net.description(), net.checksum()),
            None => "none, handcrafted terms".to_owned(),
        };
        let (min, max) = plan.plies;
        let mut header = SegmentHeader::default()
            .with("program", concat!("Brisance ", env!("CARGO_PKG_VERSION")))
            .with("network", network)
            .with("variant", plan.variant.name())
            .with("nodes", plan.nodes)
            .with("random plies", format!("{min} to {max}"))
            .with("chess960", plan.chess960)
            .with("balance", plan.balance)
            .with("seed", self.seed);
        if plan.random_moves > 0.0 {
            header = header
                .with("random moves", plan.random_moves)
                .with("random window", plan.random_window);
        }
        if let Some(openings) = &self.openings {
            header = header.with("openings", openings.display());
        }
        if let Some(folders) = &self.syzygy {
            header = header.with("syzygy", folders.display());
        }
        Ok(header)
    }
}

fn totals(time: Duration, positions: u64, results: WinDrawLoss) -> String {
    let rate = positions as f64 / time.as_secs_f64().max(1e-3);
    let games = count(results.count(), "game");
    let (wins, draws, losses) = (results.wins, results.draws, results.losses);
    format!("{rate:.0} positions/s, {games}: White +{wins} ={draws} -{losses}")
}
