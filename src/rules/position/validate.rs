//! The one definition of a valid position, and the way from raw placement to it.

use std::fmt;

use super::{Board, Position, State};
use crate::rules::{Bitboard, Castling, CastlingRights, Color, Piece, PieceType, Square, Variant};

/// The man on each square, a1 first.
pub type Placement = [Option<Piece>; 64];

/// Anything a position's text can say, not yet checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The man on each square.
    pub men: Placement,
    /// The side to move.
    pub side: Color,
    /// The rooks that may still castle, with their colour.
    pub castling: Vec<(Color, Square)>,
    /// The square passed over by the last double push.
    pub en_passant: Option<Square>,
    /// Half-moves since the last capture or pawn move.
    pub halfmove: u16,
    /// Number of the move pair, from 1.
    pub fullmove: u16,
    /// The rules.
    pub variant: Variant,
}

impl Setup {
    /// An empty board with White to move.
    pub fn empty(variant: Variant) -> Setup {
        Setup {
            men: [None; 64],
            side: Color::White,
            castling: Vec::new(),
            en_passant: None,
            halfmove: 0,
            fullmove: 1,
            variant,
        }
    }

    /// Where the one king of `color` stands.
    pub fn king(&self, color: Color) -> Option<Square> {
        let king = Some(Piece::new(color, PieceType::King));
        Square::all().find(|square| self.men[square.index()] == king)
    }
}

/// Why a setup is no position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Neither side has a king; one missing king is a finished game, two are nothing.
    NoKing,
    /// A side has more than one king.
    ManyKings(Color),
    /// A side has more than sixteen men.
    ManyMen(Color),
    /// A pawn stands on the first or eighth rank.
    PawnOnBackRank(Square),
    /// A castling right without its rook, its king, or both on the back rank.
    Castling(Color, Square),
    /// Two castling rights towards the same side.
    CastlingTwice(Color, Square),
    /// No double push can have passed over this square.
    EnPassant(Square),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NoKing => write!(f, "neither side has a king"),
            Fault::ManyKings(color) => write!(f, "{color} has more than one king"),
            Fault::ManyMen(color) => write!(f, "{color} has more than 16 men"),
            Fault::PawnOnBackRank(square) => write!(f, "a pawn stands on {square}"),
            Fault::Castling(color, square) => {
                write!(f, "{color} cannot castle with a rook on {square}")
            }
            Fault::CastlingTwice(color, square) => {
                write!(
                    f,
                    "{color} has a second castling rook on the same side, {square}"
                )
            }
            Fault::EnPassant(square) => write!(f, "no pawn has just passed over {square}"),
        }
    }
}

impl std::error::Error for Fault {}

impl Position {
    /// The position that a setup describes. An en-passant square without a legal capture
    /// is dropped.
    ///
    /// # Errors
    /// The first [`Fault`] found.
    pub fn from_setup(setup: &Setup) -> Result<Position, Fault> {
        let mut board = Board::EMPTY;
        for square in Square::all() {
            if let Some(piece) = setup.men[square.index()] {
                board.put(piece, square);
            }
        }
        check_men(&board)?;
        let (castling, rights) = castling(setup, &board)?;
        let mut position = Position {
            board,
            side: setup.side,
            variant: setup.variant,
            state: State {
                key: 0,
                rights,
                en_passant: None,
                halfmove: setup.halfmove,
                since_null: setup.halfmove,
                fullmove: setup.fullmove.max(1),
            },
            castling,
            history: Vec::new(),
        };
        if let Some(square) = setup.en_passant {
            position.check_en_passant(square)?;
            position.state.en_passant = position.has_en_passant(square).then_some(square);
        }
        position.state.key = position.recomputed_key();
        Ok(position)
    }

    fn check_en_passant(&self, square: Square) -> Result<(), Fault> {
        let them = !self.side;
        let behind = Bitboard::from_square(square).forward(!them);
        let pushed = Bitboard::from_square(square).forward(them);
        let fits = square.relative_rank(them) == 2
            && ((behind.with(square)) & self.occupied()).is_empty()
            && (pushed & self.pieces(them, PieceType::Pawn)).any();
        if fits {
            Ok(())
        } else {
            Err(Fault::EnPassant(square))
        }
    }
}

fn check_men(board: &Board) -> Result<(), Fault> {
    let kings = board.of_kind(PieceType::King);
    if kings.is_empty() {
        return Err(Fault::NoKing);
    }
    for color in Color::ALL {
        if (kings & board.colored(color)).more_than_one() {
            return Err(Fault::ManyKings(color));
        }
        if board.colored(color).count() > 16 {
            return Err(Fault::ManyMen(color));
        }
    }
    match (board.of_kind(PieceType::Pawn) & Bitboard::BACK_RANKS).first() {
        Some(square) => Err(Fault::PawnOnBackRank(square)),
        None => Ok(()),
    }
}

fn castling(setup: &Setup, board: &Board) -> Result<(Castling, CastlingRights), Fault> {
    let (mut castling, mut rights) = (Castling::NONE, CastlingRights::NONE);
    for &(color, rook) in &setup.castling {
        let king = setup.king(color).ok_or(Fault::Castling(color, rook))?;
        let at_home = |square: Square| square.relative_rank(color) == 0;
        let is_rook = board.piece_at(rook) == Some(Piece::new(color, PieceType::Rook));
        if !at_home(king) || !at_home(rook) || !is_rook {
            return Err(Fault::Castling(color, rook));
        }
        let side = Castling::side_of(king, rook);
        if rights.has(color, side) {
            return Err(Fault::CastlingTwice(color, rook));
        }
        castling.add(color, side, king, rook);
        rights = rights.with(color, side);
    }
    Ok((castling, rights))
}
