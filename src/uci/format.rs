//! Formats all UCI output: protocol lines, by vampirc-uci's serialiser where it is correct and
//! by hand elsewhere, and the plain text of `d`, `compiler` and `help`.
//! Invariant: nothing here writes; the lines go through `UciOutput`.

use std::fmt::Write as _;

use vampirc_uci::UciInfoAttribute as Info;
use vampirc_uci::{Serializable, UciMessage, UciOptionConfig};

use super::moves::uci_move;
use crate::engine::options::{self, OptionType, UciOption, UciOptions};
use crate::eval::wdl::DisplayScore;
use crate::notation::fen::{self, CastlingStyle};
use crate::proof::SolverProgress;
use crate::rules::{Move, Position, Square};
use crate::search::{Bound, SearchInfo};
use crate::util;

/// The reply to `uci` or `isready`.
pub fn reply(query: &UciMessage) -> String {
    if *query != UciMessage::Uci {
        return UciMessage::ReadyOk.serialize();
    }
    let name = concat!("Brisance ", env!("CARGO_PKG_VERSION"));
    let mut lines = vec![
        UciMessage::id_name(name).serialize(),
        UciMessage::id_author("the Brisance authors").serialize(),
    ];
    lines.extend(options::all().map(option_line));
    lines.push(UciMessage::UciOk.serialize());
    lines.join("\n")
}

fn option_line(option: UciOption) -> String {
    let name = option.name.to_owned();
    let defaults = &UciOptions::default();
    let message = match option.option_type {
        OptionType::Check { get, .. } => {
            UciOptionConfig::Check { name, default: Some(get(defaults)) }
        }
        OptionType::Spin { min, max, get, .. } => spin(name, get(defaults), min, max),
        OptionType::Combo { choices, get, .. } => UciOptionConfig::Combo {
            name,
            default: Some(get(defaults).to_owned()),
            var: choices.iter().map(ToString::to_string).collect(),
        },
        OptionType::Text { get, .. } => UciOptionConfig::String {
            name,
            default: match get(defaults) {
                text if text.is_empty() => Some(options::EMPTY.to_owned()),
                text => Some(text),
            },
        },
        OptionType::Button(_) => UciOptionConfig::Button { name },
        #[cfg(feature = "tune")]
        OptionType::Param(param) => {
            spin(name, param.default.into(), param.min.into(), param.max.into())
        }
    };
    message.serialize()
}

fn spin(name: String, default: i64, min: i64, max: i64) -> UciOptionConfig {
    UciOptionConfig::Spin { name, default: Some(default), min: Some(min), max: Some(max) }
}

pub fn info_line(report: &SearchInfo, options: &UciOptions) -> String {
    let small = |number: i32| u8::try_from(number.max(0)).unwrap_or(u8::MAX);
    let short = |number: u64| u16::try_from(number).unwrap_or(u16::MAX);
    let (cp, mate) = match report.display_score() {
        DisplayScore::Centipawns(cp) => (Some(cp), None),
        // The longest mate is 123 moves, so the cast is lossless.
        DisplayScore::Mate(moves) => (None, Some(moves.clamp(-127, 127) as i8)),
    };
    let is_bound = |bound| (report.bound == bound).then_some(true);
    let mut info = vec![
        Info::Depth(small(report.depth)),
        Info::SelDepth(small(report.seldepth.max(report.depth))),
        Info::MultiPv(short(report.multipv as u64)),
        // The bound is where clients look for it.
        Info::Score {
            cp,
            mate,
            lower_bound: is_bound(Bound::Lower),
            upper_bound: is_bound(Bound::Upper),
        },
    ];
    if options.show_wdl {
        let [win, draw, loss] = report.wdl_model.wdl(report.value);
        info.push(Info::Any("wdl".into(), format!("{win} {draw} {loss}")));
    }
    info.extend([
        Info::Nodes(report.nodes),
        Info::Nps(report.nps()),
        Info::HashFull(short(report.hashfull.into())),
        Info::TbHits(report.tbhits),
        Info::Any("time".into(), report.time.as_millis().to_string()),
    ]);
    if !report.pv.is_empty() {
        let line = report.pv.iter().map(|&mv| uci_move(mv, options.chess960));
        info.push(Info::Pv(line.collect()));
    }
    UciMessage::Info(info).serialize()
}

pub fn solver_info_line(progress: &SolverProgress) -> String {
    UciMessage::Info(vec![
        Info::Nodes(progress.nodes),
        Info::Nps(util::nps(progress.nodes, progress.time)),
        Info::HashFull(u16::try_from(progress.hashfull).unwrap_or(u16::MAX)),
        Info::Any("time".into(), progress.time.as_millis().to_string()),
    ])
    .serialize()
}

pub fn current_move_line(depth: i32, mv: Move, number: usize, options: &UciOptions) -> String {
    // vampirc-uci writes "currmovenum", which no GUI supports.
    UciMessage::Info(vec![
        Info::Depth(u8::try_from(depth.max(0)).unwrap_or(u8::MAX)),
        Info::CurrMove(uci_move(mv, options.chess960)),
        Info::Any("currmovenumber".into(), number.to_string()),
    ])
    .serialize()
}

pub fn best_move_line(best: Option<Move>, ponder: Option<Move>, options: &UciOptions) -> String {
    let Some(best) = best else {
        return NO_BEST_MOVE.to_owned();
    };
    let best = uci_move(best, options.chess960);
    match ponder {
        Some(reply) => UciMessage::best_move_with_ponder(best, uci_move(reply, options.chess960)),
        None => UciMessage::best_move(best),
    }
    .serialize()
}

/// The `bestmove` line for a position without legal moves; vampirc-uci cannot express it.
pub const NO_BEST_MOVE: &str = "bestmove (none)";

/// The `info` line before [`NO_BEST_MOVE`] if there is no position.
pub const NO_SCORE: &str = "info depth 0 score cp 0";

/// The `info` line for a position without legal moves. `mate 0` means that the side to move
/// has lost. UCI has no score for a side to move that has already won, that is, if the
/// opponent's king is gone; `mate 1` has the right sign.
pub fn game_over_line(pos: &Position) -> String {
    let us = pos.side_to_move();
    let score = if pos.king(!us).is_none() {
        Info::from_mate(1)
    } else if pos.king(us).is_none() || pos.in_check() {
        Info::from_mate(0)
    } else {
        Info::from_centipawns(0)
    };
    UciMessage::Info(vec![Info::Depth(0), score]).serialize()
}

/// The reply to `d`.
pub fn board_text(pos: &Position, chess960: bool) -> String {
    const RULE: &str = " +---+---+---+---+---+---+---+---+\n";
    let mut text = String::from(RULE);
    for rank in (0..8).rev() {
        for file in 0..8 {
            let piece = pos.piece_at(Square::new(file, rank));
            let _ = write!(text, " | {}", piece.map_or(' ', |piece| piece.letter()));
        }
        let _ = writeln!(text, " | {}", rank + 1);
        text.push_str(RULE);
    }
    let castling = if chess960 { CastlingStyle::Shredder } else { CastlingStyle::XFen };
    let _ = write!(
        text,
        "   a   b   c   d   e   f   g   h\n\nFen: {}\nKey: {:016X}\nCheckers:",
        fen::write(pos, castling),
        pos.key()
    );
    for square in pos.checkers() {
        let _ = write!(text, " {square}");
    }
    let _ = write!(text, "\nVariant: {}", pos.variant());
    if let Some(outcome) = pos.outcome() {
        let (result, reason) = (outcome.result, outcome.reason.label());
        let _ = write!(text, "\nResult: {result} ({reason})");
    }
    text
}

/// The reply to `compiler`: the build configuration of this binary.
pub fn compiler_info() -> String {
    let (is_checked, aborts) = (cfg!(debug_assertions), cfg!(panic = "abort"));
    let checks = if is_checked { "with" } else { "without" };
    let panics = if aborts { "abort" } else { "unwind" };
    let features = [
        ("sse4.1", cfg!(target_feature = "sse4.1")),
        ("popcnt", cfg!(target_feature = "popcnt")),
        ("avx2", cfg!(target_feature = "avx2")),
        ("bmi2", cfg!(target_feature = "bmi2")),
        ("avx512f", cfg!(target_feature = "avx512f")),
        ("neon", cfg!(target_feature = "neon")),
    ];
    let mut assumed: Vec<&str> = features.iter().filter(|f| f.1).map(|f| f.0).collect();
    if assumed.is_empty() {
        assumed.push("the target's baseline");
    }
    format!(
        "Brisance {}\ncompiled by {}\nfor {}, {} bits\nbuilt {checks} debug assertions, panics {panics}\nassumes {}",
        env!("BRISANCE_VERSION"),
        env!("BRISANCE_RUSTC"),
        env!("BRISANCE_TARGET"),
        usize::BITS,
        assumed.join(" ")
    )
}

pub const HELP: &str = "\
Brisance is a UCI (Universal Chess Interface) engine, normally run from a chess GUI.
UCI commands: uci, setoption name N value V, ucinewgame, position startpos|fen F [moves ...],
go [wtime btime winc binc movestogo movetime depth nodes mate infinite ponder searchmoves],
stop, ponderhit, isready, debug on|off, quit. Other commands:
  d             print the position, its FEN and its key
  eval          print the static evaluation, term by term
  go perft N    count the leaf nodes at depth N, for each root move
  flip          swap the colours of the position
  bench         run the benchmark
  genfens N seed S book None|FILE [chess960] [nocheckatomic]
                print N balanced positions reached by random moves
  compiler      print build information
  export_net    write the network to a file";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::eval::score::{Value, mate_in, mated_in};
    use crate::eval::wdl::WdlModel;
    use crate::notation::coord;
    use crate::search::SearchLine;
    use crate::walk::{play, position};

    fn sample(value: Value, bound: Bound) -> SearchInfo {
        let mut pos = position("startpos");
        let pv = play(&mut pos, "g1f3 f7f6");
        let line = SearchLine::new(12, value, pv);
        SearchInfo {
            seldepth: 20,
            bound,
            nodes: 500,
            time: Duration::from_millis(250),
            hashfull: 7,
            ..SearchInfo::new(line, WdlModel::for_position(&pos))
        }
    }

    #[test]
    fn info_lines_carry_score_bound_and_wdl() {
        let start = position("startpos");
        let even = WdlModel::for_position(&start).pawn_value().round() as Value;
        let plain = &UciOptions::default();
        let wdl = &UciOptions { show_wdl: true, ..UciOptions::default() };
        let won = "mate 1 lowerbound wdl 1000 0 0";
        let rest = "nodes 500 nps 2000 hashfull 7 tbhits 0 time 250 pv g1f3 f7f6";
        for (value, bound, options, expected) in [
            (even, Bound::Exact, plain, "cp 100"),
            (-even, Bound::Lower, plain, "cp -100 lowerbound"),
            (mate_in(3), Bound::Upper, plain, "mate 2 upperbound"),
            (mated_in(246), Bound::Exact, plain, "mate -123"),
            (mate_in(1), Bound::Lower, wdl, won),
        ] {
            let line = info_line(&sample(value, bound), options);
            let expected = format!("info depth 12 seldepth 20 multipv 1 score {expected} {rest}");
            assert_eq!(line, expected);
        }
        let empty = SearchInfo { pv: Vec::new(), ..sample(0, Bound::Exact) };
        let line = info_line(&empty, plain);
        assert!(line.ends_with(" time 250"), "{line}");
    }

    #[test]
    fn promotion_and_current_move_lines() {
        let pos = position("8/P7/8/8/8/8/k7/4K3 w - - 0 1");
        let mv = coord::parse(&pos, "a7a8n").unwrap();
        let options = &UciOptions::default();
        let line = best_move_line(Some(mv), Some(mv), options);
        assert_eq!(line, "bestmove a7a8n ponder a7a8n");
        let line = current_move_line(9, mv, 3, options);
        assert_eq!(line, "info depth 9 currmove a7a8n currmovenumber 3");
    }

    #[test]
    fn display_shows_board_fen_checkers_and_result() {
        let pos = position("4k3/8/8/8/8/8/4r3/RN2K2R w KQ - 3 9");
        let text = board_text(&pos, true);
        for part in [
            " +---+---+---+---+---+---+---+---+\n |   |   |   |   | k |   |   |   | 8\n",
            "\n | R | N |   |   | K |   |   | R | 1\n",
            "\nFen: 4k3/8/8/8/8/8/4r3/RN2K2R w HA - 3 9\n",
            "\nCheckers: e2\nVariant: atomic",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert!(board_text(&pos, false).contains(" w KQ - 3 9\n"));
        let over = board_text(&position("4k3/8/8/8/8/8/8/8 w - - 0 1"), false);
        assert!(over.ends_with("\nResult: 0-1 (king exploded)"), "{over}");
    }
}
