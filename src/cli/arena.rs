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
use crate::arena::spec::{EngineSpec, Pace};
use crate::arena::stats::{Estimate, Model, Sprt, Verdict};
use crate::arena::{Match, MatchError, Observer, Standing, Standings, openings};
use crate::rules::{Position, Variant};
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
    #[arg(long, value_name = "TC", group = "pace")]
    tc: Option<String>,
    /// Nodes a move for all players.
    #[arg(long, value_name = "N", group = "pace")]
    nodes: Option<u64>,
    /// Plies a move for all players.
    #[arg(long, value_name = "N", group = "pace")]
    depth: Option<i32>,
    /// Seconds a move for all players.
    #[arg(long, value_name = "S", group = "pace")]
    movetime: Option<f64>,
    /// Games for each pairing, an even number. Without it 100, or with --sprt as many as it
    /// takes.
    #[arg(long, value_name = "N")]
    games: Option<usize>,
    /// Games played at a time.
    #[arg(long, value_name = "N", default_value_t = 1)]
    concurrency: usize,
    /// Openings: a file of EPD or FEN lines, or PGN whose games are followed to their ends.
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Take the openings in a random order or as they stand in the file.
    #[arg(long, value_enum, default_value_t = Order::Random)]
    order: Order,
    /// Without --openings: each pair begins after so many random moves.
    #[arg(long, value_name = "PLIES", default_value_t = 8)]
    random_plies: usize,
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
    /// Continue the match recorded in the file of --pgn.
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
}

const EXAMPLES: &str = "\
Examples:
  brisance match --engine self --engine \"cmd=./old name=old\" --tc 2+0.02 --concurrency 2
  brisance match --engine \"self name=big option.Hash=64\" --engine \"self name=small\" \\
      --nodes 10000 --openings book/openings.epd --sprt 0 5 --pgn games.pgn
  brisance match … --pgn games.pgn --resume";

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
    // A second Ctrl-C finds no handler work left to do and changes nothing.
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))
        .map_err(|error| Error::Failed(format!("cannot catch Ctrl-C: {error}")))?;
    let mut display = Display::new(&request, args.json);
    let result = request.play(&interrupted, &mut display);
    display.close();
    let standings = match result {
        Ok(standings) => standings,
        Err(MatchError::Request(text)) => return Err(Error::Usage(text)),
        Err(MatchError::Record(text)) => {
            let _ = display.say(&table(&request, &display.last));
            return Err(Error::Failed(text));
        }
    };
    let stopped = interrupted.load(Ordering::Relaxed);
    if args.json {
        let summary = summary(&request, &standings, display.start.elapsed(), stopped);
        writeln!(io::stdout(), "{summary}")?;
    } else {
        display.say(&table(&request, &standings))?;
        if stopped {
            display.say("interrupted; games in play were given up")?;
        }
    }
    Ok(())
}

impl ArenaArgs {
    fn request(&self) -> Result<Match, String> {
        let engines = self.engines.iter().map(|text| EngineSpec::parse(text));
        let engines = engines.collect::<Result<Vec<_>, _>>()?;
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
            concurrency: self.concurrency.clamp(1, 512),
            openings: self.openings(games / 2)?,
            adjudication: Adjudication {
                draw: self.draw,
                resign: self.resign,
                max_moves: self.max_moves,
            },
            margin: Duration::from_millis(self.margin),
            pgn: self.pgn.clone(),
            resume: self.resume,
            event: format!("Brisance match, seed {}", self.seed),
            date: today(),
            sprt,
            tables: self.syzygy.as_deref().map(Tablebase::open).transpose()?,
        })
    }

    fn pace(&self, engines: &[EngineSpec]) -> Result<Pace, String> {
        if let Some(text) = &self.tc {
            return Pace::parse_clock(text).map_err(|error| format!("--tc: {error}"));
        }
        if let Some(seconds) = self.movetime {
            return Duration::try_from_secs_f64(seconds)
                .map(Pace::MoveTime)
                .map_err(|error| format!("--movetime {seconds}: {error}"));
        }
        let fixed = self.nodes.map(Pace::Nodes).or(self.depth.map(Pace::Depth));
        match fixed {
            Some(pace) => Ok(pace),
            None if engines.iter().all(|engine| engine.pace.is_some()) => Ok(Pace::Nodes(1)),
            None => {
                Err("give --tc, --nodes, --depth or --movetime, or each engine its own".to_owned())
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

    fn openings(&self, pairs: usize) -> Result<Vec<Position>, String> {
        let mut rng = fastrand::Rng::with_seed(self.seed);
        let Some(path) = &self.openings else {
            let make = |_| openings::random(self.random_plies, self.variant, &mut rng);
            return Ok((0..pairs).map(make).collect());
        };
        let mut positions = openings::read(path, self.variant)?;
        if let Order::Random = self.order {
            rng.shuffle(&mut positions);
        }
        Ok(positions)
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

/// What is seen while the match runs.
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
        let planned = request.pairs as u64 * 2;
        let bar = (io::stderr().is_terminal() && io::stdout().is_terminal() && !quiet).then(|| {
            let bar = ProgressBar::with_draw_target(Some(planned), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template(
                "{bar:30} {pos}/{len} games, {elapsed}, {eta} left\n{msg}",
            );
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(500));
            bar
        });
        let every = if request.sprt.is_some() {
            100
        } else {
            (planned / 20).clamp(1, 500)
        };
        Display {
            request,
            bar,
            start: Instant::now(),
            every,
            quiet,
            last: Standings::default(),
        }
    }

    fn say(&self, text: &str) -> io::Result<()> {
        if self.quiet {
            Ok(())
        } else {
            writeln!(io::stdout(), "{text}")
        }
    }

    fn close(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Display<'_> {
    fn game_ended(&mut self, number: u64, names: [&str; 2], game: &Game, standings: &Standings) {
        self.last = standings.clone();
        if let Some(color) = game.failed {
            let text = format!(
                "game {number}, {} - {}: {}",
                names[0], names[1], game.reason
            );
            let text = format!("{text} ({})", names[color.index()]);
            match &self.bar {
                Some(bar) => bar.println(text),
                None if self.quiet => {}
                None => {
                    let _ = self.say(&text);
                }
            }
        }
        if let Some(bar) = &self.bar {
            bar.set_position(standings.finished());
            bar.set_message(table(self.request, standings));
        } else if standings.finished().is_multiple_of(self.every) {
            let lines: Vec<String> = standings
                .pairings
                .iter()
                .map(|standing| line(self.request, standing))
                .collect();
            let _ = self.say(&lines.join("\n"));
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

fn line(request: &Match, standing: &Standing) -> String {
    let (first, second) = standing.engines;
    let (games, pairs) = (&standing.games, &standing.pairs);
    let mut text = format!(
        "{} - {}: {} games, +{} ={} -{}, Elo {}, LOS {:.1} %, pairs {:?}",
        request.engines[first].name,
        request.engines[second].name,
        games.count(),
        games.wins,
        games.draws,
        games.losses,
        plus_minus(pairs.elo()),
        100.0 * pairs.superiority(),
        pairs.0,
    );
    if let Some(sprt) = request.sprt {
        let (lower, upper) = sprt.bounds();
        let llr = sprt.llr(pairs);
        text.push_str(&format!(
            ", LLR {llr:.2} of [{lower:.2}, {upper:.2}] {}",
            sprt_bar(llr, lower, upper)
        ));
    }
    text
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

fn table(request: &Match, standings: &Standings) -> String {
    let mut lines: Vec<String> = standings
        .pairings
        .iter()
        .map(|standing| line(request, standing))
        .collect();
    for standing in &standings.pairings {
        lines.push(format!(
            "normalised Elo {}",
            plus_minus(standing.pairs.normalized_elo())
        ));
    }
    let [white, draws, black] = standings.by_color;
    lines.push(format!(
        "White won {white}, drawn {draws}, Black won {black}: White scored {:.1} %",
        standings.white_percent()
    ));
    let mut reasons: Vec<_> = standings.reasons.iter().collect();
    reasons.sort_by(|a, b| b.1.cmp(a.1));
    let reasons: Vec<String> = reasons
        .iter()
        .map(|(why, n)| format!("{n} {why}"))
        .collect();
    lines.push(format!("endings: {}", reasons.join(", ")));
    for (engine, &count) in request.engines.iter().zip(&standings.failures) {
        if count > 0 {
            lines.push(format!("{} failed in {count} games", engine.name));
        }
    }
    if let Some(sprt) = request.sprt {
        lines.push(match sprt.verdict(&standings.pairings[0].pairs) {
            Verdict::Accepted => format!("test passed: better than {} Elo", sprt.elo0),
            Verdict::Rejected => format!("test failed: not {} Elo better", sprt.elo1),
            Verdict::Open => "test not decided".to_owned(),
        });
    }
    lines.join("\n")
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
        "plies": standings.plies,
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
