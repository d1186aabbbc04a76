//! `brisance solve`: proves forced wins, writes the proofs, and checks those in files.
//! Invariant: "proved" is said only of what the judge has passed.

mod report;

use std::fs::File;
use std::io::{self, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::{Args, ValueEnum};
use indicatif::ProgressBar;

use super::args::{self, PositionArgs, Spelling};
use super::output::{self, Existing};
use super::{Error, interrupt};
use crate::engine::Settings;
use crate::proof::file::{self, Claim};
use crate::proof::{self, Progress, Task, Verdict, Watch, pgn};
use crate::rules::Color;
use report::{Form, Subject};

/// Prove a forced win, or check the proof in a file.
///
/// Searches until a forced win is proved, until it is certain that there is none, or until a
/// limit; without --time or --nodes the limit is one minute. A win is an explosion of the
/// king or a checkmate, whatever the other side plays, before threefold repetition or the
/// fifty-move rule can end the game. Before a win is called proved, all replies of the
/// defender are replayed by the rules alone.
///
/// The three answers are PROVED, DISPROVED (there is no forced win, or none within the moves
/// asked for) and UNKNOWN (a limit came first). The line shown is the longest resistance
/// within the proof; a shorter win may exist, see --within. Ctrl-C ends the search early.
#[derive(Args, Debug)]
#[command(after_help = CODES)]
pub struct SolveArgs {
    #[command(flatten)]
    position: PositionArgs,

    /// Moves to play from the position first, as e2e4 or in SAN. Repetitions among them count.
    #[arg(long, value_name = "MOVE", num_args = 1..)]
    moves: Vec<String>,

    /// Whose win to prove.
    #[arg(
        long = "for",
        value_name = "SIDE",
        value_enum,
        default_value_t,
        ignore_case = true
    )]
    side: Side,

    /// Only wins within so many moves. DISPROVED then means: none within so many.
    #[arg(long, value_name = "N",
          value_parser = clap::value_parser!(u16).range(1..=i64::from(Task::MOST_MOVES)))]
    within: Option<u16>,

    /// Try each first move by itself, each within the limits, and list them all.
    #[arg(long)]
    every_move: bool,

    /// Stop after this time: 500ms, 5s, 2m; a plain number is seconds.
    #[arg(long, value_parser = args::duration)]
    time: Option<Duration>,

    /// Stop after this many positions: 25000, 10k, 5m.
    #[arg(long, value_name = "N", value_parser = args::count)]
    nodes: Option<u64>,

    /// Size of the solver's table in MiB.
    #[arg(long, value_name = "MB", default_value_t = 64,
          value_parser = clap::value_parser!(u32).range(1..=Settings::MAX_HASH as i64))]
    hash: u32,

    /// Write the whole proof to this file: a game with variations if its name ends in .pgn,
    /// else JSON lines, which --check reads.
    #[arg(long, value_name = "FILE", conflicts_with = "every_move")]
    tree: Option<PathBuf>,

    /// Write over a --tree file that exists.
    #[arg(long, requires = "tree")]
    force: bool,

    /// Check the proof in this file instead of searching for one.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "variant", "chess960", "moves",
          "side", "within", "every_move", "time", "nodes", "hash", "tree"])]
    check: Option<PathBuf>,

    /// Print JSON, one object a line for each answer.
    #[arg(long)]
    json: bool,
}

const CODES: &str = "\
Exit codes: 0 a win was proved, or the file's proof holds; 1 not proved, or it does not hold;
2 the arguments were wrong.";

/// Whose win.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Side {
    /// The side to move.
    #[default]
    Mover,
    /// The side that is not to move.
    Other,
    /// White.
    White,
    /// Black.
    Black,
    /// The side to move, and if that is not proved the other one.
    Either,
}

impl Side {
    fn attackers(self, mover: Color) -> Vec<Color> {
        match self {
            Side::Mover => vec![mover],
            Side::Other => vec![!mover],
            Side::White => vec![Color::White],
            Side::Black => vec![Color::Black],
            Side::Either => vec![mover, !mover],
        }
    }
}

/// Without any limit a search lasts so long.
const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// Searches or checks, and prints. The exit code says whether a win is proved.
///
/// # Errors
/// A bad FEN or move, a file that cannot be read or written, memory that cannot be had, or a
/// closed stdout.
pub fn run(args: &SolveArgs) -> Result<ExitCode, Error> {
    let form = if args.json { Form::Json } else { Form::Plain };
    let proved = match &args.check {
        Some(path) => check(path, form)?,
        None => solve(args, form)?,
    };
    Ok(if proved {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn solve(args: &SolveArgs, form: Form) -> Result<bool, Error> {
    let mut pos = args.position.position()?;
    let spelling = args.position.spelling(&pos);
    args::play(&mut pos, &args.moves)?;
    if let Some(path) = &args.tree {
        output::make_way(path, Existing::unless(args.force), "--force writes over it")?;
        must_be_writable(path)?;
    }
    if args.every_move
        && !matches!(args.side.attackers(pos.side())[..], [only] if only == pos.side())
    {
        let text = "--every-move tries the moves of the side to move, so --for must name that side";
        return Err(Error::Usage(text.to_owned()));
    }
    let watch = Watcher::new()?;
    let mut proved = false;
    for attacker in args.side.attackers(pos.side()) {
        let subject = Subject {
            pos: &pos,
            spelling,
            attacker,
            within: args.within,
            form,
        };
        subject.begin()?;
        proved = if args.every_move {
            each_move(args, &subject, &watch)?
        } else {
            one_answer(args, &subject, &watch)?
        };
        if proved || watch.is_stopped() {
            break;
        }
    }
    Ok(proved)
}

impl SolveArgs {
    fn task(&self, attacker: Color) -> Task {
        let unlimited = self.nodes.is_none();
        Task {
            within: self.within,
            hash: self.hash as usize,
            nodes: self.nodes,
            time: self.time.or(unlimited.then_some(DEFAULT_TIME)),
            ..Task::new(attacker)
        }
    }
}

fn one_answer(args: &SolveArgs, subject: &Subject, watch: &Watcher) -> Result<bool, Error> {
    let answer = proof::solve(subject.pos, &args.task(subject.attacker), watch)?;
    watch.clear();
    subject.answer(&answer, watch.is_stopped())?;
    let Verdict::Proved(proved) = &answer.verdict else {
        return Ok(false);
    };
    if let Some(path) = &args.tree {
        output::write_whole(path, tree_text(path, proved, subject.spelling)?)?;
    }
    Ok(true)
}

fn each_move(args: &SolveArgs, subject: &Subject, watch: &Watcher) -> Result<bool, Error> {
    let task = args.task(subject.attacker);
    let mut counts = [0; 3];
    for mv in subject.pos.legal_moves() {
        if mv.is_redundant() || watch.is_stopped() {
            continue;
        }
        let answer = proof::solve_after(subject.pos, mv, &task, watch)?;
        watch.clear();
        subject.first_move(mv, &answer)?;
        counts[match answer.verdict {
            Verdict::Proved(_) => 0,
            Verdict::Disproved => 1,
            Verdict::Unknown(_) => 2,
        }] += 1;
    }
    subject.end_of_moves(counts, watch.is_stopped())?;
    Ok(counts[0] > 0)
}

fn check(path: &Path, form: Form) -> Result<bool, Error> {
    let name = path.display();
    let file =
        File::open(path).map_err(|error| Error::Usage(format!("cannot read {name}: {error}")))?;
    let advice = if is_pgn(path) {
        "; proofs in PGN are for viewers, write the JSON lines to check one"
    } else {
        ""
    };
    let claim = Claim::read(BufReader::new(file))
        .map_err(|error| Error::Failed(format!("{name} holds no proof: {error}{advice}")))?;
    let verified = claim
        .verify()
        .map_err(|fault| Error::Failed(format!("the proof in {name} does not hold: {fault}")))?;
    let spelling = Spelling {
        chess960: claim.chess960,
    };
    let subject = Subject {
        pos: &claim.root,
        spelling,
        attacker: claim.attacker,
        within: None,
        form,
    };
    subject.checked(&verified)?;
    Ok(true)
}

/// A search may take hours: find out before it whether its result can be kept.
fn must_be_writable(path: &Path) -> Result<(), Error> {
    let fails =
        |error: io::Error| Error::Usage(format!("cannot write {}: {error}", path.display()));
    let is_new = !path.exists();
    File::options()
        .append(true)
        .create(true)
        .open(path)
        .map_err(fails)?;
    if is_new {
        std::fs::remove_file(path).map_err(fails)?;
    }
    Ok(())
}

/// The proof in the form that the name of its file asks for.
fn tree_text(
    path: &Path,
    (proof, verified): &(proof::Proof, proof::Verified),
    spelling: Spelling,
) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    if is_pgn(path) {
        pgn::write(proof, &mut text)?;
    } else {
        file::write(proof, verified, spelling.chess960, &mut text)?;
    }
    Ok(text)
}

fn is_pgn(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"))
}

/// Shows how far the search is, on a terminal, and hears Ctrl-C.
struct Watcher {
    stopped: Arc<AtomicBool>,
    bar: Option<ProgressBar>,
}

impl Watcher {
    fn new() -> Result<Watcher, Error> {
        let stopped = interrupt::flag()?;
        let bar = io::stderr().is_terminal().then(ProgressBar::new_spinner);
        Ok(Watcher { stopped, bar })
    }

    fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.set_message("");
        }
    }
}

impl Watch for Watcher {
    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn progress(&self, progress: &Progress) {
        if let Some(bar) = &self.bar {
            bar.set_message(report::progress(progress));
            bar.tick();
        }
    }
}
