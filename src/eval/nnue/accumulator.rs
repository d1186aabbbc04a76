//! The hidden layer along the line now searched, brought up to date only when a value is
//! wanted.
//! Invariant: a row that is known equals the sum over all men on the board at its ply.

use arrayvec::ArrayVec;

use super::arch::output_bucket;
use super::features::{Feature, View};
use super::forward::forward;
use super::network::{Network, Row};
use super::simd::{self, Path};
use crate::rules::{Bitboard, Change, Color, Piece, PieceType, Position};

/// Features of at most as many men as a board holds.
type Features = ArrayVec<Feature, 64>;

/// Hidden layers of both views for one ply.
#[derive(Clone)]
struct Entry {
    rows: [Row; 2],
    known: [bool; 2],
}

/// The last hidden layer of one view with the men it was made of: a king that comes back to
/// a bucket finds most of the work done.
#[derive(Clone)]
struct Cached {
    row: Row,
    men: [Bitboard; 12],
}

/// The hidden layers of one searching thread.
pub struct Accumulators {
    path: Path,
    /// The position's ply that the first entry belongs to.
    base: usize,
    stack: Vec<Entry>,
    cache: Vec<Cached>,
}

impl Default for Accumulators {
    fn default() -> Accumulators {
        Accumulators::new(Path::best())
    }
}

impl Accumulators {
    /// Accumulators that use the given instructions.
    pub fn new(path: Path) -> Accumulators {
        Accumulators {
            path,
            base: 0,
            stack: Vec::new(),
            cache: Vec::new(),
        }
    }

    /// Begins anew at `pos`: what follows are moves made on it and taken back.
    pub fn reset(&mut self, net: &Network, pos: &Position) {
        self.base = pos.ply();
        self.forget(pos);
        let empty = Cached {
            row: net.bias.clone(),
            men: [Bitboard::EMPTY; 12],
        };
        self.cache.clear();
        self.cache.resize(2 * View::COUNT, empty);
    }

    /// Says that `pos` was just reached by a move: what was known at its ply is stale.
    #[inline]
    pub fn forget(&mut self, pos: &Position) {
        let ply = pos.ply() - self.base;
        if let Some(entry) = self.stack.get_mut(ply) {
            entry.known = [false; 2];
        } else {
            let empty = Entry {
                rows: [Row::ZERO; 2],
                known: [false; 2],
            };
            self.stack.resize(ply + 1, empty);
        }
    }

    /// The network's value of `pos` in internal units from the side to move's view; 0 once a
    /// king is gone.
    pub fn evaluate(&mut self, net: &Network, pos: &Position) -> i32 {
        for side in Color::ALL {
            let (Some(king), Some(enemy)) = (pos.king(side), pos.king(!side)) else {
                return 0;
            };
            self.bring(net, pos, View::new(side, king, enemy), side);
        }
        let rows = &self.stack[pos.ply() - self.base].rows;
        let (us, them) = (pos.side().index(), (!pos.side()).index());
        let threatened = pos.threatens_explosion(!pos.side());
        let bucket = output_bucket(pos.occupied().count(), threatened);
        forward(self.path, net, &rows[us], &rows[them], bucket)
    }

    /// Makes the row of `side` known at the present ply.
    fn bring(&mut self, net: &Network, pos: &Position, view: View, side: Color) {
        let us = side.index();
        let top = pos.ply() - self.base;
        let Some(from) = self.known_before(pos, view, side) else {
            self.refresh(net, pos, view, side);
            return;
        };
        for ply in from + 1..=top {
            let change = pos.change_at(self.base + ply - 1);
            let (removed, added) = features(change, view);
            let (before, after) = self.stack.split_at_mut(ply);
            let (before, after) = (&before[ply - 1].rows[us], &mut after[0]);
            simd::update(
                self.path,
                before,
                &mut after.rows[us],
                &net.weights,
                &added,
                &removed,
            );
            after.known[us] = true;
        }
    }

    /// The last ply from which the present row of `side` is cheaper to reach than by
    /// starting from the cache.
    fn known_before(&self, pos: &Position, view: View, side: Color) -> Option<usize> {
        let men = pos.occupied().count() as usize;
        let mut ply = pos.ply() - self.base;
        let mut work = 0;
        while !self.stack[ply].known[side.index()] {
            let change = pos.change_at(self.base + ply.checked_sub(1)?);
            work += change.removed.len() + change.added.len();
            if work > men || changes_view(change, view, side) {
                return None;
            }
            ply -= 1;
        }
        Some(ply)
    }

    fn refresh(&mut self, net: &Network, pos: &Position, view: View, side: Color) {
        let us = side.index();
        let cached = &mut self.cache[us * View::COUNT + view.slot()];
        let (mut added, mut removed) = (Features::new(), Features::new());
        for piece in Piece::ALL {
            let before = &mut cached.men[piece.index()];
            let now = pos.pieces(piece.color(), piece.kind());
            let feature = |square| view.feature(piece.kind(), piece.color(), square);
            added.extend((now - *before).into_iter().map(feature));
            removed.extend((*before - now).into_iter().map(feature));
            *before = now;
        }
        let entry = &mut self.stack[pos.ply() - self.base];
        let row = &mut entry.rows[us];
        simd::update(self.path, &cached.row, row, &net.weights, &added, &removed);
        cached.row.clone_from(row);
        // Kept for every enemy king these would make the cache 64 times as large.
        let near: Features = view.ring(pos).collect();
        simd::update(self.path, &cached.row, row, &net.weights, &near, &[]);
        entry.known[us] = true;
    }
}

/// The features that a change takes away and brings.
fn features(change: &Change, view: View) -> (ArrayVec<Feature, 20>, ArrayVec<Feature, 4>) {
    let feature = |&(piece, square): &(Piece, _)| {
        let plain = view.feature(piece.kind(), piece.color(), square);
        [Some(plain), view.near(piece.kind(), piece.color(), square)]
            .into_iter()
            .flatten()
    };
    let removed = change.removed.iter().flat_map(feature).collect();
    let added = change.added.iter().flat_map(feature).collect();
    (removed, added)
}

/// True when the change moved the king of `side` out of another view.
fn changes_view(change: &Change, view: View, side: Color) -> bool {
    let [own, enemy] = [side, !side].map(|color| Piece::new(color, PieceType::King));
    change.removed.iter().any(|&(piece, square)| {
        piece == enemy || (piece == own && View::new(side, square, view.enemy()) != view)
    })
}
