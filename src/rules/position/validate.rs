//! Validation: turns a raw setup into a position.
//! Invariant: every `Position` that does not come from a move passes these checks.

use std::array;

use thiserror::Error;

use super::{Board, Position, StateInfo};
use crate::rules::{Bitboard, Castling, CastlingRights, Color, Piece, PieceType, Square, Variant};

/// The piece on each square, a1 first.
pub type Placement = [Option<Piece>; 64];

/// An unchecked position: everything that a FEN contains.
///
/// # Examples
/// ```
/// use brisance::rules::{Piece, Position, PositionError, Setup, Square, Variant};
///
/// let mut setup = Setup::empty(Variant::Atomic);
/// assert_eq!(Position::from_setup(&setup).err(), Some(PositionError::NoKing));
///
/// let [e1, e8] = ["e1", "e8"].map(|name| Square::parse(name).expect("a square"));
/// setup.board[e1.index()] = Some(Piece::WhiteKing);
/// setup.board[e8.index()] = Some(Piece::BlackKing);
/// let pos = Position::from_setup(&setup).expect("a valid position");
/// assert_eq!(pos.piece_at(e1), Some(Piece::WhiteKing));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The piece on each square, a1 first.
    pub board: Placement,
    /// The side to move.
    pub side_to_move: Color,
    /// The castling rights, each as the colour and the square of the rook.
    pub castling: Vec<(Color, Square)>,
    /// The square that the last double push passed over.
    pub en_passant: Option<Square>,
    /// Plies since the last capture or pawn move.
    pub halfmove_clock: u16,
    /// The number of the full move, from 1.
    pub fullmove_number: u16,
    /// The rules of the game.
    pub variant: Variant,
}

impl Setup {
    /// An empty board with White to move.
    pub fn empty(variant: Variant) -> Setup {
        Setup {
            board: [None; 64],
            side_to_move: Color::White,
            castling: Vec::new(),
            en_passant: None,
            halfmove_clock: 0,
            fullmove_number: 1,
            variant,
        }
    }

    /// The square of the first king of `color`; `None` if it has none.
    pub fn king(&self, color: Color) -> Option<Square> {
        let king = Some(Piece::new(color, PieceType::King));
        Square::all().find(|square| self.board[square.index()] == king)
    }
}

/// Why a setup is not a valid position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum PositionError {
    /// Neither side has a king. A position with one king is a finished game and valid.
    #[error("neither side has a king")]
    NoKing,
    #[error("{0} has more than one king")]
    TooManyKings(Color),
    #[error("{0} has more than 16 pieces")]
    TooManyPieces(Color),
    #[error("a pawn stands on {0}")]
    PawnOnBackRank(Square),
    /// A castling right whose king and rook are not both on the back rank.
    #[error("{0} cannot castle with a rook on {1}")]
    Castling(Color, Square),
    #[error("{0} has a second castling rook on the same side, {1}")]
    DuplicateCastling(Color, Square),
    #[error("no pawn has just passed over {0}")]
    EnPassant(Square),
}

impl Position {
    /// The start position: the same placement as in ordinary chess.
    pub fn startpos(variant: Variant) -> Position {
        use PieceType::*;
        let row = [Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook];
        Position::with_back_rank(row, variant)
    }

    /// The start of a game with these pieces behind the pawns of both sides, whose two rooks can
    /// castle.
    pub(crate) fn with_back_rank(row: [PieceType; 8], variant: Variant) -> Position {
        let mut setup = Setup::empty(variant);
        for color in Color::ALL {
            for (file, piece_type) in row.into_iter().enumerate() {
                let square = |rank| Square::new(file as u8, rank).relative(color);
                setup.board[square(0).index()] = Some(Piece::new(color, piece_type));
                setup.board[square(1).index()] = Some(Piece::new(color, PieceType::Pawn));
                if piece_type == PieceType::Rook {
                    setup.castling.push((color, square(0)));
                }
            }
        }
        Position::from_setup(&setup).expect("a king stands between two rooks")
    }

    /// Builds a position from a setup. An en-passant square without a legal capture is dropped.
    ///
    /// # Errors
    /// The first [`PositionError`] found.
    pub fn from_setup(setup: &Setup) -> Result<Position, PositionError> {
        let mut board = Board::EMPTY;
        for square in Square::all() {
            if let Some(piece) = setup.board[square.index()] {
                board.put(piece, square);
            }
        }
        check_pieces(&board)?;
        let (castling, castling_rights) = castling(setup, &board)?;
        let mut position = Position {
            board,
            side_to_move: setup.side_to_move,
            variant: setup.variant,
            state: StateInfo {
                key: 0,
                castling_rights,
                en_passant: None,
                halfmove_clock: setup.halfmove_clock,
                plies_from_null: setup.halfmove_clock,
                fullmove_number: setup.fullmove_number.max(1),
            },
            castling,
            history: Vec::new(),
        };
        if let Some(square) = setup.en_passant {
            position.check_en_passant(square)?;
            position.state.en_passant = position.has_en_passant(square).then_some(square);
        }
        position.state.key = position.compute_key();
        Ok(position)
    }

    /// The position with colours and ranks swapped, without its history.
    ///
    /// # Errors
    /// As for [`Position::from_setup`].
    pub fn flipped(&self) -> Result<Position, PositionError> {
        let flip = |piece: Piece| Piece::new(!piece.color(), piece.piece_type());
        let setup = self.setup();
        let castling = setup.castling.iter();
        Position::from_setup(&Setup {
            board: array::from_fn(|index| {
                setup.board[Square::from_index(index as u32).flip().index()].map(flip)
            }),
            side_to_move: !setup.side_to_move,
            castling: castling.map(|&(color, rook)| (!color, rook.flip())).collect(),
            en_passant: setup.en_passant.map(Square::flip),
            ..setup
        })
    }

    /// The setup that gives this position, without its history.
    pub(crate) fn setup(&self) -> Setup {
        Setup {
            board: array::from_fn(|index| self.piece_at(Square::from_index(index as u32))),
            side_to_move: self.side_to_move,
            castling: self.castlings().map(|(color, _, rook)| (color, rook)).collect(),
            en_passant: self.en_passant(),
            halfmove_clock: self.halfmove_clock(),
            fullmove_number: self.fullmove_number(),
            variant: self.variant,
        }
    }

    fn check_en_passant(&self, square: Square) -> Result<(), PositionError> {
        let them = !self.side_to_move;
        let behind = Bitboard::from_square(square).forward(!them);
        let pushed = Bitboard::from_square(square).forward(them);
        let is_possible = square.relative_rank(them) == 2
            && ((behind.with(square)) & self.occupied()).is_empty()
            && (pushed & self.pieces(them, PieceType::Pawn)).any();
        if is_possible { Ok(()) } else { Err(PositionError::EnPassant(square)) }
    }
}

fn check_pieces(board: &Board) -> Result<(), PositionError> {
    let kings = board.by_type(PieceType::King);
    if kings.is_empty() {
        return Err(PositionError::NoKing);
    }
    for color in Color::ALL {
        if (kings & board.by_color(color)).more_than_one() {
            return Err(PositionError::TooManyKings(color));
        }
        if board.by_color(color).count() > 16 {
            return Err(PositionError::TooManyPieces(color));
        }
    }
    match (board.by_type(PieceType::Pawn) & Bitboard::BACK_RANKS).first() {
        Some(square) => Err(PositionError::PawnOnBackRank(square)),
        None => Ok(()),
    }
}

fn castling(setup: &Setup, board: &Board) -> Result<(Castling, CastlingRights), PositionError> {
    let (mut castling, mut rights) = (Castling::NONE, CastlingRights::NONE);
    for &(color, rook) in &setup.castling {
        let king = setup.king(color).ok_or(PositionError::Castling(color, rook))?;
        let on_back_rank = |square: Square| square.relative_rank(color) == 0;
        let is_rook = board.piece_at(rook) == Some(Piece::new(color, PieceType::Rook));
        if !on_back_rank(king) || !on_back_rank(rook) || !is_rook {
            return Err(PositionError::Castling(color, rook));
        }
        let side = Castling::side_of(king, rook);
        if rights.has(color, side) {
            return Err(PositionError::DuplicateCastling(color, rook));
        }
        castling.add(color, side, king, rook);
        rights = rights.with(color, side);
    }
    Ok((castling, rights))
}
