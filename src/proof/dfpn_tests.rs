//! Tests of the search on small random graphs full of cycles and transpositions, whose exact
//! results are computed by retrograde analysis: every answer must agree with them, whatever
//! the order in which the vertices of a graph are searched with one table.

use std::sync::Arc;

use super::dfpn::{DfPnSearch, MAX_PLY, ProofGame, StopCondition, select_child};
use super::helpers::Helpers;
use super::status::{ChildNode, INFINITY, NodeStatus, ProofNumbers, Win, status_from_children};
use super::table::ProofTable;
use crate::host;
use crate::random::Random;

#[derive(Clone, Copy, PartialEq)]
enum Vertex {
    Won,
    NotWon,
    Inner,
}

/// Vertices in layers: moves within a layer are reversible and can repeat positions, moves to
/// the next layer are irreversible. Even vertices are OR nodes.
struct Graph {
    vertices: Vec<Vertex>,
    moves: Vec<Vec<usize>>,
}

const LAYER_SIZE: usize = 12;
const LAYERS: usize = 3;

impl Graph {
    fn random(random: &mut Random) -> Graph {
        let count = LAYER_SIZE * LAYERS;
        let mut graph =
            Graph { vertices: vec![Vertex::Inner; count], moves: vec![Vec::new(); count] };
        for at in 0..count {
            graph.vertices[at] = match random.below(12) {
                0 => Vertex::Won,
                1 => Vertex::NotWon,
                _ => Vertex::Inner,
            };
            let layer = at / LAYER_SIZE;
            for _ in 0..1 + random.below(3) {
                let goes_on = layer + 1 < LAYERS && random.one_in(5);
                let to_layer = layer + usize::from(goes_on);
                let other_parity = 2 * random.below(LAYER_SIZE / 2) + (at + 1) % 2;
                let to = to_layer * LAYER_SIZE + other_parity;
                if !graph.moves[at].contains(&to) {
                    graph.moves[at].push(to);
                }
            }
        }
        graph
    }

    fn is_irreversible(&self, from: usize, to: usize) -> bool {
        from / LAYER_SIZE != to / LAYER_SIZE
    }

    /// For each vertex and clock the number of plies to the win with best play, by retrograde
    /// analysis; `None` where the attacker does not win.
    fn plies_to_win(&self) -> Vec<Vec<Option<u16>>> {
        let mut won = vec![vec![None; 101]; self.vertices.len()];
        for (at, vertex) in self.vertices.iter().enumerate() {
            if *vertex == Vertex::Won {
                won[at] = vec![Some(0); 101];
            }
        }
        for plies in 1.. {
            let mut newly_won = Vec::new();
            for at in 0..self.vertices.len() {
                for clock in 0..100 {
                    if self.vertices[at] != Vertex::Inner || won[at][clock].is_some() {
                        continue;
                    }
                    let wins = |&to: &usize| {
                        let is_reset = self.is_irreversible(at, to);
                        won[to][if is_reset { 0 } else { clock + 1 }].is_some()
                    };
                    let is_won = if at % 2 == 0 {
                        self.moves[at].iter().any(wins)
                    } else {
                        self.moves[at].iter().all(wins)
                    };
                    if is_won {
                        newly_won.push((at, clock));
                    }
                }
            }
            if newly_won.is_empty() {
                return won;
            }
            for (at, clock) in newly_won {
                won[at][clock] = Some(plies);
            }
        }
        unreachable!("the loop returns when no vertex is newly won")
    }
}

struct GraphWalk<'a> {
    graph: &'a Graph,
    /// Vertices and clocks from the start to the current vertex.
    line: Vec<(usize, u16)>,
}

impl GraphWalk<'_> {
    fn current(&self) -> (usize, u16) {
        *self.line.last().expect("a walk has a start")
    }
}

impl ProofGame for GraphWalk<'_> {
    type Move = usize;
    type Moves = Vec<usize>;

    fn is_or_node(&self) -> bool {
        self.current().0.is_multiple_of(2)
    }

    fn moves(&self) -> Vec<usize> {
        self.graph.moves[self.current().0].clone()
    }

    fn make(&mut self, to: usize) {
        let (from, clock) = self.current();
        let is_reset = self.graph.is_irreversible(from, to);
        self.line.push((to, if is_reset { 0 } else { clock + 1 }));
    }

    fn unmake(&mut self) {
        self.line.pop();
    }

    fn key(&self) -> u64 {
        (self.current().0 as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn halfmove_clock(&self) -> u16 {
        self.current().1
    }

    fn evaluate(&mut self, depth: Option<u16>) -> NodeStatus {
        let (at, clock) = self.current();
        match self.graph.vertices[at] {
            Vertex::Won => NodeStatus::GAME_WON,
            Vertex::NotWon => NodeStatus::DISPROVED,
            Vertex::Inner if depth == Some(0) => NodeStatus::DISPROVED,
            Vertex::Inner if clock >= 100 => NodeStatus::FIFTY_MOVE_DRAW,
            Vertex::Inner => NodeStatus::unknown(1),
        }
    }
}

/// Searches many vertices and clocks of random graphs in random order, with one table per graph,
/// with and without a depth limit, together with `helpers` other threads. Returns the numbers of proved and
/// disproved roots.
fn compare(seed: u64, clocks: &[u16], clusters: usize, helpers: usize) -> [u32; 2] {
    let mut random = Random::new(seed);
    let mut counts = [0; 2];
    for _ in 0..300 {
        let graph = Graph::random(&mut random);
        let plies_to_win = graph.plies_to_win();
        let walk = |line| GraphWalk { graph: &graph, line };
        let table = ProofTable::with_clusters(clusters).unwrap();
        let table = Arc::new(table.with_crowds());
        let mut search = DfPnSearch::new(walk(Vec::new()), Arc::clone(&table));
        for _ in 0..20 {
            let at = random.below(graph.vertices.len());
            let clock = clocks[random.below(clocks.len())];
            if graph.vertices[at] != Vertex::Inner {
                continue;
            }
            let depth = [None, Some(random.below(12) as u16)][random.below(2)];
            let expected = plies_to_win[at][usize::from(clock)]
                .filter(|&plies| depth.is_none_or(|max| plies <= max));
            search.game.line = vec![(at, clock)];
            let mut stop =
                StopCondition { max_nodes: search.nodes + 1_000_000, should_stop: &mut |_| false };
            let others = Helpers::default();
            let help = || {
                let game = walk(vec![(at, clock)]);
                others.help(&mut DfPnSearch::new(game, Arc::clone(&table)), depth);
            };
            let status = host::with_helpers("helper", 1 << 20, helpers, help, || {
                search.solve_root(depth, &mut stop)
            });
            match (status, expected) {
                (NodeStatus::Proved(win), Some(least)) => {
                    let plies = win.plies;
                    assert!(plies >= least && depth.is_none_or(|max| plies <= max));
                    assert!(clock + u16::from(win.clock_needed) <= 100);
                    // The vertex is won at the highest clock that the status allows.
                    let max_clock = 100 - usize::from(win.clock_needed);
                    assert!(plies_to_win[at][max_clock].is_some());
                    counts[0] += 1;
                }
                (NodeStatus::Disproved(disproof), None) => {
                    assert!(!search.line_cut_off);
                    assert_eq!(disproof.depends_on, None, "a root has no ancestors");
                    assert!(u16::from(disproof.min_clock) <= clock);
                    counts[1] += 1;
                }
                _ => panic!("{status:?}, but {expected:?}; {at} {clock} {depth:?}"),
            }
        }
    }
    counts
}

/// Also near the fifty-move limit, with a tiny table, and with threads that share the table.
#[test]
fn answers_on_cyclic_graphs_are_correct() {
    for (seed, clocks, clusters, helpers) in [
        (1, &[0][..], 1000, 0),
        (2, &[0, 85, 90, 93, 95, 96, 97, 98, 99], 1000, 0),
        (3, &[0, 90, 95, 97], 3, 0),
        (4, &[0, 90, 95, 97], 1000, 2),
        (5, &[0, 90, 95, 97], 3, 2),
    ] {
        let [proved, disproved] = compare(seed, clocks, clusters, helpers);
        assert!(proved > 500 && disproved > 500, "{proved} {disproved}");
    }
}

/// As a helper searches it, but on this thread.
#[test]
fn a_line_is_cut_off_at_the_maximum_length() {
    for length in [MAX_PLY, MAX_PLY + 1] {
        let mut vertices = vec![Vertex::Inner; length];
        vertices.push(Vertex::Won);
        let graph = Graph { vertices, moves: (1..=length).map(|to| vec![to]).collect() };
        let table = Arc::new(ProofTable::with_clusters(1000).unwrap());
        let mut search = DfPnSearch::new(GraphWalk { graph: &graph, line: vec![(0, 0)] }, table);
        let helpers = Helpers::default();
        helpers.help(&mut search, None);
        assert!(helpers.have_result() && helpers.take_result() && !helpers.take_result());
        assert_eq!(helpers.nodes(), search.nodes);
        assert_eq!(search.winning_child.is_some(), length == MAX_PLY);
        assert_eq!(helpers.line_cut_off(), length > MAX_PLY);
    }
}

#[test]
fn the_best_result_decides() {
    let of = |children: [NodeStatus; 2], is_or_node| {
        let child = |status| ChildNode { mv: (), key: 0, irreversible: false, status };
        status_from_children(&children.map(child), is_or_node, 9)
    };
    let wins = [3, 5, 4, 6].map(|plies| NodeStatus::Proved(Win::within(plies)));
    let repetitions = [2, 7].map(|ply| NodeStatus::disproved(0, Some(ply)));
    assert_eq!([true, false].map(|is_or_node| of([wins[0], wins[1]], is_or_node)), wins[2..]);
    assert_eq!([true, false].map(|is_or_node| of(repetitions, is_or_node)), repetitions);
}

#[test]
fn threads_prefer_children_that_no_other_thread_searches() {
    let best = |numbers: [u32; 2], crowd: u32| {
        let children = [0, 1].map(|key| {
            let status = match numbers[key] {
                INFINITY => NodeStatus::disproved(0, None),
                proof => NodeStatus::Unknown { proof, disproof: 5 },
            };
            ChildNode { mv: (), key: key as u64, irreversible: false, status }
        });
        let infinite = ProofNumbers::INFINITE;
        let crowd = |key| if key == 0 { crowd } else { 0 };
        select_child(&children, true, infinite, infinite, crowd).0
    };
    assert_eq!([0, 1, 2].map(|crowd| best([16, 17], crowd)), [0, 0, 1]);
    // However many they are, a child that is not disproved is better than one that is.
    assert_eq!([0, 1, 1_000].map(|crowd| best([INFINITY - 1, INFINITY], crowd)), [0; 3]);
}
