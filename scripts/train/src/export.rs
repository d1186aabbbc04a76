//! Quantises the trained weights and writes the network and the files next to it.
//! Invariant: the table holds values of the unquantised network, so that the engine's test compares
//! two different computations.

use std::fmt::Write;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use brisance::data::Sample;
use brisance::eval::nnue::{HIDDEN, INPUTS, L2, L3, Network, OUTPUT_BUCKETS};
use brisance::notation::fen::{self, CastlingStyle};

use crate::batch::{Batch, Blend};
use crate::checkpoint::State;
use crate::model::Model;
use crate::{Args, Losses, plot};

/// Positions in the table of values.
const TABLE: usize = 1000;

/// Quantises the model.
pub fn network(model: &Model, scale: i32, description: &str) -> Result<Network, String> {
    let weights = (0..INPUTS).map(|input| model.input(input)).collect();
    let stacks = (0..OUTPUT_BUCKETS).map(|bucket| model.stack(bucket)).collect();
    Network::new(description, scale, weights, model.bias(), stacks)
        .map_err(|error| error.to_string())
}

/// Writes the network, its card, the plot of its losses and the table of its values.
pub fn files(
    args: &Args,
    net: &Network,
    state: &mut State,
    validate: &[Sample],
    samples: u64,
) -> Result<(), String> {
    let bytes = net.to_bytes();
    write(&args.out, &bytes)?;
    let table = table(&mut state.model, validate, net.scale())?;
    write(&args.out.with_extension("csv"), table.as_bytes())?;
    plot::losses(&args.out.with_extension("svg"), &state.history)?;
    let card = card(args, net, &bytes, &state.history, [samples, validate.len() as u64])?;
    write(&args.out.with_extension("md"), card.as_bytes())?;
    crate::print(format_args!("{}: {} bytes", args.out.display(), bytes.len()));
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// FEN and value of the unquantised network in centipawns, one position per line.
fn table(model: &mut Model, validate: &[Sample], scale: i32) -> Result<String, String> {
    let samples = &validate[..validate.len().min(TABLE)];
    let outputs = model.outputs(&Batch::new(samples, Blend(0.0)));
    let mut text = "fen;centipawns\n".to_owned();
    for (sample, output) in samples.iter().zip(outputs) {
        let fen = fen::write(
            &sample.position().ok_or("a sample is not a position")?,
            CastlingStyle::XFen,
        );
        let _ = writeln!(text, "{fen};{:.3}", output * scale as f32);
    }
    Ok(text)
}

fn card(
    args: &Args,
    net: &Network,
    bytes: &[u8],
    history: &[Losses],
    samples: [u64; 2],
) -> Result<String, String> {
    let (length, checksum) = checksum(&args.samples).map_err(|error| error.to_string())?;
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // The CRC-32 of a file that ends with its own CRC-32 is a constant.
    let (contents, _) = bytes.split_at(bytes.len().saturating_sub(4));
    let last = history.last().ok_or("there are no losses")?;
    let rows = [
        ("network", format!("{}: {}", name(&args.out), net.description())),
        ("bytes, CRC-32", format!("{}, {:08x}", bytes.len(), crc32fast::hash(contents))),
        (
            "architecture",
            format!(
                "{INPUTS} inputs per perspective, 2 × {HIDDEN} hidden, {L2}, {L3}, 1 neurons in {OUTPUT_BUCKETS} layer stacks"
            ),
        ),
        ("games", args.games.clone()),
        (
            "started from",
            match &args.from[..] {
                [] => "random weights".to_owned(),
                [path] => name(path),
                paths => {
                    let names: Vec<String> = paths.iter().map(|path| name(path)).collect();
                    format!("the mean of {}", names.join(", "))
                }
            },
        ),
        (
            "samples",
            format!(
                "{} ({} bytes, CRC-32 {:08x}): {} for training, {} for validation",
                name(&args.samples),
                length,
                checksum,
                samples[0],
                samples[1]
            ),
        ),
        ("epochs, batch", format!("{}, {}", args.epochs, args.batch)),
        (
            "learning rate, decay",
            match args.epochs {
                0 => "none".to_owned(),
                _ => format!("{} to {}, {}", args.rate, args.last_rate, args.decay),
            },
        ),
        ("share of results, scale", format!("{}, {}", args.result, net.scale())),
        ("decay of the average", args.ema.to_string()),
        ("seed", args.seed.to_string()),
        (
            "last losses",
            format!(
                "training {:.6}, validation {:.6}, without results {:.6}",
                last.train, last.validation, last.labels
            ),
        ),
    ];
    let mut text = "| item | value |\n|---|---|\n".to_owned();
    for (what, value) in rows {
        let _ = writeln!(text, "| {what} | {value} |");
    }
    let _ = writeln!(text, "\nMade by\n\n    scripts/train/train {}", command());
    Ok(text)
}

/// Length and CRC-32 of a file.
fn checksum(path: &Path) -> io::Result<(u64, u32)> {
    let mut file = fs::File::open(path)?;
    let (mut length, mut hasher) = (0, crc32fast::Hasher::new());
    let mut bytes = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut bytes)?;
        if read == 0 {
            return Ok((length, hasher.finalize()));
        }
        length += read as u64;
        hasher.update(&bytes[..read]);
    }
}

/// The arguments of this program.
fn command() -> String {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let quoted = words.iter().map(|word| {
        if word.contains(' ') || word.is_empty() { format!("\"{word}\"") } else { word.clone() }
    });
    quoted.collect::<Vec<_>>().join(" ")
}
