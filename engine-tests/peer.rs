//! Comparisons with shakmaty, which implements Lichess's rules, and with the reference.
//! Invariant: a conversion uses the FEN or the squares of a move only, no rules of the engine.

use brisance::notation::coord;
use brisance::rules::{Color, Move, MoveKind, OutcomeReason, PieceType, Position, Square};
use shakmaty::fen::Fen;
use shakmaty::variant::Atomic;
use shakmaty::{CastlingMode, EnPassantMode, KnownOutcome, Position as _, PositionError, Role};

use crate::reference::Board;
use crate::walk::{shredder, x_fen};

/// The same position for shakmaty; `None` if shakmaty refuses it, for instance because the
/// side that has just moved is in check.
pub fn shakmaty_position(pos: &Position) -> Option<Atomic> {
    let text = shredder(pos);
    let fen: Fen = text.parse().expect("a well-formed FEN");
    fen.into_position(CastlingMode::Chess960)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

pub fn shakmaty_color(color: Color) -> shakmaty::Color {
    shakmaty::Color::from_white(color == Color::White)
}

fn shakmaty_square(square: Square) -> shakmaty::Square {
    shakmaty::Square::new(square.index() as u32)
}

fn role(piece_type: PieceType) -> Role {
    Role::ALL[piece_type.index()]
}

/// A legal move of `pos` for shakmaty.
pub fn shakmaty_move(pos: &Position, mv: Move) -> shakmaty::Move {
    let [from, to] = [mv.from(), mv.to()].map(shakmaty_square);
    let role_at = |square| pos.piece_at(square).map(|piece| role(piece.piece_type()));
    match mv.kind() {
        MoveKind::Castle => shakmaty::Move::Castle { king: from, rook: to },
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
    let promotion = mv.promotion().map_or(0, |promotion| role(promotion) as u16);
    mv.from().index() as u16 | (mv.to().index() as u16) << 6 | promotion << 12
}

/// The number of [`move_code`] for a move of shakmaty.
pub fn shakmaty_move_code(mv: shakmaty::Move) -> u16 {
    let from = mv.from().map_or(0, |square| square as u16);
    let promotion = mv.promotion().map_or(0, |role| role as u16);
    from | (mv.to() as u16) << 6 | promotion << 12
}

/// Checks that the FEN, the outcome, check and the legal moves are the same for shakmaty.
pub fn assert_same(pos: &Position, other: &Atomic) {
    use OutcomeReason::{Checkmate, Explosion, Stalemate};
    let shown = x_fen(pos);
    let theirs = Fen::from_position(other, EnPassantMode::Legal).to_string();
    assert_eq!(shown, theirs);
    let outcome = pos.outcome_by_rule();
    let is = |reason| outcome.is_some_and(|outcome| outcome.reason == reason);
    assert_eq!(other.is_variant_end(), is(Explosion), "{shown}");
    assert_eq!(other.is_checkmate(), is(Checkmate), "{shown}");
    assert_eq!(other.is_stalemate(), is(Stalemate), "{shown}");
    let expected = outcome.map(|outcome| match outcome.result.winner() {
        Some(winner) => KnownOutcome::Decisive { winner: shakmaty_color(winner) },
        None => KnownOutcome::Draw,
    });
    assert_eq!(other.outcome().known(), expected, "{shown}");
    for color in Color::ALL {
        let cannot = other.has_insufficient_material(shakmaty_color(color));
        assert_eq!(pos.can_win(color), !cannot, "{shown}: {color} can win");
    }
    let insufficient = other.is_insufficient_material();
    assert_eq!(pos.has_insufficient_material(), insufficient, "{shown}");
    assert_eq!(pos.in_check(), other.is_check(), "{shown}");
    let moves = pos.legal_moves();
    if other.is_variant_end() {
        // shakmaty generates moves even without a king.
        assert!(moves.is_empty(), "{shown}");
        return;
    }
    let mut ours: Vec<u16> = moves.into_iter().map(move_code).collect();
    let their_moves = other.legal_moves().into_iter();
    let mut theirs: Vec<u16> = their_moves.map(shakmaty_move_code).collect();
    ours.sort_unstable();
    theirs.sort_unstable();
    assert_eq!(ours, theirs, "{shown}");
}

/// Checks that check, lost kings, all moves and the positions after them are the same for the
/// reference. Returns the number of castling moves and of en-passant captures.
pub fn assert_same_as_reference(pos: &mut Position) -> [usize; 2] {
    let text = shredder(pos);
    let board = Board::from_shredder_fen(&text, pos.variant().has_check());
    assert_eq!(board.shredder_fen(), text);
    assert_eq!(pos.in_check(), board.in_check(), "{text}");
    for color in Color::ALL {
        let has_lost = board.has_lost_king(color == Color::White);
        assert_eq!(pos.king(color).is_none(), has_lost, "{text}");
    }
    let mut special = [0; 2];
    let mut ours: Vec<(String, String)> = Vec::new();
    for mv in pos.legal_moves() {
        special[0] += usize::from(mv.kind() == MoveKind::Castle);
        special[1] += usize::from(mv.kind() == MoveKind::EnPassant);
        pos.make(mv);
        ours.push((coord::write(mv, true), shredder(pos)));
        pos.unmake();
    }
    let replies = board.replies().into_iter();
    let replies = replies.map(|reply| (reply.text, reply.after.shredder_fen()));
    let mut theirs: Vec<(String, String)> = replies.collect();
    ours.sort();
    theirs.sort();
    assert_eq!(ours, theirs, "from {text}");
    special
}
