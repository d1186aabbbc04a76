//! Checkpoints, from which an interrupted run continues: unquantised weights, moments, average and
//! position in the run.
//! Invariant: a checkpoint replaces the previous one atomically, and a damaged one is rejected.
//!
//! | bytes | contents |
//! |---|---|
//! | 8 | `BRISCKPT` |
//! | 4 each | version, inputs, hidden neurons, outputs, king buckets, neurons of a slice, of the second and of the third layer |
//! | 4 + n | length and text of the settings |
//! | 8, 8 | steps done, sum of the losses in the current epoch |
//! | 4 + 24 each | epochs done, their losses |
//! | … | the model |
//! | 4 | CRC-32 of all before |

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use brisance::eval::nnue::{HIDDEN, INPUTS, KING_BUCKETS, L2, L3, OUTPUT_BUCKETS};

use crate::Losses;
use crate::model::{LANES, Model};

const MAGIC: &[u8; 8] = b"BRISCKPT";
const VERSION: u32 = 2;
/// Maximum of the lengths in a checkpoint.
const MAX_LENGTH: u32 = 1 << 16;

/// A run between two steps.
pub struct State {
    /// Settings, which must be the same when the run continues.
    pub settings: String,
    /// Steps done.
    pub steps: u64,
    /// Sum of the losses of the samples in the current epoch.
    pub sum: f64,
    /// Losses of the epochs done.
    pub history: Vec<Losses>,
    /// The weights with their moments and average.
    pub model: Model,
}

/// Path of the checkpoint of a network.
pub fn path(network: &Path) -> PathBuf {
    network.with_extension("checkpoint")
}

/// Writes a checkpoint and replaces the previous one.
pub fn save(path: &Path, state: &mut State) -> io::Result<()> {
    let mut unfinished = path.to_owned().into_os_string();
    unfinished.push(".part");
    let mut out = Checked::new(BufWriter::with_capacity(1 << 20, File::create(&unfinished)?));
    out.write_all(MAGIC)?;
    for number in shape() {
        out.write_all(&number.to_le_bytes())?;
    }
    out.write_all(&(state.settings.len() as u32).to_le_bytes())?;
    out.write_all(state.settings.as_bytes())?;
    out.write_all(&state.steps.to_le_bytes())?;
    out.write_all(&state.sum.to_le_bytes())?;
    out.write_all(&(state.history.len() as u32).to_le_bytes())?;
    for losses in &state.history {
        for loss in [losses.train, losses.validation, losses.labels] {
            out.write_all(&loss.to_le_bytes())?;
        }
    }
    state.model.save(&mut out)?;
    let sum = out.hasher.clone().finalize();
    out.write_all(&sum.to_le_bytes())?;
    out.inner.into_inner()?.sync_all()?;
    fs::rename(unfinished, path)
}

/// Reads a checkpoint.
pub fn load(path: &Path) -> io::Result<State> {
    let mut from = Checked::new(BufReader::with_capacity(1 << 20, File::open(path)?));
    if &take(&mut from)? != MAGIC {
        return Err(bad("not a checkpoint"));
    }
    for number in shape() {
        if u32::from_le_bytes(take(&mut from)?) != number {
            return Err(bad("a checkpoint of another version or architecture"));
        }
    }
    let mut settings = vec![0; count(&mut from)?];
    from.read_exact(&mut settings)?;
    let steps = u64::from_le_bytes(take(&mut from)?);
    let sum = f64::from_le_bytes(take(&mut from)?);
    let mut history = vec![];
    for _ in 0..count(&mut from)? {
        history.push(Losses {
            train: f64::from_le_bytes(take(&mut from)?),
            validation: f64::from_le_bytes(take(&mut from)?),
            labels: f64::from_le_bytes(take(&mut from)?),
        });
    }
    let model = Model::load(&mut from)?;
    let expected = from.hasher.clone().finalize();
    if u32::from_le_bytes(take(&mut from)?) != expected {
        return Err(bad("the checkpoint is damaged"));
    }
    Ok(State {
        settings: String::from_utf8(settings).map_err(|_| bad("the checkpoint is damaged"))?,
        steps,
        sum,
        history,
        model,
    })
}

fn bad(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_owned())
}

fn shape() -> [u32; 8] {
    [
        VERSION,
        INPUTS as u32,
        HIDDEN as u32,
        OUTPUT_BUCKETS as u32,
        KING_BUCKETS as u32,
        LANES as u32,
        L2 as u32,
        L3 as u32,
    ]
}

fn take<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn count(from: &mut impl Read) -> io::Result<usize> {
    let count = u32::from_le_bytes(take(from)?);
    if count > MAX_LENGTH {
        return Err(bad("the checkpoint is damaged"));
    }
    Ok(count as usize)
}

/// A reader or writer that computes the checksum of its data.
struct Checked<T> {
    inner: T,
    hasher: crc32fast::Hasher,
}

impl<T> Checked<T> {
    fn new(inner: T) -> Checked<T> {
        Checked { inner, hasher: crc32fast::Hasher::new() }
    }
}

impl<T: Read> Read for Checked<T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.hasher.update(&bytes[..read]);
        Ok(read)
    }
}

impl<T: Write> Write for Checked<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
