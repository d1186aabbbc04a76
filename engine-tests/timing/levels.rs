//! Play below full strength keeps to its time; infinite analysis ignores the strength.

use std::thread;
use std::time::{Duration, Instant};

use brisance::engine::{Engine, Level, Settings};
use brisance::rules::{Position, Variant};
use brisance::search::{Limits, NullListener};
use serial_test::serial;

fn engine(skill: u8) -> Engine {
    let settings = Settings {
        hash: 1,
        skill,
        ..Settings::default()
    };
    let mut engine = Engine::with_settings(settings).expect("a small engine");
    engine.set_position(Position::startpos(Variant::Atomic));
    engine
}

#[test]
#[serial]
fn a_level_keeps_its_move_time() {
    let start = Instant::now();
    let limits = Limits {
        move_time: Some(Duration::from_millis(30)),
        ..Limits::default()
    };
    assert!(engine(19).go(&limits, &NullListener).best_move().is_some());
    let elapsed = start.elapsed();
    assert!(elapsed < Duration::from_secs(1), "{elapsed:?}");
}

#[test]
#[serial]
fn infinite_analysis_is_not_limited_by_the_level() {
    let mut engine = engine(0);
    let control = engine.control();
    control.arm(false);
    let level_nodes = Level::from_skill(0).expect("a level").nodes();
    let stopper = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        control.stop();
    });
    let limits = Limits {
        infinite: true,
        ..Limits::default()
    };
    assert!(engine.go_armed(&limits, &NullListener).nodes > 5 * level_nodes);
    stopper.join().expect("it stops");
}
