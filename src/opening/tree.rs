//! A tree of analysed opening positions. Values are propagated to the root by negamax, and the
//! tree is extended at positions that near-optimal play can reach.
//! Invariant: the pending positions depend only on the analyses, not on their order.

use std::collections::{HashMap, HashSet};
use std::mem;

use super::{Book, BookEntry, RankedMoves, WEIGHT_HALVING, polyglot_key, polyglot_move};
use crate::eval::score::{self, Value};
use crate::notation::fen::{self, CastlingStyle};
use crate::rules::{Move, Position};

const BEST_WEIGHT: f64 = 10_000.0;

#[derive(Clone, Debug)]
pub struct PendingPosition {
    /// The first four fields of its FEN.
    pub epd: String,
    position: Position,
}

impl PendingPosition {
    /// The position without history and with reset clocks, so that its analysis does not depend on
    /// the moves that led to it.
    pub fn without_history(&self) -> Position {
        fen::parse(&self.epd, self.position.variant())
            .expect("a FEN written by this program is valid")
    }
}

#[derive(Debug)]
struct TreeNode {
    edges: Vec<TreeEdge>,
    /// Value of the best move in internal units for the side to move.
    value: Value,
}

#[derive(Debug)]
struct TreeEdge {
    mv: Move,
    /// Value in the analysis of the position itself.
    analysed: Value,
    /// Value propagated from the child, or the analysed value.
    value: Value,
    /// Key of the position after the move; `None` if the game is over.
    child: Option<u64>,
}

pub struct BookTree {
    start: Position,
    /// Depth of the tree in plies: positions at this ply are not analysed.
    plies: usize,
    /// The maximum total loss of value, of both sides together, on the way to a position, in
    /// internal units. A move that alone loses more is not included in the book.
    margin: Value,
    nodes: HashMap<u64, TreeNode>,
}

impl BookTree {
    pub fn new(start: Position, plies: usize, margin: Value) -> BookTree {
        BookTree { start, plies, margin, nodes: HashMap::new() }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The positions to be analysed next, nearest to the root first; none when the tree is
    /// complete. Call [`BookTree::propagate_values`] after additions.
    pub fn pending(&self) -> Vec<PendingPosition> {
        let mut pending = Vec::new();
        let mut seen = HashSet::from([polyglot_key(&self.start)]);
        let mut layer = vec![(self.start.clone(), 0)];
        for _ in 0..self.plies {
            let mut next: Vec<(Position, Value)> = Vec::new();
            let mut indices: HashMap<u64, usize> = HashMap::new();
            for (pos, loss) in layer {
                let Some(node) = self.nodes.get(&polyglot_key(&pos)) else {
                    pending.push(PendingPosition {
                        epd: fen::write_without_clocks(&pos, CastlingStyle::XFen),
                        position: pos,
                    });
                    continue;
                };
                // A decided position needs no book moves.
                if score::is_decisive(node.value) {
                    continue;
                }
                for edge in &node.edges {
                    let loss = loss + (node.value - edge.value);
                    let Some(child) = edge.child.filter(|_| loss <= self.margin) else {
                        continue;
                    };
                    match indices.get(&child) {
                        Some(&index) => next[index].1 = next[index].1.min(loss),
                        None if seen.insert(child) => {
                            indices.insert(child, next.len());
                            next.push((pos.after(edge.mv), loss));
                        }
                        None => {}
                    }
                }
            }
            layer = next;
        }
        pending
    }

    pub fn add(&mut self, pending: &PendingPosition, analysis: &RankedMoves) {
        let edges = analysis.iter().map(|&(mv, value)| {
            let after = pending.position.after(mv);
            let game_continues = after.outcome_by_rule().is_none();
            TreeEdge {
                mv,
                analysed: value,
                value,
                child: game_continues.then(|| polyglot_key(&after)),
            }
        });
        let edges: Vec<TreeEdge> = edges.collect();
        let value = best_value(&edges);
        let key = polyglot_key(&pending.position);
        self.nodes.insert(key, TreeNode { edges, value });
    }

    /// Propagates all values to the root. The graph may contain cycles; one sweep per ply of the
    /// tree gives the values of play to that depth.
    pub fn propagate_values(&mut self) {
        // The first sweep knows no positions after the moves, and so starts from the analyses.
        let mut values: HashMap<u64, Value> = HashMap::new();
        for _ in 0..=self.plies + 1 {
            for node in self.nodes.values_mut() {
                for edge in &mut node.edges {
                    let child = edge.child.and_then(|child| values.get(&child));
                    edge.value = child.map_or(edge.analysed, |&value| value_at_parent(value));
                }
                node.value = best_value(&node.edges);
            }
            let found = self.nodes.iter().map(|(&key, node)| (key, node.value));
            let found = found.collect();
            if mem::replace(&mut values, found) == values {
                return;
            }
        }
    }

    pub fn book(&self) -> Book {
        let mut entries = Vec::new();
        for (&key, node) in &self.nodes {
            for edge in &node.edges {
                let loss = node.value - edge.value;
                let weight = BEST_WEIGHT * (-f64::from(loss) / WEIGHT_HALVING).exp2();
                if loss <= self.margin && weight >= 0.5 {
                    entries.push(BookEntry {
                        key,
                        code: polyglot_move(edge.mv),
                        weight: weight.round() as u16,
                        learn: 0,
                    });
                }
            }
        }
        Book::new(entries)
    }

    /// The best line from the root through analysed positions, and its value in internal units for
    /// the side to move at the root; `None` while the root is not analysed.
    pub fn main_line(&self) -> Option<(Vec<Move>, Value)> {
        let mut pos = self.start.clone();
        let value = self.nodes.get(&polyglot_key(&pos))?.value;
        let mut line = Vec::new();
        while line.len() < self.plies
            && let Some(node) = self.nodes.get(&polyglot_key(&pos))
            && let Some(edge) = node.edges.iter().find(|edge| edge.value == node.value)
        {
            line.push(edge.mv);
            pos.make(edge.mv);
        }
        Some((line, value))
    }
}

fn best_value(edges: &[TreeEdge]) -> Value {
    let values = edges.iter().map(|edge| edge.value);
    values.max().unwrap_or(score::DRAW)
}

/// The value of a move from that of the position after it; decisive values are one ply further
/// away.
fn value_at_parent(value: Value) -> Value {
    if score::is_decisive(value) { value.signum() - value } else { -value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::coord;
    use crate::walk::{play, position};

    fn new_tree(plies: usize, margin: Value) -> BookTree {
        BookTree::new(position("startpos"), plies, margin)
    }

    /// Adds an analysis of the pending position after the given moves.
    fn analyse(tree: &mut BookTree, moves: &str, lines: &[(&str, Value)]) {
        let mut pos = tree.start.clone();
        play(&mut pos, moves);
        let mut pending = tree.pending().into_iter();
        let pending = pending.find(|pending| pending.position.key() == pos.key());
        let pending = pending.expect("a pending position");
        let moves = lines.iter();
        let moves = moves.map(|&(text, value)| (coord::parse(&pos, text).expect("legal"), value));
        tree.add(&pending, &moves.collect());
        tree.propagate_values();
    }

    #[test]
    fn values_propagate_and_new_best_moves_become_pending() {
        let mut tree = new_tree(2, 20);
        assert_eq!(tree.pending().len(), 1);
        analyse(&mut tree, "", &[("g1f3", 50), ("e2e4", 35), ("d2d4", 0)]);
        // d2d4 loses more than the margin.
        assert_eq!(tree.pending().len(), 2);
        analyse(&mut tree, "g1f3", &[("f7f6", 10)]);
        assert_eq!(tree.main_line().expect("an analysed root").1, 35);
        analyse(&mut tree, "e2e4", &[("e7e5", 5), ("e7e6", -40)]);
        // Now the value of e2e4 is -5 and that of g1f3 -10, so that d2d4 is best.
        let pending = tree.pending();
        assert_eq!(pending.len(), 1);
        assert_eq!(pending[0].epd, "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq -");
        analyse(&mut tree, "d2d4", &[("d7d5", 30)]);
        assert!(tree.pending().is_empty());
        let (line, value) = tree.main_line().expect("an analysed root");
        let texts: Vec<String> = line.iter().map(|&mv| coord::write(mv, true)).collect();
        assert_eq!((texts.join(" ").as_str(), value), ("e2e4 e7e5", -5));
        let moves = tree.book().moves(&tree.start);
        let weights: Vec<u16> = moves.iter().map(|book_move| book_move.weight).collect();
        // g1f3 is worse by 5; d2d4 is worse by 25, which exceeds the margin.
        assert_eq!(weights, [10_000, 7071]);
    }

    #[test]
    fn mates_are_adjusted_by_ply_and_not_extended() {
        let mut tree = new_tree(6, 100);
        analyse(&mut tree, "", &[("g1f3", 20)]);
        analyse(&mut tree, "g1f3", &[("f7f6", score::mated_in(4))]);
        let (_, value) = tree.main_line().expect("an analysed root");
        assert_eq!(value, score::mate_in(5));
        assert!(tree.pending().is_empty());
    }

    #[test]
    fn repetitions_do_not_extend_the_tree_forever() {
        let mut tree = new_tree(12, 50);
        let cycle = ["g1f3", "g8f6", "f3g1", "f6g8"];
        for ply in 0..4 {
            analyse(&mut tree, &cycle[..ply].join(" "), &[(cycle[ply], 10)]);
        }
        assert!(tree.pending().is_empty());
        assert_eq!(tree.book().positions(), 4);
    }
}
