//! Best-first proof-number search for wins that take hours. Each leaf of this tree is searched by
//! df-pn; a search that ends without a result makes the leaf an inner node.
//! Invariant: the graph has no cycles, because positions with different halfmove clocks are
//! different nodes. A solved root is only a plan: the proof is built and verified afterwards.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::mem;

use serde::{Deserialize, Serialize};

use super::status::{ChildNode, LEAF, NodeStatus, Win, status_from_children};
use crate::rules::{Color, Move, Position};

/// The result of a search of a leaf.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LeafResult {
    /// The attacker wins within this many plies.
    Proved(u16),
    /// The attacker has no forced win.
    Disproved,
    /// Neither; what the search knows of the positions after all moves.
    Open(Vec<(Move, LeafStatus)>),
}

/// What a search knows of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LeafStatus {
    /// The attacker wins within this many plies.
    Proved(u16),
    /// The attacker has no forced win.
    Disproved,
    /// Proof and disproof number, in 64ths of a leaf.
    Open(u32, u32),
}

impl LeafStatus {
    /// As likely to be solved as a position that is disproved on another path.
    pub(super) const REPETITION: LeafStatus = LeafStatus::Open(100 * LEAF, LEAF);

    pub(super) fn of(status: NodeStatus) -> LeafStatus {
        match status {
            NodeStatus::Proved(win) => LeafStatus::Proved(win.plies),
            // No path leads to a leaf, so this depends on no repetition.
            NodeStatus::Disproved(_) => LeafStatus::Disproved,
            NodeStatus::Unknown { proof, disproof } => LeafStatus::Open(proof, disproof),
        }
    }

    fn status(self) -> NodeStatus {
        match self {
            LeafStatus::Proved(plies) => NodeStatus::Proved(Win {
                plies,
                clock_needed: u8::try_from(plies).unwrap_or(u8::MAX),
            }),
            LeafStatus::Disproved => NodeStatus::DISPROVED,
            LeafStatus::Open(proof, disproof) => NodeStatus::Unknown { proof, disproof },
        }
    }
}

/// A leaf that is being searched.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// The position, without its history.
    pub pos: Position,
    /// The keys of the positions from the root to this one, exclusive: its own cannot come back in
    /// one move.
    keys: Vec<u64>,
    /// The nodes from the root to the leaf.
    path: Vec<usize>,
}

impl Leaf {
    /// The moves of a leaf that is not solved.
    pub(super) fn moves(&self, children: &[ChildNode<Move>]) -> Vec<(Move, LeafStatus)> {
        let status = |child: &ChildNode<Move>| {
            if self.keys.contains(&child.key) {
                return LeafStatus::REPETITION;
            }
            LeafStatus::of(child.status)
        };
        children.iter().map(|child| (child.mv, status(child))).collect()
    }
}

/// The upper tree of a search in two levels.
pub struct BestFirstTree {
    root: Position,
    attacker: Color,
    nodes: Vec<Node>,
    /// The nodes by the keys and halfmove clocks of their positions.
    index: HashMap<(u64, u16), usize>,
}

struct Node {
    key: u64,
    is_or_node: bool,
    status: NodeStatus,
    /// Empty for a leaf.
    children: Vec<Child>,
    parents: Vec<usize>,
    /// Leaves below, or this one, that are being searched.
    crowd: u32,
}

#[derive(Clone, Copy)]
struct Child {
    mv: Move,
    is_irreversible: bool,
    node: usize,
}

impl BestFirstTree {
    /// A tree of one leaf, from which `attacker` is to win. Moves before `root` do not count.
    pub fn new(root: &Position, attacker: Color) -> BestFirstTree {
        let mut tree = BestFirstTree {
            root: root.without_history(),
            attacker,
            nodes: Vec::new(),
            index: HashMap::new(),
        };
        tree.node(root, NodeStatus::unknown(1));
        tree
    }

    /// The position of the root, without its history.
    pub fn root(&self) -> &Position {
        &self.root
    }

    /// Whether the attacker wins, if that is known.
    pub fn verdict(&self) -> Option<bool> {
        let status = self.nodes[0].status;
        status.is_terminal().then(|| status.is_proved())
    }

    /// Proof and disproof number of the root, in leaves.
    pub fn numbers(&self) -> (u32, u32) {
        let numbers = self.nodes[0].status.numbers(true);
        (numbers.phi.div_ceil(LEAF), numbers.delta.div_ceil(LEAF))
    }

    /// The number of positions in the tree.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The proved positions by their keys, the shortest wins last.
    pub(super) fn wins(&self) -> Vec<(u64, Win)> {
        let wins = self.nodes.iter().filter_map(|node| match node.status {
            NodeStatus::Proved(win) => Some((node.key, win)),
            _ => None,
        });
        let mut wins: Vec<(u64, Win)> = wins.collect();
        wins.sort_by_key(|&(_, win)| Reverse(win));
        wins
    }

    /// The most-proving leaf that is not being searched; `None` if there is none. It counts as
    /// being searched until [`BestFirstTree::add`].
    pub fn take_leaf(&mut self) -> Option<Leaf> {
        let mut path = Vec::new();
        if self.verdict().is_some() || !self.descend(0, &mut path) {
            return None;
        }
        let (mut pos, mut keys) = (self.root.clone(), Vec::new());
        for pair in path.windows(2) {
            keys.push(pos.key());
            let mut children = self.nodes[pair[0]].children.iter();
            let child = children.find(|child| child.node == pair[1]);
            pos.make(child.expect("a child on the path").mv);
        }
        for &node in &path {
            self.nodes[node].crowd += 1;
        }
        Some(Leaf { pos: pos.without_history(), keys, path })
    }

    /// Appends the most-proving line from `at` to the path. False if all its leaves are being
    /// searched.
    fn descend(&self, at: usize, path: &mut Vec<usize>) -> bool {
        let node = &self.nodes[at];
        path.push(at);
        if node.children.is_empty() && node.crowd == 0 {
            return true;
        }
        let mut open: Vec<(u32, u32, usize)> = Vec::new();
        for child in &node.children {
            let Node { status, crowd, .. } = &self.nodes[child.node];
            if !status.is_terminal() {
                let numbers = status.numbers(node.is_or_node);
                // Threads spread a little, like those of the solver.
                let phi = numbers.phi.saturating_add(numbers.phi / 16 * crowd);
                open.push((phi, numbers.delta, child.node));
            }
        }
        open.sort_unstable();
        let found = open.into_iter().any(|(_, _, child)| self.descend(child, path));
        if !found {
            path.pop();
        }
        found
    }

    /// Ends the search of a leaf with a result.
    pub fn add(&mut self, leaf: &Leaf, result: &LeafResult) {
        for &node in &leaf.path {
            self.nodes[node].crowd -= 1;
        }
        let at = *leaf.path.last().expect("a leaf on its path");
        self.set_result(at, &leaf.pos, result);
        let mut changed = vec![at];
        while let Some(node) = changed.pop() {
            if self.update(node) {
                changed.extend(&self.nodes[node].parents);
            }
        }
    }

    /// Adds the results of an earlier run to a new tree.
    pub fn restore(&mut self, find: &dyn Fn(&Position) -> Option<LeafResult>) {
        let root = self.root.clone();
        self.restore_below(0, &root, find);
    }

    fn restore_below(
        &mut self,
        at: usize,
        pos: &Position,
        find: &dyn Fn(&Position) -> Option<LeafResult>,
    ) {
        let node = &self.nodes[at];
        if !node.children.is_empty() || node.status.is_terminal() {
            return;
        }
        let Some(result) = find(pos) else { return };
        self.set_result(at, pos, &result);
        for child in self.nodes[at].children.clone() {
            self.restore_below(child.node, &after(pos, child.mv), find);
        }
        self.update(at);
    }

    /// Calls `visit` with each position whose result is needed to restore the tree: what decides
    /// a solved node, with one move for the side that decides it, and all below the other nodes.
    pub fn visit_needed(&self, visit: &mut dyn FnMut(&Position)) {
        let mut seen = vec![false; self.nodes.len()];
        self.visit_below(0, &self.root, &mut seen, visit);
    }

    fn visit_below(
        &self,
        at: usize,
        pos: &Position,
        seen: &mut [bool],
        visit: &mut dyn FnMut(&Position),
    ) {
        if mem::replace(&mut seen[at], true) {
            return;
        }
        visit(pos);
        let node = &self.nodes[at];
        let mut children: Vec<&Child> = node.children.iter().collect();
        let status = |child: &Child| self.nodes[child.node].status;
        let plies = |child: &&Child| match status(child) {
            NodeStatus::Proved(win) => win.plies,
            _ => u16::MAX,
        };
        match node.status {
            NodeStatus::Proved(_) if node.is_or_node => {
                children.sort_by_key(plies);
                children.truncate(1);
            }
            NodeStatus::Disproved(_) if !node.is_or_node => {
                children.retain(|child| matches!(status(child), NodeStatus::Disproved(_)));
                children.truncate(1);
            }
            _ => {}
        }
        for child in children {
            self.visit_below(child.node, &after(pos, child.mv), seen, visit);
        }
    }

    fn set_result(&mut self, at: usize, pos: &Position, result: &LeafResult) {
        match result {
            LeafResult::Proved(plies) => {
                self.nodes[at].status = LeafStatus::Proved(*plies).status();
            }
            LeafResult::Disproved => self.nodes[at].status = NodeStatus::DISPROVED,
            LeafResult::Open(moves) => {
                for &(mv, status) in moves {
                    let after = after(pos, mv);
                    let child = Child {
                        mv,
                        is_irreversible: after.halfmove_clock() == 0,
                        node: self.node(&after, status.status()),
                    };
                    self.nodes[at].children.push(child);
                    self.nodes[child.node].parents.push(at);
                }
            }
        }
    }

    /// The node of a position; a new one has this status.
    fn node(&mut self, pos: &Position, status: NodeStatus) -> usize {
        let key = pos.key();
        let count = self.nodes.len();
        let at = *self.index.entry((key, pos.halfmove_clock())).or_insert(count);
        if at == count {
            self.nodes.push(Node {
                key,
                is_or_node: pos.side_to_move() == self.attacker,
                status,
                children: Vec::new(),
                parents: Vec::new(),
                crowd: 0,
            });
        }
        at
    }

    /// Computes the status of an inner node. True if the status of the node is new.
    fn update(&mut self, at: usize) -> bool {
        let node = &self.nodes[at];
        if node.children.is_empty() {
            return true;
        }
        let children: Vec<ChildNode<Move>> = node
            .children
            .iter()
            .map(|child| ChildNode {
                mv: child.mv,
                key: 0,
                irreversible: child.is_irreversible,
                status: self.nodes[child.node].status,
            })
            .collect();
        let status = status_from_children(&children, node.is_or_node, 0);
        status != mem::replace(&mut self.nodes[at].status, status)
    }
}

/// The position after a move, without its history.
fn after(pos: &Position, mv: Move) -> Position {
    pos.after(mv).without_history()
}
