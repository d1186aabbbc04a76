//! A tree of opening positions whose values go back to the root by negamax, and which asks for
//! more positions where best play of both sides may lead.
//! Invariant: what is asked for depends on the judgements alone, not on when they came.

use std::collections::{HashMap, HashSet};

use super::{Book, Entry, Judgement, code_of, key};
use crate::eval::score::{self, Value};
use crate::notation::fen::{self, CastlingStyle};
use crate::rules::{Move, Position};

/// A move that is so many centipawns worse than the best gets half of its weight.
const HALVING: f64 = 10.0;
/// The weight of the best move.
const FULL_WEIGHT: f64 = 10_000.0;

/// What is to be searched.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where the book begins.
    pub start: Position,
    /// Positions so many plies further on are not searched any more.
    pub plies: usize,
    /// How many centipawns both sides together may give away on the way to a position; a move
    /// that alone gives away more gets no entry.
    pub margin: Value,
}

/// A position that the tree wants to have judged.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Its first four fields.
    pub epd: String,
    position: Position,
}

impl Wanted {
    fn new(position: Position) -> Wanted {
        let text = fen::write(&position, CastlingStyle::XFen);
        let fields: Vec<&str> = text.split(' ').take(4).collect();
        Wanted {
            epd: fields.join(" "),
            position,
        }
    }

    /// The position with clocks at zero and nothing before it, so that its judgement does not
    /// depend on the way there.
    ///
    /// # Panics
    /// Never: the text is our own.
    pub fn bare(&self) -> Position {
        fen::parse(&self.epd, self.position.variant()).expect("a position we wrote")
    }
}

/// A judged position.
#[derive(Debug)]
struct Node {
    edges: Vec<Edge>,
    /// Of the best move, for the side to move.
    value: Value,
}

#[derive(Debug)]
struct Edge {
    mv: Move,
    /// What the search of the position itself said.
    searched: Value,
    /// What is known by now.
    value: Value,
    /// The position it leads to; `None` when that ends the game.
    child: Option<u64>,
}

/// The tree.
pub struct Tree {
    plan: Plan,
    nodes: HashMap<u64, Node>,
}

impl Tree {
    /// A tree of which nothing is known.
    pub fn new(plan: Plan) -> Tree {
        Tree {
            plan,
            nodes: HashMap::new(),
        }
    }

    /// Number of judged positions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True before the first judgement.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The positions to be judged next, nearest to the start first; none when the tree is
    /// complete. Call [`Tree::settle`] after additions.
    pub fn wanted(&self) -> Vec<Wanted> {
        let mut wanted = Vec::new();
        let mut seen = HashSet::from([key(&self.plan.start)]);
        let mut layer = vec![(self.plan.start.clone(), 0)];
        for _ in 0..self.plan.plies {
            let mut next: Vec<(Position, Value)> = Vec::new();
            let mut places: HashMap<u64, usize> = HashMap::new();
            for (pos, given) in layer {
                let Some(node) = self.nodes.get(&key(&pos)) else {
                    wanted.push(Wanted::new(pos));
                    continue;
                };
                // Whoever wins by force needs no book.
                if score::is_decisive(node.value) {
                    continue;
                }
                for edge in &node.edges {
                    let given = given + (node.value - edge.value);
                    let Some(child) = edge.child.filter(|_| given <= self.plan.margin) else {
                        continue;
                    };
                    match places.get(&child) {
                        Some(&at) => next[at].1 = next[at].1.min(given),
                        None if seen.insert(child) => {
                            let mut after = pos.clone();
                            after.make(edge.mv);
                            places.insert(child, next.len());
                            next.push((after, given));
                        }
                        None => {}
                    }
                }
            }
            layer = next;
        }
        wanted
    }

    /// Adds the judgement of a position that was wanted.
    pub fn add(&mut self, wanted: &Wanted, judgement: &Judgement) {
        let edges = judgement.lines.iter().map(|&(mv, value)| {
            let mut after = wanted.position.clone();
            after.make(mv);
            let goes_on = after.outcome_by_rule().is_none();
            Edge {
                mv,
                searched: value,
                value,
                child: goes_on.then(|| key(&after)),
            }
        });
        let edges: Vec<Edge> = edges.collect();
        let value = best(&edges);
        let key = key(&wanted.position);
        self.nodes.insert(key, Node { edges, value });
    }

    /// Takes all values back to the start. Positions may return to earlier ones; as many
    /// sweeps as the tree has plies give each the value of play to that depth.
    pub fn settle(&mut self) {
        for node in self.nodes.values_mut() {
            for edge in &mut node.edges {
                edge.value = edge.searched;
            }
            node.value = best(&node.edges);
        }
        for _ in 0..=self.plan.plies {
            let values: HashMap<u64, Value> = self
                .nodes
                .iter()
                .map(|(&key, node)| (key, node.value))
                .collect();
            let mut changed = false;
            for node in self.nodes.values_mut() {
                for edge in &mut node.edges {
                    let child = edge.child.and_then(|child| values.get(&child));
                    edge.value = child.map_or(edge.searched, |&value| seen_from_above(value));
                }
                let value = best(&node.edges);
                changed |= value != node.value;
                node.value = value;
            }
            if !changed {
                return;
            }
        }
    }

    /// The book of all judged positions.
    pub fn book(&self) -> Book {
        let mut entries = Vec::new();
        for (&key, node) in &self.nodes {
            for edge in &node.edges {
                let loss = node.value - edge.value;
                let weight = FULL_WEIGHT * (-f64::from(loss) / HALVING).exp2();
                if loss <= self.plan.margin && weight >= 0.5 {
                    entries.push(Entry {
                        key,
                        code: code_of(edge.mv),
                        weight: weight.round() as u16,
                        learn: 0,
                    });
                }
            }
        }
        Book::new(entries)
    }

    /// Best play of both sides from the start, as far as it is judged, and its value for the
    /// side to move there; `None` while the start is not judged.
    pub fn main_line(&self) -> Option<(Vec<Move>, Value)> {
        let mut pos = self.plan.start.clone();
        let value = self.nodes.get(&key(&pos))?.value;
        let mut line = Vec::new();
        while let Some(node) = self
            .nodes
            .get(&key(&pos))
            .filter(|_| line.len() < self.plan.plies)
        {
            let Some(edge) = node.edges.iter().find(|edge| edge.value == node.value) else {
                break;
            };
            line.push(edge.mv);
            pos.make(edge.mv);
        }
        Some((line, value))
    }
}

fn best(edges: &[Edge]) -> Value {
    edges
        .iter()
        .map(|edge| edge.value)
        .max()
        .unwrap_or(score::DRAW)
}

/// The value of a move from that of the position after it: mates are a ply further away.
fn seen_from_above(value: Value) -> Value {
    match -value {
        value if value >= score::TABLE_BOUND => value - 1,
        value if value <= -score::TABLE_BOUND => value + 1,
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::coord;
    use crate::rules::Variant;

    fn plan(plies: usize, margin: Value) -> Plan {
        Plan {
            start: Position::startpos(Variant::Atomic),
            plies,
            margin,
        }
    }

    fn judged(wanted: &Wanted, lines: &[(&str, Value)]) -> Judgement {
        let pos = wanted.bare();
        let named = lines.iter();
        let lines = named.map(|&(text, value)| (coord::parse(&pos, text).expect("legal"), value));
        Judgement {
            lines: lines.collect(),
        }
    }

    /// The first wanted position after these moves, judged.
    fn judge(tree: &mut Tree, moves: &[&str], lines: &[(&str, Value)]) {
        let mut pos = tree.plan.start.clone();
        for text in moves {
            pos.make(coord::parse(&pos, text).expect("legal"));
        }
        let wanted = tree.wanted();
        let wanted = wanted
            .iter()
            .find(|wanted| wanted.position.key() == pos.key());
        let wanted = wanted.expect("it is wanted");
        tree.add(wanted, &judged(wanted, lines));
        tree.settle();
    }

    #[test]
    fn values_go_back_and_what_becomes_best_is_asked_for() {
        let mut tree = Tree::new(plan(2, 20));
        assert_eq!(tree.wanted().len(), 1);
        judge(&mut tree, &[], &[("g1f3", 50), ("e2e4", 35), ("d2d4", 0)]);
        // d2d4 gives away more than the margin.
        assert_eq!(tree.wanted().len(), 2);
        judge(&mut tree, &["g1f3"], &[("f7f6", 10)]);
        assert_eq!(tree.main_line().expect("judged").1, 35);
        judge(&mut tree, &["e2e4"], &[("e7e5", 5), ("e7e6", -40)]);
        // Now e2e4 is worth -5 and g1f3 -10, so that d2d4 is best.
        let wanted = tree.wanted();
        assert_eq!(wanted.len(), 1);
        assert_eq!(
            wanted[0].epd,
            "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq -"
        );
        judge(&mut tree, &["d2d4"], &[("d7d5", 30)]);
        assert!(tree.wanted().is_empty());
        let (line, value) = tree.main_line().expect("judged");
        let texts: Vec<String> = line.iter().map(|&mv| coord::write(mv, true)).collect();
        assert_eq!((texts.join(" ").as_str(), value), ("e2e4 e7e5", -5));
        let moves = tree.book().moves(&tree.plan.start);
        let weights: Vec<u16> = moves.iter().map(|found| found.weight).collect();
        // 5 centipawns less, then 25, which is more than the margin.
        assert_eq!(weights, [10_000, 7071]);
    }

    #[test]
    fn mates_are_further_away_above_and_are_not_followed() {
        let mut tree = Tree::new(plan(6, 100));
        judge(&mut tree, &[], &[("g1f3", 20)]);
        judge(&mut tree, &["g1f3"], &[("f7f6", score::loss_in(4))]);
        assert_eq!(tree.main_line().expect("judged").1, score::win_in(5));
        assert!(tree.wanted().is_empty());
    }

    #[test]
    fn returning_to_an_earlier_position_comes_to_an_end() {
        let mut tree = Tree::new(plan(12, 50));
        let dance = ["g1f3", "g8f6", "f3g1", "f6g8"];
        for ply in 0..4 {
            judge(&mut tree, &dance[..ply], &[(dance[ply], 10)]);
        }
        assert!(tree.wanted().is_empty());
        assert_eq!(tree.book().positions(), 4);
    }
}
