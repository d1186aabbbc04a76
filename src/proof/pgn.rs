//! Writes a proof as a PGN game with variations, for programs that show such games: the longest
//! resistance is the main line, every other reply a variation.
//! Invariant: each position is continued once; where it occurs again, a comment says so.

use std::collections::HashSet;
use std::io::{self, Write};

use super::Proof;
use crate::notation::{fen, san};
use crate::rules::{Color, Move, Position, Variant};

/// Writes a proof.
///
/// # Errors
/// When writing to `out` fails.
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
    for (tag, value) in [
        ("Event", "Forced win, proved by Brisance"),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", "?"),
        ("White", "?"),
        ("Black", "?"),
        ("Result", result),
        ("Variant", variant),
        ("SetUp", "1"),
        ("FEN", &root),
    ] {
        writeln!(out, "[{tag} \"{value}\"]")?;
    }
    writeln!(out)?;
    let mut writer = ProofPgnWriter {
        proof,
        out,
        written: HashSet::new(),
        column: 0,
        number_is_implied: false,
    };
    writer.write_subtree(&mut proof.root.without_history())?;
    writer.write_token(result)?;
    writeln!(out)
}

struct ProofPgnWriter<'a> {
    proof: &'a Proof,
    out: &'a mut dyn Write,
    written: HashSet<u64>,
    column: usize,
    /// True when a Black move needs no move number, because it directly follows a White move.
    number_is_implied: bool,
}

impl ProofPgnWriter<'_> {
    fn write_subtree(&mut self, pos: &mut Position) -> io::Result<()> {
        if pos.outcome_by_rule().is_some() {
            return Ok(());
        }
        if !self.written.insert(pos.key()) {
            self.number_is_implied = false;
            return self.write_token("{continued where this position occurred before}");
        }
        if pos.side_to_move() == self.proof.attacker {
            let Some(mv) = self.proof.reply(pos) else {
                return Ok(());
            };
            self.write_move(pos, mv)?;
            return self.write_subtree_after(pos, mv);
        }
        let replies = self.replies(pos);
        let Some((&longest, others)) = replies.split_first() else {
            return Ok(());
        };
        self.write_move(pos, longest)?;
        for &mv in others {
            self.number_is_implied = false;
            self.write_token("(")?;
            self.write_move(pos, mv)?;
            self.write_subtree_after(pos, mv)?;
            self.write_token(")")?;
            self.number_is_implied = false;
        }
        self.write_subtree_after(pos, longest)
    }

    fn write_subtree_after(&mut self, pos: &mut Position, mv: Move) -> io::Result<()> {
        pos.make(mv);
        let result = self.write_subtree(pos);
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

    fn write_move(&mut self, pos: &Position, mv: Move) -> io::Result<()> {
        let number = pos.fullmove_number();
        match pos.side_to_move() {
            Color::White => self.write_token(&format!("{number}."))?,
            Color::Black if !self.number_is_implied => {
                self.write_token(&format!("{number}..."))?;
            }
            Color::Black => {}
        }
        self.number_is_implied = true;
        self.write_token(&san::write(pos, mv))
    }

    /// Writes a token and wraps the line at 80 columns.
    fn write_token(&mut self, token: &str) -> io::Result<()> {
        const WIDTH: usize = 80;
        let length = token.chars().count();
        if self.column + 1 + length > WIDTH {
            writeln!(self.out)?;
            self.column = 0;
        } else if self.column > 0 {
            write!(self.out, " ")?;
            self.column += 1;
        }
        self.column += length;
        write!(self.out, "{token}")
    }
}
