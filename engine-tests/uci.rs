//! The protocol: what clients send is understood in full, and conversations with the real
//! binary end as GUIs expect them to.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command as Process, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use brisance::uci::parse::{Command, Go, Start, parse};

/// Far longer than anything here takes; a loaded machine must not fail the tests.
const PATIENCE: Duration = Duration::from_secs(20);
/// What the median of several quick answers must stay below, with room for a loaded machine;
/// on an idle one it is under a millisecond.
const PROMPT: Duration = Duration::from_millis(100);

/// A conversation with the binary.
struct Session {
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
}

impl Session {
    fn start() -> Session {
        let mut process = Process::new(env!("CARGO_BIN_EXE_brisance"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let output = process.stdout.take().expect("piped");
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let line = line.expect("the output is UTF-8");
                assert_eq!(line, line.trim_end(), "trailing blanks");
                if sender.send((Instant::now(), line)).is_err() {
                    break;
                }
            }
        });
        Session {
            input: process.stdin.take(),
            process,
            lines,
        }
    }

    /// A conversation in which the handshake is done.
    fn ready() -> Session {
        let mut session = Session::start();
        session.send("uci");
        session.until("uciok");
        session.sync();
        session
    }

    fn send(&mut self, text: &str) {
        self.send_bytes(format!("{text}\n").as_bytes());
    }

    fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).expect("the binary reads");
        input.flush().expect("the binary reads");
    }

    fn next(&mut self) -> (Instant, String) {
        self.lines
            .recv_timeout(PATIENCE)
            .expect("a line within the patience of the test")
    }

    /// All lines up to and including the first that begins with `prefix`.
    fn until(&mut self, prefix: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let (_, line) = self.next();
            let found = line.starts_with(prefix);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// Sends, and measures the time to the first line that begins with `prefix`.
    fn measure(&mut self, text: &str, prefix: &str) -> Duration {
        let sent = Instant::now();
        self.send(text);
        loop {
            let (seen, line) = self.next();
            if line.starts_with(prefix) {
                return seen.saturating_duration_since(sent);
            }
        }
    }

    /// All lines that come before the answer to `isready`.
    fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        assert_eq!(lines.pop().as_deref(), Some("readyok"));
        lines
    }

    /// The lines that come within `time`.
    fn listen(&mut self, time: Duration) -> Vec<String> {
        let end = Instant::now() + time;
        let mut lines = Vec::new();
        loop {
            match self
                .lines
                .recv_timeout(end.saturating_duration_since(Instant::now()))
            {
                Ok((_, line)) => lines.push(line),
                Err(RecvTimeoutError::Timeout) => return lines,
                Err(RecvTimeoutError::Disconnected) => panic!("the binary has ended"),
            }
        }
    }

    /// The FEN that `d` shows.
    fn fen(&mut self) -> String {
        self.send("d");
        let lines = self.sync();
        let fen = lines.iter().find_map(|line| line.strip_prefix("Fen: "));
        fen.expect("d shows a FEN").to_string()
    }

    /// Closes the input and returns what is still said and how the process ends.
    fn end(mut self) -> (Vec<String>, ExitStatus) {
        self.input = None;
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok((_, line)) => lines.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the binary does not end"),
            }
        }
        let status = self.process.wait().expect("the binary has ended");
        (lines, status)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Only this test's own process; it has ended already when the test succeeded.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Everything the binary says to a text that is piped in at once.
fn piped(text: &str) -> Vec<String> {
    let mut session = Session::start();
    session.send_bytes(text.as_bytes());
    let (lines, status) = session.end();
    assert!(status.success(), "{text:?}: {status}");
    lines
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn errors(lines: &[String]) -> Vec<&String> {
    let is_error = |line: &&String| line.starts_with("info string error ");
    lines.iter().filter(is_error).collect()
}

/// A search's lines: at least one full line before the one `bestmove`, which is returned.
fn answer(lines: &[String]) -> &str {
    let is_answer = |line: &&String| line.starts_with("bestmove ");
    assert_eq!(lines.iter().filter(is_answer).count(), 1, "{lines:?}");
    let last = lines.last().expect("counted above");
    let best = last.strip_prefix("bestmove ").expect("the answer is last");
    let full = |line: &String| {
        line.starts_with("info depth ")
            && line.contains(" score ")
            && (line.contains(" pv ") || best == "(none)")
    };
    assert!(lines.iter().any(full), "{lines:?}");
    best.split(' ').next().expect("split gives a first part")
}

/// A command as the corpus writes it: every word that was understood, and none else.
fn rendered(line: &str) -> String {
    let command = match parse(line) {
        Ok(command) => command,
        Err(error) => return format!("error {}", error.text),
    };
    let plain = |text: &str| text.to_string();
    match command {
        Command::Uci => plain("uci"),
        Command::Debug(on) => plain(if on { "debug on" } else { "debug off" }),
        Command::IsReady => plain("isready"),
        Command::SetOption { name, value: None } => format!("option {name}"),
        Command::SetOption {
            name,
            value: Some(value),
        } => format!("option {name} := {value}"),
        Command::Register => plain("register"),
        Command::UciNewGame => plain("ucinewgame"),
        Command::Position { start, moves } => {
            let mut text = match start {
                Start::Startpos => plain("position startpos"),
                Start::Fen(fen) => format!("position fen {fen}"),
            };
            if !moves.is_empty() {
                text = format!("{text} + {}", moves.join(" "));
            }
            text
        }
        Command::Go(go) => rendered_go(&go),
        Command::Stop => plain("stop"),
        Command::PonderHit => plain("ponderhit"),
        Command::Quit => plain("quit"),
        Command::Display => plain("d"),
        Command::Bench(words) => format!("bench {}", words.join(" ")),
        Command::Unknown(_) => plain("unknown"),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn rendered_go(go: &Go) -> String {
    let mut text = String::from("go");
    for (key, on) in [("ponder", go.ponder), ("infinite", go.infinite)] {
        if on {
            text = format!("{text} {key}");
        }
    }
    let byte = |number: Option<u8>| number.map(i64::from);
    for (key, value) in [
        ("wtime", go.time[0]),
        ("btime", go.time[1]),
        ("winc", go.increment[0]),
        ("binc", go.increment[1]),
        ("movestogo", byte(go.moves_to_go)),
        ("movetime", go.move_time),
        ("depth", byte(go.depth)),
        ("nodes", go.nodes.map(|nodes| nodes as i64)),
        ("mate", byte(go.mate)),
        ("perft", go.perft.map(i64::from)),
    ] {
        if let Some(value) = value {
            text = format!("{text} {key}={value}");
        }
    }
    for (key, list) in [("searchmoves", &go.search_moves), ("ignored", &go.ignored)] {
        if !list.is_empty() {
            text = format!("{text} {key}={}", list.join(","));
        }
    }
    text
}

fn corpus() -> Vec<(&'static str, String, &'static str)> {
    let text = include_str!("data/uci-corpus.txt");
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let mut columns = line.split(" | ");
            let mut column = || columns.next().unwrap_or_else(|| panic!("{line:?}"));
            let (client, raw, wanted) = (column(), column(), column());
            let raw = raw.replace('␠', " ").replace('␉', "\t");
            (client, raw.replace('⌖', "\u{feff}"), wanted)
        })
        .collect()
}

#[test]
fn what_clients_send_is_understood_in_full() {
    let corpus = corpus();
    assert!(corpus.len() > 100);
    for (client, line, wanted) in corpus {
        assert_eq!(rendered(&line), wanted, "{client}: {line:?}");
    }
}

#[test]
fn white_space_case_and_line_ends_change_nothing() {
    for (client, line, wanted) in corpus() {
        let shouted: String = {
            let keyword = line.split_whitespace().next().unwrap_or_default();
            line.replacen(keyword, &keyword.to_uppercase(), 1)
        };
        let spread = line.replace(' ', " \t ");
        for variation in [
            shouted,
            spread,
            format!("{line} \t \r\n"),
            format!("  {line}"),
        ] {
            // A value keeps the blanks inside it.
            if wanted.contains(" := ") && variation.contains(" \t ") {
                continue;
            }
            assert_eq!(rendered(&variation), wanted, "{client}: {variation:?}");
        }
    }
}

#[test]
fn unknown_words_before_a_command_are_skipped() {
    const OURS: [&str; 3] = ["unknown", "d", "bench"];
    for (client, line, wanted) in corpus() {
        if line.starts_with('\u{feff}') || OURS.iter().any(|ours| wanted.starts_with(ours)) {
            continue;
        }
        for junk in ["joho", "\u{1}\u{2}", "»«", "0", "readyok?", "x/y"] {
            assert_eq!(rendered(&format!("{junk} {line}")), wanted, "{client}");
        }
    }
}

mod random {
    use proptest::prelude::*;

    use super::*;

    fn config() -> ProptestConfig {
        ProptestConfig {
            cases: 2000,
            failure_persistence: None,
            ..ProptestConfig::default()
        }
    }

    /// A word a line may contain, sensible or not.
    fn word() -> impl Strategy<Value = String> {
        let words: Vec<String> = corpus()
            .iter()
            .flat_map(|(_, line, _)| line.split(' ').map(str::to_string).collect::<Vec<_>>())
            .collect();
        prop_oneof![
            6 => prop::sample::select(words),
            1 => any::<i64>().prop_map(|number| number.to_string()),
            1 => "[a-h][1-8][a-h][1-8][qrbnk]?",
            1 => "\\PC{0,6}",
            1 => Just("value".to_string()),
            1 => Just(String::new()),
        ]
    }

    fn line() -> impl Strategy<Value = String> {
        let separator = prop::sample::select(vec![" ", "  ", "\t", "\u{a0}", ""]);
        prop::collection::vec((word(), separator), 0..12).prop_map(|parts| {
            let join = |text: String, (word, gap): (String, &str)| text + &word + gap;
            parts.into_iter().fold(String::new(), join)
        })
    }

    /// One clause of a canonical `go` line.
    fn clause(key: &'static str) -> BoxedStrategy<String> {
        let number = match key {
            "ponder" | "infinite" => return Just(key.to_string()).boxed(),
            "searchmoves" => {
                return prop::collection::vec("[a-h][1-8][a-h][1-8][qrbn]?", 1..6)
                    .prop_map(|moves| format!("searchmoves={}", moves.join(",")))
                    .boxed();
            }
            "movestogo" | "depth" | "mate" | "perft" => 0..=255i64,
            "nodes" => 0..=999_999_999_999,
            _ => -100_000..=999_999_999_999,
        };
        number.prop_map(move |n| format!("{key}={n}")).boxed()
    }

    /// Clauses in the order of [`rendered_go`], each present or not.
    fn clauses() -> impl Strategy<Value = Vec<String>> {
        const KEYS: [&str; 13] = [
            "ponder",
            "infinite",
            "wtime",
            "btime",
            "winc",
            "binc",
            "movestogo",
            "movetime",
            "depth",
            "nodes",
            "mate",
            "perft",
            "searchmoves",
        ];
        let each: Vec<_> = KEYS
            .iter()
            .map(|key| prop::option::of(clause(key)))
            .collect();
        each.prop_map(|clauses| clauses.into_iter().flatten().collect())
    }

    proptest! {
        #![proptest_config(config())]

        #[test]
        fn no_line_panics(line in line()) {
            let _ = parse(&line);
            let _ = parse(&format!("go {line}"));
            let _ = parse(&format!("position {line}"));
            let _ = parse(&format!("position startpos moves {line}"));
            let _ = parse(&format!("setoption name {line}"));
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = parse(&String::from_utf8_lossy(&bytes));
        }

        #[test]
        fn go_keeps_every_word_in_any_order(
            (ordered, shuffled) in clauses()
                .prop_flat_map(|list| (Just(list.clone()), Just(list).prop_shuffle())),
            trailing in "[ \t]{0,3}",
        ) {
            let words = |list: &[String]| list.join(" ").replace(['=', ','], " ");
            let line = format!("go {}{trailing}", words(&shuffled));
            let wanted = format!("go {}", ordered.join(" "));
            prop_assert_eq!(rendered(&line), wanted.trim_end());
        }

        #[test]
        fn moves_come_back_in_full(
            moves in prop::collection::vec("[a-hA-H][1-8][a-h][1-8][qrbnQ]?", 0..60),
            broken in "[a-h][1-8][a-h]|[a-z]{5}|0000|[a-h][1-8]-[a-h][1-8]|e9e4",
        ) {
            let line = format!("position startpos moves {}", moves.join(" "));
            let wanted = match moves.len() {
                0 => "position startpos".to_string(),
                _ => format!("position startpos + {}", moves.join(" ").to_lowercase()),
            };
            prop_assert_eq!(rendered(&line), wanted);
            let line = format!("{line} {broken} e2e4");
            prop_assert_eq!(rendered(&line), format!("error {broken}"));
        }
    }
}

#[test]
fn handshake() {
    let mut session = Session::start();
    assert!(
        session.listen(Duration::from_millis(50)).is_empty(),
        "early"
    );
    session.send("xboard");
    session.send("uci");
    let lines = session.until("uciok");
    let name = format!("id name Brisance {}", env!("CARGO_PKG_VERSION"));
    let wanted = [
        name.as_str(),
        "id author the Brisance authors",
        "option name Hash type spin default 16 min 1 max 1048576",
        "option name Clear Hash type button",
        "option name Threads type spin default 1 min 1 max 1024",
        "option name Ponder type check default false",
        "option name MultiPV type spin default 1 min 1 max 256",
        "option name Move Overhead type spin default 10 min 0 max 5000",
        "option name nodestime type spin default 0 min 0 max 10000",
        "option name Use NNUE type check default true",
        "option name EvalFile type string default <internal>",
        "option name SyzygyPath type string default <empty>",
        "option name SyzygyProbeDepth type spin default 1 min 1 max 100",
        "option name Syzygy50MoveRule type check default true",
        "option name SyzygyProbeLimit type spin default 7 min 0 max 7",
        "option name OwnBook type check default false",
        "option name BookFile type string default <empty>",
        "option name BookBest type check default false",
        "option name BookDepth type spin default 1000 min 1 max 1000",
        "option name UCI_Variant type combo default atomic var atomic var nocheckatomic",
        "option name UCI_Chess960 type check default false",
        "option name UCI_AnalyseMode type check default false",
        "option name UCI_ShowWDL type check default false",
        "option name Skill Level type spin default 20 min 0 max 20",
        "option name UCI_LimitStrength type check default false",
        "option name UCI_Elo type spin default 2280 min 650 max 2280",
        "uciok",
    ];
    assert_eq!(lines, wanted);
    assert!(session.sync().is_empty());
    session.send("quit");
    let (rest, status) = session.end();
    assert!(rest.is_empty() && status.success(), "{rest:?} {status}");
}

#[test]
fn a_match_in_the_order_of_cute_chess() {
    let mut session = Session::start();
    session.send("uci");
    session.until("uciok");
    session.send("setoption name Hash value 8");
    session.send("setoption name Threads value 1");
    assert!(session.sync().is_empty());
    session.send("setoption name UCI_Variant value atomic");
    session.send("ucinewgame");
    session.send("setoption name Ponder value true");
    session.send("position startpos");
    assert!(session.sync().is_empty());
    session.send("go wtime 800 btime 800 winc 10 binc 10");
    let best = answer(&session.until("bestmove")).to_string();
    session.send(&format!("position startpos moves {best}"));
    assert!(session.sync().is_empty(), "its own move is legal");
    session.send("go ponder wtime 800 btime 800 winc 10 binc 10");
    let mut lines = session.sync();
    assert!(lines.iter().all(|line| line.starts_with("info ")));
    session.send("ponderhit");
    lines.extend(session.until("bestmove"));
    let reply = answer(&lines).to_string();
    session.send(&format!("position startpos moves {best} {reply}"));
    session.send("go nodes 500");
    answer(&session.until("bestmove"));
    session.send("quit");
    let (rest, status) = session.end();
    assert!(rest.is_empty() && status.success(), "{rest:?} {status}");
}

#[test]
fn a_session_of_fishnet_without_uci() {
    const FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let mut session = Session::start();
    session.send("setoption name UCI_Chess960 value true");
    assert!(session.sync().is_empty());
    session.send("ucinewgame");
    session.send("setoption name UCI_AnalyseMode value true");
    session.send("setoption name UCI_Variant value atomic");
    session.send("setoption name MultiPV value 1");
    assert!(session.sync().is_empty());
    for line in [
        "go nodes 1000",
        "go movetime 30 depth 3 wtime 1000 btime 1000",
    ] {
        session.send(&format!("position fen {FEN} moves "));
        session.send(line);
        let lines = session.until("bestmove");
        assert!(
            lines[..lines.len() - 1]
                .iter()
                .all(|line| line.starts_with("info "))
        );
        answer(&lines);
    }
    session.send("quit");
    assert!(session.end().1.success());
}

#[test]
fn isready_is_answered_during_a_search() {
    let mut session = Session::ready();
    for line in ["go infinite", "go perft 9"] {
        session.send(line);
        thread::sleep(Duration::from_millis(20));
        let times = (0..7).map(|_| session.measure("isready", "readyok"));
        let median = median(times.collect());
        println!("isready during {line}: {median:?}");
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
fn isready_waits_for_earlier_commands() {
    let mut session = Session::ready();
    // Nothing in between: the prompt may neither overtake the options nor wait for the search.
    session.send_bytes(
        b"setoption name Hash value 64\nsetoption name Hash value x\ngo infinite\nisready\n",
    );
    let mut lines = session.until("readyok");
    assert_eq!(errors(&lines).len(), 1, "{lines:?}");
    session.send("stop");
    lines.extend(session.until("bestmove"));
    answer(&lines);
}

#[test]
fn stop_is_obeyed_at_once() {
    let mut session = Session::ready();
    let mut times = Vec::new();
    for line in [
        "go infinite",
        "go",
        "go ponder wtime 60000 btime 60000",
        "go depth 200",
    ] {
        for _ in 0..2 {
            session.send(line);
            thread::sleep(Duration::from_millis(15));
            times.push(session.measure("stop", "bestmove"));
        }
    }
    let median = median(times);
    println!("stop: {median:?}");
    assert!(median < PROMPT, "{median:?}");
}

#[test]
fn a_stop_right_after_go_is_never_lost() {
    let mut session = Session::ready();
    for round in 0..50 {
        let go = ["go infinite", "go ponder wtime 9000 btime 9000", "go"][round % 3];
        session.send_bytes(format!("{go}\nstop\n").as_bytes());
        answer(&session.until("bestmove"));
    }
    assert!(session.sync().is_empty());
}

#[test]
fn stop_concerns_every_search_read_before_it() {
    let mut session = Session::ready();
    session.send_bytes(b"go infinite\ngo infinite\ngo ponder\nisready\nstop\ngo depth 1\n");
    let mut lines = Vec::new();
    for _ in 0..4 {
        lines.extend(session.until("bestmove"));
    }
    assert_eq!(lines.iter().filter(|line| *line == "readyok").count(), 1);
    assert!(session.sync().is_empty());
}

#[test]
fn no_answer_before_ponderhit_or_stop() {
    let mut session = Session::ready();
    for (go, release) in [
        ("go ponder movetime 10", "ponderhit"),
        ("go ponder depth 1", "ponderhit"),
        ("go ponder wtime 50 btime 50 winc 0 binc 0", "ponderhit"),
        ("go ponder nodes 10", "stop"),
        ("go infinite depth 1", "stop"),
        ("go infinite", "stop"),
    ] {
        session.send(go);
        let early = session.listen(Duration::from_millis(60));
        let silent = early.iter().all(|line| line.starts_with("info "));
        assert!(silent, "{go}: {early:?}");
        session.send(release);
        let mut lines = early;
        lines.extend(session.until("bestmove"));
        answer(&lines);
    }
    // A ponderhit does not end an analysis, nor does a stray one spoil the next search.
    session.send("ponderhit");
    session.send("go infinite");
    session.send("ponderhit");
    let early = session.listen(Duration::from_millis(30));
    assert!(early.iter().all(|line| line.starts_with("info ")));
    session.send("stop");
    session.until("bestmove");
}

#[test]
fn refused_options_keep_the_old_values() {
    let mut session = Session::ready();
    session.send("setoption name uci_variant value NOCHECKATOMIC");
    for (line, parts) in [
        (
            "setoption name UCI_Variant value chess",
            ["\"chess\"", "nocheckatomic"],
        ),
        ("setoption name Hash value 0", ["\"0\"", "1 to 1048576"]),
        ("setoption name Hash value x", ["\"x\"", "1 to 1048576"]),
        (
            "setoption name Threads value 5000",
            ["\"5000\"", "1 to 1024"],
        ),
        (
            "setoption name Ponder value perhaps",
            ["\"perhaps\"", "true"],
        ),
        (
            "setoption name No Such Thing value 1",
            ["\"No Such Thing\"", "no option"],
        ),
        ("setoption Hash 3", ["\"Hash 3\"", "name"]),
    ] {
        session.send(line);
        let lines = session.sync();
        assert_eq!((lines.len(), errors(&lines).len()), (1, 1), "{lines:?}");
        assert!(
            parts.iter().all(|part| lines[0].contains(part)),
            "{lines:?}"
        );
    }
    session.send("d");
    assert!(
        session
            .sync()
            .contains(&"Variant: nocheckatomic".to_string())
    );
}

#[test]
fn a_refused_position_keeps_the_old_one() {
    let mut session = Session::ready();
    session.send("position startpos moves g1f3");
    let before = session.fen();
    for (line, parts) in [
        ("position fen garbage", ["\"garbage\"", "fields"]),
        (
            "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
            ["8/8/8/8/8/8/8/8", "king"],
        ),
        (
            "position startpos moves e2e4 e7e5 e4e5",
            ["\"e4e5\"", "move 3"],
        ),
        ("position startpos moves e2e5", ["\"e2e5\"", "move 1"]),
        ("position startpos moves e2e4 zzzz", ["\"zzzz\"", "move 2"]),
        ("position startpos moves O-O", ["\"O-O\"", "move 1"]),
        ("position startpos moves 0000", ["\"0000\"", "move 1"]),
        ("position", ["\"\"", "startpos"]),
    ] {
        session.send(line);
        let lines = session.sync();
        assert_eq!(
            (lines.len(), errors(&lines).len()),
            (1, 1),
            "{line}: {lines:?}"
        );
        assert!(
            parts.iter().all(|part| lines[0].contains(part)),
            "{lines:?}"
        );
        assert_eq!(session.fen(), before, "{line}");
    }
    session.send("go depth abc");
    let lines = session.sync();
    assert_eq!((lines.len(), errors(&lines).len()), (1, 1), "{lines:?}");
}

#[test]
fn positions_in_every_dialect() {
    let mut session = Session::ready();
    for (line, wanted) in [
        (
            "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - moves ",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ),
        (
            "position fen 4k3/8/8/8/8/8/8/4K2R w H - 5 moves E1H1",
            "4k3/8/8/8/8/8/8/5RK1 b - - 6 1",
        ),
        (
            "position fen 4k3/8/8/8/8/8/8/R3K3 w Q - 5 9 moves O-O-O e8e7",
            "8/4k3/8/8/8/8/8/2KR4 w - - 7 10",
        ),
        (
            "position startpos moves e2e4 a7a6 e4e5 d7d5 e5d6",
            "rnbqkbnr/1pp1pppp/p7/8/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 3",
        ),
    ] {
        session.send(line);
        assert_eq!(session.fen(), wanted, "{line}");
    }
    session.send("flip");
    assert_eq!(
        session.fen(),
        "rnbqkbnr/pppp1ppp/8/8/8/P7/1PP1PPPP/RNBQKBNR w KQkq - 0 3"
    );
}

#[test]
fn castling_is_spelt_by_the_option() {
    let mut session = Session::ready();
    let lone = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    for (option, written) in [("false", "e1g1"), ("true", "e1h1")] {
        session.send(&format!("setoption name UCI_Chess960 value {option}"));
        for read in ["e1g1", "e1h1"] {
            session.send(lone);
            session.send(&format!("go depth 1 searchmoves {read}"));
            assert_eq!(answer(&session.until("bestmove")), written);
            session.send(&format!("{lone} moves {read}"));
            assert_eq!(session.fen(), "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
        }
        session.send(lone);
        session.send("go perft 1");
        let lines = session.until("Nodes searched: ");
        assert!(lines.contains(&format!("{written}: 1")), "{lines:?}");
    }
}

#[test]
fn search_moves_restrict_the_root() {
    let mut session = Session::ready();
    session.send("go searchmoves a2a3 nodes 200");
    assert_eq!(answer(&session.until("bestmove")), "a2a3");
    session.send("go nodes 200 searchmoves 0000");
    assert!(errors(&session.until("bestmove")).is_empty());
    session.send("go searchmoves e2e5 h2h3 nodes 200");
    let lines = session.until("bestmove");
    assert_eq!(answer(&lines), "h2h3");
    assert_eq!(errors(&lines).len(), 1);
    assert!(lines[0].contains("e2e5"), "{lines:?}");
}

#[test]
fn finished_games() {
    let mut session = Session::ready();
    for (fen, score) in [
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", "mate 0"),
        ("4k3/8/8/8/8/8/8/8 b - - 0 1", "mate 1"),
        ("7k/6Q1/8/8/8/8/8/K7 b - - 0 1", "mate 0"),
        ("7k/8/6Q1/8/8/8/8/K7 b - - 0 1", "cp 0"),
    ] {
        session.send(&format!("position fen {fen}"));
        session.send("go depth 5");
        let wanted = [
            format!("info depth 0 score {score}"),
            "bestmove (none)".into(),
        ];
        assert_eq!(session.until("bestmove"), wanted, "{fen}");
        session.send("go infinite");
        assert_eq!(
            session.listen(Duration::from_millis(30)),
            wanted[..1],
            "{fen}"
        );
        session.send("stop");
        assert_eq!(session.until("bestmove"), wanted[1..], "{fen}");
        session.send("eval");
        session.sync();
    }
}

#[test]
fn drawn_games_still_get_a_move() {
    let mut session = Session::ready();
    for position in [
        "fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "fen 4k3/8/8/8/8/8/4P3/R3K3 w - - 150 200",
        "startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8",
    ] {
        session.send(&format!("position {position}"));
        session.send("go depth 3");
        let best = answer(&session.until("bestmove")).to_string();
        assert_ne!(best, "(none)", "{position}");
        let gap = if position.contains("moves") {
            ""
        } else {
            " moves"
        };
        session.send(&format!("position {position}{gap} {best}"));
        assert!(session.sync().is_empty(), "{position} {best}");
    }
}

#[test]
fn the_end_of_the_input_finishes_what_ends_by_itself() {
    assert_eq!(piped(""), [""; 0]);
    answer(&piped("go depth 3\n"));
    answer(&piped("go depth 3"));
    answer(&piped("go infinite\n"));
    answer(&piped("go\n"));
    answer(&piped("go ponder wtime 100 btime 100\n"));
    let two = piped("go depth 2\nposition startpos moves e2e4\ngo nodes 100\ngo infinite\n");
    let answers = two.iter().filter(|line| line.starts_with("bestmove"));
    assert_eq!(answers.count(), 3, "{two:?}");
    let perft = piped("go perft 4\nquit\n");
    assert_eq!(
        perft.last().map(String::as_str),
        Some("Nodes searched: 197326")
    );
    assert!(
        piped("d\nquit\n")
            .iter()
            .any(|line| line.starts_with("Fen: "))
    );
}

#[test]
fn quit_during_a_search() {
    for go in [
        "go infinite",
        "go ponder",
        "go depth 200",
        "go wtime 600000 btime 600000",
    ] {
        let mut session = Session::ready();
        session.send(go);
        thread::sleep(Duration::from_millis(10));
        let start = Instant::now();
        session.send("quit");
        let (_, status) = session.end();
        println!("quit during {go}: {:?}", start.elapsed());
        assert!(status.success(), "{go}: {status}");
    }
}

#[test]
fn garbage_is_survived_in_silence() {
    let mut session = Session::ready();
    session.send_bytes(b"\xff\xfe\x00garbage\xc3\x28\n\n\r\n   \t\n\x80\x80 \xf0\x28\n");
    session.send(&"x".repeat(100_000));
    session.send("foo");
    session.send("isreadyxyz");
    session.send("bestmove e2e4");
    assert!(session.sync().is_empty());
    // Bytes that are no text in a known command are refused, not fatal.
    session.send_bytes(b"position fen \xff\xfe\nsetoption name \xff value \xff\n");
    assert_eq!(errors(&session.sync()).len(), 2);
    session.send("debug on");
    session.send("foo bar");
    session.send("go depth 1 nonsense");
    let lines = session.until("bestmove");
    let noted = |text: &str| {
        lines
            .iter()
            .any(|line| line.starts_with("info string ") && line.contains(text))
    };
    assert!(noted("foo bar") && noted("nonsense"), "{lines:?}");
    session.send("debug off");
    session.send("foo");
    assert!(session.sync().is_empty());
}

#[test]
fn commands_of_our_own() {
    let mut session = Session::ready();
    session.send("eval");
    let lines = session.sync();
    assert!(
        lines
            .last()
            .is_some_and(|line| line.starts_with("static evaluation "))
    );
    for (line, start) in [("compiler", "Brisance "), ("help", "Brisance speaks UCI")] {
        session.send(line);
        assert!(session.sync()[0].starts_with(start), "{line}");
    }
    session.send("export_net no/such/folder/x.nnue");
    let lines = session.sync();
    assert_eq!((lines.len(), errors(&lines).len()), (1, 1), "{lines:?}");
    session.send("go perft 0");
    let lines = session.until("Nodes searched: ");
    assert_eq!(lines, ["", "Nodes searched: 1"]);
}

#[test]
fn win_draw_loss_only_on_request() {
    let mut session = Session::ready();
    for (value, shown) in [("false", false), ("true", true)] {
        session.send(&format!("setoption name UCI_ShowWDL value {value}"));
        session.send("go depth 2");
        let lines = session.until("bestmove");
        answer(&lines);
        let scored = lines.iter().filter(|line| line.contains(" score "));
        assert!(scored.clone().count() > 0);
        for line in scored {
            assert_eq!(line.contains(" wdl "), shown, "{line}");
        }
    }
}
