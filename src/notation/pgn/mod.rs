//! Games in PGN: tags, moves, comments, annotation glyphs and variations.
//! Invariant: every move of a [`PgnGame`] is legal in its position.

mod error;
mod read;
mod tokens;
mod write;

use crate::rules::{GameResult, Move, Position, Variant};

pub use error::{PgnError, PgnErrorKind, PgnGameError};
pub use read::PgnReader;
pub use tokens::decode;
#[cfg(feature = "cli")]
pub(crate) use tokens::{TokenKind, Tokens};
pub use write::{tag_line, wrap};

/// A game with its tags, comments and variations.
///
/// # Examples
/// ```
/// use brisance::notation::pgn::{PgnGame, PgnLine, PgnMove};
/// use brisance::notation::san;
/// use brisance::rules::{GameResult, Position, Variant};
///
/// let start = Position::startpos(Variant::Atomic);
/// let mut game = PgnGame {
///     tags: Vec::new(),
///     start: start.clone(),
///     main_line: PgnLine::default(),
///     result: Some(GameResult::Draw),
/// };
/// game.set_tag("Variant", "Atomic");
/// let mut first = PgnMove::new(san::parse(&start, "Nf3").expect("a legal move"));
/// first.comments.push("usual".to_owned());
/// game.main_line.moves.push(first);
/// assert_eq!(game.to_pgn(), "[Variant \"Atomic\"]\n\n1. Nf3 { usual } 1/2-1/2\n\n");
/// ```
#[derive(Clone, Debug)]
pub struct PgnGame {
    /// Tag names and values in order.
    pub tags: Vec<(String, String)>,
    /// The start position.
    pub start: Position,
    /// The moves of the game.
    pub main_line: PgnLine,
    /// The result; `None` for `*`, an unfinished game or an unknown result.
    pub result: Option<GameResult>,
}

/// A game and its number in the file.
#[derive(Clone, Debug)]
pub struct NumberedGame {
    /// The number of the game, from 1; invalid games count too.
    pub number: usize,
    /// The game.
    pub game: PgnGame,
    /// What was ignored, one message each with its line.
    pub warnings: Vec<String>,
}

/// A sequence of moves with comments.
#[derive(Clone, Debug, Default)]
pub struct PgnLine {
    /// Comments before the first move.
    pub comments: Vec<String>,
    /// The moves.
    pub moves: Vec<PgnMove>,
}

/// A move with its annotations.
#[derive(Clone, Debug)]
pub struct PgnMove {
    /// The move.
    pub mv: Move,
    /// Numeric annotation glyphs (NAGs): 1 to 6 are `!`, `?`, `!!`, `??`, `!?` and `?!`.
    pub nags: Vec<u8>,
    /// Comments after the move.
    pub comments: Vec<String>,
    /// Alternatives to the move.
    pub variations: Vec<PgnLine>,
}

impl PgnMove {
    /// A move without annotations.
    pub fn new(mv: Move) -> PgnMove {
        PgnMove { mv, nags: Vec::new(), comments: Vec::new(), variations: Vec::new() }
    }
}

impl PgnGame {
    /// The value of the first tag with this name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let mut tags = self.tags.iter();
        let (_, value) = tags.find(|(other, _)| other == name)?;
        Some(value)
    }

    /// The result in PGN: `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub fn result_str(&self) -> &'static str {
        self.result.map_or("*", GameResult::as_str)
    }

    /// Replaces the value of a tag, or appends the tag.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        match self.tags.iter_mut().find(|(other, _)| other == name) {
            Some((_, old)) => *old = value.into(),
            None => self.tags.push((name.to_owned(), value.into())),
        }
    }

    /// The position after the last move, with the history of the game.
    pub fn end(&self) -> Position {
        let mut pos = self.start.clone();
        for played in &self.main_line.moves {
            pos.make(played.mv);
        }
        pos
    }
}

/// The value of the tag `Variant` for a variant.
pub const fn variant_tag(variant: Variant) -> &'static str {
    match variant {
        Variant::Atomic => "Atomic",
        Variant::NoCheckAtomic => "NoCheckAtomic",
    }
}

/// The variant for a value of the tag `Variant`, in any of the spellings that sites and programs
/// use.
pub fn variant_from_tag(text: &str) -> Option<Variant> {
    let letters = text.chars().filter(char::is_ascii_alphanumeric);
    let name = letters.collect::<String>().to_ascii_lowercase();
    match name.trim_end_matches("960").trim_end_matches("chess") {
        "atomic" => Some(Variant::Atomic),
        "nocheckatomic" => Some(Variant::NoCheckAtomic),
        _ => None,
    }
}

/// The suffixes of the numeric annotation glyphs 1 to 6.
pub const GLYPHS: [&str; 6] = ["!", "?", "!!", "??", "!?", "?!"];

/// Other spellings of numeric annotation glyphs; a spelling comes before its own end.
const SYMBOLS: [(&str, u8); 26] = [
    ("+/-", 16),
    ("-/+", 17),
    ("+/=", 14),
    ("=/+", 15),
    ("+-", 18),
    ("-+", 19),
    ("+=", 14),
    ("=+", 15),
    ("=", 10),
    ("±", 16),
    ("∓", 17),
    ("⩲", 14),
    ("⩱", 15),
    ("∞", 13),
    ("□", 7),
    ("⨀", 22),
    ("⟳", 32),
    ("↑", 36),
    ("→", 40),
    ("⇆", 132),
    ("‼", 3),
    ("⁇", 4),
    ("⁉", 5),
    ("⁈", 6),
    ("N", 146),
    ("D", 220),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variant_tags_are_recognised() {
        for variant in Variant::ALL {
            assert_eq!(variant_from_tag(variant_tag(variant)), Some(variant));
        }
        for name in "atomic,ATOMIC,Atomic960,Atomic 960,Atomic Chess".split(',') {
            assert_eq!(variant_from_tag(name), Some(Variant::Atomic), "{name}");
        }
        for name in ["", "Standard", "Chess960", "From Position", "Antichess"] {
            assert_eq!(variant_from_tag(name), None, "{name}");
        }
    }
}
