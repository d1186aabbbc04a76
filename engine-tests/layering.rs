//! The structure of `src/`: imports follow the layers of `docs/architecture.md`, no files import
//! each other in a circle, only some modules print, and outside crates stay where they belong.
//! Test code does not count.

mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use source::SourceFile;

/// Modules that may print.
const PRINTERS: [&str; 3] = ["main", "cli", "uci"];

/// Crates that only the files with these beginnings may name.
const CONFINED: [(&str, &[&str]); 2] = [
    ("shakmaty", &["tablebase", "opening/key.rs"]),
    (
        "vampirc_uci",
        &[
            "uci/parse.rs",
            "uci/go.rs",
            "uci/moves.rs",
            "uci/search.rs",
            "uci/format.rs",
        ],
    ),
];

/// The layers from the top to the bottom; a module may import only modules of later rows.
struct Layers(Vec<Vec<String>>);

impl Layers {
    /// Reads the block that begins with `layers` in the architecture page.
    fn read(page: &str) -> Layers {
        let (_, block) = page.split_once("```layers\n").expect("a block of layers");
        let (block, _) = block.split_once("```").expect("the end of the block");
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
        Layers(block.lines().map(words).collect())
    }

    fn row(&self, module: &str) -> Option<usize> {
        self.0
            .iter()
            .position(|row| row.iter().any(|name| name == module))
    }

    /// Why `module` may not import `used`, or `None` when it may.
    fn violation(&self, module: &str, used: &str) -> Option<String> {
        match (self.row(module), self.row(used)) {
            _ if module == used => None,
            (Some(from), Some(to)) if from < to => None,
            (Some(_), Some(_)) => Some(format!("{module} may not import {used}")),
            (None, _) => Some(format!("{module} is in no layer")),
            (_, None) => Some(format!("{used} is in no layer")),
        }
    }
}

/// All files of the crate by their path under `src/`.
struct Crate(BTreeMap<String, SourceFile>);

impl Crate {
    fn read() -> Crate {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut texts = Vec::new();
        visit_files(&source, &mut |path| {
            let name = path.strip_prefix(&source).expect("under src");
            let name = name.to_string_lossy().replace('\\', "/");
            if !name.ends_with("tests.rs") {
                texts.push((name, fs::read_to_string(path).expect("readable source")));
            }
        });
        Crate::parse(
            texts
                .iter()
                .map(|(name, text)| (name.as_str(), text.as_str())),
        )
    }

    fn parse<'a>(texts: impl Iterator<Item = (&'a str, &'a str)>) -> Crate {
        let files = texts.map(|(name, text)| (name.to_owned(), SourceFile::parse(name, text)));
        Crate(files.collect())
    }

    fn file_of_module(&self, module: &[String]) -> Option<&String> {
        let file = |(_, file): &(&String, &SourceFile)| file.module == module;
        self.0
            .iter()
            .filter(|(name, _)| *name != "main.rs")
            .find(file)
            .map(|(name, _)| name)
    }

    /// The file that defines the item at a path, looking through re-exports.
    fn definition(&self, path: &[String], depth: usize) -> Option<&String> {
        let mut module = Vec::new();
        let mut file = self.file_of_module(&module)?;
        for (at, name) in path.iter().enumerate() {
            module.push(name.clone());
            if let Some(inner) = self.file_of_module(&module) {
                file = inner;
                continue;
            }
            if let Some(target) = self.0[file].names.get(name).filter(|_| depth > 0) {
                let mut target = target.clone();
                target.extend_from_slice(&path[at + 1..]);
                return self.definition(&target, depth - 1).or(Some(file));
            }
            break;
        }
        Some(file)
    }

    /// The files that each file imports from.
    fn imports(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let targets = |(name, file): (&'_ String, &SourceFile)| {
            let used = file.uses.iter().filter_map(|path| self.definition(path, 8));
            let used = used.filter(|used| *used != name && *used != "lib.rs");
            used.map(String::as_str).collect::<BTreeSet<_>>()
        };
        self.0
            .iter()
            .map(|entry| (entry.0.as_str(), targets(entry)))
            .collect()
    }

    /// What the file `name` breaks: imports against the layers, printing, confined crates.
    fn violations(&self, layers: &Layers, name: &str) -> Vec<String> {
        let file = &self.0[name];
        let module = file
            .module
            .first()
            .map_or(name.trim_end_matches(".rs"), String::as_str);
        let mut found = Vec::new();
        // The root of the library only lists the modules.
        if module != "lib" {
            let used = file
                .uses
                .iter()
                .chain(&file.reexports)
                .filter_map(|path| path.first());
            let used: BTreeSet<&String> = used.collect();
            let exists =
                |name: &&String| self.file_of_module(std::slice::from_ref(*name)).is_some();
            let used = used.into_iter().filter(exists);
            found.extend(used.filter_map(|used| layers.violation(module, used)));
        }
        if !PRINTERS.contains(&module) {
            found.extend(
                file.prints
                    .iter()
                    .map(|call| format!("{call} outside of {PRINTERS:?}")),
            );
        }
        for (outside, homes) in CONFINED {
            let allowed = homes.iter().any(|home| name.starts_with(home));
            if file.outside.contains(outside) && !allowed {
                found.push(format!("names the crate {outside}"));
            }
        }
        found
    }
}

fn visit_files(folder: &Path, visitor: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(folder).expect("the source is there") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            visit_files(&path, visitor);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            visitor(&path);
        }
    }
}

/// Every circle of imports between files, each cut once.
fn circles(source: &Crate) -> Vec<String> {
    let mut graph = source.imports();
    let mut found = Vec::new();
    while let Some(circle) = circle(&graph) {
        found.push(circle.join(" -> "));
        let next = circle[1 % circle.len()];
        graph
            .get_mut(circle[0])
            .expect("a file of the graph")
            .remove(next);
    }
    found
}

/// A circle in a graph as the names along it, if there is one.
fn circle<'a>(graph: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> Option<Vec<&'a str>> {
    let mut done = BTreeSet::new();
    graph
        .keys()
        .find_map(|start| circle_from(start, graph, &mut Vec::new(), &mut done))
}

fn circle_from<'a>(
    name: &'a str,
    graph: &BTreeMap<&'a str, BTreeSet<&'a str>>,
    path: &mut Vec<&'a str>,
    done: &mut BTreeSet<&'a str>,
) -> Option<Vec<&'a str>> {
    if let Some(at) = path.iter().position(|earlier| *earlier == name) {
        return Some(path[at..].to_vec());
    }
    if done.contains(name) {
        return None;
    }
    path.push(name);
    let found = graph.get(name).into_iter().flatten();
    let found = found
        .copied()
        .find_map(|next| circle_from(next, graph, path, done));
    path.pop();
    done.insert(name);
    found
}

fn layers() -> Layers {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/architecture.md");
    Layers::read(&fs::read_to_string(page).expect("the architecture page"))
}

#[test]
fn imports_follow_the_layers() {
    let (source, layers) = (Crate::read(), layers());
    assert!(
        source.0.len() >= 100,
        "only {} files were found",
        source.0.len()
    );
    let mut found = Vec::new();
    for name in source.0.keys() {
        let violations = source.violations(&layers, name);
        found.extend(
            violations
                .iter()
                .map(|violation| format!("{name}: {violation}")),
        );
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_layer_of_the_page_exists() {
    let source = Crate::read();
    for module in layers()
        .0
        .concat()
        .iter()
        .filter(|module| *module != "main")
    {
        assert!(
            source
                .file_of_module(std::slice::from_ref(module))
                .is_some(),
            "no module {module}"
        );
    }
}

#[test]
fn no_two_types_share_a_name() {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, file) in Crate::read().0 {
        for type_name in file.types {
            files.entry(type_name).or_default().push(name.clone());
        }
    }
    files.retain(|_, files| files.len() > 1);
    assert!(files.is_empty(), "{files:#?}");
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let circles = circles(&Crate::read());
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

/// A small crate with one file more: `text` at `path`.
fn example(path: &str, text: &str) -> Crate {
    let texts = [
        (
            "rules/mod.rs",
            "mod moves; pub use moves::Move; pub struct Position;",
        ),
        ("rules/moves.rs", "pub struct Move;"),
        ("eval/mod.rs", "pub mod score;"),
        ("eval/score.rs", "pub type Value = i32;"),
        ("search/mod.rs", "mod node; pub use node::search;"),
        ("search/node.rs", "pub fn search() {}"),
        ("engine/mod.rs", "pub struct Engine;"),
        ("uci/mod.rs", ""),
        ("cli/mod.rs", ""),
        ("stray/mod.rs", ""),
        ("lib.rs", "pub mod rules;"),
    ];
    let others = texts.into_iter().filter(|(name, _)| *name != path);
    Crate::parse(others.chain([(path, text)]))
}

#[test]
fn wrong_imports_are_found() {
    let wrong = [
        ("rules/perft.rs", "use crate::eval::score;"),
        ("rules/perft.rs", "fn f() { crate::search::search() }"),
        (
            "rules/perft.rs",
            "fn f() { assert!(crate::search::search()) }",
        ),
        (
            "rules/attacks/magic.rs",
            "use super::super::super::eval::score;",
        ),
        ("rules/mod.rs", "use super::engine::Engine;"),
        (
            "eval/hce.rs",
            "use crate::{rules::Position, search::search};",
        ),
        (
            "eval/hce.rs",
            "use crate::{rules::{Move, Position}, eval::score, uci};",
        ),
        ("eval/hce.rs", "fn f() { use crate::uci; }"),
        ("eval/mod.rs", "pub use crate::engine::Engine;"),
        ("search/mod.rs", "use crate::engine::Engine;"),
        ("uci/mod.rs", "use crate::cli::Bench;"),
        ("rules/mod.rs", "use crate::stray::Thing;"),
        ("stray/mod.rs", "use crate::rules::Move;"),
        (
            "rules/mod.rs",
            "#[cfg(test)]\nmod tests { use super::*; }\nuse crate::eval::score;",
        ),
        ("search/root.rs", "fn f() { println!(\"{}\", 1); }"),
        ("engine/mod.rs", "fn f() { eprintln!(); }"),
        ("search/root.rs", "fn f() { std::io::stdout().flush(); }"),
        ("notation.rs", "use shakmaty::fen::Fen;"),
        ("opening/book.rs", "fn f() { shakmaty::zobrist::hash() }"),
        ("uci/mod.rs", "use vampirc_uci::UciMessage;"),
    ];
    for (path, text) in wrong {
        let found = example(path, text).violations(&layers(), path);
        assert_eq!(found.len(), 1, "{path}: {text}: {found:?}");
    }
}

#[test]
fn right_imports_pass() {
    let right = [
        ("main.rs", "use brisance::cli; fn main() { println!(); }"),
        (
            "lib.rs",
            "pub mod rules; pub mod search; pub use crate::engine::Engine;",
        ),
        (
            "cli/bench.rs",
            "use crate::{engine::Engine, uci, rules::Move}; fn f() { println!() }",
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
            "tablebase/probe.rs",
            "use shakmaty::variant::Atomic; use crate::rules::Position;",
        ),
        (
            "search/node.rs",
            "use super::stack::Frame; use crate::{eval::score, rules};",
        ),
        (
            "eval/simd/avx2.rs",
            "use super::super::score; use crate::rules::Move;",
        ),
        (
            "rules/make.rs",
            "use super::Position; pub(in crate::rules) fn f() {}",
        ),
        (
            "rules/mod.rs",
            "//! See `crate::search`.\n/* println!() crate::uci */",
        ),
        (
            "rules/mod.rs",
            "const A: &str = \"crate::search println!()\";",
        ),
        (
            "rules/mod.rs",
            "#[cfg(test)]\nmod tests { use crate::eval; fn f() { println!() } }",
        ),
        (
            "search/mod.rs",
            "fn reprint() { imprint!(); } fn shakmaty_like() {}",
        ),
    ];
    for (path, text) in right {
        let found = example(path, text).violations(&layers(), path);
        assert_eq!(found, Vec::<String>::new(), "{path}: {text}");
    }
}

#[test]
fn circles_are_found_through_re_exports() {
    // `eval/score.rs` uses a type that `rules/mod.rs` re-exports from `rules/moves.rs`.
    let found = circles(&example("eval/score.rs", "use crate::rules::Move;"));
    assert_eq!(found, Vec::<String>::new());
    let text = "use crate::eval::score::Value; pub struct Move;";
    let mut texts = example("rules/moves.rs", text);
    let score = SourceFile::parse("eval/score.rs", "use crate::rules::Move;");
    texts.0.insert("eval/score.rs".to_owned(), score);
    assert_eq!(circles(&texts), ["eval/score.rs -> rules/moves.rs"]);
    let own = example("search/node.rs", "use super::search; pub fn search() {}");
    assert_eq!(circles(&own), Vec::<String>::new());
}
