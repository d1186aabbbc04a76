//! Engine specifications and time controls as a user writes them:
//! `cmd=./x name=New option.Hash=32 tc=8+0.08`.
//! Invariant: the players of a match have distinct, printable names.

use std::collections::HashSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use shell_words::ParseError;
use thiserror::Error;

use crate::notation::units::{self, TimeUnit};

/// Why a time control or an engine specification is invalid.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct SpecError(String);

/// The limit of the search for each move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TimeControl {
    /// A clock with base time, increment, and the number of moves per time control.
    Clock {
        /// The time at the start, added again after each time control.
        base: Duration,
        /// The time added after each move.
        increment: Duration,
        /// Moves per time control; `None` for the whole game.
        moves: Option<u32>,
    },
    /// Nodes per move.
    Nodes(u64),
    /// Depth in plies.
    Depth(i32),
    /// Exactly this time per move.
    MoveTime(Duration),
}

impl TimeControl {
    /// Parses `base+increment` or `moves/base+increment`, in seconds or with units.
    ///
    /// # Errors
    /// A text of another form.
    pub fn parse_clock(text: &str) -> Result<TimeControl, SpecError> {
        let kind = "a time control, such as 8+0.08, 40/60+0.5 or 2m+1s";
        let bad = || SpecError(format!("{text:?} is not {kind}"));
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => (Some(units::number(moves, &(1..)).map_err(|_| bad())?), rest),
            None => (None, text),
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let time = |text| units::time(text, TimeUnit::Second, &..).map_err(|_| bad());
        let (base, increment) = (time(base)?, time(increment)?);
        if base.is_zero() {
            return Err(bad());
        }
        Ok(TimeControl::Clock { base, increment, moves })
    }

    /// The value of PGN's TimeControl tag.
    pub fn tag(&self) -> String {
        match self {
            TimeControl::Clock { base, increment, moves } => {
                let moves = moves.map_or(String::new(), |moves| format!("{moves}/"));
                let [base, increment] = [base, increment].map(|time| units::seconds(*time));
                format!("{moves}{base}+{increment}")
            }
            TimeControl::Nodes(nodes) => format!("nodes {nodes}"),
            TimeControl::Depth(depth) => format!("depth {depth}"),
            TimeControl::MoveTime(time) => format!("{} a move", units::seconds(*time)),
        }
    }

    /// Parses a limit by its name on the command line and in an engine specification: `tc`,
    /// `nodes`, `depth` or `movetime`. `None` for any other name.
    pub fn parse(key: &str, value: &str) -> Option<Result<TimeControl, SpecError>> {
        let time = |value| units::time(value, TimeUnit::Second, &(Duration::from_nanos(1)..));
        let limit = match key {
            "tc" => return Some(TimeControl::parse_clock(value)),
            "nodes" => units::number(value, &(1..)).map(TimeControl::Nodes),
            "depth" => units::number(value, &(1..)).map(TimeControl::Depth),
            "movetime" => time(value).map(TimeControl::MoveTime),
            _ => return None,
        };
        Some(limit.map_err(|expected| SpecError(format!("{key}={value}: {expected}"))))
    }
}

/// The timeouts of an engine process for waits that its clock does not cover; by default none, as
/// for an engine in this process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Timeouts {
    /// From the start of the process to `uciok`.
    pub uciok: Duration,
    /// From `isready` to `readyok`.
    pub readyok: Duration,
    /// From `go` to `bestmove` if there is neither a clock nor a time per move.
    pub bestmove: Duration,
    /// From `stop` to `bestmove` after the time is up.
    pub stop: Duration,
    /// From `quit` to the end of the process.
    pub quit: Duration,
}

/// The UCI option of an engine that ponders.
const PONDER: &str = "Ponder";

/// Where an engine runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum EngineKind {
    /// This engine, in this process.
    #[default]
    Own,
    /// A UCI engine in a child process.
    Child {
        /// The program.
        command: PathBuf,
        /// The arguments.
        arguments: Vec<String>,
        /// The working directory.
        directory: Option<PathBuf>,
    },
}

/// The specification of a player.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EngineSpec {
    /// Where it runs.
    pub kind: EngineKind,
    /// The name in tables and PGN.
    pub name: String,
    /// UCI options to set, in order.
    pub options: Vec<(String, String)>,
    /// The limit per move; `None` uses that of the match.
    pub time_control: Option<TimeControl>,
}

impl EngineSpec {
    /// Parses `self[:key=value …]` or `cmd=… key=value …`. Values with spaces are quoted as in
    /// a shell; on Windows a backslash is an ordinary character.
    ///
    /// # Errors
    /// [`SpecError`] with the specification and the reason.
    pub fn parse(text: &str) -> Result<EngineSpec, SpecError> {
        let invalid = |why: &dyn Display| SpecError(format!("engine {text:?}: {why}"));
        let (own, rest) = match text.trim().strip_prefix("self") {
            Some(rest) if rest.is_empty() || rest.starts_with([':', ' ']) => {
                (true, rest.trim_start_matches(':'))
            }
            _ => (false, text),
        };
        let words = split(rest).map_err(|error| invalid(&error))?;
        let mut spec = EngineSpec::default();
        let (mut command, mut arguments, mut directory) = (None, vec![], None);
        for word in &words {
            if word.contains(char::is_control) {
                return Err(invalid(&format!("{word:?} contains a control character")));
            }
            let Some((key, value)) = word.split_once('=') else {
                return Err(invalid(&format!("{word:?} is not key=value")));
            };
            match key {
                "cmd" if !own => command = Some(PathBuf::from(value)),
                "args" if !own => {
                    let quotes = |error| invalid(&format!("args={value}: {error}"));
                    arguments = split(value).map_err(quotes)?;
                }
                "dir" if !own => directory = Some(PathBuf::from(value)),
                "name" => spec.name = value.trim().to_owned(),
                _ => match (key.strip_prefix("option."), TimeControl::parse(key, value)) {
                    (Some(option), _) => spec.options.push((option.to_owned(), value.to_owned())),
                    (None, Some(time_control)) => spec.time_control = Some(time_control?),
                    (None, None) => return Err(invalid(&format!("unknown key {key:?}"))),
                },
            }
        }
        if let Some(value) = spec.ponder_option()
            && !["true", "false"].contains(&value)
        {
            let why = format!("option.Ponder={value} is neither true nor false");
            return Err(invalid(&why));
        }
        if !own {
            let is_node_time = |name: &str| name.eq_ignore_ascii_case("nodestime");
            let mut options = spec.options.iter();
            if options.any(|(name, value)| is_node_time(name) && value != "0") {
                let why = "nodestime needs self: the nodes of another process are unknown";
                return Err(invalid(&why));
            }
            let command = command.filter(|command| !command.as_os_str().is_empty());
            spec.kind = EngineKind::Child {
                command: command.ok_or_else(|| invalid(&"no cmd="))?,
                arguments,
                directory,
            };
        }
        Ok(spec)
    }

    /// Parses the specifications of a match. Players without a name are named after their
    /// program or options, with a number to make the names distinct.
    ///
    /// # Errors
    /// An invalid specification, or a name that is given twice.
    pub fn parse_all(texts: &[String]) -> Result<Vec<EngineSpec>, SpecError> {
        let specs = texts.iter().map(|text| EngineSpec::parse(text));
        let mut specs = specs.collect::<Result<Vec<_>, _>>()?;
        let mut taken = HashSet::new();
        for spec in specs.iter().filter(|spec| !spec.name.is_empty()) {
            if !taken.insert(spec.name.clone()) {
                return Err(SpecError(format!("two players are named {:?}", spec.name)));
            }
        }
        for spec in specs.iter_mut().filter(|spec| spec.name.is_empty()) {
            let plain = spec.plain_name();
            let numbered = (2..).map(|number| format!("{plain} ({number})"));
            let mut names = std::iter::once(plain.clone()).chain(numbered);
            let name = names.find(|name| taken.insert(name.clone()));
            spec.name = name.unwrap_or(plain);
        }
        Ok(specs)
    }

    /// True if the engine thinks on the opponent's time. As for any user interface of UCI, its
    /// option `Ponder` says so.
    pub(crate) fn ponders(&self) -> bool {
        self.ponder_option() == Some("true")
    }

    /// Lets the engine ponder unless its own options say otherwise.
    pub(crate) fn ponder_by_default(&mut self) {
        if self.ponder_option().is_none() {
            self.options.push((PONDER.to_owned(), "true".to_owned()));
        }
    }

    fn ponder_option(&self) -> Option<&str> {
        let mut last_first = self.options.iter().rev();
        let option = last_first.find(|(name, _)| name.eq_ignore_ascii_case(PONDER));
        option.map(|(_, value)| value.as_str())
    }

    fn plain_name(&self) -> String {
        match &self.kind {
            EngineKind::Child { command, .. } => {
                let stem = command.file_stem().unwrap_or(command.as_os_str());
                stem.to_string_lossy().into_owned()
            }
            EngineKind::Own if self.options.is_empty() => "Brisance".to_owned(),
            EngineKind::Own => format!("Brisance {}", self.options_text(" ")),
        }
    }

    /// The options as `NAME=VALUE`.
    pub(crate) fn options_text(&self, separator: &str) -> String {
        let options = self.options.iter().map(|(k, v)| format!("{k}={v}"));
        options.collect::<Vec<_>>().join(separator)
    }

    /// The program of a child process, with its arguments and working directory. A relative
    /// path is resolved against that directory first, then against the current directory; a
    /// bare name is searched in `PATH`.
    pub(crate) fn program(&self) -> Option<(PathBuf, &[String], Option<&Path>)> {
        let EngineKind::Child { command, arguments, directory } = &self.kind else {
            return None;
        };
        let mut places = directory.iter().map(|directory| directory.join(command));
        let program = places
            .find(|path| path.is_file())
            .or_else(|| (command.components().count() > 1).then(|| command.clone()))
            .and_then(|path| std::path::absolute(path).ok())
            .unwrap_or_else(|| command.clone());
        Some((program, arguments, directory.as_deref()))
    }
}

fn split(text: &str) -> Result<Vec<String>, ParseError> {
    if cfg!(windows) {
        shell_words::split(&text.replace('\\', "\\\\"))
    } else {
        shell_words::split(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_ponders_if_its_option_says_so() {
        for (text, own, by_default) in [
            ("cmd=x", false, true),
            ("cmd=x option.Ponder=true", true, true),
            ("cmd=x option.ponder=false", false, false),
            ("cmd=x option.Ponder=false option.Ponder=true", true, true),
        ] {
            let mut spec = EngineSpec::parse(text).unwrap();
            assert_eq!(spec.ponders(), own, "{text}");
            spec.ponder_by_default();
            assert_eq!(spec.ponders(), by_default, "{text}");
        }
    }

    #[test]
    fn players_get_distinct_names() {
        let same = ["self", "self", "self:option.Hash=8", "cmd=/bin/x.exe"];
        let named = ["self", "cmd=y name=Brisance"];
        for (texts, names) in [
            (&same[..], &["Brisance", "Brisance (2)", "Brisance Hash=8", "x"][..]),
            (&named, &["Brisance (2)", "Brisance"]),
        ] {
            let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
            let specs = EngineSpec::parse_all(&texts).unwrap();
            assert!(specs.iter().map(|spec| &spec.name).eq(names));
        }
    }

    #[test]
    fn invalid_specifications_are_rejected() {
        let texts = "|name=x|cmd=x foo|self:cmd=x|cmd=x tc=0+1|cmd=x nodes=many|cmd=x tc=1+x|\
            cmd=x nodes=0|cmd=x depth=-1|cmd=x movetime=0|cmd=x movetime=nan|cmd= name=x|\
            cmd=x option.NodesTime=100|cmd=x option.ponder=yes|self 'name=a\nb'|self name='a";
        for text in texts.split('|') {
            assert!(EngineSpec::parse(text).is_err(), "{text}");
        }
    }
}
