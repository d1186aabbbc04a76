//! Parses input lines into typed commands: a tolerant layer in front of vampirc-uci.
//! vampirc-uci panics on some legal lines and drops words of others (a trailing blank after
//! `go`, `go ponder wtime …`, depth 256), so it only receives canonical text rebuilt here.
//! Invariant: no line panics, and no word of a known command is dropped silently.

use vampirc_uci::{UciMessage, parse_one};

use super::argument::is_move;
use super::go::parse_go;

pub use super::argument::BadArgument;
pub use super::go::Go;

/// The start position of a `position` command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartPosition {
    /// The start position of the current variant.
    Startpos,
    /// The text of a FEN. It is parsed later, under the current variant.
    Fen(String),
}

/// A parsed input line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UciCommand {
    /// `uci`
    Uci,
    /// `debug on` and `debug off`
    Debug(bool),
    /// `isready`
    IsReady,
    /// `setoption name … [value …]`
    SetOption {
        /// The option's name, its words joined by single blanks.
        name: String,
        /// The rest of the line after `value`.
        value: Option<String>,
    },
    /// `register …`; ignored.
    Register,
    /// `ucinewgame`
    UciNewGame,
    /// `position …`
    Position {
        /// The position before the moves.
        start: StartPosition,
        /// The moves, in coordinates (lower case) or as `O-O`.
        moves: Vec<String>,
    },
    /// An invalid `position …`.
    BadPosition(BadArgument),
    /// `go …`
    Go(Go),
    /// `stop`
    Stop,
    /// `ponderhit`
    PonderHit,
    /// `quit`
    Quit,
    /// `d`: print the position.
    Display,
    /// `eval`: print the static evaluation, term by term.
    Eval,
    /// `bench` and its arguments.
    Bench(Vec<String>),
    /// `genfens` and its arguments.
    GenFens(Vec<String>),
    /// `flip`: swap the colours of the position.
    Flip,
    /// `compiler`: print build information.
    Compiler,
    /// `export_net`: write the network to a file.
    ExportNet(Option<String>),
    /// `help`
    Help,
    /// An unknown command: the trimmed line.
    Unknown(String),
}

/// Parses one input line.
///
/// # Errors
/// A known command with an invalid argument.
pub fn parse(line: &str) -> Result<UciCommand, BadArgument> {
    // PowerShell pipes start with a byte-order mark.
    let line = line
        .trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace())
        .trim_end();
    let words: Vec<&str> = line.split_whitespace().collect();
    let unknown = || Ok(UciCommand::Unknown(line.to_string()));
    let Some(first) = words.first() else {
        return unknown();
    };
    if let Some(extension) = parse_extension(first, &words[1..]) {
        return extension;
    }
    if is_engine_output(first) {
        return unknown();
    }
    // The protocol requires that unknown words before a command are skipped.
    let Some(start) = words.iter().position(|word| is_standard(word)) else {
        return unknown();
    };
    let (head, arguments) = (words[start].to_ascii_lowercase(), &words[start + 1..]);
    match head.as_str() {
        "setoption" => parse_setoption(line, arguments),
        "debug" => parse_debug(arguments),
        "register" => parse_register(arguments),
        "position" => parse_position(arguments),
        "go" => parse_go(arguments).map(UciCommand::Go),
        _ => Ok(parse_bare_command(&head)),
    }
}

const STANDARD_COMMANDS: [&str; 11] = [
    "uci",
    "debug",
    "isready",
    "setoption",
    "register",
    "ucinewgame",
    "position",
    "go",
    "stop",
    "ponderhit",
    "quit",
];

fn is_standard(word: &str) -> bool {
    STANDARD_COMMANDS
        .iter()
        .any(|known| known.eq_ignore_ascii_case(word))
}

/// True for engine output that is echoed back or pasted, and for comments in scripts. Such lines
/// are ignored even if they contain a command word.
fn is_engine_output(word: &str) -> bool {
    const HEADS: [&str; 9] = [
        "id",
        "uciok",
        "readyok",
        "bestmove",
        "copyprotection",
        "registration",
        "info",
        "option",
        "error",
    ];
    word.starts_with('#') || HEADS.iter().any(|head| head.eq_ignore_ascii_case(word))
}

fn parse_extension(head: &str, arguments: &[&str]) -> Option<Result<UciCommand, BadArgument>> {
    let owned = || arguments.iter().map(ToString::to_string).collect();
    Some(Ok(match head.to_ascii_lowercase().as_str() {
        "d" => UciCommand::Display,
        "eval" => UciCommand::Eval,
        "bench" => UciCommand::Bench(owned()),
        "genfens" => UciCommand::GenFens(owned()),
        "flip" => UciCommand::Flip,
        "compiler" => UciCommand::Compiler,
        "export_net" => {
            let name = arguments.join(" ");
            UciCommand::ExportNet((!name.is_empty()).then_some(name))
        }
        "help" => UciCommand::Help,
        "perft" => {
            let words: Vec<&str> = ["perft"].iter().chain(arguments).copied().collect();
            return Some(parse_go(&words).map(UciCommand::Go));
        }
        _ => return None,
    }))
}

/// Parses a command without arguments.
fn parse_bare_command(head: &str) -> UciCommand {
    match parse_one(head) {
        UciMessage::Uci => UciCommand::Uci,
        UciMessage::IsReady => UciCommand::IsReady,
        UciMessage::UciNewGame => UciCommand::UciNewGame,
        UciMessage::Stop => UciCommand::Stop,
        UciMessage::PonderHit => UciCommand::PonderHit,
        UciMessage::Quit => UciCommand::Quit,
        _ => UciCommand::Unknown(head.to_string()),
    }
}

fn parse_debug(arguments: &[&str]) -> Result<UciCommand, BadArgument> {
    let word = arguments.first().copied().unwrap_or_default();
    match parse_one(&format!("debug {}", word.to_ascii_lowercase())) {
        // vampirc-uci accepts "debug onwards" as "debug on".
        UciMessage::Debug(on) if word.len() == if on { 2 } else { 3 } => Ok(UciCommand::Debug(on)),
        _ => Err(BadArgument::new(
            "debug",
            word,
            "is neither \"on\" nor \"off\"",
        )),
    }
}

fn parse_register(arguments: &[&str]) -> Result<UciCommand, BadArgument> {
    let text = arguments.join(" ");
    match parse_one(&format!("register {text}")) {
        UciMessage::Register { .. } => Ok(UciCommand::Register),
        _ => Err(BadArgument::new(
            "register",
            &text,
            "is neither \"later\" nor \"name … code …\"",
        )),
    }
}

/// Parses `setoption` by hand: vampirc-uci rejects names with a word that starts with "value",
/// and the value is the rest of the line, including inner blanks.
fn parse_setoption(line: &str, arguments: &[&str]) -> Result<UciCommand, BadArgument> {
    let error = |text: &str, why: &str| Err(BadArgument::new("setoption", text, why));
    let words = match arguments {
        [first, words @ ..] if first.eq_ignore_ascii_case("name") => words,
        _ => return error(&arguments.join(" "), "does not start with \"name\""),
    };
    let cut = words
        .iter()
        .position(|word| word.eq_ignore_ascii_case("value"));
    let name = words[..cut.unwrap_or(words.len())].join(" ");
    if name.is_empty() {
        return error(line, "has no option name");
    }
    let value = cut.map(|cut| {
        // The words are slices of the line, so pointer arithmetic gives the offset.
        let end = words[cut].as_ptr() as usize + words[cut].len() - line.as_ptr() as usize;
        line[end..].trim().to_string()
    });
    Ok(UciCommand::SetOption { name, value })
}

fn parse_position(arguments: &[&str]) -> Result<UciCommand, BadArgument> {
    let error = |text: &str, why: &str| Err(BadArgument::new("position", text, why));
    let cut = arguments
        .iter()
        .position(|word| word.eq_ignore_ascii_case("moves"));
    let (middle, moves) = match cut {
        Some(cut) => (&arguments[..cut], &arguments[cut + 1..]),
        None => (arguments, &[][..]),
    };
    let start = match middle {
        [] => return error(&arguments.join(" "), "has neither startpos nor a FEN"),
        [word] if word.eq_ignore_ascii_case("startpos") => StartPosition::Startpos,
        [word, extra, ..] if word.eq_ignore_ascii_case("startpos") => {
            return error(extra, "is unexpected after startpos");
        }
        [word, fen @ ..] if word.eq_ignore_ascii_case("fen") => StartPosition::Fen(fen.join(" ")),
        // A FEN without the keyword, as pasted by users.
        [placement, ..] if placement.contains('/') => StartPosition::Fen(middle.join(" ")),
        [word, ..] => return error(word, "is neither startpos nor fen"),
    };
    let moves = parse_game_moves(moves)?;
    Ok(UciCommand::Position { start, moves })
}

/// Checks the syntax of the moves. Castling as `O-O`, which the Arena GUI sends in Chess960, is
/// kept as it is; all other moves are parsed by vampirc-uci.
fn parse_game_moves(words: &[&str]) -> Result<Vec<String>, BadArgument> {
    let mut moves = Vec::with_capacity(words.len());
    let mut canonical = String::from("position startpos moves");
    for (index, word) in words.iter().enumerate() {
        if is_castling_text(word) {
            moves.push(word.to_ascii_uppercase().replace('0', "O"));
        } else if is_move(word) {
            moves.push(String::new());
            canonical.push(' ');
            canonical.push_str(&word.to_ascii_lowercase());
        } else {
            let why = format!("(move {}) is not a move", index + 1);
            return Err(BadArgument::new("position", word, why));
        }
    }
    let read = match parse_one(&canonical) {
        UciMessage::Position { moves, .. } => moves,
        _ => Vec::new(),
    };
    let mut read = read.into_iter();
    for (index, text) in moves.iter_mut().enumerate() {
        if text.is_empty() {
            let why = || format!("(move {}) cannot be parsed", index + 1);
            let found = read.next();
            *text = found
                .ok_or_else(|| BadArgument::new("position", words[index], why()))?
                .to_string();
        }
    }
    Ok(moves)
}

fn is_castling_text(word: &str) -> bool {
    ["O-O", "O-O-O", "0-0", "0-0-0"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> UciCommand {
        parse(line).unwrap_or_else(|error| panic!("{line:?}: {error}"))
    }

    fn parsed_go(line: &str) -> Go {
        match parsed(line) {
            UciCommand::Go(go) => go,
            other => panic!("{line:?}: {other:?}"),
        }
    }

    fn moves(line: &str) -> Vec<String> {
        match parsed(line) {
            UciCommand::Position { moves, .. } => moves,
            other => panic!("{line:?}: {other:?}"),
        }
    }

    fn offending(line: &str) -> String {
        parse(line).expect_err(line).text
    }

    #[test]
    fn lines_that_make_vampirc_panic() {
        assert_eq!(parsed_go("go "), Go::default());
        assert!(parsed_go("go infinite ").infinite);
        assert_eq!(parsed_go("go depth 5 ").depth, Some(5));
        assert_eq!(parsed_go("go wtime 1 btime 1 ").time, [Some(1), Some(1)]);
        assert_eq!(parsed_go("go searchmoves e2e4 ").search_moves, ["e2e4"]);
        assert_eq!(parsed_go("go depth 256").depth, Some(255));
        assert_eq!(parsed_go("go depth 999").depth, Some(255));
        assert_eq!(parsed_go("go mate 256").mate, Some(120));
        assert_eq!(parsed_go("go movestogo 256").moves_to_go, Some(255));
        assert!(matches!(parsed("info depth 256"), UciCommand::Unknown(_)));
    }

    #[test]
    fn words_that_vampirc_drops() {
        let go = parsed_go("go ponder wtime 1000 btime 2000 winc 10 binc 20");
        assert!(go.ponder);
        assert_eq!(go.time, [Some(1000), Some(2000)]);
        assert_eq!(go.increment, [Some(10), Some(20)]);

        let go = parsed_go("go ponder movetime 15000");
        assert_eq!((go.ponder, go.move_time), (true, Some(15000)));

        let go = parsed_go("go infinite wtime 1 movestogo 3");
        assert_eq!(
            (go.infinite, go.time[0], go.moves_to_go),
            (true, Some(1), Some(3))
        );

        let go = parsed_go("go movetime 500 depth 5 wtime 100 btime 200 winc 0 binc 0");
        assert_eq!((go.move_time, go.depth), (Some(500), Some(5)));
        assert_eq!(go.time, [Some(100), Some(200)]);

        assert_eq!(parsed_go("go depth 1000").depth, Some(255));
        assert_eq!(
            parsed_go("go nodes 9999999999999").nodes,
            Some(999_999_999_999)
        );
        let go = parsed_go("go wtime 1e3 btime 5");
        assert_eq!(go.time, [None, Some(5)]);
        assert_eq!(go.complaints[0].text, "1e3");
        let go = parsed_go("go wtime 100 foo 1 btime 5");
        assert_eq!(go.time, [Some(100), Some(5)]);
        assert_eq!(go.ignored, ["foo", "1"]);
        let go = parsed_go("go depth 5 searchmoves 0000");
        assert_eq!((go.depth, go.search_moves.len()), (Some(5), 0));
        assert!(go.ignored.is_empty());
    }

    #[test]
    fn moves_that_vampirc_truncates() {
        assert_eq!(offending("position startpos moves e2e4 0000"), "0000");
        assert_eq!(offending("position startpos moves e2e4 xyz d2d4"), "xyz");
        assert_eq!(offending("position startpos moves e7e8k"), "e7e8k");
        let blanks = "position startpos  moves  e2e4 \t e7e5  ";
        assert_eq!(moves(blanks), ["e2e4", "e7e5"]);
        assert_eq!(
            moves("position startpos moves E2E4 A7A8Q"),
            ["e2e4", "a7a8q"]
        );
        assert_eq!(moves("position startpos moves"), [""; 0]);
        assert_eq!(
            moves("position startpos moves o-o e7e5 0-0-0 a2a1n"),
            ["O-O", "e7e5", "O-O-O", "a2a1n"]
        );
        let error = parse("position startpos moves e2e4 e7-e5").unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"position: "e7-e5" (move 2) is not a move"#
        );
    }

    #[test]
    fn commands_that_vampirc_does_not_parse() {
        assert_eq!(parsed_go("go perft 5").perft, Some(5));
        assert_eq!(parsed_go("perft 5").perft, Some(5));
        assert_eq!(parsed_go("go foo depth 3").depth, Some(3));
        let go = parsed_go("go wtime -5 btime 0");
        assert_eq!(go.time, [Some(-5), Some(0)]);
        assert!(parsed_go("go searchmoves").search_moves.is_empty());
        for fen in [
            "nrbbqknr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKNR w HBhb - 0 1",
            "4k3/8/8/8/8/8/8/4K3 w - -",
            "4k3/8/8/8/8/8/8/4K3 w - - 3",
            "4k3/8/8/8/8/8/8/4K3 b - - 0 12345",
        ] {
            let start = StartPosition::Fen(fen.to_string());
            let expected = |moves: &[&str]| UciCommand::Position {
                start: start.clone(),
                moves: moves.iter().map(ToString::to_string).collect(),
            };
            assert_eq!(parsed(&format!("position fen {fen}")), expected(&[]));
            assert_eq!(parsed(&format!("position fen {fen} moves ")), expected(&[]));
            assert_eq!(
                parsed(&format!("position {fen} moves a2a3")),
                expected(&["a2a3"])
            );
        }
        assert_eq!(parsed("\u{feff}uci"), UciCommand::Uci);
        assert_eq!(parsed(""), UciCommand::Unknown(String::new()));
        for (line, expected) in [
            ("d", UciCommand::Display),
            ("eval", UciCommand::Eval),
            ("flip", UciCommand::Flip),
            ("compiler", UciCommand::Compiler),
            (
                "export_net x.nnue",
                UciCommand::ExportNet(Some("x.nnue".to_owned())),
            ),
            ("help", UciCommand::Help),
            (
                "Bench 16 1",
                UciCommand::Bench(vec!["16".into(), "1".into()]),
            ),
            (
                "genfens 3 book A.epd",
                UciCommand::GenFens(["3", "book", "A.epd"].map(Into::into).to_vec()),
            ),
        ] {
            assert_eq!(parsed(line), expected);
        }
        assert!(matches!(parsed("xboard"), UciCommand::Unknown(_)));
    }

    #[test]
    fn bare_commands_must_match_exactly() {
        for line in [
            "isreadyxyz",
            "ponderhitx",
            "uciok",
            "readyok",
            "stopp",
            "foo",
        ] {
            assert_eq!(parsed(line), UciCommand::Unknown(line.to_string()));
        }
        assert_eq!(parsed("ucinewgame foo"), UciCommand::UciNewGame);
        assert_eq!(parsed(" \t IsReady \r\n"), UciCommand::IsReady);
        assert_eq!(parsed("joho   debug  on "), UciCommand::Debug(true));
        assert_eq!(parsed("please stop"), UciCommand::Stop);
        assert!(matches!(parsed("foo d"), UciCommand::Unknown(_)));
        assert!(matches!(parsed("# go infinite"), UciCommand::Unknown(_)));
        assert!(matches!(parsed("info string stop"), UciCommand::Unknown(_)));
    }

    #[test]
    fn setoption_names_and_values() {
        let option = |name: &str, value: Option<&str>| UciCommand::SetOption {
            name: name.to_string(),
            value: value.map(ToString::to_string),
        };
        for (line, name, value) in [
            ("setoption name Hash value 64  ", "Hash", Some("64")),
            ("setoption name Clear Hash", "Clear Hash", None),
            ("setoption name Clear   Hash ", "Clear Hash", None),
            ("SETOPTION NAME hash VALUE 1", "hash", Some("1")),
            ("setoption name ValueScale value 3", "ValueScale", Some("3")),
            (
                "setoption name Path value C:\\a  b;c",
                "Path",
                Some("C:\\a  b;c"),
            ),
            ("setoption name Path value", "Path", Some("")),
            ("setoption name Path value value", "Path", Some("value")),
            ("setoption name É value ü", "É", Some("ü")),
        ] {
            assert_eq!(parsed(line), option(name, value), "{line}");
        }
        assert_eq!(offending("setoption Hash 16"), "Hash 16");
        assert_eq!(
            offending("setoption name value 3"),
            "setoption name value 3"
        );
        assert_eq!(offending("setoption"), "");
    }

    #[test]
    fn errors_quote_the_invalid_argument() {
        for (line, text) in [
            ("perft x", "x"),
            ("go perft -1", "-1"),
            ("debug maybe", "maybe"),
            ("debug onwards", "onwards"),
            ("debug", ""),
            ("register me", "me"),
            ("position", ""),
            ("position moves e2e4", "moves e2e4"),
            ("position e2e4", "e2e4"),
            ("position startpos e2e4", "e2e4"),
        ] {
            assert_eq!(offending(line), text, "{line}");
        }
        for (line, text) in [
            ("go depth abc", "abc"),
            ("go depth", ""),
            ("go depth infinite", ""),
            ("go nodes -3", "-3"),
            ("go movetime 1.5", "1.5"),
            ("go wtime --5", "--5"),
            ("go mate 0", "0"),
        ] {
            assert_eq!(parsed_go(line).complaints[0].text, text, "{line}");
        }
        assert_eq!(parsed("register later"), UciCommand::Register);
        assert_eq!(parsed("register name A B code 1"), UciCommand::Register);
        let long = "x".repeat(5000);
        assert!(offending(&format!("position {long}")).chars().count() < 100);
    }

    #[test]
    fn searchmoves_may_stand_anywhere() {
        let go = parsed_go("go searchmoves e2e4 D2D4 junk 0000 depth 4 infinite g1f3");
        assert_eq!(go.search_moves, ["e2e4", "d2d4"]);
        assert_eq!((go.depth, go.infinite), (Some(4), true));
        assert_eq!(go.complaints[0].text, "junk");
        assert_eq!(go.ignored, ["g1f3"]);
    }

    #[test]
    fn huge_numbers_are_clamped() {
        let go = parsed_go("go wtime 99999999999999999999999 btime -99999999999999999999");
        assert_eq!(go.time, [Some(999_999_999_999), Some(-999_999_999_999)]);
        assert_eq!(parsed_go("go perft 4000000000").perft, Some(255));
        assert_eq!(parsed_go("go movestogo -1").moves_to_go, Some(0));
        assert_eq!(parsed_go("go winc +5").increment, [Some(5), None]);
    }

    #[test]
    fn very_long_games_are_kept_complete() {
        let line = format!(
            "position startpos moves{}",
            " g1f3 g8f6 f3g1 f6g8".repeat(1000)
        );
        assert_eq!(moves(&line).len(), 4000);
    }
}
