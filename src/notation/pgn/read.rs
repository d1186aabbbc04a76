//! Reads the games of a PGN stream one by one.
//! Invariant: an invalid game is one error with its line, and the games after it are still read.

use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

use pgn_reader::Reader;

use super::PgnGame;
use super::build::{ErrorLocation, GameVisitor, InvalidGame, ParsedGame, player_names};
use super::error::{PgnError, PgnErrorKind, PgnGameError};
use super::faults::faults;
use super::text::{MAX_TAG_LENGTH, Normalizer};
use crate::rules::Variant;

/// A game and its number in the file.
#[derive(Debug)]
pub struct NumberedGame {
    /// The number of the game, from 1; invalid games count too.
    pub number: usize,
    /// The game.
    pub game: PgnGame,
    /// What is invalid in variations and was ignored, one message each.
    pub warnings: Vec<String>,
}

/// An iterator over the games of a stream.
///
/// # Examples
/// ```
/// use brisance::notation::pgn::{PgnError, PgnReader};
/// use brisance::rules::{Color, GameResult};
///
/// let text = "[White \"A\"]\n[Variant \"Atomic\"]\n\n1. Nf3 a6 2. Ng5 a5 3. Nxf7 1-0\n\n\
///             [Variant \"Atomic\"]\n\n1. e4 e5 2. Qxe5 *\n";
/// let mut games = PgnReader::new(text.as_bytes(), None);
///
/// let first = games.next().expect("a game").expect("a valid one");
/// assert_eq!(first.game.tag("White"), Some("A"));
/// assert_eq!(first.game.main_line.moves.len(), 5);
/// assert_eq!(first.game.result, Some(GameResult::Win(Color::White)));
///
/// // The second game has an illegal move.
/// let error = games.next().expect("a game").unwrap_err();
/// assert!(matches!(error, PgnError::Game(_)));
/// assert_eq!(
///     error.to_string(),
///     "game 2 (? - ?), line 8, move 2.: \"Qxe5\" is not a legal move here"
/// );
/// assert!(games.next().is_none());
/// ```
pub struct PgnReader<R> {
    reader: Reader<Tee<R>>,
    /// The text of the current game and what has been buffered after it.
    text: Rc<RefCell<Vec<u8>>>,
    /// The number of lines before `text`.
    lines_before: usize,
    number: usize,
    variant: Option<Variant>,
    /// The stream failed or ended with an error.
    has_failed: bool,
}

/// Passes a stream on and keeps a copy of it.
struct Tee<R> {
    source: Normalizer<R>,
    copy: Rc<RefCell<Vec<u8>>>,
}

impl<R: Read> Read for Tee<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.copy.borrow_mut().extend_from_slice(&buffer[..count]);
        Ok(count)
    }
}

impl<R: Read> PgnReader<R> {
    /// Reads the games of `source`. All of them have the given `variant`; with `None` each game
    /// must name a supported one in its tag `Variant`.
    pub fn new(source: R, variant: Option<Variant>) -> PgnReader<R> {
        let text = Rc::new(RefCell::new(Vec::new()));
        let tee = Tee {
            source: Normalizer::new(source),
            copy: Rc::clone(&text),
        };
        PgnReader {
            reader: Reader::build(tee)
                .set_supported_tag_line_length(MAX_TAG_LENGTH)
                .finish(),
            text,
            lines_before: 0,
            number: 0,
            variant,
            has_failed: false,
        }
    }

    /// Drops the text that the reader has consumed.
    fn drop_consumed_text(&mut self) {
        let mut text = self.text.borrow_mut();
        let end = text.len() - self.reader.buffer().len();
        self.lines_before += count_newlines(&text[..end]);
        text.drain(..end);
    }

    /// Skips the rest of an invalid game. False if there is no other game.
    fn skip_to_next_game(&mut self) -> io::Result<bool> {
        loop {
            match self.reader.has_more() {
                // Another fault of the same game, which has been reported. Its line is consumed.
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {}
                result => return result,
            }
        }
    }

    fn read(&mut self) -> Result<Option<NumberedGame>, PgnError> {
        loop {
            let has_more = self.skip_to_next_game();
            self.drop_consumed_text();
            if !has_more? {
                return Ok(None);
            }
            let mut visitor = GameVisitor {
                variant: self.variant,
            };
            let parsed = self.reader.read_game(&mut visitor);
            self.number += 1;
            let buffered = self.text.borrow();
            let text = &buffered[..buffered.len() - self.reader.buffer().len()];
            let parsed = match parsed {
                Ok(parsed) => parsed.unwrap_or(ParsedGame::Empty),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    ParsedGame::Invalid(InvalidGame {
                        names: None,
                        location: ErrorLocation::End,
                        kind: PgnErrorKind::Syntax(error.to_string()),
                    })
                }
                Err(error) => return Err(error.into()),
            };
            match check_text(parsed, text) {
                ParsedGame::Empty => self.number -= 1,
                ParsedGame::Invalid(game) => return Err(self.locate(game, text).into()),
                ParsedGame::Valid(game, warnings) => {
                    return Ok(Some(NumberedGame {
                        number: self.number,
                        game: *game,
                        warnings,
                    }));
                }
            }
        }
    }

    /// The error of an invalid game whose text is `text`.
    fn locate(&self, game: InvalidGame, text: &[u8]) -> PgnGameError {
        let offset = match game.location {
            ErrorLocation::Game => 0,
            ErrorLocation::Offset(offset) => offset,
            ErrorLocation::Move(_) | ErrorLocation::End => text.trim_ascii_end().len(),
        };
        PgnGameError {
            number: self.number,
            names: game.names,
            line: self.lines_before + count_newlines(&text[..offset]) + 1,
            move_number: match game.location {
                ErrorLocation::Move(number) => Some(number),
                _ => None,
            },
            kind: game.kind,
        }
    }
}

/// Rejects a game whose text contains what `pgn_reader` ignores although it matters: in the main
/// line a word that looks like a move but is not one, anywhere a comment that is never closed or a
/// tag without a value. In a variation such a word causes a warning only.
fn check_text(mut parsed: ParsedGame, text: &[u8]) -> ParsedGame {
    let names = match &parsed {
        ParsedGame::Valid(game, _) => Some(player_names(&game.tags)),
        ParsedGame::Invalid(game) if !matches!(game.location, ErrorLocation::Game) => {
            game.names.clone()
        }
        _ => return parsed,
    };
    for fault in faults(text) {
        if !fault.in_variation {
            return ParsedGame::Invalid(InvalidGame {
                names,
                location: ErrorLocation::Offset(fault.offset),
                kind: fault.kind,
            });
        }
        if let ParsedGame::Valid(_, warnings) = &mut parsed {
            warnings.push(format!("in a variation {}; it is ignored", fault.kind));
        }
    }
    parsed
}

impl<R: Read> Iterator for PgnReader<R> {
    type Item = Result<NumberedGame, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed {
            return None;
        }
        let item = self.read().transpose();
        self.has_failed = matches!(item, Some(Err(PgnError::Io(_))));
        item
    }
}

fn count_newlines(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte == b'\n').count()
}

#[cfg(test)]
mod tests;
