//! The engine thread of a UCI session: it owns the engine and executes commands in the order
//! in which they were read.
//! Invariant: a rejected command changes nothing and prints one error line; every `go` prints
//! exactly one `bestmove`, after at least one `info` line with a score. After a rejected
//! `position` no position is searched, because it would not be the one of the GUI.

use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use super::argument::BadArgument;
use super::bench::bench;
use super::error::UciError;
use super::evaluation;
use super::format::{self, FormatOptions};
use super::go::{self, Go};
use super::jobs::{JobQueue, Query, StartedJob};
use super::output::UciOutput;
use super::parse::{StartPosition, UciCommand};
use crate::engine::Engine;
use crate::engine::options::{self, UciOptions};
use crate::eval::score;
use crate::eval::wdl::WdlModel;
use crate::host;
use crate::notation::{coord, fen, san};
use crate::rules::{CastlingSide, Color, Move, MoveKind, Piece, Position, Setup, Square, perft};
use crate::search::{Control, Limits, Listener, SearchInfo, SearchLine};
#[cfg(feature = "cli")]
use crate::selfplay::genfens;
use crate::tablebase::Tablebase;

/// The state of a UCI session.
pub struct Session {
    pub(super) engine: Engine,
    options: UciOptions,
    pub(super) out: Arc<UciOutput>,
    pub(super) jobs: Arc<JobQueue>,
    /// The last `position` command was rejected.
    position_is_rejected: bool,
}

impl Session {
    pub fn new(out: Arc<UciOutput>, jobs: Arc<JobQueue>) -> Session {
        let mut engine = Engine::default();
        engine.seed_level(fastrand::u64(..));
        Session {
            engine,
            options: UciOptions::default(),
            out,
            jobs,
            position_is_rejected: false,
        }
    }

    /// Executes commands until the channel closes.
    pub fn run(&mut self, commands: &Receiver<UciCommand>) {
        commands.iter().for_each(|command| self.execute(command));
    }

    /// Executes the commands that the channel contains.
    pub fn run_pending(&mut self, commands: &Receiver<UciCommand>) {
        commands
            .try_iter()
            .for_each(|command| self.execute(command));
    }

    fn execute(&mut self, command: UciCommand) {
        if let Err(error) = self.try_execute(command) {
            self.out.error(&error.to_string());
        }
    }

    fn try_execute(&mut self, command: UciCommand) -> Result<(), UciError> {
        match command {
            UciCommand::Uci => self.reply(Query::Uci),
            UciCommand::IsReady => self.reply(Query::IsReady),
            UciCommand::SetOption { name, value } => {
                return self.set_option(&name, value.as_deref());
            }
            UciCommand::UciNewGame => {
                self.engine.clear();
                self.engine.seed_level(fastrand::u64(..));
            }
            UciCommand::Position { start, moves } => {
                let result = self.set_position(&start, &moves);
                self.position_is_rejected = result.is_err();
                return result;
            }
            UciCommand::BadPosition(error) => {
                self.position_is_rejected = true;
                return Err(error.into());
            }
            UciCommand::Go(go) => match go.perft {
                Some(depth) => return self.perft(depth),
                None => self.search(&go),
            },
            UciCommand::Display => {
                let text = format::board_text(self.engine.position(), self.options.chess960);
                self.out.print(&(text + &self.tablebase_line()));
                self.report_tablebase_errors();
            }
            UciCommand::Eval => self.evaluate(),
            UciCommand::Bench(arguments) => {
                let control = self.engine.control();
                return self.run_job(|_, print| bench(&arguments, &control, print));
            }
            #[cfg(not(feature = "cli"))]
            UciCommand::GenFens(_) => return Err(UciError::Unavailable("genfens")),
            #[cfg(feature = "cli")]
            UciCommand::GenFens(arguments) => {
                return self.run_job(|is_stopped, print| {
                    genfens(&arguments, is_stopped, print).map_err(UciError::in_command("genfens"))
                });
            }
            UciCommand::Flip => return self.flip(),
            UciCommand::Compiler => self.out.print(&format::compiler_info()),
            UciCommand::ExportNet(name) => self.export_net(name.as_deref())?,
            UciCommand::Help => self.out.print(format::HELP),
            // Handled by the input thread.
            UciCommand::Debug(_)
            | UciCommand::Register
            | UciCommand::Stop
            | UciCommand::PonderHit
            | UciCommand::Quit
            | UciCommand::Unknown(_) => {}
        }
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), UciError> {
        let before = self.options.clone();
        options::apply(&mut self.engine, &mut self.options, name, value)
            .map_err(UciError::in_command("setoption"))?;
        let (old, new) = (&before.settings, &self.options.settings);
        if new.syzygy_path != old.syzygy_path {
            self.report_tablebases();
        }
        if new.book_file != old.book_file {
            self.report_book();
        }
        if new.threads != old.threads
            && let Some(warning) = self.engine.thread_warning()
        {
            self.out.info(&warning);
        }
        Ok(())
    }

    fn report_tablebases(&self) {
        if let Some(tables) = self.engine.tablebase() {
            self.out.info(&format!("found {tables}"));
        }
        self.report_tablebase_errors();
    }

    fn report_book(&self) {
        if let Some(book) = self.engine.book() {
            self.out.info(&format!("book with {book}"));
        }
    }

    fn report_tablebase_errors(&self) {
        for warning in self
            .engine
            .tablebase()
            .into_iter()
            .flat_map(Tablebase::take_warnings)
        {
            self.out.info(&warning);
        }
    }

    /// The tablebase line at the end of `d`; empty if the position is not in the tablebases.
    fn tablebase_line(&self) -> String {
        let pos = self.engine.position();
        let tables = self.engine.tablebase();
        match tables.map(|tables| (tables.wdl(pos), tables.dtz(pos))) {
            Some((Some(wdl), Some(dtz))) => {
                format!("\nTablebases: WDL {}, DTZ {dtz}", wdl.value())
            }
            Some((Some(wdl), None)) => format!("\nTablebases: WDL {}", wdl.value()),
            _ => String::new(),
        }
    }

    fn reply(&self, query: Query) {
        self.out.print(&format::reply(query));
    }

    pub fn format_options(&self) -> FormatOptions {
        FormatOptions {
            chess960: self.options.chess960,
            show_wdl: self.options.show_wdl,
        }
    }

    fn set_position(&mut self, start: &StartPosition, moves: &[String]) -> Result<(), UciError> {
        let variant = self.options.variant;
        let mut pos = match start {
            StartPosition::Startpos => Position::startpos(variant),
            StartPosition::Fen(text) => {
                let (pos, warnings) =
                    fen::parse_lenient(text, variant).map_err(UciError::in_command("position"))?;
                for warning in warnings {
                    self.out.info(&format!("position: {warning}"));
                }
                pos
            }
        };
        for (index, text) in moves.iter().enumerate() {
            let Some(mv) = parse_move(&pos, text) else {
                let reason = format!("(move {}) is not legal", index + 1);
                return Err(BadArgument::new("position", text, reason).into());
            };
            pos.make(mv);
        }
        self.engine.set_position(pos);
        Ok(())
    }

    fn start_job(&self, bounded: bool) -> (StartedJob, Arc<Control>) {
        let control = self.engine.control();
        let job = self.jobs.start_next(Arc::clone(&control), bounded);
        for &query in &job.pending_queries {
            self.reply(query);
        }
        (job, control)
    }

    fn search(&mut self, go: &Go) {
        let (mut limits, illegal) = search_limits(go, self.engine.position());
        self.report_complaints(go, &limits, &illegal);
        let side = self.engine.position().side_to_move();
        if go.lacks_a_limit() && !is_bounded(&limits, side) {
            limits.move_time = Some(go::DEFAULT_TIME);
            let time = go::DEFAULT_TIME.as_millis();
            self.out.error(&format!(
                "go: no valid limit is left; searching for {time} ms"
            ));
        }
        let (job, _) = self.start_job(is_bounded(&limits, side));
        limits.ponder = job.ponder;
        limits.prove = limits.infinite || self.options.analyse_mode;
        // Book moves are only for games: not for analysis, and not while pondering.
        let may_use_book =
            !go.ponder && !go.infinite && go.mate.is_none() && go.search_moves.is_empty();
        let answer = if self.position_is_rejected {
            self.out
                .error("go: the last position was rejected, so there is nothing to search");
            self.out.print(format::NO_SCORE);
            format::NO_BEST_MOVE.to_string()
        } else if self.engine.position().has_legal_move() {
            let book_move_line =
                (may_use_book && !self.options.analyse_mode).then(|| self.book_move());
            book_move_line
                .flatten()
                .unwrap_or_else(|| match limits.mate {
                    Some(moves) if !limits.ponder => self.search_mate(moves, &limits),
                    _ => self.best_move(&limits),
                })
        } else {
            self.out
                .print(&format::game_over_line(self.engine.position()));
            format::NO_BEST_MOVE.to_string()
        };
        self.jobs.wait_for_stop_or_ponderhit(limits.infinite);
        self.jobs.finish();
        self.out.print(&answer);
    }

    /// Reports the arguments of `go` that have no effect.
    fn report_complaints(&self, go: &Go, limits: &Limits, illegal: &[String]) {
        for complaint in &go.complaints {
            self.out.error(&complaint.to_string());
        }
        if !illegal.is_empty() {
            let list = illegal.join(" ");
            self.out
                .error(&format!("go searchmoves: illegal moves ignored: {list}"));
        }
        let is_empty = !illegal.is_empty() || go.has_bad_search_move();
        if is_empty && limits.search_moves.is_empty() {
            self.out
                .error("go searchmoves: no legal move is left; searching all moves");
        }
    }

    /// Searches the position and returns the `bestmove` line. The move is always legal, and at
    /// least one exact `info` line is printed before.
    pub fn best_move(&mut self, limits: &Limits) -> String {
        let style = self.format_options();
        let listener = InfoPrinter {
            out: &self.out,
            style,
        };
        let summary = self.engine.go_armed(limits, &listener);
        let pos = self.engine.position();
        let root_moves = &limits.search_moves;
        let best = summary
            .best_move()
            .filter(|best| root_moves.is_empty() || root_moves.contains(best))
            .or_else(|| root_moves.first().copied())
            .or_else(|| pos.legal_moves().first().copied());
        let Some(best) = best else {
            return format::NO_BEST_MOVE.to_string();
        };
        let ponder = summary.ponder_move.filter(|&reply| {
            let mut next = pos.clone();
            next.make(best);
            next.legal_moves().contains(&reply)
        });
        format::best_move_line(best, ponder, style)
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
        let style = self.format_options();
        self.out.print(&format::info_line(&report, style));
        Some(format::best_move_line(entry.mv, None, style))
    }

    fn perft(&mut self, depth: u32) -> Result<(), UciError> {
        let (_, control) = self.start_job(true);
        if self.position_is_rejected {
            self.jobs.finish();
            return Err(UciError::in_command("go perft")(
                "the last position was rejected",
            ));
        }
        let chess960 = self.options.chess960;
        let mut pos = self.engine.position().clone();
        let mut total = u64::from(depth == 0);
        let mut complete = true;
        if let Some(rest) = depth.checked_sub(1) {
            for mv in pos.legal_moves() {
                pos.make(mv);
                let count = interruptible_perft(&mut pos, rest, &control);
                pos.unmake();
                let Some(count) = count else {
                    complete = false;
                    break;
                };
                total += count;
                let text = format::move_text(mv, chess960);
                self.out.print(&format!("{text}: {count}"));
            }
        }
        self.jobs.finish();
        if !complete {
            return Err(UciError::Stopped("go perft"));
        }
        self.out.print(&format!("\nNodes searched: {total}"));
        Ok(())
    }

    /// Runs a command that prints lines until it is done or `stop` arrives. It creates its own
    /// engine, so the options of the session do not affect it.
    fn run_job(
        &self,
        job: impl FnOnce(&dyn Fn() -> bool, &dyn Fn(&str)) -> Result<(), UciError>,
    ) -> Result<(), UciError> {
        self.start_job(true);
        let result = job(&|| self.jobs.is_stopped(), &|text| self.out.print(text));
        self.jobs.finish();
        result
    }

    fn evaluate(&self) {
        let pos = self.engine.position();
        if Color::ALL.iter().any(|&color| pos.king(color).is_none()) {
            self.out.print("no evaluation: a king has exploded");
            return;
        }
        self.out.print(&evaluation::text(&self.engine));
    }

    /// Writes the loaded network to a new file.
    fn export_net(&self, name: Option<&str>) -> Result<(), UciError> {
        let name = name.unwrap_or("brisance.nnue");
        let write = || -> std::io::Result<()> {
            let mut file = std::fs::File::create_new(name)?;
            let written = file.write_all(&self.engine.loaded_net().to_bytes());
            // A part of a network is of no use.
            written.inspect_err(|_| drop(std::fs::remove_file(name)))
        };
        write().map_err(|error| {
            UciError::in_command("export_net")(format!("cannot write {name}: {error}"))
        })?;
        self.out.info(&format!("network written to {name}"));
        Ok(())
    }

    fn flip(&mut self) -> Result<(), UciError> {
        let flipped = Position::from_setup(&swap_sides(self.engine.position()))
            .map_err(UciError::in_command("flip"))?;
        self.engine.set_position(flipped);
        Ok(())
    }
}

/// Parses a legal move in coordinate notation or as `O-O` or `O-O-O`.
fn parse_move(pos: &Position, text: &str) -> Option<Move> {
    if !text.starts_with('O') {
        return coord::parse(pos, text);
    }
    let short = text.len() == "O-O".len();
    pos.legal_moves()
        .into_iter()
        .find(|mv| mv.kind() == MoveKind::Castle && (mv.to() > mv.from()) == short)
}

/// Converts a `go` command to search limits, and returns the illegal `searchmoves` beside them.
/// Times below one millisecond become one millisecond and counts of zero become one, so a
/// given limit never turns into no limit.
fn search_limits(go: &Go, pos: &Position) -> (Limits, Vec<String>) {
    let millis = |time: i64| Duration::from_millis(time.max(1).unsigned_abs());
    let increment =
        |time: Option<i64>| Duration::from_millis(time.unwrap_or_default().max(0).unsigned_abs());
    let mut limits = Limits {
        depth: go.depth.map(|depth| i32::from(depth).max(1)),
        nodes: go.nodes.map(|nodes| nodes.max(1)),
        mate: go.mate.map(|mate| i32::from(mate).max(1)),
        infinite: go.infinite,
        ponder: go.ponder,
        ..Limits::default()
    };
    // An infinite search has no clock, even if the command includes times.
    if !go.infinite {
        limits.time = go.time.map(|time| time.map(millis));
        limits.increment = go.increment.map(increment);
        limits.moves_to_go = go.moves_to_go.map(u32::from).filter(|&moves| moves > 0);
        limits.move_time = go.move_time.map(millis);
    }
    let mut illegal = Vec::new();
    for text in &go.search_moves {
        match parse_move(pos, text) {
            Some(mv) if limits.search_moves.contains(&mv) => {}
            Some(mv) => limits.search_moves.push(mv),
            None => illegal.push(text.clone()),
        }
    }
    (limits, illegal)
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

/// [`perft`] that returns `None` soon after a stop; it checks for one above the last three
/// plies, which take a few milliseconds at most.
fn interruptible_perft(pos: &mut Position, depth: u32, control: &Control) -> Option<u64> {
    const MAX_UNCHECKED_DEPTH: u32 = 3;
    host::pause(Duration::ZERO);
    if control.is_stopped() {
        return None;
    }
    if depth <= MAX_UNCHECKED_DEPTH {
        return Some(perft(pos, depth));
    }
    let mut nodes = 0;
    for mv in pos.legal_moves() {
        pos.make(mv);
        let count = interruptible_perft(pos, depth - 1, control);
        pos.unmake();
        nodes += count?;
    }
    Some(nodes)
}

/// The position with colours and ranks swapped.
fn swap_sides(pos: &Position) -> Setup {
    let mut setup = Setup::empty(pos.variant());
    for square in Square::all() {
        setup.board[square.flip().index()] = pos.piece_at(square).map(swap_color);
    }
    setup.side_to_move = !pos.side_to_move();
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            let rook = pos.castling().rook(color, side);
            if let Some(rook) = rook.filter(|_| pos.castling_rights().has(color, side)) {
                setup.castling.push((!color, rook.flip()));
            }
        }
    }
    setup.en_passant = pos.en_passant().map(Square::flip);
    setup.halfmove_clock = pos.halfmove_clock();
    setup.fullmove_number = pos.fullmove_number();
    setup
}

fn swap_color(piece: Piece) -> Piece {
    Piece::new(!piece.color(), piece.piece_type())
}

/// Prints search reports as `info` lines.
struct InfoPrinter<'a> {
    out: &'a UciOutput,
    style: FormatOptions,
}

impl Listener for InfoPrinter<'_> {
    fn report(&self, report: &SearchInfo) {
        self.out.print(&format::info_line(report, self.style));
    }

    fn current_move(&self, depth: i32, mv: Move, number: usize) {
        let line = format::current_move_line(depth, mv, number, self.style);
        self.out.print(&line);
    }

    fn warning(&self, text: &str) {
        self.out.info(text);
    }
}
