//! A proof as a game with variations, for programs in which one can click through it: the
//! longest resistance is the game, every other reply a variation.
//! Invariant: each position is continued once; where it comes up again a comment says so.

use std::collections::HashSet;
use std::io::{self, Write};

use super::Proof;
use crate::notation::{fen, san};
use crate::rules::{Color, Move, Position, Variant};

/// Writes a proof.
///
/// # Errors
/// When `out` does not take it.
pub fn write(proof: &Proof, out: &mut dyn Write) -> io::Result<()> {
    let result = match proof.attacker {
        Color::White => "1-0",
        Color::Black => "0-1",
    };
    let variant = match proof.root.variant() {
        Variant::Atomic => "Atomic",
        Variant::NoCheckAtomic => "NoCheckAtomic",
    };
    let root = fen::write(&proof.root, fen::CastlingStyle::default());
    let unknown = ["Event", "Site", "Date", "Round", "White", "Black"];
    for (tag, value) in unknown.map(|tag| (tag, "?")) {
        let value = match tag {
            "Event" => "Forced win, proved by Brisance",
            "Date" => "????.??.??",
            _ => value,
        };
        writeln!(out, "[{tag} \"{value}\"]")?;
    }
    writeln!(out, "[Result \"{result}\"]\n[Variant \"{variant}\"]")?;
    writeln!(out, "[SetUp \"1\"]\n[FEN \"{root}\"]\n")?;
    let mut writer = Writer {
        proof,
        out,
        written: HashSet::new(),
        column: 0,
        numbered: false,
    };
    writer.continue_from(&mut proof.root.without_history())?;
    writer.word(result)?;
    writeln!(out)
}

struct Writer<'a> {
    proof: &'a Proof,
    out: &'a mut dyn Write,
    written: HashSet<u64>,
    column: usize,
    /// The last move written makes the number of the next one plain.
    numbered: bool,
}

impl Writer<'_> {
    fn continue_from(&mut self, pos: &mut Position) -> io::Result<()> {
        if pos.outcome_by_rule().is_some() {
            return Ok(());
        }
        if !self.written.insert(pos.key()) {
            self.numbered = false;
            return self.word("{continued where this position came up before}");
        }
        if pos.side() == self.proof.attacker {
            let Some(mv) = self.proof.reply(pos) else {
                return Ok(());
            };
            self.mv(pos, mv)?;
            return self.follow(pos, mv);
        }
        let replies = self.replies(pos);
        let Some((&longest, others)) = replies.split_first() else {
            return Ok(());
        };
        self.mv(pos, longest)?;
        for &mv in others {
            self.numbered = false;
            self.word("(")?;
            self.mv(pos, mv)?;
            self.follow(pos, mv)?;
            self.word(")")?;
            self.numbered = false;
        }
        self.follow(pos, longest)
    }

    fn follow(&mut self, pos: &mut Position, mv: Move) -> io::Result<()> {
        pos.make(mv);
        let result = self.continue_from(pos);
        pos.unmake();
        result
    }

    /// The defender's moves, longest resistance first.
    fn replies(&self, pos: &mut Position) -> Vec<Move> {
        let mut replies: Vec<Move> = pos.legal_moves().to_vec();
        replies.sort_by_cached_key(|&mv| {
            pos.make(mv);
            let plies = self.proof.plies(pos);
            pos.unmake();
            std::cmp::Reverse(plies)
        });
        replies
    }

    fn mv(&mut self, pos: &Position, mv: Move) -> io::Result<()> {
        match pos.side() {
            Color::White => self.word(&format!("{}.", pos.fullmove()))?,
            Color::Black if !self.numbered => self.word(&format!("{}...", pos.fullmove()))?,
            Color::Black => {}
        }
        self.numbered = true;
        self.word(&san::write(pos, mv))
    }

    fn word(&mut self, word: &str) -> io::Result<()> {
        const WIDTH: usize = 80;
        let length = word.chars().count();
        if self.column + 1 + length > WIDTH {
            writeln!(self.out)?;
            self.column = 0;
        } else if self.column > 0 {
            write!(self.out, " ")?;
            self.column += 1;
        }
        self.column += length;
        write!(self.out, "{word}")
    }
}
