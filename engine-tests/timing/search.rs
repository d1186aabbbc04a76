//! The search ends on `stop` and when its time is up; play below full strength keeps to its time.

use std::thread;
use std::time::{Duration, Instant};

use brisance::engine::{Engine, Level};
use brisance::search::{Limits, NullListener};

use crate::levels::engine;
use crate::searching::{infinite, move_time};

#[test]
#[ignore = "timing"]
fn a_ponder_hit_starts_the_clock() {
    let mut engine = Engine::new();
    let control = engine.control();
    control.arm(true);
    let hit = thread::spawn(move || {
        thread::sleep(Duration::from_millis(150));
        control.ponderhit();
        Instant::now()
    });
    let limits =
        Limits { ponder: true, time: [Some(Duration::from_millis(400)); 2], ..Limits::default() };
    engine.go_armed(&limits, &NullListener);
    let hit = hit.join().expect("it hits");
    assert!(hit.elapsed() < Duration::from_millis(450));
}

#[test]
#[ignore = "timing"]
fn move_time_is_kept() {
    for (skill, ms) in [(20, 1), (20, 20), (20, 100), (19, 30)] {
        let mut player = engine(skill);
        let start = Instant::now();
        let summary = player.go(&move_time(ms), &NullListener);
        let time = start.elapsed();
        assert!(summary.best_move().is_some());
        let is_kept = time < Duration::from_millis(ms + 60);
        assert!(is_kept, "{skill} {ms}: {time:?}");
    }
}

#[test]
#[ignore = "timing"]
fn infinite_analysis_is_not_limited_by_the_level() {
    let mut engine = engine(0);
    let control = engine.control();
    control.arm(false);
    let level_nodes = Level::from_skill(0).expect("a level").nodes();
    let stopper = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        control.stop();
    });
    assert!(engine.go_armed(&infinite(), &NullListener).nodes > 5 * level_nodes);
    stopper.join().expect("it stops");
}
