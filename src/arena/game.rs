//! One game under our own rules, from opening to result.
//! Invariant: every game has a result and a reason; a misbehaving player loses it.

use std::time::Duration;

use super::player::{Answer, Clock, Failure, Player, Question, Stop, both};
use super::spec::Pace;
use crate::eval::wdl::Shown;
use crate::rules::{Color, Move, Outcome, Position, Reason};
use crate::tablebase::Tablebase;

/// When a game is ended before the rules end it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Adjudication {
    /// Draw once both sides see at most `score` for `moves` moves each, from move `from` on.
    pub draw: Option<DrawRule>,
    /// Win once both sides agree on at least `score` for `moves` moves each.
    pub resign: Option<ResignRule>,
    /// Draw after this many moves.
    pub max_moves: Option<u16>,
}

/// See [`Adjudication::draw`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawRule {
    /// First move to count, from 1.
    pub from: u16,
    /// Moves of each side in a row.
    pub moves: u32,
    /// Greatest score either way in centipawns.
    pub score: i32,
}

/// See [`Adjudication::resign`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResignRule {
    /// Moves of each side in a row.
    pub moves: u32,
    /// Least score in centipawns.
    pub score: i32,
}

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// One side won.
    Won(Color),
    /// A draw.
    Drawn,
}

impl Score {
    /// As PGN writes it.
    pub fn tag(self) -> &'static str {
        match self {
            Score::Won(Color::White) => "1-0",
            Score::Won(Color::Black) => "0-1",
            Score::Drawn => "1/2-1/2",
        }
    }
}

/// One move of a game as it was played.
#[derive(Clone, Debug)]
pub struct Played {
    /// The move.
    pub mv: Move,
    /// What its player thought of it, from its own view.
    pub score: Option<Shown>,
    /// The depth it claimed.
    pub depth: Option<i32>,
    /// How long it took.
    pub time: Duration,
    /// What its clock showed afterwards.
    pub clock: Option<Duration>,
}

/// A finished game.
#[derive(Clone)]
pub struct Game {
    /// The position it began with.
    pub start: Position,
    /// The moves.
    pub moves: Vec<Played>,
    /// The result.
    pub score: Score,
    /// The reason in words.
    pub reason: String,
    /// The side that broke off the game by a failure, if any, and how.
    pub failed: Option<(Color, Fault)>,
}

/// The kinds of failures that end a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A move came too late.
    Time,
    /// A move that is none.
    Rules,
    /// No move came at all.
    Absence,
}

/// What a game is played under.
pub(super) struct Terms<'a> {
    pub(super) adjudication: &'a Adjudication,
    pub(super) margin: Duration,
    pub(super) chess960: bool,
    pub(super) tables: Option<&'a Tablebase>,
    /// Ends the game at once, without a result.
    pub(super) stop: &'a Stop,
}

/// Plays a game; `None` when it was interrupted.
pub(super) fn play(
    players: [&mut Player; 2],
    paces: [Pace; 2],
    start: &Position,
    terms: &Terms,
) -> Option<Game> {
    let mut pos = start.clone();
    let mut moves: Vec<Move> = Vec::new();
    let mut played: Vec<Played> = Vec::new();
    let mut clocks = paces.map(Clock::new);
    let end = |played: Vec<Played>, score: Score, reason: String| {
        Some(Game {
            start: start.clone(),
            moves: played,
            score,
            reason,
            failed: None,
        })
    };
    for color in Color::ALL {
        if let Err(failure) = players[color.index()].new_game(terms.chess960) {
            return forfeit(start, played, color, &failure, terms);
        }
    }
    loop {
        if let Some((score, reason)) = ruled(&pos, terms, &played, start) {
            return end(played, score, reason);
        }
        if terms.stop.is_stopped() {
            return None;
        }
        let side = pos.side();
        let question = Question {
            start,
            moves: &moves,
            pos: &pos,
            pace: paces[side.index()],
            clocks: both(&clocks, Clock::left),
            increments: both(&clocks, Clock::increment),
            moves_to_go: clocks[side.index()].moves_to_go(),
            chess960: terms.chess960,
            margin: terms.margin,
        };
        match players[side.index()].think(&question) {
            Ok(Answer {
                mv,
                score,
                depth,
                time,
            }) => {
                let clock = &mut clocks[side.index()];
                clock.spend(time);
                played.push(Played {
                    mv,
                    score,
                    depth,
                    time,
                    clock: clock.left(),
                });
                moves.push(mv);
                pos.make(mv);
            }
            // As on Lichess, the flag of one side gives no win to another that has nothing
            // left to win with. Every other failure costs the game.
            Err(Failure::Late) if !pos.can_win(!side) => {
                let game = forfeit(start, played, side, &Failure::Late, terms)?;
                return Some(Game {
                    score: Score::Drawn,
                    reason: format!("{} and {} cannot win", game.reason, !side),
                    ..game
                });
            }
            Err(failure) => return forfeit(start, played, side, &failure, terms),
        }
    }
}

/// The game that `loser` broke off; `None` when it did so because the match was stopped.
fn forfeit(
    start: &Position,
    played: Vec<Played>,
    loser: Color,
    failure: &Failure,
    terms: &Terms,
) -> Option<Game> {
    let fault = match failure {
        Failure::Stopped => return None,
        Failure::Late => Fault::Time,
        Failure::Illegal(_) => Fault::Rules,
        Failure::Died(_) | Failure::Stalled(_) | Failure::Unable(_) | Failure::Misset(_) => {
            Fault::Absence
        }
    };
    // What stopped the match may have hit the engine too.
    (!terms.stop.is_stopped()).then(|| Game {
        start: start.clone(),
        moves: played,
        score: Score::Won(!loser),
        reason: format!("{loser} {failure}"),
        failed: Some((loser, fault)),
    })
}

/// The result by the rules, the tables or adjudication.
fn ruled(
    pos: &Position,
    terms: &Terms,
    played: &[Played],
    start: &Position,
) -> Option<(Score, String)> {
    if let Some(outcome) = pos.outcome() {
        return Some(match outcome {
            Outcome::Win { winner, reason } => (Score::Won(winner), won(winner, reason)),
            Outcome::Draw { reason } => (Score::Drawn, drawn(reason).to_owned()),
        });
    }
    if let Some(result) = terms.tables.and_then(|tables| tables.outcome(pos)) {
        let score = result.map_or(Score::Drawn, Score::Won);
        return Some((score, "adjudicated by tablebase".to_owned()));
    }
    let by_score = adjudicated(pos, terms.adjudication, played, start)?;
    Some((by_score.0, by_score.1.to_owned()))
}

fn won(winner: Color, reason: Reason) -> String {
    match reason {
        Reason::Checkmate => format!("{winner} mates"),
        _ => format!("{}'s king exploded", !winner),
    }
}

fn drawn(reason: Reason) -> &'static str {
    match reason {
        Reason::Stalemate => "stalemate",
        Reason::InsufficientMaterial => "insufficient material",
        Reason::FiftyMoves => "fifty moves",
        _ => "threefold repetition",
    }
}

fn adjudicated(
    pos: &Position,
    rules: &Adjudication,
    played: &[Played],
    start: &Position,
) -> Option<(Score, &'static str)> {
    if rules
        .max_moves
        .is_some_and(|most| pos.fullmove().saturating_sub(start.fullmove()) >= most)
    {
        return Some((Score::Drawn, "adjudicated as a draw after too many moves"));
    }
    if let Some(rule) = rules.draw {
        let last = played.len().checked_sub(2 * rule.moves as usize);
        if let Some(first) = last
            && pos.fullmove()
                >= rule
                    .from
                    .saturating_add(rule.moves.min(u16::MAX.into()) as u16)
            && rule.moves > 0
            && played[first..]
                .iter()
                .all(|p| centipawns(p).is_some_and(|cp| cp.abs() <= rule.score))
        {
            return Some((Score::Drawn, "adjudicated as a draw by both scores"));
        }
    }
    if let Some(rule) = rules.resign {
        let first = played
            .len()
            .checked_sub(2 * rule.moves as usize)
            .filter(|_| rule.moves > 0)?;
        // The last move was made by the side that does not move now.
        for winner in Color::ALL {
            let agrees = |(back, p): (usize, &Played)| {
                let mover = if back.is_multiple_of(2) {
                    !pos.side()
                } else {
                    pos.side()
                };
                let sign = if mover == winner { 1 } else { -1 };
                centipawns(p).is_some_and(|cp| cp * sign >= rule.score)
            };
            if played[first..].iter().rev().enumerate().all(agrees) {
                return Some((Score::Won(winner), "adjudicated as a win by both scores"));
            }
        }
    }
    None
}

/// A score in centipawns, mates as beyond all others.
fn centipawns(played: &Played) -> Option<i32> {
    played.score.map(|score| match score {
        Shown::Centipawns(cp) => cp,
        Shown::Mate(moves) if moves > 0 => 30_000,
        Shown::Mate(_) => -30_000,
    })
}
