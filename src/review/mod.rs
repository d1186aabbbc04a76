//! Reviews of whole games: every move judged by what it loses, written as annotated PGN, as JSON or
//! as an HTML page. Also searched positions as JSON.
//! Invariant: a review depends only on the game and the analyses of its positions.

mod annotate;
pub(crate) mod json;
pub(crate) mod json_game;
mod judge;
mod page;
mod recorded;
pub(crate) mod style;

pub(crate) use annotate::Annotator;
pub(crate) use judge::{Review, white_expected_score};
pub(crate) use page::page;
