//! Lists: one line of output per line of input, in order, with any number of threads and after
//! interruptions.

use serde_json::Value;

use super::run;
use crate::program::{Folder, assert_has, json_lines};

/// Varied positions with comments and empty lines.
const LIST: &str = "\
# a list
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm Nf3 Nh3; id \"start; here\";

rnb1kbnr/pppp1ppp/8/4p3/8/3Q4/PPP1PPPP/RNB1KBNR w KQkq - 0 4
4k3/8/8/8/8/8/8/8 w - - 0 1
8/8/8/3k4/8/8/5Q2/K7 w - - hmvc 12; fmvn 40; c0 \"later\";
nqbbrknr/pppppppp/8/8/8/8/PPPPPPPP/NQBBRKNR b HEhe - 0 1
7k/8/8/8/8/8/8/K7 w - - 0 1
";

fn json(text: &str) -> Vec<Value> {
    let mut lines = json_lines(text);
    for line in &mut lines {
        if let Some(object) = line.as_object_mut() {
            // These depend on the clock.
            object.remove("nps");
            object.remove("time_ms");
        }
    }
    lines
}

#[test]
fn json_has_a_line_for_each_position_in_order() {
    let (_folder, file) = Folder::with("list.epd", LIST);
    let one = json(&run(&file, "--json --threads 1", 0).0);
    let three = json(&run(&file, "--json --threads 3", 0).0);
    assert_eq!(one, three);
    assert!(one.iter().map(|line| &line["line"]).eq(&[2, 4, 5, 6, 7, 8]));
    assert_eq!(one[0]["id"], "start; here");
    assert_eq!(one[1]["bestmove"]["san"], "Qxd7#");
    assert_eq!(one[1]["score"]["mate"], 1);
    assert_eq!(one[2]["outcome"]["reason"], "explosion");
    assert!(one[2]["bestmove"].is_null());
    assert_eq!(one[3]["fen"], "8/8/8/3k4/8/8/5Q2/K7 w - - 12 40");
    assert_eq!(one[4]["chess960"], true);
    assert_eq!(one[5]["outcome"]["result"], "1/2-1/2");
    for line in [0, 1, 3, 4] {
        assert_eq!(one[line]["type"], "result");
        assert_eq!(one[line]["bestmove"]["uci"], one[line]["pv"][0]);
        assert!(one[line]["nodes"].as_u64().is_some_and(|nodes| nodes > 0));
    }
}

#[test]
fn epd_keeps_its_operations() {
    let folder = Folder::new();
    let (text, _) = run(&folder.write("list.epd", LIST), "", 0);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 6);
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - \
                 bm Nf3 Nh3; id \"start; here\"; acd ";
    assert!(lines[0].starts_with(start), "{}", lines[0]);
    assert_has(lines[1], &[" hmvc 0; fmvn 4; ", " dm 1; pm Qxd7#; pv Qxd7#;"]);
    assert_has(lines[2], &[" c9 \"Black wins by explosion\";"]);
    assert_has(lines[3], &[" hmvc 12; fmvn 40; c0 \"later\"; acd "]);
    // The output is a valid list.
    let (again, _) = run(&folder.write("again.epd", &text), "", 0);
    assert_eq!(again, text);
}

#[test]
fn what_is_ignored_in_a_list_is_named_and_moves_are_played() {
    let folder = Folder::new();
    let list = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1\n\
        startpos moves g1f3 a7a6\n4k3/8/8/8/8/8/4P3/4K3 w; id \"x\";\n";
    let (text, error) = run(&folder.write("list.epd", list), "--json", 0);
    let expected = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/1ppppppp/p7/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 2",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    ];
    assert!(json(&text).iter().map(|line| &line["fen"]).eq(&expected));
    let warnings: Vec<&str> = error.lines().collect();
    assert_eq!(warnings.len(), 2, "{error}");
    assert_has(warnings[0], &["line 1: FEN, en passant \"e3\""]);
    assert_has(warnings[1], &["line 3: FEN, number of fields"]);
}

#[test]
fn an_interrupted_list_is_resumed_without_repeating_searches() {
    let (folder, file) = Folder::with("list.epd", LIST);
    for style in ["", "--json"] {
        let whole = run(&file, style, 0).0;
        let lines: Vec<&str> = whole.lines().collect();
        for kept in 0..=lines.len() {
            // A change that shows that the line is not searched again, and half of the next.
            let mut text = lines[..kept].join("\n").replacen("Qxd7#", "Qxd7X", 1);
            if kept > 0 {
                text.push('\n');
            }
            let expected = text.clone();
            text.push_str(lines.get(kept).map_or("", |next| &next[..next.len() / 2]));
            folder.write("out", &text);
            run(&file, &format!("{style} --out out --resume"), 0);
            let found = folder.read("out");
            assert!(found.starts_with(&expected), "{kept}: {found}");
            if style.is_empty() {
                let new = &found[expected.len()..];
                assert!(whole.ends_with(new), "{kept}: {new}");
            }
            assert_eq!(found.lines().count(), lines.len());
        }
    }
}

#[test]
fn the_result_of_another_list_stays_unchanged() {
    let (folder, file) = Folder::with("list.epd", LIST);
    let other = "4k3/8/8/8/8/8/8/4K2R w K - acd 3;\n";
    folder.write("out.epd", other);
    for rest in ["--resume", "--resume --json"] {
        let (_, error) = run(&file, &format!("--out out.epd {rest}"), 1);
        assert_has(&error, &["line 1 of", "is unchanged"]);
        assert_eq!(folder.read("out.epd"), other);
    }
}

#[test]
fn tablebases_are_probed() {
    let Some(tables) = crate::tablebase::folder() else {
        return;
    };
    // Won, but this depth does not find it without tables.
    let (folder, file) = Folder::with("list.epd", "8/8/3k4/8/8/8/P7/KN6 w - - 0 1\n");
    let score = |rest: &str| {
        let value = json(&run(&file, &format!("--json {rest}"), 0).0).remove(0);
        value["score"]["cp"].as_i64().expect("centipawns")
    };
    assert!(score(&format!("--syzygy {}", tables.display())) > 19_000);
    assert!(score("") < 10_000);
    let (_, error) = run(&file, "--syzygy none --out out", 1);
    assert!(error.contains("none") && !folder.has("out"), "{error}");
}
