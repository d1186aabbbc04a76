//! The predicates of the search compared with brute force over all moves: whether a move gives
//! check, and whether a king can be exploded in one.

use brisance::notation::coord;
use brisance::rules::{Color, MoveKind, Position, Variant};

use crate::walk::{self, position};

/// Whether some legal move explodes the enemy king.
fn explodes_by_brute_force(pos: &mut Position, with_en_passant: bool) -> bool {
    let them = !pos.side_to_move();
    let moves = pos.legal_moves().into_iter();
    let mut moves = moves.filter(|mv| with_en_passant || mv.kind() != MoveKind::EnPassant);
    moves.any(|mv| {
        pos.make(mv);
        let gone = pos.king(them).is_none();
        pos.unmake();
        gone
    })
}

#[test]
fn gives_check_agrees_with_in_check_after_the_move() {
    for (seed, variant) in [(16, Variant::Atomic), (17, Variant::NoCheckAtomic)] {
        let (mut checks, mut explosions) = (0, 0);
        walk::visit(seed, 10_000, variant, |pos| {
            for mv in pos.legal_moves() {
                let (gives, explodes) = (pos.gives_check(mv), pos.explodes_king(mv));
                let them = !pos.side_to_move();
                pos.make(mv);
                assert_eq!(gives, pos.in_check(), "{mv:?} {pos:?}");
                assert_eq!(gives, pos.checkers().any());
                assert_eq!(explodes, pos.king(them).is_none(), "{mv:?}");
                pos.unmake();
                checks += usize::from(gives);
                explosions += usize::from(explodes);
            }
        });
        assert!(explosions > 1_000);
        assert_eq!(checks > 1_000, variant.has_check());
        assert_eq!(checks == 0, !variant.has_check());
    }
}

#[test]
fn win_in_one_agrees_with_brute_force() {
    for (seed, variant) in [(18, Variant::Atomic), (19, Variant::NoCheckAtomic)] {
        let (mut wins, mut by_en_passant) = (0, 0);
        walk::visit(seed, 20_000, variant, |pos| {
            let expected = explodes_by_brute_force(pos, true);
            let found = pos.win_in_one();
            assert_eq!(found.is_some(), expected, "{pos:?}");
            if let Some(mv) = found {
                assert!(pos.legal_moves().contains(&mv), "{mv:?}");
                assert!(pos.is_legal(mv) && pos.explodes_king(mv), "{mv:?}");
                wins += 1;
                by_en_passant += usize::from(mv.kind() == MoveKind::EnPassant);
            }
        });
        assert!(wins > 1_000, "{variant}: only {wins} wins");
        assert!(by_en_passant > 0, "{variant}: en passant never won");
    }
}

#[test]
fn allows_explosion_agrees_with_brute_force() {
    for (seed, variant) in [(22, Variant::Atomic), (23, Variant::NoCheckAtomic)] {
        let (mut allowed, mut safe) = (0, 0);
        walk::visit(seed, 6_000, variant, |pos| {
            for mv in pos.legal_moves() {
                let predicted = pos.allows_explosion(mv);
                let castles = mv.kind() == MoveKind::Castle;
                pos.make(mv);
                let actual = !castles && explodes_by_brute_force(pos, false);
                pos.unmake();
                assert_eq!(predicted, actual, "{mv:?} {pos:?}");
                allowed += usize::from(actual);
                safe += usize::from(!actual);
            }
        });
        assert!(allowed > 1_000 && safe > 1_000, "{allowed} {safe}");
    }
}

#[test]
fn threatens_explosion_agrees_with_a_null_move() {
    for (seed, variant) in [(20, Variant::Atomic), (21, Variant::NoCheckAtomic)] {
        let mut threats = [0; 2];
        walk::visit(seed, 20_000, variant, |pos| {
            if Color::ALL.iter().any(|&color| pos.king(color).is_none()) {
                return;
            }
            let us = pos.side_to_move();
            let ours = pos.threatens_explosion(us);
            assert_eq!(ours, explodes_by_brute_force(pos, false));
            let theirs = pos.threatens_explosion(!us);
            pos.make_null();
            assert_eq!(theirs, explodes_by_brute_force(pos, false));
            pos.unmake();
            threats[0] += usize::from(ours);
            threats[1] += usize::from(theirs);
        });
        assert!(threats.iter().all(|&count| count > 1_000), "{threats:?}");
    }
}

#[test]
fn unusual_checks() {
    // Position, move, whether it gives check.
    let cases = [
        // The blast opens the file for the rook on a8.
        ("R2n3k/8/8/8/8/8/8/K2R4 w - -", "d1d8", true),
        // The capturing piece has exploded and gives no check.
        ("8/p6k/8/8/8/8/8/R6K w - -", "a1a7", false),
        // Touching kings are immune.
        ("R4K1k/8/8/8/8/8/8/8 w - -", "f8g7", false),
        // Both pawns and the adjacent pieces leave the rank.
        ("8/8/8/R2pP2k/8/8/8/K7 w - d6", "e5d6", true),
        // The castling rook gives check, also in Chess960.
        ("5k2/8/8/8/8/8/8/6KR w H -", "g1h1", true),
        ("5k2/8/8/8/8/8/8/4KR2 w F -", "e1f1", true),
        ("5k2/8/8/8/8/8/8/5K1R w H -", "f1h1", true),
        ("5k2/8/8/8/8/8/8/4K1R1 w G -", "e1g1", true),
        // A king that leaves the other king exposes it to all attackers.
        ("8/8/8/1k5R/1K6/8/8/8 w - -", "b4b3", true),
        ("8/8/8/1k5R/1K6/8/8/8 w - -", "b4a4", false),
        // The promoted piece gives check, and only as that piece does.
        ("8/P6k/8/8/8/8/8/K7 w - -", "a7a8q", false),
        ("8/P7/8/8/7k/8/8/K7 w - -", "a7a8b", false),
        ("7k/P7/8/8/8/8/8/K7 w - -", "a7a8r", true),
        ("7k/P7/8/8/8/8/8/K7 w - -", "a7a8n", false),
        // Exploding the king is not check.
        ("6rk/8/8/8/8/8/8/K5R1 w - -", "g1g8", false),
        // The other side was in check before.
        ("4k3/8/8/1B6/8/8/8/4K3 w - -", "e1e2", true),
        ("4k3/8/8/1B6/8/8/8/4K3 w - -", "b5a6", false),
    ];
    for (text, name, check) in cases {
        let mut pos = position(text);
        let mv = coord::parse(&pos, name).unwrap_or_else(|| panic!("{name} is legal in {text}"));
        assert_eq!(pos.gives_check(mv), check, "{text} {name}");
        pos.make(mv);
        assert_eq!(pos.in_check(), check, "{text} {name}");
    }
}

#[test]
fn unusual_wins_in_one() {
    // Position with White to move, target of the winning capture if there is one.
    let cases = [
        // A pawn next to the king is a target like a piece.
        ("7k/6p1/8/8/8/8/8/K5R1 w - -", Some("g7")),
        // In check or pinned, but the win ends the game.
        ("8/8/1Q2pk2/8/8/8/3K4/1n6 w - -", Some("e6")),
        ("k2r4/1p6/8/8/8/3R4/8/3K3B w - -", Some("b7")),
        // The only target is adjacent to both kings.
        ("8/8/8/8/5R2/8/5pk1/4K3 w - -", None),
        // The target cannot be reached, or only by a king.
        ("7k/6p1/8/8/8/8/8/K7 w - -", None),
        ("7k/6p1/5K2/8/8/8/8/8 w - -", None),
        // En passant explodes around the target square.
        ("8/2k5/8/3pP3/8/8/8/K7 w - d6", Some("d6")),
        ("8/8/8/3pP3/2k5/8/8/K7 w - d6", None),
        // A capture on the last rank.
        ("6kr/6P1/8/8/8/8/8/K7 w - -", Some("h8")),
    ];
    for (text, target) in cases {
        let pos = position(text);
        let found = pos.win_in_one().map(|mv| mv.to().to_string());
        assert_eq!(found.as_deref(), target, "{text}");
    }
}
