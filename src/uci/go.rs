//! Parses the arguments of `go`, in any order.
//! Invariant: vampirc-uci receives only what it parses without loss; the rest is parsed here.

use std::iter::Peekable;
use std::time::Duration;

use vampirc_uci::{UciMessage, UciTimeControl, parse_one};

use super::argument::{BadArgument, is_move};
use crate::proof::Solver;

/// The time of a search that has lost all its limits because they are invalid.
pub const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// The command in complaints about root moves.
const SEARCH_MOVES: &str = "go searchmoves";

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
    /// Invalid arguments, which have no effect.
    pub complaints: Vec<BadArgument>,
}

impl Go {
    /// True if an invalid limit was ignored, so that a search without any limit was not meant.
    pub(super) fn lacks_a_limit(&self) -> bool {
        let is_limit = |complaint: &BadArgument| complaint.command != SEARCH_MOVES;
        !self.infinite && self.complaints.iter().any(is_limit)
    }

    /// True if a word after `searchmoves` is no move.
    pub(super) fn has_bad_search_move(&self) -> bool {
        self.complaints
            .iter()
            .any(|complaint| complaint.command == SEARCH_MOVES)
    }
}

/// Parses the arguments of `go`. What vampirc-uci would drop (`ponder`, `infinite`,
/// `movetime`, `perft`) is parsed here; the rest is rewritten within its limits and passed on.
/// Invalid arguments are ignored and listed in [`Go::complaints`], so that the search still ends
/// with a `bestmove`.
///
/// # Errors
/// An invalid depth of a perft.
pub fn parse_go(arguments: &[&str]) -> Result<Go, BadArgument> {
    let mut go = Go::default();
    let mut canonical = String::from("go");
    let mut root_moves = String::new();
    let mut words = arguments.iter().copied().peekable();
    while let Some(word) = words.next() {
        let key = word.to_ascii_lowercase();
        match key.as_str() {
            "ponder" => go.ponder = true,
            "infinite" => go.infinite = true,
            "perft" => go.perft = Some(parse_count(&key, words.next())?.min(255) as u32),
            "searchmoves" => search_moves(&mut words, &mut root_moves, &mut go.complaints),
            key if is_key(key) => {
                // The next keyword is not the number that is missing here.
                match parse_limit(key, words.next_if(|word| !is_key(word)), &mut go.complaints) {
                    Ok(number) if key == "movetime" => go.move_time = Some(number),
                    Ok(number) => canonical.push_str(&format!(" {key} {number}")),
                    Err(complaint) => go.complaints.push(complaint),
                }
            }
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

/// Parses the number of a limit and brings it into its range.
fn parse_limit(
    key: &str,
    word: Option<&str>,
    complaints: &mut Vec<BadArgument>,
) -> Result<i64, BadArgument> {
    Ok(match key {
        "movestogo" => parse_number(key, word)?.clamp(0, 255),
        "depth" => parse_count(key, word)?.min(255),
        "nodes" => parse_count(key, word)?,
        "mate" => {
            let max = i64::from(Solver::MAX_MOVES);
            let moves = parse_count(key, word)?;
            let text = word.unwrap_or_default();
            if moves == 0 {
                let reason = format!("is not a number of moves from 1 to {max}");
                return Err(BadArgument::new("go mate", text, reason));
            }
            if moves > max {
                let reason = format!("is more than {max} moves; searching for a mate in {max}");
                complaints.push(BadArgument::new("go mate", text, reason));
            }
            moves.min(max)
        }
        _ => parse_number(key, word)?,
    })
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
    complaints: &mut Vec<BadArgument>,
) {
    while let Some(word) = words.next_if(|word| !is_key(word)) {
        if is_move(word) {
            moves.push(' ');
            moves.push_str(&word.to_ascii_lowercase());
        } else if word != "0000" {
            complaints.push(BadArgument::new(SEARCH_MOVES, word, "is not a move"));
        }
    }
}

fn is_key(word: &str) -> bool {
    GO_WORDS.iter().any(|key| key.eq_ignore_ascii_case(word))
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
