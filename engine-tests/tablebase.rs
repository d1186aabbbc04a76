//! Tablebases: probe results compared with python-chess, won endings, damaged files, options.
//! The tables with three and four pieces are in the folder named by `BRISANCE_SYZYGY`, or else
//! in `../shared/syzygy`. Without them most of these tests are skipped and report this.

mod cli; // UCI options, `d`, `analyse`, `datagen`
mod damage; // missing, truncated and altered files
mod endings; // play by rank: wins, clocks
mod ranks; // ranks and results compared with shakmaty

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use brisance::engine::{Engine, Settings};
use brisance::eval::score::{TB_WIN, tb_win_in};
use brisance::eval::wdl::DisplayScore;
use brisance::rules::{Color, Piece, PieceType, Position, Setup, Variant};
use brisance::search::{Limits, SearchInfo};
use brisance::tablebase::{Tablebase, Wdl};
use shakmaty::variant::Atomic;
use shakmaty_syzygy::{MaybeRounded, Tablebase as Syzygy};

use crate::peer::shakmaty_position;
use crate::random::Random;
use crate::searching::{self, depth, go, nodes, play_line, report};
use crate::walk::{position, position_in, x_fen};

/// The folder of tables. If there is none, reports that the running test is skipped.
pub fn folder() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("BRISANCE_SYZYGY") {
        let folder = PathBuf::from(named);
        assert!(folder.is_dir(), "BRISANCE_SYZYGY names no folder");
        return Some(folder);
    }
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/syzygy");
    if shared.is_dir() {
        return Some(shared);
    }
    // The test harness captures eprintln!, but not this.
    let thread = std::thread::current();
    let _ = writeln!(
        io::stderr(),
        "skipped: {}: BRISANCE_SYZYGY names no folder of tables",
        thread.name().unwrap_or("a test")
    );
    None
}

fn open(folder: &Path) -> Tablebase {
    Tablebase::open(folder).expect("a folder of tables")
}

fn engine(folder: &Path) -> Engine {
    engine_with(folder, |_| {})
}

fn engine_with(folder: &Path, change: impl FnOnce(&mut Settings)) -> Engine {
    searching::engine(|settings| {
        settings.syzygy_path = folder.into();
        change(settings);
    })
}

/// The hits that the last report of a search counts.
fn hits(engine: &mut Engine, pos: &Position, limits: &Limits) -> u64 {
    report(engine, pos, limits).1.last_lines()[0].tbhits
}

/// The prober of shakmaty-syzygy, which gets positions as text.
pub struct Reference(Syzygy<Atomic>);

impl Reference {
    pub fn new(folder: &Path) -> Reference {
        let mut tables = Syzygy::new();
        assert!(tables.add_directory(folder).expect("readable") > 0);
        Reference(tables)
    }

    /// The WDL value, −2 to 2, with the fifty-move clock at zero.
    pub fn wdl(&self, pos: &Position) -> i32 {
        let pos = shakmaty_position(pos).expect("a legal position");
        let wdl = self.0.probe_wdl_after_zeroing(&pos);
        wdl.expect("complete tables").into()
    }

    /// The distance to zeroing in plies, and whether the true one may be one more.
    pub fn dtz(&self, pos: &Position) -> (i32, bool) {
        let pos = shakmaty_position(pos).expect("a legal position");
        match self.0.probe_dtz(&pos) {
            Ok(MaybeRounded::Precise(dtz)) => (dtz.0, false),
            Ok(MaybeRounded::Rounded(dtz)) => (dtz.0, true),
            Err(error) => panic!("{error}"),
        }
    }
}

/// A random position with `count` pieces in which the game is not over and the side that has
/// just moved is not in check.
pub fn random_position(count: usize, random: &mut Random) -> Position {
    use PieceType::*;
    const PIECE_TYPES: [PieceType; 5] = [Queen, Rook, Bishop, Knight, Pawn];
    loop {
        let mut setup = Setup::empty(Variant::Atomic);
        setup.side_to_move = *random.pick(&Color::ALL);
        let kings = Color::ALL.map(|color| Piece::new(color, King));
        let others =
            (2..count).map(|_| Piece::new(*random.pick(&Color::ALL), *random.pick(&PIECE_TYPES)));
        let all: Vec<Piece> = others.collect();
        for piece in kings.into_iter().chain(all) {
            setup.board[random.below(64)] = Some(piece);
        }
        if let Ok(pos) = Position::from_setup(&setup)
            && pos.occupied().count() as usize == count
            && pos.outcome().is_none()
            && !can_take_king(&pos)
        {
            return pos;
        }
    }
}

/// Whether the side that has just moved is in check.
fn can_take_king(pos: &Position) -> bool {
    let king = pos.king(!pos.side_to_move());
    pos.legal_moves().iter().any(|mv| Some(mv.to()) == king)
}

#[test]
fn probes_agree_with_python_chess() {
    let Some(folder) = folder() else { return };
    let tables = open(&folder);
    let mut counts = [0; 5];
    for line in include_str!("data/syzygy.txt").lines() {
        let mut fields = line.split(';');
        let mut next = || fields.next().expect("FEN;WDL;DTZ");
        let pos = position(next());
        let [wdl, dtz] = [next(), next()].map(|number| number.parse::<i32>().expect("a number"));
        assert_eq!(tables.wdl(&pos).map(Wdl::value), Some(wdl), "{line}");
        assert_eq!(tables.dtz(&pos), Some(dtz), "{line}");
        counts[(wdl + 2) as usize] += 1;
    }
    let decided = [counts[0], counts[2], counts[4]];
    assert!(decided.iter().all(|&count| count > 100), "{counts:?}");
    assert_eq!(tables.take_warnings(), [""; 0]);
}

#[test]
fn finished_games_have_the_value_of_the_rules() {
    let Some(folder) = folder() else { return };
    let tables = open(&folder);
    for (fen, wdl, dtz) in [
        // From the tests of Multi-Variant Stockfish.
        ("7k/8/8/8/8/8/P7/6K1 b - - 0 1", Wdl::Draw, 0),
        ("8/8/8/8/8/8/2K5/8 b - - 0 1", Wdl::Loss, -1),
        // A king has exploded: of the side to move, of the other side.
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", Wdl::Loss, -1),
        ("4k3/8/8/8/8/8/8/8 b - - 0 1", Wdl::Win, 1),
        // Mate by two rooks, stalemate, two lone kings.
        ("R3k3/7R/8/8/8/8/8/4K3 b - - 0 1", Wdl::Loss, -1),
        ("7K/8/8/8/8/1Q6/8/k7 b - - 0 1", Wdl::Draw, 0),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", Wdl::Draw, 0),
        // The side that has just moved is in check, so its king explodes.
        ("4k3/8/8/8/8/8/8/K3Q3 w - - 0 1", Wdl::Win, 1),
    ] {
        let pos = position(fen);
        let found = (tables.wdl(&pos), tables.dtz(&pos));
        assert_eq!(found, (Some(wdl), Some(dtz)), "{fen}");
        if let Some(outcome) = pos.outcome() {
            assert_eq!(tables.result(&pos), Some(outcome.result), "{fen}");
            let us = pos.side_to_move();
            let values = [us, !us].map(|color| Wdl::from_outcome(outcome, color));
            assert_eq!(values, [wdl, -wdl], "{fen}");
        }
    }
    assert_eq!(tables.take_warnings(), [""; 0]);
}

#[test]
fn unsupported_positions_have_no_value() {
    let Some(folder) = folder() else { return };
    let tables = open(&folder);
    let castling = position("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    let many = position("4k3/8/8/8/8/8/8/1NNBK2R w - - 0 1");
    let no_check = position_in(Variant::NoCheckAtomic, "4k3/8/8/8/8/8/8/4K2R w - - 0 1");
    let running = position("4k3/8/8/8/8/8/8/4KQ2 w - - 1 1");
    for pos in [&castling, &many, &no_check] {
        let moves = pos.legal_moves();
        assert!(!tables.covers(pos));
        assert!(tables.wdl(pos).is_none() && tables.dtz(pos).is_none());
        assert!(tables.rank_moves(pos, &moves, true).is_none());
        assert!(tables.result(pos).is_none());
    }
    // Adjudication needs a clock at zero.
    assert!(tables.wdl(&running).is_some() && tables.result(&running).is_none());
    let mut engine = engine(&folder);
    for pos in [&castling, &no_check] {
        assert_eq!(hits(&mut engine, pos, &depth(1)), 0);
    }
}

#[test]
fn tablebase_wins_of_the_search_agree_with_the_tables() {
    let Some(folder) = folder() else { return };
    let (mut engine, reference) = (engine(&folder), Reference::new(&folder));
    let mut random = Random::new(61);
    let (mut won, mut lost) = (0, 0);
    for _ in 0..3000 {
        let pos = random_position(5, &mut random);
        engine.clear();
        let (summary, reports) = report(&mut engine, &pos, &depth(6));
        let plies = TB_WIN - summary.value().abs();
        if !(0..100).contains(&plies) {
            continue;
        }
        let line = &reports.last_lines()[0];
        assert!(line.tbhits > 0 && line.pv.len() >= plies as usize);
        let end = play_line(&pos, &line.pv[..plies as usize]);
        let is_zeroed = end.halfmove_clock() == 0 && end.occupied().count() <= 4;
        assert!(is_zeroed, "{}", x_fen(&pos));
        let value = if end.side_to_move() == pos.side_to_move() {
            reference.wdl(&end)
        } else {
            -reference.wdl(&end)
        };
        assert_eq!(value, 2 * summary.value().signum(), "{}", x_fen(&pos));
        *if value > 0 { &mut won } else { &mut lost } += 1;
    }
    // The number depends on the search.
    assert!(won >= 2 && lost >= 2, "{won} won, {lost} lost");
}

#[test]
fn probe_limit_and_probe_depth_restrict_probing() {
    let Some(folder) = folder() else { return };
    let mut random = Random::new(77);
    let positions: Vec<Position> = (0..20).map(|_| random_position(6, &mut random)).collect();
    let engine = |limit, probe_depth| {
        engine_with(&folder, |settings| {
            settings.syzygy_probe_limit = limit;
            settings.syzygy_probe_depth = probe_depth;
        })
    };
    let all_hits = |limit, probe_depth| {
        let mut engine = engine(limit, probe_depth);
        let count_hits = |pos| {
            engine.clear();
            hits(&mut engine, pos, &depth(7))
        };
        positions.iter().map(count_hits).sum::<u64>()
    };
    assert_eq!(all_hits(0, 1), 0);
    assert_eq!(all_hits(2, 1), 0);
    let (all, deep) = (all_hits(7, 1), all_hits(7, 6));
    assert!(all > deep && deep > 0, "{all} {deep}");
    assert!(all_hits(3, 1) < all);
    // A root with more pieces than the limit is not ranked.
    let won = position("7k/8/8/8/8/8/8/KQ6 w - - 0 1");
    let root_hits = |limit| hits(&mut engine(limit, 1), &won, &depth(2));
    assert_eq!(root_hits(2), 0);
    assert!(root_hits(3) > 0);
}

#[test]
fn multipv_lines_are_sorted_by_tablebase_rank() {
    let Some(folder) = folder() else { return };
    let tables = open(&folder);
    let mut engine = engine_with(&folder, |settings| settings.multipv = 5);
    let mut random = Random::new(12);
    for _ in 0..200 {
        let pos = random_position(4, &mut random);
        engine.clear();
        let (summary, reports) = report(&mut engine, &pos, &depth(5));
        let lines = reports.last_lines();
        let moves = pos.legal_moves();
        let ranking = tables.rank_moves(&pos, &moves, true).expect("all tables");
        let rank = |mv| ranking.ranks[moves.iter().position(|&m| m == mv).expect("legal")];
        let best = ranking.ranks.iter().max().expect("a move");
        let searched = moves.iter().filter(|mv| !mv.is_redundant());
        assert_eq!(lines.len(), searched.count().min(5));
        assert_eq!(summary.best_move(), Some(lines[0].pv[0]));
        let mates =
            |line: &SearchInfo| matches!(line.display_score(), DisplayScore::Mate(n) if n > 0);
        for pair in lines.windows(2) {
            assert!(pair[0].value >= pair[1].value, "{}", x_fen(&pos));
            let ranks = [&pair[0], &pair[1]].map(|line| rank(line.pv[0]));
            assert!(ranks[0] >= ranks[1] || mates(&pair[0]), "{}", x_fen(&pos));
        }
        let is_best = rank(lines[0].pv[0]) == *best || mates(&lines[0]);
        assert!(is_best, "{}", x_fen(&pos));
    }
}

#[test]
fn a_mate_search_does_not_probe() {
    let Some(folder) = folder() else { return };
    let limits = Limits { mate: Some(5), ..depth(12) };
    let pos = position("8/8/8/8/3k4/8/1K6/Q7 w - - 0 1");
    assert_eq!(hits(&mut engine(&folder), &pos, &limits), 0);
}

#[test]
fn the_hits_of_all_threads_are_counted() {
    let Some(folder) = folder() else { return };
    let pos = position("8/8/8/4k3/8/8/4P3/4KR1r w - - 0 1");
    let mut engine = engine_with(&folder, |settings| settings.threads = 3);
    assert!(hits(&mut engine, &pos, &nodes(50_000)) > 0);
}

#[test]
fn the_fifty_move_rule_draws_long_wins_if_enabled() {
    let Some(folder) = folder() else { return };
    let reference = Reference::new(&folder);
    let far = endings::won_positions(&reference, 1, 20).remove(0);
    let distance = reference.dtz(&far).0;
    for (clock, fifty, is_won) in
        [(98 - distance, true, true), (101 - distance, true, false), (101 - distance, false, true)]
    {
        let mut engine = engine_with(&folder, |it| it.syzygy_50_move_rule = fifty);
        let pos = position(&x_fen(&far).replace(" - 0 1", &format!(" - {clock} 90")));
        let value = go(&mut engine, &pos, &depth(2)).value();
        assert_eq!(value >= tb_win_in(0), is_won, "{}: {value}", x_fen(&pos));
        assert!(is_won || (0..10).contains(&value), "{value}");
    }
}
