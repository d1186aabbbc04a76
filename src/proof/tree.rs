//! Builds a proof from the solved table: a winning move for every position that the defender
//! can reach. Positions whose table entries were overwritten are searched again.
//! Invariant: the distance to the win decreases along every line, so no line repeats a
//! position.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::atomic::AtomicGame;
use super::dfpn::{DfPnSearch, ProofGame, StopCondition, shortest_proved};
use super::status::{ChildNode, NodeStatus, Win};
use crate::rules::{Color, Move, MoveList, Position};

/// A winning strategy: a move of the attacker for every position that can arise.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The side that wins.
    pub attacker: Color,
    /// The position from which it wins, with its history.
    pub root: Position,
    nodes: HashMap<u64, ProofNode>,
}

impl Proof {
    /// The attacker's move in a position of the proof; `None` in any other position and where
    /// the game is over.
    pub fn reply(&self, pos: &Position) -> Option<Move> {
        self.nodes.get(&pos.key())?.mv
    }

    /// The moves with which the proof goes on: the attacker's, or all of the defender.
    pub(crate) fn moves(&self, pos: &Position) -> MoveList {
        if pos.side_to_move() == self.attacker {
            self.reply(pos).into_iter().collect()
        } else {
            pos.legal_moves()
        }
    }

    /// Upper bound on the length of the win in plies from a position of the proof.
    pub fn plies(&self, pos: &Position) -> Option<u16> {
        Some(self.nodes.get(&pos.key())?.win.plies)
    }

    /// The positions of the proof in any order: the key, the attacker's move where it is to move,
    /// and the upper bound on the plies to the end.
    pub(crate) fn positions(&self) -> impl Iterator<Item = (u64, Option<Move>, u16)> {
        self.nodes.iter().map(|(&key, node)| (key, node.mv, node.win.plies))
    }

    /// A line from a position of the proof in which the defender resists as long as the proof
    /// allows.
    pub(crate) fn longest_line(&self, pos: &Position) -> Vec<Move> {
        let mut pos = pos.clone();
        let mut line = Vec::new();
        while pos.outcome().is_none() {
            let mv = self.reply(&pos).or_else(|| {
                let plies_after = |&mv: &Move| self.plies(&pos.after(mv));
                pos.legal_moves().into_iter().max_by_key(plies_after)
            });
            let Some(mv) = mv else { break };
            pos.make(mv);
            line.push(mv);
        }
        line
    }

    /// The proof for a position in which the attacker has already won.
    pub(super) fn empty(root: &Position, attacker: Color) -> Proof {
        Proof { attacker, root: root.clone(), nodes: HashMap::new() }
    }
}

#[derive(Clone, Copy, Debug)]
struct ProofNode {
    mv: Option<Move>,
    win: Win,
}

impl ProofNode {
    const GAME_WON: ProofNode = ProofNode { mv: None, win: Win::within(0) };
}

/// Builds the proof of a root that is won within `plies`. Several threads may build it at once: each
/// begins with other replies and takes over what the others have built.
#[derive(Default)]
pub struct ProofBuilder {
    pub plies: u16,
    /// The greatest length of a win when the root was searched.
    pub depth: Option<u16>,
    pub threads: usize,
    started: AtomicUsize,
    nodes: Mutex<HashMap<u64, ProofNode>>,
}

impl ProofBuilder {
    /// Builds the current position of `search`, the root. False when the stop condition applied
    /// first.
    pub fn build(&self, search: &mut DfPnSearch<AtomicGame>, stop: &mut StopCondition) -> bool {
        let thread = self.started.fetch_add(1, Ordering::Relaxed);
        let mut walk = ProofWalk { builder: self, thread, search, stop };
        walk.build(self.plies, self.depth).is_some()
    }

    pub fn into_proof(self, root: &Position, attacker: Color) -> Proof {
        Proof { attacker, root: root.clone(), nodes: self.nodes.into_inner() }
    }
}

/// One thread that builds a proof.
struct ProofWalk<'a, 'b, 'c> {
    builder: &'a ProofBuilder,
    thread: usize,
    search: &'a mut DfPnSearch<AtomicGame<'c>>,
    stop: &'a mut StopCondition<'b>,
}

impl ProofWalk<'_, '_, '_> {
    /// Builds the current position, which is won within `plies`.
    fn build(&mut self, plies: u16, depth: Option<u16>) -> Option<ProofNode> {
        if plies == 0 {
            return Some(ProofNode::GAME_WON);
        }
        let key = self.search.game.key();
        if let Some(node) = self.builder.nodes.lock().get(&key).copied()
            && node.win.plies <= plies
            && node.win.holds_at(self.search.game.halfmove_clock())
        {
            return Some(node);
        }
        let built = if self.search.game.is_or_node() {
            self.build_or_node(plies, depth)?
        } else {
            self.build_and_node(plies, depth)?
        };
        let mut nodes = self.builder.nodes.lock();
        // The position may have been built again meanwhile, with a shorter win.
        let node = nodes.entry(key).or_insert(built);
        let order = |node: &ProofNode| (node.win.plies, node.win.clock_needed);
        if order(&built) < order(node) {
            *node = built;
        }
        Some(*node)
    }

    fn build_or_node(&mut self, plies: u16, depth: Option<u16>) -> Option<ProofNode> {
        if let Some(mv) = self.search.game.pos.win_in_one() {
            return Some(ProofNode { mv: Some(mv), win: Win::within(1) });
        }
        let (child, depth) = self.winning_move(plies, depth)?;
        let NodeStatus::Proved(win) = child.status else {
            return None;
        };
        self.build_after(child.mv, win.plies, depth)
    }

    fn build_and_node(&mut self, plies: u16, depth: Option<u16>) -> Option<ProofNode> {
        let mut worst = ProofNode::GAME_WON;
        let mut moves = self.search.game.moves();
        let first = self.thread * moves.len() / self.builder.threads;
        moves.rotate_left(first);
        for mv in moves {
            let node = self.build_after(mv, plies.checked_sub(1)?, depth)?;
            worst.win = worst.win.worst(node.win);
        }
        Some(worst)
    }

    /// The node for the current position if `mv` is played in it, which wins within `plies` more.
    fn build_after(&mut self, mv: Move, plies: u16, depth: Option<u16>) -> Option<ProofNode> {
        self.search.game.make(mv);
        let irreversible = self.search.game.halfmove_clock() == 0;
        let node = self.build(plies, child_depth(depth));
        self.search.game.unmake();
        Some(ProofNode { mv: Some(mv), win: node?.win.at_parent(irreversible) })
    }

    /// A move that wins within `plies`, and the depth limit under which its subtree is in the
    /// table. Tries the table first, then a new search with the original depth limit, then one
    /// limited to `plies`, because the second may find a win that is too long.
    fn winning_move(
        &mut self,
        plies: u16,
        depth: Option<u16>,
    ) -> Option<(ChildNode<Move>, Option<u16>)> {
        let in_time = |child: &ChildNode<Move>| matches!(child.status, NodeStatus::Proved(win) if win.plies < plies);
        let known = shortest_proved(&self.children(depth));
        if let Some(child) = known.filter(in_time) {
            return Some((child, depth));
        }
        for depth in [depth, Some(plies)] {
            self.search.solve_root(depth, self.stop);
            if let Some(child) = self.search.winning_child.filter(in_time) {
                return Some((child, depth));
            }
        }
        None
    }

    /// The positions after all moves. Only their verdicts matter, not the numbers of network and
    /// guide.
    fn children(&mut self, depth: Option<u16>) -> Vec<ChildNode<Move>> {
        let (weights, guide) = (self.search.game.weights.take(), self.search.game.guide.take());
        let children = self.search.children(child_depth(depth));
        (self.search.game.weights, self.search.game.guide) = (weights, guide);
        children
    }
}

fn child_depth(depth: Option<u16>) -> Option<u16> {
    depth.map(|depth| depth.saturating_sub(1))
}
