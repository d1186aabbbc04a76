//! Games in PGN: tags, moves with comments, marks and variations.
//! Invariant: every move of a [`Game`] is legal where it stands.

mod build;
mod read;
mod text;
mod write;

use std::fmt;

use crate::rules::{Color, Move, Position, Variant};

pub use read::{GameError, Games, Numbered, ReadError};
pub use text::decode;
pub use write::{tag_line, wrap};

/// How a game ended, as its last word says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// `1-0` or `0-1`.
    Won(Color),
    /// `1/2-1/2`.
    Drawn,
    /// `*`: not ended, or not known how.
    Open,
}

impl Ending {
    /// The word.
    pub const fn text(self) -> &'static str {
        match self {
            Ending::Won(Color::White) => "1-0",
            Ending::Won(Color::Black) => "0-1",
            Ending::Drawn => "1/2-1/2",
            Ending::Open => "*",
        }
    }

    /// The ending that a word names.
    pub fn from_text(text: &str) -> Option<Ending> {
        let all = [
            Ending::Won(Color::White),
            Ending::Won(Color::Black),
            Ending::Drawn,
            Ending::Open,
        ];
        all.into_iter().find(|ending| ending.text() == text)
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// A game.
#[derive(Clone, Debug)]
pub struct Game {
    /// Names and values in their order.
    pub tags: Vec<(String, String)>,
    /// Where it began.
    pub start: Position,
    /// The moves that were played.
    pub main: Line,
    /// How it ended.
    pub ending: Ending,
}

/// Moves, each legal after the one before.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// Comments before the first move.
    pub intro: Vec<String>,
    /// The moves.
    pub moves: Vec<Played>,
}

/// A move and what is said of it.
#[derive(Clone, Debug)]
pub struct Played {
    /// The move.
    pub mv: Move,
    /// Numeric annotation glyphs: 1 to 6 are `!`, `?`, `!!`, `??`, `!?` and `?!`.
    pub marks: Vec<u8>,
    /// Comments behind it.
    pub comments: Vec<String>,
    /// What could have been played instead.
    pub variations: Vec<Line>,
}

impl Played {
    /// A move of which nothing is said.
    pub fn new(mv: Move) -> Played {
        Played {
            mv,
            marks: Vec::new(),
            comments: Vec::new(),
            variations: Vec::new(),
        }
    }
}

impl Game {
    /// The value of a tag, the first if there are several.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let mut tags = self.tags.iter();
        let (_, value) = tags.find(|(other, _)| other == name)?;
        Some(value)
    }

    /// Sets a tag, in the place of the old one or at the end.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        match self.tags.iter_mut().find(|(other, _)| other == name) {
            Some((_, old)) => *old = value.into(),
            None => self.tags.push((name.to_owned(), value.into())),
        }
    }

    /// The position after the last move, with the whole game behind it.
    pub fn end(&self) -> Position {
        let mut pos = self.start.clone();
        for played in &self.main.moves {
            pos.make(played.mv);
        }
        pos
    }
}

/// The name of a variant in the tag `Variant`.
pub const fn variant_tag(variant: Variant) -> &'static str {
    match variant {
        Variant::Atomic => "Atomic",
        Variant::NoCheckAtomic => "NoCheckAtomic",
    }
}

/// The variant that a tag names, in any of the spellings that sites and programs use.
pub fn variant_of_tag(text: &str) -> Option<Variant> {
    let letters = text.chars().filter(char::is_ascii_alphanumeric);
    let name = letters.collect::<String>().to_ascii_lowercase();
    match name.trim_end_matches("960").trim_end_matches("chess") {
        "atomic" => Some(Variant::Atomic),
        "nocheckatomic" => Some(Variant::NoCheckAtomic),
        _ => None,
    }
}

/// How annotation glyphs 1 to 6 are written behind a move.
pub const GLYPHS: [&str; 6] = ["!", "?", "!!", "??", "!?", "?!"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variants() {
        for variant in Variant::ALL {
            assert_eq!(variant_of_tag(variant_tag(variant)), Some(variant));
        }
        for name in [
            "atomic",
            "ATOMIC",
            "Atomic960",
            "Atomic 960",
            "Atomic Chess",
        ] {
            assert_eq!(variant_of_tag(name), Some(Variant::Atomic), "{name}");
        }
        for name in ["", "Standard", "Chess960", "From Position", "Antichess"] {
            assert_eq!(variant_of_tag(name), None, "{name}");
        }
    }
}
