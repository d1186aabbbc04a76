//! From the trained numbers to the engine's file and what lies beside it.
//! Invariant: the table beside the network holds values of the unrounded network, so that the
//! engine's test compares two different computations.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use brisance::data::Sample;
use brisance::eval::nnue::{HIDDEN, HiddenRow, INPUTS, Network, OUTPUT_BUCKETS, QA, QB};
use brisance::notation::fen::{self, CastlingStyle};
use brisance::rules::{Piece, PieceType, Position, Setup, Variant};

use crate::batch::{self, Blend};
use crate::model::Model;
use crate::{Args, Losses, Origin, plot};

/// Positions in the table beside the network.
const TABLE: usize = 1000;

/// The network in whole numbers.
pub fn network(model: &Model, scale: i32, description: &str) -> Result<Network, String> {
    let whole = |value: f32, unit: i32| (value * unit as f32).round() as i16;
    let row = |value: &dyn Fn(usize) -> f32, unit: i32| {
        HiddenRow(std::array::from_fn(|neuron| whole(value(neuron), unit)))
    };
    let weights = (0..INPUTS)
        .map(|input| row(&|neuron| model.input(input, neuron), QA))
        .collect();
    let bias = row(&|neuron| model.bias(neuron), QA);
    let outputs = std::array::from_fn(|output| {
        [0, 1].map(|view| row(&|neuron| model.output(output, view, neuron), QB))
    });
    let unit = (QA * QB) as f32;
    let output_bias: [i32; OUTPUT_BUCKETS] =
        std::array::from_fn(|output| (model.output_bias(output) * unit).round() as i32);
    Network::new(description, scale, weights, bias, outputs, output_bias)
        .map_err(|error| error.to_string())
}

/// Writes the network, its card, the plot of its losses and the table of its values.
pub fn files(
    args: &Args,
    net: &Network,
    model: &mut Model,
    validate: &[Sample],
    blend: Blend,
    history: &[Losses],
    learnt: usize,
) -> Result<(), String> {
    let bytes = net.to_bytes();
    write(&args.out, &bytes)?;
    write(
        &args.out.with_extension("csv"),
        table(model, validate, blend)?.as_bytes(),
    )?;
    plot::losses(&args.out.with_extension("svg"), history)?;
    let card = card(args, net, &bytes, history, [learnt, validate.len()])?;
    write(&args.out.with_extension("md"), card.as_bytes())?;
    crate::tell(format_args!(
        "{}: {} bytes",
        args.out.display(),
        bytes.len()
    ));
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// FEN and the unrounded network's value in centipawns, one position a line.
fn table(model: &mut Model, validate: &[Sample], blend: Blend) -> Result<String, String> {
    let samples = &validate[..validate.len().min(TABLE)];
    let examples = batch::examples(samples, blend);
    let outputs = model.outputs(&examples);
    let mut text = "fen;centipawns\n".to_owned();
    for (sample, output) in samples.iter().zip(outputs) {
        let fen = fen::write(&position(sample)?, CastlingStyle::XFen);
        let _ = writeln!(text, "{fen};{:.3}", output * blend.scale);
    }
    Ok(text)
}

fn position(sample: &Sample) -> Result<Position, String> {
    let mut setup = Setup::empty(Variant::Atomic);
    for (kind, color, square) in sample.pieces() {
        let kind = PieceType::ALL.get(kind).ok_or("a man of no kind")?;
        setup.board[square.index()] = Some(Piece::new(color, *kind));
    }
    setup.side_to_move = sample.side_to_move();
    Position::from_setup(&setup).map_err(|fault| format!("{fault:?}"))
}

fn card(
    args: &Args,
    net: &Network,
    bytes: &[u8],
    history: &[Losses],
    samples: [usize; 2],
) -> Result<String, String> {
    let data = fs::read(&args.samples).map_err(|error| error.to_string())?;
    let name = |path: &Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    // The checksum that the file ends with; over the whole file it would be the same for all.
    let (contents, _) = bytes.split_at(bytes.len().saturating_sub(4));
    let last = history.last().ok_or("no pass was made")?;
    let rows = [
        (
            "network",
            format!("{}: {}", name(&args.out), net.description()),
        ),
        (
            "bytes, CRC-32",
            format!("{}, {:08x}", bytes.len(), crc32fast::hash(contents)),
        ),
        (
            "shape",
            format!("{INPUTS} inputs a side, 2 × {HIDDEN} hidden, {OUTPUT_BUCKETS} outputs"),
        ),
        ("games", args.games.clone()),
        (
            "begun from",
            match args.from.as_slice() {
                [] => "random numbers".to_owned(),
                from => from.iter().map(Origin::name).collect::<Vec<_>>().join(", "),
            },
        ),
        (
            "samples",
            format!(
                "{} ({} bytes, CRC-32 {:08x}): {} learnt from, {} to validate",
                name(&args.samples),
                data.len(),
                crc32fast::hash(&data),
                samples[0],
                samples[1]
            ),
        ),
        ("passes, batch", format!("{}, {}", args.epochs, args.batch)),
        (
            "learning rate, decay",
            match args.epochs {
                0 => "none: the mean as it is".to_owned(),
                _ => format!("{} to {}, {}", args.rate, args.last_rate, args.decay),
            },
        ),
        (
            "share of results, scale",
            format!("{}, {}", args.result, net.scale()),
        ),
        ("seed", args.seed.to_string()),
        (
            "last losses",
            format!(
                "training {:.6}, validation {:.6}",
                last.train, last.validation
            ),
        ),
    ];
    let mut text = "| what | value |\n|---|---|\n".to_owned();
    for (what, value) in rows {
        let _ = writeln!(text, "| {what} | {value} |");
    }
    let _ = writeln!(text, "\nMade by\n\n    scripts/train/train {}", command());
    Ok(text)
}

/// The arguments this program was called with.
fn command() -> String {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let quoted = words.iter().map(|word| {
        if word.contains(' ') || word.is_empty() {
            format!("\"{word}\"")
        } else {
            word.clone()
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}
