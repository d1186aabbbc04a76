//! A UCI engine process and the conversation with it. Every wait has a timeout, and the output is
//! treated as untrusted text.
//! Invariant: the process has ended when this value is dropped, and no wait outlasts a stopped
//! match.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::engine_log::ProcessLog;
use super::failure::{Failure, FailureKind};
use super::messages::{self, DeclaredOption, LastInfo, check_option};
use super::spec::{EngineSpec, Timeouts};
use super::turn::{GameState, MatchEngine, MoveReply, PlayerContext};
use crate::notation::coord;
use crate::rules::{Move, Variant};
use crate::search::Control;

/// The rest of a longer line is dropped. Ordinary lines have at most a tenth of this.
const MAX_LINE_BYTES: u64 = 16 << 10;
/// Capacity of the queue of unread lines, which has no `info` lines; an engine that prints more is
/// blocked.
const LINE_QUEUE: usize = 256;
/// How often a wait checks whether the match was stopped.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A line of output and the time at which it was read.
type TimedLine = (Instant, String);

pub struct EngineProcess {
    process: Child,
    /// The commands to the engine. Another thread writes them, because writing to a full pipe
    /// blocks.
    input: Option<Sender<String>>,
    /// The output without `info` lines.
    lines: Receiver<TimedLine>,
    /// What the `info` lines of the last search say. The thread that reads the output takes them
    /// out, because an engine may print many while it ponders and nothing waits for a line.
    info: Arc<Mutex<LastInfo>>,
    /// A line that arrived too late for one wait and is kept for the next.
    pending: Option<TimedLine>,
    timeouts: Timeouts,
    stop: Arc<Control>,
    log: ProcessLog,
    supports_chess960: bool,
    ponders: bool,
    /// While the engine ponders: the moves of the game, with the reply that it expects.
    pondering: Option<Vec<Move>>,
}

fn command(spec: &EngineSpec) -> Option<Command> {
    let (program, arguments, directory) = spec.program()?;
    let mut builder = Command::new(program);
    builder.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    if let Some(directory) = directory {
        builder.current_dir(directory);
    }
    // In its own process group, Ctrl-C does not reach the engine, and its child processes can be
    // killed with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut builder, 0);
    Some(builder)
}

/// Passes each line to `is_queued` and sends it to the channel if this returns true, until the
/// output or the channel is closed.
fn read_lines(
    mut reader: impl BufRead,
    sender: &SyncSender<TimedLine>,
    is_queued: impl Fn(&str) -> bool,
) {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let mut start = reader.by_ref().take(MAX_LINE_BYTES);
        if !matches!(start.read_until(b'\n', &mut bytes), Ok(1..)) {
            return;
        }
        let at = Instant::now();
        if !bytes.ends_with(b"\n") && reader.skip_until(b'\n').is_err() {
            return;
        }
        let line = String::from_utf8_lossy(&bytes).trim().to_owned();
        if is_queued(&line) && sender.send((at, line)).is_err() {
            return;
        }
    }
}

impl EngineProcess {
    /// Starts an engine and sets its variant and options.
    pub fn start(spec: &EngineSpec, context: &PlayerContext) -> Result<EngineProcess, Failure> {
        let not_started = |cause: &str| Failure::with_details(FailureKind::NotStarted, cause);
        let Some(mut builder) = command(spec) else {
            return Err(not_started("not a program"));
        };
        let mut process = builder.spawn().map_err(|error| {
            let program = Path::new(builder.get_program());
            not_started(&format!("{}: {error}", program.display()))
        })?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let Some((mut stdin, stdout)) = pipes else {
            return Err(not_started("no pipes"));
        };
        let log = ProcessLog {
            log: context.log.clone(),
            engine: spec.name.clone(),
            process: process.id(),
        };
        let (sender, lines) = sync_channel(LINE_QUEUE);
        let info = Arc::new(Mutex::new(LastInfo::default()));
        let (reader_log, reader_info) = (log.clone(), Arc::clone(&info));
        thread::spawn(move || {
            let is_queued = |line: &str| {
                reader_log.add('<', line);
                reader_info.lock().update(line);
                !line.starts_with("info")
            };
            read_lines(BufReader::new(stdout), &sender, is_queued);
        });
        let (input, commands) = channel::<String>();
        thread::spawn(move || -> io::Result<()> {
            for command in commands {
                stdin.write_all(command.as_bytes())?;
                stdin.flush()?;
            }
            Ok(())
        });
        let mut running = EngineProcess {
            process,
            input: Some(input),
            lines,
            info,
            pending: None,
            timeouts: context.timeouts,
            stop: Arc::clone(&context.stop),
            log,
            supports_chess960: false,
            ponders: spec.ponders(),
            pondering: None,
        };
        running.handshake(spec, context.variant)?;
        Ok(running)
    }

    fn handshake(&mut self, spec: &EngineSpec, variant: Variant) -> Result<(), Failure> {
        self.send("uci");
        // The name of the variant as the engine spells it.
        let mut variant_name = None;
        let mut declared = Vec::new();
        self.wait_for(self.timeouts.uciok, FailureKind::DiedBeforeUciok, |line| {
            declared.extend(DeclaredOption::parse(line));
            if line.starts_with("option name UCI_Variant ") {
                let mut words = line.split_ascii_whitespace();
                let name = words.find(|word| Variant::from_name(word) == Some(variant));
                variant_name = name.map(str::to_owned);
            }
            line == "uciok"
        })?;
        let Some(name) = variant_name else {
            let text = format!("does not play {variant}");
            return Err(Failure::with_text(FailureKind::NoVariant, text));
        };
        // Earlier errors are not about these options.
        self.info.lock().error = None;
        self.send(&format!("setoption name UCI_Variant value {name}"));
        for (name, value) in &spec.options {
            check_option(&declared, name, value)?;
            self.send(&format!("setoption name {name} value {value}"));
        }
        self.ready()?;
        let rejected = |error| Failure::with_details(FailureKind::BadOption, error);
        let error = self.info.lock().error.take().map(rejected);
        error.map_or(Ok(()), Err)
    }

    fn ready(&mut self) -> Result<(), Failure> {
        self.send("isready");
        self.wait_for_readyok()
    }

    fn wait_for_readyok(&mut self) -> Result<(), Failure> {
        let death = FailureKind::DiedBeforeReadyok;
        self.wait_for(self.timeouts.readyok, death, |line| line == "readyok")
    }

    /// Sends a command. A failure to write appears later as a missing reply.
    fn send(&mut self, line: &str) {
        self.log.add('>', line);
        if let Some(input) = &self.input {
            let _ = input.send(format!("{line}\n"));
        }
    }

    /// Returns the next line that arrived before `end`; `None` after that time. Later lines do not
    /// count, because an engine that prints without pause must not block the match.
    fn next_line(
        &mut self,
        end: Instant,
        death: FailureKind,
    ) -> Result<Option<TimedLine>, Failure> {
        loop {
            if self.stop.is_stopped() {
                return Err(FailureKind::Stopped.into());
            }
            let left = end.saturating_duration_since(Instant::now());
            // Even with no time left, a queued line may have arrived in time.
            let next = match self.pending.take() {
                Some(line) => Ok(line),
                None => self.lines.recv_timeout(left.min(POLL_INTERVAL)),
            };
            match next {
                Ok(line) if line.0 <= end => return Ok(Some(line)),
                Ok(line) => {
                    self.pending = Some(line);
                    return Ok(None);
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.died(death)),
            }
        }
    }

    /// Reads lines until `is_expected` accepts one.
    fn wait_for(
        &mut self,
        timeout: Duration,
        death: FailureKind,
        mut is_expected: impl FnMut(&str) -> bool,
    ) -> Result<(), Failure> {
        let end = Instant::now() + timeout;
        while let Some((_, line)) = self.next_line(end, death)? {
            if line.starts_with("option name UCI_Chess960 ") {
                self.supports_chess960 = true;
            }
            if is_expected(&line) {
                return Ok(());
            }
        }
        let what = match death {
            FailureKind::DiedBeforeUciok => "uciok",
            FailureKind::DiedBeforeReadyok => "readyok",
            _ => "bestmove",
        };
        Err(self.stalled(format!("no {what} within {timeout:?}")))
    }

    /// The failure of an engine that has closed its output.
    fn died(&mut self, kind: FailureKind) -> Failure {
        let status = self.exit_status();
        let details = status.map_or("closed its output".to_owned(), |status| status.to_string());
        let details = self.with_errors(details);
        Failure::with_text(kind, format!("{} ({details})", kind.label()))
    }

    /// Waits for the end of the process; `None` if it goes on.
    fn exit_status(&mut self) -> Option<ExitStatus> {
        let end = Instant::now() + self.timeouts.quit;
        loop {
            match self.process.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(2)),
                _ => return None,
            }
        }
    }

    fn stalled(&self, details: String) -> Failure {
        Failure::with_details(FailureKind::Stalled, self.with_errors(details))
    }

    fn with_errors(&self, details: String) -> String {
        match &self.info.lock().error {
            Some(errors) => format!("{details}; {errors}"),
            None => details,
        }
    }

    /// Starts a search. Reports of earlier ones no longer count.
    fn go(&mut self, arguments: &str) {
        *self.info.lock() = LastInfo::default();
        self.send(&format!("go {arguments}"));
    }

    /// Ends pondering, if the engine ponders, after the opponent's move. Returns true if the
    /// engine expected that move and now searches for its own.
    fn end_pondering(&mut self, moves: &[Move]) -> Result<bool, Failure> {
        let Some(expected) = &self.pondering else {
            return Ok(false);
        };
        let is_hit = expected == moves;
        self.check_pondering()?;
        if is_hit {
            self.pondering = None;
            self.send("ponderhit");
        } else {
            self.stop_pondering()?;
        }
        Ok(is_hit)
    }

    /// Checks that the engine still ponders, because UCI permits no move before the opponent's.
    fn check_pondering(&mut self) -> Result<(), Failure> {
        self.wait_for_readyok()?;
        match self.wait_for(Duration::ZERO, FailureKind::DiedThinking, is_bestmove) {
            Ok(()) => Err(FailureKind::MovedWhilePondering.into()),
            Err(failure) if failure.kind == FailureKind::Stalled => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// The failure of an engine that has not moved in time: late if it still answers `stop`,
    /// otherwise stalled.
    fn overdue(&mut self, game: &GameState) -> Failure {
        if game.deadline().is_none() {
            let timeout = self.timeouts.bestmove;
            return self.stalled(format!("no move within {timeout:?}"));
        }
        self.send("stop");
        match self.wait_for(self.timeouts.stop, FailureKind::DiedThinking, is_bestmove) {
            Ok(()) => FailureKind::Late.into(),
            Err(failure) if failure.kind == FailureKind::Stalled => {
                self.stalled("over time and no reply to stop".to_owned())
            }
            Err(failure) => failure,
        }
    }
}

impl MatchEngine for EngineProcess {
    fn new_game(&mut self, chess960: bool) -> Result<(), Failure> {
        if self.supports_chess960 {
            self.send(&format!("setoption name UCI_Chess960 value {chess960}"));
        } else if chess960 {
            return Err(FailureKind::NoChess960.into());
        }
        self.send("ucinewgame");
        self.ready()
    }

    fn think(&mut self, game: &GameState) -> Result<MoveReply, Failure> {
        let start = Instant::now();
        if !self.end_pondering(&game.moves)? {
            self.send(&messages::position(game));
            // Output before `readyok` is not a reply to this request. The clock is running, so
            // that an engine cannot use this wait to think.
            self.ready()?;
            self.go(&messages::go_arguments(game));
        }
        let deadline = game.deadline();
        let end = start + deadline.unwrap_or(self.timeouts.bestmove);
        let (at, line) = loop {
            match self.next_line(end, FailureKind::DiedThinking)? {
                Some((at, line)) if is_bestmove(&line) => break (at, line),
                Some(_) => {}
                None => return Err(self.overdue(game)),
            }
        };
        let time = at.saturating_duration_since(start);
        if deadline.is_some_and(|deadline| time > deadline) {
            return Err(FailureKind::Late.into());
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let word = words.get(1).copied().unwrap_or_default();
        let mv = coord::parse(&game.pos, word);
        let mv = mv.ok_or_else(|| Failure::illegal(word))?;
        let ponder = match words[..] {
            // A reply that is not legal is not pondered.
            [_, _, "ponder", reply, ..] if self.ponders => coord::parse(&game.pos.after(mv), reply),
            _ => None,
        };
        let info = self.info.lock();
        Ok(MoveReply { mv, score: info.score, depth: info.depth, time, ponder })
    }

    fn ponder(&mut self, game: &GameState) {
        self.send(&messages::position(game));
        // The answer is awaited when pondering ends; output before it is not a reply to `go`.
        self.send("isready");
        self.go(&format!("ponder {}", messages::go_arguments(game)));
        self.pondering = Some(game.moves.clone());
    }

    fn stop_pondering(&mut self) -> Result<(), Failure> {
        if self.pondering.take().is_none() {
            return Ok(());
        }
        self.send("stop");
        self.wait_for(self.timeouts.stop, FailureKind::DiedThinking, is_bestmove)
    }

    fn survives(&self, kind: FailureKind) -> bool {
        matches!(kind, FailureKind::Illegal | FailureKind::NoChess960)
    }
}

fn is_bestmove(line: &str) -> bool {
    line.split_ascii_whitespace().next() == Some("bestmove")
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        // The engine gets a chance to exit by itself; then the process and its group are killed.
        self.send("quit");
        self.input = None;
        if self.exit_status().is_some() {
            return;
        }
        #[cfg(unix)]
        if let Ok(group) = i32::try_from(self.process.id()) {
            use nix::sys::signal::{Signal, killpg};
            let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_and_invalid_utf8_is_replaced() {
        let mut text = vec![b'x'; 3 * MAX_LINE_BYTES as usize];
        text.extend(b"\n\xff\xfe\0ok\r\nlast");
        let (sender, lines) = sync_channel(10);
        read_lines(text.as_slice(), &sender, |_| true);
        drop(sender);
        let lines: Vec<String> = lines.iter().map(|(_, line)| line).collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0].len(), MAX_LINE_BYTES as usize);
        assert_eq!(lines[1], "\u{fffd}\u{fffd}\0ok");
        assert_eq!(lines[2], "last");
    }
}
