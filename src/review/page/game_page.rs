//! The data that the page shows of a game: positions, expected scores and texts.
//! Invariant: positions, scores and analyses have one more entry than moves.

use serde::Serialize;

use crate::eval::{GameJudgement, MoveMark};
use crate::notation::pgn::{GLYPHS, PgnLine};
use crate::notation::{coord, san};
use crate::picture::BoardMarks;
use crate::review::Review;
use crate::review::annotate::{judgement, single_blanks, split_comment};
use crate::review::judge::{white_expected_score, white_score};
use crate::rules::{Color, Move, Position};
use crate::util::count;

/// The moves of a line that are shown.
const MAX_LINE_PLIES: usize = 12;

pub struct GamePage<'a> {
    pub(super) review: &'a Review,
    /// All positions, from the first to the last.
    pub(super) positions: Vec<Position>,
    /// White's expected score in each position.
    pub(super) curve: Vec<f64>,
    pub(super) sans: Vec<String>,
    pub(super) judged: GameJudgement,
}

impl<'a> GamePage<'a> {
    pub fn new(review: &'a Review) -> GamePage<'a> {
        let positions = review.positions();
        let moves = review.game.main_line.moves.iter().zip(&positions);
        let sans = moves.map(|(played, pos)| san::write(pos, played.mv));
        let values = positions.iter().zip(&review.analyses);
        GamePage {
            review,
            curve: values.map(|(pos, analysis)| white_expected_score(pos, analysis)).collect(),
            sans: sans.collect(),
            judged: review.judge(),
            positions,
        }
    }

    /// The move that leads to `ply` (from 1), with its number and glyphs: `12... Qxf2?`.
    pub fn numbered(&self, ply: usize) -> String {
        let number = san::move_number(&self.positions[ply - 1]);
        format!("{number} {}{}", self.sans[ply - 1], self.glyph(ply))
    }

    /// The mark of the move that leads to `ply`.
    pub fn mark(&self, ply: usize) -> Option<MoveMark> {
        self.judged.moves[ply - 1].mark
    }

    /// The glyphs of the move that leads to `ply`: those of the source, and our mark if the source
    /// has none.
    pub fn glyph(&self, ply: usize) -> String {
        let nags = &self.review.game.main_line.moves[ply - 1].nags;
        let is_judged = nags.iter().any(|nag| (1..=6).contains(nag));
        let own = self.mark(ply).filter(|_| !is_judged);
        own.map_or("", |mark| mark.glyph()).to_owned() + &nag_text(nags)
    }

    /// The score from White's perspective as `+0.35` or `#-3`, or the result.
    pub fn value(&self, ply: usize) -> String {
        let pos = &self.positions[ply];
        match white_score(pos, self.review.analyses[ply].display_score()) {
            Some(score) => format!("{score:+}"),
            None if self.curve[ply] > 0.5 => "1-0".to_owned(),
            None => "0-1".to_owned(),
        }
    }

    /// The lines of the engine from a position, best first; none at the end of a game.
    pub fn lines(&self, ply: usize) -> Vec<LineData> {
        let lines = self.review.lines(ply).into_iter().enumerate();
        let lines = lines.map(|(index, (_, line))| LineData {
            label: match index {
                0 => "Engine:".to_owned(),
                _ => format!("{}.", index + 1),
            },
            base: ply,
            from: Vec::new(),
            moves: numbered_line(&self.positions[ply], &line[..line.len().min(MAX_LINE_PLIES)]),
        });
        lines.collect()
    }

    /// The variations of the source that replace the move that leads to `ply`.
    pub fn variations(&self, ply: usize) -> Vec<LineData> {
        let Some(before) = ply.checked_sub(1) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for line in &self.review.game.main_line.moves[before].variations {
            add_variation(&self.positions[before], before, &[], line, &mut found);
        }
        found
    }

    /// The comments of the source at a position, without commands.
    pub fn note(&self, ply: usize) -> String {
        let line = &self.review.game.main_line;
        let comments = match ply.checked_sub(1) {
            Some(before) => &line.moves[before].comments,
            None => &line.comments,
        };
        let texts = comments.iter().map(|comment| comment_text(comment));
        let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
        texts.join("\n")
    }

    /// The clock after the move that leads to `ply`, as in the source.
    pub fn clock(&self, ply: usize) -> Option<String> {
        let played = &self.review.game.main_line.moves[ply.checked_sub(1)?];
        played.comments.iter().find_map(|comment| {
            let (_, rest) = comment.split_once("[%clk ")?;
            Some(rest.split(']').next()?.trim().to_owned())
        })
    }

    pub fn is_flipped(&self) -> bool {
        let orientation = self.review.game.tag("Orientation");
        orientation.is_some_and(|side| side.eq_ignore_ascii_case("black"))
    }

    /// The judgement of the move that leads to `ply`, its explosion, and the outcome.
    pub fn remark(&self, ply: usize) -> String {
        let mut sentences = Vec::new();
        if let Some(before) = ply.checked_sub(1) {
            let pos = &self.positions[before];
            let judged = &self.judged.moves[before];
            sentences.extend(judgement(self.review, pos, judged, before));
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
    pub fn mark_counts(&self) -> Option<String> {
        let side = |color: Color| {
            let moves = self.positions.iter().zip(&self.judged.moves);
            let marks = moves.filter(|(pos, _)| pos.side_to_move() == color);
            let marks: Vec<MoveMark> = marks.filter_map(|(_, judged)| judged.mark).collect();
            let counts = MoveMark::ALL.into_iter().map(|mark| {
                let number = marks.iter().filter(|&&other| other == mark).count();
                (number > 0).then(|| count(number, &mark.name().to_lowercase()))
            });
            let counts: Vec<String> = counts.flatten().collect();
            (!counts.is_empty()).then(|| format!("{color}: {}", counts.join(", ")))
        };
        let sides: Vec<String> = Color::ALL.into_iter().filter_map(side).collect();
        (!sides.is_empty()).then(|| sides.join(" · "))
    }

    /// The accuracy of each side: `Accuracy: White 98.1 %, Black 95.0 %`.
    pub fn accuracies(&self) -> Option<String> {
        let sides = Color::ALL.into_iter().filter_map(|color| {
            let accuracy = self.judged.accuracy(color)?;
            Some(format!("{color} {accuracy:.1}%"))
        });
        let sides: Vec<String> = sides.collect();
        (!sides.is_empty()).then(|| format!("Accuracy: {}", sides.join(", ")))
    }

    /// The players or, if they are unknown, the name of the chapter, event or site.
    pub fn title(&self) -> String {
        let game = &self.review.game;
        let known =
            |tag: &&str| game.tag(tag).filter(|name| !name.is_empty() && !name.starts_with('?'));
        let players = ["White", "Black"].map(|tag| known(&tag));
        if players.iter().all(Option::is_none) {
            let mut names = ["ChapterName", "Event", "Site"].iter().filter_map(known);
            if let Some(name) = names.next() {
                return name.to_owned();
            }
        }
        let [white, black] = players.map(|name| name.unwrap_or("?"));
        format!("{white} – {black}")
    }
}

/// A line that the reader can play on the board.
#[derive(Serialize)]
pub struct LineData {
    label: String,
    /// The ply of the position that it starts from.
    base: usize,
    /// Moves from there to the first move shown, in coordinates, with castling as king takes rook.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    from: Vec<String>,
    /// Text and move in coordinates; a comment has no move.
    moves: Vec<Vec<String>>,
}

/// The text of a comment without commands; a line break counts as a space.
fn comment_text(comment: &str) -> String {
    single_blanks(&split_comment(comment).1)
}

/// The glyphs of a move: `!` follows it at once, `±` after a space. A NAG without a common sign is
/// its number.
fn nag_text(nags: &[u8]) -> String {
    let sign = |nag: u8| match nag {
        7 => "□",
        10 => "=",
        13 => "∞",
        14 => "⩲",
        15 => "⩱",
        16 => "±",
        17 => "∓",
        18 => "+−",
        19 => "−+",
        22 | 23 => "⨀",
        32 | 33 => "⟳",
        36 | 37 => "↑",
        40 | 41 => "→",
        44 | 45 => "=∞",
        132 | 133 => "⇆",
        138 | 139 => "⊕",
        140 => "∆",
        146 => "N",
        _ => "",
    };
    let texts = nags.iter().map(|&nag| match (nag, sign(nag)) {
        (1..=6, _) => GLYPHS[usize::from(nag) - 1].to_owned(),
        (_, "") => format!(" ${nag}"),
        (_, sign) => format!(" {sign}"),
    });
    texts.collect()
}

/// The texts of moves, with numbers where they are needed, and their coordinates.
fn numbered_line(start: &Position, line: &[Move]) -> Vec<Vec<String>> {
    let texts = san::write_numbered_line(start, line).into_iter();
    let moves = texts.zip(line);
    moves.map(|(text, &mv)| vec![text, coord::write(mv, true)]).collect()
}

/// Adds a variation that starts after the moves `from` of the position `base`, and those inside
/// it; `pos` is the position before its first move.
fn add_variation(
    pos: &Position,
    base: usize,
    from: &[String],
    line: &PgnLine,
    found: &mut Vec<LineData>,
) {
    let place = found.len();
    let mut pos = pos.without_history();
    let mut path = from.to_vec();
    let comment = |text: &String| {
        let text = comment_text(text);
        (!text.is_empty()).then(|| vec![text])
    };
    let mut moves: Vec<Vec<String>> = line.comments.iter().filter_map(comment).collect();
    for (index, played) in line.moves.iter().enumerate() {
        for inner in &played.variations {
            add_variation(&pos, base, &path, inner, found);
        }
        let text = san::write_in_line(&pos, played.mv, index == 0) + &nag_text(&played.nags);
        let coordinates = coord::write(played.mv, true);
        moves.push(vec![text, coordinates.clone()]);
        moves.extend(played.comments.iter().filter_map(comment));
        path.push(coordinates);
        pos.make(played.mv);
    }
    let line = LineData { label: "Variation:".to_owned(), base, from: from.to_vec(), moves };
    found.insert(place, line);
}
