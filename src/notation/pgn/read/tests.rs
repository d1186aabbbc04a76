//! Tests of the PGN reader: games, faults and where they are reported.

use super::*;
use crate::notation::fen::CastlingStyle;
use crate::rules::Color;

fn read_games(
    text: &str,
    variant: Option<Variant>,
) -> Vec<Result<NumberedGame, Box<PgnGameError>>> {
    let games = PgnReader::new(text.as_bytes(), variant);
    let items = games.map(|item| match item {
        Ok(numbered) => Ok(numbered),
        Err(PgnError::Game(error)) => Err(error),
        Err(PgnError::Io(error)) => panic!("{error}"),
    });
    items.collect()
}

fn read_one(moves: &str) -> Result<NumberedGame, Box<PgnGameError>> {
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
    let error = games[1].as_ref().expect_err("Qh3 is illegal");
    assert_eq!(
        error.to_string(),
        "game 2 (A - B), line 11, move 2...: \"Qh3\" is not a legal move here"
    );
    assert_eq!(games[2].as_ref().expect("a game").number, 3);
}

#[test]
fn malformed_moves_are_errors() {
    for (moves, word, line) in [
        ("1. e4 e5\n2. Sf3 Nc6 *", "Sf3", 6),
        ("1. e4 e5 2. Nf3 d9", "d9", 5),
        ("1. e4 e5 (1... z9) 2. Nf9 Nc6 *", "Nf9", 5),
        ("1. e4 ; Nf9\n e5 ; }\n2. Nf9 Nc6 *", "Nf9", 7),
    ] {
        let error = read_one(moves).expect_err(moves);
        assert!(error.to_string().contains(word), "{error}");
        assert_eq!(error.line, line, "{error}");
    }
    let good = read_one("1. e4 +- e5 = D { Sf3 } ; Sf3\n(1... Sf6) 2. Nf3 N *").expect("a game");
    assert_eq!(good.warnings.len(), 1, "{:?}", good.warnings);
    assert!(good.warnings[0].contains("Sf6"), "{:?}", good.warnings);
}

#[test]
fn tags_are_read_in_many_forms() {
    let values = |text: &str| {
        let game = only_game(text);
        let tags = game.game.tags.iter();
        let tags = tags.filter(|(name, _)| name != "Variant");
        let texts: Vec<String> = tags
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        (texts.join("|"), game.warnings.len())
    };
    for (text, expected, warnings) in [
        (
            "[White \"a\"] [Black \"b\"][Round \"1\"]",
            "White=a|Black=b|Round=1",
            0,
        ),
        (
            "[White \"a\"] ; c\n% d\n; e\n[Black \"b\"] {f} {g}",
            "White=a|Black=b",
            0,
        ),
        (
            "[White\"a\"]\n\t[ Black \t \"b\" ] \n",
            "White=a|Black=b",
            0,
        ),
        ("[Event \"x Nf9 z9\"]", "Event=x Nf9 z9", 0),
        ("[White \"a\"]\n\n\n[Black \"b\"]\n\n", "White=a|Black=b", 0),
        (
            "[White “a”]\n[Black „b“]\n[Site «c»]\n[Round 'd']",
            "White=a|Black=b|Site=c|Round=d",
            0,
        ),
        (
            "[White \"a\tb\"]\n[Black \"\u{1}c\"]",
            "White=a b|Black= c",
            0,
        ),
        ("[White: \"a\"]\n[Black = \"b\"]", "White=a|Black=b", 0),
        (
            "[TimeControl 180]\n[Annotator Jo Do]",
            "TimeControl=180|Annotator=Jo Do",
            0,
        ),
        (
            "[White \"a \"b\" c\"]\n[Black \"d \\\"e\\\" \\\\\"]",
            "White=a \"b\" c|Black=d \"e\" \\",
            0,
        ),
        (
            "[Site \"C:\\\"]\n[Black \"a] b\"]",
            "Site=C:\\|Black=a] b",
            0,
        ),
        (
            "[White \"a\n[Black \"b]\n[Site]\n[Round \"c\"",
            "White=a|Black=b|Site=|Round=c",
            4,
        ),
        (
            "\u{feff}[White \"a\"]\r\u{feff}[Black \"b\"]\r",
            "White=a|Black=b",
            0,
        ),
        (
            "[White \"a\"]\n[]\n[%clk 1]\n[ 1. e4 ]\n[Black \"b\"]",
            "White=a|Black=b",
            1,
        ),
    ] {
        for moves in ["", "\n\n1. e4 *"] {
            assert_eq!(
                values(&format!("{text}{moves}\n")),
                (expected.to_owned(), warnings),
                "{text}"
            );
        }
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    for (moves, word) in [
        ("1. e4 -- 2. Nf3 *", "\"--\" is a null move"),
        ("1. e4 Z0 2. Nf3 *", "null move"),
        ("1. e4 0000 2. Nf3 *", "\"0000\" is a null move"),
        ("1. e4 null 2. Nf3 *", "\"null\" is a null move"),
        ("1. e4 Кf6 2. Nf3 *", "Кf6"),
        ("1. e4 e5 2. OO *", "OO"),
        ("1. e4 1...Sf6 *", "Sf6"),
        ("1. e4 1Sf6 *", "Sf6"),
    ] {
        let error = read_one(moves).expect_err(moves).to_string();
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn moves_after_the_result_are_an_error() {
    for moves in ["1. e4 1-0 e5 0-1", "1. e4 * e5", "1. e4\n1/2-1/2\n1... e5"] {
        let error = read_one(moves).expect_err(moves);
        assert_eq!(error.kind, PgnErrorKind::MovesAfterResult, "{moves}");
    }
    // A result in a variation is no result of the game.
    let game = read_one("1. e4 (1. d4 0-1) e5 (1... d5 *) 2. Nf3 1-0")
        .expect("a game")
        .game;
    assert_eq!(game.main_line.moves.len(), 3);
    assert_eq!(game.result, Some(GameResult::Win(Color::White)));
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
fn an_unclosed_comment_does_not_swallow_the_next_game() {
    let good = "[Event \"x\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n";
    for (bad, line) in [
        ("1. d4 { never\nclosed d5 *\n\n", 4),
        ("1. d4 d5\n{ never closed *\n", 5),
    ] {
        let text = format!("{good}\n{good}\n").replacen("1. e4 *\n", bad, 1);
        let games = read_games(&text, None);
        assert_eq!(games.len(), 2, "{bad}");
        let error = games[0].as_ref().expect_err(bad);
        let kept = error.kept.as_ref().expect(bad);
        assert!(!kept.game.main_line.moves.is_empty(), "{bad}");
        let found = (&error.kind, error.line);
        assert_eq!(found, (&PgnErrorKind::UnclosedComment, line));
        let next = games[1].as_ref().expect("a game");
        assert_eq!(next.game.main_line.moves.len(), 1, "{bad}");
    }
}

#[test]
fn dropped_variations_are_warned_of() {
    let nested =
        |depth| "1. e4 ".to_owned() + &"(1. d4 ".repeat(depth) + &")".repeat(depth) + " e5 *";
    let (deep, very_deep) = (nested(17), nested(50_000));
    for (moves, word) in [
        (&*deep, "16 levels"),
        (&*very_deep, "16 levels"),
        ("(1. d4) 1. e4 *", "without a move"),
        ("1. e4 (1. d4 d5 *", "never closed"),
    ] {
        let warnings = read_one(moves).expect(moves).warnings;
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains(word), "{warnings:?}");
    }
    assert!(
        read_one("1. e4 (1. d4) e5 *")
            .expect("a game")
            .warnings
            .is_empty()
    );
}

#[test]
fn variation_ends_before_its_first_illegal_move() {
    let text = "1. e4 e5 (1... d5 2. Qxd7 Nf6 (2... a6) 3. Nf3) 2. Nf3 *";
    let NumberedGame { game, warnings, .. } = read_one(text).expect("a game");
    let played = &game.main_line.moves;
    assert_eq!((played.len(), played[1].variations[0].moves.len()), (3, 1));
    assert!(
        warnings.len() == 1 && warnings[0].contains("Qxd7"),
        "{warnings:?}"
    );
}

#[test]
fn ordinary_chess_is_an_error_unless_the_variant_is_given() {
    for tags in ["[Event \"x\"]\n", "[Variant \"Standard\"]\n"] {
        let text = format!("{tags}\n1. e4 e5 *\n");
        let error = read_games(&text, None).remove(0).expect_err("no variant");
        assert!(error.kind.is_variant(), "{error}");
        assert!(read_games(&text, Some(Variant::Atomic)).remove(0).is_ok());
    }
}

#[test]
fn text_without_games_is_empty() {
    for text in [
        "",
        "\n\n \n",
        "\u{feff}",
        "% escaped\n",
        "{ only a comment }\n\n",
    ] {
        assert!(read_games(text, None).is_empty(), "{text:?}");
    }
    let games = read_games("1. e4 { never closed", Some(Variant::Atomic));
    assert!(games.iter().any(Result::is_err));
}

#[test]
fn the_result_is_the_last_word_or_the_tag() {
    let tags = "[Result \"0-1\"]\n[Variant \"Atomic\"]\n\n";
    let [white, black] = [Color::White, Color::Black].map(GameResult::Win);
    for (moves, result) in [
        ("1. e4 1-0", white),
        ("1. e4 1/2-1/2", GameResult::Draw),
        ("1. e4", black),
    ] {
        let mut games = read_games(&format!("{tags}{moves}\n"), None);
        let game = games.remove(0).expect("a game").game;
        assert_eq!(game.result, Some(result), "{moves}");
    }
    assert_eq!(read_one("1. e4").expect("a game").game.result, None);
    // A game without moves.
    let game = read_games(tags, None).remove(0).expect("a game").game;
    assert!(game.main_line.moves.is_empty() && game.result == Some(black));
}

#[test]
fn variations_have_at_most_sixteen_levels() {
    let depth = |levels: usize| {
        let text = "1. e4 ".to_owned() + &"(1. d4 ".repeat(levels) + &")".repeat(levels);
        let game = read_one(&(text + " e5 *")).expect("a game").game;
        let (mut line, mut depth) = (&game.main_line, 0);
        while let Some(inner) = line.moves[0].variations.first() {
            (line, depth) = (inner, depth + 1);
        }
        depth
    };
    assert_eq!([1, 15, 16, 17, 18].map(depth), [1, 15, 16, 16, 16]);
    // A variation before the first move has no move to replace.
    let game = read_one("(1. d4) 1. e4 *").expect("a game").game;
    assert_eq!(game.main_line.moves.len(), 1);
    assert!(game.main_line.moves[0].variations.is_empty());
}

/// The moves, the result and the numbers of warnings and errors of each game.
fn summary(bytes: &[u8]) -> Vec<String> {
    let describe = |item| {
        let (game, errors) = match item {
            Ok(numbered) => (Some(numbered), 0),
            Err(PgnError::Game(error)) => (error.kept, 1),
            Err(PgnError::Io(error)) => panic!("{error}"),
        };
        let Some(NumberedGame { game, warnings, .. }) = game else {
            return "unread".to_owned();
        };
        let moves = game.main_line.moves.iter();
        let moves: Vec<_> = moves.map(|played| played.mv).collect();
        let sans = san::write_line(&game.start, &moves).join(" ");
        let faults = "w".repeat(warnings.len()) + &"e".repeat(errors);
        format!("{sans} {} {faults}", game.result_str())
            .trim()
            .to_owned()
    };
    PgnReader::new(bytes, Some(Variant::Atomic))
        .map(describe)
        .collect()
}

/// The summary of games after the position with this FEN.
fn summary_from(fen: &str, moves: &str) -> Vec<String> {
    summary(format!("[FEN \"{fen}\"]\n\n{moves}\n").as_bytes())
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
        "1. Nf3\n\n1. ... f6 2. Nd4\n\n\nc6",
        "1. Nf3\r\r1… f6\r2. Nd4\r\rc6",
        "% x\n1. Nf3\n%y\nf6\r\n% z\r\n2. Nd4 c6",
        "1. Nf3 [%clk 0:01:00] f6 { a { b } c } 2. Nd4 { :{ } c6",
        "1. Nf3 { see\n[Event \"not a tag\"]\nand more } f6 2. Nd4 c6",
        "1. Nf3 { see:\n\n[White \"x\"]\n[Black \"y\"]\n\n1. e4 e5 } f6 2. Nd4 c6",
        "1. Nf3 ( 1. e4 ) (1. e4 (1. d4)) f6 2. Nd4 ( 2. e4 e5 3. Nf3 ) c6",
    ] {
        let found = summary(moves.as_bytes()).join("\n");
        let found = found.trim_end_matches(" w");
        assert_eq!(found, "Nf3 f6 Nd4 c6 *", "{moves}");
    }
}

#[test]
fn special_moves_are_read_in_many_spellings() {
    let promoting = "7k/P7/8/8/8/8/p7/7K w - - 0 1";
    for first in [
        "a8Q", "a8Q+", "a8(Q)", "a8(Q)+", "a8/Q+", "a8=(Q)", "a8=q", "a7a8q", "a7-a8=Q", "a8=♕",
    ] {
        for second in ["a1=N", "a1N", "a1(N)", "a1/n", "a2a1n"] {
            let found = summary_from(promoting, &format!("1. {first} Kg7 2. Kg1 {second} *"));
            assert_eq!(found, ["a8=Q+ Kg7 Kg1 a1=N *"], "{first} {second}");
        }
    }
    let passing = "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1";
    for capture in [
        "exd6",
        "exd6ep",
        "exd6e.p.",
        "exd6 e.p.",
        "exd6 ep",
        "e5:d6",
        "ed6",
        "e5d6",
    ] {
        let found = summary_from(passing, &format!("1... d5 2. {capture} *"));
        assert_eq!(found, ["d5 exd6 *"], "{capture}");
    }
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for (short, long) in [
        ("O-O", "O-O-O"),
        ("0-0", "0-0-0"),
        ("o-o", "o-o-o"),
        ("OO", "OOO"),
        ("O–O", "0–0–0+"),
        ("О-О", "О-О-О"),
        ("e1g1", "e8c8"),
        ("e1-g1", "e8-c8"),
        ("Ke1g1", "Ke8-c8"),
        ("Kg1", "Kc8"),
        ("e1h1", "e8a8"),
    ] {
        let found = summary_from(castling, &format!("1. {short} {long} *"));
        assert_eq!(found, ["O-O O-O-O *"], "{short} {long}");
    }
    let checking = "8/8/3k4/8/8/8/P7/KN6 w - - 0 1";
    for moves in [
        "1. Nc3++ Ke5 2. Nb5 (=) Kf4 *",
        "1. Nc3 ch Ke5 2. Nb5† Kf4 dis ch *",
    ] {
        assert_eq!(
            summary_from(checking, moves),
            ["Nc3 Ke5 Nb5 Kf4 *"],
            "{moves}"
        );
    }
}

#[test]
fn results_are_read_in_many_spellings() {
    for (expected, spellings) in [
        ("1-0", &["1-0", "1:0", "1 - 0", "1–0", "1 : 0", "1−0"][..]),
        ("0-1", &["0-1", "0:1", "0 - 1", "0—1"]),
        (
            "1/2-1/2",
            &[
                "1/2-1/2",
                "1/2",
                "½-½",
                "½",
                "0.5-0.5",
                "1/2 - 1/2",
                "½:½",
                "0,5-0,5",
                "1⁄2–1⁄2",
            ],
        ),
        ("*", &["*", ""]),
    ] {
        for result in spellings {
            for before in [" ", "\n", "\n\n", "\n\n\n"] {
                for after in ["", " {White wins}", " ; c", "\n{ a\nb }", "."] {
                    let text = format!("1. Nf3 f6{before}{result}{after}\n\n1. e4 *\n");
                    let found = summary(text.as_bytes());
                    assert_eq!(found, [&format!("Nf3 f6 {expected}"), "e4 *"], "{text:?}");
                }
            }
            let tag = format!("[Result \"{result}\"]\n\n1. Nf3 f6\n");
            assert_eq!(
                summary(tag.as_bytes()),
                [format!("Nf3 f6 {expected}")],
                "{tag}"
            );
            let game = only_game(&tag).game;
            let expected = [expected, result][usize::from(expected == "*")];
            assert_eq!(game.tag("Result"), Some(expected));
        }
    }
    let contradicting = summary(b"[Result \"0-1\"]\n\n1. Nf3 1-0 0-1\n");
    assert_eq!(contradicting, ["Nf3 1-0 ww"]);
    assert_eq!(summary(b"[Result \"White wins\"]\n\n1. Nf3"), ["Nf3 * w"]);
    // The last result counts for a game whose last variation is never closed.
    assert_eq!(summary(b"1. Nf3 (1. e4 e5 1-0\n"), ["Nf3 1-0 w"]);
}

#[test]
fn a_comment_that_swallows_tags_is_named() {
    let warnings = |text: &str| only_game(text).warnings;
    let swallowed = warnings("[Event \"a\"] {b\n[White \"c\"]\n\n1. Nf3 {} 1-0\n");
    assert_eq!(swallowed.len(), 1, "{swallowed:?}");
    assert!(swallowed[0].contains("line 1: tags inside a comment"));
    assert!(warnings("[Event \"a\"] {b [White \"c\"]}\n\n1. Nf3 1-0\n").is_empty());
}

#[test]
fn the_end_of_a_game_is_found() {
    for (text, expected) in [
        ("[White \"a\"]\n\n[White \"b\"]\n\n*", &["*", "*"][..]),
        ("[Site \"a\"]\n\n[Event \"b\"]\n\n*", &["*", "*"]),
        (
            "[Event \"a\"]\n[White \"b\"]\n[Event \"c\"]\n[White \"b\"]",
            &["*", "*"],
        ),
        ("[White \"a\"]\n[white \"b\"]\n[White \"a\"]\n\n*", &["* w"]),
        ("[Event \"a\"]\n\n{ a }\n\n[Event \"b\"]\n\n*", &["*", "*"]),
        ("[White \"a\"]\n\n[Black \"b\"]\n\n*", &["*"]),
        (
            "[White \"a\"]\n1. e4 [White \"b\"] 1. d4",
            &["e4 *", "d4 *"],
        ),
        (
            "[White \"a\"]\n1. e4 (1. d4\n[White \"b\"]\n1. d4",
            &["e4 * w", "d4 *"],
        ),
        ("1. e4 e5 1-0 1. d4 d5 0-1", &["e4 e5 1-0", "d4 d5 0-1"]),
        ("1. e4 e5 1-0\n\nd4 d5 0-1", &["e4 e5 1-0", "d4 d5 0-1"]),
        ("1. e4 e5\n\n1. d4 d5", &["e4 e5 *", "d4 d5 *"]),
        ("1. e4 e5\n\n; c\n\n1. d4 d5", &["e4 e5 *", "d4 d5 *"]),
        ("1. e4 e5\n1. d4 d5", &["e4 e5 d4 d5 *"]),
        (
            "Two games:\n\n[White \"a\"]\n\n1. e4\n\n[White \"b\"]\n\n1. d4",
            &["e4 *", "d4 *"],
        ),
    ] {
        assert_eq!(summary(text.as_bytes()), expected, "{text:?}");
        let old = text.replace('\n', "\r");
        assert_eq!(summary(old.as_bytes()), expected, "{old:?}");
    }
}

#[test]
fn what_is_damaged_costs_nothing_else() {
    for (text, expected) in [
        ("1. e4 xyz e5 foo } ) 2. Nf3 *", "e4 e5 Nf3 * w"),
        ("1. e4 [ 1. d4 d5 ] e5 [ 2. Nf3 *", "e4 e5 Nf3 * w"),
        ("1. e4 $999 e5 ( 1... d5 2. Nf3 *", "e4 e5 * ww"),
        ("1. e4 e5 2. Sf3 Nc6 3. d4 1-0", "e4 e5 1-0 e"),
        ("1. e4 e5 { never closed 1-0", "e4 e5 * e"),
        ("1. e4 e5 1-0 2. d4", "e4 e5 1-0 e"),
        ("1. Sf3 f6 1-0", "unread"),
    ] {
        let next = "\n\n[White \"b\"]\n\n1. d4 { c } d5 *";
        assert_eq!(
            summary(format!("{text}{next}").as_bytes()),
            [expected, "d4 d5 *"],
            "{text}"
        );
    }
    let named = read_one("1. e4 foo\nbar e5 *").expect("a game").warnings;
    assert_eq!(
        named,
        ["line 5: \"foo\" is not a move; it and 1 more are ignored"]
    );
}

#[test]
fn unknown_positions_are_the_start_position() {
    for fen in ["", "?", "-", "startpos", " "] {
        let text = format!("[FEN \"{fen}\"]\n\n1. Nf3 f6 *");
        assert_eq!(summary(text.as_bytes()), ["Nf3 f6 *"]);
        let game = only_game(&text).game;
        assert_eq!(game.tag("SetUp"), None);
    }
    let unquoted = "[FEN 8/8/3k4/8/8/8/P7/KN6 w - - 0 1]\n\n1. Nc3 *";
    assert_eq!(summary(unquoted.as_bytes()), ["Nc3 *"]);
}

#[test]
fn the_tags_state_the_rules_and_the_position() {
    let fen = "8/8/3k4/8/8/8/P7/KN6 w - - 0 1";
    for tag in [
        "",
        "[Variant \"From Position\"]\n",
        "[Variant \"NoCheckAtomic\"]\n",
        "[variant \"atomic\"]\n",
    ] {
        for set_up in ["", "[SetUp \"0\"]\n"] {
            let text = format!("{tag}{set_up}[FEN \"{fen}\"]\n\n1. Nc3 *");
            let game = only_game(&text).game;
            let found = ["Variant", "SetUp", "FEN"].map(|name| game.tag(name));
            assert_eq!(found, [Some("Atomic"), Some("1"), Some(fen)], "{text}");
            assert_eq!(fen::write(&game.start, CastlingStyle::XFen), fen);
        }
    }
    let game = read_one("1. e4 *").expect("a game").game;
    assert_eq!(game.tags.len(), 3);
}

#[test]
fn symbols_are_glyphs() {
    let game = read_one("1. Nf3!±N f6?! =+ 2. Nd4 $3 +/- □ c6?? +- 3. e8N *");
    let error = game.expect_err("e8N is illegal");
    let game = error.kept.expect("four moves").game;
    let moves = game.main_line.moves.iter();
    let nags: Vec<_> = moves.map(|played| &played.nags[..]).collect();
    assert_eq!(nags, [&[1, 16, 146][..], &[6, 15], &[3, 16, 7], &[4, 18]]);
}

#[test]
fn windows_1252_is_read() {
    let text = b"[White \x93M\xfcller\x94]\n\n1. e4\xa0e5 2\x85 Nf3 Nc6\x86 \xbd\x96\xbd { \x85 }";
    assert_eq!(summary(text), ["e4 e5 Nf3 Nc6 1/2-1/2"]);
    let game = PgnReader::new(&text[..], Some(Variant::Atomic)).next();
    let game = game.expect("a game").expect("a valid one").game;
    assert_eq!(game.tag("White"), Some("M\u{fc}ller"));
    assert_eq!(game.main_line.moves[3].comments, ["…"]);
}

#[test]
fn small_reads_change_nothing() {
    struct OneByOne<'a>(&'a [u8]);
    impl Read for OneByOne<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = buffer.len().min(1);
            self.0.read(&mut buffer[..count])
        }
    }
    let text =
        "\u{feff}[White \"a\"]\r\n\r\n1. e4 { a\r\n\r\nb } 1… e5 1 - 0\r\n\r\n[White \"b\"]\r\n*";
    let lines = |reader: &mut dyn Iterator<Item = Result<NumberedGame, PgnError>>| {
        reader
            .map(|item| item.expect("a game").game.to_pgn())
            .collect::<String>()
    };
    let whole = lines(&mut PgnReader::new(text.as_bytes(), Some(Variant::Atomic)));
    assert_eq!(
        lines(&mut PgnReader::new(
            OneByOne(text.as_bytes()),
            Some(Variant::Atomic)
        )),
        whole
    );
    assert_eq!(whole.matches("[White").count(), 2);
}

/// Fails at the end of its text.
struct FailingReader(&'static [u8]);

impl Read for FailingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer) {
            Ok(0) => Err(io::ErrorKind::ConnectionReset.into()),
            other => other,
        }
    }
}

#[test]
fn no_game_follows_a_read_error() {
    let text = b"[Variant \"Atomic\"]\n\n1. e4 *\n\n[Variant \"Atomic\"]\n\n1. d4";
    let mut games = PgnReader::new(FailingReader(text), None);
    let items: Vec<_> = games.by_ref().take(3).collect();
    assert!(items.len() < 3 && matches!(items.last(), Some(Err(PgnError::Io(_)))));
    assert!(games.next().is_none());
}
