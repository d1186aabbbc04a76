//! Random games under the Internet Chess Club's rules compared with the reference, because no
//! other program plays exactly these rules; and the reference compared under both rule sets.
//! Invariant: the same moves, and the same position after each of them.

use brisance::notation::fen::CastlingStyle;
use brisance::notation::{coord, fen};
use brisance::rules::{MoveKind, Position, Variant};

use crate::reference::Board;
use crate::walk;

/// Compares all moves and the positions after them. Returns the number of castling moves and of
/// en-passant captures.
pub fn compare_with_reference(pos: &mut Position) -> [usize; 2] {
    let text = fen::write(pos, CastlingStyle::Shredder);
    let board = Board::from_shredder_fen(&text, pos.variant().has_check());
    assert_eq!(board.shredder_fen(), text);
    let mut special = [0; 2];
    let mut ours: Vec<(String, String)> = Vec::new();
    for mv in pos.legal_moves() {
        special[0] += usize::from(mv.kind() == MoveKind::Castle);
        special[1] += usize::from(mv.kind() == MoveKind::EnPassant);
        pos.make(mv);
        ours.push((
            coord::write(mv, true),
            fen::write(pos, CastlingStyle::Shredder),
        ));
        pos.unmake();
    }
    let replies = board.replies().into_iter();
    let mut theirs: Vec<(String, String)> = replies
        .map(|reply| (reply.text, reply.after.shredder_fen()))
        .collect();
    ours.sort();
    theirs.sort();
    assert_eq!(ours, theirs, "from {text}");
    special
}

fn compare_walks(seed: u64, positions: usize, variant: Variant) {
    let mut special = [0; 2];
    walk::visit(seed, positions, variant, |pos| {
        let [castlings, en_passants] = compare_with_reference(pos);
        special[0] += castlings;
        special[1] += en_passants;
    });
    println!("{variant}: castlings and en-passant captures {special:?}");
    assert!(special.iter().all(|&count| count * 100 >= positions));
}

#[test]
fn games_without_check_agree_with_the_reference() {
    compare_walks(3, 10_000, Variant::NoCheckAtomic);
}

#[test]
fn games_with_check_agree_with_the_reference() {
    compare_walks(4, 5_000, Variant::Atomic);
}
