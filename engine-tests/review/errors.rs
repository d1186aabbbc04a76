//! Errors name file, game, line and move; valid games and lines are analysed all the same; the
//! exit code reports the error.

use super::{GAMES, Place, plain, run};

/// The number of complete games in an analysis.
fn games(text: &str) -> usize {
    text.matches("[Annotator \"").count()
}

#[test]
fn an_illegal_move_ends_only_its_game() {
    let place = Place::new();
    let bad = GAMES.replace("2. Nd4 f6", "2. Nd4 Qxg5");
    let (text, error) = run(&place.write("games.pgn", &bad), &[], 1);
    // The moves before it are kept.
    assert_eq!(games(&text), 3);
    assert!(
        text.contains("2. Nd4") && !text.contains("3. O-O"),
        "{text}"
    );
    let line = 1 + bad[..bad.find("Qxg5").expect("there")]
        .matches('\n')
        .count();
    let place_named = format!("games.pgn: game 2 (A - D), line {line}, move 2...: \"Qxg5\"");
    assert!(error.contains(&place_named), "{error}");
    assert!(error.contains("1 of 3 games"), "{error}");
}

#[test]
fn an_invalid_move_is_reported() {
    let place = Place::new();
    let bad = GAMES.replace("2. Nd4 f6", "2. Sd4 f6");
    let (text, error) = run(&place.write("games.pgn", &bad), &[], 1);
    assert_eq!(games(&text), 3);
    assert!(
        error.contains("game 2") && error.contains("\"Sd4\""),
        "{error}"
    );
}

#[test]
fn games_of_standard_chess_are_counted_with_advice() {
    let place = Place::new();
    let chess = GAMES.replace("[Variant \"Atomic\"]\n", "");
    let file = place.write("chess.pgn", &chess);
    let (text, error) = run(&file, &[], 1);
    assert_eq!(text, "");
    let advice = "3 games without the tag Variant skipped; --variant atomic reads them as atomic";
    assert!(error.contains(advice), "{error}");
    assert!(
        error.contains("error: no game has the tag Variant of atomic chess"),
        "{error}"
    );
    assert_eq!(error.lines().count(), 2, "{error}");
    let (text, error) = run(&file, &["--variant", "atomic"], 0);
    assert_eq!((games(&text), error.as_str()), (3, ""));
}

#[test]
fn the_number_of_errors_is_limited() {
    let place = Place::new();
    let bad = "[Variant \"Atomic\"]\n\n1. e5 *\n\n".repeat(27);
    let (_, error) = run(&place.write("many.pgn", &bad), &[], 1);
    assert_eq!(error.matches("\"e5\" is not a legal move").count(), 20);
    assert!(
        error.contains("and 7 more") && error.contains("27 of 27 games"),
        "{error}"
    );
}

#[test]
fn a_bad_variation_is_truncated_with_a_warning() {
    let place = Place::new();
    let odd = GAMES.replace("(2. e4 e5", "(2. e4 Z0");
    let (text, error) = run(&place.write("games.pgn", &odd), &[], 0);
    assert_eq!(games(&text), 3);
    assert!(
        error.contains("warning") && error.contains("game 1"),
        "{error}"
    );
}

#[test]
fn bad_lines_of_a_list_are_reported_and_keep_their_numbers() {
    let place = Place::new();
    let list = "4k3/8/8/8/8/8/8/R3K3 w - -\n8/8 w - -\n4k3/8/8/8/8/8/8/R3K3 b - -\n";
    let file = place.write("list.epd", list);
    let (text, error) = run(&file, &["--json"], 1);
    let kinds: Vec<String> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .map(|value| format!("{} {}", value["type"], value["line"]))
        .collect();
    assert_eq!(kinds, ["\"result\" 1", "\"error\" 2", "\"result\" 3"]);
    assert!(error.contains("list.epd: line 2: bad FEN"), "{error}");
    let (text, _) = run(&file, &[], 1);
    assert!(
        text.lines()
            .nth(1)
            .is_some_and(|line| line.starts_with("# line 2: "))
    );
}

#[test]
fn unreadable_files_are_reported() {
    let place = Place::new();
    let missing = place.path("missing.pgn");
    let (_, error) = run(&missing, &[], 1);
    assert!(
        error.contains("cannot read") && error.contains("missing.pgn"),
        "{error}"
    );
    for name in ["folder.pgn", "folder.epd"] {
        std::fs::create_dir(place.path(name)).expect("a folder");
        let (_, error) = run(&place.path(name), &[], 1);
        assert!(error.contains(name), "{error}");
    }
    for (name, text) in [("empty.pgn", ""), ("empty.epd", "# nothing\n")] {
        let (_, error) = run(&place.write(name, text), &[], 1);
        assert!(error.contains(name) && error.contains("no "), "{error}");
    }
    let (_, error) = run(&place.write("binary.pgn", "\u{0}\u{1}[[[{{{\u{7f}"), &[], 1);
    assert!(error.contains("binary.pgn"), "{error}");
}

#[test]
fn existing_files_are_overwritten_only_with_force() {
    let place = Place::new();
    let file = place.write("games.pgn", GAMES);
    for option in ["--out", "--html"] {
        let old = place.write("old", "precious");
        let (_, error) = run(&file, &[option, plain(&old)], 1);
        assert!(
            error.contains("old exists") && error.contains("--force"),
            "{error}"
        );
        assert_eq!(place.read("old"), "precious");
        run(&file, &[option, plain(&old), "--force"], 0);
        assert!(place.read("old").contains("Brisance"));
    }
    for option in ["--out", "--html"] {
        let (_, error) = run(&file, &[option, plain(&file), "--force"], 2);
        assert!(error.contains("is the input"), "{error}");
        assert_eq!(place.read("games.pgn"), GAMES);
    }
    let unwritable = place.path("no/such/folder.pgn");
    let (_, error) = run(&file, &["--out", plain(&unwritable)], 1);
    assert!(
        error.contains("cannot write") && error.contains("folder.pgn"),
        "{error}"
    );
    // No temporary files remain.
    let left = std::fs::read_dir(&place.0).expect("readable").count();
    assert_eq!(left, 2);
}

#[test]
fn conflicting_options_are_errors() {
    let place = Place::new();
    let (pgn, epd) = (
        place.write("a.pgn", GAMES),
        place.write("a.epd", "startpos\n"),
    );
    let cases: [(&std::path::Path, &[&str], &str); 16] = [
        (&pgn, &["--moves", "e4"], "--moves"),
        (&pgn, &["--resume"], "--out"),
        (
            &pgn,
            &["--html", "x", "--out", "y", "--resume", "--json"],
            "--resume",
        ),
        (&pgn, &["--html", "-"], "standard output"),
        (&pgn, &["--html", "-", "--out", "-"], "standard output"),
        (&pgn, &["--json", "--fresh"], "--fresh"),
        (&pgn, &["--out", "-", "--resume"], "not in standard output"),
        (&epd, &["--no-search"], "--no-search"),
        (
            "startpos".as_ref(),
            &["--html", "x"],
            "--html is only for games",
        ),
        (&epd, &["--multipv", "2"], "--json"),
        (&epd, &["--white"], "--json"),
        (
            &pgn,
            &["--html", "x", "--out", "./x"],
            "--out and --html both",
        ),
        (&pgn, &[epd.to_str().expect("plain")], "files of one format"),
        (&epd, &["--html", "x"], "--html is only for games"),
        (&epd, &["--fresh"], "--fresh is only for games"),
        ("startpos".as_ref(), &["--out", "x"], "--out"),
    ];
    for (file, rest, name) in cases {
        let (text, error) = run(file, rest, 2);
        assert!(text.is_empty() && error.contains(name), "{rest:?}: {error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_that_names_the_file() {
    use std::fs::OpenOptions;
    use std::process::{Command, Stdio};

    let place = Place::new();
    let file = place.write("games.pgn", GAMES);
    let list = place.write("list.epd", "startpos\n");
    for (file, option) in [(&file, "--out"), (&file, "--html"), (&list, "--out")] {
        let (_, error) = run(file, &[option, "/dev/full"], 1);
        assert!(error.contains("cannot write /dev/full"), "{error}");
    }
    // The page could not be written, but the games are complete.
    let (text, _) = run(&file, &["--html", "/dev/full"], 1);
    assert_eq!(games(&text), 3);
    for file in [&file, &list] {
        let full = OpenOptions::new().write(true).open("/dev/full");
        let output = Command::new(env!("CARGO_BIN_EXE_brisance"))
            .args(["analyse", plain(file), "--nodes", "300", "--hash", "1"])
            .stdout(full.expect("Linux has it"))
            .stderr(Stdio::piped())
            .output()
            .expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("cannot write the result"), "{error}");
    }
}

/// An interrupt during the long game keeps the short one before it.
#[cfg(unix)]
#[test]
fn an_interrupt_keeps_finished_games() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let place = Place::new();
    let short = "[Variant \"Atomic\"]\n\n1. e4 *\n\n";
    let file = place.write("games.pgn", &format!("{short}{GAMES}"));
    let (out, page) = (place.path("out.pgn"), place.path("page.html"));
    let child = Command::new(env!("CARGO_BIN_EXE_brisance"))
        .args(["analyse", plain(&file), "--time", "1s", "--threads", "2"])
        .args(["--out", plain(&out), "--html", plain(&page)])
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let start = Instant::now();
    while std::fs::read_to_string(&out).map_or(0, |text| games(&text)) == 0 {
        assert!(start.elapsed() < Duration::from_secs(60), "no game came");
        std::thread::sleep(Duration::from_millis(20));
    }
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("interrupted after 1 of 4 games"), "{error}");
    assert_eq!(games(&place.read("out.pgn")), 1);
    assert!(place.read("page.html").contains("</html>"));
    // A resumed run completes the rest.
    std::fs::remove_file(&page).expect("it is there");
    run(&file, &["--out", plain(&out), "--resume"], 0);
    assert_eq!(games(&place.read("out.pgn")), 4);
}
