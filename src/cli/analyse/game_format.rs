//! The output of analysed games: annotated PGN, or one JSON object per game.
//! Invariant: a record is complete in itself, so that an interrupted output can be continued.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;
use serde_json::Value as Json;

use crate::cli::args::NotationStyle;
use crate::cli::view::json::{JsonMove, JsonScore, JsonScoredLine, ListStyle, scored_lines};
use crate::cli::view::perspective;
use crate::notation::pgn::{NumberedGame, PgnGame};
use crate::notation::san;
use crate::review::{Annotator, Review};
use crate::rules::{Color, Outcome, Position};
use crate::search::SearchResult;

/// The format of analysed games.
#[derive(Clone, Debug)]
pub enum GameFormat {
    /// Annotated PGN.
    Pgn(Annotator),
    /// One JSON object per line.
    Json {
        /// Castling is always written as king takes rook.
        chess960: bool,
        /// Scores are from White's point of view.
        from_white: bool,
        /// The options of the search.
        search: String,
    },
}

impl GameFormat {
    /// The text of a review.
    pub fn text(&self, review: &Review) -> io::Result<String> {
        match self {
            GameFormat::Pgn(annotator) => Ok(annotator.annotate(review).to_pgn()),
            GameFormat::Json {
                chess960,
                from_white,
                search,
            } => {
                let style = ListStyle {
                    notation: NotationStyle::for_position(&review.game.start, *chess960),
                    from_white: *from_white,
                    search,
                };
                Ok(serde_json::to_string(&JsonGame::new(review, style))? + "\n")
            }
        }
    }

    /// True if an object of an earlier JSON output belongs to this game. An interrupted analysis
    /// has only the first moves.
    pub fn matches_json(old: &Json, numbered: &NumberedGame, chess960: bool) -> bool {
        let game = &numbered.game;
        let notation = NotationStyle::for_position(&game.start, chess960);
        let moves = old["moves"].as_array().map_or(&[][..], Vec::as_slice);
        let played = game.main_line.moves.iter();
        let played = played.map(|played| notation.uci(played.mv));
        old["type"] == "game"
            && old["fen"] == notation.fen(&game.start)
            && (moves.len() == game.main_line.moves.len() || old["interrupted"] == true)
            && moves.iter().zip(played).all(|(old, mv)| old["uci"] == mv)
            && ["White", "Black"]
                .iter()
                .all(|&name| old["tags"][name].as_str() == game.tag(name))
    }
}

#[derive(Serialize)]
struct JsonGame {
    #[serde(rename = "type")]
    kind: &'static str,
    number: usize,
    tags: BTreeMap<String, String>,
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
    score: Option<JsonScore>,
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
}

impl JsonGame {
    fn new(review: &Review, style: ListStyle) -> JsonGame {
        let game: &PgnGame = &review.game;
        let positions = review.positions();
        let scored = positions.iter().zip(&review.analyses);
        let judged = review.judge();
        let played = game.main_line.moves.iter().zip(&positions);
        let played = played.zip(&judged.moves).enumerate();
        JsonGame {
            kind: "game",
            number: review.number,
            tags: game.tags.iter().cloned().collect(),
            fen: style.notation.fen(&game.start),
            variant: game.start.variant().name(),
            chess960: style.notation.chess960,
            result: game.result_str(),
            search: style.search.to_owned(),
            interrupted: review.missing_moves() > 0,
            perspective: style.from_white.then_some("white"),
            accuracy: JsonAccuracy {
                white: judged.accuracy(Color::White),
                black: judged.accuracy(Color::Black),
            },
            positions: scored
                .map(|(pos, analysis)| JsonPosition::new(pos, analysis, style))
                .collect(),
            moves: played
                .map(|(index, ((played, pos), judged))| JsonPlayed {
                    mv: JsonMove {
                        uci: style.notation.uci(played.mv),
                        san: san::write(pos, played.mv),
                    },
                    mark: judged.mark.map(|mark| mark.name().to_lowercase()),
                    loss: judged.loss,
                    loses_in: review.loses_in(index),
                })
                .collect(),
        }
    }
}

impl JsonPosition {
    fn new(pos: &Position, analysis: &SearchResult, style: ListStyle) -> JsonPosition {
        let is_won = matches!(pos.outcome_by_rule(), Some(Outcome::Win { .. }));
        let shown = perspective(analysis.display_score(), pos, style.from_white);
        let expected = analysis.expected_score();
        JsonPosition {
            score: (!is_won).then(|| shown.into()),
            white_expected: match pos.side_to_move() {
                Color::White => expected,
                Color::Black => 1.0 - expected,
            },
            depth: analysis.depth(),
            nodes: analysis.nodes,
            pv: analysis
                .pv()
                .iter()
                .map(|&mv| style.notation.uci(mv))
                .collect(),
            pv_san: san::write_line(pos, analysis.pv()),
            lines: scored_lines(analysis, pos, style),
        }
    }
}
