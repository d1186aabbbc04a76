//! A position: men, side to move, rights, clocks, and the history that leads to it.
//! Invariant: at most one king a side and at least one in all; the key is that of the state.

mod board;
mod cycle;
mod legal;
mod make;
mod movegen;
mod outcome;
mod validate;

use std::fmt;

use arrayvec::ArrayVec;

use super::{
    Bitboard, Castling, CastlingRights, Color, Move, MoveList, Piece, PieceType, Square, Variant,
    attacks, zobrist,
};
use board::Board;

pub use movegen::{Noisy, Quiet, Stage};
pub use outcome::{Outcome, Reason};
pub use validate::{Fault, Placement, Setup};

/// What one move did to the men: the list that unmake, keys and evaluation read.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Change {
    /// Men that left their square: the mover first; with a capture all that exploded
    /// (mover, victim and eight neighbours at most).
    pub removed: ArrayVec<(Piece, Square), 10>,
    /// Men that arrived: none after a capture, two after castling, else one.
    pub added: ArrayVec<(Piece, Square), 2>,
}

/// What a move changes beyond the men and cannot be worked out backwards.
#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    key: u64,
    rights: CastlingRights,
    en_passant: Option<Square>,
    halfmove: u16,
    since_null: u16,
    fullmove: u16,
}

#[derive(Clone)]
struct Undo {
    state: State,
    mv: Option<Move>,
    change: Change,
}

/// A position of atomic chess with its history.
#[derive(Clone)]
pub struct Position {
    board: Board,
    side: Color,
    variant: Variant,
    state: State,
    castling: Castling,
    history: Vec<Undo>,
}

impl Position {
    /// The start position of the game.
    pub fn startpos(variant: Variant) -> Position {
        use PieceType::*;
        const BACK: [PieceType; 8] = [Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook];
        let mut setup = Setup::empty(variant);
        for color in Color::ALL {
            for (file, kind) in BACK.into_iter().enumerate() {
                let square = |rank| Square::new(file as u8, rank).relative(color);
                setup.men[square(0).index()] = Some(Piece::new(color, kind));
                setup.men[square(1).index()] = Some(Piece::new(color, Pawn));
            }
            setup
                .castling
                .push((color, Square::new(7, 0).relative(color)));
            setup
                .castling
                .push((color, Square::new(0, 0).relative(color)));
        }
        Position::from_setup(&setup).expect("the start position is valid")
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board.piece_at(square)
    }

    /// All men of one colour.
    #[inline]
    pub fn colored(&self, color: Color) -> Bitboard {
        self.board.colored(color)
    }

    /// All men of one type, both colours.
    #[inline]
    pub fn of_kind(&self, kind: PieceType) -> Bitboard {
        self.board.of_kind(kind)
    }

    /// All men of one colour and type.
    #[inline]
    pub fn pieces(&self, color: Color, kind: PieceType) -> Bitboard {
        self.board.colored(color) & self.board.of_kind(kind)
    }

    /// Every occupied square.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.board.colored(Color::White) | self.board.colored(Color::Black)
    }

    /// Where the king of `color` stands; `None` once it has exploded.
    #[inline]
    pub fn king(&self, color: Color) -> Option<Square> {
        self.pieces(color, PieceType::King).first()
    }

    /// The side to move.
    #[inline]
    pub fn side(&self) -> Color {
        self.side
    }

    /// The rules in force.
    #[inline]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Castlings that have not been lost.
    #[inline]
    pub fn rights(&self) -> CastlingRights {
        self.state.rights
    }

    /// Where this game's kings and rooks started.
    #[inline]
    pub fn castling(&self) -> &Castling {
        &self.castling
    }

    /// The square a legal en-passant capture would land on; `None` when there is none.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        self.state.en_passant
    }

    /// Half-moves since the last capture or pawn move.
    #[inline]
    pub fn halfmove(&self) -> u16 {
        self.state.halfmove
    }

    /// Number of the current move pair, from 1.
    #[inline]
    pub fn fullmove(&self) -> u16 {
        self.state.fullmove
    }

    /// Zobrist key of men, side, rights and (legal) en passant; not of the variant.
    #[inline]
    pub fn key(&self) -> u64 {
        self.state.key
    }

    /// The key after a quiet move, as long as it changes neither castling rights nor the right to
    /// capture en passant: what to look up early, not to rely on.
    #[inline]
    pub fn likely_key(&self, mv: Move) -> u64 {
        let moved = self.piece_at(mv.from()).map_or(0, |piece| {
            zobrist::piece(piece, mv.from()) ^ zobrist::piece(piece, mv.to())
        });
        self.state.key ^ moved ^ zobrist::turn()
    }

    /// The key worked out from nothing; equals [`Position::key`] by invariant.
    pub fn recomputed_key(&self) -> u64 {
        self.full_key(self.board.rebuilt().key())
    }

    fn full_key(&self, men: u64) -> u64 {
        men ^ zobrist::context(self.side, self.state.rights, self.state.en_passant)
    }

    /// Plies made on this object and not taken back.
    #[inline]
    pub fn ply(&self) -> usize {
        self.history.len()
    }

    /// What the last move did to the men; `None` before the first move.
    #[inline]
    pub fn last_change(&self) -> Option<&Change> {
        self.history.last().map(|undo| &undo.change)
    }

    /// What the move made at `ply` did to the men.
    ///
    /// # Panics
    /// When no move was made at that ply.
    #[inline]
    pub fn change_at(&self, ply: usize) -> &Change {
        &self.history[ply].change
    }

    /// The last move; `None` before the first and after a null move.
    #[inline]
    pub fn last_move(&self) -> Option<Move> {
        self.history.last().and_then(|undo| undo.mv)
    }

    /// True when both kings stand side by side, which makes both immune to check.
    #[inline]
    pub fn kings_touch(&self) -> bool {
        match self.king(Color::White) {
            Some(king) => (attacks::king(king) & self.pieces(Color::Black, PieceType::King)).any(),
            None => false,
        }
    }

    /// Men of both colours that attack `square` when `occupied` is occupied.
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let of = |kind| self.of_kind(kind);
        let queens = of(PieceType::Queen);
        (attacks::pawn(Color::Black, square) & self.pieces(Color::White, PieceType::Pawn))
            | (attacks::pawn(Color::White, square) & self.pieces(Color::Black, PieceType::Pawn))
            | (attacks::knight(square) & of(PieceType::Knight))
            | (attacks::king(square) & of(PieceType::King))
            | (attacks::rook(square, occupied) & (of(PieceType::Rook) | queens))
            | (attacks::bishop(square, occupied) & (of(PieceType::Bishop) | queens))
    }

    /// Men that give check to the side to move; empty while kings touch, once a king is
    /// gone, and in the variant without check.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        let (us, them) = (self.side, !self.side);
        match (self.king(us), self.king(them)) {
            (Some(king), Some(other))
                if self.variant.has_check() && !attacks::king(king).contains(other) =>
            {
                self.attackers_to(king, self.occupied()) & self.colored(them)
            }
            _ => Bitboard::EMPTY,
        }
    }

    /// True when the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.checkers().any()
    }

    /// True when the two positions have the same men, side, rights and en-passant square.
    pub fn same_as(&self, other: &Position) -> bool {
        self.board == other.board
            && self.side == other.side
            && self.variant == other.variant
            && self.state.rights == other.state.rights
            && self.state.en_passant == other.state.en_passant
    }

    /// A position with the men, clocks and rights of this one and no history, so that
    /// earlier repetitions are forgotten.
    pub fn without_history(&self) -> Position {
        Position {
            history: Vec::new(),
            ..self.clone()
        }
    }
}

/// The board from Black's back rank down, and the side to move.
impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            for file in 0..8 {
                let piece = self.piece_at(Square::new(file, rank));
                write!(f, "{}", piece.map_or('.', |piece| piece.letter()))?;
            }
            writeln!(f)?;
        }
        write!(f, "{} to move", self.side)
    }
}
