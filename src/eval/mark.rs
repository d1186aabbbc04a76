//! Marks of bad moves.
//! Invariant: a mark depends only on the loss of expected score.

use crate::notation::pgn::GLYPHS;

/// The severity of a bad move, by the loss of expected score.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MoveMark {
    /// `?!`: a loss of at least 0.1.
    Inaccuracy,
    /// `?`: a loss of at least 0.2.
    Mistake,
    /// `??`: a loss of at least 0.3.
    Blunder,
}

impl MoveMark {
    /// All marks, the mildest first.
    pub const ALL: [MoveMark; 3] = [MoveMark::Inaccuracy, MoveMark::Mistake, MoveMark::Blunder];

    /// The mark of a move that loses this much expected score; `None` below 0.1.
    pub fn from_loss(loss: f64) -> Option<MoveMark> {
        match loss {
            loss if loss >= 0.3 => Some(MoveMark::Blunder),
            loss if loss >= 0.2 => Some(MoveMark::Mistake),
            loss if loss >= 0.1 => Some(MoveMark::Inaccuracy),
            _ => None,
        }
    }

    /// The mark that is one grade worse.
    pub const fn worse(self) -> MoveMark {
        match self {
            MoveMark::Inaccuracy => MoveMark::Mistake,
            MoveMark::Mistake | MoveMark::Blunder => MoveMark::Blunder,
        }
    }

    /// The numeric annotation glyph (NAG) of PGN.
    pub const fn glyph_number(self) -> u8 {
        match self {
            MoveMark::Inaccuracy => 6,
            MoveMark::Mistake => 2,
            MoveMark::Blunder => 4,
        }
    }

    /// The glyph: `?!`, `?` or `??`.
    pub const fn glyph(self) -> &'static str {
        GLYPHS[self.glyph_number() as usize - 1]
    }

    /// The name in words.
    pub const fn name(self) -> &'static str {
        match self {
            MoveMark::Inaccuracy => "Inaccuracy",
            MoveMark::Mistake => "Mistake",
            MoveMark::Blunder => "Blunder",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_grow_with_the_loss() {
        let glyph = |loss| MoveMark::from_loss(loss).map_or("", MoveMark::glyph);
        let losses = [-0.5, 0.0, 0.09, 0.1, 0.19, 0.2, 0.29, 0.3, 1.0];
        assert_eq!(
            losses.map(glyph),
            ["", "", "", "?!", "?!", "?", "?", "??", "??"]
        );
    }
}
