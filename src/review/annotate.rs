//! Reviews as annotated PGN: an evaluation after every move, and a better line where a move was
//! bad.
//! Invariant: the moves of the game, its clocks and the annotations of others are preserved.

use std::fmt;
use std::ops::Range;

use super::judge::{MoveMark, white_score};
use super::{JudgedMove, Review};
use crate::engine::batch::Analysis;
use crate::eval::wdl::DisplayScore;
use crate::notation::pgn::{PgnGame, PgnLine, PgnMove};
use crate::notation::san;
use crate::rules::{Color, Move, Position};

/// Writes reviews into games.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Annotator {
    /// Removes all existing comments, NAGs and variations except clocks.
    pub fresh: bool,
}

/// The length of a better line in plies.
const MAX_LINE_PLIES: usize = 10;

impl Annotator {
    /// True if the Annotator tag of a game names this program.
    pub(crate) fn is_annotated(game: &PgnGame) -> bool {
        game.tag("Annotator")
            .is_some_and(|names| names.split(", ").any(|name| name.starts_with("Brisance")))
    }

    /// Returns the game with evaluations, judgements and better lines.
    pub(crate) fn annotate(self, review: &Review) -> PgnGame {
        let mut game = review.game.clone();
        let name = format!("Brisance {}", env!("CARGO_PKG_VERSION"));
        let old = game.tag("Annotator").filter(|_| !self.fresh);
        let others = old.unwrap_or_default().split(", ");
        let others = others.filter(|other| !other.is_empty() && !other.starts_with("Brisance"));
        let annotators: Vec<&str> = others.chain([&name[..]]).collect();
        let annotators = annotators.join(", ");
        game.set_tag("Annotator", annotators);
        if self.fresh {
            game.main_line.comments.clear();
        }
        let positions = review.positions();
        for (ply, judged) in review.judged_moves().into_iter().enumerate() {
            let best = review.analyses[ply].line.first().copied();
            let better = better_lines(review, &positions[ply], ply);
            let played = &mut game.main_line.moves[ply];
            remove_own_annotations(played);
            let sentence = judgement(&positions[ply], &judged, best);
            let evaluation = evaluation(review, &positions[ply + 1], ply + 1);
            self.comment(played, evaluation, sentence);
            if let Some(mark) = judged.mark {
                // The mark of another annotator stays; the sentence has ours.
                if !played.nags.iter().any(|nag| (1..=6).contains(nag)) {
                    played.nags.insert(0, mark.glyph_number());
                }
                played.variations.splice(0..0, better);
            }
        }
        game
    }

    /// Sets the comments of a move: the evaluation, kept commands and judgement in the first,
    /// then the kept text.
    fn comment(self, played: &mut PgnMove, evaluation: Option<String>, sentence: Option<String>) {
        let old = std::mem::take(&mut played.comments);
        let parts: Vec<(Vec<String>, String)> =
            old.iter().map(|text| split_comment(text)).collect();
        let mut words: Vec<String> = evaluation.into_iter().collect();
        let commands = parts.iter().flat_map(|(commands, _)| commands);
        let kept = commands.filter(|command| !self.fresh || is_clock(command));
        words.extend(kept.cloned());
        words.extend(sentence);
        if !words.is_empty() {
            played.comments.push(words.join(" "));
        }
        if self.fresh {
            played.nags.clear();
            played.variations.clear();
        } else {
            let texts = parts.into_iter().map(|(_, text)| text);
            played
                .comments
                .extend(texts.filter(|text| !text.is_empty()));
        }
    }
}

/// The mark that an earlier run gave a move.
pub(super) fn recorded_mark(played: &PgnMove) -> Option<MoveMark> {
    played.comments.iter().find_map(|comment| {
        let plain = comment.split_whitespace().collect::<Vec<_>>().join(" ");
        JudgementSentence::find(&plain).map(|(mark, _)| mark)
    })
}

/// True for a variation that an earlier run wrote: only an evaluation follows its first move.
pub(super) fn is_own_line(line: &PgnLine) -> bool {
    let first = line.moves.first().map(|first| &first.comments[..]);
    matches!(first, Some([value]) if value.starts_with("[%eval ") && value.ends_with(']'))
}

/// Removes what an earlier run wrote after a bad move: the sentence, the NAG, and the better
/// lines, which are the first variations.
pub(super) fn remove_own_annotations(played: &mut PgnMove) {
    let removed = played.comments.iter_mut().find_map(|comment| {
        let plain = comment.split_whitespace().collect::<Vec<_>>().join(" ");
        let (mark, range) = JudgementSentence::find(&plain)?;
        *comment = format!("{}{}", &plain[..range.start], &plain[range.end..]);
        Some(mark)
    });
    let Some(mark) = removed else {
        return;
    };
    played.nags.retain(|&nag| nag != mark.glyph_number());
    let own = played
        .variations
        .iter()
        .take_while(|line| is_own_line(line));
    let count = own.count();
    played.variations.drain(..count);
}

/// The sentence about a bad move in a comment. [`JudgementSentence::find`] reads exactly what
/// `Display` writes, so that a second run can replace it.
struct JudgementSentence {
    mark: MoveMark,
    side: Color,
    /// The winning chances in percent before and after the move.
    chances: [u32; 2],
    /// The best move in SAN.
    best: String,
}

impl fmt::Display for JudgementSentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let JudgementSentence {
            mark,
            side,
            chances: [before, after],
            best,
        } = self;
        let name = mark.name();
        write!(
            f,
            "{name}: {side}'s winning chances from {before}% to {after}%; {best} was best."
        )
    }
}

impl JudgementSentence {
    /// The mark and the place of the first sentence in a comment whose words are separated by
    /// single blanks.
    fn find(comment: &str) -> Option<(MoveMark, Range<usize>)> {
        let starts = MoveMark::ALL.into_iter().flat_map(|mark| {
            comment
                .match_indices(mark.name())
                .map(move |at| (at.0, mark))
        });
        let found = starts.filter_map(|(start, mark)| {
            let text = JudgementSentence::read(mark, &comment[start..])?.to_string();
            comment[start..]
                .starts_with(&text)
                .then_some((mark, start..start + text.len()))
        });
        found.min_by_key(|(_, range)| range.start)
    }

    /// The sentence with this mark at the start of a text, by the places of its fields.
    fn read(mark: MoveMark, text: &str) -> Option<JudgementSentence> {
        let words: Vec<&str> = text.split(' ').collect();
        let percent = |word: &str| word.trim_end_matches(['%', ';']).parse().ok();
        let side = words.get(1)?;
        Some(JudgementSentence {
            mark,
            side: Color::ALL
                .into_iter()
                .find(|color| side.starts_with(&color.to_string()))?,
            chances: [percent(words.get(5)?)?, percent(words.get(7)?)?],
            best: (*words.get(8)?).to_owned(),
        })
    }
}

fn is_clock(command: &str) -> bool {
    ["[%clk", "[%emt", "[%egt", "[%mct"]
        .iter()
        .any(|name| command.starts_with(name))
}

/// Splits a comment into its commands, without evaluations, and the remaining text.
pub(super) fn split_comment(comment: &str) -> (Vec<String>, String) {
    let (mut commands, mut text) = (Vec::new(), String::new());
    let mut rest = comment;
    while let Some(at) = rest.find("[%") {
        let Some(length) = rest[at..].find(']') else {
            break;
        };
        let (before, after) = (&rest[..at], &rest[at + length + 1..]);
        let command = &rest[at..=at + length];
        if !command.starts_with("[%eval") {
            commands.push(command.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        text.push_str(before);
        rest = after;
    }
    text.push_str(rest);
    (commands, text.trim().to_owned())
}

/// The command `[%eval 0.35]` or `[%eval #-3]`, as on Lichess: pawns from White's perspective.
/// `None` after the winning move.
fn evaluation(review: &Review, pos: &Position, ply: usize) -> Option<String> {
    white_score(pos, &review.analyses[ply]).map(eval_command)
}

fn eval_command(score: DisplayScore) -> String {
    match score {
        DisplayScore::Centipawns(cp) => format!("[%eval {:.2}]", f64::from(cp) / 100.0),
        DisplayScore::Mate(moves) => format!("[%eval #{moves}]"),
    }
}

/// The best lines, each with its evaluation after the first move.
fn better_lines(review: &Review, pos: &Position, ply: usize) -> Vec<PgnLine> {
    let analysis = &review.analyses[ply];
    let only = [(analysis.value, analysis.line.clone())];
    let lines = if analysis.lines.len() > 1 {
        &analysis.lines[..]
    } else {
        &only[..]
    };
    let lines = lines.iter().filter(|(_, line)| !line.is_empty());
    let lines = lines.map(|(value, line)| {
        let line = line.iter().take(MAX_LINE_PLIES);
        let mut moves: Vec<PgnMove> = line.map(|&mv| PgnMove::new(mv)).collect();
        let scored = Analysis {
            value: *value,
            ..analysis.clone()
        };
        if let (Some(first), Some(score)) = (moves.first_mut(), white_score(pos, &scored)) {
            first.comments.push(eval_command(score));
        }
        PgnLine {
            comments: Vec::new(),
            moves,
        }
    });
    lines.collect()
}

/// A sentence about a bad move; `pos` is the position before it.
pub(super) fn judgement(pos: &Position, judged: &JudgedMove, best: Option<Move>) -> Option<String> {
    let mark = judged.mark?;
    let percent = |share: f64| (share * 100.0).round_ties_even() as u32;
    let sentence = JudgementSentence {
        mark,
        side: pos.side_to_move(),
        chances: [percent(judged.before), percent(judged.after)],
        best: best.map_or_else(String::new, |best| san::write(pos, best)),
    };
    Some(sentence.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    #[test]
    fn only_our_earlier_annotations_are_removed() {
        let pos = Position::startpos(Variant::Atomic);
        let move_of = |text: &str, comments: &[&str]| PgnMove {
            comments: comments.iter().map(|&text| text.to_owned()).collect(),
            ..PgnMove::new(san::parse(&pos, text).expect("a legal move"))
        };
        let line = |played: PgnMove| PgnLine {
            moves: vec![played],
            ..PgnLine::default()
        };
        let judged = JudgedMove {
            mark: Some(MoveMark::Blunder),
            before: 0.5,
            after: 0.1,
        };
        let best = san::parse(&pos, "Nf3").ok();
        let sentence = judgement(&pos, &judged, best).expect("a blunder has a sentence");
        let comment = format!(
            "[%clk 1] {} end",
            sentence.replace("chances from", "chances\nfrom")
        );
        let mut played = move_of("e4", &[&comment, "so long"]);
        played.nags = vec![4, 10];
        let own = line(move_of("Nf3", &["[%eval 1.00]"]));
        let other = line(move_of("d4", &["[%eval 1.00] I like it"]));
        played.variations = vec![own, other.clone()];
        remove_own_annotations(&mut played);
        assert_eq!(played.comments, ["[%clk 1]  end", "so long"]);
        for other in [
            sentence.replace("50%", "half"),
            sentence.replace("was best", "is best"),
            sentence.replace("White", "Grey"),
        ] {
            assert_ne!(other, sentence);
            assert_eq!(JudgementSentence::find(&other), None, "{other}");
        }
        assert_eq!(played.nags, [10]);
        let debug_text = |played: &PgnMove| format!("{played:?}");
        assert_eq!(format!("{:?}", played.variations), format!("{:?}", [other]));
        let before = debug_text(&played);
        remove_own_annotations(&mut played);
        assert_eq!(debug_text(&played), before);
    }

    #[test]
    fn comments_are_split_into_commands_and_text() {
        let (commands, text) =
            split_comment("so [%eval 0.1,20] [%clk\n0:01:02] it [%csl Ge4] goes [");
        assert_eq!(commands, ["[%clk 0:01:02]", "[%csl Ge4]"]);
        assert_eq!(text, "so   it  goes [");
    }
}
