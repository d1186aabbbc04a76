//! Random games compared with shakmaty, which implements Lichess's rules, and with the reference: at
//! every ply the legal moves, their SAN, the FEN, check and outcome are equal.
//! Slow: `cargo test --release --test engine oracle -- --ignored exhaustive_`

use brisance::notation::fen::CastlingStyle;
use brisance::notation::{coord, fen, san};
use brisance::rules::{Color, Move, MoveKind, Outcome, OutcomeReason, Position, Variant};
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::variant::Atomic;
use shakmaty::{CastlingMode, Position as _};

use crate::peer::{assert_same, assert_same_as_reference, shakmaty_move, shakmaty_position};
use crate::random::Random;
use crate::walk::{Start, choose, visit};

/// How often each feature occurred: shows that the games cover the special cases.
#[derive(Default, Debug)]
struct Tally {
    positions: usize,
    walks: usize,
    refused_starts: usize,
    check: usize,
    double_check: usize,
    many_checkers: usize,
    touching: usize,
    en_passant: usize,
    castling: usize,
    castling_960: usize,
    promotion: usize,
    capture_promotion: usize,
    win_in_one: usize,
    win_in_one_in_check: usize,
    exploded: usize,
    checkmate: usize,
    stalemate: usize,
    insufficient: usize,
    one_side_insufficient: usize,
}

fn count_outcome(pos: &Position, tally: &mut Tally) {
    let reason = match pos.outcome_by_rule() {
        Some(Outcome::Win { reason, .. } | Outcome::Draw { reason }) => Some(reason),
        None => None,
    };
    tally.exploded += usize::from(reason == Some(OutcomeReason::Explosion));
    tally.checkmate += usize::from(reason == Some(OutcomeReason::Checkmate));
    tally.stalemate += usize::from(reason == Some(OutcomeReason::Stalemate));
    tally.insufficient += usize::from(pos.has_insufficient_material());
    let losers = Color::ALL.into_iter().filter(|&color| !pos.can_win(color));
    tally.one_side_insufficient += losers.count();
}

fn compare(pos: &Position, other: &Atomic, tally: &mut Tally) {
    assert_same(pos, other);
    count_outcome(pos, tally);
    let checkers: Vec<usize> = pos.checkers().into_iter().map(|s| s.index()).collect();
    let their_checkers: Vec<usize> = other.checkers().into_iter().map(usize::from).collect();
    assert_eq!(checkers, their_checkers, "checkers");
    let moves = pos.legal_moves();
    tally.positions += 1;
    tally.check += usize::from(checkers.len() == 1);
    tally.double_check += usize::from(checkers.len() == 2);
    tally.many_checkers += usize::from(checkers.len() > 2);
    tally.touching += usize::from(pos.kings_touch());
    tally.en_passant += usize::from(pos.en_passant().is_some());
    for &mv in &moves {
        assert!(pos.is_legal(mv), "{mv:?} is legal");
        let (name, text) = (coord::write(mv, true), san::write(pos, mv));
        assert_eq!(san::parse(pos, &text), Ok(mv), "{text}");
        assert_eq!(coord::parse(pos, &name), Some(mv), "{name}");
        let theirs = shakmaty_move(pos, mv);
        let uci = UciMove::from_move(theirs, CastlingMode::Chess960);
        assert_eq!(name, uci.to_string());
        assert_eq!(text, SanPlus::from_move(other.clone(), theirs).to_string());
    }
    let castles = |m: &&Move| m.kind() == MoveKind::Castle;
    let standard = |m: &Move| m.from().file() == 4 && matches!(m.to().file(), 0 | 7);
    tally.castling += usize::from(moves.iter().filter(castles).any(standard));
    tally.castling_960 += usize::from(moves.iter().filter(castles).any(|m| !standard(m)));
    let promotes = |takes| {
        let is_one = |m: &Move| m.promotion().is_some() && m.is_capture() == takes;
        usize::from(moves.iter().any(is_one))
    };
    tally.promotion += promotes(false);
    tally.capture_promotion += promotes(true);
    let wins = usize::from(moves.iter().any(|&m| pos.explodes_king(m)));
    tally.win_in_one += wins;
    tally.win_in_one_in_check += wins * usize::from(pos.in_check());
}

fn walk(seed: u64, positions: usize) -> Tally {
    let mut tally = Tally::default();
    let mut random = Random::new(seed);
    for start in Start::cycle() {
        let mut pos = start.position(Variant::Atomic, &mut random);
        let Some(mut other) = shakmaty_position(&pos) else {
            tally.refused_starts += 1;
            continue;
        };
        tally.walks += 1;
        let prefers_wins = random.one_in(8);
        for _ in 0..start.max_plies() {
            compare(PrintOnPanic(&pos).0, &other, &mut tally);
            if pos.outcome_by_rule().is_some() {
                break;
            }
            let Some(mv) = choose(&pos, prefers_wins, &mut random) else {
                break;
            };
            other.play_unchecked(shakmaty_move(&pos, mv));
            pos.make(mv);
        }
        if tally.positions >= positions {
            return tally;
        }
    }
    unreachable!("the starts never end")
}

/// Prints the position when a comparison panics.
struct PrintOnPanic<'a>(&'a Position);

impl Drop for PrintOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let text = fen::write(self.0, CastlingStyle::XFen);
            eprintln!("at {text} after {:?}", self.0.last_move());
        }
    }
}

fn assert_coverage(tally: &Tally) {
    let share = |count: usize, one_in: usize| {
        assert!(count * one_in >= tally.positions, "too few: {tally:#?}");
    };
    share(tally.check, 15);
    share(tally.double_check, 300);
    share(tally.many_checkers, 2000);
    share(tally.touching, 10);
    share(tally.en_passant, 60);
    share(tally.castling, 120);
    share(tally.castling_960, 80);
    share(tally.promotion, 25);
    share(tally.capture_promotion, 120);
    share(tally.win_in_one, 12);
    share(tally.win_in_one_in_check, 120);
    share(tally.exploded, 250);
    share(tally.checkmate, 400);
    share(tally.stalemate, 20_000);
    share(tally.insufficient, 500);
    share(tally.one_side_insufficient, 25);
}

#[test]
fn positions_of_random_games_agree() {
    let tally = walk(1, 12_000);
    println!("{tally:#?}");
    assert_coverage(&tally);
}

#[test]
#[ignore = "exhaustive: minutes"]
fn exhaustive_a_million_positions_agree() {
    let tally = walk(2, 1_000_000);
    println!("{tally:#?}");
    assert_coverage(&tally);
}

/// No other program plays exactly the rules without check of the Internet Chess Club.
fn compare_with_reference(seed: u64, positions: usize, variant: Variant) {
    let mut special = [0; 2];
    visit(seed, positions, variant, |pos| {
        let [castlings, en_passants] = assert_same_as_reference(pos);
        special[0] += castlings;
        special[1] += en_passants;
    });
    println!("{variant}: castlings and en-passant captures {special:?}");
    assert!(special.iter().all(|&count| count * 100 >= positions));
}

#[test]
fn games_without_check_agree_with_the_reference() {
    compare_with_reference(3, 10_000, Variant::NoCheckAtomic);
}

#[test]
fn games_with_check_agree_with_the_reference() {
    compare_with_reference(4, 5_000, Variant::Atomic);
}
