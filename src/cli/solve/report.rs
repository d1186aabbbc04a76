//! The output of `brisance solve`: text, or one JSON object per line.
//! Invariant: JSON field names are a public contract; they may be added but not renamed.

use std::io::{self, Write};
use std::sync::Arc;

use serde::Serialize;

use super::args::SolveArgs;
use crate::cli::{PositionStyle, ProgressReporter, print_json, wrap};
use crate::notation::san;
use crate::proof::{
    ProofVerdict, SolverListener, SolverProgress, SolverResult, UnknownReason, VerifiedProof,
};
use crate::review::json::{self, JsonMove};
use crate::rules::{Color, Move, Outcome, Position};
use crate::search::Control;
use crate::util::count;

pub struct SolveReport<'a> {
    pub style: PositionStyle<'a>,
    pub attacker: Color,
    pub within: Option<u16>,
    pub json: bool,
}

/// The verdicts on the moves of a position; after an interrupt some have none.
#[derive(Default)]
pub struct MoveCounts {
    pub all: u32,
    pub proved: u32,
    pub disproved: u32,
    pub unknown: u32,
}

/// Prints the progress of the solver, and stops it at Ctrl-C.
pub struct SolveProgress {
    pub stop: Arc<Control>,
    pub bar: ProgressReporter,
}

impl SolverListener for SolveProgress {
    fn is_stopped(&self) -> bool {
        self.stop.is_stopped()
    }

    fn progress(&self, progress: &SolverProgress) {
        let (nodes, table) = (count(progress.nodes, "position"), table(progress.hashfull));
        let (seconds, proof) = (progress.time.as_secs_f64(), progress.proof_number);
        let disproof = progress.disproof_number;
        self.bar.set_message(format!(
            "{nodes}, {seconds:.0} s, table {table}, proof number {proof}, disproof number {disproof}"
        ));
    }
}

fn table(hashfull: u32) -> String {
    format!("{:.1} % full", f64::from(hashfull) / 10.0)
}

/// Writes a line, broken between words on a narrow terminal.
fn write_text(out: &mut dyn Write, text: &str) -> io::Result<()> {
    writeln!(out, "{}", wrap::fill_text(text, wrap::stdout_width()))
}

impl SolveArgs {
    pub fn report<'a>(&self, pos: &'a Position, attacker: Color) -> SolveReport<'a> {
        SolveReport {
            style: self.position.style(pos),
            attacker,
            within: self.within,
            json: self.json,
        }
    }
}

impl SolveReport<'_> {
    pub fn begin(&self) -> io::Result<()> {
        if self.json {
            return Ok(());
        }
        let pos = self.style.pos;
        let (variant, side) = (pos.variant(), pos.side_to_move());
        let mut out = io::stdout().lock();
        writeln!(out, "position  {}", self.style.fen())?;
        writeln!(out, "rules     {variant}, {side} to move")
    }

    pub fn game_over(&self, outcome: Outcome) -> io::Result<()> {
        if self.json {
            return print_json(&self.finished(outcome));
        }
        self.begin()?;
        writeln!(io::stdout(), "game over: {outcome}")
    }

    pub fn finished(&self, outcome: Outcome) -> JsonSolution {
        let won = outcome.is_win_of(self.attacker);
        JsonSolution {
            reason: Some(format!("the game is over: {outcome}")),
            ..self.blank(if won { "proved" } else { "disproved" })
        }
    }

    pub fn result(&self, result: &SolverResult, interrupted: bool) -> io::Result<()> {
        let solution = self.solution(None, result, interrupted);
        if self.json {
            return print_json(&solution);
        }
        let mut out = io::stdout().lock();
        writeln!(out)?;
        write_text(&mut out, &self.sentence(&solution))?;
        if let Some(proof) = &solution.proof {
            self.write_proof(&mut out, proof)?;
        }
        let (nodes, seconds) = (count(result.nodes, "position"), result.time.as_secs_f64());
        let table = table(result.hashfull);
        let effort = format!("effort    {nodes} in {seconds:.2} s, table {table}");
        write_text(&mut out, &effort)
    }

    pub fn first_move(&self, mv: Move, result: &SolverResult) -> io::Result<()> {
        let solution = self.solution(Some(mv), result, false);
        if self.json {
            return print_json(&solution);
        }
        let name = san::write(self.style.pos, mv);
        let mut text = format!("{name:<9} {}", solution.verdict.to_uppercase());
        if let Some(proof) = &solution.proof {
            let line = proof.line_san.join(" ");
            text.push_str(&format!(", {}: {line}", count(proof.moves, "move")));
        }
        write_text(&mut io::stdout().lock(), &text)
    }

    /// Prints the number of proved, disproved and unknown root moves, or of replies.
    pub fn move_counts(&self, counts: &MoveCounts, interrupted: bool) -> io::Result<()> {
        if self.json {
            return Ok(());
        }
        let (attacker, all, proved) = (self.attacker, counts.all, counts.proved);
        let (disproved, unknown) = (counts.disproved, counts.unknown);
        let end = if interrupted { "; interrupted" } else { "" };
        let text = if self.style.pos.side_to_move() == attacker {
            format!("{attacker}: root moves proved {proved}, disproved {disproved}")
        } else {
            format!("{attacker} wins after {proved} of {all} replies, not after {disproved}")
        };
        writeln!(io::stdout(), "\n{text}, unknown {unknown}{end}")
    }

    pub fn verified_proof(&self, verified: &VerifiedProof) -> io::Result<()> {
        let proof = self.proof(None, verified);
        if self.json {
            return print_json(&JsonSolution { proof: Some(proof), ..self.blank("proved") });
        }
        self.begin()?;
        let mut out = io::stdout().lock();
        writeln!(out, "\nthe proof is valid: {}", self.claim(&proof))?;
        self.write_proof(&mut out, &proof)
    }

    fn write_proof(&self, out: &mut dyn Write, proof: &JsonProof) -> io::Result<()> {
        write_text(out, &format!("line      {}", proof.line_san.join(" ")))?;
        let (attacker, positions) = (self.attacker, count(proof.positions, "position"));
        let replies = count(proof.replies, "reply");
        let text = format!("proof     {positions} with {attacker} to move, {replies} replayed");
        write_text(out, &text)
    }

    fn sentence(&self, solution: &JsonSolution) -> String {
        let attacker = self.attacker;
        let within = self.within.map(|moves| count(moves, "move"));
        let within = within.map_or(String::new(), |moves| format!(" within {moves}"));
        match (&solution.proof, &solution.reason) {
            (Some(proof), _) => format!("PROVED: {}", self.claim(proof)),
            (None, None) => format!("DISPROVED: {attacker} has no forced win{within}"),
            (None, Some(reason)) => {
                format!("UNKNOWN: {attacker} may have a forced win{within} or not; {reason}")
            }
        }
    }

    fn claim(&self, proof: &JsonProof) -> String {
        let moves = count(proof.moves, "move");
        format!("{} wins within {moves}", self.attacker)
    }

    /// `first` is the root move that precedes the proof, if any.
    fn proof(&self, first: Option<Move>, verified: &VerifiedProof) -> JsonProof {
        let line = first.into_iter().chain(verified.line.iter().copied());
        let line: Vec<Move> = line.collect();
        let plies = verified.plies + usize::from(first.is_some());
        JsonProof {
            moves: plies.div_ceil(2),
            plies,
            line: self.style.uci(&line),
            line_san: self.style.san(&line),
            positions: verified.positions,
            replies: verified.replies,
        }
    }

    fn blank(&self, verdict: &'static str) -> JsonSolution {
        JsonSolution {
            fen: self.style.fen(),
            variant: self.style.pos.variant().name(),
            chess960: self.style.chess960,
            attacker: self.attacker.to_string().to_lowercase(),
            within: self.within,
            verdict,
            ..JsonSolution::default()
        }
    }

    /// `mv` is the root move that precedes the result, if any.
    pub fn solution(
        &self,
        mv: Option<Move>,
        result: &SolverResult,
        interrupted: bool,
    ) -> JsonSolution {
        let (verdict, reason, proof) = match &result.verdict {
            ProofVerdict::Proved(proved) => ("proved", None, Some(self.proof(mv, &proved.1))),
            ProofVerdict::Disproved => ("disproved", None, None),
            ProofVerdict::Unknown(reason) => ("unknown", Some(unknown(reason, interrupted)), None),
        };
        JsonSolution {
            first_move: mv.map(|mv| JsonMove::new(self.style, mv)),
            reason,
            proof,
            effort: Some(JsonEffort {
                nodes: result.nodes,
                time_ms: json::millis(result.time),
                hashfull: result.hashfull,
            }),
            ..self.blank(verdict)
        }
    }
}

fn unknown(reason: &UnknownReason, interrupted: bool) -> String {
    match reason {
        UnknownReason::Limit if interrupted => "the search was interrupted".to_owned(),
        UnknownReason::Limit => "the search reached its limit".to_owned(),
        UnknownReason::TooLong => "some lines were too long to be searched completely".to_owned(),
        UnknownReason::InvalidProof(error) => {
            format!("the proof found fails verification; please report this bug: {error}")
        }
    }
}

/// A result: the JSON object, which the text is made from as well.
#[derive(Default, Serialize)]
#[serde(tag = "type", rename = "solution")]
pub struct JsonSolution {
    fen: String,
    variant: &'static str,
    chess960: bool,
    attacker: String,
    within: Option<u16>,
    first_move: Option<JsonMove>,
    verdict: &'static str,
    reason: Option<String>,
    proof: Option<JsonProof>,
    effort: Option<JsonEffort>,
}

#[derive(Serialize)]
pub struct JsonListLine<'a> {
    pub line: usize,
    pub id: Option<&'a str>,
    #[serde(flatten)]
    pub solution: JsonSolution,
}

#[derive(Serialize)]
struct JsonProof {
    moves: usize,
    plies: usize,
    line: Vec<String>,
    line_san: Vec<String>,
    positions: usize,
    replies: usize,
}

#[derive(Serialize)]
struct JsonEffort {
    nodes: u64,
    time_ms: u64,
    hashfull: u32,
}
