//! Lines of EPD: clocks, operations, moves behind positions, warnings.

use brisance::notation::epd::{Epd, parse_line};
use brisance::notation::fen;
use brisance::rules::Variant;

use crate::table::rows;

const NO_OPERATIONS: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

fn parse(line: &str) -> Epd {
    let epd = parse_line(line, Variant::Atomic);
    epd.expect("a position").expect("no comment")
}

#[test]
fn clocks_and_operations_are_optional() {
    let tails = "|3 7|3 7; id \"x\";|hmvc 3; fmvn 7;|; id \"x\"|bm Nf3;";
    for tail in tails.split('|') {
        let epd = parse(&format!("{NO_OPERATIONS} {tail}"));
        let clocks = (epd.pos.halfmove_clock(), epd.pos.fullmove_number());
        let expected = if tail.contains('7') { (3, 7) } else { (0, 1) };
        assert_eq!(clocks, expected, "{tail}");
    }
    for ignored in ["", "  ", "# a comment", "\u{feff}# a comment"] {
        assert!(matches!(parse_line(ignored, Variant::Atomic), Ok(None)));
    }
    for bad in [
        "rnbqkbnr w KQkq - bm e4;",
        "4k3/8/8/8/8/8/8/4K3 w - - id \"never closed;",
        "4k3/8/8/8/8/8/8/4K3 w - - moves e1e3",
        "startpos moves e2e4 e7e5 bm Qxe5;",
    ] {
        assert!(parse_line(bad, Variant::Atomic).is_err(), "{bad}");
    }
}

#[test]
fn lines_are_written_as_they_were_read() {
    // START is the start position, AFTER the one after 1. e4 e5; the last column is the number of warnings.
    let table = r#"
        # A clock of the FEN replaces its operation.
        START 3; id "x"; hmvc 9; fmvn 7;  | START hmvc 3; id "x"; fmvn 7;   | 0
        START 5; fmvn -;                  | START hmvc 5; fmvn 1;           | 1
        # Moves behind a position are played.
        startpos moves e2e4 e7e5          | AFTER                           | 0
        START moves 1. e4 e5; id "x";     | AFTER id "x";                   | 0
        START 0 1 moves e2e4 e7e5         | AFTER hmvc 0; fmvn 2;           | 0
        START 7 1 moves e2e4 e7e5; bm f4; | AFTER hmvc 0; fmvn 2; bm f4;    | 0
        startpos; bm e4;                  | START bm e4;                    | 0
        startpos bm e4;                   | START bm e4;                    | 0
        # What is ignored gives a warning.
        4k3/8/8/8/8/8/8/4K3 w KQkq - id "x"; | 4k3/8/8/8/8/8/8/4K3 w - - id "x"; | 4
        4k3/8/8/8/8/8/8/4K3 w; id "x";    | 4k3/8/8/8/8/8/8/4K3 w - - id "x"; | 1
        4k3/8/8/8/8/8/8/4K3               | 4k3/8/8/8/8/8/8/4K3 w - -       | 1
        # A number is an operation after the clocks, or behind a semicolon.
        START 3 7 5;                      | START hmvc 3; fmvn 7; 5;        | 0
        START; 5 x;                       | START; 5 x;                     | 0"#;
    let after = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -";
    let full = |text: &str| text.replace("START", NO_OPERATIONS).replace("AFTER", after);
    for [line, written, warnings] in rows(table) {
        let epd = parse(&full(line));
        assert_eq!(epd.to_string(), full(written), "{line}");
        assert_eq!(epd.warnings.len().to_string(), warnings, "{line}");
    }
}

#[test]
fn any_white_space_separates_fields() {
    for space in ["  ", "\t", "\u{a0}", "\u{3000}", "\u{2003} ", " \u{85}"] {
        let line = format!("{NO_OPERATIONS} 3 7 bm Nf3; id \"x\";").replace(' ', space);
        let epd = parse(&line);
        assert_eq!(epd.pos.fullmove_number(), 7, "{line:?}");
        assert_eq!(epd.operand("bm"), Some("Nf3"), "{line:?}");
        let pos = fen::parse(&NO_OPERATIONS.replace(' ', space), Variant::Atomic);
        assert!(pos.is_ok(), "{line:?}");
        // A field of its own would be invalid.
        let odd = NO_OPERATIONS.replace(" -", &format!(" {space}-"));
        assert!(parse(&odd).operations.is_empty(), "{odd:?}");
    }
}
