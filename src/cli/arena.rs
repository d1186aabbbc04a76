//! The subcommand `match` (a Rust keyword, hence the file name): plays matches between engines
//! under the rules of this program, with statistics and a sequential test.
//! Invariant: the final table is printed however the match ends.

use std::ffi::OsString;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use clap::{Args, ValueEnum};

use super::args as shared;
use super::standings::MatchDisplay;
use super::{CliError, OutputPath, failed, interrupt, output, print_warning, usage, wrap};
use crate::arena::adjudication::{Adjudication, DrawRule, ResignRule};
use crate::arena::engine_log::EngineLog;
use crate::arena::openings::Openings;
use crate::arena::report;
use crate::arena::shard::Shard;
use crate::arena::spec::{EngineSpec, TimeControl, Timeouts};
use crate::arena::stats::{EloModel, Sprt};
use crate::arena::{Match, MatchError, Standings};
use crate::notation::units::{self, Expected, TimeUnit};
use crate::rules::Variant;
use crate::selfplay::openings::{self, OpeningErrorKind};
use crate::util::count;

/// Play a match between UCI engines, or between settings of this engine.
///
/// Each opening is played twice with colours reversed. Brisance itself is the arbiter and applies
/// the rules of Lichess, or of the Internet Chess Club for nocheckatomic. An engine that cannot
/// start or lacks the variant is an error before the first game. An engine that exceeds its time or
/// plays an illegal move loses the game. A game in which an engine crashes or hangs does not count,
/// and three such games of an engine in a row end the match.
#[derive(Args, Debug)]
#[command(after_help = CODES)]
pub struct MatchArgs {
    /// Engine: "cmd=PROGRAM name=… args=… dir=… option.X=Y tc=…" for a UCI engine, or
    /// "self option.X=Y …" for Brisance in the same process. tc=, nodes=, depth= and movetime=
    /// override the match's limit. Give at least two; more than two play a round robin.
    #[arg(long = "engine", value_name = "SPEC", required = true)]
    engines: Vec<String>,
    /// Only the first engine plays each of the others.
    #[arg(long)]
    gauntlet: bool,
    /// Variant: atomic (default) or nocheckatomic. If given, it overrides the Variant tags of
    /// openings in PGN.
    #[arg(long, value_name = "NAME", ignore_case = true, value_parser = shared::variant())]
    variant: Option<Variant>,
    /// Send castling moves in Chess960 notation; automatic for openings that need it.
    #[arg(long)]
    chess960: bool,
    /// Time control: base+increment or moves/base+increment, in seconds or with units: 8+0.08,
    /// 2m+1s.
    #[arg(long, value_name = "TC", group = "limit", value_parser = TimeControl::parse_clock)]
    tc: Option<TimeControl>,
    /// Let all engines think on the opponent's time, as option.Ponder=true does for one engine.
    /// Needs cmd= engines with the option Ponder, a clock (tc), and one more core per game.
    #[arg(long)]
    ponder: bool,
    /// Nodes per move.
    #[arg(long, value_name = "N", group = "limit", value_parser = shared::number::<u64>(1..))]
    nodes: Option<u64>,
    /// Depth per move in plies.
    #[arg(long, value_name = "N", group = "limit", value_parser = shared::number::<i32>(1..))]
    depth: Option<i32>,
    /// Time per move: 500ms, 5s, 2m; a plain number is in seconds.
    #[arg(long, value_name = "TIME", group = "limit", value_parser = shared::time)]
    movetime: Option<Duration>,
    /// Games per pairing, an even number [default: 100, or unlimited with --sprt].
    #[arg(long, value_name = "N", value_parser = shared::number::<usize>(0..))]
    games: Option<usize>,
    /// Play only part K of N of the match, for example on one of N machines. Continued with
    /// --resume and without --part, the joined PGN files of all parts are the record of the match.
    #[arg(long, value_name = "K/N", conflicts_with = "sprt")]
    part: Option<Shard>,
    /// Games played in parallel.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = shared::number::<u16>(1..=512))]
    concurrency: u16,
    /// Opening file: EPD or FEN lines, or PGN, whose games are played to their end.
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Play only the first N half-moves of openings in PGN.
    #[arg(long, value_name = "N", requires = "openings", value_parser = shared::number::<usize>(0..))]
    opening_plies: Option<usize>,
    /// Order of the openings.
    #[arg(long, value_enum, default_value_t = OpeningOrder::Random)]
    order: OpeningOrder,
    /// Random plies at the start of each pair of games, without --openings.
    #[arg(long, value_name = "PLIES", default_value_t = 8, value_parser = shared::number::<u8>(0..=20))]
    random_plies: u8,
    /// Random seed.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = shared::number::<u64>(0..))]
    seed: u64,
    /// Draw adjudication FROM,MOVES,SCORE: from move FROM, both scores are within SCORE
    /// centipawns for MOVES moves.
    #[arg(long, value_name = "RULE", value_parser = parse_draw_rule)]
    draw: Option<DrawRule>,
    /// Win adjudication MOVES,SCORE: both scores are at least SCORE centipawns for the same
    /// side for MOVES moves.
    #[arg(long, value_name = "RULE", value_parser = parse_resign_rule)]
    resign: Option<ResignRule>,
    /// Draw adjudication after this many moves.
    #[arg(long, value_name = "N", value_parser = shared::number::<u16>(1..))]
    max_moves: Option<u16>,
    /// Syzygy tablebase directories for adjudication, separated by ':' (';' on Windows).
    #[arg(long, value_name = "DIR")]
    syzygy: Option<OsString>,
    /// Tolerated time excess per move, such as 100ms; a plain number is in milliseconds.
    #[arg(long, value_name = "TIME", default_value = "20ms", value_parser = parse_delay)]
    margin: Duration,
    /// Artificial lag, as on an internet server: taken off the mover's clock for every move in
    /// addition to its thinking time. A plain number is in milliseconds.
    #[arg(long, value_name = "TIME", default_value = "0ms", value_parser = parse_delay)]
    lag: Duration,
    /// New file for every line sent to and read from engine processes ("self" has none), each
    /// with the milliseconds since the start, the engine's name and the number of its process.
    #[arg(long, value_name = "FILE")]
    debug: Option<OutputPath>,
    /// New PGN file for the games.
    #[arg(long, value_name = "FILE")]
    pgn: Option<OutputPath>,
    /// Continue the match in the --pgn file. Engines, limits, lag, openings and seed must be the
    /// same; --games may be larger. A partial last game is replayed. The file of another match is
    /// rejected.
    #[arg(long, requires = "pgn")]
    resume: bool,
    /// Sequential test of ELO0 against ELO1 with error rates ALPHA and BETA, by default 0.05 each;
    /// stops the match when it is decided.
    #[arg(long, num_args = 2..=4, value_names = ["ELO0", "ELO1", "ALPHA", "BETA"], allow_negative_numbers = true, value_parser = parse_elo)]
    sprt: Option<Vec<f64>>,
    /// Elo model of the bounds.
    #[arg(long, value_enum, default_value_t)]
    sprt_model: EloModel,
    /// Print only the result, as one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    timeouts: TimeoutArgs,
}

/// Timeouts for events that no game clock covers, in seconds if without a unit.
#[derive(Args, Debug)]
#[command(next_help_heading = "Engine timeouts")]
struct TimeoutArgs {
    /// Time from process start to uciok.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_timeout)]
    start_timeout: Duration,
    /// Time from isready to readyok.
    #[arg(long, value_name = "TIME", default_value = "15s", value_parser = parse_timeout)]
    ready_timeout: Duration,
    /// Time for a move without a time limit.
    #[arg(long, value_name = "TIME", default_value = "600s", value_parser = parse_timeout)]
    move_timeout: Duration,
    /// Time from stop to bestmove after time has run out, before the engine counts as hanging.
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = parse_timeout)]
    stop_timeout: Duration,
    /// Time from quit to process exit, before the process is killed.
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = parse_timeout)]
    quit_timeout: Duration,
}

/// The longest timeout: a day.
const MAX_TIMEOUT: Duration = Duration::from_secs(86_400);

fn parse_timeout(text: &str) -> Result<Duration, Expected> {
    units::time(text, TimeUnit::Second, &..=MAX_TIMEOUT)
}

fn parse_delay(text: &str) -> Result<Duration, Expected> {
    units::time(text, TimeUnit::Millisecond, &..=MAX_TIMEOUT)
}

const CODES: &str = "\
Exit codes: 0 all games were played or the test was decided; 1 an engine cannot play or crashed, or
the match was interrupted, for example by Ctrl-C (--resume continues it); 2 invalid arguments.";

#[derive(Clone, Copy, Debug, ValueEnum)]
enum OpeningOrder {
    Random,
    Given,
}

fn parse_numbers<const N: usize>(text: &str) -> Result<[i32; N], String> {
    let numbers = text.split(',').map(|word| word.parse().ok().filter(|&n| n >= 0));
    let numbers: Option<Vec<i32>> = numbers.collect();
    let numbers = numbers.and_then(|numbers| numbers.try_into().ok());
    numbers.ok_or_else(|| format!("expected {N} numbers separated by commas"))
}

/// Parses a bound of a test, or an error rate, whose smaller range is checked later.
fn parse_elo(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|elo: &f64| elo.abs() <= 1000.0);
    number.ok_or_else(|| "expected a number from -1000 to 1000".to_owned())
}

fn positive(number: i32, name: &str) -> Result<u32, String> {
    let number = u32::try_from(number).ok().filter(|&number| number > 0);
    number.ok_or_else(|| format!("{name} must be above 0"))
}

fn parse_draw_rule(text: &str) -> Result<DrawRule, String> {
    let [from, moves, score] = parse_numbers(text)?;
    let from = u16::try_from(from).map_err(|_| format!("{from} is not a move number"))?;
    Ok(DrawRule { from, moves: positive(moves, "MOVES")?, score })
}

fn parse_resign_rule(text: &str) -> Result<ResignRule, String> {
    let [moves, score] = parse_numbers(text)?;
    positive(score, "SCORE")?;
    Ok(ResignRule { moves: positive(moves, "MOVES")?, score })
}

pub fn run(args: &MatchArgs) -> Result<(), CliError> {
    for (path, name) in [(&args.pgn, "--pgn"), (&args.debug, "--debug")] {
        let refuse = |path| output::refuse_standard(path, name);
        path.as_deref().map_or(Ok(()), refuse)?;
    }
    let request = args.request()?;
    // Finished games are on disk, so a second Ctrl-C may end the process.
    let stop = interrupt::stop_handle()?;
    let mut display = MatchDisplay::new(&request, args.json);
    let result = request.play(&stop, &mut display);
    display.progress = None;
    shared::warn_about_tablebases(request.tablebase.as_ref());
    if let Some(error) = request.log.as_ref().and_then(|log| log.take_error()) {
        print_warning(format!("the --debug file is incomplete: {error}"));
    }
    let error = match result {
        Ok(standings) if request.is_finished(&standings) => {
            report::invalid(&request, &standings).map(CliError::Failed)
        }
        Ok(standings) => {
            let planned = count(standings.planned, "game");
            let done = format!("{} of {planned}", standings.finished());
            let kept = "unfinished games were discarded";
            Some(CliError::stopped(done, kept))
        }
        Err(MatchError::Settings(error)) if error.is_in_the_arguments() => return usage(error),
        Err(MatchError::Settings(error)) => return failed(error),
        Err(error) => Some(CliError::Failed(error.to_string())),
    };
    let standings = &display.last;
    let text = if args.json {
        report::json_summary(&request, standings, display.start.elapsed()).to_string()
    } else {
        final_table(&request, standings, wrap::stdout_width())
    };
    writeln!(io::stdout(), "{text}")?;
    error.map_or(Ok(()), Err)
}

/// The final result, whose lines are broken between their parts on a terminal of a width in columns.
pub fn final_table(request: &Match, standings: &Standings, width: Option<usize>) -> String {
    let lines = report::final_lines(request, standings);
    let lines = lines.iter().map(|parts| wrap::fill("", parts, 4, width));
    lines.collect::<Vec<_>>().join("\n")
}

impl MatchArgs {
    pub fn request(&self) -> Result<Match, CliError> {
        let mut engines = EngineSpec::parse_all(&self.engines).or_else(usage)?;
        if self.ponder {
            engines.iter_mut().for_each(EngineSpec::ponder_by_default);
        }
        let sprt = self.sprt()?;
        let games = match (self.games, sprt) {
            (Some(games), _) if games == 0 || games % 2 == 1 => {
                return usage(format!(
                    "--games {games}: the number of games must be even and positive"
                ));
            }
            (Some(games), _) => games,
            (None, Some(_)) => 400_000,
            (None, None) => 100,
        };
        Ok(Match {
            time_control: self.time_control(&engines)?,
            engines,
            gauntlet: self.gauntlet,
            variant: self.variant.unwrap_or_default(),
            chess960: self.chess960,
            rounds: self.rounds(games / 2)?,
            concurrency: self.concurrency.into(),
            openings: self.openings()?,
            adjudication: Adjudication {
                draw: self.draw,
                resign: self.resign,
                max_moves: self.max_moves,
            },
            time_margin: self.margin,
            lag: self.lag,
            timeouts: Timeouts {
                uciok: self.timeouts.start_timeout,
                readyok: self.timeouts.ready_timeout,
                bestmove: self.timeouts.move_timeout,
                stop: self.timeouts.stop_timeout,
                quit: self.timeouts.quit_timeout,
            },
            log: self.debug.as_deref().map(EngineLog::create).transpose()?.map(Arc::new),
            pgn: self.pgn.as_deref().map(Path::to_path_buf),
            resume: self.resume,
            event: format!("Brisance match, seed {}", self.seed),
            // In the format of PGN's Date tag.
            date: Utc::now().format("%Y.%m.%d").to_string(),
            sprt,
            tablebase: shared::open_tablebases(self.syzygy.as_deref())?,
        })
    }

    fn time_control(&self, engines: &[EngineSpec]) -> Result<TimeControl, CliError> {
        let given = self
            .tc
            .or(self.nodes.map(TimeControl::Nodes))
            .or(self.depth.map(TimeControl::Depth))
            .or(self.movetime.map(TimeControl::MoveTime));
        match given {
            Some(time_control) => Ok(time_control),
            // A placeholder: every engine has its own limit.
            None if engines.iter().all(|engine| engine.time_control.is_some()) => {
                Ok(TimeControl::Nodes(1))
            }
            None => usage(
                "no limit: use --tc, --nodes, --depth or --movetime, or give every engine one",
            ),
        }
    }

    /// The rounds of the part, of those of the match.
    fn rounds(&self, all: usize) -> Result<Range<usize>, CliError> {
        let Some(part) = self.part else {
            return Ok(0..all);
        };
        let Range { start, end } = part.of(0..all as u64);
        if start == end {
            return usage(format!(
                "--part {part}: the match has only {} of games",
                count(all, "pair")
            ));
        }
        Ok(start as usize..end as usize)
    }

    fn sprt(&self) -> Result<Option<Sprt>, CliError> {
        let Some(numbers) = &self.sprt else {
            return Ok(None);
        };
        let mut given = [0.0, 0.0, 0.05, 0.05];
        given[..numbers.len()].copy_from_slice(numbers);
        let [elo0, elo1, alpha, beta] = given;
        let is_rate = |rate: f64| (1e-6..0.5).contains(&rate);
        if elo1 <= elo0 || !is_rate(alpha) || !is_rate(beta) {
            return usage(format!(
                "--sprt {elo0} {elo1} {alpha} {beta}: ELO1 must exceed ELO0, and error rates must be from 0.000001 to below 0.5"
            ));
        }
        Ok(Some(Sprt { model: self.sprt_model, elo0, elo1, alpha, beta }))
    }

    fn openings(&self) -> Result<Openings, CliError> {
        let Some(path) = &self.openings else {
            return Ok(Openings::Random {
                plies: self.random_plies.into(),
                variant: self.variant.unwrap_or_default(),
                seed: self.seed,
            });
        };
        let (variant, plies) = (self.variant.into(), self.opening_plies);
        let read = openings::read(path, variant, plies, &mut print_warning);
        let mut positions = read.or_else(|error| match error.kind {
            OpeningErrorKind::FinishedGame(_) => {
                failed(format!("{error}; --opening-plies N plays only the first N half-moves"))
            }
            _ => failed(error),
        })?;
        if let OpeningOrder::Random = self.order {
            fastrand::Rng::with_seed(self.seed).shuffle(&mut positions);
        }
        Ok(Openings::Listed(positions))
    }
}
