//! Trains the policy head of a network: a softmax over the quiet moves of a position, from the
//! moves of training games. The network itself stays as it is.
//! Invariant: the result depends on the network, the games, the settings and the seed, not on the
//! number of threads.

mod card;
mod examples;
mod head;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::slice;

use brisance::eval::nnue::Network;
use brisance_train::{check_outputs, exit_code, grow, why};
use clap::Parser;
use indicatif::ProgressBar;

use examples::{Example, Examples};
use head::{Head, Losses};

/// Train the policy head of a network on the moves of games.
///
/// Quiet moves that a search has chosen are examples, unless their side is in check or the value is
/// beyond the cap. The card, the plot and the table beside the network are written beside OUT too.
#[derive(Parser, Debug)]
#[command(version)]
struct Args {
    /// Network whose hidden layer the head uses.
    net: PathBuf,
    /// Network file to write.
    out: PathBuf,
    /// Files of games, or of cut nodes (`brisance datagen --cut-nodes`).
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Start from the head of this network, which is grown if it has fewer hidden neurons.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Passes over the examples.
    #[arg(long, value_name = "N", default_value_t = 2)]
    epochs: u32,
    /// Examples per step.
    #[arg(long, value_name = "N", default_value_t = 1024)]
    batch: usize,
    /// Learning rate at the beginning; it decreases to zero.
    #[arg(long, value_name = "R", default_value_t = 0.006)]
    rate: f32,
    /// Leave out moves with a greater value, in internal units.
    #[arg(long, value_name = "CP", default_value_t = 2000)]
    cap: u16,
    /// Blocks of 64 games or cut nodes set aside for validation, one in N.
    #[arg(long, value_name = "N", default_value_t = 50)]
    validation: usize,
    /// Seed of the order of the examples.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Replace existing files.
    #[arg(long)]
    force: bool,
}

fn main() -> ExitCode {
    exit_code(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), String> {
    if args.batch == 0 || args.validation < 2 {
        return Err("--batch must be at least 1 and --validation at least 2".to_owned());
    }
    let others = ["md", "svg", "csv"].map(|name| args.out.with_extension(name));
    let outputs = [slice::from_ref(&args.out), &others].concat();
    let games = args.games.iter().map(PathBuf::as_path);
    let inputs: Vec<&Path> = games.chain([&*args.net]).chain(args.from.as_deref()).collect();
    check_outputs(&outputs, &inputs, args.force)?;
    let net = network(&args.net)?;
    let mut head = match &args.from {
        Some(path) => first_head(path)?,
        None => Head::new(),
    };
    let Examples { mut train, validate } =
        Examples::read(&args.games, args.validation, i32::from(args.cap))?;
    print(&format!("{} examples for training, {} for validation", train.len(), validate.len()));
    if train.is_empty() || validate.is_empty() {
        return Err("there are too few examples".to_owned());
    }
    let mut rng = fastrand::Rng::with_seed(args.seed);
    let steps = u64::from(args.epochs) * train.len().div_ceil(args.batch) as u64;
    let progress = ProgressBar::new(steps);
    for epoch in 1..=args.epochs {
        rng.shuffle(&mut train);
        let mut loss = 0.0;
        for batch in train.chunks(args.batch) {
            let done = progress.position() as f32 / steps as f32;
            let rate = args.rate * 0.5 * (1.0 + (std::f32::consts::PI * done).cos());
            loss += head.step(&net, batch, rate)?;
            progress.inc(1);
        }
        let loss = loss / train.len() as f64;
        let losses = validate_head(&head, &net, &validate)?;
        progress.suspend(|| print(&format!("epoch {epoch}: training {loss:.4}, {losses}")));
    }
    progress.finish_and_clear();
    let net = net.with_policy_head(Some(head.quantised()?));
    let losses = Losses::of_network(&net, &validate)?;
    print(&format!("rounded: {losses}"));
    let bytes = net.to_bytes();
    fs::write(&args.out, &bytes).map_err(|error| why(&args.out, &error))?;
    write_others(args, &bytes, [train.len(), validate.len()], &losses)?;
    print(&format!("{}: {} bytes", args.out.display(), bytes.len()));
    Ok(())
}

fn network(path: &Path) -> Result<Network, String> {
    let bytes = fs::read(path).map_err(|error| why(path, &error))?;
    grow::parse(&bytes).map_err(|error| why(path, &error))
}

/// The head of a network, to start from.
fn first_head(path: &Path) -> Result<Head, String> {
    let net = network(path)?;
    let head = net.policy_head().map(Head::of);
    head.ok_or_else(|| why(path, &"it has no policy head"))
}

/// Writes the card, if the network has one, and copies the plot and the table beside it.
fn write_others(
    args: &Args,
    bytes: &[u8],
    counts: [usize; 2],
    losses: &Losses,
) -> Result<(), String> {
    for extension in ["md", "svg", "csv"] {
        let (from, to) = (args.net.with_extension(extension), args.out.with_extension(extension));
        let Ok(text) = fs::read_to_string(&from) else {
            continue;
        };
        let text = match extension {
            "md" => card::card(&text, args, bytes, counts, &losses.to_string()),
            _ => text,
        };
        fs::write(&to, text).map_err(|error| why(&to, &error))?;
    }
    Ok(())
}

fn validate_head(head: &Head, net: &Network, examples: &[Example]) -> Result<Losses, String> {
    Losses::of(net, examples, |input, logits| head.logits(input, logits))
}

/// Prints a line. The network is written also when stdout is closed.
fn print(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}
