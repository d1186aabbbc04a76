//! The network: all SIMD levels and orders of updates give the same value, close to that of the
//! trainer's unrounded network; damaged files are errors.

use std::fs;

use crate::program::{Folder, assert_has};
use crate::random::Random;
use crate::uci::session::Session;
use crate::walk::{self, Start, position};
use brisance::engine::{Engine, Settings};
use brisance::eval;
use brisance::eval::nnue::{
    AccumulatorStack, CaptureList, Feature, HIDDEN, HiddenRow, INPUTS, KING_INPUTS, L2, L2Weights,
    L3, L3_INPUTS, L3Weights, LayerStack, MAX_CAPTURE_WEIGHT, MAX_L2_WEIGHT, MAX_L3_WEIGHT,
    MAX_OUTPUT_WEIGHT, Network, NetworkError, OUTPUT_BUCKETS, PieceSets, QL, QS, QW, SimdLevel,
};
use brisance::rules::{Color, Move, Piece, PieceType, Position, Setup, Square, Variant, attacks};

/// A network of random numbers, larger than those of training, so that sums wrap around.
pub fn random_network(seed: u64) -> Network {
    let (weights, bias) = random_hidden_layer(seed);
    Network::new("random", 400, weights, bias, random_stacks(seed)).expect("within bounds")
}

/// A number from -`most` to `most`.
fn number(random: &mut Random, most: i32) -> i32 {
    random.below(2 * most as usize + 1) as i32 - most
}

fn random_hidden_layer(seed: u64) -> (Vec<HiddenRow>, HiddenRow) {
    let mut random = Random::new(seed);
    let mut row = |most| HiddenRow(std::array::from_fn(|_| number(&mut random, most) as i16));
    let most = |input| match input {
        ..KING_INPUTS => 4000,
        _ => MAX_CAPTURE_WEIGHT.into(),
    };
    ((0..INPUTS).map(|input| row(most(input))).collect(), row(4000))
}

fn random_stacks(seed: u64) -> Vec<LayerStack> {
    let mut random = Random::new(seed + 1000);
    let mut number = |most| number(&mut random, most);
    let stack = |bucket| {
        let mut l2_weights = [[0; L2]; 2 * HIDDEN];
        let l2 = l2_weights.as_flattened_mut();
        l2.fill_with(|| number(MAX_L2_WEIGHT.into()) as i8);
        let mut l3_weights = [[0; L3]; L3_INPUTS];
        let l3 = l3_weights.as_flattened_mut();
        l3.fill_with(|| number(MAX_L3_WEIGHT.into()) as i16);
        LayerStack {
            l2_weights: L2Weights::new(&l2_weights),
            l2_bias: std::array::from_fn(|_| number(10 * QS)),
            l3_weights: L3Weights::new(&l3_weights),
            l3_bias: std::array::from_fn(|_| number(QL * QW)),
            output_weights: std::array::from_fn(|_| number(MAX_OUTPUT_WEIGHT.into()) as i16),
            output_bias: 7 + bucket as i32,
        }
    };
    (0..OUTPUT_BUCKETS).map(stack).collect()
}

fn evaluate_from_scratch(net: &Network, pos: &Position, level: SimdLevel) -> i32 {
    let mut accumulators = AccumulatorStack::new(level);
    accumulators.reset(pos);
    accumulators.evaluate(net, pos)
}

/// How often each event occurred.
#[derive(Default, Debug)]
struct Tally {
    positions: usize,
    explosions: usize,
    /// Explosions of eight pieces and more.
    large_explosions: usize,
    unmade: usize,
    null_moves: usize,
}

/// Makes and unmakes random moves as a search does, with one accumulator stack per SIMD level,
/// and compares its values with those from scratch at some plies.
fn compare(net: &Network, positions: usize, seed: u64) -> Tally {
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    for start in Start::cycle() {
        let mut pos = start.position(Variant::Atomic, &mut random);
        if tally.positions >= positions {
            break;
        }
        let levels = SimdLevel::supported().iter().copied();
        let mut stacks: Vec<_> = levels.map(AccumulatorStack::new).collect();
        stacks.iter_mut().for_each(|stack| stack.reset(&pos));
        let root = pos.ply();
        for _ in 0..start.max_plies() * 2 {
            let back = random.one_in(4) && pos.ply() > root;
            if back {
                for _ in 0..=random.below(pos.ply() - root) {
                    pos.unmake();
                    tally.unmade += 1;
                }
            } else if random.one_in(30) && !pos.in_check() {
                pos.make_null();
                tally.null_moves += 1;
                stacks.iter_mut().for_each(|stack| stack.invalidate(&pos));
            } else {
                let Some(mv) = next_move(&pos, &mut random) else {
                    break;
                };
                pos.make(mv);
                let removed = pos.change_at(pos.ply() - 1).removed.len();
                tally.explosions += usize::from(mv.is_capture());
                tally.large_explosions += usize::from(mv.is_capture() && removed >= 8);
                stacks.iter_mut().for_each(|stack| stack.invalidate(&pos));
            }
            if !eval::has_both_kings(&pos) || random.one_in(3) {
                continue;
            }
            tally.positions += 1;
            let expected = evaluate_from_scratch(net, &pos, SimdLevel::Scalar);
            for (accumulators, level) in stacks.iter_mut().zip(SimdLevel::supported()) {
                let found = accumulators.evaluate(net, &pos);
                assert_eq!(found, expected, "{} at\n{pos:?}", level.name());
            }
        }
    }
    tally
}

/// A random move, often the capture that removes the most pieces.
fn next_move(pos: &Position, random: &mut Random) -> Option<Move> {
    let prefers_wins = random.one_in(2);
    let captures = pos.legal_moves().into_iter().filter(|mv| mv.is_capture());
    let largest = captures.max_by_key(|mv| pos.blast_victims(mv.to()).count());
    match largest {
        Some(mv) if random.one_in(6) => Some(mv),
        _ => walk::choose(pos, prefers_wins, random),
    }
}

#[test]
fn all_simd_levels_and_orders_of_updates_agree() {
    let own = compare(&Network::embedded().unwrap(), 50_000, 1);
    assert!(own.large_explosions >= 10, "{own:?}");
    let random = compare(&random_network(3), 20_000, 2);
    for tally in [own, random] {
        assert!(tally.explosions > 2000, "{tally:?}");
        assert!(tally.unmade > 2000 && tally.null_moves > 200, "{tally:?}");
    }
}

#[test]
fn the_largest_explosions_are_updated() {
    let net = random_network(4);
    for (text, mv, removed) in [
        ("7k/8/8/2nnn3/2nrn3/2nnnN2/8/K7 w - - 0 1", "f3d4", 10),
        ("7k/2n1n3/2n1n3/2npP3/8/8/8/K7 w - d6 0 1", "e5d6", 7),
        ("2nrn2k/2nnP3/8/8/8/8/8/K7 w - - 0 1", "e7d8q", 6),
    ] {
        let mut pos = position(text);
        for &level in SimdLevel::supported() {
            let mut accumulators = AccumulatorStack::new(level);
            accumulators.reset(&pos);
            let before = accumulators.evaluate(&net, &pos);
            walk::play(&mut pos, mv);
            accumulators.invalidate(&pos);
            assert_eq!(pos.change_at(0).removed.len(), removed, "{mv}");
            let expected = evaluate_from_scratch(&net, &pos, SimdLevel::Scalar);
            let after = accumulators.evaluate(&net, &pos);
            assert_eq!(after, expected, "{mv} {}", level.name());
            pos.unmake();
            assert_eq!(accumulators.evaluate(&net, &pos), before);
        }
    }
}

/// Against a search of all pairs of pieces: a piece that attacks another, and a neighbour of that
/// one.
#[test]
fn capture_and_blast_inputs_are_those_of_all_pairs() {
    let mut random = Random::new(21);
    let mut largest = 0;
    for start in Start::cycle().take(500) {
        let pos = start.position(Variant::Atomic, &mut random);
        let sets = PieceSets::new(&pos);
        let Some(view) = sets.perspective(pos.side_to_move()) else {
            continue;
        };
        let piece = |square| pos.piece_at(square).expect("occupied");
        let (mut expected, mut found) = (vec![], [CaptureList::new(), CaptureList::new()]);
        for to in pos.occupied() {
            let captures = |from: &Square| {
                let (kind, color) = (piece(*from).piece_type(), piece(*from).color());
                let targets = attacks::piece(kind, color, *from, pos.occupied());
                kind != PieceType::King && color != piece(to).color() && targets.contains(to)
            };
            let attackers: Vec<Square> = pos.occupied().into_iter().filter(captures).collect();
            let feature = |from| view.capture_feature(piece(from), piece(to).piece_type(), to);
            expected.extend(attackers.iter().copied().map(feature));
            for square in pos.blast_victims(to).without(to) {
                let (kind, color) = (piece(square).piece_type(), piece(square).color());
                if !attackers.is_empty() && kind != PieceType::Pawn {
                    expected.push(view.blast_feature(!piece(to).color(), color, kind, square));
                }
            }
        }
        sets.add_capture_features([view; 2], &mut found);
        let sorted = |list: &[Feature]| {
            let mut indices: Vec<usize> = list.iter().map(|feature| feature.index()).collect();
            indices.sort_unstable();
            indices
        };
        let [found, same] = found.map(|list| sorted(&list));
        assert_eq!(found, sorted(&expected), "{pos:?}");
        assert_eq!(found, same);
        let inputs = KING_INPUTS..INPUTS;
        assert!(found.iter().all(|input| inputs.contains(input)));
        largest = largest.max(found.len());
    }
    assert!(largest > 15, "{largest}");
}

#[test]
fn networks_without_capture_inputs_are_read() {
    let net = random_network(10);
    let bytes = net.to_bytes();
    let (bytes, _) = bytes.split_at(bytes.len() - 4);
    let [header, stacks] = [parameters(2, HIDDEN), parameters(0, 0)].map(|size| bytes.len() - size);
    let rows = [7i16, -3].map(i16::to_le_bytes).as_flattened().repeat(KING_INPUTS * HIDDEN / 2);
    let mut old = [&bytes[..header], &rows, &[0; 2 * HIDDEN], &bytes[stacks..]].concat();
    old[8..12].copy_from_slice(&4u32.to_le_bytes());
    let read = Network::parse(&with_checksum(old)).unwrap();
    for input in 0..INPUTS {
        let expected = if input < KING_INPUTS { [7, -3] } else { [0, 0] };
        let row = read.input(input).0;
        assert!(row == *expected.repeat(HIDDEN / 2), "{input}");
    }
    assert_eq!(read.stack(3), net.stack(3));
}

fn with_checksum(mut file: Vec<u8>) -> Vec<u8> {
    file.extend(crc32fast::hash(&file).to_le_bytes());
    file
}

/// Bytes of the parameters in a file with this many bytes per weight of an input by king bucket and
/// for the weights of each other input.
fn parameters(weight: usize, capture: usize) -> usize {
    let stack = 2 * HIDDEN * L2 + 4 * L2 + 2 * L3_INPUTS * L3 + 4 * L3 + 2 * L3 + 4;
    let inputs = KING_INPUTS * HIDDEN * weight + HIDDEN * weight + (INPUTS - KING_INPUTS) * capture;
    inputs + OUTPUT_BUCKETS * stack
}

#[test]
fn mirrored_positions_have_the_same_value() {
    let net = Network::embedded().unwrap();
    let mut random = Random::new(5);
    let mut compared = 0;
    for start in Start::cycle().take(2000) {
        let pos = start.position(Variant::Atomic, &mut random);
        let castles = |color| pos.castling_rights().any(color);
        if !eval::has_both_kings(&pos) || Color::ALL.into_iter().any(castles) {
            continue;
        }
        for mirror_files in [false, true] {
            let other = mirrored(&pos, mirror_files);
            let [one, two] =
                [&pos, &other].map(|pos| evaluate_from_scratch(&net, pos, SimdLevel::best()));
            assert_eq!(one, two, "{pos:?}\n{other:?}");
            compared += 1;
        }
    }
    assert!(compared > 1000, "{compared}");
}

/// The position with colours swapped and ranks mirrored, with `mirror_files` also the files.
pub fn mirrored(pos: &Position, mirror_files: bool) -> Position {
    let mut setup = Setup::empty(pos.variant());
    setup.side_to_move = !pos.side_to_move();
    setup.halfmove_clock = pos.halfmove_clock();
    for square in pos.occupied() {
        let piece = pos.piece_at(square).expect("occupied");
        let file = square.file() ^ if mirror_files { 7 } else { 0 };
        let to = Square::new(file, 7 - square.rank());
        setup.board[to.index()] = Some(Piece::new(!piece.color(), piece.piece_type()));
    }
    Position::from_setup(&setup).expect("a valid position")
}

#[test]
fn values_are_close_to_the_unrounded_network() {
    let net = Network::embedded().unwrap();
    let table = fs::read_to_string("nets/brisance.csv").expect("the table next to the network");
    let (mut rows, mut sum) = (0, 0.0);
    for line in table.lines().skip(1) {
        let (text, value) = line.split_once(';').expect("two columns");
        let value: f64 = value.parse().expect("a number");
        let pos = position(text);
        let error = (f64::from(evaluate_from_scratch(&net, &pos, SimdLevel::best())) - value).abs();
        let most = 50.0 + value.abs() * 0.04;
        assert!(error <= most, "{text}: {value}, {error} away");
        rows += 1;
        sum += error / (1.0 + value.abs() / 100.0);
    }
    assert!(rows >= 500, "{rows}");
    let mean = sum / f64::from(rows);
    assert!(mean < 6.0, "mean error {mean}");
}

#[test]
fn network_files_round_trip_and_damage_is_an_error() {
    let net = random_network(9);
    let bytes = net.to_bytes();
    assert_eq!(Network::parse(&bytes).as_ref(), Ok(&net));
    let mut other_hidden_size = bytes.clone();
    other_hidden_size[12] ^= 1;
    let found = Network::parse(&other_hidden_size);
    assert!(matches!(found, Err(NetworkError::Shape(_))), "{found:?}");
    assert_eq!(Network::parse(b"MZ\0\0"), Err(NetworkError::NotANetwork));
    assert_eq!(Network::parse(b""), Err(NetworkError::NotANetwork));
    for length in (0..200).chain([bytes.len() / 2, bytes.len() - 1]) {
        assert!(Network::parse(&bytes[..length]).is_err(), "{length}");
    }
    let mut random = Random::new(11);
    for _ in 0..20 {
        let mut damaged = bytes.clone();
        let at = random.below(damaged.len());
        damaged[at] ^= 1 << random.below(8);
        assert!(Network::parse(&damaged).is_err(), "byte {at}");
    }
    // A weight that could overflow is an error even with a correct checksum.
    let mut too_large = bytes[..bytes.len() - 4].to_vec();
    let at = too_large.len() - 4 - 2 * L3;
    too_large[at..at + 2].copy_from_slice(&(MAX_OUTPUT_WEIGHT + 1).to_le_bytes());
    let range = NetworkError::Range("an output weight");
    assert_eq!(Network::parse(&with_checksum(too_large)), Err(range));
}

#[test]
fn parameters_out_of_range_are_errors() {
    type Change = fn(&mut LayerStack);
    let changes: [(&str, Change); 5] = [
        ("a weight of the second layer", |stack| {
            stack.l2_weights = L2Weights::new(&[[i8::MIN; L2]; 2 * HIDDEN]);
        }),
        ("a weight of the third layer", |stack| {
            let mut weights = [[0; L3]; L3_INPUTS];
            weights[3][2] = -MAX_L3_WEIGHT - 1;
            stack.l3_weights = L3Weights::new(&weights);
        }),
        ("an output weight", |stack| {
            stack.output_weights[1] = MAX_OUTPUT_WEIGHT + 1;
        }),
        ("a bias", |stack| stack.l2_bias[5] = 1 << 28),
        ("a bias", |stack| stack.output_bias = i32::MIN),
    ];
    let (weights, bias) = random_hidden_layer(1);
    for (name, change) in changes {
        let mut stacks = random_stacks(1);
        change(&mut stacks[7]);
        let found = Network::new("", 400, weights.clone(), bias.clone(), stacks);
        assert_eq!(found, Err(NetworkError::Range(name)));
    }
    let found = Network::new("", 400, weights, bias, vec![]);
    assert_eq!(found, Err(NetworkError::Length(0, OUTPUT_BUCKETS)));
}

#[test]
fn a_threatened_king_selects_its_own_outputs() {
    let network = |extra: i32| {
        let (weights, bias) = random_hidden_layer(13);
        let mut stacks = random_stacks(13);
        stacks.truncate(OUTPUT_BUCKETS / 2);
        let mut threatened = stacks.clone();
        for stack in &mut threatened {
            stack.output_bias += extra;
        }
        stacks.extend(threatened);
        Network::new("", 400, weights, bias, stacks).unwrap()
    };
    let nets = [network(1 << 20), network(0)];
    let value = |text: &str| {
        let value = |net| evaluate_from_scratch(net, &position(text), SimdLevel::best());
        value(&nets[0]) - value(&nets[1])
    };
    // The rook can capture the pawn next to Black's king; the knight cannot.
    assert!(value("6k1/6p1/8/8/8/8/8/K5R1 b - - 0 1") > 0);
    assert_eq!(value("6k1/6p1/8/8/8/8/8/K5N1 b - - 0 1"), 0);
    // A threat by the side to move does not count.
    assert_eq!(value("6k1/6p1/8/8/8/8/8/K5R1 w - - 0 1"), 0);
}

#[test]
fn a_bad_file_is_an_error_and_keeps_the_old_network() {
    let folder = Folder::new();
    let load = |engine: &mut Engine, bytes: &[u8]| {
        engine.configure(Settings {
            eval_file: Some(folder.write("bad.nnue", bytes).into()),
            ..Settings::default()
        })
    };
    let state = |engine: &Engine| {
        let description = engine.loaded_net().description().to_owned();
        (engine.evaluate(), description)
    };
    let mut engine = Engine::new();
    let before = state(&engine);
    let net = random_network(1).to_bytes();
    for (bytes, word) in [(&b"nonsense"[..], "not a network"), (&net[..5000], "wrong length")] {
        let error = load(&mut engine, bytes).unwrap_err().to_string();
        assert_has(&error, &["bad.nnue", word]);
        assert_eq!(state(&engine), before);
    }
    load(&mut engine, &net).unwrap();
    assert_eq!(engine.loaded_net().description(), "random");
    assert_ne!(engine.evaluate(), before.0);
    engine.configure(Settings::default()).unwrap();
    assert_eq!(engine.evaluate(), before.0);
}

#[test]
fn the_binary_contains_its_network() {
    let folder = Folder::new();
    let session = |lines: &[&str]| {
        let mut session = Session::with(|command| {
            command.current_dir(folder.path(""));
        });
        lines.iter().for_each(|line| session.send(line));
        session.end().0.join("\n")
    };
    let net = Network::embedded().unwrap();
    let evaluated = session(&["eval"]);
    let name = format!("by the network ({})", net.description());
    assert!(evaluated.contains(&name), "{evaluated}");
    let off = session(&["setoption name Use NNUE value false", "eval"]);
    assert!(off.contains("by the handcrafted terms"), "{off}");
    let written = session(&["export_net own.nnue", "export_net own.nnue"]);
    assert!(written.contains("network written to own.nnue"), "{written}");
    let error = "error export_net: cannot write own.nnue";
    assert!(written.contains(error), "{written}");
    assert_eq!(folder.bytes("own.nnue"), net.to_bytes());
    let again = session(&["setoption name EvalFile value own.nnue", "eval"]);
    assert_eq!(again, evaluated);
    let gone = session(&["setoption name EvalFile value gone.nnue", "eval"]);
    assert_has(&gone, &["error", "gone.nnue"]);
    assert!(gone.ends_with(&evaluated), "{gone}");
    // The network changes the node count.
    let nodes = |more: &str| {
        let line = format!("analyse --depth 8 --json {more}");
        folder.run(&line).code(0).result()["nodes"].clone()
    };
    assert_ne!(nodes(""), nodes("--handcrafted"));
    assert_eq!(nodes(""), nodes("--eval-file own.nnue"));
    folder.check("1 eval --eval-file gone.nnue ! gone.nnue");
}
