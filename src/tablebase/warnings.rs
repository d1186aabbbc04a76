//! Warnings about missing and damaged table files.
//! Invariant: each file is reported once, and material whose probe failed because of a damaged file
//! is not probed again, because each probe would read the file again.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use shakmaty_syzygy::{Material, Metric, ProbeError, SyzygyError};

/// The maximum number of files that are reported one by one; an incomplete collection can miss
/// thousands.
const MAX_WARNINGS: usize = 20;

pub struct TableWarnings {
    /// The path of each file by its name.
    paths: HashMap<String, PathBuf>,
    /// Whether `damaged_material` has entries; avoids taking the lock in each probe.
    has_damaged: AtomicBool,
    state: Mutex<WarningState>,
}

#[derive(Default)]
struct WarningState {
    reported: HashSet<String>,
    pending: Vec<String>,
    /// Material whose probes fail because of a damaged file.
    damaged_material: HashSet<Material>,
}

impl TableWarnings {
    /// Starts with the warnings from opening the collection, each with the name of its file.
    pub fn new(
        paths: HashMap<String, PathBuf>,
        initial: impl IntoIterator<Item = (String, String)>,
    ) -> TableWarnings {
        let warnings =
            TableWarnings { paths, has_damaged: AtomicBool::new(false), state: Mutex::default() };
        for (name, text) in initial {
            warnings.state.lock().report(name, text);
        }
        warnings
    }

    /// True when an earlier probe of this material failed because of a damaged file.
    pub fn is_damaged(&self, material: &Material) -> bool {
        self.has_damaged.load(Ordering::Relaxed)
            && self.state.lock().damaged_material.contains(material)
    }

    /// Records the error of a probe of a position with this material.
    pub fn record_error(&self, material: Material, error: &SyzygyError) {
        match error {
            // Positions with castling rights or too many pieces are not probed.
            SyzygyError::Castling | SyzygyError::TooManyPieces => {}
            SyzygyError::MissingTable { metric, material } => {
                let name = file_name(material, *metric);
                let text = format!("Syzygy table {name} is missing");
                self.state.lock().report(name, text);
            }
            SyzygyError::ProbeFailed { metric, material: table, error } => {
                let name = file_name(table, *metric);
                let path = self.paths.get(&name).map_or(Path::new(&name), PathBuf::as_path);
                let text = format!("Syzygy table {} {}", path.display(), reason(error));
                self.report_damaged(material, name, text);
            }
        }
    }

    /// Records that a probe of a position with this material panicked.
    pub fn record_panic(&self, material: Material) {
        let name = material.to_string();
        let directory = self.paths.values().next().and_then(|path| path.parent());
        let directory = directory.unwrap_or(Path::new("")).display();
        let text = format!(
            "probing {name} failed: its Syzygy table in {directory} or one it depends on is damaged"
        );
        self.report_damaged(material, name, text);
    }

    /// The warnings since the last call.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().pending)
    }

    fn report_damaged(&self, material: Material, name: String, text: String) {
        let mut state = self.state.lock();
        state.damaged_material.insert(material);
        state.report(name, text);
        self.has_damaged.store(true, Ordering::Relaxed);
    }
}

impl WarningState {
    fn report(&mut self, name: String, text: String) {
        if !self.reported.insert(name) {
            return;
        }
        match self.reported.len() {
            count if count <= MAX_WARNINGS => self.pending.push(text),
            count if count == MAX_WARNINGS + 1 => {
                self.pending.push("more Syzygy tables are missing or damaged".to_owned())
            }
            _ => {}
        }
    }
}

fn file_name(material: &Material, metric: Metric) -> String {
    let extension = match metric {
        Metric::Wdl => "atbw",
        Metric::Dtz => "atbz",
    };
    format!("{material}.{extension}")
}

fn reason(error: &ProbeError) -> String {
    match error {
        ProbeError::Read { error } => format!("cannot be read: {error}"),
        ProbeError::Magic { .. } => "is not a table of atomic chess".to_owned(),
        ProbeError::CorruptedTable { .. } => "is cut off or damaged".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Board, Color, Role, Square};

    use super::*;

    /// Material of this many pawns.
    fn pawns(count: u32) -> Material {
        let mut board = Board::empty();
        for square in (0..count).map(Square::new) {
            board.set_piece_at(square, Role::Pawn.of(Color::White));
        }
        Material::from_board(&board)
    }

    #[test]
    fn each_file_is_reported_once_and_at_most_twenty_in_detail() {
        let initial = (0..25).map(|n| (format!("{}", n / 2 * 2), format!("warning {n}")));
        let path = PathBuf::from("tables").join("KQvK.atbw");
        let paths = HashMap::from([("KQvK.atbw".to_owned(), path)]);
        let warnings = TableWarnings::new(paths, initial);
        let first: Vec<String> = (0..25).step_by(2).map(|n| format!("warning {n}")).collect();
        assert_eq!(warnings.take(), first);
        for n in 1..50 {
            warnings.record_panic(pawns(n));
            assert!(warnings.is_damaged(&pawns(n)) && !warnings.is_damaged(&pawns(n + 1)));
        }
        let later = warnings.take();
        assert_eq!(later.len(), MAX_WARNINGS - first.len() + 1);
        let (last, detailed) = later.split_last().expect("a warning");
        assert!(detailed.iter().all(|text| text.contains("is damaged")));
        let text = "probing Pv failed: its Syzygy table in tables ";
        assert!(detailed[0].starts_with(text) && last.starts_with("more"));
        assert!(warnings.take().is_empty());
    }
}
