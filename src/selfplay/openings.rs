//! Openings from files (positions in EPD or FEN, the final positions of PGN games) and by random
//! play.
//! Invariant: no opening is a finished game.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::data;
use crate::eval;
use crate::notation::epd::{self, EpdError};
use crate::notation::pgn::{self, PgnError, PgnReader};
use crate::rules::{Position, Variant};
use crate::util::{self, Lines};

/// The largest file of openings in bytes.
const MAX_FILE_SIZE: u64 = 1 << 30;

#[derive(Debug, Error)]
#[error("{path}: {kind}", path = path.display())]
pub struct OpeningFileError {
    pub path: PathBuf,
    #[source]
    pub kind: OpeningErrorKind,
}

/// What is wrong with a file of openings. Lines and games are counted from 1.
#[derive(Debug, Error)]
pub enum OpeningErrorKind {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("line {0}: {1}")]
    Line(usize, #[source] EpdError),
    #[error("line {0}: the game is over")]
    FinishedLine(usize),
    #[error(transparent)]
    Pgn(#[from] PgnError),
    #[error("game {0}: the variant is {1}")]
    OtherVariant(usize, Variant),
    #[error("game {0}: the game is over")]
    FinishedGame(usize),
    #[error("no openings")]
    Empty,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpeningVariant {
    /// It was given explicitly; the Variant tags of games in PGN are ignored.
    Given(Variant),
    /// Every game in PGN must have its tag.
    Tagged(Variant),
}

impl From<Option<Variant>> for OpeningVariant {
    fn from(given: Option<Variant>) -> OpeningVariant {
        match given {
            Some(variant) => OpeningVariant::Given(variant),
            None => OpeningVariant::Tagged(Variant::default()),
        }
    }
}

/// Reads openings from a file, or from standard input for `-`: PGN if its name ends with `.pgn`,
/// otherwise one FEN or EPD per line. Blank lines and lines that start with `#` are skipped. At most
/// `plies` moves of a game are played. `warn` receives what was ignored or filled in.
pub fn read(
    path: &Path,
    variant: OpeningVariant,
    plies: Option<usize>,
    warn: &mut dyn FnMut(String),
) -> Result<Vec<Position>, OpeningFileError> {
    read_openings(path, variant, plies, warn)
        .map_err(|kind| OpeningFileError { path: path.to_owned(), kind })
}

fn read_openings(
    path: &Path,
    variant: OpeningVariant,
    plies: Option<usize>,
    warn: &mut dyn FnMut(String),
) -> Result<Vec<Position>, OpeningErrorKind> {
    let bytes = if path == Path::new("-") {
        util::read_bounded(io::stdin(), MAX_FILE_SIZE)?
    } else {
        let text = data::expect_text(File::open(path)?)?;
        util::read_bounded(text, MAX_FILE_SIZE)?
    };
    let openings = match path.extension() {
        Some(ending) if ending.eq_ignore_ascii_case("pgn") => {
            from_pgn(&bytes, variant, plies, warn)?
        }
        _ => {
            let (OpeningVariant::Given(variant) | OpeningVariant::Tagged(variant)) = variant;
            from_lines(&bytes, variant, warn)?
        }
    };
    if openings.is_empty() { Err(OpeningErrorKind::Empty) } else { Ok(openings) }
}

fn from_lines(
    bytes: &[u8],
    variant: Variant,
    warn: &mut dyn FnMut(String),
) -> Result<Vec<Position>, OpeningErrorKind> {
    let mut openings = Vec::new();
    for (index, line) in Lines::new(bytes).enumerate() {
        let number = index + 1;
        let epd = epd::parse_line(&pgn::decode(&line?), variant);
        if let Some(epd) = epd.map_err(|error| OpeningErrorKind::Line(number, error))? {
            for warning in &epd.warnings {
                warn(format!("line {number}: {warning}"));
            }
            let pos = unfinished(epd.pos);
            openings.push(pos.ok_or(OpeningErrorKind::FinishedLine(number))?);
        }
    }
    Ok(openings)
}

fn unfinished(pos: Position) -> Option<Position> {
    pos.outcome_by_rule().is_none().then_some(pos)
}

/// The positions of the games after `plies` moves, or at their ends.
fn from_pgn(
    bytes: &[u8],
    variant: OpeningVariant,
    plies: Option<usize>,
    warn: &mut dyn FnMut(String),
) -> Result<Vec<Position>, OpeningErrorKind> {
    let mut openings = Vec::new();
    let (variant, given) = match variant {
        OpeningVariant::Given(variant) => (variant, Some(variant)),
        OpeningVariant::Tagged(variant) => (variant, None),
    };
    for item in PgnReader::new(bytes, given) {
        let mut numbered = item?;
        for warning in &numbered.warnings {
            warn(format!("game {}: {warning}", numbered.number));
        }
        let found = numbered.game.start.variant();
        if found != variant {
            return Err(OpeningErrorKind::OtherVariant(numbered.number, found));
        }
        let moves = &mut numbered.game.main_line.moves;
        moves.truncate(plies.unwrap_or(moves.len()));
        let pos = unfinished(numbered.game.end().without_history());
        openings.push(pos.ok_or(OpeningErrorKind::FinishedGame(numbered.number))?);
    }
    Ok(openings)
}

/// Plays `plies` random legal moves from `pos`, none of which lets the opponent win in one.
/// `None` if there is no such move or the fifty-move rule ends the game: two kings would otherwise
/// move on for any number of plies. The moves are in the history of the result.
pub fn random_playout(
    mut pos: Position,
    plies: usize,
    rng: &mut fastrand::Rng,
) -> Option<Position> {
    for _ in 0..plies {
        if pos.halfmove_clock() >= 100 {
            return None;
        }
        let mut moves = pos.legal_moves();
        rng.shuffle(&mut moves);
        let safe = moves.into_iter().find(|&mv| {
            pos.make(mv);
            let safe = eval::has_both_kings(&pos) && pos.win_in_one().is_none();
            pos.unmake();
            safe
        })?;
        pos.make(safe);
    }
    Some(pos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen::{self, CastlingStyle};

    #[test]
    fn epd_fen_and_comments_are_read() {
        let text = "# openings\n\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n\
            rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq e3 1 1\n\
            rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - bm e5; id \"x\";\n";
        let mut warnings = Vec::new();
        let mut lines = |text: &str| {
            let mut warn = |text| warnings.push(text);
            from_lines(text.as_bytes(), Variant::Atomic, &mut warn)
        };
        let openings = lines(text).unwrap();
        assert_eq!((openings.len(), openings[1].halfmove_clock()), (3, 1));
        let over = ["8/8/4k3/8/8/8/8/8 w - -", "4k3/8/8/8/8/8/8/4K3 w - -"];
        for bad in over.into_iter().chain(["8/8 w - -"]) {
            let error = lines(bad).unwrap_err();
            assert!(error.to_string().starts_with("line 1:"), "{error}");
        }
        assert!(warnings[0].starts_with("line 4: FEN, "), "{warnings:?}");
        assert_eq!(warnings.len(), 1);
    }

    fn pgn(text: &str, variant: OpeningVariant) -> Result<Vec<String>, OpeningErrorKind> {
        let openings = from_pgn(text.as_bytes(), variant, None, &mut |_| {})?;
        let texts = openings.iter().map(|pos| fen::write(pos, CastlingStyle::XFen));
        Ok(texts.collect())
    }

    #[test]
    fn the_final_positions_of_pgn_games_are_read() {
        let variants = [OpeningVariant::Given, OpeningVariant::Tagged];
        let [given, tagged] = variants.map(|variant| variant(Variant::Atomic));
        let text = "[Variant \"Atomic\"]\n\n1. Nf3 (1. e4 e5) f6 { a comment } 2. Nd4 *\n\n\
            [FEN \"8/8/8/8/8/8/Q4k2/K6R w - - 0 1\"]\n\n1. Rh8 1-0\n";
        let expected = [
            "rnbqkbnr/ppppp1pp/5p2/8/3N4/8/PPPPPPPP/RNBQKB1R b KQkq - 1 2",
            "7R/8/8/8/8/8/Q4k2/K7 b - - 1 1",
        ];
        assert_eq!(pgn(text, given).unwrap(), expected);
        let other = "[Variant \"NoCheckAtomic\"]\n\n1. Nf3 *";
        for (text, variant, why) in [
            ("1. Nf3 Nf4 *", given, "Nf4"),
            ("1. Nf3 *", tagged, "without the tag Variant"),
            (other, tagged, "game 1: the variant is nocheckatomic"),
        ] {
            let error = pgn(text, variant).unwrap_err().to_string();
            let is_named = error.starts_with("game 1") && error.contains(why);
            assert!(is_named, "{error}");
        }
    }
}
