//! How a user writes an engine and its limits: `cmd=./x name=New option.Hash=32 tc=8+0.08`.
//! Invariant: a spec that was read names every engine and gives it some limit in the end.

use std::path::PathBuf;
use std::time::Duration;

/// What bounds an engine's thinking on each move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Pace {
    /// A clock: base time, increment per move, and moves to the next control if any.
    Clock {
        /// Time at the start (and again after each control).
        base: Duration,
        /// Time gained with each move.
        increment: Duration,
        /// Moves from one control to the next.
        moves: Option<u32>,
    },
    /// Nodes a move.
    Nodes(u64),
    /// Plies a move.
    Depth(i32),
    /// Exactly this long a move.
    MoveTime(Duration),
}

impl Pace {
    /// Reads `base+increment` or `moves/base+increment`, in seconds.
    ///
    /// # Errors
    /// A message that names the text.
    pub fn parse_clock(text: &str) -> Result<Pace, String> {
        let bad = || format!("{text:?} is no time control; write seconds as 8+0.08 or 40/60+0.5");
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => (
                Some(moves.parse().ok().filter(|&m| m > 0).ok_or_else(bad)?),
                rest,
            ),
            None => (None, text),
        };
        let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let seconds = |text: &str| {
            let number = text
                .parse()
                .ok()
                .and_then(|s| Duration::try_from_secs_f64(s).ok());
            number.ok_or_else(bad)
        };
        let (base, increment) = (seconds(base)?, seconds(increment)?);
        if base.is_zero() {
            return Err(bad());
        }
        Ok(Pace::Clock {
            base,
            increment,
            moves,
        })
    }

    /// As PGN's TimeControl tag has it.
    pub fn tag(&self) -> String {
        match self {
            Pace::Clock {
                base,
                increment,
                moves,
            } => {
                let moves = moves.map_or(String::new(), |moves| format!("{moves}/"));
                format!("{moves}{}+{}", base.as_secs_f64(), increment.as_secs_f64())
            }
            Pace::Nodes(nodes) => format!("nodes {nodes}"),
            Pace::Depth(depth) => format!("depth {depth}"),
            Pace::MoveTime(time) => format!("{} a move", time.as_secs_f64()),
        }
    }

    fn parse(key: &str, value: &str) -> Option<Result<Pace, String>> {
        fn number<T: std::str::FromStr>(key: &str, value: &str) -> Result<T, String> {
            value
                .parse()
                .map_err(|_| format!("{key}={value}: not a number"))
        }
        Some(match key {
            "tc" => Pace::parse_clock(value),
            "nodes" => number(key, value).map(Pace::Nodes),
            "depth" => number(key, value).map(Pace::Depth),
            "movetime" => number::<f64>(key, value)
                .and_then(|s| {
                    Duration::try_from_secs_f64(s).map_err(|e| format!("movetime={value}: {e}"))
                })
                .map(Pace::MoveTime),
            _ => return None,
        })
    }
}

/// How an engine is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// This engine, in this process.
    Own,
    /// A UCI engine in a process of its own.
    Child {
        /// The program.
        command: PathBuf,
        /// Its arguments.
        arguments: Vec<String>,
        /// The directory it is started in.
        directory: Option<PathBuf>,
    },
}

/// One player of a match.
#[derive(Clone, PartialEq, Debug)]
pub struct EngineSpec {
    /// How it is run.
    pub kind: Kind,
    /// Its name in tables and PGN.
    pub name: String,
    /// UCI options to set, in order.
    pub options: Vec<(String, String)>,
    /// What bounds its thinking; `None` takes the match's.
    pub pace: Option<Pace>,
}

impl EngineSpec {
    /// Reads a spec: `self[:key=value …]` or `cmd=… key=value …`. Values with blanks are
    /// quoted as in a shell.
    ///
    /// # Errors
    /// A message that names the word at fault.
    pub fn parse(text: &str) -> Result<EngineSpec, String> {
        let (own, rest) = match text.trim().strip_prefix("self") {
            Some(rest) if rest.is_empty() || rest.starts_with([':', ' ']) => {
                (true, rest.trim_start_matches(':'))
            }
            _ => (false, text),
        };
        let words = shell_words::split(rest).map_err(|e| format!("engine {text:?}: {e}"))?;
        let mut spec = EngineSpec {
            kind: Kind::Own,
            name: String::new(),
            options: vec![],
            pace: None,
        };
        let (mut command, mut arguments, mut directory) = (None, vec![], None);
        for word in &words {
            let (key, value) = word
                .split_once('=')
                .ok_or_else(|| format!("engine {text:?}: {word:?} is not key=value"))?;
            match key {
                "cmd" if !own => command = Some(PathBuf::from(value)),
                "args" if !own => {
                    arguments =
                        shell_words::split(value).map_err(|e| format!("args={value}: {e}"))?;
                }
                "dir" if !own => directory = Some(PathBuf::from(value)),
                "name" => spec.name = value.to_owned(),
                _ => match (key.strip_prefix("option."), Pace::parse(key, value)) {
                    (Some(option), _) => spec.options.push((option.to_owned(), value.to_owned())),
                    (None, Some(pace)) => spec.pace = Some(pace?),
                    (None, None) => return Err(format!("engine {text:?}: unknown key {key:?}")),
                },
            }
        }
        if !own {
            let command = command.ok_or_else(|| format!("engine {text:?}: no cmd="))?;
            if spec.name.is_empty() {
                let stem = command.file_stem().unwrap_or(command.as_os_str());
                spec.name = stem.to_string_lossy().into_owned();
            }
            spec.kind = Kind::Child {
                command,
                arguments,
                directory,
            };
        } else if spec.name.is_empty() {
            spec.name = match spec.options.as_slice() {
                [] => "Brisance".to_owned(),
                options => {
                    let words: Vec<String> =
                        options.iter().map(|(k, v)| format!("{k}={v}")).collect();
                    format!("Brisance {}", words.join(" "))
                }
            };
        }
        Ok(spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_specs() {
        let own = EngineSpec::parse("self:option.Hash=8 nodes=5000").unwrap();
        assert_eq!(
            (own.kind, own.name.as_str()),
            (Kind::Own, "Brisance Hash=8")
        );
        assert_eq!(own.pace, Some(Pace::Nodes(5000)));
        let child =
            EngineSpec::parse("cmd=/bin/x 'option.Move Overhead=3' args=\"-a 'b c'\" tc=8+0.08");
        let child = child.unwrap();
        assert_eq!(child.name, "x");
        assert_eq!(
            child.options,
            [("Move Overhead".to_owned(), "3".to_owned())]
        );
        let Kind::Child { arguments, .. } = child.kind else {
            panic!("a child")
        };
        assert_eq!(arguments, ["-a", "b c"]);
    }

    #[test]
    fn refuses_nonsense() {
        for text in [
            "",
            "name=x",
            "cmd=x foo",
            "cmd=x foo=1",
            "self:cmd=x",
            "cmd=x tc=0+1",
            "cmd=x nodes=many",
            "cmd=x tc=1+x",
        ] {
            assert!(EngineSpec::parse(text).is_err(), "{text}");
        }
    }
}
