//! A game with everything that the page shows of it worked out: positions, chances, texts.

use crate::eval::wdl::DisplayScore;
use crate::notation::san;
use crate::picture::BoardMarks;
use crate::review::annotate::judgement;
use crate::review::judge::{for_white, white_chances};
use crate::review::{Judged, Mark, Review};
use crate::rules::{Color, Position};

/// A game with everything that is shown of it worked out.
pub(super) struct Sheet<'a> {
    pub(super) review: &'a Review,
    /// From before the first move to the end.
    pub(super) positions: Vec<Position>,
    /// What White can expect in each, in points.
    pub(super) curve: Vec<f64>,
    /// The moves as text.
    pub(super) sans: Vec<String>,
    /// The moves judged.
    pub(super) judged: Vec<Judged>,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(review: &'a Review) -> Sheet<'a> {
        let positions = review.positions();
        let moves = review.game.main_line.moves.iter().zip(&positions);
        let sans = moves.map(|(played, pos)| san::write(pos, played.mv));
        let values = positions.iter().zip(&review.found);
        Sheet {
            review,
            curve: values
                .map(|(pos, found)| white_chances(pos, found))
                .collect(),
            sans: sans.collect(),
            judged: review.judged(),
            positions,
        }
    }

    /// The move that leads to `ply` (from 1), with its number: `12... Qxf2`.
    pub(super) fn numbered(&self, ply: usize) -> String {
        numbered(&self.positions[ply - 1], &self.sans[ply - 1])
    }

    /// The glyph of the move that leads to `ply`: ours, or the one it had.
    pub(super) fn glyph(&self, ply: usize) -> &'static str {
        self.judged[ply - 1].mark.map_or("", |mark| mark.glyph())
    }

    /// A value as a reader sees it: `+0.35` or `#-3` from White's view, or the result.
    pub(super) fn value(&self, ply: usize) -> String {
        let pos = &self.positions[ply];
        match for_white(pos, &self.review.found[ply]) {
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
        for (index, &mv) in self.review.found[ply].line.iter().take(8).enumerate() {
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

    /// What there is to say of the move that leads to `ply`.
    pub(super) fn remark(&self, ply: usize) -> String {
        let mut sentences = Vec::new();
        if let Some(before) = ply.checked_sub(1) {
            let best = self.review.found[before].line.first().copied();
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

    /// How often each side went wrong: `White: 1 inaccuracy, 2 blunders`.
    pub(super) fn faults(&self) -> Option<String> {
        let side = |color: Color| {
            let moves = self.positions.iter().zip(&self.judged);
            let marks = moves.filter(|(pos, _)| pos.side_to_move() == color);
            let marks: Vec<Mark> = marks.filter_map(|(_, judged)| judged.mark).collect();
            let counts = [Mark::Inaccuracy, Mark::Mistake, Mark::Blunder].map(|mark| {
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

/// A move with its number; `before` is the position it is played in.
pub(super) fn numbered(before: &Position, san: &str) -> String {
    let dots = match before.side_to_move() {
        Color::White => ".",
        Color::Black => "...",
    };
    format!("{}{dots} {san}", before.fullmove_number())
}
