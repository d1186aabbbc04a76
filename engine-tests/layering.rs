//! Reads every file under `src/` and fails on an import against the order of the rooms, on
//! printing outside the rooms that print, and on outside crates where they do not belong.
//! Comments, strings and test modules do not count. New rooms go into the tables below.

use std::fs;
use std::path::Path;

/// The rooms from the top of the house to the bottom; a room may import only those in later
/// rows. Rooms may be missing.
const ORDER: [&[&str]; 10] = [
    &["main"],
    &["cli"],
    &["review", "uci"],
    &["arena"],
    &["engine"],
    &["search", "proof", "opening"],
    &["tablebase", "eval", "data", "picture"],
    &["notation"],
    &["rules"],
    &["util"],
];

/// Rooms that may print.
const PRINTERS: [&str; 3] = ["main", "cli", "uci"];

/// Crates that only the files with these beginnings may name.
const CONFINED: [(&str, &[&str]); 3] = [
    // Tables are read by its companion; the random numbers of the Polyglot format stand in it.
    ("shakmaty", &["tablebase", "opening/key.rs"]),
    (
        "vampirc_uci",
        &[
            "uci/parse.rs",
            "uci/go.rs",
            "uci/format.rs",
        ],
    ),
    ("pgn_reader", &["arena/pgn.rs", "notation/pgn"]),
];

const PRINTING: [&str; 7] = [
    "print!",
    "println!",
    "eprint!",
    "eprintln!",
    "dbg!",
    "stdout()",
    "stderr()",
];

fn row(room: &str) -> Option<usize> {
    ORDER.iter().position(|rooms| rooms.contains(&room))
}

/// The room a file belongs to: its first folder, or its own name at the top.
fn room_of(path: &str) -> &str {
    let first = path.split('/').next().unwrap_or(path);
    first.strip_suffix(".rs").unwrap_or(first)
}

/// How many modules deep a file's code lies: 1 for the file of a room itself.
fn depth_of(path: &str) -> usize {
    let parts = path.split('/').count();
    if path.ends_with("/mod.rs") {
        parts - 1
    } else {
        parts
    }
}

/// What is wrong with a file under `src/`, one line each.
fn complaints(path: &str, text: &str) -> Vec<String> {
    let code = without_test_items(&without_comments_and_strings(text));
    let room = room_of(path);
    let mut found = Vec::new();
    // The crate's root is not a room: it only lists them.
    if room != "lib" {
        for used in rooms_used(&code, depth_of(path)) {
            match (row(room), row(&used)) {
                _ if used == room => {}
                (Some(from), Some(to)) if from < to => {}
                (Some(_), Some(_)) => found.push(format!("{path}: {room} may not use {used}")),
                _ => found.push(format!(
                    "{path}: {room} uses {used}, not both are known rooms"
                )),
            }
        }
    }
    if !PRINTERS.contains(&room) {
        let printing = PRINTING.iter().filter(|call| names(&code, call));
        found.extend(printing.map(|call| format!("{path}: {call} outside cli and uci")));
    }
    for (outside, homes) in CONFINED {
        let at_home = homes.iter().any(|home| path.starts_with(home));
        if names(&code, outside) && !at_home {
            found.push(format!("{path}: names {outside}"));
        }
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The places where `word` stands, not as the end of a longer word.
fn places<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let starts = code.match_indices(word).map(|(at, _)| at);
    starts.filter(|&at| !code[..at].ends_with(is_word))
}

/// True when `word` occurs as a whole word.
fn names(code: &str, word: &str) -> bool {
    places(code, word).any(|at| {
        let after = &code[at + word.len()..];
        !word.ends_with(is_word) || !after.starts_with(is_word)
    })
}

/// The first names of all paths that start at the crate's root, however it is spelled:
/// `crate::`, `brisance::`, or as many `super::` as the file lies deep.
fn rooms_used(code: &str, depth: usize) -> Vec<String> {
    let up = "super::".repeat(depth);
    let mut rooms = Vec::new();
    for root in ["crate::", "brisance::", up.as_str()] {
        for at in places(code, root) {
            // One `super::` too many would not compile, and fewer stay in the room.
            if root != up || !code[..at].ends_with("super::") {
                rooms.extend(first_names(&code[at + root.len()..]));
            }
        }
    }
    rooms.sort();
    rooms.dedup();
    rooms
}

/// The first name of a path, or of each path in a list in braces.
fn first_names(path: &str) -> Vec<String> {
    let word = |text: &str| {
        text.trim_start()
            .chars()
            .take_while(|&c| is_word(c))
            .collect()
    };
    let Some(list) = path.strip_prefix('{') else {
        return vec![word(path)];
    };
    let (mut names, mut depth, mut item) = (Vec::new(), 0, String::new());
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(word(&std::mem::take(&mut item))),
            _ => {}
        }
        item.push(if c == ',' { ' ' } else { c });
    }
    names.push(word(&item));
    names.retain(|name: &String| !name.is_empty());
    names
}

/// The code with every comment, string and character literal blanked.
fn without_comments_and_strings(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(hashes) = raw_string(rest).filter(|_| !code.ends_with(is_word)) {
            let end = format!("\"{}", "#".repeat(hashes));
            let start = hashes + 2;
            rest[start..]
                .find(&end)
                .map_or(rest.len(), |at| start + at + end.len())
        } else if c == '"' {
            quoted(rest)
        } else if c == '\'' {
            character(rest)
        } else {
            code.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        code.push(' ');
        rest = &rest[length..];
    }
    code
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// The number of hashes if a raw string starts here.
fn raw_string(text: &str) -> Option<usize> {
    let after = text.strip_prefix('r')?;
    let hashes = after.chars().take_while(|&c| c == '#').count();
    after[hashes..].starts_with('"').then_some(hashes)
}

fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a character literal, or of the quote alone when it starts a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => {
            chars.next();
            chars
                .find(|&(_, c)| c == '\'')
                .map_or(text.len(), |(at, _)| at + 1)
        }
        Some(_) => chars
            .next()
            .filter(|&(_, c)| c == '\'')
            .map_or(1, |(at, _)| at + 1),
        None => 1,
    }
}

/// The code without the items marked for tests only.
fn without_test_items(code: &str) -> String {
    let mut kept = String::new();
    let mut rest = code;
    while let Some(at) = ["#[cfg(test", "#[cfg(all(test", "#[test]"]
        .iter()
        .filter_map(|mark| rest.find(mark))
        .min()
    {
        kept += &rest[..at];
        rest = &rest[at + item_length(&rest[at..])..];
    }
    kept + rest
}

/// The length of an item up to its `;` or the end of its braces.
fn item_length(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            ';' if depth == 0 => return at + 1,
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

fn visit(folder: &Path, visitor: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(folder).expect("the source is there") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            visit(&path, visitor);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            visitor(&path);
        }
    }
}

#[test]
fn every_import_follows_the_arrows() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut files, mut found) = (0, Vec::new());
    visit(&source, &mut |path| {
        let name = path.strip_prefix(&source).expect("under src");
        let name = name.to_string_lossy().replace('\\', "/");
        // Whole files of tests are a room's own business.
        if !name.ends_with("tests.rs") {
            files += 1;
            let text = fs::read_to_string(path).expect("readable source");
            found.extend(complaints(&name, &text));
        }
    });
    assert!(files >= 20, "only {files} files were found");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn wrong_arrows_are_found() {
    let wrong = [
        ("rules/perft.rs", "use crate::notation::fen;"),
        ("rules/perft.rs", "fn f() { crate::search::go() }"),
        (
            "rules/position/make.rs",
            "use super::super::super::eval::score;",
        ),
        ("rules/mod.rs", "use super::engine::Engine;"),
        (
            "eval/hce/mod.rs",
            "use crate::{rules::Position, search::Limits};",
        ),
        (
            "eval/hce/mod.rs",
            "use crate::{rules::{Move, Position}, eval::score, uci};",
        ),
        ("eval/mod.rs", "pub use crate::tablebase::Probe;"),
        ("search/mod.rs", "use crate::engine::Engine;"),
        ("search/root.rs", "use crate::opening::Book;"),
        ("engine.rs", "use super::uci::format;"),
        ("uci/mod.rs", "use crate::cli::Bench;"),
        ("cli/mod.rs", "use crate::main;"),
        ("rules/mod.rs", "use crate::stray::Thing;"),
        ("stray.rs", "use crate::rules::Move;"),
        (
            "rules/mod.rs",
            "#[cfg(test)]\nmod tests { use super::*; }\nuse crate::eval::score;",
        ),
        (
            "rules/mod.rs",
            "const QUOTE: char = '\"'; use crate::eval::score;",
        ),
        ("search/root.rs", "fn f() { println!(\"{}\", 1); }"),
        ("engine.rs", "fn f() { eprintln!(); }"),
        ("search/root.rs", "fn f() { std::io::stdout().flush(); }"),
        ("notation/fen.rs", "use shakmaty::fen::Fen;"),
        ("opening/book.rs", "use shakmaty::zobrist::Zobrist64;"),
        ("uci/mod.rs", "use vampirc_uci::UciMessage;"),
        ("search/mod.rs", "use vampirc_uci::UciMessage;"),
    ];
    for (path, text) in wrong {
        let found = complaints(path, text);
        assert_eq!(found.len(), 1, "{path}: {text}: {found:?}");
    }
}

#[test]
fn right_arrows_pass() {
    let right = [
        ("main.rs", "use brisance::cli; fn main() { println!(); }"),
        (
            "lib.rs",
            "pub mod rules; pub mod search; pub use crate::engine::Engine;",
        ),
        (
            "cli/bench.rs",
            "use crate::{engine::Engine, uci, rules::Variant}; fn f() { println!() }",
        ),
        (
            "uci/parse.rs",
            "use vampirc_uci::UciMessage; use crate::engine::Engine;",
        ),
        (
            "uci/mod.rs",
            "fn f() { let mut out = std::io::stdout().lock(); }",
        ),
        (
            "tablebase.rs",
            "use shakmaty::variant::Atomic; use crate::rules::Position;",
        ),
        (
            "tablebase/probe.rs",
            "use shakmaty::variant::Atomic; use crate::notation::fen;",
        ),
        (
            "search/node.rs",
            "use super::stack::Frame; use crate::{eval::{hce, score}, rules};",
        ),
        (
            "eval/nnue/simd/avx2.rs",
            "use super::super::super::score; use crate::rules::Square;",
        ),
        (
            "rules/position/make.rs",
            "use super::super::{Bitboard}; pub(in crate::rules) fn f() {}",
        ),
        // Comments, strings and tests do not count.
        (
            "rules/mod.rs",
            "//! See `crate::search`.\n/* crate::uci /* println! */ crate::cli */",
        ),
        (
            "rules/mod.rs",
            "const A: &str = \"crate::search \\\" println!()\"; const B: &str = r#\"\"crate::uci\"#;",
        ),
        (
            "rules/mod.rs",
            "#[cfg(test)]\nmod tests {\n use crate::notation::fen;\n fn f() { println!() }\n}",
        ),
        (
            "rules/mod.rs",
            "#[cfg(test)]\nuse crate::notation::fen;\nfn after<'a>(x: &'a str) {}",
        ),
        (
            "search/mod.rs",
            "fn reprint() { imprint!(); } fn shakmaty_like() {}",
        ),
    ];
    for (path, text) in right {
        assert_eq!(complaints(path, text), Vec::<String>::new(), "{text}");
    }
}
