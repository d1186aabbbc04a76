//! `brisance eval`: the static evaluation of a position, the network's and the handcrafted one
//! term by term.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;

use super::args::EvalChoice;
use super::board::{self, Style};
use super::{Error, PositionArgs, view};
use crate::engine::{Engine, Settings};
use crate::eval;
use crate::eval::hce::{self, Trace, TraceTerm};
use crate::eval::wdl::Scale;
use crate::rules::{Color, Position};

/// Show the static evaluation of a position: the network's, and the handcrafted one term by
/// term.
///
/// All values are in internal units; the network's is also shown as the score that a search
/// would print. The search uses the network's value. Each handcrafted term has a midgame and
/// an endgame value for each side; the totals mix the two by the phase of the game and are
/// from White's view.
#[derive(Args, Debug)]
pub struct EvalArgs {
    #[command(flatten)]
    position: PositionArgs,

    #[command(flatten)]
    eval: EvalChoice,

    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
}

/// Evaluates and prints.
///
/// # Errors
/// A bad FEN or network, a position without one of the kings, or a closed stdout.
pub fn run(args: &EvalArgs) -> Result<(), Error> {
    let pos = args.position.position()?;
    if !eval::is_evaluable(&pos)
        && let Some(outcome) = pos.outcome()
    {
        let text = format!("nothing to evaluate, the game is over: {outcome}");
        return Err(Error::Failed(text));
    }
    let fen = args.position.spelling(&pos).fen(&pos);
    let settings = args.eval.apply(Settings::default());
    let engine = Engine::with_settings(settings).map_err(Error::Failed)?;
    let network = engine.net().map(|net| Network {
        description: net.description().to_owned(),
        total: match pos.side() {
            Color::White => eval::evaluate(&pos, Some(net)),
            Color::Black => -eval::evaluate(&pos, Some(net)),
        },
    });
    let trace = hce::trace(&pos);
    let mut out = io::stdout().lock();
    if args.json {
        let json = serde_json::to_string(&Json::new(&pos, fen, &trace, network))
            .map_err(io::Error::from)?;
        writeln!(out, "{json}")?;
    } else {
        board::write(&mut out, &pos, Style::of_stdout())?;
        writeln!(out, "\n{fen}\n")?;
        write_table(&mut out, &trace)?;
        if let Some(network) = network {
            let Network { description, total } = network;
            let score = view::score_text(Scale::of(&pos).shown(total));
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
        let [white, black] = term.sides;
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

/// A term's share in the total from White's view, before scaling.
fn tapered(term: &TraceTerm, phase: i32) -> i32 {
    let [white, black] = term.sides;
    let difference = white - black;
    (difference.mg * phase + difference.eg * (256 - phase)) / 256
}

/// The network's value from White's view.
#[derive(Serialize)]
struct Network {
    description: String,
    total: i32,
}

#[derive(Serialize)]
struct Json<'a> {
    fen: String,
    variant: &'static str,
    terms: Vec<JsonTerm<'a>>,
    phase: i32,
    scale: i32,
    total: i32,
    network: Option<Network>,
}

#[derive(Serialize)]
struct JsonTerm<'a> {
    name: &'a str,
    white: [i32; 2],
    black: [i32; 2],
    total: i32,
}

impl<'a> Json<'a> {
    fn new(pos: &Position, fen: String, trace: &'a Trace, network: Option<Network>) -> Json<'a> {
        let terms = trace.terms.iter().map(|term| JsonTerm {
            name: term.name,
            white: term.sides[0].into(),
            black: term.sides[1].into(),
            total: tapered(term, trace.phase),
        });
        Json {
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
    use crate::eval::hce::Pair;

    fn example() -> Trace {
        Trace {
            terms: vec![TraceTerm {
                name: "king ring pressure",
                sides: [Pair { mg: 100, eg: 20 }, Pair { mg: 40, eg: -10 }],
            }],
            phase: 128,
            scale: 256,
            total: 45,
        }
    }

    #[test]
    fn the_table_shows_every_term() {
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
