//! Attacks of pieces, blast masks and lines between squares, from tables built at compile time.
//! Invariant: for every piece but the pawn, a attacks b exactly if b attacks a.
//!
//! # Examples
//! ```
//! use brisance::rules::{Bitboard, Square, attacks};
//!
//! let a1 = Square::new(0, 0);
//! let d4 = Square::new(3, 3);
//! assert_eq!(attacks::knight(a1).count(), 2);
//! assert_eq!(attacks::queen(d4, Bitboard::EMPTY).count(), 27);
//! assert_eq!(attacks::between(a1, d4).count(), 2);
//! // A capture on d4 affects d4 and the eight squares around it.
//! assert_eq!(attacks::blast(d4).count(), 9);
//! ```

mod magic;

use super::{Bitboard, Color, PieceType, Square};

pub use magic::{bishop, rook};

struct AttackTables {
    pawn: [[u64; 64]; 2],
    knight: [u64; 64],
    king: [u64; 64],
    rook: [u64; 64],
    bishop: [u64; 64],
    between: [[u64; 64]; 64],
    line: [[u64; 64]; 64],
}

static TABLES: AttackTables = build();

const fn build() -> AttackTables {
    let mut tables = AttackTables {
        pawn: [[0; 64]; 2],
        knight: [0; 64],
        king: [0; 64],
        rook: [0; 64],
        bishop: [0; 64],
        between: [[0; 64]; 64],
        line: [[0; 64]; 64],
    };
    let mut square = 0;
    while square < 64 {
        let here = Bitboard(1 << square);
        let (east, west) = (here.east(), here.west());
        let near = east.0 | west.0;
        let far = east.east().0 | west.west().0;
        tables.pawn[0][square] = near << 8;
        tables.pawn[1][square] = near >> 8;
        tables.knight[square] = near << 16 | near >> 16 | far << 8 | far >> 8;
        tables.king[square] = here.expanded().0 ^ here.0;
        (tables.rook[square], tables.bishop[square]) = magic::empty_board_attacks(square as u32);
        square += 1;
    }
    let mut pair = 0;
    while pair < 64 * 64 {
        let (a, b) = (pair / 64, pair % 64);
        let rays = match tables.rook[a] >> b & 1 {
            0 => &tables.bishop,
            _ => &tables.rook,
        };
        if rays[a] >> b & 1 != 0 {
            let line = rays[a] & rays[b] | 1 << a | 1 << b;
            // From the lower of the two squares to the one before the higher.
            let span = line & ((!0 << a) ^ (!0 << b));
            tables.line[a][b] = line;
            tables.between[a][b] = span & (span - 1);
        }
        pair += 1;
    }
    tables
}

/// The squares that a pawn of `color` on `square` attacks.
#[inline]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    Bitboard(TABLES.pawn[color.index()][square.index()])
}

/// The squares that a knight on `square` attacks.
#[inline]
pub fn knight(square: Square) -> Bitboard {
    Bitboard(TABLES.knight[square.index()])
}

/// The squares adjacent to `square`: the attacks of a king, and the ring of a blast.
#[inline]
pub fn king(square: Square) -> Bitboard {
    Bitboard(TABLES.king[square.index()])
}

/// `square` and the squares adjacent to it: the area of an explosion.
#[inline]
pub fn blast(square: Square) -> Bitboard {
    king(square).with(square)
}

/// The squares that a queen on `square` attacks, given the occupied squares.
#[inline]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    rook(square, occupied) | bishop(square, occupied)
}

/// The squares that a rook on `square` attacks on an empty board.
#[inline]
pub(crate) fn rook_rays(square: Square) -> Bitboard {
    Bitboard(TABLES.rook[square.index()])
}

/// The squares that a bishop on `square` attacks on an empty board.
#[inline]
pub(crate) fn bishop_rays(square: Square) -> Bitboard {
    Bitboard(TABLES.bishop[square.index()])
}

/// The squares strictly between two squares of a rank, file or diagonal; empty for any other pair.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    Bitboard(TABLES.between[a.index()][b.index()])
}

/// The whole rank, file or diagonal through two squares; empty if they do not share one.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    Bitboard(TABLES.line[a.index()][b.index()])
}

/// The squares that a piece of the given type and colour on `square` attacks.
#[inline]
pub fn piece(piece_type: PieceType, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    match piece_type {
        PieceType::Pawn => pawn(color, square),
        PieceType::Knight => knight(square),
        PieceType::Bishop => bishop(square, occupied),
        PieceType::Rook => rook(square, occupied),
        PieceType::Queen => queen(square, occupied),
        PieceType::King => king(square),
    }
}
