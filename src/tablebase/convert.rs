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
    let by_type = |piece_type| Bitboard(pos.by_type(piece_type).0);
    let by_role = ByRole {
        pawn: by_type(PieceType::Pawn),
        knight: by_type(PieceType::Knight),
        bishop: by_type(PieceType::Bishop),
        rook: by_type(PieceType::Rook),
        queen: by_type(PieceType::Queen),
        king: by_type(PieceType::King),
    };
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

/// A key for the material of a position: four bits for each piece type and colour.
pub fn material_key(pos: &Position) -> u64 {
    let counts = Color::ALL
        .iter()
        .flat_map(|&color| PieceType::ALL.map(|piece_type| pos.pieces(color, piece_type).count()));
    counts.fold(0, |key, count| key << 4 | u64::from(count.min(15)))
}

/// The material of a position as in table names, White first: `KQvKP`.
pub fn material_name(pos: &Position) -> String {
    let side = |color| {
        let piece_types = PieceType::ALL.into_iter().rev();
        let letters = piece_types.map(|piece_type| {
            let count = pos.pieces(color, piece_type).count() as usize;
            piece_type
                .letter()
                .to_ascii_uppercase()
                .to_string()
                .repeat(count)
        });
        letters.collect::<String>()
    };
    format!("{}v{}", side(Color::White), side(Color::Black))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::notation::fen;
    use crate::rules::Variant;

    #[test]
    fn each_material_has_a_name_and_a_key() {
        let mut keys = HashSet::new();
        for (text, name) in [
            ("4k3/8/8/8/8/8/8/4K3 w - -", "KvK"),
            ("4k3/8/8/8/8/8/8/4KQ2 w - -", "KQvK"),
            ("4kq2/8/8/8/8/8/8/4K3 w - -", "KvKQ"),
            ("4k3/8/8/8/8/8/8/1N1RK3 b - -", "KRNvK"),
            ("4k3/3pp3/8/8/8/8/8/1N1BK2R b - -", "KRBNvKPP"),
            ("4k3/8/8/8/8/8/8/1N1NK3 w - -", "KNNvK"),
            ("4k3/8/8/8/8/8/8/1N1BK3 w - -", "KBNvK"),
            ("4kn2/8/8/8/8/8/8/3NK3 w - -", "KNvKN"),
        ] {
            let pos = fen::parse(text, Variant::Atomic).expect("a position");
            assert_eq!(material_name(&pos), name);
            assert!(keys.insert(material_key(&pos)), "{name}");
        }
    }
}
