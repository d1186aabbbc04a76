//! The terms that look at one man at a time: material, squares, mobility, passed pawns.

use super::{Pair, Reach, params};
use crate::rules::{Bitboard, Color, PieceType, Position, Square, attacks};

pub(super) fn material(pos: &Position, color: Color) -> Pair {
    PieceType::ALL
        .into_iter()
        .fold(Pair::default(), |sum, kind| {
            sum + params::MATERIAL[kind.index()] * pos.pieces(color, kind).count() as i32
        })
}

pub(super) fn piece_square(pos: &Position, color: Color) -> Pair {
    let mut sum = Pair::default();
    for kind in PieceType::ALL {
        for square in pos.pieces(color, kind) {
            let file = square.file().min(7 - square.file()) as usize;
            sum += params::BY_RANK[kind.index()][square.relative_rank(color) as usize];
            sum += params::BY_FILE[kind.index()][file];
        }
    }
    sum
}

/// Mobility of the pieces; notes what every man attacks in `reach`.
pub(super) fn mobility(pos: &Position, color: Color, reach: &mut Reach) -> Pair {
    let (occupied, own) = (pos.occupied(), pos.colored(color));
    let pawns = pos.pieces(color, PieceType::Pawn).forward(color);
    reach.add(color, PieceType::Pawn, pawns.east() | pawns.west());
    let mut sum = Pair::default();
    for kind in [
        PieceType::Knight,
        PieceType::Bishop,
        PieceType::Rook,
        PieceType::Queen,
    ] {
        for square in pos.pieces(color, kind) {
            let squares = attacks::of(kind, color, square, occupied);
            reach.add(color, kind, squares);
            sum += params::MOBILITY[kind.index() - 1] * (squares - own).count() as i32;
        }
    }
    sum
}

/// Pawns that no enemy pawn can meet on their way. They are hard to stop: a blockader is
/// blown up by any capture beside it, so only the enemy king's distance counts.
pub(super) fn passed_pawns(pos: &Position, color: Color) -> Pair {
    let enemy = pos.pieces(!color, PieceType::Pawn);
    let king = pos.king(!color);
    let mut sum = Pair::default();
    for square in pos.pieces(color, PieceType::Pawn) {
        if (way(square, color) & enemy).any() {
            continue;
        }
        sum += params::PASSED[square.relative_rank(color) as usize];
        if let Some(king) = king {
            sum += params::PASSED_DISTANCE * i32::from(king.distance(square));
        }
    }
    sum
}

/// The squares in front of a pawn, on its own file and on both beside it.
fn way(square: Square, color: Color) -> Bitboard {
    let file = Bitboard::file(square.file());
    let files = file | file.east() | file.west();
    let ahead = match color {
        Color::White => Bitboard((!0 << 8) << (8 * square.rank())),
        Color::Black => Bitboard((1 << (8 * square.rank())) - 1),
    };
    files & ahead
}
