//! Reads the PGN of a match, and judges its games with shakmaty.
//! Invariant: nothing of this engine is used here.

use std::fs;
use std::path::Path;

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::variant::Atomic;
use shakmaty::{EnPassantMode, KnownOutcome, Position as _};

pub use crate::export::Game;
use crate::export::games;

/// Each move of a match has one comment, and the last of the game is the reason of its result.
impl Game {
    pub fn notes(&self) -> Vec<String> {
        self.comments.concat()
    }

    pub fn reason(&self) -> &str {
        let last = self.comments.last().and_then(|comments| comments.last());
        last.expect("every game has a reason")
    }

    /// The seconds left to a player with a clock after each of its moves.
    pub fn clocks(&self, player: &str) -> Vec<f64> {
        let black_first = self.tag("FEN").contains(" b ");
        let first = usize::from((self.tag("White") != player) != black_first);
        let seconds = |comment: &String| {
            let (_, clock) = comment.split_once("[%clk ").expect("a clock");
            let parts = clock.trim_end_matches(']').split(':');
            parts.fold(0.0, |sum, part| sum * 60.0 + part.parse::<f64>().expect("a number"))
        };
        let notes = self.notes();
        let of_player = notes[..self.sans.len()].iter().skip(first);
        of_player.step_by(2).map(seconds).collect()
    }
}

/// All games of a file, sorted by round.
pub fn read(path: &Path) -> Vec<Game> {
    let text = fs::read_to_string(path).expect("the record exists");
    let mut games = games(&text);
    for game in &games {
        assert_eq!(game.result, game.tag("Result"));
        assert_eq!(game.notes().len(), game.sans.len() + 1);
        assert_eq!(game.tag("PlyCount"), game.sans.len().to_string());
    }
    let round = |game: &Game| -> Vec<usize> {
        let numbers = game.tag("Round").split('.');
        numbers.map(|n| n.parse().expect("a number")).collect()
    };
    games.sort_by_key(round);
    games
}

/// Moves, comments and results without dates and times: equal in equal matches.
pub fn essence(games: &[Game]) -> Vec<String> {
    let without_time = |comment: &String| {
        let words = comment.split(' ').filter(|word| {
            let seconds = word.strip_suffix('s').and_then(|n| n.parse::<f64>().ok());
            seconds.is_none()
        });
        words.collect::<Vec<_>>().join(" ")
    };
    let text = |game: &Game| {
        let tags = ["Round", "White", "Black", "Result", "FEN", "Termination"];
        let tags = tags.map(|name| game.tag(name)).join(" | ");
        let comments: Vec<String> = game.notes().iter().map(without_time).collect();
        format!("{tags}\n{}\n{}", game.sans.join(" "), comments.join(" "))
    };
    games.iter().map(text).collect()
}

/// Replays a game with shakmaty: every move is legal and spelt as shakmaty spells it, and a
/// game that ended by rule ended so for shakmaty too.
pub fn check_atomic(game: &Game) {
    let round = game.tag("Round");
    assert_eq!(game.tag("Variant"), "Atomic");
    let positions = &game.positions;
    for (pos, text) in positions.iter().zip(&game.sans) {
        assert_eq!(pos.outcome().known(), None, "{round}: moves after the end");
        let san: SanPlus = text.parse().expect("SAN");
        let mv = san.san.to_move(pos).expect("a legal move");
        let written = SanPlus::from_move(pos.clone(), mv);
        assert_eq!(&written.to_string(), text, "{round}");
    }
    let pos = positions.last().expect("a position");
    let known = pos.outcome().known();
    if game.tag("Termination") != "normal" {
        assert_eq!(known, None, "{round}: adjudicated after its end");
        return;
    }
    let key = |pos: &Atomic| {
        let fen = Fen::from_position(pos, EnPassantMode::Legal).to_string();
        fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
    };
    let times = positions.iter().filter(|other| key(other) == key(pos));
    let reason = game.reason();
    let is_end = match known {
        Some(KnownOutcome::Decisive { winner }) if pos.is_variant_end() => {
            reason == format!("{}'s king exploded", winner.fold_wb("Black", "White"))
        }
        Some(KnownOutcome::Decisive { winner }) => {
            reason == format!("{} mates", winner.fold_wb("White", "Black"))
        }
        Some(KnownOutcome::Draw) if pos.is_stalemate() => reason == "stalemate",
        Some(KnownOutcome::Draw) => reason == "insufficient material",
        None if reason == "fifty moves" => pos.halfmoves() >= 100,
        None => reason == "threefold repetition" && times.count() >= 3,
    };
    assert!(is_end, "{round}: {reason} after {known:?}");
    let winner = known.and_then(KnownOutcome::winner);
    let expected = winner.map_or("1/2-1/2", |winner| winner.fold_wb("1-0", "0-1"));
    assert_eq!(game.result, expected, "{round}");
}
