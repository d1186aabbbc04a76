//! Search: principal-variation alpha-beta with lazy SMP for atomic chess.
//! Invariant: results reach the caller as plain structs through a [`Listener`]; nothing here
//! prints.

mod control;
mod correction;
mod history;
mod limits;
mod node;
mod ordering;
mod params;
mod picker;
mod proof_helper;
mod prune;
mod qsearch;
mod reduce;
mod result;
mod root;
mod root_move;
mod scored_moves;
mod see;
mod smp;
mod stack;
mod tb;
mod threads;
mod time;
mod tt;
mod tt_memory;
mod worker;

pub use control::Control;
pub use limits::Limits;
pub use params::{PARAMS, Param};
#[cfg(feature = "tune")]
pub use params::{ParamError, Tuning};
pub(crate) use proof_helper::ProofHelper;
pub use result::{
    Bound, Listener, MIN_CUT_NODE_DEPTH, NullListener, SearchInfo, SearchLine, SearchResult,
};
pub use see::{SEE_KING, SeeValues, see, see_values};
pub(crate) use smp::SearchThreads;
pub use smp::SearchThreadsError;
pub(crate) use tb::SyzygyConfig;
pub(crate) use threads::cores;
pub use threads::{STACK_SIZE, max_threads};
pub(crate) use time::ClockDelays;
pub use time::node_duration;
pub use tt::{TranspositionTable, TtAllocError, TtEntry};
pub(crate) use worker::SearchSetup;
