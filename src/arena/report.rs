//! The results of a match as text and as JSON: what is shown while it is played, and its end.
//! Invariant: long names of engines are shortened in text.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::stats::{Estimate, Pentanomial, SprtVerdict};
use super::{Match, Pairing, Standings};
use crate::util::{count, shorten};

fn plus_minus(estimate: Estimate) -> String {
    if estimate.error.is_finite() {
        format!("{:+.1} ± {:.1}", estimate.value, estimate.error)
    } else {
        format!("{:+.1}", estimate.value)
    }
}

/// The Elo difference of a pairing; the error is unknown while all pairs have the same score.
fn elo_text(pairs: &Pentanomial) -> String {
    let elo = pairs.elo();
    match pairs.0.iter().filter(|&&count| count > 0).count() {
        0 => "Elo unknown".to_owned(),
        1 => format!("Elo {}, all pairs equal", plus_minus(elo)),
        _ => format!("Elo {}", plus_minus(elo)),
    }
}

/// The name of an engine, shortened if it is long.
fn name(request: &Match, index: usize) -> String {
    shorten(&request.engines[index].name)
}

fn pairing_lines(request: &Match, pairing: &Pairing) -> Vec<Vec<String>> {
    let (first, second) = pairing.engines;
    let (games, pairs) = (&pairing.games, &pairing.pairs);
    let mut lines = vec![
        vec![
            format!("{} -", name(request, first)),
            format!("{}:", name(request, second)),
            count(games.count(), "game"),
        ],
        vec![
            format!("+{} ={} -{},", games.wins, games.draws, games.losses),
            format!("{},", elo_text(pairs)),
            format!("LOS {:.1} %,", 100.0 * pairs.los()),
            format!("pairs {:?}", pairs.0),
        ],
    ];
    if let Some(sprt) = request.sprt {
        let (lower, upper) = sprt.bounds();
        let llr = sprt.llr(pairs);
        let bar = sprt_bar(llr, lower, upper);
        lines.push(vec![
            format!("SPRT {} to {}:", sprt.elo0, sprt.elo1),
            format!("LLR {llr:.2},"),
            format!("{lower:.2} {bar} {upper:.2}"),
        ]);
    }
    lines
}

/// The standings during the match: all pairings, whose lines are separated by `separator`, or
/// only points in a large round robin.
pub fn overview(request: &Match, standings: &Standings, separator: &str) -> String {
    const MAX_PAIRINGS: usize = 3;
    if standings.pairings.len() > MAX_PAIRINGS {
        return score_rows(request, standings).join("\n");
    }
    let pairings = standings.pairings.iter().map(|pairing| {
        let lines = pairing_lines(request, pairing);
        let lines = lines.iter().map(|parts| parts.join(" "));
        lines.collect::<Vec<_>>().join(separator)
    });
    pairings.collect::<Vec<_>>().join("\n")
}

/// The engines of a round robin, sorted by points.
fn score_rows(request: &Match, standings: &Standings) -> Vec<String> {
    let engines = 0..request.engines.len();
    let mut rows: Vec<(f64, u64, String)> =
        engines.map(|engine| (0.0, 0, name(request, engine))).collect();
    for pairing in &standings.pairings {
        let (first, second) = pairing.engines;
        let (points, count) = (pairing.games.points(), pairing.games.count());
        rows[first].0 += points;
        rows[second].0 += count as f64 - points;
        rows[first].1 += count;
        rows[second].1 += count;
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let rows = rows.iter();
    rows.map(|(points, count, name)| format!("{points:>8.1} of {count:<6} {name}")).collect()
}

fn sprt_bar(llr: f64, lower: f64, upper: f64) -> String {
    const WIDTH: usize = 21;
    let share = ((llr - lower) / (upper - lower)).clamp(0.0, 1.0);
    let marker = (share * (WIDTH - 1) as f64).round() as usize;
    let mut cells = ["-"; WIDTH];
    cells[WIDTH / 2] = "|";
    cells[marker] = "#";
    cells.concat()
}

/// The final result as lines of text, each in parts between which it may be broken.
pub fn final_lines(request: &Match, standings: &Standings) -> Vec<Vec<String>> {
    let mut text = Vec::new();
    for pairing in &standings.pairings {
        text.extend(pairing_lines(request, pairing));
        let normalised = pairing.pairs.normalized_elo();
        // Undefined if the scores of all pairs are equal.
        if normalised.error.is_finite() {
            text.push(vec![format!("normalised Elo {}", plus_minus(normalised))]);
        }
    }
    if request.engines.len() > 2 {
        let rows = score_rows(request, standings).into_iter();
        text.extend(rows.map(|row| vec![row]));
    }
    let white = &standings.white;
    text.push(vec![
        format!("White won {},", white.wins),
        format!("drawn {},", white.draws),
        format!("Black won {}:", white.losses),
        format!("White scored {:.1} %", standings.white_percent()),
    ]);
    let counts = standings.endings.iter();
    let mut endings: Vec<_> = counts.map(|(ending, &n)| (n, ending.label())).collect();
    endings.sort_by_key(|&(n, label)| (Reverse(n), label));
    let mut parts = vec!["endings:".to_owned()];
    for (index, (n, label)) in endings.iter().enumerate() {
        let comma = if index + 1 < endings.len() { "," } else { "" };
        parts.push(match *label {
            "mates" => count(*n, "mate") + comma,
            label => format!("{n} {label}{comma}"),
        });
    }
    text.push(parts);
    for (engine, &failures) in standings.failures.iter().enumerate() {
        if failures > 0 {
            let failed = format!("failed in {}", count(failures, "game"));
            text.push(vec![name(request, engine), failed]);
        }
    }
    if let Some((sprt, pairing)) = request.sprt.zip(standings.pairings.first()) {
        text.push(vec![match sprt.verdict(&pairing.pairs) {
            SprtVerdict::Accepted if !standings.is_valid() => "test not passed".to_owned(),
            SprtVerdict::Accepted => format!("test passed: better than {} Elo", sprt.elo0),
            SprtVerdict::Rejected => format!("test failed: not {} Elo better", sprt.elo1),
            SprtVerdict::Open => "test undecided".to_owned(),
        }]);
    }
    if let Some(reason) = invalid(request, standings) {
        text.push(reason.split(' ').map(str::to_owned).collect());
    }
    text
}

/// Why the match has no valid result; `None` if it has one.
pub fn invalid(request: &Match, standings: &Standings) -> Option<String> {
    let engines = standings.abandoned.iter().enumerate();
    let engines = engines.filter(|&(_, &games)| games > 0);
    let engines = engines.map(|(engine, &games)| {
        let games = count(games, "game");
        format!("{} abandoned {games}", name(request, engine))
    });
    let engines = engines.collect::<Vec<_>>().join(" and ");
    (!standings.is_valid()).then(|| format!("INVALID MATCH: {engines}, which do not count"))
}

pub fn json_summary(request: &Match, standings: &Standings, time: Duration) -> Value {
    // A number that is not finite becomes null.
    let estimate = |e: Estimate| json!({ "value": e.value, "error": e.error });
    let to_json = |pairing: &Pairing| {
        let (first, second) = pairing.engines;
        let mut object = json!({
            "first": request.engines[first].name,
            "second": request.engines[second].name,
            "games": pairing.games.count(),
            "wins": pairing.games.wins,
            "draws": pairing.games.draws,
            "losses": pairing.games.losses,
            "pairs": pairing.pairs.0,
            "elo": estimate(pairing.pairs.elo()),
            "normalized_elo": estimate(pairing.pairs.normalized_elo()),
            "superiority": pairing.pairs.los(),
        });
        if let Some(sprt) = request.sprt {
            let (lower, upper) = sprt.bounds();
            object["sprt"] = json!({
                "elo0": sprt.elo0, "elo1": sprt.elo1, "alpha": sprt.alpha, "beta": sprt.beta,
                "llr": sprt.llr(&pairing.pairs), "lower": lower, "upper": upper,
                "verdict": match sprt.verdict(&pairing.pairs) {
                    SprtVerdict::Accepted if !standings.is_valid() => "invalid",
                    SprtVerdict::Accepted => "accepted",
                    SprtVerdict::Rejected => "rejected",
                    SprtVerdict::Open => "open",
                },
            });
        }
        object
    };
    let counts = standings.endings.iter();
    let reasons: BTreeMap<_, _> = counts.map(|(ending, n)| (ending.label(), n)).collect();
    let by_engine = |counts: &[u64]| -> BTreeMap<String, u64> {
        let names = request.engines.iter().map(|engine| engine.name.clone());
        names.zip(counts.iter().copied()).collect()
    };
    json!({
        "variant": request.variant.name(),
        "games": standings.finished(),
        "planned": standings.planned,
        "interrupted": !request.is_finished(standings),
        "seconds": time.as_secs_f64(),
        "resumed": standings.resumed,
        "pairings": standings.pairings.iter().map(to_json).collect::<Vec<_>>(),
        "white": {
            "wins": standings.white.wins, "draws": standings.white.draws,
            "losses": standings.white.losses, "percent": standings.white_percent(),
        },
        "reasons": reasons,
        "failures": by_engine(&standings.failures),
        "abandoned": by_engine(&standings.abandoned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sprt_bar_follows_the_ratio() {
        assert!(sprt_bar(-3.0, -2.94, 2.94).starts_with('#'));
        assert!(sprt_bar(3.0, -2.94, 2.94).ends_with('#'));
    }
}
