//! Searches in one line: limits, engines, and what a search reports.

use std::time::Duration;

use brisance::engine::{Engine, Settings};
use brisance::proof::Solver;
use brisance::rules::{Color, Move, Position};
use brisance::search::{Limits, Listener, SearchInfo, SearchResult};
use parking_lot::Mutex;

pub fn nodes(limit: u64) -> Limits {
    Limits { nodes: Some(limit), ..Limits::default() }
}

pub fn depth(depth: i32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

pub fn move_time(ms: u64) -> Limits {
    Limits { move_time: Some(Duration::from_millis(ms)), ..Limits::default() }
}

pub fn infinite() -> Limits {
    Limits { infinite: true, ..Limits::default() }
}

/// An engine with a small TT and other changes to the settings.
pub fn engine(change: impl FnOnce(&mut Settings)) -> Engine {
    let mut settings = Settings { hash: 1, ..Settings::default() };
    change(&mut settings);
    Engine::with_settings(settings).expect("a small engine")
}

#[derive(Default)]
pub struct Reports {
    infos: Mutex<Vec<SearchInfo>>,
    warnings: Mutex<Vec<String>>,
}

impl Listener for Reports {
    fn report(&self, report: &SearchInfo) {
        self.infos.lock().push(report.clone());
    }

    fn warning(&self, text: &str) {
        self.warnings.lock().push(text.to_owned());
    }
}

impl Reports {
    pub fn infos(&self) -> Vec<SearchInfo> {
        self.infos.lock().clone()
    }

    pub fn warnings(&self) -> Vec<String> {
        self.warnings.lock().clone()
    }

    /// The last report of each line.
    pub fn last_lines(&self) -> Vec<SearchInfo> {
        let mut infos = self.infos();
        let first = infos.iter().rposition(|info| info.multipv == 1);
        infos.split_off(first.expect("a report"))
    }
}

/// The position at the end of a line, whose moves must be legal.
#[track_caller]
pub fn play_line(pos: &Position, line: &[Move]) -> Position {
    let mut end = pos.clone();
    for &mv in line {
        assert!(end.is_legal(mv), "{pos:?}: {mv:?} in {line:?}");
        end.make(mv);
    }
    end
}

/// A solver of wins of one side with a limit.
pub fn solver(attacker: Color, nodes: u64) -> Solver<'static> {
    Solver { max_nodes: Some(nodes), ..Solver::new(attacker) }
}

pub fn go(engine: &mut Engine, pos: &Position, limits: &Limits) -> SearchResult {
    report(engine, pos, limits).0
}

pub fn report(engine: &mut Engine, pos: &Position, limits: &Limits) -> (SearchResult, Reports) {
    let reports = Reports::default();
    engine.set_position(pos.clone());
    let result = engine.go(limits, &reports);
    (result, reports)
}
