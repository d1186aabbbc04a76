//! Annotated games: moves stay unchanged, every move has an evaluation, blunders have a better
//! line.

use serde_json::Value;

use super::page::page_data;
use super::{GAMES, MISSED, analysed, array, page, run, run_with};
use crate::export::{self, Game};
use crate::program::{Ended, Folder, assert_has, json_lines};

/// Games of atomic chess.
fn read(text: &str) -> Vec<Game> {
    let games = export::games(text);
    assert!(games.iter().all(|game| game.tag("Variant") == "Atomic"));
    games
}

/// The values of a comment command, such as `%clk`, after each move of the main line.
fn commands(game: &Game, name: &str) -> Vec<Option<String>> {
    let start = format!("[%{name} ");
    let of = |comments: &Vec<String>| {
        let mut values = comments.iter().filter_map(|text| text.split_once(&start));
        let (_, rest) = values.next()?;
        rest.split(']').next().map(str::to_owned)
    };
    game.comments[1..].iter().map(of).collect()
}

#[test]
fn moves_clocks_and_comments_are_kept_and_evaluations_added() {
    let (text, _) = analysed(GAMES, "", 0);
    let is_plain = |line: &str| line.len() < 130 && !line.starts_with('%');
    assert!(text.lines().all(is_plain));
    let (old, new) = (read(GAMES), read(&text));
    assert_eq!(new.len(), 3);
    for (old, new) in old.iter().zip(&new) {
        assert_eq!(old.sans, new.sans);
        assert_eq!(old.result, new.result);
        assert_eq!(commands(old, "clk"), commands(new, "clk"));
        let [old_intro, intro] = [&old.comments[0], &new.comments[0]];
        assert!(intro[0].starts_with("[%eval "), "{intro:?}");
        assert_eq!(old_intro[..], intro[1..]);
        for (name, value) in old.tags.iter().filter(|(name, _)| *name != "Annotator") {
            assert_eq!(new.tag(name), value);
        }
        for line in &old.variations {
            assert!(new.variations.contains(line), "{line:?}");
        }
        let evaluations = commands(new, "eval");
        let is_won = new.sans.last().is_some_and(|san| san.ends_with('#'));
        for (index, value) in evaluations.iter().enumerate() {
            let is_last = index + 1 == evaluations.len();
            let Some(value) = value else {
                assert!(is_last && is_won, "move {index} has no evaluation");
                continue;
            };
            let number = value.strip_prefix('#').unwrap_or(value);
            assert!(number.parse::<f64>().is_ok(), "{value}");
        }
    }
    let annotator = new[0].tag("Annotator");
    let start = "lichess.org, Brisance";
    assert!(annotator.starts_with(start), "{annotator}");
    let comments = |ply: usize| new[0].comments[ply].join("|");
    assert!(comments(3).contains("|so far so good"));
    // The new evaluation replaces the old one.
    assert_eq!(comments(1).matches("%eval").count(), 1);
}

/// A game in which both sides can win in one, and Black makes this move instead.
fn missed(mv: &str) -> String {
    let fen = "6k1/3Q1ppp/8/8/8/8/q4PPP/6K1 b - - 0 1";
    format!("[Variant \"Atomic\"]\n[FEN \"{fen}\"]\n\n1... {mv} *\n")
}

#[test]
fn a_blunder_gets_a_nag_and_a_better_line() {
    let game = &missed("h6 { [%clk 0:00:09] }");
    let (text, _) = analysed(game, "", 0);
    let game = &read(&text)[0];
    assert_eq!((&*game.sans[0], &*game.nags[0]), ("h6", &[4][..]));
    let comment = &game.comments[1][0];
    let sentence = "Blunder: Black's winning chances from 100% to 0%, a forced loss allowed;";
    assert!(comment.contains(&format!("[%clk 0:00:09] {sentence}")));
    let rest = "; Qxf2# was best. Black loses by force in 1 move: Qx";
    assert!(comment.contains(rest), "{comment}");
    assert_eq!(game.variations, ["Qxf2# "]);
}

#[test]
fn a_second_analysis_replaces_the_first() {
    let (once, _) = analysed(GAMES, "", 0);
    assert!(once.contains("winning chances"));
    let (twice, _) = analysed(&once, "", 0);
    assert_eq!(once, twice);
    // Outdated comments are removed.
    let (deeper, _) = analysed(&twice, "--depth 1", 0);
    let count = |text: &str, word: &str| text.matches(word).count();
    for (old, new) in read(&once).iter().zip(&read(&deeper)) {
        for (ply, nags) in new.nags.iter().enumerate() {
            let [text, before] = [new, old].map(|game| game.comments[ply + 1].join(" "));
            assert!(count(&text, "chances") <= 1, "{text}");
            let is_bad = nags.iter().any(|nag| [2, 4, 6].contains(nag));
            let was_ours = before.contains("chances");
            assert!(!was_ours || is_bad == text.contains("chances"), "{text}");
        }
    }
}

#[test]
fn a_fresh_analysis_keeps_only_the_clocks() {
    let (text, _) = analysed(GAMES, "--fresh", 0);
    let (old, new) = (read(GAMES), read(&text));
    for (old, new) in old.iter().zip(&new) {
        assert_eq!(old.sans, new.sans);
        assert_eq!(commands(old, "clk"), commands(new, "clk"));
        assert!(matches!(&new.comments[0][..], [value] if value.starts_with("[%eval ")));
        assert!(new.nags.concat().iter().all(|nag| [2, 4, 6].contains(nag)));
    }
    for word in ["intro", "good", "Inaccuracy. }", "$10", "lichess.org\"]"] {
        assert!(GAMES.contains(word) && !text.contains(word), "{word}");
    }
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let (_folder, file) = Folder::with("games.pgn", GAMES);
    let (one, _) = run(&file, "--threads 1", 0);
    let (three, _) = run(&file, "--threads 3", 0);
    assert_eq!(one, three);
}

#[test]
fn the_format_can_be_given_for_stdin_and_any_file_name() {
    let (folder, file) = Folder::with("games.txt", GAMES);
    let (named, _) = run(&file, "--format pgn", 0);
    let input = std::fs::File::open(folder.path("games.txt")).expect("readable");
    let mut command = crate::program::command("analyse - --format pgn --nodes 300 --hash 1");
    assert_eq!(named, Ended::of(command.stdin(input)).code(0).out);
    // Without a format it is parsed as a position, which is invalid.
    let (_, error) = run(&file, "", 2);
    assert_has(&error, &["bad FEN", "--format pgn"]);
}

#[test]
fn an_interrupted_run_is_resumed() {
    let (folder, file) = Folder::with("games.pgn", GAMES);
    let (whole, _) = run(&file, "", 0);
    let second = whole.find("\n[White \"A\"]").expect("the second game") + 1;
    // The first game, changed to show that it is not searched again, and half of the second.
    let first = whole[..second].replacen("lichess.org, ", "Unchanged, ", 1);
    folder.write("out.pgn", format!("{first}{}", &whole[second..second + 90]));
    // A complete run is not repeated.
    for _ in 0..2 {
        run(&file, "--out out.pgn --resume", 0);
        let expected = format!("{first}{}", &whole[second..]);
        assert_eq!(folder.read("out.pgn"), expected);
    }
    // A kill may leave half of a character.
    let name = whole.find('ë').expect("in a name");
    folder.write("out.pgn", &whole.as_bytes()[..=name]);
    run(&file, "--out out.pgn --resume", 0);
    assert_eq!(folder.read("out.pgn"), whole);
    // The analysis of another file stays unchanged.
    folder.write("foreign.pgn", &whole[second..]);
    let (_, error) = run(&file, "--out foreign.pgn --resume", 1);
    assert_has(&error, &["game 1 of", "is unchanged"]);
    assert_eq!(folder.read("foreign.pgn"), &whole[second..]);
    // So does a file without an analysis.
    folder.write("copy.pgn", GAMES);
    let (_, error) = run(&file, "--out copy.pgn --resume", 1);
    assert!(error.contains("is not an analysis of"), "{error}");
    assert_eq!(folder.read("copy.pgn"), GAMES);
}

#[test]
fn the_page_is_complete_and_escapes_its_input() {
    let html = page(&GAMES.replace("Zoë", "</script><script>alert(1)</script>"));
    assert!(!html.contains("<script>alert"));
    // Ours and the data of three games.
    assert_eq!(html.matches("</script>").count(), 1 + 3);
    // The page loads nothing.
    for needle in ["src=", "url(http", "@import", "<link", "href=\"http"] {
        assert!(!html.contains(needle), "{needle}");
    }
    let moves = html.matches("data-ply").count();
    assert!(moves >= 15 + 5 + 2, "{moves}");
    let data = page_data(&html);
    for game in &data {
        for stop in array(&game["positions"]) {
            assert!(stop["board"].is_string() && stop["headline"].is_string());
        }
    }
    let mut stops = array(&data[0]["positions"]).iter();
    assert!(stops.any(|stop| stop["blast"] == "h7"));
    // Every SVG picture of the page is well-formed.
    for svg in html.split("<svg ").skip(1) {
        let svg = svg.split("</svg>").next().expect("an end");
        roxmltree::Document::parse(&format!("<svg {svg}</svg>")).expect("well-formed");
    }
}

#[test]
fn annotators_keep_their_marks() {
    let game = &missed("h6!! $14 { mine }");
    let (once, _) = analysed(game, "", 0);
    let (twice, _) = analysed(&once, "", 0);
    assert_eq!(once, twice);
    let found = &read(&once)[0];
    assert_eq!((&*found.sans[0], &*found.nags[0]), ("h6", &[3, 14][..]));
    let comments = found.comments[1].join(" | ");
    assert!(comments.contains("Blunder: ") && comments.contains("| mine"));
    let (fresh, _) = analysed(game, "--fresh", 0);
    assert_eq!(read(&fresh)[0].nags[0], [4]);
}

#[test]
fn a_page_is_made_without_a_search() {
    let (folder, file) = Folder::with("games.pgn", GAMES.to_owned() + MISSED);
    let (text, _) = run(&file, "--html searched.html", 0);
    let analysed = folder.write("analysed.pgn", &text);
    let convert = |rest: &str, code| run_with(&analysed, &format!("--no-search {rest}"), code).0;
    assert_eq!(convert("--html page.html", 0), "");
    let [one, two] = ["page.html", "searched.html"].map(|name| page_data(&folder.read(name)));
    for (one, two) in one.iter().zip(&two) {
        for (one, two) in array(&one["positions"]).iter().zip(array(&two["positions"])) {
            for field in ["board", "headline", "remark", "variations", "note", "blast"] {
                assert_eq!(one[field], two[field], "{field}");
            }
        }
    }
    let json = convert("--json", 0);
    assert_eq!((one.len(), json.lines().count()), (4, 4));
    // A game without evaluations has no page.
    let bare = GAMES.replace("[%eval 0.17] ", "");
    let raw = folder.write("raw.pgn", format!("{text}{bare}"));
    let (json, error) = run_with(&raw, "--no-search --json", 1);
    assert_eq!(json.lines().count(), 4);
    assert_has(&error, &["game 5, 1. Nf3 has no evaluation"]);
    for rest in ["", "--out x --html y", "--html y --nodes 5"] {
        convert(rest, 2);
    }
}

#[test]
fn a_resumed_run_writes_the_whole_page() {
    let (folder, file) = Folder::with("games.pgn", GAMES);
    let (whole, _) = run(&file, "", 0);
    let second = whole.find("\n[White \"A\"]").expect("the second game") + 1;
    folder.write("out.pgn", &whole[..second]);
    let rest = "--out out.pgn --resume --html page.html";
    run(&file, rest, 0);
    assert_eq!(folder.read("out.pgn"), whole);
    let data = page_data(&folder.read("page.html"));
    assert_eq!(data.len(), 3);
    assert_eq!(array(&data[0]["positions"]).len(), 16);
    // The page alone is made from a complete output.
    run(&file, rest, 1);
    std::fs::remove_file(folder.path("page.html")).expect("it is there");
    run(&file, rest, 0);
    assert_eq!(page_data(&folder.read("page.html")).len(), 3);
}

#[test]
fn games_are_written_as_json() {
    let (folder, file) = Folder::with("games.pgn", GAMES);
    // Enough for an accuracy that makes sense.
    let run = |file: &str, rest: &str, code| run_with(file, &format!("{rest} --nodes 3000"), code);
    let (text, _) = run(&file, "--json --multipv 2", 0);
    let games = json_lines(&text);
    assert_eq!(games.len(), 3);
    for (game, read) in games.iter().zip(read(GAMES)) {
        assert_eq!(game["type"], "game");
        let moves = array(&game["moves"]);
        assert!(moves.iter().map(|mv| &mv["san"]).eq(&read.sans));
        let positions = array(&game["positions"]);
        assert_eq!(positions.len(), moves.len() + 1);
        for (position, mv) in positions.iter().zip(moves) {
            assert!(mv["loss"].is_number() && position["score"].is_object());
            let lines = array(&position["lines"]);
            assert_eq!((lines.len(), &lines[0]["pv"]), (2, &position["pv"]));
        }
    }
    assert_eq!(games[0]["tags"]["White"], "Zoë");
    assert_eq!(games[0]["positions"][15]["score"], Value::Null);
    let accuracy = games[0]["accuracy"]["white"].as_f64();
    assert!(accuracy.is_some_and(|share| share > 50.0));
    // Scores from White's side differ in the sign where Black is to move.
    let (white, _) = run(&file, "--json --multipv 2 --white", 0);
    let white = json_lines(&white);
    let cp = |games: &[Value], ply: usize| games[0]["positions"][ply]["score"]["cp"].as_i64();
    assert_eq!(cp(&white, 0), cp(&games, 0));
    assert_eq!(cp(&white, 1), cp(&games, 1).map(|cp| -cp));
    assert_eq!(white[0]["perspective"], "white");
    // An interrupted output is continued.
    let first = text.lines().next().expect("a line");
    folder.write("out.jsonl", format!("{first}\n{{\"type\":"));
    let rest = "--json --multipv 2 --out out.jsonl --resume";
    run(&file, rest, 0);
    assert_eq!(folder.read("out.jsonl"), text);
    let other = folder.write("b.pgn", GAMES.replace("Zoë", "X"));
    let (_, error) = run(&other, "--json --out out.jsonl --resume", 1);
    assert!(error.contains("game 1 of"), "{error}");
}

#[test]
fn several_files_are_analysed_as_one() {
    let (folder, file) = Folder::with("games.pgn", GAMES);
    let (once, _) = run(&file, "", 0);
    let (twice, _) = run(&file, "games.pgn", 0);
    assert_eq!(twice, format!("{once}{once}"));
    let list = folder.write("list.epd", "startpos\n");
    let (lines, _) = run(&list, "list.epd --json", 0);
    assert_eq!(lines.lines().count(), 2);
    let bad = folder.write("bad.pgn", "[Variant \"Atomic\"]\n\n1. e5 *\n");
    let (text, error) = run(&bad, "games.pgn", 1);
    assert_eq!(text, once);
    assert_has(&error, &["bad.pgn: game 1", "1 of 4 games"]);
}

#[test]
fn several_lines_are_variations_of_a_bad_move() {
    let game = &missed("h6");
    let (text, _) = analysed(game, "--multipv 3", 0);
    assert_eq!(read(&text)[0].variations.len(), 3);
    let (again, _) = analysed(&text, "--multipv 3", 0);
    assert_eq!(text, again);
}
