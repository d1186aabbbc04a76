//! `brisance openings`: makes a set of balanced openings for matches.
//! Invariant: the file always ends with a whole line, and a cut-off run can be continued to
//! the very file that an uninterrupted one makes.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::Error;
use crate::arena::select::{Selection, Selector, Start};
use crate::notation::fen::{self, CastlingStyle};
use crate::rules::{Color, Position, Variant};

/// Make balanced openings for matches, in EPD.
///
/// Each candidate is some plies of random legal play without a move that lets the other side
/// win at once. It is kept when nobody can explode a king on the next move, a search finds
/// its value within the window (a search of a tenth of the nodes within three times the window,
/// so that little time goes into what is decided), and no equal position was kept before. A
/// line's `ce` is that value for the side to move, its `id` the candidate's number. A run that
/// is cut off is continued by the same command.
#[derive(Args, Debug)]
pub struct OpeningsArgs {
    /// The EPD file to write or to continue.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Openings to make in all.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    count: usize,
    /// The rules of the game.
    #[arg(long, value_name = "NAME", default_value = "atomic", value_parser = super::variant_name)]
    variant: Variant,
    /// Begin with random arrays of Chess960.
    #[arg(long)]
    chess960: bool,
    /// Fewest plies of random play.
    #[arg(long, value_name = "N", default_value_t = 6)]
    min_plies: usize,
    /// Most plies of random play.
    #[arg(long, value_name = "N", default_value_t = 10)]
    max_plies: usize,
    /// Nodes of the search that judges a candidate.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    nodes: u64,
    /// Least value for White in internal units.
    #[arg(long, value_name = "CP", default_value_t = -60, allow_negative_numbers = true)]
    from: i32,
    /// Greatest value for White in internal units.
    #[arg(
        long,
        value_name = "CP",
        default_value_t = 60,
        allow_negative_numbers = true
    )]
    to: i32,
    /// Seed of the random play.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads that judge candidates.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
}

/// Makes the openings.
///
/// # Errors
/// Arguments that make no sense, or a file that cannot be read or written.
pub fn run(args: &OpeningsArgs) -> Result<(), Error> {
    if args.min_plies > args.max_plies || args.from > args.to {
        return Err(Error::Usage(
            "the least must not exceed the greatest".to_owned(),
        ));
    }
    let named = |error: io::Error| Error::Failed(format!("{}: {error}", args.file.display()));
    let selection = Selection {
        variant: args.variant,
        start: if args.chess960 {
            Start::Chess960
        } else {
            Start::Usual
        },
        plies: (args.min_plies, args.max_plies),
        nodes: args.nodes,
        window: (args.from, args.to),
        seed: args.seed,
    };
    let old = read_old(&args.file, &selection)?;
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&args.file)
        .map_err(named)?;
    file.set_len(old.bytes).map_err(named)?;
    file.seek(SeekFrom::End(0)).map_err(named)?;
    let mut kept = old.seen.len();
    let mut selector =
        Selector::new(selection, args.threads, old.next, old.seen).map_err(Error::Failed)?;
    let bar = ProgressBar::new(args.count as u64);
    let style =
        ProgressStyle::with_template("{bar:30} {pos}/{len} openings, {elapsed}, {eta} left {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    while kept < args.count {
        let openings = selector.batch().map_err(Error::Failed)?;
        let mut text = String::new();
        for opening in openings.iter().take(args.count - kept) {
            let fen = fen::write(&opening.position, CastlingStyle::XFen);
            let fields: Vec<&str> = fen.split(' ').take(4).collect();
            let sign = if opening.position.side() == Color::White {
                1
            } else {
                -1
            };
            let (value, index) = (sign * opening.value, opening.index);
            text.push_str(&format!(
                "{} ce {value}; id \"{index}\";\n",
                fields.join(" ")
            ));
            kept += 1;
        }
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_data())
            .map_err(named)?;
        bar.set_position(kept as u64);
        bar.set_message(format!("of {} candidates", selector.candidates()));
    }
    bar.finish_and_clear();
    writeln!(
        io::stdout(),
        "{kept} openings of {} candidates",
        selector.candidates()
    )?;
    Ok(())
}

/// What an earlier run left.
#[derive(Default)]
struct Old {
    seen: HashSet<u64>,
    next: u64,
    bytes: u64,
}

/// Reads the whole lines of an earlier run; a last line without its end does not count. Every
/// line must be what this selection makes of its candidate.
fn read_old(path: &Path, selection: &Selection) -> Result<Old, Error> {
    let mut old = Old::default();
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(old),
        Err(error) => return Err(Error::Failed(format!("{}: {error}", path.display()))),
    };
    let mut reader = BufReader::new(file);
    let mut line = String::new();
    for number in 1.. {
        line.clear();
        let bytes = reader
            .read_line(&mut line)
            .map_err(|error| Error::Failed(format!("{}: {error}", path.display())))?;
        if !line.ends_with('\n') {
            break;
        }
        let fields: Vec<&str> = line.split(' ').take(4).collect();
        let index = line
            .split("id \"")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        let value = line
            .split(" ce ")
            .nth(1)
            .and_then(|rest| rest.split(';').next());
        let parsed = fen::parse(&fields.join(" "), selection.variant).ok();
        let (Some(pos), Some(index), Some(value)) = (
            parsed,
            index.and_then(|index| index.parse::<u64>().ok()),
            value.and_then(|value| value.parse::<i32>().ok()),
        ) else {
            let text = format!(
                "{}: line {number} is not one of ours: {line}",
                path.display()
            );
            return Err(Error::Usage(text.trim_end().to_owned()));
        };
        if !is_of(selection, &pos, index, value) {
            return Err(Error::Usage(format!(
                "{}: line {number} was made with another seed, other rules, arrays or plies, or \
                 another window; repeat those to go on with the file, or name another",
                path.display()
            )));
        }
        old.seen.insert(pos.key());
        old.next = index + 1;
        old.bytes += bytes as u64;
    }
    Ok(old)
}

/// Whether an opening of this value could be the candidate with this number.
fn is_of(selection: &Selection, pos: &Position, index: u64, value: i32) -> bool {
    let for_white = match pos.side() {
        Color::White => value,
        Color::Black => -value,
    };
    let (least, most) = selection.window;
    (least..=most).contains(&for_white)
        && selection
            .candidate(index)
            .is_some_and(|candidate| candidate.key() == pos.key())
}
