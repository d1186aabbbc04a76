//! The display of a match that is played: a live progress bar, or lines.
//! Invariant: with `--json`, stdout has nothing but the JSON object.

use std::io::{self, IsTerminal, Write};
use std::time::Instant;

use super::ProgressReporter;
use crate::arena::game::MatchGame;
use crate::arena::report::overview;
use crate::arena::{Match, MatchObserver, Standings};
use crate::util::{count, shorten};

/// The progress of a match: a bar and the standings on a terminal, otherwise periodic lines.
pub struct MatchDisplay<'a> {
    request: &'a Match,
    /// The bar on a terminal, from the first game on.
    pub(super) progress: Option<ProgressReporter>,
    pub(super) start: Instant,
    line_interval: u64,
    json_only: bool,
    pub(super) last: Standings,
}

impl<'a> MatchDisplay<'a> {
    pub fn new(request: &'a Match, json_only: bool) -> MatchDisplay<'a> {
        MatchDisplay {
            request,
            progress: None,
            start: Instant::now(),
            line_interval: 1,
            json_only,
            last: Standings::default(),
        }
    }

    /// Prints a permanent line, unless the output is JSON. Write errors are ignored: the match
    /// continues if stdout is closed.
    pub fn print_line(&self, text: &str) {
        match &self.progress {
            Some(progress) => progress.print_above(text),
            None if self.json_only => {}
            None => {
                let _ = writeln!(io::stdout(), "{text}");
            }
        }
    }
}

impl MatchObserver for MatchDisplay<'_> {
    fn began(&mut self, standings: &Standings) {
        self.last = standings.clone();
        // Whole rounds, in which each pairing plays two games.
        let round = match standings.pairings.len() as u64 {
            1 => 1,
            pairings => 2 * pairings,
        };
        self.line_interval = match self.request.sprt {
            Some(_) => 100,
            None => (standings.planned as u64 / 20).clamp(1, 500).next_multiple_of(round),
        };
        // The bar is drawn on stderr, so with JSON output stdout need not be a terminal.
        if io::stderr().is_terminal() && (self.json_only || io::stdout().is_terminal()) {
            let (finished, planned) = (standings.finished(), standings.planned as u64);
            let progress = ProgressReporter::resumed(finished, planned, "games");
            let progress = progress.with_message_below();
            progress.set_message(overview(self.request, standings, "\n"));
            self.progress = Some(progress);
        }
        if standings.resumed > 0 {
            let games = count(standings.resumed, "game");
            self.print_line(&format!("{games} already played"));
        }
    }

    fn game_ended(&mut self, names: [&str; 2], game: &MatchGame, standings: &Standings) {
        self.last = standings.clone();
        let number = standings.finished();
        if let Some(side) = game.end.failed_side() {
            let names = names.map(shorten);
            let [white, black] = &names;
            let engine = &names[side.index()];
            self.print_line(&format!("game {number}, {white} - {black}: {} ({engine})", game.end));
        }
        if let Some(progress) = &mut self.progress {
            progress.advance(1);
            progress.set_message(overview(self.request, standings, "\n"));
        } else if number.is_multiple_of(self.line_interval) && number < standings.planned as u64 {
            self.print_line(&overview(self.request, standings, ", "));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clap::Parser;

    use super::*;
    use crate::arena::Pairing;
    use crate::arena::report::json_summary;
    use crate::arena::stats::Pentanomial;
    use crate::cli::arena::{MatchArgs, final_table};

    #[derive(Parser)]
    struct TestCommand {
        #[command(flatten)]
        args: MatchArgs,
    }

    fn request(engines: [&str; 2]) -> Match {
        let limits = ["match", "--nodes", "1", "--sprt", "0", "5"];
        let engines = engines.map(|engine| ["--engine", engine]);
        let words = limits.iter().chain(engines.iter().flatten());
        TestCommand::parse_from(words).args.request().expect("valid")
    }

    fn standings() -> Standings {
        let mut standings = Standings::default();
        standings.pairings.push(Pairing {
            engines: (0, 1),
            pairs: Pentanomial([3, 5, 7, 9, 11]),
            ..Pairing::default()
        });
        standings.failures = vec![2, 0];
        standings.abandoned = vec![0, 0];
        standings
    }

    #[test]
    fn a_match_with_abandoned_games_does_not_pass() {
        let request = request(["self name=one", "self name=two"]);
        let mut standings = standings();
        let judge = |standings: &Standings| {
            let table = final_table(&request, standings, None);
            let json = json_summary(&request, standings, Duration::ZERO);
            (table, json["pairings"][0]["sprt"]["verdict"].clone())
        };
        let passed = "test passed: better than 0 Elo";
        standings.pairings[0].pairs = Pentanomial([0, 0, 10, 100, 900]);
        let (table, verdict) = judge(&standings);
        assert!(table.ends_with(passed) && verdict == "accepted", "{table}");
        standings.abandoned = vec![1, 3];
        let (table, verdict) = judge(&standings);
        assert!(!table.contains(passed) && verdict == "invalid", "{table}");
        let reason = "one abandoned 1 game and two abandoned 3 games, which do not count";
        let end = format!("test not passed\nINVALID MATCH: {reason}");
        assert!(table.ends_with(&end), "{table}");
        standings.pairings[0].pairs = Pentanomial([900, 100, 10, 0, 0]);
        assert_eq!(judge(&standings).1, "rejected");
    }

    #[test]
    fn the_final_table_breaks_between_parts() {
        let engines = ["self name=one", "self name=another_long_name"];
        let (request, standings) = (request(engines), standings());
        let whole = final_table(&request, &standings, None);
        let first = whole.lines().nth(1).expect("the score");
        assert!(first.contains("LOS") && first.ends_with("pairs [3, 5, 7, 9, 11]"), "{whole}");
        for width in [40, 60, 80] {
            let text = final_table(&request, &standings, Some(width));
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{width} columns: {line}");
            }
            for part in ["another_long_name:", "pairs [3, 5, 7, 9, 11]", " ± ", "LOS "] {
                assert!(text.contains(part), "{width} columns: {part} in {text}");
            }
            assert_eq!(text.replace("\n    ", " "), whole);
        }
    }

    #[test]
    fn long_names_are_shortened() {
        let engine = format!("cmd={}", "x".repeat(120_000));
        let (request, standings) = (request([&engine, "self"]), standings());
        let mut many = standings.clone();
        many.pairings = vec![Pairing { engines: (0, 1), ..Pairing::default() }; 4];
        for text in [
            final_table(&request, &standings, None),
            overview(&request, &standings, "\n"),
            overview(&request, &many, "\n"),
        ] {
            assert!(text.contains("x…") && text.len() < 1000, "{}", text.len());
        }
    }
}
