//! Analyses the games of a file: searches every position, and writes each game as soon as its
//! last position has been searched.
//! Invariant: the output consists of games in file order; after an interrupt the last one may lack
//! the analysis of its last moves, and says so.

use std::io;
use std::path::Path;

use serde_json::Value as Json;

use super::args::AnalyseArgs;
use super::batch;
use crate::cli::pgn_faults::PgnFaults;
use crate::cli::{AppendFile, CappedErrors, CliError, Source, WholeFile, failed, source, usage};
use crate::files::{is_standard, read_lines};
use crate::notation::pgn::{NumberedGame, PgnGame, PgnLine, PgnReader};
use crate::review::json_game::{JsonGame, matches_json};
use crate::review::{Annotator, Review, page};
use crate::rules::{Move, Variant};
use crate::search::Control;
use crate::util::{count, json_line};

/// Analyses the games. After an interrupt, finished games are kept.
pub fn run(args: &AnalyseArgs, sources: &[Source]) -> Result<(), CliError> {
    refuse_conflicts(args)?;
    let files = &args.files;
    let html = files.html.as_ref();
    let mut page_file = html.map(|html| WholeFile::open(html, files.force)).transpose()?;
    let input = read(sources, args.position.variant)?;
    if files.no_search {
        return convert(args, &input, page_file);
    }
    let searches = args.searches()?;
    // From a JSON output, the games have no annotations.
    let mut finished = Vec::new();
    let path = files.out.as_deref();
    let earlier = AppendFile::open(path, files.resume, files.force)?;
    let mut length = 0;
    if let Some(path) = path.filter(|_| files.resume) {
        let resume = if args.json { resume_json } else { resume_pgn };
        length = resume(args, path, &earlier.text, &input, &mut finished)?;
    }
    let out = earlier.keep(length)?;
    let mut writer = GameOutput {
        args,
        out,
        finished: finished.len(),
        interrupted: None,
        reviews: html.map(|_| reviews_of(&finished, &input.games)).transpose()?,
    };
    let review = |index: usize, analyses| Review {
        number: input.games[index].number,
        game: input.games[index].game.clone(),
        analyses,
        losses: Vec::new(),
    };
    let all = count(input.games.len(), "game");
    let entries = input.games.iter().map(|numbered| &numbered.game);
    let entries = entries.map(|game| Some((&game.start, &game.main_line.moves[..])));
    let result = batch::search(
        &entries.collect::<Vec<_>>(),
        finished.len(),
        &searches,
        |index, analyses| writer.write(review(index, analyses), &searches.stop),
        |games| Some(format!("{games} of {all}")),
    );
    let result = result.and_then(|(index, analyses)| match writer.interrupted {
        None if analyses.len() > 1 => writer.write_interrupted(review(index, analyses)),
        _ => Ok(()),
    });
    let page_written = match (&mut page_file, &writer.reviews) {
        (Some(file), Some(reviews)) if !reviews.is_empty() => file.write(page(reviews)),
        _ => Ok(()),
    };
    let closed = writer.out.sync();
    result?;
    page_written.and(closed)?;
    if searches.stop.is_stopped() && writer.finished < input.games.len() {
        let mut kept = "finished games are kept".to_owned();
        if let Some((number, moves)) = writer.interrupted {
            kept.push_str(&format!(", and {moves} half-moves of game {number}"));
        }
        let done = format!("{} of {all}", writer.finished);
        return Err(CliError::stopped(done, kept));
    }
    input.check(0)
}

fn refuse_conflicts(args: &AnalyseArgs) -> Result<(), CliError> {
    let files = &args.files;
    let out = files.out.as_deref();
    if let Some(html) = &files.html {
        let is_printed = out.is_none_or(is_standard) && (args.json || !files.no_search);
        if is_standard(html) && is_printed {
            return usage("--html - and the games both use standard output");
        }
        if files.resume && args.json {
            return usage("--html with --resume needs games in PGN, not --json");
        }
    }
    if files.no_search && files.html.is_none() && !args.json {
        return usage("--no-search needs --html or --json");
    }
    if files.no_search && files.out.is_some() && !args.json {
        return usage("--no-search writes no games; --out needs --json");
    }
    if files.fresh && args.json {
        return usage("--fresh is for games in PGN, not for --json");
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
    let out = args.json.then(|| WholeFile::open(path, args.files.force));
    let out = out.transpose()?;
    let mut lines = String::new();
    let (mut reviews, mut errors) = (Vec::new(), CappedErrors::default());
    for numbered in &input.games {
        match Review::from_annotations(numbered.number, &numbered.game) {
            Ok(review) => {
                if args.json {
                    lines.push_str(&game_text(args, &review)?);
                }
                reviews.push(review);
            }
            Err(error) => errors.report(&format!("error: game {}, {error}", numbered.number)),
        }
    }
    if !reviews.is_empty() {
        if let Some(mut out) = out {
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
        review.or_else(|error| failed(format!("game {number} of --out, {error}")))
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
    names: String,
}

impl GameInput {
    /// Fails if games were invalid or could not be converted.
    fn check(&self, unconverted: usize) -> Result<(), CliError> {
        match self.invalid + unconverted {
            0 => Ok(()),
            skipped => failed(format!(
                "{skipped} of {} of {} are invalid and were skipped, or were read only in part",
                count(self.count, "game"),
                self.names
            )),
        }
    }
}

/// Reads all games, and prints what is wrong with them. The games of several sources are numbered
/// as if they were one. Fails for a source that cannot be read, or has no game of a supported
/// variant.
fn read(sources: &[Source], variant: Option<Variant>) -> Result<GameInput, CliError> {
    let (mut games, mut faults) = (Vec::new(), PgnFaults::default());
    let mut count = 0;
    for source in sources {
        let first = count;
        for item in PgnReader::new(source.open()?, variant) {
            count += 1;
            if let Some(mut numbered) = faults.game(source, item)? {
                faults.warn(source, &numbered);
                numbered.number = count;
                games.push(numbered);
            }
        }
        if count == first {
            return failed(format!("{source} has no games; is it a PGN file?"));
        }
    }
    Ok(GameInput {
        invalid: faults.finish(games.len())?,
        games,
        count,
        names: source::names(sources),
    })
}

fn not_an_analysis<T>(number: usize, path: &Path, input: &GameInput) -> Result<T, CliError> {
    failed(format!(
        "game {number} of {} is not an analysis of {}; the file is unchanged",
        path.display(),
        input.names
    ))
}

/// Reads the finished games of an earlier result, and returns their length in bytes. An interrupted
/// game is searched again. Fails for a game that does not match, or that was searched with other
/// options.
fn resume_pgn(
    args: &AnalyseArgs,
    path: &Path,
    text: &str,
    input: &GameInput,
    finished: &mut Vec<PgnGame>,
) -> Result<usize, CliError> {
    let games = &input.games;
    // The tags and the moves of a game each end with a blank line and contain none.
    let blanks: Vec<usize> = text.match_indices("\n\n").map(|(index, _)| index + 2).collect();
    let count = blanks.len() / 2;
    let end = |count: usize| if count == 0 { 0 } else { blanks[2 * count - 1] };
    if count > games.len() || (count == 0 && !text.is_empty() && !text.starts_with('[')) {
        return not_an_analysis(count.min(games.len()) + 1, path, input);
    }
    let variant = games.first().map(|numbered| numbered.game.start.variant());
    let mut read = PgnReader::new(&text.as_bytes()[..end(count)], variant);
    for (index, numbered) in games[..count].iter().enumerate() {
        let old = match read.next() {
            Some(Ok(old)) if is_analysis_of(&old.game, &numbered.game) => old.game,
            _ => return not_an_analysis(index + 1, path, input),
        };
        let record = format!("game {}", index + 1);
        args.check_search(path, &record, Annotator::search_of(&old))?;
        if Annotator::is_interrupted(&old) {
            break;
        }
        finished.push(old);
    }
    Ok(end(finished.len()))
}

fn is_analysis_of(old: &PgnGame, game: &PgnGame) -> bool {
    let moves =
        |line: &PgnLine| -> Vec<Move> { line.moves.iter().map(|played| played.mv).collect() };
    Annotator::is_annotated(old)
        && old.start.same_as(&game.start)
        && moves(&old.main_line) == moves(&game.main_line)
        && old.tag("White") == game.tag("White")
        && old.tag("Black") == game.tag("Black")
}

/// Like [`resume_pgn`], for JSON lines.
fn resume_json(
    args: &AnalyseArgs,
    path: &Path,
    text: &str,
    input: &GameInput,
    finished: &mut Vec<PgnGame>,
) -> Result<usize, CliError> {
    read_lines(text, |number, line| {
        let old: Json = serde_json::from_str(line).unwrap_or_default();
        let chess960 = args.position.chess960;
        let numbered = input.games.get(number - 1);
        let Some(numbered) = numbered.filter(|game| matches_json(&old, game, chess960)) else {
            return not_an_analysis(number, path, input);
        };
        let search = old["search"].as_str().unwrap_or_default();
        args.check_search(path, &format!("game {number}"), search)?;
        let is_finished = old["interrupted"] != true;
        if is_finished {
            finished.push(numbered.game.clone());
        }
        Ok(is_finished)
    })
}

/// The text of a review, in PGN or as a line of JSON.
fn game_text(args: &AnalyseArgs, review: &Review) -> io::Result<String> {
    if args.json {
        return json_line(&JsonGame::new(
            review,
            args.position.style(&review.game.start).with_white(args.white),
            args.search_options(),
        ));
    }
    let annotator = Annotator { fresh: args.files.fresh, search: args.search_options() };
    Ok(annotator.annotate(review).to_pgn())
}

/// Writes the games as they are analysed.
struct GameOutput<'a> {
    args: &'a AnalyseArgs,
    out: AppendFile,
    /// The games for the page; `None` without `--html`.
    reviews: Option<Vec<Review>>,
    finished: usize,
    /// The number of the game that was interrupted, and its moves that are written.
    interrupted: Option<(usize, usize)>,
}

impl GameOutput<'_> {
    fn write(&mut self, mut review: Review, stop: &Control) -> Result<(), CliError> {
        if self.interrupted.is_some() {
            return Ok(());
        }
        let solves = self.args.files.solve_blunders;
        review.prove_bad_moves(solves.then_some(stop))?;
        if solves && stop.is_stopped() && review.analyses.len() > 1 {
            // Resumed, it is proved.
            review.analyses.pop();
            return self.write_interrupted(review);
        }
        self.out.append(&game_text(self.args, &review)?)?;
        self.finished += 1;
        if let Some(reviews) = &mut self.reviews {
            reviews.push(review);
        }
        Ok(())
    }

    /// Writes a game whose last moves have not been analysed. The page ends it before them.
    fn write_interrupted(&mut self, mut review: Review) -> Result<(), CliError> {
        let moves = review.analyses.len() - 1;
        self.out.append(&game_text(self.args, &review)?)?;
        self.interrupted = Some((review.number, moves));
        if let Some(reviews) = &mut self.reviews {
            review.game.main_line.moves.truncate(moves);
            reviews.push(review);
        }
        Ok(())
    }
}
