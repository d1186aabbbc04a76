//! Search: principal-variation alpha-beta over atomic chess.
//! Reports plain structs to a [`Listener`]; never prints.

mod aim;
mod correction;
mod history;
mod limits;
mod memory;
mod node;
mod params;
mod picker;
mod prune;
mod qsearch;
mod reduce;
mod root;
mod see;
mod smp;
mod stack;
mod tables;
mod threads;
mod time;
mod tt;
mod worker;

pub use limits::{Bound, Control, Limits, Listener, Report, Silent, Summary};
#[cfg(feature = "tune")]
pub use params::Tuning;
pub use params::{Param, TABLE as PARAMS};
pub use see::{KING as SEE_KING, Worth, see};
pub use smp::{Pool, SearchSetup};
pub use tables::TableUse;
pub use threads::STACK_SIZE;
pub use time::node_duration;
pub use tt::Table;
