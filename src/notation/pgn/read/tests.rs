//! Tests of the PGN reader: games, faults and where they are reported.

use super::*;
use crate::rules::Color;
use crate::table::rows;
use crate::walk::x_fen;

type Item = Result<NumberedGame, Box<PgnGameError>>;

fn read_games(text: impl AsRef<[u8]>, variant: Option<Variant>) -> Vec<Item> {
    let games = PgnReader::new(text.as_ref(), variant);
    let items = games.map(|item| match item {
        Ok(numbered) => Ok(numbered),
        Err(PgnError::Game(error)) => Err(error),
        Err(PgnError::Io(error)) => panic!("{error}"),
    });
    items.collect()
}

/// The game with these moves. They begin in the fifth line.
fn read_one(moves: &str) -> Item {
    let text = format!("[White \"A\"]\n[Black \"B\"]\n[Variant \"Atomic\"]\n\n{moves}\n");
    let mut games = read_games(&text, None);
    assert_eq!(games.len(), 1, "{moves}");
    games.remove(0)
}

/// The only game of a text, which is atomic chess.
fn only_game(text: &str) -> NumberedGame {
    let mut games = read_games(text, Some(Variant::Atomic));
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0).expect(text)
}

/// The moves, the result and the numbers of warnings and errors of each game.
fn summary(text: impl AsRef<[u8]>) -> Vec<String> {
    let describe = |item: Item| {
        let errors = usize::from(item.is_err());
        let game = item.map_or_else(|error| error.kept, Some);
        let Some(NumberedGame { game, warnings, .. }) = game else {
            return "unread".to_owned();
        };
        let moves = game.main_line.moves.iter();
        let moves: Vec<_> = moves.map(|played| played.mv).collect();
        let sans = san::write_line(&game.start, &moves).join(" ");
        let faults = "w".repeat(warnings.len()) + &"e".repeat(errors);
        let text = format!("{sans} {} {faults}", game.result_str());
        text.trim().to_owned()
    };
    let games = read_games(text, Some(Variant::Atomic));
    games.into_iter().map(describe).collect()
}

/// The summary of games after the position with this FEN.
fn summary_from(fen: &str, moves: &str) -> Vec<String> {
    summary(format!("[FEN \"{fen}\"]\n\n{moves}\n"))
}

/// The text of a cell, in which escapes stand for characters.
fn unescaped(cell: &str) -> String {
    let escapes = [
        (r"\n", "\n"),
        (r"\r", "\r"),
        (r"\t", "\t"),
        (r"\u{1}", "\u{1}"),
        (r"\u{feff}", "\u{feff}"),
    ];
    let replace = |text: String, (escape, char): (&str, &str)| text.replace(escape, char);
    escapes.into_iter().fold(cell.to_owned(), replace)
}

#[test]
fn nags_comments_and_variations_are_read() {
    let text = "{ before } 1. e4! $10 { [%clk 0:01:00] } (1. d4 { x } d5 (1... e5) 2. c4) \
        ; a remark\n (1. Nf3) 1... e5?! 2. Nf3 1-0";
    let game = read_one(text).expect("a game").game;
    assert_eq!(game.main_line.comments, ["before"]);
    assert_eq!(game.main_line.moves.len(), 3);
    let first = &game.main_line.moves[0];
    assert_eq!(first.nags, [1, 10]);
    assert_eq!(first.comments, ["[%clk 0:01:00]", "a remark"]);
    let lengths: Vec<usize> = first.variations.iter().map(|v| v.moves.len()).collect();
    assert_eq!(lengths, [3, 1]);
    assert_eq!(first.variations[0].moves[1].variations.len(), 1);
    assert_eq!(game.result, Some(GameResult::Win(Color::White)));
    let again = read_one(game.to_pgn().split("\n\n").nth(1).expect("moves"));
    assert_eq!(again.expect("a game").game.to_pgn(), game.to_pgn());
}

#[test]
fn errors_name_game_line_and_move() {
    let good = "[Variant \"atomic\"]\n\n1. Nf3 d5 *\n\n";
    let text = format!(
        "{good}[White \"A\"]\n[Black \"B\"]\n[Variant \"Atomic\"]\n\n1. e4 {{ a\ncomment }} e5\n\
         2. Nf3 Qh3 3. Nc3 *\n\n{good}"
    );
    let games = read_games(&text, None);
    assert_eq!(games.len(), 3);
    let error = games[1].as_ref().expect_err("Qh3 is illegal").to_string();
    let expected = "game 2 (A - B), line 11, move 2...: \"Qh3\" is not a legal move here";
    assert_eq!(error, expected);
    assert_eq!(games[2].as_ref().expect("a game").number, 3);
    let table = r#"
        1. e4 e5\n2. Sf3 Nc6 *             | line 6, move 2.: "Sf3"
        1. e4 e5 2. Nf3 d9                 | line 5, move 2...: "d9"
        1. e4 e5 (1... z9) 2. Nf9 Nc6 *    | line 5, move 2.: "Nf9"
        1. e4 ; Nf9\n e5 ; }\n2. Nf9 Nc6 * | line 7, move 2.: "Nf9"
        1. e4 -- 2. Nf3 *                  | "--" is a null move
        1. e4 Z0 2. Nf3 *                  | "Z0" is a null move
        1. e4 0000 2. Nf3 *                | "0000" is a null move
        1. e4 null 2. Nf3 *                | "null" is a null move
        1. e4 Кf6 2. Nf3 *                 | "Кf6"
        1. e4 e5 2. OO *                   | "OO"
        1. e4 1...Sf6 *                    | "Sf6"
        1. e4 1Sf6 *                       | "Sf6"
        1. e4 1-0 e5 0-1                   | moves follow the result
        1. e4 * e5                         | moves follow the result
        1. e4\n1/2-1/2\n1... e5            | moves follow the result
        1. e4 e5\n{ never\nclosed *        | line 6: a comment is never closed"#;
    for [moves, part] in rows(table) {
        let error = read_one(&unescaped(moves)).expect_err(moves).to_string();
        assert!(error.contains(part), "{part} in {error}");
    }
}

#[test]
fn what_is_ignored_gives_a_warning() {
    let table = r#"
        (1. d4) 1. e4 *                        | without a move
        1. e4 (1. d4 d5 *                      | never closed
        1. e4 +- e5 = D { Sf3 } ; Sf3\n(1... Sf6) 2. Nf3 N * | Sf6
        1. e4 e5 (1... d5 2. Qxd7 a6) 2. Nf3 * | Qxd7
        1. e4 ) e5 *                           | ")"
        1. e4 O e5 *                           | "O"
        1. e4 1-0x e5 *                        | "-0x"
        1. e4 foo\nbar e5 *                    | line 5: "foo" is not a move; it and 1 more are ignored"#;
    for [moves, part] in rows(table) {
        let warnings = read_one(&unescaped(moves)).expect(moves).warnings;
        assert!(warnings.len() == 1 && warnings[0].contains(part), "{warnings:?}");
    }
    let warnings = read_one("1. e4 (1. d4) e5 *").expect("a game").warnings;
    assert!(warnings.is_empty());
}

#[test]
fn tags_are_read_in_many_forms() {
    let values = |text: &str| {
        let game = only_game(text);
        let tags = game.game.tags.iter().filter(|(name, _)| name != "Variant");
        let texts: Vec<_> = tags.map(|(name, value)| format!("{name}={value}")).collect();
        (texts.join(" / "), game.warnings.len().to_string())
    };
    let table = r#"
        [White "a"] [Black "b"][Round "1"]                   | White=a / Black=b / Round=1 | 0
        [White "a"] ; c\n% d\n; e\n[Black "b"] {f} {g}       | White=a / Black=b           | 0
        [White"a"]\n\t[ Black \t "b" ] \n                    | White=a / Black=b           | 0
        [Event "x Nf9 z9"]                                   | Event=x Nf9 z9              | 0
        [White "a"]\n\n\n[Black "b"]\n\n                     | White=a / Black=b           | 0
        [White “a”]\n[Black „b“]\n[Site «c»]\n[Round 'd']
        | White=a / Black=b / Site=c / Round=d | 0
        [White "a\tb"]\n[Black "\u{1}c"]                     | White=a b / Black= c        | 0
        [White: "a"]\n[Black = "b"]                          | White=a / Black=b           | 0
        [TimeControl 180]\n[Annotator Jo Do]                 | TimeControl=180 / Annotator=Jo Do | 0
        [White "a "b" c"]\n[Black "d \"e\" \\"]              | White=a "b" c / Black=d "e" \ | 0
        [Site "C:\"]\n[Black "a] b"]                         | Site=C:\ / Black=a] b       | 0
        [White "a \"] b"]\n[White "a \"] b"]                 | White=a "] b                | 0
        [White "a"]\n[White "b"]                             | White=a                     | 1
        [White "a\n[Black "b]\n[Site]\n[Round "c"
        | White=a / Black=b / Site= / Round=c | 4
        \u{feff}[White "a"]\r\u{feff}[Black "b"]\r           | White=a / Black=b           | 0
        [White "a"]\n[]\n[%clk 1]\n[ 1. e4 ]\n[Black "b"]    | White=a / Black=b           | 1"#;
    for [tags, expected, warnings] in rows(table) {
        for moves in ["", "\n\n1. e4 *"] {
            let found = values(&format!("{}{moves}\n", unescaped(tags)));
            assert_eq!(found, (expected.to_owned(), warnings.to_owned()), "{tags}");
        }
    }
}

#[test]
fn a_long_tag_is_left_out_with_a_warning() {
    let long = "e".repeat(2 << 20);
    let text = format!(
        "[Event \"{long}\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n[Variant \"Atomic\"]\n\n1. d4 *\n"
    );
    let games = read_games(&text, None);
    assert_eq!(games.len(), 2);
    let first = games[0].as_ref().expect("a game");
    assert_eq!(first.game.tag("Event"), None);
    let expected = "line 1: the tag Event is longer than 65536 bytes";
    assert_eq!(first.warnings, [expected]);
    assert!(games[1].is_ok());
}

#[test]
fn a_variation_ends_before_its_first_illegal_move_and_has_no_result() {
    let text = "1. e4 e5 (1... d5 2. Qxd7 Nf6 (2... a6) 3. Nf3 0-1) 2. Nf3 1-0";
    let game = read_one(text).expect("a game").game;
    let played = &game.main_line.moves;
    assert_eq!((played.len(), played[1].variations[0].moves.len()), (3, 1));
    assert_eq!(game.result, Some(GameResult::Win(Color::White)));
}

#[test]
fn text_without_games_is_empty() {
    for text in "|\n\n \n|\u{feff}|% escaped\n|{ only a comment }\n\n".split('|') {
        assert!(read_games(text, None).is_empty(), "{text:?}");
    }
    let games = read_games("1. e4 { never closed", Some(Variant::Atomic));
    assert!(games.iter().any(Result::is_err));
}

#[test]
fn variations_have_at_most_sixteen_levels() {
    for levels in [1, 15, 16, 17, 18, 50_000] {
        let text = "1. e4 ".to_owned() + &"(1. d4 ".repeat(levels) + &")".repeat(levels);
        let NumberedGame { game, warnings, .. } = read_one(&(text + " e5 *")).expect("a game");
        let (mut line, mut depth) = (&game.main_line, 0);
        while let Some(inner) = line.moves[0].variations.first() {
            (line, depth) = (inner, depth + 1);
        }
        assert_eq!(depth, levels.min(16));
        assert_eq!(warnings.len(), usize::from(levels > 16), "{warnings:?}");
        assert!(warnings.iter().all(|text| text.contains("16 levels")));
    }
}

#[test]
fn moves_are_read_in_many_spellings() {
    for moves in [
        "1. Nf3 1…f6 2. Nd4 … c6",
        "1. Nf3 1. ... f6 2. Nd4 2 ... c6",
        "1.Nf3 f6 2.Nd4 c6",
        "1 Nf3 f6 2 Nd4 c6",
        "1.Nf3{a}1...f6[%clk 1]2.Nd4;b\n...c6",
        "1. Nf3, f6; a comment\n2. Nd4 c6",
        "1. g1f3 f7f6 2. f3d4 c7c6",
        "1. g1-f3 f7–f6 2. Nf3-d4 Pc7-c6",
        "1. Ng1f3 Pf7f6 2. Nf3d4 ♙c7-c6",
        "1. Nf3 f6\n\n2. Nd4 { a }\n\n\n2... c6",
        "1. Nf3\u{200b} f6 2.\u{2009}Nd4\u{a0}c6\u{feff}",
        "1. Nf3± f6∓ 2. Nd4= c6□",
        "1. Nf3!? f6?! 2. Nd4!!! c6N",
        "1. Nf3+- f6-+ 2. Nd4 +/- c6 ⩱ N D",
        "1. Nf3+ f6++ 2. Nd4† c6‡ ch",
        "1. Nf3ch f6 dbl ch 2. Nd4 mate c6 e.p.",
        "1. ♘f3 ♟f6 2. ♞d4 c6",
        "1. Nf3 $1 $146 f6 2. Nd4 (2. --) ({ c }) (=) c6",
        "1. Nf3(N) f6 2. Nd4 c6",
        "1. Nf3\n\n1. ... f6 2. Nd4\n\n\nc6",
        "1. Nf3\n\n1.. f6 2. Nd4 c6",
        "1. Nf3\r\r1… f6\r2. Nd4\r\rc6",
        "% x\n1. Nf3\n%y\nf6\r\n% z\r\n2. Nd4 c6",
        "1. Nf3 [%clk 0:01:00] f6 { a { b } c } 2. Nd4 { :{ } c6",
        "1. Nf3 { see\n[Event \"not a tag\"]\nand more } f6 2. Nd4 c6",
        "1. Nf3 { see:\n\n[White \"x\"]\n[Black \"y\"]\n\n1. e4 e5 } f6 2. Nd4 c6",
        "1. Nf3 ( 1. e4 ) (1. e4 (1. d4)) f6 2. Nd4 ( 2. e4 e5 3. Nf3 ) c6",
    ] {
        // A null or illegal move is ignored.
        let end = [" *", " * w"][usize::from(moves.contains("--") || moves.contains("3."))];
        assert_eq!(summary(moves), ["Nf3 f6 Nd4 c6".to_owned() + end], "{moves}");
    }
}

#[test]
fn special_moves_are_read_in_many_spellings() {
    let promoting = "7k/P7/8/8/8/8/p7/7K w - - 0 1";
    for first in "a8Q a8Q+ a8(Q) a8(Q)+ a8/Q+ a8=(Q) a8=q a7a8q a7-a8=Q a8=♕".split(' ') {
        for second in "a1=N a1N a1(N) a1/n a2a1n".split(' ') {
            let found = summary_from(promoting, &format!("1. {first} Kg7 2. Kg1 {second} *"));
            assert_eq!(found, ["a8=Q+ Kg7 Kg1 a1=N *"], "{first} {second}");
        }
    }
    let passing = "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1";
    let captures = "exd6, exd6ep, exd6e.p., exd6 e.p., exd6 ep, e5:d6, ed6, e5d6";
    for capture in captures.split(", ") {
        let found = summary_from(passing, &format!("1... d5 2. {capture} *"));
        assert_eq!(found, ["d5 exd6 *"], "{capture}");
    }
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let spellings = "O-O O-O-O, 0-0 0-0-0, o-o o-o-o, OO OOO, O–O 0–0–0+, О-О О-О-О, e1g1 e8c8, \
        e1-g1 e8-c8, Ke1g1 Ke8-c8, Kg1 Kc8, e1h1 e8a8";
    for moves in spellings.split(", ") {
        let found = summary_from(castling, &format!("1. {moves} *"));
        assert_eq!(found, ["O-O O-O-O *"], "{moves}");
    }
    // A castling move is enough for a game.
    assert_eq!(summary_from(castling, "1. O-O\n[Site \"b\"]\n\n*"), ["O-O *", "*"]);
    let checking = "8/8/3k4/8/8/8/P7/KN6 w - - 0 1";
    for moves in ["Nc3++ Ke5 2. Nb5 (=) Kf4", "Nc3 ch Ke5 2. Nb5† Kf4 dis ch"] {
        let found = summary_from(checking, &format!("1. {moves} *"));
        assert_eq!(found, ["Nc3 Ke5 Nb5 Kf4 *"], "{moves}");
    }
}

#[test]
fn results_are_read_in_many_spellings() {
    let table = "
        1-0     | 1-0, 1:0, 1 - 0, 1–0, 1 : 0, 1−0
        0-1     | 0-1, 0:1, 0 - 1, 0—1
        1/2-1/2 | 1/2-1/2, 1/2, ½-½, ½, 0.5-0.5, 1/2 - 1/2, ½:½, 0,5-0,5, 1⁄2–1⁄2
        *       | , *";
    for [expected, spellings] in rows(table) {
        for result in spellings.split(", ").map(|text| text.trim_matches([',', ' '])) {
            for before in [" ", "\n", "\n\n", "\n\n\n"] {
                for after in ["", " {White wins}", " ; c", "\n{ a\nb }", "."] {
                    let text = format!("1. Nf3 f6{before}{result}{after}\n\n1. e4 *\n");
                    let games = [&format!("Nf3 f6 {expected}"), "e4 *"];
                    assert_eq!(summary(&text), games, "{text:?}");
                }
            }
            let tag = format!("[Result \"{result}\"]\n\n1. Nf3 f6\n");
            assert_eq!(summary(&tag), [format!("Nf3 f6 {expected}")], "{tag}");
            let game = only_game(&tag).game;
            let expected = [expected, result][usize::from(expected == "*")];
            assert_eq!(game.tag("Result"), Some(expected));
        }
    }
    // The last result counts for a game whose last variation is never closed.
    let table = r#"
        [Result "0-1"]\n\n1. e4 1-0     | e4 1-0 w
        [Result "0-1"]\n\n1. e4 1/2-1/2 | e4 1/2-1/2 w
        [Result "0-1"]\n\n1. e4         | e4 0-1
        [Result "0-1"]\n\n              | 0-1
        [Result "0-1"]\n\n1. Nf3 1-0 0-1\n | Nf3 1-0 ww
        1. Nf3 1-0 1-0\n                | Nf3 1-0
        (1. d4 1-0) 1. Nf3 0-1\n        | Nf3 0-1 w
        [Result "White wins"]\n\n1. Nf3 | Nf3 * w
        1. Nf3 (1. e4 e5 1-0\n          | Nf3 1-0 w
        1. e4                           | e4 *"#;
    for [text, expected] in rows(table) {
        assert_eq!(summary(unescaped(text)), [expected], "{text}");
    }
}

#[test]
fn a_comment_that_swallows_tags_is_named() {
    let warnings = |text: &str| only_game(text).warnings;
    let swallowed = warnings("[Event \"a\"] {b\n[White \"c\"]\n\n1. Nf3 {} 1-0\n");
    assert_eq!(swallowed.len(), 1, "{swallowed:?}");
    assert!(swallowed[0].contains("line 1: tags inside a comment"));
    for comment in ["{b [White \"c\"]}", "{b\n[%clk 0:01:00]}"] {
        assert!(warnings(&format!("[Event \"a\"] {comment}\n\n1. Nf3 1-0\n")).is_empty());
    }
}

#[test]
fn the_end_of_a_game_is_found() {
    let table = r#"
        [White "a"]\n\n[White "b"]\n\n*                                   | * ; *
        [Site "a"]\n\n[Event "b"]\n\n*                                    | * ; *
        [Event "a"]\n[White "b"]\n[Event "c"]\n[White "b"]                | * ; *
        [White "a"]\n[white "b"]\n[White "a"]\n\n*                        | * w
        [Event "a"]\n\n{ a }\n\n[Event "b"]\n\n*                          | * ; *
        [White "a"]\n\n[Black "b"]\n\n*                                   | *
        [White "a"]\n\n[Black "b"]\n[White "c"]\n\n*                       | * ; *
        [White "a"]\n1. e4 [White "b"] 1. d4                              | e4 * ; d4 *
        [White "a"]\n1. e4 (1. d4\n[White "b"]\n1. d4                     | e4 * w ; d4 *
        1. e4 *\n\n[White a]\n[Black b]\n\n1. d4                          | e4 * ; d4 *
        1. e4 e5 1-0 1. d4 d5 0-1                                         | e4 e5 1-0 ; d4 d5 0-1
        1. e4 e5 1-0\n\nd4 d5 0-1                                         | e4 e5 1-0 ; d4 d5 0-1
        1. e4 e5\n\n1. d4 d5                                              | e4 e5 * ; d4 d5 *
        1. e4 e5\n\n; c\n\n1. d4 d5                                       | e4 e5 * ; d4 d5 *
        1. e4 e5\n1. d4 d5                                                | e4 e5 d4 d5 *
        Two games:\n\n[White "a"]\n\n1. e4\n\n[White "b"]\n\n1. d4        | e4 * ; d4 *"#;
    for [text, expected] in rows(table) {
        for line_end in ["\n", "\r"] {
            let found = summary(unescaped(text).replace('\n', line_end));
            assert_eq!(found.join(" ; "), expected, "{text}");
        }
    }
}

#[test]
fn what_is_damaged_costs_nothing_else() {
    let table = "
        1. e4 xyz e5 foo } ) 2. Nf3 *        | e4 e5 Nf3 * w
        1. e4 [ 1. d4 d5 ] e5 [ 2. Nf3 *     | e4 e5 Nf3 * w
        1. e4 [White b] e5 2. Nf3 *          | e4 e5 Nf3 * w
        1. e4 % e5 2. Nf3 *                  | e4 e5 Nf3 * w
        1. e4 $999 e5 ( 1... d5 2. Nf3 *     | e4 e5 * ww
        1. e4 e5 2. Sf3 Nc6 3. d4 1-0        | e4 e5 1-0 e
        1. e4 e5 { never closed 1-0          | e4 e5 * e
        1. e4 e5 1-0 2. d4                   | e4 e5 1-0 e
        1. Sf3 f6 1-0                        | unread";
    for [text, expected] in rows(table) {
        let next = "\n\n[FEN \"7k/8/8/8/8/8/8/K7 w - -\"]\n\n1. Kb1 { c } Kg8 *";
        assert_eq!(summary(format!("{text}{next}")), [expected, "Kb1 Kg8 *"], "{text}");
    }
}

#[test]
fn the_tags_state_the_rules_and_the_position() {
    let fen = "8/8/3k4/8/8/8/P7/KN6 w - - 0 1";
    let tags = r#"|[Variant "From Position"]|[Variant "NoCheckAtomic"]|[variant "atomic"]"#;
    for tag in tags.split('|') {
        for set_up in ["", "[SetUp \"0\"]\n"] {
            let text = format!("{tag}\n{set_up}[FEN \"{fen}\"]\n\n1. Nc3 *");
            let game = only_game(&text).game;
            let found = ["Variant", "SetUp", "FEN"].map(|name| game.tag(name));
            assert_eq!(found, [Some("Atomic"), Some("1"), Some(fen)], "{text}");
            assert_eq!(x_fen(&game.start), fen);
        }
    }
    assert_eq!(summary(format!("[FEN {fen}]\n\n1. Nc3 *")), ["Nc3 *"]);
    let game = read_one("1. e4 *").expect("a game").game;
    assert_eq!(game.tags.len(), 3);
    // An unknown position is the start position.
    for fen in ["", "?", "-", "startpos", " "] {
        let text = format!("[FEN \"{fen}\"]\n\n1. Nf3 f6 *");
        assert_eq!(summary(&text), ["Nf3 f6 *"]);
        assert_eq!(only_game(&text).game.tag("SetUp"), None);
    }
}

#[test]
fn symbols_are_glyphs() {
    let game = read_one("1. Nf3!±N f6?! =+ 2. Nd4 $3 +/- □ c6?? +- 3. e8N *");
    let error = game.expect_err("e8N is illegal");
    let game = error.kept.expect("four moves").game;
    let moves = game.main_line.moves.iter();
    let nags: Vec<_> = moves.map(|played| &played.nags[..]).collect();
    assert_eq!(nags, [&[1, 16, 146][..], &[6, 15], &[3, 16, 7], &[4, 18]]);
    // Initiative and attack, as lichess.org and Chess Informant write them.
    let game = read_one("1. Nf3 ↑ f6 → *").expect("a game").game;
    let nags = game.main_line.moves.iter().map(|played| &played.nags[..]);
    assert_eq!(nags.collect::<Vec<_>>(), [[36], [40]]);
}

#[test]
fn windows_1252_is_read() {
    let text = b"[White \x93M\xfcller\x94]\n\n1. e4\xa0e5 2\x85 Nf3 Nc6\x86 \xbd\x96\xbd { \x85 }";
    assert_eq!(summary(text), ["e4 e5 Nf3 Nc6 1/2-1/2"]);
    let game = read_games(text, Some(Variant::Atomic)).remove(0);
    let game = game.expect("a valid one").game;
    assert_eq!(game.tag("White"), Some("M\u{fc}ller"));
    assert_eq!(game.main_line.moves[3].comments, ["…"]);
}

/// Reads one byte at a time, and fails at the end if it has an error.
struct OneByOne<'a>(&'a [u8], Option<io::ErrorKind>);

impl Read for OneByOne<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = buffer.len().min(1);
        match (self.0.read(&mut buffer[..count])?, self.1) {
            (0, Some(error)) => Err(error.into()),
            (count, _) => Ok(count),
        }
    }
}

#[test]
fn small_reads_change_nothing() {
    let text =
        "\u{feff}[White \"a\"]\r\n\r\n1. e4 { a\r\n\r\nb } 1… e5 1 - 0\r\n\r\n[White \"b\"]\r\n*";
    let games = PgnReader::new(OneByOne(text.as_bytes(), None), Some(Variant::Atomic));
    let texts = games.map(|item| item.expect("a game").game.to_pgn());
    let whole = read_games(text, Some(Variant::Atomic)).into_iter();
    assert!(texts.eq(whole.map(|item| item.expect("a game").game.to_pgn())));
    assert_eq!(summary(text), ["e4 e5 1-0", "*"]);
}

#[test]
fn no_game_follows_a_read_error() {
    let text = b"[Variant \"Atomic\"]\n\n1. e4 *\n\n[Variant \"Atomic\"]\n\n1. d4";
    let error = Some(io::ErrorKind::ConnectionReset);
    let mut games = PgnReader::new(OneByOne(text, error), None);
    let items: Vec<_> = games.by_ref().take(3).collect();
    assert!(items.len() < 3 && matches!(items.last(), Some(Err(PgnError::Io(_)))));
    assert!(games.next().is_none());
}
