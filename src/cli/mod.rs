//! The command line: one subcommand a file, and UCI when there is none.
//! Results go to stdout, complaints to stderr; a reader that closes the pipe ends the
//! command quietly.

pub mod analyse;
mod arena;
mod args;
pub mod bench;
mod board;
mod book;
mod data;
mod datagen;
mod eval;
mod genfens;
mod interrupt;
mod manual;
mod openings;
mod output;
mod perft;
mod progress;
mod show;
mod solve;
#[cfg(feature = "tune")]
mod spsa;
mod standings;
mod view;

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::rules::Variant;
use crate::uci::parse::{Command as Line, parse};
use crate::uci::{self, Extensions};

pub use args::PositionArgs;

/// Brisance, an engine for atomic chess.
///
/// Without arguments it speaks UCI on standard input and output: that is how graphical
/// programs start it. The commands below answer one question each and exit. Arguments that are
/// lines of UCI, each in quotes, are carried out in order.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  brisance                                     speak UCI
  brisance analyse                             analyse the start position for 10 seconds
  brisance analyse --moves e4 e5 Nf3 --depth 12
  brisance analyse game.pgn --html game.html
  brisance show --moves e4 e5 Nf3 --svg board.svg
  brisance perft 5 --divide
  brisance 'genfens 10 seed 1 book None' quit
  brisance solve b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1
  brisance eval 4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1

Exit codes: 0 done, 1 the work failed, 2 the arguments were wrong.";

#[derive(Debug, Subcommand)]
enum Command {
    Analyse(analyse::AnalyseArgs),
    Perft(perft::PerftArgs),
    Bench(bench::BenchArgs),
    Eval(eval::EvalArgs),
    Show(show::ShowArgs),
    Solve(Box<solve::SolveArgs>),
    Match(Box<arena::ArenaArgs>),
    Book(book::BookArgs),
    Openings(openings::OpeningsArgs),
    Datagen(datagen::DatagenArgs),
    Data(data::DataArgs),
    #[cfg(feature = "tune")]
    Spsa(spsa::SpsaArgs),
    Completions(manual::CompletionsArgs),
    Man(manual::ManArgs),
}

/// Does what the arguments ask for.
///
/// # Errors
/// When the arguments make no sense together, the work cannot be done, or its result
/// cannot be written.
pub fn run(cli: &Cli) -> Result<ExitCode, Error> {
    match &cli.command {
        None => return Ok(uci::run(extensions())),
        Some(Command::Analyse(args)) => analyse::run(args),
        Some(Command::Perft(args)) => perft::run(args),
        Some(Command::Bench(args)) => bench::run(args),
        Some(Command::Eval(args)) => eval::run(args),
        Some(Command::Show(args)) => show::run(args),
        Some(Command::Solve(args)) => return solve::run(args),
        Some(Command::Match(args)) => arena::run(args),
        Some(Command::Book(args)) => book::run(args),
        Some(Command::Openings(args)) => openings::run(args),
        Some(Command::Datagen(args)) => datagen::run(args),
        Some(Command::Data(args)) => data::run(args),
        #[cfg(feature = "tune")]
        Some(Command::Spsa(args)) => spsa::run(args),
        Some(Command::Completions(args)) => manual::completions(args),
        Some(Command::Man(args)) => manual::man(args),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Carries out arguments that are lines of UCI, as `"position startpos" "go depth 5" quit`;
/// `None` when the first is none. What could be a command of ours is never taken for a line.
pub fn run_lines(arguments: &[String]) -> Option<ExitCode> {
    let first = arguments.first()?;
    let line = parse(first);
    let is_line = if first.trim().contains(char::is_whitespace) {
        !matches!(line, Ok(Line::Unknown(_)))
    } else {
        Cli::command().find_subcommand(first.trim()).is_none()
            && matches!(
                line,
                Ok(Line::Uci
                    | Line::IsReady
                    | Line::UciNewGame
                    | Line::Go(_)
                    | Line::Stop
                    | Line::Quit
                    | Line::Display
                    | Line::Flip
                    | Line::Compiler)
            )
    };
    is_line.then(|| uci::carry_out(arguments, extensions()))
}

fn extensions() -> Extensions {
    Extensions {
        bench: Some(Box::new(|call| {
            bench::in_session(call.arguments, call.is_stopped, call.say)
        })),
        genfens: Some(Box::new(|call| {
            genfens::in_session(call.arguments, call.is_stopped, call.say)
        })),
    }
}

/// Why a command did not do its work.
#[derive(Debug)]
pub enum Error {
    /// The arguments are wrong.
    Usage(String),
    /// The work failed.
    Failed(String),
    /// The result could not be written.
    Output(io::Error),
}

impl Error {
    /// Says on stderr what went wrong and gives the exit code for it. A closed pipe is no
    /// failure: the reader had enough.
    pub fn report(&self) -> ExitCode {
        let code = match self {
            Error::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                return ExitCode::SUCCESS;
            }
            Error::Usage(_) => 2,
            Error::Failed(_) | Error::Output(_) => 1,
        };
        // Not eprintln: it panics when stderr is closed too.
        let _ = writeln!(io::stderr(), "error: {self}");
        ExitCode::from(code)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Usage(text) | Error::Failed(text) => f.write_str(text),
            Error::Output(error) => write!(f, "cannot write the result: {error}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::Output(error)
    }
}

/// Reads the name of a variant.
fn variant_name(text: &str) -> Result<Variant, String> {
    Variant::from_name(text).ok_or_else(|| "write atomic or nocheckatomic".to_owned())
}
