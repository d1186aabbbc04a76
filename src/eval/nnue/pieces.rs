//! The pieces of a position as the network sees them, and the inputs that depend on several of them.
//! Invariant: the lists hold the inputs of any board; the trainer and the engine both use these.

use arrayvec::ArrayVec;

use super::features::{Feature, Perspective};
use crate::rules::{Bitboard, Color, Piece, PieceType, Position, Square, attacks};

/// One piece input for each square of a full board, and the ring inputs.
pub(super) type FeatureList = ArrayVec<Feature, { 64 + 8 }>;

/// Capture and blast inputs: a piece attacks at most eight others, and each has eight neighbours.
pub type CaptureList = ArrayVec<Feature, { 2 * 8 * 64 }>;

/// The pieces on a board.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PieceSets {
    by_color: [Bitboard; 2],
    by_type: [Bitboard; 6],
}

impl PieceSets {
    pub(super) const EMPTY: PieceSets =
        PieceSets { by_color: [Bitboard::EMPTY; 2], by_type: [Bitboard::EMPTY; 6] };

    /// The pieces of a position.
    #[inline]
    pub fn new(pos: &Position) -> PieceSets {
        PieceSets {
            by_color: Color::ALL.map(|color| pos.by_color(color)),
            by_type: PieceType::ALL.map(|piece_type| pos.by_type(piece_type)),
        }
    }

    #[inline]
    pub(super) fn pieces(&self, piece: Piece) -> Bitboard {
        self.by_color[piece.color().index()] & self.by_type[piece.piece_type().index()]
    }

    /// The perspective of `color`; `None` if a king is missing.
    #[inline]
    pub fn perspective(&self, color: Color) -> Option<Perspective> {
        let kings = self.by_type[PieceType::King.index()];
        let own = self.by_color[color.index()];
        let (king, enemy_king) = ((kings & own).first()?, (kings - own).first()?);
        Some(Perspective::new(color, king, enemy_king))
    }

    /// Appends the ring inputs of all pieces next to the enemy king.
    pub(super) fn add_ring_features(&self, perspective: Perspective, list: &mut FeatureList) {
        let [white, black] = self.by_color;
        let ring = attacks::king(perspective.enemy_king()) & (white | black);
        if ring.is_empty() {
            return;
        }
        for piece_type in PieceType::ALL {
            for square in ring & self.by_type[piece_type.index()] {
                let piece = Piece::new(self.color_at(square), piece_type);
                list.extend(perspective.ring_feature(piece, square));
            }
        }
    }

    /// Appends the capture and blast inputs of both perspectives.
    pub fn add_capture_features(&self, views: [Perspective; 2], lists: &mut [CaptureList; 2]) {
        let mut add = |features: [Feature; 2]| {
            for (list, feature) in lists.iter_mut().zip(features) {
                list.push(feature);
            }
        };
        let [white, black] = self.by_color;
        let explosive = (white | black) - self.by_type[PieceType::Pawn.index()];
        for color in Color::ALL {
            let mut captured = Bitboard::EMPTY;
            self.for_each_capture(color, |capturer, square| {
                captured = captured.with(square);
                let (capturer, captured) = (Piece::new(color, capturer), self.type_at(square));
                add(views.map(|view| view.capture_feature(capturer, captured, square)));
            });
            for center in captured {
                for square in attacks::king(center) & explosive {
                    let (exploded, piece_type) = (self.color_at(square), self.type_at(square));
                    add(views.map(|view| view.blast_feature(color, exploded, piece_type, square)));
                }
            }
        }
    }

    /// Calls `add` with the type of the attacking piece, not a king, and the square of the attacked
    /// one for each attack of `color` on an enemy piece.
    #[inline(always)]
    fn for_each_capture(&self, color: Color, mut add: impl FnMut(PieceType, Square)) {
        let [white, black] = self.by_color;
        let occupied = white | black;
        let own = self.by_color[color.index()];
        let enemies = occupied - own;
        let [pawns, knights, bishops, rooks, queens, _] = self.by_type.map(|pieces| pieces & own);
        let advanced = pawns.forward(color);
        for square in advanced.west() & enemies {
            add(PieceType::Pawn, square);
        }
        for square in advanced.east() & enemies {
            add(PieceType::Pawn, square);
        }
        for from in knights {
            for square in attacks::knight(from) & enemies {
                add(PieceType::Knight, square);
            }
        }
        let queen_or = |other: PieceType, from: Square| {
            if queens.contains(from) { PieceType::Queen } else { other }
        };
        for from in bishops | queens {
            for square in attacks::bishop(from, occupied) & enemies {
                add(queen_or(PieceType::Bishop, from), square);
            }
        }
        for from in rooks | queens {
            for square in attacks::rook(from, occupied) & enemies {
                add(queen_or(PieceType::Rook, from), square);
            }
        }
    }

    #[inline]
    fn color_at(&self, square: Square) -> Color {
        if self.by_color[Color::White.index()].contains(square) {
            Color::White
        } else {
            Color::Black
        }
    }

    /// The type of the piece on an occupied square.
    #[inline]
    fn type_at(&self, square: Square) -> PieceType {
        // Without branches: the three bits of the index.
        let [_, knight, bishop, rook, queen, king] = self.by_type;
        let bit = |types: Bitboard| usize::from(types.contains(square));
        let index = bit(knight | rook | king) | bit(bishop | rook) << 1 | bit(queen | king) << 2;
        PieceType::ALL[index.min(5)]
    }
}

impl FromIterator<(Piece, Square)> for PieceSets {
    fn from_iter<T: IntoIterator<Item = (Piece, Square)>>(pieces: T) -> PieceSets {
        let mut sets = PieceSets::EMPTY;
        for (piece, square) in pieces {
            let color = &mut sets.by_color[piece.color().index()];
            *color = color.with(square);
            let piece_type = &mut sets.by_type[piece.piece_type().index()];
            *piece_type = piece_type.with(square);
        }
        sets
    }
}
