//! From the table to a proof: a move of the attacker for every position that the defender can
//! force, worked out again where the table has forgotten.
//! Invariant: along every line the distance to the win falls, so no line returns.

use std::collections::HashMap;

use super::atomic::Atomic;
use super::dfpn::{Brake, Game, Solver};
use super::status::{Kid, Status};
use crate::rules::{Color, Move, Position};

/// A strategy that wins by force: for each position in which the attacker may find himself
/// to move, what to play.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The side that wins.
    pub attacker: Color,
    /// The position from which it wins, with its history.
    pub root: Position,
    nodes: HashMap<u64, Node>,
}

impl Proof {
    /// The attacker's move in a position of the proof.
    pub fn reply(&self, pos: &Position) -> Option<Move> {
        self.nodes.get(&pos.key())?.mv
    }

    /// Half-moves that the win takes at most from a position of the proof.
    pub fn plies(&self, pos: &Position) -> Option<u16> {
        Some(self.nodes.get(&pos.key())?.plies)
    }

    /// The proof of a win that has already been won.
    pub(super) fn nothing(root: &Position, attacker: Color) -> Proof {
        Proof {
            attacker,
            root: root.clone(),
            nodes: HashMap::new(),
        }
    }
}

/// What is built for one position.
#[derive(Clone, Copy, Debug)]
struct Node {
    mv: Option<Move>,
    plies: u16,
    slack: u8,
}

struct Builder<'a, 'b> {
    solver: &'a mut Solver<Atomic>,
    brake: &'a mut Brake<'b>,
    nodes: HashMap<u64, Node>,
}

/// The proof of a root that was found won within `plies`. `None` when the brake was pulled.
pub(super) fn build(
    solver: &mut Solver<Atomic>,
    plies: u16,
    depth: Option<u16>,
    brake: &mut Brake,
) -> Option<Proof> {
    let (root, attacker) = (solver.game.pos.clone(), solver.game.attacker);
    let mut builder = Builder {
        solver,
        brake,
        nodes: HashMap::new(),
    };
    builder.build(plies, depth)?;
    Some(Proof {
        attacker,
        root,
        nodes: builder.nodes,
    })
}

impl Builder<'_, '_> {
    /// Builds the present position, known to be won within `plies`.
    fn build(&mut self, plies: u16, depth: Option<u16>) -> Option<Node> {
        if plies == 0 {
            return Some(Node {
                mv: None,
                plies: 0,
                slack: 0,
            });
        }
        let key = self.solver.game.key();
        if let Some(&node) = self.nodes.get(&key)
            && node.plies <= plies
            && self.solver.game.clock() + u16::from(node.slack) <= 100
        {
            return Some(node);
        }
        let fresh = if self.solver.game.attacking() {
            self.attack(plies, depth)?
        } else {
            self.defend(plies, depth)?
        };
        // The same position may have been built below this one, with a shorter win.
        let node = self.nodes.entry(key).or_insert(fresh);
        if fresh.plies < node.plies {
            *node = fresh;
        }
        Some(*node)
    }

    fn attack(&mut self, plies: u16, depth: Option<u16>) -> Option<Node> {
        if let Some(mv) = self.solver.game.pos.win_in_one() {
            return Some(Node {
                mv: Some(mv),
                plies: 1,
                slack: 1,
            });
        }
        let (kid, depth) = self.winning_move(plies, depth)?;
        let Status::Won { plies, .. } = kid.status else {
            return None;
        };
        self.solver.game.make(kid.mv);
        let next = self.build(plies, deeper(depth));
        self.solver.game.unmake();
        Some(before(kid, next?))
    }

    fn defend(&mut self, plies: u16, depth: Option<u16>) -> Option<Node> {
        let mut worst = Node {
            mv: None,
            plies: 0,
            slack: 0,
        };
        for mv in self.solver.game.moves() {
            let zeroing = self.solver.game.zeroes(mv);
            self.solver.game.make(mv);
            let next = self.build(plies.checked_sub(1)?, deeper(depth));
            self.solver.game.unmake();
            let kid = Kid {
                mv,
                zeroing,
                status: Status::OVER,
            };
            let node = before(kid, next?);
            worst.plies = worst.plies.max(node.plies);
            worst.slack = worst.slack.max(node.slack);
        }
        Some(worst)
    }

    /// A move that keeps the win within `plies`, and the depth under which the table knows
    /// what follows it: what the table says, else what another search like the one that found
    /// the win says, else, should that one find a longer win, what a search says that cannot.
    fn winning_move(&mut self, plies: u16, depth: Option<u16>) -> Option<(Kid<Move>, Option<u16>)> {
        let short =
            |kid: &Kid<Move>| matches!(kid.status, Status::Won { plies: p, .. } if p < plies);
        if let Some(kid) = self.solver.shortest_win(deeper(depth)).filter(short) {
            return Some((kid, depth));
        }
        let again = [depth, Some(plies)].into_iter();
        for depth in again {
            self.solver.settle(depth, self.brake);
            if let Some(kid) = self.solver.choice.filter(short) {
                return Some((kid, depth));
            }
        }
        None
    }
}

fn deeper(depth: Option<u16>) -> Option<u16> {
    depth.map(|depth| depth.saturating_sub(1))
}

/// A node seen from before the move that leads to it.
fn before(kid: Kid<Move>, node: Node) -> Node {
    Node {
        mv: Some(kid.mv),
        plies: node.plies + 1,
        slack: if kid.zeroing {
            1
        } else {
            node.slack.saturating_add(1)
        },
    }
}
