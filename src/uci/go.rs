//! The words of `go`, in any order, to what they ask for.
//! Invariant: vampirc-uci is given only what it reads without loss; the rest is read here.

use std::iter::Peekable;

use vampirc_uci::{UciMessage, UciTimeControl, parse_one};

use super::parse::{BadArgument, is_move};

/// What `go` asks for; times in milliseconds, as the GUI gave them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Time left to White and to Black; a clock may run below zero.
    pub time: [Option<i64>; 2],
    /// Time gained per move by White and by Black.
    pub increment: [Option<i64>; 2],
    /// Moves until the next time control.
    pub moves_to_go: Option<u8>,
    /// Exactly this long.
    pub move_time: Option<i64>,
    /// Plies.
    pub depth: Option<u8>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Moves to a mate.
    pub mate: Option<u8>,
    /// Answer only after `stop`.
    pub infinite: bool,
    /// Answer only after `ponderhit` or `stop`.
    pub ponder: bool,
    /// Count leaves to this depth instead of searching.
    pub perft: Option<u32>,
    /// The root moves to consider, in lower case.
    pub search_moves: Vec<String>,
    /// Words that mean nothing here.
    pub ignored: Vec<String>,
}

/// The words of `go` in any order. What vampirc-uci would lose (`ponder`, `infinite`,
/// `movetime`, `perft`) is kept here; the rest is rebuilt within its limits for it to read.
pub(super) fn go(arguments: &[&str]) -> Result<Go, BadArgument> {
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
            "movetime" => go.move_time = Some(number(&key, words.next())?),
            "perft" => go.perft = Some(count(&key, words.next())?.min(255) as u32),
            "wtime" | "btime" | "winc" | "binc" => append(number(&key, words.next())?),
            "movestogo" => append(number(&key, words.next())?.clamp(0, 255)),
            "depth" | "mate" => append(count(&key, words.next())?.min(255)),
            "nodes" => append(count(&key, words.next())?),
            "searchmoves" => search_moves(&mut words, &mut root_moves, &mut go.ignored),
            _ => go.ignored.push(word.to_string()),
        }
    }
    if !root_moves.is_empty() {
        canonical.push_str(" searchmoves");
        canonical.push_str(&root_moves);
    }
    fill(&mut go, &canonical)?;
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

/// Collects moves up to the next word of `go`. The null move that python-chess sends for an
/// empty list restricts nothing.
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

fn fill(go: &mut Go, canonical: &str) -> Result<(), BadArgument> {
    let UciMessage::Go {
        time_control,
        search_control,
    } = parse_one(canonical)
    else {
        return Err(BadArgument::new("go", canonical, "was not understood"));
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

/// A whole number of either sign, clamped to twelve digits.
fn number(key: &str, word: Option<&str>) -> Result<i64, BadArgument> {
    const LARGEST: i64 = 999_999_999_999;
    let command = format!("go {key}");
    let Some(word) = word else {
        return Err(BadArgument::new(&command, "", "is missing its number"));
    };
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(BadArgument::new(&command, word, "is not a whole number"));
    }
    let size = digits.parse().unwrap_or(LARGEST).min(LARGEST);
    Ok(if word.starts_with('-') { -size } else { size })
}

/// A [`number`] that counts something.
fn count(key: &str, word: Option<&str>) -> Result<i64, BadArgument> {
    let found = number(key, word)?;
    if found < 0 {
        let command = format!("go {key}");
        let text = word.unwrap_or_default();
        return Err(BadArgument::new(&command, text, "is below zero"));
    }
    Ok(found)
}
