//! The search from outside: mates and draws it must see, limits it must keep, and that one
//! thread always does the same. Expected results follow from the rules, not from the search.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use brisance::engine::{Engine, Settings};
use brisance::eval::score::MATE;
use brisance::eval::wdl::Shown;
use brisance::notation::{coord, fen};
use brisance::rules::{Position, Variant};
use brisance::search::{Bound, Limits, Listener, Report, Silent, Summary};

fn position(text: &str) -> Position {
    fen::parse(text, Variant::Atomic).expect("the test's FEN is right")
}

fn search(pos: &Position, limits: &Limits) -> Summary {
    let mut engine = Engine::new();
    engine.set_position(pos.clone());
    engine.control().arm(limits.ponder);
    engine.go(limits, &Silent)
}

fn depth(depth: i32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

fn nodes(nodes: u64) -> Limits {
    Limits {
        nodes: Some(nodes),
        ..Limits::default()
    }
}

fn only(pos: &Position, mv: &str, limits: Limits) -> Limits {
    Limits {
        search_moves: vec![coord::parse(pos, mv).expect("a legal move")],
        ..limits
    }
}

/// Keeps every report.
#[derive(Default)]
struct Notes(Mutex<Vec<Report>>);

impl Listener for Notes {
    fn report(&self, report: &Report) {
        self.0.lock().unwrap().push(report.clone());
    }
}

#[test]
fn wins_in_one_are_seen_at_once() {
    for (text, mv) in [
        // En passant beside the king, a promotion by capture, a plain capture, a capture
        // while in check, and the direct capture of a king that was left in attack.
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
        assert_eq!(summary.best, coord::parse(&pos, mv), "{text}");
        assert_eq!(summary.shown(), Shown::Mate(1), "{text}");
    }
}

#[test]
fn known_mates_are_found() {
    // Published mates, found by several engines; the queen's sacrifice on e7 or e2 is what
    // careless pruning misses.
    for (text, mate) in [
        ("b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1", 4),
        ("b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 w - - 0 1", -5),
        ("3qk3/8/2n5/1B1p4/5P1p/2P4P/8/4K2R w K - 0 1", -5),
    ] {
        let found = search(&position(text), &nodes(3_000_000)).shown();
        assert_eq!(found, Shown::Mate(mate), "{text}");
    }
}

#[test]
fn a_mate_is_played_out_without_losing_count() {
    let mut pos = position("b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1");
    let mut engine = Engine::new();
    let mut left = i32::MAX;
    while pos.outcome().is_none() {
        engine.set_position(pos.clone());
        engine.control().arm(false);
        let summary = engine.go(&nodes(1_000_000), &Silent);
        let Shown::Mate(moves) = summary.shown() else {
            panic!("the mate was lost")
        };
        let plies = MATE - summary.value.abs();
        assert!(moves != 0 && plies < left);
        left = plies;
        pos.make(summary.best.expect("the game goes on"));
    }
}

#[test]
fn draws_have_the_value_of_draws() {
    // Stalemate by the only move searched.
    let pos = position("KQ6/Rk6/8/3B4/8/8/8/8 w - - 0 1");
    assert_eq!(search(&pos, &only(&pos, "d5c6", depth(6))).value, 0);
    // The hundredth half-move draws, unless it mates.
    let pos = position("4k3/7R/8/8/8/8/8/R3K3 w - - 99 80");
    assert_eq!(search(&pos, &only(&pos, "a1a2", depth(6))).value, 0);
    let summary = search(&pos, &depth(6));
    assert_eq!(summary.best, coord::parse(&pos, "a1a8"));
    assert_eq!(summary.shown(), Shown::Mate(1));
    // Dead material.
    assert_eq!(
        search(&position("8/4rk2/8/8/8/8/3K4/8 w - - 0 1"), &depth(6)).value,
        0
    );
    // A lone queen cannot separate kings that touch.
    let shown = search(&position("2q1k3/4K3/8/8/8/8/8/8 w - - 0 1"), &depth(12)).shown();
    assert!(
        matches!(shown, Shown::Centipawns(cp) if cp.abs() < 25),
        "{shown:?}"
    );
}

#[test]
fn a_repetition_is_taken_when_losing() {
    // White is a queen down, but the history holds this position twice: going back once
    // more is a draw.
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
    assert_eq!(search(&pos, &limits).value, 0);
}

#[test]
fn node_limits_are_exact_and_repeatable() {
    let pos = Position::startpos(Variant::Atomic);
    let mut engine = Engine::new();
    engine.set_position(pos.clone());
    for limit in [1, 2, 37, 1000, 4097, 30_000] {
        let mut run = || {
            engine.clear();
            engine.control().arm(false);
            engine.go(&nodes(limit), &Silent)
        };
        let (first, second) = (run(), run());
        assert_eq!(first.nodes, limit);
        assert_eq!((first.best, first.value), (second.best, second.value));
        assert!(pos.is_legal(first.best.expect("a move")));
    }
}

#[test]
fn a_stopped_search_still_tells_a_line() {
    for text in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/pppq1ppp/2n1p3/3p4/3P4/2N1P3/PPPQ1PPP/R3K2R w KQkq - 0 10",
        "rnbqkb1r/pp1ppppp/5P2/2p5/8/8/PPPP1PPP/RNBQK1NR b KQkq - 0 3",
    ] {
        let pos = position(text);
        for most in (2_000..40_000).step_by(977) {
            let notes = Notes::default();
            let mut engine = Engine::new();
            engine.set_position(pos.clone());
            engine.control().arm(false);
            let summary = engine.go(&nodes(most), &notes);
            let told = notes.0.into_inner().unwrap();
            let last = told.last().expect("a search reports");
            assert_eq!(last.pv.first(), summary.best.as_ref());
            assert!(last.pv.len() > 1, "{text} after {most} nodes: one move");
            let mut after = pos.clone();
            for &mv in &last.pv {
                assert!(after.is_legal(mv), "{text} after {most} nodes");
                after.make(mv);
            }
        }
    }
}

#[test]
fn a_stopped_search_puts_the_best_line_first() {
    let engine_of = |pos: &Position| {
        let settings = Settings {
            hash: 4,
            multipv: 3,
            ..Settings::default()
        };
        let mut engine = Engine::with_settings(settings).expect("a small engine");
        engine.set_position(pos.clone());
        engine.control().arm(false);
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
        for most in range.clone().step_by((range.end - range.start) / 40) {
            let notes = Notes::default();
            let summary = engine_of(&pos).go(&nodes(most as u64), &notes);
            let told = notes.0.into_inner().unwrap();
            let last = &told[told.len() - 3..];
            assert_eq!(last[0].pv.first(), summary.best.as_ref());
            for pair in last
                .windows(2)
                .filter(|pair| pair[0].depth == pair[1].depth)
            {
                assert_eq!(pair[0].multipv + 1, pair[1].multipv);
                assert!(pair[0].value >= pair[1].value, "{text} after {most} nodes");
            }
        }
    }
}

#[test]
fn a_clock_of_nodes_is_kept_exactly() {
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
        engine.control().arm(false);
        assert_eq!(engine.go(&limits, &Silent).nodes, 100 * ms);
    }
}

#[test]
fn a_new_game_begins_from_nothing() {
    let mut engine = Engine::new();
    let mut count = || {
        engine.clear();
        engine.control().arm(false);
        engine.go(&depth(9), &Silent).nodes
    };
    let first = count();
    assert!(first > 1000);
    assert_eq!(first, count());
}

#[test]
fn lines_are_legal_ordered_and_together() {
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
        engine.control().arm(false);
        let notes = Notes::default();
        let summary = engine.go(&depth(8), &notes);
        let reports = notes.0.into_inner().unwrap();
        assert_eq!(reports.len(), 3 * summary.depth as usize, "{text}");
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
        assert_eq!(summary.best, Some(reports[reports.len() - 3].pv[0]));
    }
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let pos = position("k5br/6P1/8/8/8/8/8/K7 w - - 0 1");
    // The four promotions that capture are one move to the search, but the name stays.
    let under = coord::parse(&pos, "g7h8n").expect("legal");
    let limits = Limits {
        search_moves: vec![under],
        ..depth(4)
    };
    assert_eq!(search(&pos, &limits).best, Some(under));
    let start = Position::startpos(Variant::Atomic);
    assert_eq!(
        search(&start, &only(&start, "a2a3", depth(5))).best,
        coord::parse(&start, "a2a3")
    );
}

#[test]
fn a_finished_game_has_no_move() {
    for (text, value) in [
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", Shown::Mate(0)),
        ("BQ6/Rk6/8/8/8/8/8/4K3 b - - 0 1", Shown::Mate(0)),
        ("KQ6/Rk6/2B5/8/8/8/8/8 b - - 0 1", Shown::Centipawns(0)),
    ] {
        let summary = search(&position(text), &depth(3));
        assert_eq!((summary.best, summary.shown()), (None, value), "{text}");
    }
}

#[test]
fn without_check_a_bare_king_is_hunted_down() {
    // Tipau's position: after Rb2 the king must walk into the rook's or king's reach.
    let pos = fen::parse("K7/8/8/8/8/8/7R/k7 w - - 0 1", Variant::NoCheckAtomic).unwrap();
    let limits = only(&pos, "h2b2", depth(8));
    assert!(matches!(search(&pos, &limits).shown(), Shown::Mate(moves) if moves > 0));
}

#[test]
fn threads_agree_on_mates_and_stop_at_once() {
    let settings = Settings {
        threads: 4,
        ..Settings::default()
    };
    let mut engine = Engine::with_settings(settings).unwrap();
    let pos = position("b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1");
    engine.set_position(pos);
    engine.control().arm(false);
    let summary = engine.go(
        &Limits {
            mate: Some(4),
            ..Limits::default()
        },
        &Silent,
    );
    assert_eq!(summary.shown(), Shown::Mate(4));

    engine.set_position(Position::startpos(Variant::Atomic));
    for pause in [0, 1, 30] {
        let control = engine.control();
        control.arm(false);
        let waiter = thread::spawn(move || {
            thread::sleep(Duration::from_millis(pause));
            control.stop();
            Instant::now()
        });
        let limits = Limits {
            infinite: true,
            ..Limits::default()
        };
        let summary = engine.go(&limits, &Silent);
        let late = waiter.join().unwrap().elapsed();
        assert!(summary.best.is_some());
        // A loaded machine may take its time; the ordinary figure is a few milliseconds.
        assert!(late < Duration::from_millis(250), "{late:?}");
    }
}

#[test]
fn a_search_stopped_before_it_began_still_looks_once() {
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
    assert_eq!(engine.go(&limits, &Silent).best, coord::parse(&pos, "d3d7"));
}

#[test]
fn pondering_ends_with_the_ponder_hit() {
    let mut engine = Engine::new();
    let control = engine.control();
    control.arm(true);
    let waiter = thread::spawn(move || {
        thread::sleep(Duration::from_millis(150));
        control.ponderhit();
        Instant::now()
    });
    let limits = Limits {
        ponder: true,
        time: [Some(Duration::from_millis(400)); 2],
        ..Limits::default()
    };
    engine.go(&limits, &Silent);
    let hit = waiter.join().unwrap();
    assert!(hit.elapsed() < Duration::from_millis(450));
}

#[test]
fn time_limits_are_kept() {
    let pos = Position::startpos(Variant::Atomic);
    for ms in [1, 20, 100] {
        let time = Duration::from_millis(ms);
        let summary = search(
            &pos,
            &Limits {
                move_time: Some(time),
                ..Limits::default()
            },
        );
        assert!(summary.best.is_some());
        assert!(
            summary.time < time + Duration::from_millis(60),
            "{:?}",
            summary.time
        );
    }
}
