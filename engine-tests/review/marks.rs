//! Marks and accuracy: mates missed and allowed, proofs of blunders, the same result again, and what
//! a page or a continued run reads back.

use serde_json::Value;

use super::page::page_data;
use super::{GAMES, MISSED, analysed, array, page, run, run_with};
use crate::program::{Folder, assert_has, json_lines as json};

/// A game from its moves.
fn game(moves: &str) -> String {
    format!("[Variant \"Atomic\"]\n\n{moves} *\n\n")
}

#[test]
fn a_forced_loss_in_the_opening_is_a_blunder() {
    let text = game("1. Nf3 f6 2. Nc3 a6") + &game("1. Nf3 a6");
    let (_folder, file) = Folder::with("games.pgn", &text);
    for nodes in ["3000", "20000"] {
        let (text, _) = run_with(&file, &format!("--json --nodes {nodes}"), 0);
        for game in json(&text) {
            let marks: Vec<&Value> = array(&game["moves"]).iter().map(|mv| &mv["mark"]).collect();
            let (last, others) = marks.split_last().expect("moves");
            assert_eq!(**last, "blunder", "{nodes}: {game}");
            let is_other = others.iter().all(|mark| **mark != "blunder");
            assert!(is_other, "{nodes}: {game}");
            let accuracy = game["accuracy"]["black"].as_f64().expect("a number");
            assert!(accuracy < 65.0, "{nodes}: {accuracy}");
        }
    }
}

#[test]
fn every_mate_missed_or_allowed_is_a_blunder_and_costs_accuracy() {
    let (text, _) = analysed(MISSED, "--json", 0);
    let game = &json(&text)[0];
    let positions = array(&game["positions"]).iter();
    let mates = positions.map(|pos| pos["score"]["mate"].as_i64());
    let mates: Vec<Option<i64>> = mates.collect();
    let mut blunders = 0;
    for (mv, pair) in array(&game["moves"]).iter().zip(mates.windows(2)) {
        assert!(mv["loss"].as_f64().is_some_and(|loss| loss >= 0.0));
        let is_won = |mate: Option<i64>| mate.is_some_and(|mate| mate > 0);
        if is_won(pair[0]) && pair[1].is_none_or(|mate| mate > 0) {
            assert_eq!(mv["mark"], "blunder", "{mv}");
            blunders += 1;
        }
    }
    assert!(blunders >= 8, "{game}");
    for side in ["white", "black"] {
        let accuracy = game["accuracy"][side].as_f64().expect("a number");
        assert!(accuracy < 30.0, "{accuracy}");
    }
}

#[test]
fn the_first_choice_of_the_search_loses_nothing() {
    let (text, _) = analysed(GAMES, "--json", 0);
    let mut first_choices = 0;
    for game in json(&text) {
        for (mv, pos) in array(&game["moves"]).iter().zip(array(&game["positions"])) {
            if mv["uci"] == pos["pv"][0] {
                assert_eq!(mv["loss"], 0.0);
                assert_eq!(mv["mark"], Value::Null);
                first_choices += 1;
            }
        }
    }
    assert!(first_choices > 2);
}

#[test]
fn the_same_game_gives_the_same_result_again() {
    let (folder, alone) = Folder::with("alone.pgn", GAMES);
    let after = folder.write("after.pgn", MISSED.to_owned() + "\n" + GAMES);
    let analyse = |file, threads| run(file, &format!("--json --threads {threads}"), 0).0;
    let first = analyse(&alone, 1);
    for threads in [1, 3] {
        assert_eq!(analyse(&alone, threads), first);
    }
    // After another game in the same run; only the numbers differ.
    let later = json(&analyse(&after, 1));
    for (mut one, mut two) in json(&first).into_iter().zip(later.into_iter().skip(1)) {
        let [first, second] = [&mut one, &mut two].map(|game| game["number"].take());
        assert_eq!(first.as_u64().map(|number| number + 1), second.as_u64());
        assert_eq!(one, two);
    }
}

#[test]
fn blunders_are_proved() {
    let moves = "1. Nf3 a6 2. Nc3 b6";
    let (folder, known) = Folder::with("known.pgn", game(moves));
    // Without the pawns of the g-file, the refutation book does not have the positions.
    let fen = "rnbqkbnr/pppppp1p/8/8/8/8/PPPPPP1P/RNBQKBNR w KQkq - 0 1";
    let tags = format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n");
    let unknown = folder.write("unknown.pgn", tags + &game(moves));
    for (file, option) in [(&known, ""), (&unknown, "--solve-blunders")] {
        let (text, _) = run(file, &format!("{option} --html page.html --force"), 0);
        let words: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        // After 1... a6, 2. Ne5 wins, and so it does a move later.
        assert!(words.contains("a6?? { [%eval #2] Blunder: "), "{text}");
        let loss = " was best. Black loses by force in 2 moves: Ne5 ";
        assert_has(&words, &[loss]);
        assert_has(&folder.read("page.html"), &[loss]);
        let (text_json, _) = run(file, &format!("--json {option}"), 0);
        // The sentence is read back, and replaced by a second run.
        let again = folder.write("again.pgn", &text);
        assert_eq!(run(&again, option, 0).0, text);
        let (text_read, _) = run_with(&again, "--no-search --json", 0);
        for text in [text_json, text_read] {
            let played = &json(&text)[0]["moves"][1];
            assert_eq!(played["loses_in"], 2);
            assert_eq!(played["refutation_san"][0], "Ne5");
        }
    }
    let (without, _) = run(&unknown, "", 0);
    assert!(!without.contains("by force"), "{without}");
}

#[test]
fn a_run_is_continued_only_with_the_same_options() {
    let (folder, pgn) = Folder::with("games.pgn", GAMES);
    let epd = folder.write("list.epd", "startpos\n4k3/8/8/8/8/8/8/R3K3 w - -\n");
    for (file, style) in [(&pgn, ""), (&pgn, "--json"), (&epd, ""), (&epd, "--json")] {
        let rest = format!("{style} --out out");
        run(file, &rest, 0);
        let whole = folder.read("out");
        // The first record alone, so that there is something left to do.
        let (first, _) = whole.split_at(whole.find('\n').expect("a line") + 1);
        let is_pgn = file == &pgn && style.is_empty();
        let kept = if is_pgn { &whole } else { first };
        folder.write("out", kept);
        for other in ["--nodes 400", "--depth 3", "--handcrafted"] {
            let (_, error) = run_with(file, &format!("{rest} --resume {other}"), 2);
            assert!(error.contains("was made with --nodes 300"), "{error}");
            assert_eq!(folder.read("out"), *kept);
        }
        run(file, &format!("{rest} --resume --threads 1"), 0);
        assert_eq!(folder.read("out").len(), whole.len());
        std::fs::remove_file(folder.path("out")).expect("it is there");
    }
}

#[test]
fn the_page_shows_the_glyphs_of_the_source() {
    let text = game("1. Nf3! $14 f6 $16 (1... d5?! $10 2. Nd4 $99) 2. Nc3 $4");
    let html = page(&text);
    for shown in ["Nf3! ⩲</span>", "f6 ±</span>", "Nc3??</span>"] {
        assert!(html.contains(shown), "{shown}");
    }
    let line = &page_data(&html)[0]["positions"][2]["variations"][0]["moves"];
    let texts: Vec<&Value> = array(line).iter().map(|entry| &entry[0]).collect();
    assert_eq!(texts, ["1... d5?! =", "2. Nd4 $99"]);
}

#[test]
fn a_fresh_analysis_keeps_the_clocks_before_the_first_move() {
    let text =
        game("{ [%clk 0:10:00] so } 1. Nf3 { [%timestamp 23] [%csl Ge4] } f6 { [%emt 0:00:01] }");
    let (fresh, _) = analysed(&text, "--fresh", 0);
    let words: String = fresh.split_whitespace().collect::<Vec<_>>().join(" ");
    let kept = ["[%clk 0:10:00] } 1. Nf3", "[%timestamp 23] }", "[%emt 0:00:01] }"];
    assert_has(&words, &kept);
    assert!(!fresh.contains("so") && !fresh.contains("csl"), "{fresh}");
}
