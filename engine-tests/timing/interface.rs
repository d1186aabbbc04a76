//! Commands are answered at once during a search and with large settings, and an engine whose
//! interface has gone away ends within a second.

use std::io::{Read, Write};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crate::program::{command, wait_until};
use crate::uci::session::Session;

/// A second, and as much again for a machine with other work to do.
const END: Duration = Duration::from_secs(2);
/// What should be answered at once. One of several tries must be, because another process may
/// take the processor at any time.
const PROMPT: Duration = Duration::from_millis(100);
const TRIES: usize = 5;

const LONG: &str = "go depth 99, go wtime 10000000 btime 10000000, go movetime 600000, go perft 9, \
                    bench 99, go mate 30";

#[test]
#[ignore = "timing"]
#[cfg(unix)]
fn a_search_ends_when_its_output_is_closed() {
    for line in LONG.split(", ") {
        for closes_input in [true, false] {
            let process = command("").stdin(Stdio::piped()).spawn();
            let mut process = process.expect("the program starts");
            let mut input = process.stdin.take().expect("piped");
            let mut output = process.stdout.take().expect("piped");
            input.write_all(b"isready\n").expect("it reads");
            output.read_exact(&mut [0; 7]).expect("readyok");
            writeln!(input, "{line}").expect("it reads");
            thread::sleep(Duration::from_millis(50));
            drop(output);
            let kept = (!closes_input).then_some(input);
            let start = Instant::now();
            wait_until("end", || process.try_wait().expect("a child").is_some());
            assert!(start.elapsed() < END, "{line}, closed: {closes_input}");
            drop(kept);
        }
    }
}

#[test]
#[ignore = "timing"]
fn a_search_ends_when_its_input_is_closed() {
    let sessions = LONG.split(", ").map(|line| {
        let mut session = Session::ready();
        session.send(line);
        (session, line)
    });
    let sessions: Vec<(Session, &str)> = sessions.collect();
    // Input that ends at once would be a script, whose limited searches are finished.
    thread::sleep(Duration::from_millis(1500));
    for (session, line) in sessions {
        let start = Instant::now();
        session.end();
        assert!(start.elapsed() < END, "{line}");
    }
}

#[track_caller]
fn prompt(what: &str, mut measure: impl FnMut() -> Duration) {
    let mut times = Vec::new();
    for _ in 0..TRIES {
        times.push(measure());
        if times.last() < Some(&PROMPT) {
            return;
        }
    }
    panic!("{what}: {times:?}");
}

#[test]
#[ignore = "exhaustive: tables of 4 to 16 GiB"]
fn exhaustive_large_tables_are_made_at_once() {
    let mut session = Session::ready();
    // A size that the system refuses is answered as quickly.
    for size in [4096, 16_384] {
        let mut other = 8192;
        prompt(&format!("Hash {size}"), || {
            // Another size before each try, so that every try allocates.
            session.tell(&format!("setoption name Hash value {other}"));
            other = if other == 8192 { 8000 } else { 8192 };
            session.measure(&format!("setoption name Hash value {size}\nisready"), "readyok")
        });
        for line in ["setoption name Clear Hash", "ucinewgame"] {
            prompt(line, || {
                session.search("go nodes 2000");
                session.measure(&format!("{line}\nisready"), "readyok")
            });
        }
        prompt("stop", || {
            session.send("go infinite");
            session.measure("stop", "bestmove")
        });
        prompt("stop of go mate", || {
            session.send("position startpos");
            session.send("go mate 9");
            thread::sleep(Duration::from_millis(300));
            session.measure("stop", "bestmove")
        });
        prompt("quit", || {
            let mut other = Session::ready();
            other.send(&format!("setoption name Hash value {size}\ngo infinite"));
            thread::sleep(Duration::from_millis(100));
            let start = Instant::now();
            other.send("quit");
            other.end();
            start.elapsed()
        });
    }
}

#[test]
#[ignore = "timing"]
fn many_threads_keep_the_time() {
    for threads in [256, 1024] {
        let mut session = Session::ready();
        prompt(&format!("Threads {threads}"), || {
            session.tell("setoption name Threads value 1");
            let set = format!("setoption name Threads value {threads}\nisready");
            session.measure(&set, "readyok")
        });
        prompt("ucinewgame", || session.measure("ucinewgame\nisready", "readyok"));
        prompt("stop", || {
            session.send("go infinite");
            thread::sleep(Duration::from_millis(50));
            session.measure("stop", "bestmove")
        });
        let time = Duration::from_millis(300);
        prompt("movetime", || session.measure("go movetime 300", "bestmove").saturating_sub(time));
        session.search("go nodes 5000");
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[test]
#[ignore = "timing"]
fn isready_is_answered_during_a_search() {
    let mut session = Session::ready();
    for line in ["go infinite", "go perft 9"] {
        session.send(line);
        thread::sleep(Duration::from_millis(20));
        let times = (0..7).map(|_| session.measure("isready", "readyok"));
        let median = median(times.collect());
        assert!(median < PROMPT, "{line}: {median:?}");
        session.send("stop");
        session.until(if line.contains("perft") {
            "info string error go perft: stopped"
        } else {
            "bestmove"
        });
    }
}

#[test]
#[ignore = "timing"]
fn stop_ends_a_search_at_once() {
    let mut session = Session::ready();
    let mut times = Vec::new();
    let lines = "go infinite, go, go ponder wtime 60000 btime 60000, go depth 200";
    for line in lines.split(", ") {
        for _ in 0..2 {
            session.send(line);
            thread::sleep(Duration::from_millis(15));
            times.push(session.measure("stop", "bestmove"));
        }
    }
    let median = median(times);
    assert!(median < PROMPT, "{median:?}");
}
