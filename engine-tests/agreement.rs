//! The last report of a search, the best move and the result agree in depth, score and line,
//! however the search ends.

use brisance::engine::Engine;
use brisance::notation::fen;
use brisance::search::{Bound, Limits};

use crate::program::run;
use crate::searching::{depth, engine, move_time, nodes, report};
use crate::walk::position;

const FENS: [&str; 3] = [
    fen::STARTPOS,
    "r1b2bnr/pp1p1ppp/2n5/3kp3/3KP3/2N5/PPP2PPP/R1B2BNR w - - 0 9",
    "rnbqkb1r/ppp2pp1/3ppn1p/4Q3/8/4P3/PPPP1PPP/RNB1KBNR w KQkq - 0 5",
];

/// Compares the last exact report of the best line with the result.
fn check(engine: &mut Engine, fen: &str, limits: &Limits) {
    let (result, reports) = report(engine, &position(fen), limits);
    let mut infos = reports.infos().into_iter();
    let last = infos.rfind(|info| info.multipv == 1 && info.bound == Bound::Exact);
    let last = last.expect("a report");
    let context = format!("{limits:?} {:?}", engine.settings());
    assert_eq!(last.depth, result.depth(), "{context}");
    assert_eq!(last.value, result.value(), "{context}");
    assert_eq!(last.pv, result.pv(), "{context}");
    assert_eq!(last.pv.first().copied(), result.best_move(), "{context}");
    if let Some(reply) = last.pv.get(1) {
        assert_eq!(Some(*reply), result.ponder_move, "{context}");
    }
}

#[test]
fn the_last_report_is_the_result() {
    let full =
        [(1, 1), (1, 3), (2, 1), (4, 1), (3, 2)].map(|(threads, lines)| (threads, lines, 20));
    let weaker = [0, 2, 5, 12].map(|skill| (1, 1, skill));
    for (threads, multipv, skill) in full.into_iter().chain(weaker) {
        let mut engine = engine(|settings| {
            settings.threads = threads;
            settings.multipv = multipv;
            settings.skill = skill;
        });
        for fen in FENS {
            // Limits that end the search in the middle of an iteration, and at its end.
            for limit in [1, 50, 333, 1000, 2345, 4000, 7777, 12_345, 20_000] {
                engine.seed_level(limit);
                check(&mut engine, fen, &nodes(limit));
            }
            check(&mut engine, fen, &depth(5));
            check(&mut engine, fen, &move_time(15));
        }
    }
}

#[test]
fn the_json_result_is_the_last_info() {
    for nodes in ["700", "3000", "9999", "25000"] {
        for more in ["--threads 1", "--threads 3", "--multipv 3"] {
            let lines = run(&format!("analyse --json --nodes {nodes} {more}")).json();
            let (result, infos) = lines.split_last().expect("a result");
            let mut infos = infos.iter().rev();
            let last = infos.find(|info| info["multipv"] == 1).expect("an info");
            for field in ["depth", "score", "pv", "pv_san"] {
                assert_eq!(result[field], last[field], "{nodes} {more} {field}");
            }
            assert_eq!(result["bestmove"]["uci"], last["pv"][0]);
        }
    }
}
