//! Reviews as annotated PGN: an evaluation after every move, and a better line where a move was
//! bad.
//! Invariant: the moves of the game, its clocks and the annotations of others are preserved.

use std::fmt;
use std::ops::Range;

use super::Review;
use super::judge::{ForcedLoss, white_score};
use crate::eval::wdl::DisplayScore;
use crate::eval::{ForcedChange, JudgedMove, MoveMark};
use crate::notation::pgn::{PgnGame, PgnLine, PgnMove};
use crate::notation::san;
use crate::rules::{Color, Position};
use crate::util::count;

#[derive(Clone, Debug, Default)]
pub struct Annotator {
    /// Removes all existing comments, NAGs and variations except clocks.
    pub fresh: bool,
    /// The options of the search, which the Annotator tag names.
    pub search: String,
}

/// The length of a better line in plies.
const MAX_LINE_PLIES: usize = 10;
/// What the Annotator tag says of a game whose analysis was interrupted.
const INTERRUPTED: &str = "; interrupted after ";

impl Annotator {
    /// What the Annotator tag of a game says of this program: its name, its version, and the
    /// options of the search in brackets.
    fn note(game: &PgnGame) -> Option<&str> {
        let mut names = game.tag("Annotator")?.split(", ");
        names.find(|name| name.starts_with("Brisance"))
    }

    /// True if the Annotator tag of a game names this program.
    pub fn is_annotated(game: &PgnGame) -> bool {
        Annotator::note(game).is_some()
    }

    /// The options of the search that the Annotator tag names; empty if there are none.
    pub fn search_of(game: &PgnGame) -> &str {
        let note = Annotator::note(game).unwrap_or_default();
        let options = note.split_once('(').map_or("", |(_, options)| options);
        options.split([';', ')']).next().unwrap_or_default()
    }

    pub fn is_interrupted(game: &PgnGame) -> bool {
        Annotator::note(game).is_some_and(|note| note.contains(INTERRUPTED))
    }

    /// Returns the game with evaluations, judgements and better lines. Moves that have not been
    /// analysed stay as they are.
    pub fn annotate(&self, review: &Review) -> PgnGame {
        let mut game = review.game.clone();
        let old = game.tag("Annotator").filter(|_| !self.fresh);
        let others = old.unwrap_or_default().split(", ");
        let others = others.filter(|other| !other.is_empty() && !other.starts_with("Brisance"));
        let note = self.own_note(review);
        let annotators: Vec<&str> = others.chain([&note[..]]).collect();
        let annotators = annotators.join(", ");
        game.set_tag("Annotator", annotators);
        let positions = review.positions();
        let evaluation_at =
            |ply: usize| evaluation(&positions[ply], review.analyses[ply].display_score());
        let intro = &mut game.main_line.comments;
        *intro = self.comments(intro, evaluation_at(0), None);
        for (ply, judged) in review.judge().moves.into_iter().enumerate() {
            let better = better_lines(review, &positions[ply], ply);
            let played = &mut game.main_line.moves[ply];
            take_own_annotations(played);
            let sentence = judgement(review, &positions[ply], &judged, ply);
            played.comments = self.comments(&played.comments, evaluation_at(ply + 1), sentence);
            if self.fresh {
                played.nags.clear();
                played.variations.clear();
            }
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

    fn own_note(&self, review: &Review) -> String {
        let interrupted = match review.missing_moves() {
            0 => String::new(),
            _ => format!("{INTERRUPTED}{} plies", review.analyses.len() - 1),
        };
        let name = format!("Brisance {}", env!("CARGO_PKG_VERSION"));
        if self.search.is_empty() && interrupted.is_empty() {
            return name;
        }
        format!("{name} ({}{interrupted})", self.search)
    }

    /// The new comments: the evaluation, kept commands and judgement in the first, then the kept
    /// text.
    fn comments(
        &self,
        old: &[String],
        evaluation: Option<String>,
        sentence: Option<String>,
    ) -> Vec<String> {
        let parts: Vec<(Vec<String>, String)> =
            old.iter().map(|text| split_comment(text)).collect();
        let commands = parts.iter().flat_map(|(commands, _)| commands);
        let kept = commands.filter(|command| !self.fresh || is_clock(command));
        let words = evaluation.into_iter().chain(kept.cloned()).chain(sentence);
        let first = words.collect::<Vec<_>>().join(" ");
        let texts = parts.iter().map(|(_, text)| text).filter(|_| !self.fresh);
        let all = [first].into_iter().chain(texts.cloned());
        all.filter(|text| !text.is_empty()).collect()
    }
}

/// A text with one blank between words, instead of line breaks for example.
pub fn single_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Removes what an earlier run wrote after a bad move: the sentence, the NAG and the better lines,
/// which are the first variations, as far as only an evaluation follows their first move. Returns
/// the proof that the move loses, and the better lines.
pub fn take_own_annotations(played: &mut PgnMove) -> Option<(Option<ForcedLoss>, Vec<PgnLine>)> {
    let found = played.comments.iter_mut().find_map(|comment| {
        let plain = single_blanks(comment);
        let (found, range) = JudgementSentence::find(&plain)?;
        *comment = format!("{}{}", &plain[..range.start], &plain[range.end..]);
        Some(found)
    })?;
    played.nags.retain(|&nag| nag != found.mark.glyph_number());
    let is_own = |line: &&PgnLine| {
        let first = line.moves.first().map(|first| &first.comments[..]);
        matches!(first, Some([value]) if value.starts_with("[%eval ") && value.ends_with(']'))
    };
    let count = played.variations.iter().take_while(is_own).count();
    Some((found.loss, played.variations.drain(..count).collect()))
}

/// What a comment says about a bad move. [`JudgementSentence::find`] reads exactly what `Display`
/// writes, so that a second run can replace it.
#[derive(Debug)]
struct JudgementSentence {
    mark: MoveMark,
    side: Color,
    /// The winning chances in percent before and after the move.
    chances: [u32; 2],
    forced: Option<ForcedChange>,
    /// The best move in SAN; empty if it is unknown.
    best: String,
    loss: Option<ForcedLoss>,
}

const fn forced_text(forced: ForcedChange) -> &'static str {
    match forced {
        ForcedChange::WinMissed => ", a forced win missed",
        ForcedChange::LossAllowed => ", a forced loss allowed",
    }
}

impl fmt::Display for JudgementSentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, side, [before, after]) = (self.mark.name(), self.side, self.chances);
        write!(f, "{name}: {side}'s winning chances from {before}% to {after}%")?;
        f.write_str(self.forced.map_or("", forced_text))?;
        if !self.best.is_empty() {
            write!(f, "; {} was best", self.best)?;
        }
        f.write_str(".")?;
        let Some(ForcedLoss { moves, line }) = &self.loss else {
            return Ok(());
        };
        write!(f, " {side} loses by force in {}", count(*moves, "move"))?;
        if !line.is_empty() {
            write!(f, ": {line}")?;
        }
        f.write_str(".")
    }
}

impl JudgementSentence {
    /// The judgement of a comment, and its place. The words of the comment are separated by single
    /// blanks.
    fn find(comment: &str) -> Option<(JudgementSentence, Range<usize>)> {
        let starts = MoveMark::ALL
            .into_iter()
            .flat_map(|mark| comment.match_indices(mark.name()).map(move |at| (at.0, mark)));
        let found = starts.filter_map(|(start, mark)| {
            let sentence = JudgementSentence::read(mark, &comment[start..])?;
            let text = sentence.to_string();
            let is_same = comment[start..].starts_with(&text);
            is_same.then_some((sentence, start..start + text.len()))
        });
        found.min_by_key(|(_, range)| range.start)
    }

    /// The judgement with this mark at the start of a text, by the places of its parts.
    fn read(mark: MoveMark, text: &str) -> Option<JudgementSentence> {
        let (first, rest) = text.split_once('.')?;
        let words: Vec<&str> = first.split(' ').collect();
        let percent = |word: &str| word.trim_end_matches(['%', ';', ',']).parse().ok();
        let is_side = |color: &Color| words[1].starts_with(&color.to_string());
        let chances = [percent(words.get(5)?)?, percent(words.get(7)?)?];
        let side = Color::ALL.into_iter().find(is_side)?;
        let best = first.split_once("; ").and_then(|(_, best)| best.split(' ').next());
        let proof = rest.strip_prefix(&format!(" {side} loses by force in "));
        let forced = [ForcedChange::WinMissed, ForcedChange::LossAllowed];
        Some(JudgementSentence {
            mark,
            side,
            chances,
            forced: forced.into_iter().find(|&forced| first.contains(forced_text(forced))),
            best: best.unwrap_or_default().to_owned(),
            loss: proof.and_then(read_loss),
        })
    }
}

/// A loss from the text `2 moves: Ne5 h6 Nxd7#.`, which may go on.
fn read_loss(text: &str) -> Option<ForcedLoss> {
    let (text, _) = text.split_once('.')?;
    let (moves, line) = text.split_once(": ").unwrap_or((text, ""));
    Some(ForcedLoss { moves: moves.split(' ').next()?.parse().ok()?, line: line.to_owned() })
}

fn is_clock(command: &str) -> bool {
    ["[%clk", "[%emt", "[%egt", "[%mct", "[%timestamp"].iter().any(|name| command.starts_with(name))
}

/// Splits a comment into its commands, without evaluations, and the remaining text.
pub fn split_comment(comment: &str) -> (Vec<String>, String) {
    let (mut commands, mut text) = (Vec::new(), String::new());
    let mut rest = comment;
    while let Some(at) = rest.find("[%") {
        let Some(length) = rest[at..].find(']') else {
            break;
        };
        let (before, after) = (&rest[..at], &rest[at + length + 1..]);
        let command = &rest[at..=at + length];
        if !command.starts_with("[%eval") {
            commands.push(single_blanks(command));
        }
        text.push_str(before);
        rest = after;
    }
    text.push_str(rest);
    (commands, text.trim().to_owned())
}

/// The command `[%eval 0.35]` or `[%eval #-3]`, as on Lichess: pawns from White's perspective.
/// `None` after the winning move.
fn evaluation(pos: &Position, score: DisplayScore) -> Option<String> {
    Some(format!("[%eval {}]", white_score(pos, score)?))
}

/// The best lines, each with its evaluation after the first move.
fn better_lines(review: &Review, pos: &Position, ply: usize) -> Vec<PgnLine> {
    let lines = review.lines(ply).into_iter();
    let lines = lines.map(|(score, line)| {
        let line = line.iter().take(MAX_LINE_PLIES);
        let mut moves: Vec<PgnMove> = line.map(|&mv| PgnMove::new(mv)).collect();
        moves[0].comments.extend(evaluation(pos, score));
        PgnLine { comments: Vec::new(), moves }
    });
    lines.collect()
}

/// What to say about a bad move; `pos` is the position before it, and `index` its number from 0.
pub fn judgement(
    review: &Review,
    pos: &Position,
    judged: &JudgedMove,
    index: usize,
) -> Option<String> {
    let best = review.analyses[index].best_move();
    let percent = |share: f64| (share * 100.0).round_ties_even() as u32;
    let sentence = JudgementSentence {
        mark: judged.mark?,
        side: pos.side_to_move(),
        chances: [percent(judged.before), percent(judged.after)],
        forced: judged.forced,
        best: best.map_or_else(String::new, |best| san::write(pos, best)),
        loss: review.loss(index).cloned(),
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
        let move_of = |text: &str, comment: &str| PgnMove {
            comments: vec![comment.to_owned()],
            ..PgnMove::new(san::parse(&pos, text).expect("a legal move"))
        };
        let line =
            |text, comment| PgnLine { moves: vec![move_of(text, comment)], ..PgnLine::default() };
        let sentence = "Blunder: White's winning chances from 50% to 10%; Nf3 was best.";
        let broken = sentence.replace("chances from", "chances\nfrom");
        let mut played = move_of("e4", &format!("[%clk 1] {broken} end"));
        played.nags = vec![4, 10];
        let other = line("d4", "[%eval 1.00] I like it");
        played.variations = vec![line("Nf3", "[%eval 1.00]"), other.clone()];
        // The second time, nothing is ours.
        for _ in 0..2 {
            take_own_annotations(&mut played);
            assert_eq!(played.comments, ["[%clk 1]  end"]);
            assert_eq!(played.nags, [10]);
            assert_eq!(format!("{:?}", played.variations), format!("{:?}", [&other]));
        }
        for (from, to) in [("50%", "half"), ("was best", "is best"), ("White", "Grey")] {
            let other = sentence.replace(from, to);
            assert!(JudgementSentence::find(&other).is_none(), "{other}");
        }
    }

    #[test]
    fn a_sentence_is_read_as_it_was_written() {
        use Color::{Black, White};
        use ForcedChange::{LossAllowed, WinMissed};
        use MoveMark::{Blunder, Inaccuracy, Mistake};
        let loss = |moves, line: &str| {
            let line = line.to_owned();
            Some(ForcedLoss { moves, line })
        };
        for (mark, side, forced, loss, best) in [
            (Blunder, White, None, None, ""),
            (Blunder, Black, Some(WinMissed), loss(1, ""), "Qxf2#"),
            (Mistake, White, None, loss(12, "Ne5 h6 e8=Q Nxd7#"), "O-O-O"),
            (Inaccuracy, Black, Some(LossAllowed), None, "e8=Q"),
        ] {
            let sentence = JudgementSentence {
                mark,
                side,
                chances: [100, 0],
                forced,
                best: best.to_owned(),
                loss: loss.clone(),
            };
            let text = sentence.to_string();
            let comment = format!("so: {text} Not. {text}");
            let (found, range) = JudgementSentence::find(&comment).expect(&text);
            assert_eq!((range, found.mark), (4..4 + text.len(), mark), "{comment}");
            assert_eq!((found.forced, found.loss), (forced, loss));
        }
    }

    #[test]
    fn comments_are_split_into_commands_and_text() {
        let (commands, text) =
            split_comment("so [%eval 0.1,20] [%clk\n0:01:02] it [%csl Ge4] goes [");
        assert_eq!(commands, ["[%clk 0:01:02]", "[%csl Ge4]"]);
        assert_eq!(text, "so   it  goes [");
    }
}
