//! The table of engine options: name, type, range, getter and setter of each. An option's
//! default is the value in [`UciOptions::default`]. Nothing here does input or output, so the
//! match runner applies `option.X=Y` to an engine in the same process.
//! Invariant: a rejected value leaves the options and the engine unchanged.

mod state;
mod table;

use thiserror::Error;

use super::{Engine, EngineError};
use crate::host;
use crate::notation::fen::{self, CastlingStyle, FenError};
use crate::rules::Variant;
#[cfg(feature = "tune")]
use crate::search::{PARAMS, ParamError};
use crate::util::shorten;
pub use state::{OptionEffect, UciOptions};
#[cfg(feature = "uci")]
pub(crate) use table::LOG_FILE;
use table::{EMPTY, NEED_FILES, OPTIONS, OptionAccess, OptionSpec};

/// The type of an option with its default and, for numbers and choices, its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionType {
    /// `true` or `false`.
    Check {
        /// The value of a new engine.
        default: bool,
    },
    /// A whole number from `min` to `max`.
    Spin {
        /// The value of a new engine.
        default: i64,
        /// The least valid value.
        min: i64,
        /// The greatest valid value.
        max: i64,
    },
    /// One of several words.
    Combo {
        /// The value of a new engine.
        default: &'static str,
        /// All valid values.
        choices: &'static [&'static str],
    },
    /// Any text, such as a path.
    Text {
        /// The value of a new engine; `<empty>` if it has none.
        default: String,
    },
    /// A command without a value.
    Button,
}

/// The name and type of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionInfo {
    /// The name, as a GUI displays it.
    pub name: &'static str,
    /// The type with its default and range.
    pub option_type: OptionType,
}

/// All options in table order, without those that need files where there are none.
///
/// # Examples
/// ```
/// use brisance::engine::options::{self, OptionType};
///
/// let hash = options::all().into_iter().find(|option| option.name == "Hash").unwrap();
/// assert_eq!(hash.option_type, OptionType::Spin { default: 16, min: 1, max: 1 << 20 });
/// ```
pub fn all() -> Vec<OptionInfo> {
    let defaults = UciOptions::default();
    let rows = OPTIONS
        .iter()
        .filter(|row| host::HAS_FILES || !NEED_FILES.contains(&row.name));
    let rows = rows.map(|row| row.info(&defaults));
    #[cfg(feature = "tune")]
    let rows = rows.chain(PARAMS.iter().map(|param| OptionInfo {
        name: param.name,
        option_type: OptionType::Spin {
            default: param.default.into(),
            min: param.min.into(),
            max: param.max.into(),
        },
    }));
    rows.collect()
}

/// Why an option was not set.
#[derive(Debug, Error)]
pub enum OptionError {
    /// No option has this name.
    #[error("unknown option {0:?}")]
    UnknownName(String),
    /// The value is invalid.
    #[error("{name} {value:?} {problem}")]
    InvalidValue {
        /// The option.
        name: String,
        /// The value, shortened if it is long.
        value: String,
        /// What is wrong with it.
        problem: OptionProblem,
    },
    /// The engine cannot be configured as requested.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The position is not valid under the new variant.
    #[error(transparent)]
    Position(#[from] FenError),
}

/// What is wrong with the value of an option.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionProblem {
    /// A check option takes true and false.
    #[error("is neither true nor false")]
    NotABool,
    /// A spin option takes the whole numbers between these.
    #[error("is not a whole number from {0} to {1}")]
    OutOfRange(i64, i64),
    /// A combo option takes one of these.
    #[error("is not one of {}", .0.join(", "))]
    NotAChoice(&'static [&'static str]),
    /// A search parameter takes numbers.
    #[cfg(feature = "tune")]
    #[error("is not a number")]
    NotANumber,
    /// The search parameter does not have this value.
    #[cfg(feature = "tune")]
    #[error("is invalid: {0}")]
    Param(#[from] ParamError),
}

/// Sets one option in `state`. Names and combo values are case-insensitive.
///
/// # Errors
/// An unknown option or an invalid value; `state` is unchanged.
pub fn set(
    state: &mut UciOptions,
    name: &str,
    value: Option<&str>,
) -> Result<OptionEffect, OptionError> {
    #[cfg(feature = "tune")]
    if PARAMS
        .iter()
        .any(|param| param.name.eq_ignore_ascii_case(name.trim()))
    {
        let invalid = |problem: OptionProblem| OptionError::InvalidValue {
            name: name.trim().to_owned(),
            value: shorten(value.unwrap_or("")),
            problem,
        };
        let number = value.unwrap_or("").trim().parse();
        let number = number.map_err(|_| invalid(OptionProblem::NotANumber))?;
        let result = state.settings.tuning.set(name.trim(), number);
        result.map_err(|error| invalid(error.into()))?;
        return Ok(OptionEffect::Configure);
    }
    let row = OPTIONS
        .iter()
        .find(|row| row.name.eq_ignore_ascii_case(name.trim()))
        .ok_or_else(|| OptionError::UnknownName(shorten(name)))?;
    row.set(state, value.map(str::trim))?;
    Ok(row.effect)
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
    let before = state.clone();
    let effect = set(state, name, value)?;
    let result = match effect {
        OptionEffect::Configure if state.settings != before.settings => engine
            .configure(state.settings.clone())
            .map_err(OptionError::from),
        OptionEffect::Clear => {
            engine.clear();
            Ok(())
        }
        OptionEffect::Variant if state.variant != before.variant => {
            change_variant(engine, state.variant)
        }
        _ => Ok(()),
    };
    if result.is_err() {
        *state = before;
    }
    result
}

fn change_variant(engine: &mut Engine, variant: Variant) -> Result<(), OptionError> {
    let text = fen::write(engine.position(), CastlingStyle::XFen);
    let position = fen::parse(&text, variant)?;
    engine.set_position(position);
    // Keys do not depend on the variant, but scores do.
    engine.clear();
    Ok(())
}

impl OptionSpec {
    fn info(&self, defaults: &UciOptions) -> OptionInfo {
        let option_type = match self.access {
            OptionAccess::Check { get, .. } => OptionType::Check {
                default: get(defaults),
            },
            OptionAccess::Spin { min, max, get, .. } => OptionType::Spin {
                default: get(defaults),
                min,
                max,
            },
            OptionAccess::Combo { choices, get, .. } => OptionType::Combo {
                default: get(defaults),
                choices,
            },
            OptionAccess::Text { get, .. } => OptionType::Text {
                default: match get(defaults) {
                    text if text.is_empty() => EMPTY.to_owned(),
                    text => text,
                },
            },
            OptionAccess::Button => OptionType::Button,
        };
        OptionInfo {
            name: self.name,
            option_type,
        }
    }

    fn set(&self, state: &mut UciOptions, value: Option<&str>) -> Result<(), OptionError> {
        let text = value.unwrap_or_default();
        let reject = |problem: OptionProblem| {
            Err(OptionError::InvalidValue {
                name: self.name.to_owned(),
                value: shorten(text),
                problem,
            })
        };
        match self.access {
            OptionAccess::Button => {}
            OptionAccess::Text { set, .. } => set(state, if text == EMPTY { "" } else { text }),
            OptionAccess::Check { set, .. } => match text.to_ascii_lowercase().as_str() {
                "true" => set(state, true),
                "false" => set(state, false),
                _ => return reject(OptionProblem::NotABool),
            },
            OptionAccess::Spin { min, max, set, .. } => match text.parse() {
                Ok(number) if (min..=max).contains(&number) => set(state, number),
                _ => return reject(OptionProblem::OutOfRange(min, max)),
            },
            OptionAccess::Combo { choices, set, .. } => {
                match choices
                    .iter()
                    .find(|choice| choice.eq_ignore_ascii_case(text))
                {
                    Some(choice) => set(state, choice),
                    None => return reject(OptionProblem::NotAChoice(choices)),
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_for(name: &str, value: Option<&str>) -> String {
        let mut state = UciOptions::default();
        let error = set(&mut state, name, value).unwrap_err().to_string();
        assert_eq!(state, UciOptions::default(), "{name} {value:?}");
        error
    }

    #[test]
    fn names_and_combo_values_are_case_insensitive() {
        let mut state = UciOptions::default();
        for (name, value, effect) in [
            ("hASH", Some("64"), OptionEffect::Configure),
            ("clear hash", None, OptionEffect::Clear),
            ("MOVE OVERHEAD", Some(" 250 "), OptionEffect::Configure),
            ("uci_variant", Some("NoCheckAtomic"), OptionEffect::Variant),
            ("uci_chess960", Some("TRUE"), OptionEffect::None),
        ] {
            assert_eq!(set(&mut state, name, value).expect("valid"), effect);
        }
        assert_eq!(state.settings.hash, 64);
        assert_eq!(state.settings.move_overhead, 250);
        assert_eq!(state.variant, Variant::NoCheckAtomic);
        assert!(state.chess960);
    }

    #[test]
    fn errors_quote_the_value_and_the_range() {
        for (name, value, expected) in [
            (
                "Hash",
                Some("0"),
                r#"Hash "0" is not a whole number from 1 to 1048576"#,
            ),
            (
                "Hash",
                Some("x"),
                r#"Hash "x" is not a whole number from 1 to 1048576"#,
            ),
            (
                "Threads",
                None,
                r#"Threads "" is not a whole number from 1 to 1024"#,
            ),
            (
                "MultiPV",
                Some("99999999999999999999"),
                r#"MultiPV "99999999999999999999" is not a whole number from 1 to 256"#,
            ),
            (
                "Ponder",
                Some("yes"),
                r#"Ponder "yes" is neither true nor false"#,
            ),
            (
                "UCI_Variant",
                Some("chess"),
                r#"UCI_Variant "chess" is not one of atomic, nocheckatomic"#,
            ),
            ("Contempt", Some("1"), r#"unknown option "Contempt""#),
        ] {
            assert_eq!(error_for(name, value), expected);
        }
    }

    #[test]
    fn option_names_are_unique_and_defaults_are_valid() {
        let defaults = UciOptions::default();
        for (index, row) in OPTIONS.iter().enumerate() {
            for other in &OPTIONS[..index] {
                assert!(!row.name.eq_ignore_ascii_case(other.name));
            }
            let default = match row.access {
                OptionAccess::Check { get, .. } => get(&defaults).to_string(),
                OptionAccess::Spin { get, .. } => get(&defaults).to_string(),
                OptionAccess::Combo { get, .. } => get(&defaults).to_string(),
                OptionAccess::Text { get, .. } => get(&defaults),
                OptionAccess::Button => continue,
            };
            let mut state = UciOptions::default();
            let effect = set(&mut state, row.name, Some(&default)).expect("valid");
            assert_eq!(effect, row.effect);
            assert_eq!(state, defaults, "{}", row.name);
        }
    }

    #[test]
    fn options_that_need_files_exist() {
        for name in NEED_FILES {
            assert!(OPTIONS.iter().any(|row| row.name == name), "{name}");
        }
    }

    #[test]
    fn changing_the_variant_reloads_the_position() {
        let (mut engine, mut state) = (Engine::default(), UciOptions::default());
        let rook_end = "4k2r/8/8/8/8/8/8/R3K3 b Qk - 7 31";
        engine.set_position(fen::parse(rook_end, Variant::Atomic).unwrap());
        apply(
            &mut engine,
            &mut state,
            "UCI_Variant",
            Some("NOCHECKATOMIC"),
        )
        .unwrap();
        assert_eq!(engine.position().variant(), Variant::NoCheckAtomic);
        assert_eq!(fen::write(engine.position(), CastlingStyle::XFen), rook_end);
        assert!(apply(&mut engine, &mut state, "UCI_Variant", Some("chess")).is_err());
        assert_eq!(engine.position().variant(), Variant::NoCheckAtomic);
    }

    #[test]
    fn settings_are_passed_to_the_engine() {
        let (mut engine, mut state) = (Engine::default(), UciOptions::default());
        apply(&mut engine, &mut state, "Hash", Some("2")).unwrap();
        apply(&mut engine, &mut state, "MultiPV", Some("3")).unwrap();
        assert_eq!(engine.settings(), &state.settings);
        assert_eq!((engine.settings().hash, engine.settings().multipv), (2, 3));
    }

    #[test]
    fn a_missing_tablebase_directory_changes_nothing() {
        let (mut engine, mut state) = (Engine::default(), UciOptions::default());
        let result = apply(&mut engine, &mut state, "syzygypath", Some("/no/such/path"));
        assert!(result.is_err_and(|error| error.to_string().contains("/no/such/path")));
        assert_eq!(state, UciOptions::default());
        assert!(engine.settings().syzygy_path.is_empty() && engine.tablebase().is_none());
        for empty in [Some(EMPTY), Some(""), None] {
            apply(&mut engine, &mut state, "SyzygyPath", empty).unwrap();
            assert_eq!(state, UciOptions::default());
        }
    }
}
