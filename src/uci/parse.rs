//! Parses input lines into commands: messages of vampirc-uci, and commands that it does not model.
//! Its own parser panics on some legal lines and drops words of others, so the words are read here.
//! Invariant: no line panics, and no word of a known command is dropped silently.

use vampirc_uci::UciFen;

use super::go::parse_go;

pub use super::error::BadArgument;
pub use super::go::Go;
pub use super::moves::GameMove;
pub use vampirc_uci::UciMessage;

/// A parsed input line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UciCommand {
    /// A message of the protocol, except `position` and `go`. The name of an option has single
    /// blanks between its words; its value is the rest of the line.
    Message(UciMessage),
    /// `position …`
    Position {
        /// The FEN, parsed later under the current variant; `None` for `startpos`.
        fen: Option<UciFen>,
        /// The moves from there.
        moves: Vec<GameMove>,
    },
    /// An invalid `position …`.
    BadPosition(BadArgument),
    /// `go …`
    Go(Go),
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
    let line = line.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace()).trim_end();
    let words: Vec<&str> = line.split_whitespace().collect();
    let unknown = || Ok(UciCommand::Unknown(line.to_owned()));
    let Some((first, arguments)) = words.split_first() else {
        return unknown();
    };
    if let Some(extension) = parse_extension(first, arguments) {
        return extension;
    }
    if is_engine_output(first) {
        return unknown();
    }
    // The protocol requires that unknown words before a command are skipped.
    for (index, word) in words.iter().enumerate() {
        if let Some(command) = parse_standard(line, word, &words[index + 1..]) {
            return command;
        }
    }
    unknown()
}

type Parsed = Result<UciCommand, BadArgument>;

/// Parses a command of the protocol; `None` if `head` is none.
fn parse_standard(line: &str, head: &str, arguments: &[&str]) -> Option<Parsed> {
    let message = match head.to_ascii_lowercase().as_str() {
        "position" => return Some(parse_position(arguments)),
        "go" => return Some(parse_go(arguments).map(UciCommand::Go)),
        "setoption" => parse_setoption(line, arguments),
        "debug" => parse_debug(arguments),
        "register" => parse_register(arguments),
        "uci" => Ok(UciMessage::Uci),
        "isready" => Ok(UciMessage::IsReady),
        "ucinewgame" => Ok(UciMessage::UciNewGame),
        "stop" => Ok(UciMessage::Stop),
        "ponderhit" => Ok(UciMessage::PonderHit),
        "quit" => Ok(UciMessage::Quit),
        _ => return None,
    };
    Some(message.map(UciCommand::Message))
}

/// True for engine output that is echoed back or pasted, and for comments in scripts. Such lines
/// are ignored even if they contain a command word.
fn is_engine_output(word: &str) -> bool {
    const HEADS: &str = "id uciok readyok bestmove copyprotection registration info option error";
    word.starts_with('#') || HEADS.split(' ').any(|head| head.eq_ignore_ascii_case(word))
}

/// Parses a command that is not part of the protocol; `None` if `head` is none.
fn parse_extension(head: &str, arguments: &[&str]) -> Option<Parsed> {
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

fn parse_debug(arguments: &[&str]) -> Result<UciMessage, BadArgument> {
    let word = arguments.first().copied().unwrap_or_default();
    match word.to_ascii_lowercase().as_str() {
        "on" => Ok(UciMessage::Debug(true)),
        "off" => Ok(UciMessage::Debug(false)),
        _ => Err(BadArgument::new("debug", word, "is neither \"on\" nor \"off\"")),
    }
}

fn parse_register(arguments: &[&str]) -> Result<UciMessage, BadArgument> {
    let mut parts = arguments.splitn(2, |word| word.eq_ignore_ascii_case("code"));
    match (parts.next(), parts.next()) {
        (Some([first, ..]), _) if first.eq_ignore_ascii_case("later") => {
            Ok(UciMessage::register_later())
        }
        (Some([first, name @ ..]), Some(code))
            if first.eq_ignore_ascii_case("name") && !name.is_empty() && !code.is_empty() =>
        {
            Ok(UciMessage::register_code(&name.join(" "), &code.join(" ")))
        }
        _ => Err(BadArgument::new(
            "register",
            &arguments.join(" "),
            "is neither \"later\" nor \"name … code …\"",
        )),
    }
}

fn parse_setoption(line: &str, arguments: &[&str]) -> Result<UciMessage, BadArgument> {
    let error = |text: &str, why: &str| Err(BadArgument::new("setoption", text, why));
    let words = match arguments {
        [first, words @ ..] if first.eq_ignore_ascii_case("name") => words,
        _ => return error(&arguments.join(" "), "does not start with \"name\""),
    };
    let is_value = |word: &&str| word.eq_ignore_ascii_case("value");
    let cut = words.iter().position(is_value);
    let name = words[..cut.unwrap_or(words.len())].join(" ");
    if name.is_empty() {
        return error(line, "has no option name");
    }
    let value = cut.map(|cut| {
        // The words are slices of the line, so pointer arithmetic gives the offset.
        let end = words[cut].as_ptr() as usize + words[cut].len() - line.as_ptr() as usize;
        line[end..].trim().to_owned()
    });
    Ok(UciMessage::SetOption { name, value })
}

fn parse_position(arguments: &[&str]) -> Parsed {
    let error = |text: &str, why: &str| Err(BadArgument::new("position", text, why));
    let mut parts = arguments.splitn(2, |word| word.eq_ignore_ascii_case("moves"));
    let start = parts.next().unwrap_or_default();
    let fen = match start {
        [] => return error(&arguments.join(" "), "has neither startpos nor a FEN"),
        [word] if word.eq_ignore_ascii_case("startpos") => None,
        [word, extra, ..] if word.eq_ignore_ascii_case("startpos") => {
            return error(extra, "is unexpected after startpos");
        }
        [word, fen @ ..] if word.eq_ignore_ascii_case("fen") => Some(fen),
        // A FEN without the keyword, as pasted by users.
        [placement, ..] if placement.contains('/') => Some(start),
        [word, ..] => return error(word, "is neither startpos nor fen"),
    };
    let moves = parts.next().unwrap_or_default().iter().enumerate();
    let moves = moves.map(|(index, word)| {
        let why = || format!("(move {}) is not a move", index + 1);
        GameMove::parse(word).ok_or_else(|| BadArgument::new("position", word, why()))
    });
    Ok(UciCommand::Position {
        fen: fen.map(|words| UciFen(words.join(" "))),
        moves: moves.collect::<Result<_, _>>()?,
    })
}
