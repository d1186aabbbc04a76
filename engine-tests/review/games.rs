//! Annotated games: moves stay unchanged, every move has an evaluation, blunders have a better
//! line.

use std::ops::ControlFlow;

use pgn_reader::{Nag, RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::fen::Fen;
use shakmaty::variant::{Atomic, Variant as ShakmatyVariant, VariantPosition};
use shakmaty::{CastlingMode, Position as _};

use super::{GAMES, Place, plain, run};

/// A game parsed with pgn-reader and shakmaty.
#[derive(Default, Debug)]
struct Read {
    tags: Vec<(String, String)>,
    /// The main line: SAN, NAGs, comments.
    moves: Vec<(String, Vec<u8>, Vec<String>)>,
    intro: Vec<String>,
    /// The moves of each variation.
    variations: Vec<String>,
    result: String,
}

impl Read {
    fn tag(&self, name: &str) -> Option<&str> {
        let (_, value) = self.tags.iter().find(|(other, _)| other == name)?;
        Some(value)
    }

    fn sans(&self) -> Vec<&str> {
        self.moves.iter().map(|(san, _, _)| san.as_str()).collect()
    }

    /// The values of a comment command, such as `%clk`, in the main line.
    fn commands(&self, name: &str) -> Vec<Option<String>> {
        let of = |comments: &Vec<String>| {
            let start = format!("[%{name} ");
            let found = comments
                .iter()
                .find_map(|comment| comment.split_once(&start));
            found.and_then(|(_, rest)| rest.split(']').next().map(str::to_owned))
        };
        self.moves
            .iter()
            .map(|(_, _, comments)| of(comments))
            .collect()
    }
}

/// Plays every move, also of variations, and panics if one is illegal.
struct Strict;

struct State {
    read: Read,
    /// The positions before and after the last move of each open variation.
    levels: Vec<(VariantPosition, VariantPosition)>,
}

impl Visitor for Strict {
    type Tags = Read;
    type Movetext = State;
    type Output = Read;

    fn begin_tags(&mut self) -> ControlFlow<Read, Read> {
        ControlFlow::Continue(Read::default())
    }

    fn tag(&mut self, read: &mut Read, name: &[u8], value: RawTag<'_>) -> ControlFlow<Read> {
        let name = String::from_utf8(name.to_vec()).expect("UTF-8");
        read.tags
            .push((name, value.decode_utf8().expect("UTF-8").into_owned()));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, read: Read) -> ControlFlow<Read, State> {
        assert_eq!(read.tag("Variant"), Some("Atomic"));
        let start = match read.tag("FEN") {
            None => VariantPosition::new(ShakmatyVariant::Atomic),
            Some(fen) => {
                let fen: Fen = fen.parse().expect("a FEN");
                let mode = CastlingMode::detect(fen.as_setup());
                let pos: Atomic = fen.into_position(mode).expect("a position");
                pos.into()
            }
        };
        ControlFlow::Continue(State {
            read,
            levels: vec![(start.clone(), start)],
        })
    }

    fn san(&mut self, state: &mut State, text: SanPlus) -> ControlFlow<Read> {
        let (before, now) = state.levels.last_mut().expect("a line");
        let mv = text.san.to_move(now);
        let mv = mv.unwrap_or_else(|error| panic!("{text}: {error}"));
        *before = now.clone();
        now.play_unchecked(mv);
        match state.levels.len() {
            1 => state
                .read
                .moves
                .push((text.to_string(), Vec::new(), Vec::new())),
            2 => {
                let line = state.read.variations.last_mut().expect("begun");
                *line += &format!("{text} ");
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn nag(&mut self, state: &mut State, nag: Nag) -> ControlFlow<Read> {
        if state.levels.len() == 1 {
            state.read.moves.last_mut().expect("a move").1.push(nag.0);
        }
        ControlFlow::Continue(())
    }

    fn comment(&mut self, state: &mut State, comment: RawComment<'_>) -> ControlFlow<Read> {
        let text = String::from_utf8(comment.as_bytes().to_vec()).expect("UTF-8");
        // A line break in a comment counts as a space.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if state.levels.len() == 1 {
            match state.read.moves.last_mut() {
                Some((_, _, comments)) => comments.push(text),
                None => state.read.intro.push(text),
            }
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, state: &mut State) -> ControlFlow<Read, Skip> {
        let (before, _) = state.levels.last().expect("a line").clone();
        if state.levels.len() == 1 {
            state.read.variations.push(String::new());
        }
        state.levels.push((before.clone(), before));
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, state: &mut State) -> ControlFlow<Read> {
        state.levels.pop();
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, state: &mut State, outcome: pgn_reader::Outcome) -> ControlFlow<Read> {
        state.read.result = outcome.to_string();
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, state: State) -> Read {
        state.read
    }
}

fn read(text: &str) -> Vec<Read> {
    let mut games = Vec::new();
    let mut reader = Reader::new(text.as_bytes());
    while let Some(game) = reader.read_game(&mut Strict).expect("PGN") {
        games.push(game);
    }
    games
}

#[test]
fn moves_clocks_and_comments_are_kept_and_evaluations_added() {
    let place = Place::new();
    let (text, _) = run(&place.write("games.pgn", GAMES), &[], 0);
    assert!(
        text.lines()
            .all(|line| line.len() < 130 && !line.starts_with('%'))
    );
    let (old, new) = (read(GAMES), read(&text));
    assert_eq!(new.len(), 3);
    for (old, new) in old.iter().zip(&new) {
        assert_eq!(old.sans(), new.sans());
        assert_eq!(old.result, new.result);
        assert_eq!(old.commands("clk"), new.commands("clk"));
        assert_eq!(old.intro, new.intro);
        for (name, value) in old.tags.iter().filter(|(name, _)| name != "Annotator") {
            assert_eq!(new.tag(name), Some(value.as_str()));
        }
        for line in &old.variations {
            assert!(new.variations.contains(line), "{line:?}");
        }
        let evaluations = new.commands("eval");
        let is_won = new.sans().last().is_some_and(|san| san.ends_with('#'));
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
    let annotators: Vec<&str> = new
        .iter()
        .filter_map(|game| game.tag("Annotator"))
        .collect();
    assert!(
        annotators[0].starts_with("lichess.org, Brisance"),
        "{annotators:?}"
    );
    let comments = |game: &Read, ply: usize| game.moves[ply].2.join("|");
    assert!(comments(&new[0], 2).contains("|so far so good"));
    // The new evaluation replaces the old one.
    assert_eq!(comments(&new[0], 0).matches("%eval").count(), 1);
}

#[test]
fn a_blunder_gets_a_nag_and_a_better_line() {
    let place = Place::new();
    // Both sides can win in one, and Black moves a pawn instead.
    let game = "[Variant \"Atomic\"]\n[FEN \"6k1/3Q1ppp/8/8/8/8/q4PPP/6K1 b - - 0 1\"]\n\n\
                1... h6! { [%clk 0:00:09] } *\n";
    let (text, _) = run(&place.write("game.pgn", game), &[], 0);
    let game = &read(&text)[0];
    let (san, marks, comments) = &game.moves[0];
    assert_eq!((san.as_str(), marks.as_slice()), ("h6", &[4][..]));
    assert!(
        comments[0].contains("[%clk 0:00:09] Blunder: Black's winning chances from 100% to 0%;")
    );
    assert!(comments[0].ends_with("; Qxf2# was best."), "{comments:?}");
    assert_eq!(game.variations, ["Qxf2# "]);
}

#[test]
fn a_second_analysis_replaces_the_first() {
    let place = Place::new();
    let (once, _) = run(&place.write("games.pgn", GAMES), &[], 0);
    assert!(once.contains("winning chances"));
    let (twice, _) = run(&place.write("once.pgn", &once), &[], 0);
    assert_eq!(once, twice);
    // Outdated comments are removed.
    let (deeper, _) = run(&place.write("twice.pgn", &twice), &["--depth", "1"], 0);
    let count = |text: &str, word: &str| text.matches(word).count();
    for (old, new) in read(&once).iter().zip(&read(&deeper)) {
        for ((_, marks, comments), (_, _, before)) in new.moves.iter().zip(&old.moves) {
            let text = comments.join(" ");
            assert!(count(&text, "chances") <= 1, "{text}");
            let is_bad = marks.iter().any(|mark| [2, 4, 6].contains(mark));
            let was_ours = before.join(" ").contains("chances");
            assert!(!was_ours || is_bad == text.contains("chances"), "{text}");
        }
    }
}

#[test]
fn a_fresh_analysis_keeps_only_the_clocks() {
    let place = Place::new();
    let (text, _) = run(&place.write("games.pgn", GAMES), &["--fresh"], 0);
    let (old, new) = (read(GAMES), read(&text));
    for (old, new) in old.iter().zip(&new) {
        assert_eq!(old.sans(), new.sans());
        assert_eq!(old.commands("clk"), new.commands("clk"));
        assert!(new.intro.is_empty());
        let marks = new.moves.iter().flat_map(|(_, marks, _)| marks);
        assert!(marks.into_iter().all(|mark| [2, 4, 6].contains(mark)));
    }
    for word in ["intro", "good", "Inaccuracy. }", "$10", "lichess.org\"]"] {
        assert!(GAMES.contains(word) && !text.contains(word), "{word}");
    }
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let place = Place::new();
    let file = place.write("games.pgn", GAMES);
    let (one, _) = run(&file, &["--threads", "1"], 0);
    let (three, _) = run(&file, &["--threads", "3"], 0);
    assert_eq!(one, three);
}

#[test]
fn the_format_can_be_given_for_stdin_and_any_file_name() {
    let place = Place::new();
    let file = place.write("games.txt", GAMES);
    let (named, _) = run(&file, &["--format", "pgn"], 0);
    let piped = super::analyse("-".as_ref(), &["--format", "pgn", "--nodes", "300"])
        .write_stdin(GAMES)
        .assert()
        .success()
        .get_output()
        .clone();
    assert_eq!(named.as_bytes(), piped.stdout);
    // Without a format it is parsed as a position, which is invalid.
    let (_, error) = run(&file, &[], 2);
    assert!(
        error.contains("bad FEN") && error.contains("--format pgn"),
        "{error}"
    );
}

#[test]
fn an_interrupted_run_is_resumed() {
    let place = Place::new();
    let file = place.write("games.pgn", GAMES);
    let (whole, _) = run(&file, &[], 0);
    let second = whole.find("\n[White \"A\"]").expect("the second game") + 1;
    // The first game, changed to show that it is not searched again, and half of the second.
    let first = whole[..second].replacen("lichess.org, ", "Unchanged, ", 1);
    let out = place.write(
        "out.pgn",
        &format!("{first}{}", &whole[second..second + 90]),
    );
    run(&file, &["--out", plain(&out), "--resume"], 0);
    assert_eq!(
        place.read("out.pgn"),
        format!("{first}{}", &whole[second..])
    );
    // A complete run is not repeated.
    run(&file, &["--out", plain(&out), "--resume"], 0);
    assert_eq!(
        place.read("out.pgn"),
        format!("{first}{}", &whole[second..])
    );
    // The analysis of another file stays unchanged.
    let foreign = place.write("foreign.pgn", &whole[second..]);
    let (_, error) = run(&file, &["--out", plain(&foreign), "--resume"], 1);
    assert!(
        error.contains("game 1 of") && error.contains("is unchanged"),
        "{error}"
    );
    assert_eq!(place.read("foreign.pgn"), &whole[second..]);
    // So does a file without an analysis.
    let copy = place.write("copy.pgn", GAMES);
    let (_, error) = run(&file, &["--out", plain(&copy), "--resume"], 1);
    assert!(error.contains("is not an analysis of"), "{error}");
    assert_eq!(place.read("copy.pgn"), GAMES);
}

#[test]
fn the_page_is_complete_and_escapes_its_input() {
    let place = Place::new();
    let hostile = GAMES.replace("Zoë", "</script><script>alert(1)</script>");
    let file = place.write("games.pgn", &hostile);
    let page = place.path("page.html");
    run(&file, &["--html", plain(&page)], 0);
    let html = place.read("page.html");
    assert!(!html.contains("<script>alert"));
    assert_eq!(
        html.matches("</script>").count(),
        1 + 3,
        "ours and the data of three games"
    );
    // The page loads nothing.
    for needle in ["src=", "url(http", "@import", "<link", "href=\"http"] {
        assert!(!html.contains(needle), "{needle}");
    }
    let moves = html.matches("data-ply").count();
    assert!(moves >= 15 + 5 + 2, "{moves}");
    for piece in html.split("class=\"data\">").skip(1) {
        let json = piece.split("</script>").next().expect("an end");
        let stops: serde_json::Value = serde_json::from_str(json).expect("JSON");
        for stop in stops.as_array().expect("positions") {
            assert!(stop["board"].is_string() && stop["headline"].is_string());
        }
    }
    let stops: Vec<&str> = html.split("class=\"data\">").skip(1).collect();
    assert!(stops[0].contains("\"blast\":\"h7\""));
    // Every SVG picture of the page is well-formed.
    for svg in html.split("<svg ").skip(1) {
        let svg = svg.split("</svg>").next().expect("an end");
        roxmltree::Document::parse(&format!("<svg {svg}</svg>")).expect("well-formed");
    }
}
