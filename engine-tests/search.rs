//! The search: mates and draws, limits, lines, and that one thread is deterministic. Expected
//! results follow from the rules, not from the search. Time is tested in `timing/search.rs`.
//! Slow: `cargo test --release --test engine search -- --ignored deep_`

use brisance::engine::Engine;
use brisance::eval::score::MATE;
use brisance::eval::wdl::DisplayScore;
use brisance::notation::coord;
use brisance::rules::{Position, Variant};
use brisance::search::{Bound, Limits, NullListener, SearchResult, see_values};

use crate::program::{FORCED, WIN};
use crate::searching::{depth, engine, go, infinite, move_time, nodes, play_line, report};
use crate::walk::{play, position, position_in};

fn search(pos: &Position, limits: &Limits) -> SearchResult {
    go(&mut Engine::new(), pos, limits)
}

fn restricted_to(pos: &Position, mv: &str, limits: Limits) -> Limits {
    Limits { search_moves: vec![coord::parse(pos, mv).expect("a legal move")], ..limits }
}

#[test]
fn see_values_rise_from_pawn_to_queen() {
    let values = see_values();
    assert!(values[0] > 0 && values.is_sorted_by(|a, b| a < b), "{values:?}");
}

#[test]
fn wins_in_one_are_found() {
    for (text, mv) in [
        // En passant next to the king, a capturing promotion, a capture next to the king, a
        // capture while in check, and the capture of a king that was left in check.
        ("8/2k5/8/3pP3/8/8/8/K7 w - d6 0 1", "e5d6"),
        ("6kr/6P1/8/8/8/8/8/K7 w - - 0 1", "g7h8q"),
        (WIN, "d3d7"),
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
        let summary = go(&mut engine, &pos, &nodes(limit));
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
    play_out_mate(FORCED, 1_000_000);
}

#[test]
fn draws_have_the_value_zero() {
    // The only move searched stalemates; the hundredth ply without capture or pawn move draws.
    let late = "4k3/7R/8/8/8/8/8/R3K3 w - - 99 80";
    for (text, mv) in [("KQ6/Rk6/8/3B4/8/8/8/8 w - - 0 1", "d5c6"), (late, "a1a2")] {
        let pos = position(text);
        let limits = restricted_to(&pos, mv, depth(6));
        assert_eq!(search(&pos, &limits).value(), 0, "{text}");
    }
    // Unless it mates.
    let pos = position(late);
    let summary = search(&pos, &depth(6));
    assert_eq!(summary.best_move(), coord::parse(&pos, "a1a8"));
    assert_eq!(summary.display_score(), DisplayScore::Mate(1));
    // Insufficient material.
    let pos = position("8/4rk2/8/8/8/8/3K4/8 w - - 0 1");
    assert_eq!(search(&pos, &depth(6)).value(), 0);
    // A lone queen cannot win while the kings touch.
    let shown = search(&position("2q1k3/4K3/8/8/8/8/8/8 w - - 0 1"), &depth(12)).display_score();
    assert!(matches!(shown, DisplayScore::Centipawns(cp) if cp.abs() < 25), "{shown:?}");
}

#[test]
fn a_losing_side_repeats() {
    // White is a queen down, but this position occurred twice: a third time is a draw.
    let mut pos = position("7k/8/8/8/8/6q1/P7/K7 b - - 0 1");
    play(&mut pos, "h8g8 a1b1 g8h8 b1a1 h8g8 a1b1 g8h8");
    let back = restricted_to(&pos, "b1a1", depth(5));
    assert_eq!(search(&pos, &back).value(), 0);
}

#[test]
fn node_limits_are_exact_and_reproducible() {
    let pos = Position::startpos(Variant::Atomic);
    let mut engine = Engine::new();
    for limit in [1, 2, 37, 1000, 4097, 30_000] {
        let mut run = || {
            engine.clear();
            go(&mut engine, &pos, &nodes(limit))
        };
        let (first, second) = (run(), run());
        // Depth 1 is always completed: it takes a node for each of the 20 moves.
        assert_eq!(first.nodes, limit.max(20));
        assert!(first.value() > 0, "{limit}: {}", first.value());
        assert_eq!(first.best_move(), second.best_move());
        assert_eq!(first.value(), second.value());
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
            let (_, reports) = report(&mut Engine::new(), &pos, &nodes(limit));
            let last = &reports.last_lines()[0];
            assert!(last.pv.len() > 1, "{text} after {limit} nodes: one move");
            play_line(&pos, &last.pv);
        }
    }
}

#[test]
fn a_stopped_search_sorts_its_lines() {
    let three_lines = || engine(|settings| settings.multipv = 3);
    for (text, range) in [
        ("7r/3b4/2p2p2/1p1k2pp/P2P2P1/2K1P2P/7R/3Q4 w - - 9 36", 200..400),
        ("1nb1k2r/1pp2p1p/r2p2pn/p5q1/P2b2PP/2BPP3/1PP1B1R1/RN1QK1N1 b Qk - 2 12", 8_000..16_000),
    ] {
        let pos = position(text);
        for limit in range.clone().step_by((range.end - range.start) / 40) {
            let (_, reports) = report(&mut three_lines(), &pos, &nodes(limit as u64));
            let infos = reports.infos();
            let last = &infos[infos.len() - 3..];
            let pairs = last.windows(2);
            for pair in pairs.filter(|pair| pair[0].depth == pair[1].depth) {
                assert_eq!(pair[0].multipv + 1, pair[1].multipv);
                assert!(pair[0].value >= pair[1].value, "{text} after {limit} nodes");
            }
        }
    }
}

#[test]
fn nodestime_is_exact_and_reproducible() {
    let mut engine = engine(|it| (it.node_time, it.move_overhead) = (100, 0));
    for ms in [7, 10, 33] {
        assert_eq!(engine.go(&move_time(ms), &NullListener).nodes, 100 * ms);
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
        let pos = position_in(variant, text);
        let mut engine = engine(|settings| settings.multipv = 3);
        let (summary, reports) = report(&mut engine, &pos, &depth(8));
        let reports = reports.infos();
        assert_eq!(reports.len(), 3 * summary.depth() as usize, "{text}");
        for lines in reports.chunks(3) {
            assert!(lines.iter().map(|line| line.multipv).eq(1..=3));
            assert!(lines.windows(2).all(|pair| pair[0].value >= pair[1].value));
            assert!(lines.windows(2).all(|pair| pair[0].depth == pair[1].depth));
            let mut firsts: Vec<u16> = lines.iter().map(|line| line.pv[0].code()).collect();
            firsts.sort_unstable();
            firsts.dedup();
            assert_eq!(firsts.len(), 3);
            for line in lines {
                assert_eq!(line.bound, Bound::Exact);
                play_line(&pos, &line.pv);
            }
        }
        assert_eq!(summary.best_move(), Some(reports[reports.len() - 3].pv[0]));
    }
}

#[test]
fn search_moves_restrict_the_root() {
    let pos = position("k5br/6P1/8/8/8/8/8/K7 w - - 0 1");
    // The search treats the four capturing promotions as one move, but keeps the piece.
    for (pos, mv) in [(pos, "g7h8n"), (position("startpos"), "a2a3")] {
        let found = search(&pos, &restricted_to(&pos, mv, depth(4)));
        assert_eq!(found.best_move(), coord::parse(&pos, mv));
    }
}

#[test]
fn without_check_a_lone_king_is_mated() {
    // Tipau's position: after Rb2 the king must step onto an attacked square.
    let pos = position_in(Variant::NoCheckAtomic, "K7/8/8/8/8/8/7R/k7 w - - 0 1");
    let limits = restricted_to(&pos, "h2b2", depth(8));
    let score = search(&pos, &limits).display_score();
    assert!(matches!(score, DisplayScore::Mate(1..)), "{score:?}");
}

#[test]
fn several_threads_find_a_mate() {
    let mut engine = engine(|settings| settings.threads = 4);
    let pos = position(FORCED);
    let limits = Limits { mate: Some(4), ..Limits::default() };
    let score = go(&mut engine, &pos, &limits).display_score();
    assert_eq!(score, DisplayScore::Mate(4));
}

#[test]
fn a_search_stopped_before_its_start_finds_a_win_in_one() {
    let pos = position(WIN);
    let mut engine = Engine::new();
    engine.set_position(pos.clone());
    let control = engine.control();
    control.arm(false);
    control.stop();
    let best = engine.go_armed(&infinite(), &NullListener).best_move();
    assert_eq!(best, coord::parse(&pos, "d3d7"));
}
