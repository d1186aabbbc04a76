//! The PGN text of a match game, with the tags that identify it within the match.
//! Invariant: a game ends with the reason as a comment and the result.

use std::time::Duration;

use super::game::MatchGame;
use crate::eval::wdl::DisplayScore;
use crate::notation::{fen, pgn, san, units};
use crate::rules::{Color, Position};

/// The tags that identify a game within a match. A resumed match must agree with them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameTags {
    pub event: String,
    /// `pair.game`, both from 1.
    pub round: (usize, usize),
    pub names: [String; 2],
    pub variant: String,
    pub start: String,
    pub time_controls: [String; 2],
    /// The lag of every move; empty for none.
    pub lag: String,
    pub options: [String; 2],
}

impl GameTags {
    /// The tags that a resumed match compares, with what each is called in a message.
    fn named(&self) -> [(&'static str, &String); 10] {
        let [white, black] = OPTION_TAGS;
        [
            ("Event", &self.event),
            ("White", &self.names[0]),
            ("Black", &self.names[1]),
            ("Variant", &self.variant),
            ("the opening", &self.start),
            ("White's limit", &self.time_controls[0]),
            ("Black's limit", &self.time_controls[1]),
            (LAG_TAG, &self.lag),
            (white, &self.options[0]),
            (black, &self.options[1]),
        ]
    }

    /// The first difference from the tags that the match gives this game, as a sentence.
    pub fn difference(&self, current: &GameTags) -> Option<String> {
        let mut pairs = self.named().into_iter().zip(current.named());
        let ((what, recorded), (_, current)) = pairs.find(|(old, new)| old != new)?;
        Some(format!("{what} is {recorded:?} in the file and {current:?} now"))
    }
}

/// The tag with the lag; a match without lag has none.
pub const LAG_TAG: &str = "Lag";

/// The tags with the options of White and Black; a player without options has none.
pub const OPTION_TAGS: [&str; 2] = ["WhiteOptions", "BlackOptions"];

/// The tag with the label of the [`Ending`](super::end::Ending).
pub const DETAILS_TAG: &str = "TerminationDetails";

pub fn lag_tag(lag: Duration) -> String {
    if lag.is_zero() { String::new() } else { format!("{} ms", units::seconds(lag * 1000)) }
}

pub fn write(game: &MatchGame, tags: &GameTags, date: &str) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| text.push_str(&pgn::tag_line(name, value));
    tag("Event", &tags.event);
    tag("Site", "?");
    tag("Date", date);
    tag("Round", &format!("{}.{}", tags.round.0, tags.round.1));
    tag("White", &tags.names[0]);
    tag("Black", &tags.names[1]);
    tag("Result", game.end.result.as_str());
    tag("Variant", &tags.variant);
    if tags.start != fen::STARTPOS {
        tag("SetUp", "1");
        tag("FEN", &tags.start);
    }
    if tags.time_controls[0] == tags.time_controls[1] {
        tag("TimeControl", &tags.time_controls[0]);
    } else {
        tag("WhiteTimeControl", &tags.time_controls[0]);
        tag("BlackTimeControl", &tags.time_controls[1]);
    }
    let [white, black] = &tags.options;
    let [white_tag, black_tag] = OPTION_TAGS;
    for (name, value) in [(LAG_TAG, &tags.lag), (white_tag, white), (black_tag, black)] {
        if !value.is_empty() {
            tag(name, value);
        }
    }
    tag("PlyCount", &game.moves.len().to_string());
    tag("Termination", game.end.ending.termination());
    tag(DETAILS_TAG, game.end.ending.label());
    text.push('\n');
    text.push_str(&pgn::wrap(&movetext(game)));
    text.push_str("\n\n");
    text
}

/// The moves, comments and result as words. A comment is one word, so it is never wrapped.
fn movetext(game: &MatchGame) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut pos: Position = game.start.clone();
    for (index, played) in game.moves.iter().enumerate() {
        if index == 0 || pos.side_to_move() == Color::White {
            words.push(san::move_number(&pos));
        }
        let reply = &played.reply;
        words.push(san::write(&pos, reply.mv));
        let score = reply.score.map_or("?".to_owned(), score_text);
        let depth = reply.depth.map(|depth| format!("/{depth}"));
        let depth = depth.unwrap_or_default();
        let time = reply.time.as_secs_f64();
        let clock = played.clock.map(clock_comment).unwrap_or_default();
        words.push(format!("{{{score}{depth} {time:.3}s{clock}}}"));
        pos.make(reply.mv);
    }
    words.push(format!("{{{}}}", game.end.to_string().replace('}', ")")));
    words.push(game.end.result.to_string());
    words
}

fn score_text(score: DisplayScore) -> String {
    match score {
        DisplayScore::Mate(moves) if moves > 0 => format!("+M{moves}"),
        DisplayScore::Mate(moves) => format!("-M{}", -moves),
        score => format!("{score:+}"),
    }
}

fn clock_comment(left: Duration) -> String {
    let (seconds, millis) = (left.as_secs(), left.subsec_millis());
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!(" [%clk {hours}:{minutes:02}:{seconds:02}.{millis:03}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_and_scores() {
        let clock = clock_comment(Duration::from_millis(3_723_045));
        assert_eq!(clock, " [%clk 1:02:03.045]");
        assert_eq!(score_text(DisplayScore::Centipawns(-7)), "-0.07");
        assert_eq!(score_text(DisplayScore::Mate(3)), "+M3");
        assert_eq!(score_text(DisplayScore::Mate(0)), "-M0");
    }
}
