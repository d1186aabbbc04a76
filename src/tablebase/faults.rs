//! What is wrong with tables. Invariant: each table is told of once, and positions whose
//! probe met a damaged one are not probed again, for that would read the file each time.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use shakmaty_syzygy::{Metric, ProbeError, SyzygyError};

/// So many faults are told in full: of half a collection thousands could be missing.
const MOST: usize = 20;

/// The faults of one collection.
pub(super) struct Faults {
    /// Where the file of each name lies.
    places: HashMap<String, PathBuf>,
    gave_up: AtomicBool,
    state: Mutex<State>,
}

struct State {
    /// Names of files that were told of.
    told: HashSet<String>,
    untold: Vec<String>,
    given_up: HashSet<u64>,
}

impl Faults {
    /// With what was found when the collection was opened, a file name and a sentence each.
    pub(super) fn new(places: HashMap<String, PathBuf>, found: Vec<(String, String)>) -> Faults {
        let faults = Faults {
            places,
            gave_up: AtomicBool::new(false),
            state: Mutex::new(State {
                told: HashSet::new(),
                untold: Vec::new(),
                given_up: HashSet::new(),
            }),
        };
        for (name, text) in found {
            faults.state().tell(name, text);
        }
        faults
    }

    /// True when probes of this material are known to end at a damaged table.
    pub(super) fn is_given_up(&self, material: u64) -> bool {
        self.gave_up.load(Ordering::Relaxed) && self.state().given_up.contains(&material)
    }

    /// Keeps what a probe of a position with this material ran into.
    pub(super) fn note(&self, material: u64, error: &SyzygyError) {
        match error {
            // Rights and men are looked at before probing.
            SyzygyError::Castling | SyzygyError::TooManyPieces => {}
            SyzygyError::MissingTable { metric, material } => {
                let name = file_name(&material.to_string(), *metric);
                let text = format!("Syzygy table {name} is missing");
                self.state().tell(name, text);
            }
            SyzygyError::ProbeFailed {
                metric,
                material: table,
                error,
            } => {
                let name = file_name(&table.to_string(), *metric);
                let text = format!("Syzygy table {} {}", self.place(&name), reason(error));
                self.give_up(material, name, text);
            }
        }
    }

    /// Keeps that a probe of a position with this material broke down.
    pub(super) fn note_panic(&self, material: u64, name: &str) {
        let text = format!(
            "probing {name} failed: a Syzygy table in {} or one it leads to is damaged",
            self.folder()
        );
        self.give_up(material, name.to_owned(), text);
    }

    /// The sentences not told yet.
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.state().untold)
    }

    fn give_up(&self, material: u64, name: String, text: String) {
        let mut state = self.state();
        state.given_up.insert(material);
        state.tell(name, text);
        self.gave_up.store(true, Ordering::Relaxed);
    }

    fn place(&self, name: &str) -> String {
        match self.places.get(name) {
            Some(path) => path.display().to_string(),
            None => name.to_owned(),
        }
    }

    fn folder(&self) -> String {
        let folder = self.places.values().next().and_then(|path| path.parent());
        folder.map_or_else(String::new, |folder| folder.display().to_string())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn tell(&mut self, name: String, text: String) {
        if !self.told.insert(name) {
            return;
        }
        match self.told.len() {
            count if count <= MOST => self.untold.push(text),
            count if count == MOST + 1 => self
                .untold
                .push("more Syzygy tables are missing or damaged".to_owned()),
            _ => {}
        }
    }
}

fn file_name(material: &str, metric: Metric) -> String {
    let extension = match metric {
        Metric::Wdl => "atbw",
        Metric::Dtz => "atbz",
    };
    format!("{material}.{extension}")
}

fn reason(error: &ProbeError) -> String {
    match error {
        ProbeError::Read { error } => format!("cannot be read: {error}"),
        ProbeError::Magic { .. } => "is no table of atomic chess".to_owned(),
        ProbeError::CorruptedTable { .. } => "is cut off or damaged".to_owned(),
    }
}
