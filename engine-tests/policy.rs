//! The policy head: all SIMD levels give the sums of its definition, damaged heads are errors, and the
//! embedded head predicts the moves of searches.

use std::fs;

use arrayvec::ArrayVec;
use brisance::eval;
use brisance::eval::nnue::{
    AccumulatorStack, HIDDEN, MAX_POLICY_BIAS, MAX_POLICY_WEIGHT, Network, NetworkError,
    POLICY_ROWS, PolicyHead, PolicyRow, PolicyThreats, SimdLevel, THREAT_BIASES,
};
use brisance::notation::epd;
use brisance::rules::{
    CheckInfo, Color, Move, MoveList, PieceType, Position, Quiet, Square, Variant, attacks,
};

use crate::nnue::random_network;
use crate::random::Random;
use crate::searching::{engine, go, nodes};
use crate::walk;

fn random_head(seed: u64) -> PolicyHead {
    let mut random = Random::new(seed);
    let mut number = |most: i32| random.below(2 * most as usize + 1) as i32 - most;
    let weights = (0..POLICY_ROWS)
        .map(|_| PolicyRow(std::array::from_fn(|_| number(MAX_POLICY_WEIGHT.into()) as i8)));
    let weights = weights.collect();
    let [bias, threat_bias] = [POLICY_ROWS, THREAT_BIASES]
        .map(|count| (0..count).map(|_| number(MAX_POLICY_BIAS)).collect());
    PolicyHead::new(weights, bias, threat_bias).expect("within bounds")
}

fn quiet_moves(pos: &Position) -> MoveList {
    let mut moves = MoveList::new();
    pos.generate::<Quiet>(&mut moves);
    moves
}

fn logits(net: &Network, pos: &Position, moves: &[Move], level: SimdLevel) -> Vec<i32> {
    let mut accumulators = AccumulatorStack::new(level);
    accumulators.reset(pos);
    let policy = accumulators.policy(net, pos).expect("a policy head");
    let check_info = CheckInfo::new(pos);
    let threats = PolicyThreats::new(pos, &check_info).expect("two kings");
    let mut logits = ArrayVec::new();
    policy.logits(pos, &threats, moves, &mut logits);
    logits.to_vec()
}

/// The index of the threats around a move by their definition, square by square.
fn threats(pos: &Position, mv: Move) -> usize {
    let (us, occupied) = (pos.side_to_move(), pos.occupied());
    let (from, to) = (mv.from(), mv.to());
    let piece_type = pos.piece_at(from).expect("a piece").piece_type();
    let [king, enemy_king] = [us, !us].map(|color| pos.king(color).expect("a king"));
    let reached = match piece_type {
        PieceType::King => Default::default(),
        _ => attacks::piece(piece_type, us, to, occupied),
    };
    let attackers = |square: Square| {
        let attackers = pos.attackers_to(square, occupied).into_iter();
        attackers
            .filter_map(|square| pos.piece_at(square))
            .filter(|piece| piece.color() != us && piece.piece_type() != PieceType::King)
    };
    let is_attacked = |square: Square| attackers(square).next().is_some();
    let is_blasted = |square: Square| {
        let mut own = pos.by_color(us).into_iter();
        own.any(|other| other.distance(square) <= 1 && is_attacked(other))
    };
    let has_check = pos.variant().has_check() && king.distance(enemy_king) > 1;
    let bits = [
        (reached & pos.explosive_targets(us)).any(),
        has_check && reached.contains(enemy_king),
        is_blasted(from),
        is_blasted(to),
        is_attacked(to),
        attackers(to).any(|piece| piece.piece_type() == PieceType::Pawn),
        enemy_king.distance(to) == 1,
        king.distance(to) == 1,
    ];
    let bits = bits.iter().enumerate();
    bits.fold(piece_type.index() * 256, |index, (at, &bit)| index + (usize::from(bit) << (7 - at)))
}

/// The logits by the definition of the head, one move at a time.
fn expected_logits(net: &Network, pos: &Position, moves: &[Move]) -> Vec<i32> {
    let head = net.policy_head().expect("a policy head");
    let mut accumulators = AccumulatorStack::new(SimdLevel::Scalar);
    accumulators.reset(pos);
    let activations = accumulators.activations(net, pos).expect("two kings");
    let us = pos.side_to_move();
    let king = pos.king(us).expect("a king");
    let seen = |square: Square| {
        let rank = match us {
            Color::White => square.rank(),
            Color::Black => 7 - square.rank(),
        };
        let file = match king.file() {
            0..=3 => square.file(),
            _ => 7 - square.file(),
        };
        usize::from(rank * 8 + file)
    };
    let logit = |mv: &Move| {
        let piece_type = pos.piece_at(mv.from()).expect("a piece").piece_type();
        let first = piece_type.index() * 64;
        let rows = [first + seen(mv.from()), PieceType::ALL.len() * 64 + first + seen(mv.to())];
        let mut sum = rows.map(|row| head.bias(row)).iter().sum::<i32>();
        sum += head.threat_bias(threats(pos, *mv));
        for row in rows {
            for at in 0..2 * HIDDEN {
                let activation = activations.0[at / HIDDEN][at % HIDDEN];
                sum += i32::from(activation) * i32::from(head.row(row).0[at]);
            }
        }
        sum
    };
    moves.iter().map(logit).collect()
}

/// Positions of random games in which both kings are on the board.
fn positions(count: usize, seed: u64) -> Vec<Position> {
    let mut random = Random::new(seed);
    let mut positions = vec![];
    walk::visit(seed, 16 * count, Variant::Atomic, |pos| {
        let is_picked = random.one_in(8) && positions.len() < count;
        if is_picked && eval::has_both_kings(pos) {
            positions.push(pos.without_history());
        }
    });
    assert_eq!(positions.len(), count);
    positions
}

#[test]
fn all_simd_levels_give_the_sums_of_the_definition() {
    let random = random_network(21).with_policy_head(Some(random_head(22)));
    let embedded = Network::embedded().unwrap();
    let mut moves_seen = 0;
    for net in [&random, &*embedded] {
        for pos in positions(500, 23) {
            let moves = quiet_moves(&pos);
            let expected = expected_logits(net, &pos, &moves);
            for &level in SimdLevel::supported() {
                let found = logits(net, &pos, &moves, level);
                assert_eq!(found, expected, "{} at\n{pos:?}", level.name());
            }
            moves_seen += moves.len();
        }
    }
    assert!(moves_seen > 10_000, "{moves_seen}");
}

#[test]
fn heads_are_kept_in_network_files() {
    let plain = random_network(25);
    assert!(plain.policy_head().is_none());
    let head = random_head(26);
    let net = plain.clone().with_policy_head(Some(head.clone()));
    let bytes = net.to_bytes();
    let read = Network::parse(&bytes).expect("a network");
    assert_eq!(read.policy_head(), Some(&head));
    assert_eq!(read, net);
    assert_eq!(read.with_policy_head(None), plain);
    // Each version has its own length.
    assert!(matches!(Network::parse(&bytes[..bytes.len() - 1]), Err(NetworkError::Length(..))));
    let mut damaged = bytes.clone();
    damaged[bytes.len() - 1000] ^= 4;
    assert_eq!(Network::parse(&damaged), Err(NetworkError::Checksum));
}

#[test]
fn parameters_out_of_range_are_refused() {
    let row = || PolicyRow([1; 2 * HIDDEN]);
    let rows = |count: usize| (0..count).map(|_| row()).collect::<Vec<_>>();
    let head = |count, bias, threat_bias| PolicyHead::new(rows(count), bias, threat_bias);
    let zeros = |count: usize| vec![0; count];
    let (bias, threat_bias) = (zeros(POLICY_ROWS), zeros(THREAT_BIASES));
    assert!(head(POLICY_ROWS, bias.clone(), threat_bias.clone()).is_some());
    assert!(head(POLICY_ROWS - 1, bias.clone(), threat_bias.clone()).is_none());
    assert!(head(POLICY_ROWS, zeros(1), threat_bias.clone()).is_none());
    assert!(head(POLICY_ROWS, bias.clone(), zeros(1)).is_none());
    let too_small = |count: usize| vec![i32::MIN; count];
    assert!(head(POLICY_ROWS, too_small(POLICY_ROWS), threat_bias.clone()).is_none());
    assert!(head(POLICY_ROWS, bias.clone(), too_small(THREAT_BIASES)).is_none());
    let mut weights = rows(POLICY_ROWS);
    weights[7].0[9] = i8::MIN;
    assert!(PolicyHead::new(weights, bias, threat_bias).is_none());
}

/// By chance, a quiet move is among the first three of about thirty in a tenth of the cases.
#[test]
fn the_embedded_head_predicts_the_moves_of_searches() {
    let net = Network::embedded().unwrap();
    let book = fs::read_to_string("book/openings.epd").expect("the openings");
    let mut engine = engine(|_| {});
    let limits = nodes(3000);
    let (mut predicted, mut count) = (0, 0);
    for line in book.lines().step_by(20).take(100) {
        let opening = epd::parse_line(line, Variant::Atomic).expect("an EPD line");
        let pos = opening.expect("a position").pos;
        engine.clear();
        let best = go(&mut engine, &pos, &limits).best_move().expect("a move");
        let moves = quiet_moves(&pos);
        let Some(index) = moves.iter().position(|&mv| mv == best) else {
            continue;
        };
        let numbers = logits(&net, &pos, &moves, SimdLevel::best());
        let better = numbers.iter().filter(|&&number| number > numbers[index]);
        predicted += usize::from(better.count() < 3);
        count += 1;
    }
    assert!(count >= 50, "{count}");
    assert!(predicted * 100 >= count * 40, "{predicted} of {count}");
}
