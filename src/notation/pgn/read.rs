//! Reads the games of a PGN stream one by one.
//! Invariant: every move of a game is legal. What is damaged or cannot be read is an error or a
//! warning with its line, and the rest of the game and the games after it are still read.

use std::io::{self, Read};
use std::mem;

use super::error::{PgnError, PgnErrorKind, PgnGameError, printable};
use super::tokens::{Token, TokenKind, Tokens, result_of_tag};
use super::{NumberedGame, PgnGame, PgnLine, PgnMove, variant_from_tag, variant_tag};
use crate::notation::fen::{self, CastlingStyle, FenWarning};
use crate::notation::san;
use crate::rules::{GameResult, Position, Variant};

/// Variations nested deeper than this are skipped, because writing a game recurses into them.
const MAX_DEPTH: usize = 16;

/// An iterator over the games of a stream. A game whose moves can be read only in part is an error
/// that contains the part.
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
    tokens: Tokens<R>,
    /// The first token of the next game.
    ahead: Option<Token>,
    number: usize,
    variant: Option<Variant>,
    has_failed: bool,
}

impl<R: Read> PgnReader<R> {
    /// Reads the games of `source`. All of them have the given `variant`; with `None` each game
    /// must name a supported one in its tag `Variant`.
    pub fn new(source: R, variant: Option<Variant>) -> PgnReader<R> {
        PgnReader {
            tokens: Tokens::new(source),
            ahead: None,
            number: 0,
            variant,
            has_failed: false,
        }
    }

    fn read(&mut self) -> Result<Option<NumberedGame>, PgnError> {
        loop {
            let mut game = PartialGame {
                number: self.number + 1,
                variant: self.variant,
                ..PartialGame::default()
            };
            let mut is_at_end = true;
            while let Some(token) = self.next_token()? {
                if game.ends_before(&token) {
                    (self.ahead, is_at_end) = (Some(token), false);
                    break;
                }
                game.add(token);
            }
            if game.has_moves || !game.tags.is_empty() {
                self.number += 1;
                return game.finish().map(Some);
            }
            if is_at_end {
                return Ok(None);
            }
        }
    }

    fn next_token(&mut self) -> io::Result<Option<Token>> {
        match self.ahead.take() {
            Some(token) => Ok(Some(token)),
            None => self.tokens.next(),
        }
    }
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

/// A line whose end has not been read yet.
struct OpenLine {
    pos: Position,
    line: PgnLine,
    /// The line has an invalid move, so the rest of it is ignored.
    is_cut: bool,
}

impl OpenLine {
    fn new(pos: Position, comments: Vec<String>) -> OpenLine {
        let moves = Vec::new();
        OpenLine { pos, line: PgnLine { comments, moves }, is_cut: false }
    }
}

#[derive(Default)]
struct PartialGame {
    number: usize,
    /// The variant of all games; `None` to use the tag `Variant`.
    variant: Option<Variant>,
    first_line: usize,
    tags: Vec<(String, String)>,
    /// A blank line follows a tag.
    is_blank_in_tags: bool,
    intro: Vec<String>,
    /// The tags are complete.
    has_begun: bool,
    /// A word that looks like a move has been read.
    has_moves: bool,
    /// The line that is being read, last, and those that it branches from; empty before the moves
    /// and without a valid start position.
    open_lines: Vec<OpenLine>,
    /// The number of open variations that are skipped.
    skipped: usize,
    result: Option<Option<GameResult>>,
    /// The last result inside a variation.
    inner_result: Option<Option<GameResult>>,
    /// What ends the main line before its last move.
    fault: Option<PgnGameError>,
    warnings: Vec<String>,
    /// The first text that is not a move, its line, and the number of others.
    unread: Option<(PgnErrorKind, usize, usize)>,
}

impl PartialGame {
    /// The value of the first tag with this name, in any case.
    fn tag(&self, name: &str) -> Option<&str> {
        let mut tags = self.tags.iter();
        let (_, value) = tags.find(|(other, _)| other.eq_ignore_ascii_case(name))?;
        Some(value)
    }

    /// True if the token belongs to the next game.
    fn ends_before(&self, token: &Token) -> bool {
        let is_over = self.result.is_some();
        match &token.kind {
            TokenKind::Tag(name, _) => {
                let is_blank_before = self.is_blank_in_tags || token.after_blank;
                let is_repeated = self.tag(name).is_some();
                // This is the first tag of a game in export format.
                let is_first = name == "Event";
                let is_next = if is_blank_before {
                    is_repeated || is_first && !self.tags.is_empty()
                } else {
                    is_repeated && is_first
                };
                self.has_moves || is_over || is_next
            }
            _ if self.in_variation() => false,
            TokenKind::FirstMove => is_over || self.has_moves && token.after_blank,
            _ => is_over && token.after_blank,
        }
    }

    fn in_variation(&self) -> bool {
        self.open_lines.len() > 1 || self.skipped > 0
    }

    fn add(&mut self, token: Token) {
        let line = token.line;
        if self.first_line == 0 {
            self.first_line = line;
        }
        match token.kind {
            TokenKind::Tag(name, value) => {
                self.is_blank_in_tags |= token.after_blank && !self.tags.is_empty();
                // What precedes a tag is no part of the moves; what precedes the first one is no
                // part of the game.
                (self.has_begun, self.skipped) = (false, 0);
                self.open_lines.clear();
                self.intro.clear();
                if self.tags.is_empty() {
                    (self.first_line, self.unread) = (line, None);
                }
                match self.tag(&name) {
                    None => self.tags.push((name, value)),
                    Some(first) if first == value => {}
                    Some(_) => {
                        let (name, value) = (printable(&name), printable(&value));
                        let text = format!("the tag {name} occurs twice; {value:?} is ignored");
                        self.warn(line, &text);
                    }
                }
            }
            TokenKind::Comment(text) => {
                if !self.has_begun && has_tag_line(&text) {
                    let text =
                        "tags inside a comment are ignored; its closing brace may be missing";
                    self.warn(line, &text);
                }
                self.comment(text.trim());
            }
            TokenKind::Fault(kind @ PgnErrorKind::UnclosedComment) => self.cut(line, None, kind),
            TokenKind::Fault(kind @ PgnErrorKind::Unread(_)) => self.ignore(line, kind),
            TokenKind::Fault(kind) => self.warn(line, &kind),
            kind => {
                self.begin();
                self.add_move_text(line, kind);
            }
        }
    }

    fn add_move_text(&mut self, line: usize, kind: TokenKind) {
        match kind {
            TokenKind::Word(text) => self.play(line, &text),
            TokenKind::Nag(nag) => {
                if let Some(open) = self.current_line()
                    && let Some(last) = open.line.moves.last_mut()
                {
                    last.nags.push(nag);
                }
            }
            TokenKind::Open => self.open_variation(line),
            TokenKind::Close if self.skipped > 0 => self.skipped -= 1,
            TokenKind::Close if self.open_lines.len() > 1 => self.close_variation(),
            TokenKind::Close => self.ignore(line, PgnErrorKind::Unread(")".to_owned())),
            TokenKind::Result(result) if self.in_variation() => self.inner_result = Some(result),
            TokenKind::Result(result) => self.set_result(line, result),
            _ => {}
        }
    }

    /// Ends the tags: the start position is known.
    fn begin(&mut self) {
        if !mem::replace(&mut self.has_begun, true)
            && let Ok((start, warnings)) = self.start_position()
        {
            for warning in warnings {
                self.warn(self.first_line, &warning);
            }
            let intro = mem::take(&mut self.intro);
            self.open_lines.push(OpenLine::new(start, intro));
        }
    }

    fn start_position(&self) -> Result<(Position, Vec<FenWarning>), PgnErrorKind> {
        let variant = match (self.variant, self.tag("Variant")) {
            (Some(variant), _) => variant,
            (None, None) => return Err(PgnErrorKind::NoVariant),
            (None, Some(text)) => variant_from_tag(text)
                .ok_or_else(|| PgnErrorKind::UnsupportedVariant(printable(text)))?,
        };
        let fen = self.fen().unwrap_or("startpos");
        Ok(fen::parse_lenient(fen, variant)?)
    }

    /// The tag FEN, unless its value is unknown.
    fn fen(&self) -> Option<&str> {
        let text = self.tag("FEN")?.trim();
        Some(text).filter(|text| !["", "?", "-", "startpos"].contains(text))
    }

    /// The line that is being read, unless it is cut or skipped.
    fn current_line(&mut self) -> Option<&mut OpenLine> {
        let open = self.open_lines.last_mut().filter(|open| !open.is_cut);
        open.filter(|_| self.skipped == 0)
    }

    fn play(&mut self, line: usize, text: &str) {
        let in_variation = self.in_variation();
        let is_over = self.result.is_some() && !in_variation;
        let is_like_move = looks_like_move(text);
        self.has_moves |= is_like_move;
        let Some(open) = self.current_line() else {
            return;
        };
        let kind = match san::parse(&open.pos, text) {
            Ok(mv) if !is_over => {
                open.line.moves.push(PgnMove::new(mv));
                open.pos.make(mv);
                return;
            }
            Err(san::SanError::Syntax(text)) if !is_like_move => {
                return self.ignore(line, PgnErrorKind::Unread(text));
            }
            _ if is_over => PgnErrorKind::MovesAfterResult,
            Ok(_) => return,
            Err(error) => error.into(),
        };
        let number = san::move_number(&open.pos);
        if in_variation {
            open.is_cut = true;
            let text = format!("move {number} of a variation: {kind}; the rest of it is ignored");
            self.warn(line, &text);
        } else {
            self.cut(line, Some(number), kind);
        }
    }

    /// Ends the main line because of a fault.
    fn cut(&mut self, line: usize, move_number: Option<String>, kind: PgnErrorKind) {
        for open in &mut self.open_lines {
            open.is_cut = true;
        }
        if self.fault.is_none() {
            self.fault = Some(self.error(line, move_number, kind));
        }
    }

    fn error(&self, line: usize, move_number: Option<String>, kind: PgnErrorKind) -> PgnGameError {
        let names = ["White", "Black"].map(|name| self.tag(name).unwrap_or("?").to_owned());
        PgnGameError {
            number: self.number,
            names: (!self.tags.is_empty()).then_some(names),
            line,
            move_number,
            kind,
            kept: None,
        }
    }

    fn comment(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if !self.has_begun {
            self.intro.push(text.to_owned());
        } else if let Some(open) = self.current_line() {
            let last = open.line.moves.last_mut();
            let comments = last.map_or(&mut open.line.comments, |last| &mut last.comments);
            comments.push(text.to_owned());
        }
    }

    fn open_variation(&mut self, line: usize) {
        let is_too_deep = self.open_lines.len() > MAX_DEPTH;
        let parent = self.current_line();
        let warning = match &parent {
            Some(open) if open.line.moves.is_empty() => {
                "a variation without a move to replace is dropped".to_owned()
            }
            Some(_) if is_too_deep => {
                format!("a variation nested deeper than {MAX_DEPTH} levels is dropped")
            }
            Some(open) => {
                let mut pos = open.pos.clone();
                pos.unmake();
                self.open_lines.push(OpenLine::new(pos, Vec::new()));
                return;
            }
            None => String::new(),
        };
        self.skipped += 1;
        if !warning.is_empty() {
            self.warn(line, &warning);
        }
    }

    /// Ends the variation that is being read. The comments of one without moves are those of the
    /// move that it follows.
    fn close_variation(&mut self) {
        let Some(closed) = self.open_lines.pop() else {
            return;
        };
        let parent = self.open_lines.last_mut();
        if let Some(last) = parent.and_then(|open| open.line.moves.last_mut()) {
            if closed.line.moves.is_empty() {
                last.comments.extend(closed.line.comments);
            } else {
                last.variations.push(closed.line);
            }
        }
    }

    fn set_result(&mut self, line: usize, result: Option<GameResult>) {
        match (self.result.flatten(), result) {
            (None, _) => self.result = Some(result),
            (Some(first), Some(other)) if first != other => {
                let text = format!("the result {other} contradicts {first}, which counts");
                self.warn(line, &text);
            }
            _ => {}
        }
    }

    fn warn(&mut self, line: usize, text: &dyn std::fmt::Display) {
        self.warnings.push(format!("line {line}: {text}"));
    }

    /// Counts a text that is not a move; the first one is named.
    fn ignore(&mut self, line: usize, kind: PgnErrorKind) {
        let (_, _, others) = self.unread.get_or_insert((kind, line, 0));
        *others += 1;
    }

    fn finish(mut self) -> Result<NumberedGame, PgnError> {
        self.begin();
        if self.in_variation() {
            let text = "a variation is never closed; what follows it is part of it";
            self.warnings.push(text.to_owned());
            self.result = self.result.or(self.inner_result);
        }
        while self.open_lines.len() > 1 {
            self.close_variation();
        }
        if let Some((kind, line, count)) = self.unread.take() {
            let others = match count {
                1 => "it is".to_owned(),
                count => format!("it and {} more are", count - 1),
            };
            self.warn(line, &format!("{kind}; {others} ignored"));
        }
        let start = match self.start_position() {
            Ok((start, _)) => start,
            Err(kind) => return Err(self.error(self.first_line, None, kind).into()),
        };
        let fault = self.fault.take();
        let numbered = self.into_game(start);
        match fault {
            None => Ok(numbered),
            Some(mut fault) => {
                let has_moves = !numbered.game.main_line.moves.is_empty();
                fault.kept = has_moves.then_some(numbered);
                Err(fault.into())
            }
        }
    }

    /// The game, with tags that state its rules, its position and its result as other programs
    /// read them.
    fn into_game(mut self, start: Position) -> NumberedGame {
        let fen = self.fen().map(str::to_owned);
        let has_result_tag = self.tag("Result").is_some();
        let tag = self.tag("Result").map_or("", str::trim);
        let tag_result = result_of_tag(tag);
        let is_unknown = ["", "?", "*"].contains(&tag);
        if tag_result.is_none() && !is_unknown {
            let text = format!("{:?} in the tag Result is not a result", printable(tag));
            self.warnings.push(text);
        }
        let result = self.result.flatten().or(tag_result);
        if let (Some(tag), Some(result)) = (tag_result, result.filter(|_| tag_result != result)) {
            let text =
                format!("the tag Result is {tag}; the result after the moves, {result}, counts");
            self.warnings.push(text);
        }
        let main_line = self.open_lines.pop().map(|open| open.line);
        let mut game =
            PgnGame { tags: self.tags, main_line: main_line.unwrap_or_default(), result, start };
        let variant = game.start.variant();
        if game.tag("Variant").and_then(variant_from_tag) != Some(variant) {
            state_tag(&mut game, "Variant", variant_tag(variant));
        }
        if let Some(fen) = fen {
            // A repaired FEN is written as it was read, so that every program reads the same.
            let fen = match fen::parse(&fen, variant) {
                Ok(_) => fen,
                Err(_) => fen::write(&game.start, CastlingStyle::XFen),
            };
            state_tag(&mut game, "SetUp", "1");
            state_tag(&mut game, "FEN", &fen);
        }
        if has_result_tag && (result.is_some() || !is_unknown) {
            let result = game.result_str();
            state_tag(&mut game, "Result", result);
        }
        NumberedGame { number: self.number, game, warnings: self.warnings }
    }
}

/// Sets a tag, and replaces one whose name is written in another case.
fn state_tag(game: &mut PgnGame, name: &str, value: &str) {
    let mut tags = game.tags.iter_mut();
    if let Some((other, _)) = tags.find(|(other, _)| other.eq_ignore_ascii_case(name)) {
        name.clone_into(other);
    }
    game.set_tag(name, value);
}

/// True if a line of a comment after the first one is a tag.
fn has_tag_line(comment: &str) -> bool {
    let mut lines = comment.lines().skip(1).map(str::trim);
    lines.any(|line| line.starts_with('[') && line.ends_with("\"]"))
}

/// True for a word that is meant as a move, whether or not it is one.
fn looks_like_move(word: &str) -> bool {
    let is_castling =
        word.matches(['o', 'O', '0']).count() > 1 && word.chars().all(|c| "oO0-".contains(c));
    let is_square = |two: &[u8]| two[0].is_ascii_alphabetic() && two[1].is_ascii_digit();
    let has_square = word.as_bytes().windows(2).any(is_square);
    let is_letter = word.starts_with(|c: char| c.is_alphabetic());
    is_castling || has_square && is_letter || san::NULL_MOVES.contains(&word)
}

#[cfg(test)]
mod tests;
