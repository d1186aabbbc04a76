//! Syzygy tables of atomic chess: the only room that names shakmaty.
//! Invariant: asked only what the tables know; every other position has no answer.

use std::fmt;
use std::path::Path;

use shakmaty::fen::Fen;
use shakmaty::variant::Atomic;
use shakmaty::{CastlingMode, Position as _};
use shakmaty_syzygy::{AmbiguousWdl, Tablebase as Syzygy};

use crate::notation::fen::{self, CastlingStyle};
use crate::rules::{Color, Position, Variant};

/// A collection of table files.
pub struct Tablebase {
    tables: Syzygy<Atomic>,
}

impl fmt::Debug for Tablebase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tablebase of up to {} men", self.tables.max_pieces())
    }
}

impl Tablebase {
    /// The tables of a directory. Files are opened when first asked.
    ///
    /// # Errors
    /// A message when the directory cannot be read or holds no atomic tables.
    pub fn open(directory: &Path) -> Result<Tablebase, String> {
        let mut tables = Syzygy::new();
        match tables.add_directory(directory) {
            Ok(0) => Err(format!(
                "no atomic Syzygy tables in {}",
                directory.display()
            )),
            Ok(_) => Ok(Tablebase { tables }),
            Err(error) => Err(format!(
                "cannot read tables in {}: {error}",
                directory.display()
            )),
        }
    }

    /// The winner of a position, or `Some(None)` for a draw, with best play and the fifty
    /// moves counted from now. `None` where the tables do not say: too many men, castling
    /// rights, another variant, a clock that has begun to run, a missing file, a game over.
    pub fn outcome(&self, pos: &Position) -> Option<Option<Color>> {
        let known = pos.variant() == Variant::Atomic
            && pos.occupied().count() as usize <= self.tables.max_pieces()
            && Color::ALL
                .iter()
                .all(|&color| !pos.rights().any(color) && pos.king(color).is_some())
            && pos.halfmove() == 0;
        if !known {
            return None;
        }
        let text = fen::write(pos, CastlingStyle::XFen);
        let fen: Fen = text.parse().ok()?;
        let atomic: Atomic = fen.into_position(CastlingMode::Chess960).ok()?;
        debug_assert!(!atomic.is_variant_end());
        let (us, them) = (pos.side(), !pos.side());
        match self.tables.probe_wdl(&atomic).ok()? {
            AmbiguousWdl::Win => Some(Some(us)),
            AmbiguousWdl::Loss => Some(Some(them)),
            AmbiguousWdl::Draw | AmbiguousWdl::CursedWin | AmbiguousWdl::BlessedLoss => Some(None),
            AmbiguousWdl::MaybeWin | AmbiguousWdl::MaybeLoss => None,
        }
    }
}
