//! One JSON object a line: `"type":"info"` for each report, `"type":"result"` at the end.
//! Field names are a contract with the programs that read them: add, never rename.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

use super::{Found, Show, Subject};
use crate::cli::word;
use crate::eval::score::{self, Shown, Value};
use crate::notation::san;
use crate::rules::{Color, Move, Outcome};
use crate::search::{Bound, Report};

/// Prints and forgets.
pub struct Json;

impl Show for Json {
    fn begin(&mut self, _: &Subject) -> io::Result<()> {
        Ok(())
    }

    fn line(&mut self, subject: &Subject, report: &Report) -> io::Result<()> {
        print(&Line::Info {
            depth: report.depth,
            seldepth: report.seldepth,
            multipv: report.multipv,
            score: report.value.into(),
            bound: match report.bound {
                Bound::Exact => "exact",
                Bound::Lower => "lower",
                Bound::Upper => "upper",
            },
            nodes: report.nodes,
            nps: report.nps(),
            time_ms: millis(report.time),
            hashfull: report.hashfull,
            tbhits: report.tbhits,
            pv: subject.uci(&report.pv),
            pv_san: san::write_line(&subject.pos, &report.pv),
        })
    }

    fn end(&mut self, subject: &Subject, found: &Found) -> io::Result<()> {
        let summary = found.summary;
        let pv_san = san::write_line(&subject.pos, &found.pv);
        print(&Line::Result {
            fen: subject.spelling.fen(&subject.pos),
            variant: subject.pos.variant().name(),
            chess960: subject.spelling.chess960,
            bestmove: summary.best.map(|best| Both {
                uci: subject.spelling.uci(best),
                san: san::write(&subject.pos, best),
            }),
            score: Some(summary.value.into()),
            outcome: None,
            depth: summary.depth,
            nodes: summary.nodes,
            nps: summary.nps(),
            time_ms: millis(summary.time),
            pv: subject.uci(&found.pv),
            pv_san,
        })
    }

    fn over(&mut self, subject: &Subject, outcome: Outcome) -> io::Result<()> {
        print(&Line::Result {
            fen: subject.spelling.fen(&subject.pos),
            variant: subject.pos.variant().name(),
            chess960: subject.spelling.chess960,
            bestmove: None,
            score: final_score(subject.pos.side(), outcome),
            outcome: Some(outcome.into()),
            depth: 0,
            nodes: 0,
            nps: 0,
            time_ms: 0,
            pv: Vec::new(),
            pv_san: Vec::new(),
        })
    }
}

impl Subject {
    fn uci(&self, line: &[Move]) -> Vec<String> {
        line.iter().map(|&mv| self.spelling.uci(mv)).collect()
    }
}

fn print(line: &Line) -> io::Result<()> {
    let text = serde_json::to_string(line)?;
    writeln!(io::stdout().lock(), "{text}")
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The score of a finished game; none for a position where the side to move has already
/// won, which no game reaches.
fn final_score(side: Color, outcome: Outcome) -> Option<Score> {
    match outcome {
        Outcome::Draw { .. } => Some(Score::Cp(0)),
        Outcome::Win { winner, .. } => (winner != side).then_some(Score::Mate(0)),
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Info {
        depth: i32,
        seldepth: i32,
        multipv: usize,
        score: Score,
        bound: &'static str,
        nodes: u64,
        nps: u64,
        time_ms: u64,
        hashfull: u32,
        tbhits: u64,
        pv: Vec<String>,
        pv_san: Vec<String>,
    },
    Result {
        fen: String,
        variant: &'static str,
        chess960: bool,
        bestmove: Option<Both>,
        score: Option<Score>,
        outcome: Option<JsonOutcome>,
        depth: i32,
        nodes: u64,
        nps: u64,
        time_ms: u64,
        pv: Vec<String>,
        pv_san: Vec<String>,
    },
}

/// A move in both notations.
#[derive(Serialize)]
struct Both {
    uci: String,
    san: String,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Score {
    Cp(i32),
    Mate(i32),
}

impl From<Value> for Score {
    fn from(value: Value) -> Score {
        match score::shown(value) {
            Shown::Centipawns(cp) => Score::Cp(cp),
            Shown::Mate(moves) => Score::Mate(moves),
        }
    }
}

#[derive(Serialize)]
struct JsonOutcome {
    result: &'static str,
    reason: &'static str,
}

impl From<Outcome> for JsonOutcome {
    fn from(outcome: Outcome) -> JsonOutcome {
        let (result, reason) = match outcome {
            Outcome::Draw { reason } => ("1/2-1/2", reason),
            Outcome::Win { winner, reason } => match winner {
                Color::White => ("1-0", reason),
                Color::Black => ("0-1", reason),
            },
        };
        JsonOutcome {
            result,
            reason: word(reason),
        }
    }
}
