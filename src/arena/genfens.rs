//! `genfens N seed S book None|FILE [chess960] [nocheckatomic]`: starting positions for
//! frameworks that spread the making of training games over many machines.
//! Invariant: the same words give the same positions, all different and none of them decided.

use std::collections::HashSet;
use std::path::Path;

use super::openings;
use super::select::{OpeningCriteria, OpeningGenerator, OpeningSource};
use crate::notation::fen::{self, CastlingStyle};
use crate::rules::Variant;

/// Nodes of the search that judges a candidate: few, for the next position is waited for.
const NODES: u64 = 1_000;
/// The search's value may be so far from even, in centipawns.
const MAX_SCORE: i32 = 100;
/// Fewest and most random moves from a start position, and from a position of a book.
const RANDOM_PLIES: (usize, usize) = (6, 10);
const BOOK_RANDOM_PLIES: (usize, usize) = (2, 4);
/// Candidates judged before the positions kept of them are printed.
const BATCH: u64 = 16;
/// So many candidates in a row without a single new position: there are no more.
const MAX_REJECTED: u64 = 20_000;

/// What is asked for.
#[derive(Debug)]
struct GenfensRequest {
    count: usize,
    seed: u64,
    book: Option<String>,
    chess960: bool,
    variant: Variant,
}

/// The command `genfens` of a UCI session; stops between two batches of candidates.
///
/// # Errors
/// Words that are not understood, a book that cannot be read, no more positions to be found,
/// or that it was stopped.
pub fn genfens(
    arguments: &[String],
    is_stopped: &dyn Fn() -> bool,
    say: &dyn Fn(&str),
) -> Result<(), String> {
    let order = GenfensRequest::read(arguments)?;
    let style = if order.chess960 {
        CastlingStyle::Shredder
    } else {
        CastlingStyle::XFen
    };
    let mut generator = OpeningGenerator::new(order.criteria()?, 1, 0, HashSet::new())
        .map_err(|error| error.to_string())?;
    let (mut left, mut last) = (order.count, 0);
    while left > 0 {
        for opening in generator
            .batch_of(BATCH)
            .map_err(|error| error.to_string())?
            .iter().take(left) {
            say(&format!(
                "info string genfens {}",
                fen::write(&opening.position, style)
            ));
            left -= 1;
            last = generator.candidates();
        }
        if is_stopped() {
            return Err("stopped".to_owned());
        }
        if generator.candidates() - last > MAX_REJECTED {
            return Err(format!(
                "no more even positions to be found, {left} are missing"
            ));
        }
    }
    Ok(())
}

impl GenfensRequest {
    fn read(words: &[String]) -> Result<GenfensRequest, String> {
        let number = |what: &str, text: Option<&String>| {
            let text = text.ok_or_else(|| format!("the {what} is missing"))?;
            text.parse::<u64>()
                .map_err(|_| format!("{text:?} is no {what}"))
        };
        let count = number("count", words.first())?;
        let mut order = GenfensRequest {
            count: usize::try_from(count).unwrap_or(usize::MAX),
            seed: 0,
            book: None,
            chess960: false,
            variant: Variant::default(),
        };
        let mut rest = words.iter().skip(1);
        while let Some(word) = rest.next() {
            match word.to_ascii_lowercase().as_str() {
                "seed" => order.seed = number("seed", rest.next())?,
                "book" => {
                    let book = rest.next().ok_or("the book is missing")?;
                    order.book = (!book.eq_ignore_ascii_case("none")).then(|| book.clone());
                }
                "chess960" => order.chess960 = true,
                name => {
                    let known = Variant::from_name(name);
                    order.variant = known.ok_or_else(|| format!("{word:?} is not understood"))?;
                }
            }
        }
        if order.chess960 && order.book.is_some() {
            return Err("chess960 goes without a book".to_owned());
        }
        Ok(order)
    }

    fn criteria(&self) -> Result<OpeningCriteria, String> {
        let (start, plies) = match &self.book {
            Some(book) => {
                let positions = openings::read(Path::new(book), self.variant)?;
                (OpeningSource::Book(positions), BOOK_RANDOM_PLIES)
            }
            None if self.chess960 => (OpeningSource::Chess960, RANDOM_PLIES),
            None => (OpeningSource::Usual, RANDOM_PLIES),
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
