//! A position: pieces, side to move, castling rights, clocks and the moves that led to it.
//! Invariant: each side has at most one king and at least one king is on the board; the Zobrist key
//! always matches the state.

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
    Bitboard, Castling, CastlingRights, CastlingSide, Color, Move, MoveList, Piece, PieceType,
    Square, Variant, attacks, zobrist,
};
use board::Board;

pub(crate) use movegen::QuietFilter;
pub use movegen::{GenType, Noisy, Quiet};
pub use outcome::{Outcome, OutcomeReason};
pub use validate::{Placement, PositionError, Setup};

/// The pieces that one move removed and added. `unmake`, the Zobrist key and the evaluation all
/// read this list.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Change {
    /// Pieces that left their square, the moving piece first. After a capture these are all
    /// exploded pieces: at most the capturing piece, the captured one and eight around it.
    pub removed: ArrayVec<(Piece, Square), 10>,
    /// Pieces placed on a square: none after a capture, two after castling, otherwise one.
    pub added: ArrayVec<(Piece, Square), 2>,
}

/// The part of a position, apart from the pieces, that `unmake` cannot recompute from the move.
#[derive(Clone, PartialEq, Eq, Debug)]
struct StateInfo {
    key: u64,
    castling_rights: CastlingRights,
    en_passant: Option<Square>,
    halfmove_clock: u16,
    plies_from_null: u16,
    fullmove_number: u16,
}

/// What `unmake` needs to take a move back; `mv` is `None` for a null move.
#[derive(Clone)]
struct Undo {
    state: StateInfo,
    mv: Option<Move>,
    change: Change,
}

/// A position of atomic chess with the moves that led to it.
///
/// # Examples
/// Making and unmaking moves:
/// ```
/// use brisance::notation::coord;
/// use brisance::rules::{Color, Position, Variant};
///
/// let mut pos = Position::startpos(Variant::Atomic);
/// assert_eq!(pos.legal_moves().len(), 20);
///
/// let key = pos.key();
/// for text in ["g1f3", "a7a6", "f3g5", "a6a5"] {
///     let mv = coord::parse(&pos, text).expect("a legal move");
///     pos.make(mv);
/// }
/// assert_eq!(pos.side_to_move(), Color::White);
/// // The knight can capture on f7: the explosion reaches the king on e8.
/// let mv = pos.win_in_one().expect("a winning capture");
/// pos.make(mv);
/// let outcome = pos.outcome().expect("the game is over");
/// assert_eq!(outcome.to_string(), "White wins by explosion");
///
/// while pos.ply() > 0 {
///     pos.unmake();
/// }
/// assert_eq!(pos.key(), key);
/// ```
#[derive(Clone)]
pub struct Position {
    board: Board,
    side_to_move: Color,
    variant: Variant,
    state: StateInfo,
    castling: Castling,
    history: Vec<Undo>,
}

impl Position {
    /// The piece on a square; `None` if the square is empty.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board.piece_at(square)
    }

    /// The squares of all pieces of one colour.
    #[inline]
    pub fn by_color(&self, color: Color) -> Bitboard {
        self.board.by_color(color)
    }

    /// The squares of all pieces of one type, both colours.
    #[inline]
    pub fn by_type(&self, kind: PieceType) -> Bitboard {
        self.board.by_type(kind)
    }

    /// The squares of all pieces of one colour and type.
    #[inline]
    pub fn pieces(&self, color: Color, kind: PieceType) -> Bitboard {
        self.board.by_color(color) & self.board.by_type(kind)
    }

    /// The rooks and queens, and the bishops and queens, of both colours.
    #[inline]
    fn sliders(&self) -> (Bitboard, Bitboard) {
        let queens = self.by_type(PieceType::Queen);
        (self.by_type(PieceType::Rook) | queens, self.by_type(PieceType::Bishop) | queens)
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.board.by_color(Color::White) | self.board.by_color(Color::Black)
    }

    /// The square of the king of `color`; `None` once it has exploded.
    #[inline]
    pub fn king(&self, color: Color) -> Option<Square> {
        self.pieces(color, PieceType::King).first()
    }

    /// The side to move.
    #[inline]
    pub fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// The rules of this game.
    #[inline]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The castling rights of both sides.
    #[inline]
    pub fn castling_rights(&self) -> CastlingRights {
        self.state.castling_rights
    }

    /// The castling geometry: rook squares, paths and destinations.
    #[inline]
    pub fn castling(&self) -> &Castling {
        &self.castling
    }

    /// True when a castling right belongs to a king or rook that is not on its square of ordinary
    /// chess, so that castling moves and FENs need Chess960 notation.
    ///
    /// # Examples
    /// ```
    /// use brisance::notation::fen;
    /// use brisance::rules::{Position, Variant};
    ///
    /// assert!(!Position::startpos(Variant::Atomic).needs_chess960());
    /// let text = "4k3/8/8/8/8/8/8/4K1R1 w G - 0 1";
    /// let pos = fen::parse(text, Variant::Atomic).expect("a position");
    /// assert!(pos.needs_chess960());
    /// ```
    pub fn needs_chess960(&self) -> bool {
        self.castlings().any(|(color, _, rook)| {
            let king = self.king(color);
            king.is_none_or(|king| !Castling::is_standard(king, rook))
        })
    }

    /// The castling rights, White's first and the king's side first, with the square of the rook.
    pub(crate) fn castlings(&self) -> impl Iterator<Item = (Color, CastlingSide, Square)> {
        let sides = Color::ALL.map(|color| CastlingSide::ALL.map(|side| (color, side)));
        let rights = sides.into_iter().flatten().filter_map(|(color, side)| {
            let rook = self.castling.rook(color, side)?;
            Some((color, side, rook))
        });
        rights.filter(|&(color, side, _)| self.state.castling_rights.has(color, side))
    }

    /// The destination of a legal en-passant capture; `None` if there is none.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        self.state.en_passant
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    pub fn halfmove_clock(&self) -> u16 {
        self.state.halfmove_clock
    }

    /// The number of the current full move, from 1.
    #[inline]
    pub fn fullmove_number(&self) -> u16 {
        self.state.fullmove_number
    }

    /// The Zobrist key of pieces, side to move, castling rights and legal en passant. The variant
    /// and the clocks are not part of it.
    ///
    /// # Examples
    /// ```
    /// use brisance::notation::fen;
    /// use brisance::rules::Variant;
    ///
    /// let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
    /// let without_square = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 4 9";
    /// // No black pawn can capture en passant, so both are the same position.
    /// let keys = [after_e4, without_square]
    ///     .map(|text| fen::parse(text, Variant::Atomic).expect("a position").key());
    /// assert_eq!(keys[0], keys[1]);
    /// ```
    #[inline]
    pub fn key(&self) -> u64 {
        self.state.key
    }

    /// The key after a quiet move that changes neither castling rights nor en passant, and an
    /// approximation after any other move. Good enough to prefetch a hash-table entry.
    #[inline]
    pub(crate) fn key_after(&self, mv: Move) -> u64 {
        let moved = self
            .piece_at(mv.from())
            .map_or(0, |piece| zobrist::piece(piece, mv.from()) ^ zobrist::piece(piece, mv.to()));
        self.state.key ^ moved ^ zobrist::side_to_move()
    }

    /// The key after a null move, if no pawn can capture en passant now. Good enough to prefetch a
    /// hash-table entry.
    #[inline]
    pub(crate) fn key_after_null(&self) -> u64 {
        self.state.key ^ zobrist::side_to_move()
    }

    /// The key computed from scratch; always equal to [`Position::key`].
    pub fn compute_key(&self) -> u64 {
        self.full_key(self.board.rebuilt().key())
    }

    fn full_key(&self, board_key: u64) -> u64 {
        board_key
            ^ zobrist::state(self.side_to_move, self.state.castling_rights, self.state.en_passant)
    }

    /// The number of moves made on this object and not taken back, null moves included.
    #[inline]
    pub fn ply(&self) -> usize {
        self.history.len()
    }

    /// The pieces that the last move removed and added; `None` before the first move.
    #[inline]
    pub fn last_change(&self) -> Option<&Change> {
        self.history.last().map(|undo| &undo.change)
    }

    /// The pieces that the move made at `ply` removed and added.
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

    /// True when the kings are adjacent, which makes both immune to check.
    #[inline]
    pub fn kings_touch(&self) -> bool {
        match self.king(Color::White) {
            Some(king) => (attacks::king(king) & self.pieces(Color::Black, PieceType::King)).any(),
            None => false,
        }
    }

    /// The pieces of both colours that attack `square`, given the occupied squares.
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let by_type = |piece_type| self.by_type(piece_type);
        let (straight, diagonal) = self.sliders();
        (attacks::pawn(Color::Black, square) & self.pieces(Color::White, PieceType::Pawn))
            | (attacks::pawn(Color::White, square) & self.pieces(Color::Black, PieceType::Pawn))
            | (attacks::knight(square) & by_type(PieceType::Knight))
            | (attacks::king(square) & by_type(PieceType::King))
            | (attacks::rook(square, occupied) & straight)
            | (attacks::bishop(square, occupied) & diagonal)
    }

    /// The pieces that give check to the side to move; empty while the kings are adjacent, after
    /// the explosion of a king, and in the variant without check.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        let (us, them) = (self.side_to_move, !self.side_to_move);
        match (self.king(us), self.king(them)) {
            (Some(king), Some(other))
                if self.variant.has_check() && !attacks::king(king).contains(other) =>
            {
                self.attackers_to(king, self.occupied()) & self.by_color(them)
            }
            _ => Bitboard::EMPTY,
        }
    }

    /// True when the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.checkers().any()
    }

    /// True when two positions have the same pieces, side to move, castling rights, en-passant
    /// square and variant; clocks and history may differ.
    pub fn same_as(&self, other: &Position) -> bool {
        self.board == other.board
            && self.side_to_move == other.side_to_move
            && self.variant == other.variant
            && self.state.castling_rights == other.state.castling_rights
            && self.state.en_passant == other.state.en_passant
    }

    /// The position after a legal move, with the history.
    pub fn after(&self, mv: Move) -> Position {
        let mut after = self.clone();
        after.make(mv);
        after
    }

    /// A copy without the moves that led to the position, so that earlier occurrences no longer
    /// count as repetitions.
    pub fn without_history(&self) -> Position {
        // `..self.clone()` would copy the history first.
        Position {
            board: self.board.clone(),
            side_to_move: self.side_to_move,
            variant: self.variant,
            state: self.state.clone(),
            castling: self.castling.clone(),
            history: Vec::new(),
        }
    }
}

/// The board from the eighth rank down, and the side to move.
impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            for file in 0..8 {
                let piece = self.piece_at(Square::new(file, rank));
                write!(f, "{}", piece.map_or('.', |piece| piece.letter()))?;
            }
            writeln!(f)?;
        }
        write!(f, "{} to move", self.side_to_move)
    }
}
