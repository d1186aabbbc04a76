//! The functions of the module. Text passes through memory: the host writes a text of `length`
//! bytes to the address that `buffer(length)` returns, and reads replies at `reply_address()`.
//! Lines of UCI output go to the import `print(address, length)`. While `uci_run` pauses, the host
//! may call `buffer`, `uci_line` and `uci_end`, but nothing else.
//! Invariant: WebAssembly without threads calls one function at a time, so no cell is borrowed
//! twice, except by a host that breaks the rule above; then the call panics.

use std::cell::RefCell;
use std::io::{self, Write};

use brisance::uci::parse::{UciCommand, parse};
use brisance::uci::{EmbeddedInput, EmbeddedSession, embedded};

use crate::Core;

#[link(wasm_import_module = "brisance")]
unsafe extern "C" {
    safe fn print(address: *const u8, length: usize);
}

/// The UCI output: whole lines.
struct Printer;

impl Write for Printer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        print(bytes.as_ptr(), bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static REPLY: RefCell<String> = const { RefCell::new(String::new()) };
    static CORE: RefCell<Core> = RefCell::new(Core::new());
    static INPUT: RefCell<Option<EmbeddedInput>> = const { RefCell::new(None) };
    static SESSION: RefCell<Option<EmbeddedSession>> = const { RefCell::new(None) };
}

/// Seeds the choice of book moves, of moves below full strength and of Chess960 positions.
#[unsafe(no_mangle)]
pub extern "C" fn seed(seed: f64) {
    fastrand::seed(seed.to_bits());
}

/// Makes room for an input of `length` bytes and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn buffer(length: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.resize(length, 0);
        buffer.as_mut_ptr()
    })
}

/// Takes the first `length` bytes of the buffer as text.
fn take_text(length: usize) -> String {
    BUFFER.with_borrow(|buffer| String::from_utf8_lossy(&buffer[..length]).into_owned())
}

fn set_reply(reply: String) -> usize {
    let length = reply.len();
    REPLY.set(reply);
    length
}

/// Answers the request in the buffer and returns the length of the reply.
#[unsafe(no_mangle)]
pub extern "C" fn call(length: usize) -> usize {
    let request = take_text(length);
    set_reply(CORE.with_borrow_mut(|core| core.call(&request)))
}

/// Takes a file from the buffer, its name first, and returns the length of the reply.
#[unsafe(no_mangle)]
pub extern "C" fn load(name_length: usize, content_length: usize) -> usize {
    let name = take_text(name_length);
    let reply = BUFFER.with_borrow(|buffer| {
        let content = &buffer[name_length..name_length + content_length];
        CORE.with_borrow_mut(|core| core.load(&name, content))
    });
    set_reply(reply)
}

/// The address of the last reply.
#[unsafe(no_mangle)]
pub extern "C" fn reply_address() -> *const u8 {
    REPLY.with_borrow(|reply| reply.as_ptr())
}

/// Starts the UCI session, with the tables that `load` has taken.
#[unsafe(no_mangle)]
pub extern "C" fn uci_start() {
    let (input, mut session) = embedded(Box::new(Printer));
    if let Some(tables) = CORE.with_borrow_mut(Core::take_tablebase) {
        session.set_tablebase(tables);
    }
    INPUT.set(Some(input));
    SESSION.set(Some(session));
}

/// Reads the UCI line in the buffer. Returns 1 after `quit`.
#[unsafe(no_mangle)]
pub extern "C" fn uci_line(length: usize) -> u32 {
    let line = take_text(length);
    INPUT.with_borrow_mut(|input| {
        let input = input.as_mut();
        u32::from(input.is_some_and(|input| input.line(&line).is_break()))
    })
}

/// Returns 1 if the text in the buffer is a UCI command, valid or not.
#[unsafe(no_mangle)]
pub extern "C" fn uci_knows(length: usize) -> u32 {
    u32::from(!matches!(parse(&take_text(length)), Ok(UciCommand::Unknown(_))))
}

/// Returns 1 if a UCI line was rejected.
#[unsafe(no_mangle)]
pub extern "C" fn uci_has_error() -> u32 {
    SESSION
        .with_borrow(|session| u32::from(session.as_ref().is_some_and(EmbeddedSession::has_error)))
}

/// Ends the input: searches that would need a `stop` are stopped, all others are finished.
#[unsafe(no_mangle)]
pub extern "C" fn uci_end() {
    INPUT.with_borrow_mut(|input| {
        if let Some(input) = input {
            input.end();
        }
    });
}

/// Executes the commands that have been read.
#[unsafe(no_mangle)]
pub extern "C" fn uci_run() {
    SESSION.with_borrow_mut(|session| {
        if let Some(session) = session {
            session.run();
        }
    });
}
