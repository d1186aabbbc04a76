//! Random games compared with shakmaty, which implements Lichess's rules, and with the reference: at
//! every ply the legal moves, their SAN, the FEN, check and outcome are equal.
//! Slow: `cargo test --release --test engine oracle -- --ignored exhaustive_`

use std::collections::BTreeMap;

use brisance::notation::{coord, san};
use brisance::rules::{Color, Move, MoveKind, OutcomeReason, Position, Variant};
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::variant::Atomic;
use shakmaty::{CastlingMode, Position as _};

use crate::peer::{assert_same, assert_same_as_reference, shakmaty_move, shakmaty_position};
use crate::program::PrintOnPanic;
use crate::random::Random;
use crate::walk::{Start, choose, visit};

/// Special cases: the name, one in how many positions must have it, and how often it occurs here.
fn features(pos: &Position) -> Vec<(&'static str, usize, usize)> {
    use OutcomeReason::*;
    let reason = pos.outcome_by_rule().map(|outcome| outcome.reason);
    let moves = pos.legal_moves();
    let has = |is_one: &dyn Fn(&Move) -> bool| usize::from(moves.iter().any(is_one));
    let castles = |mv: &Move| mv.kind() == MoveKind::Castle;
    let standard = |mv: &Move| mv.from().file() == 4 && matches!(mv.to().file(), 0 | 7);
    let promotes = |mv: &Move, takes| mv.promotion().is_some() && mv.is_capture() == takes;
    let wins = has(&|&mv| pos.explodes_king(mv));
    let checkers = pos.checkers().count();
    let losers = Color::ALL.into_iter().filter(|&color| !pos.can_win(color));
    let once = usize::from;
    vec![
        ("check", 15, once(checkers == 1)),
        ("double check", 300, once(checkers == 2)),
        ("many checkers", 2000, once(checkers > 2)),
        ("touching kings", 10, once(pos.kings_touch())),
        ("en passant", 60, once(pos.en_passant().is_some())),
        ("castling", 120, has(&|mv| castles(mv) && standard(mv))),
        ("castling 960", 80, has(&|mv| castles(mv) && !standard(mv))),
        ("promotion", 25, has(&|mv| promotes(mv, false))),
        ("capturing promotion", 120, has(&|mv| promotes(mv, true))),
        ("win in one", 12, wins),
        ("win in one in check", 120, wins * once(pos.in_check())),
        ("explosion", 250, once(reason == Some(Explosion))),
        ("checkmate", 400, once(reason == Some(Checkmate))),
        ("stalemate", 20_000, once(reason == Some(Stalemate))),
        ("insufficient", 500, once(pos.has_insufficient_material())),
        ("insufficient of one side", 25, losers.count()),
    ]
}

fn compare(pos: &Position, other: &Atomic) {
    let _at = PrintOnPanic(|| format!("at {pos:?} after {:?}", pos.last_move()));
    assert_same(pos, other);
    let checkers: Vec<usize> = pos.checkers().into_iter().map(|s| s.index()).collect();
    let their_checkers: Vec<usize> = other.checkers().into_iter().map(usize::from).collect();
    assert_eq!(checkers, their_checkers, "checkers");
    for mv in pos.legal_moves() {
        assert!(pos.is_legal(mv), "{mv:?} is legal");
        let (name, text) = (coord::write(mv, true), san::write(pos, mv));
        assert_eq!(san::parse(pos, &text), Ok(mv), "{text}");
        assert_eq!(coord::parse(pos, &name), Some(mv), "{name}");
        let theirs = shakmaty_move(pos, mv);
        let uci = UciMove::from_move(theirs, CastlingMode::Chess960);
        assert_eq!(name, uci.to_string());
        assert_eq!(text, SanPlus::from_move(other.clone(), theirs).to_string());
    }
}

/// Compares at least this number of positions, which must have the special cases.
fn walk(seed: u64, positions: usize) {
    let mut random = Random::new(seed);
    let (mut visited, mut tally) = (0, BTreeMap::new());
    for start in Start::cycle() {
        let mut pos = start.position(Variant::Atomic, &mut random);
        let Some(mut other) = shakmaty_position(&pos) else {
            continue;
        };
        let prefers_wins = random.one_in(8);
        for _ in 0..start.max_plies() {
            compare(&pos, &other);
            visited += 1;
            for (name, one_in, count) in features(&pos) {
                *tally.entry((name, one_in)).or_insert(0) += count;
            }
            if pos.outcome_by_rule().is_some() {
                break;
            }
            let Some(mv) = choose(&pos, prefers_wins, &mut random) else {
                break;
            };
            other.play_unchecked(shakmaty_move(&pos, mv));
            pos.make(mv);
        }
        if visited >= positions {
            break;
        }
    }
    println!("{visited} positions: {tally:#?}");
    for ((name, one_in), count) in tally {
        assert!(count * one_in >= visited, "too few: {name}");
    }
}

#[test]
fn positions_of_random_games_agree() {
    walk(1, 12_000);
}

#[test]
#[ignore = "exhaustive: minutes"]
fn exhaustive_a_million_positions_agree() {
    walk(2, 1_000_000);
}

/// No other program plays exactly the rules without check of the Internet Chess Club.
#[test]
fn games_agree_with_the_reference() {
    for (seed, positions, variant) in
        [(3, 10_000, Variant::NoCheckAtomic), (4, 5_000, Variant::Atomic)]
    {
        let mut special = [0; 2];
        visit(seed, positions, variant, |pos| {
            let [castlings, en_passants] = assert_same_as_reference(pos);
            special[0] += castlings;
            special[1] += en_passants;
        });
        println!("{variant}: castlings and en-passant captures {special:?}");
        assert!(special.iter().all(|&count| count * 100 >= positions));
    }
}
