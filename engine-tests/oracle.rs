//! Random games compared with shakmaty, which implements Lichess's rules: at every ply the
//! legal moves, their SAN, the FEN, check and outcome are equal.
//! Slow: `cargo test --release --test engine oracle -- --ignored exhaustive_`

use brisance::notation::fen::CastlingStyle;
use brisance::notation::{coord, fen, san};
use brisance::rules::{Color, MoveKind, Outcome, OutcomeReason, PieceType, Position, Variant};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::variant::Atomic;
use shakmaty::{CastlingMode, EnPassantMode, KnownOutcome, Position as _};

use crate::peer::{shakmaty_color, shakmaty_position};
use crate::random::Random;
use crate::walk::{Start, choose};

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

fn compare_outcome(pos: &Position, other: &Atomic, tally: &mut Tally) {
    let known = other.outcome().known();
    match pos.outcome_by_rule() {
        None => assert_eq!(known, None),
        Some(Outcome::Win { winner, reason }) => {
            let winner = shakmaty_color(winner);
            assert_eq!(known, Some(KnownOutcome::Decisive { winner }));
            assert_eq!(other.is_variant_end(), reason == OutcomeReason::Explosion);
            assert_eq!(other.is_checkmate(), reason == OutcomeReason::Checkmate);
            tally.exploded += usize::from(reason == OutcomeReason::Explosion);
            tally.checkmate += usize::from(reason == OutcomeReason::Checkmate);
        }
        Some(Outcome::Draw { reason }) => {
            assert_eq!(known, Some(KnownOutcome::Draw));
            assert_eq!(other.is_stalemate(), reason == OutcomeReason::Stalemate);
            tally.stalemate += usize::from(reason == OutcomeReason::Stalemate);
        }
    }
    for color in Color::ALL {
        let cannot = other.has_insufficient_material(shakmaty_color(color));
        assert_eq!(pos.can_win(color), !cannot, "{color} can win");
        tally.one_side_insufficient += usize::from(cannot);
    }
    let insufficient = other.is_insufficient_material();
    assert_eq!(pos.has_insufficient_material(), insufficient);
    tally.insufficient += usize::from(insufficient);
}

fn compare(pos: &Position, other: &Atomic, tally: &mut Tally) {
    let shown = Fen::from_position(other, EnPassantMode::Legal).to_string();
    assert_eq!(fen::write(pos, CastlingStyle::XFen), shown);
    let checkers: Vec<usize> = pos.checkers().into_iter().map(|s| s.index()).collect();
    let their_checkers: Vec<usize> = other.checkers().into_iter().map(usize::from).collect();
    assert_eq!(checkers, their_checkers, "checkers");
    assert_eq!(pos.in_check(), other.is_check());
    compare_outcome(pos, other, tally);

    let moves = pos.legal_moves();
    tally.positions += 1;
    tally.check += usize::from(checkers.len() == 1);
    tally.double_check += usize::from(checkers.len() == 2);
    tally.many_checkers += usize::from(checkers.len() > 2);
    tally.touching += usize::from(pos.kings_touch());
    tally.en_passant += usize::from(pos.en_passant().is_some());
    if other.is_variant_end() {
        // shakmaty generates moves even without a king.
        assert!(moves.is_empty());
        return;
    }

    let mut ours: Vec<(String, String)> = Vec::new();
    for &mv in &moves {
        assert!(pos.is_legal(mv), "{mv:?} is legal");
        let (name, text) = (coord::write(mv, true), san::write(pos, mv));
        assert_eq!(san::parse(pos, &text), Ok(mv), "{text}");
        assert_eq!(coord::parse(pos, &name), Some(mv), "{name}");
        ours.push((name, text));
    }
    let their_moves = other.legal_moves();
    let mut theirs: Vec<(String, String)> = Vec::new();
    for &mv in &their_moves {
        let name = UciMove::from_move(mv, CastlingMode::Chess960).to_string();
        theirs.push((name, SanPlus::from_move(other.clone(), mv).to_string()));
    }
    ours.sort();
    theirs.sort();
    assert_eq!(ours, theirs);

    let castles = |m: &&brisance::rules::Move| m.kind() == MoveKind::Castle;
    let standard =
        |m: &brisance::rules::Move| m.from().file() == 4 && matches!(m.to().file(), 0 | 7);
    tally.castling += usize::from(moves.iter().filter(castles).any(standard));
    tally.castling_960 += usize::from(moves.iter().filter(castles).any(|m| !standard(m)));
    let promotes = |takes| {
        let found = moves
            .iter()
            .any(|m| m.promotion().is_some() && m.is_capture() == takes);
        usize::from(found)
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
            let name: UciMove = coord::write(mv, true).parse().expect("a UCI move");
            other.play_unchecked(name.to_move(&other).expect("a legal move"));
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

#[test]
fn shakmaty_reads_the_same_start_position() {
    let pos = Position::startpos(Variant::Atomic);
    let other = shakmaty_position(&pos).expect("the start position");
    assert_eq!(other.board().kings().count(), 2);
    assert_eq!(pos.by_type(PieceType::King).count(), 2);
}
