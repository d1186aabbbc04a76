//! What the opening book and the refutation book say about a position.
//! Invariant: each forced win has been replayed against every reply.

use brisance::notation::{coord, san};
use brisance::opening::{Book, Refutation, Refutations, WEIGHT_HALVING};
use brisance::rules::Position;
use serde_json::{Value, json};

use crate::request::{PositionSpec, Reply};

/// The moves of a book. The weights of our own one tell how far each move is behind the best.
pub fn book(book: &Book, is_ours: bool, spec: &PositionSpec) -> Reply {
    let pos = spec.position()?;
    let chess960 = pos.needs_chess960();
    let moves = book.moves(&pos);
    let weights = || moves.iter().map(|entry| f64::from(entry.weight));
    let (sum, best) = (weights().sum::<f64>(), weights().fold(1.0, f64::max));
    let moves = moves.iter().map(|entry| {
        let weight = f64::from(entry.weight);
        let behind = (WEIGHT_HALVING * (best / weight.max(1.0)).log2()).round();
        json!({
            "uci": coord::write(entry.mv, chess960),
            "san": san::write(&pos, entry.mv),
            "weight": entry.weight,
            "share": weight / sum.max(1.0),
            "behind": is_ours.then_some(behind),
        })
    });
    Ok(json!({ "moves": moves.collect::<Vec<_>>() }))
}

/// The forced win of the side to move, and its moves that lose by force.
pub fn refutations(spec: &PositionSpec) -> Reply {
    let pos = spec.position()?;
    let win = forced_win(&pos).map(|win| win_json(&pos, &win));
    Ok(json!({ "win": win, "losing": losing_moves(&pos) }))
}

fn forced_win(pos: &Position) -> Option<Refutation> {
    let is_open = pos.outcome().is_none();
    is_open.then(|| Refutations::embedded().find(pos)).flatten()
}

fn losing_moves(pos: &Position) -> Vec<Value> {
    if pos.outcome().is_some() {
        return Vec::new();
    }
    let moves = pos.legal_moves();
    let losing = moves.iter().filter(|mv| !mv.is_redundant());
    let losing = losing.filter_map(|&mv| {
        let mut after = pos.clone();
        after.make(mv);
        let mut shown = win_json(&after, &forced_win(&after)?);
        shown["uci"] = coord::write(mv, pos.needs_chess960()).into();
        shown["san"] = san::write(pos, mv).into();
        Some(shown)
    });
    losing.collect()
}

fn win_json(pos: &Position, win: &Refutation) -> Value {
    let (line, chess960) = (&win.verified.line, pos.needs_chess960());
    let uci = line.iter().map(|&mv| coord::write(mv, chess960));
    json!({
        "moves": win.moves(),
        "line": uci.collect::<Vec<_>>(),
        "lineSan": san::write_line(pos, line),
    })
}
