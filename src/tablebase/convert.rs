//! From our positions to shakmaty's, bitboard by bitboard.
//! Invariant: both have their squares in the same order, a1 first.

use std::num::NonZeroU32;

use shakmaty::variant::Atomic;
use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, Color as TheirColor, FromSetup, PositionError,
    Setup, Square,
};

use crate::rules::{Color, PieceType, Position};

/// The same position for shakmaty, with the clock at zero; `None` where it insists on more
/// than our rules say: that the side that has moved is out of check. Castling rights are
/// left out.
pub(super) fn atomic(pos: &Position) -> Option<Atomic> {
    let kind = |kind| Bitboard(pos.of_kind(kind).0);
    let by_role = ByRole {
        pawn: kind(PieceType::Pawn),
        knight: kind(PieceType::Knight),
        bishop: kind(PieceType::Bishop),
        rook: kind(PieceType::Rook),
        queen: kind(PieceType::Queen),
        king: kind(PieceType::King),
    };
    let by_color = ByColor {
        black: Bitboard(pos.colored(Color::Black).0),
        white: Bitboard(pos.colored(Color::White).0),
    };
    let setup = Setup {
        board: Board::try_from_bitboards(by_role, by_color).ok()?,
        turn: TheirColor::from_white(pos.side() == Color::White),
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

/// A number for each set of men: four bits for each kind and colour.
pub(super) fn material(pos: &Position) -> u64 {
    let counts = Color::ALL
        .iter()
        .flat_map(|&color| PieceType::ALL.map(|kind| pos.pieces(color, kind).count()));
    counts.fold(0, |number, count| number << 4 | u64::from(count.min(15)))
}

/// The set of men as tables are named, in White's and Black's order: `KQvKP`.
pub(super) fn name(pos: &Position) -> String {
    let side = |color| {
        let kinds = PieceType::ALL.into_iter().rev();
        let letters = kinds.map(|kind| {
            let count = pos.pieces(color, kind).count() as usize;
            kind.letter().to_ascii_uppercase().to_string().repeat(count)
        });
        letters.collect::<String>()
    };
    format!("{}v{}", side(Color::White), side(Color::Black))
}
