//! Seed inputs of the fuzz targets, made from the data of the tests.
//! Invariant: the same seeds on every machine.

use std::fs;
use std::path::Path;

use brisance::data::{GameRecord, GameWriter, PlyRecord};
use brisance::eval::nnue::Network;
use brisance::notation::fen::{self, CastlingStyle};
use brisance::notation::pgn::{PgnGame, PgnLine, PgnMove};
use brisance::notation::{coord, san};
use brisance::opening::{Book, BookEntry, polyglot_key, polyglot_move};
use brisance::proof::{NullListener, ProofVerdict, Solver, file};
use brisance::rules::{GameResult, Move, Position, Variant};

use super::files::scratch_file;
use super::{KnownPosition, TACTICS, positions};
use crate::random::Random;
use crate::walk::x_fen;

fn bytes(texts: impl IntoIterator<Item = String>) -> Vec<Vec<u8>> {
    texts.into_iter().map(String::into_bytes).collect()
}

/// Positions as FENs of both styles.
pub fn fens() -> Vec<Vec<u8>> {
    let styles = [CastlingStyle::XFen, CastlingStyle::Shredder];
    let fens = positions().iter().enumerate();
    let fens = fens.map(|(index, known)| fen::write(&known.pos, styles[index % 2]));
    let others =
        ["startpos", "\"r3k2_/8/8/8/8/8/8/R3K2R~[]_w_KQkq_e3\";", "4k3/8/8/8/8/8/8/4K3 b 3 7"];
    bytes(fens.chain(others.map(str::to_owned)))
}

/// Moves of known positions.
pub fn sans() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (selector, known) in (0..=255_u8).zip(positions()) {
        for &mv in known.pos.legal_moves().iter().step_by(9) {
            for text in [san::write(&known.pos, mv), coord::write(mv, true)] {
                seeds.push([&[selector], text.as_bytes()].concat());
            }
        }
    }
    seeds
}

/// Numbers, times, engine specifications and `setoption` lines.
pub fn option_texts() -> Vec<Vec<u8>> {
    let numbers = "25000 2.5M 1_000k -60 500ms 1.5s 2m 1h 8+0.08 40/2m+500ms self";
    let texts = [
        "self:option.Hash=8 nodes=5k name=a",
        "self name='two words' movetime=500ms",
        "cmd=./x name=new option.Hash=32 tc=8+0.08",
        "cmd=x dir=/tmp args=\"-a 'b c'\" depth=12 'option.Move Overhead=3'",
        "cmd=x option.Ponder=true tc=40/60+0.5",
    ];
    let lines = brisance::engine::options::all()
        .map(|option| format!("setoption name {} value 1", option.name));
    let more = ["true", "<empty>", "atomic", "  2  "];
    let more = more.map(|value| format!("setoption name UCI_Variant value {value}"));
    let texts = numbers.split(' ').chain(texts).map(str::to_owned);
    bytes(texts.chain(lines).chain(more))
}

/// EPD lines.
pub fn epds() -> Vec<Vec<u8>> {
    let lines = TACTICS.lines().filter(|line| !line.starts_with('#'));
    let lines = lines.step_by(5).map(str::to_owned);
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let tails = [
        " 3 7; id \"x; y\";",
        " hmvc 3; fmvn 7; bm Nf3 Nh3;",
        "; c0 \"\"",
        " 3 7 moves g1f3 d7d5; bm e4;",
    ];
    bytes(lines.chain(tails.map(|tail| format!("{start}{tail}"))))
}

/// Seeded random moves from a start position.
fn random_game(start: &Position, plies: usize, seed: u64) -> Vec<Move> {
    let (mut pos, mut random) = (start.clone(), Random::new(seed));
    let mut moves = Vec::new();
    while moves.len() < plies && !pos.legal_moves().is_empty() {
        let mv = *random.pick(&pos.legal_moves());
        moves.push(mv);
        pos.make(mv);
    }
    moves
}

/// PGN files.
pub fn pgns() -> Vec<Vec<u8>> {
    let texts = [
        "[White \"A\"]\n[Variant \"Atomic\"]\n\n{ before } 1. e4! $10 { [%clk 0:01:00] } \
         (1. d4 { x } d5 (1... e5) 2. c4) ; a remark\n 1... e5?! 2. Nf3 1-0\n",
        "[Event \"x\"]\n[Variant \"Atomic\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K2R w K - 0 1\"]\
         \n\n1. O-O Kd7 2. e4 *\n\n[Variant \"NoCheckAtomic\"]\n\n1. Nf3 d5 1/2-1/2\n",
        "% escaped\n\u{feff}[Result \"0-1\"]\n\n1.e4 e5 2.Sf9 (\n",
    ];
    let mut texts = texts.map(str::to_owned).to_vec();
    for (seed, known) in positions().iter().step_by(20).enumerate() {
        let moves = random_game(&known.pos, 8, seed as u64).into_iter();
        let line = PgnLine { comments: Vec::new(), moves: moves.map(PgnMove::new).collect() };
        let mut game = PgnGame {
            tags: Vec::new(),
            start: known.pos.clone(),
            main_line: line,
            result: Some(GameResult::Draw),
        };
        let name = match known.pos.variant() {
            Variant::Atomic => "Atomic",
            Variant::NoCheckAtomic => "NoCheckAtomic",
        };
        game.set_tag("Variant", name);
        game.set_tag("SetUp", "1");
        game.set_tag("FEN", x_fen(&known.pos));
        texts.push(game.to_pgn());
    }
    let mut seeds = bytes(texts);
    // The package of the fuzz targets lies inside the repository.
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut folders = folders.map(|folder| folder.join("engine-tests/data/pgn"));
    let folder = folders.find(|folder| folder.is_dir());
    let files = fs::read_dir(folder.expect("the data of the tests")).expect("readable");
    let mut paths: Vec<_> = files.map(|file| file.expect("readable").path()).collect();
    paths.sort();
    seeds.extend(paths.iter().map(|path| fs::read(path).expect("readable")));
    seeds
}

/// Recorded lines of GUIs.
pub fn uci_lines() -> Vec<Vec<u8>> {
    let corpus = include_str!("../../data/uci-corpus.txt");
    let lines = corpus.lines().filter_map(|line| line.split(" | ").nth(1));
    let lines = lines.map(|line| line.replace('␠', " ").replace('␉', "\t"));
    bytes(lines.map(|line| line.replace('⌖', "\u{feff}")))
}

/// UCI sessions.
pub fn uci_sessions() -> Vec<Vec<u8>> {
    let sessions = [
        "uci\nisready\nposition startpos moves g1f3\ngo nodes 100\nisready\nquit\n",
        "setoption name MultiPV value 3\ngo nodes 50\nstop\nd\neval\ngo perft 1\n",
        "setoption name UCI_Variant value nocheckatomic\nposition startpos\ngo nodes 20\nflip\n",
        "position fen 4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1\ngo ponder nodes 9\nponderhit\nisready\n",
        "ucinewgame\nsetoption name Threads value 2\ngo infinite nodes 5\nisready\nstop\ncompiler\n",
        "setoption name Skill Level value 3\nsetoption name UCI_ShowWDL value true\ngo nodes 64\n",
        "position startpos moves e2e4 e7e5 d1h5 b8c6 h5f7\nd\ngo nodes 3 searchmoves a2a3\n",
    ];
    bytes(sessions.map(str::to_owned))
}

/// The start of the embedded network, and changes to it.
pub fn networks() -> Vec<Vec<u8>> {
    let bytes = Network::embedded().expect("a valid network").to_bytes();
    let patch = |(offset, value): (u32, u8)| [b"P", &offset.to_le_bytes()[..], &[value]].concat();
    let patches = [(24, 1), (28, 200), (4_000_000, 127)].map(patch);
    [vec![bytes[..64].to_vec()], patches.to_vec()].concat()
}

/// A book, and entries of books.
pub fn books() -> Vec<Vec<u8>> {
    let entries = positions().iter().take(20).flat_map(|known| {
        let entry = |&mv: &Move| BookEntry {
            key: polyglot_key(&known.pos),
            code: polyglot_move(mv),
            weight: 1 + mv.code() % 7,
            learn: 0,
        };
        let moves = known.pos.legal_moves();
        moves.iter().take(2).map(entry).collect::<Vec<_>>()
    });
    let book = Book::new(entries.collect()).to_bytes();
    vec![
        book,
        b"E\x00\x01\x00\x00\x02\x00\x00\x02\x00\x00\x05\x00".to_vec(),
        b"E\x07\xff\x34\x12\xff\xff\x07\x03\x00\x00\x00\x00".to_vec(),
    ]
}

/// Files of games and single chunks.
pub fn game_files() -> Vec<Vec<u8>> {
    let path = scratch_file();
    let mut seeds = Vec::new();
    for (index, known) in positions().iter().enumerate().step_by(8) {
        let value = (index as i16 - 40) * 20;
        let plies = random_game(&known.pos, 10 + index % 30, index as u64);
        let record = |(ply, mv)| PlyRecord { mv, value, random: ply == 3 };
        let game = GameRecord {
            start: known.pos.clone(),
            plies: plies.into_iter().enumerate().map(record).collect(),
            result: GameResult::Draw,
        };
        let _ = fs::remove_file(&path);
        let mut writer = GameWriter::append(&path).expect("a new file");
        writer.add(&game).expect("a valid game");
        writer.flush().expect("the file is written");
        let bytes = fs::read(&path).expect("a file");
        let counts = [1, game.plies.len() as u8];
        // The payload follows the header of the file and that of the chunk.
        seeds.push([b"2", &counts[..], &bytes[32..]].concat());
        seeds.push(bytes);
    }
    let _ = fs::remove_file(&path);
    seeds
}

/// Proof files of known positions.
pub fn proofs() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let is_atomic = |known: &&KnownPosition| known.pos.variant() == Variant::Atomic;
    for known in positions().iter().filter(is_atomic) {
        let solver =
            Solver { hash_mb: 1, max_nodes: Some(300), ..Solver::new(known.pos.side_to_move()) };
        let result = solver.solve(&known.pos, &NullListener).expect("memory");
        if let ProofVerdict::Proved(proved) = result.verdict {
            let (proof, verified) = *proved;
            let mut bytes = Vec::new();
            file::write(&proof, &verified, false, &mut bytes).expect("memory");
            if bytes.len() < 4_000 {
                seeds.push(bytes);
            }
        }
    }
    seeds
}

/// For the targets that play moves.
pub fn random_bytes() -> Vec<Vec<u8>> {
    let mut random = Random::new(1);
    let seed = |index: u8| {
        let mut bytes = vec![index, index];
        bytes.extend((0..80).map(|_| random.below(256) as u8));
        bytes
    };
    (0..48).map(seed).collect()
}
