//! The network: every way to its value gives the same number, the value is that of the
//! trainer's unrounded network, and files that are none are refused.

use std::fs;
use std::path::Path as FilePath;

use assert_cmd::Command;
use brisance::engine::{Engine, Settings};
use brisance::eval;
use brisance::eval::nnue::{
    Accumulators, HIDDEN, INPUTS, KING_BUCKETS, MAX_OUTPUT_WEIGHT, NetError, Network, OUTPUTS,
    Path, Row,
};
use brisance::notation::{coord, fen};
use brisance::rules::{Color, Move, Piece, Position, Setup, Square, Variant};
use predicates::str::contains;

use crate::random::Random;
use crate::walk::{self, Start};

/// Numbers of any size, with more large ones than training leaves: sums wrap around.
fn hostile(seed: u64) -> Network {
    let mut random = Random::new(seed);
    let mut row = |most: usize| {
        Row(std::array::from_fn(|_| {
            random.below(2 * most + 1) as i16 - most as i16
        }))
    };
    let weights = (0..INPUTS).map(|_| row(4000)).collect();
    let bias = row(4000);
    let most = MAX_OUTPUT_WEIGHT as usize;
    let outputs = std::array::from_fn(|_| [row(most), row(most)]);
    let biases = std::array::from_fn::<_, OUTPUTS, _>(|output| 7 + output as i32);
    Network::new("hostile", 400, weights, bias, outputs, biases).expect("within bounds")
}

fn fresh(net: &Network, pos: &Position, path: Path) -> i32 {
    let mut accumulators = Accumulators::new(path);
    accumulators.reset(net, pos);
    accumulators.evaluate(net, pos)
}

/// What a walk met.
#[derive(Default, Debug)]
struct Met {
    positions: usize,
    explosions: usize,
    /// Explosions of eight men and more.
    large: usize,
    taken_back: usize,
    null_moves: usize,
}

/// Walks forth and back as a search does, each path with accumulators that live as long as
/// the walk, evaluated at some plies only.
fn compare(net: &Network, positions: usize, seed: u64) -> Met {
    let mut random = Random::new(seed);
    let mut met = Met::default();
    for start in Start::rota() {
        let mut pos = start.position(Variant::Atomic, &mut random);
        if met.positions >= positions {
            break;
        }
        let mut paths: Vec<Accumulators> =
            Path::all().iter().copied().map(Accumulators::new).collect();
        paths.iter_mut().for_each(|path| path.reset(net, &pos));
        let root = pos.ply();
        for _ in 0..start.longest_walk() * 2 {
            let back = random.one_in(4) && pos.ply() > root;
            if back {
                for _ in 0..=random.below(pos.ply() - root) {
                    pos.unmake();
                    met.taken_back += 1;
                }
            } else if random.one_in(30) && !pos.in_check() {
                pos.make_null();
                met.null_moves += 1;
                paths.iter_mut().for_each(|path| path.forget(&pos));
            } else {
                let Some(mv) = next_move(&pos, &mut random) else {
                    break;
                };
                pos.make(mv);
                let removed = pos.change_at(pos.ply() - 1).removed.len();
                met.explosions += usize::from(mv.is_capture());
                met.large += usize::from(mv.is_capture() && removed >= 8);
                paths.iter_mut().for_each(|path| path.forget(&pos));
            }
            if !eval::is_evaluable(&pos) || random.one_in(3) {
                continue;
            }
            met.positions += 1;
            let wanted = fresh(net, &pos, Path::Scalar);
            for (accumulators, path) in paths.iter_mut().zip(Path::all()) {
                let found = accumulators.evaluate(net, &pos);
                assert_eq!(found, wanted, "{} at\n{pos:?}", path.name());
            }
        }
    }
    met
}

/// Any legal move, often the capture that removes most.
fn next_move(pos: &Position, random: &mut Random) -> Option<Move> {
    let bloody = random.one_in(2);
    let captures = pos.legal_moves().into_iter().filter(|mv| mv.is_capture());
    let largest = captures.max_by_key(|mv| pos.blasted(mv.to()).count());
    match largest {
        Some(mv) if random.one_in(6) => Some(mv),
        _ => walk::choose(pos, bloody, random),
    }
}

#[test]
fn all_paths_and_orders_of_updates_agree() {
    let own = compare(&Network::embedded().unwrap(), 100_000, 1);
    assert!(own.large >= 10, "{own:?}");
    let wild = compare(&hostile(3), 20_000, 2);
    for met in [own, wild] {
        assert!(met.explosions > 2000, "{met:?}");
        assert!(met.taken_back > 2000 && met.null_moves > 200, "{met:?}");
    }
}

#[test]
fn the_largest_explosions_are_followed() {
    let net = hostile(4);
    for (text, mv, removed) in [
        ("7k/8/8/2nnn3/2nrn3/2nnnN2/8/K7 w - - 0 1", "f3d4", 10),
        ("7k/2n1n3/2n1n3/2npP3/8/8/8/K7 w - d6 0 1", "e5d6", 7),
        ("2nrn2k/2nnP3/8/8/8/8/8/K7 w - - 0 1", "e7d8q", 6),
    ] {
        let mut pos = fen::parse(text, Variant::Atomic).unwrap();
        for &path in Path::all() {
            let mut accumulators = Accumulators::new(path);
            accumulators.reset(&net, &pos);
            let before = accumulators.evaluate(&net, &pos);
            pos.make(coord::parse(&pos, mv).unwrap());
            accumulators.forget(&pos);
            assert_eq!(pos.change_at(0).removed.len(), removed, "{mv}");
            let after = accumulators.evaluate(&net, &pos);
            assert_eq!(
                after,
                fresh(&net, &pos, Path::Scalar),
                "{mv} {}",
                path.name()
            );
            pos.unmake();
            assert_eq!(accumulators.evaluate(&net, &pos), before);
        }
    }
}

#[test]
fn a_mirrored_position_with_colours_swapped_has_the_same_value() {
    let net = Network::embedded().unwrap();
    let mut random = Random::new(5);
    let mut compared = 0;
    for start in Start::rota().take(2000) {
        let pos = start.position(Variant::Atomic, &mut random);
        if !eval::is_evaluable(&pos)
            || pos.rights().any(Color::White)
            || pos.rights().any(Color::Black)
        {
            continue;
        }
        for sideways in [false, true] {
            let other = mirrored(&pos, sideways);
            assert_eq!(
                fresh(&net, &pos, Path::best()),
                fresh(&net, &other, Path::best()),
                "{pos:?}\n{other:?}"
            );
            compared += 1;
        }
    }
    assert!(compared > 1000, "{compared}");
}

/// Colours swapped and the board turned over; `sideways` the files too.
fn mirrored(pos: &Position, sideways: bool) -> Position {
    let mut setup = Setup::empty(pos.variant());
    setup.side = !pos.side();
    for square in pos.occupied() {
        let piece = pos.piece_at(square).expect("occupied");
        let file = if sideways {
            7 - square.file()
        } else {
            square.file()
        };
        let to = Square::new(file, 7 - square.rank());
        setup.men[to.index()] = Some(Piece::new(!piece.color(), piece.kind()));
    }
    Position::from_setup(&setup).expect("as valid as the original")
}

#[test]
fn the_value_is_that_of_the_unrounded_network() {
    let net = Network::embedded().unwrap();
    let table = fs::read_to_string("nets/brisance.csv").expect("the table beside the network");
    let (mut rows, mut sum) = (0, 0.0);
    for line in table.lines().skip(1) {
        let (text, value) = line.split_once(';').expect("two columns");
        let value: f64 = value.parse().expect("a number");
        let pos = fen::parse(text, Variant::Atomic).expect("a position");
        let error = (f64::from(fresh(&net, &pos, Path::best())) - value).abs();
        assert!(
            error <= 25.0 + value.abs() * 0.04,
            "{text}: {value}, {error} away"
        );
        rows += 1;
        sum += error / (1.0 + value.abs() / 100.0);
    }
    assert!(rows >= 500, "{rows}");
    assert!(
        sum / f64::from(rows) < 3.0,
        "mean error {}",
        sum / f64::from(rows)
    );
}

#[test]
fn files_survive_a_round_trip_and_bad_ones_are_refused() {
    let net = hostile(9);
    let bytes = net.to_bytes();
    assert_eq!(Network::parse(&bytes).as_ref(), Ok(&net));
    let of_hidden = |bytes: &mut Vec<u8>| bytes[12] ^= 1;
    let mut other = bytes.clone();
    of_hidden(&mut other);
    assert!(matches!(Network::parse(&other), Err(NetError::Shape(_))));
    assert_eq!(Network::parse(b"MZ\0\0"), Err(NetError::Foreign));
    assert_eq!(Network::parse(b""), Err(NetError::Foreign));
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
    // With a checksum that fits, a weight that would overflow is still refused.
    let mut loud = bytes[..bytes.len() - 4].to_vec();
    let at = loud.len() - 4 * OUTPUTS - 2 * HIDDEN;
    loud[at..at + 2].copy_from_slice(&300i16.to_le_bytes());
    let sum = crc32(&loud);
    loud.extend(sum.to_le_bytes());
    assert_eq!(
        Network::parse(&loud),
        Err(NetError::Range("an output weight"))
    );
}

#[test]
fn files_of_earlier_shapes_are_read() {
    const MEN: usize = 2 * 6 * 64;
    const ROW: usize = 2 * HIDDEN;
    let new = hostile(12).to_bytes();
    let (head, rest) = new.split_at(8 + 5 * 4 + 1 + "hostile".len());
    let (weights, rest) = rest.split_at(INPUTS * ROW);
    let (bias, rest) = rest.split_at(ROW);
    let (outputs, rest) = rest.split_at(2 * OUTPUTS * ROW);
    let (calm, calm_bias) = (&outputs[..outputs.len() / 2], &rest[..4 * OUTPUTS / 2]);
    let mut men = Vec::new();
    let mut zeroed = Vec::new();
    for bucket in weights.chunks(INPUTS / KING_BUCKETS * ROW) {
        let (these, around) = bucket.split_at(MEN * ROW);
        men.extend(these);
        zeroed.extend(these);
        zeroed.resize(zeroed.len() + around.len(), 0);
    }
    let file = |version: u8, sets: usize, parts: &[&[u8]]| {
        let mut bytes = head.to_vec();
        bytes[8] = version;
        bytes[20] = sets as u8;
        bytes.extend(parts.concat());
        bytes.extend(crc32(&bytes).to_le_bytes());
        bytes
    };
    for (version, inputs, known) in [(1, &men[..], &zeroed[..]), (2, weights, weights)] {
        let old = file(version, OUTPUTS / 2, &[inputs, bias, calm, calm_bias]);
        let twice = [known, bias, calm, calm, calm_bias, calm_bias];
        let net = Network::parse(&old).expect("an earlier shape");
        assert_eq!(net.to_bytes(), file(3, OUTPUTS, &twice), "{version}");
        assert!(Network::parse(&old[..old.len() - 1]).is_err());
        // The old numbers with the new count of outputs are of no version.
        let mixed = file(version, OUTPUTS, &[inputs, bias, outputs, rest]);
        assert!(matches!(Network::parse(&mixed), Err(NetError::Shape(_))));
    }
}

#[test]
fn a_threatened_king_has_outputs_of_its_own() {
    let calm = hostile(13);
    let output = |place: usize, view: usize| calm.output(place, view).clone();
    let weights = (0..INPUTS).map(|input| calm.input(input).clone()).collect();
    let halves: [[Row; 2]; OUTPUTS] = std::array::from_fn(|place| {
        let place = place % (OUTPUTS / 2);
        [output(place, 0), output(place, 1)]
    });
    let bias = std::array::from_fn(|place| if place < OUTPUTS / 2 { 0 } else { 1 << 20 });
    let net = Network::new("", 400, weights, calm.bias().clone(), halves, bias).unwrap();
    let value = |text: &str| {
        let pos = fen::parse(text, Variant::Atomic).unwrap();
        fresh(&net, &pos, Path::best()) - fresh(&calm_of(&net), &pos, Path::best())
    };
    // The rook may take the pawn beside Black's king; the knight is out of its reach.
    assert!(value("6k1/6p1/8/8/8/8/8/K5R1 b - - 0 1") > 0);
    assert_eq!(value("6k1/6p1/8/8/8/8/8/K5N1 b - - 0 1"), 0);
    // What the side to move threatens itself is no danger to it.
    assert_eq!(value("6k1/6p1/8/8/8/8/8/K5R1 w - - 0 1"), 0);
}

/// The same network without the biases of outputs.
fn calm_of(net: &Network) -> Network {
    let weights = (0..INPUTS).map(|input| net.input(input).clone()).collect();
    let halves = std::array::from_fn(|place| [0, 1].map(|view| net.output(place, view).clone()));
    Network::new("", 400, weights, net.bias().clone(), halves, [0; OUTPUTS]).unwrap()
}

/// CRC-32 as in zlib, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = !0u32;
    for &byte in bytes {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = sum >> 1 ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
        }
    }
    !sum
}

#[test]
fn a_bad_file_is_refused_and_the_old_network_stays() {
    let scratch = tempfile();
    let path = scratch.join("bad.nnue");
    let mut engine = Engine::new();
    let before = (
        engine.evaluate(),
        engine.loaded_net().description().to_owned(),
    );
    for (bytes, word) in [
        (b"nonsense".to_vec(), "not a network"),
        (hostile(1).to_bytes()[..5000].to_vec(), "bytes long"),
    ] {
        fs::write(&path, bytes).unwrap();
        let error = engine.configure(Settings {
            eval_file: Some(path.clone()),
            ..Settings::default()
        });
        let error = error.unwrap_err();
        assert!(
            error.contains("bad.nnue") && error.contains(word),
            "{error}"
        );
        let now = (
            engine.evaluate(),
            engine.loaded_net().description().to_owned(),
        );
        assert_eq!(now, before);
    }
    fs::write(&path, hostile(1).to_bytes()).unwrap();
    engine
        .configure(Settings {
            eval_file: Some(path.clone()),
            ..Settings::default()
        })
        .unwrap();
    assert_eq!(engine.loaded_net().description(), "hostile");
    assert_ne!(engine.evaluate(), before.0);
    engine.configure(Settings::default()).unwrap();
    assert_eq!(engine.evaluate(), before.0);
    fs::remove_dir_all(scratch).unwrap();
}

fn tempfile() -> std::path::PathBuf {
    let name = format!(
        "brisance-nnue-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    );
    let path = std::env::temp_dir().join(name);
    fs::create_dir_all(&path).unwrap();
    path
}

/// What the binary says in an empty directory.
fn session(directory: &FilePath, input: &str) -> String {
    let mut command = Command::cargo_bin("brisance").expect("the binary is built");
    let output = command
        .current_dir(directory)
        .write_stdin(input)
        .assert()
        .success();
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}

#[test]
fn the_binary_plays_with_its_network_wherever_it_is() {
    let scratch = tempfile();
    let net = Network::embedded().unwrap();
    let evaluated = session(&scratch, "eval\nquit\n");
    assert!(
        evaluated.contains(&format!("by the network ({})", net.description())),
        "{evaluated}"
    );
    let off = session(
        &scratch,
        "setoption name Use NNUE value false\neval\nquit\n",
    );
    assert!(off.contains("by the handcrafted terms"), "{off}");
    let written = session(&scratch, "export_net own.nnue\nexport_net own.nnue\nquit\n");
    assert!(written.contains("network written to own.nnue"), "{written}");
    assert!(written.contains("error export_net: own.nnue"), "{written}");
    assert_eq!(fs::read(scratch.join("own.nnue")).unwrap(), net.to_bytes());
    let again = session(
        &scratch,
        "setoption name EvalFile value own.nnue\neval\nquit\n",
    );
    assert_eq!(again, evaluated);
    let gone = session(
        &scratch,
        "setoption name EvalFile value gone.nnue\neval\nquit\n",
    );
    assert!(
        gone.contains("error") && gone.contains("gone.nnue"),
        "{gone}"
    );
    assert!(gone.ends_with(&evaluated), "{gone}");
    // Two searches of the same depth see different trees with and without the network.
    let analysis = |more: &[&str]| {
        let mut command = Command::cargo_bin("brisance").expect("the binary is built");
        command
            .args(["analyse", "--depth", "8", "--json"])
            .args(more);
        let output = command.current_dir(&scratch).assert().success();
        let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
        let last = text.lines().last().expect("a result");
        let result: serde_json::Value = serde_json::from_str(last).expect("JSON");
        result["nodes"].as_u64().expect("a number")
    };
    assert_ne!(analysis(&[]), analysis(&["--handcrafted"]));
    assert_eq!(analysis(&[]), analysis(&["--eval-file", "own.nnue"]));
    let mut eval = Command::cargo_bin("brisance").unwrap();
    eval.args(["eval", "--eval-file", "gone.nnue"])
        .current_dir(&scratch);
    eval.assert().code(1).stderr(contains("gone.nnue"));
    fs::remove_dir_all(scratch).unwrap();
}
