//! Errors name file, game, line and move; valid games and lines are analysed all the same; the
//! exit code reports the error.

use super::{GAMES, analysed, array, run, run_with};
use crate::program::{Folder, assert_has, json_lines, wait_until};
use crate::table::rows;

fn games(text: &str) -> usize {
    text.matches("[Annotator \"").count()
}

#[test]
fn an_illegal_move_ends_only_its_game() {
    let bad = GAMES.replace("2. Nd4 f6", "2. Nd4 Qxg5");
    let (text, error) = analysed(&bad, "", 1);
    // The moves before it are kept.
    assert_eq!(games(&text), 3);
    assert!(text.contains("2. Nd4"), "{text}");
    assert!(!text.contains("3. O-O"), "{text}");
    let (before, _) = bad.split_once("Qxg5").expect("there");
    let line = before.split('\n').count();
    let named = format!("games.pgn: game 2 (A - D), line {line}, move 2...: \"Qxg5\"");
    assert!(error.contains(&named), "{error}");
    assert!(error.contains("1 of 3 games"), "{error}");
}

#[test]
fn what_is_no_move_is_an_error_or_a_warning() {
    // The end of a game is lost; that of a variation only gives a warning.
    for (old, new, code, parts) in [
        ("2. Nd4 f6", "2. Sd4 f6", 1, ["game 2", "\"Sd4\""]),
        ("(2. e4 e5", "(2. e4 Z0", 0, ["warning", "game 1"]),
    ] {
        let (text, error) = analysed(&GAMES.replace(old, new), "", code);
        assert_eq!(games(&text), 3);
        assert_has(&error, &parts);
    }
}

#[test]
fn games_of_standard_chess_are_counted_with_advice() {
    let chess = GAMES.replace("[Variant \"Atomic\"]\n", "");
    let (_folder, file) = Folder::with("chess.pgn", &chess);
    let (text, error) = run(&file, "", 1);
    assert_eq!(text, "");
    let advice = "3 games without the tag Variant skipped; --variant atomic reads them as atomic";
    let message = "error: no game has the tag Variant of atomic chess";
    assert_has(&error, &[advice, message]);
    assert_eq!(error.lines().count(), 2, "{error}");
    let (text, error) = run(&file, "--variant atomic", 0);
    assert_eq!((games(&text), error.as_str()), (3, ""));
}

#[test]
fn the_number_of_errors_is_limited() {
    let bad = "[Variant \"Atomic\"]\n\n1. e5 *\n\n".repeat(27);
    let (_, error) = analysed(&bad, "", 1);
    assert_eq!(error.matches("\"e5\" is not a legal move").count(), 20);
    assert_has(&error, &["and 7 more", "27 of 27 games"]);
}

/// The castling letter of a rook that a blast has taken, and a FEN of three fields.
#[test]
fn a_fen_of_another_program_is_read_with_a_warning() {
    let game = |fen: &str| format!("[Variant \"Atomic\"]\n[FEN \"{fen}\"]\n\n1. Nf3 *\n\n");
    let text = game("rnbqkb2/pppppp2/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
        + &game("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq");
    let (text, error) = analysed(&text, "", 0);
    assert_eq!(games(&text), 2);
    for repaired in ["KQq - 0 1\"]", "KQkq - 0 1\"]"] {
        assert_has(&text, &[&format!("PPPPPPPP/RNBQKBNR w {repaired}")]);
    }
    let warnings = error.lines().filter(|line| line.contains("warning"));
    let warnings: Vec<&str> = warnings.collect();
    assert_eq!(warnings.len(), 2, "{error}");
    assert_has(warnings[0], &["game 1", "k has no matching rook"]);
    assert_has(warnings[1], &["game 2", "read with - 0 1"]);
}

#[test]
fn bad_lines_of_a_list_are_reported_and_keep_their_numbers() {
    let list = "4k3/8/8/8/8/8/8/R3K3 w - -\n8/8 w - -\n4k3/8/8/8/8/8/8/R3K3 b - -\n";
    let (_folder, file) = Folder::with("list.epd", list);
    let (text, error) = run(&file, "--json", 1);
    let kind = |value: serde_json::Value| format!("{} {}", value["type"], value["line"]);
    let kinds: Vec<String> = json_lines(&text).into_iter().map(kind).collect();
    assert_eq!(kinds, ["\"result\" 1", "\"error\" 2", "\"result\" 3"]);
    assert!(error.contains("list.epd: line 2: bad FEN"), "{error}");
    let (text, _) = run(&file, "", 1);
    let second = text.lines().nth(1).expect("a second line");
    assert!(second.starts_with("# line 2: "), "{second}");
}

#[test]
fn unreadable_files_are_reported() {
    let folder = Folder::new();
    for name in ["folder.pgn", "folder.epd"] {
        std::fs::create_dir(folder.path(name)).expect("a folder");
    }
    folder.write("empty.pgn", "");
    folder.write("empty.epd", "# nothing\n");
    folder.write("a.pgn", "BRISGAME\u{2}\u{0}\u{0}\u{0}CHNK");
    folder.write("binary.pgn", "\u{0}\u{1}[[[{{{\u{7f}");
    folder.check(
        "
        1 analyse missing.pgn --nodes 300 ! cannot read ! missing.pgn
        1 analyse folder.pgn --nodes 300 ! folder.pgn
        1 analyse folder.epd --nodes 300 ! folder.epd
        1 analyse empty.pgn --nodes 300 ! empty.pgn ! no
        1 analyse empty.epd --nodes 300 ! empty.epd ! no
        1 analyse a.pgn --nodes 300 ! a.pgn: training games instead of text
        1 analyse binary.pgn --nodes 300 ! binary.pgn
        ",
    );
}

#[test]
fn conflicting_options_are_errors() {
    let (folder, _) = Folder::with("a.pgn", GAMES);
    folder.write("a.epd", "startpos\n");
    let table = "
        a.pgn --moves e4                        | --moves
        a.pgn --resume                          | --out
        a.pgn --html x --out y --resume --json  | --resume
        a.pgn --html -                          | standard output
        a.pgn --html - --out -                  | standard output
        a.pgn --json --fresh                    | --fresh
        a.pgn --out - --resume                  | not in standard output
        a.epd --no-search                       | --no-search
        startpos --html x                       | --html is only for games
        a.epd --multipv 2                       | --json
        a.epd --white                           | --json
        a.pgn a.epd                             | files of one format
        a.PGN b                                 | bad FEN
        A.EPD --html x                          | --html is only for games
        - - --format pgn                        | only once
        --format pgn                            | --format needs a file
        a.epd --fresh                           | --fresh is only for games
        startpos --out x                        | --out";
    for [words, error] in rows(table) {
        folder.check(&format!("2 analyse {words} --nodes 300 ! {error}"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_that_names_the_file() {
    let (folder, file) = Folder::with("games.pgn", GAMES);
    let list = folder.write("list.epd", "startpos\n");
    for (file, option) in [(&file, "--out"), (&file, "--html"), (&list, "--out")] {
        let (_, error) = run(file, &format!("{option} /dev/full"), 1);
        assert!(error.contains("cannot write /dev/full"), "{error}");
    }
    // The page could not be written, but the games are complete.
    let (text, _) = run(&file, "--html /dev/full", 1);
    assert_eq!(games(&text), 3);
}

/// An interrupt during the long game keeps the short one before it, and the moves of the long one
/// that have been analysed.
#[cfg(unix)]
#[test]
fn an_interrupt_keeps_finished_games_and_moves() {
    let folder = Folder::new();
    let short = "[Variant \"Atomic\"]\n\n1. e4 *\n\n";
    let shuffle = "1. Nc3 Nc6 2. Nb1 Nb8 ".repeat(20);
    let games = format!("{short}[Variant \"Atomic\"]\n\n{shuffle} *\n\n");
    let file = folder.write("games.pgn", games);
    for style in ["--html page.html", "--json"] {
        let line = format!("analyse games.pgn --time 20ms --hash 1 --out out {style}");
        let child = folder.command(&line).spawn().expect("it starts");
        wait_until("game", || folder.size("out") > 0 && folder.read("out").ends_with('\n'));
        // Several positions of the long game, which nothing reports.
        std::thread::sleep(std::time::Duration::from_millis(200));
        let error = crate::program::interrupt(child).code(1).err;
        assert!(error.contains("interrupted after 1 of 2 games"), "{error}");
        assert!(error.contains(" half-moves of game 2"), "{error}");
        let text = folder.read("out");
        if style == "--json" {
            let game = &json_lines(&text)[1];
            let moves = array(&game["moves"]).len();
            assert!(game["interrupted"] == true && (1..70).contains(&moves));
        } else {
            let (_, second) = text.split_once("*\n\n").expect("two games");
            assert!(second.contains("; interrupted after "), "{second}");
            let count = second.matches("[%eval").count();
            assert!((2..70).contains(&count), "{count}");
            assert!(second.matches("Nc3").count() >= 20, "{second}");
            let html = folder.read("page.html");
            assert_eq!(html.matches("data-game=").count(), 2);
        }
        // A continued run begins with that game.
        let style = style.replace("--html page.html", "");
        let options = format!("--out out --time 1ms --resume {style}");
        let (_, error) = run_with(&file, &options, 2);
        assert!(error.contains("--time 20ms"), "{error}");
        folder.write("out", text.replace("--time 20ms", "--time 1ms"));
        run_with(&file, &options, 0);
        let text = folder.read("out");
        assert!(!text.contains("interrupted"));
        assert!(text.matches("Nc3").count() >= 20, "{text}");
        std::fs::remove_file(folder.path("out")).expect("it is there");
    }
}
