//! An engine that misbehaves on demand, without a program of its own: this test binary,
//! started to run the one test below with a behaviour named in its environment.
//! Invariant: everything it does wrong it does at a fixed point of the conversation.

use std::env;
use std::io::{self, BufRead, Write};
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

/// Names the behaviour.
pub const BEHAVIOUR: &str = "BRISANCE_TEST_STUB";
/// A file for the process ids of all that were started.
pub const PIDS: &str = "BRISANCE_TEST_PIDS";

/// The kings can go to and fro here for ever: no man can capture another.
pub const OPENING: &str = "k7/8/8/p6p/P6P/8/8/K7 w - - 0 1";

/// Both sides can castle here with the rook on the a-file, whatever White does first.
pub const CASTLING_OPENING: &str = "r2k4/8/3p4/p1p4p/P1P4P/3P4/8/R2K4 w Qq - 0 1";

/// How a match runner starts the stub.
pub fn spec() -> String {
    let program = env::current_exe().expect("a test binary has a path");
    format!(
        "'cmd={}' args='--exact arena::stub::engine --ignored --nocapture' name=Stub",
        program.display()
    )
}

fn say(bytes: &[u8]) {
    let mut out = io::stdout();
    // Nobody may be listening any more.
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

fn line(text: &str) {
    say(format!("{text}\n").as_bytes());
}

fn sleep_on() -> ! {
    loop {
        sleep(Duration::from_secs(60));
    }
}

/// A castling on the first move in [`CASTLING_OPENING`], then a step of that king,
/// legal or not.
fn castling(ply: usize) -> &'static str {
    ["d1a1", "d8a8", "c1b1", "c8b8"][ply % 4]
}

/// The move of a king that goes to and fro in [`OPENING`], as the n-th ply of the game.
fn step(ply: usize) -> &'static str {
    ["a1b1", "a8b8", "b1a1", "b8a8"][ply % 4]
}

#[test]
#[ignore = "an engine for other tests; by itself it does nothing"]
fn engine() {
    let Ok(behaviour) = env::var(BEHAVIOUR) else {
        return;
    };
    // The test harness has begun a line of its own.
    line("");
    play(&behaviour);
    exit(0);
}

fn play(behaviour: &str) {
    let is = |name: &str| behaviour == name;
    if let Ok(path) = env::var(PIDS) {
        let mut options = std::fs::OpenOptions::new();
        let mut file = options
            .append(true)
            .create(true)
            .open(path)
            .expect("a file");
        writeln!(file, "{}", std::process::id()).expect("written");
    }
    if is("dies at start") {
        exit(3);
    }
    if is("floods") {
        loop {
            line("info string all work and no play makes Jack a dull boy");
        }
    }
    let (mut ply, mut games, mut searches) = (0, 0, 0);
    for command in io::stdin().lock().lines() {
        let Ok(command) = command else { break };
        let words: Vec<&str> = command.split_ascii_whitespace().collect();
        match words.first().copied() {
            Some("uci") if is("silent at uci") => sleep_on(),
            Some("uci") => {
                if !is("knows no variants") {
                    line("option name UCI_Variant type combo default chess var chess var Atomic");
                }
                if !is("knows no Chess960") {
                    line("option name UCI_Chess960 type check default false");
                }
                line("uciok");
            }
            // `Atomic` is how it wrote the name.
            Some("setoption")
                if is("wants its own spelling")
                    && words.get(2) == Some(&"UCI_Variant")
                    && words.get(4) != Some(&"Atomic") =>
            {
                exit(3);
            }
            Some("ucinewgame") => {
                games += 1;
                searches = 0;
                if is("dies between games") && games == 2 {
                    exit(3);
                }
            }
            Some("isready") if is("silent at isready") => sleep_on(),
            Some("isready") => {
                if is("speaks unasked") {
                    line("bestmove a1a8");
                }
                if is("thinks before go") && ply > 0 {
                    sleep(Duration::from_millis(800));
                }
                line("readyok");
            }
            Some("position") => {
                let moves = words.iter().position(|word| *word == "moves");
                ply = moves.map_or(0, |at| words.len() - at - 1);
            }
            Some("go") => {
                searches += 1;
                let mv = if is("castles") {
                    castling(ply)
                } else {
                    step(ply)
                };
                search(behaviour, mv, searches);
            }
            Some("stop") if is("moves when stopped") => line(&format!("bestmove {}", step(ply))),
            Some("quit") if is("ignores quit") => sleep_on(),
            Some("quit") => return,
            _ => {}
        }
    }
    if is("ignores quit") {
        sleep_on();
    }
}

/// Answers `go`, for the `count`th time in this game.
fn search(behaviour: &str, mv: &str, count: u32) {
    let best = |text: &str| line(&format!("bestmove {text}"));
    match behaviour {
        "silent at go" => sleep_on(),
        "moves when stopped" => {}
        "dies while thinking" if count == 2 => exit(3),
        "closes its output" if count == 2 => {
            // The harness holds stdout, so the nearest thing is an exit without a code.
            std::process::abort();
        }
        "plays an illegal move" => best("a1a3"),
        "plays a foreign move" => best("\u{1b}[2Je2}e4 {1-0}_and_a_very_long_tail"),
        "plays none" => best("(none)"),
        "plays zeros" => best("0000"),
        "says only bestmove" => line("bestmove"),
        "moves late" => {
            sleep(Duration::from_millis(800));
            best(mv);
        }
        "prints garbage only" => loop {
            say(&(0..=255).collect::<Vec<u8>>());
        },
        "prints garbage and moves" => {
            say(&(0..=255).collect::<Vec<u8>>());
            line("\ninfo depth score cp\ninfo score mate x pv\nbestmoves a1a8\n\u{feff}");
            line("info depth 99999999999999 score cp 99999999999999 nodes -1");
            best(mv);
        }
        "prints a huge line and moves" => {
            for _ in 0..200 {
                say(&[b'x'; 1 << 16]);
            }
            line("");
            best(mv);
        }
        "speaks unasked" => {
            best(mv);
            best(mv);
            best("a1a8");
        }
        "shows its scores" => {
            line("info depth 7 seldepth 9 multipv 1 score cp 31 nodes 5 pv a1b1");
            line("info depth 8 score cp -900 upperbound");
            best(mv);
        }
        _ => best(mv),
    }
}
