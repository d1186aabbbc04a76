//! A UCI session without threads, for a host that passes lines in and calls the engine, such as a
//! web page. [`embedded`] returns the two halves of a session.
//! Invariant: the halves share no lock while a search pauses, so the host may pass on a line in
//! such a pause.

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::input::InputReader;
use super::output::UciOutput;
use super::queue::CommandQueue;
use super::session::Session;
use crate::tablebase::Tablebase;

/// The input of an embedded session.
pub struct EmbeddedInput(InputReader);

/// The engine of an embedded session.
pub struct EmbeddedSession(Session);

/// A session that writes its output, in whole lines, to `output`.
///
/// # Examples
/// ```
/// use brisance::uci::embedded;
///
/// let (output, writer) = std::io::pipe()?;
/// let (mut input, mut session) = embedded(Box::new(writer));
/// for line in ["position fen 7k/5N2/8/8/8/8/8/K5Q1 w - - 0 1", "go depth 2", "quit"] {
///     let _ = input.line(line);
///     session.run();
/// }
/// drop((input, session));
/// let text = std::io::read_to_string(output)?;
/// assert!(text.lines().last().unwrap().starts_with("bestmove "), "{text}");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn embedded(output: Box<dyn Write + Send>) -> (EmbeddedInput, EmbeddedSession) {
    let out = Arc::new(UciOutput::new(output, || {}));
    let queue = Arc::new(CommandQueue::default());
    let session = Session::new(Arc::clone(&out), Arc::clone(&queue));
    let input = InputReader::new(out, queue);
    (EmbeddedInput(input), EmbeddedSession(session))
}

impl EmbeddedInput {
    /// Reads a line. `stop`, `ponderhit` and `isready` take effect at once, even while
    /// [`EmbeddedSession::run`] pauses; other commands wait for its next call. Breaks at `quit`.
    pub fn line(&mut self, line: &str) -> ControlFlow<()> {
        match self.0.handle_line(line.as_bytes()) {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }

    /// Ends the input: searches that would need a `stop` are stopped, all others are finished.
    pub fn end(&mut self) {
        self.0.queue.close();
    }
}

impl EmbeddedSession {
    /// Executes the commands that have been read. A search runs to its end.
    pub fn run(&mut self) {
        self.0.run_pending();
    }

    /// Gives the searches tables that are not in files; see [`Engine::set_tablebase`].
    ///
    /// [`Engine::set_tablebase`]: crate::engine::Engine::set_tablebase
    pub fn set_tablebase(&mut self, tablebase: Tablebase) {
        self.0.engine.set_tablebase(tablebase);
    }

    /// True if a line was rejected.
    pub fn has_error(&self) -> bool {
        self.0.out.has_error()
    }
}
