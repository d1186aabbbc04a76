//! The lag of the clock: what a move costs beyond its search, through the GUI, the network or a
//! busy machine. It shows in the clock that the next move starts with.
//! Invariant: compares only the clocks of two consecutive moves of one side.

use std::time::Duration;

use arrayvec::ArrayVec;

use crate::rules::{Color, Position};
use crate::search::Limits;

/// Number of moves that the lag is computed from.
const MEMORY: usize = 7;
/// The least number of moves for a known lag.
const MIN_MOVES: usize = 3;
/// After a greater difference the clock has been set anew.
const MAX_LAG: Duration = Duration::from_secs(1);
/// The most that a clock may seem to gain, because clocks are rounded to milliseconds.
const MAX_GAIN: Duration = Duration::from_millis(5);

/// Measures the lag of the clock from move to move.
#[derive(Default)]
pub struct LagMeter {
    last_move: Option<TimedMove>,
    /// The lags of the last moves, the newest last.
    lags: ArrayVec<Duration, MEMORY>,
}

struct TimedMove {
    color: Color,
    fullmove_number: u16,
    /// The clock before the next move if there is no lag.
    expected: Duration,
}

impl LagMeter {
    /// The median lag of the last moves; zero until enough are known. A single delay does not
    /// change it.
    pub fn lag(&self) -> Duration {
        if self.lags.len() < MIN_MOVES {
            return Duration::ZERO;
        }
        let mut sorted = self.lags.clone();
        sorted.sort_unstable();
        sorted[(sorted.len() - 1) / 2]
    }

    /// Records the clock at the beginning of a search of `pos`.
    pub fn begin_search(&mut self, pos: &Position, limits: &Limits) {
        let us = pos.side_to_move();
        let Some((last_move, left)) = self.last_move.take().zip(limits.time[us.index()]) else {
            return;
        };
        let lag = last_move.expected.saturating_sub(left);
        let gain = left.saturating_sub(last_move.expected);
        let follows = last_move.color == us
            && last_move.fullmove_number.checked_add(1) == Some(pos.fullmove_number());
        if follows && lag <= MAX_LAG && gain <= MAX_GAIN {
            if self.lags.is_full() {
                self.lags.remove(0);
            }
            self.lags.push(lag);
        }
    }

    /// Records the end of a search of `pos` that took `time` on the clock.
    pub fn end_search(&mut self, pos: &Position, limits: &Limits, time: Option<Duration>) {
        let us = pos.side_to_move();
        // The last move of a time control is followed by another clock.
        let left = limits.time[us.index()].filter(|_| limits.moves_to_go != Some(1));
        self.last_move = left.zip(time).map(|(left, time)| TimedMove {
            color: us,
            fullmove_number: pos.fullmove_number(),
            expected: left.saturating_sub(time) + limits.increment[us.index()],
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::position;

    const MS: Duration = Duration::from_millis(1);

    fn pos(color: char, fullmove_number: u16) -> Position {
        position(&format!("4k3/8/8/8/8/8/8/4K2R {color} - - 0 {fullmove_number}"))
    }

    fn limits(left: u32, increment: u32, moves_to_go: Option<u32>) -> Limits {
        Limits {
            time: [Some(MS * left); 2],
            increment: [MS * increment; 2],
            moves_to_go,
            ..Limits::default()
        }
    }

    /// The lag after moves of 100 ms with these clocks before them.
    fn lag_of(clocks: &[u32], increment: u32) -> Duration {
        let mut meter = LagMeter::default();
        for (number, &left) in (1..).zip(clocks) {
            let limits = limits(left, increment, None);
            meter.begin_search(&pos('w', number), &limits);
            meter.end_search(&pos('w', number), &limits, Some(MS * 100));
        }
        meter.lag()
    }

    #[test]
    fn lag_is_the_median_of_the_last_moves() {
        assert_eq!(lag_of(&[5000, 4850, 4700], 0), Duration::ZERO);
        assert_eq!(lag_of(&[5000, 4850, 4700, 4550], 0), MS * 50);
        assert_eq!(lag_of(&[5000, 4860, 4720, 4580], 10), MS * 50);
        // One delay of 800 ms among moves without lag.
        assert_eq!(lag_of(&[5000, 4900, 4801, 3901, 3801], 0), Duration::ZERO);
        // Seven moves later the lag from before is forgotten.
        let mut clocks = vec![5000, 4850, 4700, 4550];
        clocks.extend((1..=7).map(|moves| 4550 - 100 * moves));
        assert_eq!(lag_of(&clocks, 0), Duration::ZERO);
    }

    #[test]
    fn unrelated_clocks_are_not_compared() {
        let mut meter = LagMeter::default();
        let plain = limits(5000, 0, None);
        let slow = limits(4850, 0, None);
        let mut pair = |first: &Position, then: &Position, before: &Limits, after: &Limits| {
            meter.end_search(first, before, Some(MS * 100));
            meter.begin_search(then, after);
            meter.lags.len()
        };
        let (white, next) = (pos('w', 5), pos('w', 6));
        // Another side, another game, a takeback, a clock set anew, a new time control, no clock.
        assert_eq!(pair(&white, &pos('b', 6), &plain, &slow), 0);
        assert_eq!(pair(&white, &pos('w', 1), &plain, &slow), 0);
        assert_eq!(pair(&white, &white, &plain, &slow), 0);
        assert_eq!(pair(&white, &next, &plain, &limits(9000, 0, None)), 0);
        assert_eq!(pair(&white, &next, &plain, &limits(3000, 0, None)), 0);
        assert_eq!(pair(&white, &next, &limits(5000, 0, Some(1)), &slow), 0);
        assert_eq!(pair(&white, &next, &plain, &Limits::default()), 0);
        assert_eq!(pair(&white, &next, &Limits::default(), &slow), 0);
        assert_eq!(pair(&white, &next, &plain, &slow), 1);
    }
}
