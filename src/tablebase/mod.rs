//! Syzygy tables of atomic chess: the only room that hands positions to shakmaty.
//! Invariant: asked only what the tables know; every other position has no answer. A table
//! that is missing or damaged gives no answer either, and is told of once.

mod convert;
mod faults;
mod files;
mod rank;

use std::ffi::OsStr;
use std::fmt;
use std::ops::Neg;
use std::panic::{AssertUnwindSafe, catch_unwind};

use shakmaty::variant::Atomic;
use shakmaty_syzygy::{SyzygyError, Tablebase as Syzygy};

use crate::rules::{Color, Outcome, Position, Variant};
use faults::Faults;
use files::Collection;

pub use rank::{Rank, Ranking};

/// A collection of table files.
pub struct Tablebase {
    tables: Syzygy<Atomic>,
    wdl_files: usize,
    dtz_files: usize,
    faults: Faults,
}

/// What best play leads to, from the side to move's view; better is greater. The fifty
/// moves are counted from the position that was asked about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wdl {
    /// The opponent wins.
    Loss,
    /// The opponent would win if the fifty-move rule did not save us.
    BlessedLoss,
    /// Nobody wins.
    Draw,
    /// We would win if the fifty-move rule did not save the opponent.
    CursedWin,
    /// We win.
    Win,
}

impl Wdl {
    /// The number by which other programs know it, −2 for a loss to 2 for a win.
    pub fn number(self) -> i32 {
        self as i32 - 2
    }

    /// What a finished game was worth to `side`.
    pub fn of(outcome: Outcome, side: Color) -> Wdl {
        match outcome {
            Outcome::Draw { .. } => Wdl::Draw,
            Outcome::Win { winner, .. } if winner == side => Wdl::Win,
            Outcome::Win { .. } => Wdl::Loss,
        }
    }
}

impl Neg for Wdl {
    type Output = Wdl;

    fn neg(self) -> Wdl {
        match self {
            Wdl::Loss => Wdl::Win,
            Wdl::BlessedLoss => Wdl::CursedWin,
            Wdl::Draw => Wdl::Draw,
            Wdl::CursedWin => Wdl::BlessedLoss,
            Wdl::Win => Wdl::Loss,
        }
    }
}

impl From<shakmaty_syzygy::Wdl> for Wdl {
    fn from(wdl: shakmaty_syzygy::Wdl) -> Wdl {
        match wdl {
            shakmaty_syzygy::Wdl::Loss => Wdl::Loss,
            shakmaty_syzygy::Wdl::BlessedLoss => Wdl::BlessedLoss,
            shakmaty_syzygy::Wdl::Draw => Wdl::Draw,
            shakmaty_syzygy::Wdl::CursedWin => Wdl::CursedWin,
            shakmaty_syzygy::Wdl::Win => Wdl::Win,
        }
    }
}

impl fmt::Debug for Tablebase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// How many tables there are, and of how many men.
impl fmt::Display for Tablebase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (wdl, dtz, men) = (self.wdl_files, self.dtz_files, self.most_men());
        write!(f, "{wdl} WDL and {dtz} DTZ tables of up to {men} men")
    }
}

impl Tablebase {
    /// The tables of one or more directories, written as in `PATH`: with `:` between them,
    /// on Windows `;`. Of two tables of the same name the first counts. Files are opened
    /// when first asked; [`Tablebase::take_faults`] tells which cannot be used.
    ///
    /// # Errors
    /// A message when a directory cannot be read or there is no usable atomic table.
    pub fn open(list: impl AsRef<OsStr>) -> Result<Tablebase, String> {
        let collection = Collection::open(list.as_ref())?;
        Ok(Tablebase {
            wdl_files: collection.wdl_files,
            dtz_files: collection.dtz_files,
            faults: Faults::new(collection.places, collection.faults),
            tables: collection.tables,
        })
    }

    /// Men on the board in the largest table, kings included.
    pub fn most_men(&self) -> u32 {
        self.tables.max_pieces() as u32
    }

    /// What became known of missing or damaged tables since the last call: one sentence a
    /// table, each only once.
    pub fn take_faults(&self) -> Vec<String> {
        self.faults.take()
    }

    /// True for positions that a complete collection of this size answers.
    pub fn covers(&self, pos: &Position) -> bool {
        pos.occupied().count() <= self.most_men()
            && pos.variant() == Variant::Atomic
            && !Color::ALL.iter().any(|&color| pos.rights().any(color))
    }

    /// What the position is worth with its clock at zero; `None` where the tables do not
    /// say. Finished games and wins in one are answered by the rules.
    pub fn wdl(&self, pos: &Position) -> Option<Wdl> {
        if !self.covers(pos) {
            return None;
        }
        if let Some(wdl) = without_tables(pos) {
            return Some(wdl);
        }
        self.ask(pos, |tables, atomic| tables.probe_wdl_after_zeroing(atomic))
            .map(Wdl::from)
    }

    /// Plies to the next capture or pawn move that keeps the result, or to the end of the
    /// game, with best play: positive when the side to move wins, negative when it loses, 0
    /// for a draw. Beyond ±100 the fifty-move rule makes it a draw. May be one too small,
    /// but never where that would change the result of a game that follows the tables.
    /// `None` where the tables do not say.
    pub fn dtz(&self, pos: &Position) -> Option<i32> {
        if !self.covers(pos) {
            return None;
        }
        if let Some(wdl) = without_tables(pos) {
            return Some(before_zeroing(wdl));
        }
        self.ask(pos, |tables, atomic| tables.probe_dtz(atomic))
            .map(|dtz| dtz.ignore_rounding().0)
    }

    /// The winner of a position, or `Some(None)` for a draw, with best play and the fifty
    /// moves counted from now. `None` where the tables do not say, also once the clock has
    /// begun to run.
    pub fn outcome(&self, pos: &Position) -> Option<Option<Color>> {
        if pos.halfmove() != 0 {
            return None;
        }
        Some(match self.wdl(pos)? {
            Wdl::Win => Some(pos.side()),
            Wdl::Loss => Some(!pos.side()),
            Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => None,
        })
    }

    /// Asks shakmaty; what it finds wrong is noted.
    fn ask<T>(
        &self,
        pos: &Position,
        probe: impl FnOnce(&Syzygy<Atomic>, &Atomic) -> Result<T, SyzygyError>,
    ) -> Option<T> {
        let material = convert::material(pos);
        if self.faults.is_given_up(material) {
            return None;
        }
        let atomic = convert::atomic(pos)?;
        // A damaged file may drive the prober into arithmetic it did not reckon with. The
        // tables keep nothing half-done: each is either read in full or not at all.
        match catch_unwind(AssertUnwindSafe(|| probe(&self.tables, &atomic))) {
            Ok(Ok(answer)) => Some(answer),
            Ok(Err(error)) => {
                self.faults.note(material, &error);
                None
            }
            Err(_) => {
                self.faults.note_panic(material, &convert::name(pos));
                None
            }
        }
    }
}

/// The result of a finished game or of one that the next move ends by an explosion. That
/// includes the positions that shakmaty refuses: those where the king of the side that has
/// moved stands in check.
fn without_tables(pos: &Position) -> Option<Wdl> {
    match pos.outcome_by_rule() {
        Some(outcome) => Some(Wdl::of(outcome, pos.side())),
        None => pos.win_in_one().map(|_| Wdl::Win),
    }
}

/// The distance to zeroing of a position in which the best move zeroes the clock.
fn before_zeroing(wdl: Wdl) -> i32 {
    match wdl {
        Wdl::Loss => -1,
        Wdl::BlessedLoss => -101,
        Wdl::Draw => 0,
        Wdl::CursedWin => 101,
        Wdl::Win => 1,
    }
}
