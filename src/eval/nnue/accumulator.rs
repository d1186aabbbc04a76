//! The accumulators: the hidden layer for both perspectives at every ply of the current line.
//! They are updated lazily, when a position is evaluated: incrementally from an earlier ply
//! ([`Accumulator::update`]) or from a cache by king bucket ([`Accumulator::refresh`]).
//! Invariant: a computed row is the sum of the hidden biases and the weights of all features
//! active at its ply.

use arrayvec::ArrayVec;

use super::arch::output_bucket;
use super::features::{Feature, Perspective};
use super::forward::forward;
use super::network::{HiddenRow, Network};
use super::simd::{self, SimdLevel};
use crate::rules::{Bitboard, Change, Color, Piece, PieceType, Position};

/// One feature per piece on a full board.
type FeatureList = ArrayVec<Feature, 64>;

/// The hidden layer of one ply.
#[derive(Clone)]
struct Accumulator {
    /// By colour of the perspective.
    rows: [HiddenRow; 2],
    /// Which of the rows are up to date.
    computed: [bool; 2],
}

/// The last refreshed row of a king bucket and the pieces it contains. A king that returns to
/// the bucket only needs the difference.
#[derive(Clone)]
struct RefreshEntry {
    row: HiddenRow,
    /// By [`Piece::index`].
    pieces: [Bitboard; 12],
}

impl Accumulator {
    const EMPTY: Accumulator = Accumulator {
        rows: [HiddenRow::ZERO; 2],
        computed: [false; 2],
    };

    /// Computes the row of a perspective from the row of the previous ply and the change
    /// between the two.
    fn update(
        &mut self,
        previous: &Accumulator,
        change: &Change,
        perspective: Perspective,
        net: &Network,
        simd: SimdLevel,
    ) {
        let us = perspective.color().index();
        let (removed, added) = changed_features(change, perspective);
        simd::update(
            simd,
            &previous.rows[us],
            &mut self.rows[us],
            &net.weights,
            &added,
            &removed,
        );
        self.computed[us] = true;
    }

    /// Computes the row of a perspective from its refresh entry, which is brought up to date.
    fn refresh(
        &mut self,
        entry: &mut RefreshEntry,
        pos: &Position,
        perspective: Perspective,
        net: &Network,
        simd: SimdLevel,
    ) {
        let us = perspective.color().index();
        let (mut added, mut removed) = (FeatureList::new(), FeatureList::new());
        for piece in Piece::ALL {
            let cached = &mut entry.pieces[piece.index()];
            let current = pos.pieces(piece.color(), piece.piece_type());
            let feature =
                |square| perspective.piece_feature(piece.piece_type(), piece.color(), square);
            added.extend((current - *cached).into_iter().map(feature));
            removed.extend((*cached - current).into_iter().map(feature));
            *cached = current;
        }
        let row = &mut self.rows[us];
        simd::update(simd, &entry.row, row, &net.weights, &added, &removed);
        entry.row.clone_from(row);
        // Ring features depend on the enemy king's square. Caching them would take 64 times as
        // many entries.
        let ring: FeatureList = perspective.ring_features(pos).collect();
        simd::update(simd, &entry.row, row, &net.weights, &ring, &[]);
        self.computed[us] = true;
    }
}

/// The accumulators of one search thread.
///
/// Call [`reset`](Self::reset) for the root position, then [`invalidate`](Self::invalidate)
/// after every move made; unmaking a move needs no call.
///
/// # Examples
///
/// ```
/// use brisance::eval::nnue::{AccumulatorStack, Network};
/// use brisance::notation::coord;
/// use brisance::rules::{Position, Variant};
///
/// let net = Network::embedded()?;
/// let mut pos = Position::startpos(Variant::Atomic);
/// let mut accumulators = AccumulatorStack::default();
/// accumulators.reset(&net, &pos);
/// pos.make(coord::parse(&pos, "e2e4").expect("a legal move"));
/// accumulators.invalidate(&pos);
/// let incremental = accumulators.evaluate(&net, &pos);
///
/// accumulators.reset(&net, &pos);
/// assert_eq!(accumulators.evaluate(&net, &pos), incremental);
/// # Ok::<(), brisance::eval::nnue::NetworkError>(())
/// ```
pub struct AccumulatorStack {
    simd: SimdLevel,
    /// [`Position::ply`] of the first accumulator.
    base_ply: usize,
    stack: Vec<Accumulator>,
    refresh_table: Vec<RefreshEntry>,
}

impl Default for AccumulatorStack {
    fn default() -> AccumulatorStack {
        AccumulatorStack::new(SimdLevel::best())
    }
}

impl AccumulatorStack {
    /// Accumulators computed with the given instruction set.
    pub fn new(simd: SimdLevel) -> AccumulatorStack {
        AccumulatorStack {
            simd,
            base_ply: 0,
            stack: Vec::new(),
            refresh_table: Vec::new(),
        }
    }

    /// Starts a new line at `pos`. The following calls must be for positions reached from `pos`
    /// by making and unmaking moves.
    pub fn reset(&mut self, net: &Network, pos: &Position) {
        self.base_ply = pos.ply();
        self.invalidate(pos);
        let empty = RefreshEntry {
            row: net.bias.clone(),
            pieces: [Bitboard::EMPTY; 12],
        };
        self.refresh_table.clear();
        self.refresh_table
            .resize(2 * Perspective::CACHE_SIZE, empty);
    }

    /// Marks the accumulator at the ply of `pos` as out of date. Must be called after every
    /// move.
    #[inline]
    pub fn invalidate(&mut self, pos: &Position) {
        let ply = pos.ply() - self.base_ply;
        if let Some(accumulator) = self.stack.get_mut(ply) {
            accumulator.computed = [false; 2];
        } else {
            self.stack.resize(ply + 1, Accumulator::EMPTY);
        }
    }

    /// The network's value of `pos` in internal units from the side to move's point of view; 0
    /// when a king has exploded.
    pub fn evaluate(&mut self, net: &Network, pos: &Position) -> i32 {
        for color in Color::ALL {
            let (Some(king), Some(enemy_king)) = (pos.king(color), pos.king(!color)) else {
                return 0;
            };
            self.compute(net, pos, Perspective::new(color, king, enemy_king));
        }
        let rows = &self.stack[pos.ply() - self.base_ply].rows;
        let (us, them) = (pos.side_to_move(), !pos.side_to_move());
        let bucket = output_bucket(pos.occupied().count(), pos.threatens_explosion(them));
        forward(
            self.simd,
            net,
            &rows[us.index()],
            &rows[them.index()],
            bucket,
        )
    }

    /// Computes the row of a perspective at the current ply.
    fn compute(&mut self, net: &Network, pos: &Position, perspective: Perspective) {
        let current = pos.ply() - self.base_ply;
        let Some(start) = self.usable_ply(pos, perspective) else {
            let color = perspective.color().index();
            let index = color * Perspective::CACHE_SIZE + perspective.cache_index();
            let entry = &mut self.refresh_table[index];
            self.stack[current].refresh(entry, pos, perspective, net, self.simd);
            return;
        };
        for ply in start + 1..=current {
            let change = pos.change_at(self.base_ply + ply - 1);
            let (earlier, later) = self.stack.split_at_mut(ply);
            later[0].update(&earlier[ply - 1], change, perspective, net, self.simd);
        }
    }

    /// The last ply with a computed row from which incremental updates are possible and cheaper
    /// than a refresh.
    fn usable_ply(&self, pos: &Position, perspective: Perspective) -> Option<usize> {
        let refresh_cost = pos.occupied().count() as usize;
        let mut ply = pos.ply() - self.base_ply;
        let mut update_cost = 0;
        while !self.stack[ply].computed[perspective.color().index()] {
            let change = pos.change_at(self.base_ply + ply.checked_sub(1)?);
            update_cost += change.removed.len() + change.added.len();
            if update_cost > refresh_cost || needs_refresh(change, perspective) {
                return None;
            }
            ply -= 1;
        }
        Some(ply)
    }
}

/// The features that a change removes and adds.
fn changed_features(
    change: &Change,
    perspective: Perspective,
) -> (ArrayVec<Feature, 20>, ArrayVec<Feature, 4>) {
    let features = |&(piece, square): &(Piece, _)| {
        let (piece_type, color) = (piece.piece_type(), piece.color());
        let piece_feature = perspective.piece_feature(piece_type, color, square);
        let ring_feature = perspective.ring_feature(piece_type, color, square);
        [Some(piece_feature), ring_feature].into_iter().flatten()
    };
    let removed = change.removed.iter().flat_map(features).collect();
    let added = change.added.iter().flat_map(features).collect();
    (removed, added)
}

/// True when the change moves a king so that all features of the perspective change: the enemy
/// king to another square, or the own king to another bucket or half of the board.
fn needs_refresh(change: &Change, perspective: Perspective) -> bool {
    let color = perspective.color();
    let [king, enemy_king] = [color, !color].map(|color| Piece::new(color, PieceType::King));
    change.removed.iter().any(|&(piece, square)| {
        piece == enemy_king
            || (piece == king
                && Perspective::new(color, square, perspective.enemy_king()) != perspective)
    })
}
