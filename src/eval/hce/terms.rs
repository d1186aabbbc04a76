//! The terms that evaluate each piece on its own: material, piece-square tables, mobility and
//! passed pawns.

use super::params;
use super::tapered::TaperedScore;
use crate::rules::{Bitboard, Color, PieceType, Position, Square, attacks};

/// The squares attacked by each side, by type of the attacker. Kings are not included, because
/// they cannot capture.
#[derive(Default)]
pub struct AttackMap {
    pub(super) by_type: [[Bitboard; 5]; 2],
    /// The union of `by_type`.
    pub(super) all: [Bitboard; 2],
}

impl AttackMap {
    fn add(&mut self, color: Color, piece_type: PieceType, squares: Bitboard) {
        self.by_type[color.index()][piece_type.index()] |= squares;
        self.all[color.index()] |= squares;
    }
}

pub fn material(pos: &Position, color: Color) -> TaperedScore {
    PieceType::ALL.into_iter().fold(TaperedScore::default(), |sum, piece_type| {
        let count = pos.pieces(color, piece_type).count() as i32;
        sum + params::MATERIAL[piece_type.index()] * count
    })
}

pub fn piece_square(pos: &Position, color: Color) -> TaperedScore {
    let mut sum = TaperedScore::default();
    for piece_type in PieceType::ALL {
        for square in pos.pieces(color, piece_type) {
            let file = square.file().min(7 - square.file()) as usize;
            let rank = square.relative_rank(color) as usize;
            sum += params::BY_RANK[piece_type.index()][rank];
            sum += params::BY_FILE[piece_type.index()][file];
        }
    }
    sum
}

/// Mobility of knights to queens. Also adds the attacks of all pieces and pawns to the attack
/// map.
pub fn mobility(pos: &Position, color: Color, attack_map: &mut AttackMap) -> TaperedScore {
    let (occupied, own) = (pos.occupied(), pos.by_color(color));
    let pawns = pos.pieces(color, PieceType::Pawn).forward(color);
    attack_map.add(color, PieceType::Pawn, pawns.east() | pawns.west());
    let mut sum = TaperedScore::default();
    for piece_type in PieceType::PIECES {
        for square in pos.pieces(color, piece_type) {
            let squares = attacks::piece(piece_type, color, square, occupied);
            attack_map.add(color, piece_type, squares);
            sum += params::MOBILITY[piece_type.index() - 1] * (squares - own).count() as i32;
        }
    }
    sum
}

/// Passed pawns by rank and by distance from the enemy king. Blockaders do not count, because
/// any capture next to a blockader explodes it.
pub fn passed_pawns(pos: &Position, color: Color) -> TaperedScore {
    let enemy_pawns = pos.pieces(!color, PieceType::Pawn);
    let enemy_king = pos.king(!color);
    let mut sum = TaperedScore::default();
    for square in pos.pieces(color, PieceType::Pawn) {
        if (passed_pawn_span(square, color) & enemy_pawns).any() {
            continue;
        }
        sum += params::PASSED[square.relative_rank(color) as usize];
        if let Some(king) = enemy_king {
            sum += params::PASSED_DISTANCE * i32::from(king.distance(square));
        }
    }
    sum
}

/// The squares in front of a pawn on its own and the adjacent files.
fn passed_pawn_span(square: Square, color: Color) -> Bitboard {
    let file = Bitboard::file(square.file());
    let files = file | file.east() | file.west();
    let ahead = match color {
        Color::White => Bitboard((!0 << 8) << (8 * square.rank())),
        Color::Black => Bitboard((1 << (8 * square.rank())) - 1),
    };
    files & ahead
}
