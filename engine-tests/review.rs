//! `brisance analyse` on files: annotated games, lists, pages, and bad input or output. The
//! moves are replayed with shakmaty.

mod errors; // bad input, full disks, interrupts
mod games; // annotated PGN
mod lists; // EPD and JSON, order, resuming
mod page; // the page of analysed games
mod spellings; // PGN as people and programs write it

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::atomic::{AtomicUsize, Ordering};

use assert_cmd::Command;

/// Games as Lichess exports them: with clocks, comments, NAGs and variations, a game of Chess960,
/// and an explosion at the end.
const GAMES: &str = "\
[Event \"Rated Atomic game\"]
[Site \"https://lichess.org/abcdefgh\"]
[White \"Zoë\"]
[Black \"B \\\"the\\\" C\"]
[Result \"1-0\"]
[Variant \"Atomic\"]
[TimeControl \"180+2\"]
[Annotator \"lichess.org\"]

{ An intro. } 1. Nf3 { [%eval 0.17] [%clk 0:03:00] } f6 $1 { [%clk 0:03:00] } 2. Nc3 { [%clk 0:02:58] so
far so good } (2. e4 e5 (2... d5 3. Nd4) 3. d4 $10) 2... Nh6 { [%clk 0:02:57] } 3. g4 c6 4. d4 e6 5. Nd5
a6?! { Inaccuracy. } 6. Nc7+ Kf7 7. Ng5+ Kg6?? 8. Nxh7# { [%clk 0:02:31] } 1-0


[White \"A\"]
[Black \"D\"]
[Result \"*\"]
[Variant \"Atomic\"]
[SetUp \"1\"]
[FEN \"nqbbrknr/pppppppp/8/8/8/8/PPPPPPPP/NQBBRKNR w HEhe - 0 1\"]

1. Nf3 d5 2. Nd4 f6 3. O-O *

[White \"E\"]
[Black \"F\"]
[Result \"1/2-1/2\"]
[Variant \"Atomic\"]
[FEN \"8/P6k/8/8/8/8/6p1/K6R b - - 0 30\"]

30... gxh1=Q 31. a8=N 1/2-1/2
";

/// A folder for one test, removed at its end.
struct Place(PathBuf);

impl Place {
    fn new() -> Place {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("brisance-review-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        Place(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).expect("writable");
        path
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("readable")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// `brisance analyse FILE` with more arguments.
fn analyse(file: &Path, rest: &[&str]) -> Command {
    let mut command = Command::cargo_bin("brisance").expect("the binary is built");
    command.arg("analyse").arg(file).args(["--hash", "1"]);
    command.args(rest);
    command
}

/// Standard output and error of a run with 300 nodes per position that exits with `code`.
fn run(file: &Path, rest: &[&str], code: i32) -> (String, String) {
    let output: Output = analyse(file, rest)
        .args(["--nodes", "300"])
        .assert()
        .code(code)
        .get_output()
        .clone();
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr))
}

fn plain(path: &Path) -> &str {
    path.to_str().expect("a plain name")
}
