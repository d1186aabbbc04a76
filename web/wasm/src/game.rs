//! FEN, SAN, lines and PGN.
//! Invariant: what `pgn_read` returns, `pgn_write` accepts.

use brisance::notation::fen::STARTPOS;
use brisance::notation::pgn::{
    NumberedGame, PgnError, PgnGame, PgnLine, PgnMove, PgnReader, variant_from_tag, variant_tag,
};
use brisance::notation::{coord, san};
use brisance::rules::{Color, GameResult, Position, Variant};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::position::fen_text;
use crate::request::{
    PositionSpec, Reply, RequestError, VariantName, color_name, parse_move, read_fen,
};

#[derive(Deserialize)]
pub struct FenRequest {
    fen: String,
    #[serde(default)]
    variant: VariantName,
}

pub fn fen(request: &FenRequest) -> Reply {
    let (pos, warnings) = read_fen(&request.fen, request.variant.0)?;
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    Ok(json!({
        "warnings": warnings,
        "fen": fen_text(&pos),
        "turn": color_name(pos.side_to_move()),
        "chess960": pos.needs_chess960(),
    }))
}

#[derive(Deserialize)]
pub struct SanRequest {
    #[serde(flatten)]
    position: PositionSpec,
    #[serde(rename = "move")]
    text: String,
}

pub fn san(request: &SanRequest) -> Reply {
    let mut pos = request.position.position()?;
    let chess960 = pos.needs_chess960();
    let mv = parse_move(&pos, &request.text)?;
    let (uci, san) = (coord::write(mv, chess960), san::write(&pos, mv));
    pos.make(mv);
    Ok(json!({ "uci": uci, "san": san, "fen": fen_text(&pos) }))
}

#[derive(Deserialize)]
pub struct LineRequest {
    #[serde(flatten)]
    position: PositionSpec,
    line: Vec<String>,
}

/// The SAN of a line, up to its first illegal move.
pub fn line(request: &LineRequest) -> Reply {
    let mut pos = request.position.position()?;
    let (mut names, mut fens, mut words) = (Vec::new(), Vec::new(), Vec::new());
    for text in &request.line {
        let Ok(mv) = parse_move(&pos, text) else {
            break;
        };
        match pos.side_to_move() {
            Color::White => words.push(format!("{}.", pos.fullmove_number())),
            Color::Black if words.is_empty() => words.push(format!("{}...", pos.fullmove_number())),
            Color::Black => {}
        }
        let name = san::write(&pos, mv);
        words.push(name.clone());
        names.push(name);
        pos.make(mv);
        fens.push(fen_text(&pos));
    }
    let count = names.len();
    Ok(json!({ "san": names, "text": words.join(" "), "fens": fens, "legal": count }))
}

#[derive(Deserialize)]
pub struct PgnReadRequest {
    text: String,
    /// The variant of all games; by default each game names its own.
    variant: Option<VariantName>,
}

pub fn pgn_read(request: &PgnReadRequest) -> Value {
    let variant = request.variant.map(|name| name.0);
    let (mut games, mut errors) = (Vec::new(), Vec::new());
    for item in PgnReader::new(request.text.as_bytes(), variant) {
        let numbered = match item {
            Ok(numbered) => Some(numbered),
            Err(PgnError::Game(mut error)) => {
                let kept = error.kept.take();
                errors.push(error.to_string());
                kept
            }
            Err(PgnError::Io(error)) => {
                errors.push(error.to_string());
                break;
            }
        };
        games.extend(numbered.map(|numbered| game_json(&numbered)));
    }
    json!({ "games": games, "errors": errors })
}

fn game_json(numbered: &NumberedGame) -> Value {
    let game = &numbered.game;
    let chess960 = game.start.needs_chess960();
    json!({
        "number": numbered.number,
        "tags": game.tags,
        "variant": game.start.variant().name(),
        "chess960": chess960,
        "startFen": fen_text(&game.start),
        "result": game.result_str(),
        "comments": game.main_line.comments,
        "moves": nodes(&game.start, &game.main_line, chess960),
        "warnings": numbered.warnings,
    })
}

fn nodes(start: &Position, line: &PgnLine, chess960: bool) -> Vec<Value> {
    let mut pos = start.clone();
    let node = |played: &PgnMove| {
        let variations: Vec<Value> = played
            .variations
            .iter()
            .map(|line| json!({ "comments": line.comments, "moves": nodes(&pos, line, chess960) }))
            .collect();
        let (uci, san) = (coord::write(played.mv, chess960), san::write(&pos, played.mv));
        pos.make(played.mv);
        json!({
            "uci": uci,
            "san": san,
            "fen": fen_text(&pos),
            "nags": played.nags,
            "comments": played.comments,
            "variations": variations,
        })
    };
    line.moves.iter().map(node).collect()
}

#[derive(Deserialize)]
pub struct PgnWriteRequest {
    #[serde(default)]
    tags: Vec<(String, String)>,
    variant: Option<VariantName>,
    fen: Option<String>,
    #[serde(flatten)]
    line: LineSpec,
    #[serde(default)]
    result: String,
}

#[derive(Deserialize)]
struct LineSpec {
    #[serde(default)]
    comments: Vec<String>,
    #[serde(default)]
    moves: Vec<NodeSpec>,
}

#[derive(Deserialize)]
struct NodeSpec {
    uci: Option<String>,
    san: Option<String>,
    #[serde(default)]
    nags: Vec<u8>,
    #[serde(default)]
    comments: Vec<String>,
    #[serde(default)]
    variations: Vec<LineSpec>,
}

pub fn pgn_write(request: &PgnWriteRequest) -> Reply {
    let tag = |name: &str| {
        let found = request.tags.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    };
    let named = tag("Variant").and_then(variant_from_tag);
    let variant = request.variant.map(|name| name.0).or(named);
    let variant = variant.unwrap_or(Variant::Atomic);
    let start = match request.fen.as_deref().or(tag("FEN")) {
        Some(text) => read_fen(text, variant)?.0,
        None => Position::startpos(variant),
    };
    let result = match request.result.as_str() {
        "" | "*" => None,
        text => Some(
            text.parse::<GameResult>()
                .map_err(|error| RequestError::new(format!("result {text:?}: {error}")))?,
        ),
    };
    let mut game = PgnGame {
        tags: request.tags.clone(),
        main_line: read_line(&start, &request.line)?,
        start,
        result,
    };
    game.set_tag("Variant", variant_tag(variant));
    let fen = fen_text(&game.start);
    if fen != STARTPOS {
        game.set_tag("SetUp", "1");
        game.set_tag("FEN", fen);
    }
    game.set_tag("Result", game.result_str());
    Ok(json!({ "pgn": game.to_pgn() }))
}

fn read_line(start: &Position, spec: &LineSpec) -> Result<PgnLine, RequestError> {
    let mut pos = start.clone();
    let mut line =
        PgnLine { comments: spec.comments.clone(), moves: Vec::with_capacity(spec.moves.len()) };
    for node in &spec.moves {
        let text = node.uci.as_deref().or(node.san.as_deref());
        let text = text.ok_or_else(|| RequestError::new("a move has neither uci nor san"))?;
        let mv = parse_move(&pos, text)?;
        let variations = node.variations.iter().map(|line| read_line(&pos, line));
        line.moves.push(PgnMove {
            mv,
            nags: node.nags.clone(),
            comments: node.comments.clone(),
            variations: variations.collect::<Result<_, _>>()?,
        });
        pos.make(mv);
    }
    Ok(line)
}
