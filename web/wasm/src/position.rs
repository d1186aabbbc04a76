//! The description of a position: legal moves with their explosions, threats, the outcome.
//! Invariant: `dests` and `moves` contain the same legal moves.

use std::collections::BTreeMap;

use brisance::notation::fen::{self, CastlingStyle};
use brisance::notation::{coord, san};
use brisance::rules::{
    Bitboard, Castling, Color, Move, MoveKind, Outcome, OutcomeReason, Piece, PieceType, Position,
    Square, attacks,
};
use serde_json::{Value, json};

use crate::request::{PositionSpec, Reply, color_name};

/// The reply to `position`.
pub fn describe(spec: &PositionSpec) -> Reply {
    let (start, moves) = spec.moves()?;
    let chess960 = start.needs_chess960();
    let mut pos = start.clone();
    let mut history = Vec::with_capacity(moves.len());
    let mut last_move = Value::Null;
    for (index, &mv) in moves.iter().enumerate() {
        if index + 1 == moves.len() {
            last_move = move_json(&pos, mv, chess960);
        }
        let (uci, san) = (coord::write(mv, chess960), san::write(&pos, mv));
        pos.make(mv);
        history.push(json!({ "uci": uci, "san": san, "fen": fen_text(&pos) }));
    }
    let outcome = pos.outcome();
    let legal = match outcome {
        Some(_) => Default::default(),
        None => pos.legal_moves(),
    };
    let list: Vec<Value> = legal.iter().map(|&mv| move_json(&pos, mv, chess960)).collect();
    Ok(json!({
        "fen": fen_text(&pos),
        "variant": pos.variant().name(),
        "chess960": chess960,
        "startFen": fen_text(&start),
        "turn": color_name(pos.side_to_move()),
        "ply": pos.ply(),
        "fullmove": pos.fullmove_number(),
        "halfmoveClock": pos.halfmove_clock(),
        "key": format!("{:016x}", pos.key()),
        "legal": dests(&legal, chess960),
        "moves": list,
        "forbidden": if outcome.is_some() { Vec::new() } else { forbidden(&pos, &legal) },
        "check": pos.in_check(),
        "checkers": squares(pos.checkers()),
        "touchingKings": pos.kings_touch(),
        "outcome": outcome.map(outcome_json),
        "danger": Color::ALL.iter().flat_map(|&color| danger(&pos, color)).collect::<Vec<_>>(),
        "repetitions": pos.repetition_count(),
        "lastMove": last_move,
        "history": history,
    }))
}

pub fn fen_text(pos: &Position) -> String {
    fen::write(pos, CastlingStyle::XFen)
}

fn squares(set: Bitboard) -> Vec<String> {
    set.into_iter().map(|square| square.to_string()).collect()
}

pub fn role(piece_type: PieceType) -> &'static str {
    match piece_type {
        PieceType::Pawn => "pawn",
        PieceType::Knight => "knight",
        PieceType::Bishop => "bishop",
        PieceType::Rook => "rook",
        PieceType::Queen => "queen",
        PieceType::King => "king",
    }
}

/// The code of a reason, which pages translate.
fn reason_code(reason: OutcomeReason) -> &'static str {
    match reason {
        OutcomeReason::Explosion => "explosion",
        OutcomeReason::Checkmate => "checkmate",
        OutcomeReason::Stalemate => "stalemate",
        OutcomeReason::InsufficientMaterial => "insufficient-material",
        OutcomeReason::FiftyMoves => "fifty-moves",
        OutcomeReason::Repetition => "repetition",
    }
}

pub fn outcome_json(outcome: Outcome) -> Value {
    json!({
        "winner": outcome.result.winner().map(color_name),
        "result": outcome.result.as_str(),
        "reason": reason_code(outcome.reason),
        "text": capitalized(&outcome.to_string()),
    })
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// The destinations of each piece. Castling is listed with the target of the king, as long as no
/// ordinary move of the king goes there, and with the square of the rook.
fn dests(legal: &[Move], chess960: bool) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut add = |from: Square, to: String| {
        let found = all.entry(from.to_string()).or_default();
        if !found.contains(&to) {
            found.push(to);
        }
    };
    for mv in legal {
        add(mv.from(), mv.to().to_string());
        if mv.kind() == MoveKind::Castle && !chess960 {
            add(mv.from(), coord::write(*mv, false)[2..].to_owned());
        }
    }
    all
}

fn move_json(pos: &Position, mv: Move, chess960: bool) -> Value {
    let uci = coord::write(mv, chess960);
    let mut after = pos.clone();
    after.make(mv);
    let removed = after.last_change().map(|change| change.removed.clone());
    let removed = removed.filter(|_| mv.is_capture()).unwrap_or_default();
    let center = mv.is_capture().then(|| mv.to().to_string());
    let others = removed.iter().skip(1).map(|(_, square)| square.to_string());
    let mut explodes: Vec<String> = center.into_iter().collect();
    for square in others {
        if !explodes.contains(&square) {
            explodes.push(square);
        }
    }
    let castle = (mv.kind() == MoveKind::Castle).then(|| {
        let side = Castling::side_of(mv.from(), mv.to());
        let us = pos.side_to_move();
        let [king_to, rook_to] = [Castling::king_to(us, side), Castling::rook_to(us, side)];
        json!({
            "king": [mv.from().to_string(), king_to.to_string()],
            "rook": [mv.to().to_string(), rook_to.to_string()],
        })
    });
    json!({
        "san": san::write(pos, mv),
        "from": &uci[..2],
        "to": &uci[2..4],
        "promotion": mv.promotion().map(|piece_type| piece_type.letter().to_string()),
        "castle": castle,
        "enPassant": mv.kind() == MoveKind::EnPassant,
        "capture": mv.is_capture(),
        "check": after.in_check(),
        "explodes": explodes,
        "losses": removed.iter().map(|&(piece, square)| piece_json(piece, square)).collect::<Vec<_>>(),
        "explodesKing": pos.explodes_king(mv),
        "endsGame": after.outcome().map(|outcome| reason_code(outcome.reason)),
        "uci": uci,
    })
}

fn piece_json(piece: Piece, square: Square) -> Value {
    json!({
        "square": square.to_string(),
        "color": color_name(piece.color()),
        "role": role(piece.piece_type()),
    })
}

/// Moves that ordinary chess allows but the rules here do not, with the reason. Only pieces other
/// than pawns and captures of pawns are considered.
fn forbidden(pos: &Position, legal: &[Move]) -> Vec<Value> {
    let us = pos.side_to_move();
    let Some(king) = pos.king(us) else {
        return Vec::new();
    };
    let mut list = Vec::new();
    for from in pos.by_color(us) {
        let Some(piece_type) = pos.piece_at(from).map(Piece::piece_type) else {
            continue;
        };
        let mut targets = attacks::piece(piece_type, us, from, pos.occupied()) - pos.by_color(us);
        if piece_type == PieceType::Pawn {
            targets &= pos.by_color(!us);
        }
        for to in targets {
            if legal.iter().any(|mv| mv.from() == from && mv.to() == to) {
                continue;
            }
            let is_capture = pos.by_color(!us).contains(to);
            let reason = if is_capture && attacks::blast(to).contains(king) {
                "explodes your own king"
            } else if is_capture && from == king {
                "a king cannot capture"
            } else {
                "leaves your king in check"
            };
            let (from, to) = (from.to_string(), to.to_string());
            list.push(json!({ "from": from, "to": to, "reason": reason }));
        }
    }
    list
}

/// The pieces of `color` whose capture would explode its king but not the other one, each with the
/// enemy pieces that attack it.
fn danger(pos: &Position, color: Color) -> Vec<Value> {
    let Some(king) = pos.king(color) else {
        return Vec::new();
    };
    let enemy = !color;
    let mut enemies = pos.by_color(enemy);
    if let Some(enemy_king) = pos.king(enemy) {
        enemies = enemies.without(enemy_king);
    }
    let targets = pos.explosive_targets(enemy).into_iter();
    let describe = |square: Square| {
        let piece_type = pos.piece_at(square)?.piece_type();
        Some(json!({
            "color": color_name(color),
            "king": king.to_string(),
            "square": square.to_string(),
            "role": role(piece_type),
            "attackers": squares(pos.attackers_to(square, pos.occupied()) & enemies),
        }))
    };
    targets.filter_map(describe).collect()
}
