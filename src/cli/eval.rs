//! `brisance eval`: prints the static evaluation of a position, by the network and by the
//! handcrafted terms.
//! Invariant: all totals are from White's point of view, in internal units.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;

use super::CliError;
use super::args::EvalSourceArgs;
use super::args::PositionArgs;
use super::board::{self, BoardStyle};
use crate::engine::{Engine, Settings};
use crate::eval::hce::{self, Trace};
use crate::eval::{self, score};
use crate::rules::Position;
use crate::uci::evaluation;

/// Print the static evaluation of a position: network and handcrafted terms.
///
/// The search uses the network's value. Values are in internal units; the network's value is also
/// printed as the score that a search would show. Each handcrafted term has a midgame and an
/// endgame value for each side; the totals interpolate between the two by game phase and are from
/// White's view.
#[derive(Args, Debug)]
pub struct EvalArgs {
    #[command(flatten)]
    position: PositionArgs,

    #[command(flatten)]
    eval: EvalSourceArgs,

    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// An invalid FEN or network file, a finished game, or a closed stdout.
pub fn run(args: &EvalArgs) -> Result<(), CliError> {
    let pos = args.position.position()?;
    if !eval::has_both_kings(&pos)
        && let Some(outcome) = pos.outcome()
    {
        let text = format!("no evaluation: the game is over: {outcome}");
        return Err(CliError::Failed(text));
    }
    let fen = args.position.notation(&pos).fen(&pos);
    let settings = args.eval.apply(Settings::default());
    let mut engine = Engine::with_settings(settings)?;
    engine.set_position(pos.clone());
    let network = engine.net().map(|net| JsonNetwork {
        description: net.description().to_owned(),
        total: score::relative_to(eval::evaluate(&pos, Some(net)), pos.side_to_move()),
    });
    let mut out = io::stdout().lock();
    if args.json {
        let json = serde_json::to_string(&JsonEval::new(&pos, fen, &hce::trace(&pos), network))
            .map_err(io::Error::from)?;
        writeln!(out, "{json}")?;
    } else {
        board::write_board(&mut out, &pos, BoardStyle::for_stdout())?;
        writeln!(out, "\n{fen}\n\n{}", evaluation::text(&engine))?;
    }
    Ok(())
}

/// The network's value from White's point of view.
#[derive(Serialize)]
struct JsonNetwork {
    description: String,
    total: i32,
}

#[derive(Serialize)]
struct JsonEval<'a> {
    fen: String,
    variant: &'static str,
    terms: Vec<JsonTerm<'a>>,
    phase: i32,
    scale: i32,
    total: i32,
    network: Option<JsonNetwork>,
}

#[derive(Serialize)]
struct JsonTerm<'a> {
    name: &'a str,
    white: [i32; 2],
    black: [i32; 2],
    total: i32,
}

impl<'a> JsonEval<'a> {
    fn new(
        pos: &Position,
        fen: String,
        trace: &'a Trace,
        network: Option<JsonNetwork>,
    ) -> JsonEval<'a> {
        let terms = trace.terms.iter().map(|term| JsonTerm {
            name: term.name,
            white: term.by_color[0].into(),
            black: term.by_color[1].into(),
            total: evaluation::tapered(term, trace.phase),
        });
        JsonEval {
            fen,
            variant: pos.variant().name(),
            terms: terms.collect(),
            phase: trace.phase,
            scale: trace.scale,
            total: trace.total,
            network,
        }
    }
}
