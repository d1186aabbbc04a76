//! The search: mates and draws, limits, lines, and that one thread is deterministic. Expected
//! results follow from the rules, not from the search. Time is tested in `timing/search.rs`.
//! Slow: `cargo test --release --test engine search -- --ignored deep_`

use std::time::Duration;

use brisance::engine::{Engine, Settings};
use brisance::eval::score::MATE;
use brisance::eval::wdl::DisplayScore;
use brisance::notation::{coord, fen};
use brisance::rules::{Position, Variant};
use brisance::search::{Bound, Limits, Listener, NullListener, SearchInfo, SearchResult};
use parking_lot::Mutex;

fn position(text: &str) -> Position {
    fen::parse(text, Variant::Atomic).expect("a valid FEN")
}

fn search(pos: &Position, limits: &Limits) -> SearchResult {
    let mut engine = Engine::new();
    engine.set_position(pos.clone());
    engine.go(limits, &NullListener)
}

pub fn depth(depth: i32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

pub fn nodes(limit: u64) -> Limits {
    Limits {
        nodes: Some(limit),
        ..Limits::default()
    }
}

fn restricted_to(pos: &Position, mv: &str, limits: Limits) -> Limits {
    Limits {
        search_moves: vec![coord::parse(pos, mv).expect("a legal move")],
        ..limits
    }
}

/// Collects all reports.
#[derive(Default)]
struct Collector(Mutex<Vec<SearchInfo>>);

impl Listener for Collector {
    fn report(&self, report: &SearchInfo) {
        self.0.lock().push(report.clone());
    }
}

#[test]
fn wins_in_one_are_found() {
    for (text, mv) in [
        // En passant next to the king, a capturing promotion, a capture next to the king, a
        // capture while in check, and the capture of a king that was left in check.
        ("8/2k5/8/3pP3/8/8/8/K7 w - d6 0 1", "e5d6"),
        ("6kr/6P1/8/8/8/8/8/K7 w - - 0 1", "g7h8q"),
        (
            "rnb1kbnr/pppp1ppp/8/4p3/8/3Q4/PPP1PPPP/RNB1KBNR w KQkq - 0 4",
            "d3d7",
        ),
        ("8/8/1Q2pk2/8/8/8/3K4/1n6 w - - 0 1", "b6e6"),
        ("3rk3/8/8/8/8/8/8/3RK3 w - - 0 1", "d1d8"),
    ] {
        let pos = position(text);
        let summary = search(&pos, &depth(3));
        assert_eq!(summary.best_move(), coord::parse(&pos, mv), "{text}");
        assert_eq!(summary.display_score(), DisplayScore::Mate(1), "{text}");
    }
}

/// Plays a mating position out with `limit` nodes per move: the mate gets closer with each.
fn play_out_mate(fen: &str, limit: u64) {
    let mut pos = position(fen);
    let mut engine = Engine::new();
    let mut previous_plies = i32::MAX;
    while pos.outcome().is_none() {
        engine.set_position(pos.clone());
        let summary = engine.go(&nodes(limit), &NullListener);
        let DisplayScore::Mate(moves) = summary.display_score() else {
            panic!("no mate in {pos:?}")
        };
        let plies = MATE - summary.value().abs();
        assert!(moves != 0 && plies < previous_plies);
        previous_plies = plies;
        pos.make(summary.best_move().expect("the game is not over"));
    }
}

#[test]
fn a_mate_gets_closer_with_each_move() {
    play_out_mate("8/8/8/3k4/8/8/4Q3/4K3 w - - 0 1", 100_000);
}

#[test]
#[ignore = "deep: seconds"]
fn deep_a_published_mate_gets_closer_with_each_move() {
    play_out_mate("b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1", 1_000_000);
}

#[test]
fn draws_have_the_value_zero() {
    // The only move searched stalemates.
    let pos = position("KQ6/Rk6/8/3B4/8/8/8/8 w - - 0 1");
    assert_eq!(
        search(&pos, &restricted_to(&pos, "d5c6", depth(6))).value(),
        0
    );
    // The hundredth ply without capture or pawn move draws, unless it mates.
    let pos = position("4k3/7R/8/8/8/8/8/R3K3 w - - 99 80");
    assert_eq!(
        search(&pos, &restricted_to(&pos, "a1a2", depth(6))).value(),
        0
    );
    let summary = search(&pos, &depth(6));
    assert_eq!(summary.best_move(), coord::parse(&pos, "a1a8"));
    assert_eq!(summary.display_score(), DisplayScore::Mate(1));
    // Insufficient material.
    assert_eq!(
        search(&position("8/4rk2/8/8/8/8/3K4/8 w - - 0 1"), &depth(6)).value(),
        0
    );
    // A lone queen cannot win while the kings touch.
    let shown = search(&position("2q1k3/4K3/8/8/8/8/8/8 w - - 0 1"), &depth(12)).display_score();
    assert!(
        matches!(shown, DisplayScore::Centipawns(cp) if cp.abs() < 25),
        "{shown:?}"
    );
}

#[test]
fn a_losing_side_repeats() {
    // White is a queen down, but this position occurred twice: a third time is a draw.
    let mut pos = position("7k/8/8/8/8/6q1/P7/K7 b - - 0 1");
    for mv in ["h8g8", "a1b1", "g8h8", "b1a1", "h8g8", "a1b1", "g8h8"] {
        let mv = coord::parse(&pos, mv).expect("a legal shuffle");
        pos.make(mv);
    }
    let back = coord::parse(&pos, "b1a1").expect("legal");
    let limits = Limits {
        search_moves: vec![back],
        ..depth(5)
    };
    assert_eq!(search(&pos, &limits).value(), 0);
}

#[test]
fn node_limits_are_exact_and_reproducible() {
    let pos = Position::startpos(Variant::Atomic);
    let mut engine = Engine::new();
    engine.set_position(pos.clone());
    // Depth 1 is always completed: it takes a node for each of the 20 moves.
    for (limit, expected) in [
        (1, 20),
        (2, 20),
        (37, 37),
        (1000, 1000),
        (4097, 4097),
        (30_000, 30_000),
    ] {
        let mut run = || {
            engine.clear();
            engine.go(&nodes(limit), &NullListener)
        };
        let (first, second) = (run(), run());
        assert_eq!(first.nodes, expected);
        assert!(first.value() > 0, "{limit}: {}", first.value());
        assert_eq!(
            (first.best_move(), first.value()),
            (second.best_move(), second.value())
        );
        assert!(pos.is_legal(first.best_move().expect("a move")));
    }
}

#[test]
fn a_stopped_search_reports_a_line() {
    for text in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/pppq1ppp/2n1p3/3p4/3P4/2N1P3/PPPQ1PPP/R3K2R w KQkq - 0 10",
        "rnbqkb1r/pp1ppppp/5P2/2p5/8/8/PPPP1PPP/RNBQK1NR b KQkq - 0 3",
    ] {
        let pos = position(text);
        for limit in (2_000..30_000).step_by(2_777) {
            let collector = Collector::default();
            let mut engine = Engine::new();
            engine.set_position(pos.clone());
            let summary = engine.go(&nodes(limit), &collector);
            let reports = collector.0.into_inner();
            let last = reports.last().expect("a report");
            assert_eq!(last.pv.first(), summary.pv().first());
            assert!(last.pv.len() > 1, "{text} after {limit} nodes: one move");
            let mut after = pos.clone();
            for &mv in &last.pv {
                assert!(after.is_legal(mv), "{text} after {limit} nodes");
                after.make(mv);
            }
        }
    }
}

#[test]
fn a_stopped_search_sorts_its_lines() {
    let engine_at = |pos: &Position| {
        let settings = Settings {
            hash: 4,
            multipv: 3,
            ..Settings::default()
        };
        let mut engine = Engine::with_settings(settings).expect("a small engine");
        engine.set_position(pos.clone());
        engine
    };
    for (text, range) in [
        (
            "7r/3b4/2p2p2/1p1k2pp/P2P2P1/2K1P2P/7R/3Q4 w - - 9 36",
            200..400,
        ),
        (
            "1nb1k2r/1pp2p1p/r2p2pn/p5q1/P2b2PP/2BPP3/1PP1B1R1/RN1QK1N1 b Qk - 2 12",
            8_000..16_000,
        ),
    ] {
        let pos = position(text);
        for limit in range.clone().step_by((range.end - range.start) / 40) {
            let collector = Collector::default();
            let summary = engine_at(&pos).go(&nodes(limit as u64), &collector);
            let reports = collector.0.into_inner();
            let last = &reports[reports.len() - 3..];
            assert_eq!(last[0].pv.first(), summary.pv().first());
            for pair in last
                .windows(2)
                .filter(|pair| pair[0].depth == pair[1].depth)
            {
                assert_eq!(pair[0].multipv + 1, pair[1].multipv);
                assert!(pair[0].value >= pair[1].value, "{text} after {limit} nodes");
            }
        }
    }
}

#[test]
fn nodestime_is_exact_and_reproducible() {
    let mut engine = Engine::with_settings(Settings {
        node_time: 100,
        move_overhead: 0,
        ..Settings::default()
    })
    .unwrap();
    for ms in [7, 10, 33] {
        let limits = Limits {
            move_time: Some(Duration::from_millis(ms)),
            ..Limits::default()
        };
        assert_eq!(engine.go(&limits, &NullListener).nodes, 100 * ms);
    }
}

#[test]
fn clear_resets_the_engine() {
    let mut engine = Engine::new();
    let mut count = || {
        engine.clear();
        engine.go(&depth(9), &NullListener).nodes
    };
    let first = count();
    assert!(first > 1000);
    assert_eq!(first, count());
}

#[test]
fn multipv_lines_are_legal_sorted_and_complete() {
    for (text, variant) in [
        ("startpos", Variant::Atomic),
        (
            "r1bqkb1r/pp1ppppp/2n2n2/2p5/4P3/2N2N2/PPPP1PPP/R1BQKB1R w KQkq - 4 4",
            Variant::NoCheckAtomic,
        ),
        ("8/8/8/2k5/8/8/8/rR4KR w KQ - 0 1", Variant::Atomic),
        ("k5br/6P1/8/8/8/8/8/K7 w - - 0 1", Variant::Atomic),
    ] {
        let pos = fen::parse(text, variant).unwrap();
        let settings = Settings {
            multipv: 3,
            ..Settings::default()
        };
        let mut engine = Engine::with_settings(settings).unwrap();
        engine.set_position(pos.clone());
        let collector = Collector::default();
        let summary = engine.go(&depth(8), &collector);
        let reports = collector.0.into_inner();
        assert_eq!(reports.len(), 3 * summary.depth() as usize, "{text}");
        for lines in reports.chunks(3) {
            assert!(
                lines
                    .iter()
                    .zip(1..)
                    .all(|(line, rank)| line.multipv == rank)
            );
            assert!(lines.windows(2).all(|pair| pair[0].value >= pair[1].value));
            assert!(lines.windows(2).all(|pair| pair[0].depth == pair[1].depth));
            let mut firsts: Vec<u16> = lines.iter().map(|line| line.pv[0].code()).collect();
            firsts.sort_unstable();
            firsts.dedup();
            assert_eq!(firsts.len(), 3);
            for line in lines {
                assert_eq!(line.bound, Bound::Exact);
                let mut pos = pos.clone();
                for &mv in &line.pv {
                    assert!(pos.is_legal(mv), "{text}: {:?}", line.pv);
                    pos.make(mv);
                }
            }
        }
        assert_eq!(summary.best_move(), Some(reports[reports.len() - 3].pv[0]));
    }
}

#[test]
fn search_moves_restrict_the_root() {
    let pos = position("k5br/6P1/8/8/8/8/8/K7 w - - 0 1");
    // The search treats the four capturing promotions as one move, but keeps the piece.
    let promotion = coord::parse(&pos, "g7h8n").expect("legal");
    let limits = Limits {
        search_moves: vec![promotion],
        ..depth(4)
    };
    assert_eq!(search(&pos, &limits).best_move(), Some(promotion));
    let start = Position::startpos(Variant::Atomic);
    assert_eq!(
        search(&start, &restricted_to(&start, "a2a3", depth(5))).best_move(),
        coord::parse(&start, "a2a3")
    );
}

#[test]
fn a_finished_game_has_no_move() {
    for (text, value) in [
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", DisplayScore::Mate(0)),
        ("BQ6/Rk6/8/8/8/8/8/4K3 b - - 0 1", DisplayScore::Mate(0)),
        (
            "KQ6/Rk6/2B5/8/8/8/8/8 b - - 0 1",
            DisplayScore::Centipawns(0),
        ),
    ] {
        let summary = search(&position(text), &depth(3));
        assert_eq!(
            (summary.best_move(), summary.display_score()),
            (None, value),
            "{text}"
        );
    }
}

#[test]
fn without_check_a_lone_king_is_mated() {
    // Tipau's position: after Rb2 the king must step onto an attacked square.
    let pos = fen::parse("K7/8/8/8/8/8/7R/k7 w - - 0 1", Variant::NoCheckAtomic).unwrap();
    let limits = restricted_to(&pos, "h2b2", depth(8));
    assert!(
        matches!(search(&pos, &limits).display_score(), DisplayScore::Mate(moves) if moves > 0)
    );
}

#[test]
fn several_threads_find_a_mate() {
    let settings = Settings {
        threads: 4,
        ..Settings::default()
    };
    let mut engine = Engine::with_settings(settings).unwrap();
    let pos = position("b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1");
    engine.set_position(pos);
    let summary = engine.go(
        &Limits {
            mate: Some(4),
            ..Limits::default()
        },
        &NullListener,
    );
    assert_eq!(summary.display_score(), DisplayScore::Mate(4));
}

#[test]
fn a_search_stopped_before_its_start_finds_a_win_in_one() {
    let pos = position("rnb1kbnr/pppp1ppp/8/4p3/8/3Q4/PPP1PPPP/RNB1KBNR w KQkq - 0 4");
    let mut engine = Engine::new();
    engine.set_position(pos.clone());
    let control = engine.control();
    control.arm(false);
    control.stop();
    let limits = Limits {
        infinite: true,
        ..Limits::default()
    };
    assert_eq!(
        engine.go_armed(&limits, &NullListener).best_move(),
        coord::parse(&pos, "d3d7")
    );
}
