//! Attack queries. All tables are built at compile time.
//! Invariant: every query is symmetric where the game is (a attacks b as b attacks a).

mod magic;

use super::{Bitboard, Color, PieceType, Square};

pub use magic::{bishop, rook};

struct Tables {
    pawn: [[u64; 64]; 2],
    knight: [u64; 64],
    king: [u64; 64],
    rook: [u64; 64],
    bishop: [u64; 64],
    between: [[u64; 64]; 64],
    line: [[u64; 64]; 64],
}

static TABLES: Tables = build();

const KNIGHT: [(i32, i32); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];
const KING: [(i32, i32); 8] = [
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
    (0, -1),
    (1, -1),
];
const WHITE_PAWN: [(i32, i32); 2] = [(-1, 1), (1, 1)];
const BLACK_PAWN: [(i32, i32); 2] = [(-1, -1), (1, -1)];

const fn steps(square: usize, deltas: &[(i32, i32)]) -> u64 {
    let (file, rank) = ((square & 7) as i32, (square >> 3) as i32);
    let mut attacks = 0;
    let mut i = 0;
    while i < deltas.len() {
        let (f, r) = (file + deltas[i].0, rank + deltas[i].1);
        if f >= 0 && f < 8 && r >= 0 && r < 8 {
            attacks |= 1 << (r * 8 + f);
        }
        i += 1;
    }
    attacks
}

/// The squares strictly between two squares of one line, and that whole line.
const fn between_and_line(a: usize, direction: (i32, i32), tables: &mut Tables) {
    let (df, dr) = direction;
    let mut line = 1 << a;
    let mut sign = -1;
    while sign <= 1 {
        let (mut f, mut r) = ((a & 7) as i32 + sign * df, (a >> 3) as i32 + sign * dr);
        while f >= 0 && f < 8 && r >= 0 && r < 8 {
            line |= 1 << (r * 8 + f);
            f += sign * df;
            r += sign * dr;
        }
        sign += 2;
    }
    let mut between = 0;
    let (mut f, mut r) = ((a & 7) as i32 + df, (a >> 3) as i32 + dr);
    while f >= 0 && f < 8 && r >= 0 && r < 8 {
        let b = (r * 8 + f) as usize;
        tables.between[a][b] = between;
        tables.line[a][b] = line;
        between |= 1 << b;
        f += df;
        r += dr;
    }
}

const fn build() -> Tables {
    let mut tables = Tables {
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
        tables.pawn[0][square] = steps(square, &WHITE_PAWN);
        tables.pawn[1][square] = steps(square, &BLACK_PAWN);
        tables.knight[square] = steps(square, &KNIGHT);
        tables.king[square] = steps(square, &KING);
        (tables.rook[square], tables.bishop[square]) = magic::empty_board(square as u32);
        let mut d = 0;
        while d < 8 {
            between_and_line(square, KING[d], &mut tables);
            d += 1;
        }
        square += 1;
    }
    tables
}

/// Squares that a pawn of `color` on `square` attacks.
#[inline]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    Bitboard(TABLES.pawn[color.index()][square.index()])
}

/// Squares that a knight on `square` attacks.
#[inline]
pub fn knight(square: Square) -> Bitboard {
    Bitboard(TABLES.knight[square.index()])
}

/// The up to eight squares that touch `square`: a king's steps, and the ring of a blast.
#[inline]
pub fn king(square: Square) -> Bitboard {
    Bitboard(TABLES.king[square.index()])
}

/// `square` and its ring: everything that a capture on it reaches.
#[inline]
pub fn blast(square: Square) -> Bitboard {
    king(square).with(square)
}

/// Squares that a queen on `square` attacks when `occupied` is occupied.
#[inline]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    rook(square, occupied) | bishop(square, occupied)
}

/// Squares that a rook on `square` would attack on an empty board.
#[inline]
pub fn rook_rays(square: Square) -> Bitboard {
    Bitboard(TABLES.rook[square.index()])
}

/// Squares that a bishop on `square` would attack on an empty board.
#[inline]
pub fn bishop_rays(square: Square) -> Bitboard {
    Bitboard(TABLES.bishop[square.index()])
}

/// Squares strictly between two squares of a rank, file or diagonal; else none.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    Bitboard(TABLES.between[a.index()][b.index()])
}

/// The whole rank, file or diagonal through two squares; none when they share none.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    Bitboard(TABLES.line[a.index()][b.index()])
}

/// Squares that a piece of the given type and colour on `square` attacks.
#[inline]
pub fn of(kind: PieceType, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        PieceType::Pawn => pawn(color, square),
        PieceType::Knight => knight(square),
        PieceType::Bishop => bishop(square, occupied),
        PieceType::Rook => rook(square, occupied),
        PieceType::Queen => queen(square, occupied),
        PieceType::King => king(square),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_and_line_agree_with_geometry() {
        for a in Square::all() {
            for b in Square::all() {
                let aligned = a != b && (rook_rays(a) | bishop_rays(a)).contains(b);
                assert_eq!(line(a, b).any(), aligned);
                assert_eq!(between(a, b), between(b, a));
                if aligned {
                    assert_eq!(between(a, b).count() as u8 + 1, a.distance(b));
                    assert!(line(a, b).contains(a) && line(a, b).contains(b));
                    assert!((between(a, b) - line(a, b)).is_empty());
                }
            }
        }
    }
}
