//! Play below full strength, from outside: its limits, its care, its choice, and that it is
//! weaker.

use std::thread;
use std::time::{Duration, Instant};

use brisance::engine::{Engine, Level, Settings};
use brisance::rules::{Color, Move, Outcome, Position, Variant};
use brisance::search::{Limits, Silent, Summary};
use brisance::uci::options::{self, UciState};

use crate::walk;

fn engine(skill: u8) -> Engine {
    let settings = Settings {
        hash: 1,
        skill,
        ..Settings::default()
    };
    Engine::with_settings(settings).expect("a small engine")
}

fn go(engine: &mut Engine, pos: &Position, limits: &Limits) -> Summary {
    engine.set_position(pos.clone());
    engine.control().arm(false);
    engine.go(limits, &Silent)
}

/// Positions of many kinds in which there is something to choose.
fn positions(seed: u64, count: usize) -> Vec<Position> {
    let mut found = Vec::new();
    walk::visit(seed, 20 * count, Variant::Atomic, |pos| {
        if found.len() < count && pos.outcome().is_none() && pos.legal_moves().len() > 1 {
            found.push(pos.clone());
        }
    });
    found
}

fn wins(pos: &Position, mv: Move) -> bool {
    let mut after = pos.clone();
    after.make(mv);
    matches!(after.outcome_by_rule(), Some(Outcome::Win { winner, .. }) if winner == pos.side())
}

/// Whether some move wins at once, by trying all.
fn has_win(pos: &Position) -> bool {
    pos.legal_moves().into_iter().any(|mv| wins(pos, mv))
}

fn gives_win(pos: &Position, mv: Move) -> bool {
    let mut after = pos.clone();
    after.make(mv);
    after.outcome().is_none() && has_win(&after)
}

#[test]
fn from_level_3_on_nothing_that_wins_or_loses_in_one_is_overlooked() {
    let (mut won, mut avoided) = (0, 0);
    for skill in [3, 8] {
        let mut engine = engine(skill);
        for (seed, pos) in positions(71 + u64::from(skill), 250).iter().enumerate() {
            engine.vary(seed as u64);
            let limits = Limits {
                nodes: Some(60),
                ..Limits::default()
            };
            let mv = go(&mut engine, pos, &limits).best.expect("a move");
            assert!(pos.is_legal(mv));
            if has_win(pos) {
                assert!(wins(pos, mv), "{pos:?}: {mv:?}");
                won += 1;
            } else if gives_win(pos, mv) {
                let all = pos.legal_moves();
                assert!(
                    all.into_iter().all(|mv| gives_win(pos, mv)),
                    "{pos:?}: {mv:?}"
                );
            } else {
                avoided += usize::from(pos.legal_moves().into_iter().any(|mv| gives_win(pos, mv)));
            }
        }
    }
    assert!(won > 20 && avoided > 20, "{won} {avoided}");
}

#[test]
fn full_strength_is_the_ordinary_search() {
    let limits = Limits {
        nodes: Some(3_000),
        ..Limits::default()
    };
    let (mut ordinary, mut full) = (Engine::new(), Engine::new());
    let mut state = UciState::default();
    for (name, value) in [
        ("UCI_LimitStrength", "true"),
        ("UCI_Elo", "1500"),
        ("Skill Level", "4"),
        ("UCI_LimitStrength", "false"),
        ("Skill Level", "20"),
    ] {
        options::apply(&mut full, &mut state, name, Some(value)).expect("options");
    }
    for pos in positions(5, 20) {
        let told = [&mut ordinary, &mut full].map(|engine| {
            let found = go(engine, &pos, &limits);
            (
                found.best,
                found.ponder,
                found.value,
                found.nodes,
                found.depth,
            )
        });
        assert_eq!(told[0], told[1]);
    }
}

#[test]
fn an_elo_goes_before_a_skill() {
    let (mut engine, mut state) = (Engine::new(), UciState::default());
    let mut level = |name, value: &str| {
        options::apply(&mut engine, &mut state, name, Some(value)).expect("an option");
        engine.settings().level()
    };
    let least = Level::of_elo(Level::LEAST_ELO);
    assert_eq!(level("UCI_Elo", &Level::LEAST_ELO.to_string()), None);
    assert_eq!(level("UCI_LimitStrength", "true"), Some(least));
    assert_eq!(level("Skill Level", "7"), Some(least));
    let most = Level::MOST_ELO;
    assert_eq!(
        level("UCI_Elo", &most.to_string()),
        Some(Level::of_elo(most))
    );
    assert_eq!(level("UCI_LimitStrength", "false"), Level::of_skill(7));
}

#[test]
fn a_level_keeps_to_its_nodes_and_to_the_clock() {
    let pos = Position::startpos(Variant::Atomic);
    for skill in [0, 6, 12] {
        let level = Level::of_skill(skill).expect("a level");
        let mut engine = engine(skill);
        let settings = Settings {
            threads: 3,
            ..engine.settings().clone()
        };
        engine.configure(settings).expect("three threads");
        assert!(go(&mut engine, &pos, &Limits::default()).nodes <= level.nodes());
        let few = Limits {
            nodes: Some(50),
            ..Limits::default()
        };
        assert!(go(&mut engine, &pos, &few).nodes <= 50);
    }
    let start = Instant::now();
    let short = Limits {
        move_time: Some(Duration::from_millis(30)),
        ..Limits::default()
    };
    assert!(go(&mut engine(19), &pos, &short).best.is_some());
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn analysis_without_end_knows_no_level() {
    let mut engine = engine(0);
    let control = engine.control();
    control.arm(false);
    let most = Level::of_skill(0).expect("a level").nodes();
    let stopper = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        control.stop();
    });
    let endless = Limits {
        infinite: true,
        ..Limits::default()
    };
    assert!(engine.go(&endless, &Silent).nodes > 5 * most);
    stopper.join().expect("it stops");
}

#[test]
fn the_seed_decides() {
    let positions = positions(9, 40);
    let moves = |seed| -> Vec<Option<Move>> {
        let mut engine = engine(2);
        engine.vary(seed);
        let best = |pos| {
            engine.clear();
            go(&mut engine, pos, &Limits::default()).best
        };
        positions.iter().map(best).collect()
    };
    assert_eq!(moves(1), moves(1));
    assert_ne!(moves(1), moves(2));
}

#[test]
fn a_low_level_loses_to_a_high_one() {
    let mut points = 0.0;
    for game in 0..8 {
        let low = Color::ALL[game % 2];
        let mut players = [engine(1), engine(8)];
        players[0].vary(game as u64);
        let mut pos = Position::startpos(Variant::Atomic);
        let outcome = loop {
            if let Some(outcome) = pos.outcome() {
                break outcome;
            }
            let player = &mut players[usize::from(pos.side() != low)];
            let found = go(player, &pos, &Limits::default());
            pos.make(found.best.expect("a move"));
        };
        points += match outcome {
            Outcome::Win { winner, .. } if winner != low => 1.0,
            Outcome::Win { .. } => 0.0,
            Outcome::Draw { .. } => 0.5,
        };
    }
    assert!(points >= 6.0, "{points} of 8");
}
