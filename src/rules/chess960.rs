//! The 960 start positions of Chess960 and their numbers.
//! Invariant: [`number_of`] of [`start_position`] gives the number back.

use std::array;

use super::{PieceType, Position, Square, Variant};

/// The files of the two knights among the five that bishops and queen leave free.
const KNIGHTS: [(usize, usize); 10] =
    [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];

/// The Chess960 start position with this number, from 0 to 959. 518 is the start position of
/// chess.
///
/// # Examples
/// ```
/// use brisance::rules::{Position, Variant, chess960};
///
/// let pos = chess960::start_position(518, Variant::Atomic);
/// assert!(pos.same_as(&Position::startpos(Variant::Atomic)));
/// assert_eq!(chess960::number_of(&pos), Some(518));
/// ```
pub fn start_position(number: u16, variant: Variant) -> Position {
    let row = back_rank(number % 960);
    let row = row.map(|kind| kind.expect("every file has a piece"));
    Position::with_back_rank(row, variant)
}

/// The number of a Chess960 start position with all castling rights and fresh clocks; `None` for
/// any other position.
pub fn number_of(pos: &Position) -> Option<u16> {
    if (pos.halfmove_clock(), pos.fullmove_number()) != (0, 1) {
        return None;
    }
    let row = array::from_fn(|file| {
        let piece = pos.piece_at(Square::new(file as u8, 0));
        piece.map(|piece| piece.piece_type())
    });
    let number = (0..960).find(|&number| back_rank(number) == row)?;
    let is_same = pos.same_as(&start_position(number, pos.variant()));
    is_same.then_some(number)
}

/// White's pieces in the start position with this number, each on its file.
fn back_rank(number: u16) -> [Option<PieceType>; 8] {
    use PieceType::{Bishop, King, Knight, Queen, Rook};
    let number = usize::from(number);
    let mut row = [None; 8];
    row[2 * (number % 4) + 1] = Some(Bishop);
    row[2 * (number / 4 % 4)] = Some(Bishop);
    row[free(&row)[number / 16 % 6]] = Some(Queen);
    let (first, second) = KNIGHTS[number / 96];
    let places = free(&row);
    row[places[first]] = Some(Knight);
    row[places[second]] = Some(Knight);
    for (file, kind) in free(&row).into_iter().zip([Rook, King, Rook]) {
        row[file] = Some(kind);
    }
    row
}

/// The files without a piece.
fn free(row: &[Option<PieceType>; 8]) -> Vec<usize> {
    (0..8).filter(|&file| row[file].is_none()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen::{self, CastlingStyle};

    #[test]
    fn start_positions_are_distinct_and_have_their_numbers() {
        let text = |number| {
            let pos = start_position(number, Variant::Atomic);
            assert_eq!(number_of(&pos), Some(number));
            fen::write(&pos, CastlingStyle::XFen)
        };
        assert_eq!(text(518), fen::STARTPOS);
        assert_eq!(text(0), "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1");
        let texts: std::collections::HashSet<_> = (0..960).map(text).collect();
        assert_eq!(texts.len(), 960);
    }

    #[test]
    fn other_positions_have_no_number() {
        for text in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 2 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/7P/PPPPPPP1/RNBQKBNR w KQkq - 0 1",
            "rnqbkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1",
            "rbbqknnr/pppppppp/8/8/8/8/PPPPPPPP/RBBQKNNR w - - 0 1",
            "4k3/8/8/8/8/8/8/BB1QKN1N w - - 0 1",
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        ] {
            let pos = fen::parse(text, Variant::Atomic).unwrap();
            assert_eq!(number_of(&pos), None, "{text}");
        }
    }
}
