//! The command line: one file per subcommand; without a subcommand a UCI session.
//! Invariant: results go to stdout, errors and warnings to stderr; a closed stdout pipe ends the
//! command silently.

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
mod manual;
mod openings;
mod output;
mod perft;
mod pgn_faults;
mod progress;
mod puzzles;
mod show;
mod solve;
#[cfg(feature = "tune")]
mod spsa;
mod standings;
mod view;
mod wrap;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::uci;
use crate::uci::parse::{UciCommand, parse};
use crate::util::shorten_message;

pub use error::CliError;

/// Brisance, an atomic chess engine.
///
/// Without arguments it runs a UCI session on stdin and stdout; GUIs start it this way.
/// Quoted UCI commands as arguments are executed in order.
#[derive(Debug, Parser)]
#[command(version = env!("BRISANCE_VERSION"), after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<CliCommand>,
}

const EXAMPLES: &str = "\
Examples:
  brisance                                     run a UCI session
  brisance analyse                             analyse the start position for 10 seconds
  brisance analyse --moves e4 e5 Nf3 --depth 12
  brisance analyse game.pgn --html game.html
  brisance show --moves e4 e5 Nf3 --svg board.svg
  brisance perft 5 --divide
  brisance 'genfens 10 seed 1 book None' quit
  brisance solve b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1
  brisance eval 4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1

Exit codes: 0 success, 1 failure, 2 invalid arguments.";

#[derive(Debug, Subcommand)]
enum CliCommand {
    Analyse(analyse::AnalyseArgs),
    Perft(perft::PerftArgs),
    Bench(bench::BenchArgs),
    Eval(eval::EvalArgs),
    Show(show::ShowArgs),
    Solve(Box<solve::SolveArgs>),
    Match(Box<arena::MatchArgs>),
    Book(book::BookArgs),
    Openings(openings::OpeningsArgs),
    Datagen(datagen::DatagenArgs),
    Data(data::DataArgs),
    Puzzles(Box<puzzles::PuzzlesArgs>),
    #[cfg(feature = "tune")]
    Spsa(spsa::SpsaArgs),
    Completions(manual::CompletionsArgs),
    Man(manual::ManArgs),
}

/// Parses the arguments of the process. Help, version and errors are printed; the exit code is
/// that of the process.
///
/// # Errors
/// The exit code, if there is no command to run.
pub fn parse_arguments() -> Result<Cli, ExitCode> {
    const MAX_ERROR: usize = 4000;
    Cli::try_parse().map_err(|error| {
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
    })
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
        Some(CliCommand::Completions(args)) => manual::completions(args, Cli::command()),
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
        Cli::command().find_subcommand(first.trim()).is_none()
            && matches!(
                line,
                Ok(UciCommand::Uci
                    | UciCommand::IsReady
                    | UciCommand::UciNewGame
                    | UciCommand::Go(_)
                    | UciCommand::Stop
                    | UciCommand::Quit
                    | UciCommand::Display
                    | UciCommand::Flip
                    | UciCommand::Compiler)
            )
    };
    is_line.then(|| uci::run_lines(arguments))
}
