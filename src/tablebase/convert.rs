//! Conversion of positions to shakmaty by copying bitboards.
//! Invariant: both crates number the squares in the same order, a1 first.

use std::num::NonZeroU32;

use shakmaty::variant::Atomic;
use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, Color as ShakmatyColor, FromSetup,
    PositionError, Setup, Square,
};

use crate::rules::{Color, PieceType, Position};

/// The position for shakmaty, without castling rights and with the clocks reset; `None` if shakmaty
/// rejects it because the side that has just moved is in check.
pub fn to_shakmaty(pos: &Position) -> Option<Atomic> {
    // Roles are numbered as piece types are, but from 1.
    let piece_type = |role| PieceType::ALL[usize::from(role) - 1];
    let by_role = ByRole::new_with(|role| Bitboard(pos.by_type(piece_type(role)).0));
    let by_color = ByColor {
        black: Bitboard(pos.by_color(Color::Black).0),
        white: Bitboard(pos.by_color(Color::White).0),
    };
    let setup = Setup {
        board: Board::try_from_bitboards(by_role, by_color).ok()?,
        turn: ShakmatyColor::from_white(pos.side_to_move() == Color::White),
        ep_square: pos
            .en_passant()
            .map(|square| Square::new(square.index() as u32)),
        halfmoves: 0,
        fullmoves: NonZeroU32::MIN,
        ..Setup::empty()
    };
    Atomic::from_setup(setup, CastlingMode::Chess960)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .ok()
}
