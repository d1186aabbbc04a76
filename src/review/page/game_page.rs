//! The data that the page shows of a game: positions, expected scores and texts.
//! Invariant: positions, scores and analyses have one more entry than moves.

use crate::eval::wdl::DisplayScore;
use crate::notation::san;
use crate::picture::BoardMarks;
use crate::review::annotate::judgement;
use crate::review::judge::{white_expected_score, white_score};
use crate::review::{JudgedMove, MoveMark, Review};
use crate::rules::{Color, Position};

/// A game with the data that the page shows.
pub(super) struct GamePage<'a> {
    pub(super) review: &'a Review,
    /// All positions, from the first to the last.
    pub(super) positions: Vec<Position>,
    /// White's expected score in each position.
    pub(super) curve: Vec<f64>,
    /// The moves in SAN.
    pub(super) sans: Vec<String>,
    /// The judgements of the moves.
    pub(super) judged: Vec<JudgedMove>,
}

impl<'a> GamePage<'a> {
    pub(super) fn new(review: &'a Review) -> GamePage<'a> {
        let positions = review.positions();
        let moves = review.game.main_line.moves.iter().zip(&positions);
        let sans = moves.map(|(played, pos)| san::write(pos, played.mv));
        let values = positions.iter().zip(&review.analyses);
        GamePage {
            review,
            curve: values
                .map(|(pos, analysis)| white_expected_score(pos, analysis))
                .collect(),
            sans: sans.collect(),
            judged: review.judged_moves(),
            positions,
        }
    }

    /// The move that leads to `ply` (from 1), with its number: `12... Qxf2`.
    pub(super) fn numbered(&self, ply: usize) -> String {
        numbered(&self.positions[ply - 1], &self.sans[ply - 1])
    }

    /// The glyph of the move that leads to `ply`; empty without a mark.
    pub(super) fn glyph(&self, ply: usize) -> &'static str {
        self.judged[ply - 1].mark.map_or("", |mark| mark.glyph())
    }

    /// The score from White's perspective as `+0.35` or `#-3`, or the result.
    pub(super) fn value(&self, ply: usize) -> String {
        let pos = &self.positions[ply];
        match white_score(pos, &self.review.analyses[ply]) {
            Some(DisplayScore::Centipawns(cp)) => format!("{:+.2}", f64::from(cp) / 100.0),
            Some(DisplayScore::Mate(moves)) => format!("#{moves}"),
            None if self.curve[ply] > 0.5 => "1-0".to_owned(),
            None => "0-1".to_owned(),
        }
    }

    /// The best line from a position, with move numbers; empty at the end of a game.
    pub(super) fn line(&self, ply: usize) -> String {
        let mut pos = self.positions[ply].without_history();
        let mut words = Vec::new();
        for (index, &mv) in self.review.analyses[ply].line.iter().take(8).enumerate() {
            if pos.side_to_move() == Color::White {
                words.push(format!("{}.", pos.fullmove_number()));
            } else if index == 0 {
                words.push(format!("{}...", pos.fullmove_number()));
            }
            words.push(san::write(&pos, mv));
            pos.make(mv);
        }
        words.join(" ")
    }

    /// The judgement of the move that leads to `ply`, its explosion, and the outcome.
    pub(super) fn remark(&self, ply: usize) -> String {
        let mut sentences = Vec::new();
        if let Some(before) = ply.checked_sub(1) {
            let best = self.review.analyses[before].line.first().copied();
            sentences.extend(judgement(
                &self.positions[before],
                &self.judged[before],
                best,
            ));
            if let Some(blast) = BoardMarks::from_position(&self.positions[ply]).blast {
                sentences.push(format!("Exploded: {}.", blast.describe_removed()));
            }
        }
        if let Some(outcome) = self.positions[ply].outcome_by_rule() {
            sentences.push(format!("{outcome}."));
        }
        sentences.join(" ")
    }

    /// The marks of each side: `White: 1 inaccuracy, 2 blunders`.
    pub(super) fn mark_counts(&self) -> Option<String> {
        let side = |color: Color| {
            let moves = self.positions.iter().zip(&self.judged);
            let marks = moves.filter(|(pos, _)| pos.side_to_move() == color);
            let marks: Vec<MoveMark> = marks.filter_map(|(_, judged)| judged.mark).collect();
            let counts = MoveMark::ALL.map(|mark| {
                let count = marks.iter().filter(|&&other| other == mark).count();
                let name = mark.name().to_lowercase();
                match (count, name.strip_suffix('y')) {
                    (0, _) => None,
                    (1, _) => Some(format!("1 {name}")),
                    (_, Some(stem)) => Some(format!("{count} {stem}ies")),
                    (_, None) => Some(format!("{count} {name}s")),
                }
            });
            let counts: Vec<String> = counts.into_iter().flatten().collect();
            (!counts.is_empty()).then(|| format!("{color}: {}", counts.join(", ")))
        };
        let sides: Vec<String> = Color::ALL.into_iter().filter_map(side).collect();
        (!sides.is_empty()).then(|| sides.join(" · "))
    }

    pub(super) fn players(&self) -> String {
        let name = |tag| self.review.game.tag(tag).unwrap_or("?");
        format!("{} – {}", name("White"), name("Black"))
    }
}

/// A move with its number; `before` is the position before it.
pub(super) fn numbered(before: &Position, san: &str) -> String {
    let dots = match before.side_to_move() {
        Color::White => ".",
        Color::Black => "...",
    };
    format!("{}{dots} {san}", before.fullmove_number())
}
