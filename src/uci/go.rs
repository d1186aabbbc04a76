//! Parses the arguments of `go`, in any order.
//! Invariant: vampirc-uci receives only what it parses without loss; the rest is parsed here.

use std::iter::Peekable;

use vampirc_uci::{UciMessage, UciTimeControl, parse_one};

use super::argument::{BadArgument, is_move};

/// The arguments of `go`; times in milliseconds, as sent by the GUI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Time left for White and for Black; may be negative.
    pub time: [Option<i64>; 2],
    /// Increment per move for White and for Black.
    pub increment: [Option<i64>; 2],
    /// Moves until the next time control.
    pub moves_to_go: Option<u8>,
    /// Exact search time.
    pub move_time: Option<i64>,
    /// Depth limit in plies.
    pub depth: Option<u8>,
    /// Node limit.
    pub nodes: Option<u64>,
    /// Search for a mate in this many moves.
    pub mate: Option<u8>,
    /// Send `bestmove` only after `stop`.
    pub infinite: bool,
    /// Send `bestmove` only after `ponderhit` or `stop`.
    pub ponder: bool,
    /// Run perft to this depth instead of searching.
    pub perft: Option<u32>,
    /// The root moves to search, in lower case.
    pub search_moves: Vec<String>,
    /// Unknown words.
    pub ignored: Vec<String>,
}

/// Parses the arguments of `go`. What vampirc-uci would drop (`ponder`, `infinite`,
/// `movetime`, `perft`) is parsed here; the rest is rewritten within its limits and passed on.
pub(super) fn parse_go(arguments: &[&str]) -> Result<Go, BadArgument> {
    let mut go = Go::default();
    let mut canonical = String::from("go");
    let mut root_moves = String::new();
    let mut words = arguments.iter().copied().peekable();
    while let Some(word) = words.next() {
        let key = word.to_ascii_lowercase();
        let mut append = |number: i64| canonical.push_str(&format!(" {key} {number}"));
        match key.as_str() {
            "ponder" => go.ponder = true,
            "infinite" => go.infinite = true,
            "movetime" => go.move_time = Some(parse_number(&key, words.next())?),
            "perft" => go.perft = Some(parse_count(&key, words.next())?.min(255) as u32),
            "wtime" | "btime" | "winc" | "binc" => append(parse_number(&key, words.next())?),
            "movestogo" => append(parse_number(&key, words.next())?.clamp(0, 255)),
            "depth" | "mate" => append(parse_count(&key, words.next())?.min(255)),
            "nodes" => append(parse_count(&key, words.next())?),
            "searchmoves" => search_moves(&mut words, &mut root_moves, &mut go.ignored),
            _ => go.ignored.push(word.to_string()),
        }
    }
    if !root_moves.is_empty() {
        canonical.push_str(" searchmoves");
        canonical.push_str(&root_moves);
    }
    fill_parsed(&mut go, &canonical)?;
    Ok(go)
}

const GO_WORDS: [&str; 13] = [
    "ponder",
    "infinite",
    "movetime",
    "perft",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "mate",
    "nodes",
    "searchmoves",
];

/// Collects moves up to the next keyword of `go`. python-chess sends the null move `0000` for an
/// empty list, so it is skipped.
fn search_moves<'a>(
    words: &mut Peekable<impl Iterator<Item = &'a str>>,
    moves: &mut String,
    ignored: &mut Vec<String>,
) {
    let is_key = |word: &str| GO_WORDS.iter().any(|key| key.eq_ignore_ascii_case(word));
    while let Some(word) = words.next_if(|word| !is_key(word)) {
        if is_move(word) {
            moves.push(' ');
            moves.push_str(&word.to_ascii_lowercase());
        } else if word != "0000" {
            ignored.push(word.to_string());
        }
    }
}

fn fill_parsed(go: &mut Go, canonical: &str) -> Result<(), BadArgument> {
    let UciMessage::Go {
        time_control,
        search_control,
    } = parse_one(canonical)
    else {
        return Err(BadArgument::new("go", canonical, "cannot be parsed"));
    };
    if let Some(UciTimeControl::TimeLeft {
        white_time,
        black_time,
        white_increment,
        black_increment,
        moves_to_go,
    }) = time_control
    {
        go.time = [white_time, black_time].map(|time| time.map(|time| time.num_milliseconds()));
        go.increment =
            [white_increment, black_increment].map(|inc| inc.map(|inc| inc.num_milliseconds()));
        go.moves_to_go = moves_to_go;
    }
    if let Some(search) = search_control {
        go.depth = search.depth;
        go.nodes = search.nodes;
        go.mate = search.mate;
        go.search_moves = search
            .search_moves
            .iter()
            .map(ToString::to_string)
            .collect();
    }
    Ok(())
}

/// Parses a signed integer, clamped to twelve digits.
fn parse_number(key: &str, word: Option<&str>) -> Result<i64, BadArgument> {
    const MAX: i64 = 999_999_999_999;
    let command = format!("go {key}");
    let Some(word) = word else {
        return Err(BadArgument::new(&command, "", "needs a number"));
    };
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(BadArgument::new(&command, word, "is not a whole number"));
    }
    let size = digits.parse().unwrap_or(MAX).min(MAX);
    Ok(if word.starts_with('-') { -size } else { size })
}

/// Parses a non-negative integer.
fn parse_count(key: &str, word: Option<&str>) -> Result<i64, BadArgument> {
    let found = parse_number(key, word)?;
    if found < 0 {
        let command = format!("go {key}");
        let text = word.unwrap_or_default();
        return Err(BadArgument::new(&command, text, "is negative"));
    }
    Ok(found)
}
