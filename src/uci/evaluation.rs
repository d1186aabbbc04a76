//! The text of `eval`, for the UCI command and for `brisance eval`.
//! Invariant: all totals are from White's point of view.

use std::fmt::Write as _;

use crate::engine::Engine;
use crate::eval::hce::{self, Trace};
use crate::eval::score;
use crate::eval::wdl::{DisplayScore, WdlModel};

/// The handcrafted terms as a table and the evaluation that the search uses, in internal units. The
/// position needs both kings.
pub(crate) fn text(engine: &Engine) -> String {
    let pos = engine.position();
    let source = match engine.net() {
        Some(net) => format!("network ({})", net.description()),
        None => "handcrafted terms".to_owned(),
    };
    let total = match engine.evaluate() {
        None => "none, the king is in check".to_owned(),
        Some(value) => {
            let value = score::relative_to(value, pos.side_to_move());
            let score = match WdlModel::for_position(pos).display_score(value) {
                DisplayScore::Mate(moves) => format!("mate {moves}"),
                score => format!("{score:+}"),
            };
            format!("{value:+} from White's view, a score of {score}")
        }
    };
    let terms = table(&hce::trace(pos));
    format!("{terms}\nstatic evaluation {total}, by the {source}")
}

fn table(trace: &Trace) -> String {
    const WIDTH: usize = 20;
    let mut text =
        format!("{:WIDTH$}{:^15}  {:^15}  {:>9}\n{:WIDTH$}", "", "White", "Black", "total", "term");
    text.push_str(&["midgame endgame"; 2].join("  "));
    for term in &trace.terms {
        let _ = write!(text, "\n{:WIDTH$}", term.name);
        for side in term.by_color {
            let _ = write!(text, "{:>7} {:>7}  ", side.mg, side.eg);
        }
        let _ = write!(text, "{:>+9}", term.total(trace.phase));
    }
    let _ = write!(
        text,
        "\n\n{:WIDTH$}{} of 256 (256: all pieces)\n{:WIDTH$}{} of 256 (below 256: drawish)\
         \n{:WIDTH$}{:+} from White's view\n",
        "phase", trace.phase, "scale", trace.scale, "handcrafted", trace.total
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::hce::{TaperedScore, TraceTerm};

    #[test]
    fn the_table_lists_every_term() {
        let text = table(&Trace {
            terms: vec![TraceTerm {
                name: "king ring pressure",
                by_color: [TaperedScore { mg: 100, eg: 20 }, TaperedScore { mg: 40, eg: -10 }],
            }],
            phase: 128,
            scale: 256,
            total: 45,
        });
        let row = text.lines().find(|line| line.starts_with("king ring"));
        let numbers: Vec<&str> = row.unwrap().split_whitespace().skip(3).collect();
        assert_eq!(numbers, ["100", "20", "40", "-10", "+45"]);
        assert!(text.contains("+45 from"));
    }
}
