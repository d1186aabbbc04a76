//! Syzygy tablebases for atomic chess, probed through `shakmaty_syzygy`.
//! Invariant: a position that the tables do not cover, or whose table is missing or damaged, has no
//! result; each such table causes one warning.
//!
//! # Examples
//! ```
//! use brisance::tablebase::{Tablebase, TablebaseError};
//!
//! let error = Tablebase::open("no/such/directory").expect_err("no tables");
//! assert!(matches!(error, TablebaseError::Directory { .. }));
//! ```

mod files;
mod rank;
mod warnings;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fmt;
use std::ops::Neg;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use shakmaty::variant::Atomic;
use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, Color as ShakmatyColor, FromSetup,
    Position as _, PositionError, Setup, Square,
};
use shakmaty_syzygy::{Material, SyzygyError, Tablebase as Syzygy};

use crate::rules::{Color, GameResult, Outcome, PieceType, Position, Variant};
use files::TableFiles;

pub use files::{TableFileError, TablebaseError};
pub use rank::{MoveRank, MoveRanking};

/// An open collection of Syzygy tables.
pub struct Tablebase(TableFiles);

/// The result of best play for the side to move, if the fifty-move clock starts in this position;
/// a better result is greater.
///
/// # Examples
/// ```
/// use brisance::tablebase::Wdl;
///
/// assert!(Wdl::Loss < Wdl::BlessedLoss && Wdl::CursedWin < Wdl::Win);
/// assert_eq!(-Wdl::BlessedLoss, Wdl::CursedWin);
/// assert_eq!(Wdl::Win.value(), 2);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wdl {
    /// A loss.
    Loss,
    /// A loss that the fifty-move rule turns into a draw.
    BlessedLoss,
    /// A draw.
    Draw,
    /// A win that the fifty-move rule turns into a draw.
    CursedWin,
    /// A win.
    Win,
}

impl Wdl {
    const ALL: [Wdl; 5] = [Wdl::Loss, Wdl::BlessedLoss, Wdl::Draw, Wdl::CursedWin, Wdl::Win];

    /// The usual number for the result, −2 for a loss to 2 for a win.
    pub fn value(self) -> i32 {
        self as i32 - 2
    }

    /// The outcome of a finished game from the view of `color`.
    pub fn from_outcome(outcome: Outcome, color: Color) -> Wdl {
        match outcome.result {
            GameResult::Draw => Wdl::Draw,
            GameResult::Win(winner) if winner == color => Wdl::Win,
            GameResult::Win(_) => Wdl::Loss,
        }
    }
}

impl Neg for Wdl {
    type Output = Wdl;

    fn neg(self) -> Wdl {
        Wdl::ALL[4 - self as usize]
    }
}

impl From<shakmaty_syzygy::Wdl> for Wdl {
    fn from(wdl: shakmaty_syzygy::Wdl) -> Wdl {
        Wdl::ALL[(i32::from(wdl) + 2) as usize]
    }
}

impl fmt::Debug for Tablebase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The number of tables and the size of the largest one.
impl fmt::Display for Tablebase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (wdl, dtz, pieces) = (self.0.wdl_files, self.0.dtz_files, self.max_pieces());
        write!(f, "{wdl} WDL and {dtz} DTZ tables of up to {pieces} pieces")
    }
}

impl Tablebase {
    /// Opens the tables in one or more directories, separated as in `PATH`: by `:`, on Windows by
    /// `;`. Of two tables with the same name the first is used. A table is read when it is probed
    /// for the first time; [`Tablebase::take_warnings`] reports the unusable ones.
    ///
    /// # Errors
    /// A directory cannot be read, or none of them contains a usable atomic table.
    pub fn open(list: impl AsRef<OsStr>) -> Result<Tablebase, TablebaseError> {
        files::from_directories(list.as_ref()).map(Tablebase)
    }

    /// Takes the contents of table files, by file name, from memory.
    ///
    /// # Errors
    /// None of the files is a usable atomic table.
    pub fn from_memory(contents: HashMap<String, Arc<[u8]>>) -> Result<Tablebase, TablebaseError> {
        files::from_memory(contents).map(Tablebase)
    }

    /// The number of pieces in the largest table, kings and pawns included.
    pub fn max_pieces(&self) -> u32 {
        self.0.prober.max_pieces() as u32
    }

    /// Warnings about tables that turned out to be missing or damaged since the last call. Each
    /// table is reported once.
    pub fn take_warnings(&self) -> Vec<String> {
        self.0.warnings.take()
    }

    /// True when a complete set of tables of this size contains the position.
    pub fn covers(&self, pos: &Position) -> bool {
        pos.occupied().count() <= self.max_pieces()
            && pos.variant() == Variant::Atomic
            && !Color::ALL.iter().any(|&color| pos.castling_rights().any(color))
    }

    /// The result of best play with the fifty-move clock at zero; `None` if it is unknown. For
    /// finished games and explosions of the king in one move no table is probed.
    pub fn wdl(&self, pos: &Position) -> Option<Wdl> {
        if !self.covers(pos) {
            return None;
        }
        if let Some(wdl) = wdl_without_probe(pos) {
            return Some(wdl);
        }
        self.probe(pos, |prober, atomic| prober.probe_wdl_after_zeroing(atomic)).map(Wdl::from)
    }

    /// The distance to zeroing in plies: the plies of best play to the next capture or pawn move
    /// that keeps the result, or to the end of the game. Positive for a win of the side to move,
    /// negative for a loss, 0 for a draw; beyond ±100 the fifty-move rule makes it a draw. The
    /// value may be one too small, but never so that following the tables changes the result.
    /// `None` if it is unknown.
    pub fn dtz(&self, pos: &Position) -> Option<i32> {
        if !self.covers(pos) {
            return None;
        }
        if let Some(wdl) = wdl_without_probe(pos) {
            return Some(dtz_before_zeroing(wdl));
        }
        self.probe(pos, |prober, atomic| prober.probe_dtz(atomic))
            .map(|dtz| dtz.ignore_rounding().0)
    }

    /// The result of the game with best play under the fifty-move rule; `None` if it is unknown or
    /// the halfmove clock is not 0.
    pub fn result(&self, pos: &Position) -> Option<GameResult> {
        if pos.halfmove_clock() != 0 {
            return None;
        }
        Some(match self.wdl(pos)? {
            Wdl::Win => GameResult::Win(pos.side_to_move()),
            Wdl::Loss => GameResult::Win(!pos.side_to_move()),
            Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => GameResult::Draw,
        })
    }

    fn probe<T>(
        &self,
        pos: &Position,
        probe: impl FnOnce(&Syzygy<Atomic>, &Atomic) -> Result<T, SyzygyError>,
    ) -> Option<T> {
        let atomic = to_shakmaty(pos)?;
        let material = Material::from_board(atomic.board());
        if self.0.warnings.is_damaged(&material) {
            return None;
        }
        // A damaged file can make the prober panic. Unwinding is safe, because the prober stores a
        // table only after it has been read completely.
        match catch_unwind(AssertUnwindSafe(|| probe(&self.0.prober, &atomic))) {
            Ok(Ok(value)) => Some(value),
            Ok(Err(error)) => {
                self.0.warnings.record_error(material, &error);
                None
            }
            Err(_) => {
                self.0.warnings.record_panic(material);
                None
            }
        }
    }
}

/// The result if the game is over or the next move explodes the king. This includes all positions
/// that shakmaty rejects, in which the side that has just moved is in check.
fn wdl_without_probe(pos: &Position) -> Option<Wdl> {
    match pos.outcome_by_rule() {
        Some(outcome) => Some(Wdl::from_outcome(outcome, pos.side_to_move())),
        None => pos.win_in_one().map(|_| Wdl::Win),
    }
}

/// The distance to zeroing in plies if the best move resets the clock.
fn dtz_before_zeroing(wdl: Wdl) -> i32 {
    match wdl {
        Wdl::Loss => -1,
        Wdl::BlessedLoss => -101,
        Wdl::Draw => 0,
        Wdl::CursedWin => 101,
        Wdl::Win => 1,
    }
}

/// The position for shakmaty, without castling rights and with the clocks reset; `None` if shakmaty
/// rejects it because the side that has just moved is in check.
fn to_shakmaty(pos: &Position) -> Option<Atomic> {
    // Roles are numbered as piece types are, but from 1.
    let piece_type = |role| PieceType::ALL[usize::from(role) - 1];
    let by_role = ByRole::new_with(|role| Bitboard(pos.by_type(piece_type(role)).0));
    let by_color = ByColor {
        black: Bitboard(pos.by_color(Color::Black).0),
        white: Bitboard(pos.by_color(Color::White).0),
    };
    let setup = Setup {
        board: Board::try_from_bitboards(by_role, by_color).ok()?,
        turn: ShakmatyColor::from_white(pos.side_to_move() == Color::White),
        ep_square: pos.en_passant().map(|square| Square::new(square.index() as u32)),
        ..Setup::empty()
    };
    Atomic::from_setup(setup, CastlingMode::Chess960)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .ok()
}
