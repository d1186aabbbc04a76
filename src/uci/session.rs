//! The engine's thread: owns the engine and carries out commands in the order in which they
//! were read.
//! Invariant: a refused command changes nothing and gives one error line; every `go` that is
//! not refused ends in exactly one `bestmove`, after at least one line with a score.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use super::format::{self, Output, Style};
use super::gate::{Begun, Gate, Prompt};
use super::options::{self, UciState};
use super::parse::{BadArgument, Command, Go, Start};
use super::{Extension, ExtensionCall, Extensions};
use crate::engine::Engine;
use crate::eval::wdl::Scale;
use crate::eval::{hce, score};
use crate::notation::{coord, fen, san};
use crate::rules::{CastlingSide, Color, Move, MoveKind, Piece, Position, Setup, Square, perft};
use crate::search::{Bound, Control, Limits, Listener, Report, Summary};
use crate::tablebase::Tablebase;

/// The state of one conversation.
pub(super) struct Session {
    pub(super) engine: Engine,
    state: UciState,
    pub(super) out: Arc<Output>,
    pub(super) gate: Arc<Gate>,
    extensions: Extensions,
}

impl Session {
    pub fn new(out: Arc<Output>, gate: Arc<Gate>, extensions: Extensions) -> Session {
        let mut engine = Engine::default();
        engine.vary(fastrand::u64(..));
        Session {
            engine,
            state: UciState::default(),
            out,
            gate,
            extensions,
        }
    }

    /// Carries out commands until the sender is gone.
    pub fn run(&mut self, commands: &Receiver<Command>) {
        for command in commands {
            if let Err(error) = self.execute(command) {
                self.out.error(&error);
            }
        }
    }

    fn execute(&mut self, command: Command) -> Result<(), String> {
        match command {
            Command::Uci => self.answer(Prompt::Uci),
            Command::IsReady => self.answer(Prompt::IsReady),
            Command::SetOption { name, value } => {
                let value = value.as_deref();
                let before = self.engine.settings().clone();
                options::apply(&mut self.engine, &mut self.state, &name, value)
                    .map_err(|error| format!("setoption: {error}"))?;
                if self.engine.settings().syzygy_path != before.syzygy_path {
                    self.announce_tables();
                }
                if self.engine.settings().book_file != before.book_file {
                    self.announce_book();
                }
            }
            Command::UciNewGame => {
                self.engine.clear();
                self.engine.vary(fastrand::u64(..));
            }
            Command::Position { start, moves } => return self.position(&start, &moves),
            Command::Go(go) => match go.perft {
                Some(depth) => self.perft(depth),
                None => self.search(&go),
            },
            Command::Display => {
                let text = format::board(self.engine.position(), self.state.chess960);
                self.out.say(&(text + &self.table_answer()));
                self.tell_faults();
            }
            Command::Eval => self.evaluate(),
            Command::Bench(arguments) => {
                return self.extension("bench", self.extensions.bench.as_ref(), &arguments);
            }
            Command::GenFens(arguments) => {
                return self.extension("genfens", self.extensions.genfens.as_ref(), &arguments);
            }
            Command::Flip => return self.flip(),
            Command::Compiler => self.out.say(&format::build()),
            Command::ExportNet(name) => self.export_net(name.as_deref())?,
            Command::Help => self.out.say(format::HELP),
            // The reading thread keeps these to itself.
            Command::Debug(_)
            | Command::Register
            | Command::Stop
            | Command::PonderHit
            | Command::Quit
            | Command::Unknown(_) => {}
        }
        Ok(())
    }

    fn announce_tables(&self) {
        if let Some(tables) = self.engine.tables() {
            self.out.note(&format!("found {tables}"));
        }
        self.tell_faults();
    }

    fn announce_book(&self) {
        if let Some(book) = self.engine.book() {
            let (moves, positions) = (book.entries().len(), book.positions());
            self.out
                .note(&format!("book of {moves} moves in {positions} positions"));
        }
    }

    fn tell_faults(&self) {
        for fault in self
            .engine
            .tables()
            .into_iter()
            .flat_map(Tablebase::take_faults)
        {
            self.out.note(&fault);
        }
    }

    /// The line about tablebases that `d` ends with when they know the position.
    fn table_answer(&self) -> String {
        let position = self.engine.position();
        let tables = self.engine.tables();
        match tables.map(|tables| (tables.wdl(position), tables.dtz(position))) {
            Some((Some(wdl), Some(dtz))) => {
                format!("\nTablebases: WDL {}, DTZ {dtz}", wdl.number())
            }
            Some((Some(wdl), None)) => format!("\nTablebases: WDL {}", wdl.number()),
            _ => String::new(),
        }
    }

    fn answer(&self, prompt: Prompt) {
        self.out.say(&super::answer(prompt));
    }

    pub(super) fn style(&self) -> Style {
        Style {
            chess960: self.state.chess960,
            show_wdl: self.state.show_wdl,
        }
    }

    fn position(&mut self, start: &Start, moves: &[String]) -> Result<(), String> {
        let variant = self.state.variant;
        let mut position = match start {
            Start::Startpos => Position::startpos(variant),
            Start::Fen(text) => {
                fen::parse(text, variant).map_err(|error| format!("position: {error}"))?
            }
        };
        for (index, text) in moves.iter().enumerate() {
            let Some(mv) = resolve(&position, text) else {
                let why = format!("is move {} and not legal there", index + 1);
                return Err(BadArgument::new("position", text, why).to_string());
            };
            position.make(mv);
        }
        self.engine.set_position(position);
        Ok(())
    }

    fn begin(&self, bounded: bool) -> (Begun, Arc<Control>) {
        let control = self.engine.control();
        let begun = self.gate.begin(Arc::clone(&control), bounded);
        for &prompt in &begun.owed {
            self.answer(prompt);
        }
        (begun, control)
    }

    fn search(&mut self, go: &Go) {
        let (mut limits, illegal) = limits(go, self.engine.position());
        if !illegal.is_empty() {
            let list = illegal.join(" ");
            self.out
                .error(&format!("go searchmoves: not legal here: {list}"));
        }
        let bounded = is_bounded(&limits, self.engine.position().side());
        let (begun, _) = self.begin(bounded);
        limits.ponder = begun.ponder;
        // The move of an analysis is no answer, and one that is pondered on is not to be played.
        let plays = !go.ponder && !go.infinite && go.mate.is_none() && go.search_moves.is_empty();
        let answer = if self.engine.position().has_legal_move() {
            let from_book = (plays && !self.state.analyse).then(|| self.book_move());
            from_book.flatten().unwrap_or_else(|| match limits.mate {
                Some(moves) if !limits.ponder => self.mate(moves, &limits),
                _ => self.best_move(&limits),
            })
        } else {
            self.out.say(&format::game_over(self.engine.position()));
            format::NO_MOVE.to_string()
        };
        self.gate.wait_until_released(limits.infinite);
        self.gate.finish();
        self.out.say(&answer);
    }

    /// Searches, and makes sure that the answer is a legal move announced by a full line.
    pub(super) fn best_move(&mut self, limits: &Limits) -> String {
        let style = self.style();
        let listener = Reporter {
            out: &self.out,
            style,
            reported: AtomicBool::new(false),
        };
        let summary = self.engine.go(limits, &listener);
        let position = self.engine.position();
        let asked = &limits.search_moves;
        let best = summary
            .best
            .filter(|best| asked.is_empty() || asked.contains(best))
            .or_else(|| asked.first().copied())
            .or_else(|| position.legal_moves().first().copied());
        let Some(best) = best else {
            return format::NO_MOVE.to_string();
        };
        let ponder = summary.ponder.filter(|&reply| {
            let mut next = position.clone();
            next.make(best);
            next.legal_moves().contains(&reply)
        });
        if !listener.reported.load(Ordering::Relaxed) {
            let line = closing_report(&summary, best, ponder);
            self.out.say(&format::report(&line, style));
        }
        format::best_move(best, ponder, style)
    }

    /// The answer from the book, if it has one, announced by a line with a score: some clients
    /// want one for every move. It is the static evaluation, for a book has none.
    fn book_move(&mut self) -> Option<String> {
        let found = self.engine.book_move()?;
        let position = self.engine.position();
        let name = san::write(position, found.mv);
        self.out.note(&format!("{name} is from the book"));
        let report = Report {
            depth: 1,
            seldepth: 1,
            multipv: 1,
            value: self.engine.evaluate().unwrap_or(score::DRAW),
            bound: Bound::Exact,
            nodes: 0,
            time: Duration::ZERO,
            hashfull: 0,
            tbhits: 0,
            scale: Scale::of(position),
            pv: vec![found.mv],
        };
        let style = self.style();
        self.out.say(&format::report(&report, style));
        Some(format::best_move(found.mv, None, style))
    }

    fn perft(&mut self, depth: u32) {
        let (_, control) = self.begin(true);
        let chess960 = self.state.chess960;
        let mut position = self.engine.position().clone();
        let mut total = u64::from(depth == 0);
        let mut complete = true;
        if let Some(rest) = depth.checked_sub(1) {
            for mv in position.legal_moves() {
                position.make(mv);
                let count = stoppable_perft(&mut position, rest, &control);
                position.unmake();
                let Some(count) = count else {
                    complete = false;
                    break;
                };
                total += count;
                let text = format::move_text(mv, chess960);
                self.out.say(&format!("{text}: {count}"));
            }
        }
        self.gate.finish();
        if complete {
            self.out.say(&format!("\nNodes searched: {total}"));
        } else {
            self.out.error("go perft: stopped before the end");
        }
    }

    fn extension(
        &self,
        name: &str,
        work: Option<&Extension>,
        arguments: &[String],
    ) -> Result<(), String> {
        let (_, control) = self.begin(true);
        let result = match work {
            None => Err("this build has none".to_string()),
            Some(work) => work(&ExtensionCall {
                arguments,
                is_stopped: &|| control.is_stopped(),
                say: &|text| self.out.say(text),
            }),
        };
        self.gate.finish();
        result.map_err(|error| format!("{name}: {error}"))
    }

    fn evaluate(&self) {
        let position = self.engine.position();
        if Color::ALL
            .iter()
            .any(|&color| position.king(color).is_none())
        {
            self.out.say("no evaluation: a king has exploded");
            return;
        }
        let account = format::trace(&hce::trace(position));
        let source = match self.engine.net() {
            Some(net) => format!("network ({})", net.description()),
            None => "handcrafted terms".to_owned(),
        };
        let shown = |value| format::pawns(Scale::of(position).shown(value));
        let total = match (self.engine.evaluate(), position.side()) {
            (None, _) => "none, the king is in check".to_owned(),
            (Some(ours), Color::White) => format!("{} for White", shown(ours)),
            (Some(ours), Color::Black) => format!("{} for White", shown(-ours)),
        };
        self.out.say(&format!(
            "{account}\nstatic evaluation {total}, by the {source}"
        ));
    }

    /// Writes the loaded network to a new file.
    fn export_net(&self, name: Option<&str>) -> Result<(), String> {
        let name = name.unwrap_or("brisance.nnue");
        let write = || -> std::io::Result<()> {
            let mut file = std::fs::File::create_new(name)?;
            file.write_all(&self.engine.loaded_net().to_bytes())
        };
        write().map_err(|error| format!("export_net: {name}: {error}"))?;
        self.out.note(&format!("network written to {name}"));
        Ok(())
    }

    fn flip(&mut self) -> Result<(), String> {
        let flipped = Position::from_setup(&flipped(self.engine.position()))
            .map_err(|fault| format!("flip: {fault}"))?;
        self.engine.set_position(flipped);
        Ok(())
    }
}

/// The legal move that a GUI's text names, `O-O` included.
fn resolve(position: &Position, text: &str) -> Option<Move> {
    if !text.starts_with('O') {
        return coord::parse(position, text);
    }
    let short = text.len() == "O-O".len();
    position
        .legal_moves()
        .into_iter()
        .find(|mv| mv.kind() == MoveKind::Castle && (mv.to() > mv.from()) == short)
}

/// The limits of a search in the engine's terms, and the root moves that are not legal.
/// Clocks that have run out leave a millisecond, and a count of none means one: a limit given
/// must never turn into no limit.
fn limits(go: &Go, position: &Position) -> (Limits, Vec<String>) {
    let millis = |time: i64| Duration::from_millis(time.max(1).unsigned_abs());
    let gain =
        |time: Option<i64>| Duration::from_millis(time.unwrap_or_default().max(0).unsigned_abs());
    let mut limits = Limits {
        depth: go.depth.map(|depth| i32::from(depth).max(1)),
        nodes: go.nodes.map(|nodes| nodes.max(1)),
        mate: go.mate.map(|mate| i32::from(mate).max(1)),
        infinite: go.infinite,
        ponder: go.ponder,
        ..Limits::default()
    };
    // An analysis without end has no clock, whatever else the line says.
    if !go.infinite {
        limits.time = go.time.map(|time| time.map(millis));
        limits.increment = go.increment.map(gain);
        limits.moves_to_go = go.moves_to_go.map(u32::from).filter(|&moves| moves > 0);
        limits.move_time = go.move_time.map(millis);
    }
    let mut illegal = Vec::new();
    for text in &go.search_moves {
        match resolve(position, text) {
            Some(mv) if limits.search_moves.contains(&mv) => {}
            Some(mv) => limits.search_moves.push(mv),
            None => illegal.push(text.clone()),
        }
    }
    (limits, illegal)
}

/// True when the search ends without being stopped. A mate may never be found, but whoever
/// asks for one in a pipe wants the answer.
fn is_bounded(limits: &Limits, side: Color) -> bool {
    !limits.infinite
        && (limits.time[side.index()].is_some()
            || limits.move_time.is_some()
            || limits.depth.is_some()
            || limits.nodes.is_some()
            || limits.mate.is_some())
}

/// The line that stands in when a search was too short to report anything.
fn closing_report(summary: &Summary, best: Move, ponder: Option<Move>) -> Report {
    let depth = summary.depth.max(1);
    Report {
        depth,
        seldepth: depth,
        multipv: 1,
        value: summary.value,
        scale: summary.scale,
        bound: Bound::Exact,
        nodes: summary.nodes,
        time: summary.time,
        hashfull: 0,
        tbhits: 0,
        pv: [Some(best), ponder].into_iter().flatten().collect(),
    }
}

/// [`perft`] that gives up soon after a stop: three plies take a few milliseconds at most.
fn stoppable_perft(position: &mut Position, depth: u32, control: &Control) -> Option<u64> {
    const UNINTERRUPTED: u32 = 3;
    if control.is_stopped() {
        return None;
    }
    if depth <= UNINTERRUPTED {
        return Some(perft(position, depth));
    }
    let mut nodes = 0;
    for mv in position.legal_moves() {
        position.make(mv);
        let count = stoppable_perft(position, depth - 1, control);
        position.unmake();
        nodes += count?;
    }
    Some(nodes)
}

/// The same game seen from the other side of the board.
fn flipped(position: &Position) -> Setup {
    let mut setup = Setup::empty(position.variant());
    for square in Square::all() {
        setup.men[square.flip().index()] = position.piece_at(square).map(other_color);
    }
    setup.side = !position.side();
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            let rook = position.castling().rook(color, side);
            if let Some(rook) = rook.filter(|_| position.rights().has(color, side)) {
                setup.castling.push((!color, rook.flip()));
            }
        }
    }
    setup.en_passant = position.en_passant().map(Square::flip);
    setup.halfmove = position.halfmove();
    setup.fullmove = position.fullmove();
    setup
}

fn other_color(man: Piece) -> Piece {
    Piece::new(!man.color(), man.kind())
}

/// Prints a search's progress.
struct Reporter<'a> {
    out: &'a Output,
    style: Style,
    /// A full line with an exact score has been printed.
    reported: AtomicBool,
}

impl Listener for Reporter<'_> {
    fn report(&self, report: &Report) {
        self.out.say(&format::report(report, self.style));
        if report.multipv == 1 && report.bound == Bound::Exact && !report.pv.is_empty() {
            self.reported.store(true, Ordering::Relaxed);
        }
    }

    fn current_move(&self, depth: i32, mv: Move, number: usize) {
        let line = format::current_move(depth, mv, number, self.style);
        self.out.say(&line);
    }

    fn fault(&self, text: &str) {
        self.out.note(text);
    }
}
