//! Analyses the games of a file: searches every position, and writes each game as soon as its
//! last position has been searched.
//! Invariant: the output consists of games in file order; after an interrupt the last one may lack
//! the analysis of its last moves, and says so.

use std::path::Path;

use parking_lot::Mutex;
use serde_json::Value as Json;

use super::args::{AnalyseArgs, DEFAULT_TIME_IN_FILES, HASH_IN_FILES};
use super::game_format::GameFormat;
use super::source::Source;
use crate::cli::output::{self, AppendFile, CappedErrors, WholeFile};
use crate::cli::pgn_faults::PgnFaults;
use crate::cli::progress::ProgressReporter;
use crate::cli::{CliError, interrupt};
use crate::engine::Settings;
use crate::engine::batch::BatchSearch;
use crate::notation::pgn::{NumberedGame, PgnGame, PgnLine, PgnReader};
use crate::review::{Annotator, Review, page};
use crate::rules::{Position, Variant};
use crate::search::{self, SearchResult};
use crate::tablebase::Tablebase;
use crate::util::count;

/// Analyses the games.
///
/// # Errors
/// Unsuitable options, invalid games, output that cannot be written, or an interrupt. Finished
/// games are kept.
pub fn run(args: &AnalyseArgs, sources: &[Source]) -> Result<(), CliError> {
    refuse_conflicts(args)?;
    let files = &args.files;
    let html = files.html.as_ref();
    let mut page_file = html
        .map(|html| WholeFile::open(html, files.force))
        .transpose()?;
    let input = read(sources, args.position.variant())?;
    if files.no_search {
        return convert(args, &input, page_file);
    }
    let searches = args.searches()?;
    let (out, finished) = open(args, &input)?;
    let mut analysis = GameAnalysis {
        out,
        format: args.game_format(),
        prove_blunders: files.solve_blunders,
        finished: finished.len(),
        interrupted: None,
        reviews: match page_file {
            Some(_) => Some(reviews_of(&finished, &input.games)?),
            None => None,
        },
    };
    let result = analysis.run(&input.games, &searches);
    warn_about_tablebases(&searches);
    let page_written = match (&mut page_file, &analysis.reviews) {
        (Some(file), Some(reviews)) if !reviews.is_empty() => file.write(page(reviews)),
        _ => Ok(()),
    };
    let closed = analysis.out.sync();
    result.and(page_written).and(closed)?;
    if searches.stop.is_stopped() && analysis.finished < input.games.len() {
        let partly = match analysis.interrupted {
            Some((number, moves)) => format!(", and {moves} half-moves of game {number}"),
            None => String::new(),
        };
        return Err(CliError::Failed(format!(
            "interrupted after {} of {}; finished games are kept{partly}",
            analysis.finished,
            count(input.games.len(), "game")
        )));
    }
    input.check(0)
}

fn refuse_conflicts(args: &AnalyseArgs) -> Result<(), CliError> {
    let files = &args.files;
    let refuse = |text: String| Err(CliError::Usage(text));
    let out = files.out.as_deref();
    if let Some(html) = &files.html {
        let is_printed = out.is_none_or(output::is_standard) && (args.json || !files.no_search);
        if output::is_standard(html) && is_printed {
            return refuse("--html - and the games both use standard output".to_owned());
        }
        if files.resume && args.json {
            return refuse("--html with --resume needs games in PGN, not --json".to_owned());
        }
    }
    if files.no_search && files.html.is_none() && !args.json {
        return refuse("--no-search needs --html or --json".to_owned());
    }
    if files.no_search && files.out.is_some() && !args.json {
        return refuse("--no-search writes no games; --out needs --json".to_owned());
    }
    if files.fresh && args.json {
        return refuse("--fresh is for games in PGN, not for --json".to_owned());
    }
    Ok(())
}

/// Writes the page or the JSON of games that were analysed before, without a search.
fn convert(
    args: &AnalyseArgs,
    input: &GameInput,
    page_file: Option<WholeFile>,
) -> Result<(), CliError> {
    let path = args.files.out.as_deref();
    let path = path.unwrap_or(Path::new("-"));
    let mut out = match args.json {
        true => Some(WholeFile::open(path, args.files.force)?),
        false => None,
    };
    let mut lines = String::new();
    let (mut reviews, mut errors) = (Vec::new(), CappedErrors::default());
    for numbered in &input.games {
        match Review::from_annotations(numbered.number, &numbered.game) {
            Ok(review) => {
                if args.json {
                    lines.push_str(&args.game_format().text(&review)?);
                }
                reviews.push(review);
            }
            Err(error) => errors.report(&format!("error: game {}, {error}", numbered.number)),
        }
    }
    if !reviews.is_empty() {
        if let Some(out) = &mut out {
            out.write(lines)?;
        }
        if let Some(mut file) = page_file {
            file.write(page(&reviews))?;
        }
    }
    input.check(errors.finish())
}

/// The reviews of games that an earlier run has written.
fn reviews_of(finished: &[PgnGame], games: &[NumberedGame]) -> Result<Vec<Review>, CliError> {
    let numbers = games.iter().map(|numbered| numbered.number);
    let reviews = numbers.zip(finished).map(|(number, game)| {
        let review = Review::from_annotations(number, game);
        review.map_err(|error| CliError::Failed(format!("game {number} of --out, {error}")))
    });
    reviews.collect()
}

/// The games of all sources.
struct GameInput {
    games: Vec<NumberedGame>,
    /// The number of games, with those that were skipped.
    count: usize,
    /// The number of games that were not read, or only in part.
    invalid: usize,
    /// The names of the sources.
    names: String,
}

impl GameInput {
    /// Fails if games were invalid or could not be converted.
    fn check(&self, unconverted: usize) -> Result<(), CliError> {
        match self.invalid + unconverted {
            0 => Ok(()),
            skipped => Err(CliError::Failed(format!(
                "{skipped} of {} of {} are invalid and were skipped, or were read only in part",
                count(self.count, "game"),
                self.names
            ))),
        }
    }
}

/// Reads all games, and prints what is wrong with them. The games of several sources are numbered
/// as if they were one.
///
/// # Errors
/// A source that cannot be read, or has no game of a supported variant.
fn read(sources: &[Source], variant: Option<Variant>) -> Result<GameInput, CliError> {
    let (mut games, mut faults) = (Vec::new(), PgnFaults::default());
    let mut count = 0;
    for source in sources {
        let first = count;
        for item in PgnReader::new(source.open()?, variant) {
            count += 1;
            let numbered = match item {
                Ok(numbered) => Some(numbered),
                Err(error) => {
                    let kept = faults.report(source, error);
                    kept.map_err(|error| source.read_error(&error))?
                }
            };
            if let Some(mut numbered) = numbered {
                faults.warn(source, &numbered);
                numbered.number = count;
                games.push(numbered);
            }
        }
        if count == first {
            return Err(CliError::Failed(format!(
                "{source} has no games; is it a PGN file?"
            )));
        }
    }
    let names: Vec<String> = sources.iter().map(Source::to_string).collect();
    Ok(GameInput {
        invalid: faults.finish(games.len())?,
        games,
        count,
        names: names.join(", "),
    })
}

/// Opens the output, and returns the games that it has already; from a JSON output without their
/// annotations.
fn open(args: &AnalyseArgs, input: &GameInput) -> Result<(AppendFile, Vec<PgnGame>), CliError> {
    let path = args.files.out.as_deref();
    let Some(path) = path.filter(|_| args.files.resume) else {
        let out = AppendFile::create(path, args.files.force)?;
        return Ok((out, Vec::new()));
    };
    AppendFile::resume(path, |text| match args.json {
        true => resume_json(args, path, text, input),
        false => resume_pgn(args, path, text, input),
    })
}

fn not_an_analysis(number: usize, path: &Path, input: &GameInput) -> CliError {
    CliError::Failed(format!(
        "game {number} of {} is not an analysis of {}; the file is unchanged",
        path.display(),
        input.names
    ))
}

/// The finished games of an earlier result, and their length in bytes. An interrupted game is
/// searched again.
///
/// # Errors
/// A game that does not match, or that was searched with other options.
fn resume_pgn(
    args: &AnalyseArgs,
    path: &Path,
    text: &str,
    input: &GameInput,
) -> Result<(Vec<PgnGame>, usize), CliError> {
    let games = &input.games;
    // The tags and the moves of a game each end with a blank line and contain none.
    let blanks: Vec<usize> = text
        .match_indices("\n\n")
        .map(|(index, _)| index + 2)
        .collect();
    let count = blanks.len() / 2;
    let end = |count: usize| if count == 0 { 0 } else { blanks[2 * count - 1] };
    if count > games.len() || (count == 0 && !text.is_empty() && !text.starts_with('[')) {
        return Err(not_an_analysis(count.min(games.len()) + 1, path, input));
    }
    let variant = games.first().map(|numbered| numbered.game.start.variant());
    let mut read = PgnReader::new(&text.as_bytes()[..end(count)], variant);
    let mut finished = Vec::new();
    for (index, numbered) in games[..count].iter().enumerate() {
        let game = &numbered.game;
        let moves =
            |line: &PgnLine| -> Vec<_> { line.moves.iter().map(|played| played.mv).collect() };
        let old = match read.next() {
            Some(Ok(old))
                if Annotator::is_annotated(&old.game)
                    && old.game.start.same_as(&game.start)
                    && moves(&old.game.main_line) == moves(&game.main_line)
                    && old.game.tag("White") == game.tag("White")
                    && old.game.tag("Black") == game.tag("Black") =>
            {
                old.game
            }
            _ => return Err(not_an_analysis(index + 1, path, input)),
        };
        let record = format!("game {}", index + 1);
        args.check_search(path, &record, Annotator::search_of(&old))?;
        if Annotator::is_interrupted(&old) {
            break;
        }
        finished.push(old);
    }
    let length = end(finished.len());
    Ok((finished, length))
}

/// Like [`resume_pgn`], for JSON lines.
fn resume_json(
    args: &AnalyseArgs,
    path: &Path,
    text: &str,
    input: &GameInput,
) -> Result<(Vec<PgnGame>, usize), CliError> {
    let whole = text.rfind('\n').map_or(0, |at| at + 1);
    let (mut length, mut finished) = (0, Vec::new());
    for (index, line) in text[..whole].split_inclusive('\n').enumerate() {
        let old: Json = serde_json::from_str(line).unwrap_or_default();
        let chess960 = args.position.chess960();
        let numbered = input.games.get(index);
        let numbered =
            numbered.filter(|numbered| GameFormat::matches_json(&old, numbered, chess960));
        let Some(numbered) = numbered else {
            return Err(not_an_analysis(index + 1, path, input));
        };
        let search = old["search"].as_str().unwrap_or_default();
        args.check_search(path, &format!("game {}", index + 1), search)?;
        if old["interrupted"] == true {
            break;
        }
        length += line.len();
        finished.push(numbered.game.clone());
    }
    Ok((finished, length))
}

/// The analysis in progress.
struct GameAnalysis {
    out: AppendFile,
    format: GameFormat,
    /// Proves that blunders lose.
    prove_blunders: bool,
    /// The games for the page; `None` without `--html`.
    reviews: Option<Vec<Review>>,
    finished: usize,
    /// The number of the game that was interrupted, and its moves that are written.
    interrupted: Option<(usize, usize)>,
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
        let review = |game: usize, analyses: Vec<SearchResult>| Review {
            number: games[game].number,
            game: games[game].game.clone(),
            analyses,
            loses_in: Vec::new(),
        };
        let result: Result<(), CliError> = searches.run(
            items.len(),
            |index| position(&games[items[index].0], items[index].1),
            |index, result| {
                if self.interrupted.is_some() {
                    return Ok(());
                }
                found.push(result);
                let (game, ply) = items[index];
                if ply == games[game].game.main_line.moves.len() {
                    let review = review(game, std::mem::take(&mut found));
                    progress.suspend(|| self.finish(review, searches))?;
                    let all = count(games.len(), "game");
                    progress.set_message(format!("{} of {all}", self.finished));
                }
                progress.advance(1);
                Ok(())
            },
        );
        progress.finish();
        result?;
        if found.len() > 1 {
            self.write_interrupted(review(self.finished, found))?;
        }
        Ok(())
    }

    fn finish(&mut self, mut review: Review, searches: &BatchSearch) -> Result<(), CliError> {
        if self.prove_blunders {
            let proved = review.prove_blunders(&searches.stop);
            proved.map_err(CliError::failed)?;
            if searches.stop.is_stopped() && review.analyses.len() > 1 {
                // Resumed, it is proved.
                review.analyses.pop();
                return self.write_interrupted(review);
            }
        }
        self.out.append(&self.format.text(&review)?)?;
        self.finished += 1;
        if let Some(reviews) = &mut self.reviews {
            reviews.push(review);
        }
        Ok(())
    }

    /// Writes a game whose last moves have not been analysed. The page ends it before them.
    fn write_interrupted(&mut self, mut review: Review) -> Result<(), CliError> {
        let moves = review.analyses.len() - 1;
        self.out.append(&self.format.text(&review)?)?;
        self.interrupted = Some((review.number, moves));
        if let Some(reviews) = &mut self.reviews {
            review.game.main_line.moves.truncate(moves);
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
    fn game_format(&self) -> GameFormat {
        let search = match self.files.no_search {
            true => String::new(),
            false => self.search_options(),
        };
        if self.json {
            GameFormat::Json {
                chess960: self.position.chess960(),
                from_white: self.white,
                search,
            }
        } else {
            GameFormat::Pgn(Annotator {
                fresh: self.files.fresh,
                search,
            })
        }
    }

    /// The search batch for a file; Ctrl-C stops it.
    ///
    /// # Errors
    /// The tablebases cannot be opened, or the Ctrl-C handler cannot be installed.
    pub fn searches(&self) -> Result<BatchSearch, CliError> {
        if let Some(path) = &self.syzygy {
            Tablebase::open(path).map_err(CliError::failed)?;
        }
        let stop = interrupt::stop_handle()?;
        Ok(BatchSearch {
            limits: self.limits(DEFAULT_TIME_IN_FILES),
            settings: self.eval.apply(Settings {
                hash: self.hash.unwrap_or(HASH_IN_FILES) as usize,
                multipv: self.multipv as usize,
                syzygy_path: self.syzygy.clone().unwrap_or_default(),
                ..Settings::default()
            }),
            concurrency: self
                .threads
                .map_or_else(search::cores, |threads| threads as usize),
            stop,
            tablebase_errors: Mutex::default(),
        })
    }
}

/// Prints warnings about tablebase files.
pub fn warn_about_tablebases(searches: &BatchSearch) {
    for warning in searches.take_tablebase_errors() {
        output::print_warning(warning);
    }
}
