//! The Polyglot key of a position, computed from the format's published random numbers.
//! Invariant: the key equals that of other Polyglot programs for the same game.

use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{
    CastlingSide as ShakmatyCastlingSide, Color as ShakmatyColor, File, Piece as ShakmatyPiece,
    Square as ShakmatySquare,
};

use crate::rules::{CastlingSide, Color, MoveKind, PieceType, Position, Square, attacks};

/// The Polyglot key of a position.
///
/// The format includes the en passant file whenever a pawn stands next to the pushed pawn, even if
/// the capture is illegal. A position read from a FEN contains only legal en passant captures, so
/// its key may differ from that of the same position reached by moves.
///
/// # Examples
///
/// ```
/// use brisance::opening::polyglot_key;
/// use brisance::rules::{Position, Variant};
///
/// let pos = Position::startpos(Variant::Atomic);
/// assert_eq!(polyglot_key(&pos), 0x463b_9618_1691_fc9c);
/// ```
pub fn polyglot_key(pos: &Position) -> u64 {
    let mut key = Zobrist64(0);
    for square in pos.occupied() {
        let letter = pos.piece_at(square).map(|piece| piece.letter());
        if let Some(piece) = letter.and_then(ShakmatyPiece::from_char) {
            let square = ShakmatySquare::new(square.index() as u32);
            key ^= Zobrist64::zobrist_for_piece(square, piece);
        }
    }
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            if pos.castling_rights().has(color, side) {
                let color = ShakmatyColor::from_white(color == Color::White);
                let side = ShakmatyCastlingSide::from_king_side(side == CastlingSide::King);
                key ^= Zobrist64::zobrist_for_castling_right(color, side);
            }
        }
    }
    if let Some(square) = en_passant_square(pos) {
        let file = File::new(u32::from(square.file()));
        key ^= Zobrist64::zobrist_for_en_passant_file(file);
    }
    if pos.side_to_move() == Color::White {
        key ^= Zobrist64::zobrist_for_white_turn();
    }
    key.0
}

/// The square passed over by the last double push, if an enemy pawn attacks it.
fn en_passant_square(pos: &Position) -> Option<Square> {
    if pos.en_passant().is_some() {
        return pos.en_passant();
    }
    let last = pos.last_move()?;
    if last.kind() != MoveKind::DoublePush {
        return None;
    }
    let them = !pos.side_to_move();
    let square = Square::new(last.to().file(), 2).relative(them);
    let pawns = pos.pieces(pos.side_to_move(), PieceType::Pawn);
    let capturers = attacks::pawn(them, square) & pawns;
    capturers.any().then_some(square)
}
