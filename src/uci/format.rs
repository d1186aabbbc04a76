//! What the engine says: protocol lines by vampirc-uci's serialiser where it is right and by
//! hand where it is wrong, and the plain text of `d`, `eval`, `compiler` and `help`.
//! Invariant: every line leaves through [`Output`], whole, flushed and without trailing
//! blanks, because some GUIs compare words exactly.

use std::fmt::Write as _;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use vampirc_uci::UciInfoAttribute as Info;
use vampirc_uci::{Serializable, UciMessage, UciMove, UciPiece, UciSquare};

use super::options;
use crate::eval::hce::Trace;
use crate::eval::wdl::Shown;
use crate::notation::coord;
use crate::notation::fen::{self, CastlingStyle};
use crate::proof::Progress;
use crate::rules::{Color, Move, MoveKind, Outcome, PieceType, Position, Reason, Square};
use crate::search::{Bound, Report};

/// The one writer, shared by all threads.
pub struct Output {
    writer: Mutex<Box<dyn Write + Send>>,
    refused: AtomicBool,
}

impl Output {
    /// An output that ends in `writer`.
    pub fn new(writer: Box<dyn Write + Send>) -> Output {
        Output {
            writer: Mutex::new(writer),
            refused: AtomicBool::new(false),
        }
    }

    /// Writes one or more lines without another thread's in between.
    pub fn say(&self, text: &str) {
        let mut block = String::with_capacity(text.len() + 1);
        for line in text.split('\n') {
            block.push_str(line.trim_end());
            block.push('\n');
        }
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        // A GUI that has gone cannot be told; the end of its input follows.
        let _ = writer
            .write_all(block.as_bytes())
            .and_then(|()| writer.flush());
    }

    /// Writes `info string …`.
    pub fn note(&self, text: &str) {
        let text = text.replace(['\n', '\r'], " ");
        self.say(&UciMessage::info_string(text).serialize());
    }

    /// Writes `info string error …`.
    pub fn error(&self, text: &str) {
        self.refused.store(true, Ordering::Relaxed);
        self.note(&format!("error {text}"));
    }

    /// True once an error has been written.
    pub fn has_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }
}

/// How lines are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Castling as king takes rook.
    pub chess960: bool,
    /// Win, draw and loss chances after the score.
    pub show_wdl: bool,
}

/// The answer to `uci`.
pub fn identity() -> String {
    let name = concat!("Brisance ", env!("CARGO_PKG_VERSION"));
    let mut lines = vec![
        UciMessage::id_name(name).serialize(),
        UciMessage::id_author("the Brisance authors").serialize(),
    ];
    lines.extend(options::descriptions().iter().map(Serializable::serialize));
    lines.push(UciMessage::UciOk.serialize());
    lines.join("\n")
}

/// The answer to `isready`.
pub fn ready() -> String {
    UciMessage::ReadyOk.serialize()
}

/// The text of a move. A king that does not start on the e-file castles as king takes rook
/// whatever the option says: its own step could be read as a plain move.
pub fn move_text(mv: Move, chess960: bool) -> String {
    let shuffled = mv.kind() == MoveKind::Castle && mv.from().file() != 4;
    coord::write(mv, chess960 || shuffled)
}

fn uci_move(mv: Move, chess960: bool) -> UciMove {
    let text = move_text(mv, chess960);
    let square = |at: usize| {
        let square = text.get(at..at + 2).and_then(Square::parse);
        let square = square.unwrap_or(mv.from());
        UciSquare::from((b'a' + square.file()) as char, square.rank() + 1)
    };
    let mut message = UciMove::from_to(square(0), square(2));
    message.promotion = match mv.promotion() {
        Some(PieceType::Knight) => Some(UciPiece::Knight),
        Some(PieceType::Bishop) => Some(UciPiece::Bishop),
        Some(PieceType::Rook) => Some(UciPiece::Rook),
        Some(PieceType::Queen) => Some(UciPiece::Queen),
        _ => None,
    };
    message
}

/// One `info` line of a search.
pub fn report(report: &Report, style: Style) -> String {
    let small = |number: i32| u8::try_from(number.max(0)).unwrap_or(u8::MAX);
    let short = |number: u64| u16::try_from(number).unwrap_or(u16::MAX);
    let mut info = vec![
        Info::Depth(small(report.depth)),
        Info::SelDepth(small(report.seldepth.max(report.depth))),
        Info::MultiPv(short(report.multipv as u64)),
    ];
    info.extend(score(report, style.show_wdl));
    info.extend([
        Info::Nodes(report.nodes),
        Info::Nps(report.nps()),
        Info::HashFull(short(report.hashfull.into())),
        Info::TbHits(report.tbhits),
        Info::Any("time".into(), report.time.as_millis().to_string()),
    ]);
    if !report.pv.is_empty() {
        let line = report.pv.iter().map(|&mv| uci_move(mv, style.chess960));
        info.push(Info::Pv(line.collect()));
    }
    UciMessage::Info(info).serialize()
}

fn score(report: &Report, show_wdl: bool) -> Vec<Info> {
    let bound = report.bound;
    let mut attribute = match report.shown() {
        Shown::Centipawns(cp) => Info::from_centipawns(cp),
        // 123 moves are the longest mate, so the narrow type holds it.
        Shown::Mate(moves) => Info::from_mate(moves.clamp(-127, 127) as i8),
    };
    if show_wdl {
        let [win, draw, loss] = report.scale.win_draw_loss(report.value);
        let word = match bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        };
        let chances = format!("{win} {draw} {loss}{word}");
        return vec![attribute, Info::Any("wdl".into(), chances)];
    }
    if let Info::Score {
        lower_bound,
        upper_bound,
        ..
    } = &mut attribute
    {
        *lower_bound = (bound == Bound::Lower).then_some(true);
        *upper_bound = (bound == Bound::Upper).then_some(true);
    }
    vec![attribute]
}

/// The `info` line of a solver at work.
pub fn effort(progress: &Progress) -> String {
    let micros = progress.time.as_micros().max(1);
    let nps = u128::from(progress.nodes) * 1_000_000 / micros;
    UciMessage::Info(vec![
        Info::Nodes(progress.nodes),
        Info::Nps(u64::try_from(nps).unwrap_or(u64::MAX)),
        Info::HashFull(u16::try_from(progress.hashfull).unwrap_or(u16::MAX)),
        Info::Any("time".into(), progress.time.as_millis().to_string()),
    ])
    .serialize()
}

/// The `info` line about the root move now searched.
pub fn current_move(depth: i32, mv: Move, number: usize, style: Style) -> String {
    // vampirc-uci writes "currmovenum", which no GUI knows.
    UciMessage::Info(vec![
        Info::Depth(u8::try_from(depth.max(0)).unwrap_or(u8::MAX)),
        Info::CurrMove(uci_move(mv, style.chess960)),
        Info::Any("currmovenumber".into(), number.to_string()),
    ])
    .serialize()
}

/// The answer to a search.
pub fn best_move(best: Move, ponder: Option<Move>, style: Style) -> String {
    let best = uci_move(best, style.chess960);
    match ponder {
        Some(reply) => UciMessage::best_move_with_ponder(best, uci_move(reply, style.chess960)),
        None => UciMessage::best_move(best),
    }
    .serialize()
}

/// The answer to a search of a finished game; vampirc-uci knows no such move.
pub const NO_MOVE: &str = "bestmove (none)";

/// The `info` line for a position without a legal move. `mate 0` means that the side to move
/// has lost. When its opponent's king is gone it has won already, for which the protocol has
/// no word; `mate 1` at least has the right sign.
pub fn game_over(pos: &Position) -> String {
    let us = pos.side();
    let score = if pos.king(!us).is_none() {
        Info::from_mate(1)
    } else if pos.king(us).is_none() || pos.in_check() {
        Info::from_mate(0)
    } else {
        Info::from_centipawns(0)
    };
    UciMessage::Info(vec![Info::Depth(0), score]).serialize()
}

/// The answer to `d`.
pub fn board(pos: &Position, chess960: bool) -> String {
    const RULE: &str = " +---+---+---+---+---+---+---+---+\n";
    let mut text = String::from(RULE);
    for rank in (0..8).rev() {
        for file in 0..8 {
            let man = pos.piece_at(Square::new(file, rank));
            let _ = write!(text, " | {}", man.map_or(' ', |piece| piece.letter()));
        }
        let _ = writeln!(text, " | {}", rank + 1);
        text.push_str(RULE);
    }
    let castling = if chess960 {
        CastlingStyle::Shredder
    } else {
        CastlingStyle::XFen
    };
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
        let _ = write!(text, "\nResult: {}", result(outcome));
    }
    text
}

fn result(outcome: Outcome) -> String {
    let (score, reason) = match outcome {
        Outcome::Win {
            winner: Color::White,
            reason,
        } => ("1-0", reason),
        Outcome::Win { reason, .. } => ("0-1", reason),
        Outcome::Draw { reason } => ("1/2-1/2", reason),
    };
    let reason = match reason {
        Reason::Explosion => "king exploded",
        Reason::Checkmate => "checkmate",
        Reason::Stalemate => "stalemate",
        Reason::InsufficientMaterial => "insufficient material",
        Reason::FiftyMoves => "fifty moves",
        Reason::Repetition => "threefold repetition",
    };
    format!("{score} ({reason})")
}

/// The account of a handcrafted evaluation as a table, in internal units.
pub fn trace(trace: &Trace) -> String {
    let mut text = format!(
        "{:<24}{:>14}{:>14}{:>14}\n{:<24}",
        "term", "White", "Black", "White - Black", ""
    );
    text.push_str(&format!("{:>8}{:>6}", "mg", "eg").repeat(3));
    for term in &trace.terms {
        let [white, black] = term.sides;
        let _ = write!(text, "\n{:<24}", term.name);
        for pair in [white, black, white - black] {
            let _ = write!(text, "{:>8}{:>6}", pair.mg, pair.eg);
        }
    }
    let _ = write!(
        text,
        "\nphase {}/256, scale {}/256\nhandcrafted total {:+} for White",
        trace.phase, trace.scale, trace.total
    );
    text
}

/// A score in pawns with its sign, or the mate it is.
pub fn pawns(shown: Shown) -> String {
    match shown {
        Shown::Centipawns(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        Shown::Mate(moves) => format!("mate {moves}"),
    }
}

/// The answer to `compiler`: what is known of this binary when it is built.
pub fn build() -> String {
    use std::env::consts::{ARCH, OS};
    let profile = if cfg!(debug_assertions) {
        "with debug assertions"
    } else {
        "without debug assertions"
    };
    let panics = if cfg!(panic = "abort") {
        "abort"
    } else {
        "unwind"
    };
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
        "Brisance {}\nrustc {} or newer\ntarget {ARCH}-{OS}, {} bits\nbuilt {profile}, panics {panics}\nassumes {}",
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_RUST_VERSION"),
        usize::BITS,
        assumed.join(" ")
    )
}

/// The answer to `help`.
pub const HELP: &str = "\
Brisance speaks UCI (the Universal Chess Interface); a chess program talks to it for you.
By hand: uci, setoption name N value V, ucinewgame, position startpos|fen F [moves ...],
go [wtime btime winc binc movestogo movetime depth nodes mate infinite ponder searchmoves],
stop, ponderhit, isready, debug on|off, quit. Beyond the protocol:
  d             the position, its FEN and key
  eval          its evaluation, term by term
  go perft N    the legal move sequences of N plies, by first move
  flip          the position with colours exchanged
  bench         the benchmark
  genfens N seed S book None|FILE [chess960] [nocheckatomic]
                N even positions after random moves
  compiler      how this binary was built
  export_net    write the network to a file";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::eval::hce::Pair;
    use crate::eval::hce::TraceTerm;
    use crate::eval::score::{Value, loss_in, win_in};
    use crate::eval::wdl::Scale;
    use crate::rules::Variant;

    fn position(text: &str) -> Position {
        fen::parse(text, Variant::Atomic).unwrap()
    }

    fn sample(value: Value, bound: Bound, pos: &Position, line: &[&str]) -> Report {
        let mut pos = pos.clone();
        let mut pv = Vec::new();
        for text in line {
            let mv = coord::parse(&pos, text).unwrap();
            pos.make(mv);
            pv.push(mv);
        }
        Report {
            depth: 12,
            seldepth: 20,
            multipv: 1,
            value,
            scale: Scale::of(&pos),
            bound,
            nodes: 500,
            time: Duration::from_millis(250),
            hashfull: 7,
            tbhits: 0,
            pv,
        }
    }

    #[test]
    fn info_lines() {
        let start = Position::startpos(Variant::Atomic);
        let even = Scale::of(&start).even_win().round() as Value;
        let (plain, wdl) = (
            Style::default(),
            Style {
                show_wdl: true,
                ..Style::default()
            },
        );
        let rest = "nodes 500 nps 2000 hashfull 7 tbhits 0 time 250 pv g1f3 f7f6";
        for (value, bound, style, wanted) in [
            (even, Bound::Exact, plain, "cp 100"),
            (-even, Bound::Lower, plain, "cp -100 lowerbound"),
            (win_in(3), Bound::Upper, plain, "mate 2 upperbound"),
            (loss_in(246), Bound::Exact, plain, "mate -123"),
            (
                win_in(1),
                Bound::Lower,
                wdl,
                "mate 1 wdl 1000 0 0 lowerbound",
            ),
        ] {
            let line = report(&sample(value, bound, &start, &["g1f3", "f7f6"]), style);
            let wanted = format!("info depth 12 seldepth 20 multipv 1 score {wanted} {rest}");
            assert_eq!(line, wanted);
        }
        let empty = report(&sample(0, Bound::Exact, &start, &[]), plain);
        assert!(empty.ends_with(" time 250"), "{empty}");
    }

    #[test]
    fn castling_in_both_spellings() {
        let home = position("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
        let shuffled = position("5k2/8/8/8/8/8/8/R4K1R w KQ - 0 1");
        for (pos, text, chess960, wanted) in [
            (&home, "e1h1", false, "e1g1"),
            (&home, "e1g1", true, "e1h1"),
            (&home, "e1c1", false, "e1c1"),
            (&home, "e1c1", true, "e1a1"),
            (&shuffled, "f1h1", false, "f1h1"),
            (&shuffled, "f1h1", true, "f1h1"),
            (&shuffled, "f1g1", false, "f1g1"),
        ] {
            let mv = coord::parse(pos, text).unwrap();
            let style = Style {
                chess960,
                ..Style::default()
            };
            assert_eq!(best_move(mv, None, style), format!("bestmove {wanted}"));
            assert_eq!(coord::parse(pos, wanted), Some(mv), "reads back");
        }
    }

    #[test]
    fn moves_and_counters() {
        let pos = position("8/P7/8/8/8/8/k7/4K3 w - - 0 1");
        let mv = coord::parse(&pos, "a7a8n").unwrap();
        let style = Style::default();
        assert_eq!(
            best_move(mv, Some(mv), style),
            "bestmove a7a8n ponder a7a8n"
        );
        let line = current_move(9, mv, 3, style);
        assert_eq!(line, "info depth 9 currmove a7a8n currmovenumber 3");
    }

    #[test]
    fn finished_games() {
        for (text, wanted) in [
            ("4k3/8/8/8/8/8/8/8 w - - 0 1", "mate 0"),
            ("4k3/8/8/8/8/8/8/8 b - - 0 1", "mate 1"),
            ("7k/6Q1/8/8/8/8/8/K7 b - - 0 1", "mate 0"),
            ("7k/8/6Q1/8/8/8/8/K7 b - - 0 1", "cp 0"),
        ] {
            let pos = position(text);
            assert!(!pos.has_legal_move(), "{text}");
            assert_eq!(
                game_over(&pos),
                format!("info depth 0 score {wanted}"),
                "{text}"
            );
        }
    }

    #[test]
    fn board_text() {
        let pos = position("4k3/8/8/8/8/8/4r3/RN2K2R w KQ - 3 9");
        let text = board(&pos, true);
        for part in [
            " +---+---+---+---+---+---+---+---+\n |   |   |   |   | k |   |   |   | 8\n",
            "\n | R | N |   |   | K |   |   | R | 1\n",
            "\nFen: 4k3/8/8/8/8/8/4r3/RN2K2R w HA - 3 9\n",
            "\nCheckers: e2\nVariant: atomic",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert!(board(&pos, false).contains(" w KQ - 3 9\n"));
        let over = board(&position("4k3/8/8/8/8/8/8/8 w - - 0 1"), false);
        assert!(over.ends_with("\nResult: 0-1 (king exploded)"), "{over}");
    }

    #[test]
    fn trace_table() {
        let text = trace(&Trace {
            terms: vec![TraceTerm {
                name: "material",
                sides: [Pair { mg: 100, eg: 120 }, Pair { mg: 40, eg: -5 }],
            }],
            phase: 128,
            scale: 256,
            total: -31,
        });
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5);
        assert_eq!(
            lines[2].split_whitespace().collect::<Vec<_>>(),
            ["material", "100", "120", "40", "-5", "60", "125"]
        );
        assert_eq!(lines[4], "handcrafted total -31 for White");
    }

    #[test]
    fn options_as_guis_read_them() {
        let text = identity();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("id name Brisance "));
        assert!(lines[1].starts_with("id author "));
        assert_eq!(lines.last(), Some(&"uciok"));
        let variant =
            "option name UCI_Variant type combo default atomic var atomic var nocheckatomic";
        assert!(lines.contains(&variant));
        for line in &lines[2..lines.len() - 1] {
            assert!(line.starts_with("option name "), "{line}");
            assert_eq!(line.trim(), *line);
        }
    }
}
