//! Conversions to the types of shakmaty, which implements Lichess's rules.
//! Invariant: a conversion uses the FEN or the squares of a move only, no rules of the engine.

use brisance::notation::fen::{self, CastlingStyle};
use brisance::rules::{Color, Move, MoveKind, PieceType, Position, Square};
use shakmaty::fen::Fen;
use shakmaty::variant::Atomic;
use shakmaty::{CastlingMode, PositionError, Role};

/// The same position for shakmaty; `None` if shakmaty refuses it, for instance because the
/// side that has just moved is in check.
pub fn shakmaty_position(pos: &Position) -> Option<Atomic> {
    let text = fen::write(pos, CastlingStyle::Shredder);
    let fen: Fen = text.parse().expect("a well-formed FEN");
    fen.into_position(CastlingMode::Chess960)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

/// The same colour for shakmaty.
pub fn shakmaty_color(color: Color) -> shakmaty::Color {
    match color {
        Color::White => shakmaty::Color::White,
        Color::Black => shakmaty::Color::Black,
    }
}

fn shakmaty_square(square: Square) -> shakmaty::Square {
    shakmaty::Square::new(square.index() as u32)
}

fn role(piece_type: PieceType) -> Role {
    match piece_type {
        PieceType::Pawn => Role::Pawn,
        PieceType::Knight => Role::Knight,
        PieceType::Bishop => Role::Bishop,
        PieceType::Rook => Role::Rook,
        PieceType::Queen => Role::Queen,
        PieceType::King => Role::King,
    }
}

/// A legal move of `pos` for shakmaty.
pub fn shakmaty_move(pos: &Position, mv: Move) -> shakmaty::Move {
    let [from, to] = [mv.from(), mv.to()].map(shakmaty_square);
    let role_at = |square| pos.piece_at(square).map(|piece| role(piece.piece_type()));
    match mv.kind() {
        MoveKind::Castle => shakmaty::Move::Castle {
            king: from,
            rook: to,
        },
        MoveKind::EnPassant => shakmaty::Move::EnPassant { from, to },
        _ => shakmaty::Move::Normal {
            role: role_at(mv.from()).expect("a piece moves"),
            from,
            capture: role_at(mv.to()),
            to,
            promotion: mv.promotion().map(role),
        },
    }
}

/// Origin, destination (of castling: the rook) and promotion of a move in one number.
pub fn move_code(mv: Move) -> u16 {
    let promotion = mv
        .promotion()
        .map_or(0, |piece_type| role(piece_type) as u16);
    mv.from().index() as u16 | (mv.to().index() as u16) << 6 | promotion << 12
}

/// The number of [`move_code`] for a move of shakmaty.
pub fn shakmaty_move_code(mv: shakmaty::Move) -> u16 {
    let from = mv.from().map_or(0, |square| square as u16);
    let promotion = mv.promotion().map_or(0, |role| role as u16);
    from | (mv.to() as u16) << 6 | promotion << 12
}
