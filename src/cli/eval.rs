//! `brisance eval`: prints the static evaluation of a position, by the network and by the
//! handcrafted terms.
//! Invariant: all totals are from White's point of view, in internal units.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;

use super::args::EvalSourceArgs;
use super::args::PositionArgs;
use super::board::{self, BoardStyle};
use super::{CliError, view};
use crate::engine::{Engine, Settings};
use crate::eval;
use crate::eval::hce::{self, Trace, TraceTerm};
use crate::eval::wdl::WdlModel;
use crate::rules::{Color, Position};

/// Print the static evaluation of a position: network and handcrafted terms.
///
/// The search uses the network's value. Values are in internal units; the network's value is also
/// printed as the score that a search would show. Each handcrafted term has a midgame and an
/// endgame value for each side; the totals interpolate between the two by game phase and are from
/// White's view.
#[derive(Args, Debug)]
pub(crate) struct EvalArgs {
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
pub(crate) fn run(args: &EvalArgs) -> Result<(), CliError> {
    let pos = args.position.position()?;
    if !eval::has_both_kings(&pos)
        && let Some(outcome) = pos.outcome()
    {
        let text = format!("no evaluation: the game is over: {outcome}");
        return Err(CliError::Failed(text));
    }
    let fen = args.position.notation(&pos).fen(&pos);
    let settings = args.eval.apply(Settings::default());
    let engine = Engine::with_settings(settings)?;
    let network = engine.net().map(|net| JsonNetwork {
        description: net.description().to_owned(),
        total: match pos.side_to_move() {
            Color::White => eval::evaluate(&pos, Some(net)),
            Color::Black => -eval::evaluate(&pos, Some(net)),
        },
    });
    let trace = hce::trace(&pos);
    let mut out = io::stdout().lock();
    if args.json {
        let json = serde_json::to_string(&JsonEval::new(&pos, fen, &trace, network))
            .map_err(io::Error::from)?;
        writeln!(out, "{json}")?;
    } else {
        board::write_board(&mut out, &pos, BoardStyle::for_stdout())?;
        writeln!(out, "\n{fen}\n")?;
        write_table(&mut out, &trace)?;
        if let Some(network) = network {
            let JsonNetwork { description, total } = network;
            let score = view::score_text(WdlModel::for_position(&pos).display_score(total));
            writeln!(
                out,
                "\nnetwork {total:+} from White's view, a score of {score} ({description})"
            )?;
        }
    }
    Ok(())
}

fn write_table(out: &mut dyn Write, trace: &Trace) -> io::Result<()> {
    let widest = trace.terms.iter().map(|term| term.name.len()).max();
    let width = widest.unwrap_or(0).max("handcrafted".len());
    let total_width = 9;
    writeln!(
        out,
        "{:width$}  {:^15}  {:^15}  {:>total_width$}",
        "", "White", "Black", "total"
    )?;
    writeln!(
        out,
        "{:width$}  {:>7} {:>7}  {:>7} {:>7}",
        "term", "midgame", "endgame", "midgame", "endgame"
    )?;
    for term in &trace.terms {
        let [white, black] = term.by_color;
        writeln!(
            out,
            "{:width$}  {:>7} {:>7}  {:>7} {:>7}  {:>+total_width$}",
            term.name,
            white.mg,
            white.eg,
            black.mg,
            black.eg,
            tapered(term, trace.phase)
        )?;
    }
    writeln!(out)?;
    writeln!(
        out,
        "{:width$}  {} of 256 (256: all pieces)",
        "phase", trace.phase
    )?;
    writeln!(
        out,
        "{:width$}  {} of 256 (below 256: drawish)",
        "scale", trace.scale
    )?;
    writeln!(
        out,
        "{:width$}  {:+} from White's view",
        "handcrafted", trace.total
    )
}

/// The tapered value of a term from White's point of view, before scaling.
fn tapered(term: &TraceTerm, phase: i32) -> i32 {
    let [white, black] = term.by_color;
    let difference = white - black;
    (difference.mg * phase + difference.eg * (256 - phase)) / 256
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
            total: tapered(term, trace.phase),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::hce::TaperedScore;

    fn example() -> Trace {
        Trace {
            terms: vec![TraceTerm {
                name: "king ring pressure",
                by_color: [
                    TaperedScore { mg: 100, eg: 20 },
                    TaperedScore { mg: 40, eg: -10 },
                ],
            }],
            phase: 128,
            scale: 256,
            total: 45,
        }
    }

    #[test]
    fn the_table_lists_every_term() {
        let mut out = Vec::new();
        write_table(&mut out, &example()).unwrap();
        let text = String::from_utf8(out).unwrap();
        let row = text
            .lines()
            .find(|line| line.starts_with("king ring"))
            .unwrap();
        let numbers: Vec<&str> = row.split_whitespace().skip(3).collect();
        assert_eq!(numbers, ["100", "20", "40", "-10", "+45"]);
        assert!(text.contains("+45 from"));
    }
}
