//! A proof as a PGN game with variations, for programs that show such games: the longest
//! resistance is the main line, every other reply a variation.
//! Invariant: each position is continued once; where it occurs again, a comment says so.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::Proof;
use crate::notation::fen;
use crate::notation::pgn::{PgnGame, PgnLine, PgnMove, variant_tag};
use crate::rules::{GameResult, Move, Position};

/// The game of a proof.
pub fn game(proof: &Proof) -> PgnGame {
    let result = GameResult::Win(proof.attacker);
    let root = fen::write(&proof.root, fen::CastlingStyle::default());
    let tags = [
        ("Event", "Forced win, proved by Brisance"),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", "?"),
        ("White", "?"),
        ("Black", "?"),
        ("Result", result.as_str()),
        ("Variant", variant_tag(proof.root.variant())),
        ("SetUp", "1"),
        ("FEN", &root),
    ];
    let mut writer =
        ProofLineWriter { proof, pos: proof.root.without_history(), written: HashSet::new() };
    let mut main_line = PgnLine::default();
    writer.continue_line(&mut main_line);
    PgnGame {
        tags: tags.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        start: proof.root.clone(),
        main_line,
        result: Some(result),
    }
}

struct ProofLineWriter<'a> {
    proof: &'a Proof,
    pos: Position,
    written: HashSet<u64>,
}

impl ProofLineWriter<'_> {
    /// Appends what follows in the current position, the longest resistance first.
    fn continue_line(&mut self, line: &mut PgnLine) {
        if self.pos.outcome_by_rule().is_some() {
            return;
        }
        if !self.written.insert(self.pos.key()) {
            let last = line.moves.last_mut();
            let comments = last.map_or(&mut line.comments, |last| &mut last.comments);
            comments.push("continued where this position occurred before".to_owned());
            return;
        }
        let mut moves = self.proof.moves(&self.pos);
        moves.sort_by_cached_key(|&mv| {
            self.pos.make(mv);
            let plies = self.proof.plies(&self.pos);
            self.pos.unmake();
            Reverse(plies)
        });
        let Some((&first, others)) = moves.split_first() else {
            return;
        };
        let mut played = PgnMove::new(first);
        for &mv in others {
            let mut variation = PgnLine::default();
            variation.moves.push(PgnMove::new(mv));
            self.continue_after(mv, &mut variation);
            played.variations.push(variation);
        }
        line.moves.push(played);
        self.continue_after(first, line);
    }

    fn continue_after(&mut self, mv: Move, line: &mut PgnLine) {
        self.pos.make(mv);
        self.continue_line(line);
        self.pos.unmake();
    }
}
