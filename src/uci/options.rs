//! The one table of options: name, type, range and setter, the default being whatever a
//! fresh [`UciState`] holds. Knows nothing of input and output, so that a match runner can
//! apply `option.X=Y` in the same process.
//! Invariant: a refused value leaves the state as it was.

use std::path::PathBuf;

use vampirc_uci::UciOptionConfig;

use crate::engine::{Engine, Level, Settings};
use crate::notation::fen::{self, CastlingStyle};
use crate::rules::Variant;
#[cfg(feature = "tune")]
use crate::search::PARAMS;

/// Everything that options set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UciState {
    /// What the engine itself is set to.
    pub settings: Settings,
    /// The rules under which positions are read.
    pub variant: Variant,
    /// Write castling as king takes rook.
    pub chess960: bool,
    /// Report win, draw and loss chances.
    pub show_wdl: bool,
    /// The GUI analyses instead of playing: no moves from the book.
    pub analyse: bool,
    /// The GUI may use `go ponder`; changes nothing, pondering is always understood.
    pub ponder: bool,
    /// The Elo to play at when the strength is limited.
    pub elo: u16,
}

impl Default for UciState {
    fn default() -> UciState {
        UciState {
            settings: Settings::default(),
            variant: Variant::default(),
            chess960: false,
            show_wdl: false,
            analyse: false,
            ponder: false,
            elo: Level::MOST_ELO,
        }
    }
}

/// What the owner of an engine must do after an option was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: the next command reads the state.
    None,
    /// Hand the settings to the engine.
    Configure,
    /// Forget what was learnt.
    Clear,
    /// Read the position anew under the other rules.
    Variant,
}

/// The type of an option, with how to read and set it.
enum Kind {
    Check {
        get: fn(&UciState) -> bool,
        set: fn(&mut UciState, bool),
    },
    Spin {
        min: i64,
        max: i64,
        get: fn(&UciState) -> i64,
        set: fn(&mut UciState, i64),
    },
    Combo {
        choices: &'static [&'static str],
        get: fn(&UciState) -> &'static str,
        set: fn(&mut UciState, &'static str),
    },
    Text {
        get: fn(&UciState) -> String,
        set: fn(&mut UciState, &str),
    },
    Button,
}

/// How an empty text is written.
const EMPTY: &str = "<empty>";

struct Row {
    name: &'static str,
    kind: Kind,
    effect: Effect,
}

const fn row(name: &'static str, effect: Effect, kind: Kind) -> Row {
    Row { name, kind, effect }
}

const VARIANTS: [&str; 2] = [Variant::Atomic.name(), Variant::NoCheckAtomic.name()];

// GUIs keep spins in 32 bits and drop an option whose range does not fit.
const _: () = assert!(Settings::MAX_HASH <= i32::MAX as usize);

/// Stands for the network inside the binary.
const INTERNAL: &str = "<internal>";

/// The table. Numbers reach a setter only within `min` and `max`, so that its casts hold.
const TABLE: [Row; 24] = [
    row(
        "Hash",
        Effect::Configure,
        Kind::Spin {
            min: 1,
            max: Settings::MAX_HASH as i64,
            get: |state| state.settings.hash as i64,
            set: |state, value| state.settings.hash = value as usize,
        },
    ),
    row("Clear Hash", Effect::Clear, Kind::Button),
    row(
        "Threads",
        Effect::Configure,
        Kind::Spin {
            min: 1,
            max: Settings::MAX_THREADS as i64,
            get: |state| state.settings.threads as i64,
            set: |state, value| state.settings.threads = value as usize,
        },
    ),
    row(
        "Ponder",
        Effect::None,
        Kind::Check {
            get: |state| state.ponder,
            set: |state, value| state.ponder = value,
        },
    ),
    row(
        "MultiPV",
        Effect::Configure,
        Kind::Spin {
            min: 1,
            max: Settings::MAX_MULTIPV as i64,
            get: |state| state.settings.multipv as i64,
            set: |state, value| state.settings.multipv = value as usize,
        },
    ),
    row(
        "Move Overhead",
        Effect::Configure,
        Kind::Spin {
            min: 0,
            max: Settings::MAX_OVERHEAD as i64,
            get: |state| state.settings.move_overhead as i64,
            set: |state, value| state.settings.move_overhead = value as u64,
        },
    ),
    row(
        "nodestime",
        Effect::Configure,
        Kind::Spin {
            min: 0,
            max: Settings::MAX_NODE_TIME as i64,
            get: |state| state.settings.node_time as i64,
            set: |state, value| state.settings.node_time = value as u64,
        },
    ),
    row(
        "Use NNUE",
        Effect::Configure,
        Kind::Check {
            get: |state| state.settings.use_nnue,
            set: |state, value| state.settings.use_nnue = value,
        },
    ),
    row(
        "EvalFile",
        Effect::Configure,
        Kind::Text {
            get: |state| match &state.settings.eval_file {
                Some(path) => path.display().to_string(),
                None => INTERNAL.to_owned(),
            },
            set: |state, value| {
                let own = ["", "<empty>", INTERNAL].contains(&value);
                state.settings.eval_file = (!own).then(|| PathBuf::from(value));
            },
        },
    ),
    row(
        "SyzygyPath",
        Effect::Configure,
        Kind::Text {
            get: |state| state.settings.syzygy_path.to_string_lossy().into_owned(),
            set: |state, text| state.settings.syzygy_path = text.into(),
        },
    ),
    row(
        "SyzygyProbeDepth",
        Effect::Configure,
        Kind::Spin {
            min: 1,
            max: Settings::MAX_PROBE_DEPTH as i64,
            get: |state| state.settings.syzygy_probe_depth.into(),
            set: |state, value| state.settings.syzygy_probe_depth = value as i32,
        },
    ),
    row(
        "Syzygy50MoveRule",
        Effect::Configure,
        Kind::Check {
            get: |state| state.settings.syzygy_50_move_rule,
            set: |state, value| state.settings.syzygy_50_move_rule = value,
        },
    ),
    row(
        "SyzygyProbeLimit",
        Effect::Configure,
        Kind::Spin {
            min: 0,
            max: Settings::MAX_PROBE_LIMIT as i64,
            get: |state| state.settings.syzygy_probe_limit.into(),
            set: |state, value| state.settings.syzygy_probe_limit = value as u32,
        },
    ),
    row(
        "OwnBook",
        Effect::Configure,
        Kind::Check {
            get: |state| state.settings.own_book,
            set: |state, value| state.settings.own_book = value,
        },
    ),
    row(
        "BookFile",
        Effect::Configure,
        Kind::Text {
            get: |state| match &state.settings.book_file {
                Some(path) => path.display().to_string(),
                None => String::new(),
            },
            set: |state, value| {
                state.settings.book_file = (!value.is_empty()).then(|| PathBuf::from(value));
            },
        },
    ),
    row(
        "BookBest",
        Effect::Configure,
        Kind::Check {
            get: |state| state.settings.book_best,
            set: |state, value| state.settings.book_best = value,
        },
    ),
    row(
        "BookDepth",
        Effect::Configure,
        Kind::Spin {
            min: 1,
            max: Settings::MAX_BOOK_DEPTH as i64,
            get: |state| state.settings.book_depth.into(),
            set: |state, value| state.settings.book_depth = value as u16,
        },
    ),
    row(
        "UCI_Variant",
        Effect::Variant,
        Kind::Combo {
            choices: &VARIANTS,
            get: |state| state.variant.name(),
            set: |state, value| state.variant = Variant::from_name(value).unwrap_or_default(),
        },
    ),
    row(
        "UCI_Chess960",
        Effect::None,
        Kind::Check {
            get: |state| state.chess960,
            set: |state, value| state.chess960 = value,
        },
    ),
    row(
        "UCI_AnalyseMode",
        Effect::None,
        Kind::Check {
            get: |state| state.analyse,
            set: |state, value| state.analyse = value,
        },
    ),
    row(
        "UCI_ShowWDL",
        Effect::None,
        Kind::Check {
            get: |state| state.show_wdl,
            set: |state, value| state.show_wdl = value,
        },
    ),
    row(
        "Skill Level",
        Effect::Configure,
        Kind::Spin {
            min: 0,
            max: Level::FULL as i64,
            get: |state| state.settings.skill.into(),
            set: |state, value| state.settings.skill = value as u8,
        },
    ),
    row(
        "UCI_LimitStrength",
        Effect::Configure,
        Kind::Check {
            get: |state| state.settings.elo.is_some(),
            set: |state, value| state.settings.elo = value.then_some(state.elo),
        },
    ),
    row(
        "UCI_Elo",
        Effect::Configure,
        Kind::Spin {
            min: Level::LEAST_ELO as i64,
            max: Level::MOST_ELO as i64,
            get: |state| state.elo.into(),
            set: |state, value| {
                state.elo = value as u16;
                state.settings.elo = state.settings.elo.map(|_| state.elo);
            },
        },
    ),
];

/// The options as a GUI is told of them, in the order of the table.
pub fn descriptions() -> Vec<UciOptionConfig> {
    let fresh = UciState::default();
    let rows = TABLE.iter().map(|row| row.description(&fresh));
    #[cfg(feature = "tune")]
    let rows = rows.chain(PARAMS.iter().map(|param| UciOptionConfig::Spin {
        name: param.name.to_owned(),
        default: Some(param.default.into()),
        min: Some(param.min.into()),
        max: Some(param.max.into()),
    }));
    rows.collect()
}

/// Sets one option in `state`; names and choices in any case.
///
/// # Errors
/// What was wrong, naming the offending text; the state is unchanged.
pub fn set(state: &mut UciState, name: &str, value: Option<&str>) -> Result<Effect, String> {
    #[cfg(feature = "tune")]
    if PARAMS
        .iter()
        .any(|param| param.name.eq_ignore_ascii_case(name.trim()))
    {
        let text = value.unwrap_or("").trim();
        let number = text
            .parse()
            .map_err(|_| format!("{name}: {text:?} is not a number"))?;
        state.settings.tuning.set(name.trim(), number)?;
        return Ok(Effect::Configure);
    }
    let row = TABLE
        .iter()
        .find(|row| row.name.eq_ignore_ascii_case(name.trim()))
        .ok_or_else(|| format!("no option is named {:?}", super::parse::shortened(name)))?;
    row.set(state, value.map(str::trim))?;
    Ok(row.effect)
}

/// Sets one option in `state` and brings `engine` into line with it.
///
/// A new variant empties the table, and the position is read anew under the new rules: the
/// start position stays the start position, any other keeps its men, rights and clocks but
/// loses the moves that led to it.
///
/// # Errors
/// What was wrong, naming the offending text; state and engine are unchanged.
pub fn apply(
    engine: &mut Engine,
    state: &mut UciState,
    name: &str,
    value: Option<&str>,
) -> Result<(), String> {
    let before = state.clone();
    let effect = set(state, name, value)?;
    let done = match effect {
        Effect::Configure if state.settings != before.settings => {
            engine.configure(state.settings.clone())
        }
        Effect::Clear => {
            engine.clear();
            Ok(())
        }
        Effect::Variant if state.variant != before.variant => change_rules(engine, state.variant),
        _ => Ok(()),
    };
    if done.is_err() {
        *state = before;
    }
    done
}

fn change_rules(engine: &mut Engine, variant: Variant) -> Result<(), String> {
    let text = fen::write(engine.position(), CastlingStyle::XFen);
    let position = fen::parse(&text, variant).map_err(|error| error.to_string())?;
    engine.set_position(position);
    // The same men have the same key under either rules, but not the same value.
    engine.clear();
    Ok(())
}

impl Row {
    fn description(&self, fresh: &UciState) -> UciOptionConfig {
        let name = self.name.to_string();
        match self.kind {
            Kind::Check { get, .. } => UciOptionConfig::Check {
                name,
                default: Some(get(fresh)),
            },
            Kind::Spin { min, max, get, .. } => UciOptionConfig::Spin {
                name,
                default: Some(get(fresh)),
                min: Some(min),
                max: Some(max),
            },
            Kind::Combo { choices, get, .. } => UciOptionConfig::Combo {
                name,
                default: Some(get(fresh).to_string()),
                var: choices.iter().map(ToString::to_string).collect(),
            },
            Kind::Text { get, .. } => UciOptionConfig::String {
                name,
                default: Some(match get(fresh) {
                    text if text.is_empty() => EMPTY.to_string(),
                    text => text,
                }),
            },
            Kind::Button => UciOptionConfig::Button { name },
        }
    }

    fn set(&self, state: &mut UciState, value: Option<&str>) -> Result<(), String> {
        let text = value.unwrap_or_default();
        let refuse = |why: String| {
            let text = super::parse::shortened(text);
            Err(format!("{} {text:?} {why}", self.name))
        };
        match self.kind {
            Kind::Button => {}
            Kind::Text { set, .. } => set(state, if text == EMPTY { "" } else { text }),
            Kind::Check { set, .. } => match text.to_ascii_lowercase().as_str() {
                "true" => set(state, true),
                "false" => set(state, false),
                _ => return refuse("is neither true nor false".to_string()),
            },
            Kind::Spin { min, max, set, .. } => match text.parse() {
                Ok(number) if (min..=max).contains(&number) => set(state, number),
                _ => return refuse(format!("is not a whole number from {min} to {max}")),
            },
            Kind::Combo { choices, set, .. } => {
                match choices
                    .iter()
                    .find(|choice| choice.eq_ignore_ascii_case(text))
                {
                    Some(choice) => set(state, choice),
                    None => return refuse(format!("is not one of {}", choices.join(", "))),
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, value: Option<&str>) -> String {
        let mut state = UciState::default();
        let error = set(&mut state, name, value).unwrap_err();
        assert_eq!(state, UciState::default(), "{name} {value:?}");
        error
    }

    #[test]
    fn names_in_any_case_with_blanks() {
        let mut state = UciState::default();
        assert_eq!(set(&mut state, "hASH", Some("64")), Ok(Effect::Configure));
        assert_eq!(set(&mut state, "clear hash", None), Ok(Effect::Clear));
        assert_eq!(
            set(&mut state, "MOVE OVERHEAD", Some(" 250 ")),
            Ok(Effect::Configure)
        );
        assert_eq!(
            set(&mut state, "uci_variant", Some("NoCheckAtomic")),
            Ok(Effect::Variant)
        );
        assert_eq!(
            set(&mut state, "uci_chess960", Some("TRUE")),
            Ok(Effect::None)
        );
        assert_eq!(state.settings.hash, 64);
        assert_eq!(state.settings.move_overhead, 250);
        assert_eq!(state.variant, Variant::NoCheckAtomic);
        assert!(state.chess960);
    }

    #[test]
    fn refusals_name_the_text_and_the_range() {
        for (name, value, wanted) in [
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
            ("Contempt", Some("1"), r#"no option is named "Contempt""#),
        ] {
            assert_eq!(refused(name, value), wanted);
        }
    }

    #[test]
    fn every_option_has_its_own_name_and_a_default_it_accepts() {
        let fresh = UciState::default();
        for (index, row) in TABLE.iter().enumerate() {
            for other in &TABLE[..index] {
                assert!(!row.name.eq_ignore_ascii_case(other.name));
            }
            let default = match row.kind {
                Kind::Check { get, .. } => get(&fresh).to_string(),
                Kind::Spin { get, .. } => get(&fresh).to_string(),
                Kind::Combo { get, .. } => get(&fresh).to_string(),
                Kind::Text { get, .. } => get(&fresh),
                Kind::Button => continue,
            };
            let mut state = UciState::default();
            assert_eq!(set(&mut state, row.name, Some(&default)), Ok(row.effect));
            assert_eq!(state, fresh, "{}", row.name);
        }
    }

    #[test]
    fn a_new_variant_rereads_the_position() {
        let (mut engine, mut state) = (Engine::default(), UciState::default());
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
    fn settings_reach_the_engine() {
        let (mut engine, mut state) = (Engine::default(), UciState::default());
        apply(&mut engine, &mut state, "Hash", Some("2")).unwrap();
        apply(&mut engine, &mut state, "MultiPV", Some("3")).unwrap();
        assert_eq!(engine.settings(), &state.settings);
        assert_eq!((engine.settings().hash, engine.settings().multipv), (2, 3));
    }

    #[test]
    fn tables_that_are_not_there_change_nothing() {
        let (mut engine, mut state) = (Engine::default(), UciState::default());
        let refused = apply(
            &mut engine,
            &mut state,
            "syzygypath",
            Some("/no/such place"),
        );
        assert!(refused.is_err_and(|why| why.contains("/no/such place")));
        assert_eq!(state, UciState::default());
        assert!(engine.settings().syzygy_path.is_empty() && engine.tables().is_none());
        for empty in [Some(EMPTY), Some(""), None] {
            apply(&mut engine, &mut state, "SyzygyPath", empty).unwrap();
            assert_eq!(state, UciState::default());
        }
    }
}
