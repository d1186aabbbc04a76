//! `brisance eval`: prints the static evaluation of a position, by the network and by the
//! handcrafted terms.
//! Invariant: all totals are from White's point of view, in internal units.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;

use super::{BoardStyle, CliError, EvalSourceArgs, PositionArgs, board, failed, print_json};
use crate::engine::{Engine, Settings};
use crate::eval;
use crate::eval::hce;
use crate::eval::score::relative_to;
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

pub fn run(args: &EvalArgs) -> Result<(), CliError> {
    let pos = args.position.position()?;
    if !eval::has_both_kings(&pos)
        && let Some(outcome) = pos.outcome()
    {
        return failed(format!("no evaluation: the game is over: {outcome}"));
    }
    let fen = args.position.style(&pos).fen();
    let mut engine = Engine::with_settings(args.eval.apply(Settings::default()))?;
    engine.set_position(pos.clone());
    if args.json {
        return Ok(print_json(&JsonEval::new(&engine, fen))?);
    }
    let mut out = io::stdout().lock();
    board::write_board(&mut out, &pos, BoardStyle::for_stdout())?;
    writeln!(out, "\n{fen}\n\n{}", evaluation::text(&engine))?;
    Ok(())
}

#[derive(Serialize)]
struct JsonEval {
    fen: String,
    variant: &'static str,
    terms: Vec<JsonTerm>,
    phase: i32,
    scale: i32,
    total: i32,
    network: Option<JsonNetwork>,
}

#[derive(Serialize)]
struct JsonTerm {
    name: &'static str,
    white: [i32; 2],
    black: [i32; 2],
    total: i32,
}

/// The network's value from White's point of view.
#[derive(Serialize)]
struct JsonNetwork {
    description: String,
    total: i32,
}

impl JsonEval {
    fn new(engine: &Engine, fen: String) -> JsonEval {
        let pos = engine.position();
        let trace = hce::trace(pos);
        let terms = trace.terms.iter().map(|term| JsonTerm {
            name: term.name,
            white: term.by_color[0].into(),
            black: term.by_color[1].into(),
            total: term.total(trace.phase),
        });
        JsonEval {
            fen,
            variant: pos.variant().name(),
            terms: terms.collect(),
            phase: trace.phase,
            scale: trace.scale,
            total: trace.total,
            network: engine.net().map(|net| JsonNetwork {
                description: net.description().to_owned(),
                total: relative_to(eval::evaluate(pos, Some(net)), pos.side_to_move()),
            }),
        }
    }
}
