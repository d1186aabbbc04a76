//! Matches from outside: what a scripted bad engine costs, what is written down, and what
//! is left of a match that was killed, interrupted or taken up again.
//! Tablebases: `BRISANCE_SYZYGY=<folder> cargo test --release --test engine arena`.

mod record;
mod stub;

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use record::{Game, check_atomic, essence, read};

/// Far longer than anything here takes; a loaded machine must not fail the tests.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder of its own for each test.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn new(name: &str) -> Place {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("arena {name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder can be made");
        Place { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn text(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).expect("written");
        self.at(name)
    }

    fn at(&self, name: &str) -> String {
        self.path(name).to_str().expect("UTF-8").to_owned()
    }

    /// `brisance match` with `words` split at blanks, the given arguments after them, and
    /// the record in `games.pgn`.
    fn command(&self, words: &str, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brisance"));
        command
            .arg("match")
            .args(words.split_ascii_whitespace())
            .args(more)
            .args(["--pgn", &self.at("games.pgn")])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn games(&self) -> Vec<Game> {
        read(&self.path("games.pgn"))
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.path("games.pgn")).unwrap_or_default()
    }
}

fn run(mut command: Command) -> Output {
    command.output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the output is UTF-8")
}

#[track_caller]
fn succeed(command: Command) -> String {
    let output = run(command);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[track_caller]
fn json(command: Command) -> Value {
    serde_json::from_str(&succeed(command)).expect("one JSON object")
}

/// Runs what must be refused and returns what it says.
#[track_caller]
fn refused(command: Command) -> String {
    let output = run(command);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert_eq!(text(&output.stdout), "");
    error
}

const PAIR: [&str; 4] = [
    "--engine",
    "self name=A",
    "--engine",
    "self name=B option.Hash=1",
];

/// A match of four games between this engine and the stub from its opening.
fn against_stub(name: &str, behaviour: &str, words: &str) -> (Place, Vec<Game>) {
    let place = Place::new(name);
    let opening = place.text("openings.epd", stub::OPENING);
    let stub = stub::spec();
    let more = [
        "--engine",
        "self name=Own",
        "--engine",
        &stub,
        "--openings",
        &opening,
    ];
    let mut command = place.command(&format!("--games 4 --json {words}"), &more);
    command
        .env(stub::BEHAVIOUR, behaviour)
        .env(stub::PIDS, place.path("pids"));
    let summary = json(command);
    assert_eq!(summary["games"], 4, "{behaviour}: {summary}");
    let games = place.games();
    assert_eq!(games.len(), 4, "{behaviour}");
    games.iter().for_each(check_atomic);
    let lost = games.iter().filter(|game| {
        let stub_is_white = game.tag("White") == "Stub";
        game.result == if stub_is_white { "0-1" } else { "1-0" }
    });
    let failures = summary["failures"]["Stub"].as_u64().expect("a number");
    assert_eq!(failures, lost.count() as u64, "{behaviour}: {summary}");
    assert_eq!(summary["failures"]["Own"], 0, "{behaviour}: {summary}");
    (place, games)
}

/// The stub loses each game for `reason`, which stands in the record with `termination`.
fn loses(behaviour: &str, words: &str, reason: &str, termination: &str) -> (Place, Vec<Game>) {
    let (place, games) = against_stub(behaviour, behaviour, words);
    for game in &games {
        let (color, result) = match game.tag("White") {
            "Stub" => ("White", "0-1"),
            _ => ("Black", "1-0"),
        };
        assert_eq!(game.reason(), format!("{color} {reason}"), "{behaviour}");
        assert_eq!(game.result, result, "{behaviour}");
        assert_eq!(game.tag("Termination"), termination, "{behaviour}");
    }
    (place, games)
}

/// Whatever the stub does, it is no reason to lose: all games are broken off as drawn.
fn plays_on(behaviour: &str) -> (Place, Vec<Game>) {
    let (place, games) = against_stub(behaviour, behaviour, "--nodes 20 --max-moves 3");
    for game in &games {
        let reason = "adjudicated as a draw after too many moves";
        assert_eq!((game.reason(), game.sans.len()), (reason, 6), "{behaviour}");
        assert_eq!(game.tag("Termination"), "adjudication");
    }
    (place, games)
}

#[test]
fn an_engine_that_does_not_start_loses() {
    let dead = "abandoned";
    let words = "--nodes 20 --start-timeout 0.3 --quit-timeout 0.1";
    loses(
        "silent at uci",
        words,
        "stalled: no uciok within 300ms",
        dead,
    );
    loses("floods", words, "stalled: no uciok within 300ms", dead);
    let words = "--nodes 20 --ready-timeout 0.3 --quit-timeout 0.1";
    loses(
        "silent at isready",
        words,
        "stalled: no readyok within 300ms",
        dead,
    );
    let reason = "died before uciok (exit status: 3)";
    if cfg!(unix) {
        loses("dies at start", "--nodes 20", reason, dead);
    }
    loses(
        "knows no variants",
        "--nodes 20",
        "does not play atomic",
        dead,
    );
}

#[test]
fn an_engine_that_stops_answering_loses() {
    let dead = "abandoned";
    let (_, games) = loses(
        "silent at go",
        "--nodes 20 --move-timeout 0.3 --quit-timeout 0.1",
        "stalled: no move within 300ms",
        dead,
    );
    assert!(games.iter().all(|game| game.sans.len() <= 1));
    loses(
        "prints garbage only",
        "--tc 0.2+0 --stop-timeout 0.2 --quit-timeout 0.1",
        "stalled: over time and deaf to stop",
        dead,
    );
    if cfg!(unix) {
        let reason = "died while thinking (exit status: 3)";
        let (_, games) = loses("dies while thinking", "--nodes 20", reason, dead);
        assert!(games.iter().all(|game| game.sans.len() >= 2));
    }
}

#[test]
fn an_engine_that_is_late_loses_on_time() {
    let (why, tag) = ("lost on time", "time forfeit");
    loses("moves late", "--movetime 0.05", why, tag);
    loses("moves when stopped", "--tc 0.1+0", why, tag);
    loses("thinks before go", "--movetime 0.05", why, tag);
}

#[test]
fn a_margin_forgives_a_late_move() {
    let words = "--movetime 0.05 --margin 30000 --max-moves 1";
    let (_, games) = against_stub("margin", "moves late", words);
    assert!(games.iter().all(|game| game.sans.len() == 2));
}

#[test]
fn an_engine_that_plays_no_legal_move_loses() {
    for (behaviour, text) in [
        ("plays an illegal move", "a1a3"),
        ("plays none", "(none)"),
        ("plays zeros", "0000"),
        ("says only bestmove", "none named"),
        ("plays a foreign move", "?[2Je2)e4"),
    ] {
        let reason = format!("played an illegal move: {text}");
        loses(behaviour, "--nodes 20", &reason, "rules infraction");
    }
}

#[test]
fn an_engine_may_talk_as_long_as_it_plays() {
    plays_on("prints garbage and moves");
    plays_on("prints a huge line and moves");
    plays_on("speaks unasked");
    plays_on("wants its own spelling");
    let (_, games) = plays_on("shows its scores");
    for game in games {
        let first = usize::from(game.tag("White") == "Own");
        let of_stub = game.comments[..6].iter().skip(first).step_by(2);
        for comment in of_stub {
            assert!(comment.starts_with("+0.31/7 "), "{comment}");
        }
    }
}

#[test]
fn an_engine_that_ignores_quit_is_killed() {
    let (place, _) = against_stub(
        "ignores quit",
        "ignores quit",
        "--nodes 20 --max-moves 1 --quit-timeout 0.1",
    );
    let pids = fs::read_to_string(place.path("pids")).expect("the stub wrote it");
    assert_eq!(pids.lines().count(), 1, "one process for all games");
    if cfg!(target_os = "linux") {
        for pid in pids.lines() {
            assert!(!Path::new("/proc").join(pid).exists(), "{pid} lives on");
        }
    }
}

#[test]
fn an_engine_that_dies_between_games_is_started_again() {
    let words = "--nodes 20 --max-moves 1";
    let (place, games) = against_stub("dies between", "dies between games", words);
    let failed = |game: &&Game| game.tag("Termination") == "abandoned";
    // Game 2 fails, game 3 has a new process, which fails again in game 4.
    assert_eq!(games.iter().filter(failed).count(), 2);
    let pids = fs::read_to_string(place.path("pids")).expect("the stub wrote it");
    assert_eq!(pids.lines().count(), 2);
}

#[test]
fn an_engine_without_chess960_loses_where_it_is_needed() {
    let (why, tag) = ("has no option UCI_Chess960", "abandoned");
    loses("knows no Chess960", "--nodes 20 --chess960", why, tag);
}

#[test]
fn a_program_that_cannot_be_started() {
    let place = Place::new("no program");
    let more = ["--engine", "self", "--engine", "cmd=./there/is/none name=X"];
    let error = refused(place.command("--nodes 20", &more));
    assert!(error.contains("there/is/none: no such program"), "{error}");
    assert!(!place.path("games.pgn").exists());
    // A bare name is the system's to find, so it shows at the board.
    let more = [
        "--engine",
        "self",
        "--engine",
        "cmd=brisance-has-no-such-program name=X",
    ];
    let summary = json(place.command("--nodes 20 --games 2 --json", &more));
    assert_eq!(summary["failures"]["X"], 2, "{summary}");
    for game in place.games() {
        assert!(
            game.reason().contains(" cannot be started: "),
            "{}",
            game.reason()
        );
    }
}

#[test]
fn matches_repeat_with_the_seed() {
    let play = |name: &str, words: &str| {
        let place = Place::new(name);
        let words = format!("--nodes 300 --games 12 {words}");
        succeed(place.command(&words, &PAIR));
        place.games().iter().for_each(check_atomic);
        essence(&place.games())
    };
    let games = play("seed 7", "--seed 7");
    assert_eq!(games.len(), 12);
    assert_eq!(games, play("seed 7 again", "--seed 7 --concurrency 3"));
    let others = play("seed 8", "--seed 8");
    assert!(games.iter().all(|game| !others.contains(game)));
}

#[test]
fn every_game_is_legal_for_shakmaty() {
    let place = Place::new("start position");
    let words = "--nodes 200 --games 20 --random-plies 0 --draw 200,5,0";
    let more = [
        "--engine",
        "self name=A",
        "--engine",
        "self name=B nodes=350",
    ];
    succeed(place.command(words, &more));
    let games = place.games();
    games.iter().for_each(check_atomic);
    assert!(games.iter().all(|game| game.tag("FEN").is_empty()));

    let place = Place::new("Chess960");
    let openings = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9\n\
        2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9\n\
        r1k1r3/pppppppp/8/8/8/8/PPPPPPPP/R1K1R3 w EAea - 0 1\n";
    let openings = place.text("openings.epd", openings);
    let this = format!("cmd={} name=Child", env!("CARGO_BIN_EXE_brisance"));
    let more = [
        "--openings",
        &openings,
        "--engine",
        "self name=Own",
        "--engine",
        &this,
    ];
    succeed(place.command("--nodes 250 --games 18 --order given", &more));
    let games = place.games();
    games.iter().for_each(check_atomic);
    for pair in games.chunks(2) {
        assert_eq!(pair[0].tag("FEN"), pair[1].tag("FEN"));
        assert_eq!(pair[0].tag("White"), pair[1].tag("Black"));
        assert_eq!(pair[0].tag("White"), "Own");
    }
}

#[test]
fn castling_in_chess960_is_understood_on_all_sides() {
    let place = Place::new("castling");
    let opening = place.text("openings.epd", stub::CASTLING_OPENING);
    let this = format!("cmd={} name=Child", env!("CARGO_BIN_EXE_brisance"));
    let (stub, openings) = (stub::spec(), ["--openings", &opening]);
    let more = [&["--engine", &this, "--engine", &stub], &openings[..]].concat();
    let mut command = place.command("--nodes 50 --games 2 --max-moves 2", &more);
    command.env(stub::BEHAVIOUR, "castles");
    succeed(command);
    let games = place.games();
    games.iter().for_each(check_atomic);
    for (game, ply) in games.iter().zip([1, 0]) {
        assert_eq!(game.tag("FEN"), stub::CASTLING_OPENING);
        assert_eq!(game.sans[ply], "O-O-O");
        // The other engine has taken the move for what it is, and gone on.
        assert!(game.sans.len() >= ply + 2, "{}", game.reason());
    }
}

#[test]
fn openings_come_from_pgn_too_in_the_order_asked_for() {
    let place = Place::new("openings");
    let pgn = "1. e4 e5 *\n\n1. d4 d5 *\n\n1. c4 c5 *\n\n1. b4 b5 *\n\n1. a4 a5 *\n\n1. h4 h5 *\n";
    let openings = place.text("openings.pgn", pgn);
    let more = [&PAIR[..], &["--openings", &openings]].concat();
    let mut orders = Vec::new();
    for order in ["--order given", "--seed 1", "--seed 2"] {
        let _ = fs::remove_file(place.path("games.pgn"));
        let words = format!("--nodes 20 --games 14 --max-moves 1 {order}");
        succeed(place.command(&words, &more));
        let games = place.games();
        let fens: Vec<String> = games.iter().map(|g| g.tag("FEN").to_owned()).collect();
        assert_eq!(fens[0], fens[12], "used again from the first");
        orders.push(fens);
    }
    assert!(
        orders[0][0].starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/"),
        "{}",
        orders[0][0]
    );
    assert!(orders[0] != orders[1] && orders[1] != orders[2]);
    orders.iter_mut().for_each(|fens| fens.sort());
    assert_eq!(orders[0][..].first(), orders[1].first());
}

#[test]
fn limits_of_each_engine_and_clocks_are_recorded() {
    let place = Place::new("limits");
    let this = format!(
        "cmd={} name=Child tc=5+0.05",
        env!("CARGO_BIN_EXE_brisance")
    );
    let more = ["--engine", "self name=Own nodes=100", "--engine", &this];
    succeed(place.command("--games 2 --max-moves 2", &more));
    let games = place.games();
    games.iter().for_each(check_atomic);
    assert_eq!(games[0].tag("WhiteTimeControl"), "nodes 100");
    assert_eq!(games[0].tag("BlackTimeControl"), "5+0.05");
    assert_eq!(games[1].tag("WhiteTimeControl"), "5+0.05");
    for game in &games {
        for (ply, comment) in game.comments[..game.sans.len()].iter().enumerate() {
            let black_to_move = game.tag("FEN").contains(" b ");
            let mover = if (ply % 2 == 0) != black_to_move {
                "White"
            } else {
                "Black"
            };
            let has_clock = comment.contains("[%clk 0:00:0");
            assert_eq!(has_clock, game.tag(mover) == "Child", "{comment}");
            assert!(
                comment.starts_with(['+', '-']) && comment.contains('/'),
                "{comment}"
            );
        }
    }
}

#[test]
fn adjudication_and_other_rules() {
    let place = Place::new("drawn");
    succeed(place.command("--nodes 50 --games 4 --draw 1,2,10000", &PAIR));
    for game in place.games() {
        assert_eq!(game.reason(), "adjudicated as a draw by both scores");
    }
    let place = Place::new("won");
    let queen_up = place.text(
        "openings.epd",
        "4k3/pppp1ppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ -",
    );
    let more = [&PAIR[..], &["--openings", &queen_up]].concat();
    succeed(place.command("--nodes 50 --games 2 --resign 1,100", &more));
    for game in place.games() {
        assert_eq!(
            (game.reason(), &*game.result),
            ("adjudicated as a win by both scores", "1-0")
        );
    }
    let place = Place::new("nocheckatomic");
    let this = format!("cmd={} name=Child", env!("CARGO_BIN_EXE_brisance"));
    let more = ["--engine", "self", "--engine", &this];
    let words = "--variant nocheckatomic --nodes 50 --games 4 --json";
    let summary = json(place.command(words, &more));
    assert_eq!(summary["variant"], "nocheckatomic");
    assert_eq!(summary["failures"]["Child"], 0);
    for game in place.games() {
        assert_eq!(game.tag("Variant"), "NoCheckAtomic");
        assert!(!game.reason().contains("mates"));
    }
}

#[test]
fn a_round_robin_has_every_pairing() {
    let place = Place::new("round robin");
    let more = [
        "--engine",
        "self",
        "--engine",
        "self",
        "--engine",
        "self nodes=20",
    ];
    let out = succeed(place.command("--nodes 50 --games 4 --concurrency 2", &more));
    let games = place.games();
    assert_eq!(games.len(), 12);
    for name in ["Brisance", "Brisance (2)", "Brisance (3)"] {
        let plays = |color: &str| games.iter().filter(|g| g.tag(color) == name).count();
        assert_eq!((plays("White"), plays("Black")), (4, 4), "{name}");
    }
    assert!(out.contains("of 8      Brisance (3)"), "{out}");
}

#[test]
fn a_test_stops_by_itself() {
    let more = [
        "--engine",
        "self name=Strong nodes=1500",
        "--engine",
        "self name=Weak nodes=1",
    ];
    for (bounds, verdict, more) in [
        ("0 200 0.1 0.1 --sprt-model logistic", "accepted", more),
        ("0 300", "accepted", more),
        ("-300 0", "rejected", [more[2], more[3], more[0], more[1]]),
    ] {
        let place = Place::new(&format!("sprt {bounds}"));
        let summary = json(place.command(&format!("--json --sprt {bounds}"), &more));
        let sprt = &summary["pairings"][0]["sprt"];
        assert_eq!(sprt["verdict"], verdict, "{summary}");
        let games = summary["games"].as_u64().expect("a number");
        assert!((4..500).contains(&games), "{summary}");
        let decided = games;
        assert_eq!(place.games().len() as u64, decided);
        // Taken up again there is nothing left to do.
        let again = json(place.command(&format!("--json --resume --sprt {bounds}"), &more));
        assert_eq!(
            (&again["games"], &again["resumed"]),
            (&summary["games"], &summary["games"])
        );
        assert_eq!(again["reasons"], summary["reasons"]);
    }
}

#[test]
fn progress_and_table_are_plain_lines_in_a_pipe() {
    let place = Place::new("plain");
    let out = succeed(place.command("--nodes 50 --games 40 --sprt 0 5", &PAIR));
    assert!(!out.contains('\u{1b}') && !out.contains('\r'), "{out}");
    for part in [
        "A - B: 40 games",
        "Elo ",
        " ± ",
        "LOS ",
        "pairs [",
        "SPRT 0 to 5: LLR ",
        "endings: ",
    ] {
        assert!(out.contains(part), "{part} in {out}");
    }
    assert!(out.contains("test not decided"), "{out}");
    let summary = json(place.command("--nodes 50 --games 40 --json --resume", &PAIR));
    assert_eq!(summary["resumed"], 40);
    let pairing = &summary["pairings"][0];
    let numbers = ["wins", "draws", "losses"].map(|name| pairing[name].as_u64().expect(name));
    assert_eq!(numbers.iter().sum::<u64>(), 40);
    let pairs = pairing["pairs"].as_array().expect("five numbers");
    let pairs: Vec<u64> = pairs.iter().filter_map(Value::as_u64).collect();
    assert_eq!(pairs.iter().sum::<u64>(), 20);
    let halves: u64 = pairs.iter().zip(0..).map(|(n, halves)| n * halves).sum();
    assert_eq!(halves, 2 * numbers[0] + numbers[1]);
}

#[test]
fn wrong_arguments_are_refused() {
    let place = Place::new("refused");
    let two = "--engine self --engine self";
    let long: [(&str, &[&str], &str); 13] = [
        ("--engine self --nodes 5", &[], "at least two"),
        (two, &[], "--tc, --nodes, --depth or --movetime"),
        (&format!("{two} --nodes 0"), &[], "nodes"),
        (&format!("{two} --tc 0+1"), &[], "0+1"),
        (&format!("{two} --nodes 5 --games 3"), &[], "even"),
        (&format!("{two} --nodes 5 --depth 5"), &[], "--depth"),
        (&format!("{two} --nodes 5 --sprt 5 0"), &[], "ELO1"),
        (
            &format!("{two} --nodes 5 --openings there-is-none"),
            &[],
            "there-is-none",
        ),
        (
            &format!("{two} --nodes 5 --syzygy there-is-none"),
            &[],
            "there-is-none",
        ),
        (&format!("{two} --nodes 5 --random-plies 99"), &[], "99"),
        (
            two,
            &["--nodes", "5", "--engine", "self option.Has=5"],
            "Has",
        ),
        (
            two,
            &[
                "--nodes",
                "5",
                "--engine",
                "cmd=x name=a",
                "--engine",
                "cmd=y name=a",
            ],
            "\"a\"",
        ),
        (two, &["--nodes", "5", "--engine", "cmd=x foo=1"], "foo"),
    ];
    for (words, more, part) in long {
        let error = refused(place.command(words, more));
        assert!(error.contains(part), "{part} in {error}");
        assert!(!place.path("games.pgn").exists(), "{words}");
    }
}

/// The match of the tests below, long enough to be cut off.
const LONG: &str = "--nodes 2000 --games 16 --seed 3";

/// Starts a match and waits until its record holds `games` games.
fn started(place: &Place, words: &str, games: usize) -> Child {
    let mut process = place
        .command(words, &PAIR)
        .spawn()
        .expect("the binary starts");
    let end = Instant::now() + PATIENCE;
    loop {
        let text = String::from_utf8_lossy(&place.bytes()).into_owned();
        if text.matches("[Result ").count() >= games {
            return process;
        }
        assert!(Instant::now() < end, "{games} games in time");
        let ended = process.try_wait().expect("it can be asked");
        assert!(ended.is_none(), "it ended too early");
        sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_match_that_was_killed_goes_on() {
    let whole = Place::new("whole");
    let expected = succeed(whole.command(LONG, &PAIR));
    let place = Place::new("killed");
    let mut process = started(&place, LONG, 3);
    process.kill().expect("it can be killed");
    process.wait().expect("it has ended");
    assert!(
        place
            .bytes()
            .windows(8)
            .filter(|w| w == b"[Result ")
            .count()
            < 16
    );
    let resume = || place.command(&format!("{LONG} --resume --concurrency 2"), &PAIR);
    let out = succeed(resume());
    assert!(out.contains(" games were played before"), "{out}");
    assert_eq!(essence(&place.games()), essence(&whole.games()));
    // The totals are those of all games, the ones before included.
    let table = |out: &str| {
        let lines: Vec<&str> = out.lines().collect();
        lines[lines.len() - 5..].join("\n")
    };
    assert_eq!(table(&out), table(&expected));
}

#[test]
fn a_record_cut_anywhere_is_repaired() {
    let words = "--nodes 100 --games 6";
    let place = Place::new("cut");
    succeed(place.command(words, &PAIR));
    let (bytes, games) = (place.bytes(), essence(&place.games()));
    let last = place.games().len() - 1;
    let start = text(&bytes).rfind("[Event ").expect("a game");
    // In the tags, between tags and moves, in the moves, in the result, behind it.
    let moves = start + text(&bytes[start..]).find("\n\n").expect("an end of tags");
    let cuts = [start, start + 3, start + 40, moves + 1, moves + 9];
    let ends = [1, 2, 3, 4].map(|back| bytes.len() - back);
    for cut in cuts.into_iter().chain(ends) {
        fs::write(place.path("games.pgn"), &bytes[..cut]).expect("written");
        let out = succeed(place.command(&format!("{words} --resume"), &PAIR));
        assert_eq!(essence(&place.games()), games, "cut at {cut}");
        let kept = if cut + 2 < bytes.len() {
            last
        } else {
            last + 1
        };
        assert!(
            out.starts_with(&format!("{kept} games were")),
            "{cut}: {out}"
        );
    }
    // More games than were asked for at first.
    succeed(place.command("--nodes 100 --games 8 --resume", &PAIR));
    assert_eq!(essence(&place.games())[..6], games);
    assert_eq!(place.games().len(), 8);
}

#[test]
fn the_record_of_another_match_is_left_alone() {
    let place = Place::new("another");
    let words = "--nodes 50 --games 4";
    succeed(place.command(words, &PAIR));
    // Cut short, so that even the repair of a foreign file would show.
    let bytes = place.bytes();
    let bytes = &bytes[..bytes.len() - 40];
    let one = place.text(
        "one.epd",
        "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq -",
    );
    let names = ["--engine", "self name=A", "--engine", "self name=C"];
    let swapped = [PAIR[2], PAIR[3], PAIR[0], PAIR[1]];
    let opened = [&PAIR[..], &["--openings", &one]].concat();
    let cases: [(&str, &[&str], &str); 8] = [
        (words, &PAIR, "--resume continues it"),
        (
            "--nodes 50 --games 4 --resume",
            &names,
            "Black is \"B\" there and \"C\" here",
        ),
        (
            "--nodes 50 --games 4 --resume",
            &swapped,
            "White is \"A\" there",
        ),
        ("--nodes 50 --games 4 --resume --seed 2", &PAIR, "seed 1"),
        (
            "--nodes 60 --games 4 --resume",
            &PAIR,
            "\"nodes 50\" there and \"nodes 60\" here",
        ),
        ("--nodes 50 --games 4 --resume", &opened, "the opening is"),
        (
            "--nodes 50 --games 4 --resume --variant nocheckatomic",
            &PAIR,
            "Variant is \"Atomic\"",
        ),
        (
            "--nodes 50 --games 2 --resume",
            &PAIR,
            "game 2.1 is not in this one",
        ),
    ];
    for (words, more, part) in cases {
        fs::write(place.path("games.pgn"), bytes).expect("written");
        let error = refused(place.command(words, more));
        assert!(error.contains(part), "{part} in {error}");
        assert_eq!(place.bytes(), bytes, "{words}");
    }
    let twice = [place.bytes(), bytes.to_vec()].concat();
    for (foreign, part) in [
        (&b"Dear diary,\n"[..], "not the record of this match"),
        (
            b"[Event \"Brisance match, seed 9\"]\n[Si",
            "not the record of this match",
        ),
        (
            b"[Event \"x\"]\n\n1. e4 { a } 1-0\n\n",
            "not one of a match of ours",
        ),
        (&twice, ""),
    ] {
        fs::write(place.path("games.pgn"), foreign).expect("written");
        let error = refused(place.command("--nodes 50 --games 4 --resume", &PAIR));
        assert!(error.contains(part), "{part} in {error}");
        assert_eq!(place.bytes(), foreign);
    }
}

#[test]
fn a_record_in_use_is_left_alone() {
    let place = Place::new("in use");
    let mut process = started(&place, "--nodes 200000 --games 400", 0);
    while !place.path("games.pgn").exists() {
        sleep(Duration::from_millis(2));
    }
    sleep(Duration::from_millis(100));
    let error = refused(place.command("--nodes 200000 --games 400 --resume", &PAIR));
    assert!(error.contains("another match is writing"), "{error}");
    process.kill().expect("it can be killed");
    process.wait().expect("it has ended");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_match_with_its_table() {
    let interrupt = |process: &Child| {
        let kill = Command::new("kill")
            .args(["-INT", &process.id().to_string()])
            .status();
        assert!(kill.expect("kill runs").success());
    };
    let finish = |mut process: Child| {
        let end = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = process.try_wait().expect("it can be asked") {
                break status;
            }
            assert!(Instant::now() < end, "it goes on");
            sleep(Duration::from_millis(5));
        };
        let (mut out, mut error) = (String::new(), String::new());
        process
            .stdout
            .expect("piped")
            .read_to_string(&mut out)
            .expect("text");
        process
            .stderr
            .expect("piped")
            .read_to_string(&mut error)
            .expect("text");
        assert_eq!(status.code(), Some(1), "{error}");
        assert!(error.contains("interrupted after "), "{error}");
        out
    };
    let place = Place::new("interrupted");
    let process = started(&place, LONG, 2);
    interrupt(&process);
    let out = finish(process);
    assert!(
        out.contains("A - B: ") && out.contains("White won "),
        "{out}"
    );
    let games = place.games();
    assert!((2..16).contains(&games.len()));
    games.iter().for_each(check_atomic);
    succeed(place.command(&format!("{LONG} --resume"), &PAIR));
    assert_eq!(place.games().len(), 16);

    // Long thoughts, in this process and in another, do not hold it up, and nobody loses
    // by them.
    let place = Place::new("interrupted in thought");
    let this = format!("cmd={} name=Child", env!("CARGO_BIN_EXE_brisance"));
    let more = ["--engine", "self name=Own", "--engine", &this];
    let command = place
        .command("--movetime 1000 --games 4 --concurrency 2 --json", &more)
        .spawn();
    let process = command.expect("the binary starts");
    sleep(Duration::from_millis(500));
    let start = Instant::now();
    interrupt(&process);
    let summary: Value = serde_json::from_str(&finish(process)).expect("JSON all the same");
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(
        (&summary["interrupted"], &summary["games"]),
        (&Value::Bool(true), &0.into())
    );
    assert_eq!(place.games().len(), 0);
}

#[test]
fn tablebases_end_games() {
    let Some(folder) = std::env::var_os("BRISANCE_SYZYGY") else {
        eprintln!("skipped: BRISANCE_SYZYGY names no folder of tables");
        return;
    };
    let folder = folder.to_str().expect("UTF-8");
    // The first is from the fixtures of Multi-Variant Stockfish; a queen wins from afar and
    // draws against a king that it cannot shake off.
    let cases = [
        ("7k/8/8/8/8/8/P7/6K1 b - - 0 1", "1/2-1/2"),
        ("7k/8/8/8/8/8/8/KQ6 w - - 0 1", "1-0"),
        ("8/8/8/8/8/1k6/1KQ5/8 w - - 0 1", "1/2-1/2"),
        ("8/8/8/3q4/8/8/4k2P/K7 b - - 0 1", "0-1"),
    ];
    let place = Place::new("tablebases");
    let lines: Vec<&str> = cases.iter().map(|(fen, _)| *fen).collect();
    let openings = place.text("openings.epd", &lines.join("\n"));
    let more = [&PAIR[..], &["--openings", &openings, "--syzygy", folder]].concat();
    let words = "--nodes 50 --games 8 --order given";
    succeed(place.command(words, &more));
    for (game, (fen, result)) in place
        .games()
        .iter()
        .zip(cases.iter().flat_map(|case| [case; 2]))
    {
        assert_eq!(game.tag("FEN"), *fen);
        assert_eq!(game.reason(), "adjudicated by tablebase", "{fen}");
        assert_eq!((&*game.result, game.sans.len()), (*result, 0), "{fen}");
        assert_eq!(game.tag("Termination"), "adjudication");
    }
}
