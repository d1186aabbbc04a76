//! Play below full strength: limits, wins in one, random choice, and that it is weaker.
//! Move time and infinite analysis are tested in `timing/search.rs`.

use brisance::engine::options::{self, UciOptions};
use brisance::engine::{Engine, Level};
use brisance::rules::{Color, Move, Position, Variant};
use brisance::search::Limits;

use crate::searching::{self, go, nodes};
use crate::walk;

pub fn engine(skill: u8) -> Engine {
    searching::engine(|settings| settings.skill = skill)
}

/// Varied positions with at least two legal moves.
fn positions(seed: u64, count: usize) -> Vec<Position> {
    let mut found = Vec::new();
    walk::visit(seed, 20 * count, Variant::Atomic, |pos| {
        if found.len() < count && pos.outcome().is_none() && pos.legal_moves().len() > 1 {
            found.push(pos.clone());
        }
    });
    found
}

#[test]
fn from_level_3_on_no_win_or_loss_in_one_is_missed() {
    let (mut won, mut avoided) = (0, 0);
    for skill in [3, 8] {
        let mut engine = engine(skill);
        for (seed, pos) in positions(71 + u64::from(skill), 250).iter().enumerate() {
            engine.seed_level(seed as u64);
            let limits = nodes(60);
            let mv = go(&mut engine, pos, &limits).best_move().expect("a move");
            assert!(pos.is_legal(mv));
            let us = pos.side_to_move();
            let wins = |mv| walk::wins(&mut pos.after(mv), us, 0);
            let allows_win = |mv| walk::wins(&mut pos.after(mv), !us, 1);
            let mut all = pos.legal_moves().into_iter();
            if all.clone().any(wins) {
                assert!(wins(mv), "{pos:?}: {mv:?}");
                won += 1;
            } else if allows_win(mv) {
                assert!(all.all(allows_win), "{pos:?}: {mv:?}");
            } else {
                avoided += usize::from(all.any(allows_win));
            }
        }
    }
    assert!(won > 20 && avoided > 20, "{won} {avoided}");
}

#[test]
fn full_strength_is_the_normal_search() {
    let limits = nodes(3_000);
    let (mut default, mut full) = (Engine::new(), Engine::new());
    let mut state = UciOptions::default();
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
        let results = [&mut default, &mut full].map(|engine| {
            let found = go(engine, &pos, &limits);
            (found.pv().to_vec(), found.value(), found.nodes, found.depth())
        });
        assert_eq!(results[0], results[1]);
    }
}

#[test]
fn uci_elo_overrides_skill_level() {
    let (mut engine, mut state) = (Engine::new(), UciOptions::default());
    let mut level = |name, value: &str| {
        options::apply(&mut engine, &mut state, name, Some(value)).expect("an option");
        engine.settings().level()
    };
    let least = Level::from_elo(Level::MIN_ELO);
    assert_eq!(level("UCI_Elo", &Level::MIN_ELO.to_string()), None);
    assert_eq!(level("UCI_LimitStrength", "true"), Some(least));
    assert_eq!(level("Skill Level", "7"), Some(least));
    let most = Level::from_elo(Level::MAX_ELO);
    assert_eq!(level("UCI_Elo", &Level::MAX_ELO.to_string()), Some(most));
    assert_eq!(level("UCI_LimitStrength", "false"), Level::from_skill(7));
}

#[test]
fn a_level_limits_the_nodes() {
    let pos = Position::startpos(Variant::Atomic);
    for skill in [0, 6, 12] {
        let level = Level::from_skill(skill).expect("a level");
        let mut engine = searching::engine(|it| (it.skill, it.threads) = (skill, 3));
        assert!(go(&mut engine, &pos, &Limits::default()).nodes <= level.nodes());
        let few = nodes(50);
        assert!(go(&mut engine, &pos, &few).nodes <= 50);
    }
}

#[test]
fn the_seed_determines_the_moves() {
    let positions = positions(9, 40);
    let moves = |seed| -> Vec<Option<Move>> {
        let mut engine = engine(2);
        engine.seed_level(seed);
        let best = |pos| {
            engine.clear();
            go(&mut engine, pos, &Limits::default()).best_move()
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
        players[0].seed_level(game as u64);
        let mut pos = Position::startpos(Variant::Atomic);
        let outcome = loop {
            if let Some(outcome) = pos.outcome() {
                break outcome;
            }
            let player = &mut players[usize::from(pos.side_to_move() != low)];
            let found = go(player, &pos, &Limits::default());
            pos.make(found.best_move().expect("a move"));
        };
        points += match outcome.result.winner() {
            Some(winner) => f64::from(u8::from(winner != low)),
            None => 0.5,
        };
    }
    assert!(points >= 6.0, "{points} of 8");
}

#[test]
fn elo_is_the_inverse_of_from_elo() {
    for elo in Level::MIN_ELO..=Level::MAX_ELO {
        assert_eq!(Level::from_elo(elo).elo(), elo);
    }
    let levels = (0..Level::FULL).filter_map(Level::from_skill);
    let elos: Vec<u16> = levels.map(Level::elo).collect();
    assert_eq!((elos[0], elos[19]), (Level::MIN_ELO, Level::MAX_ELO));
    assert!(elos.is_sorted_by(|a, b| a < b), "{elos:?}");
}
