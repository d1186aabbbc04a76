//! The clocks of a match game.
//! Invariant: without a time control by clock, there is no time left to report.

use std::time::Duration;

use super::spec::TimeControl;

#[derive(Clone, Copy, Debug)]
pub struct GameClock {
    pub time_control: TimeControl,
    /// Added to the time of every move, as if a network took it.
    lag: Duration,
    left: Duration,
    moves_played: u32,
}

impl GameClock {
    pub fn new(time_control: TimeControl, lag: Duration) -> GameClock {
        let left = match time_control {
            TimeControl::Clock { base, .. } => base,
            _ => Duration::ZERO,
        };
        GameClock { time_control, lag, left, moves_played: 0 }
    }

    pub fn left(&self) -> Option<Duration> {
        matches!(self.time_control, TimeControl::Clock { .. }).then_some(self.left)
    }

    pub fn increment(&self) -> Duration {
        match self.time_control {
            TimeControl::Clock { increment, .. } => increment,
            _ => Duration::ZERO,
        }
    }

    pub fn moves_to_go(&self) -> Option<u32> {
        match self.time_control {
            TimeControl::Clock { moves: Some(moves), .. } => {
                Some(moves - self.moves_played % moves)
            }
            _ => None,
        }
    }

    /// True if a move that took `time` exceeds the time left by more than `margin`.
    pub fn is_exceeded_by(&self, time: Duration, margin: Duration) -> bool {
        self.left().is_some_and(|left| time + self.lag > left + margin)
    }

    /// Subtracts the time of a move with its lag and adds the increment, and after the last move
    /// of a time control the base time.
    pub fn spend(&mut self, time: Duration) {
        self.moves_played += 1;
        if let TimeControl::Clock { base, increment, moves } = self.time_control {
            self.left = self.left.saturating_sub(time + self.lag) + increment;
            if moves.is_some_and(|moves| self.moves_played.is_multiple_of(moves)) {
                self.left += base;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_time_control_adds_increments_and_its_base_time() {
        let time_control =
            TimeControl::Clock { base: seconds(60), increment: seconds(1), moves: Some(2) };
        let mut clock = GameClock::new(time_control, Duration::ZERO);
        assert_eq!(clock.moves_to_go(), Some(2));
        for (time, left, moves) in [(11, 50, 1), (5, 106, 2), (200, 1, 1)] {
            clock.spend(seconds(time));
            let state = (clock.left(), clock.moves_to_go());
            assert_eq!(state, (Some(seconds(left)), Some(moves)));
        }
        let mut nodes = GameClock::new(TimeControl::Nodes(5), seconds(1));
        nodes.spend(seconds(9));
        assert_eq!((nodes.left(), nodes.moves_to_go()), (None, None));
        assert!(!nodes.is_exceeded_by(seconds(9), Duration::ZERO));
    }
}
