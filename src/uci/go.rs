//! Parses the arguments of `go`, in any order, into vampirc-uci's types.
//! Invariant: an invalid argument has no effect and causes a complaint.

use std::iter::Peekable;

use vampirc_uci::{Duration, UciSearchControl, UciTimeControl};

use super::error::BadArgument;
use super::moves::parse_coordinates;
use crate::proof::Solver;

/// The command in complaints about root moves.
const SEARCH_MOVES: &str = "go searchmoves";

/// The arguments of `go`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// All time controls. `UciMessage::Go` has room for one, but GUIs combine them.
    pub time_controls: Vec<UciTimeControl>,
    /// The limits of depth, nodes and mate, and the root moves.
    pub search_control: UciSearchControl,
    /// Run perft to this depth instead of searching.
    pub perft: Option<u32>,
    /// Unknown words.
    pub ignored: Vec<String>,
    /// Invalid arguments.
    pub complaints: Vec<BadArgument>,
}

impl Go {
    /// Send `bestmove` only after `stop`.
    pub fn is_infinite(&self) -> bool {
        self.time_controls.contains(&UciTimeControl::Infinite)
    }

    /// Send `bestmove` only after `ponderhit` or `stop`.
    pub fn is_ponder(&self) -> bool {
        self.time_controls.contains(&UciTimeControl::Ponder)
    }

    /// True if an invalid limit was ignored, so that a search without any limit was not meant.
    pub(super) fn lacks_a_limit(&self) -> bool {
        let is_limit = |complaint: &BadArgument| complaint.command != SEARCH_MOVES;
        !self.is_infinite() && self.complaints.iter().any(is_limit)
    }

    /// True if a word after `searchmoves` is no move.
    pub(super) fn has_bad_search_move(&self) -> bool {
        let is_move = |complaint: &BadArgument| complaint.command == SEARCH_MOVES;
        self.complaints.iter().any(is_move)
    }

    /// Adds moves up to the next keyword. python-chess sends the null move `0000` for an empty
    /// list, so it is skipped.
    fn add_search_moves<'a>(&mut self, words: &mut Peekable<impl Iterator<Item = &'a str>>) {
        while let Some(word) = words.next_if(|word| !is_key(word)) {
            if let Some(mv) = parse_coordinates(word) {
                self.search_control.search_moves.push(mv);
            } else if word != "0000" {
                let complaint = BadArgument::new(SEARCH_MOVES, word, "is not a move");
                self.complaints.push(complaint);
            }
        }
    }

    fn set_limit(
        &mut self,
        clocks: &mut UciTimeControl,
        key: &str,
        text: &str,
    ) -> Result<(), BadArgument> {
        match key {
            "depth" => self.search_control.depth = Some(small(parse_count(key, text)?)),
            "nodes" => self.search_control.nodes = Some(parse_count(key, text)?),
            "mate" => self.search_control.mate = Some(self.parse_mate(text)?),
            "movetime" => {
                let time = Duration::milliseconds(parse_number(key, text)?);
                self.time_controls.push(UciTimeControl::MoveTime(time));
            }
            _ => set_clock(clocks, key, parse_number(key, text)?),
        }
        Ok(())
    }

    fn parse_mate(&mut self, text: &str) -> Result<u8, BadArgument> {
        const MAX: u8 = Solver::MAX_MOVES as u8;
        let error = |reason| BadArgument::new("go mate", text, reason);
        match small(parse_count("mate", text)?) {
            0 => Err(error(format!("is not a number of moves from 1 to {MAX}"))),
            moves if moves > MAX => {
                let reason = format!("is more than {MAX} moves; searching for a mate in {MAX}");
                self.complaints.push(error(reason));
                Ok(MAX)
            }
            moves => Ok(moves),
        }
    }
}

/// Parses the arguments of `go`. Invalid ones are ignored and listed in [`Go::complaints`], so
/// that the search still ends with a `bestmove`.
///
/// # Errors
/// An invalid depth of a perft.
pub fn parse_go(arguments: &[&str]) -> Result<Go, BadArgument> {
    let mut go = Go::default();
    let mut clocks = UciTimeControl::time_left();
    let mut words = arguments.iter().copied().peekable();
    while let Some(word) = words.next() {
        let key = word.to_ascii_lowercase();
        match key.as_str() {
            "ponder" => go.time_controls.push(UciTimeControl::Ponder),
            "infinite" => go.time_controls.push(UciTimeControl::Infinite),
            "perft" => {
                let depth = parse_count(&key, words.next().unwrap_or_default())?;
                go.perft = Some(small(depth).into());
            }
            "searchmoves" => go.add_search_moves(&mut words),
            key if is_key(key) => {
                // The next keyword is not the number that is missing here.
                let text = words.next_if(|word| !is_key(word)).unwrap_or_default();
                if let Err(complaint) = go.set_limit(&mut clocks, key, text) {
                    go.complaints.push(complaint);
                }
            }
            _ => go.ignored.push(word.to_owned()),
        }
    }
    if clocks != UciTimeControl::time_left() {
        go.time_controls.push(clocks);
    }
    Ok(go)
}

fn is_key(word: &str) -> bool {
    const KEYS: &str = "ponder infinite movetime perft wtime btime winc binc movestogo depth mate \
                        nodes searchmoves";
    KEYS.split(' ').any(|key| key.eq_ignore_ascii_case(word))
}

fn set_clock(clocks: &mut UciTimeControl, key: &str, number: i64) {
    let UciTimeControl::TimeLeft {
        white_time,
        black_time,
        white_increment,
        black_increment,
        moves_to_go,
    } = clocks
    else {
        return;
    };
    let time = Some(Duration::milliseconds(number));
    match key {
        "wtime" => *white_time = time,
        "btime" => *black_time = time,
        "winc" => *white_increment = time,
        "binc" => *black_increment = time,
        _ => *moves_to_go = Some(small(number.max(0).unsigned_abs())),
    }
}

/// Parses a signed integer, clamped to twelve digits.
fn parse_number(key: &str, text: &str) -> Result<i64, BadArgument> {
    const MAX: i64 = 999_999_999_999;
    let error = |reason| Err(BadArgument::new(&format!("go {key}"), text, reason));
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if text.is_empty() {
        return error("needs a number");
    }
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return error("is not a whole number");
    }
    let size = digits.parse().unwrap_or(MAX).min(MAX);
    Ok(if text.starts_with('-') { -size } else { size })
}

fn parse_count(key: &str, text: &str) -> Result<u64, BadArgument> {
    let number = parse_number(key, text)?;
    let error = |_| BadArgument::new(&format!("go {key}"), text, "is negative");
    u64::try_from(number).map_err(error)
}

fn small(number: u64) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}
