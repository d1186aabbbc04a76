//! `brisance solve`: proves forced wins, writes proofs to files and verifies proofs from files.
//! Invariant: a win is reported as proved only after the verifier has accepted the proof.

mod args;
mod best_first;
mod list;
mod report;

use std::io::{self, BufReader, Read};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use super::source::{self, FileFormat};
use super::{CliError, PositionStyle, ProgressReporter, WholeFile, failed, interrupt, usage};
use crate::files::is_standard;
use crate::proof::file::{self, ProofFile};
use crate::proof::{self, ProofVerdict, Solver, SolverListener, SolverResult, pgn};
use crate::util;
pub(crate) use args::SolveArgs;
use args::{solve_in_turn, winner};
use best_first::BestFirstSearch;
use report::{MoveCounts, SolveProgress, SolveReport};

const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// Searches or verifies, and prints the result. The exit code is 0 if a win is proved.
pub fn run(args: &SolveArgs) -> Result<ExitCode, CliError> {
    let proved = match &args.check {
        Some(path) => check(path, args.json)?,
        None => solve(args)?,
    };
    Ok(ExitCode::from(u8::from(!proved)))
}

fn solve(args: &SolveArgs) -> Result<bool, CliError> {
    match source::files(&args.position.fen, None)? {
        Some((sources, FileFormat::Epd)) => return list::run(args, &sources),
        Some(_) => return usage("solve reads lists of positions, not games"),
        None if args.out.is_some() => return usage("--out is for lists; see --tree"),
        None => {}
    }
    let pos = args.position.position()?;
    let mover = pos.side_to_move();
    let attackers = args.attackers(mover);
    let report = |attacker| args.report(&pos, attacker);
    if let Some(outcome) = pos.outcome() {
        let winner = winner(&attackers, outcome);
        report(winner.unwrap_or(attackers[0])).game_over(outcome)?;
        return Ok(winner.is_some());
    }
    let open = |path| WholeFile::open(path, args.force);
    let mut tree = args.tree.as_deref().map(open).transpose()?;
    if args.every_move && attackers != [mover] {
        return usage("--every-move needs --for to name the side to move; see --every-reply");
    }
    if args.every_reply && attackers != [!mover] {
        return usage("--every-reply needs --for to name the side that is not to move");
    }
    if args.state.is_some() && attackers.len() > 1 {
        return usage("--state needs --for to name one side");
    }
    let stop = interrupt::stop_handle()?;
    let threads = args.threads.unwrap_or(1);
    let engine = args.engine(&stop, threads)?;
    let progress = SolveProgress { stop, bar: ProgressReporter::spinner() };
    let limits = Solver { attacker: attackers[0], threads, ..args.limits(&engine, DEFAULT_TIME) };
    let open = |path| BestFirstSearch::open(path, &pos, args, &limits, &progress);
    let best_first = args.state.as_deref().map(open).transpose()?;
    if let (Some(search), Some(count)) = (&best_first, args.leaves) {
        search.print_leaves(count)?;
        return Ok(true);
    }
    let bar = &progress.bar;
    bar.suspend(|| report(mover).begin())?;
    if args.every_move || args.every_reply {
        return solve_each_move(&limits, &report(attackers[0]), &progress);
    }
    let print = |attacker, result: &SolverResult| {
        bar.suspend(|| report(attacker).result(result, progress.is_stopped()))
    };
    let result = match best_first {
        Some(search) => {
            let result = search.run(limits.threads)?;
            print(attackers[0], &result)?;
            result
        }
        None => solve_in_turn(&pos, &limits, &attackers, &progress, print)?.1,
    };
    let ProofVerdict::Proved(proof) = &result.verdict else {
        return Ok(false);
    };
    if let (Some(path), Some(tree)) = (&args.tree, &mut tree) {
        tree.write(tree_text(path, proof, report(mover).style.chess960)?)?;
    }
    Ok(true)
}

fn solve_each_move(
    task: &Solver,
    report: &SolveReport,
    progress: &SolveProgress,
) -> Result<bool, CliError> {
    let bar = &progress.bar;
    let mut counts = MoveCounts::default();
    for mv in report.style.pos.legal_moves() {
        if mv.is_redundant() {
            continue;
        }
        counts.all += 1;
        if progress.is_stopped() {
            continue;
        }
        let result = task.solve_after(report.style.pos, mv, progress)?;
        bar.suspend(|| report.first_move(mv, &result))?;
        match result.verdict {
            ProofVerdict::Proved(_) => counts.proved += 1,
            ProofVerdict::Disproved => counts.disproved += 1,
            ProofVerdict::Unknown(_) => counts.unknown += 1,
        }
    }
    bar.suspend(|| report.move_counts(&counts, progress.is_stopped()))?;
    let is_reply = report.attacker != report.style.pos.side_to_move();
    let needed = if is_reply { counts.all } else { 1 };
    Ok(counts.proved >= needed)
}

fn check(path: &Path, json: bool) -> Result<bool, CliError> {
    let name = path.display();
    let file: Box<dyn Read> = if is_standard(path) {
        Box::new(io::stdin())
    } else {
        Box::new(util::open_file(path).map_err(|error| CliError::read(path.display(), &error))?)
    };
    let advice = if is_pgn(path) {
        "; proofs in PGN are for viewers, only JSON lines can be verified"
    } else {
        ""
    };
    let proof_file = ProofFile::read(BufReader::new(file))
        .or_else(|error| failed(format!("{name} is not a proof file: {error}{advice}")))?;
    let verified = proof_file
        .verify()
        .or_else(|error| failed(format!("the proof in {name} is invalid: {error}")))?;
    let report = SolveReport {
        style: PositionStyle {
            chess960: proof_file.chess960,
            ..PositionStyle::new(&proof_file.root, false)
        },
        attacker: proof_file.attacker,
        within: None,
        json,
    };
    report.verified_proof(&verified)?;
    Ok(true)
}

fn tree_text(
    path: &Path,
    (proof, verified): &(proof::Proof, proof::VerifiedProof),
    chess960: bool,
) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    if is_pgn(path) {
        text = pgn::game(proof).to_pgn().into_bytes();
    } else {
        file::write(proof, verified, chess960, &mut text)?;
    }
    Ok(text)
}

fn is_pgn(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"))
}
