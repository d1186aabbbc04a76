//! Time management: when a search should and must end, and the value of a draw when the clock is
//! too short for a long game. Most decisive mistakes happen between moves 10 and 30, so the
//! opening must leave time for them.
//! Invariant: the hard limit leaves the move overhead on the clock.

use std::time::Duration;

use once_cell::sync::OnceCell;

use super::{Control, Limits, params};
use crate::eval::score::{self, Value};
use crate::host::Instant;
use crate::rules::{Color, Position};

/// What each move of the engine takes off its clock beyond the search.
#[derive(Clone, Copy, Default)]
pub(crate) struct ClockDelays {
    /// Reserved for the next move.
    pub overhead: Duration,
    /// The measured lag, reserved for all moves of a long game.
    pub lag: Duration,
}

/// The clock of one search and its soft and hard limits.
pub struct TimeManager {
    start: Instant,
    /// When the engine's clock started: with the search or with the ponder hit.
    clock_start: OnceCell<Instant>,
    /// No new iteration begins after this time.
    soft_limit: Option<Duration>,
    /// The search ends at this time.
    hard_limit: Option<Duration>,
    /// Nodes per millisecond, if the clock counts nodes instead of time.
    node_time: Option<u64>,
    /// The value of a draw for the engine's side: 0 unless the lag of a long game would use up
    /// its clock.
    pub root_draw_value: Value,
}

impl TimeManager {
    pub fn new(
        limits: &Limits,
        pos: &Position,
        delays: ClockDelays,
        start: Instant,
    ) -> TimeManager {
        let (color, fullmove_number) = (pos.side_to_move(), pos.fullmove_number());
        let (soft_limit, hard_limit) = time_limits(limits, color, fullmove_number, delays);
        let clock_start = if limits.ponder {
            OnceCell::new()
        } else {
            OnceCell::from(start)
        };
        TimeManager {
            start,
            clock_start,
            soft_limit,
            hard_limit,
            node_time: limits.node_time,
            root_draw_value: root_draw_value(limits, color, delays.lag),
        }
    }

    /// Time since the search began.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Time on the engine's clock after `nodes` nodes; `None` while pondering.
    fn elapsed_on_clock(&self, control: &Control, nodes: u64) -> Option<Duration> {
        if self.clock_start.get().is_none() && control.is_pondering() {
            return None;
        }
        let clock_start = self.clock_start.get_or_init(Instant::now);
        Some(match self.node_time {
            Some(node_time) => node_duration(nodes, node_time),
            None => clock_start.elapsed(),
        })
    }

    /// Time on the engine's clock at the end of the search; `None` if it has not started.
    pub fn time_on_clock(&self, control: &Control) -> Option<Duration> {
        let is_running = self.clock_start.get().is_some() || !control.is_pondering();
        is_running.then(|| self.clock_start.get_or_init(Instant::now).elapsed())
    }

    /// True if the search must end now.
    pub fn is_hard_limit_reached(&self, control: &Control, nodes: u64) -> bool {
        match (self.hard_limit, self.elapsed_on_clock(control, nodes)) {
            (Some(hard_limit), Some(elapsed)) => elapsed >= hard_limit,
            _ => false,
        }
    }

    /// True if no further iteration should begin; the soft limit is multiplied by `factor`.
    pub fn is_soft_limit_reached(&self, control: &Control, nodes: u64, factor: f64) -> bool {
        match (self.soft_limit, self.elapsed_on_clock(control, nodes)) {
            (Some(soft_limit), Some(elapsed)) => elapsed >= soft_limit.mul_f64(factor),
            _ => false,
        }
    }

    /// True if the clock counts nodes instead of time.
    pub fn counts_nodes(&self) -> bool {
        self.node_time.is_some()
    }

    /// True if the search plays against a clock.
    pub fn is_timed(&self) -> bool {
        self.soft_limit.is_some()
    }
}

/// The time of `nodes` nodes on a clock with `node_time` nodes per millisecond.
pub fn node_duration(nodes: u64, node_time: u64) -> Duration {
    Duration::from_micros(nodes.saturating_mul(1000) / node_time.max(1))
}

/// A game seldom lasts more than this number of moves, and never counts as nearer to its end than
/// by [`MIN_MOVES_LEFT`].
const LONG_GAME: u32 = 190;
const MIN_MOVES_LEFT: u32 = 80;

/// The value of a draw for `color`: 0 if the clock covers the lag of [`MIN_MOVES_LEFT`] more moves.
/// Otherwise it grows as the clock runs down, because even a large advantage may not win before
/// the time is up.
fn root_draw_value(limits: &Limits, color: Color, lag: Duration) -> Value {
    const VALUE_PER_MOVE: Value = 5;
    let lag = lag.saturating_sub(limits.increment[color.index()]);
    match limits.time[color.index()] {
        Some(left) if limits.moves_to_go.is_none() && left < lag * MIN_MOVES_LEFT => {
            let moves_left = (left.as_nanos() / lag.as_nanos()) as Value;
            score::DRAW + VALUE_PER_MOVE * (MIN_MOVES_LEFT as Value - moves_left)
        }
        _ => score::DRAW,
    }
}

/// The soft and the hard limit of a search.
fn time_limits(
    limits: &Limits,
    color: Color,
    fullmove_number: u16,
    delays: ClockDelays,
) -> (Option<Duration>, Option<Duration>) {
    const MIN_TIME: Duration = Duration::from_millis(1);
    const RESERVE_OVERHEADS: u32 = 10;
    let lag = delays.lag;
    let overhead = delays.overhead.max(lag);
    if let Some(time) = limits.move_time {
        return (None, Some(time.saturating_sub(overhead).max(MIN_TIME)));
    }
    let Some(left) = limits.time[color.index()] else {
        return (None, None);
    };
    let left = left.saturating_sub(overhead).max(MIN_TIME);
    // A busy machine can delay a move by several overheads. The reserve covers that; while it
    // is not full, most of the increment is saved.
    let reserve = overhead * RESERVE_OVERHEADS;
    let reserve_fill = left.as_secs_f64() / reserve.max(MIN_TIME).as_secs_f64();
    let increment_share = reserve_fill.min(1.0) * f64::from(params::time_increment()) / 100.0;
    let left = left - reserve.min(left * 3 / 4);
    let increment = limits.increment[color.index()];
    let max_moves = LONG_GAME
        .saturating_sub(fullmove_number.into())
        .max(MIN_MOVES_LEFT);
    let later_moves = limits.moves_to_go.unwrap_or(max_moves).clamp(1, max_moves) - 1;
    let later_lag = lag.saturating_sub(increment) * later_moves;
    let left = left - later_lag.min(left * 63 / 64);
    let opening_moves = (params::time_opening() - i32::from(fullmove_number)).max(0);
    let horizon = (params::time_horizon() + opening_moves) as u32;
    let moves = limits
        .moves_to_go
        .map_or(horizon, |moves| moves.clamp(1, horizon));
    // The overhead of later moves counts too, unless the increment or the lag covers it.
    let later_overhead = overhead.saturating_sub(increment.max(lag)) * (moves - 1);
    let usable = left.saturating_sub(later_overhead / 2).max(left / 8);
    let soft_limit = usable / moves + increment.mul_f64(increment_share);
    // The last move before a time control may use most of the time.
    let max_time = if moves == 1 {
        left * 4 / 5
    } else {
        left * params::time_most() as u32 / 100
    };
    let soft_limit = soft_limit.min(max_time).max(MIN_TIME);
    let hard_limit = soft_limit * params::time_hard() as u32 / 100;
    let hard_limit = hard_limit.min(max_time).max(MIN_TIME);
    (Some(soft_limit), Some(hard_limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The default overhead and this lag.
    fn delays(lag: u64) -> ClockDelays {
        ClockDelays {
            overhead: Duration::from_millis(10),
            lag: Duration::from_millis(lag),
        }
    }

    fn limits_in_ms(time: u64, increment: u64, moves_to_go: Option<u32>) -> (u128, u128) {
        limits_in_ms_at(25, time, increment, moves_to_go)
    }

    fn limits_in_ms_at(
        fullmove_number: u16,
        time: u64,
        increment: u64,
        moves_to_go: Option<u32>,
    ) -> (u128, u128) {
        let limits = Limits {
            time: [Some(Duration::from_millis(time)); 2],
            increment: [Duration::from_millis(increment); 2],
            moves_to_go,
            ..Limits::default()
        };
        let (soft, hard) = time_limits(&limits, Color::White, fullmove_number, delays(0));
        (soft.unwrap().as_millis(), hard.unwrap().as_millis())
    }

    #[test]
    fn hard_limit_never_exceeds_time_left() {
        for time in [0, 1, 5, 11, 20, 50, 100, 1000, 60_000] {
            for increment in [0, 10, 1000] {
                for moves in [None, Some(1), Some(2), Some(40)] {
                    let (soft, hard) = limits_in_ms(time, increment, moves);
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
    fn low_clock_recovers_with_increment() {
        for time in 1..=100 {
            let (_, hard) = limits_in_ms(time, 10, None);
            assert!(hard <= 10, "{time}: {hard}");
        }
        let (soft, hard) = limits_in_ms(60, 10, None);
        assert!(soft <= 5 && hard <= 6, "{soft}, {hard}");
    }

    #[test]
    fn soft_limit_is_a_fair_share() {
        let (soft, hard) = limits_in_ms(60_000, 0, None);
        assert!((3000..5000).contains(&soft) && hard >= 2 * soft);
        let (soft, _) = limits_in_ms(60_000, 1000, None);
        assert!(soft > 3700);
    }

    #[test]
    fn opening_leaves_time_for_the_middlegame() {
        let (first, _) = limits_in_ms_at(1, 60_000, 0, None);
        assert!((1200..2000).contains(&first), "{first}");
        let mut left = 60_000;
        let mut spent = Vec::new();
        for fullmove_number in 1..=60 {
            let (soft, _) = limits_in_ms_at(fullmove_number, left, 0, None);
            spent.push(soft);
            left -= soft as u64;
        }
        assert!(
            spent[..28].iter().all(|&soft| soft * 5 > first * 4),
            "{spent:?}"
        );
        assert!(left > 100, "{left}");
    }

    #[test]
    fn lag_leaves_time_for_a_long_game() {
        let lag = Duration::from_millis(50);
        let mut left = Duration::from_secs(15);
        for fullmove_number in 1..=185 {
            let limits = Limits {
                time: [Some(left); 2],
                ..Limits::default()
            };
            let draw_value = root_draw_value(&limits, Color::White, lag);
            assert!(fullmove_number > 100 || draw_value == score::DRAW);
            let limits = time_limits(&limits, Color::White, fullmove_number, delays(50));
            let soft = limits.0.unwrap();
            if fullmove_number <= 20 {
                assert!(soft > Duration::from_millis(100), "{soft:?}");
            }
            left = left.checked_sub(soft + lag).expect("time on the clock");
        }
    }

    #[test]
    fn draw_value_grows_while_the_lag_uses_up_the_clock() {
        let value = |left, increment, moves_to_go, lag| {
            let limits = Limits {
                time: [Some(Duration::from_millis(left)), None],
                increment: [Duration::from_millis(increment); 2],
                moves_to_go,
                ..Limits::default()
            };
            let lag = Duration::from_millis(lag);
            assert_eq!(root_draw_value(&limits, Color::Black, lag), score::DRAW);
            root_draw_value(&limits, Color::White, lag) - score::DRAW
        };
        assert_eq!(value(4_000, 0, None, 50), 0);
        assert_eq!(value(3_999, 0, None, 50), 5);
        assert_eq!(value(1_000, 0, None, 50), 300);
        assert_eq!(value(0, 0, None, 50), 400);
        assert_eq!(value(1_000, 30, None, 50), 150);
        assert_eq!(value(1_000, 50, None, 50), 0);
        assert_eq!(value(1_000, 0, Some(5), 50), 0);
        assert_eq!(value(1, 0, None, 0), 0);
    }
}
