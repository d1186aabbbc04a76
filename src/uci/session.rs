//! The engine thread of a UCI session: it owns the engine and executes commands in the order
//! in which they were read.
//! Invariant: a rejected command changes nothing and prints one error line.

use std::fs::{self, File};
use std::io::Write;
use std::sync::Arc;

use super::error::{BadArgument, UciError, in_command};
use super::evaluation;
use super::format;
use super::output::UciOutput;
use super::parse::{GameMove, UciCommand, UciMessage};
use super::queue::CommandQueue;
use crate::engine::Engine;
use crate::engine::options::{self, UciOptions};
use crate::eval;
use crate::notation::fen;
use crate::rules::Position;
use crate::tablebase::Tablebase;

pub struct Session {
    pub engine: Engine,
    pub options: UciOptions,
    pub out: Arc<UciOutput>,
    pub queue: Arc<CommandQueue>,
    pub position_is_rejected: bool,
}

impl Session {
    pub fn new(out: Arc<UciOutput>, queue: Arc<CommandQueue>) -> Session {
        let mut engine = Engine::default();
        engine.set_control(Arc::clone(&queue.control));
        engine.seed_level(fastrand::u64(..));
        Session { engine, options: UciOptions::default(), out, queue, position_is_rejected: false }
    }

    /// Executes commands until no more follow.
    pub fn run(&mut self) {
        while let Some(command) = self.queue.next() {
            self.execute(command);
        }
    }

    /// Executes the commands that were read.
    pub fn run_pending(&mut self) {
        while let Some(command) = self.queue.try_next() {
            self.execute(command);
        }
    }

    fn execute(&mut self, command: UciCommand) {
        let result = self.try_execute(command);
        self.queue.finish();
        if let Err(error) = result {
            self.out.error(&error.to_string());
        }
    }

    fn try_execute(&mut self, command: UciCommand) -> Result<(), UciError> {
        match command {
            UciCommand::Message(UciMessage::SetOption { name, value }) => {
                return self.set_option(&name, value.as_deref());
            }
            UciCommand::Message(UciMessage::UciNewGame) => {
                self.engine.clear();
                self.engine.seed_level(fastrand::u64(..));
            }
            UciCommand::Message(message @ (UciMessage::Uci | UciMessage::IsReady)) => {
                self.out.print(&format::reply(&message));
            }
            UciCommand::Position { fen, moves } => {
                let result = self.set_position(fen.as_ref().map(|fen| fen.as_str()), &moves);
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
            UciCommand::Bench(arguments) => return self.bench(&arguments),
            UciCommand::GenFens(arguments) => return self.genfens(&arguments),
            UciCommand::Display => {
                let text = format::board_text(self.engine.position(), self.options.chess960);
                self.out.print(&(text + &self.tablebase_line()));
                self.report_tablebase_errors();
            }
            UciCommand::Eval => self.evaluate(),
            UciCommand::Flip => {
                let flipped = self.engine.position().flipped();
                let flipped = flipped.map_err(in_command("flip"))?;
                self.engine.set_position(flipped);
            }
            UciCommand::Compiler => self.out.print(&format::compiler_info()),
            UciCommand::ExportNet(name) => return self.export_net(name.as_deref()),
            UciCommand::Help => self.out.print(format::HELP),
            // The input thread handles all others.
            UciCommand::Message(_) | UciCommand::Unknown(_) => {}
        }
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), UciError> {
        let before = self.options.clone();
        options::apply(&mut self.engine, &mut self.options, name, value)
            .map_err(in_command("setoption"))?;
        let (old, new) = (&before.settings, &self.options.settings);
        if new.syzygy_path != old.syzygy_path {
            if let Some(tables) = self.engine.tablebase() {
                self.out.info(&format!("found {tables}"));
            }
            self.report_tablebase_errors();
        }
        if new.book_file != old.book_file
            && let Some(book) = self.engine.book()
        {
            self.out.info(&format!("book with {book}"));
        }
        if new.threads != old.threads
            && let Some(warning) = self.engine.thread_warning()
        {
            self.out.info(&warning);
        }
        Ok(())
    }

    fn report_tablebase_errors(&self) {
        let tables = self.engine.tablebase().into_iter();
        for warning in tables.flat_map(Tablebase::take_warnings) {
            self.out.info(&warning);
        }
    }

    /// The tablebase line at the end of `d`; empty if the position is not in the tablebases.
    fn tablebase_line(&self) -> String {
        let pos = self.engine.position();
        let tables = self.engine.tablebase();
        let Some(wdl) = tables.and_then(|tables| tables.wdl(pos)) else {
            return String::new();
        };
        let dtz = tables.and_then(|tables| tables.dtz(pos));
        let dtz = dtz.map_or(String::new(), |dtz| format!(", DTZ {dtz}"));
        format!("\nTablebases: WDL {}{dtz}", wdl.value())
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &[GameMove]) -> Result<(), UciError> {
        let variant = self.options.variant;
        let mut pos = match fen {
            None => Position::startpos(variant),
            Some(text) => {
                let parsed = fen::parse_lenient(text, variant);
                let (pos, warnings) = parsed.map_err(in_command("position"))?;
                for warning in warnings {
                    self.out.info(&format!("position: {warning}"));
                }
                pos
            }
        };
        for (index, text) in moves.iter().enumerate() {
            let Some(mv) = text.find(&pos) else {
                let reason = format!("(move {}) is not legal", index + 1);
                return Err(BadArgument::new("position", &text.to_string(), reason).into());
            };
            pos.make(mv);
        }
        self.engine.set_position(pos);
        Ok(())
    }

    fn evaluate(&self) {
        if eval::has_both_kings(self.engine.position()) {
            self.out.print(&evaluation::text(&self.engine));
        } else {
            self.out.print("no evaluation: a king has exploded");
        }
    }

    fn export_net(&self, name: Option<&str>) -> Result<(), UciError> {
        let name = name.unwrap_or("brisance.nnue");
        let written = File::create_new(name).and_then(|mut file| {
            let written = file.write_all(&self.engine.loaded_net().to_bytes());
            // A part of a network is of no use.
            written.inspect_err(|_| drop(fs::remove_file(name)))
        });
        written.map_err(|error| format!("export_net: cannot write {name}: {error}"))?;
        self.out.info(&format!("network written to {name}"));
        Ok(())
    }
}
