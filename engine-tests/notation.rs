//! FEN, SAN and UCI moves: round trips, all variations of FEN, and errors that name the field
//! and the invalid text.
//! The fuzz targets `fen` and `san` show that no input panics.

mod epd;
mod units;

use brisance::notation::fen::{self, CastlingStyle, FenField};
use brisance::notation::pgn::{PgnLine, PgnReader};
use brisance::notation::san::SanError;
use brisance::notation::{coord, san};
use brisance::rules::{Position, Variant};

use crate::table::rows;
use crate::walk::{self, position, shredder, x_fen};

#[test]
fn fens_round_trip() {
    for (seed, variant) in [(30, Variant::Atomic), (31, Variant::NoCheckAtomic)] {
        let mut inner_rooks = 0;
        walk::visit(seed, 20_000, variant, |pos| {
            for style in [CastlingStyle::XFen, CastlingStyle::Shredder] {
                let text = fen::write(pos, style);
                let back = fen::parse(&text, variant).unwrap_or_else(|error| panic!("{error}"));
                assert!(back.same_as(pos), "{text}");
                assert_eq!(back.key(), pos.key(), "{text}");
                let clocks = |pos: &Position| (pos.halfmove_clock(), pos.fullmove_number());
                assert_eq!(clocks(&back), clocks(pos));
                assert_eq!(fen::write(&back, style), text);
                assert_eq!(back.legal_moves()[..], pos.legal_moves()[..], "{text}");
            }
            let rights = x_fen(pos).split(' ').nth(2).map(str::to_lowercase);
            let has_file =
                rights.is_some_and(|rights| rights.contains(|c| ('a'..='h').contains(&c)));
            inner_rooks += usize::from(has_file);
        });
        assert!(inner_rooks > 50, "{inner_rooks} FENs with file letters");
    }
}

#[test]
fn moves_round_trip() {
    let mut castlings = 0;
    for (seed, variant) in [(32, Variant::Atomic), (33, Variant::NoCheckAtomic)] {
        walk::visit(seed, 4_000, variant, |pos| {
            for mv in pos.legal_moves() {
                let text = coord::write(mv, true);
                assert_eq!(coord::parse(pos, &text), Some(mv), "{text}");
                assert_eq!(coord::parse(pos, &text.to_uppercase()), Some(mv), "{text}");
                // Also as a king move, unless the king has that move too.
                let step = coord::write(mv, false);
                if step != text {
                    castlings += 1;
                    let read = coord::parse(pos, &step).expect("a move");
                    assert_eq!(read.from(), mv.from());
                    assert!(read == mv || coord::write(read, true) == step, "{step}");
                }
                let text = san::write(pos, mv);
                assert!(variant.has_check() || !text.ends_with('+'), "{text}");
                assert_eq!(san::parse(pos, &text), Ok(mv), "{text}");
            }
        });
    }
    assert!(castlings > 100);
}

#[test]
fn castling_letters_of_all_notations() {
    // Input, then the castling fields of X-FEN and Shredder-FEN.
    let table = "
        r3k2r/8/8/8/8/8/8/R3K2R w KQkq -  | KQkq | HAha
        r3k2r/8/8/8/8/8/8/R3K2R w HAha -  | KQkq | HAha
        r3k2r/8/8/8/8/8/8/R3K2R w qkQK -  | KQkq | HAha
        r3k2r/8/8/8/8/8/8/R3K2R w Hq -    | Kq   | Ha
        8/8/8/8/8/8/2k5/rR4KR w KQ -      | KQ   | HB
        8/8/8/8/8/8/2k5/rR4KR w HB -      | KQ   | HB
        # A rook further out requires the file letter.
        4k3/8/8/8/8/8/8/RR2K1RR w BG -    | GB   | GB
        4k3/8/8/8/8/8/8/RR2K1RR w KQ -    | KQ   | HA
        rr2k1rr/8/8/8/8/8/8/4K3 b gb -    | gb   | gb
        # An enemy rook does not.
        4k3/8/8/8/8/8/8/rR2K1Rr w BG -    | KQ   | GB
        b1rkr1q1/pp3p2/n1p4p/6p1/1P2P1PP/8/PbR2P1Q/BN1KRN1B b Eec - | Kkq | Eec";
    for [text, x, long] in rows(table) {
        let pos = position(text);
        let letters = |text: String| text.split(' ').nth(2).map(str::to_owned);
        assert_eq!(letters(x_fen(&pos)).as_deref(), Some(x), "{text}");
        assert_eq!(letters(shredder(&pos)).as_deref(), Some(long), "{text}");
    }
}

/// The texts of a table with a FEN in each line; KINGS stands for a board.
fn fens(table: &str) -> impl Iterator<Item = String> {
    let lines = table.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| line.replace("KINGS", "4k3/8/8/8/8/8/8/4K3"))
}

#[test]
fn bad_fens_name_the_field_and_the_text() {
    use FenField::*;
    let count = "8\nKINGS w -\nKINGS w - - 0 1 x";
    let placement = "
        4k3/8/8/8/8/8/4K3 w - -
        4k3/8/8/8/8/8/8/8/4K3 w - -
        4k4/8/8/8/8/8/8/4K3 w - -
        4k2/8/8/8/8/8/8/4K3 w - -
        4k3/9/8/8/8/8/8/4K3 w - -
        4k3/0/8/8/8/8/8/4K3 w - -
        4k3/ppppppppp/8/8/8/8/8/4K3 w - -
        4k3r/8/8/8/8/8/8/4K3 w - -
        4k3/8/8/3x4/8/8/8/4K3 w - -
        4k3/8/8/3é4/8/8/8/4K3 w - -
        8/8/8/8/8/8/8/8 w - -
        4kk2/8/8/8/8/8/8/4K3 w - -
        4k2P/8/8/8/8/8/8/4K3 w - -
        4k3/8/8/8/8/8/8/4K2p w - -
        4k3/8/8/8/8/P7/PPPPPPPP/RNBQKBNR w - -";
    // In the last two the rook is on the other side of the king.
    let castling = "
        KINGS w K -
        KINGS w k -
        KINGS w H -
        KINGS w i -
        KINGS w K- -
        r3k2r/8/8/8/8/8/8/R3K2R w KK -
        r3k2r/8/8/8/8/8/8/R3K2R w KH -
        4k3/8/8/8/8/8/8/4KR1R w FH -
        4k3/8/8/8/8/8/4K3/7R w K -
        4k3/8/8/8/8/8/4K3/7R w H -
        8/8/8/8/8/8/8/k6R w H -
        4k3/8/8/8/8/8/8/3RK3 w K -
        4k3/8/8/8/8/8/8/4KR2 w Q -";
    let en_passant = "
        KINGS w - e9
        KINGS w - x
        KINGS w - e6
        4k3/8/8/3pP3/8/8/8/4K3 w - d5
        4k3/8/8/3pP3/8/8/8/4K3 b - d6
        4k3/3r4/8/3pP3/8/8/8/4K3 w - d6
        4k3/8/3r4/3pP3/8/8/8/4K3 w - d6";
    let halfmoves = "KINGS w - - x 1\nKINGS w - - +1 1\nKINGS w - - -1 1\nKINGS w - - 65536 1";
    let moves = "KINGS w - - 0 1.5\nKINGS w - - 0 99999999999999999999";
    let empty = ["", "   "].map(|text| (FieldCount, text.to_owned(), String::new()));
    let mut cases = empty.to_vec();
    let tables = [
        (Placement, placement),
        (SideToMove, "KINGS x - -\nKINGS white - -"),
        (Castling, castling),
        (EnPassant, en_passant),
        (HalfmoveClock, halfmoves),
        (FullmoveNumber, moves),
        // The whole text when the number of fields is wrong.
        (FieldCount, count),
    ];
    for (number, (field, table)) in tables.into_iter().enumerate() {
        cases.extend(fens(table).map(|text| {
            let shown = text.split(' ').nth(number).filter(|_| field != FieldCount);
            (field, text.clone(), shown.unwrap_or(&text).to_owned())
        }));
    }
    for (field, text, shown) in cases {
        for variant in Variant::ALL {
            let error = fen::parse(&text, variant).err();
            let error = error.unwrap_or_else(|| panic!("{text:?} passed"));
            assert_eq!((error.field, &error.text), (field, &shown), "{text:?}");
            assert!(!error.kind.to_string().is_empty());
            let line = error.to_string();
            let names_field = line.contains(&field.to_string());
            assert!(names_field && line.starts_with("bad FEN"), "{line}");
        }
    }
}

#[test]
fn errors_shorten_long_text() {
    let error = fen::parse(&"é".repeat(10_000), Variant::Atomic).expect_err("no FEN");
    assert_eq!(error.field, FenField::FieldCount);
    assert!(error.text.chars().count() <= 81 && error.text.ends_with('…'));
}

#[test]
fn fens_of_other_programs_are_read_with_warnings() {
    let names = [
        ("STARTPOS", fen::STARTPOS),
        ("START", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"),
        ("\\u{feff}", "\u{feff}"),
        ("\\u{a0}", "\u{a0}"),
        ("\\t", "\t"),
        ("\\r", "\r"),
        ("\\n", "\n"),
    ];
    for [text, expected, parts] in rows(include_str!("data/fens.txt")) {
        let named = |text: &str| {
            let names = names.iter();
            names.fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
        };
        let (text, expected) = (format!(" {} ", named(text)), named(expected));
        let parts: Vec<&str> = parts.split(';').map(str::trim).collect();
        let parts = if parts == [""] { vec![] } else { parts };
        for variant in Variant::ALL {
            let (pos, warnings) = fen::parse_lenient(&text, variant)
                .unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_eq!(x_fen(&pos), expected, "{text:?}");
            let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
            assert_eq!(warnings.len(), parts.len(), "{text:?}: {warnings:?}");
            for (warning, part) in warnings.iter().zip(&parts) {
                let is_named = warning.replace(';', ",").contains(part);
                assert!(warning.starts_with("FEN, ") && is_named, "{warning}");
            }
            let is_strict = fen::parse(&text, variant).is_ok();
            assert_eq!(is_strict, parts.is_empty(), "{text:?}");
        }
    }
}

#[test]
fn fens_that_leave_the_board_uncertain_are_errors() {
    let table = "
        startpos y                               | number of fields
        nonsense                                 | 8 ranks, not 1
        startpos x                               | number of fields
        startpos moves e2e4                      | moves are not part of a FEN
        4k3/8/8/8/8/8/8/4K3 w - - 0 1 moves e1e2 | moves are not part of a FEN
        8/8/8/8/8/8/8/8 w - - 0 1                | neither side has a king
        4k3/8/8/8/8/8/8/8/4K3 w - - 0 1          | 8 ranks, not 9
        4k3/9/8/8/8/8/8/4K3 w - - 0 1            | '9' is neither
        4k3/8/8/7/8/8/8/4K3 w - - 0 1            | rank 5
        4k3/8/8/8/8/8/8/4K3[Q] w - - 0 1         | '[' is neither
        4k3/8/8/8/8/8/8/4K3 x - - 0 1            | expected w or b
        4k2P/8/8/8/8/8/8/4K3 w - - 0 1           | a pawn stands on h8";
    for [text, part] in rows(table) {
        let error = fen::parse_lenient(text, Variant::Atomic).map(|_| ());
        let error = error.expect_err(text).to_string();
        assert!(error.starts_with("bad FEN, "), "{error}");
        assert!(error.contains(part), "{error}");
    }
    assert!(fen::parse_lenient("", Variant::Atomic).is_err());
}

/// Each SAN text stands for the move in UCI notation.
fn assert_san(text: &str, cases: &str) {
    let pos = position(text);
    for case in cases.split(", ") {
        let (san_text, name) = case.rsplit_once(' ').expect("SAN and a name");
        let mv = san::parse(&pos, san_text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(coord::write(mv, true), name, "{san_text}");
    }
}

#[test]
fn san_variations_are_accepted() {
    assert_san(
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -",
        "O-O e1h1, 0-0 e1h1, O-O-O e1a1, 0-0-0 e1a1, O-O+ e1h1, 0-0-0!? e1a1, Kd2 e1d2, \
         Rxh8# h1h8, Rhxh8 h1h8, R1xh8 h1h8, Rh1xh8+!! h1h8,  Rb1  a1b1",
    );
    assert_san(
        "3r1b2/4P3/8/8/7k/8/8/K7 w - -",
        "e8=Q e7e8q, e8Q e7e8q, e8N?! e7e8n, exd8=R e7d8r, exd8B e7d8b, e7xf8=N e7f8n, \
         e7e8Q e7e8q",
    );
    assert_san(
        "4k3/8/8/8/8/2N5/8/4K1N1 w - -",
        "Nge2 g1e2, Nce2 c3e2, N3e2 c3e2, Ng1-e2 g1e2, Nf3 g1f3",
    );
    assert_san(
        "4k3/8/8/3pP3/8/8/P7/4K3 w - d6",
        "exd6 e5d6, e5xd6 e5d6, a4 a2a4, Pa3 a2a3, a2-a4 a2a4",
    );
}

#[test]
fn san_is_as_short_as_possible() {
    // Position, move, text.
    let cases = [
        ("4k3/8/8/8/8/2N5/8/4K1N1 w - -", "g1e2", "Nge2"),
        // Another queen on its rank; others on its rank and file.
        ("6k1/8/8/8/Q6Q/8/8/1K5Q w - -", "h4d4", "Qhd4"),
        ("6k1/8/8/8/Q6Q/8/8/Q6K w - -", "a4d4", "Qa4d4"),
        ("7k/8/8/8/8/Q7/8/Q5K1 w - -", "a1a2", "Q1a2"),
        // The other knight is pinned, so the move is unique.
        ("4r2k/8/8/8/8/2N5/4N3/4K3 w - -", "c3d5", "Nd5"),
        // Exploding the king ends the game.
        ("6kr/6P1/8/8/8/8/8/K7 w - -", "g7h8q", "gxh8=Q#"),
        ("8/2k5/8/3pP3/8/8/8/K7 w - d6", "e5d6", "exd6#"),
        // The capturing piece explodes and gives no check.
        ("7k/7p/8/8/8/8/8/K6R b - -", "h7h6", "h6"),
        ("8/p6k/8/8/8/8/8/R6K w - -", "a1a7", "Rxa7"),
        ("5k2/8/8/8/8/8/8/4K2R w K -", "e1h1", "O-O+"),
    ];
    for (text, name, expected) in cases {
        let pos = position(text);
        let mv = coord::parse(&pos, name).unwrap_or_else(|| panic!("{name} in {text}"));
        assert_eq!(san::write(&pos, mv), expected, "{text} {name}");
    }
}

#[test]
fn san_errors_distinguish_syntax_illegal_and_ambiguous() {
    let pos = position("4k3/8/8/8/8/2N5/4p3/4K1N1 w - -");
    let parse = |text: &str| san::parse(&pos, text);
    let malformed = "+ e e9 Nz3 Xe4 O-O-O-O Ng1g1f3 e8= é4 - Nf3f Nagf3 N1gf3 N21f3";
    for text in malformed.split(' ').chain([""]) {
        let expected = SanError::Syntax(text.to_owned());
        assert_eq!(parse(text), Err(expected), "{text}");
    }
    for text in ["--", "Z0", "0000"] {
        assert_eq!(parse(text), Err(SanError::Null(text.to_owned())));
    }
    for (other, letter) in [("♘f3", "Nf3"), ("♘ge2", "Nge2"), ("Nf3\u{a0}!", "Nf3")] {
        assert_eq!(parse(other).ok(), parse(letter).ok());
    }
    assert!(parse("Nf3").is_ok());
    let illegal = |text: &str| Err(SanError::Illegal(text.to_owned()));
    for text in ["Nf4", "e4", "O-O", "Kxe2", "Qd4", "Nce2", "e8=Q"] {
        assert_eq!(parse(text), illegal(text), "{text}");
    }
    let pos = position("4k3/8/8/8/8/2N5/P7/4K1N1 w - -");
    let ambiguous = Err(SanError::Ambiguous("Ne2".to_owned()));
    assert_eq!(san::parse(&pos, "Ne2"), ambiguous);
    // A promotion must name its piece.
    let pos = position("8/4P3/8/8/7k/8/8/K7 w - -");
    for text in ["e8", "e8=K"] {
        assert_eq!(san::parse(&pos, text), illegal(text));
    }
    for text in ["e8=n", "e8n", "e8N"] {
        assert_eq!(san::parse(&pos, text), san::parse(&pos, "e8=N"), "{text}");
    }
    assert!(san::parse(&pos, "e8=N").is_ok());
}

#[test]
fn uci_castling_as_king_move_or_onto_the_rook() {
    let pos = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -");
    let parse = |text| coord::parse(&pos, text);
    for (step, rook) in [("e1g1", "e1h1"), ("e1c1", "e1a1")] {
        let mv = parse(step).expect(step);
        assert_eq!(parse(rook), Some(mv));
        assert_eq!(coord::write(mv, false), step);
        assert_eq!(coord::write(mv, true), rook);
    }
    for text in " e1 e1e1 e1h8 a1a8q e1g1q 0000 e8g8 ééé".split(' ') {
        assert_eq!(parse(text), None, "{text}");
    }
    // The king can move to g1 and castle to g1; f1g1 is the king move.
    let pos = position("k7/8/8/8/8/8/8/5K1R w H -");
    let step = coord::parse(&pos, "f1g1").expect("a move");
    let castling = coord::parse(&pos, "f1h1").expect("a move");
    assert_ne!(step, castling);
    assert_eq!(coord::write(step, true), "f1g1");
    assert_eq!(coord::write(castling, false), "f1g1");
}

#[test]
fn a_variation_without_moves_leaves_no_trace() {
    let text = "[Variant \"Atomic\"]\n\n1. e4 e5 *\n\n";
    let mut games = PgnReader::new(text.as_bytes(), None);
    let mut game = games.next().expect("a game").expect("a valid one").game;
    game.main_line.moves[1].variations.push(PgnLine::default());
    assert_eq!(game.to_pgn(), text);
}
