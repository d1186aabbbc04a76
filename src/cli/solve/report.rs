//! What `brisance solve` prints: text for eyes, one JSON object a line for programs.
//! Field names are a contract with the programs that read them: add, never rename.

use std::io::{self, Write};

use serde::Serialize;

use crate::cli::args::Spelling;
use crate::notation::san;
use crate::proof::{Answer, Progress, Reason, Verdict, Verified};
use crate::rules::{Color, Move, Position};

/// Who reads the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// Someone.
    Plain,
    /// A program.
    Json,
}

/// What is to be proved of which position.
pub(super) struct Subject<'a> {
    pub(super) pos: &'a Position,
    pub(super) spelling: Spelling,
    pub(super) attacker: Color,
    pub(super) within: Option<u16>,
    pub(super) form: Form,
}

/// How far a search is, in a line.
pub(super) fn progress(progress: &Progress) -> String {
    format!(
        "{} positions, {:.0} s, table {:.1} % full, leaves to win {}, to deny {}",
        progress.nodes,
        progress.time.as_secs_f64(),
        f64::from(progress.hashfull) / 10.0,
        progress.proof,
        progress.disproof
    )
}

impl Subject<'_> {
    /// The position in words.
    pub(super) fn begin(&self) -> io::Result<()> {
        if self.form == Form::Json {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        writeln!(out, "position  {}", self.spelling.fen(self.pos))?;
        writeln!(
            out,
            "rules     {}, {} to move",
            self.pos.variant(),
            self.pos.side()
        )
    }

    /// The answer of a search.
    pub(super) fn answer(&self, answer: &Answer, interrupted: bool) -> io::Result<()> {
        if self.form == Form::Json {
            return self.print(&self.solution(None, answer, interrupted));
        }
        let mut out = io::stdout().lock();
        writeln!(out, "\n{}", self.sentence(answer, interrupted))?;
        if let Verdict::Proved(proved) = &answer.verdict {
            self.write_proof(&mut out, &proved.1)?;
        }
        writeln!(
            out,
            "effort    {} positions in {:.2} s, table {:.1} % full",
            answer.nodes,
            answer.time.as_secs_f64(),
            f64::from(answer.hashfull) / 10.0
        )
    }

    /// The answer for one first move.
    pub(super) fn first_move(&self, mv: Move, answer: &Answer) -> io::Result<()> {
        if self.form == Form::Json {
            return self.print(&self.solution(Some(mv), answer, false));
        }
        let text = san::write(self.pos, mv);
        let mut out = io::stdout().lock();
        match &answer.verdict {
            Verdict::Proved(proved) => {
                let proof = self.proof(Some(mv), &proved.1);
                let (count, line) = (moves(proof.moves), proof.line_san.join(" "));
                writeln!(out, "{text:<9} PROVED, {count}: {line}")
            }
            Verdict::Disproved => writeln!(out, "{text:<9} DISPROVED"),
            Verdict::Unknown(_) => writeln!(out, "{text:<9} UNKNOWN"),
        }
    }

    /// How many first moves had which answer.
    pub(super) fn end_of_moves(&self, counts: [u32; 3], interrupted: bool) -> io::Result<()> {
        if self.form == Form::Json {
            return Ok(());
        }
        let [proved, disproved, unknown] = counts;
        let end = if interrupted {
            "; stopped before the end"
        } else {
            ""
        };
        writeln!(
            io::stdout(),
            "\n{}: first moves proved {proved}, disproved {disproved}, unknown {unknown}{end}",
            self.attacker
        )
    }

    /// A file's proof holds.
    pub(super) fn checked(&self, verified: &Verified) -> io::Result<()> {
        if self.form == Form::Json {
            return self.print(&Solution {
                proof: Some(self.proof(None, verified)),
                ..self.blank("proved")
            });
        }
        self.begin()?;
        let mut out = io::stdout().lock();
        writeln!(out, "\nthe proof holds: {}", self.claim(verified))?;
        self.write_proof(&mut out, verified)
    }

    fn write_proof(&self, out: &mut dyn Write, verified: &Verified) -> io::Result<()> {
        let line = san::write_line(self.pos, &verified.line);
        writeln!(out, "line      {}", line.join(" "))?;
        writeln!(
            out,
            "proof     {} positions with {} to move, {} replies replayed",
            verified.positions, self.attacker, verified.replies
        )
    }

    fn sentence(&self, answer: &Answer, interrupted: bool) -> String {
        let within = match self.within {
            Some(most) => format!(" within {}", moves(usize::from(most))),
            None => String::new(),
        };
        match &answer.verdict {
            Verdict::Proved(proved) => format!("PROVED: {}", self.claim(&proved.1)),
            Verdict::Disproved => format!("DISPROVED: {} has no forced win{within}", self.attacker),
            Verdict::Unknown(reason) => {
                let why = unknown(reason, interrupted);
                format!(
                    "UNKNOWN: {} may have a forced win{within} or not; {why}",
                    self.attacker
                )
            }
        }
    }

    fn claim(&self, verified: &Verified) -> String {
        format!(
            "{} wins within {}",
            self.attacker,
            moves(verified.plies.div_ceil(2))
        )
    }

    /// The proof in figures; where it begins after a first move, that move counted in.
    fn proof(&self, first: Option<Move>, verified: &Verified) -> JsonProof {
        let line: Vec<Move> = first
            .into_iter()
            .chain(verified.line.iter().copied())
            .collect();
        let plies = verified.plies + usize::from(first.is_some());
        JsonProof {
            moves: plies.div_ceil(2),
            plies,
            line: line.iter().map(|&mv| self.spelling.uci(mv)).collect(),
            line_san: san::write_line(self.pos, &line),
            positions: verified.positions,
            replies: verified.replies,
        }
    }

    fn blank(&self, verdict: &'static str) -> Solution {
        Solution {
            kind: "solution",
            fen: self.spelling.fen(self.pos),
            variant: self.pos.variant().name(),
            chess960: self.spelling.chess960,
            attacker: self.attacker.to_string().to_lowercase(),
            within: self.within,
            first_move: None,
            verdict,
            reason: None,
            proof: None,
            effort: None,
        }
    }

    fn solution(&self, mv: Option<Move>, answer: &Answer, interrupted: bool) -> Solution {
        let (verdict, reason, proof) = match &answer.verdict {
            Verdict::Proved(proved) => ("proved", None, Some(self.proof(mv, &proved.1))),
            Verdict::Disproved => ("disproved", None, None),
            Verdict::Unknown(reason) => ("unknown", Some(unknown(reason, interrupted)), None),
        };
        Solution {
            first_move: mv.map(|mv| JsonMove {
                uci: self.spelling.uci(mv),
                san: san::write(self.pos, mv),
            }),
            reason,
            proof,
            effort: Some(Effort {
                nodes: answer.nodes,
                time_ms: u64::try_from(answer.time.as_millis()).unwrap_or(u64::MAX),
                hashfull: answer.hashfull,
            }),
            ..self.blank(verdict)
        }
    }

    fn print(&self, solution: &Solution) -> io::Result<()> {
        let text = serde_json::to_string(solution)?;
        writeln!(io::stdout().lock(), "{text}")
    }
}

fn moves(count: usize) -> String {
    match count {
        1 => "1 move".to_owned(),
        _ => format!("{count} moves"),
    }
}

fn unknown(reason: &Reason, interrupted: bool) -> String {
    match reason {
        Reason::Limit if interrupted => "the search was stopped".to_owned(),
        Reason::Limit => "the search came to its limit".to_owned(),
        Reason::TooLong => "some lines were too long to be searched to their end".to_owned(),
        Reason::Refused(fault) => {
            format!("a proof was found that does not hold, please report it: {fault}")
        }
    }
}

#[derive(Serialize)]
struct Solution {
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
    effort: Option<Effort>,
}

#[derive(Serialize)]
struct JsonMove {
    uci: String,
    san: String,
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
struct Effort {
    nodes: u64,
    time_ms: u64,
    hashfull: u32,
}
