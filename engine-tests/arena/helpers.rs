//! Runs `brisance match` in a folder and returns what it printed and recorded.

use std::process::Command;

use serde_json::Value;

use super::record::{Game, check_atomic, read};
use crate::program::{Ended, Folder};

/// A match in this folder, whose record is `games.pgn`.
impl Folder {
    /// `brisance match` with these words.
    pub fn play_command(&self, words: &str) -> Command {
        self.command(&format!("match --pgn games.pgn {words}"))
    }

    pub fn play(&self, words: &str) -> Ended {
        self.run(&format!("match --pgn games.pgn {words}"))
    }

    /// The games of a match of atomic chess that succeeds.
    #[track_caller]
    pub fn played(&self, words: &str) -> Vec<Game> {
        self.play(words).code(0);
        let games = self.games();
        games.iter().for_each(check_atomic);
        games
    }

    /// The JSON summary of a match that succeeds.
    #[track_caller]
    pub fn summary(&self, words: &str) -> Value {
        self.play(&format!("{words} --json")).code(0).result()
    }

    /// The standard error of a match that ends with `code` before it prints anything.
    #[track_caller]
    pub fn error(&self, code: i32, words: &str) -> String {
        let ended = self.play(words).code(code);
        assert_eq!(ended.out, "", "{words}");
        ended.err
    }

    #[track_caller]
    pub fn refuses(&self, code: i32, words: &str, part: &str) {
        let error = self.error(code, words);
        assert!(error.contains(part), "{words}: {part} in {error}");
    }

    /// As [`Folder::summary`], for a match that fails if and only if a player abandons a game.
    #[track_caller]
    pub fn judged(&self, words: &str) -> Value {
        let ended = self.play(&format!("{words} --json"));
        let summary = ended.result();
        let counts = summary["abandoned"].as_object().into_iter();
        let counts = counts.flat_map(|counts| counts.values());
        let abandoned: u64 = counts.filter_map(Value::as_u64).sum();
        let is_said = ended.err.contains("abandoned");
        assert_eq!(is_said, abandoned > 0, "{}", ended.err);
        ended.code(i32::from(abandoned > 0));
        let counted = summary["pairings"][0]["games"].as_u64().expect("a number");
        assert_eq!(summary["games"], counted + abandoned, "{summary}");
        summary
    }

    pub fn games(&self) -> Vec<Game> {
        read(&self.path("games.pgn"))
    }
}

/// Two settings of this engine.
pub const PAIR: &str = "--engine 'self name=A' --engine 'self name=B option.Hash=1'";

/// This engine as another process, with more keys.
pub fn child(keys: &str) -> String {
    format!("--engine 'cmd={} {keys}'", env!("CARGO_BIN_EXE_brisance"))
}
