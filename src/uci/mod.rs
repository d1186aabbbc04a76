//! The UCI room: one thread reads lines and acts at once on `isready`, `stop`, `ponderhit`
//! and `quit`; a second one owns the engine and carries out the rest in order.
//! Invariant: nothing is printed that was not asked for, and no input ends the program but
//! `quit` and the end of the input, both with exit code 0.

mod format;
mod gate;
mod go;
mod mate;
pub mod options;
pub mod parse;
mod session;

use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use gate::{Answer, Gate, Job, Prompt};
use parse::Command;
use session::Session;

use crate::search::STACK_SIZE;

pub use format::{Output, Style, board, pawns, trace};

/// What an extension is given.
pub struct ExtensionCall<'a> {
    /// The words after the command's name.
    pub arguments: &'a [String],
    /// True once the user wants it to end.
    pub is_stopped: &'a dyn Fn() -> bool,
    /// Prints a line.
    pub say: &'a dyn Fn(&str),
}

/// A command whose work belongs to a room above this one; the error is printed. It brings an
/// engine of its own, so that the session's settings do not change what it does.
pub type Extension = Box<dyn Fn(&ExtensionCall<'_>) -> Result<(), String> + Send>;

/// The extensions of a session.
#[derive(Default)]
pub struct Extensions {
    /// The benchmark; without it `bench` is refused.
    pub bench: Option<Extension>,
    /// The maker of starting positions; without it `genfens` is refused.
    pub genfens: Option<Extension>,
}

/// Speaks UCI on standard input and output until `quit` or the end of the input.
pub fn run(extensions: Extensions) -> ExitCode {
    converse(io::stdin().lock(), Box::new(io::stdout()), extensions)
}

/// Speaks UCI on any input and output until `quit` or the end of the input.
pub fn converse(
    input: impl BufRead,
    output: Box<dyn Write + Send>,
    extensions: Extensions,
) -> ExitCode {
    speak(input, &Arc::new(Output::new(output)), extensions)
}

/// Carries out lines of UCI that are all known beforehand, up to `quit`, and lets what they
/// begin come to its end. The exit code is 2 when one was refused.
pub fn carry_out(lines: &[String], extensions: Extensions) -> ExitCode {
    let out = Arc::new(Output::new(Box::new(io::stdout())));
    // A `quit` that is read while a search runs would end it.
    let lines = lines.iter().map(|line| line.trim());
    let lines: Vec<&str> = lines
        .take_while(|line| !line.eq_ignore_ascii_case("quit"))
        .collect();
    let code = speak(lines.join("\n").as_bytes(), &out, extensions);
    if out.has_refused() {
        ExitCode::from(2)
    } else {
        code
    }
}

fn speak(input: impl BufRead, out: &Arc<Output>, extensions: Extensions) -> ExitCode {
    let gate = Arc::new(Gate::default());
    let (sender, commands) = channel();
    let engine = match spawn(out, &gate, extensions, commands) {
        Ok(engine) => engine,
        Err(error) => {
            out.error(&format!("no thread for the engine: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let listener = ListenerThread {
        out: Arc::clone(out),
        gate,
        sender,
        debug: false,
    };
    listener.read(input);
    match engine.join() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn spawn(
    out: &Arc<Output>,
    gate: &Arc<Gate>,
    extensions: Extensions,
    commands: Receiver<Command>,
) -> io::Result<JoinHandle<()>> {
    let (out, gate) = (Arc::clone(out), Arc::clone(gate));
    Builder::new()
        .name("engine".to_string())
        .stack_size(STACK_SIZE)
        .spawn(move || {
            let work = AssertUnwindSafe(|| {
                Session::new(Arc::clone(&out), gate, extensions).run(&commands);
            });
            if catch_unwind(work).is_err() {
                // A GUI notices a dead engine at once, a mute one only when time is up.
                out.error("internal error, please report it");
                std::process::exit(101);
            }
        })
}

fn answer(prompt: Prompt) -> String {
    match prompt {
        Prompt::Uci => format::identity(),
        Prompt::IsReady => format::ready(),
    }
}

/// The reading side of a conversation.
struct ListenerThread {
    out: Arc<Output>,
    gate: Arc<Gate>,
    sender: Sender<Command>,
    debug: bool,
}

impl ListenerThread {
    /// Reads to the end. Bytes that are no UTF-8 are replaced, not refused.
    fn read(mut self, mut input: impl BufRead) {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            match input.read_until(b'\n', &mut bytes) {
                Ok(0) | Err(_) => break self.gate.close(),
                Ok(_) => {}
            }
            match parse::parse(&String::from_utf8_lossy(&bytes)) {
                Ok(Command::Quit) => break self.gate.quit(),
                Ok(command) => self.act(command),
                Err(error) => self.out.error(&error.to_string()),
            }
        }
    }

    fn act(&mut self, command: Command) {
        match command {
            Command::Uci => self.ask(Prompt::Uci, command),
            Command::IsReady => self.ask(Prompt::IsReady, command),
            Command::Stop => self.gate.stop(),
            Command::PonderHit => self.gate.ponderhit(),
            Command::Debug(on) => self.debug = on,
            Command::Register | Command::Quit => {}
            Command::Unknown(line) => self.comment("unknown command", &line),
            Command::Go(ref go) => {
                self.comment("ignored in go:", &go.ignored.join(" "));
                let job = match go.perft {
                    Some(_) => Job::Count,
                    None => Job::Search,
                };
                self.gate.read(job, go.ponder);
                self.pass_on(command);
            }
            Command::Bench(_) | Command::GenFens(_) => {
                self.gate.read(Job::Count, false);
                self.pass_on(command);
            }
            other => self.pass_on(other),
        }
    }

    fn ask(&self, prompt: Prompt, command: Command) {
        match self.gate.ask(prompt) {
            Answer::Now => self.out.say(&answer(prompt)),
            Answer::AtStart => {}
            Answer::InTurn => self.pass_on(command),
        }
    }

    /// Only under `debug on`: GUIs take unasked lines amiss.
    fn comment(&self, what: &str, text: &str) {
        if self.debug && !text.is_empty() {
            self.out
                .note(&format!("{what} {:?}", parse::shortened(text)));
        }
    }

    fn pass_on(&self, command: Command) {
        // The engine's thread ends the whole program when it fails, so it is there.
        let _ = self.sender.send(command);
    }
}
