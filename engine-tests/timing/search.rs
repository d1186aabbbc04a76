//! The search ends on `stop` and when its time is up.

use std::thread;
use std::time::{Duration, Instant};

use brisance::engine::{Engine, Settings};
use brisance::rules::{Position, Variant};
use brisance::search::{Limits, NullListener};
use serial_test::serial;

#[test]
#[serial]
fn threads_stop_quickly() {
    let settings = Settings {
        threads: 4,
        ..Settings::default()
    };
    let mut engine = Engine::with_settings(settings).expect("four threads");
    engine.set_position(Position::startpos(Variant::Atomic));
    for pause in [0, 1, 30] {
        let control = engine.control();
        control.arm(false);
        let stopper = thread::spawn(move || {
            thread::sleep(Duration::from_millis(pause));
            control.stop();
            Instant::now()
        });
        let limits = Limits {
            infinite: true,
            ..Limits::default()
        };
        let summary = engine.go_armed(&limits, &NullListener);
        let delay = stopper.join().expect("it stops").elapsed();
        assert!(summary.best_move().is_some());
        // A few milliseconds on an idle machine.
        assert!(delay < Duration::from_millis(250), "{delay:?}");
    }
}

#[test]
#[serial]
fn a_ponder_hit_starts_the_clock() {
    let mut engine = Engine::new();
    let control = engine.control();
    control.arm(true);
    let hit = thread::spawn(move || {
        thread::sleep(Duration::from_millis(150));
        control.ponderhit();
        Instant::now()
    });
    let limits = Limits {
        ponder: true,
        time: [Some(Duration::from_millis(400)); 2],
        ..Limits::default()
    };
    engine.go_armed(&limits, &NullListener);
    let hit = hit.join().expect("it hits");
    assert!(hit.elapsed() < Duration::from_millis(450));
}

#[test]
#[serial]
fn move_time_is_kept() {
    for ms in [1, 20, 100] {
        let time = Duration::from_millis(ms);
        let limits = Limits {
            move_time: Some(time),
            ..Limits::default()
        };
        let mut engine = Engine::new();
        engine.set_position(Position::startpos(Variant::Atomic));
        let summary = engine.go(&limits, &NullListener);
        assert!(summary.best_move().is_some());
        let limit = time + Duration::from_millis(60);
        assert!(summary.time < limit, "{:?}", summary.time);
    }
}
