//! The options of the engine, and how they are set. One table has the name, type, range, getter
//! and setter of each; the default is the value in [`UciOptions::default`]. Nothing here does
//! input or output, so the match runner applies `option.X=Y` to an engine in the same process.
//! Invariant: a rejected value leaves the options and the engine unchanged.

mod table;

use thiserror::Error;

use super::{Engine, EngineError};
use crate::host;
use crate::notation::fen::{self, CastlingStyle, FenError};
#[cfg(feature = "tune")]
use crate::search::PARAMS;
use crate::util::shorten;
#[cfg_attr(not(feature = "uci"), expect(unused_imports))]
pub(crate) use table::{EMPTY, LOG_FILE};
use table::{ENGINE_OPTIONS, FILE_OPTIONS, GAME_OPTIONS};
pub use table::{OptionType, UciOption, UciOptions};

/// All options in table order, without those that need files where there are none.
///
/// # Examples
/// ```
/// use brisance::engine::options::{self, OptionType, UciOptions};
///
/// let hash = options::all().find(|option| option.name == "Hash").unwrap();
/// let OptionType::Spin { min, max, get, .. } = hash.option_type else { panic!() };
/// assert_eq!((min, max, get(&UciOptions::default())), (1, 1 << 20, 16));
/// ```
pub fn all() -> impl Iterator<Item = UciOption> {
    let files = if host::HAS_FILES { FILE_OPTIONS } else { &[] };
    rows(files)
}

fn rows(files: &'static [UciOption]) -> impl Iterator<Item = UciOption> {
    let rows = [ENGINE_OPTIONS, files, GAME_OPTIONS].into_iter().flatten().copied();
    #[cfg(feature = "tune")]
    let rows = rows.chain(
        PARAMS
            .iter()
            .map(|param| UciOption { name: param.name, option_type: OptionType::Param(param) }),
    );
    rows
}

fn find(name: &str) -> Result<UciOption, OptionError> {
    rows(FILE_OPTIONS)
        .find(|option| option.name.eq_ignore_ascii_case(name.trim()))
        .ok_or_else(|| OptionError::UnknownName(shorten(name)))
}

/// Why an option was not set.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum OptionError {
    #[error("unknown option {0:?}")]
    UnknownName(String),
    #[error("{name} {value:?} {reason}")]
    InvalidValue {
        name: &'static str,
        /// The value, shortened if it is long.
        value: String,
        /// What is wrong with the value, as a predicate.
        reason: String,
    },
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The position is not valid under the new variant.
    #[error(transparent)]
    Position(#[from] FenError),
}

/// Sets one option in `state`. Names and combo values are case-insensitive.
///
/// # Errors
/// An unknown option or an invalid value; `state` is unchanged.
pub fn set(state: &mut UciOptions, name: &str, value: Option<&str>) -> Result<(), OptionError> {
    find(name)?.set(state, value)
}

/// Sets one option in `state` and updates `engine` accordingly.
///
/// Changing the variant clears the TT and reloads the position under the new rules. The board,
/// castling rights and clocks are kept; the move history is lost.
///
/// # Errors
/// An unknown option, an invalid value, or a file or allocation that the new value needs and
/// that fails; `state` and `engine` are unchanged.
pub fn apply(
    engine: &mut Engine,
    state: &mut UciOptions,
    name: &str,
    value: Option<&str>,
) -> Result<(), OptionError> {
    let option = find(name)?;
    let mut new = state.clone();
    option.set(&mut new, value)?;
    if let OptionType::Button(press) = option.option_type {
        press(engine);
    }
    if new.settings != state.settings {
        engine.configure(new.settings.clone())?;
    }
    if new.variant != state.variant {
        let text = fen::write(engine.position(), CastlingStyle::XFen);
        engine.set_position(fen::parse(&text, new.variant)?);
        // Keys do not depend on the variant, but scores do.
        engine.clear();
    }
    *state = new;
    Ok(())
}

impl UciOption {
    fn set(&self, state: &mut UciOptions, value: Option<&str>) -> Result<(), OptionError> {
        let text = value.map(str::trim).unwrap_or_default();
        self.try_set(state, text).map_err(|reason| OptionError::InvalidValue {
            name: self.name,
            value: shorten(text),
            reason,
        })
    }

    /// Sets the option, or returns what is wrong with the value.
    fn try_set(&self, state: &mut UciOptions, text: &str) -> Result<(), String> {
        match self.option_type {
            OptionType::Button(_) => {}
            OptionType::Text { set, .. } => set(state, if text == EMPTY { "" } else { text }),
            OptionType::Check { set, .. } => match text.to_ascii_lowercase().parse() {
                Ok(value) => set(state, value),
                Err(_) => return Err("is neither true nor false".to_owned()),
            },
            OptionType::Spin { min, max, set, .. } => match text.parse() {
                Ok(number) if (min..=max).contains(&number) => set(state, number),
                _ => return Err(format!("is not a whole number from {min} to {max}")),
            },
            OptionType::Combo { choices, set, .. } => {
                let choice = choices.iter().find(|choice| choice.eq_ignore_ascii_case(text));
                let invalid = || format!("is not one of {}", choices.join(", "));
                set(state, choice.ok_or_else(invalid)?);
            }
            #[cfg(feature = "tune")]
            OptionType::Param(param) => {
                let number = text.parse().map_err(|_| "is not a number".to_owned())?;
                let result = state.settings.tuning.set(param.name, number);
                result.map_err(|error| format!("is invalid: {error}"))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    #[test]
    fn defaults_are_valid_and_case_does_not_matter() {
        let defaults = UciOptions::default();
        for option in all() {
            let default = match option.option_type {
                OptionType::Check { get, .. } => get(&defaults).to_string().to_uppercase(),
                OptionType::Spin { get, .. } => format!(" {} ", get(&defaults)),
                OptionType::Combo { get, .. } => get(&defaults).to_uppercase(),
                OptionType::Text { get, .. } => get(&defaults),
                _ => continue,
            };
            let mut state = UciOptions::default();
            set(&mut state, &option.name.to_uppercase(), Some(&default)).expect("valid");
            assert_eq!(state, defaults, "{}", option.name);
        }
    }

    #[test]
    fn changing_the_variant_reloads_the_position() {
        let (mut engine, mut state) = (Engine::default(), UciOptions::default());
        let rook_end = "4k2r/8/8/8/8/8/8/R3K3 b Qk - 7 31";
        engine.set_position(fen::parse(rook_end, Variant::Atomic).unwrap());
        let value = Some("NOCHECKATOMIC");
        apply(&mut engine, &mut state, "UCI_Variant", value).unwrap();
        assert_eq!(engine.position().variant(), Variant::NoCheckAtomic);
        assert_eq!(fen::write(engine.position(), CastlingStyle::XFen), rook_end);
        assert!(apply(&mut engine, &mut state, "UCI_Variant", Some("chess")).is_err());
        assert_eq!(engine.position().variant(), Variant::NoCheckAtomic);
    }
}
