//! Playing levels below full strength: fewer nodes, and a random choice among the best lines in
//! which worse lines become more likely at lower levels.
//! Invariant: the choice depends only on the position, the lines of the search and the seed.

use fastrand::Rng;

use crate::rules::{Move, Position};
use crate::search::{Limits, SearchLine, SearchResult};

/// A playing strength below full strength, from 0, the weakest, to below [`Level::FULL`].
///
/// # Examples
/// ```
/// use brisance::engine::Level;
///
/// assert_eq!(Level::from_skill(Level::FULL), None);
/// let (weak, strong) = (Level::from_skill(0).unwrap(), Level::from_elo(2500));
/// assert!(weak < strong && weak.nodes() < strong.nodes());
/// ```
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Level(f64);

/// Measured levels with their Elo rating, in ascending order. The full engine at 10,000 nodes
/// per move is 2500. `scripts/levels.py` measures them.
const LEVEL_ELO: [(f64, f64); 11] = [
    (0.0, 460.0),
    (2.0, 620.0),
    (4.0, 1020.0),
    (6.0, 1340.0),
    (8.0, 1660.0),
    (10.0, 1970.0),
    (12.0, 2210.0),
    (14.0, 2410.0),
    (16.0, 2580.0),
    (18.0, 2710.0),
    (19.0, 2740.0),
];

/// The lowest level that never overlooks a win or loss in one move.
const ONE_PLY_LEVEL: f64 = 3.0;
/// Internal units of score that count as a whole point. They distinguish between winning moves,
/// whose expected scores are equal.
const UNITS_PER_POINT: f64 = 2000.0;

impl Level {
    /// The least number of lines to choose from.
    pub(super) const CANDIDATES: usize = 6;
    /// The skill level of full strength.
    pub const FULL: u8 = 20;
    /// The lowest available Elo rating.
    pub const MIN_ELO: u16 = LEVEL_ELO[0].1 as u16;
    /// The highest available Elo rating.
    pub const MAX_ELO: u16 = LEVEL_ELO[LEVEL_ELO.len() - 1].1 as u16;

    /// The level of a skill from 0 to 20; `None` for full strength.
    pub fn from_skill(skill: u8) -> Option<Level> {
        (skill < Level::FULL).then(|| Level(skill.into()))
    }

    /// The level of an Elo rating, interpolated and clamped to the available range.
    pub fn from_elo(elo: u16) -> Level {
        let elo = f64::from(elo.clamp(Level::MIN_ELO, Level::MAX_ELO));
        let levels = LEVEL_ELO.map(|(level, elo)| (elo, level));
        Level(interpolated(levels, elo))
    }

    /// The Elo rating of the level, interpolated between the measured ones.
    pub fn elo(self) -> u16 {
        interpolated(LEVEL_ELO, self.0).round() as u16
    }

    /// The maximum number of nodes per move.
    pub fn nodes(self) -> u64 {
        (200.0 * 1.4_f64.powf(self.0)) as u64
    }

    /// The loss in points that makes a line e times less likely.
    fn temperature(self) -> f64 {
        0.35 * 0.82_f64.powf(self.0)
    }

    /// The probability of a uniformly random move.
    fn random_move_rate(self) -> f64 {
        0.25 * (1.0 - self.0 / ONE_PLY_LEVEL).max(0.0)
    }

    /// The limits of the search. From [`ONE_PLY_LEVEL`] on, they restrict it to moves that win
    /// immediately, or else to moves that do not lose immediately, if there are any.
    pub(super) fn limits(self, pos: &Position, limits: &Limits) -> Limits {
        let mut limits = limits.clone();
        limits.nodes = Some(limits.nodes.unwrap_or(u64::MAX).min(self.nodes()));
        if self.0 < ONE_PLY_LEVEL {
            return limits;
        }
        let all = candidate_moves(pos, &limits);
        let mut pos = pos.clone();
        for is_preferred in [wins_immediately, does_not_lose_immediately] {
            let mut chosen = all.clone();
            chosen.retain(|&mv| is_preferred(&mut pos, mv));
            if !chosen.is_empty() {
                limits.search_moves = chosen;
                break;
            }
        }
        limits
    }

    /// Chooses among the lines of a search. The result has only the chosen line.
    pub(super) fn choose(
        self,
        pos: &Position,
        limits: &Limits,
        result: SearchResult,
        rng: &mut Rng,
    ) -> SearchResult {
        if result.best_move().is_none() {
            return result;
        }
        let random = rng.f64() < self.random_move_rate();
        let random = random.then(|| rng.choice(candidate_moves(pos, limits)));
        let line = match random.flatten() {
            Some(mv) => SearchLine { pv: vec![mv], ..result.best().clone() },
            None => self.choose_line(&result, rng).clone(),
        };
        SearchResult { ponder_move: line.pv.get(1).copied(), lines: vec![line], ..result }
    }

    fn choose_line<'a>(self, result: &'a SearchResult, rng: &mut Rng) -> &'a SearchLine {
        let weight = |line: &SearchLine| {
            let [best, this] = [result.value(), line.value].map(|value| {
                let units = f64::from(value).clamp(-UNITS_PER_POINT, UNITS_PER_POINT);
                result.wdl_model.expected_score(value) + units / UNITS_PER_POINT
            });
            ((this - best) / self.temperature()).exp()
        };
        let mut rest = rng.f64() * result.lines.iter().map(weight).sum::<f64>();
        let chosen = result.lines.iter().find(|line| {
            rest -= weight(line);
            rest <= 0.0
        });
        chosen.unwrap_or(result.best())
    }
}

/// The linear interpolation at `x`, which lies within these points.
fn interpolated(points: [(f64, f64); LEVEL_ELO.len()], x: f64) -> f64 {
    let above = points.iter().position(|point| x <= point.0);
    let high = above.unwrap_or(points.len() - 1).max(1);
    let [low, high] = [points[high - 1], points[high]];
    low.1 + (x - low.0) / (high.0 - low.0) * (high.1 - low.1)
}

/// The moves to choose from: the requested ones, or all.
fn candidate_moves(pos: &Position, limits: &Limits) -> Vec<Move> {
    if limits.search_moves.is_empty() {
        let legal = pos.legal_moves().into_iter();
        return legal.filter(|mv| !mv.is_redundant()).collect();
    }
    limits.search_moves.clone()
}

fn wins_immediately(pos: &mut Position, mv: Move) -> bool {
    pos.make(mv);
    let mover = !pos.side_to_move();
    let outcome = pos.outcome_by_rule();
    let wins = outcome.is_some_and(|outcome| outcome.is_win_of(mover));
    pos.unmake();
    wins
}

/// True if the opponent can neither explode the king nor mate in reply.
fn does_not_lose_immediately(pos: &mut Position, mv: Move) -> bool {
    pos.make(mv);
    let mut replies = pos.legal_moves().into_iter();
    let loses = pos.win_in_one().is_some() || replies.any(|reply| wins_immediately(pos, reply));
    pos.unmake();
    !loses
}
