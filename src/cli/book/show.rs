//! `brisance book show`, `dump` and `browse`: what a book contains for a position, for all positions
//! that its moves lead to, and move by move.
//! Invariant: only legal moves are listed, as in play, and `dump` prints each position once.

use std::collections::{HashSet, VecDeque};
use std::io::{self, BufRead, BufWriter, IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::cli::{
    BoardStyle, CliError, PositionArgs, PositionStyle, args, board, print_json, print_warning,
};
use crate::notation::epd::Epd;
use crate::notation::{coord, san};
use crate::opening::{Book, polyglot_key};
use crate::review::json::JsonMove;
use crate::rules::Position;
use crate::util::{count, json_line};

/// List the book moves of a position, with weights and shares.
///
/// Entries with an illegal move are skipped, as in play.
#[derive(Args, Debug)]
pub struct BookShowArgs {
    /// Book file.
    file: PathBuf,
    #[command(flatten)]
    position: PositionArgs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// A position with its book moves, best first.
#[derive(Serialize)]
struct BookPosition {
    fen: String,
    key: String,
    positions: usize,
    entries: usize,
    moves: Vec<BookPositionMove>,
}

#[derive(Serialize)]
struct BookPositionMove {
    #[serde(flatten)]
    mv: JsonMove,
    weight: u16,
    /// The probability of the move if chosen by weight, from 0 to 1.
    share: f64,
    learn: u32,
}

impl BookPosition {
    fn new(book: &Book, style: PositionStyle) -> BookPosition {
        let found = book.moves(style.pos);
        let sum: f64 = found.iter().map(|found| f64::from(found.weight)).sum();
        let moves = found.iter().map(|found| BookPositionMove {
            mv: JsonMove::new(style, found.mv),
            weight: found.weight,
            share: f64::from(found.weight) / sum.max(1.0),
            learn: found.learn,
        });
        BookPosition {
            fen: style.fen(),
            key: format!("{:016x}", polyglot_key(style.pos)),
            positions: book.positions(),
            entries: book.entries().len(),
            moves: moves.collect(),
        }
    }

    /// The moves with their shares in one line: `Nf3 57.1 %, e4 42.9 %`.
    fn summary(&self) -> String {
        let text = |line: &BookPositionMove| format!("{} {:.1} %", line.mv.san, 100.0 * line.share);
        self.moves.iter().map(text).collect::<Vec<_>>().join(", ")
    }

    fn write_moves(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.moves.is_empty() {
            return writeln!(out, "not in the book");
        }
        writeln!(out, "move     UCI       weight    share")?;
        for line in &self.moves {
            let JsonMove { uci, san } = &line.mv;
            let (weight, share) = (line.weight, 100.0 * line.share);
            writeln!(out, "{san:<9}{uci:<9}{weight:>7}{share:>7.1} %")?;
        }
        Ok(())
    }
}

pub fn show(args: &BookShowArgs) -> Result<(), CliError> {
    let pos = args.position.atomic_position()?;
    let book = Book::open(&args.file)?;
    let listing = BookPosition::new(&book, args.position.style(&pos));
    if args.json {
        return Ok(print_json(&listing)?);
    }
    let mut out = io::stdout().lock();
    writeln!(out, "book       {}", book)?;
    writeln!(out, "position   {}", listing.fen)?;
    writeln!(out, "key        {}\n", listing.key)?;
    Ok(listing.write_moves(&mut out)?)
}

/// Print all positions of a book that its moves lead to.
///
/// A book contains keys, not positions, so only those that book moves reach from the given position
/// can be printed. Each is an EPD line with the best move (`pm`) and all moves with their shares
/// (`c0`), or a JSON object as that of `book show`.
#[derive(Args, Debug)]
pub struct BookDumpArgs {
    /// Book file.
    file: PathBuf,
    #[command(flatten)]
    position: PositionArgs,
    /// Maximum distance from the position in plies.
    #[arg(long, value_name = "N", value_parser = args::number::<usize>(0..))]
    plies: Option<usize>,
    /// Print JSON objects.
    #[arg(long)]
    json: bool,
}

/// Prints the positions, those nearest to the start first.
pub fn dump(args: &BookDumpArgs) -> Result<(), CliError> {
    let start = args.position.atomic_position()?;
    let book = Book::open(&args.file)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut seen = HashSet::from([polyglot_key(&start)]);
    let mut queue = VecDeque::from([(start, 0)]);
    let mut entries = 0;
    while let Some((pos, ply)) = queue.pop_front() {
        let moves = book.moves(&pos);
        if moves.is_empty() {
            continue;
        }
        entries += moves.len();
        let listing = BookPosition::new(&book, args.position.style(&pos));
        if args.json {
            out.write_all(json_line(&listing)?.as_bytes())?;
        } else {
            let mut epd = Epd::new(pos.clone());
            epd.set("pm", san::write(&pos, moves[0].mv));
            epd.set("c0", format!("\"{}\"", listing.summary()));
            writeln!(out, "{epd}")?;
        }
        if args.plies.is_some_and(|plies| ply >= plies) {
            continue;
        }
        // Sorted by name, so that the order does not depend on weights.
        let mut moves: Vec<_> = moves.iter().map(|found| found.mv).collect();
        moves.sort_by_key(|&mv| coord::write(mv, true));
        for mv in moves {
            let mut after = pos.without_history();
            after.make(mv);
            if seen.insert(polyglot_key(&after)) {
                queue.push_back((after, ply + 1));
            }
        }
    }
    out.flush()?;
    let missing = book.entries().len().saturating_sub(entries);
    if args.plies.is_none() && missing > 0 {
        let all = count(book.entries().len(), "entry");
        print_warning(format!("{missing} of {all} not reached from this position"));
    }
    Ok(())
}

const HELP: &str = "type a move as e4, e2e4 or its number in the list; `back` or an empty line goes \
                    back; also `start`, `help` and `quit`";

/// Go through a book move by move.
///
/// Shows the board and the book moves, and reads lines from stdin: a move as e2e4, in SAN or as its
/// number in the list; `back` or an empty line for the position before; `start`; `help`; `quit`.
#[derive(Args, Debug)]
pub struct BookBrowseArgs {
    /// Book file.
    file: PathBuf,
    #[command(flatten)]
    position: PositionArgs,
}

/// Shows positions until the input ends. A line that cannot be read changes nothing.
pub fn browse(args: &BookBrowseArgs) -> Result<(), CliError> {
    let start = args.position.atomic_position()?;
    let book = Book::open(&args.file)?;
    let mut pos = start.clone();
    let mut lines = io::stdin().lock().lines();
    let mut message = String::new();
    loop {
        write_page(&book, args.position.style(&pos), &message)?;
        let Some(line) = lines.next() else {
            // The next prompt of the shell gets a line of its own.
            if io::stdin().is_terminal() {
                writeln!(io::stdout())?;
            }
            return Ok(());
        };
        let line = line.map_err(|error| CliError::read("stdin", &error))?;
        message.clear();
        match line.trim() {
            "quit" | "q" | "exit" => return Ok(()),
            "start" => pos = start.clone(),
            "help" | "h" | "?" => HELP.clone_into(&mut message),
            "" | "back" | "b" if pos.ply() > start.ply() => pos.unmake(),
            "" | "back" | "b" => "this is the first position".clone_into(&mut message),
            text => message = play(&book, &mut pos, text).err().unwrap_or_default(),
        }
    }
}

/// Plays a move, or the move with a number in the list of the book.
fn play(book: &Book, pos: &mut Position, text: &str) -> Result<(), String> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        let played = args::play_moves(pos, &[text.to_owned()]);
        return played.map_err(|error| format!("{error}; `help` lists what can be typed"));
    }
    let moves = book.moves(pos);
    let index = text.parse().ok().and_then(|n: usize| n.checked_sub(1));
    match (index.and_then(|index| moves.get(index)), moves.len()) {
        (Some(found), _) => pos.make(found.mv),
        (None, 0) => return Err("the book has no move here".to_owned()),
        (None, last) => return Err(format!("there is no move {text}: the last one is {last}")),
    }
    Ok(())
}

fn write_page(book: &Book, style: PositionStyle, message: &str) -> io::Result<()> {
    let pos = style.pos;
    let mut out = io::stdout().lock();
    board::write_board(&mut out, pos, BoardStyle::for_stdout())?;
    writeln!(out)?;
    match pos.outcome() {
        Some(outcome) => writeln!(out, "game over: {outcome}")?,
        None => BookPosition::new(book, style).write_moves(&mut out)?,
    }
    if !message.is_empty() {
        writeln!(out, "{message}")?;
    }
    if io::stdin().is_terminal() {
        write!(out, "move, back, start, help or quit: ")?;
    }
    out.flush()
}
