//! `brisance book build --search`: judges the positions of an opening tree on all cores until
//! the tree asks for no more.
//! Invariant: the book depends on the judgements alone: not on the number of threads, nor on
//! how often the work was cut off.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::{BuildArgs, size};
use crate::cli::output::Growing;
use crate::cli::progress::Progress;
use crate::cli::{Error, interrupt};
use crate::engine::{Engine, Settings};
use crate::eval::score::Value;
use crate::eval::wdl::{Scale, Shown};
use crate::notation::{fen, san};
use crate::opening::{Head, Judgement, Plan, Record, Records, Tree};
use crate::review::{Found, Searches};
use crate::rules::{Color, Position, Variant};
use crate::search::Limits;

/// Plies of the tree unless others are asked for.
const PLIES: u16 = 12;

/// Makes the book.
///
/// # Errors
/// A bad FEN, files that cannot be used, memory or threads that cannot be had, an interrupt.
pub(super) fn run(args: &BuildArgs, words: &[String]) -> Result<(), Error> {
    let start = start(words)?;
    let path = args
        .search
        .record
        .clone()
        .unwrap_or_else(|| beside(&args.out));
    let is_new = !path.exists();
    if is_new {
        args.make_way()?;
    }
    let searches = searches(args)?;
    let head = head(&searches)?;
    let records = match is_new {
        true => Records::default(),
        false => earlier(&path, &head)?,
    };
    let mut file = match is_new {
        true => Growing::create(&path)?,
        false => Growing::extend(&path, records.bytes)?,
    };
    if records.bytes == 0 {
        file.add(&head.line())?;
    }
    let mut work = Work {
        tree: Tree::new(Plan {
            start: start.clone(),
            plies: usize::from(args.max_plies.unwrap_or(PLIES)),
            margin: args.search.margin,
        }),
        records,
        fresh: HashMap::new(),
        file,
    };
    let result = work.run(&searches);
    for fault in searches.take_faults() {
        crate::cli::output::tell(&format!("warning: {fault}"));
    }
    let Work {
        tree, fresh, file, ..
    } = work;
    file.close()?;
    if !tree.is_empty() {
        args.write(&tree.book())?;
        report(&tree, &start, fresh.len())?;
    }
    result?;
    if searches.stop.is_asked() {
        return Err(Error::Failed(format!(
            "interrupted after {} positions; they are kept, and the same command goes on",
            tree.len()
        )));
    }
    Ok(())
}

fn start(words: &[String]) -> Result<Position, Error> {
    if words.is_empty() {
        return Ok(Position::startpos(Variant::Atomic));
    }
    let pos = fen::parse(&words.join(" "), Variant::Atomic)
        .map_err(|error| Error::Usage(error.to_string()))?;
    match pos.outcome_by_rule() {
        Some(outcome) => Err(Error::Usage(format!("the game is over: {outcome}"))),
        None => Ok(pos),
    }
}

fn beside(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(".jsonl");
    out.with_file_name(name)
}

/// The searches, which Ctrl-C ends; a second one ends the program.
fn searches(args: &BuildArgs) -> Result<Searches, Error> {
    let stop = interrupt::stop()?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let search = &args.search;
    Ok(Searches {
        limits: Limits {
            soft_nodes: Some(search.nodes),
            ..Limits::default()
        },
        settings: search.eval.apply(Settings {
            hash: search.hash as usize,
            multipv: search.width as usize,
            ..Settings::default()
        }),
        threads: search.threads.map_or(cores, |threads| threads as usize),
        stop,
        faults: Mutex::default(),
    })
}

/// The first line of the record. Also finds out whether there can be such an engine.
fn head(searches: &Searches) -> Result<Head, Error> {
    let settings = &searches.settings;
    let engine = Engine::with_settings(settings.clone())?;
    let evaluation = match engine.net() {
        Some(net) => net.description().to_owned(),
        None => "handcrafted terms".to_owned(),
    };
    let nodes = searches.limits.soft_nodes.unwrap_or_default();
    Ok(Head::new(
        nodes,
        settings.multipv,
        settings.hash,
        &evaluation,
    ))
}

fn earlier(path: &Path, head: &Head) -> Result<Records, Error> {
    let named = |error: String| Error::Failed(format!("{}: {error}", path.display()));
    let bytes = fs::read(path).map_err(|error| named(error.to_string()))?;
    Records::parse(&String::from_utf8_lossy(&bytes), head)
        .map_err(|error| named(format!("{error}; --record keeps another one")))
}

struct Work {
    tree: Tree,
    /// What earlier runs have judged.
    records: Records,
    /// What this one has judged.
    fresh: HashMap<String, Judgement>,
    file: Growing,
}

impl Work {
    /// Judges what the tree wants, round by round. Positions that an earlier run has judged
    /// enter the tree only when it asks for them, so that it grows as if in one run.
    fn run(&mut self, searches: &Searches) -> Result<(), Error> {
        let mut progress = Progress::new(0, "positions");
        let mut result = Ok(());
        while result.is_ok() && !searches.stop.is_asked() {
            let wanted = self.tree.wanted();
            if wanted.is_empty() {
                break;
            }
            let mut named = HashSet::new();
            let new: Vec<_> = wanted
                .iter()
                .filter(|wanted| self.judged(&wanted.epd).is_none() && named.insert(&wanted.epd))
                .collect();
            progress.extend(new.len() as u64);
            result = searches.run(
                new.len(),
                |index| new[index].bare(),
                |index, found| {
                    let (epd, judgement) = (&new[index].epd, judgement(&found));
                    self.file.add(&Record::line(epd, &judgement))?;
                    self.fresh.insert(epd.clone(), judgement);
                    progress.step();
                    Ok(())
                },
            );
            for wanted in &wanted {
                let judged = self.records.get(&wanted.epd);
                if let Some(judgement) = judged.or_else(|| self.fresh.get(&wanted.epd)) {
                    self.tree.add(wanted, judgement);
                }
            }
            self.tree.settle();
            if let Some((line, value)) = self.tree.main_line() {
                progress.tell(format!("{} plies deep, {value} cp", line.len()));
            }
        }
        progress.close();
        result
    }

    fn judged(&self, epd: &str) -> Option<&Judgement> {
        self.records.get(epd).or_else(|| self.fresh.get(epd))
    }
}

fn judgement(found: &Found) -> Judgement {
    let mut lines = found.ranked.clone();
    if lines.is_empty() {
        lines.extend(found.line.first().map(|&mv| (mv, found.value)));
    }
    Judgement { lines }
}

/// What has become of the tree.
fn report(tree: &Tree, start: &Position, fresh: usize) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}, {fresh} judged now", size(&tree.book()))?;
    if let Some((line, value)) = tree.main_line() {
        let moves = san::write_line(start, &line).join(" ");
        writeln!(out, "best play {moves} ({} for White)", shown(value, start))?;
    }
    Ok(())
}

/// A value as scores are shown, from White's view.
fn shown(value: Value, start: &Position) -> String {
    let value = match start.side() {
        Color::White => value,
        Color::Black => -value,
    };
    match Scale::of(start).shown(value) {
        Shown::Centipawns(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        Shown::Mate(moves) => format!("#{moves}"),
    }
}
