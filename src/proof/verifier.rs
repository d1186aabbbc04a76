//! The independent verifier of proofs: replays every reply of the defender with the rules
//! alone. It shares neither code nor hash table with the search.
//! Invariant: a proof that passes is a forced win from its root under all rules, threefold
//! repetition and the fifty-move rule included.

use std::collections::{HashMap, HashSet};
use std::fmt;

use thiserror::Error;

use crate::notation::{coord, fen};
use crate::rules::{Bitboard, CastlingRights, Color, Move, Outcome, PieceType, Position, Square};

/// Statistics of a verified proof.
#[derive(Clone, Debug)]
pub struct VerifiedProof {
    /// Plies to the end against the longest resistance.
    pub plies: usize,
    /// A line of longest resistance.
    pub line: Vec<Move>,
    /// Number of distinct positions with the attacker to move.
    pub positions: usize,
    /// Number of defending moves replayed.
    pub replies: usize,
}

/// Why a proof is invalid, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct ProofError {
    /// The moves from the root to the position.
    pub line: Vec<Move>,
    /// The position.
    pub fen: String,
    /// What is wrong in the position.
    pub kind: ProofErrorKind,
}

/// What is wrong in a position of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProofErrorKind {
    /// The proof contains no move for the attacker.
    #[error("the proof has no move")]
    NoMove,
    /// The proof's move is illegal.
    #[error("the move {} is illegal", coord::write(*.0, true))]
    Illegal(Move),
    /// The game ends without a win of the attacker.
    #[error("the game ends ({0})")]
    GameEnds(Outcome),
    /// The position repeats an earlier position of the line.
    #[error("the line repeats an earlier position")]
    Repetition,
    /// The win comes too late for the fifty-move rule.
    #[error("the fifty-move rule ends the game first")]
    FiftyMoveRule,
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.kind, self.fen)?;
        if !self.line.is_empty() {
            write!(f, " after")?;
        }
        self.line.iter().try_for_each(|&mv| write!(f, " {}", coord::write(mv, true)))
    }
}

#[derive(Clone, Copy, Default)]
struct Resistance {
    /// Plies to the end.
    plies: usize,
    /// Plies that must be left before the fifty-move rule applies.
    clock_needed: u16,
}

/// A position on the current line.
struct VerifierFrame {
    id: PositionId,
    moves: Vec<Move>,
    next: usize,
    worst: Resistance,
}

struct Verifier<'a> {
    pos: Position,
    attacker: Color,
    strategy: &'a dyn Fn(&Position) -> Option<Move>,
    /// Verified positions by [`position_id`], which unlike a hash key cannot collide.
    verified: HashMap<PositionId, Resistance>,
    line: HashSet<PositionId>,
    stack: Vec<VerifierFrame>,
    positions: usize,
    replies: usize,
}

/// Replays all replies to a strategy of `attacker` from `root`. The strategy returns the
/// attacker's move in a position, if it has one.
///
/// # Errors
/// The first error found in the strategy.
///
/// # Examples
///
/// ```
/// use brisance::notation::{coord, fen};
/// use brisance::proof::{ProofErrorKind, verify};
/// use brisance::rules::{Color, Position, Variant};
///
/// // White explodes the king by capturing the pawn beside it.
/// let root = fen::parse("6k1/6p1/8/8/8/8/8/K5R1 w - - 0 1", Variant::Atomic)?;
/// let win = |pos: &Position| coord::parse(pos, "g1g7");
/// assert_eq!(verify(&root, Color::White, &win).expect("valid").plies, 1);
///
/// let nothing = |_: &Position| None;
/// let error = verify(&root, Color::White, &nothing).unwrap_err();
/// assert_eq!(error.kind, ProofErrorKind::NoMove);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify(
    root: &Position,
    attacker: Color,
    strategy: &dyn Fn(&Position) -> Option<Move>,
) -> Result<VerifiedProof, ProofError> {
    let mut verifier = Verifier {
        pos: root.clone(),
        attacker,
        strategy,
        verified: HashMap::new(),
        line: HashSet::new(),
        stack: Vec::new(),
        positions: 0,
        replies: 0,
    };
    let resistance = match verifier.run() {
        Ok(resistance) => resistance,
        Err(kind) => return Err(verifier.error(kind)),
    };
    verifier.pos = root.clone();
    Ok(VerifiedProof {
        plies: resistance.plies,
        line: verifier.longest_line(),
        positions: verifier.positions,
        replies: verifier.replies,
    })
}

impl Verifier<'_> {
    /// Searches depth first with an explicit stack, because a proof file may contain lines of
    /// any length.
    fn run(&mut self) -> Result<Resistance, ProofErrorKind> {
        let mut result = self.enter()?;
        while let Some(frame) = self.stack.last_mut() {
            if let Some(resistance) = result.take() {
                let is_reset = self.pos.halfmove_clock() == 0;
                let clock_needed = if is_reset { 1 } else { resistance.clock_needed + 1 };
                self.pos.unmake();
                frame.worst = Resistance {
                    plies: frame.worst.plies.max(resistance.plies + 1),
                    clock_needed: frame.worst.clock_needed.max(clock_needed),
                };
                frame.next += 1;
            }
            if let Some(&mv) = frame.moves.get(frame.next) {
                self.pos.make(mv);
                self.replies += usize::from(self.pos.side_to_move() == self.attacker);
                result = self.enter()?;
            } else if let Some(frame) = self.stack.pop() {
                self.positions += usize::from(self.pos.side_to_move() == self.attacker);
                self.line.remove(&frame.id);
                self.verified.insert(frame.id, frame.worst);
                result = Some(frame.worst);
            }
        }
        Ok(result.unwrap_or_default())
    }

    /// Returns the resistance of the current position if it is already verified; otherwise
    /// pushes the position on the stack.
    fn enter(&mut self) -> Result<Option<Resistance>, ProofErrorKind> {
        if let Some(outcome) = self.pos.outcome() {
            return if outcome.is_win_of(self.attacker) {
                Ok(Some(Resistance::default()))
            } else {
                Err(ProofErrorKind::GameEnds(outcome))
            };
        }
        let id = position_id(&self.pos);
        if self.line.contains(&id) {
            return Err(ProofErrorKind::Repetition);
        }
        if let Some(&resistance) = self.verified.get(&id) {
            return if self.pos.halfmove_clock() + resistance.clock_needed <= 100 {
                Ok(Some(resistance))
            } else {
                Err(ProofErrorKind::FiftyMoveRule)
            };
        }
        let moves = if self.pos.side_to_move() == self.attacker {
            let mv = (self.strategy)(&self.pos).ok_or(ProofErrorKind::NoMove)?;
            if !self.pos.legal_moves().contains(&mv) {
                return Err(ProofErrorKind::Illegal(mv));
            }
            vec![mv]
        } else {
            let mut moves = self.pos.legal_moves().to_vec();
            // That of Polyglot codes, on which the refutation book relies.
            moves.sort_unstable_by_key(|mv| {
                let promotion = mv.promotion().map(PieceType::index);
                (promotion, mv.from().index(), mv.to().index())
            });
            moves
        };
        self.line.insert(id);
        self.stack.push(VerifierFrame { id, moves, next: 0, worst: Resistance::default() });
        Ok(None)
    }

    fn error(&self, kind: ProofErrorKind) -> ProofError {
        let moves = self.stack.iter().filter_map(|frame| frame.moves.get(frame.next));
        ProofError {
            line: moves.copied().collect(),
            fen: fen::write(&self.pos, Default::default()),
            kind,
        }
    }

    fn longest_line(&mut self) -> Vec<Move> {
        let mut line = Vec::new();
        while self.pos.outcome().is_none() {
            let mv = if self.pos.side_to_move() == self.attacker {
                (self.strategy)(&self.pos)
            } else {
                let moves = self.pos.legal_moves();
                moves.into_iter().max_by_key(|&mv| self.plies_after(mv))
            };
            let Some(mv) = mv else { break };
            self.pos.make(mv);
            line.push(mv);
        }
        line
    }

    fn plies_after(&mut self, mv: Move) -> usize {
        self.pos.make(mv);
        let resistance = self.verified.get(&position_id(&self.pos));
        let plies = resistance.map_or(0, |resistance| resistance.plies);
        self.pos.unmake();
        plies
    }
}

/// A position of a game without its clocks: pieces, side to move, castling rights and en passant.
pub type PositionId = ([Bitboard; 2], [Bitboard; 6], Color, CastlingRights, Option<Square>);

pub fn position_id(pos: &Position) -> PositionId {
    (
        Color::ALL.map(|color| pos.by_color(color)),
        PieceType::ALL.map(|piece_type| pos.by_type(piece_type)),
        pos.side_to_move(),
        pos.castling_rights(),
        pos.en_passant(),
    )
}
