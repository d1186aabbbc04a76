//! The threats around a quiet move, which select a bias of the policy head: the activations describe
//! the position, but not what a move attacks and by what it is attacked.
//! Invariant: flipping the board and swapping the colours leaves the index of a move as it is.

use crate::rules::{Bitboard, CheckInfo, PieceType, Position, Square, attacks};

/// Threats that are present or not: see [`PolicyThreats::index`].
const THREATS: usize = 8;
/// Biases of the policy head by piece type and threats.
pub const THREAT_BIASES: usize = PieceType::ALL.len() << THREATS;

/// What decides the threats around the quiet moves of a position.
pub struct PolicyThreats<'a> {
    check_info: &'a CheckInfo,
    /// Squares that enemy pieces attack. The king captures nothing.
    attacked: Bitboard,
    /// Squares that enemy pawns attack.
    pawn_attacked: Bitboard,
    /// Squares in the blast of the capture of an own piece that is attacked.
    blasted: Bitboard,
    /// Squares beside the enemy king.
    enemy_ring: Bitboard,
    /// Squares beside the mover's king.
    own_ring: Bitboard,
}

impl<'a> PolicyThreats<'a> {
    /// The threats for the side to move of `pos`, with its check info; `None` if a king is missing.
    pub fn new(pos: &Position, check_info: &'a CheckInfo) -> Option<PolicyThreats<'a>> {
        let (us, occupied) = (pos.side_to_move(), pos.occupied());
        let (king, enemy_king) = (pos.king(us)?, pos.king(!us)?);
        let mut pawn_attacked = Bitboard::EMPTY;
        for square in pos.pieces(!us, PieceType::Pawn) {
            pawn_attacked |= attacks::pawn(!us, square);
        }
        let mut attacked = pawn_attacked;
        for piece_type in PieceType::PIECES {
            for square in pos.pieces(!us, piece_type) {
                attacked |= attacks::piece(piece_type, !us, square, occupied);
            }
        }
        Some(PolicyThreats {
            check_info,
            attacked,
            pawn_attacked,
            blasted: (attacked & pos.by_color(us)).expanded(),
            enemy_ring: attacks::king(enemy_king),
            own_ring: attacks::king(king),
        })
    }

    /// The bias of a quiet move of a piece: the index is the piece type, then a bit for each of these,
    /// the last in the lowest bit.
    ///
    /// - the new square attacks a piece whose capture explodes the enemy king;
    /// - the new square gives check;
    /// - the piece leaves a square in the blast of a capture that the opponent has;
    /// - it enters such a square;
    /// - the new square is attacked; by a pawn;
    /// - it is beside the enemy king; beside the mover's king.
    #[inline]
    pub fn index(&self, piece_type: PieceType, from: Square, to: Square) -> usize {
        self.of_piece(piece_type, from).index(to)
    }

    /// The threats around the quiet moves of a piece on `from`.
    #[inline]
    pub(super) fn of_piece(&self, piece_type: PieceType, from: Square) -> PieceThreats<'_> {
        PieceThreats {
            position: self,
            piece: piece_type.index() << THREATS | usize::from(self.blasted.contains(from)) << 5,
            explosion_squares: self.check_info.explosion_squares.of(piece_type),
            check_squares: self.check_info.check_squares.of(piece_type),
        }
    }
}

/// The threats around the quiet moves of one piece.
pub(super) struct PieceThreats<'a> {
    position: &'a PolicyThreats<'a>,
    /// The part of the index that is the same for all moves.
    piece: usize,
    explosion_squares: Bitboard,
    check_squares: Bitboard,
}

impl PieceThreats<'_> {
    /// See [`PolicyThreats::index`].
    #[inline]
    pub(super) fn index(&self, to: Square) -> usize {
        let bit = |board: Bitboard| usize::from(board.contains(to));
        self.piece
            | bit(self.explosion_squares) << 7
            | bit(self.check_squares) << 6
            | bit(self.position.blasted) << 4
            | bit(self.position.attacked) << 3
            | bit(self.position.pawn_attacked) << 2
            | bit(self.position.enemy_ring) << 1
            | bit(self.position.own_ring)
    }
}
