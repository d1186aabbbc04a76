//! Tests of the trainer of the policy head.
//! Invariant: the tests write only to temporary folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use arrayvec::ArrayVec;
use brisance::data::{GameRecord, GameWriter, PlyRecord};
use brisance::eval::nnue::{AccumulatorStack, Network, PolicyThreats, THREAT_BIASES};
use brisance::rules::{
    CheckInfo, GameResult, MAX_MOVES, Move, MoveList, PieceType, Position, Quiet, Variant,
};

/// A folder with the embedded network and a file of games in which the moves of knights, and of
/// other pieces if there are none, are those of the best search.
fn folder(name: &str) -> PathBuf {
    let name = format!("brisance-policy-{name}-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    fs::create_dir_all(&folder).unwrap();
    let net = Network::embedded().unwrap();
    let net = Network::clone(&net).with_policy_head(None);
    fs::write(folder.join("net.nnue"), net.to_bytes()).unwrap();
    let card = "| item | value |\n|---|---|\n| bytes, CRC-32 | 1, 2 |\n\nMade by\n\n    a command\n\n\
                and\n\n    scripts/train/policy earlier\n";
    fs::write(folder.join("net.md"), card).unwrap();
    let mut rng = fastrand::Rng::with_seed(1);
    let mut writer = GameWriter::append(&folder.join("games")).unwrap();
    for _ in 0..150 {
        let start = Position::startpos(Variant::Atomic);
        let (mut pos, mut plies) = (start.clone(), vec![]);
        while plies.len() < 30 && pos.outcome().is_none() {
            let quiets = quiet_moves(&pos);
            let knights: Vec<Move> =
                quiets.iter().copied().filter(|mv| is_knight(&pos, *mv)).collect();
            let chosen = rng.choice(knights).or_else(|| rng.choice(quiets));
            let Some(mv) = chosen.or_else(|| rng.choice(pos.legal_moves())) else {
                break;
            };
            plies.push(PlyRecord { mv, value: 0, random: false });
            pos.make(mv);
        }
        let game = GameRecord { start, plies, result: GameResult::Draw };
        writer.add(&game).unwrap();
    }
    writer.flush().unwrap();
    folder
}

fn quiet_moves(pos: &Position) -> MoveList {
    let mut moves = MoveList::new();
    pos.generate::<Quiet>(&mut moves);
    moves
}

fn is_knight(pos: &Position, mv: Move) -> bool {
    let piece = pos.piece_at(mv.from()).unwrap();
    piece.piece_type() == PieceType::Knight
}

fn train(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_policy"));
    command.current_dir(folder).args(args).output().unwrap()
}

#[test]
fn the_head_learns_which_moves_are_chosen() {
    let folder = folder("learns");
    let output =
        train(&folder, &["net.nnue", "out.nnue", "games", "--batch", "64", "--validation", "2"]);
    assert!(output.status.success(), "{output:?}");
    let read = |name: &str| Network::parse(&fs::read(folder.join(name)).unwrap()).unwrap();
    let (before, after) = (read("net.nnue"), read("out.nnue"));
    assert_eq!(after.clone().with_policy_head(None), before);
    let head = after.policy_head().unwrap();
    assert!((0..THREAT_BIASES).any(|index| head.threat_bias(index) != 0));
    let pos = Position::startpos(Variant::Atomic);
    let mut accumulators = AccumulatorStack::default();
    accumulators.reset(&pos);
    let moves = quiet_moves(&pos);
    accumulators.activations(&after, &pos).unwrap();
    let policy = accumulators.policy(&after, &pos).unwrap();
    let mut logits = ArrayVec::<i32, MAX_MOVES>::new();
    let check_info = CheckInfo::new(&pos);
    let threats = PolicyThreats::new(&pos, &check_info).unwrap();
    policy.logits(&pos, &threats, &moves, &mut logits);
    let (mut knights, mut others) = (vec![], vec![]);
    for (mv, logit) in moves.iter().zip(logits) {
        if is_knight(&pos, *mv) {
            knights.push(logit);
        } else {
            others.push(logit);
        }
    }
    assert_eq!((knights.len(), others.len()), (4, 16));
    assert!(knights.iter().min() > others.iter().max(), "{knights:?} {others:?}");
    let card = fs::read_to_string(folder.join("out.md")).unwrap();
    for part in [
        "| policy head | ",
        "    a command\n",
        "    scripts/train/policy net.nnue out.nnue games --batch 64 --validation 2\n",
    ] {
        assert!(card.contains(part), "{part}: {card}");
    }
    for part in ["| 1, 2 |", "earlier"] {
        assert!(!card.contains(part), "{part}: {card}");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_head_is_a_start() {
    let folder = folder("start");
    let whole = Network::embedded().unwrap().to_bytes();
    fs::write(folder.join("whole.nnue"), &whole).unwrap();
    let args = "net.nnue out.nnue games --from whole.nnue --validation 2 --epochs";
    let start = |epochs: &str| {
        let args: Vec<&str> = args.split(' ').chain([epochs, "--force"]).collect();
        let output = train(&folder, &args);
        assert!(output.status.success(), "{output:?}");
        fs::read(folder.join("out.nnue")).unwrap()
    };
    assert!(start("0") == whole);
    assert!(start("1") != whole);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let folder = folder("threads");
    let mut files = vec![];
    for threads in ["1", "3"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_policy"));
        command.env("RAYON_NUM_THREADS", threads);
        command.current_dir(&folder);
        let output = command.args(["net.nnue", "out.nnue", "games", "--validation", "2"]);
        assert!(output.output().unwrap().status.success());
        files.push(fs::read(folder.join("out.nnue")).unwrap());
        for name in ["out.nnue", "out.md"] {
            fs::remove_file(folder.join(name)).unwrap();
        }
    }
    assert!(files[0] == files[1]);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_wrong_is_named() {
    let folder = folder("errors");
    let empty = GameWriter::append(&folder.join("empty"));
    drop(empty.unwrap());
    let cases: [(&[&str], &str); 8] = [
        (&["net.nnue", "net.nnue", "games", "--force"], "net.nnue: it is an input"),
        (&["net.nnue", "empty", "games"], "empty: it exists; use --force"),
        (&["none.nnue", "out.nnue", "games"], "none.nnue: "),
        (&["games", "out.nnue", "games"], "games: not a network file"),
        (&["net.nnue", "out.nnue", "net.nnue"], "net.nnue: "),
        (&["net.nnue", "out.nnue", "empty"], "too few examples"),
        (
            &["net.nnue", "out.nnue", "games", "--from", "net.nnue"],
            "net.nnue: it has no policy head",
        ),
        (&["net.nnue", "out.nnue", "games", "--batch", "0"], "--batch must be at least 1"),
    ];
    for (args, expected) in cases {
        let output = train(&folder, args);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && text.contains(expected), "{args:?}: {text}");
        assert!(!folder.join("out.nnue").exists());
    }
    fs::remove_dir_all(folder).unwrap();
}
