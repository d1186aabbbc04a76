//! The search on small random graphs full of cycles and transpositions, where the truth can
//! be worked out by counting backwards: every answer must agree with it, in whatever order
//! positions are asked on one table.

use super::dfpn::{Brake, Game, Solver};
use super::status::Status;
use super::table::Table;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Vertex {
    Won,
    Denied,
    Inner,
}

/// Vertices in layers: within a layer moves go back and forth and can be repeated, to the
/// next layer they start the clock anew and cannot. Even vertices belong to the attacker.
struct Graph {
    vertices: Vec<Vertex>,
    moves: Vec<Vec<usize>>,
    layer: usize,
}

const LAYER: usize = 12;
const LAYERS: usize = 3;

impl Graph {
    fn random(random: &mut Random) -> Graph {
        let count = LAYER * LAYERS;
        let mut graph = Graph {
            vertices: vec![Vertex::Inner; count],
            moves: vec![Vec::new(); count],
            layer: LAYER,
        };
        for at in 0..count {
            graph.vertices[at] = match random.below(12) {
                0 => Vertex::Won,
                1 => Vertex::Denied,
                _ => Vertex::Inner,
            };
            let layer = at / LAYER;
            for _ in 0..1 + random.below(3) {
                let to = if layer + 1 < LAYERS && random.below(5) == 0 {
                    layer + 1
                } else {
                    layer
                };
                let other = 2 * random.below(LAYER / 2) + (at + 1) % 2;
                let to = to * LAYER + other;
                if !graph.moves[at].contains(&to) {
                    graph.moves[at].push(to);
                }
            }
        }
        graph
    }

    fn zeroes(&self, from: usize, to: usize) -> bool {
        from / self.layer != to / self.layer
    }

    /// For each vertex and clock the moves to the win with best play, by counting backwards.
    fn truth(&self) -> Vec<Vec<Option<u16>>> {
        let mut won = vec![vec![None; 101]; self.vertices.len()];
        for (at, vertex) in self.vertices.iter().enumerate() {
            if *vertex == Vertex::Won {
                won[at] = vec![Some(0); 101];
            }
        }
        for plies in 1.. {
            let mut news = Vec::new();
            for at in 0..self.vertices.len() {
                for clock in 0..100 {
                    if self.vertices[at] != Vertex::Inner || won[at][clock].is_some() {
                        continue;
                    }
                    let wins = |&to: &usize| {
                        let next = if self.zeroes(at, to) { 0 } else { clock + 1 };
                        won[to][next].is_some()
                    };
                    let is_won = if at % 2 == 0 {
                        self.moves[at].iter().any(wins)
                    } else {
                        self.moves[at].iter().all(wins)
                    };
                    if is_won {
                        news.push((at, clock));
                    }
                }
            }
            if news.is_empty() {
                return won;
            }
            for (at, clock) in news {
                won[at][clock] = Some(plies);
            }
        }
        unreachable!("the loop ends when nothing is new")
    }
}

struct Walk<'a> {
    graph: &'a Graph,
    line: Vec<(usize, u16)>,
}

impl Walk<'_> {
    fn at(&self) -> (usize, u16) {
        *self.line.last().expect("a walk has a start")
    }
}

impl Game for Walk<'_> {
    type Move = usize;
    type Moves = Vec<usize>;

    fn attacking(&self) -> bool {
        self.at().0.is_multiple_of(2)
    }

    fn moves(&self) -> Vec<usize> {
        self.graph.moves[self.at().0].clone()
    }

    fn zeroes(&self, to: usize) -> bool {
        self.graph.zeroes(self.at().0, to)
    }

    fn make(&mut self, to: usize) {
        let clock = if self.zeroes(to) { 0 } else { self.at().1 + 1 };
        self.line.push((to, clock));
    }

    fn unmake(&mut self) {
        self.line.pop();
    }

    fn key(&self) -> u64 {
        (self.at().0 as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn clock(&self) -> u16 {
        self.at().1
    }

    fn look(&mut self, depth: Option<u16>) -> Status {
        let (at, clock) = self.at();
        match self.graph.vertices[at] {
            Vertex::Won => Status::OVER,
            Vertex::Denied => Status::DENIED,
            Vertex::Inner if depth == Some(0) => Status::DENIED,
            Vertex::Inner if clock >= 100 => Status::OUT_OF_TIME,
            Vertex::Inner => Status::Open {
                proof: 1,
                disproof: 1,
            },
        }
    }
}

/// Asks for many vertices and clocks in random order on one table, each with and without a
/// depth, and counts the answers.
fn compare(seed: u64, clocks: &[u16], clusters: usize) -> [u32; 2] {
    let mut random = Random(seed);
    let mut counts = [0; 2];
    for _ in 0..300 {
        let graph = Graph::random(&mut random);
        let truth = graph.truth();
        let walk = Walk {
            graph: &graph,
            line: Vec::new(),
        };
        let mut solver = Solver::new(walk, Table::with_clusters(clusters).unwrap());
        for _ in 0..20 {
            let at = random.below(graph.vertices.len());
            let clock = clocks[random.below(clocks.len())];
            if graph.vertices[at] != Vertex::Inner {
                continue;
            }
            let depth = [None, Some(random.below(12) as u16)][random.below(2)];
            let expected = truth[at][usize::from(clock)]
                .filter(|&plies| depth.is_none_or(|most| plies <= most));
            solver.game.line = vec![(at, clock)];
            let mut brake = Brake {
                nodes: solver.effort().nodes + 1_000_000,
                stop: &mut |_| false,
            };
            let status = solver.settle(depth, &mut brake);
            match (status, expected) {
                (Status::Won { plies, slack }, Some(least)) => {
                    assert!(plies >= least && depth.is_none_or(|most| plies <= most));
                    assert!(clock + u16::from(slack) <= 100);
                    // The condition it carries is enough.
                    assert!(truth[at][100 - usize::from(slack)].is_some());
                    counts[0] += 1;
                }
                (Status::NotWon { floor, tied }, None) => {
                    assert!(!solver.cut);
                    assert_eq!(tied, None, "a root hangs on nothing");
                    assert!(u16::from(floor) <= clock);
                    counts[1] += 1;
                }
                _ => panic!("{status:?}, but {expected:?}; {at} {clock} {depth:?}"),
            }
        }
    }
    counts
}

#[test]
fn answers_on_cyclic_graphs_are_true() {
    let [won, denied] = compare(1, &[0], 1000);
    assert!(won > 500 && denied > 500, "{won} {denied}");
}

#[test]
fn answers_near_the_end_of_the_clock_are_true() {
    let [won, denied] = compare(2, &[0, 85, 90, 93, 95, 96, 97, 98, 99], 1000);
    assert!(won > 500 && denied > 500, "{won} {denied}");
}

#[test]
fn answers_with_a_forgetful_table_are_true() {
    let [won, denied] = compare(3, &[0, 90, 95, 97], 3);
    assert!(won > 500 && denied > 500, "{won} {denied}");
}
