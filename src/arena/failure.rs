//! Why a player does not move: the kind, and a text with the details.
//! Invariant: a move of another process is shortened and free of control characters in the text.

use std::fmt::Display;

use thiserror::Error;

#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{text}")]
pub struct Failure {
    pub kind: FailureKind,
    /// A predicate of the engine.
    text: String,
    /// The specification of the engine is at fault: it sets an option that the engine does not
    /// declare, or a value out of range.
    pub is_in_the_specification: bool,
}

/// Declares [`FailureKind`]: the kinds, each with its label.
macro_rules! failure_kinds {
    ($($(#[$comment:meta])* $kind:ident = $label:literal,)*) => {
        /// The kind of a [`Failure`], for statistics.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum FailureKind {
            $($(#[$comment])* $kind,)*
        }

        impl FailureKind {
            pub const ALL: &[FailureKind] = &[$(FailureKind::$kind),*];

            /// The kind as a predicate of the engine.
            pub const fn label(self) -> &'static str {
                match self {
                    $(FailureKind::$kind => $label,)*
                }
            }
        }
    };
}

failure_kinds! {
    DiedBeforeGame = "died before the game",
    DiedBeforeUciok = "died before uciok",
    DiedBeforeReadyok = "died before readyok",
    DiedThinking = "died while thinking",
    /// A search in this process panicked.
    Panicked = "died of a panic",
    /// No answer before the timeout.
    Stalled = "stalled",
    /// The reply arrived after the deadline.
    Late = "lost on time",
    /// The reply is not a legal move.
    Illegal = "played an illegal move",
    /// A move before the opponent's, which the engine was to ponder.
    MovedWhilePondering = "moved while pondering",
    NotStarted = "cannot be started",
    NoVariant = "does not play the variant",
    /// A Chess960 game, but the engine has no option `UCI_Chess960`.
    NoChess960 = "has no option UCI_Chess960",
    /// The engine does not have an option, or reports an error when it is set.
    BadOption = "rejects an option",
    /// The match was stopped; not the engine's failure.
    Stopped = "was stopped",
}

impl From<FailureKind> for Failure {
    fn from(kind: FailureKind) -> Failure {
        Failure::with_text(kind, kind.label())
    }
}

impl Failure {
    /// A failure with a text that replaces the label of its kind.
    pub fn with_text(kind: FailureKind, text: impl Into<String>) -> Failure {
        Failure { kind, text: text.into(), is_in_the_specification: false }
    }

    /// A failure with details after the label of its kind.
    pub fn with_details(kind: FailureKind, details: impl Display) -> Failure {
        Failure::with_text(kind, format!("{}: {details}", kind.label()))
    }

    /// An option that the engine does not declare, or a value out of its range.
    pub fn wrong_option(text: String) -> Failure {
        Failure {
            is_in_the_specification: true,
            ..Failure::with_text(FailureKind::BadOption, text)
        }
    }

    pub fn illegal(reply: &str) -> Failure {
        const MAX_CHARS: usize = 20;
        let mut shown: String = reply.chars().take(MAX_CHARS).collect();
        shown = shown.replace(char::is_control, "?");
        match reply.chars().count() {
            0 => shown.push_str("none named"),
            count if count > MAX_CHARS => shown.push('…'),
            _ => {}
        }
        Failure::with_details(FailureKind::Illegal, shown)
    }
}
