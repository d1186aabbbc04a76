//! Lines from a GUI to typed commands: a tolerant front before vampirc-uci.
//! vampirc-uci panics on legal lines and loses words of others (a trailing blank after `go`,
//! `go ponder wtime …`, depth 256), so it is only ever given canonical text rebuilt here.
//! Invariant: no line panics, and no word of a known command is dropped in silence.

use std::fmt;

use vampirc_uci::{UciMessage, parse_one};

use super::go::go;

pub use super::go::Go;

/// Where a game starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The start position of the present variant.
    Startpos,
    /// The text of a FEN, not yet read: that depends on the variant.
    Fen(String),
}

/// One line of a GUI or a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
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
    /// `register …`; nothing here needs registering.
    Register,
    /// `ucinewgame`
    UciNewGame,
    /// `position …`
    Position {
        /// The position before the moves.
        start: Start,
        /// The moves, in coordinates (lower case) or as `O-O`.
        moves: Vec<String>,
    },
    /// `go …`
    Go(Go),
    /// `stop`
    Stop,
    /// `ponderhit`
    PonderHit,
    /// `quit`
    Quit,
    /// `d`: show the position.
    Display,
    /// `eval`: show the evaluation term by term.
    Eval,
    /// `bench` and its arguments.
    Bench(Vec<String>),
    /// `genfens` and its arguments.
    GenFens(Vec<String>),
    /// `flip`: the same position with colours exchanged.
    Flip,
    /// `compiler`: how this binary was built.
    Compiler,
    /// `export_net`: write the network to a file.
    ExportNet(Option<String>),
    /// `help`
    Help,
    /// Nothing we know; the trimmed line.
    Unknown(String),
}

/// A known command with an argument that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadArgument {
    /// The command, with the word that took the argument.
    pub command: String,
    /// The offending text, shortened if it is long.
    pub text: String,
    /// What is wrong with it.
    pub why: String,
}

impl BadArgument {
    pub(super) fn new(command: &str, text: &str, why: impl Into<String>) -> BadArgument {
        BadArgument {
            command: command.to_string(),
            text: shortened(text),
            why: why.into(),
        }
    }
}

impl fmt::Display for BadArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?} {}", self.command, self.text, self.why)
    }
}

impl std::error::Error for BadArgument {}

/// The text cut to a length fit for a message.
pub(super) fn shortened(text: &str) -> String {
    const LONGEST: usize = 80;
    let mut shown: String = text.chars().take(LONGEST).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Reads one line.
///
/// # Errors
/// When the command is known but an argument is not understood.
pub fn parse(line: &str) -> Result<Command, BadArgument> {
    // PowerShell pipes begin with a byte-order mark.
    let line = line
        .trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace())
        .trim_end();
    let words: Vec<&str> = line.split_whitespace().collect();
    let unknown = || Ok(Command::Unknown(line.to_string()));
    let Some(first) = words.first() else {
        return unknown();
    };
    if let Some(extension) = extension(first, &words[1..]) {
        return extension;
    }
    if is_from_engine(first) {
        return unknown();
    }
    // The protocol wants unknown words before a command skipped.
    let Some(start) = words.iter().position(|word| is_standard(word)) else {
        return unknown();
    };
    let (head, arguments) = (words[start].to_ascii_lowercase(), &words[start + 1..]);
    match head.as_str() {
        "setoption" => set_option(line, arguments),
        "debug" => debug(arguments),
        "register" => register(arguments),
        "position" => position(arguments),
        "go" => go(arguments).map(Command::Go),
        _ => Ok(bare(&head)),
    }
}

const STANDARD: [&str; 11] = [
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
    STANDARD
        .iter()
        .any(|known| known.eq_ignore_ascii_case(word))
}

/// Lines an engine sends, echoed back or pasted, and comments of script files: words in them
/// that look like commands are none.
fn is_from_engine(word: &str) -> bool {
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

fn extension(head: &str, arguments: &[&str]) -> Option<Result<Command, BadArgument>> {
    let owned = || arguments.iter().map(ToString::to_string).collect();
    Some(Ok(match head.to_ascii_lowercase().as_str() {
        "d" => Command::Display,
        "eval" => Command::Eval,
        "bench" => Command::Bench(owned()),
        "genfens" => Command::GenFens(owned()),
        "flip" => Command::Flip,
        "compiler" => Command::Compiler,
        "export_net" => {
            let name = arguments.join(" ");
            Command::ExportNet((!name.is_empty()).then_some(name))
        }
        "help" => Command::Help,
        "perft" => {
            let words: Vec<&str> = ["perft"].iter().chain(arguments).copied().collect();
            return Some(go(&words).map(Command::Go));
        }
        _ => return None,
    }))
}

/// Commands of one word.
fn bare(head: &str) -> Command {
    match parse_one(head) {
        UciMessage::Uci => Command::Uci,
        UciMessage::IsReady => Command::IsReady,
        UciMessage::UciNewGame => Command::UciNewGame,
        UciMessage::Stop => Command::Stop,
        UciMessage::PonderHit => Command::PonderHit,
        UciMessage::Quit => Command::Quit,
        _ => Command::Unknown(head.to_string()),
    }
}

fn debug(arguments: &[&str]) -> Result<Command, BadArgument> {
    let word = arguments.first().copied().unwrap_or_default();
    match parse_one(&format!("debug {}", word.to_ascii_lowercase())) {
        // "debug onwards" passes for "debug on" there.
        UciMessage::Debug(on) if word.len() == if on { 2 } else { 3 } => Ok(Command::Debug(on)),
        _ => Err(BadArgument::new("debug", word, "is neither on nor off")),
    }
}

fn register(arguments: &[&str]) -> Result<Command, BadArgument> {
    let text = arguments.join(" ");
    match parse_one(&format!("register {text}")) {
        UciMessage::Register { .. } => Ok(Command::Register),
        _ => Err(BadArgument::new(
            "register",
            &text,
            "is neither \"later\" nor \"name … code …\"",
        )),
    }
}

/// Read by hand: vampirc-uci refuses names with a word that begins with "value", and a value
/// is the rest of the line, blanks inside it included.
fn set_option(line: &str, arguments: &[&str]) -> Result<Command, BadArgument> {
    let error = |text: &str, why: &str| Err(BadArgument::new("setoption", text, why));
    let words = match arguments {
        [first, words @ ..] if first.eq_ignore_ascii_case("name") => words,
        _ => return error(&arguments.join(" "), "does not begin with \"name\""),
    };
    let cut = words
        .iter()
        .position(|word| word.eq_ignore_ascii_case("value"));
    let name = words[..cut.unwrap_or(words.len())].join(" ");
    if name.is_empty() {
        return error(line, "names no option");
    }
    let value = cut.map(|cut| {
        // The words are slices of the line, so the end of one is a place in it.
        let end = words[cut].as_ptr() as usize + words[cut].len() - line.as_ptr() as usize;
        line[end..].trim().to_string()
    });
    Ok(Command::SetOption { name, value })
}

fn position(arguments: &[&str]) -> Result<Command, BadArgument> {
    let error = |text: &str, why: &str| Err(BadArgument::new("position", text, why));
    let cut = arguments
        .iter()
        .position(|word| word.eq_ignore_ascii_case("moves"));
    let (middle, moves) = match cut {
        Some(cut) => (&arguments[..cut], &arguments[cut + 1..]),
        None => (arguments, &[][..]),
    };
    let start = match middle {
        [] => return error(&arguments.join(" "), "gives neither startpos nor a FEN"),
        [word] if word.eq_ignore_ascii_case("startpos") => Start::Startpos,
        [word, extra, ..] if word.eq_ignore_ascii_case("startpos") => {
            return error(extra, "follows startpos where only moves may");
        }
        [word, fen @ ..] if word.eq_ignore_ascii_case("fen") => Start::Fen(fen.join(" ")),
        // A user who pastes a FEN alone.
        [placement, ..] if placement.contains('/') => Start::Fen(middle.join(" ")),
        [word, ..] => return error(word, "is neither startpos nor fen"),
    };
    let moves = game_moves(moves)?;
    Ok(Command::Position { start, moves })
}

/// The moves of a game by shape. Castling as `O-O`, which Arena sends in Chess960, stays as
/// it is; all others must come back from vampirc-uci in full.
fn game_moves(words: &[&str]) -> Result<Vec<String>, BadArgument> {
    let mut moves = Vec::with_capacity(words.len());
    let mut canonical = String::from("position startpos moves");
    for (index, word) in words.iter().enumerate() {
        if is_castling(word) {
            moves.push(word.to_ascii_uppercase().replace('0', "O"));
        } else if is_move(word) {
            moves.push(String::new());
            canonical.push(' ');
            canonical.push_str(&word.to_ascii_lowercase());
        } else {
            let why = format!("is move {} but no move of any piece", index + 1);
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
            let why = || format!("is move {} and was not understood", index + 1);
            let found = read.next();
            *text = found
                .ok_or_else(|| BadArgument::new("position", words[index], why()))?
                .to_string();
        }
    }
    Ok(moves)
}

fn is_castling(word: &str) -> bool {
    ["O-O", "O-O-O", "0-0", "0-0-0"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(word))
}

/// True for the shape of a move in coordinates, such as `e2e4` or `E7E8Q`.
pub(super) fn is_move(word: &str) -> bool {
    let square = |file: u8, rank: u8| {
        matches!(file.to_ascii_lowercase(), b'a'..=b'h') && matches!(rank, b'1'..=b'8')
    };
    match *word.as_bytes() {
        [a, b, c, d] => square(a, b) && square(c, d),
        [a, b, c, d, p] => {
            square(a, b)
                && square(c, d)
                && matches!(p.to_ascii_lowercase(), b'q' | b'r' | b'b' | b'n')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Command {
        parse(line).unwrap_or_else(|error| panic!("{line:?}: {error}"))
    }

    fn parsed_go(line: &str) -> Go {
        match parsed(line) {
            Command::Go(go) => go,
            other => panic!("{line:?}: {other:?}"),
        }
    }

    fn moves(line: &str) -> Vec<String> {
        match parsed(line) {
            Command::Position { moves, .. } => moves,
            other => panic!("{line:?}: {other:?}"),
        }
    }

    fn offending(line: &str) -> String {
        parse(line).expect_err(line).text
    }

    #[test]
    fn lines_on_which_vampirc_panics() {
        assert_eq!(parsed_go("go "), Go::default());
        assert!(parsed_go("go infinite ").infinite);
        assert_eq!(parsed_go("go depth 5 ").depth, Some(5));
        assert_eq!(parsed_go("go wtime 1 btime 1 ").time, [Some(1), Some(1)]);
        assert_eq!(parsed_go("go searchmoves e2e4 ").search_moves, ["e2e4"]);
        assert_eq!(parsed_go("go depth 256").depth, Some(255));
        assert_eq!(parsed_go("go depth 999").depth, Some(255));
        assert_eq!(parsed_go("go mate 256").mate, Some(255));
        assert_eq!(parsed_go("go movestogo 256").moves_to_go, Some(255));
        assert!(matches!(parsed("info depth 256"), Command::Unknown(_)));
    }

    #[test]
    fn words_that_vampirc_loses() {
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
        assert_eq!(offending("go wtime 1e3"), "1e3");
        let go = parsed_go("go wtime 100 foo 1 btime 5");
        assert_eq!(go.time, [Some(100), Some(5)]);
        assert_eq!(go.ignored, ["foo", "1"]);
        let go = parsed_go("go depth 5 searchmoves 0000");
        assert_eq!((go.depth, go.search_moves.len()), (Some(5), 0));
        assert!(go.ignored.is_empty());
    }

    #[test]
    fn moves_that_vampirc_cuts() {
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
            r#"position: "e7-e5" is move 2 but no move of any piece"#
        );
    }

    #[test]
    fn what_vampirc_does_not_parse() {
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
            let start = Start::Fen(fen.to_string());
            let wanted = |moves: &[&str]| Command::Position {
                start: start.clone(),
                moves: moves.iter().map(ToString::to_string).collect(),
            };
            assert_eq!(parsed(&format!("position fen {fen}")), wanted(&[]));
            assert_eq!(parsed(&format!("position fen {fen} moves ")), wanted(&[]));
            assert_eq!(
                parsed(&format!("position {fen} moves a2a3")),
                wanted(&["a2a3"])
            );
        }
        assert_eq!(parsed("\u{feff}uci"), Command::Uci);
        assert_eq!(parsed(""), Command::Unknown(String::new()));
        for (line, wanted) in [
            ("d", Command::Display),
            ("eval", Command::Eval),
            ("flip", Command::Flip),
            ("compiler", Command::Compiler),
            (
                "export_net x.nnue",
                Command::ExportNet(Some("x.nnue".to_owned())),
            ),
            ("help", Command::Help),
            ("Bench 16 1", Command::Bench(vec!["16".into(), "1".into()])),
            (
                "genfens 3 book A.epd",
                Command::GenFens(["3", "book", "A.epd"].map(Into::into).to_vec()),
            ),
        ] {
            assert_eq!(parsed(line), wanted);
        }
        assert!(matches!(parsed("xboard"), Command::Unknown(_)));
    }

    #[test]
    fn one_word_commands_are_exact() {
        for line in [
            "isreadyxyz",
            "ponderhitx",
            "uciok",
            "readyok",
            "stopp",
            "foo",
        ] {
            assert_eq!(parsed(line), Command::Unknown(line.to_string()));
        }
        assert_eq!(parsed("ucinewgame foo"), Command::UciNewGame);
        assert_eq!(parsed(" \t IsReady \r\n"), Command::IsReady);
        assert_eq!(parsed("joho   debug  on "), Command::Debug(true));
        assert_eq!(parsed("please stop"), Command::Stop);
        assert!(matches!(parsed("foo d"), Command::Unknown(_)));
        assert!(matches!(parsed("# go infinite"), Command::Unknown(_)));
        assert!(matches!(parsed("info string stop"), Command::Unknown(_)));
    }

    #[test]
    fn set_option_lines() {
        let option = |name: &str, value: Option<&str>| Command::SetOption {
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
    fn bad_arguments_name_the_text() {
        for (line, text) in [
            ("go depth abc", "abc"),
            ("go depth", ""),
            ("go depth infinite", "infinite"),
            ("go nodes -3", "-3"),
            ("go movetime 1.5", "1.5"),
            ("go wtime --5", "--5"),
            ("perft x", "x"),
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
        assert_eq!(parsed("register later"), Command::Register);
        assert_eq!(parsed("register name A B code 1"), Command::Register);
        let long = "x".repeat(5000);
        assert!(offending(&format!("position {long}")).chars().count() < 100);
    }

    #[test]
    fn search_moves_anywhere() {
        let go = parsed_go("go searchmoves e2e4 D2D4 junk 0000 depth 4 infinite g1f3");
        assert_eq!(go.search_moves, ["e2e4", "d2d4"]);
        assert_eq!((go.depth, go.infinite), (Some(4), true));
        assert_eq!(go.ignored, ["junk", "g1f3"]);
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
    fn a_very_long_game_stays_whole() {
        let line = format!(
            "position startpos moves{}",
            " g1f3 g8f6 f3g1 f6g8".repeat(1000)
        );
        assert_eq!(moves(&line).len(), 4000);
    }
}
