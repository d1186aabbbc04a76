//! `brisance data info`: the settings of each segment of the files, and counts.
//! Invariant: the totals are the sums over all segments of all files.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use super::games::for_each_game;
use crate::arena::stats::WinDrawLoss;
use crate::cli::CliError;
use crate::data::{self, DataCounts, GameRecord, SegmentHeader};
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
        let each = bytes as f64 / positions.max(1) as f64;
        let (name, version, bytes) = (file.display(), data::VERSION, count(bytes, "byte"));
        let mut out = io::stdout().lock();
        writeln!(out, "{name}: version {version}, {bytes}, {each:.2} per position")?;
        for (number, (header, counts)) in segments.iter().enumerate() {
            print_segment(&mut out, number + 1, header.as_ref(), counts)?;
        }
    }
    Ok(print_total(&total)?)
}

fn print_segment(
    out: &mut impl Write,
    number: usize,
    header: Option<&SegmentHeader>,
    counts: &GameCounts,
) -> io::Result<()> {
    let (games, plies) = (counts.games, counts.positions);
    writeln!(out, "  part {number}: {}", DataCounts { games, plies })?;
    let rules =
        [(Variant::Atomic, games - counts.no_check), (Variant::NoCheckAtomic, counts.no_check)];
    for (variant, games) in rules.iter().filter(|rules| rules.1 > 0) {
        writeln!(out, "    {:14} {}", variant.name(), count(*games, "game"))?;
    }
    let chess960 = percent(counts.chess960, games);
    writeln!(out, "    {:14} {chess960:.1} % of the games", "Chess960")?;
    let Some(header) = header else {
        return writeln!(out, "    the file does not have the settings");
    };
    for (name, value) in header.settings() {
        writeln!(out, "    {name:14} {value}")?;
    }
    Ok(())
}

fn print_total(total: &GameCounts) -> io::Result<()> {
    let (games, positions) = (total.games, total.positions);
    let mut out = io::stdout().lock();
    writeln!(out, "games      {games}")?;
    writeln!(out, "positions  {positions}")?;
    let length = positions as f64 / games.max(1) as f64;
    writeln!(out, "per game   {length:.1}")?;
    let results = total.results;
    for (name, count, all, what) in [
        ("White won", results.wins, games, ""),
        ("drawn", results.draws, games, ""),
        ("Black won", results.losses, games, ""),
        ("captures", total.captures, positions, " of moves"),
        ("random", total.random, positions, " of moves"),
        ("mates", total.mates, positions, " of values"),
    ] {
        let share = percent(count, all);
        writeln!(out, "{name:10} {count} ({share:.1} %{what})")?;
    }
    let others = count(total.other_starts, "game");
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
