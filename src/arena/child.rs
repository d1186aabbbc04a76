//! A UCI engine in a child process, held at arm's length: every wait has an end, and
//! whatever it prints is only text.
//! Invariant: the process is gone when this value is dropped.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::player::{Answer, Failure, Question};
use super::spec::{EngineSpec, Kind, Pace};
use crate::eval::score::Shown;
use crate::notation::{coord, fen};
use crate::rules::Variant;

/// How long an engine may take to start, to get ready, and to quit.
const START: Duration = Duration::from_secs(30);
const READY: Duration = Duration::from_secs(15);
const QUIT: Duration = Duration::from_millis(500);
/// How long a search without a time limit may be silent.
const PATIENCE: Duration = Duration::from_secs(600);
/// How long a late engine is given to answer `stop`.
const GRACE: Duration = Duration::from_secs(2);

pub(super) struct Child {
    spec: EngineSpec,
    variant: Variant,
    running: Option<Running>,
}

/// A line and when it came.
type Line = (Instant, String);

struct Running {
    process: std::process::Child,
    stdin: ChildStdin,
    lines: Receiver<Line>,
    has_chess960: bool,
}

impl Child {
    pub(super) fn new(spec: EngineSpec, variant: Variant) -> Child {
        Child {
            spec,
            variant,
            running: None,
        }
    }

    /// Starts the engine if it is not running and readies it for a game.
    pub(super) fn new_game(&mut self, chess960: bool) -> Result<(), Failure> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => Running::start(&self.spec, self.variant)?,
        };
        if running.has_chess960 {
            running.send(&format!("setoption name UCI_Chess960 value {chess960}"))?;
        } else if chess960 {
            return Err(Failure::Illegal("has no option UCI_Chess960".to_owned()));
        }
        running.send("ucinewgame")?;
        running.ready()?;
        self.running = Some(running);
        Ok(())
    }

    /// Asks for a move. After any failure but an illegal move the process is ended.
    pub(super) fn think(&mut self, question: &Question) -> Result<Answer, Failure> {
        let mut running = self
            .running
            .take()
            .ok_or_else(|| Failure::Died("not running".to_owned()))?;
        let answer = running.think(question);
        if matches!(answer, Ok(_) | Err(Failure::Illegal(_))) {
            self.running = Some(running);
        }
        answer
    }
}

impl Running {
    fn start(spec: &EngineSpec, variant: Variant) -> Result<Running, Failure> {
        let Kind::Child {
            command,
            arguments,
            directory,
        } = &spec.kind
        else {
            return Err(Failure::Died("not a program".to_owned()));
        };
        let mut builder = Command::new(command);
        builder
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if let Some(directory) = directory {
            builder.current_dir(directory);
        }
        let cannot =
            |e: std::io::Error| Failure::Died(format!("cannot start {}: {e}", command.display()));
        let mut process = builder.spawn().map_err(cannot)?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let Some((stdin, stdout)) = pipes else {
            return Err(Failure::Died("no pipes".to_owned()));
        };
        let (sender, lines) = channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            let mut bytes = Vec::new();
            while reader
                .read_until(b'\n', &mut bytes)
                .is_ok_and(|count| count > 0)
            {
                let line = String::from_utf8_lossy(&bytes).trim().to_owned();
                if sender.send((Instant::now(), line)).is_err() {
                    break;
                }
                bytes.clear();
            }
        });
        let mut running = Running {
            process,
            stdin,
            lines,
            has_chess960: false,
        };
        running.greet(spec, variant)?;
        Ok(running)
    }

    fn greet(&mut self, spec: &EngineSpec, variant: Variant) -> Result<(), Failure> {
        self.send("uci")?;
        let mut plays_variant = false;
        self.wait_for(START, "uciok", |line| {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            if line.starts_with("option name UCI_Variant ") {
                plays_variant = words.iter().any(|w| Variant::from_name(w) == Some(variant));
            }
            (line == "uciok").then_some(())
        })
        .map(|()| plays_variant)
        .and_then(|plays| {
            if plays {
                Ok(())
            } else {
                Err(Failure::Variant(variant))
            }
        })?;
        self.send(&format!("setoption name UCI_Variant value {variant}"))?;
        for (name, value) in &spec.options {
            self.send(&format!("setoption name {name} value {value}"))?;
        }
        self.ready()
    }

    fn ready(&mut self) -> Result<(), Failure> {
        self.send("isready")?;
        self.wait_for(READY, "readyok", |line| (line == "readyok").then_some(()))
            .map(|_| ())
    }

    fn send(&mut self, line: &str) -> Result<(), Failure> {
        writeln!(self.stdin, "{line}")
            .and_then(|()| self.stdin.flush())
            .map_err(|error| Failure::Died(format!("while told {line:?}: {error}")))
    }

    /// Reads lines until `wanted` returns something.
    fn wait_for<T>(
        &mut self,
        patience: Duration,
        what: &str,
        mut wanted: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, Failure> {
        let end = Instant::now() + patience;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok((_, line)) => {
                    if line.starts_with("option name UCI_Chess960 ") {
                        self.has_chess960 = true;
                    }
                    if let Some(found) = wanted(&line) {
                        return Ok(found);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Failure::Stalled(format!("no {what} within {patience:?}")));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::Died(format!("while {what} was awaited")));
                }
            }
        }
    }

    fn think(&mut self, question: &Question) -> Result<Answer, Failure> {
        // What came unasked before is not an answer.
        while self.lines.try_recv().is_ok() {}
        let mut line = format!(
            "position fen {}",
            fen::write(question.start, fen::CastlingStyle::XFen)
        );
        if !question.moves.is_empty() {
            line.push_str(" moves");
            for &mv in question.moves {
                line.push(' ');
                line.push_str(&coord::write(mv, question.chess960));
            }
        }
        self.send(&line)?;
        let start = Instant::now();
        self.send(&go(question))?;
        let patience = question.deadline().unwrap_or(PATIENCE);
        let mut told = Told::default();
        let best = loop {
            let left = (start + patience).saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok((at, line)) => {
                    if let Some(rest) = line.strip_prefix("bestmove") {
                        break (
                            at,
                            rest.split_ascii_whitespace()
                                .next()
                                .unwrap_or("")
                                .to_owned(),
                        );
                    }
                    told.note(&line);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::Died("while thinking".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) => return Err(self.overdue(question)),
            }
        };
        let time = best.0.saturating_duration_since(start);
        if question.deadline().is_some_and(|deadline| time > deadline) {
            return Err(Failure::Late);
        }
        match coord::parse(question.pos, &best.1) {
            Some(mv) => Ok(Answer {
                mv,
                score: told.score,
                depth: told.depth,
                time,
            }),
            None => Err(Failure::Illegal(best.1)),
        }
    }

    /// The engine has not moved in time: did it stall, or is it only late?
    fn overdue(&mut self, question: &Question) -> Failure {
        let answered = self.send("stop").and_then(|()| {
            self.wait_for(GRACE, "bestmove", |line| {
                line.starts_with("bestmove").then_some(())
            })
        });
        match answered {
            Err(failure @ Failure::Died(_)) => failure,
            Ok(()) if question.deadline().is_some() => Failure::Late,
            _ if question.deadline().is_some() => {
                Failure::Stalled("over time and deaf to stop".to_owned())
            }
            _ => Failure::Stalled(format!("no move within {PATIENCE:?}")),
        }
    }
}

fn go(question: &Question) -> String {
    match question.pace {
        Pace::Clock { .. } => {
            let ms = |time: Option<Duration>| time.unwrap_or_default().as_millis();
            let [white, black] = question.clocks;
            let [winc, binc] = question.increments.map(|increment| increment.as_millis());
            let mut line = format!(
                "go wtime {} btime {} winc {winc} binc {binc}",
                ms(white),
                ms(black)
            );
            if let Some(moves) = question.moves_to_go {
                line.push_str(&format!(" movestogo {moves}"));
            }
            line
        }
        Pace::Nodes(nodes) => format!("go nodes {nodes}"),
        Pace::Depth(depth) => format!("go depth {depth}"),
        Pace::MoveTime(time) => format!("go movetime {}", time.as_millis()),
    }
}

/// What the engine said of its move so far.
#[derive(Default)]
struct Told {
    score: Option<Shown>,
    depth: Option<i32>,
}

impl Told {
    fn note(&mut self, line: &str) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if words.first() != Some(&"info") || words.get(1) == Some(&"string") {
            return;
        }
        let after = |word: &str| {
            let at = words.iter().position(|w| *w == word)?;
            Some(&words[at + 1..])
        };
        if after("multipv")
            .and_then(|rest| rest.first().copied())
            .is_some_and(|n| n != "1")
        {
            return;
        }
        let number = |rest: &[&str], at: usize| rest.get(at).and_then(|w| w.parse::<i32>().ok());
        if let Some(score) = after("score") {
            let shown = match score.first() {
                Some(&"cp") => number(score, 1).map(Shown::Centipawns),
                Some(&"mate") => number(score, 1).map(Shown::Mate),
                _ => None,
            };
            self.score = shown.or(self.score);
            self.depth = after("depth")
                .and_then(|rest| number(rest, 0))
                .or(self.depth);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A polite word first; whatever it does with it, the process ends here.
        let _ = self.send("quit");
        let end = Instant::now() + QUIT;
        while Instant::now() < end {
            if matches!(self.process.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
