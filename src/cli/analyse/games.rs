//! Analyses the games of a file: searches every position, and writes each game as soon as its
//! last position has been searched.
//! Invariant: the output consists of whole games in file order, even after an interrupt.

use std::path::Path;
use std::sync::Mutex;

use super::args::{AnalyseArgs, DEFAULT_TIME_IN_FILES};
use super::source::Source;
use crate::cli::output::{self, AppendFile, CappedErrors, WholeFile};
use crate::cli::progress::ProgressReporter;
use crate::cli::{CliError, interrupt};
use crate::engine::Settings;
use crate::engine::batch::BatchSearch;
use crate::notation::pgn::{NumberedGame, PgnError, PgnLine, PgnReader};
use crate::review::{Annotator, Review, page};
use crate::rules::{Position, Variant};
use crate::tablebase::Tablebase;

const ADVICE: &str = "use --resume to continue or --force to overwrite";

/// Analyses the games.
///
/// # Errors
/// Unsuitable options, invalid games, output that cannot be written, or an interrupt. Finished
/// games are kept.
pub(super) fn run(args: &AnalyseArgs, source: &Source) -> Result<(), CliError> {
    if args.json {
        let text = "--json is only for positions and lists; games are written as PGN";
        return Err(CliError::Usage(text.to_owned()));
    }
    let files = &args.files;
    if let Some(html) = &files.html {
        if files.resume {
            let text = "--html needs all games in result run and cannot be used with --resume";
            return Err(CliError::Usage(text.to_owned()));
        }
        if files
            .out
            .as_deref()
            .is_some_and(|out| output::is_same_file(out, html))
        {
            let text = format!(
                "--out and --html both name {}; they need different files",
                html.display()
            );
            return Err(CliError::Usage(text));
        }
    }
    let mut page_file = match &files.html {
        Some(html) => Some(WholeFile::open(
            html,
            args.existing(),
            "use --force to overwrite",
        )?),
        None => None,
    };
    let (games, invalid) = read(source, args.position.variant())?;
    let searches = args.searches()?;
    let (out, finished) = open(args, source, &games)?;
    let mut analysis = GameAnalysis {
        out,
        annotator: Annotator { fresh: files.fresh },
        reviews: files.html.is_some().then(Vec::new),
        finished,
    };
    let result = analysis.run(&games, &searches);
    warn_about_tablebases(&searches);
    let page_written = match (&mut page_file, &analysis.reviews) {
        (Some(file), Some(reviews)) if !reviews.is_empty() => file.write(page(reviews)),
        _ => Ok(()),
    };
    let closed = analysis.out.sync();
    result.and(page_written).and(closed)?;
    if searches.stop.is_requested() && analysis.finished < games.len() {
        return Err(CliError::Failed(format!(
            "interrupted after {} of {} games; finished games are kept",
            analysis.finished,
            games.len()
        )));
    }
    match invalid {
        0 => Ok(()),
        _ => Err(CliError::Failed(format!(
            "{invalid} of {} games of {source} are invalid and were skipped",
            games.len() + invalid
        ))),
    }
}

/// Reads all games of a source, and prints and counts the invalid ones.
fn read(source: &Source, variant: Option<Variant>) -> Result<(Vec<NumberedGame>, usize), CliError> {
    let (mut games, mut errors) = (Vec::new(), CappedErrors::default());
    for item in PgnReader::new(source.open()?, variant) {
        match item {
            Ok(numbered) => {
                for warning in &numbered.warnings {
                    let number = numbered.number;
                    output::print_warning(format_args!("{source}: game {number}, {warning}"));
                }
                games.push(numbered);
            }
            Err(PgnError::Io(error)) => return Err(source.read_error(&error)),
            Err(PgnError::Game(error)) => {
                let advice = if error.kind.is_variant() {
                    "; use --variant atomic to read it as atomic"
                } else {
                    ""
                };
                errors.report(&format!("error: {source}: {error}{advice}"));
            }
        }
    }
    let invalid = errors.finish();
    if games.is_empty() && invalid == 0 {
        return Err(CliError::Failed(format!(
            "{source} has no games; is it a PGN file?"
        )));
    }
    Ok((games, invalid))
}

/// Opens the output, and returns how many games it has already.
fn open(
    args: &AnalyseArgs,
    source: &Source,
    games: &[NumberedGame],
) -> Result<(AppendFile, usize), CliError> {
    let path = args.files.out.as_deref();
    let Some(path) = path.filter(|_| args.files.resume) else {
        return Ok((AppendFile::create(path, args.existing(), ADVICE)?, 0));
    };
    let (mut out, text) = AppendFile::resume(path)?;
    let (length, finished) = resume_point(path, &text, source, games)?;
    out.keep(length)?;
    Ok((out, finished))
}

/// The number of bytes and games of an earlier result, without a partial last game.
fn resume_point(
    path: &Path,
    text: &str,
    source: &Source,
    games: &[NumberedGame],
) -> Result<(u64, usize), CliError> {
    // The tags and the moves of a game each end with a blank line and contain none.
    let blanks: Vec<usize> = text
        .match_indices("\n\n")
        .map(|(index, _)| index + 2)
        .collect();
    let count = blanks.len() / 2;
    let length = if count == 0 { 0 } else { blanks[2 * count - 1] };
    let mismatch = |number: usize| {
        CliError::Failed(format!(
            "game {number} of {} is not an analysis of {source}; the file is unchanged",
            path.display()
        ))
    };
    if count > games.len() || (count == 0 && !text.is_empty() && !text.starts_with('[')) {
        return Err(mismatch(count.min(games.len()) + 1));
    }
    let variant = games.first().map(|numbered| numbered.game.start.variant());
    let mut read = PgnReader::new(&text.as_bytes()[..length], variant);
    for (index, numbered) in games[..count].iter().enumerate() {
        let game = &numbered.game;
        let moves =
            |line: &PgnLine| -> Vec<_> { line.moves.iter().map(|played| played.mv).collect() };
        let is_same = matches!(read.next(), Some(Ok(old))
            if Annotator::is_annotated(&old.game)
                && old.game.start.same_as(&game.start)
                && moves(&old.game.main_line) == moves(&game.main_line)
                && old.game.tag("White") == game.tag("White")
                && old.game.tag("Black") == game.tag("Black"));
        if !is_same {
            return Err(mismatch(index + 1));
        }
    }
    Ok((length as u64, count))
}

/// The analysis in progress.
struct GameAnalysis {
    out: AppendFile,
    annotator: Annotator,
    /// The finished games; `None` without `--html`.
    reviews: Option<Vec<Review>>,
    finished: usize,
}

impl GameAnalysis {
    fn run(&mut self, games: &[NumberedGame], searches: &BatchSearch) -> Result<(), CliError> {
        // One search per position, including the final result.
        let plies = |game: usize| 0..=games[game].game.main_line.moves.len();
        let first = self.finished;
        let items: Vec<(usize, usize)> = (first..games.len())
            .flat_map(|game| plies(game).map(move |ply| (game, ply)))
            .collect();
        let mut progress = ProgressReporter::new(items.len() as u64, "positions");
        let mut found = Vec::new();
        let result = searches.run(
            items.len(),
            |index| position(&games[items[index].0], items[index].1),
            |index, result| {
                found.push(result);
                let (game, ply) = items[index];
                if ply == games[game].game.main_line.moves.len() {
                    let review = Review {
                        number: games[game].number,
                        game: games[game].game.clone(),
                        analyses: std::mem::take(&mut found),
                    };
                    progress.suspend(|| self.finish(review))?;
                    progress.set_message(format!("{} of {} games", self.finished, games.len()));
                }
                progress.advance(1);
                Ok(())
            },
        );
        progress.finish();
        result
    }

    fn finish(&mut self, review: Review) -> Result<(), CliError> {
        self.out
            .append(&self.annotator.annotate(&review).to_pgn())?;
        self.finished += 1;
        if let Some(reviews) = &mut self.reviews {
            reviews.push(review);
        }
        Ok(())
    }
}

/// The position after `ply` moves, with its history.
fn position(numbered: &NumberedGame, ply: usize) -> Position {
    let mut pos = numbered.game.start.clone();
    for played in &numbered.game.main_line.moves[..ply] {
        pos.make(played.mv);
    }
    pos
}

impl AnalyseArgs {
    /// The search batch for a file; Ctrl-C stops it.
    ///
    /// # Errors
    /// The tablebases cannot be opened, or the Ctrl-C handler cannot be installed.
    pub(super) fn searches(&self) -> Result<BatchSearch, CliError> {
        if let Some(path) = &self.syzygy {
            Tablebase::open(path).map_err(CliError::failed)?;
        }
        let stop = interrupt::stop_handle()?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(BatchSearch {
            limits: self.limits(DEFAULT_TIME_IN_FILES),
            settings: self.eval.apply(Settings {
                hash: self.hash.unwrap_or(16) as usize,
                syzygy_path: self.syzygy.clone().unwrap_or_default(),
                ..Settings::default()
            }),
            concurrency: self.threads.map_or(cores, |threads| threads as usize),
            stop,
            tablebase_errors: Mutex::default(),
        })
    }
}

/// Prints warnings about tablebase files.
pub(super) fn warn_about_tablebases(searches: &BatchSearch) {
    for warning in searches.take_tablebase_errors() {
        output::print_warning(warning);
    }
}
