//! A game out of the words that the library finds in its text.
//! Invariant: the main line is legal to its end or the game is bad; a variation is cut where
//! it is not.

use std::fmt;
use std::mem;
use std::ops::ControlFlow;

use pgn_reader::{Nag, Outcome, RawComment, RawTag, SanPlus, Skip, Visitor};

use super::read::plain;
use super::text::decode;
use super::{Ending, Game, Line, Played, variant_of_tag};
use crate::notation::{fen, san};
use crate::rules::{Color, Position, Variant};

/// Variations nested deeper than this are left out: nobody writes them, and each level of
/// them costs stack when the game is written.
const DEEPEST: usize = 16;

/// White and Black as the tags name them.
pub(super) fn names(tags: &[(String, String)]) -> [String; 2] {
    ["White", "Black"].map(|name| {
        let found = tags.iter().find(|(other, _)| other == name);
        found.map_or("?".to_owned(), |(_, value)| value.clone())
    })
}

/// What the text of a game came to.
pub(super) enum Found {
    Good(Box<Game>, Vec<String>),
    Bad(Bad),
    /// Neither tags nor moves.
    Nothing,
}

/// What is wrong with a game.
pub(super) struct Bad {
    pub(super) names: Option<[String; 2]>,
    pub(super) spot: Spot,
    pub(super) what: String,
}

/// Where in a game something is wrong.
pub(super) enum Spot {
    /// All of it.
    Whole,
    /// Where reading stopped, at this move.
    Move(String),
    /// Where reading stopped.
    Stop,
    /// So many bytes from its beginning.
    At(usize),
}

/// Makes a game of what the library reads.
pub(super) struct Builder {
    pub(super) variant: Option<Variant>,
}

/// A game while it is read.
pub(super) struct Building {
    tags: Vec<(String, String)>,
    /// Where it begins, or why it cannot.
    start: Result<Position, String>,
    /// The line being read and, before it, those that it branches from.
    levels: Vec<Level>,
    /// A variation is being passed over.
    is_skipping: bool,
    comment: Vec<u8>,
    ending: Option<Ending>,
    remarks: Vec<String>,
}

struct Level {
    pos: Position,
    line: Line,
    /// A move of this variation could not be read, so what follows hangs in the air.
    is_cut: bool,
}

impl Level {
    fn new(pos: Position) -> Level {
        Level {
            pos,
            line: Line::default(),
            is_cut: false,
        }
    }
}

impl Building {
    fn illegal(&self, place: String, what: impl fmt::Display) -> Found {
        Found::Bad(Bad {
            names: (!self.tags.is_empty()).then(|| names(&self.tags)),
            spot: Spot::Move(place),
            what: what.to_string(),
        })
    }

    fn unfit(&self, what: &str) -> Found {
        Found::Bad(Bad {
            names: (!self.tags.is_empty()).then(|| names(&self.tags)),
            spot: Spot::Whole,
            what: what.to_owned(),
        })
    }

    fn top(&mut self) -> Option<&mut Level> {
        self.levels.last_mut()
    }

    /// Ends the variation being read; the main line stays.
    fn close_variation(&mut self) {
        if self.levels.len() < 2 {
            return;
        }
        let Some(done) = self.levels.pop() else {
            return;
        };
        if let Some(parent) = self.top().and_then(|level| level.line.moves.last_mut())
            && !done.line.moves.is_empty()
        {
            parent.variations.push(done.line);
        }
    }
}

/// The move about to be made, as `12.` or `12...`.
fn place(pos: &Position) -> String {
    let dots = if pos.side() == Color::White {
        "."
    } else {
        "..."
    };
    format!("{}{dots}", pos.fullmove())
}

impl Visitor for Builder {
    type Tags = Vec<(String, String)>;
    type Movetext = Building;
    type Output = Found;

    fn begin_tags(&mut self) -> ControlFlow<Found, Self::Tags> {
        ControlFlow::Continue(Vec::new())
    }

    fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Found> {
        tags.push((
            String::from_utf8_lossy(name).into_owned(),
            decode(&value.decode()),
        ));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<Found, Building> {
        let tag = |name: &str| {
            let found = tags.iter().find(|(other, _)| other == name);
            found.map(|(_, value)| value.as_str())
        };
        let named = match tag("Variant") {
            None => Err("no tag Variant, so these are the rules of ordinary chess".to_owned()),
            Some(text) => variant_of_tag(text)
                .ok_or_else(|| format!("the tag Variant says {:?}, not atomic", plain(text))),
        };
        let start = self.variant.map_or(named, Ok).and_then(|variant| {
            fen::parse(tag("FEN").unwrap_or("startpos"), variant).map_err(|error| error.to_string())
        });
        let levels = start.iter().cloned().map(Level::new).collect();
        ControlFlow::Continue(Building {
            start,
            levels,
            tags,
            is_skipping: false,
            comment: Vec::new(),
            ending: None,
            remarks: Vec::new(),
        })
    }

    fn san(&mut self, game: &mut Building, text: SanPlus) -> ControlFlow<Found> {
        if let Err(why) = &game.start {
            return ControlFlow::Break(game.unfit(why));
        }
        let in_variation = game.levels.len() > 1;
        let Some(level) = game.top().filter(|level| !level.is_cut) else {
            return ControlFlow::Continue(());
        };
        match san::parse(&level.pos, &text.to_string()) {
            Ok(mv) => {
                level.line.moves.push(Played::new(mv));
                level.pos.make(mv);
            }
            Err(why) => {
                let place = place(&level.pos);
                level.is_cut = true;
                if !in_variation {
                    return ControlFlow::Break(game.illegal(place, why));
                }
                let remark = format!("move {place} of a variation: {why}; its rest is left out");
                game.remarks.push(remark);
            }
        }
        ControlFlow::Continue(())
    }

    fn nag(&mut self, game: &mut Building, nag: Nag) -> ControlFlow<Found> {
        if let Some(level) = game.top().filter(|level| !level.is_cut)
            && let Some(played) = level.line.moves.last_mut()
        {
            played.marks.push(nag.0);
        }
        ControlFlow::Continue(())
    }

    fn partial_comment(
        &mut self,
        game: &mut Building,
        comment: RawComment<'_>,
    ) -> ControlFlow<Found> {
        game.comment.extend_from_slice(comment.as_bytes());
        ControlFlow::Continue(())
    }

    fn comment(&mut self, game: &mut Building, comment: RawComment<'_>) -> ControlFlow<Found> {
        let mut bytes = mem::take(&mut game.comment);
        bytes.extend_from_slice(comment.as_bytes());
        let text = decode(&bytes).trim().to_owned();
        if let Some(level) = game.top().filter(|level| !level.is_cut)
            && !text.is_empty()
        {
            match level.line.moves.last_mut() {
                Some(played) => played.comments.push(text),
                None => level.line.intro.push(text),
            }
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, game: &mut Building) -> ControlFlow<Found, Skip> {
        let is_too_deep = game.levels.len() > DEEPEST;
        let branch = game.top().filter(|level| !level.is_cut && !is_too_deep);
        let Some(level) = branch.filter(|level| !level.line.moves.is_empty()) else {
            game.is_skipping = true;
            return ControlFlow::Continue(Skip(true));
        };
        let mut pos = level.pos.clone();
        pos.unmake();
        game.levels.push(Level::new(pos));
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, game: &mut Building) -> ControlFlow<Found> {
        // The library reports the end of those too that it skipped.
        if !mem::take(&mut game.is_skipping) {
            game.close_variation();
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, game: &mut Building, outcome: Outcome) -> ControlFlow<Found> {
        game.ending = Ending::from_text(&outcome.to_string());
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, mut game: Building) -> Found {
        while game.levels.len() > 1 {
            game.close_variation();
        }
        if game.tags.is_empty() && game.levels.iter().all(|level| level.line.moves.is_empty()) {
            return Found::Nothing;
        }
        let start = match &game.start {
            Ok(start) => start.clone(),
            Err(why) => return game.unfit(why),
        };
        let main = game.levels.pop().map(|level| level.line);
        let named = game.tags.iter().find(|(name, _)| name == "Result");
        let named = named.and_then(|(_, value)| Ending::from_text(value));
        Found::Good(
            Box::new(Game {
                start,
                main: main.unwrap_or_default(),
                ending: game.ending.or(named).unwrap_or(Ending::Open),
                tags: game.tags,
            }),
            game.remarks,
        )
    }
}
