//! What distributed testing frameworks use: UCI commands as arguments, and `genfens`, whose
//! positions are parsed again.

use std::collections::HashSet;

use brisance::rules::Variant;

use crate::program::{Folder, check, stdout};
use crate::walk::{position, position_in};

/// The FENs that a command prints, each with six fields.
fn fens(words: &str) -> Vec<String> {
    let text = stdout(&format!("'{words}' quit"));
    let fen = |line: &str| {
        let fen = line.strip_prefix("info string genfens ").expect(line);
        assert_eq!(fen.split(' ').count(), 6, "{line}");
        fen.to_owned()
    };
    text.lines().map(fen).collect()
}

#[test]
fn the_seed_determines_the_positions() {
    let first = fens("genfens 12 seed 5 book None");
    assert_eq!(first, fens("genfens 12 seed 5 book none"));
    assert_ne!(first, fens("genfens 12 seed 6 book None"));
    assert_eq!(first[..3], fens("genfens 3 seed 5 book None")[..]);
    assert_eq!(first.iter().collect::<HashSet<_>>().len(), 12);
    for text in &first {
        let pos = position(text);
        assert!(pos.outcome_by_rule().is_none(), "{text}");
        assert!(pos.win_in_one().is_none(), "{text}");
        assert_ne!(pos.fullmove_number(), 1, "{text}");
    }
    assert!(fens("genfens 0 seed 5 book None").is_empty());
}

#[test]
fn positions_start_from_a_book() {
    // The start position without queens.
    let line = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - c0 \"no queens\";\n";
    let (_folder, path) = Folder::with("book.epd", format!("# a comment\n\n{line}"));
    let found = fens(&format!("genfens 5 seed 9 book {path}"));
    assert_eq!(found.len(), 5);
    for text in found {
        let board = text.split(' ').next().expect("a first field");
        assert!(!board.contains(['q', 'Q']), "{text}");
        assert!(position(&text).fullmove_number() <= 3, "{text}");
    }
}

#[test]
fn the_variant_can_be_selected() {
    let is_standard = |text: &String| text.contains(" KQkq ");
    assert!(fens("genfens 8 seed 1 book None").iter().any(is_standard));
    let shuffled = fens("genfens 8 seed 1 book None chess960");
    assert!(!shuffled.iter().any(is_standard));
    for text in fens("genfens 4 seed 1 book None nocheckatomic") {
        position_in(Variant::NoCheckAtomic, &text);
    }
}

#[test]
fn arguments_can_be_uci_commands() {
    check(
        r#"
        2 'genfens many seed 1 book None' quit | many
        2 'genfens 5 seed x book None' quit | "x" is not a seed
        2 'genfens 5 seed' quit | seed is missing
        2 'genfens 5 seed 1 book' quit | book is missing
        2 'genfens 5 seed 1 book /no/such/book.epd' quit | /no/such/book.epd
        2 'genfens 5 seed 1 book None quickly' quit | quickly
        # `quit` waits for a search with a limit.
        0 'position startpos moves e2e4' 'go nodes 3000' quit | bestmove
        2 'position startpos moves e2e5' d | e2e5 | Key
        # A FEN alone is not a UCI command.
        2 '8/8/8/8/8/8/8/8 w - -'
        "#,
    );
}
