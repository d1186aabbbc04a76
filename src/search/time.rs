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
        let clock_start = if limits.ponder { OnceCell::new() } else { OnceCell::from(start) };
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

/// The number of moves of a long game; few games last longer.
const LONG_GAME: u32 = 190;
/// The least number of moves that a game is expected to go on.
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
    let overhead = delays.overhead.max(delays.lag);
    if let Some(time) = limits.move_time {
        return (None, Some(time.saturating_sub(overhead).max(MIN_TIME)));
    }
    let Some(left) = limits.time[color.index()] else {
        return (None, None);
    };
    let clock = ClockState {
        left: left.saturating_sub(overhead).max(MIN_TIME),
        increment: limits.increment[color.index()],
        moves_to_go: limits.moves_to_go,
        fullmove_number,
        overhead,
        lag: delays.lag,
    };
    (Some(clock.soft()), Some(clock.hard()))
}

const MIN_TIME: Duration = Duration::from_millis(1);

/// The clock of the side to move at the start of a search.
struct ClockState {
    /// The time left without the overhead of this move.
    left: Duration,
    increment: Duration,
    moves_to_go: Option<u32>,
    fullmove_number: u16,
    /// At least the lag.
    overhead: Duration,
    lag: Duration,
}

impl ClockState {
    /// A busy machine can delay a move by several overheads. The reserve covers that.
    fn reserve(&self) -> Duration {
        self.overhead * 10
    }

    /// The time left without the reserve and the lag of a long game.
    fn usable(&self) -> Duration {
        let usable = self.left - self.reserve().min(self.left * 3 / 4);
        let long_game = LONG_GAME.saturating_sub(self.fullmove_number.into()).max(MIN_MOVES_LEFT);
        let later_moves = self.moves_to_go.unwrap_or(long_game).clamp(1, long_game) - 1;
        let later_lag = self.lag.saturating_sub(self.increment) * later_moves;
        usable - later_lag.min(usable * 63 / 64)
    }

    /// The number of moves that share the usable time.
    fn moves_left(&self) -> u32 {
        let opening_moves = (params::time_opening() - i32::from(self.fullmove_number)).max(0);
        let horizon = (params::time_horizon() + opening_moves) as u32;
        let to_go = self.moves_to_go.unwrap_or(horizon);
        to_go.clamp(1, horizon)
    }

    /// The most time for this move. The last move before a time control may use most of the time.
    fn max_time(&self) -> Duration {
        match self.moves_left() {
            1 => self.usable() * 4 / 5,
            _ => self.usable() * params::time_most() as u32 / 100,
        }
    }

    fn soft(&self) -> Duration {
        let (usable, moves) = (self.usable(), self.moves_left());
        // The overhead of later moves counts too, unless the increment or the lag covers it.
        let later_overhead =
            self.overhead.saturating_sub(self.increment.max(self.lag)) * (moves - 1);
        let shared = usable.saturating_sub(later_overhead / 2).max(usable / 8);
        // While the reserve is not full, most of the increment is saved.
        let reserve_fill = self.left.as_secs_f64() / self.reserve().max(MIN_TIME).as_secs_f64();
        let increment_share = reserve_fill.min(1.0) * f64::from(params::time_increment()) / 100.0;
        let soft = shared / moves + self.increment.mul_f64(increment_share);
        soft.min(self.max_time()).max(MIN_TIME)
    }

    fn hard(&self) -> Duration {
        let hard = self.soft() * params::time_hard() as u32 / 100;
        hard.min(self.max_time()).max(MIN_TIME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The default overhead and this lag.
    fn delays(lag: u64) -> ClockDelays {
        ClockDelays { overhead: Duration::from_millis(10), lag: Duration::from_millis(lag) }
    }

    /// White's clock in milliseconds.
    fn clock(left: u64, increment: u64, moves_to_go: Option<u32>) -> Limits {
        Limits {
            time: [Some(Duration::from_millis(left)), None],
            increment: [Duration::from_millis(increment), Duration::ZERO],
            moves_to_go,
            ..Limits::default()
        }
    }

    fn limits_in_ms(time: u64, increment: u64, moves_to_go: Option<u32>) -> (u128, u128) {
        let limits = clock(time, increment, moves_to_go);
        let (soft, hard) = time_limits(&limits, Color::White, 25, delays(0));
        (soft.unwrap().as_millis(), hard.unwrap().as_millis())
    }

    /// Clocks with their limits: the time left, the increment, the moves to go, the move number,
    /// overhead and lag in milliseconds, and the soft and the hard limit in microseconds.
    type ClockRow = (u64, u64, Option<u32>, u16, [u64; 2], [u128; 2]);

    #[rustfmt::skip]
    const CLOCKS: [ClockRow; 40] = [
        (0, 0, None, 1, [10, 0], [1000, 1000]),
        (0, 0, None, 30, [10, 60], [1000, 1000]),
        (0, 0, None, 120, [100, 20], [1000, 1000]),
        (11, 0, None, 1, [10, 0], [1000, 1000]),
        (11, 0, None, 30, [10, 60], [1000, 1000]),
        (11, 0, None, 120, [100, 20], [1000, 1000]),
        (60, 10, None, 1, [10, 0], [5250, 5250]),
        (60, 10, None, 30, [10, 60], [1000, 1000]),
        (60, 10, None, 120, [100, 20], [1000, 1000]),
        (100, 0, Some(1), 1, [10, 0], [18000, 18000]),
        (100, 0, Some(1), 30, [10, 60], [8000, 8000]),
        (100, 0, Some(1), 120, [100, 20], [1000, 1000]),
        (1000, 0, None, 1, [10, 0], [17375, 107203]),
        (1000, 0, None, 30, [10, 60], [1000, 2231]),
        (1000, 0, None, 120, [100, 20], [1000, 1476]),
        (1000, 20, Some(3), 1, [10, 0], [319466, 373800]),
        (1000, 20, Some(3), 30, [10, 60], [109200, 109200]),
        (1000, 20, Some(3), 120, [100, 20], [68853, 94500]),
        (8000, 80, None, 1, [10, 0], [288450, 1779736]),
        (8000, 80, None, 30, [10, 60], [580533, 3082800]),
        (8000, 80, None, 120, [100, 20], [541866, 2898000]),
        (15000, 0, Some(40), 1, [10, 0], [367375, 2266703]),
        (15000, 0, Some(40), 30, [10, 60], [800000, 4936000]),
        (15000, 0, Some(40), 120, [100, 20], [837333, 5166346]),
        (60000, 0, None, 1, [10, 0], [1492375, 9207953]),
        (60000, 0, None, 30, [10, 60], [3320000, 20484400]),
        (60000, 0, None, 120, [100, 20], [3784000, 23347280]),
        (60000, 1000, Some(2), 1, [10, 0], [25153800, 25153800]),
        (60000, 1000, Some(2), 30, [10, 60], [24922800, 24922800]),
        (60000, 1000, Some(2), 120, [100, 20], [24738000, 24738000]),
        (180000, 2000, None, 1, [10, 0], [6777250, 41815632]),
        (180000, 2000, None, 30, [10, 60], [14236000, 75322800]),
        (180000, 2000, None, 120, [100, 20], [14206666, 75138000]),
        (5400000, 30000, Some(40), 1, [10, 0], [169197250, 1043947032]),
        (5400000, 30000, Some(40), 30, [10, 60], [394156000, 2267722800]),
        (5400000, 30000, Some(40), 120, [100, 20], [394126666, 2267538000]),
        (300000, 0, None, 200, [10, 0], [19988000, 123325960]),
        (300000, 0, Some(200), 5, [0, 0], [8333333, 51416666]),
        (20000, 50, Some(10), 60, [1000, 50], [529500, 3267015]),
        (2000, 5000, None, 25, [30, 30], [701400, 701400]),
    ];

    #[test]
    fn limits_are_those_of_the_table() {
        let ms = Duration::from_millis;
        for row in CLOCKS {
            let (left, increment, moves_to_go, number, [overhead, lag], expected) = row;
            let limits = clock(left, increment, moves_to_go);
            let delays = ClockDelays { overhead: ms(overhead), lag: ms(lag) };
            let (soft, hard) = time_limits(&limits, Color::White, number, delays);
            let found = [soft, hard].map(|limit| limit.unwrap().as_micros());
            assert_eq!(found, expected, "{row:?}");
        }
    }

    #[test]
    fn hard_limit_never_exceeds_time_left() {
        for time in [0, 1, 5, 11, 20, 50, 100, 1000, 60_000] {
            for increment in [0, 10, 1000] {
                for moves in [None, Some(1), Some(2), Some(40)] {
                    let (soft, hard) = limits_in_ms(time, increment, moves);
                    assert!(soft <= hard, "{time} {increment} {moves:?}");
                    assert!(hard + 10 <= u128::from(time).max(11), "{time} {increment} {moves:?}");
                }
            }
        }
    }

    #[test]
    fn lag_leaves_time_for_a_long_game() {
        let lag = Duration::from_millis(50);
        let mut left = Duration::from_secs(15);
        for fullmove_number in 1..=185 {
            let limits = clock(left.as_millis() as u64, 0, None);
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
            let limits = clock(left, increment, moves_to_go);
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
