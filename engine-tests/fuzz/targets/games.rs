//! Fuzz targets that play the moves that the bytes choose.
//! Invariant: shakmaty (atomic) or the reference (both variants) plays the same moves.

use brisance::notation::fen::CastlingStyle;
use brisance::notation::{coord, fen, san};
use brisance::opening;
use brisance::rules::{Color, Position, Variant};
use shakmaty::variant::Atomic;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, Position as _};

use super::bytes::Bytes;
use crate::peer;
use crate::reference::Board;

/// Compares the Polyglot key after every move with that of shakmaty.
pub fn polyglot_key(data: &[u8]) {
    let mut bytes = Bytes(data);
    let Some(mut pos) = bytes.start(Variant::Atomic) else {
        return;
    };
    let Some(mut other) = peer::shakmaty_position(&pos) else {
        return;
    };
    loop {
        let theirs: Zobrist64 = other.zobrist_hash(EnPassantMode::PseudoLegal);
        assert_eq!(opening::polyglot_key(&pos), theirs.0, "{}", shown(&pos));
        let moves = pos.legal_moves();
        if bytes.is_empty() || moves.is_empty() {
            return;
        }
        let mv = moves[bytes.below(moves.len())];
        other.play_unchecked(peer::shakmaty_move(&pos, mv));
        pos.make(mv);
    }
}

/// Compares moves, positions, checks and outcomes; the first byte selects the variant and the
/// other implementation.
pub fn rules(data: &[u8]) {
    let mut bytes = Bytes(data);
    let (variant, with_reference) = match bytes.below(3) {
        0 => (Variant::Atomic, false),
        1 => (Variant::NoCheckAtomic, true),
        _ => (Variant::Atomic, true),
    };
    let Some(start) = bytes.start(variant) else {
        return;
    };
    let mut pos = start.clone();
    if with_reference {
        play_with_reference(&mut pos, &mut bytes);
    } else if let Some(other) = peer::shakmaty_position(&pos) {
        play_with_shakmaty(&mut pos, other, &mut bytes);
    }
    while pos.ply() > start.ply() {
        pos.unmake();
    }
    assert!(pos.same_as(&start) && pos.key() == start.key());
}

fn shown(pos: &Position) -> String {
    let text = fen::write(pos, CastlingStyle::Shredder);
    format!("{text} ({})", pos.variant())
}

/// Makes the chosen move; returns its text, or `None` at the end of the game or of the bytes.
fn play(pos: &mut Position, bytes: &mut Bytes) -> Option<brisance::rules::Move> {
    let moves = pos.legal_moves();
    if bytes.is_empty() || moves.is_empty() {
        return None;
    }
    let mv = moves[bytes.below(moves.len())];
    let us = pos.side_to_move();
    assert_eq!(san::parse(pos, &san::write(pos, mv)), Ok(mv));
    assert_eq!(coord::parse(pos, &coord::write(mv, true)), Some(mv));
    let (gives_check, explodes) = (pos.gives_check(mv), pos.explodes_king(mv));
    pos.make(mv);
    assert_eq!(pos.key(), pos.compute_key(), "{}", shown(pos));
    assert_eq!(pos.king(!us).is_none(), explodes, "{}", shown(pos));
    assert!(pos.king(us).is_some());
    if !explodes {
        assert_eq!(pos.in_check(), gives_check, "{}", shown(pos));
    }
    Some(mv)
}

fn play_with_shakmaty(pos: &mut Position, mut other: Atomic, bytes: &mut Bytes) {
    loop {
        peer::assert_same(pos, &other);
        if pos.outcome_by_rule().is_some() {
            return;
        }
        let before = pos.clone();
        let Some(mv) = play(pos, bytes) else {
            return;
        };
        other.play_unchecked(peer::shakmaty_move(&before, mv));
    }
}

fn play_with_reference(pos: &mut Position, bytes: &mut Bytes) {
    let text = fen::write(pos, CastlingStyle::Shredder);
    let mut board = Board::from_shredder_fen(&text, pos.variant().has_check());
    loop {
        assert_eq!(pos.in_check(), board.in_check(), "{}", shown(pos));
        for color in Color::ALL {
            let lost = board.has_lost_king(color == Color::White);
            assert_eq!(pos.king(color).is_none(), lost, "{}", shown(pos));
        }
        let mut replies = board.replies();
        replies.sort_by(|a, b| a.text.cmp(&b.text));
        let moves = pos.legal_moves().into_iter();
        let mut ours: Vec<String> = moves.map(|mv| coord::write(mv, true)).collect();
        ours.sort();
        let theirs: Vec<&String> = replies.iter().map(|reply| &reply.text).collect();
        assert_eq!(ours.iter().collect::<Vec<_>>(), theirs, "{}", shown(pos));
        let Some(mv) = play(pos, bytes) else {
            return;
        };
        let text = coord::write(mv, true);
        let index = replies.iter().position(|reply| reply.text == text);
        board = replies.swap_remove(index.expect("the same moves")).after;
        assert_eq!(
            fen::write(pos, CastlingStyle::Shredder),
            board.shredder_fen()
        );
    }
}
