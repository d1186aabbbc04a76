//! Depth-first proof-number search (df-pn). It descends to the most-proving node under proof
//! and disproof thresholds, so that it stays in a subtree as long as the most-proving node
//! lies there.
//! Invariant: a stored proof holds on every path; a stored disproof that depends on a
//! repetition is used only on a path that contains the repeated position.

use std::sync::Arc;
use std::time::Duration;

use super::status::{ChildNode, INFINITY, LEAF, NodeStatus, ProofNumbers, status_from_children};
use super::table::ProofTable;
use crate::host;

/// The longest line searched, in plies.
pub const MAX_PLY: usize = 240;

/// The estimate for a node that was disproved on another path and is likely to be disproved on
/// this one too.
const DISPROVED_ON_OTHER_PATH: NodeStatus = NodeStatus::unknown(100);

/// A two-player game as an AND/OR graph: the attacker moves at OR nodes, the defender at AND
/// nodes. A halfmove clock ends the game as a draw at 100 unless an irreversible move resets
/// it.
pub trait ProofGame {
    type Move: Copy;
    type Moves: IntoIterator<Item = Self::Move>;

    fn is_or_node(&self) -> bool;
    /// The legal moves, without moves that lead to the same position as another one.
    fn moves(&self) -> Self::Moves;
    fn make(&mut self, mv: Self::Move);
    fn unmake(&mut self);
    /// Key of the position without its halfmove clock.
    fn key(&self) -> u64;
    /// Plies since the last irreversible move.
    fn halfmove_clock(&self) -> u16;
    /// The status of the position without search and without regard to repetitions, when at
    /// most `depth` more plies may be played. A position without legal moves must be proved or
    /// disproved.
    fn evaluate(&mut self, depth: Option<u16>) -> NodeStatus;
    /// A move that very likely wins if the attacker is to move. It is searched before the others.
    fn likely_win(&self) -> Option<Self::Move> {
        None
    }
}

#[derive(Clone, Copy, Debug)]
pub struct DfPnStats {
    pub nodes: u64,
    /// Table occupancy in permille.
    pub hashfull: u32,
    pub root: NodeStatus,
}

/// Ends a search before its root is solved.
pub struct StopCondition<'a> {
    pub max_nodes: u64,
    /// Called every [`CHECK_INTERVAL`] nodes; the search ends when it returns true.
    pub should_stop: &'a mut dyn FnMut(DfPnStats) -> bool,
}

pub struct DfPnSearch<G: ProofGame> {
    pub game: G,
    pub table: Arc<ProofTable>,
    /// Keys of the positions from the root to the current one, exclusive.
    path: Vec<u64>,
    /// `path_hashes[n]` is the hash of the first `n` positions of the path.
    path_hashes: Vec<u64>,
    /// Nodes of all searches so far.
    pub nodes: u64,
    root: NodeStatus,
    next_check: u64,
    stopped: bool,
    /// True when a line was cut off at [`MAX_PLY`]: a disproof of the root is then inconclusive.
    pub line_cut_off: bool,
    /// The move of the last root with the shortest win.
    pub winning_child: Option<ChildNode<G::Move>>,
}

const CHECK_INTERVAL: u64 = 4096;
/// A likely win with a greater proof number is no longer searched before the other moves.
const LIKELY: u32 = 10_000 * LEAF;

impl<G: ProofGame> DfPnSearch<G> {
    pub fn new(game: G, table: Arc<ProofTable>) -> DfPnSearch<G> {
        DfPnSearch {
            game,
            table,
            path: Vec::with_capacity(MAX_PLY),
            path_hashes: vec![0],
            nodes: 0,
            root: NodeStatus::unknown(1),
            next_check: 0,
            stopped: false,
            line_cut_off: false,
            winning_child: None,
        }
    }

    pub fn stats(&self) -> DfPnStats {
        DfPnStats { nodes: self.nodes, hashfull: self.table.hashfull(), root: self.root }
    }

    /// Searches the current position as the root until it is proved or disproved or the stop
    /// condition applies. With `depth`, only wins within that many plies count.
    pub fn solve_root(&mut self, depth: Option<u16>, stop: &mut StopCondition) -> NodeStatus {
        self.next_check = self.nodes;
        self.stopped = false;
        self.winning_child = None;
        let status = self.game.evaluate(depth);
        if status.is_terminal() {
            return status;
        }
        self.search(depth, ProofNumbers::INFINITE, stop)
    }

    fn search(
        &mut self,
        depth: Option<u16>,
        thresholds: ProofNumbers,
        stop: &mut StopCondition,
    ) -> NodeStatus {
        let nodes_before = self.nodes;
        let (ply, is_or_node) = (self.path.len(), self.game.is_or_node());
        let key = self.table_key(depth);
        // Another thread may have solved the node since its parent was expanded.
        if ply > 0
            && let Some(status) = self.probe(depth)
            && status.is_terminal()
        {
            return status;
        }
        self.table.enter(key);
        let hash = self.path_hashes[ply] ^ mix(self.game.key());
        self.path.push(self.game.key());
        self.path_hashes.push(hash);
        let child_depth = depth.map(|depth| depth.saturating_sub(1));
        let likely_win = self.game.likely_win();
        let mut is_partial = likely_win.is_some();
        let mut children = match likely_win {
            Some(mv) => vec![self.child(mv, child_depth)],
            None => self.expand(child_depth),
        };
        let status = loop {
            let status = status_from_children(&children, is_or_node, ply);
            let numbers = status.numbers(is_or_node);
            if is_partial && numbers.phi > LIKELY {
                is_partial = false;
                children = self.expand(child_depth);
                continue;
            }
            if ply == 0 {
                self.root = status;
            }
            let exceeded = numbers.phi >= thresholds.phi || numbers.delta >= thresholds.delta;
            if status.is_terminal() || exceeded || self.must_stop(stop) {
                break status;
            }
            let crowd = |key| self.table.crowd(key);
            let (best, child_thresholds) =
                select_child(&children, is_or_node, numbers, thresholds, crowd);
            self.game.make(children[best].mv);
            children[best].status = self.search(child_depth, child_thresholds, stop);
            self.game.unmake();
        };
        self.path.pop();
        self.path_hashes.pop();
        self.table.leave(key);
        if ply == 0 {
            self.winning_child = shortest_proved(&children);
        }
        self.store(key, status, self.nodes - nodes_before);
        status
    }

    fn must_stop(&mut self, stop: &mut StopCondition) -> bool {
        self.stopped |= self.nodes >= stop.max_nodes;
        if !self.stopped && self.nodes >= self.next_check {
            self.next_check = self.nodes + CHECK_INTERVAL;
            host::pause(Duration::ZERO);
            self.stopped = (stop.should_stop)(self.stats());
        }
        self.stopped
    }

    /// The children of the current node with their statuses. Stops at the first move that
    /// decides the node for the side to move.
    fn expand(&mut self, depth: Option<u16>) -> Vec<ChildNode<G::Move>> {
        let is_or_node = self.game.is_or_node();
        let mut children = Vec::new();
        for mv in self.game.moves() {
            let child = self.child(mv, depth);
            let decides = match child.status {
                NodeStatus::Proved(_) => is_or_node,
                NodeStatus::Disproved(disproof) => !is_or_node && disproof.depends_on.is_none(),
                NodeStatus::Unknown { .. } => false,
            };
            if decides {
                return vec![child];
            }
            children.push(child);
        }
        children
    }

    /// The positions after all moves with what the table or the evaluation knows of them.
    pub fn children(&mut self, depth: Option<u16>) -> Vec<ChildNode<G::Move>> {
        let moves = self.game.moves();
        moves.into_iter().map(|mv| self.child(mv, depth)).collect()
    }

    fn child(&mut self, mv: G::Move, depth: Option<u16>) -> ChildNode<G::Move> {
        self.game.make(mv);
        self.nodes += 1;
        let irreversible = self.game.halfmove_clock() == 0;
        let (key, status) = (self.table_key(depth), self.status_without_search(depth));
        self.game.unmake();
        ChildNode { mv, key, irreversible, status }
    }

    /// The status of the current position from repetition, the table or static evaluation.
    fn status_without_search(&mut self, depth: Option<u16>) -> NodeStatus {
        let ply = self.path.len();
        // With a depth limit the graph has no cycles, and a win never needs a repetition.
        if depth.is_none()
            && let Some(ancestor) = self.repetition_ply()
        {
            return NodeStatus::disproved(0, Some(ancestor));
        }
        // Entries stored at lower clocks are invalid once the fifty-move rule applies.
        if self.game.halfmove_clock() < 100
            && let Some(status) = self.probe(depth)
        {
            return status;
        }
        let status = self.game.evaluate(depth);
        if ply >= MAX_PLY && !status.is_terminal() {
            self.line_cut_off = true;
            return NodeStatus::disproved(0, Some(0));
        }
        status
    }

    /// The ply of the path at which the current position occurred before.
    fn repetition_ply(&self) -> Option<u8> {
        let (key, ply) = (self.game.key(), self.path.len());
        let reversible = usize::from(self.game.halfmove_clock()).min(ply);
        let distances = (2..=reversible).step_by(2);
        let found = distances.map(|distance| ply - distance).find(|&at| self.path[at] == key);
        found.and_then(|at| u8::try_from(at).ok())
    }

    /// The table's status, if it holds for the current clock and path.
    fn probe(&self, depth: Option<u16>) -> Option<NodeStatus> {
        let (status, path_hash) = self.table.probe(self.table_key(depth))?;
        let (clock, ply) = (self.game.halfmove_clock(), self.path.len());
        let disproof = match status {
            NodeStatus::Proved(win) => return win.holds_at(clock).then_some(status),
            NodeStatus::Disproved(disproof) => disproof,
            NodeStatus::Unknown { .. } => return Some(status),
        };
        let holds = clock >= u16::from(disproof.min_clock);
        let Some(distance) = disproof.depends_on else {
            return holds.then_some(status);
        };
        let ancestor = ply
            .checked_sub(usize::from(distance))
            .filter(|&ancestor| holds && self.path_hash_below(ancestor) == path_hash);
        let depends_on = ancestor.and_then(|ancestor| u8::try_from(ancestor).ok());
        Some(match depends_on {
            Some(_) => NodeStatus::disproved(disproof.min_clock, depends_on),
            None => DISPROVED_ON_OTHER_PATH,
        })
    }

    /// The hash of the path from an ancestor to the current position.
    fn path_hash_below(&self, ancestor: usize) -> u64 {
        self.path_hashes[self.path.len()] ^ self.path_hashes[ancestor]
    }

    fn store(&mut self, key: u64, mut status: NodeStatus, nodes: u64) {
        let mut path_hash = 0;
        if let NodeStatus::Disproved(disproof) = &mut status
            && let Some(ancestor) = disproof.depends_on.map(usize::from)
        {
            path_hash = self.path_hash_below(ancestor);
            disproof.depends_on = u8::try_from(self.path.len() - ancestor).ok();
        }
        let nodes = u32::try_from(nodes).unwrap_or(u32::MAX);
        self.table.store(key, status, path_hash, nodes);
    }

    /// The table key of the current position, combined with the depth limit if there is one.
    fn table_key(&self, depth: Option<u16>) -> u64 {
        let key = self.game.key();
        depth.map_or(key, |depth| key ^ mix(depth.into()))
    }
}

/// The most-proving child and its thresholds: it is searched until its phi exceeds that of the
/// second-best child by a quarter, or until this node reaches its own thresholds. Each thread that
/// already searches a child, as `crowd` tells by its key, makes its phi a sixteenth larger: without
/// this, two threads search the same nodes, and with more they stay too long with worse children.
pub fn select_child<M>(
    children: &[ChildNode<M>],
    is_or_node: bool,
    numbers: ProofNumbers,
    thresholds: ProofNumbers,
    crowd: impl Fn(u64) -> u32,
) -> (usize, ProofNumbers) {
    let (mut best, mut first, mut second_phi) = (0, ProofNumbers::INFINITE, INFINITY);
    for (index, child) in children.iter().enumerate() {
        let mut candidate = child.status.numbers(is_or_node);
        if candidate.phi < INFINITY {
            let crowded = (candidate.phi / 16).saturating_mul(crowd(child.key));
            candidate.phi = candidate.phi.saturating_add(crowded).min(INFINITY - 1);
        }
        if (candidate.phi, candidate.delta) < (first.phi, first.delta) {
            second_phi = first.phi;
            (best, first) = (index, candidate);
        } else {
            second_phi = second_phi.min(candidate.phi);
        }
    }
    // Without the margin of a quarter, two equal children would alternate at every step.
    let phi = thresholds.phi.min(second_phi.saturating_add(second_phi / 4 + 1));
    let others = numbers.delta - first.delta.min(numbers.delta);
    let delta = if thresholds.delta >= INFINITY {
        INFINITY
    } else {
        thresholds.delta.saturating_sub(others)
    };
    // The child has the opposite side to move, which swaps phi and delta.
    let (phi, delta) = (delta, phi);
    (best, ProofNumbers { phi, delta })
}

/// The move with the shortest win.
pub fn shortest_proved<M: Copy>(children: &[ChildNode<M>]) -> Option<ChildNode<M>> {
    let proved = children.iter().filter_map(|child| match child.status {
        NodeStatus::Proved(win) => Some((win.plies, child)),
        _ => None,
    });
    let shortest = proved.min_by_key(|&(plies, _)| plies);
    shortest.map(|(_, child)| *child)
}

fn mix(key: u64) -> u64 {
    (key ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd6e8_feb8_6659_fd93)
}
