//! The settings of an engine, with their defaults and ranges.

use std::ffi::OsString;
use std::path::PathBuf;

use super::Level;
use crate::host;

/// The settings of an [`Engine`](super::Engine). The defaults are those of a new engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Size of the transposition table (TT) in mebibytes.
    pub hash: usize,
    /// Number of search threads. A search uses at most
    /// [`max_threads`](crate::search::max_threads) of them.
    pub threads: usize,
    /// Number of principal variations to report.
    pub multipv: usize,
    /// Milliseconds subtracted from the clock for each move, for delays outside the engine.
    pub move_overhead: u64,
    /// Nodes that count as one millisecond of the clock; 0 uses real time.
    pub node_time: u64,
    /// Evaluates with the network instead of the handcrafted terms.
    pub use_nnue: bool,
    /// The network file; `None` uses the embedded network.
    pub eval_file: Option<PathBuf>,
    /// Directories of Syzygy tablebases, separated as in `PATH`; empty for none.
    pub syzygy_path: OsString,
    /// Least remaining depth in plies at which positions with the largest number of pieces are
    /// probed.
    pub syzygy_probe_depth: i32,
    /// Scores tablebase wins that the fifty-move rule prevents as draws.
    pub syzygy_50_move_rule: bool,
    /// Largest number of pieces, kings included, of positions that are probed.
    pub syzygy_probe_limit: u32,
    /// Plays book moves while the book has any.
    pub own_book: bool,
    /// The Polyglot book file.
    pub book_file: Option<PathBuf>,
    /// Plays only the book move with the greatest weight instead of choosing at random by weight.
    pub book_best: bool,
    /// The last full move number at which a book move is played.
    pub book_depth: u16,
    /// Shows the wins in the refutation book at once, where [`Limits::prove`] is set.
    ///
    /// [`Limits::prove`]: crate::search::Limits::prove
    pub refutation_book: bool,
    /// The skill level, from 0 to [`Level::FULL`].
    pub skill: u8,
    /// The Elo rating to play at; if set, it overrides `skill`.
    pub elo: Option<u16>,
    /// Values of the tunable search parameters.
    #[cfg(feature = "tune")]
    pub tuning: crate::search::Tuning,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            hash: 16,
            threads: 1,
            multipv: 1,
            move_overhead: 10,
            node_time: 0,
            use_nnue: true,
            eval_file: None,
            syzygy_path: OsString::new(),
            syzygy_probe_depth: 1,
            syzygy_50_move_rule: true,
            syzygy_probe_limit: 7,
            own_book: false,
            book_file: None,
            book_best: false,
            book_depth: 1000,
            refutation_book: true,
            skill: Level::FULL,
            elo: None,
            #[cfg(feature = "tune")]
            tuning: crate::search::Tuning::default(),
        }
    }
}

impl Settings {
    /// Largest TT size in mebibytes.
    pub const MAX_HASH: usize = host::MAX_MEMORY;
    /// Largest number of search threads.
    pub const MAX_THREADS: usize = host::MAX_THREADS;
    /// Largest number of principal variations.
    pub const MAX_MULTIPV: usize = 256;

    /// The level to play at; `None` means full strength.
    pub fn level(&self) -> Option<Level> {
        self.elo.map(Level::from_elo).or(Level::from_skill(self.skill))
    }
}
