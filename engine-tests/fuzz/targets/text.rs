//! Fuzz targets for text: FEN, SAN, EPD, PGN and UCI lines.
//! Invariant: what is read, written and read again is the same.

use brisance::notation::fen::{CastlingStyle, FenErrorKind, FenField, FenWarning};
use brisance::notation::pgn::{PgnError, PgnReader};
use brisance::notation::{coord, epd as epd_notation, fen as fen_notation, san as san_notation};
use brisance::rules::{self, Position, Variant};
use brisance::uci::parse::parse;
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::variant::Atomic;
use shakmaty::{CastlingMode, EnPassantMode, PositionError};

use super::games::play;
use super::position;
use crate::peer;
use crate::walk::{shredder, x_fen};

/// A FEN that is read, if need be with warnings, is written as a FEN of the same position, which is
/// read without warnings, and as shakmaty writes it. What shakmaty reads is read as the same position.
pub fn fen(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for variant in Variant::ALL {
        let strict = fen_notation::parse(&text, variant);
        let lenient = fen_notation::parse_lenient(&text, variant);
        if variant == Variant::Atomic
            && let Some(theirs) = shakmaty_reads(&text)
        {
            let ours = lenient.as_ref();
            let (ours, warnings) = ours.unwrap_or_else(|error| panic!("{text:?}: {error}"));
            assert_same_fields(&placement(ours), &theirs, warnings);
        }
        let Ok((mut pos, warnings)) = lenient else {
            assert!(strict.is_err(), "{text:?}");
            continue;
        };
        assert_eq!(strict.is_ok(), warnings.is_empty(), "{text:?}");
        for style in [CastlingStyle::XFen, CastlingStyle::Shredder] {
            let written = fen_notation::write(&pos, style);
            let again = fen_notation::parse(&written, variant).expect("a written FEN is valid");
            assert!(pos.same_as(&again), "{written}");
            assert_eq!(pos.key(), again.key());
            assert_eq!(fen_notation::write(&again, style), written);
        }
        play_moves(&mut pos);
        if variant == Variant::Atomic
            && let Some(other) = peer::shakmaty_position(&pos)
        {
            let shown = Fen::from_position(&other, EnPassantMode::Legal).to_string();
            assert_eq!(x_fen(&pos), shown);
        }
    }
}

/// A few moves, their text and the positions after them agree with each other.
fn play_moves(pos: &mut Position) {
    let before = pos.clone();
    let moves = pos.legal_moves();
    assert_eq!(moves.len() as u64, pos.count_moves());
    let _ = (pos.outcome(), pos.checkers(), pos.win_in_one());
    for mv in moves.into_iter().step_by(4) {
        assert!(pos.is_legal(mv), "{pos:?} {mv:?}");
        play(pos, mv);
        let _ = pos.outcome();
        pos.unmake();
        assert!(pos.same_as(&before), "{pos:?} {mv:?}");
    }
}

/// The same four fields. For shakmaty `K` is also a rook on the queen's side, if there is no other:
/// rights that we ignore with a warning may remain there. Of two rights on one side shakmaty keeps
/// the outer rook's, we the first.
fn assert_same_fields(ours: &str, theirs: &str, warnings: &[FenWarning]) {
    let fields = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (mut left, mut right) = (fields(ours), fields(theirs));
    let is_castling = |warning: &FenWarning| warning.fault.field == FenField::Castling;
    let has_duplicate = warnings.iter().any(|warning| {
        let kind = &warning.fault.kind;
        matches!(kind, FenErrorKind::Position(rules::PositionError::DuplicateCastling(..)))
    });
    if warnings.iter().any(is_castling) {
        let (left, right) = (left.remove(2), right.remove(2));
        let is_known = |letter| letter == '-' || has_duplicate || right.contains(letter);
        assert!(left.chars().all(is_known), "{ours}, {theirs}");
    }
    assert_eq!(left, right);
}

/// The first four fields of a FEN as shakmaty reads and writes them, without the rights and the
/// en-passant square that it rejects. It knows fields of other variants, which are left out here.
fn shakmaty_reads(text: &str) -> Option<String> {
    let text = text.trim();
    if text.contains(['[', '+']) || text.matches('/').count() > 7 {
        return None;
    }
    let fen: Fen = text.parse().ok()?;
    let pos: Atomic = fen
        .into_position(CastlingMode::Chess960)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .ok()?;
    let shown = Fen::from_position(&pos, EnPassantMode::Legal).to_string();
    let ours = fen_notation::parse(&shown, Variant::Atomic).ok()?;
    Some(placement(&ours))
}

/// The first byte selects a position, the rest is a move in SAN or coordinates.
pub fn san(data: &[u8]) {
    let Some((&selector, rest)) = data.split_first() else {
        return;
    };
    let (known, text) = (position(selector), String::from_utf8_lossy(rest));
    let pos = &known.pos;
    if let Some(mv) = coord::parse(pos, &text) {
        assert!(pos.is_legal(mv), "{text}");
        assert_eq!(coord::parse(pos, &coord::write(mv, true)), Some(mv));
    }
    let ours = san_notation::parse(pos, &text);
    if let Ok(mv) = ours {
        assert!(pos.legal_moves().contains(&mv), "{text}");
        let written = san_notation::write(pos, mv);
        assert_eq!(san_notation::parse(pos, &written), Ok(mv));
    }
    if let Some(other) = &known.other
        && let Ok(theirs) = San::from_ascii(rest)
        && let Ok(theirs) = theirs.to_move(other)
    {
        let mv = ours.unwrap_or_else(|error| panic!("{text}: {error}"));
        let theirs = peer::shakmaty_move_code(theirs);
        assert_eq!(peer::move_code(mv), theirs, "{text}");
    }
}

/// An EPD that is read is written as an EPD of the same position and operations, which is read
/// without warnings.
pub fn epd(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for variant in Variant::ALL {
        let Ok(Some(epd)) = epd_notation::parse_line(&text, variant) else {
            continue;
        };
        let written = epd.to_string();
        let again = epd_notation::parse_line(&written, variant);
        let again = again.expect("a written EPD is valid").expect("no comment");
        assert_eq!(again.operations, epd.operations, "{written:?}");
        assert!(again.warnings.is_empty(), "{written:?}");
        assert!(placement(&again.pos) == placement(&epd.pos), "{written:?}");
        for (code, _) in &epd.operations {
            assert!(epd.operand(code).is_some());
        }
    }
}

fn placement(pos: &Position) -> String {
    let text = shredder(pos);
    let fields: Vec<&str> = text.split(' ').take(4).collect();
    fields.join(" ")
}

/// Games that are read, also in part, are written as PGN of the same games, which states its rules
/// and is read again without a fault, with any line ends.
pub fn pgn(data: &[u8]) {
    for variant in [None, Some(Variant::Atomic)] {
        for (index, item) in PgnReader::new(data, variant).enumerate() {
            let numbered = match item {
                Ok(numbered) => numbered,
                Err(PgnError::Io(error)) => panic!("reading from memory fails: {error}"),
                Err(PgnError::Game(error)) => {
                    assert!(error.line > 0 && !error.to_string().is_empty());
                    assert_eq!(error.number, index + 1);
                    match error.kept {
                        Some(kept) => kept,
                        None => continue,
                    }
                }
            };
            assert_eq!(numbered.number, index + 1);
            let game = numbered.game;
            let written = game.to_pgn();
            for text in [&written, &written.replace('\n', "\r")] {
                let mut games = PgnReader::new(text.as_bytes(), None);
                let again = games.next().expect("a game").expect("a valid one");
                assert_eq!(again.game.to_pgn(), written);
                // A tag Result that is no result stays as it is, and so does a comment with tags.
                let left = ["is not a result", "tags inside a comment"];
                let is_left = |warning: &String| left.iter().any(|text| warning.contains(text));
                assert!(again.warnings.iter().all(is_left), "{:?}", again.warnings);
                assert_eq!(again.game.result, game.result);
                assert!(again.game.end().same_as(&game.end()), "{written}");
                assert!(games.next().is_none(), "{written}");
            }
        }
    }
}

/// Blanks around a UCI line do not change what it means.
pub fn uci_line(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for line in text.split('\n') {
        for start in ["", "go ", "position startpos moves ", "setoption name "] {
            let line = format!("{start}{line}");
            assert_eq!(parse(&line), parse(&format!(" \t{line} \r\n")), "{line:?}");
        }
    }
}
