//! Zobrist keys, generated at compile time by SplitMix64 from one seed.
//! Invariant: the same keys in every build, so that searches are reproducible.

use super::{CastlingRights, Color, Piece, Square};

struct ZobristKeys {
    pieces: [[u64; 64]; 12],
    castling_rights: [u64; 16],
    en_passant: [u64; 8],
    black_to_move: u64,
}

const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

static KEYS: ZobristKeys = {
    let mut state = 0x4252_4953_414e_4345;
    let mut keys = ZobristKeys {
        pieces: [[0; 64]; 12],
        castling_rights: [0; 16],
        en_passant: [0; 8],
        black_to_move: 0,
    };
    let mut piece = 0;
    while piece < 12 {
        let mut square = 0;
        while square < 64 {
            keys.pieces[piece][square] = split_mix(&mut state);
            square += 1;
        }
        piece += 1;
    }
    // Index 0, no rights, keeps the key 0.
    let mut rights = 1;
    while rights < 16 {
        keys.castling_rights[rights] = split_mix(&mut state);
        rights += 1;
    }
    let mut file = 0;
    while file < 8 {
        keys.en_passant[file] = split_mix(&mut state);
        file += 1;
    }
    keys.black_to_move = split_mix(&mut state);
    keys
};

#[inline]
pub fn piece(piece: Piece, square: Square) -> u64 {
    KEYS.pieces[piece.index()][square.index()]
}

/// The difference that a change of the side to move makes.
#[inline]
pub fn side_to_move() -> u64 {
    KEYS.black_to_move
}

/// The key of everything except the pieces: side to move, castling rights, en-passant file.
#[inline]
pub fn state(
    side_to_move: Color,
    castling_rights: CastlingRights,
    en_passant: Option<Square>,
) -> u64 {
    let side = match side_to_move {
        Color::White => 0,
        Color::Black => KEYS.black_to_move,
    };
    let en_passant = en_passant.map_or(0, |square| KEYS.en_passant[square.file() as usize]);
    side ^ KEYS.castling_rights[castling_rights.index()] ^ en_passant
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{MoveKind, Variant};
    use crate::walk;

    #[test]
    fn no_two_keys_are_equal() {
        let mut all: Vec<u64> = KEYS.pieces.as_flattened().to_vec();
        all.extend(&KEYS.castling_rights[1..]);
        all.extend(KEYS.en_passant);
        all.push(KEYS.black_to_move);
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!((count, all.len()), (12 * 64 + 15 + 8 + 1, count));
        assert!(all[0] != 0 && KEYS.castling_rights[0] == 0);
    }

    #[test]
    fn predicted_keys_of_quiet_and_null_moves_are_exact() {
        let (mut quiet_moves, mut null_moves) = (0, 0);
        walk::visit(9, 1_500, Variant::Atomic, |pos| {
            if !pos.in_check() && pos.en_passant().is_none() {
                let key = pos.key_after_null();
                pos.make_null();
                assert_eq!(key, pos.key());
                pos.unmake();
                null_moves += 1;
            }
            for mv in pos.legal_moves() {
                let key = pos.key_after(mv);
                let state = (pos.castling_rights(), pos.en_passant());
                pos.make(mv);
                let is_simple =
                    state == (pos.castling_rights(), None) && pos.en_passant().is_none();
                if mv.kind() == MoveKind::Quiet && is_simple {
                    assert_eq!(key, pos.key(), "{mv:?}");
                    quiet_moves += 1;
                }
                pos.unmake();
            }
        });
        assert!(quiet_moves > 1_000, "{quiet_moves}");
        assert!(null_moves > 500, "{null_moves}");
    }
}
