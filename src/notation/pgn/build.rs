//! Builds a game from the tokens that `pgn_reader` finds in a text.
//! Invariant: a game whose main line has an invalid move is an error; a variation ends before its
//! first invalid move.

use std::mem;
use std::ops::ControlFlow;

use pgn_reader::{Nag, Outcome, RawComment, RawTag, SanPlus, Skip, Visitor};

use super::error::PgnErrorKind;
use super::text::{FAULT, decode, printable};
use super::{PgnGame, PgnLine, PgnMove, variant_from_tag};
use crate::notation::fen::{self, CastlingStyle};
use crate::notation::san;
use crate::rules::{Color, GameResult, Position, Variant};

/// Variations nested deeper than this are skipped, because writing a game recurses into them.
const MAX_DEPTH: usize = 16;

/// The values of the tags `White` and `Black`, `?` if they are missing.
pub(super) fn player_names(tags: &[(String, String)]) -> [String; 2] {
    ["White", "Black"].map(|name| {
        let found = tags.iter().find(|(other, _)| other == name);
        found.map_or("?".to_owned(), |(_, value)| value.clone())
    })
}

/// The result of reading the text of one game.
pub(super) enum ParsedGame {
    /// A game and the warnings about it.
    Valid(Box<PgnGame>, Vec<String>),
    Invalid(InvalidGame),
    /// Neither tags nor moves.
    Empty,
}

/// What is wrong with a game, and where.
pub(super) struct InvalidGame {
    pub(super) names: Option<[String; 2]>,
    pub(super) location: ErrorLocation,
    pub(super) kind: PgnErrorKind,
}

/// The place of an error in the text of a game.
pub(super) enum ErrorLocation {
    /// The game as a whole.
    Game,
    /// The end of the text read so far, at this move number.
    Move(String),
    /// The end of the text read so far.
    End,
    /// The given number of bytes from the start of the game.
    Offset(usize),
}

/// Builds a game while `pgn_reader` reads its text.
pub(super) struct GameVisitor {
    /// The variant of all games; `None` to use the tag `Variant`.
    pub(super) variant: Option<Variant>,
}

/// A game that is being read.
pub(super) struct PartialGame {
    tags: Vec<(String, String)>,
    /// The start position, or why it is invalid.
    start: Result<Position, PgnErrorKind>,
    /// The line that is being read, last, and those that it branches from.
    open_lines: Vec<OpenLine>,
    /// A variation is being skipped.
    is_skipping: bool,
    comment: Vec<u8>,
    result: Option<GameResult>,
    /// The result, or `*`, has been read.
    is_over: bool,
    warnings: Vec<String>,
}

/// A line whose end has not been read yet.
struct OpenLine {
    pos: Position,
    line: PgnLine,
    /// The line has an invalid move, so the rest of it is ignored.
    is_cut: bool,
}

impl OpenLine {
    fn new(pos: Position) -> OpenLine {
        OpenLine {
            pos,
            line: PgnLine::default(),
            is_cut: false,
        }
    }
}

impl PartialGame {
    fn invalid(&self, location: ErrorLocation, kind: PgnErrorKind) -> ParsedGame {
        ParsedGame::Invalid(InvalidGame {
            names: (!self.tags.is_empty()).then(|| player_names(&self.tags)),
            location,
            kind,
        })
    }

    fn current_line(&mut self) -> Option<&mut OpenLine> {
        self.open_lines.last_mut()
    }

    /// Ends the variation that is being read; the main line stays open.
    fn close_variation(&mut self) {
        if self.open_lines.len() < 2 {
            return;
        }
        let Some(closed) = self.open_lines.pop() else {
            return;
        };
        if let Some(parent) = self
            .current_line()
            .and_then(|open| open.line.moves.last_mut())
            && !closed.line.moves.is_empty()
        {
            parent.variations.push(closed.line);
        }
    }
}

/// The number of the next move, as `12.` or `12...`.
fn move_number(pos: &Position) -> String {
    let dots = if pos.side_to_move() == Color::White {
        "."
    } else {
        "..."
    };
    format!("{}{dots}", pos.fullmove_number())
}

impl Visitor for GameVisitor {
    type Tags = Vec<(String, String)>;
    type Movetext = PartialGame;
    type Output = ParsedGame;

    fn begin_tags(&mut self) -> ControlFlow<ParsedGame, Self::Tags> {
        ControlFlow::Continue(Vec::new())
    }

    fn tag(
        &mut self,
        tags: &mut Self::Tags,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<ParsedGame> {
        let name = decode(name.trim_ascii());
        if value.as_bytes() == [FAULT] {
            return ControlFlow::Break(ParsedGame::Invalid(InvalidGame {
                names: (!tags.is_empty()).then(|| player_names(tags)),
                location: ErrorLocation::End,
                kind: PgnErrorKind::TagTooLong(printable(&name)),
            }));
        }
        tags.push((name, decode(&value.decode())));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, mut tags: Self::Tags) -> ControlFlow<ParsedGame, PartialGame> {
        let tag = |name: &str| {
            let mut tags = tags.iter();
            let found = tags.find(|(other, _)| other.eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.as_str())
        };
        let variant = match (self.variant, tag("Variant")) {
            (Some(variant), _) => Ok(variant),
            (None, None) => Err(PgnErrorKind::NoVariant),
            (None, Some(text)) => variant_from_tag(text)
                .ok_or_else(|| PgnErrorKind::UnsupportedVariant(printable(text))),
        };
        let mut warnings = Vec::new();
        let start = variant.and_then(|variant| {
            let text = tag("FEN").unwrap_or("startpos");
            let (start, faults) = fen::parse_lenient(text, variant)?;
            warnings.extend(faults.iter().map(ToString::to_string));
            Ok(start)
        });
        // What was repaired is written as it was read, so that every program reads the same.
        if let Ok(start) = &start
            && !warnings.is_empty()
            && let Some((_, text)) = tags
                .iter_mut()
                .find(|(name, _)| name.eq_ignore_ascii_case("FEN"))
        {
            *text = fen::write(start, CastlingStyle::XFen);
        }
        let open_lines = start.iter().cloned().map(OpenLine::new).collect();
        ControlFlow::Continue(PartialGame {
            start,
            open_lines,
            tags,
            is_skipping: false,
            comment: Vec::new(),
            result: None,
            is_over: false,
            warnings,
        })
    }

    fn san(&mut self, game: &mut PartialGame, text: SanPlus) -> ControlFlow<ParsedGame> {
        if let Err(kind) = &game.start {
            return ControlFlow::Break(game.invalid(ErrorLocation::Game, kind.clone()));
        }
        let in_variation = game.open_lines.len() > 1;
        if game.is_over && !in_variation {
            let kind = PgnErrorKind::MovesAfterResult;
            return ControlFlow::Break(game.invalid(ErrorLocation::End, kind));
        }
        let Some(open) = game.current_line().filter(|open| !open.is_cut) else {
            return ControlFlow::Continue(());
        };
        match san::parse(&open.pos, &text.to_string()) {
            Ok(mv) => {
                open.line.moves.push(PgnMove::new(mv));
                open.pos.make(mv);
            }
            Err(error) => {
                let number = move_number(&open.pos);
                open.is_cut = true;
                if !in_variation {
                    let location = ErrorLocation::Move(number);
                    return ControlFlow::Break(game.invalid(location, error.into()));
                }
                let warning =
                    format!("move {number} of a variation: {error}; the rest of it is ignored");
                game.warnings.push(warning);
            }
        }
        ControlFlow::Continue(())
    }

    fn nag(&mut self, game: &mut PartialGame, nag: Nag) -> ControlFlow<ParsedGame> {
        if let Some(open) = game.current_line().filter(|open| !open.is_cut)
            && let Some(last) = open.line.moves.last_mut()
        {
            last.nags.push(nag.0);
        }
        ControlFlow::Continue(())
    }

    fn partial_comment(
        &mut self,
        game: &mut PartialGame,
        comment: RawComment<'_>,
    ) -> ControlFlow<ParsedGame> {
        game.comment.extend_from_slice(comment.as_bytes());
        ControlFlow::Continue(())
    }

    fn comment(
        &mut self,
        game: &mut PartialGame,
        comment: RawComment<'_>,
    ) -> ControlFlow<ParsedGame> {
        let mut bytes = mem::take(&mut game.comment);
        bytes.extend_from_slice(comment.as_bytes());
        let text = decode(&bytes).trim().to_owned();
        if let Some(open) = game.current_line().filter(|open| !open.is_cut)
            && !text.is_empty()
        {
            match open.line.moves.last_mut() {
                Some(last) => last.comments.push(text),
                None => open.line.comments.push(text),
            }
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, game: &mut PartialGame) -> ControlFlow<ParsedGame, Skip> {
        let is_too_deep = game.open_lines.len() > MAX_DEPTH;
        let parent = game.current_line().filter(|open| !open.is_cut);
        let has_move = parent
            .as_ref()
            .is_some_and(|open| !open.line.moves.is_empty());
        let warning = match (&parent, has_move) {
            (Some(_), false) => Some("a variation without a move to replace is dropped".to_owned()),
            (Some(_), true) if is_too_deep => Some(format!(
                "a variation nested deeper than {MAX_DEPTH} levels is dropped"
            )),
            _ => None,
        };
        let Some(parent) = parent.filter(|_| has_move && !is_too_deep) else {
            game.is_skipping = true;
            game.warnings.extend(warning);
            return ControlFlow::Continue(Skip(true));
        };
        let mut pos = parent.pos.clone();
        pos.unmake();
        game.open_lines.push(OpenLine::new(pos));
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, game: &mut PartialGame) -> ControlFlow<ParsedGame> {
        // `pgn_reader` reports the end of skipped variations too.
        if !mem::take(&mut game.is_skipping) {
            game.close_variation();
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, game: &mut PartialGame, outcome: Outcome) -> ControlFlow<ParsedGame> {
        // A result inside a variation is that of another game.
        if game.open_lines.len() < 2 {
            game.result = outcome.to_string().parse().ok();
            game.is_over = true;
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, mut game: PartialGame) -> ParsedGame {
        if game.open_lines.len() > 1 {
            let warning = "a variation is never closed; what follows it is part of it";
            game.warnings.push(warning.to_owned());
        }
        while game.open_lines.len() > 1 {
            game.close_variation();
        }
        let has_moves = game
            .open_lines
            .iter()
            .any(|open| !open.line.moves.is_empty());
        if game.tags.is_empty() && !has_moves {
            return ParsedGame::Empty;
        }
        let start = match &game.start {
            Ok(start) => start.clone(),
            Err(kind) => return game.invalid(ErrorLocation::Game, kind.clone()),
        };
        let main_line = game.open_lines.pop().map(|open| open.line);
        let tag = game.tags.iter().find(|(name, _)| name == "Result");
        let tag_result = tag.and_then(|(_, value)| value.parse().ok());
        ParsedGame::Valid(
            Box::new(PgnGame {
                start,
                main_line: main_line.unwrap_or_default(),
                result: game.result.or(tag_result),
                tags: game.tags,
            }),
            game.warnings,
        )
    }
}
