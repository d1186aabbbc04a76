//! The subcommand `match` (a keyword in Rust, hence the file's name): engines play each
//! other under our own rules, with statistics that say when to stop.
//! Invariant: the table is printed however the match ends.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};

use super::standings::{Display, summary, table};
use super::{Error, args as shared, interrupt};
use crate::arena::game::{Adjudication, DrawRule, ResignRule};
use crate::arena::openings::Openings;
use crate::arena::spec::{EngineSpec, Pace, Patience};
use crate::arena::stats::{Model, Sprt};
use crate::arena::{Match, MatchError, openings};
use crate::rules::Variant;

/// Play a match between UCI engines, or between settings of this one.
///
/// Each opening is played twice with colours reversed. The referee is this program: its
/// rules are those of Lichess (or of the Internet Chess Club), whatever the engines think.
/// An engine that dies, stalls, oversteps its time or plays an illegal move loses that game,
/// and the match goes on.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ArenaArgs {
    /// A player: "cmd=PROGRAM name=… args=… dir=… option.X=Y tc=…" for a UCI engine, or
    /// "self option.X=Y …" for this program without a process of its own. A player's own
    /// tc=, nodes=, depth= or movetime= goes before the match's. Give it twice or more; with
    /// more than two players each meets each.
    #[arg(long = "engine", value_name = "SPEC", required = true)]
    engines: Vec<String>,
    /// The rules of the game.
    #[arg(long, value_name = "NAME", default_value = "atomic", value_parser = super::variant_name)]
    variant: Variant,
    /// Tell engines of castling as Chess960 does. Openings that need it do so anyway.
    #[arg(long)]
    chess960: bool,
    /// Clock for all players: seconds as base+increment or moves/base+increment.
    #[arg(long, value_name = "TC", group = "pace", value_parser = pace("tc"))]
    tc: Option<Pace>,
    /// Nodes a move for all players.
    #[arg(long, value_name = "N", group = "pace", value_parser = pace("nodes"))]
    nodes: Option<Pace>,
    /// Plies a move for all players.
    #[arg(long, value_name = "N", group = "pace", value_parser = pace("depth"))]
    depth: Option<Pace>,
    /// Seconds a move for all players.
    #[arg(long, value_name = "S", group = "pace", value_parser = pace("movetime"))]
    movetime: Option<Pace>,
    /// Games for each pairing, an even number. Without it 100, or with --sprt as many as it
    /// takes.
    #[arg(long, value_name = "N")]
    games: Option<usize>,
    /// Games played at a time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    concurrency: u16,
    /// Openings: a file of EPD or FEN lines, or PGN whose games are followed to their ends.
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Take the openings in a random order or as they stand in the file.
    #[arg(long, value_enum, default_value_t = Order::Random)]
    order: Order,
    /// Without --openings: each pair begins after so many random moves.
    #[arg(long, value_name = "PLIES", default_value_t = 8, value_parser = clap::value_parser!(u8).range(..=20))]
    random_plies: u8,
    /// Seed of all that is random here.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Call a game drawn when from move FROM on both sides see at most SCORE centipawns for
    /// MOVES moves each: FROM,MOVES,SCORE.
    #[arg(long, value_name = "RULE", value_parser = draw_rule)]
    draw: Option<DrawRule>,
    /// Call a game won when both sides see at least SCORE centipawns for MOVES moves each:
    /// MOVES,SCORE.
    #[arg(long, value_name = "RULE", value_parser = resign_rule)]
    resign: Option<ResignRule>,
    /// Call a game drawn after so many moves.
    #[arg(long, value_name = "N")]
    max_moves: Option<u16>,
    /// Directories of atomic Syzygy tables to call games by, with ':' between them, on
    /// Windows ';'.
    #[arg(long, value_name = "DIR")]
    syzygy: Option<OsString>,
    /// Milliseconds that a move may come late.
    #[arg(long, value_name = "MS", default_value_t = 20)]
    margin: u64,
    /// Record the games in this new file.
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Continue the match recorded in the file of --pgn, given the same players, limits,
    /// openings and seed; more --games are welcome. A game cut off at its end is removed and
    /// played again. A file of another match is refused and left as it is.
    #[arg(long, requires = "pgn")]
    resume: bool,
    /// Stop when a sequential test has decided between ELO0 and ELO1; ALPHA and BETA are its
    /// error rates, 0.05 each unless given.
    #[arg(long, num_args = 2..=4, value_names = ["ELO0", "ELO1", "ALPHA", "BETA"], allow_negative_numbers = true)]
    sprt: Option<Vec<f64>>,
    /// The unit of the test's bounds.
    #[arg(long, value_enum, default_value_t = SprtModel::Normalized)]
    sprt_model: SprtModel,
    /// Print the result as one JSON object, and nothing else, on standard output.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    patience: PatienceArgs,
}

/// Limits of what no clock counts.
#[derive(Args, Debug)]
#[command(next_help_heading = "Waiting for other programs")]
struct PatienceArgs {
    /// Seconds from an engine's start to its uciok.
    #[arg(long, value_name = "S", default_value = "30", value_parser = seconds)]
    start_timeout: Duration,
    /// Seconds from isready to readyok.
    #[arg(long, value_name = "S", default_value = "15", value_parser = seconds)]
    ready_timeout: Duration,
    /// Seconds for a move that has neither a clock nor a time of its own.
    #[arg(long, value_name = "S", default_value = "600", value_parser = seconds)]
    move_timeout: Duration,
    /// Seconds from stop to bestmove once the time is over; then the engine counts as
    /// stalled and not only as late.
    #[arg(long, value_name = "S", default_value = "2", value_parser = seconds)]
    stop_timeout: Duration,
    /// Seconds from quit to the end of the process; then it is killed.
    #[arg(long, value_name = "S", default_value = "0.5", value_parser = seconds)]
    quit_timeout: Duration,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let time = text
        .parse()
        .ok()
        .and_then(|s| Duration::try_from_secs_f64(s).ok());
    time.filter(|time| *time <= Duration::from_secs(86_400))
        .ok_or_else(|| "write seconds, such as 2 or 0.5, up to a day".to_owned())
}

fn pace(key: &'static str) -> impl Fn(&str) -> Result<Pace, String> + Clone {
    move |text| Pace::parse(key, text).unwrap_or_else(|| Err(format!("{key} is no limit")))
}

const EXAMPLES: &str = "\
Examples:
  brisance match --engine self --engine \"cmd=./old name=old\" --tc 2+0.02 --concurrency 2
  brisance match --engine \"self name=big option.Hash=64\" --engine \"self name=small\" \\
      --nodes 10000 --openings book/openings.epd --sprt 0 5 --pgn games.pgn
  brisance match … --pgn games.pgn --resume

Exit codes: 0 all games were played or the test has decided; 1 the match was cut short, by
Ctrl-C too: the table is printed then, and --resume plays the rest; 2 the arguments were wrong.";

/// The order in which openings are played.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Order {
    Random,
    Given,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SprtModel {
    Normalized,
    Logistic,
}

fn numbers<const N: usize>(text: &str) -> Result<[i32; N], String> {
    let parsed: Result<Vec<i32>, _> = text.split(',').map(str::parse).collect();
    let numbers = parsed
        .ok()
        .filter(|numbers| numbers.iter().all(|&n| n >= 0));
    numbers
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| format!("write {N} numbers with commas between"))
}

fn draw_rule(text: &str) -> Result<DrawRule, String> {
    let [from, moves, score] = numbers(text)?;
    let from = u16::try_from(from).map_err(|_| format!("{from} is no move number"))?;
    Ok(DrawRule {
        from,
        moves: moves.max(1) as u32,
        score,
    })
}

fn resign_rule(text: &str) -> Result<ResignRule, String> {
    let [moves, score] = numbers(text)?;
    Ok(ResignRule {
        moves: moves.max(1) as u32,
        score,
    })
}

/// Plays the match.
///
/// # Errors
/// When the request makes no sense or the record cannot be written.
pub fn run(args: &ArenaArgs) -> Result<(), Error> {
    let request = args.request().map_err(Error::Usage)?;
    // Every finished game is on disk already when a second Ctrl-C ends the program.
    let interrupted = interrupt::flag()?;
    let mut display = Display::new(&request, args.json);
    let result = request.play(&interrupted, &mut display);
    display.close();
    shared::warn_of_tables(request.tables.as_ref());
    let error = match result {
        Ok(standings) if request.is_finished(&standings) => None,
        Ok(standings) => Some(Error::Failed(format!(
            "interrupted after {} of {} games; those in play were given up",
            standings.finished(),
            standings.planned
        ))),
        Err(MatchError::Request(text)) => return Err(Error::Usage(text)),
        Err(MatchError::Failed(text)) => Some(Error::Failed(text)),
    };
    let standings = &display.last;
    if args.json {
        let summary = summary(
            &request,
            standings,
            display.start.elapsed(),
            error.is_some(),
        );
        writeln!(io::stdout(), "{summary}")?;
    } else {
        writeln!(io::stdout(), "{}", table(&request, standings))?;
    }
    error.map_or(Ok(()), Err)
}

impl ArenaArgs {
    fn request(&self) -> Result<Match, String> {
        let engines = EngineSpec::parse_all(&self.engines)?;
        let sprt = self
            .sprt
            .as_deref()
            .map(|numbers| self.test(numbers))
            .transpose()?;
        let games = match (self.games, sprt) {
            (Some(games), _) if games == 0 || games % 2 == 1 => {
                return Err(format!(
                    "--games {games}: colours alternate, so give an even number"
                ));
            }
            (Some(games), _) => games,
            (None, Some(_)) => 400_000,
            (None, None) => 100,
        };
        Ok(Match {
            pace: self.pace(&engines)?,
            engines,
            variant: self.variant,
            chess960: self.chess960,
            pairs: games / 2,
            concurrency: self.concurrency.into(),
            openings: self.openings()?,
            adjudication: Adjudication {
                draw: self.draw,
                resign: self.resign,
                max_moves: self.max_moves,
            },
            margin: Duration::from_millis(self.margin),
            patience: Patience {
                start: self.patience.start_timeout,
                ready: self.patience.ready_timeout,
                silence: self.patience.move_timeout,
                stop: self.patience.stop_timeout,
                quit: self.patience.quit_timeout,
            },
            pgn: self.pgn.clone(),
            resume: self.resume,
            event: format!("Brisance match, seed {}", self.seed),
            date: today(),
            sprt,
            tables: shared::tables(self.syzygy.as_deref())?,
        })
    }

    fn pace(&self, engines: &[EngineSpec]) -> Result<Pace, String> {
        let given = self.tc.or(self.nodes).or(self.depth).or(self.movetime);
        match given {
            Some(pace) => Ok(pace),
            // Nobody plays by it.
            None if engines.iter().all(|engine| engine.pace.is_some()) => Ok(Pace::Nodes(1)),
            None => {
                Err("give --tc, --nodes, --depth or --movetime, or each player its own".to_owned())
            }
        }
    }

    fn test(&self, numbers: &[f64]) -> Result<Sprt, String> {
        let at = |index: usize| numbers.get(index).copied();
        let (elo0, elo1) = (at(0).unwrap_or(0.0), at(1).unwrap_or(0.0));
        let (alpha, beta) = (at(2).unwrap_or(0.05), at(3).unwrap_or(0.05));
        let is_rate = |rate: f64| rate > 0.0 && rate < 0.5;
        if elo1 <= elo0 || !is_rate(alpha) || !is_rate(beta) {
            return Err(format!(
                "--sprt {elo0} {elo1} {alpha} {beta}: ELO1 must exceed ELO0, and error rates lie between 0 and 0.5"
            ));
        }
        let model = match self.sprt_model {
            SprtModel::Normalized => Model::Normalized,
            SprtModel::Logistic => Model::Logistic,
        };
        Ok(Sprt {
            model,
            elo0,
            elo1,
            alpha,
            beta,
        })
    }

    fn openings(&self) -> Result<Openings, String> {
        let Some(path) = &self.openings else {
            return Ok(Openings::Random {
                plies: self.random_plies.into(),
                variant: self.variant,
                seed: self.seed,
            });
        };
        let mut positions = openings::read(path, self.variant)?;
        if let Order::Random = self.order {
            fastrand::Rng::with_seed(self.seed).shuffle(&mut positions);
        }
        Ok(Openings::Listed(positions))
    }
}

/// Today in PGN's form, by the days since 1970.
fn today() -> String {
    let days = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |t| t.as_secs() / 86_400);
    // Years of March to February make the leap day the last of its year.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (
        day - (153 * month + 2) / 5 + 1,
        if month < 10 { month + 3 } else { month - 9 },
    );
    let year = era * 400 + year + u64::from(month <= 2);
    format!("{year}.{month:02}.{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read() {
        assert_eq!(
            draw_rule("40,8,10"),
            Ok(DrawRule {
                from: 40,
                moves: 8,
                score: 10
            })
        );
        assert_eq!(
            resign_rule("4,800"),
            Ok(ResignRule {
                moves: 4,
                score: 800
            })
        );
        assert!(draw_rule("40,8").is_err() && resign_rule("4,x").is_err());
    }
}
