//! The UCI messages between a match and an engine process: commands to it, and what its
//! `option` and `info` lines say.
//! Invariant: a line that is malformed or unknown is ignored.

use super::failure::Failure;
use super::spec::TimeControl;
use super::turn::GameState;
use crate::eval::wdl::DisplayScore;
use crate::notation::{coord, fen};

/// The `position` command.
pub fn position(game: &GameState) -> String {
    let start = fen::write(game.start, fen::CastlingStyle::XFen);
    let mut line = if start == fen::STARTPOS {
        "position startpos".to_owned()
    } else {
        format!("position fen {start}")
    };
    if !game.moves.is_empty() {
        line.push_str(" moves");
        let moves = game.moves.iter().map(|&mv| coord::write(mv, game.chess960));
        line.extend(moves.map(|text| format!(" {text}")));
    }
    line
}

pub fn go_arguments(game: &GameState) -> String {
    let clock = game.clock();
    match clock.time_control {
        TimeControl::Clock { .. } => {
            // Some engines take a clock at zero for no clock. An opponent without a clock is
            // reported with this engine's time.
            let [white, black] = game.clocks.each_ref().map(|side| {
                let left = side.left().or(clock.left());
                left.unwrap_or_default().as_millis().max(1)
            });
            let increments = game.clocks.each_ref();
            let [winc, binc] = increments.map(|side| side.increment().as_millis());
            let mut line = format!("wtime {white} btime {black} winc {winc} binc {binc}");
            if let Some(moves) = clock.moves_to_go() {
                line.push_str(&format!(" movestogo {moves}"));
            }
            line
        }
        TimeControl::Nodes(nodes) => format!("nodes {nodes}"),
        TimeControl::Depth(depth) => format!("depth {depth}"),
        TimeControl::MoveTime(time) => format!("movetime {}", time.as_millis().max(1)),
    }
}

pub struct DeclaredOption {
    name: String,
    /// The least and greatest value of a `spin` option.
    range: Option<(i64, i64)>,
}

impl DeclaredOption {
    /// Reads an `option` line; `None` for any other line.
    pub fn parse(line: &str) -> Option<DeclaredOption> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let rest = words.strip_prefix(&["option", "name"])?;
        let end = rest.iter().position(|&word| word == "type")?;
        let (name, rest) = rest.split_at(end);
        let number = |word: &str| {
            let at = rest.iter().position(|&other| other == word)?;
            rest.get(at + 1)?.parse().ok()
        };
        let is_spin = rest.get(1) == Some(&"spin");
        Some(DeclaredOption {
            name: name.join(" "),
            range: number("min").zip(number("max")).filter(|_| is_spin),
        })
    }
}

/// Checks that an engine declares an option and that the value is in its range. Most engines
/// ignore an invalid option without a message.
pub fn check_option(declared: &[DeclaredOption], name: &str, value: &str) -> Result<(), Failure> {
    let is_meant = |option: &&DeclaredOption| option.name.eq_ignore_ascii_case(name);
    let Some(option) = declared.iter().find(is_meant) else {
        return Err(Failure::wrong_option(format!("has no option {name:?}")));
    };
    let number = value.parse::<i64>();
    match option.range {
        Some((min, max)) if !number.is_ok_and(|number| (min..=max).contains(&number)) => {
            let text = format!("option {name}: {value:?} is not a number from {min} to {max}");
            Err(Failure::wrong_option(text))
        }
        _ => Ok(()),
    }
}

/// What `info` lines reported since the last `go`.
#[derive(Default)]
pub struct LastInfo {
    /// The last exact score of the best line.
    pub score: Option<DisplayScore>,
    /// The depth of that score.
    pub depth: Option<i32>,
    /// The errors that the engine reported as `info string error …`, shortened.
    pub error: Option<String>,
}

impl LastInfo {
    /// Updates from an `info` line with an exact score of the best line, or with an error; ignores
    /// other lines.
    pub fn update(&mut self, line: &str) {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("info") {
            return;
        }
        // The fields have no fixed order. Behind `string` is free text to the end of the line.
        let fields = words.by_ref().take_while(|&word| word != "string");
        let fields: Vec<&str> = fields.collect();
        let text = words.collect::<Vec<_>>().join(" ");
        let first = text.split([' ', ':']).next();
        if first.is_some_and(|word| word.eq_ignore_ascii_case("error")) {
            self.add_error(&text);
        }
        let values = |name: &str| {
            let places = (0..fields.len()).filter(|&at| fields[at] == name);
            places.map(|at| &fields[at + 1..]).collect::<Vec<_>>()
        };
        let number = |value: &[&str], at: usize| {
            let number = value.get(at)?.parse::<i32>().ok()?;
            number.checked_neg().map(|_| number)
        };
        let is_best = |value: &&[&str]| number(value, 0) == Some(1);
        let is_bound = |word: &&str| matches!(*word, "lowerbound" | "upperbound");
        // Adjudication needs exact scores, so bounds are ignored.
        if fields.iter().any(is_bound) || !values("multipv").iter().all(is_best) {
            return;
        }
        let &[score] = &values("score")[..] else {
            return;
        };
        let exact = match score.first() {
            Some(&"cp") => number(score, 1).map(DisplayScore::Centipawns),
            Some(&"mate") => number(score, 1).map(DisplayScore::Mate),
            _ => None,
        };
        if exact.is_some() {
            self.score = exact;
            let depth = values("depth").first().and_then(|value| number(value, 0));
            self.depth = depth.or(self.depth);
        }
    }

    fn add_error(&mut self, text: &str) {
        const MAX_CHARS: usize = 300;
        let before = self.error.take().map(|error| error + "; ");
        let errors = before.unwrap_or_default() + &text.replace(char::is_control, "?");
        self.error = Some(errors.chars().take(MAX_CHARS).collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_scores_of_the_best_line_are_kept() {
        let mut info = LastInfo::default();
        let mut after = |line: &str| {
            info.update(line);
            (info.score.expect("a score"), info.depth)
        };
        let first = (DisplayScore::Centipawns(-31), Some(3));
        let line = "info depth 3 seldepth 5 multipv 1 score cp -31 nodes 7 pv e2e4";
        assert_eq!(after(line), first);
        let others = "depth 4 score cp 99 multipv 2|depth 4 multipv x score cp 99|\
            lowerbound depth 4 score cp 99|depth 4 score lowerbound cp 99|\
            depth 4 score cp 99 wdl 1000 0 0 lowerbound nodes 9 pv a1b1|\
            depth 4 score cp 99 nodes 9 upperbound|depth 4 score mate 3 nodes 9 lowerbound|\
            depth 4 score cp 99 score cp 98|depth 4 string score cp 99|depth 4 score cp x|\
            depth 4 score cp 2147483648|depth 4 score cp -2147483648|depth 4 score";
        for other in others.split('|') {
            assert_eq!(after(&format!("info {other}")), first, "{other}");
        }
        for other in ["depth 4 score cp 99", ""] {
            assert_eq!(after(other), first, "{other}");
        }
        let string = "pv e2e4 e7e5 multipv 1 depth 8 score cp 12 string a lowerbound";
        let cp = DisplayScore::Centipawns;
        for (line, score, depth) in [
            ("wdl 0 0 1000 score cp -99 depth 7", cp(-99), 7),
            (string, cp(12), 8),
            ("score cp 13", cp(13), 8),
            ("score mate -2 depth 9", DisplayScore::Mate(-2), 9),
        ] {
            let line = format!("info {line}");
            assert_eq!(after(&line), (score, Some(depth)), "{line}");
        }
    }

    #[test]
    fn errors_are_collected_and_shortened() {
        let mut info = LastInfo::default();
        for line in ["string no error so far", "string errors: 0", "error"] {
            info.update(&format!("info {line}"));
            assert_eq!(info.error, None);
        }
        info.update("info string ERROR: no \u{1b} network");
        info.update("info string error x.nnue");
        let both = "ERROR: no ? network; error x.nnue";
        assert_eq!(info.error.as_deref(), Some(both));
        info.update(&format!("info string error {}", "é".repeat(1000)));
        assert_eq!(info.error.map(|error| error.chars().count()), Some(300));
    }
}
