//! Fuzz targets that play the moves that the bytes choose.
//! Invariant: shakmaty (atomic) or the reference (both variants) plays the same moves.

use brisance::notation::{coord, san};
use brisance::opening;
use brisance::rules::{Move, Position, Variant};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, Position as _};

use crate::peer::{self, assert_same_as_reference};
use crate::random::Random;
use crate::walk::{Start, shredder};

/// The start position that the first bytes select, and the bytes that select moves.
fn start(data: &[u8], variant: Variant) -> Option<(Position, std::slice::Iter<'_, u8>)> {
    let (&[kind, seed, more], moves) = data.split_first_chunk()?;
    let start = Start::cycle().nth(kind.into()).expect("endless");
    let mut random = Random::new(u16::from_le_bytes([seed, more]).into());
    Some((start.position(variant, &mut random), moves.iter()))
}

/// The legal move that the next byte selects; `None` at the end of the game or of the bytes.
fn next_move(pos: &Position, bytes: &mut std::slice::Iter<u8>) -> Option<Move> {
    let moves = pos.legal_moves();
    let &byte = bytes.next()?;
    moves.get(usize::from(byte) % moves.len().max(1)).copied()
}

/// Compares the Polyglot key after every move with that of shakmaty.
pub fn polyglot_key(data: &[u8]) {
    let Some((mut pos, mut bytes)) = start(data, Variant::Atomic) else {
        return;
    };
    let Some(mut other) = peer::shakmaty_position(&pos) else {
        return;
    };
    loop {
        let theirs: Zobrist64 = other.zobrist_hash(EnPassantMode::PseudoLegal);
        assert_eq!(opening::polyglot_key(&pos), theirs.0, "{}", shown(&pos));
        let Some(mv) = next_move(&pos, &mut bytes) else {
            return;
        };
        other.play_unchecked(peer::shakmaty_move(&pos, mv));
        pos.make(mv);
    }
}

/// Compares moves, positions, checks and outcomes; the first byte selects the variant and the
/// other implementation.
pub fn rules(data: &[u8]) {
    let Some((selector, data)) = data.split_first() else {
        return;
    };
    let (variant, with_reference) = match selector % 3 {
        0 => (Variant::Atomic, false),
        1 => (Variant::NoCheckAtomic, true),
        _ => (Variant::Atomic, true),
    };
    let Some((first, mut bytes)) = start(data, variant) else {
        return;
    };
    let mut pos = first.clone();
    let mut other = peer::shakmaty_position(&pos).filter(|_| !with_reference);
    loop {
        match &other {
            Some(other) => peer::assert_same(&pos, other),
            None => drop(assert_same_as_reference(&mut pos)),
        }
        let before = pos.clone();
        let Some(mv) = next_move(&pos, &mut bytes).filter(|_| pos.outcome_by_rule().is_none())
        else {
            break;
        };
        play(&mut pos, mv);
        if let Some(other) = &mut other {
            other.play_unchecked(peer::shakmaty_move(&before, mv));
        }
    }
    while pos.ply() > first.ply() {
        pos.unmake();
    }
    assert!(pos.same_as(&first) && pos.key() == first.key());
}

fn shown(pos: &Position) -> String {
    format!("{} ({})", shredder(pos), pos.variant())
}

/// Makes a move, and checks its texts and what is predicted of it.
pub fn play(pos: &mut Position, mv: Move) {
    let us = pos.side_to_move();
    assert_eq!(san::parse(pos, &san::write(pos, mv)), Ok(mv));
    assert_eq!(coord::parse(pos, &coord::write(mv, true)), Some(mv));
    let (gives_check, explodes) = (pos.gives_check(mv), pos.explodes_king(mv));
    pos.make(mv);
    assert_eq!(pos.key(), pos.compute_key(), "{}", shown(pos));
    assert_eq!(pos.king(!us).is_none(), explodes, "{}", shown(pos));
    assert!(pos.king(us).is_some());
    assert_eq!(pos.in_check(), gives_check, "{}", shown(pos));
}
