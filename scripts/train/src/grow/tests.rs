//! Tests of growing, with networks that are cut out of the embedded one.
//! Invariant: a cut network is as good a file as the embedded one.

use brisance::eval::nnue::{AccumulatorStack, HiddenRow, L2Weights};
use brisance::rules::{Position, Variant};

use super::*;

const HALF: usize = HIDDEN / 2;

/// The file of the embedded network with half of its hidden neurons.
fn half() -> Vec<u8> {
    let net = Network::embedded().unwrap();
    let bytes = net.to_bytes();
    let mut rest = &bytes[..bytes.len() - 4];
    let mut half = rest.split_off(..HEAD_BYTES).unwrap().to_vec();
    half.extend((HALF as u32).to_le_bytes());
    half.extend(&rest.split_off(..SHAPE_BYTES).unwrap()[4..]);
    let text = 5 + usize::from(rest[4]);
    half.extend(rest.split_off(..text).unwrap());
    let cut_row = |row: HiddenRow| row.0[..HALF].to_vec();
    let rows: Vec<i16> = (0..KING_INPUTS).flat_map(|input| cut_row(net.input(input))).collect();
    half.extend(to_differences(&rows, HALF * BUCKET_INPUTS));
    half.extend(cut_row(net.bias().clone()).into_iter().flat_map(i16::to_le_bytes));
    rest = &rest[2 * HIDDEN * (KING_INPUTS + 1)..];
    let mut cut = |rows: usize, width: usize, after: usize| {
        for row in rest.split_off(..rows * HIDDEN * width).unwrap().chunks(HIDDEN * width) {
            half.extend(&row[..HALF * width]);
        }
        half.extend(rest.split_off(..after).unwrap());
    };
    cut(INPUTS - KING_INPUTS, 1, 0);
    for _ in 0..OUTPUT_BUCKETS {
        cut(2, L2, STACK_REST);
    }
    cut(2 * POLICY_ROWS, 1, 0);
    half.extend(rest);
    half.extend(crc32fast::hash(&half).to_le_bytes());
    half
}

/// The embedded network without the second half of its neurons.
fn silenced() -> Network {
    let net = Network::embedded().unwrap();
    let rows = (0..INPUTS).map(|input| net.input(input)).collect();
    let stacks = (0..OUTPUT_BUCKETS).map(|bucket| {
        let mut stack = net.stack(bucket).clone();
        let mut weights = [[0; L2]; 2 * HIDDEN];
        for (activation, weights) in weights.iter_mut().enumerate() {
            if activation % HIDDEN < HALF {
                *weights = std::array::from_fn(|neuron| stack.l2_weights.get(activation, neuron));
            }
        }
        stack.l2_weights = L2Weights::new(&weights);
        stack
    });
    let stacks = stacks.collect();
    Network::new("", net.scale(), rows, net.bias().clone(), stacks).unwrap()
}

#[test]
fn a_grown_network_keeps_its_values() {
    let (grown, silenced) = (parse(&half()).unwrap(), silenced());
    let mut rng = fastrand::Rng::with_seed(1);
    let mut accumulators = AccumulatorStack::default();
    let mut values = BTreeSet::new();
    for _ in 0..20 {
        let mut pos = Position::startpos(Variant::Atomic);
        while pos.outcome().is_none() {
            let [value, expected] = [&grown, &silenced].map(|net| {
                accumulators.reset(&pos);
                accumulators.evaluate(net, &pos)
            });
            assert_eq!(value, expected, "{pos:?}");
            values.insert(value);
            pos.make(rng.choice(pos.legal_moves()).unwrap());
        }
    }
    assert!(values.len() > 100);
}

#[test]
fn new_neurons_have_random_inputs_and_no_part_in_the_policy() {
    let (grown, old) = (parse(&half()).unwrap(), Network::embedded().unwrap());
    let row = grown.input(0);
    let (first, second) = row.0.split_at(HALF);
    assert_eq!(first, &old.input(0).0[..HALF]);
    assert!(second.iter().any(|weight| *weight > 0) && second.iter().any(|weight| *weight < 0));
    let [head, old] = [&grown, &*old].map(|net| net.policy_head().unwrap());
    for row in 0..POLICY_ROWS {
        let halves = head.row(row).0.chunks(HALF).zip(old.row(row).0.chunks(HALF));
        for (at, (weights, old)) in halves.enumerate() {
            assert!(at % 2 == 1 && *weights == [0; HALF] || at % 2 == 0 && weights == old);
        }
        assert_eq!(head.bias(row), old.bias(row));
    }
}

#[test]
fn a_king_bucket_has_the_mean_of_the_old_ones() {
    let rows = (0..4).flat_map(|bucket| [10 * bucket; BUCKET_INPUTS * HIDDEN]);
    let rows: Vec<i16> = rows.collect();
    let mut bytes = to_differences(&rows, HIDDEN * BUCKET_INPUTS);
    bytes.extend([7; HIDDEN].map(i16::to_le_bytes).as_flattened());
    let merged = [&[1][..], &[0, 2, 3]].map(|old| old.iter().copied().collect());
    let mut grown = vec![];
    add_rows(&mut &*bytes, &mut grown, HIDDEN, &merged).unwrap();
    let rows = 4 * BUCKET_INPUTS * HIDDEN;
    let weights = from_differences(&grown[..rows], BUCKET_INPUTS * HIDDEN);
    assert!(weights.into_iter().step_by(BUCKET_INPUTS * HIDDEN).eq([10, 17]));
    assert_eq!(grown[rows..], [7, 0].repeat(HIDDEN));
}

#[test]
fn no_bucket_of_the_old_networks_is_lost() {
    let merged = merged_buckets(10).unwrap();
    assert!(merged.len() == KING_BUCKETS && merged.iter().all(|old| !old.is_empty()));
    let all: BTreeSet<usize> = merged.into_iter().flatten().collect();
    assert!(all.into_iter().eq(0..10));
    assert_eq!(merged_buckets(7), None);
}

#[test]
fn what_cannot_be_grown_is_rejected() {
    let bytes = half();
    let mut damaged = bytes.clone();
    damaged[1000] ^= 1;
    let mut buckets = bytes.clone();
    buckets[HEAD_BYTES + 4] = 7;
    let mut version = bytes.clone();
    version[8] = 6;
    for bytes in [&damaged, &buckets, &version, &bytes[..bytes.len() - 1]] {
        assert!(matches!(parse(bytes), Err(NetworkError::Shape(_))));
    }
}
