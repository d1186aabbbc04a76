//! The command line: one file per subcommand; without a subcommand a UCI session.
//! Invariant: results go to stdout, errors and warnings to stderr; a closed stdout pipe ends the
//! command silently.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)]

mod analyse;
mod arena;
mod args;
mod bench;
mod board;
mod book;
mod data;
mod datagen;
mod error;
mod eval;
mod interrupt;
mod list;
mod manual;
mod openings;
mod output;
mod perft;
mod pgn_faults;
mod progress;
mod puzzles;
mod show;
mod solve;
mod source;
#[cfg(feature = "tune")]
mod spsa;
mod standings;
mod view;
mod wrap;

use std::any::TypeId;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, Command, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::arena::spec::TimeControl;
use crate::files::{AppendFile, WholeFile};
use crate::review::style::PositionStyle;
use crate::uci;
use crate::uci::parse::{UciCommand, UciMessage, parse};
use crate::util::shorten_message;

// What most commands use.
use args::{EvalSourceArgs, GamesVariantArgs, PositionArgs};
use board::BoardStyle;
pub use error::CliError;
use error::{failed, usage};
pub use output::OutputPath;
use output::{CappedErrors, print_json, print_stderr, print_summary, print_warning};
use progress::ProgressReporter;
use source::Source;

/// Brisance, an atomic chess engine.
///
/// Without arguments it runs a UCI session on stdin and stdout; GUIs start it this way.
/// Quoted UCI commands as arguments are executed in order.
#[derive(Debug, Parser)]
#[command(version = env!("BRISANCE_VERSION"), after_help = CODES)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<CliCommand>,
}

const CODES: &str = "Exit codes: 0 success, 1 failure, 2 invalid arguments.";

#[derive(Debug, Subcommand)]
enum CliCommand {
    Analyse(analyse::AnalyseArgs),
    Perft(perft::PerftArgs),
    Bench(bench::BenchArgs),
    Eval(eval::EvalArgs),
    Show(show::ShowArgs),
    Solve(Box<solve::SolveArgs>),
    Match(Box<arena::MatchArgs>),
    #[command(subcommand)]
    Book(book::BookCommand),
    Openings(openings::OpeningsArgs),
    Datagen(datagen::DatagenArgs),
    #[command(subcommand)]
    Data(data::DataCommand),
    Puzzles(Box<puzzles::PuzzlesArgs>),
    #[cfg(feature = "tune")]
    Spsa(spsa::SpsaArgs),
    Completions(manual::CompletionsArgs),
    Man(manual::ManArgs),
}

/// The widest help in columns; on a narrower terminal it has the width of the terminal.
const HELP_WIDTH: usize = 100;

/// The definition of the command line, with the examples in the help.
pub fn command() -> Command {
    with_examples(Cli::command().max_term_width(HELP_WIDTH), "brisance")
}

/// Adds the examples to the help of a command and of its subcommands, before what the help ends
/// with. A negative number behind an option is its value, so that the error gives the range.
fn with_examples(command: Command, name: &str) -> Command {
    let mut help = String::from("Examples:");
    for line in manual::examples(name).lines() {
        help.push_str(&format!("\n  {line}"));
    }
    if let Some(end) = command.get_after_help() {
        help.push_str(&format!("\n\n{end}"));
    }
    let command = command.after_help(help).mut_args(|arg| {
        if !is_number(&arg) {
            arg
        } else if arg.is_positional() {
            arg.allow_negative_numbers(true)
        } else {
            arg.allow_hyphen_values(true)
        }
    });
    command.mut_subcommands(|inner| {
        let name = format!("{name} {}", inner.get_name());
        with_examples(inner, &name)
    })
}

/// True for an argument with a single number, time or time control.
fn is_number(arg: &Arg) -> bool {
    let kind = arg.get_value_parser().type_id();
    let numbers = [
        TypeId::of::<u8>(),
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
        TypeId::of::<i32>(),
        TypeId::of::<f32>(),
        TypeId::of::<f64>(),
        TypeId::of::<Duration>(),
        TypeId::of::<TimeControl>(),
    ];
    arg.get_num_args().is_none() && numbers.iter().any(|number| kind == *number)
}

/// Parses the arguments of the process. Help, version and errors are printed; the exit code is
/// that of the process.
///
/// # Errors
/// The exit code, if there is no command to run.
pub fn parse_arguments() -> Result<Cli, ExitCode> {
    const MAX_ERROR: usize = 4000;
    let mut command = command();
    let parsed = command.try_get_matches_from_mut(std::env::args_os());
    let parsed = parsed.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (cli, matches) = parsed.map_err(|error| {
        let text = error.render().to_string();
        let printed = if error.use_stderr() && text.len() > MAX_ERROR {
            writeln!(io::stderr(), "{}", shorten_message(&text))
        } else {
            error.print().and_then(|()| io::stdout().flush())
        };
        match printed {
            Err(failure) if !error.use_stderr() => CliError::Output(failure).report(),
            _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
        }
    })?;
    let checked = output::refuse_overlap(&command, &matches);
    checked.map_err(|error| error.report())?;
    Ok(cli)
}

/// Runs the command that the arguments select.
///
/// # Errors
/// Conflicting arguments, a failure of the command, or output that cannot be written.
pub fn run(cli: &Cli) -> Result<ExitCode, CliError> {
    match &cli.command {
        None => return Ok(uci::run()),
        Some(CliCommand::Analyse(args)) => analyse::run(args),
        Some(CliCommand::Perft(args)) => perft::run(args),
        Some(CliCommand::Bench(args)) => bench::run(args),
        Some(CliCommand::Eval(args)) => eval::run(args),
        Some(CliCommand::Show(args)) => show::run(args),
        Some(CliCommand::Solve(args)) => return solve::run(args),
        Some(CliCommand::Match(args)) => arena::run(args),
        Some(CliCommand::Book(args)) => book::run(args),
        Some(CliCommand::Openings(args)) => openings::run(args),
        Some(CliCommand::Datagen(args)) => datagen::run(args),
        Some(CliCommand::Data(args)) => data::run(args),
        Some(CliCommand::Puzzles(args)) => puzzles::run(args),
        #[cfg(feature = "tune")]
        Some(CliCommand::Spsa(args)) => spsa::run(args),
        Some(CliCommand::Completions(args)) => manual::completions(args, command()),
        Some(CliCommand::Man(args)) => manual::man(args, Cli::command()),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Executes arguments that are UCI commands, such as `"position startpos" "go depth 5" quit`.
/// Returns `None` if the first one is not; a subcommand is never read as a UCI command.
pub fn run_uci_arguments(arguments: &[String]) -> Option<ExitCode> {
    let first = arguments.first()?;
    let line = parse(first);
    let is_line = if first.trim().contains(char::is_whitespace) {
        !matches!(line, Ok(UciCommand::Unknown(_)))
    } else {
        command().find_subcommand(first.trim()).is_none()
            && matches!(
                line,
                Ok(UciCommand::Message(
                    UciMessage::Uci
                        | UciMessage::IsReady
                        | UciMessage::UciNewGame
                        | UciMessage::Stop
                        | UciMessage::Quit
                ) | UciCommand::Go(_)
                    | UciCommand::Display
                    | UciCommand::Flip
                    | UciCommand::Compiler)
            )
    };
    is_line.then(|| uci::run_lines(arguments))
}
