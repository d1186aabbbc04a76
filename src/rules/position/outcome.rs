//! The end of a game: exploded king, checkmate, stalemate, insufficient material, the fifty-move
//! rule and threefold repetition.
//! Invariant: if several apply, the precedence is that of Lichess: explosion, no legal move,
//! material, then the two clocks.

use std::fmt;

use super::{Bitboard, Color, PieceType, Position};
use crate::rules::GameResult;

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Who won.
    pub result: GameResult,
    /// Why.
    pub reason: OutcomeReason,
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OutcomeReason {
    /// A king exploded.
    Explosion,
    /// Check and no legal move.
    Checkmate,
    /// No check and no legal move.
    Stalemate,
    /// Neither side has enough material to explode or mate the other king.
    InsufficientMaterial,
    /// A hundred plies without a capture or a pawn move.
    FiftyMoves,
    /// The third occurrence of the same position.
    Repetition,
}

impl OutcomeReason {
    /// All reasons.
    pub const ALL: [OutcomeReason; 6] = [
        OutcomeReason::Explosion,
        OutcomeReason::Checkmate,
        OutcomeReason::Stalemate,
        OutcomeReason::InsufficientMaterial,
        OutcomeReason::FiftyMoves,
        OutcomeReason::Repetition,
    ];

    /// The reason in words, as in "draw by stalemate".
    pub const fn name(self) -> &'static str {
        match self {
            OutcomeReason::Explosion => "explosion",
            OutcomeReason::Checkmate => "checkmate",
            OutcomeReason::Stalemate => "stalemate",
            OutcomeReason::InsufficientMaterial => "insufficient material",
            OutcomeReason::FiftyMoves => "the fifty-move rule",
            OutcomeReason::Repetition => "threefold repetition",
        }
    }

    /// The reason after a result, as in "1-0 (king exploded)".
    pub const fn label(self) -> &'static str {
        match self {
            OutcomeReason::Explosion => "king exploded",
            OutcomeReason::FiftyMoves => "fifty moves",
            _ => self.name(),
        }
    }
}

impl Outcome {
    /// True if this side has won.
    pub fn is_win_of(self, color: Color) -> bool {
        self.result == GameResult::Win(color)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = self.reason.name();
        match self.result {
            GameResult::Win(winner) => write!(f, "{winner} wins by {reason}"),
            GameResult::Draw => write!(f, "draw by {reason}"),
        }
    }
}

impl Position {
    /// The outcome if the game is over. The fifty-move rule and threefold repetition end a game
    /// without a claim.
    ///
    /// # Examples
    /// ```
    /// use brisance::notation::fen;
    /// use brisance::rules::{GameResult, OutcomeReason, Variant};
    ///
    /// let pos = fen::parse("7k/8/6Q1/8/8/8/8/K7 b - - 0 1", Variant::Atomic).expect("a position");
    /// let outcome = pos.outcome().expect("the game is over");
    /// assert_eq!(outcome.reason, OutcomeReason::Stalemate);
    /// assert_eq!(outcome.result, GameResult::Draw);
    /// ```
    pub fn outcome(&self) -> Option<Outcome> {
        if let Some(outcome) = self.outcome_by_rule() {
            return Some(outcome);
        }
        let reason = if self.state.halfmove_clock >= 100 {
            OutcomeReason::FiftyMoves
        } else if self.repetition_count() >= 2 {
            OutcomeReason::Repetition
        } else {
            return None;
        };
        let result = GameResult::Draw;
        Some(Outcome { result, reason })
    }

    /// Like [`Position::outcome`], but without the fifty-move rule and repetition.
    pub fn outcome_by_rule(&self) -> Option<Outcome> {
        let mut colors = Color::ALL.into_iter();
        let exploded = colors.find(|&color| self.king(color).is_none());
        // Checkmate goes before insufficient material: even opposite-coloured bishops can block
        // the flight squares of their own king.
        let (result, reason) = if let Some(loser) = exploded {
            (GameResult::Win(!loser), OutcomeReason::Explosion)
        } else if !self.has_legal_move() {
            if self.in_check() {
                let winner = !self.side_to_move;
                (GameResult::Win(winner), OutcomeReason::Checkmate)
            } else {
                (GameResult::Draw, OutcomeReason::Stalemate)
            }
        } else if self.has_insufficient_material() {
            (GameResult::Draw, OutcomeReason::InsufficientMaterial)
        } else {
            return None;
        };
        Some(Outcome { result, reason })
    }

    /// True when neither side has enough material to win.
    pub fn has_insufficient_material(&self) -> bool {
        // With a pawn or queen on the board some side can always win.
        let sufficient = self.by_type(PieceType::Pawn) | self.by_type(PieceType::Queen);
        sufficient.is_empty() && Color::ALL.iter().all(|&color| !self.can_win(color))
    }

    /// True when `color` has enough material to win by the rules of Lichess, which look at the
    /// material alone.
    pub fn can_win(&self, color: Color) -> bool {
        let kings = self.by_type(PieceType::King);
        let (own, other) = (self.by_color(color) - kings, self.by_color(!color) - kings);
        if self.king(!color).is_none() {
            return true;
        }
        if own.is_empty() {
            return false;
        }
        if !self.variant.lone_piece_is_insufficient() {
            return true;
        }
        if other.any() {
            // Opposing pieces can be exploded next to their own king, unless only bishops that
            // cannot capture each other are left.
            return !self.has_only_separated_bishops(own | other);
        }
        let [knights, bishops, rooks] = [PieceType::Knight, PieceType::Bishop, PieceType::Rook]
            .map(|piece_type| self.by_type(piece_type).count());
        if own.count() > knights + bishops + rooks {
            return true;
        }
        let only_knights = bishops + rooks == 0;
        own.count() > if only_knights { 2 } else { 1 }
    }

    /// True when all `pieces` are bishops and no two of different colours stand on squares of the
    /// same colour.
    fn has_only_separated_bishops(&self, pieces: Bitboard) -> bool {
        let bishops = self.by_type(PieceType::Bishop);
        let has_bishop =
            |color, squares: Bitboard| (bishops & self.by_color(color) & squares).any();
        let (dark, light) = (Bitboard::DARK, Bitboard::LIGHT);
        let can_meet = (has_bishop(Color::White, dark) && has_bishop(Color::Black, dark))
            || (has_bishop(Color::White, light) && has_bishop(Color::Black, light));
        pieces == bishops && !can_meet
    }

    /// The number of earlier occurrences of this position since the last capture, pawn move or
    /// null move.
    pub fn repetition_count(&self) -> usize {
        self.repetition_distances().count()
    }

    /// True when a search that is `ply` plies from its root should score the position as a draw by
    /// repetition: it occurred once after the root, or twice in all.
    pub fn is_repetition(&self, ply: usize) -> bool {
        let mut distances = self.repetition_distances();
        let nearest = distances.next();
        nearest.is_some_and(|distance| distance < ply || distances.next().is_some())
    }

    /// The distances in plies to the earlier occurrences, nearest first.
    fn repetition_distances(&self) -> impl Iterator<Item = usize> {
        let distances = (4..self.reversible_plies() + 1).step_by(2);
        distances.filter(|&distance| self.earlier_key(distance) == self.state.key)
    }

    /// The number of plies since the last capture, pawn move or null move, or since the start.
    pub(super) fn reversible_plies(&self) -> usize {
        let plies = self.state.halfmove_clock.min(self.state.plies_from_null);
        usize::from(plies).min(self.history.len())
    }

    /// The key some plies ago.
    pub(super) fn earlier_key(&self, distance: usize) -> u64 {
        self.history[self.history.len() - distance].state.key
    }
}
