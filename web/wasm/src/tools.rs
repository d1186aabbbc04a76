//! Levels, probabilities, Chess960, the solver, judgements and tablebases.
//! Invariant: only `solve` searches, and its nodes are limited.

use brisance::engine::Level;
use brisance::eval::nnue::Network;
use brisance::eval::score::Value as Score;
use brisance::eval::wdl::{DisplayScore, WdlModel};
use brisance::eval::{self, MoveMark, ScoredPosition};
use brisance::notation::{coord, san};
use brisance::proof::{NullListener, ProofVerdict, Solver};
use brisance::rules::Color;
use brisance::tablebase::Tablebase;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::position::fen_text;
use crate::request::{self, PositionSpec, Reply, RequestError, VariantName, parse_move};

/// The names of the levels; each holds for the skills from its number to that of the next.
const LEVEL_NAMES: [(u8, &str); 7] = [
    (0, "Beginner"),
    (4, "Novice"),
    (7, "Casual player"),
    (10, "Club player"),
    (13, "Strong player"),
    (16, "Master"),
    (20, "Full strength"),
];

pub fn levels() -> Value {
    let level = |skill: u8| {
        let name = LEVEL_NAMES.iter().rev().find(|(first, _)| *first <= skill);
        let level = Level::from_skill(skill);
        json!({
            "skill": skill,
            "name": name.map(|(_, name)| name),
            "elo": level.map(Level::elo),
            "nodes": level.map(Level::nodes),
        })
    };
    json!({
        "levels": (0..=Level::FULL).map(level).collect::<Vec<_>>(),
        "minElo": Level::MIN_ELO,
        "maxElo": Level::MAX_ELO,
    })
}

/// A score as UCI reports it, from the point of view of the side to move.
#[derive(Deserialize, Clone, Copy)]
struct UciScore {
    cp: Option<f64>,
    mate: Option<i32>,
}

impl UciScore {
    /// The internal value in a position with this model.
    fn value(self, model: WdlModel) -> Result<Score, RequestError> {
        match (self.cp, self.mate) {
            (Some(cp), None) => Ok(model.value_of(DisplayScore::Centipawns(cp.round() as i32))),
            (None, Some(moves)) => Ok(model.value_of(DisplayScore::Mate(moves))),
            _ => Err(RequestError::new("a score needs either cp or mate")),
        }
    }
}

#[derive(Deserialize)]
pub struct WdlRequest {
    #[serde(flatten)]
    position: PositionSpec,
    #[serde(flatten)]
    score: UciScore,
}

pub fn wdl(request: &WdlRequest) -> Reply {
    let model = WdlModel::for_position(&request.position.position()?);
    let value = request.score.value(model)?;
    let [win, draw, loss] = model.wdl(value);
    let expected = model.expected_score(value);
    Ok(json!({ "win": win, "draw": draw, "loss": loss, "expected": expected }))
}

#[derive(Deserialize)]
pub struct Chess960Request {
    number: Option<u16>,
    #[serde(default)]
    variant: VariantName,
}

pub fn chess960(request: &Chess960Request) -> Reply {
    let number = request.number.unwrap_or_else(|| fastrand::u16(0..960));
    let pos = request::chess960_start(number, request.variant.0)?;
    Ok(json!({ "number": number, "fen": fen_text(&pos) }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SolveRequest {
    #[serde(flatten)]
    position: PositionSpec,
    attacker: Option<ColorName>,
    #[serde(default = "default_solver_nodes")]
    max_nodes: u64,
    max_moves: Option<u16>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum ColorName {
    White,
    Black,
}

const fn default_solver_nodes() -> u64 {
    200_000
}

pub fn solve(request: &SolveRequest) -> Reply {
    let pos = request.position.position()?;
    let attacker = match request.attacker {
        Some(ColorName::White) => Color::White,
        Some(ColorName::Black) => Color::Black,
        None => pos.side_to_move(),
    };
    let solver = Solver {
        max_nodes: Some(request.max_nodes),
        max_moves: request.max_moves.map(|moves| moves.min(Solver::MAX_MOVES)),
        ..Solver::new(attacker)
    };
    let result = solver.solve(&pos, &NullListener);
    let result = result.map_err(RequestError::new)?;
    let nodes = result.nodes;
    let ProofVerdict::Proved(proved) = result.verdict else {
        let is_disproved = matches!(result.verdict, ProofVerdict::Disproved);
        let verdict = if is_disproved { "disproved" } else { "unknown" };
        return Ok(json!({ "verdict": verdict, "nodes": nodes }));
    };
    let line = &proved.1.line;
    let chess960 = pos.needs_chess960();
    let uci: Vec<String> = line.iter().map(|&mv| coord::write(mv, chess960)).collect();
    Ok(json!({
        "verdict": "proved",
        "moves": proved.1.plies.div_ceil(2),
        "plies": proved.1.plies,
        "line": uci,
        "san": san::write_line(&pos, line),
        "nodes": nodes,
    }))
}

#[derive(Deserialize)]
pub struct JudgeRequest {
    #[serde(flatten)]
    position: PositionSpec,
    /// The evaluations of all positions of the game, one more than moves.
    evals: Vec<Evaluation>,
}

#[derive(Deserialize)]
struct Evaluation {
    #[serde(flatten)]
    score: UciScore,
    /// The best move.
    best: Option<String>,
}

/// Judges the moves of a game as `brisance analyse` does.
pub fn judge(request: &JudgeRequest) -> Reply {
    let (start, moves) = request.position.moves()?;
    let mut pos = start.clone();
    if request.evals.len() != moves.len() + 1 {
        let text = format!(
            "{} evaluations for {} moves, expected {}",
            request.evals.len(),
            moves.len(),
            moves.len() + 1
        );
        return Err(RequestError::new(text));
    }
    let mut scores = Vec::with_capacity(request.evals.len());
    for (index, eval) in request.evals.iter().enumerate() {
        let best = eval.best.as_deref();
        scores.push(ScoredPosition {
            value: eval.score.value(WdlModel::for_position(&pos))?,
            best: best.and_then(|best| parse_move(&pos, best).ok()),
        });
        if let Some(&mv) = moves.get(index) {
            pos.make(mv);
        }
    }
    let judged = eval::judge(&start, &moves, &scores);
    let shown = judged.moves.iter().map(|mv| {
        json!({
            "before": mv.before,
            "after": mv.after,
            "loss": mv.loss,
            "mark": mv.mark.map(MoveMark::glyph),
            "name": mv.mark.map(MoveMark::name),
            "nag": mv.mark.map(MoveMark::glyph_number),
        })
    });
    Ok(json!({
        "moves": shown.collect::<Vec<_>>(),
        "accuracy": {
            "white": judged.accuracy(Color::White),
            "black": judged.accuracy(Color::Black),
        },
    }))
}

pub fn tablebase(tables: Option<&Tablebase>, spec: &PositionSpec) -> Reply {
    let pos = spec.position()?;
    let found = tables.and_then(|tables| Some((tables, tables.wdl(&pos)?)));
    let Some((tables, wdl)) = found else {
        return Ok(json!({ "available": false }));
    };
    let chess960 = pos.needs_chess960();
    let mut moves = Vec::new();
    for mv in pos.legal_moves() {
        let (uci, san) = (coord::write(mv, chess960), san::write(&pos, mv));
        let mut after = pos.clone();
        after.make(mv);
        moves.push(json!({
            "uci": uci,
            "san": san,
            "wdl": tables.wdl(&after).map(|wdl| (-wdl).value()),
            "dtz": tables.dtz(&after).map(|dtz| -dtz),
        }));
    }
    Ok(json!({
        "available": true,
        "wdl": wdl.value(),
        "dtz": tables.dtz(&pos),
        "moves": moves,
    }))
}

pub fn version() -> Value {
    json!({
        "name": "Brisance",
        "version": env!("CARGO_PKG_VERSION"),
        "network": Network::embedded().ok().map(|net| net.description().to_owned()),
    })
}
