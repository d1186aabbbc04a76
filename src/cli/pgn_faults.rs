//! What commands say about games in PGN that they cannot read.
//! Invariant: games of other variants are counted, everything else is named.

use std::collections::BTreeMap;

use super::{CappedErrors, CliError, Source, failed, print_warning};
use crate::notation::pgn::{NumberedGame, PgnError, PgnErrorKind};
use crate::util::count;

/// The faults of the games read so far.
#[derive(Default)]
pub struct PgnFaults {
    errors: CappedErrors,
    warnings: CappedErrors,
    /// The number of games by variant; games without the tag have an empty name.
    others: BTreeMap<String, usize>,
}

impl PgnFaults {
    /// The game of an item of a reader, or the part of it that was read. Errors are printed or
    /// counted; only a stream that cannot be read ends the work.
    pub fn game(
        &mut self,
        source: &Source,
        item: Result<NumberedGame, PgnError>,
    ) -> Result<Option<NumberedGame>, CliError> {
        let mut error = match item {
            Ok(numbered) => return Ok(Some(numbered)),
            Err(PgnError::Io(error)) => return Err(source.read_error(&error)),
            Err(PgnError::Game(error)) => error,
        };
        let kept = error.kept.take();
        match &error.kind {
            PgnErrorKind::NoVariant => self.skip_variant(""),
            PgnErrorKind::UnsupportedVariant(name) => self.skip_variant(name),
            _ => {
                let end = kept.as_ref().map_or("", |_| "; the moves before are kept");
                self.errors.report(&format!("error: {source}: {error}{end}"));
            }
        }
        Ok(kept)
    }

    pub fn skip_variant(&mut self, name: &str) {
        *self.others.entry(name.to_owned()).or_default() += 1;
    }

    /// Prints or counts the warnings about a game.
    pub fn warn(&mut self, source: &Source, numbered: &NumberedGame) {
        for warning in &numbered.warnings {
            let text = format!("warning: {source}: game {}, {warning}", numbered.number);
            self.warnings.report(&text);
        }
    }

    /// True if a game was not read, or only in part.
    pub fn any(&self) -> bool {
        self.errors.count() > 0 || !self.others.is_empty()
    }

    /// Prints what was counted, and returns the number of errors. Fails if nothing is wrong but
    /// that all games are of other variants: none of them was `used`.
    pub fn finish(self, used: usize) -> Result<usize, CliError> {
        self.warnings.finish();
        for (name, number) in &self.others {
            let games = count(*number, "game");
            match name.as_str() {
                "" => print_warning(format_args!(
                    "{games} without the tag Variant skipped; --variant atomic reads them as atomic"
                )),
                name => print_warning(format_args!("{games} of {name} skipped")),
            }
        }
        let errors = self.errors.finish();
        if used == 0 && errors == 0 && !self.others.is_empty() {
            return failed(
                "no game has the tag Variant of atomic chess; --variant atomic reads all games as \
                 atomic",
            );
        }
        Ok(errors)
    }
}

/// Fails if games were invalid, after the work on the others.
pub fn refuse_invalid(invalid: usize) -> Result<(), CliError> {
    match invalid {
        0 => Ok(()),
        _ => failed(format!("{} skipped as invalid, or read only in part", count(invalid, "game"))),
    }
}
