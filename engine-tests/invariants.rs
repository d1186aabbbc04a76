//! What must hold whatever is played: unmake restores everything, keys and lists of changes
//! tell the truth, a null move is only a change of turn.

use brisance::notation::fen::{self, CastlingStyle};
use brisance::rules::{Change, Move, Piece, PieceType, Position, Square, Variant};

use crate::walk;

fn men(pos: &Position) -> Vec<Option<Piece>> {
    Square::all().map(|square| pos.piece_at(square)).collect()
}

/// Everything about a position that can be asked.
fn snapshot(pos: &Position) -> (String, u64, usize, Vec<Option<Piece>>, Vec<Move>) {
    (
        fen::write(pos, CastlingStyle::Shredder),
        pos.key(),
        pos.ply(),
        men(pos),
        pos.legal_moves().to_vec(),
    )
}

fn assert_sets_agree(pos: &Position) {
    for square in Square::all() {
        let piece = pos.piece_at(square);
        assert_eq!(pos.occupied().contains(square), piece.is_some());
        for candidate in Piece::ALL {
            let in_set = pos
                .pieces(candidate.color(), candidate.kind())
                .contains(square);
            assert_eq!(in_set, piece == Some(candidate), "{square}");
        }
    }
}

/// The men before a move, changed as its list says, are the men after it.
fn assert_change_explains(before: &[Option<Piece>], after: &[Option<Piece>], change: &Change) {
    let mut replayed = before.to_vec();
    for &(piece, square) in &change.removed {
        assert_eq!(
            replayed[square.index()].take(),
            Some(piece),
            "removed twice"
        );
    }
    for &(piece, square) in &change.added {
        assert_eq!(
            replayed[square.index()].replace(piece),
            None,
            "added to a man"
        );
    }
    assert_eq!(replayed, after);
}

#[test]
fn make_and_unmake_on_walks() {
    for (seed, variant) in [(7, Variant::Atomic), (8, Variant::NoCheckAtomic)] {
        let mut largest = 0;
        walk::visit(seed, 3_000, variant, |pos| {
            let (original, before) = (pos.clone(), snapshot(pos));
            for mv in pos.legal_moves() {
                let mover = pos.piece_at(mv.from());
                pos.make(mv);
                assert_eq!(pos.key(), pos.recomputed_key(), "{mv:?}");
                assert_eq!(pos.last_move(), Some(mv));
                let change = pos.last_change().expect("a move was made");
                assert_change_explains(&before.3, &men(pos), change);
                assert_eq!(
                    Some(change.removed[0]),
                    mover.map(|piece| (piece, mv.from()))
                );
                assert!(!mv.is_capture() || change.added.is_empty());
                largest = largest.max(change.removed.len());
                pos.unmake();
                assert!(pos.same_as(&original), "{mv:?}");
                assert_eq!(snapshot(pos), before, "{mv:?}");
            }
            assert_sets_agree(pos);
        });
        assert!(
            largest >= 7,
            "the walks met a big explosion, not only {largest}"
        );
    }
}

#[test]
fn whole_games_are_taken_back() {
    for (seed, variant) in [(9, Variant::Atomic), (10, Variant::NoCheckAtomic)] {
        walk::visit(seed, 4_000, variant, |pos| {
            if pos.ply() % 16 != 15 {
                return;
            }
            let mut back = pos.clone();
            let line: Vec<Move> = (0..pos.ply())
                .map(|_| {
                    let mv = back.last_move().expect("no null move on a walk");
                    back.unmake();
                    mv
                })
                .collect();
            assert_eq!(back.key(), back.recomputed_key());
            for mv in line.into_iter().rev() {
                assert!(back.is_legal(mv));
                back.make(mv);
            }
            assert_eq!(snapshot(&back), snapshot(pos));
        });
    }
}

#[test]
fn null_moves_only_pass_the_turn() {
    for (seed, variant) in [(11, Variant::Atomic), (12, Variant::NoCheckAtomic)] {
        walk::visit(seed, 3_000, variant, |pos| {
            let (original, before) = (pos.clone(), snapshot(pos));
            pos.make_null();
            assert_eq!(pos.side(), !original.side());
            assert_eq!(pos.en_passant(), None);
            assert_eq!(pos.rights(), original.rights());
            assert_eq!(men(pos), before.3);
            assert_eq!(pos.key(), pos.recomputed_key());
            assert_ne!(pos.key(), before.1);
            assert_eq!(pos.last_move(), None);
            assert_eq!(
                pos.earlier_occurrences(),
                0,
                "no repetition across a null move"
            );
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
fn keys_tell_positions_apart() {
    let mut seen = std::collections::HashMap::new();
    walk::visit(14, 20_000, Variant::Atomic, |pos| {
        let text = fen::write(pos, CastlingStyle::Shredder);
        let place: Vec<&str> = text.split(' ').take(4).collect();
        let place = place.join(" ");
        // Which rook a right belongs to is fixed within a game and not in the key.
        if !place.contains(" - ") {
            return;
        }
        let first = seen.entry(pos.key()).or_insert_with(|| place.clone());
        assert_eq!(*first, place, "one key, two positions");
    });
    assert!(seen.len() > 5_000);
}

#[test]
fn the_largest_explosions_fit() {
    // Position, move, men removed; no move removes more than ten.
    let cases = [
        ("7k/8/8/2nnn3/2nrn3/2nnnN2/8/K7 w - - 0 1", "f3d4", 10),
        ("7k/2n1n3/2n1n3/2npP3/8/8/8/K7 w - d6 0 1", "e5d6", 7),
        ("2nrn2k/2nnP3/8/8/8/8/8/K7 w - - 0 1", "e7d8q", 6),
        ("2nrn2k/2nnP3/8/8/8/8/8/K7 w - - 0 1", "e7d8n", 6),
        ("k7/8/8/4R3/3nnn2/3nqn2/3nnn2/K7 w - - 0 1", "e5e4", 7),
    ];
    for variant in Variant::ALL {
        for (text, name, removed) in cases {
            let mut pos = fen::parse(text, variant).unwrap();
            let before = men(&pos);
            let mv = brisance::notation::coord::parse(&pos, name).expect(name);
            pos.make(mv);
            let change = pos.last_change().unwrap().clone();
            assert_eq!(change.removed.len(), removed, "{text} {name}");
            assert!(change.added.is_empty());
            assert_change_explains(&before, &men(&pos), &change);
            pos.unmake();
            assert_eq!(fen::write(&pos, CastlingStyle::XFen), text);
        }
    }
}

#[test]
fn blasted_spares_the_pawns_around() {
    walk::visit(15, 1_000, Variant::Atomic, |pos| {
        for centre in Square::all() {
            let expected = pos.occupied().into_iter().filter(|&square| {
                let pawn = pos.of_kind(PieceType::Pawn).contains(square);
                square == centre || (square.distance(centre) == 1 && !pawn)
            });
            assert_eq!(pos.blasted(centre), expected.collect());
        }
    });
}

#[test]
fn counters_at_their_limit_are_restored() {
    let text = "4k3/8/8/8/8/8/8/4K3 b - - 65535 65535";
    let mut pos = fen::parse(text, Variant::Atomic).unwrap();
    let mv = pos.legal_moves()[0];
    pos.make(mv);
    assert_eq!((pos.halfmove(), pos.fullmove()), (65535, 65535));
    pos.unmake();
    assert_eq!(fen::write(&pos, CastlingStyle::XFen), text);
}
