//! PGN as people and programs write it: the files of `data/pgn`, made after public bug reports.
//! Invariant: nothing of a game is lost without a message.

use super::{analysed, run, run_with};
use crate::export;
use crate::program::{Folder, assert_has};
use crate::table::rows;

fn data(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/engine-tests/data/pgn");
    format!("{folder}/{name}.pgn")
}

/// The moves and the result of each game of an analysis.
fn games(text: &str) -> Vec<String> {
    let games = export::games(text).into_iter();
    let words = games.map(|game| [game.sans, vec![game.result]].concat().join(" "));
    words.collect()
}

#[test]
fn games_of_bug_reports_are_read() {
    // The file, and its games.
    let table = "
        x01-result-after-blank       | Nf3 f6 Nd4 1-0
        x02-promotion-without-equals | a8=Q+ Kg7 1-0
        x06-two-positions-become-one | * ; *
        x09-first-move-with-dots     | Nf3 f6 Nd4 *
        x10-comment-behind-a-tag     | Nf3 f6 *
        x11-comment-with-a-tag-line  | Nf3 f6 Nd4 *
        p55-comment-pgn-inside       | Nf3 f6 Nd4 *
        p17a-ellipsis                | Nf3 f6 Nd4 c6 Nb5 1-0
        p17c-promotions              | a8=Q+ Kg7 Kg1 a1=Q+ *
        p17f-ep-suffix2              | d5 exd6 *
        p17g-ep-suffix3              | d5 exd6 *
        p17i-uci-moves               | Nf3 f6 Nd4 c6 e3 *
        p17j-zero-width              | Nf3 f6 Nd4 c6 *
        p50-double-check-plusplus    | Nc3 Ke5 Nb5 Kf4 *
        p51-glyph-without-space      | Nf3 f6 Nd4 c6 *
        p63-check-words              | Nc3 Ke5 Nb5 Kf4 Nd4 Ke4 *
        p78-king-castling-long       | Nf3 f6 e3 e6 Be2 c6 O-O Qa5 a3 *
        p07-result-0_5_0_5           | Nf3 f6 Nd4 1/2-1/2
        p07-result-1_2               | Nf3 f6 Nd4 1/2-1/2
        p16-colon-result             | Nf3 f6 Nd4 1-0
        p64-comment-after-result     | Nf3 f6 1-0 ; Nf3 f6 1/2-1/2 ; Nf3 f6 1-0
        p67-unquoted-fen             | Nc3 *
        p48-smart-quotes             | Nf3 f6 *
        p76-empty-fen                | Nf3 f6 * ; Nf3 f6 * ; Nf3 f6 * ; Nf3 f6 *
        p11-eval-comma               | Nf3 f6 Nd4 *";
    let cases = rows(table);
    let files: Vec<String> = cases.iter().map(|[name, _]| data(name)).collect();
    let (text, error) = run(&files[0], &files[1..].join(" "), 0);
    let expected = cases.iter().flat_map(|[_, games]| games.split(" ; "));
    assert_eq!(games(&text), expected.collect::<Vec<_>>());
    assert_eq!(error, "");
}

#[test]
fn the_output_states_the_rules_by_which_it_was_read() {
    let folder = Folder::new();
    let (text, _) = run(&data("x03-variant-tag-lost"), "--variant atomic", 0);
    assert_eq!(text.matches("[Variant \"Atomic\"]").count(), 2, "{text}");
    assert_eq!(text.matches("[Variant ").count(), 2, "{text}");
    let again = folder.write("again.pgn", &text);
    let (json, error) = run_with(&again, "--no-search --json --html page.html", 0);
    assert_eq!((json.lines().count(), error.as_str()), (2, ""));
    // The rules of the option count, not those of the tag.
    let file = folder.write("z.pgn", "[Variant \"nocheckatomic\"]\n\n1. Nf3 d5 *\n");
    let (text, _) = run(&file, "--variant atomic", 0);
    assert!(text.contains("[Variant \"Atomic\"]"), "{text}");
}

#[test]
fn games_of_other_variants_are_counted() {
    let (text, error) = run(&data("p29-mixed"), "", 0);
    assert_eq!(games(&text), ["Nf3 f6 Nd4 1-0"]);
    let expected = "\
warning: 1 game without the tag Variant skipped; --variant atomic reads them as atomic
warning: 1 game of Crazyhouse skipped
warning: 1 game of From Position skipped
";
    assert_eq!(error, expected);
    let standard = "[Variant \"Standard\"]\n\n1. e4 e5 *\n\n".repeat(12);
    let (text, error) = analysed(&standard, "", 1);
    assert_eq!(text, "");
    assert_has(&error, &["warning: 12 games of Standard skipped\n"]);
}

#[test]
fn each_null_move_in_a_variation_gives_one_warning() {
    let (text, error) = run(&data("p14b-null-variation"), "", 0);
    assert_eq!(games(&text), ["Nf3 f6 Nd4 c6 *"]);
    assert_eq!(error.matches("null move").count(), 2, "{error}");
    assert_eq!(error.lines().count(), 2, "{error}");
}

#[test]
fn lists_with_any_line_end_are_read() {
    let folder = Folder::new();
    let list = "startpos\n\n# a comment\n4k3/8/8/8/8/8/8/R3K3 w - -\n";
    let (expected, _) = run(&folder.write("list.epd", list), "", 0);
    assert_eq!(expected.lines().count(), 2);
    for end in ["\r", "\r\n"] {
        let file = folder.write("old.epd", list.replace('\n', end));
        assert_eq!(run(&file, "", 0).0, expected, "{end:?}");
    }
}
