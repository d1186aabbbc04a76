//! `brisance data info`: the settings of each segment of the files, and counts.
//! Invariant: the totals are the sums over all segments of all files.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use super::games::for_each_game;
use crate::arena::stats::WinDrawLoss;
use crate::cli::CliError;
use crate::data::{self, GameRecord, SegmentHeader};
use crate::eval::score;
use crate::rules::{Color, Position, Variant};
use crate::util::count;

#[derive(Default)]
struct GameCounts {
    games: u64,
    positions: u64,
    no_check: u64,
    chess960: u64,
    other_starts: u64,
    captures: u64,
    random: u64,
    mates: u64,
    /// The games as results of White.
    results: WinDrawLoss,
}

/// Prints the segments of each file and the totals of all.
pub fn run(files: &[PathBuf]) -> Result<(), CliError> {
    let mut total = GameCounts::default();
    for file in files {
        let mut segments: Vec<(Option<SegmentHeader>, GameCounts)> = vec![];
        for_each_game(file, |header, game| {
            if segments.last().is_none_or(|last| last.0.as_ref() != header) {
                segments.push((header.cloned(), GameCounts::default()));
            }
            if let Some((_, counts)) = segments.last_mut() {
                counts.add(&game);
            }
            total.add(&game);
            Ok(true)
        })?;
        let bytes = fs::metadata(file)?.len();
        let positions: u64 = segments.iter().map(|segment| segment.1.positions).sum();
        let mut out = io::stdout().lock();
        writeln!(
            out,
            "{}: version {}, {}, {:.2} per position",
            file.display(),
            data::VERSION,
            count(bytes, "byte"),
            bytes as f64 / positions.max(1) as f64
        )?;
        for (number, (header, counts)) in segments.iter().enumerate() {
            print_segment(&mut out, number + 1, header.as_ref(), counts)?;
        }
    }
    print_total(&total)?;
    Ok(())
}

fn print_segment(
    out: &mut impl Write,
    number: usize,
    header: Option<&SegmentHeader>,
    counts: &GameCounts,
) -> io::Result<()> {
    let (games, positions) = (counts.games, counts.positions);
    let (of_games, of_positions) = (count(games, "game"), count(positions, "position"));
    writeln!(out, "  part {number}: {of_games}, {of_positions}")?;
    let rules = [
        (Variant::Atomic, games - counts.no_check),
        (Variant::NoCheckAtomic, counts.no_check),
    ];
    for (variant, games) in rules.iter().filter(|rules| rules.1 > 0) {
        writeln!(out, "    {:14} {}", variant.name(), count(*games, "game"))?;
    }
    let chess960 = percent(counts.chess960, games);
    writeln!(out, "    {:14} {chess960:.1} % of the games", "Chess960")?;
    match header {
        Some(header) => {
            for (name, value) in header.settings() {
                writeln!(out, "    {name:14} {value}")?;
            }
        }
        None => writeln!(out, "    the file does not have the settings")?,
    }
    Ok(())
}

fn print_total(total: &GameCounts) -> io::Result<()> {
    let (games, positions) = (total.games, total.positions);
    let mut out = io::stdout().lock();
    writeln!(out, "games      {games}")?;
    writeln!(out, "positions  {positions}")?;
    writeln!(
        out,
        "per game   {:.1}",
        positions as f64 / games.max(1) as f64
    )?;
    let results = total.results;
    for (name, count) in [
        ("White won", results.wins),
        ("drawn", results.draws),
        ("Black won", results.losses),
    ] {
        writeln!(out, "{name:10} {count} ({:.1} %)", percent(count, games))?;
    }
    for (name, count, what) in [
        ("captures", total.captures, "moves"),
        ("random", total.random, "moves"),
        ("mates", total.mates, "values"),
    ] {
        let share = percent(count, positions);
        writeln!(out, "{name:10} {count} ({share:.1} % of {what})")?;
    }
    let others = total.other_starts;
    let others = count(others, "game");
    writeln!(out, "openings   {others} from other start positions")
}

fn percent(part: u64, of: u64) -> f64 {
    100.0 * part as f64 / of.max(1) as f64
}

impl GameCounts {
    fn add(&mut self, game: &GameRecord) {
        let variant = game.start.variant();
        let standard = Position::startpos(variant);
        self.games += 1;
        self.positions += game.plies.len() as u64;
        self.no_check += u64::from(variant == Variant::NoCheckAtomic);
        self.chess960 += u64::from(game.start.needs_chess960());
        self.other_starts += u64::from(!game.start.same_as(&standard));
        for ply in &game.plies {
            self.captures += u64::from(ply.mv.is_capture());
            self.random += u64::from(ply.random);
            self.mates += u64::from(score::is_mate(ply.value.into()));
        }
        self.results.add(game.result, Color::White);
    }
}
