//! Moves judged by what they cost: the loss of winning chances, in shares of a point.
//! Invariant: the move that the search would have played, and an only move, cost nothing.

use crate::engine::batch::Analysis;
use crate::eval::wdl::DisplayScore;
use crate::notation::pgn::PgnGame;
use crate::rules::{Color, Outcome, Position};

/// How bad a move was.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mark {
    /// `?!`, from a tenth of a point.
    Inaccuracy,
    /// `?`, from a fifth.
    Mistake,
    /// `??`, from three tenths.
    Blunder,
}

impl Mark {
    /// All, the mildest first.
    pub const ALL: [Mark; 3] = [Mark::Inaccuracy, Mark::Mistake, Mark::Blunder];

    /// The mark for a move that lost so much of a point.
    pub fn of_loss(loss: f64) -> Option<Mark> {
        match loss {
            loss if loss >= 0.3 => Some(Mark::Blunder),
            loss if loss >= 0.2 => Some(Mark::Mistake),
            loss if loss >= 0.1 => Some(Mark::Inaccuracy),
            _ => None,
        }
    }

    /// Its number among PGN's annotation glyphs.
    pub const fn glyph_number(self) -> u8 {
        match self {
            Mark::Inaccuracy => 6,
            Mark::Mistake => 2,
            Mark::Blunder => 4,
        }
    }

    /// Its glyph.
    pub const fn glyph(self) -> &'static str {
        crate::notation::pgn::GLYPHS[self.glyph_number() as usize - 1]
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Mark::Inaccuracy => "Inaccuracy",
            Mark::Mistake => "Mistake",
            Mark::Blunder => "Blunder",
        }
    }
}

/// A game and what was found in it.
#[derive(Clone, Debug)]
pub struct Review {
    /// Its number in the file.
    pub number: usize,
    /// The game as it was read.
    pub game: PgnGame,
    /// What was found before the first move, after the first, and so on to the end.
    pub found: Vec<Analysis>,
}

/// A move of the game and what is thought of it.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// What the mover could expect before it.
    pub before: f64,
    /// What the mover can expect after it.
    pub after: f64,
    /// How bad it was.
    pub mark: Option<Mark>,
}

impl Review {
    /// Every position of the game, one more than moves.
    pub fn positions(&self) -> Vec<Position> {
        let mut pos = self.game.start.clone();
        let mut all = vec![pos.clone()];
        for played in &self.game.main_line.moves {
            pos.make(played.mv);
            all.push(pos.clone());
        }
        all
    }

    /// The judgement of every move.
    pub fn judged(&self) -> Vec<Judged> {
        let mut pos = self.game.start.clone();
        let moves = self.game.main_line.moves.iter().zip(self.found.windows(2));
        let judged = moves.map(|(played, found)| {
            // Both by the men there were before: what an exchange changes is no fault.
            let scale = found[0].wdl_model;
            let before = scale.expected_score(found[0].value);
            let after = scale.expected_score(-found[1].value);
            let could_choose = pos.legal_moves().len() > 1;
            let differs = found[0].line.first() != Some(&played.mv);
            pos.make(played.mv);
            Judged {
                before,
                after,
                mark: Mark::of_loss(before - after).filter(|_| could_choose && differs),
            }
        });
        judged.collect()
    }
}

/// A score from White's view; `None` in a position where a side has won.
pub(super) fn for_white(pos: &Position, found: &Analysis) -> Option<DisplayScore> {
    if matches!(pos.outcome_by_rule(), Some(Outcome::Win { .. })) {
        return None;
    }
    // Turned only now: a distance to mate in moves is rounded towards the side to move.
    Some(match (found.display_score(), pos.side_to_move()) {
        (shown, Color::White) => shown,
        (DisplayScore::Centipawns(cp), Color::Black) => DisplayScore::Centipawns(-cp),
        (DisplayScore::Mate(moves), Color::Black) => DisplayScore::Mate(-moves),
    })
}

/// What White can expect in a position, in points.
pub(super) fn white_chances(pos: &Position, found: &Analysis) -> f64 {
    match pos.side_to_move() {
        Color::White => found.expected_score(),
        Color::Black => 1.0 - found.expected_score(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::eval::score::{self, Value};
    use crate::eval::wdl::WdlModel;
    use crate::rules::Variant;

    fn found(pos: &Position, value: Value) -> Analysis {
        Analysis {
            value,
            wdl_model: WdlModel::for_position(pos),
            line: Vec::new(),
            ranked: Vec::new(),
            depth: 1,
            nodes: 1,
            time: Duration::ZERO,
        }
    }

    #[test]
    fn chances_are_fair() {
        let mut pos = Position::startpos(Variant::Atomic);
        let start = pos.clone();
        pos.make_null();
        assert_eq!(white_chances(&pos, &found(&pos, 0)), 0.5);
        for value in [-32_000, -700, -35, 35, 700, 32_000] {
            let both = [(&start, value), (&pos, -value)];
            let [ours, theirs] = both.map(|(pos, value)| white_chances(pos, &found(pos, value)));
            assert!((ours - theirs).abs() < 1e-9, "{value}");
            assert_eq!(ours > 0.5, value > 0);
        }
    }

    #[test]
    fn distances_to_mate_turn_with_the_board() {
        let mut pos = Position::startpos(Variant::Atomic);
        let told = |pos: &Position, value| for_white(pos, &found(pos, value));
        assert_eq!(told(&pos, score::mate_in(1)), Some(DisplayScore::Mate(1)));
        pos.make_null();
        assert_eq!(told(&pos, score::mate_in(1)), Some(DisplayScore::Mate(-1)));
        assert_eq!(told(&pos, score::mated_in(2)), Some(DisplayScore::Mate(1)));
        assert!(matches!(told(&pos, -35), Some(DisplayScore::Centipawns(1..))));
    }

    #[test]
    fn marks_grow_with_the_loss() {
        let glyph = |loss| Mark::of_loss(loss).map_or("", Mark::glyph);
        let losses = [-0.5, 0.0, 0.09, 0.1, 0.19, 0.2, 0.29, 0.3, 1.0];
        assert_eq!(
            losses.map(glyph),
            ["", "", "", "?!", "?!", "?", "?", "??", "??"]
        );
    }
}
