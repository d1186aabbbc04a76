//! An engine that behaves or misbehaves on demand: the match tests play against it.
//! Usage: `stub_engine BEHAVIOUR [FILE]`; the process id is appended to FILE. Options limit the
//! behaviour to some games or to one process; otherwise the engine moves at once.
//! Invariant: everything it does wrong happens at a fixed point of the conversation.

use std::fs::OpenOptions;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

use clap::{Parser, ValueEnum};

/// An engine for tests of matches.
#[derive(Parser)]
struct Arguments {
    /// What the engine does, mostly wrong.
    behaviour: Behaviour,
    /// The process id is appended to this file.
    pids: Option<PathBuf>,
    /// Behaves well in this many games.
    #[arg(long, default_value_t = 0)]
    after_games: u32,
    /// Behaves well in every other process, by their order in the file.
    #[arg(long)]
    process: Option<usize>,
    /// Plays this instead of its move.
    #[arg(long)]
    plays: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Behaviour {
    MovesAtOnce,
    /// Exits before it reads anything.
    CrashesAtStart,
    /// Prints lines without end before it reads anything.
    FloodsOutput,
    SilentAtUci,
    /// Answers `uci` after 0.5 s.
    SlowUciok,
    NoVariantOption,
    NoChess960Option,
    /// Exits unless the variant is spelt as in its option.
    CaseSensitiveVariant,
    /// Reports an error at `setoption` of an ordinary option.
    RejectsOption,
    CrashesAtUcinewgame,
    CrashesAtIsready,
    SilentAtIsready,
    /// Answers `isready` during a game after 0.5 s.
    SlowReadyok,
    /// Sends `bestmove` lines that nothing requested.
    UnsolicitedBestmove,
    SilentAtGo,
    /// Reports errors at `go` and exits.
    NoNetwork,
    /// Reports errors at `go` and hangs.
    HangsWithoutNetwork,
    /// Exits at the second `go` of a game.
    CrashesDuringSearch,
    /// A move of control characters, braces and underscores.
    GarbageMove,
    /// Moves after 0.5 s.
    LateMove,
    MovesOnlyOnStop,
    /// Prints bytes without end instead of a move.
    GarbageOnly,
    GarbageThenMove,
    /// Prints a line of 13 MB before its move.
    HugeLine,
    /// Castles on its first move.
    Castles,
    ReportsScores,
    IgnoresQuit,
    /// Expects the move that another stub plays.
    PondersRight,
    /// Expects a legal move that no stub plays.
    PondersWrong,
    PondersIllegalMove,
    MovesWhilePondering,
    /// Exits at `go ponder`.
    CrashesWhilePondering,
    HangsAtPonderhit,
    /// Expects a wrong move and hangs at `stop`.
    HangsAtPonderStop,
}

use Behaviour::*;

fn main() {
    let arguments = Arguments::parse();
    let mut behaviour = arguments.behaviour;
    if let Some(path) = &arguments.pids {
        let file = OpenOptions::new().append(true).create(true).open(path);
        let mut file = file.expect("the file of process ids can be opened");
        writeln!(file, "{}", std::process::id()).expect("the process id can be written");
        let pids = std::fs::read_to_string(path).expect("the process ids can be read");
        let count = pids.lines().count();
        if arguments.process.is_some_and(|number| number != count) {
            behaviour = MovesAtOnce;
        }
    }
    run(behaviour, &arguments);
}

fn print_bytes(bytes: &[u8]) {
    let mut out = io::stdout();
    // The match runner may have closed the pipe.
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

fn print_line(text: &str) {
    print_bytes(format!("{text}\n").as_bytes());
}

fn hang() -> ! {
    loop {
        sleep(Duration::from_secs(60));
    }
}

/// Each depth of a stub that ponders is a line; more lines than a match keeps unread.
const PONDER_DEPTH: u32 = 1000;

/// The move of a king that goes back and forth from `stub::OPENING`.
fn king_move(ply: usize) -> &'static str {
    ["a1b1", "a8b8", "b1a1", "b8a8"][ply % 4]
}

/// The move in this ply and the reply that the engine expects, as in `bestmove`.
fn reply(behaviour: Behaviour, ply: usize) -> String {
    let mv = match behaviour {
        // From `stub::CASTLING_OPENING`.
        Castles => ["d1a1", "d8a8", "c1b1", "c8b8"][ply % 4],
        _ => king_move(ply),
    };
    match expected_reply(behaviour, ply) {
        Some(expected) => format!("{mv} ponder {expected}"),
        None => mv.to_owned(),
    }
}

/// The reply that the engine expects to its move; `None` if it does not ponder.
fn expected_reply(behaviour: Behaviour, ply: usize) -> Option<&'static str> {
    match behaviour {
        PondersRight | MovesWhilePondering | CrashesWhilePondering | HangsAtPonderhit => {
            Some(king_move(ply + 1))
        }
        PondersWrong | HangsAtPonderStop => Some(["a8a7", "b1b2", "b8b7", "a1a2"][ply % 4]),
        PondersIllegalMove => Some("a1a8"),
        _ => None,
    }
}

/// Reports a search that goes on until `ponderhit` or `stop`, or what the behaviour demands.
fn ponder(behaviour: Behaviour, ply: usize) {
    match behaviour {
        CrashesWhilePondering => exit(3),
        MovesWhilePondering => print_line(&format!("bestmove {}", king_move(ply))),
        _ => {}
    }
    for depth in 1..=PONDER_DEPTH {
        print_line(&format!("info depth {depth} score cp 44"));
    }
}

fn run(declared: Behaviour, arguments: &Arguments) {
    match declared {
        CrashesAtStart => exit(3),
        FloodsOutput => loop {
            print_line("info string the same line again and again");
        },
        _ => {}
    }
    let (mut ply, mut games, mut searches) = (0, 0, 0);
    let mut is_pondering = false;
    for command in io::stdin().lock().lines() {
        let Ok(command) = command else { break };
        let words: Vec<&str> = command.split_ascii_whitespace().collect();
        games += u32::from(words.first() == Some(&"ucinewgame"));
        let behaviour = match arguments.after_games {
            0 => declared,
            good if games > good => declared,
            _ => MovesAtOnce,
        };
        match (is_pondering, words.first().copied()) {
            // UCI allows nothing else while an engine ponders, and no ponderhit at other times.
            (true, Some("isready" | "ponderhit" | "stop" | "quit")) => {}
            (true, _) | (false, Some("ponderhit")) => exit(4),
            (false, _) => {}
        }
        match words.first().copied() {
            Some("uci") => print_options(behaviour),
            Some("setoption") => match (behaviour, &words[2..]) {
                (CaseSensitiveVariant, ["UCI_Variant", _, value]) if *value != "Atomic" => exit(3),
                (RejectsOption, ["EvalFile", ..]) => {
                    print_line("info string error EvalFile: no such network");
                }
                _ => {}
            },
            Some("ucinewgame") if behaviour == CrashesAtUcinewgame => exit(3),
            Some("ucinewgame") => searches = 0,
            Some("isready") => {
                match behaviour {
                    CrashesAtIsready => exit(3),
                    SilentAtIsready => hang(),
                    UnsolicitedBestmove => print_line("bestmove a1a8"),
                    SlowReadyok if ply > 0 => sleep(Duration::from_millis(500)),
                    _ => {}
                }
                print_line("readyok");
            }
            Some("position") => {
                let moves = words.iter().position(|word| *word == "moves");
                ply = moves.map_or(0, |at| words.len() - at - 1);
            }
            Some("go") if words.get(1) == Some(&"ponder") => {
                is_pondering = true;
                ponder(behaviour, ply);
            }
            Some("go") => {
                searches += 1;
                let mv = arguments.plays.clone();
                let mv = mv.unwrap_or_else(|| reply(behaviour, ply));
                search(behaviour, &mv, searches);
            }
            Some("ponderhit") if behaviour == HangsAtPonderhit => hang(),
            Some("stop") if is_pondering && behaviour == HangsAtPonderStop => hang(),
            Some("ponderhit" | "stop") if is_pondering => {
                is_pondering = false;
                print_line(&format!("bestmove {}", reply(behaviour, ply)));
            }
            Some("stop") if behaviour == MovesOnlyOnStop => {
                print_line(&format!("bestmove {}", king_move(ply)));
            }
            Some("quit") if behaviour == IgnoresQuit => hang(),
            Some("quit") => return,
            _ => {}
        }
    }
    if declared == IgnoresQuit {
        hang();
    }
}

fn print_options(behaviour: Behaviour) {
    match behaviour {
        SilentAtUci => hang(),
        SlowUciok => sleep(Duration::from_millis(500)),
        _ => {}
    }
    if behaviour != NoVariantOption {
        print_line("option name UCI_Variant type combo default chess var chess var Atomic");
    }
    if behaviour != NoChess960Option {
        print_line("option name UCI_Chess960 type check default false");
    }
    if behaviour == RejectsOption {
        print_line("option name EvalFile type string default <empty>");
    }
    if expected_reply(behaviour, 0).is_some() {
        print_line("option name Ponder type check default false");
    }
    print_line("uciok");
}

/// Answers the `count`th `go` of a game with `mv`, or with what the behaviour demands.
fn search(behaviour: Behaviour, mv: &str, count: u32) {
    let play = |text: &str| print_line(format!("bestmove {text}").trim_end());
    match behaviour {
        SilentAtGo => hang(),
        MovesOnlyOnStop => {}
        NoNetwork | HangsWithoutNetwork => {
            print_line("info string ERROR: a network must be available.");
            print_line("info string ERROR: nn-{1}.nnue was not loaded.");
            if behaviour == HangsWithoutNetwork {
                hang();
            }
            exit(1);
        }
        CrashesDuringSearch if count == 2 => exit(3),
        GarbageMove => play("\u{1b}[2Je2}e4 {1-0}_and_a_very_long_tail"),
        LateMove => {
            sleep(Duration::from_millis(500));
            play(mv);
        }
        GarbageOnly => loop {
            print_bytes(&(0..=255).collect::<Vec<u8>>());
        },
        GarbageThenMove => {
            print_bytes(&(0..=255).collect::<Vec<u8>>());
            print_line("\ninfo depth score cp\ninfo score mate x pv\nbestmoves a1a8\n\u{feff}");
            print_line("info depth 99999999999999 score cp 99999999999999 nodes -1");
            play(mv);
        }
        HugeLine => {
            for _ in 0..200 {
                print_bytes(&[b'x'; 1 << 16]);
            }
            print_line("");
            play(mv);
        }
        UnsolicitedBestmove => {
            play(mv);
            play(mv);
            play("a1a8");
        }
        ReportsScores => {
            print_line("info depth 7 seldepth 9 multipv 1 score cp 31 nodes 5 pv a1b1");
            print_line("info depth 8 score cp -900 upperbound");
            play(mv);
        }
        _ => play(mv),
    }
}
