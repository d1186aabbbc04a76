//! Games: reads all of a file, searches every position, and writes each game as soon as its
//! last position is searched.
//! Invariant: what is written are whole games in the order of the file, whatever ends the run.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Mutex;

use super::{AnalyseArgs, DEFAULT_TIME_IN_FILES, Source};
use crate::cli::output::{self, Complaints, Growing};
use crate::cli::progress::Progress;
use crate::cli::{Error, interrupt};
use crate::engine::Settings;
use crate::notation::pgn::{Games, Numbered, ReadError};
use crate::review::{Annotator, Review, Searches, page};
use crate::rules::{Position, Variant};
use crate::tablebase::Tablebase;

const ADVICE: &str = "--resume goes on with it, --force writes over it";

/// Analyses the games.
///
/// # Errors
/// Options that do not fit, games that cannot be read, output that cannot be written, or an
/// interrupt. What was finished is kept.
pub(super) fn run(args: &AnalyseArgs, source: &Source) -> Result<(), Error> {
    if args.json {
        let text = "--json is for positions and lists; games are written as PGN";
        return Err(Error::Usage(text.to_owned()));
    }
    let files = &args.files;
    if let Some(html) = &files.html {
        if files.resume {
            let text = "--html needs all games in one run; leave out --resume";
            return Err(Error::Usage(text.to_owned()));
        }
        if files
            .out
            .as_deref()
            .is_some_and(|out| output::is_same_file(out, html))
        {
            let text = format!(
                "--out and --html both name {}; the page needs a file of its own",
                html.display()
            );
            return Err(Error::Usage(text));
        }
        output::make_way(html, args.existing(), "--force writes over it")?;
    }
    let (games, bad) = read(source, args.position.variant())?;
    let searches = args.searches()?;
    let (out, finished) = open(args, source, &games)?;
    let mut work = Work {
        out,
        annotator: Annotator { fresh: files.fresh },
        reviews: files.html.is_some().then(Vec::new),
        finished,
    };
    let result = work.run(&games, &searches);
    warn(&searches);
    let page_written = match (&files.html, &work.reviews) {
        (Some(html), Some(reviews)) if !reviews.is_empty() => {
            output::write_whole(html, page(reviews))
        }
        _ => Ok(()),
    };
    let closed = work.out.close();
    result.and(page_written).and(closed)?;
    if searches.stop.is_asked() && work.finished < games.len() {
        return Err(Error::Failed(format!(
            "interrupted after {} of {} games; those are kept",
            work.finished,
            games.len()
        )));
    }
    match bad {
        0 => Ok(()),
        _ => Err(Error::Failed(format!(
            "{bad} of {} games of {source} could not be read and were left out",
            games.len() + bad
        ))),
    }
}

/// All games of a source, and how many could not be read; each of those is told.
fn read(source: &Source, variant: Option<Variant>) -> Result<(Vec<Numbered>, usize), Error> {
    let (mut games, mut complaints) = (Vec::new(), Complaints::default());
    for item in Games::new(source.open()?, variant) {
        match item {
            Ok(numbered) => {
                for remark in &numbered.remarks {
                    let number = numbered.number;
                    output::tell(&format!("warning: {source}: game {number}, {remark}"));
                }
                games.push(numbered);
            }
            Err(ReadError::Stream(error)) => return Err(source.unreadable(&error)),
            Err(ReadError::Game(error)) => {
                let advice = if error.what.contains("tag Variant") {
                    "; --variant atomic reads it as atomic"
                } else {
                    ""
                };
                complaints.add(&format!("error: {source}: {error}{advice}"));
            }
        }
    }
    let bad = complaints.close();
    if games.is_empty() && bad == 0 {
        return Err(Error::Failed(format!(
            "{source}: no games in it; is it PGN?"
        )));
    }
    Ok((games, bad))
}

/// The place for the result, and how many games it already has.
fn open(
    args: &AnalyseArgs,
    source: &Source,
    games: &[Numbered],
) -> Result<(Growing, usize), Error> {
    let Some(path) = &args.files.out else {
        return Ok((Growing::stdout(), 0));
    };
    if args.files.resume && path.exists() {
        let (length, finished) = earlier(path, source, games)?;
        return Ok((Growing::extend(path, length)?, finished));
    }
    output::make_way(path, args.existing(), ADVICE)?;
    Ok((Growing::create(path)?, 0))
}

/// How many bytes of an earlier result are whole games, and how many games.
fn earlier(path: &Path, source: &Source, games: &[Numbered]) -> Result<(u64, usize), Error> {
    let mut text = String::new();
    fs::File::open(path)
        .and_then(|mut file| file.read_to_string(&mut text))
        .map_err(|error| Error::Failed(format!("cannot read {}: {error}", path.display())))?;
    // Tags and moves end with a blank line each, and have none inside.
    let blanks: Vec<usize> = text.match_indices("\n\n").map(|(at, _)| at + 2).collect();
    let count = blanks.len() / 2;
    let length = if count == 0 { 0 } else { blanks[2 * count - 1] };
    let foreign = |number: usize| {
        Error::Failed(format!(
            "game {number} of {} is no analysis of {source}; the file is left as it is",
            path.display()
        ))
    };
    if count > games.len() || (count == 0 && !text.is_empty() && !text.starts_with('[')) {
        return Err(foreign(count.min(games.len()) + 1));
    }
    let variant = games.first().map(|numbered| numbered.game.start.variant());
    let mut read = Games::new(&text.as_bytes()[..length], variant);
    for (index, numbered) in games[..count].iter().enumerate() {
        let game = &numbered.game;
        let moves = |line: &crate::notation::pgn::Line| -> Vec<_> {
            line.moves.iter().map(|played| played.mv).collect()
        };
        let is_same = matches!(read.next(), Some(Ok(old))
            if Annotator::has_signed(&old.game)
                && old.game.start.same_as(&game.start)
                && moves(&old.game.main) == moves(&game.main)
                && old.game.tag("White") == game.tag("White")
                && old.game.tag("Black") == game.tag("Black"));
        if !is_same {
            return Err(foreign(index + 1));
        }
    }
    Ok((length as u64, count))
}

/// What is being made.
struct Work {
    out: Growing,
    annotator: Annotator,
    /// The finished games, if a page is wanted.
    reviews: Option<Vec<Review>>,
    finished: usize,
}

impl Work {
    fn run(&mut self, games: &[Numbered], searches: &Searches) -> Result<(), Error> {
        // One search for each position, the one after the last move included.
        let plies = |game: usize| 0..=games[game].game.main.moves.len();
        let first = self.finished;
        let items: Vec<(usize, usize)> = (first..games.len())
            .flat_map(|game| plies(game).map(move |ply| (game, ply)))
            .collect();
        let mut progress = Progress::new(items.len() as u64, "positions");
        let mut found = Vec::new();
        let result = searches.run(
            items.len(),
            |index| position(&games[items[index].0], items[index].1),
            |index, one| {
                found.push(one);
                let (game, ply) = items[index];
                if ply == games[game].game.main.moves.len() {
                    let review = Review {
                        number: games[game].number,
                        game: games[game].game.clone(),
                        found: std::mem::take(&mut found),
                    };
                    progress.aside(|| self.finish(review))?;
                    progress.tell(format!("{} of {} games", self.finished, games.len()));
                }
                progress.step();
                Ok(())
            },
        );
        progress.close();
        result
    }

    fn finish(&mut self, review: Review) -> Result<(), Error> {
        self.out.add(&self.annotator.annotate(&review).to_pgn())?;
        self.finished += 1;
        if let Some(reviews) = &mut self.reviews {
            reviews.push(review);
        }
        Ok(())
    }
}

/// The position after `ply` moves, with the game behind it.
fn position(numbered: &Numbered, ply: usize) -> Position {
    let mut pos = numbered.game.start.clone();
    for played in &numbered.game.main.moves[..ply] {
        pos.make(played.mv);
    }
    pos
}

impl AnalyseArgs {
    /// The searches of a file, which Ctrl-C ends; a second one ends the program.
    ///
    /// # Errors
    /// Tablebases that are not there, or when Ctrl-C cannot be caught.
    pub(super) fn searches(&self) -> Result<Searches, Error> {
        if let Some(path) = &self.syzygy {
            Tablebase::open(path).map_err(Error::Usage)?;
        }
        let stop = interrupt::stop()?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Searches {
            limits: self.limits(DEFAULT_TIME_IN_FILES),
            settings: self.eval.apply(Settings {
                hash: self.hash.unwrap_or(16) as usize,
                syzygy_path: self.syzygy.clone().unwrap_or_default(),
                ..Settings::default()
            }),
            threads: self.threads.map_or(cores, |threads| threads as usize),
            stop,
            faults: Mutex::default(),
        })
    }
}

/// Warns of what is wrong with tablebases.
pub(super) fn warn(searches: &Searches) {
    for fault in searches.take_faults() {
        output::tell(&format!("warning: {fault}"));
    }
}
