//! From the clock to a budget. Most moves that lose games are made between the tenth and the
//! thirtieth: the opening may not eat up their time.
//! Invariant: the hard limit leaves the overhead on the clock.

use std::time::{Duration, Instant};

use once_cell::sync::OnceCell;

use super::{Control, Limits, params};
use crate::rules::{Color, Position};

/// When a search began and when it should and must end.
pub(super) struct Clock {
    start: Instant,
    /// When the own clock began to run: at once, or with the ponder hit.
    running_since: OnceCell<Instant>,
    soft: Option<Duration>,
    hard: Option<Duration>,
    /// Nodes that count as a millisecond, where nodes are counted instead of time.
    node_time: Option<u64>,
}

impl Clock {
    pub(super) fn new(
        limits: &Limits,
        pos: &Position,
        overhead: Duration,
        start: Instant,
    ) -> Clock {
        let (soft, hard) = budget(limits, pos.side(), pos.fullmove(), overhead);
        let running_since = if limits.ponder {
            OnceCell::new()
        } else {
            OnceCell::from(start)
        };
        Clock {
            start,
            running_since,
            soft,
            hard,
            node_time: limits.node_time,
        }
    }

    /// Time since the search began.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Time on the own clock after so many nodes; nothing while pondering.
    fn running(&self, control: &Control, nodes: u64) -> Option<Duration> {
        if self.running_since.get().is_none() && control.is_pondering() {
            return None;
        }
        let since = self.running_since.get_or_init(Instant::now);
        Some(match self.node_time {
            Some(rate) => node_duration(nodes, rate),
            None => since.elapsed(),
        })
    }

    /// True when the search must end now.
    pub(super) fn is_over(&self, control: &Control, nodes: u64) -> bool {
        match (self.hard, self.running(control, nodes)) {
            (Some(hard), Some(running)) => running >= hard,
            _ => false,
        }
    }

    /// True when no further iteration should begin; `factor` stretches the budget.
    pub(super) fn is_spent(&self, control: &Control, nodes: u64, factor: f64) -> bool {
        match (self.soft, self.running(control, nodes)) {
            (Some(soft), Some(running)) => running >= soft.mul_f64(factor),
            _ => false,
        }
    }

    /// True when nodes are counted instead of time.
    pub(super) fn counts_nodes(&self) -> bool {
        self.node_time.is_some()
    }

    /// True when the search is played against a clock.
    pub(super) fn is_timed(&self) -> bool {
        self.soft.is_some()
    }
}

/// What `nodes` count for on a clock where `rate` of them are a millisecond.
pub fn node_duration(nodes: u64, rate: u64) -> Duration {
    Duration::from_micros(nodes.saturating_mul(1000) / rate.max(1))
}

/// The time to aim for and the time never to exceed.
fn budget(
    limits: &Limits,
    side: Color,
    fullmove: u16,
    overhead: Duration,
) -> (Option<Duration>, Option<Duration>) {
    const LEAST: Duration = Duration::from_millis(1);
    const RESERVE: u32 = 10;
    if let Some(time) = limits.move_time {
        return (None, Some(time.saturating_sub(overhead).max(LEAST)));
    }
    let Some(left) = limits.time[side.index()] else {
        return (None, None);
    };
    let left = left.saturating_sub(overhead).max(LEAST);
    // A busy machine may once stand still for several overheads: so many are kept back, and
    // where they are not there, the increment is mostly saved until they are.
    let reserve = overhead * RESERVE;
    let filled = left.as_secs_f64() / reserve.max(LEAST).as_secs_f64();
    let share = filled.min(1.0) * f64::from(params::time_increment()) / 100.0;
    let left = left - reserve.min(left * 3 / 4);
    let increment = limits.increment[side.index()];
    let opening = (params::time_opening() - i32::from(fullmove)).max(0);
    let horizon = (params::time_horizon() + opening) as u32;
    let moves = limits
        .moves_to_go
        .map_or(horizon, |moves| moves.clamp(1, horizon));
    // With more moves to come each costs its overhead too, unless the increment pays for it.
    let later = overhead.saturating_sub(increment) * (moves - 1);
    let usable = left.saturating_sub(later / 2).max(left / 8);
    let soft = usable / moves + increment.mul_f64(share);
    // What the last move before a time control may take is all of it, less a reserve.
    let most = if moves == 1 {
        left * 4 / 5
    } else {
        left * params::time_most() as u32 / 100
    };
    let soft = soft.min(most).max(LEAST);
    let hard = soft * params::time_hard() as u32 / 100;
    (Some(soft), Some(hard.min(most).max(LEAST)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERHEAD: Duration = Duration::from_millis(10);

    fn of(time: u64, increment: u64, moves_to_go: Option<u32>) -> (u128, u128) {
        at(25, time, increment, moves_to_go)
    }

    fn at(fullmove: u16, time: u64, increment: u64, moves_to_go: Option<u32>) -> (u128, u128) {
        let limits = Limits {
            time: [Some(Duration::from_millis(time)); 2],
            increment: [Duration::from_millis(increment); 2],
            moves_to_go,
            ..Limits::default()
        };
        let (soft, hard) = budget(&limits, Color::White, fullmove, OVERHEAD);
        (soft.unwrap().as_millis(), hard.unwrap().as_millis())
    }

    #[test]
    fn never_more_than_is_left() {
        for time in [0, 1, 5, 11, 20, 50, 100, 1000, 60_000] {
            for increment in [0, 10, 1000] {
                for moves in [None, Some(1), Some(2), Some(40)] {
                    let (soft, hard) = of(time, increment, moves);
                    assert!(soft <= hard, "{time} {increment} {moves:?}");
                    assert!(
                        hard + 10 <= u128::from(time).max(11),
                        "{time} {increment} {moves:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_low_clock_recovers() {
        for time in 1..=100 {
            let (_, hard) = of(time, 10, None);
            assert!(hard <= 10, "{time}: {hard}");
        }
        let (soft, hard) = of(60, 10, None);
        assert!(soft <= 4 && hard <= 6, "{soft}, {hard}");
    }

    #[test]
    fn spends_a_fair_share() {
        let (soft, hard) = of(60_000, 0, None);
        assert!((3000..5000).contains(&soft) && hard >= 2 * soft);
        let (soft, _) = of(60_000, 1000, None);
        assert!(soft > 3700);
    }

    #[test]
    fn the_opening_leaves_time_for_the_middle_of_the_game() {
        let (first, _) = at(1, 60_000, 0, None);
        assert!((1200..2000).contains(&first), "{first}");
        let mut left = 60_000;
        let mut spent = Vec::new();
        for fullmove in 1..=60 {
            let (soft, _) = at(fullmove, left, 0, None);
            spent.push(soft);
            left -= soft as u64;
        }
        assert!(
            spent[..28].iter().all(|&soft| soft * 5 > first * 4),
            "{spent:?}"
        );
        assert!(left > 100, "{left}");
    }
}
