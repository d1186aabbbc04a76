//! The key of a position in Polyglot books, from the published random numbers.
//! Invariant: equals what other readers of the format compute for the same game.

use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{
    CastlingSide as TheirSide, Color as TheirColor, File, Piece as TheirPiece, Role,
    Square as TheirSquare,
};

use crate::rules::{
    Bitboard, CastlingSide, Color, MoveKind, Piece, PieceType, Position, Square, attacks,
};

/// The Polyglot key of a position.
///
/// The format counts en passant as soon as a pawn stands ready to capture, even where the
/// capture is illegal. A position that was reached by moves knows of that; one read from a FEN
/// has forgotten captures that are illegal.
pub fn key(pos: &Position) -> u64 {
    let mut key = Zobrist64(0);
    for square in pos.occupied() {
        if let Some(piece) = pos.piece_at(square) {
            let place = TheirSquare::new(square.index() as u32);
            key ^= Zobrist64::zobrist_for_piece(place, man(piece));
        }
    }
    for color in Color::ALL {
        for (side, theirs) in [
            (CastlingSide::King, TheirSide::KingSide),
            (CastlingSide::Queen, TheirSide::QueenSide),
        ] {
            if pos.rights().has(color, side) {
                key ^= Zobrist64::zobrist_for_castling_right(their_color(color), theirs);
            }
        }
    }
    if let Some(square) = passed(pos) {
        let file = File::new(u32::from(square.file()));
        key ^= Zobrist64::zobrist_for_en_passant_file(file);
    }
    if pos.side() == Color::White {
        key ^= Zobrist64::zobrist_for_white_turn();
    }
    key.0
}

fn their_color(color: Color) -> TheirColor {
    TheirColor::from_white(color == Color::White)
}

fn man(piece: Piece) -> TheirPiece {
    let role = match piece.kind() {
        PieceType::Pawn => Role::Pawn,
        PieceType::Knight => Role::Knight,
        PieceType::Bishop => Role::Bishop,
        PieceType::Rook => Role::Rook,
        PieceType::Queen => Role::Queen,
        PieceType::King => Role::King,
    };
    TheirPiece {
        color: their_color(piece.color()),
        role,
    }
}

/// The square that a pawn has just passed over with an enemy pawn ready beside it.
fn passed(pos: &Position) -> Option<Square> {
    if pos.en_passant().is_some() {
        return pos.en_passant();
    }
    let last = pos.last_move()?;
    if last.kind() != MoveKind::DoublePush {
        return None;
    }
    let them = !pos.side();
    let square = Square::new(last.to().file(), 2).relative(them);
    let ready: Bitboard = attacks::pawn(them, square) & pos.pieces(pos.side(), PieceType::Pawn);
    ready.any().then_some(square)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::coord;
    use crate::rules::Variant;

    /// The keys that the description of the format gives as its examples.
    #[test]
    fn published_keys() {
        let mut pos = Position::startpos(Variant::Atomic);
        assert_eq!(key(&pos), 0x463b_9618_1691_fc9c);
        for (text, wanted) in [
            ("e2e4", 0x823c_9b50_fd11_4196),
            ("d7d5", 0x0756_b944_61c5_0fb0),
            ("e4e5", 0x662f_afb9_65db_29d4),
            ("f7f5", 0x22a4_8b5a_8e47_ff78),
            ("e1e2", 0x652a_607c_a3f2_42c1),
            ("e8f7", 0x00fd_d303_c946_bdd9),
        ] {
            let mv = coord::parse(&pos, text).expect("a legal move");
            pos.make(mv);
            assert_eq!(key(&pos), wanted, "{text}");
        }
    }
}
