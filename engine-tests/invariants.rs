//! Invariants of make and unmake: unmake restores everything, keys and change lists are correct,
//! a null move changes only the side to move. Also: the handcrafted evaluation is symmetric.

use brisance::eval::{self, hce};
use brisance::rules::{Change, Color, Move, Piece, PieceType, Position, Square, Variant};

use crate::nnue::mirrored;
use crate::walk::{self, position, position_in, shredder, x_fen};

fn board(pos: &Position) -> Vec<Option<Piece>> {
    Square::all().map(|square| pos.piece_at(square)).collect()
}

/// All that can be queried of a position.
fn snapshot(pos: &Position) -> (String, u64, usize, Vec<Option<Piece>>, Vec<Move>) {
    (shredder(pos), pos.key(), pos.ply(), board(pos), pos.legal_moves().to_vec())
}

fn assert_sets_agree(pos: &Position) {
    for square in Square::all() {
        let piece = pos.piece_at(square);
        assert_eq!(pos.occupied().contains(square), piece.is_some());
        for candidate in Piece::ALL {
            let set = pos.pieces(candidate.color(), candidate.piece_type());
            assert_eq!(set.contains(square), piece == Some(candidate), "{square}");
        }
    }
}

/// The board after a move.
fn replayed(mut board: Vec<Option<Piece>>, change: &Change) -> Vec<Option<Piece>> {
    for &(piece, square) in &change.removed {
        let removed = board[square.index()].take();
        assert_eq!(removed, Some(piece), "removed twice");
    }
    for &(piece, square) in &change.added {
        let earlier = board[square.index()].replace(piece);
        assert_eq!(earlier, None, "added to a piece");
    }
    board
}

#[test]
fn unmake_restores_the_position() {
    for (seed, variant) in [(7, Variant::Atomic), (8, Variant::NoCheckAtomic)] {
        let mut largest = 0;
        walk::visit(seed, 3_000, variant, |pos| {
            let (original, before) = (pos.clone(), snapshot(pos));
            for mv in pos.legal_moves() {
                let mover = pos.piece_at(mv.from());
                pos.make(mv);
                assert_eq!(pos.key(), pos.compute_key(), "{mv:?}");
                assert_eq!(pos.last_move(), Some(mv));
                let change = pos.last_change().expect("a move was made");
                assert_eq!(replayed(before.3.clone(), change), board(pos));
                let moved = mover.map(|piece| (piece, mv.from()));
                assert_eq!(Some(change.removed[0]), moved);
                assert!(!mv.is_capture() || change.added.is_empty());
                largest = largest.max(change.removed.len());
                pos.unmake();
                assert!(pos.same_as(&original), "{mv:?}");
                assert_eq!(snapshot(pos), before, "{mv:?}");
            }
            assert_sets_agree(pos);
        });
        assert!(largest >= 7, "at most {largest} pieces exploded");
    }
}

#[test]
fn null_moves_change_only_the_side_to_move() {
    for (seed, variant) in [(11, Variant::Atomic), (12, Variant::NoCheckAtomic)] {
        walk::visit(seed, 3_000, variant, |pos| {
            let (original, before) = (pos.clone(), snapshot(pos));
            pos.make_null();
            assert_eq!(pos.side_to_move(), !original.side_to_move());
            assert_eq!(pos.en_passant(), None);
            assert_eq!(pos.castling_rights(), original.castling_rights());
            assert_eq!(board(pos), before.3);
            assert_eq!(pos.key(), pos.compute_key());
            assert_ne!(pos.key(), before.1);
            assert_eq!(pos.last_move(), None);
            // No repetition across a null move.
            assert_eq!(pos.repetition_count(), 0);
            pos.unmake();
            assert!(pos.same_as(&original));
            assert_eq!(snapshot(pos), before);
        });
    }
}

#[test]
fn a_position_without_history_is_the_same_position() {
    walk::visit(13, 1_000, Variant::Atomic, |pos| {
        let bare = pos.without_history();
        assert!(bare.same_as(pos));
        assert_eq!((bare.ply(), bare.key()), (0, pos.key()));
        assert_eq!(bare.last_move(), None);
        assert!(bare.last_change().is_none());
    });
}

#[test]
fn different_positions_have_different_keys() {
    let mut seen = std::collections::HashMap::new();
    walk::visit(14, 20_000, Variant::Atomic, |pos| {
        let text = shredder(pos);
        let fields: Vec<&str> = text.split(' ').take(4).collect();
        let placement = fields.join(" ");
        // The key omits the file of a castling rook, which is fixed within a game.
        if !placement.contains(" - ") {
            return;
        }
        let first = seen.entry(pos.key()).or_insert_with(|| placement.clone());
        assert_eq!(*first, placement, "one key, two positions");
    });
    assert!(seen.len() > 5_000);
}

#[test]
fn a_blast_spares_the_adjacent_pawns() {
    walk::visit(15, 1_000, Variant::Atomic, |pos| {
        for centre in Square::all() {
            let expected = pos.occupied().into_iter().filter(|&square| {
                let pawn = pos.by_type(PieceType::Pawn).contains(square);
                square == centre || (square.distance(centre) == 1 && !pawn)
            });
            assert_eq!(pos.blast_victims(centre), expected.collect());
        }
    });
}

#[test]
fn counters_at_their_limit_are_restored() {
    let text = "4k3/8/8/8/8/8/8/4K3 b - - 65535 65535";
    let mut pos = position(text);
    let mv = pos.legal_moves()[0];
    pos.make(mv);
    let counters = (pos.halfmove_clock(), pos.fullmove_number());
    assert_eq!(counters, (65535, 65535));
    pos.unmake();
    assert_eq!(x_fen(&pos), text);
}

#[test]
fn the_handcrafted_evaluation_is_symmetric() {
    let mut compared = 0;
    walk::visit(16, 2_000, Variant::Atomic, |pos| {
        let rights = pos.castling_rights();
        let can_castle = Color::ALL.iter().any(|&color| rights.any(color));
        if !can_castle && eval::has_both_kings(pos) {
            let pos = pos.without_history();
            let other = mirrored(&pos, false);
            assert_eq!(hce::evaluate(&pos), hce::evaluate(&other), "{pos:?}");
            compared += 1;
        }
    });
    assert!(compared > 500, "{compared}");
}

/// The FEN of a position with colours and ranks swapped.
fn flipped_fen(fen: &str) -> String {
    let swapped = |c: char| match c {
        'a'..='z' => c.to_ascii_uppercase(),
        _ => c.to_ascii_lowercase(),
    };
    let fields: Vec<&str> = fen.split(' ').collect();
    let ranks: Vec<&str> = fields[0].rsplit('/').collect();
    let board: String = ranks.join("/").chars().map(swapped).collect();
    let side = if fields[1] == "w" { "b" } else { "w" };
    let (white, black): (String, String) =
        fields[2].chars().map(swapped).partition(char::is_ascii_uppercase);
    let en_passant = fields[3].replace('3', "x").replace('6', "3").replace('x', "6");
    format!("{board} {side} {white}{black} {en_passant} {} {}", fields[4], fields[5])
}

#[test]
fn a_flipped_position_is_the_same_for_the_other_side() {
    walk::visit(18, 1_000, Variant::Atomic, |pos| {
        let flipped = pos.flipped().expect("a valid position");
        assert_eq!(shredder(&flipped), flipped_fen(&shredder(pos)));
        assert_eq!(flipped.legal_moves().len(), pos.legal_moves().len());
    });
}

#[test]
fn side_castling_rights_and_en_passant_file_change_the_key() {
    let mut seen = std::collections::HashMap::new();
    let mut add = |text: String| {
        let pos = position(&text);
        assert_eq!(x_fen(&pos), text);
        let pieces = text.split(' ').next().unwrap().to_owned();
        let other = seen.insert((pieces, pos.key()), text.clone());
        assert_eq!(other, None, "{text}");
    };
    for rights in 0..16 {
        let letters = "KQkq".chars().enumerate();
        let letters = letters.filter(|(bit, _)| rights >> bit & 1 != 0);
        let letters: String = letters.map(|(_, letter)| letter).collect();
        let letters = if rights == 0 { "-" } else { &letters };
        for side in ["w", "b"] {
            add(format!("r3k2r/8/8/8/8/8/8/R3K2R {side} {letters} - 0 1"));
        }
    }
    for square in ["-", "b6", "d6", "f6", "h6"] {
        add(format!("7k/8/8/PpPpPpPp/8/8/8/K7 w - {square} 0 1"));
    }
    for square in ["-", "a6", "c6", "e6", "g6"] {
        add(format!("7k/8/8/pPpPpPpP/8/8/8/K7 w - {square} 0 1"));
    }
}

#[test]
fn positions_that_differ_in_one_thing_are_not_the_same() {
    let texts = [
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQk - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R b KQkq - 0 1",
        "r3k2r/8/8/3nP3/8/8/8/R3K2R w KQkq - 0 1",
    ];
    let mut positions = Vec::new();
    for variant in Variant::ALL {
        positions.extend(texts.map(|text| position_in(variant, text)));
    }
    for (index, pos) in positions.iter().enumerate() {
        for (other_index, other) in positions.iter().enumerate() {
            let same = pos.same_as(other);
            assert_eq!(same, index == other_index, "{index} {other_index}");
        }
    }
    // The clocks make no difference.
    let late = position(&texts[0].replace("0 1", "20 40"));
    assert!(late.same_as(&positions[0]));
}
