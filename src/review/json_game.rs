//! Reviewed games as JSON, one object per game.
//! Invariant: an object is complete in itself, so that an interrupted output can be continued.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value as Json;

use super::json::{JsonMove, JsonScoredLine, scored_lines};
use super::style::PositionStyle;
use super::{Review, white_expected_score};
use crate::eval::wdl::DisplayScore;
use crate::notation::coord;
use crate::notation::pgn::{NumberedGame, PgnGame};
use crate::rules::{Color, Position};
use crate::search::SearchResult;

/// True if an object of an earlier JSON output belongs to this game. An interrupted analysis has
/// only the first moves.
pub fn matches_json(old: &Json, numbered: &NumberedGame, chess960: bool) -> bool {
    let game = &numbered.game;
    let style = PositionStyle::new(&game.start, chess960);
    let moves = old["moves"].as_array().map_or(&[][..], Vec::as_slice);
    let played = game.main_line.moves.iter();
    let played = played.map(|played| coord::write(played.mv, style.chess960));
    old["type"] == "game"
        && old["fen"] == style.fen()
        && (moves.len() == game.main_line.moves.len() || old["interrupted"] == true)
        && moves.iter().zip(played).all(|(old, mv)| old["uci"] == mv)
        && ["White", "Black"].iter().all(|&name| old["tags"][name].as_str() == game.tag(name))
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "game")]
pub struct JsonGame<'a> {
    number: usize,
    tags: BTreeMap<&'a str, &'a str>,
    fen: String,
    variant: &'static str,
    chess960: bool,
    result: &'static str,
    /// The options of the search; left out without a search.
    #[serde(skip_serializing_if = "String::is_empty")]
    search: String,
    /// An interrupt has left out the last positions and moves.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    interrupted: bool,
    /// `white` if the scores are from White's point of view.
    #[serde(skip_serializing_if = "Option::is_none")]
    perspective: Option<&'static str>,
    accuracy: JsonAccuracy,
    /// All positions: one more than moves.
    positions: Vec<JsonPosition>,
    moves: Vec<JsonPlayed>,
}

/// The accuracy of each side in percent; null without moves.
#[derive(Serialize)]
struct JsonAccuracy {
    white: Option<f64>,
    black: Option<f64>,
}

#[derive(Serialize)]
struct JsonPosition {
    /// Null after the winning move.
    score: Option<DisplayScore>,
    /// White's expected score, from 0 to 1.
    white_expected: f64,
    depth: i32,
    nodes: u64,
    pv: Vec<String>,
    pv_san: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<JsonScoredLine>,
}

#[derive(Serialize)]
struct JsonPlayed {
    #[serde(flatten)]
    mv: JsonMove,
    /// `inaccuracy`, `mistake` or `blunder`.
    mark: Option<String>,
    /// The mover's loss of expected score, at least 0.
    loss: f64,
    /// The number of moves in which the move is proved to lose.
    #[serde(skip_serializing_if = "Option::is_none")]
    loses_in: Option<usize>,
    /// How, against the longest resistance.
    #[serde(skip_serializing_if = "Option::is_none")]
    refutation_san: Option<Vec<String>>,
}

impl<'a> JsonGame<'a> {
    /// `start` is the style of the first position, `search` the options of the search.
    pub fn new(review: &'a Review, start: PositionStyle, search: String) -> JsonGame<'a> {
        let game: &PgnGame = &review.game;
        let style = |pos| PositionStyle { pos, ..start };
        let positions = review.positions();
        let judged = review.judge();
        let played = game.main_line.moves.iter().zip(&positions);
        let played = played.zip(&judged.moves).enumerate();
        let moves = played.map(|(index, ((played, pos), judged))| JsonPlayed {
            mv: JsonMove::new(style(pos), played.mv),
            mark: judged.mark.map(|mark| mark.name().to_lowercase()),
            loss: judged.loss,
            loses_in: review.loss(index).map(|loss| loss.moves),
            refutation_san: review.loss(index).map(|loss| {
                let moves = loss.line.split_whitespace();
                moves.map(str::to_owned).collect()
            }),
        });
        let scored = positions.iter().zip(&review.analyses);
        JsonGame {
            number: review.number,
            tags: game.tags.iter().map(|(name, tag)| (&**name, &**tag)).collect(),
            fen: start.fen(),
            variant: game.start.variant().name(),
            chess960: start.chess960,
            result: game.result_str(),
            search,
            interrupted: review.missing_moves() > 0,
            perspective: start.from_white.then_some("white"),
            accuracy: JsonAccuracy {
                white: judged.accuracy(Color::White),
                black: judged.accuracy(Color::Black),
            },
            positions: scored
                .map(|(pos, analysis)| JsonPosition::new(style(pos), analysis))
                .collect(),
            moves: moves.collect(),
        }
    }
}

impl JsonPosition {
    fn new(style: PositionStyle, analysis: &SearchResult) -> JsonPosition {
        let pos: &Position = style.pos;
        let outcome = pos.outcome_by_rule();
        let is_won = outcome.is_some_and(|outcome| outcome.result.winner().is_some());
        let score = style.score(analysis.display_score());
        JsonPosition {
            score: (!is_won).then_some(score),
            white_expected: white_expected_score(pos, analysis),
            depth: analysis.depth(),
            nodes: analysis.nodes,
            pv: style.uci(analysis.pv()),
            pv_san: style.san(analysis.pv()),
            lines: scored_lines(analysis, style),
        }
    }
}
