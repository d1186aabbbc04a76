//! The output of `brisance solve`: text, or one JSON object per line.
//! Invariant: JSON field names are a public contract; they may be added but not renamed.

use std::io::{self, Write};

use serde::Serialize;

use crate::cli::args::NotationStyle;
use crate::cli::view::json::JsonMove;
use crate::cli::wrap;
use crate::notation::san;
use crate::proof::{ProofVerdict, SolverProgress, SolverResult, UnknownReason, VerifiedProof};
use crate::rules::{Color, Move, Outcome, Position};
use crate::util::count;

/// The output format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportFormat {
    /// Text.
    Plain,
    /// JSON.
    Json,
}

/// Prints the results for one position and attacker.
pub struct SolveReport<'a> {
    pub(super) pos: &'a Position,
    pub(super) notation: NotationStyle,
    pub(super) attacker: Color,
    pub(super) within: Option<u16>,
    pub(super) format: ReportFormat,
}

/// The progress of the solver in one line.
pub fn progress(progress: &SolverProgress) -> String {
    format!(
        "{}, {:.0} s, table {:.1} % full, proof number {}, disproof number {}",
        count(progress.nodes, "position"),
        progress.time.as_secs_f64(),
        f64::from(progress.hashfull) / 10.0,
        progress.proof_number,
        progress.disproof_number
    )
}

/// Writes a line, broken between words on a narrow terminal.
fn write_text(out: &mut dyn Write, text: &str) -> io::Result<()> {
    writeln!(out, "{}", wrap::fill_text(text, wrap::stdout_width()))
}

impl SolveReport<'_> {
    /// Prints the position.
    pub fn begin(&self) -> io::Result<()> {
        if self.format == ReportFormat::Json {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        writeln!(out, "position  {}", self.notation.fen(self.pos))?;
        writeln!(
            out,
            "rules     {}, {} to move",
            self.pos.variant(),
            self.pos.side_to_move()
        )
    }

    /// Prints the outcome of a finished game; `won` tells whether the attacker has won it.
    pub fn game_over(&self, outcome: Outcome, won: bool) -> io::Result<()> {
        if self.format == ReportFormat::Json {
            let verdict = if won { "proved" } else { "disproved" };
            return self.print(&JsonSolution {
                reason: Some(format!("the game is over: {outcome}")),
                ..self.blank(verdict)
            });
        }
        self.begin()?;
        writeln!(io::stdout(), "game over: {outcome}")
    }

    /// Prints the result of a search.
    pub fn result(&self, result: &SolverResult, interrupted: bool) -> io::Result<()> {
        if self.format == ReportFormat::Json {
            return self.print(&self.solution(None, result, interrupted));
        }
        let mut out = io::stdout().lock();
        let sentence = self.sentence(result, interrupted);
        writeln!(out)?;
        write_text(&mut out, &sentence)?;
        if let ProofVerdict::Proved(proved) = &result.verdict {
            self.write_proof(&mut out, &proved.1)?;
        }
        let effort = format!(
            "effort    {} in {:.2} s, table {:.1} % full",
            count(result.nodes, "position"),
            result.time.as_secs_f64(),
            f64::from(result.hashfull) / 10.0
        );
        write_text(&mut out, &effort)
    }

    /// Prints the result of one root move.
    pub fn first_move(&self, mv: Move, result: &SolverResult) -> io::Result<()> {
        if self.format == ReportFormat::Json {
            return self.print(&self.solution(Some(mv), result, false));
        }
        let text = san::write(self.pos, mv);
        let mut out = io::stdout().lock();
        match &result.verdict {
            ProofVerdict::Proved(proved) => {
                let proof = self.proof(Some(mv), &proved.1);
                let (length, line) = (count(proof.moves, "move"), proof.line_san.join(" "));
                write_text(&mut out, &format!("{text:<9} PROVED, {length}: {line}"))
            }
            ProofVerdict::Disproved => writeln!(out, "{text:<9} DISPROVED"),
            ProofVerdict::Unknown(_) => writeln!(out, "{text:<9} UNKNOWN"),
        }
    }

    /// Prints the number of proved, disproved and unknown root moves.
    pub fn move_counts(&self, counts: [u32; 3], interrupted: bool) -> io::Result<()> {
        if self.format == ReportFormat::Json {
            return Ok(());
        }
        let [proved, disproved, unknown] = counts;
        let end = if interrupted { "; interrupted" } else { "" };
        writeln!(
            io::stdout(),
            "\n{}: root moves proved {proved}, disproved {disproved}, unknown {unknown}{end}",
            self.attacker
        )
    }

    /// Prints a proof from a file that has been verified.
    pub fn verified_proof(&self, verified: &VerifiedProof) -> io::Result<()> {
        if self.format == ReportFormat::Json {
            return self.print(&JsonSolution {
                proof: Some(self.proof(None, verified)),
                ..self.blank("proved")
            });
        }
        self.begin()?;
        let mut out = io::stdout().lock();
        writeln!(out, "\nthe proof is valid: {}", self.claim(verified))?;
        self.write_proof(&mut out, verified)
    }

    fn write_proof(&self, out: &mut dyn Write, verified: &VerifiedProof) -> io::Result<()> {
        let line = san::write_line(self.pos, &verified.line);
        write_text(out, &format!("line      {}", line.join(" ")))?;
        let proof = format!(
            "proof     {} with {} to move, {} replayed",
            count(verified.positions, "position"),
            self.attacker,
            count(verified.replies, "reply")
        );
        write_text(out, &proof)
    }

    fn sentence(&self, result: &SolverResult, interrupted: bool) -> String {
        let within = match self.within {
            Some(max_moves) => format!(" within {}", count(max_moves, "move")),
            None => String::new(),
        };
        match &result.verdict {
            ProofVerdict::Proved(proved) => format!("PROVED: {}", self.claim(&proved.1)),
            ProofVerdict::Disproved => {
                format!("DISPROVED: {} has no forced win{within}", self.attacker)
            }
            ProofVerdict::Unknown(reason) => {
                let reason_text = unknown(reason, interrupted);
                format!(
                    "UNKNOWN: {} may have a forced win{within} or not; {reason_text}",
                    self.attacker
                )
            }
        }
    }

    fn claim(&self, verified: &VerifiedProof) -> String {
        format!(
            "{} wins within {}",
            self.attacker,
            count(verified.plies.div_ceil(2), "move")
        )
    }

    /// The JSON format of a proof; `first` is the root move that precedes it, if any.
    fn proof(&self, first: Option<Move>, verified: &VerifiedProof) -> JsonProof {
        let line: Vec<Move> = first
            .into_iter()
            .chain(verified.line.iter().copied())
            .collect();
        let plies = verified.plies + usize::from(first.is_some());
        JsonProof {
            moves: plies.div_ceil(2),
            plies,
            line: line.iter().map(|&mv| self.notation.uci(mv)).collect(),
            line_san: san::write_line(self.pos, &line),
            positions: verified.positions,
            replies: verified.replies,
        }
    }

    fn blank(&self, verdict: &'static str) -> JsonSolution {
        JsonSolution {
            kind: "solution",
            fen: self.notation.fen(self.pos),
            variant: self.pos.variant().name(),
            chess960: self.notation.chess960,
            attacker: self.attacker.to_string().to_lowercase(),
            within: self.within,
            first_move: None,
            verdict,
            reason: None,
            proof: None,
            effort: None,
        }
    }

    fn solution(&self, mv: Option<Move>, result: &SolverResult, interrupted: bool) -> JsonSolution {
        let (verdict, reason, proof) = match &result.verdict {
            ProofVerdict::Proved(proved) => ("proved", None, Some(self.proof(mv, &proved.1))),
            ProofVerdict::Disproved => ("disproved", None, None),
            ProofVerdict::Unknown(reason) => ("unknown", Some(unknown(reason, interrupted)), None),
        };
        JsonSolution {
            first_move: mv.map(|mv| JsonMove {
                uci: self.notation.uci(mv),
                san: san::write(self.pos, mv),
            }),
            reason,
            proof,
            effort: Some(JsonEffort {
                nodes: result.nodes,
                time_ms: u64::try_from(result.time.as_millis()).unwrap_or(u64::MAX),
                hashfull: result.hashfull,
            }),
            ..self.blank(verdict)
        }
    }

    fn print(&self, solution: &JsonSolution) -> io::Result<()> {
        let text = serde_json::to_string(solution)?;
        writeln!(io::stdout().lock(), "{text}")
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

#[derive(Serialize)]
struct JsonSolution {
    #[serde(rename = "type")]
    kind: &'static str,
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
