//! `go`: the limits of the search, the book, and the lines that it prints.
//! Invariant: every `go` prints exactly one `bestmove`, after at least one `info` line with a
//! score. After a rejected `position` nothing is searched, because it would not be the position of
//! the GUI.

use std::time::Duration;

use vampirc_uci::UciTimeControl;

use super::format;
use super::moves::GameMove;
use super::output::UciOutput;
use super::parse::Go;
use super::session::Session;
use crate::engine::options::UciOptions;
use crate::eval::score;
use crate::eval::wdl::WdlModel;
use crate::notation::san;
use crate::rules::{Color, Move, Position};
use crate::search::{Limits, Listener, SearchInfo, SearchLine};

/// The time of a search that has lost all its limits because they are invalid.
const DEFAULT_TIME: Duration = Duration::from_secs(1);
/// The shortest time of a search: a limit that was given never turns into no limit.
const MIN_TIME: Duration = Duration::from_millis(1);

impl Session {
    pub fn search(&mut self, go: &Go) {
        let (mut limits, illegal) = search_limits(go, self.engine.position());
        self.report_complaints(go, &limits, &illegal);
        let side = self.engine.position().side_to_move();
        if go.lacks_a_limit() && !is_bounded(&limits, side) {
            limits.move_time = Some(DEFAULT_TIME);
            let time = DEFAULT_TIME.as_millis();
            self.out.error(&format!("go: no valid limit is left; searching for {time} ms"));
        }
        self.queue.start(is_bounded(&limits, side));
        limits.ponder = self.queue.control.is_pondering();
        limits.prove = limits.infinite || self.options.analyse_mode;
        let answer = self.answer(go, &limits);
        // The search waits itself, but not a finished game or a book move.
        self.queue.control.wait(limits.infinite);
        self.queue.finish();
        self.out.print(&answer);
    }

    /// The `bestmove` line, after the `info` lines.
    fn answer(&mut self, go: &Go, limits: &Limits) -> String {
        if self.position_is_rejected {
            self.out.error("go: the last position was rejected, so there is nothing to search");
            self.out.print(format::NO_SCORE);
            return format::NO_BEST_MOVE.to_owned();
        }
        let pos = self.engine.position();
        if !pos.has_legal_move() {
            self.out.print(&format::game_over_line(pos));
            return format::NO_BEST_MOVE.to_owned();
        }
        // Book moves are only for games: not for analysis, and not while pondering.
        let is_analysis = self.options.analyse_mode
            || go.is_ponder()
            || go.is_infinite()
            || limits.mate.is_some()
            || !go.search_control.search_moves.is_empty();
        if !is_analysis && let Some(line) = self.book_move() {
            return line;
        }
        match limits.mate {
            Some(moves) if !limits.ponder => self.search_mate(moves, limits),
            _ => self.best_move(limits),
        }
    }

    /// Reports the arguments of `go` that have no effect.
    fn report_complaints(&self, go: &Go, limits: &Limits, illegal: &[String]) {
        for complaint in &go.complaints {
            self.out.error(&complaint.to_string());
        }
        if !illegal.is_empty() {
            let list = illegal.join(" ");
            self.out.error(&format!("go searchmoves: illegal moves ignored: {list}"));
        }
        let is_empty = !illegal.is_empty() || go.has_bad_search_move();
        if is_empty && limits.search_moves.is_empty() {
            self.out.error("go searchmoves: no legal move is left; searching all moves");
        }
    }

    /// Searches the position and returns the `bestmove` line. At least one exact `info` line is
    /// printed before.
    pub fn best_move(&mut self, limits: &Limits) -> String {
        let options = &self.options;
        let listener = InfoPrinter { out: &self.out, options };
        let result = self.engine.go_armed(limits, &listener);
        format::best_move_line(result.best_move(), result.ponder_move, options)
    }

    /// The `bestmove` line of a book move, if there is one. Prints an `info` line first, because
    /// some clients need a score for every move; the score is the static evaluation.
    fn book_move(&mut self) -> Option<String> {
        let entry = self.engine.book_move()?;
        let pos = self.engine.position();
        let name = san::write(pos, entry.mv);
        self.out.info(&format!("book move {name}"));
        let value = self.engine.evaluate().unwrap_or(score::DRAW);
        let wdl_model = WdlModel::for_position(pos);
        let report = SearchInfo::new(SearchLine::new(1, value, vec![entry.mv]), wdl_model);
        let options = &self.options;
        self.out.print(&format::info_line(&report, options));
        Some(format::best_move_line(Some(entry.mv), None, options))
    }
}

/// Converts a `go` command to search limits, and returns the illegal `searchmoves` with them.
fn search_limits(go: &Go, pos: &Position) -> (Limits, Vec<String>) {
    let search = &go.search_control;
    let mut limits = Limits {
        depth: search.depth.map(|depth| i32::from(depth).max(1)),
        nodes: search.nodes.map(|nodes| nodes.max(1)),
        mate: search.mate.map(i32::from),
        infinite: go.is_infinite(),
        ponder: go.is_ponder(),
        ..Limits::default()
    };
    // An infinite search has no clock, even if the command includes times.
    if !limits.infinite {
        for control in &go.time_controls {
            set_time(&mut limits, control);
        }
    }
    let mut illegal = Vec::new();
    for &text in &search.search_moves {
        match GameMove::Coordinates(text).find(pos) {
            Some(mv) if limits.search_moves.contains(&mv) => {}
            Some(mv) => limits.search_moves.push(mv),
            None => illegal.push(text.to_string()),
        }
    }
    (limits, illegal)
}

fn set_time(limits: &mut Limits, control: &UciTimeControl) {
    let not_negative = |time: vampirc_uci::Duration| time.to_std().unwrap_or_default();
    let time = |time| not_negative(time).max(MIN_TIME);
    match *control {
        UciTimeControl::Ponder | UciTimeControl::Infinite => {}
        UciTimeControl::MoveTime(move_time) => limits.move_time = Some(time(move_time)),
        UciTimeControl::TimeLeft {
            white_time,
            black_time,
            white_increment,
            black_increment,
            moves_to_go,
        } => {
            limits.time = [white_time.map(time), black_time.map(time)];
            limits.increment = [white_increment, black_increment]
                .map(|increment| increment.map(not_negative).unwrap_or_default());
            limits.moves_to_go = moves_to_go.map(u32::from).filter(|&moves| moves > 0);
        }
    }
}

/// True if the search ends without a `stop`. `go mate` counts as bounded: its search may never
/// end, but a script that pipes it in must still get the result.
fn is_bounded(limits: &Limits, side: Color) -> bool {
    !limits.infinite
        && (limits.time[side.index()].is_some()
            || limits.move_time.is_some()
            || limits.depth.is_some()
            || limits.nodes.is_some()
            || limits.mate.is_some())
}

struct InfoPrinter<'a> {
    out: &'a UciOutput,
    options: &'a UciOptions,
}

impl Listener for InfoPrinter<'_> {
    fn report(&self, report: &SearchInfo) {
        self.out.print(&format::info_line(report, self.options));
    }

    fn current_move(&self, depth: i32, mv: Move, number: usize) {
        let line = format::current_move_line(depth, mv, number, self.options);
        self.out.print(&line);
    }

    fn warning(&self, text: &str) {
        self.out.info(text);
    }
}
