//! What a match has come to: a live display, lines, a table, and JSON.
//! Invariant: JSON is alone on standard output; everything else goes around it.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use crate::arena::game::Game;
use crate::arena::stats::{Estimate, Verdict};
use crate::arena::{Match, Observer, Standing, Standings};

/// What is seen while the match runs: on a terminal a bar with the table below it, else a
/// line now and then.
pub(super) struct Display<'a> {
    request: &'a Match,
    bar: Option<ProgressBar>,
    pub(super) start: Instant,
    every: u64,
    quiet: bool,
    pub(super) last: Standings,
}

impl<'a> Display<'a> {
    pub(super) fn new(request: &'a Match, quiet: bool) -> Display<'a> {
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
    pub(super) fn say(&self, text: &str) {
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

    pub(super) fn close(&self) {
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
pub(super) fn table(request: &Match, standings: &Standings) -> String {
    let mut text = Vec::new();
    for standing in &standings.pairings {
        text.extend(lines(request, standing));
        let normalised = standing.pairs.normalized_elo();
        // Without any spread between the pairs there is nothing to measure it by.
        if normalised.error.is_finite() {
            text.push(format!("normalised Elo {}", plus_minus(normalised)));
        }
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

/// The same for programs.
pub(super) fn summary(
    request: &Match,
    standings: &Standings,
    time: Duration,
    interrupted: bool,
) -> Value {
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
    fn the_bar_moves_with_the_ratio() {
        assert!(sprt_bar(-3.0, -2.94, 2.94).starts_with('#'));
        assert!(sprt_bar(3.0, -2.94, 2.94).ends_with('#'));
    }
}
