//! A review as PGN: evaluations behind every move, better lines where a move was bad.
//! Invariant: the moves of the game stay, and so do clocks and what others wrote.

use super::judge::{Mark, for_white};
use super::{Judged, Review};
use crate::eval::wdl::DisplayScore;
use crate::notation::pgn::{PgnGame, PgnLine, PgnMove};
use crate::notation::san;
use crate::rules::{Move, Position};

/// How games are annotated.
#[derive(Clone, Copy, Debug)]
pub struct Annotator {
    /// Leave out the comments, marks and variations that the game has, but for its clocks.
    pub fresh: bool,
}

/// How many plies of a better line are shown.
const LONGEST_LINE: usize = 10;

impl Annotator {
    /// Whether a game bears the name of this program as of one who annotated it.
    pub fn has_signed(game: &PgnGame) -> bool {
        game.tag("Annotator")
            .is_some_and(|names| names.split(", ").any(|name| name.starts_with("Brisance")))
    }

    /// The game with the findings written into it.
    pub fn annotate(self, review: &Review) -> PgnGame {
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
        for (ply, judged) in review.judged().into_iter().enumerate() {
            let best = review.found[ply].line.first().copied();
            let better = better_line(review, &positions[ply], ply);
            let played = &mut game.main_line.moves[ply];
            forget_own(played);
            let said = judgement(&positions[ply], &judged, best);
            let evaluation = evaluation(review, &positions[ply + 1], ply + 1);
            self.comment(played, evaluation, said);
            if let Some(mark) = judged.mark {
                played.nags.retain(|mark| !(1..=6).contains(mark));
                played.nags.insert(0, mark.glyph_number());
                played.variations.insert(0, better);
            }
        }
        game
    }

    /// Puts evaluation, kept commands, judgement and kept texts behind a move.
    fn comment(self, played: &mut PgnMove, evaluation: Option<String>, said: Option<String>) {
        let old = std::mem::take(&mut played.comments);
        let parts: Vec<(Vec<String>, String)> = old.iter().map(|text| split(text)).collect();
        let mut words: Vec<String> = evaluation.into_iter().collect();
        let commands = parts.iter().flat_map(|(commands, _)| commands);
        let kept = commands.filter(|command| !self.fresh || is_clock(command));
        words.extend(kept.cloned());
        words.extend(said);
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

/// Takes out what an earlier run wrote behind a bad move: the sentence, the mark and the better
/// line, which comes first and has a value behind its first move.
fn forget_own(played: &mut PgnMove) {
    let found = played.comments.iter_mut().find_map(|comment| {
        let plain = comment.split_whitespace().collect::<Vec<_>>().join(" ");
        let (before, after) = without_judgement(&plain)?;
        *comment = format!("{before}{after}");
        Some(())
    });
    if found.is_none() {
        return;
    }
    played
        .nags
        .retain(|&mark| Mark::ALL.iter().all(|own| own.glyph_number() != mark));
    let is_own = |line: &PgnLine| {
        let first = line.moves.first().map(|first| &first.comments[..]);
        matches!(first, Some([value]) if value.starts_with("[%eval ") && value.ends_with(']'))
    };
    if played.variations.first().is_some_and(is_own) {
        played.variations.remove(0);
    }
}

/// What stands before and after a [`judgement`] in a comment.
fn without_judgement(comment: &str) -> Option<(&str, &str)> {
    let start = Mark::ALL
        .iter()
        .find_map(|mark| comment.find(&format!("{}: ", mark.name())))?;
    let (before, rest) = comment.split_at(start);
    let (_, rest) = rest.split_once("'s winning chances from ")?;
    let (_, after) = rest.split_once(BEST)?;
    Some((before, after))
}

/// The end of a judgement.
const BEST: &str = " was best.";

fn is_clock(command: &str) -> bool {
    ["[%clk", "[%emt", "[%egt", "[%mct"]
        .iter()
        .any(|name| command.starts_with(name))
}

/// The commands of a comment, older evaluations left out, and its text without any.
fn split(comment: &str) -> (Vec<String>, String) {
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

/// `[%eval 0.35]` or `[%eval #-3]`, as Lichess writes them: pawns from White's view. None
/// after the move that wins.
fn evaluation(review: &Review, pos: &Position, ply: usize) -> Option<String> {
    let text = match for_white(pos, &review.found[ply])? {
        DisplayScore::Centipawns(cp) => format!("{:.2}", f64::from(cp) / 100.0),
        DisplayScore::Mate(moves) => format!("#{moves}"),
    };
    Some(format!("[%eval {text}]"))
}

/// What should have been played, with its value behind the first move.
fn better_line(review: &Review, pos: &Position, ply: usize) -> PgnLine {
    let found = &review.found[ply];
    let line = found.line.iter().take(LONGEST_LINE);
    let mut moves: Vec<PgnMove> = line.map(|&mv| PgnMove::new(mv)).collect();
    if let (Some(first), Some(value)) = (moves.first_mut(), evaluation(review, pos, ply)) {
        first.comments.push(value);
    }
    PgnLine {
        comments: Vec::new(),
        moves,
    }
}

/// A sentence on a move that was bad; `pos` is the position before it.
pub(super) fn judgement(pos: &Position, judged: &Judged, best: Option<Move>) -> Option<String> {
    let mark = judged.mark?;
    let best = best.map(|best| san::write(pos, best));
    let percent = |share: f64| format!("{:.0}%", share * 100.0);
    Some(format!(
        "{}: {}'s winning chances from {} to {}; {}{BEST}",
        mark.name(),
        pos.side_to_move(),
        percent(judged.before),
        percent(judged.after),
        best.unwrap_or_default()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    #[test]
    fn an_earlier_judgement_goes_and_the_rest_stays() {
        let pos = Position::startpos(Variant::Atomic);
        let move_of = |text: &str, comments: &[&str]| PgnMove {
            comments: comments.iter().map(|&text| text.to_owned()).collect(),
            ..PgnMove::new(san::parse(&pos, text).expect("a legal move"))
        };
        let line = |played: PgnMove| PgnLine {
            moves: vec![played],
            ..PgnLine::default()
        };
        let judged = Judged {
            mark: Some(Mark::Blunder),
            before: 0.5,
            after: 0.1,
        };
        let best = san::parse(&pos, "Nf3").ok();
        let said = judgement(&pos, &judged, best).expect("a blunder has a sentence");
        let comment = format!(
            "[%clk 1] {} end",
            said.replace("chances from", "chances\nfrom")
        );
        let mut played = move_of("e4", &[&comment, "so long"]);
        played.nags = vec![4, 10];
        let own = line(move_of("Nf3", &["[%eval 1.00]"]));
        let other = line(move_of("d4", &["[%eval 1.00] I like it"]));
        played.variations = vec![own, other.clone()];
        forget_own(&mut played);
        assert_eq!(played.comments, ["[%clk 1]  end", "so long"]);
        assert_eq!(played.nags, [10]);
        let told = |played: &PgnMove| format!("{played:?}");
        assert_eq!(format!("{:?}", played.variations), format!("{:?}", [other]));
        // Nothing more is ours.
        let before = told(&played);
        forget_own(&mut played);
        assert_eq!(told(&played), before);
    }

    #[test]
    fn comments_are_taken_apart() {
        let (commands, text) = split("so [%eval 0.1,20] [%clk\n0:01:02] it [%csl Ge4] goes [");
        assert_eq!(commands, ["[%clk 0:01:02]", "[%csl Ge4]"]);
        assert_eq!(text, "so   it  goes [");
    }
}
