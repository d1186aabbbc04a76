//! The drawings of the pieces: an outline and inner lines in a square of 100 units, original work
//! for this program.
//! Invariant: the element ids are `piece-` and the lower-case letter of the piece type.

use crate::rules::PieceType;

pub const fn name(piece_type: PieceType) -> &'static str {
    match piece_type {
        PieceType::Pawn => "pawn",
        PieceType::Knight => "knight",
        PieceType::Bishop => "bishop",
        PieceType::Rook => "rook",
        PieceType::Queen => "queen",
        PieceType::King => "king",
    }
}

macro_rules! drawings {
    ($($letter:literal $outline:literal $lines:literal)*) => {
        concat!($(
            "<g id=\"piece-", $letter, "\" transform=\"translate(-6 -5) scale(1.12)\" stroke-width=\"4\"",
            " stroke-linecap=\"round\" stroke-linejoin=\"round\"><path d=\"", $outline,
            "\"/><path fill=\"none\" stroke=\"currentColor\" d=\"", $lines, "\"/></g>\n",
        )*)
    };
}

/// All drawings. Fill, stroke and, for the inner lines, colour come from the referring element.
pub const DRAWINGS: &str = drawings! {
    "p"
    "M50 18a14 14 0 0 1 9 24.7h6v7h-6.5c.5 12 5 19.5 14.5 26.3v12h-46v-12\
     c9.5-6.8 14-14.3 14.5-26.3h-6.5v-7h6a14 14 0 0 1 9-24.7z"
    "M31 79h38"
    "n"
    "M40 12l4 9c21 1 33 17 33 42v25h-50v-10c0-12 15-19 17-31-5 5-10 6-14 11\
     l-5 6-9-5c-2-7 1-13 5-18 5-7 5-15 13-21z"
    "M36 36l5-1.5M55 32c8 7 11 17 11 32M32 79h40"
    "b"
    "M50 12a6 6 0 0 1 4 10.5c12 9 19 20 19 30 0 7-4 12-9 16.5h4v7c5 1 7 4 7 12h-50\
     c0-8 2-11 7-12v-7h4c-5-4.5-9-9.5-9-16.5 0-10 7-21 19-30a6 6 0 0 1 4-10.5z"
    "M36 69h28M50 38v18M41 47h18"
    "r"
    "M25 20h12v8h8v-8h10v8h8v-8h12v17l-8 7v25l8 7v12h-50v-12l8-7v-25l-8-7z"
    "M34 44h32M34 69h32"
    "q"
    "M20 26a5 5 0 0 1 4 8l9 14 5-23a5 5 0 1 1 6-1l6 23 6-23a5 5 0 1 1 6 1l5 23 9-14\
     a5 5 0 1 1 5 2l-9 33v7c4 1 6 4 6 12h-56c0-8 2-11 6-12v-7l-9-33a5 5 0 0 1 1-10z"
    "M30 69h40M29 78h42"
    "k"
    "M46 9h8v7h7v8h-7v9c7-6 23-5 23 11 0 11-7 17-9 25v7c4 1 6 4 6 12h-48\
     c0-8 2-11 6-12v-7c-2-8-9-14-9-25 0-16 16-17 23-11v-9h-7v-8h7z"
    "M33 69h34M50 36v26"
};
