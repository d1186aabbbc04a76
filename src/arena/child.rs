//! A UCI engine in a child process, held at arm's length: every wait has an end, and
//! whatever it prints is only text.
//! Invariant: the process is gone when this value is dropped, and no wait outlasts a match
//! that was stopped.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::player::{Answer, Failure, Question, Stop};
use super::spec::{EngineSpec, Pace, Patience};
use crate::eval::wdl::Shown;
use crate::notation::{coord, fen};
use crate::rules::Variant;

/// Of a longer line the rest is thrown away; the longest honest ones are a tenth of this.
const LONGEST_LINE: u64 = 16 << 10;
/// Lines read but not yet looked at; an engine that prints more has to wait.
const UNREAD_LINES: usize = 256;
/// How often a wait looks whether the match was stopped.
const GLANCE: Duration = Duration::from_millis(50);

pub(super) struct Child {
    spec: EngineSpec,
    variant: Variant,
    patience: Patience,
    stop: Arc<Stop>,
    running: Option<Running>,
}

/// A line and when it came.
type Line = (Instant, String);

struct Running {
    process: std::process::Child,
    /// Lines for the engine. Another thread writes them, because a pipe that the engine
    /// does not empty blocks its writer.
    orders: Option<Sender<String>>,
    lines: Receiver<Line>,
    /// A line that came too late for one wait and is there for the next.
    held: Option<Line>,
    patience: Patience,
    stop: Arc<Stop>,
    has_chess960: bool,
}

/// Why no line came.
enum Silence {
    Timeout,
    Gone,
    Stopped,
}

impl Child {
    pub(super) fn new(
        spec: EngineSpec,
        variant: Variant,
        patience: Patience,
        stop: Arc<Stop>,
    ) -> Child {
        Child {
            spec,
            variant,
            patience,
            stop,
            running: None,
        }
    }

    /// Starts the engine if it is not running and readies it for a game.
    pub(super) fn new_game(&mut self, chess960: bool) -> Result<(), Failure> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start()?,
        };
        if running.has_chess960 {
            running.send(&format!("setoption name UCI_Chess960 value {chess960}"));
        } else if chess960 {
            self.running = Some(running);
            return Err(Failure::Unable("has no option UCI_Chess960".to_owned()));
        }
        running.send("ucinewgame");
        running.ready()?;
        self.running = Some(running);
        Ok(())
    }

    /// Starts the engine and ends it again, where it is given options, to see whether it has
    /// them. Whatever else is wrong with it shows at the board.
    ///
    /// # Errors
    /// What is wrong with the options.
    pub(super) fn check_options(&self) -> Result<(), String> {
        if self.spec.options.is_empty() {
            return Ok(());
        }
        match self.start() {
            Err(Failure::Misset(why)) => Err(why),
            _ => Ok(()),
        }
    }

    /// Asks for a move. After any failure but an illegal move the process is ended.
    pub(super) fn think(&mut self, question: &Question) -> Result<Answer, Failure> {
        let mut running = self
            .running
            .take()
            .ok_or_else(|| Failure::Died("before the game".to_owned()))?;
        let answer = running.think(question);
        if matches!(answer, Ok(_) | Err(Failure::Illegal(_))) {
            self.running = Some(running);
        }
        answer
    }

    fn start(&self) -> Result<Running, Failure> {
        let Some(mut builder) = command(&self.spec) else {
            return Err(Failure::Unable("is not a program".to_owned()));
        };
        let cannot = |error: String| Failure::Unable(format!("cannot be started: {error}"));
        let mut process = builder.spawn().map_err(|error| cannot(error.to_string()))?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let Some((mut stdin, stdout)) = pipes else {
            return Err(cannot("no pipes".to_owned()));
        };
        let (sender, lines) = sync_channel(UNREAD_LINES);
        thread::spawn(move || read_lines(BufReader::new(stdout), &sender));
        let (orders, to_write) = channel::<String>();
        thread::spawn(move || {
            for order in to_write {
                if stdin
                    .write_all(order.as_bytes())
                    .and_then(|()| stdin.flush())
                    .is_err()
                {
                    break;
                }
            }
        });
        let mut running = Running {
            process,
            orders: Some(orders),
            lines,
            held: None,
            patience: self.patience,
            stop: Arc::clone(&self.stop),
            has_chess960: false,
        };
        running.greet(&self.spec, self.variant)?;
        Ok(running)
    }
}

/// An option as an engine declares it.
struct Declared {
    name: String,
    /// Least and greatest value of a `spin`.
    range: Option<(i64, i64)>,
}

impl Declared {
    /// `None` for any other line.
    fn read(line: &str) -> Option<Declared> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let rest = words.strip_prefix(&["option", "name"])?;
        let end = rest.iter().position(|&word| word == "type")?;
        let (name, rest) = rest.split_at(end);
        let number = |word: &str| {
            let at = rest.iter().position(|&other| other == word)?;
            rest.get(at + 1)?.parse().ok()
        };
        let is_spin = rest.get(1) == Some(&"spin");
        Some(Declared {
            name: name.join(" "),
            range: number("min").zip(number("max")).filter(|_| is_spin),
        })
    }
}

/// Fails when an engine does not have this option, or not with this value: most say nothing
/// then and play with another one.
fn check_option(declared: &[Declared], name: &str, value: &str) -> Result<(), String> {
    let found = declared
        .iter()
        .find(|option| option.name.eq_ignore_ascii_case(name));
    let Some(option) = found else {
        return Err(format!("has no option {name:?}"));
    };
    match (option.range, value.parse::<i64>()) {
        (Some((least, most)), Ok(number)) if (least..=most).contains(&number) => Ok(()),
        (Some((least, most)), _) => Err(format!(
            "option {name}: {value:?} is not a number from {least} to {most}"
        )),
        (None, _) => Ok(()),
    }
}

fn command(spec: &EngineSpec) -> Option<Command> {
    let (program, arguments, directory) = spec.program()?;
    let mut builder = Command::new(program);
    builder
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if let Some(directory) = directory {
        builder.current_dir(directory);
    }
    // In a group of its own Ctrl-C does not reach it, and whatever it starts can be ended
    // with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut builder, 0);
    Some(builder)
}

/// Sends lines on as they come, until the output ends or nobody listens.
fn read_lines(mut reader: impl BufRead, sender: &SyncSender<Line>) {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match reader
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut bytes)
        {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let at = Instant::now();
        if !bytes.ends_with(b"\n") && reader.skip_until(b'\n').is_err() {
            return;
        }
        let line = String::from_utf8_lossy(&bytes).trim().to_owned();
        if sender.send((at, line)).is_err() {
            return;
        }
    }
}

impl Running {
    fn greet(&mut self, spec: &EngineSpec, variant: Variant) -> Result<(), Failure> {
        self.send("uci");
        // The engine's own spelling of the name.
        let mut spelling = None;
        let mut declared = Vec::new();
        self.wait_for(self.patience.start, "uciok", |line| {
            declared.extend(Declared::read(line));
            if line.starts_with("option name UCI_Variant ") {
                let mut words = line.split_ascii_whitespace();
                spelling = words
                    .find(|word| Variant::from_name(word) == Some(variant))
                    .map(str::to_owned);
            }
            line == "uciok"
        })?;
        let Some(name) = spelling else {
            return Err(Failure::Unable(format!("does not play {variant}")));
        };
        self.send(&format!("setoption name UCI_Variant value {name}"));
        for (name, value) in &spec.options {
            check_option(&declared, name, value).map_err(Failure::Misset)?;
            self.send(&format!("setoption name {name} value {value}"));
        }
        self.ready()
    }

    fn ready(&mut self) -> Result<(), Failure> {
        self.send("isready");
        self.wait_for(self.patience.ready, "readyok", |line| line == "readyok")
    }

    /// A line for the engine. That it cannot be written shows when the answer is missing.
    fn send(&mut self, line: &str) {
        if let Some(orders) = &self.orders {
            let _ = orders.send(format!("{line}\n"));
        }
    }

    /// The next line, if it came before `end`. Lines that came after it do not count: an
    /// engine that never falls silent must not hold the match.
    fn next_line(&mut self, end: Instant) -> Result<Line, Silence> {
        loop {
            if self.stop.is_stopped() {
                return Err(Silence::Stopped);
            }
            let left = end.saturating_duration_since(Instant::now());
            // With no time left, what waits here may still have come in time.
            let next = match self.held.take() {
                Some(line) => Ok(line),
                None => self.lines.recv_timeout(left.min(GLANCE)),
            };
            match next {
                Ok(line) if line.0 <= end => return Ok(line),
                Ok(line) => {
                    self.held = Some(line);
                    return Err(Silence::Timeout);
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return Err(Silence::Timeout);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Gone),
            }
        }
    }

    /// Reads lines until `wanted` says that the one awaited has come.
    fn wait_for(
        &mut self,
        patience: Duration,
        what: &str,
        mut wanted: impl FnMut(&str) -> bool,
    ) -> Result<(), Failure> {
        let end = Instant::now() + patience;
        loop {
            match self.next_line(end) {
                Ok((_, line)) => {
                    if line.starts_with("option name UCI_Chess960 ") {
                        self.has_chess960 = true;
                    }
                    if wanted(&line) {
                        return Ok(());
                    }
                }
                Err(Silence::Timeout) => {
                    return Err(Failure::Stalled(format!("no {what} within {patience:?}")));
                }
                Err(Silence::Gone) => return Err(self.died(&format!("before {what}"))),
                Err(Silence::Stopped) => return Err(Failure::Stopped),
            }
        }
    }

    /// The failure of an engine whose output has ended.
    fn died(&mut self, when: &str) -> Failure {
        let end = Instant::now() + self.patience.quit;
        loop {
            match self.process.try_wait() {
                Ok(Some(status)) => return Failure::Died(format!("{when} ({status})")),
                Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(5)),
                _ => return Failure::Died(format!("{when} (closed its output)")),
            }
        }
    }

    fn think(&mut self, question: &Question) -> Result<Answer, Failure> {
        let start = Instant::now();
        self.send(&position(question));
        // What came unasked before the answer to this is no answer to the question. The
        // clock runs meanwhile, or an engine could think here for nothing.
        self.ready()?;
        self.send(&go(question));
        let deadline = question.deadline();
        let end = start + deadline.unwrap_or(self.patience.silence);
        let mut told = Told::default();
        let (at, word) = loop {
            match self.next_line(end) {
                Ok((at, line)) => {
                    let mut words = line.split_ascii_whitespace();
                    if words.next() == Some("bestmove") {
                        break (at, words.next().unwrap_or("").to_owned());
                    }
                    told.note(&line);
                }
                Err(Silence::Gone) => return Err(self.died("while thinking")),
                Err(Silence::Timeout) => return Err(self.overdue(question)),
                Err(Silence::Stopped) => return Err(Failure::Stopped),
            }
        };
        let time = at.saturating_duration_since(start);
        if deadline.is_some_and(|deadline| time > deadline) {
            return Err(Failure::Late);
        }
        match coord::parse(question.pos, &word) {
            Some(mv) => Ok(Answer {
                mv,
                score: told.score,
                depth: told.depth,
                time,
            }),
            None => Err(Failure::Illegal(word)),
        }
    }

    /// The engine has not moved in time: did it stall, or is it only late?
    fn overdue(&mut self, question: &Question) -> Failure {
        if question.deadline().is_none() {
            let patience = self.patience.silence;
            return Failure::Stalled(format!("no move within {patience:?}"));
        }
        self.send("stop");
        let answered = self.wait_for(self.patience.stop, "bestmove", |line| {
            line.split_ascii_whitespace().next() == Some("bestmove")
        });
        match answered {
            Ok(()) => Failure::Late,
            Err(Failure::Stalled(_)) => Failure::Stalled("over time and deaf to stop".to_owned()),
            Err(failure) => failure,
        }
    }
}

fn position(question: &Question) -> String {
    let start = fen::write(question.start, fen::CastlingStyle::XFen);
    let mut line = if start == fen::STARTPOS {
        "position startpos".to_owned()
    } else {
        format!("position fen {start}")
    };
    if !question.moves.is_empty() {
        line.push_str(" moves");
        for &mv in question.moves {
            line.push(' ');
            line.push_str(&coord::write(mv, question.chess960));
        }
    }
    line
}

fn go(question: &Question) -> String {
    match question.pace {
        Pace::Clock { .. } => {
            // To some engines a clock at zero means none at all. An opponent that plays
            // without a clock is shown with this engine's own.
            let own = question.clocks[question.pos.side().index()];
            let ms = |time: Option<Duration>| time.or(own).unwrap_or_default().as_millis().max(1);
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
        Pace::MoveTime(time) => format!("go movetime {}", time.as_millis().max(1)),
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
        let Some(score) = after("score") else { return };
        // A bound is no value: adjudication must not take it for one.
        if matches!(score.get(2), Some(&"lowerbound" | &"upperbound")) {
            return;
        }
        let shown = match score.first() {
            Some(&"cp") => number(score, 1).map(Shown::Centipawns),
            Some(&"mate") => number(score, 1).map(Shown::Mate),
            _ => None,
        };
        if shown.is_some() {
            self.score = shown;
            self.depth = after("depth")
                .and_then(|rest| number(rest, 0))
                .or(self.depth);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A polite word first; whatever it does with it, the process ends here.
        self.send("quit");
        self.orders = None;
        let end = Instant::now() + self.patience.quit;
        while Instant::now() < end {
            if matches!(self.process.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
        kill(&mut self.process);
        let _ = self.process.wait();
    }
}

/// Ends a process that has not been waited for, with what it has started in its group.
fn kill(process: &mut std::process::Child) {
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(process.id()) {
        use nix::sys::signal::{Signal, killpg};
        let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
    }
    let _ = process.kill();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_noted_but_not_bounds_or_other_lines() {
        let mut told = Told::default();
        told.note("info depth 3 seldepth 5 multipv 1 score cp -31 nodes 7 pv e2e4");
        assert_eq!(
            (told.score, told.depth),
            (Some(Shown::Centipawns(-31)), Some(3))
        );
        for other in [
            "info depth 4 multipv 2 score cp 99",
            "info depth 4 score cp 99 lowerbound",
            "info string depth 4 score cp 99",
            "info depth 4 score cp x",
            "info depth 4 score",
            "depth 4 score cp 99",
            "",
        ] {
            told.note(other);
            assert_eq!(told.score, Some(Shown::Centipawns(-31)), "{other}");
            assert_eq!(told.depth, Some(3), "{other}");
        }
        told.note("info score mate -2 depth 9");
        assert_eq!((told.score, told.depth), (Some(Shown::Mate(-2)), Some(9)));
    }

    #[test]
    fn long_lines_are_cut_and_bytes_become_text() {
        let mut text = vec![b'x'; 3 * LONGEST_LINE as usize];
        text.extend(b"\n\xff\xfe\0ok\r\nlast");
        let (sender, lines) = sync_channel(10);
        read_lines(text.as_slice(), &sender);
        drop(sender);
        let lines: Vec<String> = lines.iter().map(|(_, line)| line).collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0].len(), LONGEST_LINE as usize);
        assert_eq!(lines[1], "\u{fffd}\u{fffd}\0ok");
        assert_eq!(lines[2], "last");
    }
}
