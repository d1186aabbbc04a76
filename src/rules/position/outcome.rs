//! How a game ends: an exploded king, no legal move, dead material, fifty moves,
//! repetition. Precedence is that of Lichess: explosion, no move, material, then the clocks.

use std::fmt;

use super::{Bitboard, Color, PieceType, Position};

/// The result of a finished game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// One side won.
    Win {
        /// The side that won.
        winner: Color,
        /// How.
        reason: Reason,
    },
    /// Nobody won.
    Draw {
        /// Why.
        reason: Reason,
    },
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A king exploded.
    Explosion,
    /// Check and no legal move.
    Checkmate,
    /// No check and no legal move.
    Stalemate,
    /// Neither side can ever explode or mate the other king.
    InsufficientMaterial,
    /// A hundred half-moves without a capture or a pawn move.
    FiftyMoves,
    /// The same position for the third time.
    Repetition,
}

impl Reason {
    /// Its name, as in "draw by stalemate".
    pub const fn name(self) -> &'static str {
        match self {
            Reason::Explosion => "explosion",
            Reason::Checkmate => "checkmate",
            Reason::Stalemate => "stalemate",
            Reason::InsufficientMaterial => "insufficient material",
            Reason::FiftyMoves => "the fifty-move rule",
            Reason::Repetition => "threefold repetition",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Win { winner, reason } => write!(f, "{winner} wins by {}", reason.name()),
            Outcome::Draw { reason } => write!(f, "draw by {}", reason.name()),
        }
    }
}

impl Position {
    /// The result if the game is over; fifty moves and threefold repetition end it without
    /// a claim.
    pub fn outcome(&self) -> Option<Outcome> {
        if let Some(outcome) = self.outcome_by_rule() {
            return Some(outcome);
        }
        let draw = |reason| Some(Outcome::Draw { reason });
        if self.state.halfmove >= 100 {
            return draw(Reason::FiftyMoves);
        }
        if self.earlier_occurrences() >= 2 {
            return draw(Reason::Repetition);
        }
        None
    }

    /// The result if the rules end the game without anybody's claim: explosion, mate,
    /// stalemate or dead material. Mate goes before material, for bishops that never meet
    /// can stand in the way of their own king.
    pub fn outcome_by_rule(&self) -> Option<Outcome> {
        for color in Color::ALL {
            if self.king(color).is_none() {
                return Some(Outcome::Win {
                    winner: !color,
                    reason: Reason::Explosion,
                });
            }
        }
        if !self.has_legal_move() {
            return Some(if self.in_check() {
                Outcome::Win {
                    winner: !self.side,
                    reason: Reason::Checkmate,
                }
            } else {
                Outcome::Draw {
                    reason: Reason::Stalemate,
                }
            });
        }
        self.has_insufficient_material().then_some(Outcome::Draw {
            reason: Reason::InsufficientMaterial,
        })
    }

    /// True when neither side can win any more.
    pub fn has_insufficient_material(&self) -> bool {
        // A pawn or queen always suffices for its owner or against it, so most positions
        // are answered by one look.
        let strong = self.of_kind(PieceType::Pawn) | self.of_kind(PieceType::Queen);
        strong.is_empty() && Color::ALL.iter().all(|&color| !self.can_win(color))
    }

    /// True when `color` could still win, in Lichess's sense: by material alone, whoever
    /// is to move.
    pub fn can_win(&self, color: Color) -> bool {
        let kings = self.of_kind(PieceType::King);
        let (own, other) = (self.colored(color) - kings, self.colored(!color) - kings);
        if self.king(!color).is_none() {
            return true;
        }
        if own.is_empty() {
            return false;
        }
        if !self.variant.bare_king_defends() {
            return true;
        }
        if other.any() {
            // His own men can be blown up beside his king, unless nothing is left but
            // bishops that never meet.
            return !self.only_bishops_that_never_meet(own | other);
        }
        let [knights, bishops, rooks] = [PieceType::Knight, PieceType::Bishop, PieceType::Rook]
            .map(|kind| self.of_kind(kind).count());
        if own.count() > knights + bishops + rooks {
            return true;
        }
        let only_knights = bishops + rooks == 0;
        own.count() > if only_knights { 2 } else { 1 }
    }

    fn only_bishops_that_never_meet(&self, men: Bitboard) -> bool {
        let bishops = self.of_kind(PieceType::Bishop);
        let on = |color, squares: Bitboard| (bishops & self.colored(color) & squares).any();
        let (dark, light) = (Bitboard::DARK, Bitboard::LIGHT);
        let meet = (on(Color::White, dark) && on(Color::Black, dark))
            || (on(Color::White, light) && on(Color::Black, light));
        men == bishops && !meet
    }

    /// How often the present position occurred before, back to the last capture, pawn move
    /// or null move.
    pub fn earlier_occurrences(&self) -> usize {
        self.occurrences().count()
    }

    /// True when a search at `ply` plies from its root should call the position a draw by
    /// repetition: it occurred once since the root, or twice before.
    pub fn is_repetition(&self, ply: usize) -> bool {
        let mut occurrences = self.occurrences();
        match occurrences.next() {
            Some(distance) => distance < ply || occurrences.next().is_some(),
            None => false,
        }
    }

    /// Distances in plies to the earlier occurrences, nearest first.
    fn occurrences(&self) -> impl Iterator<Item = usize> {
        let reach = self.state.halfmove.min(self.state.since_null) as usize;
        let history = &self.history;
        (4..=reach.min(history.len()))
            .step_by(2)
            .filter(|distance| history[history.len() - distance].state.key == self.state.key)
    }
}
