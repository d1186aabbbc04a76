//! Output files: one process at a time writes to a file, every output is checked before the work
//! begins, and nothing is left behind by a command that writes nothing.

use std::any::TypeId;
use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use brisance::cli::{Cli, OutputPath};
use clap::CommandFactory;

use crate::program::{Folder, kill, wait_until};
use crate::table::rows;

/// The files that commands read, in each folder.
const INPUTS: &str = "games.pgn list.epd in.games in.bin record.jsonl";
/// 1. e4 in a book: the key of the start position, the code of the move, a weight of 1.
const BOOK: [u8; 16] =
    [0x46, 0x3b, 0x96, 0x18, 0x16, 0x91, 0xfc, 0x9c, 0x03, 0x1c, 0, 1, 0, 0, 0, 0];
/// The record of a book search that has found nothing after 1. Nf3 but 1... f6.
const RECORD: &str = concat!(
    r#"{"format":"brisance book search 1","nodes":1,"lines":1,"hash":1,"evaluation":"none"}"#,
    "\n",
    r#"{"epd":"rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq -","lines":[["f7f6",0]]}"#,
    "\n",
);
const GAME: &str = "[Variant \"Atomic\"]\n\n1. Nf3 f6 2. Nd4 d6 1-0\n";

/// A file with a few training games, made once.
fn training_games() -> &'static [u8] {
    static GAMES: OnceLock<Vec<u8>> = OnceLock::new();
    GAMES.get_or_init(|| {
        let folder = Folder::new();
        folder.check("0 datagen games --positions 50 --nodes 20 --threads 1");
        folder.bytes("games")
    })
}

/// A folder with the inputs.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("games.pgn", GAME);
    folder.write("list.epd", "startpos\n");
    folder.write("in.games", training_games());
    folder.write("in.bin", BOOK);
    folder.write("record.jsonl", RECORD);
    folder
}

/// The names of the files that commands have written.
fn written(folder: &Folder) -> Vec<String> {
    let mut names = folder.names();
    names.retain(|name| !INPUTS.split(' ').any(|input| input == name));
    names
}

/// An argument that names an output, in a command that writes it to OUT.
struct Writer {
    /// The command and the name of the argument.
    argument: &'static str,
    line: String,
    /// The file that the command locks.
    locked: &'static str,
    /// A file that it reads.
    input: &'static str,
    /// The option that replaces the output, or nothing.
    force: &'static str,
}

impl Writer {
    /// The command with another name for the output.
    fn to(&self, out: &str) -> String {
        self.line.replace("OUT", out)
    }

    /// The command that may replace the output if it can.
    fn forced(&self, out: &str) -> String {
        format!("{} {}", self.to(out), self.force)
    }
}

/// Argument, file that is locked, file that is read, whether the command has --force, command.
const WRITERS: &str = "
    analyse --out       | OUT       | games.pgn | yes | analyse games.pgn --nodes 50 --out OUT
    analyse --out       | OUT       | list.epd  | yes | analyse list.epd --nodes 50 --out OUT
    solve --out         | OUT       | list.epd  | yes | solve list.epd --nodes 50 --out OUT
    analyse --html      | OUT.lock  | games.pgn | yes | analyse games.pgn --nodes 50 --html OUT
    show --svg          | OUT.lock  |           | yes | show --svg OUT
    solve --tree        | OUT.lock  |           | yes | solve FORCED --nodes 20k --tree OUT
    solve --state       | OUT       |           |     | solve FORCED --nodes 50 --leaf-nodes 1 --state OUT
    match --debug       |           | list.epd  |     | MATCH --debug OUT
    match --pgn         | OUT       | list.epd  |     | MATCH --pgn OUT
    book build out      | OUT.lock  | games.pgn | yes | book build OUT --pgn games.pgn --min-games 1
    book build out      | OUT.jsonl |           | yes | book build OUT SEARCH
    book build --record | OUT       |           |     | book build book SEARCH --record OUT
    book merge out      | OUT.lock  | in.bin    | yes | book merge OUT in.bin
    book refutations out | OUT.jsonl | record.jsonl | yes | book refutations OUT --record record.jsonl --nodes 50
    book refute --tree  | OUT.lock  |           | yes | book refute Nf3 a6 --tree OUT
    openings file       | OUT       |           |     | openings OUT --count 1 --nodes 50
    datagen file        | OUT       | list.epd  |     | datagen OUT --positions 1 --nodes 20 GAMES
    datagen --cut-nodes | OUT       | list.epd  |     | datagen CUT GAMES --cut-nodes OUT
    data merge output   | OUT.lock  | in.games  | yes | data merge OUT in.games
    data export output  | OUT.lock  | in.games  | yes | data export OUT in.games ALL
    puzzles --out       | OUT       | games.pgn |     | puzzles games.pgn --solver-nodes 50 --out OUT";

/// What the commands of the table have in common.
const PARTS: &str = "
    MATCH  | match --engine self --engine self --nodes 5 --games 2 --openings list.epd --max-moves 1
    SEARCH | --search --nodes 50 --max-plies 1
    GAMES  | --threads 1 --openings list.epd
    CUT    | new.games --positions 9 --nodes 90 --cut-node-divisor 1
    ALL    | --early 0 --keep-captures --keep-wins --cap 32000";

fn writers() -> Vec<Writer> {
    let (parts, writers) = (rows(PARTS), rows(WRITERS).into_iter());
    let writer = |[argument, locked, input, force, line]: [&'static str; 5]| Writer {
        argument,
        line: parts.iter().fold(line.to_owned(), |line, [name, part]| line.replace(name, part)),
        locked,
        input,
        force: if force == "yes" { "--force" } else { "" },
    };
    writers.map(writer).collect()
}

/// The writers that lock a file.
fn lockers() -> impl Iterator<Item = Writer> {
    writers().into_iter().filter(|writer| !writer.locked.is_empty())
}

/// Arguments for outputs that the table has not: a folder, and a command of builds for tuning.
const OTHERS: [&str; 2] = ["man dir", "spsa file"];

/// The arguments of a command for outputs.
fn output_arguments(name: &str, command: &clap::Command, found: &mut Vec<String>) {
    for arg in command.get_arguments() {
        if arg.get_value_parser().type_id() == TypeId::of::<OutputPath>() {
            found.push(match arg.get_long() {
                Some(long) => format!("{name} --{long}"),
                None => format!("{name} {}", arg.get_id()),
            });
        }
    }
    for command in command.get_subcommands() {
        let name = format!("{name} {}", command.get_name());
        output_arguments(name.trim(), command, found);
    }
}

#[test]
fn every_output_is_in_the_table() {
    let mut found = vec![];
    output_arguments("", &Cli::command(), &mut found);
    assert!(found.len() > 15, "{found:?}");
    let writers = writers();
    let listed = writers.iter().map(|writer| writer.argument).chain(OTHERS);
    let listed: Vec<&str> = listed.collect();
    for argument in &found {
        assert!(listed.contains(&argument.as_str()), "{argument}");
    }
    for argument in listed.iter().filter(|name| **name != "spsa file") {
        assert!(found.iter().any(|name| name == argument), "{argument}");
    }
}

#[test]
fn an_existing_file_is_kept_without_force() {
    for writer in writers() {
        let (folder, old) = (folder(), "notes of somebody\n");
        folder.write("out", old);
        folder.check(&format!("1 {} ! out", writer.to("out")));
        assert_eq!(folder.read("out"), old, "{}", writer.line);
        if writer.force.is_empty() {
            continue;
        }
        folder.check(&format!("0 {}", writer.forced("out")));
        let new = folder.bytes("out");
        assert!(!new.is_empty() && new != old.as_bytes(), "{}", writer.line);
        let mut names = written(&folder);
        names.retain(|name| name != "out.jsonl");
        assert_eq!(names, ["out"], "{}", writer.line);
    }
    let folder = folder();
    fs::create_dir(folder.path("pages")).expect("writable");
    folder.write("pages/brisance.1", "mine");
    folder.check("1 man pages ! brisance.1 exists; use --force to overwrite");
    let pages = || fs::read_dir(folder.path("pages")).expect("a folder").count();
    assert_eq!((&*folder.read("pages/brisance.1"), pages()), ("mine", 1));
    folder.check("0 man pages --force");
    assert!(folder.size("pages/brisance.1") > 500 && pages() > 10);
}

#[test]
fn an_output_is_never_an_input() {
    let folder = folder();
    for writer in writers().iter().filter(|writer| !writer.input.is_empty()) {
        let input = folder.path(writer.input);
        let old = folder.bytes(writer.input);
        let _ = fs::remove_file(folder.path("hard"));
        fs::hard_link(&input, folder.path("hard")).expect("a link");
        let parent = folder.path("");
        let parent = parent.file_name().expect("a name").display();
        let up = format!("../{parent}/{}", writer.input);
        let mut names = vec![writer.input, "hard", &up];
        #[cfg(unix)]
        {
            let _ = fs::remove_file(folder.path("soft"));
            std::os::unix::fs::symlink(&input, folder.path("soft")).expect("a link");
            names.push("soft");
        }
        for name in names {
            for line in [writer.to(name), writer.forced(name)] {
                folder.check(&format!("2 {line} ! is an input;  !  must be another file"));
                assert_eq!(folder.bytes(writer.input), old, "{line}");
            }
        }
    }
    // The engine reads its network too.
    folder.write("a.nnue", "a network");
    folder.check(
        "2 analyse list.epd --nodes 9 --eval-file a.nnue --out a.nnue --force
         ! a.nnue is an input; --out must be another file",
    );
}

#[test]
fn two_outputs_are_two_files() {
    let folder = folder();
    fs::create_dir(folder.path("sub")).expect("writable");
    folder.check(
        "
        2 analyse games.pgn --nodes 9 --out x --html sub/../x ! --out and --html both name
        2 datagen x --positions 9 --cut-nodes ./x ! FILE and --cut-nodes both name
        2 book build x --search --nodes 9 --record x ! OUT and --record both name
        2 match --engine self --engine self --nodes 5 --pgn x --debug x ! --debug and --pgn both name
        ",
    );
    assert_eq!(written(&folder), ["sub"]);
}

#[test]
fn a_swapped_input_and_output_is_explained() {
    folder().check(
        "1 data export in.games new
         ! error: in.games exists; the first file is the output; use --force to overwrite it",
    );
}

#[test]
fn a_file_that_is_no_lock_is_kept() {
    let folder = folder();
    folder.write("out.lock", "versions of crates\n");
    folder.check("1 show --svg out ! out.lock is in the way");
    assert_eq!(folder.read("out.lock"), "versions of crates\n");
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_and_permissions_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder();
    let (link, target) = (folder.path("out"), folder.path("target.svg"));
    fs::write(&target, "old").expect("writable");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).expect("ours");
    symlink("target.svg", &link).expect("a link");
    folder.check("0 show --svg out --force");
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    let data = fs::metadata(&target).expect("there");
    assert_eq!(data.permissions().mode() & 0o777, 0o600);
    assert!(data.len() > 100);
}

/// The shell's limit on the size of a file stands for a full disk.
#[cfg(unix)]
#[test]
fn a_failed_write_keeps_the_old_file() {
    for writer in lockers().filter(|writer| writer.locked == "OUT.lock") {
        let folder = folder();
        folder.write("out", "old");
        let command = folder.command(&writer.forced("out"));
        let mut shell = Command::new("sh");
        // Zero blocks: empty files can be made, and nothing can be written.
        shell.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"]);
        shell.arg(command.get_program()).args(command.get_args());
        let output = shell.current_dir(folder.path("")).stdout(Stdio::null()).output();
        let output = output.expect("a shell");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{}: {error}", writer.line);
        assert!(error.contains("out") && !error.contains(".tmp"), "{error}");
        assert_eq!(folder.read("out"), "old");
        assert_eq!(written(&folder), ["out"], "{}", writer.line);
    }
}

#[test]
fn a_file_has_one_writer() {
    for writer in lockers() {
        let (line, locked) = (writer.to("out"), writer.locked.replace("OUT", "out"));
        let folder = folder();
        let file = File::create(folder.path(&locked)).expect("writable");
        file.lock().expect("files can be locked here");
        folder.check(&format!("1 {line} ! another process is writing to it"));
        let mut names = written(&folder);
        names.retain(|name| name != "new.games");
        assert_eq!(names, [locked], "{line}");
        // A process that another test starts at this moment may keep a copy of the file.
        file.unlock().expect("locked");
        assert_eq!(folder.run(&line).err, "", "{line}");
        assert!(folder.size("out") > 0, "{line}");
        let mut names = written(&folder).into_iter();
        assert!(!names.any(|name| name.ends_with(".lock")), "{line}");
    }
}

#[test]
fn a_second_run_does_not_empty_the_file_of_the_first() {
    let folder = folder();
    folder.write("list.epd", "startpos\n".repeat(1000));
    let line = "analyse list.epd --time 20ms --threads 1 --out out";
    let first = folder.command(line).spawn().expect("it starts");
    wait_until("output", || folder.size("out") >= 500);
    for rest in ["--force", "--resume", ""] {
        folder.check(&format!("1 {line} {rest} ! another process is writing to it"));
        assert!(folder.size("out") >= 500);
    }
    kill(first);
}

#[test]
fn outputs_are_checked_before_the_work() {
    let folder = folder();
    for writer in writers() {
        // Without a limit these searches take long.
        let line = format!("{} ", writer.to("no/such/out"));
        let line = line.replace(" 50 ", " 999M ").replace(" 20k ", " 999M ");
        folder.check(&format!("1 {line} ! no/such/out"));
    }
    // A file of games begins with a header, before the one of cut nodes is opened.
    assert_eq!(written(&folder), ["new.games"]);
}

#[test]
fn an_empty_file_does_not_block() {
    // A match of `self` with itself has no lines to log.
    for writer in lockers() {
        let folder = folder();
        folder.write("out", "");
        assert_eq!(folder.run(&writer.to("out")).err, "", "{}", writer.line);
        assert!(folder.size("out") > 0, "{}", writer.line);
    }
}

#[test]
fn a_failure_before_the_first_result_leaves_no_file() {
    let folder = folder();
    folder.check("1 analyse list.epd --out out --eval-file none");
    assert_eq!(written(&folder), [""; 0]);
}

#[test]
fn standard_output_is_refused_where_a_file_is_continued() {
    let folder = folder();
    folder.check(
        "
        2 openings - ! standard output
        2 datagen - ! standard output
        2 data merge - x ! standard output
        2 data export - x ! standard output
        2 book build - --search --nodes 50 ! standard output
        2 match --pgn - --engine self --engine self --nodes 9 ! standard output
        2 match --debug - --engine self --engine self --nodes 9 ! standard output
        # Whole files and lists can be printed.
        0 analyse list.epd --nodes 50 --out - |  acd
        ",
    );
    let mut command = folder.command("book build - --pgn games.pgn --min-games 1");
    let book = command.output().expect("the program runs");
    assert!(book.status.success());
    assert_eq!(book.stdout.len() % 16, 0, "a book and nothing else");
    assert_eq!(written(&folder), [""; 0]);
}

#[cfg(unix)]
mod interrupts {
    use super::*;
    use crate::program::interrupt;

    /// The command waits for its input, a pipe, when it is interrupted.
    #[test]
    fn ctrl_c_leaves_the_old_file_and_no_other() {
        for line in ["data export out pipe --force", "data merge out pipe --force"] {
            let folder = folder();
            folder.write("out", "old");
            let pipe = folder.make_pipe("pipe");
            let child = folder.command(line).spawn().expect("it starts");
            // Opening waits until the command reads.
            let input = File::options().write(true).open(&pipe).expect("a pipe");
            assert!(written(&folder).len() > 3, "{:?}", folder.names());
            let ended = interrupt(child).code(1);
            assert!(ended.err.contains("interrupted"), "{}", ended.err);
            drop(input);
            assert_eq!(written(&folder), ["out", "pipe"]);
            assert_eq!(folder.read("out"), "old");
        }
    }

    #[test]
    fn ctrl_c_is_reported_and_what_is_finished_is_kept() {
        let folder = folder();
        folder.write("old", "old");
        for line in [
            "perft 9",
            "bench --depth 60",
            "openings out --nodes 9000000",
            "analyse list.epd --time 1h --out out",
            "analyse games.pgn --time 1h --out out",
            // The first result would replace what is there.
            "analyse list.epd --time 1h --out old --force",
            "analyse games.pgn --time 1h --out old --force",
        ] {
            let child = folder.command(line).spawn().expect("it starts");
            let ended = interrupt(child).code(1);
            assert!(ended.err.contains("interrupted"), "{line}: {}", ended.err);
            assert_eq!(written(&folder), ["old"], "{line}");
            assert_eq!(folder.read("old"), "old", "{line}");
        }
    }
}
