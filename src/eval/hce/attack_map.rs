//! The squares that each side attacks, collected by the mobility term for later terms.
//! Invariant: `all` is the union of `by_type`.

use crate::rules::{Bitboard, Color, PieceType};

/// The squares attacked by each side, by type of the attacker. Kings are not included, because
/// they cannot capture.
pub struct AttackMap {
    pub(super) by_type: [[Bitboard; 5]; 2],
    pub(super) all: [Bitboard; 2],
}

impl AttackMap {
    pub fn new() -> AttackMap {
        AttackMap {
            by_type: [[Bitboard::EMPTY; 5]; 2],
            all: [Bitboard::EMPTY; 2],
        }
    }

    pub fn add(&mut self, color: Color, piece_type: PieceType, squares: Bitboard) {
        self.by_type[color.index()][piece_type.index()] |= squares;
        self.all[color.index()] |= squares;
    }
}
