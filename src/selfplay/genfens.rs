//! `genfens N seed S book None|FILE [chess960] [nocheckatomic]`: start positions for distributed
//! generation of training games.
//! Invariant: equal arguments give equal positions, all distinct and none of them decided.

use std::collections::HashSet;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use super::opening_generator::{OpeningCriteria, OpeningGenerator, OpeningSource};
use super::openings::{self, OpeningVariant};
use crate::notation::fen::{self, CastlingStyle};
use crate::rules::Variant;

/// Nodes of the search that evaluates a candidate; few, to keep the delay short.
const NODES: u64 = 1_000;
/// The greatest absolute score of a position in internal units.
const MAX_SCORE: i32 = 100;
/// Least and greatest number of random plies from a start position.
const RANDOM_PLIES: (usize, usize) = (6, 10);
/// Least and greatest number of random plies from a book position.
const BOOK_RANDOM_PLIES: (usize, usize) = (2, 4);
/// Candidates per batch; the positions of a batch are printed together.
const BATCH: u64 = 16;

#[derive(Debug, Default)]
struct GenfensRequest {
    count: usize,
    seed: u64,
    book: Option<String>,
    chess960: bool,
    variant: Variant,
}

/// Runs the UCI command `genfens`; it can be stopped after any batch.
pub fn genfens(
    arguments: &[String],
    is_stopped: &dyn Fn() -> bool,
    print: &dyn Fn(&str),
) -> Result<(), GenfensError> {
    let request = GenfensRequest::parse(arguments)?;
    let style = if request.chess960 { CastlingStyle::Shredder } else { CastlingStyle::XFen };
    let stop = Arc::default();
    let mut generator =
        OpeningGenerator::new(request.criteria(print)?, 1, 0, HashSet::new(), stop)?;
    let mut missing = request.count;
    while missing > 0 {
        let openings = generator.next_batch(BATCH)?;
        for opening in openings.iter().take(missing) {
            let fen = fen::write(&opening.position, style);
            print(&format!("info string genfens {fen}"));
            missing -= 1;
        }
        if is_stopped() {
            return Err("stopped".into());
        }
        if generator.is_exhausted() {
            return Err(format!("no more balanced positions, {missing} are missing").into());
        }
    }
    Ok(())
}

/// The session shows only the text of an error.
type GenfensError = Box<dyn Error + Send + Sync>;

impl GenfensRequest {
    fn parse(words: &[String]) -> Result<GenfensRequest, GenfensError> {
        let number = |what, text: Option<&String>| {
            let text = text.ok_or_else(|| format!("the {what} is missing"))?;
            let number = text.parse::<u64>();
            number.map_err(|_| format!("{text:?} is not a {what}"))
        };
        let count = number("count", words.first())?;
        let mut request = GenfensRequest {
            count: usize::try_from(count).unwrap_or(usize::MAX),
            ..GenfensRequest::default()
        };
        let mut rest = words.iter().skip(1);
        while let Some(word) = rest.next() {
            match word.to_ascii_lowercase().as_str() {
                "seed" => request.seed = number("seed", rest.next())?,
                "book" => {
                    let book = rest.next().ok_or("the book is missing")?;
                    request.book = (!book.eq_ignore_ascii_case("none")).then(|| book.clone());
                }
                "chess960" => request.chess960 = true,
                name => {
                    let variant = Variant::from_name(name);
                    request.variant =
                        variant.ok_or_else(|| format!("unknown argument {word:?}"))?;
                }
            }
        }
        if request.chess960 && request.book.is_some() {
            return Err("chess960 and a book exclude each other".into());
        }
        Ok(request)
    }

    fn criteria(&self, print: &dyn Fn(&str)) -> Result<OpeningCriteria, GenfensError> {
        let (start, plies) = match &self.book {
            Some(book) => {
                let variant = OpeningVariant::Tagged(self.variant);
                let mut warn = |text| print(&format!("info string {text}"));
                let positions = openings::read(Path::new(book), variant, None, &mut warn)?;
                (OpeningSource::Book(positions), BOOK_RANDOM_PLIES)
            }
            None if self.chess960 => (OpeningSource::Chess960, RANDOM_PLIES),
            None => (OpeningSource::StartPos, RANDOM_PLIES),
        };
        Ok(OpeningCriteria {
            variant: self.variant,
            start,
            plies,
            nodes: NODES,
            window: (-MAX_SCORE, MAX_SCORE),
            seed: self.seed,
        })
    }
}
