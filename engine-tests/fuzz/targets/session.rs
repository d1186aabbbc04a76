//! The fuzz target for whole UCI sessions.
//! Invariant: lines that would take long, or read or write files, are left out.

use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};

use brisance::uci::parse::{Go, UciCommand, UciMessage, parse};
use brisance::uci::run_with;

/// Lines of a session that are executed.
const MAX_LINES: usize = 40;
const MAX_NODES: u64 = 200;

/// An output that several threads write to.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Every `isready` is answered, and every `go` by one `bestmove`, except after `quit`.
pub fn uci_session(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let lines = text.split('\n').filter(|line| is_harmless(line));
    let mut input = String::from("setoption name Hash value 1\n");
    let (mut searches, mut questions, mut has_quit) = (0, 0, false);
    for line in lines.take(MAX_LINES) {
        input.push_str(line);
        input.push('\n');
        match parse(line) {
            Ok(UciCommand::Go(go)) if go.perft.is_none() => searches += 1,
            Ok(UciCommand::Message(UciMessage::IsReady)) => questions += 1,
            Ok(UciCommand::Message(UciMessage::Quit)) => has_quit = true,
            _ => {}
        }
        if has_quit {
            break;
        }
    }
    let output = Shared::default();
    run_with(Cursor::new(input.clone().into_bytes()), Box::new(output.clone()));
    let output = output.0.lock().expect("no panic");
    let output = std::str::from_utf8(&output).expect("the output is UTF-8");
    let count = |word: &str| {
        let first = |line: &&str| line.split(' ').next() == Some(word);
        output.lines().filter(first).count()
    };
    assert!(count("bestmove") <= searches, "{input}\n{output}");
    assert!(count("readyok") <= questions, "{input}\n{output}");
    if !has_quit {
        assert_eq!(count("bestmove"), searches, "{input}\n{output}");
        assert_eq!(count("readyok"), questions, "{input}\n{output}");
    }
}

/// Whether a line is quick, and reads and writes no files.
fn is_harmless(line: &str) -> bool {
    match parse(line) {
        Ok(UciCommand::Go(go)) => is_short(&go),
        Ok(UciCommand::Message(UciMessage::SetOption { name, value })) => {
            let name = name.to_ascii_lowercase();
            let number = value.and_then(|value| value.trim().parse::<u32>().ok());
            match name.as_str() {
                "hash" | "threads" => number.is_some_and(|number| number <= 2),
                "multipv" => number.is_none_or(|number| number <= 4),
                _ => !["file", "path", "nodestime"].iter().any(|word| name.contains(word)),
            }
        }
        Ok(UciCommand::Bench(_) | UciCommand::GenFens(_) | UciCommand::ExportNet(_)) => false,
        _ => true,
    }
}

fn is_short(go: &Go) -> bool {
    match go.perft {
        Some(depth) => depth <= 2,
        None => {
            let limits = &go.search_control;
            limits.nodes.is_some_and(|nodes| nodes <= MAX_NODES) && limits.mate.is_none()
        }
    }
}
