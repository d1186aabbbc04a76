//! The subcommand `match` (a keyword in Rust, hence the file's name): engines play each
//! other under our own rules, with statistics that say when to stop.
//! Invariant: the table is printed however the match ends.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use super::Error;
use crate::arena::game::{Adjudication, DrawRule, Game, ResignRule};
use crate::arena::openings::Openings;
use crate::arena::spec::{EngineSpec, Pace, Patience};
use crate::arena::stats::{Estimate, Model, Sprt, Verdict};
use crate::arena::{Match, MatchError, Observer, Standing, Standings, openings};
use crate::rules::Variant;
use crate::tablebase::Tablebase;

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
    #[arg(long, value_name = "NAME", default_value = "atomic", value_parser = variant)]
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
    /// Directory of atomic Syzygy tables to call games by.
    #[arg(long, value_name = "DIR")]
    syzygy: Option<PathBuf>,
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

fn variant(text: &str) -> Result<Variant, String> {
    Variant::from_name(text).ok_or_else(|| "write atomic or nocheckatomic".to_owned())
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
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            // Asked twice: something hangs. Every finished game is on disk already.
            std::process::exit(130);
        }
    };
    ctrlc::set_handler(handler)
        .map_err(|error| Error::Failed(format!("cannot catch Ctrl-C: {error}")))?;
    let mut display = Display::new(&request, args.json);
    let result = request.play(&interrupted, &mut display);
    display.close();
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
            tables: self.syzygy.as_deref().map(Tablebase::open).transpose()?,
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

/// What is seen while the match runs: on a terminal a bar with the table below it, else a
/// line now and then.
struct Display<'a> {
    request: &'a Match,
    bar: Option<ProgressBar>,
    start: Instant,
    every: u64,
    quiet: bool,
    last: Standings,
}

impl<'a> Display<'a> {
    fn new(request: &'a Match, quiet: bool) -> Display<'a> {
        // The bar is drawn on stderr; JSON for a file or a pipe leaves room for it.
        let is_watched = io::stderr().is_terminal() && (quiet || io::stdout().is_terminal());
        let bar = is_watched.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template(
                "[{bar:30}] {pos} of {len} games, {elapsed}, {eta} left\n{msg}",
            );
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style.progress_chars("##-"));
            bar
        });
        Display {
            request,
            bar,
            start: Instant::now(),
            every: 1,
            quiet,
            last: Standings::default(),
        }
    }

    /// A line that stays, unless only JSON is wanted. Where it cannot be written, nobody
    /// reads any more; the match and its record go on.
    fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None if self.quiet => {}
            None => {
                let _ = writeln!(io::stdout(), "{text}");
            }
        }
    }

    fn show(&self) {
        if let Some(bar) = &self.bar {
            bar.set_position(self.last.finished());
            bar.set_message(overview(self.request, &self.last));
        }
    }

    fn close(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Display<'_> {
    fn began(&mut self, standings: &Standings) {
        self.last = standings.clone();
        self.every = match self.request.sprt {
            Some(_) => 100,
            None => (standings.planned as u64 / 20).clamp(1, 500),
        };
        if standings.resumed > 0 {
            self.say(&format!("{} games were played before", standings.resumed));
        }
        if let Some(bar) = &self.bar {
            bar.set_length(standings.planned as u64);
            self.show();
            bar.reset_eta();
            bar.enable_steady_tick(Duration::from_secs(1));
        }
    }

    fn game_ended(&mut self, number: u64, names: [&str; 2], game: &Game, standings: &Standings) {
        self.last = standings.clone();
        if let Some((color, _)) = game.failed {
            let [white, black] = names;
            let who = names[color.index()];
            self.say(&format!(
                "game {number}, {white} - {black}: {} ({who})",
                game.reason
            ));
        }
        self.show();
        if self.bar.is_none() && number.is_multiple_of(self.every) {
            for standing in &standings.pairings {
                self.say(&lines(self.request, standing).join(", "));
            }
        }
    }
}

fn plus_minus(estimate: Estimate) -> String {
    if estimate.error.is_finite() {
        format!("{:+.1} ± {:.1}", estimate.value, estimate.error)
    } else {
        format!("{:+.1} ± ∞", estimate.value)
    }
}

/// What a pairing has come to, in lines that fit a narrow terminal.
fn lines(request: &Match, standing: &Standing) -> Vec<String> {
    let (first, second) = standing.engines;
    let (games, pairs) = (&standing.games, &standing.pairs);
    let mut lines = vec![
        format!(
            "{} - {}: {} games",
            request.engines[first].name,
            request.engines[second].name,
            games.count(),
        ),
        format!(
            "+{} ={} -{}, Elo {}, LOS {:.1} %, pairs {:?}",
            games.wins,
            games.draws,
            games.losses,
            plus_minus(pairs.elo()),
            100.0 * pairs.superiority(),
            pairs.0,
        ),
    ];
    if let Some(sprt) = request.sprt {
        let (lower, upper) = sprt.bounds();
        let llr = sprt.llr(pairs);
        let bar = sprt_bar(llr, lower, upper);
        lines.push(format!(
            "SPRT {} to {}: LLR {llr:.2}, {lower:.2} {bar} {upper:.2}",
            sprt.elo0, sprt.elo1
        ));
    }
    lines
}

/// The table below the bar. A round robin of many would not fit: it shows points alone.
fn overview(request: &Match, standings: &Standings) -> String {
    const MOST_PAIRINGS: usize = 3;
    if standings.pairings.len() > MOST_PAIRINGS {
        return points(request, standings).join("\n");
    }
    let lines = standings
        .pairings
        .iter()
        .flat_map(|standing| lines(request, standing));
    lines.collect::<Vec<_>>().join("\n")
}

/// The players of a round robin by their points.
fn points(request: &Match, standings: &Standings) -> Vec<String> {
    let mut rows: Vec<(f64, u64, &str)> = request
        .engines
        .iter()
        .map(|engine| (0.0, 0, engine.name.as_str()))
        .collect();
    for standing in &standings.pairings {
        let (first, second) = standing.engines;
        let (points, count) = (standing.games.points(), standing.games.count());
        rows[first].0 += points;
        rows[second].0 += count as f64 - points;
        rows[first].1 += count;
        rows[second].1 += count;
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let rows = rows.iter();
    rows.map(|(points, count, name)| format!("{points:>8.1} of {count:<6} {name}"))
        .collect()
}

/// Where the likelihood ratio stands between its bounds.
fn sprt_bar(llr: f64, lower: f64, upper: f64) -> String {
    const WIDTH: usize = 21;
    let share = ((llr - lower) / (upper - lower)).clamp(0.0, 1.0);
    let at = (share * (WIDTH - 1) as f64).round() as usize;
    let cells = (0..WIDTH).map(|i| {
        if i == at {
            '#'
        } else if i == WIDTH / 2 {
            '|'
        } else {
            '-'
        }
    });
    cells.collect()
}

/// What is printed at the end.
fn table(request: &Match, standings: &Standings) -> String {
    let mut text = Vec::new();
    for standing in &standings.pairings {
        text.extend(lines(request, standing));
        text.push(format!(
            "normalised Elo {}",
            plus_minus(standing.pairs.normalized_elo())
        ));
    }
    if request.engines.len() > 2 {
        text.extend(points(request, standings));
    }
    let [white, draws, black] = standings.by_color;
    text.push(format!(
        "White won {white}, drawn {draws}, Black won {black}: White scored {:.1} %",
        standings.white_percent()
    ));
    let mut reasons: Vec<_> = standings.reasons.iter().collect();
    reasons.sort_by(|a, b| b.1.cmp(a.1));
    let reasons = reasons.iter().map(|(why, n)| format!("{n} {why}"));
    text.push(format!(
        "endings: {}",
        reasons.collect::<Vec<_>>().join(", ")
    ));
    for (engine, &count) in request.engines.iter().zip(&standings.failures) {
        if count > 0 {
            text.push(format!("{} failed in {count} games", engine.name));
        }
    }
    if let Some((sprt, standing)) = request.sprt.zip(standings.pairings.first()) {
        text.push(match sprt.verdict(&standing.pairs) {
            Verdict::Accepted => format!("test passed: better than {} Elo", sprt.elo0),
            Verdict::Rejected => format!("test failed: not {} Elo better", sprt.elo1),
            Verdict::Open => "test not decided".to_owned(),
        });
    }
    text.join("\n")
}

fn summary(request: &Match, standings: &Standings, time: Duration, interrupted: bool) -> Value {
    let finite = |number: f64| {
        if number.is_finite() {
            json!(number)
        } else {
            Value::Null
        }
    };
    let estimate = |e: Estimate| json!({ "value": finite(e.value), "error": finite(e.error) });
    let pairing = |standing: &Standing| {
        let (first, second) = standing.engines;
        let mut object = json!({
            "first": request.engines[first].name,
            "second": request.engines[second].name,
            "games": standing.games.count(),
            "wins": standing.games.wins,
            "draws": standing.games.draws,
            "losses": standing.games.losses,
            "pairs": standing.pairs.0,
            "elo": estimate(standing.pairs.elo()),
            "normalized_elo": estimate(standing.pairs.normalized_elo()),
            "superiority": standing.pairs.superiority(),
        });
        if let Some(sprt) = request.sprt {
            let (lower, upper) = sprt.bounds();
            object["sprt"] = json!({
                "elo0": sprt.elo0, "elo1": sprt.elo1, "alpha": sprt.alpha, "beta": sprt.beta,
                "llr": sprt.llr(&standing.pairs), "lower": lower, "upper": upper,
                "verdict": match sprt.verdict(&standing.pairs) {
                    Verdict::Accepted => "accepted",
                    Verdict::Rejected => "rejected",
                    Verdict::Open => "open",
                },
            });
        }
        object
    };
    let failures: serde_json::Map<String, Value> = request
        .engines
        .iter()
        .zip(&standings.failures)
        .map(|(engine, &count)| (engine.name.clone(), json!(count)))
        .collect();
    json!({
        "variant": request.variant.name(),
        "games": standings.finished(),
        "planned": standings.planned,
        "interrupted": interrupted,
        "seconds": time.as_secs_f64(),
        "resumed": standings.resumed,
        "pairings": standings.pairings.iter().map(pairing).collect::<Vec<_>>(),
        "white": {
            "wins": standings.by_color[0], "draws": standings.by_color[1],
            "losses": standings.by_color[2], "percent": standings.white_percent(),
        },
        "reasons": standings.reasons,
        "failures": failures,
    })
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

    #[test]
    fn the_bar_moves_with_the_ratio() {
        assert!(sprt_bar(-3.0, -2.94, 2.94).starts_with('#'));
        assert!(sprt_bar(3.0, -2.94, 2.94).ends_with('#'));
    }
}
