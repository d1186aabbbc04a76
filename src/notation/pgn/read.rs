//! PGN text to games, one after another from a stream.
//! Invariant: a game that cannot be read is one error, with the line it is in, and the games
//! behind it are read all the same.

use std::cell::RefCell;
use std::fmt;
use std::io::{self, Read};
use std::mem;
use std::rc::Rc;

use pgn_reader::{Reader, SanPlus};

use super::Game;
use super::build::{Bad, Builder, Found, Spot, names};
use super::text::{Readable, decode};
use crate::rules::Variant;

/// Tags longer than this are an error.
const LONGEST_TAG: usize = 1 << 16;

/// Why a game could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameError {
    /// Which game of the file, from 1.
    pub number: usize,
    /// White and Black, if the tags were read.
    pub names: Option<[String; 2]>,
    /// The line of the file, from 1.
    pub line: usize,
    /// The move at fault, as `12.` or `12...`.
    pub place: Option<String>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for GameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}", self.number)?;
        if let Some([white, black]) = &self.names {
            write!(f, " ({} - {})", plain(white), plain(black))?;
        }
        write!(f, ", line {}", self.line)?;
        if let Some(place) = &self.place {
            write!(f, ", move {place}")?;
        }
        write!(f, ": {}", self.what)
    }
}

/// A foreign text as a terminal can show it.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}

/// Why the next game is not there.
#[derive(Debug)]
pub enum ReadError {
    /// The stream failed; nothing comes after this.
    Stream(io::Error),
    /// This game is no good; others may follow.
    Game(GameError),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Stream(error) => write!(f, "{error}"),
            ReadError::Game(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ReadError {}

/// A game and where it stands in its file.
#[derive(Debug)]
pub struct Numbered {
    /// From 1, counting also what could not be read.
    pub number: usize,
    /// The game.
    pub game: Game,
    /// What had to be left out of it, a sentence each.
    pub remarks: Vec<String>,
}

/// The games of a stream.
pub struct Games<R> {
    reader: Reader<Tee<R>>,
    seen: Rc<RefCell<Vec<u8>>>,
    /// Lines before what is in `seen`.
    lines: usize,
    number: usize,
    variant: Option<Variant>,
    broken: bool,
}

/// Keeps what it has handed on.
struct Tee<R> {
    source: Readable<R>,
    seen: Rc<RefCell<Vec<u8>>>,
}

impl<R: Read> Read for Tee<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.seen.borrow_mut().extend_from_slice(&buffer[..count]);
        Ok(count)
    }
}

impl<R: Read> Games<R> {
    /// The games of `source`. All are read by the rules of `variant`; without one, by those
    /// that each game names, and a game that names none of ours is an error.
    pub fn new(source: R, variant: Option<Variant>) -> Games<R> {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let tee = Tee {
            source: Readable::new(source),
            seen: Rc::clone(&seen),
        };
        Games {
            reader: Reader::build(tee)
                .set_supported_tag_line_length(LONGEST_TAG)
                .finish(),
            seen,
            lines: 0,
            number: 0,
            variant,
            broken: false,
        }
    }

    /// Forgets the text up to where the reader stands.
    fn forget(&mut self) {
        let mut seen = self.seen.borrow_mut();
        let end = seen.len() - self.reader.buffer().len();
        self.lines += newlines(&seen[..end]);
        seen.drain(..end);
    }

    fn read(&mut self) -> Result<Option<Numbered>, ReadError> {
        loop {
            // Skips the rest of a game that was given up.
            let more = self.reader.has_more();
            self.forget();
            if !more.map_err(ReadError::Stream)? {
                return Ok(None);
            }
            let mut visitor = Builder {
                variant: self.variant,
            };
            let found = self.reader.read_game(&mut visitor);
            self.number += 1;
            let seen = self.seen.borrow();
            let text = &seen[..seen.len() - self.reader.buffer().len()];
            let found = match found {
                Ok(found) => found.unwrap_or(Found::Nothing),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => Found::Bad(Bad {
                    names: None,
                    spot: Spot::Stop,
                    what: error.to_string(),
                }),
                Err(error) => return Err(ReadError::Stream(error)),
            };
            match checked(found, text) {
                Found::Nothing => self.number -= 1,
                Found::Bad(bad) => return Err(ReadError::Game(self.located(bad, text))),
                Found::Good(game, remarks) => {
                    return Ok(Some(Numbered {
                        number: self.number,
                        game: *game,
                        remarks,
                    }));
                }
            }
        }
    }

    fn located(&self, bad: Bad, text: &[u8]) -> GameError {
        let before = match bad.spot {
            Spot::Whole => 0,
            Spot::At(at) => at,
            Spot::Move(_) | Spot::Stop => text.trim_ascii_end().len(),
        };
        GameError {
            number: self.number,
            names: bad.names,
            line: self.lines + newlines(&text[..before]) + 1,
            place: match bad.spot {
                Spot::Move(place) => Some(place),
                _ => None,
            },
            what: bad.what,
        }
    }
}

/// What a text came to, unless a word of its main line was passed over that should be a move.
/// In a variation such a word is only told of.
fn checked(mut found: Found, text: &[u8]) -> Found {
    let names = match &found {
        Found::Good(game, _) => Some(names(&game.tags)),
        Found::Bad(bad) if !matches!(bad.spot, Spot::Whole) => bad.names.clone(),
        _ => return found,
    };
    for stray in strays(text) {
        let what = format!("{:?} is not algebraic notation", stray.word);
        if !stray.in_variation {
            return Found::Bad(Bad {
                names,
                spot: Spot::At(stray.at),
                what,
            });
        }
        if let Found::Good(_, remarks) = &mut found {
            remarks.push(format!("in a variation {what}; it is left out"));
        }
    }
    found
}

impl<R: Read> Iterator for Games<R> {
    type Item = Result<Numbered, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.broken {
            return None;
        }
        let item = self.read().transpose();
        self.broken = matches!(item, Some(Err(ReadError::Stream(_))));
        item
    }
}

fn newlines(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte == b'\n').count()
}

/// A word that looks like a move but is not written as one.
struct Stray {
    at: usize,
    word: String,
    in_variation: bool,
}

/// The words that the library passes over in silence though they should be moves.
fn strays(text: &[u8]) -> Vec<Stray> {
    let mut found = Vec::new();
    let mut at = 0;
    let (mut depth, mut at_line_start) = (0usize, true);
    let after = |at: usize, end: u8| {
        let rest = text[at..].iter().position(|&byte| byte == end);
        rest.map_or(text.len(), |length| at + length + 1)
    };
    while at < text.len() {
        let byte = text[at];
        let line_start = mem::replace(&mut at_line_start, byte == b'\n');
        match byte {
            b'{' => at = after(at, b'}'),
            b';' => (at, at_line_start) = (after(at, b'\n'), true),
            b'[' | b'%' if line_start => (at, at_line_start) = (after(at, b'\n'), true),
            b'(' => (depth, at) = (depth + 1, at + 1),
            b')' => (depth, at) = (depth.saturating_sub(1), at + 1),
            _ if is_between_words(byte) => at += 1,
            _ => {
                let rest = text[at..].iter().position(|&byte| is_between_words(byte));
                let word = &text[at..rest.map_or(text.len(), |length| at + length)];
                let like_a_move =
                    word[0].is_ascii_alphabetic() && word.iter().any(u8::is_ascii_digit);
                if like_a_move && SanPlus::from_ascii(word).is_err() {
                    found.push(Stray {
                        at,
                        word: plain(&decode(word)),
                        in_variation: depth > 0,
                    });
                }
                at += word.len();
            }
        }
    }
    found
}

fn is_between_words(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"{}()!?$;.*".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::pgn::Ending;
    use crate::rules::Color;

    fn read(text: &str, variant: Option<Variant>) -> Vec<Result<Numbered, GameError>> {
        let games = Games::new(text.as_bytes(), variant);
        let items = games.map(|item| match item {
            Ok(numbered) => Ok(numbered),
            Err(ReadError::Game(error)) => Err(error),
            Err(ReadError::Stream(error)) => panic!("{error}"),
        });
        items.collect()
    }

    fn one(moves: &str) -> Result<Numbered, GameError> {
        let text = format!("[White \"A\"]\n[Black \"B\"]\n[Variant \"Atomic\"]\n\n{moves}\n");
        let mut games = read(&text, None);
        assert_eq!(games.len(), 1, "{moves}");
        games.remove(0)
    }

    #[test]
    fn everything_in_a_game_is_kept() {
        let text = "{ before } 1. e4! $10 { [%clk 0:01:00] } (1. d4 { x } d5 (1... e5) 2. c4) \
            ; a remark\n (1. Nf3) 1... e5?! 2. Nf3 1-0";
        let game = one(text).expect("a game").game;
        assert_eq!(game.main.intro, ["before"]);
        assert_eq!(game.main.moves.len(), 3);
        let first = &game.main.moves[0];
        assert_eq!(first.marks, [1, 10]);
        assert_eq!(first.comments, ["[%clk 0:01:00]", "a remark"]);
        let lengths: Vec<usize> = first.variations.iter().map(|v| v.moves.len()).collect();
        assert_eq!(lengths, [3, 1]);
        assert_eq!(first.variations[0].moves[1].variations.len(), 1);
        assert_eq!(game.ending, Ending::Won(Color::White));
        let again = one(game.to_pgn().split("\n\n").nth(1).expect("moves"));
        assert_eq!(again.expect("a game").game.to_pgn(), game.to_pgn());
    }

    #[test]
    fn errors_name_game_line_and_move() {
        let good = "[Variant \"atomic\"]\n\n1. Nf3 d5 *\n\n";
        let text = format!(
            "{good}[White \"A\"]\n[Black \"B\"]\n[Variant \"Atomic\"]\n\n1. e4 {{ a\ncomment }} e5\n\
             2. Nf3 Qh3 3. Nc3 *\n\n{good}"
        );
        let games = read(&text, None);
        assert_eq!(games.len(), 3);
        let error = games[1].as_ref().expect_err("Qh3 is illegal");
        let told = error.to_string();
        assert_eq!(
            told,
            "game 2 (A - B), line 11, move 2...: \"Qh3\" is not a legal move here"
        );
        assert_eq!(games[2].as_ref().expect("a game").number, 3);
    }

    #[test]
    fn a_word_that_should_be_a_move_is_an_error() {
        for (moves, word, line) in [
            ("1. e4 e5\n2. Sf3 Nc6 *", "Sf3", 6),
            ("1. e4 e5 2. Nf3 d9", "d9", 5),
            ("1. e4 e5 (1... z9) 2. Nf9 Nc6 *", "Nf9", 5),
            ("1. e4 ; Nf9\n e5 ; }\n2. Nf9 Nc6 *", "Nf9", 7),
        ] {
            let error = one(moves).expect_err(moves);
            assert!(error.what.contains(word), "{error}");
            assert_eq!(error.line, line, "{error}");
        }
        let good = one("1. e4 +- e5 = D { Sf3 } ; Sf3\n(1... Sf6) 2. Nf3 N *").expect("a game");
        assert_eq!(good.remarks.len(), 1, "{:?}", good.remarks);
        assert!(good.remarks[0].contains("Sf6"), "{:?}", good.remarks);
    }

    #[test]
    fn quotes_in_tags_and_latin_letters_are_kept() {
        let text = b"[Event \"x\"]\n[White \"Jo \"the\" M\xfcller\"]\n[Variant \"Atomic\"]\n\n\
            1. e4 {sch\xf6n} *\n";
        let mut games = Games::new(&text[..], None);
        let game = games.next().expect("a game").expect("a good one").game;
        assert!(games.next().is_none());
        let tags: Vec<&str> = game.tags.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(tags, ["x", "Jo \"the\" M\u{fc}ller", "Atomic"]);
        assert_eq!(game.main.moves[0].comments, ["sch\u{f6}n"]);
    }

    #[test]
    fn remarks_among_the_tags_are_passed_over() {
        let text = "; a\n[White \"x\"]\n; b\n[Variant \"Atomic\"]\n\n; c\n1. e4 ; d\n*\n";
        let mut games = read(&format!("{text}\n{text}"), None);
        assert_eq!(games.len(), 2);
        let game = games.remove(0).expect("a good game").game;
        assert_eq!(game.tag("White"), Some("x"));
        assert_eq!(game.main.intro, ["c"]);
        assert_eq!(game.main.moves[0].comments, ["d"]);
    }

    #[test]
    fn a_bad_variation_is_cut_and_told() {
        let found =
            one("1. e4 e5 (1... d5 2. Qxd7 Nf6 (2... a6) 3. Nf3) 2. Nf3 *").expect("a game");
        assert_eq!(found.game.main.moves[1].variations[0].moves.len(), 1);
        assert_eq!(found.game.main.moves.len(), 3);
        assert_eq!(found.remarks.len(), 1, "{:?}", found.remarks);
        assert!(found.remarks[0].contains("Qxd7"), "{:?}", found.remarks);
    }

    #[test]
    fn ordinary_chess_is_refused_unless_the_rules_are_given() {
        for tags in ["[Event \"x\"]\n", "[Variant \"Standard\"]\n"] {
            let text = format!("{tags}\n1. e4 e5 *\n");
            let error = read(&text, None).remove(0).expect_err("no variant");
            assert!(error.what.contains("tag Variant"), "{error}");
            assert!(read(&text, Some(Variant::Atomic)).remove(0).is_ok());
        }
    }

    #[test]
    fn what_is_no_game_is_none() {
        for text in [
            "",
            "\n\n \n",
            "\u{feff}",
            "% escaped\n",
            "{ only a comment }\n\n",
        ] {
            assert!(read(text, None).is_empty(), "{text:?}");
        }
        for text in ["1. e4 { never closed", "[White \"never closed"] {
            let games = read(text, Some(Variant::Atomic));
            assert!(games.iter().any(Result::is_err), "{text:?}");
        }
    }

    #[test]
    fn deep_nesting_is_passed_over() {
        let text = "1. e4 ".to_owned() + &"(1. d4 ".repeat(50_000) + &")".repeat(50_000) + " e5 *";
        let game = one(&text).expect("a game").game;
        assert_eq!(game.main.moves.len(), 2);
        assert!(one(&game.to_pgn()).is_ok());
    }
}
