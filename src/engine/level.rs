//! Playing below full strength: fewer nodes, and a choice among the best lines that prefers
//! the better ones less the lower the level is.
//! Invariant: the choice depends only on the position, what the search found and the seed.

use std::sync::{Mutex, PoisonError};

use fastrand::Rng;

use crate::rules::{Move, Outcome, Position};
use crate::search::{Bound, Limits, Listener, Report, Summary};

/// How strong to play, from 0, the weakest, to below [`Level::FULL`].
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Level(f64);

/// Measured strengths, rising: a level and its Elo, where the whole engine at 10,000 nodes a
/// move is 2500. `scripts/levels.py` measures them.
const SCALE: [(f64, f64); 11] = [
    (0.0, 630.0),
    (2.0, 830.0),
    (4.0, 1150.0),
    (6.0, 1400.0),
    (8.0, 1640.0),
    (10.0, 1970.0),
    (12.0, 2250.0),
    (14.0, 2430.0),
    (16.0, 2610.0),
    (18.0, 2750.0),
    (19.0, 2840.0),
];

/// The lowest level that sees what wins or loses in one move.
const CAREFUL: f64 = 3.0;
/// Lines among which a level chooses.
const CANDIDATES: usize = 6;
/// So many internal units of value count as much as a point: without them one won move
/// would be as good as another, and no win would ever come nearer.
const UNITS_A_POINT: f64 = 2000.0;

impl Level {
    /// The skill that is no level but the ordinary search.
    pub const FULL: u8 = 20;
    /// The least Elo there is a level for.
    pub const MIN_ELO: u16 = SCALE[0].1 as u16;
    /// The greatest Elo there is a level for.
    pub const MAX_ELO: u16 = SCALE[SCALE.len() - 1].1 as u16;

    /// The level of a skill; `None` for full strength.
    pub fn from_skill(skill: u8) -> Option<Level> {
        (skill < Level::FULL).then(|| Level(skill.into()))
    }

    /// The level of an Elo on the scale measured; the nearest there is.
    pub fn from_elo(elo: u16) -> Level {
        let elo = f64::from(elo.clamp(Level::MIN_ELO, Level::MAX_ELO));
        let between = SCALE.windows(2).find(|pair| elo <= pair[1].1);
        let [low, high] =
            [0, 1].map(|end| between.map_or(SCALE[SCALE.len() - 1], |pair| pair[end]));
        let share = (elo - low.1) / (high.1 - low.1).max(1.0);
        Level(low.0 + share * (high.0 - low.0))
    }

    /// The most nodes it spends on a move.
    pub fn nodes(self) -> u64 {
        (200.0 * 1.4_f64.powf(self.0)) as u64
    }

    /// A line that is worse by so much of a point is chosen e times less often.
    fn tolerance(self) -> f64 {
        0.35 * 0.82_f64.powf(self.0)
    }

    /// The share of moves played without a look at the board.
    fn slips(self) -> f64 {
        0.25 * (1.0 - self.0 / CAREFUL).max(0.0)
    }

    /// True when it never overlooks what wins or loses in one move.
    fn is_careful(self) -> bool {
        self.0 >= CAREFUL
    }

    /// The limits of its search. There the moves that win at once are the only ones, or else
    /// those that lose at once are left out, where there are others.
    pub(super) fn limits(self, pos: &Position, limits: &Limits) -> Limits {
        let mut limits = limits.clone();
        limits.nodes = Some(
            limits
                .nodes
                .map_or(self.nodes(), |most| most.min(self.nodes())),
        );
        if !self.is_careful() {
            return limits;
        }
        let all = moves(pos, &limits);
        let mut pos = pos.clone();
        for wanted in [wins_at_once, |pos: &mut Position, mv| {
            !loses_at_once(pos, mv)
        }] {
            let chosen: Vec<Move> = all
                .iter()
                .copied()
                .filter(|&mv| wanted(&mut pos, mv))
                .collect();
            if !chosen.is_empty() {
                limits.search_moves = chosen;
                break;
            }
        }
        limits
    }

    /// The answer of this level to a search that found `lines`, best first.
    pub(super) fn choose(
        self,
        pos: &Position,
        limits: &Limits,
        lines: &[Report],
        found: Summary,
        rng: &mut Rng,
    ) -> Summary {
        if found.best_move.is_none() {
            return found;
        }
        if rng.f64() < self.slips()
            && let Some(mv) = rng.choice(moves(pos, limits))
        {
            let (best, ponder) = (Some(mv), None);
            return Summary {
                best_move: best,
                ponder_move: ponder,
                ..found
            };
        }
        let Some(first) = lines.first() else {
            return found;
        };
        let weight = |line: &Report| {
            let [best, this] = [first, line].map(|line| {
                let units = f64::from(line.value).clamp(-UNITS_A_POINT, UNITS_A_POINT);
                line.wdl_model.expected_score(line.value) + units / UNITS_A_POINT
            });
            ((this - best) / self.tolerance()).exp()
        };
        let mut rest = rng.f64() * lines.iter().map(weight).sum::<f64>();
        let drawn = lines.iter().find(|line| {
            rest -= weight(line);
            rest <= 0.0
        });
        let line = drawn.unwrap_or(first);
        Summary {
            best_move: line.pv.first().copied().or(found.best_move),
            ponder_move: line.pv.get(1).copied(),
            value: line.value,
            ..found
        }
    }

    /// How many lines its search looks for.
    pub(super) fn multipv(self, requested: usize) -> usize {
        requested.max(CANDIDATES)
    }
}

/// The moves to choose from.
fn moves(pos: &Position, limits: &Limits) -> Vec<Move> {
    if limits.search_moves.is_empty() {
        let legal = pos.legal_moves().into_iter();
        return legal.filter(|mv| !mv.is_redundant()).collect();
    }
    limits.search_moves.clone()
}

fn wins_at_once(pos: &mut Position, mv: Move) -> bool {
    pos.make(mv);
    let wins =
        matches!(pos.outcome_by_rule(), Some(Outcome::Win { winner, .. }) if winner != pos.side_to_move());
    pos.unmake();
    wins
}

/// True when the opponent can explode the king or mate in reply.
fn loses_at_once(pos: &mut Position, mv: Move) -> bool {
    pos.make(mv);
    let exploded = pos.win_in_one().is_some();
    let replies = if exploded {
        Default::default()
    } else {
        pos.legal_moves()
    };
    let lost = exploded || replies.into_iter().any(|reply| wins_at_once(pos, reply));
    pos.unmake();
    lost
}

/// Keeps the lines of a search, and passes on those that were asked for.
pub(super) struct LineCollector<'a> {
    listener: &'a dyn Listener,
    asked: usize,
    found: Mutex<Vec<Report>>,
}

impl<'a> LineCollector<'a> {
    pub(super) fn new(listener: &'a dyn Listener, asked: usize) -> LineCollector<'a> {
        let found = Mutex::default();
        LineCollector {
            listener,
            asked,
            found,
        }
    }

    /// The last of each rank, best first.
    pub(super) fn into_lines(self) -> Vec<Report> {
        self.found
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for LineCollector<'_> {
    fn report(&self, report: &Report) {
        if report.bound == Bound::Exact {
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            // Ranks come in order, so what stood there and behind is older.
            found.truncate(report.multipv - 1);
            found.push(report.clone());
        }
        if report.multipv <= self.asked {
            self.listener.report(report);
        }
    }

    fn current_move(&self, depth: i32, mv: Move, number: usize) {
        self.listener.current_move(depth, mv, number);
    }

    fn warning(&self, text: &str) {
        self.listener.warning(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise_with_skill_and_elo() {
        assert_eq!(Level::from_skill(20), None);
        let skills: Vec<Level> = (0..20).filter_map(Level::from_skill).collect();
        let elos = (Level::MIN_ELO..=Level::MAX_ELO)
            .step_by(50)
            .map(Level::from_elo);
        for levels in [skills, elos.collect()] {
            for pair in levels.windows(2) {
                assert!(pair[0] < pair[1] && pair[0].nodes() < pair[1].nodes());
                assert!(pair[0].tolerance() > pair[1].tolerance());
            }
        }
        for (level, elo) in SCALE {
            assert!((Level::from_elo(elo as u16).0 - level).abs() < 1e-9);
        }
    }
}
