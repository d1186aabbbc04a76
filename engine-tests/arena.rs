//! `brisance match`: games, records, statistics and refused arguments.
//! Matches that measure time are in `timing/matches.rs`.

pub mod helpers; // runs `brisance match` in a folder
mod lag; // clocks with --lag
mod misbehaviour; // engines that crash, hang or play illegal moves
mod ponder; // engines that think on the opponent's time
mod record; // PGN replayed with shakmaty
mod resume; // killed, truncated and interrupted matches
pub mod stub; // matches against an engine that misbehaves on demand

use std::collections::HashSet;
use std::fs;

use serde_json::Value;

use helpers::{PAIR, child};
use record::essence;

use crate::folder::Folder;
use crate::table::rows;

#[test]
fn the_seed_determines_the_match() {
    let play = |words: &str| {
        let place = Folder::new();
        let words = format!("{PAIR} --nodes 300 --games 12 {words}");
        essence(&place.played(&words))
    };
    let games = play("--seed 7");
    assert_eq!(games.len(), 12);
    let fens = games.iter().filter_map(|game| game.split(" | ").nth(4));
    assert_eq!(fens.collect::<HashSet<_>>().len(), 6, "one for each pair");
    assert_eq!(games, play("--seed 7 --concurrency 3"));
    let others = play("--seed 8");
    assert!(games.iter().all(|game| !others.contains(game)));
}

#[test]
fn every_game_is_legal_for_shakmaty() {
    let place = Folder::new();
    let players = "--engine 'self name=A' --engine 'self name=B nodes=350'";
    let rest = "--nodes 200 --games 20 --random-plies 0 --draw 200,5,0";
    let games = place.played(&format!("{players} {rest}"));
    assert!(games.iter().all(|game| game.tag("FEN").is_empty()));

    let openings = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9\n\
        2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9\n\
        r1k1r3/pppppppp/8/8/8/8/PPPPPPPP/R1K1R3 w EAea - 0 1\n";
    let (place, _) = Folder::with("openings.epd", openings);
    let players = format!("--engine 'self name=Own' {}", child("name=Child"));
    let rest = "--nodes 250 --games 18 --order given --openings openings.epd";
    let games = place.played(&format!("{players} {rest}"));
    for pair in games.chunks(2) {
        assert_eq!(pair[0].tag("FEN"), pair[1].tag("FEN"));
        assert_eq!(pair[0].tag("White"), pair[1].tag("Black"));
        assert_eq!(pair[0].tag("White"), "Own");
    }
}

#[test]
fn chess960_castling_is_exchanged_correctly() {
    let (place, _) = Folder::with("openings.epd", stub::CASTLING_OPENING);
    let players = child("name=Child") + " " + &stub::spec("castles", "");
    let rest = "--openings openings.epd --nodes 50 --games 2 --max-moves 2";
    let games = place.played(&format!("{players} {rest}"));
    for (game, ply) in games.iter().zip([1, 0]) {
        assert_eq!(game.tag("FEN"), stub::CASTLING_OPENING);
        assert_eq!(game.sans[ply], "O-O-O");
        // The other engine accepts the move and plays on.
        assert!(game.sans.len() >= ply + 2, "{}", game.reason());
    }
}

#[test]
fn openings_from_pgn_are_used_in_the_requested_order() {
    let pgn = ["e4 e5", "d4 d5", "c4 c5", "b4 b5", "a4 a5", "h4 h5"]
        .map(|moves| format!("[Variant \"Atomic\"]\n\n1. {moves} *\n\n"));
    let (place, _) = Folder::with("openings.pgn", pgn.concat());
    let mut orders = Vec::new();
    for order in ["--order given", "--seed 1", "--seed 2"] {
        let _ = fs::remove_file(place.path("games.pgn"));
        let rest = "--nodes 20 --games 14 --max-moves 1 --openings openings.pgn";
        let games = place.played(&format!("{PAIR} {rest} {order}"));
        let fens: Vec<String> = games.iter().map(|g| g.tag("FEN").to_owned()).collect();
        assert_eq!(fens[0], fens[12], "the openings start again from the first");
        orders.push(fens);
    }
    let first = "rnbqkbnr/pppp1ppp/8/4p3/4P3/";
    assert!(orders[0][0].starts_with(first), "{}", orders[0][0]);
    assert!(orders[0] != orders[1] && orders[1] != orders[2]);
    orders.iter_mut().for_each(|fens| fens.sort());
    assert_eq!(orders[0][..].first(), orders[1].first());
}

#[test]
fn the_record_has_the_limits_and_clocks_of_each_engine() {
    let place = Folder::new();
    let players = "--engine 'self name=Own nodes=100' ".to_owned() + &child("name=Child tc=5+0.05");
    let words = format!("{players} --games 2 --max-moves 2");
    let games = place.played(&words);
    assert_eq!(games[0].tag("WhiteTimeControl"), "nodes 100");
    assert_eq!(games[0].tag("BlackTimeControl"), "5+0.05");
    assert_eq!(games[1].tag("WhiteTimeControl"), "5+0.05");
    for game in &games {
        for (ply, comment) in game.notes()[..game.sans.len()].iter().enumerate() {
            let black_to_move = game.tag("FEN").contains(" b ");
            let mover = ["White", "Black"][usize::from((ply % 2 == 0) == black_to_move)];
            let has_clock = comment.contains("[%clk 0:00:0");
            assert_eq!(has_clock, game.tag(mover) == "Child", "{comment}");
            let has_score = comment.starts_with(['+', '-']) && comment.contains('/');
            assert!(has_score, "{comment}");
        }
    }
}

#[test]
fn a_match_with_nodestime_is_reproducible() {
    let play = |threads| {
        let place = Folder::new();
        let keys = format!("option.nodestime=20 option.Hash=1 option.Threads={threads}");
        let players = format!("--engine 'self name=a {keys}' --engine 'self name=b {keys}'");
        let rest = "--tc 0.3+0.002 --games 4 --seed 5 --concurrency 2";
        place.played(&format!("{players} {rest}"))
    };
    let (first, second) = (play(1), play(1));
    assert_eq!(first.len(), 4);
    assert_eq!(essence(&first), essence(&second));
    // Each side starts with 6,000 nodes and gets 40 per move: enough for several moves, and
    // no side loses on time, also with threads, whose nodes count together.
    for game in first.iter().chain(&play(3)) {
        assert!(game.sans.len() > 8, "{} plies", game.sans.len());
        assert!(!game.reason().contains("time"), "{}", game.reason());
    }
}

#[test]
fn games_are_adjudicated_and_other_variants_played() {
    // No side can win in the first moves; White has a queen more.
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let queen_up = "4k3/pppp1ppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ -";
    for (opening, words, outcome, result) in [
        (start, "--draw 1,2,10000", "a draw", "1/2-1/2"),
        (queen_up, "--resign 1,100", "a win", "1-0"),
    ] {
        let (place, _) = Folder::with("openings.epd", opening);
        let rest = "--openings openings.epd --nodes 50 --games 2";
        let reason = format!("adjudicated as {outcome} by both scores");
        for game in place.played(&format!("{PAIR} {rest} {words}")) {
            assert_eq!((game.reason(), &*game.result), (&*reason, result));
        }
    }
    let place = Folder::new();
    let players = format!("--engine self {}", child("name=Child"));
    let rest = "--variant nocheckatomic --nodes 50 --games 4";
    let summary = place.summary(&format!("{players} {rest}"));
    assert_eq!(summary["variant"], "nocheckatomic");
    assert_eq!(summary["failures"]["Child"], 0);
    for game in place.games() {
        assert_eq!(game.tag("Variant"), "NoCheckAtomic");
        assert!(!game.reason().contains("mates"));
    }
}

#[test]
fn a_round_robin_plays_every_pairing() {
    let place = Folder::new();
    let players = "--engine self --engine self --engine 'self nodes=20'";
    let ended = place.play(&format!("{players} --nodes 50 --games 4 --concurrency 2"));
    let out = ended.code(0).out;
    let games = place.games();
    assert_eq!(games.len(), 12);
    for name in ["Brisance", "Brisance (2)", "Brisance (3)"] {
        let plays = |color: &str| games.iter().filter(|g| g.tag(color) == name).count();
        assert_eq!((plays("White"), plays("Black")), (4, 4), "{name}");
    }
    assert!(out.contains("of 8      Brisance (3)"), "{out}");
}

#[test]
fn an_sprt_stops_when_it_is_decided() {
    let (strong, weak) = ("'self name=Strong nodes=1500'", "'self name=Weak nodes=1'");
    let model = "0 200 0.1 0.1 --sprt-model logistic";
    for (bounds, verdict, first, second) in [
        (model, "accepted", strong, weak),
        ("0 300", "accepted", strong, weak),
        ("-300 0", "rejected", weak, strong),
    ] {
        let place = Folder::new();
        let words = format!("--sprt {bounds} --engine {first} --engine {second}");
        let summary = place.summary(&words);
        let sprt = &summary["pairings"][0]["sprt"];
        assert_eq!(sprt["verdict"], verdict, "{summary}");
        let games = summary["games"].as_u64().expect("a number");
        assert!((4..500).contains(&games), "{summary}");
        assert_eq!(place.games().len() as u64, games);
        // A resumed match plays no more games.
        let again = place.summary(&format!("{words} --resume"));
        assert_eq!(again["games"], games, "{again}");
        assert_eq!(again["resumed"], games, "{again}");
        assert_eq!(again["reasons"], summary["reasons"]);
    }
}

#[test]
fn a_pipe_gets_plain_text() {
    let place = Folder::new();
    let words = format!("{PAIR} --nodes 50 --games 40");
    let out = place.play(&format!("{words} --sprt 0 5")).code(0).out;
    assert!(!out.contains('\u{1b}') && !out.contains('\r'), "{out}");
    // Equal engines: no error can be estimated.
    let parts = "A - B: 40 games; Elo ; all pairs equal; LOS ; pairs [; SPRT 0 to 5: LLR ; \
                 endings: ; test undecided";
    for part in parts.split("; ") {
        assert!(out.contains(part), "{part} in {out}");
    }
    let summary = place.summary(&format!("{words} --resume"));
    assert_eq!(summary["resumed"], 40);
    let pairing = &summary["pairings"][0];
    let numbers = ["wins", "draws", "losses"].map(|name| pairing[name].as_u64().expect(name));
    assert_eq!(numbers.iter().sum::<u64>(), 40);
    let pairs = pairing["pairs"].as_array().expect("five numbers");
    let pairs: Vec<u64> = pairs.iter().filter_map(Value::as_u64).collect();
    assert_eq!(pairs.iter().sum::<u64>(), 20);
    let halves: u64 = pairs.iter().zip(0..).map(|(n, halves)| n * halves).sum();
    assert_eq!(halves, 2 * numbers[0] + numbers[1]);
}

#[test]
fn the_log_contains_the_lines_of_both_engines() {
    let place = Folder::new();
    let players = child("name=A") + " " + &child("name=B");
    let words = format!("{players} --debug match.log --nodes 30 --games 2");
    place.play(&format!("{words} --max-moves 2")).code(0);
    let text = place.read("match.log");
    for name in ["A", "B"] {
        // The milliseconds, the name, the process, the direction, the text.
        let lines = text.lines().filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words[0].parse::<u64>().expect("milliseconds");
            words[2].parse::<u32>().expect("a process");
            (words[1] == name).then(|| words[3..].join(" "))
        });
        let lines: Vec<String> = lines.collect();
        assert_eq!(lines[0], "> uci", "{text}");
        for part in ["< uciok", "> ucinewgame", "> go nodes 30", "< bestmove "] {
            let is_there = lines.iter().any(|line| line.starts_with(part));
            assert!(is_there, "{part}: {text}");
        }
    }
    // An existing file is not overwritten.
    place.refuses(1, &format!("{words} --resume"), "match.log");
    assert_eq!(place.read("match.log"), text);
}

#[test]
fn wrong_arguments_are_refused() {
    let place = Folder::new();
    let refuse = |words: &str, part: &str| {
        place.refuses(2, words, part);
        assert!(!place.has("games.pgn"), "{words}");
    };
    let two = "--engine self --engine self";
    refuse("--engine self --nodes 5", "at least two");
    let table = r#"
        --games 2                                                        | --tc, --nodes, --depth or --movetime
        --nodes 0                                                        | nodes
        --tc 0+1                                                         | 0+1
        --nodes 5 --games 3                                              | even
        --nodes 5 --depth 5                                              | --depth
        --nodes 5 --sprt 5 0                                             | ELO1
        --nodes 5 --random-plies 99                                      | 99
        --tc 5 --lag=-1                                                  | '-1'
        --tc 5 --lag 1x                                                  | '1x'
        --nodes 5 --lag 9                                                | lag needs a clock
        --nodes 5 --engine 'self option.Has=5'                           | Has
        --nodes 5 --engine 'cmd=x name=a' --engine 'cmd=y name=a'        | "a"
        --nodes 5 --engine 'cmd=x foo=1'                                 | foo
        --nodes 5 --engine 'PROGRAM name=X option.hash=1 option.Hsah=1'  | X: has no option "Hsah"
        --nodes 5 --engine 'PROGRAM name=X option.hash=0'
        | X: option hash: "0" is not a number from 1 to"#;
    let program = format!("cmd={}", env!("CARGO_BIN_EXE_brisance"));
    for [words, part] in rows(table) {
        let words = words.replace("PROGRAM", &program);
        refuse(&format!("{two} {words}"), part);
    }
    // The options and their wrong values, the last of which is named unless another is far off.
    let table = "
        --sprt          | 0 nan; nan 5; 0 inf; 0 1e300; 0 5 nan; 0 5 0.05 inf
        --sprt          | 5 5; -0 0; 0 5 0; 0 5 0.5; 0 5 -0.1; 0 5 0.05 1; 0 5 0.0000001
        --max-moves     | 0; -1; 1.5; nan; 65536
        --draw          | 40,0,10; 40,8,-1; 40,8,nan; 40,8; 65536,8,10; -1,8,10
        --resign        | 0,800; 4,0; 4,-800; 4,inf; 4
        --games         | 0; -2; nan; 2.5
        --random-plies  | -1; nan
        --tc            | 0; -1; nan; inf; 1+nan; 1+inf; 1+-1; 0/1; nan/1
        --concurrency --depth | 0; -1; nan
        --nodes --movetime    | 0; -1; nan; inf
        --margin --start-timeout --ready-timeout --move-timeout --stop-timeout --quit-timeout
        | -1; nan; inf";
    for [options, texts] in rows(table) {
        let of_option = |option| texts.split("; ").map(move |text| (option, text));
        for (option, text) in options.split_whitespace().flat_map(of_option) {
            // An option that sets the limit of the match is given instead of `--nodes`.
            let is_limit = ["--nodes", "--depth", "--movetime", "--tc"].contains(&option);
            let limit = if is_limit { "" } else { "--nodes 5" };
            let gap = if option == "--sprt" { " " } else { "=" };
            let is_far = |text: &&str| !text.parse().is_ok_and(|n: f64| n.abs() < 1e6);
            let mut values = text.split(' ');
            let part = values.clone().find(is_far).or(values.next_back());
            let words = format!("{two} {limit} {option}{gap}{text}");
            refuse(&words, part.expect("a value"));
        }
    }
}

#[test]
fn a_folder_is_no_output() {
    let play = "match --engine self --engine self --nodes 5";
    Folder::new().check(&format!(
        "1 {play} --pgn . ! error: . is a folder
         1 {play} --pgn . --resume ! error: . is a folder
         1 {play} --debug . ! error: . is a folder"
    ));
}

/// In a pipe, all pairings are printed after a round and not after each game.
#[test]
fn a_round_robin_prints_whole_rounds() {
    let lines = |players: usize, games: usize, part: &str| {
        let place = Folder::new();
        let players = "--engine self ".repeat(players);
        let words = format!("{players} --nodes 5 --max-moves 1 --games {games}");
        let out = place.play(&words).code(0).out;
        out.lines().filter(|line| line.contains(part)).count()
    };
    // The table of the last round is the final one.
    assert_eq!(lines(2, 4, "Brisance - Brisance (2): "), 4);
    assert_eq!(lines(3, 6, "Brisance - Brisance (2): "), 3);
    // Many pairings are printed as the points of each player.
    assert_eq!(lines(4, 6, "Brisance - Brisance (2): "), 1);
    assert_eq!(lines(4, 6, " of 12     Brisance (2)"), 1);
    assert_eq!(lines(4, 6, " of 18     Brisance (2)"), 1);
}

#[test]
fn tablebases_end_games() {
    let Some(folder) = crate::tablebase::folder() else {
        return;
    };
    let folder = folder.display();
    // The first is from the fixtures of Multi-Variant Stockfish. A queen wins against a distant
    // king and draws against an adjacent one.
    let cases = [
        ("7k/8/8/8/8/8/P7/6K1 b - - 0 1", "1/2-1/2"),
        ("7k/8/8/8/8/8/8/KQ6 w - - 0 1", "1-0"),
        ("8/8/8/8/8/1k6/1KQ5/8 w - - 0 1", "1/2-1/2"),
        ("8/8/8/3q4/8/8/4k2P/K7 b - - 0 1", "0-1"),
    ];
    let (place, _) = Folder::with("openings.epd", cases.map(|(fen, _)| fen).join("\n"));
    let rest = "--nodes 50 --games 8 --order given --openings openings.epd";
    let words = format!("{PAIR} {rest} --syzygy {folder}");
    let expected = cases.iter().flat_map(|case| [case; 2]);
    for (game, (fen, result)) in place.played(&words).iter().zip(expected) {
        assert_eq!(game.tag("FEN"), *fen);
        assert_eq!(game.reason(), "adjudicated by tablebase", "{fen}");
        assert_eq!((&*game.result, game.sans.len()), (*result, 0), "{fen}");
        assert_eq!(game.tag("Termination"), "adjudication");
    }
}
