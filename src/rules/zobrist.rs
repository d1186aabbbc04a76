//! Zobrist keys, generated at compile time by SplitMix64 from one seed.

use super::{CastlingRights, Color, Piece, Square};

struct Keys {
    pieces: [[u64; 64]; 12],
    rights: [u64; 16],
    en_passant: [u64; 8],
    black: u64,
}

const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

static KEYS: Keys = {
    let mut state = 0x4252_4953_414e_4345;
    let mut keys = Keys {
        pieces: [[0; 64]; 12],
        rights: [0; 16],
        en_passant: [0; 8],
        black: 0,
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
    // No rights leave the key unchanged, so index 0 stays 0.
    let mut rights = 1;
    while rights < 16 {
        keys.rights[rights] = split_mix(&mut state);
        rights += 1;
    }
    let mut file = 0;
    while file < 8 {
        keys.en_passant[file] = split_mix(&mut state);
        file += 1;
    }
    keys.black = split_mix(&mut state);
    keys
};

/// Key of a piece on a square.
#[inline]
pub(super) fn piece(piece: Piece, square: Square) -> u64 {
    KEYS.pieces[piece.index()][square.index()]
}

/// What a change of the turn does to a key.
#[inline]
pub(super) fn turn() -> u64 {
    KEYS.black
}

/// Key of everything but the men: side to move, rights, en-passant file.
#[inline]
pub(super) fn context(side: Color, rights: CastlingRights, en_passant: Option<Square>) -> u64 {
    let side = if side == Color::Black { KEYS.black } else { 0 };
    let en_passant = en_passant.map_or(0, |square| KEYS.en_passant[square.file() as usize]);
    side ^ KEYS.rights[rights.index()] ^ en_passant
}
