//! Makes a fixed validation set: positions from games that are not used for training, each labelled
//! with the value of a long search.
//! Invariant: the set depends only on the games, the settings and the network, not on the number of
//! threads or on interruptions.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::slice;

use brisance::data::sample::SampleWriter;
use brisance::data::{FilterSettings, GameReader, Labels, Sample, SampleFilter, expected_score};
use brisance::engine::{Engine, Settings};
use brisance::rules::Position;
use brisance::search::{Limits, NullListener, STACK_SIZE};
use brisance_train::{check_outputs, exit_code, why};
use clap::Parser;
use rayon::prelude::*;

/// Make a validation set: positions of games, labelled with the values of long searches.
///
/// Values are written to OUT.values during the run. The same command continues an interrupted run.
#[derive(Parser, Debug)]
#[command(version)]
struct Args {
    /// File of samples to write; all of them are for validation.
    out: PathBuf,
    /// Files of games that are not used for training.
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Number of positions.
    #[arg(long, value_name = "N", default_value_t = 300_000)]
    positions: usize,
    /// Nodes per search.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    nodes: u64,
    /// Network of the search, instead of the embedded one.
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,
    /// Internal units at which the expected score is 1 / (1 + 1/e).
    #[arg(long, value_name = "CP", default_value_t = 400)]
    label_scale: u16,
    /// Seed of the random selection.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of threads; 0 uses all cores.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Replace an existing file.
    #[arg(long)]
    force: bool,
}

impl Args {
    /// The file of values.
    fn values(&self) -> PathBuf {
        let mut path = self.out.clone().into_os_string();
        path.push(".values");
        path.into()
    }
}

/// Size of the TT of each search in mebibytes.
const HASH: usize = 4;
/// Searches per thread between two writes of their values.
const SEARCHES: usize = 64;

fn main() -> ExitCode {
    exit_code(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), String> {
    let inputs = args.games.iter().chain(&args.eval_file);
    let inputs: Vec<&Path> = inputs.map(PathBuf::as_path).collect();
    // The values show whether the set is that of this run.
    let continues = args.values().exists();
    check_outputs(slice::from_ref(&args.out), &inputs, args.force || continues)?;
    let chosen = choose(args)?;
    let values = Values::open(args, &chosen)?;
    let values = search(args, &chosen, values)?;
    let labels = Labels { lambda: 0.0, scale: args.label_scale.max(1).into() };
    let labelled: Vec<Sample> = chosen
        .iter()
        .zip(values)
        .map(|((_, sample), value)| {
            sample.with_label(expected_score(f32::from(value) / labels.scale))
        })
        .collect();
    SampleWriter::create(&args.out, labels)
        .and_then(|writer| writer.finish(&labelled))
        .map_err(|error| why(&args.out, &error))?;
    let bytes = fs::read(&args.out).map_err(|error| why(&args.out, &error))?;
    let line = format!(
        "{}: {} positions, CRC-32 {:08x}",
        args.out.display(),
        labelled.len(),
        crc32fast::hash(&bytes)
    );
    // The set is complete, also when stdout is closed.
    let _ = writeln!(io::stdout(), "{line}");
    Ok(())
}

/// Selects distinct positions at random, each with the same probability, in the order of the games.
fn choose(args: &Args) -> Result<Vec<(Position, Sample)>, String> {
    let mut rng = fastrand::Rng::with_seed(args.seed);
    let mut filter = SampleFilter::new(FilterSettings::default(), Labels::default());
    let (mut seen, mut chosen) = (HashSet::new(), Vec::new());
    let mut draw = |pos: &Position, sample: Sample| {
        if !seen.insert(pos.key()) {
            return;
        }
        let number = seen.len();
        if chosen.len() < args.positions {
            chosen.push((number, pos.clone(), sample));
        } else if let Some(place) = chosen.get_mut(rng.usize(..number)) {
            *place = (number, pos.clone(), sample);
        }
    };
    for path in &args.games {
        let mut reader = GameReader::open(path).map_err(|error| error.to_string())?;
        while let Some(games) = reader.next_chunk().map_err(|error| error.to_string())? {
            for game in games {
                filter.add_game(&game, &mut draw);
            }
        }
    }
    if chosen.is_empty() {
        return Err("no position passed the filters".to_owned());
    }
    chosen.sort_unstable_by_key(|&(number, ..)| number);
    Ok(chosen.into_iter().map(|(_, pos, sample)| (pos, sample)).collect())
}

/// The file of values: a line with the settings, then one value per line.
struct Values {
    file: File,
    path: PathBuf,
    known: Vec<i16>,
}

impl Values {
    fn open(args: &Args, chosen: &[(Position, Sample)]) -> Result<Values, String> {
        let path = args.values();
        let head = head(args, chosen)?;
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(why(&path, &error)),
        };
        // An incomplete last line is dropped.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].lines();
        if lines.next().is_some_and(|line| line != head) {
            return Err(why(&path, &"it belongs to a run with other settings"));
        }
        let known: Result<Vec<i16>, _> = lines.map(str::parse).collect();
        let known = known.map_err(|error| why(&path, &error))?;
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).open(&path);
        let mut file = file.map_err(|error| why(&path, &error))?;
        let trimmed = file
            .set_len(whole as u64)
            .and_then(|()| if whole == 0 { writeln!(file, "{head}") } else { Ok(()) });
        trimmed.map_err(|error| why(&path, &error))?;
        Ok(Values { file, path, known })
    }

    fn append(&mut self, values: &[i16]) -> Result<(), String> {
        let text: String = values.iter().map(|value| format!("{value}\n")).collect();
        self.known.extend(values);
        self.file.write_all(text.as_bytes()).map_err(|error| why(&self.path, &error))
    }
}

/// The settings that determine the values, as a line of text.
fn head(args: &Args, chosen: &[(Position, Sample)]) -> Result<String, String> {
    let mut hasher = crc32fast::Hasher::new();
    for (_, sample) in chosen {
        hasher.update(&sample.0);
    }
    let engine = engine(args)?;
    Ok(format!(
        "brisance validation 1, {} positions {:08x}, {} nodes, network {:08x}",
        chosen.len(),
        hasher.finalize(),
        args.nodes,
        crc32fast::hash(&engine.loaded_net().to_bytes())
    ))
}

fn engine(args: &Args) -> Result<Engine, String> {
    Engine::with_settings(Settings {
        hash: HASH,
        eval_file: args.eval_file.clone(),
        ..Settings::default()
    })
    .map_err(|error| error.to_string())
}

/// Returns the values of all selected positions.
fn search(
    args: &Args,
    chosen: &[(Position, Sample)],
    mut values: Values,
) -> Result<Vec<i16>, String> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads)
        .stack_size(STACK_SIZE)
        .build()
        .map_err(|error| error.to_string())?;
    let engines: Result<Vec<Engine>, String> =
        (0..pool.current_num_threads()).map(|_| engine(args)).collect();
    let mut engines = engines?;
    let rest = chosen.get(values.known.len()..).unwrap_or_default();
    for positions in rest.chunks(SEARCHES * engines.len()) {
        let share = positions.len().div_ceil(engines.len());
        let found: Vec<Vec<i16>> = pool.install(|| {
            let work = engines.par_iter_mut().zip(positions.par_chunks(share));
            work.map(|(engine, positions)| {
                let value = |(pos, _): &(Position, Sample)| value(engine, pos, args.nodes);
                positions.iter().map(value).collect()
            })
            .collect()
        });
        values.append(&found.concat())?;
    }
    Ok(values.known)
}

fn value(engine: &mut Engine, pos: &Position, nodes: u64) -> i16 {
    engine.clear();
    engine.set_position(pos.clone());
    engine.control().arm(false);
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    engine.go(&limits, &NullListener).value() as i16
}
