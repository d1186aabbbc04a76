//! Atomic chess as a [`ProofGame`]: moves, keys, the halfmove clock, and the static evaluation
//! of a node: the end of the game, wins in one for either side, initial proof numbers, which a
//! network weighs.
//! Invariant: a proved or disproved evaluation follows from the rules alone, whatever the path.

use std::time::Duration;

use super::dfpn::{DfPnSearch, ProofGame};
use super::guide::Guide;
use super::status::{NodeStatus, Win};
use crate::eval;
use crate::eval::nnue::{AccumulatorStack, Network};
use crate::eval::score::{MATE_IN_MAX_PLY, Value};
use crate::rules::{Color, Move, MoveList, Position};

/// The factor of the number that a guide thinks hopeless.
const UNLIKELY: u32 = 1 << 12;

pub struct AtomicGame<'a> {
    pub(super) pos: Position,
    pub(super) attacker: Color,
    /// Keys of positions that occurred twice before the root: the next occurrence is a draw.
    repeated_keys: Vec<u64>,
    pub(super) weights: Option<Weights<'a>>,
    pub(super) guide: Option<&'a dyn Guide>,
}

impl<'a> AtomicGame<'a> {
    pub fn new(
        pos: &Position,
        attacker: Color,
        net: Option<&'a Network>,
        guide: Option<&'a dyn Guide>,
    ) -> AtomicGame<'a> {
        AtomicGame {
            pos: pos.clone(),
            attacker,
            repeated_keys: repeated_keys(pos),
            weights: net.map(|net| Weights::new(net, pos)),
            guide,
        }
    }

    /// The move and the attacker's value that the guide knows.
    fn known(&self) -> Option<(Value, Option<Move>)> {
        let (value, mv) = self.guide?.known(&self.pos)?;
        let is_attacker = self.pos.side_to_move() == self.attacker;
        Some((if is_attacker { value } else { -value }, mv))
    }
}

impl DfPnSearch<AtomicGame<'_>> {
    /// Lets the guide search the position with the limits of [`Guide::search`], and tells whether it
    /// sees a win of the attacker; `None` if it cannot search.
    pub fn ask(
        &mut self,
        guide: &dyn Guide,
        nodes: u64,
        time: Option<Duration>,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Option<bool> {
        let game = &self.game;
        let sees_win = || matches!(game.known(), Some((value, _)) if value >= MATE_IN_MAX_PLY);
        // The value of the root is often in the table long before the search has its line, which
        // is worth its time only if the value is not enough.
        let knows = sees_win();
        let is_over = || is_over() || (!knows && sees_win());
        let searched = guide.search(&game.pos, nodes, time, &is_over);
        let answer = (searched > 0).then(sees_win);
        self.nodes += searched;
        answer
    }
}

/// Tells likely wins from unlikely ones by a network.
pub(super) struct Weights<'a> {
    net: &'a Network,
    accumulators: AccumulatorStack,
}

impl Weights<'_> {
    fn new<'a>(net: &'a Network, root: &Position) -> Weights<'a> {
        let mut accumulators = AccumulatorStack::default();
        accumulators.reset(root);
        Weights { net, accumulators }
    }

    /// The numbers of a leaf by the network's value for the attacker. The doubling distances, in
    /// internal units, proved most of 173 positions from played games.
    fn weigh(
        &mut self,
        pos: &Position,
        attacker: Color,
        (proof, disproof): (u32, u32),
    ) -> NodeStatus {
        let king_threatened = pos.threatens_explosion(!pos.side_to_move());
        let (net, accumulators) = (self.net, &mut self.accumulators);
        let value = eval::evaluate_nnue(net, accumulators, pos, king_threatened);
        let value = if pos.side_to_move() == attacker { value } else { -value };
        NodeStatus::Unknown {
            proof: doubled(proof, -value, 400),
            disproof: doubled(disproof, value, 800),
        }
    }
}

/// `number` doubled for each `distance` in `value` and halved for each below zero, at most six
/// times, linear between the powers of two; at least 1.
fn doubled(number: u32, value: i32, distance: i32) -> u32 {
    let value = value.clamp(-6 * distance, 6 * distance);
    let (whole, rest) = (value.div_euclid(distance), value.rem_euclid(distance));
    let number = number + number * rest as u32 / distance as u32;
    let shifted = if whole < 0 { number >> -whole } else { number << whole };
    shifted.max(1)
}

/// Keys that occur at least twice in the history of a position.
fn repeated_keys(pos: &Position) -> Vec<u64> {
    let mut past = pos.clone();
    let mut keys = Vec::new();
    while past.ply() > 0 {
        past.unmake();
        keys.extend((past.repetition_count() > 0).then(|| past.key()));
    }
    keys
}

impl ProofGame for AtomicGame<'_> {
    type Move = Move;
    type Moves = MoveList;

    fn is_or_node(&self) -> bool {
        self.pos.side_to_move() == self.attacker
    }

    fn moves(&self) -> MoveList {
        let mut moves = self.pos.legal_moves();
        moves.retain(|mv| !mv.is_redundant());
        moves
    }

    fn make(&mut self, mv: Move) {
        self.pos.make(mv);
        if let Some(weights) = &mut self.weights {
            weights.accumulators.invalidate(&self.pos);
        }
    }

    fn unmake(&mut self) {
        self.pos.unmake();
    }

    fn key(&self) -> u64 {
        self.pos.key()
    }

    fn halfmove_clock(&self) -> u16 {
        self.pos.halfmove_clock()
    }

    fn likely_win(&self) -> Option<Move> {
        let (value, mv) = self.known()?;
        let is_win = value >= MATE_IN_MAX_PLY && self.is_or_node();
        mv.filter(|&mv| is_win && self.pos.is_legal(mv))
    }

    fn evaluate(&mut self, depth: Option<u16>) -> NodeStatus {
        let pos = &mut self.pos;
        let status = if pos.king(!self.attacker).is_none() {
            NodeStatus::GAME_WON
        } else if pos.king(self.attacker).is_none() || self.repeated_keys.contains(&pos.key()) {
            NodeStatus::DISPROVED
        } else if pos.side_to_move() == self.attacker {
            evaluate_or_node(pos, depth)
        } else {
            evaluate_and_node(pos, depth)
        };
        let NodeStatus::Unknown { proof, disproof } = status else {
            return status;
        };
        match (self.known(), &mut self.weights) {
            (Some((value, _)), _) if value >= MATE_IN_MAX_PLY => {
                NodeStatus::Unknown { proof: 1, disproof: disproof * UNLIKELY }
            }
            (Some((value, _)), _) if value <= -MATE_IN_MAX_PLY => {
                NodeStatus::Unknown { proof: proof * UNLIKELY, disproof: 1 }
            }
            (_, Some(weights)) => weights.weigh(&self.pos, self.attacker, (proof, disproof)),
            _ => status,
        }
    }
}

fn evaluate_or_node(pos: &Position, depth: Option<u16>) -> NodeStatus {
    if !pos.has_legal_move() || pos.has_insufficient_material() || depth == Some(0) {
        return NodeStatus::DISPROVED;
    }
    if pos.halfmove_clock() >= 100 {
        return NodeStatus::FIFTY_MOVE_DRAW;
    }
    if pos.win_in_one().is_some() {
        return NodeStatus::WIN_IN_ONE;
    }
    let must_respond = pos.in_check() || pos.threatens_explosion(!pos.side_to_move());
    NodeStatus::unknown(if must_respond { 2 } else { 1 })
}

fn evaluate_and_node(pos: &mut Position, depth: Option<u16>) -> NodeStatus {
    let attacker = !pos.side_to_move();
    let moves = pos.legal_moves();
    if moves.is_empty() {
        return if pos.in_check() { NodeStatus::GAME_WON } else { NodeStatus::DISPROVED };
    }
    if pos.has_insufficient_material() || depth == Some(0) {
        return NodeStatus::DISPROVED;
    }
    if pos.halfmove_clock() >= 100 {
        return NodeStatus::FIFTY_MOVE_DRAW;
    }
    if pos.win_in_one().is_some() {
        return NodeStatus::DISPROVED;
    }
    let proof = if pos.in_check() || pos.threatens_explosion(attacker) {
        count_defences(pos, &moves)
    } else {
        // Without a threat on the board, the attacker must find one after each reply.
        4 + moves.len() as u32
    };
    if proof == 0 && depth.is_none_or(|depth| depth >= 2) && pos.halfmove_clock() < 99 {
        return NodeStatus::Proved(Win::within(2));
    }
    NodeStatus::unknown(proof.max(1))
}

/// The number of defending moves after which the attacker has no win in one.
fn count_defences(pos: &mut Position, moves: &MoveList) -> u32 {
    let mut count = 0;
    for &mv in moves.iter().filter(|mv| !mv.is_redundant()) {
        pos.make(mv);
        let lost = pos.win_in_one().is_some() && !pos.has_insufficient_material();
        pos.unmake();
        count += u32::from(!lost);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;
    use crate::walk::{self, shredder, wins};

    #[test]
    fn a_number_is_doubled_for_each_distance() {
        let doubled = |number, value| super::doubled(number, value, 400);
        let values = [0, 100, 400, 600, -100, -400, -3000];
        assert_eq!(values.map(|value| doubled(64, value)), [64, 80, 128, 192, 56, 32, 1]);
        assert_eq!([doubled(65, 3000), doubled(1, -1)], [65 << 6, 1]);
    }

    /// Also close to the fifty-move rule.
    #[test]
    fn terminal_evaluations_agree_with_brute_force() {
        let (mut proved, mut disproved) = ([0; 3], 0);
        let mut clocks = [0, 0, 93, 96, 98, 99].into_iter().cycle();
        walk::visit(7, 2_000, Variant::Atomic, |pos| {
            let mut setup = pos.setup();
            setup.halfmove_clock = clocks.next().expect("endless");
            let pos = &Position::from_setup(&setup).expect("a valid position");
            for attacker in Color::ALL {
                for depth in [None, Some(0), Some(1), Some(2), Some(3)] {
                    let mut game = AtomicGame::new(pos, attacker, None, None);
                    let place = shredder(pos);
                    match game.evaluate(depth) {
                        NodeStatus::Proved(win) => {
                            let plies = win.plies;
                            assert!(wins(&mut game.pos, attacker, plies.into()), "{place}");
                            assert!(depth.is_none_or(|depth| plies <= depth), "{place}");
                            assert!(pos.halfmove_clock() + u16::from(win.clock_needed) <= 100);
                            proved[usize::from(plies)] += 1;
                        }
                        NodeStatus::Disproved(_) => {
                            let plies = depth.unwrap_or(2).min(2);
                            assert!(!wins(&mut game.pos, attacker, plies.into()), "{place}");
                            disproved += 1;
                        }
                        NodeStatus::Unknown { proof, disproof } => {
                            assert!(proof > 0 && disproof > 0, "{place}");
                            // Only a checkmate can be left open at the last move.
                            assert!(depth != Some(0), "{place}");
                        }
                    }
                }
            }
        });
        assert!(proved.iter().all(|&count| count > 20), "{proved:?}");
        assert!(disproved > 1_000, "{disproved}");
    }
}
