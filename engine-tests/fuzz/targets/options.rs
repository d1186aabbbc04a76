//! The fuzz target for the options of commands, engines and matches.
//! Invariant: what is accepted and written is read back as the same.

use brisance::arena::spec::{EngineKind, EngineSpec, TimeControl};
use brisance::engine::options::{self as engine_options, UciOptions};
use brisance::notation::units::{self, TimeUnit};
use brisance::uci::parse::{UciCommand, UciMessage, parse};

/// Reads a text as a number, as a time, as a time control, as an engine specification and as a UCI
/// line.
pub fn options(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    number(&text);
    for unit in [TimeUnit::Second, TimeUnit::Millisecond] {
        if let Ok(time) = units::time(&text, unit, &..) {
            let again = units::time(&units::seconds(time), TimeUnit::Second, &..);
            assert_eq!(again, Ok(time), "{text:?}");
        }
    }
    if let Ok(control) = TimeControl::parse_clock(&text) {
        let (key, value) = control_words(&control);
        let again = TimeControl::parse(key, &value).expect("a known limit");
        assert_eq!(again, Ok(control), "{text:?}");
    }
    if let Ok(spec) = EngineSpec::parse(&text) {
        let again = EngineSpec::parse(&spec_text(&spec));
        assert_eq!(again.as_ref(), Ok(&spec), "{text:?}");
        // Two players may not have the same given name.
        let twice = EngineSpec::parse_all(&[text.to_string(), text.to_string()]);
        assert_eq!(twice.is_ok(), spec.name.is_empty(), "{text:?}");
        return;
    }
    text.split('\n').for_each(setoption);
}

fn number(text: &str) {
    if let Ok(number) = units::number::<i64>(text, &..) {
        let again = units::number::<i64>(&number.to_string(), &..);
        assert_eq!(again, Ok(number), "{text:?}");
        let within = units::number::<i64>(text, &(1..=1_000));
        assert_eq!(within.is_ok(), (1..=1_000).contains(&number), "{text:?}");
    }
    if let Ok(plain) = text.parse::<i64>() {
        assert_eq!(units::number(text, &..), Ok(plain), "{text:?}");
    }
}

/// The key and the value in a specification, from the tag of a time control.
fn control_words(control: &TimeControl) -> (&'static str, String) {
    let tag = control.tag();
    match control {
        TimeControl::Clock { .. } => ("tc", tag),
        TimeControl::Nodes(_) => ("nodes", tag.replace("nodes ", "")),
        TimeControl::Depth(_) => ("depth", tag.replace("depth ", "")),
        TimeControl::MoveTime(_) => ("movetime", tag.replace(" a move", "")),
    }
}

/// A specification as a text.
fn spec_text(spec: &EngineSpec) -> String {
    let mut words = Vec::new();
    let start = match &spec.kind {
        EngineKind::Own => "self ",
        EngineKind::Child { command, arguments, directory } => {
            words.push(format!("cmd={}", command.display()));
            words.push(format!("args={}", shell_words::join(arguments)));
            words.extend(directory.iter().map(|dir| format!("dir={}", dir.display())));
            ""
        }
    };
    words.push(format!("name={}", spec.name));
    for (name, value) in &spec.options {
        words.push(format!("option.{name}={value}"));
    }
    if let Some(control) = &spec.time_control {
        let (key, value) = control_words(control);
        words.push(format!("{key}={value}"));
    }
    start.to_owned() + &shell_words::join(words)
}

/// A `setoption` line that is read is written as a line of the same option, and a rejected value
/// changes nothing.
fn setoption(line: &str) {
    let read = parse(line);
    let Ok(UciCommand::Message(UciMessage::SetOption { name, value })) = &read else {
        return;
    };
    let written = match value {
        Some(value) => format!("setoption name {name} value {value}"),
        None => format!("setoption name {name}"),
    };
    assert_eq!(parse(&written), read, "{line:?}");
    let mut state = UciOptions::default();
    match engine_options::set(&mut state, name, value.as_deref()) {
        Ok(_) => {
            let first = state.clone();
            let second = engine_options::set(&mut state, name, value.as_deref());
            assert!(second.is_ok() && state == first, "{line:?}");
        }
        Err(error) => {
            assert!(state == UciOptions::default(), "{line:?}");
            assert!(!error.to_string().is_empty(), "{line:?}");
        }
    }
}
