//! The accumulators: the hidden layer for both perspectives at every ply of the current line.
//! They are updated lazily, when a position is evaluated: from the row of the ply before
//! ([`AccumulatorStack::update`]) or, when the perspective's king changes bucket, from a cache by
//! king bucket ([`AccumulatorStack::refresh`]).
//! Capture and blast inputs change with every slider's line, so they are added anew.
//! Invariant: a computed row is the sum of the hidden biases and the weights of all piece and ring
//! inputs active at its ply.

use super::arch::output_bucket;
use super::features::Perspective;
use super::layers::Activations;
use super::network::{HiddenRow, Network};
use super::pieces::{CaptureList, FeatureList, PieceSets};
use super::policy::Policy;
use super::policy_head::PolicyRows;
use super::simd::{self, SimdLevel};
use crate::rules::{Bitboard, Change, Color, Piece, PieceType, Position, Square, attacks};

/// The features by which a row differs from the row that it is computed from.
#[derive(Default)]
struct FeatureChange {
    added: FeatureList,
    removed: FeatureList,
}

impl FeatureChange {
    /// Appends the inputs of the pieces that a move adds and removes; ring inputs only for those
    /// on `ring`.
    #[inline(always)]
    fn add_change(&mut self, change: &Change, perspective: Perspective, ring: Bitboard) {
        add_pieces(&mut self.added, &change.added, perspective, ring);
        add_pieces(&mut self.removed, &change.removed, perspective, ring);
    }
}

#[inline(always)]
fn add_pieces(
    list: &mut FeatureList,
    pieces: &[(Piece, Square)],
    perspective: Perspective,
    ring: Bitboard,
) {
    for &(piece, square) in pieces {
        list.push(perspective.piece_feature(piece, square));
        if ring.contains(square) {
            list.extend(perspective.ring_feature(piece, square));
        }
    }
}

/// The hidden layer of one ply.
#[derive(Clone)]
struct Accumulator {
    /// By colour of the perspective.
    rows: [HiddenRow; 2],
    computed: [bool; 2],
    /// The perspectives of the computed rows.
    perspectives: [Perspective; 2],
    /// The activations of both rows, if `activated`.
    activations: Activations,
    activated: bool,
    pieces: PieceSets,
}

impl Accumulator {
    const EMPTY: Accumulator = Accumulator {
        rows: [HiddenRow::ZERO; 2],
        computed: [false; 2],
        perspectives: [Perspective::new(Color::White, Square::new(4, 0), Square::new(4, 7)); 2],
        activations: Activations::ZERO,
        activated: false,
        pieces: PieceSets::EMPTY,
    };

    /// Computes the row of a perspective from an earlier one and the change of features.
    #[inline]
    fn compute_row(
        &mut self,
        color: Color,
        perspective: Perspective,
        before: &HiddenRow,
        net: &Network,
        features: &FeatureChange,
        simd: SimdLevel,
    ) {
        let us = color.index();
        let (added, removed) = (&features.added, &features.removed);
        let after = &mut self.rows[us];
        simd::update(simd, before, after, &net.weights, added, removed);
        self.computed[us] = true;
        self.perspectives[us] = perspective;
    }
}

/// The last refreshed row of a king bucket and its pieces. A king that returns to the bucket
/// only needs the difference.
#[derive(Clone)]
struct RefreshEntry {
    row: HiddenRow,
    pieces: PieceSets,
    /// Whether the entry has been filled since the last reset.
    is_valid: bool,
}

impl RefreshEntry {
    const EMPTY: RefreshEntry =
        RefreshEntry { row: HiddenRow::ZERO, pieces: PieceSets::EMPTY, is_valid: false };
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
/// accumulators.reset(&pos);
/// pos.make(coord::parse(&pos, "e2e4").expect("a legal move"));
/// accumulators.invalidate(&pos);
/// let incremental = accumulators.evaluate(&net, &pos);
///
/// accumulators.reset(&pos);
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
        AccumulatorStack { simd, base_ply: 0, stack: Vec::new(), refresh_table: Vec::new() }
    }

    /// Starts a new line at `pos`. The following calls must be with one network, and for
    /// positions reached from `pos` by making and unmaking moves.
    pub fn reset(&mut self, pos: &Position) {
        self.base_ply = pos.ply();
        self.invalidate(pos);
        if self.refresh_table.is_empty() {
            self.refresh_table.resize(2 * Perspective::CACHE_SIZE, RefreshEntry::EMPTY);
        }
        for entry in &mut self.refresh_table {
            entry.is_valid = false;
        }
    }

    /// Marks the accumulator at the ply of `pos` as out of date. Must be called after every
    /// move.
    #[inline]
    pub fn invalidate(&mut self, pos: &Position) {
        let ply = pos.ply() - self.base_ply;
        if ply >= self.stack.len() {
            self.stack.resize(ply + 1, Accumulator::EMPTY);
        }
        let accumulator = &mut self.stack[ply];
        accumulator.computed = [false; 2];
        accumulator.activated = false;
        accumulator.pieces = PieceSets::new(pos);
    }

    /// The network's value of `pos` in internal units from the side to move's point of view; 0
    /// when a king has exploded.
    pub fn evaluate(&mut self, net: &Network, pos: &Position) -> i32 {
        let king_threatened = pos.threatens_explosion(!pos.side_to_move());
        self.evaluate_with_threat(net, pos, king_threatened)
    }

    /// Like [`evaluate`](Self::evaluate) for a caller that has already tested whether the
    /// opponent could explode the king of the side to move if it were the opponent's turn.
    pub(crate) fn evaluate_with_threat(
        &mut self,
        net: &Network,
        pos: &Position,
        king_threatened: bool,
    ) -> i32 {
        let simd = self.simd;
        let Some(activations) = self.activations(net, pos) else {
            return 0;
        };
        let bucket = output_bucket(pos.occupied().count(), king_threatened);
        net.value(simd::forward(simd, activations, net.stack(bucket)))
    }

    /// The activations of the hidden layer; `None` if a king is missing.
    #[inline]
    pub fn activations(&mut self, net: &Network, pos: &Position) -> Option<&Activations> {
        if pos.by_type(PieceType::King).count() < 2 {
            return None;
        }
        let ply = pos.ply() - self.base_ply;
        if !self.stack[ply].activated {
            self.activate(net, pos, ply);
        }
        Some(&self.stack[ply].activations)
    }

    /// The policy head at `pos`; `None` if the network has none or a king is missing.
    #[inline]
    pub fn policy<'a>(&'a mut self, net: &'a Network, pos: &Position) -> Option<Policy<'a>> {
        Some(Policy {
            head: net.policy_head()?,
            rows: PolicyRows::new(pos)?,
            simd: self.simd,
            activations: self.activations(net, pos)?,
        })
    }

    /// Computes the activations at `ply`, that of `pos`. Both kings must be on the board.
    fn activate(&mut self, net: &Network, pos: &Position, ply: usize) {
        if !self.update_both(net, pos, ply) {
            for color in Color::ALL {
                self.compute(net, pos, ply, color);
            }
        }
        let us = pos.side_to_move().index();
        let Accumulator { rows, perspectives, activations, activated, pieces, .. } =
            &mut self.stack[ply];
        let mut captures = [CaptureList::new(), CaptureList::new()];
        pieces.add_capture_features(*perspectives, &mut captures);
        let rows = [us, 1 - us].map(|side| &rows[side]);
        let captures = [us, 1 - us].map(|side| &captures[side][..]);
        simd::activate(self.simd, rows, &net.captures, captures, activations);
        *activated = true;
    }

    /// Computes both rows at `ply` in the most frequent case: both rows of the ply before are
    /// computed, and no king has moved. Otherwise computes nothing and returns false. Saves 1.4 %
    /// of the instructions of `bench --depth 10`.
    fn update_both(&mut self, net: &Network, pos: &Position, ply: usize) -> bool {
        let (earlier, later) = self.stack.split_at_mut(ply);
        let (Some(before), Some(after)) = (earlier.last(), later.first_mut()) else {
            return false;
        };
        if before.computed != [true; 2] || after.computed != [false; 2] {
            return false;
        }
        let change = pos.change_at(self.base_ply + ply - 1);
        let is_king = |&(piece, _): &(Piece, Square)| piece.piece_type() == PieceType::King;
        if change.removed.first().is_some_and(is_king) {
            return false;
        }
        // Both kings are on the board, where they were before.
        for color in Color::ALL {
            let perspective = before.perspectives[color.index()];
            let mut features = FeatureChange::default();
            let ring = attacks::king(perspective.enemy_king());
            features.add_change(change, perspective, ring);
            let row = &before.rows[color.index()];
            after.compute_row(color, perspective, row, net, &features, self.simd);
        }
        true
    }

    /// Computes the row of a perspective at `ply`, and at the plies before it from the last
    /// computed one on: siblings of the current position need those rows too.
    fn compute(&mut self, net: &Network, pos: &Position, ply: usize, color: Color) {
        let mut start = ply;
        while !self.stack[start].computed[color.index()] {
            if start == 0 || self.needs_refresh(start, pos, color) {
                self.refresh(net, start, color);
                break;
            }
            start -= 1;
        }
        for ply in start + 1..=ply {
            let change = pos.change_at(self.base_ply + ply - 1);
            self.update(net, ply, change, color);
        }
    }

    /// True if the move before `ply` takes the perspective's king to another bucket or half of the
    /// board, so all features of the perspective change. The moving piece is the first removed one.
    #[inline]
    fn needs_refresh(&self, ply: usize, pos: &Position, color: Color) -> bool {
        let change = pos.change_at(self.base_ply + ply - 1);
        let king = Piece::new(color, PieceType::King);
        if change.removed.first().is_none_or(|&(piece, _)| piece != king) {
            return false;
        }
        let [before, after] = [ply - 1, ply].map(|ply| self.stack[ply].pieces.perspective(color));
        before.map(Perspective::cache_index) != after.map(Perspective::cache_index)
    }

    /// Computes the row of a perspective from the row of the ply before and the change between
    /// the two. A move of the enemy king exchanges the ring inputs.
    fn update(&mut self, net: &Network, ply: usize, change: &Change, color: Color) {
        let (earlier, later) = self.stack.split_at_mut(ply);
        let (before, after) = (&earlier[ply - 1], &mut later[0]);
        let Some(perspective) = after.pieces.perspective(color) else {
            return;
        };
        let enemy_king = Piece::new(!color, PieceType::King);
        let moves_enemy_king =
            change.removed.first().is_some_and(|&(piece, _)| piece == enemy_king);
        // A move of the enemy king exchanges all ring inputs.
        let ring = if moves_enemy_king {
            Bitboard::EMPTY
        } else {
            attacks::king(perspective.enemy_king())
        };
        let mut features = FeatureChange::default();
        features.add_change(change, perspective, ring);
        if moves_enemy_king {
            if let Some(perspective) = before.pieces.perspective(color) {
                let removed = &mut features.removed;
                before.pieces.add_ring_features(perspective, removed);
            }
            let added = &mut features.added;
            after.pieces.add_ring_features(perspective, added);
        }
        let row = &before.rows[color.index()];
        after.compute_row(color, perspective, row, net, &features, self.simd);
    }

    /// Computes the row of a perspective from the refresh entry of its bucket, and stores it
    /// there.
    fn refresh(&mut self, net: &Network, ply: usize, color: Color) {
        let accumulator = &mut self.stack[ply];
        let pieces = accumulator.pieces;
        let Some(perspective) = pieces.perspective(color) else {
            return;
        };
        let index = color.index() * Perspective::CACHE_SIZE + perspective.cache_index();
        let entry = &mut self.refresh_table[index];
        if !entry.is_valid {
            entry.row.clone_from(&net.bias);
            entry.pieces = PieceSets::EMPTY;
            entry.is_valid = true;
        }
        let mut features = FeatureChange::default();
        for piece in Piece::ALL {
            let (cached, current) = (entry.pieces.pieces(piece), pieces.pieces(piece));
            if cached == current {
                continue;
            }
            let feature = |square| perspective.piece_feature(piece, square);
            features.added.extend((current - cached).into_iter().map(feature));
            features.removed.extend((cached - current).into_iter().map(feature));
        }
        if let Some(cached) = entry.pieces.perspective(color) {
            entry.pieces.add_ring_features(cached, &mut features.removed);
        }
        pieces.add_ring_features(perspective, &mut features.added);
        accumulator.compute_row(color, perspective, &entry.row, net, &features, self.simd);
        entry.row.clone_from(&accumulator.rows[color.index()]);
        entry.pieces = pieces;
    }
}
