//! All 65,536 move codes on many positions: `is_legal` accepts exactly the generated moves.

use brisance::rules::{Move, PieceType, Position, Variant};

use crate::walk;

/// The codes of legal moves, by `is_legal` alone.
pub fn legal_codes(pos: &Position) -> Vec<u16> {
    let is_legal = |&code: &u16| Move::from_code(code).is_some_and(|mv| pos.is_legal(mv));
    (0..=u16::MAX).filter(is_legal).collect()
}

pub fn generated_codes(pos: &Position) -> Vec<u16> {
    let mut codes: Vec<u16> = pos.legal_moves().iter().map(|mv| mv.code()).collect();
    codes.sort_unstable();
    codes
}

#[test]
fn legal_codes_are_the_generated_moves() {
    for (seed, variant) in [(5, Variant::Atomic), (6, Variant::NoCheckAtomic)] {
        let mut turn = 0;
        // Every seventh position, because consecutive ones are similar.
        walk::visit(seed, 7 * 300, variant, |pos| {
            turn += 1;
            if turn % 7 == 0 {
                assert_eq!(legal_codes(pos), generated_codes(pos), "{variant}");
            }
        });
        assert!(turn / 7 >= 300);
    }
}

#[test]
fn codes_round_trip() {
    let mut moves = 0;
    for code in 0..=u16::MAX {
        if let Some(mv) = Move::from_code(code) {
            moves += 1;
            assert_eq!(mv.code(), code);
            assert_eq!(mv.is_capture(), mv.kind().is_capture());
            let promotes = mv.promotion().is_some();
            assert_eq!(mv.is_noisy(), mv.is_capture() || promotes);
            let underpromotes = promotes && mv.promotion() != Some(PieceType::Queen);
            assert_eq!(mv.is_redundant(), mv.is_capture() && underpromotes);
            assert_eq!(Move::new(mv.from(), mv.to(), mv.kind()), mv);
        }
    }
    assert_eq!(moves, 13 * 4096 - 1, "thirteen kinds, without a1a1");
}
