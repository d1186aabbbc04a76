//! What commands say about games in PGN that they cannot read.
//! Invariant: games of other variants are counted, everything else is named.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;

use super::output::{CappedErrors, print_warning};
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
    /// Prints or counts an error, and returns the part of the game that was read.
    ///
    /// # Errors
    /// The stream failed.
    pub fn report(
        &mut self,
        source: impl Display,
        error: PgnError,
    ) -> io::Result<Option<NumberedGame>> {
        let mut error = match error {
            PgnError::Io(error) => return Err(error),
            PgnError::Game(error) => error,
        };
        let kept = error.kept.take();
        match &error.kind {
            PgnErrorKind::NoVariant => self.skip_variant(""),
            PgnErrorKind::UnsupportedVariant(name) => self.skip_variant(name),
            _ if kept.is_some() => {
                self.error(format_args!("{source}: {error}; the moves before are kept"));
            }
            _ => self.error(format_args!("{source}: {error}")),
        }
        Ok(kept)
    }

    /// Counts a game of another variant.
    pub fn skip_variant(&mut self, name: &str) {
        *self.others.entry(name.to_owned()).or_default() += 1;
    }

    /// Prints or counts an error.
    pub fn error(&mut self, text: impl Display) {
        self.errors.report(&format!("error: {text}"));
    }

    /// Prints or counts the warnings about a game.
    pub fn warn(&mut self, source: impl Display, numbered: &NumberedGame) {
        for warning in &numbered.warnings {
            let text = format!("warning: {source}: game {}, {warning}", numbered.number);
            self.warnings.report(&text);
        }
    }

    /// True if a game was not read, or only in part.
    pub fn any(&self) -> bool {
        self.errors.count() > 0 || !self.others.is_empty()
    }

    /// Prints what was counted, and returns the number of errors.
    ///
    /// # Errors
    /// All games are of other variants: `used` is 0 and nothing else is wrong.
    pub fn finish(self, used: usize) -> Result<usize, super::CliError> {
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
            let text = "no game has the tag Variant of atomic chess; --variant atomic reads all \
                        games as atomic";
            return Err(super::CliError::Failed(text.to_owned()));
        }
        Ok(errors)
    }
}
