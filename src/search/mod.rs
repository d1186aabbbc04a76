//! Search: principal-variation alpha-beta over atomic chess.
//! Reports plain structs to a [`Listener`]; never prints.

mod limits;

pub use limits::{Bound, Control, Limits, Listener, Report, Silent, Summary};
