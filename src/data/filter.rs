//! Selects the positions of a game that are used for training.
//! Invariant: every rule can be switched off separately, so that its effect can be measured.

use super::{GameRecord, Labels, Sample};
use crate::rules::{Color, Position};

/// The rules by which positions are kept.
#[derive(Clone, Debug)]
pub struct FilterSettings {
    /// Keep positions whose best move is a capture: the blast decides, not the position.
    pub captures: bool,
    /// Keep positions whose best move promotes.
    pub promotions: bool,
    /// Keep positions in check.
    pub checks: bool,
    /// Keep positions where the side to move can explode the king: the search never
    /// evaluates them.
    pub win_in_one: bool,
    /// Keep positions whose search value is up to this many internal units.
    pub cap: i32,
    /// Skip this many plies at the beginning of each game.
    pub early: usize,
}

impl Default for FilterSettings {
    fn default() -> FilterSettings {
        FilterSettings {
            captures: false,
            promotions: false,
            checks: true,
            win_in_one: false,
            cap: 5000,
            early: 0,
        }
    }
}

/// How many positions were dropped by each rule (the first that applied) and kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilterCounts {
    /// All positions looked at.
    pub seen: u64,
    /// Too early in their game.
    pub early: u64,
    /// Value beyond the cap.
    pub cap: u64,
    /// Best move captures.
    pub captures: u64,
    /// Best move promotes.
    pub promotions: u64,
    /// In check.
    pub checks: u64,
    /// The king can be exploded.
    pub win_in_one: u64,
    /// Kept.
    pub kept: u64,
}

/// Filters and labels the positions of games.
pub struct SampleFilter {
    filter: FilterSettings,
    labels: Labels,
    counts: FilterCounts,
}

impl SampleFilter {
    /// Creates a filter with counts of zero that labels positions with `labels`.
    pub fn new(filter: FilterSettings, labels: Labels) -> SampleFilter {
        SampleFilter { filter, labels, counts: FilterCounts::default() }
    }

    /// What was dropped and kept so far.
    pub fn counts(&self) -> FilterCounts {
        self.counts
    }

    /// Calls `keep` with each position of `game` that passes, and its sample.
    pub fn add_game(&mut self, game: &GameRecord, mut keep: impl FnMut(&Position, Sample)) {
        let labels = self.labels.of_game(game);
        for (ply, ((pos, record), label)) in game.positions().zip(labels).enumerate() {
            let (filter, counts) = (&self.filter, &mut self.counts);
            counts.seen += 1;
            let dropped = if Color::ALL.iter().any(|&color| pos.king(color).is_none()) {
                &mut counts.win_in_one
            } else if ply < filter.early {
                &mut counts.early
            } else if i32::from(record.value).abs() > filter.cap {
                &mut counts.cap
            } else if !filter.captures && record.mv.is_capture() {
                &mut counts.captures
            } else if !filter.promotions && record.mv.promotion().is_some() {
                &mut counts.promotions
            } else if !filter.checks && pos.in_check() {
                &mut counts.checks
            } else if !filter.win_in_one && pos.win_in_one().is_some() {
                &mut counts.win_in_one
            } else {
                keep(&pos, Sample::new(&pos, label, game.result.winner(), ply));
                &mut counts.kept
            };
            *dropped += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{expected_score, tests};
    use crate::rules::GameResult;

    /// 1.Nf3 f6 2.Ng1 f5 3.Nf3 Nf6 4.Ng5 Rg8 5.Nxh7 with the values given.
    fn game(values: &[i16]) -> GameRecord {
        let moves = ["g1f3", "f7f6", "f3g1", "f6f5", "g1f3", "g8f6", "f3g5", "h8g8", "g5h7"];
        let moves: Vec<_> = moves.into_iter().zip(values.iter().copied()).collect();
        tests::game("startpos", &moves, GameResult::Win(Color::White))
    }

    const PLAIN: Labels = Labels { lambda: 0.0, scale: 400.0 };

    fn filtered(settings: FilterSettings, values: &[i16]) -> (FilterCounts, Vec<Sample>) {
        let (mut filter, mut kept) = (SampleFilter::new(settings, PLAIN), vec![]);
        for _ in 0..2 {
            filter.add_game(&game(values), |_, sample| kept.push(sample));
        }
        (filter.counts(), kept)
    }

    #[test]
    fn labels_use_dropped_positions() {
        let values = [0, 0, 0, 0, 0, 0, 0, 0, 32000];
        let labels = Labels { lambda: 1.0, ..PLAIN };
        let mut kept = vec![];
        let mut filter = SampleFilter::new(FilterSettings::default(), labels);
        filter.add_game(&game(&values), |_, sample| kept.push(sample.label()));
        assert_eq!(kept, [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn each_rule_drops_what_it_names() {
        let values = [10, 20, 30, 40, 50, 60, 70, 6000, 80];
        let (counts, kept) = filtered(FilterSettings::default(), &values);
        assert_eq!((counts.seen, counts.cap, counts.captures), (18, 2, 2));
        assert_eq!((counts.kept, kept.len()), (14, 14));
        let label = expected_score(20.0 / PLAIN.scale);
        assert!((kept[1].label() - label).abs() < 1e-5);
        assert_eq!(kept[1].game_score(), 0.0);
        let all =
            FilterSettings { captures: true, cap: i32::MAX, early: 3, ..FilterSettings::default() };
        let (counts, _) = filtered(all, &values);
        assert_eq!((counts.early, counts.kept), (6, 12));
    }
}
