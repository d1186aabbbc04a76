//! The structure of `src/`: imports follow the layers of `docs/architecture.md`, no files import
//! each other in a circle, only some modules print, and outside crates stay where they belong.
//! Test code does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, ImplItem, Item, ItemUse, UseTree, Visibility};

/// Modules that may print.
const PRINTERS: [&str; 3] = ["main", "cli", "uci"];

/// Crates that only the files with these beginnings may name.
const CONFINED: [(&str, &[&str]); 3] = [
    ("shakmaty", &["tablebase", "opening/key.rs"]),
    (
        "vampirc_uci",
        &[
            "uci/parse.rs",
            "uci/go.rs",
            "uci/format.rs",
            "engine/options.rs",
        ],
    ),
    ("pgn_reader", &["arena/pgn.rs", "notation/pgn"]),
];

const PRINTING_MACROS: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];
const PRINTING_CALLS: [&str; 2] = ["stdout", "stderr"];

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

/// A path to an item of this crate, from the crate's root.
type ItemPath = Vec<String>;

/// What one source file uses.
#[derive(Default)]
struct SourceFile {
    /// The module that the file holds, from the crate's root; empty for `lib.rs` and `main.rs`.
    module: ItemPath,
    /// Items of this crate that the code names.
    uses: BTreeSet<ItemPath>,
    /// Names that the file imports or re-exports, and what they stand for.
    names: BTreeMap<String, ItemPath>,
    /// Re-exported items: they resolve names, but are no imports of their own.
    reexports: BTreeSet<ItemPath>,
    /// First names of all other paths: outside crates among them.
    outside: BTreeSet<String>,
    prints: BTreeSet<String>,
}

impl SourceFile {
    /// Parses the file at `path` under `src/`.
    fn parse(path: &str, text: &str) -> SourceFile {
        let mut file = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
        WithoutTests.visit_file_mut(&mut file);
        let mut source = SourceFile {
            module: module_of(path),
            ..SourceFile::default()
        };
        source.visit_file(&file);
        let mut tokens = Vec::new();
        flatten(file.to_token_stream(), &mut tokens);
        source.scan(&tokens);
        source
    }

    /// An absolute path, or `None` when it leads out of the crate.
    fn absolute(&self, path: &[String]) -> Option<ItemPath> {
        let mut base = self.module.clone();
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" | "brisance" => (base, rest) = (Vec::new(), &rest[1..]),
            "self" => rest = &rest[1..],
            "super" => {
                while let Some(("super", after)) = rest.split_first().map(|(s, r)| (s.as_str(), r))
                {
                    base.pop();
                    rest = after;
                }
            }
            _ => return None,
        }
        base.extend(rest.iter().cloned());
        Some(base)
    }

    /// Records every path in the code that is no `use` item, those inside macros included.
    fn scan(&mut self, tokens: &[String]) {
        let mut at = 0;
        while at < tokens.len() {
            let word = &tokens[at];
            if word == "use" || tokens[..at].ends_with(&["pub", "(", "in"].map(String::from)) {
                // `use` items are visited by syn; a visibility is no import.
                at += 1;
                while at < tokens.len() && tokens[at] != ";" && tokens[at] != ")" {
                    at += 1;
                }
                continue;
            }
            if PRINTING_MACROS.contains(&word.as_str()) && is(tokens, at + 1, "!") {
                self.prints.insert(format!("{word}!"));
            }
            let mut path = vec![word.clone()];
            while is(tokens, at + 1, ":")
                && is(tokens, at + 2, ":")
                && tokens.get(at + 3).is_some_and(|t| is_name(t))
            {
                at += 3;
                path.push(tokens[at].clone());
            }
            let last = tokens[at].as_str();
            if PRINTING_CALLS.contains(&last) && is(tokens, at + 1, "(") && is(tokens, at + 2, ")")
            {
                self.prints.insert(format!("{last}()"));
            }
            at += 1;
            if path.len() > 1 && is_name(&path[0]) {
                match self.absolute(&path) {
                    Some(path) => drop(self.uses.insert(path)),
                    None => {
                        self.outside.insert(path[0].clone());
                        // It may begin with a child module.
                        let child = self.module.iter().cloned().chain(path).collect();
                        self.uses.insert(child);
                    }
                }
            }
        }
    }
}

impl<'a> Visit<'a> for SourceFile {
    fn visit_item_use(&mut self, item: &'a ItemUse) {
        let mut leaves = Vec::new();
        flatten_use(&item.tree, &mut Vec::new(), &mut leaves);
        let reexport = !matches!(item.vis, Visibility::Inherited);
        for (path, name) in leaves {
            let known = self.absolute(&path);
            if known.is_none() {
                self.outside.insert(path[0].clone());
            }
            // Without a keyword in front the path begins with a child module or a crate.
            let path = known.unwrap_or_else(|| self.module.iter().cloned().chain(path).collect());
            self.names.insert(name, path.clone());
            if reexport {
                self.reexports.insert(path);
            } else {
                self.uses.insert(path);
            }
        }
        visit::visit_item_use(self, item);
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

/// Removes what is compiled for tests only.
struct WithoutTests;

impl VisitMut for WithoutTests {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        file.items.retain(|item| !is_test(attributes(item)));
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_mod_mut(&mut self, module: &mut syn::ItemMod) {
        if let Some((_, items)) = &mut module.content {
            items.retain(|item| !is_test(attributes(item)));
        }
        visit_mut::visit_item_mod_mut(self, module);
    }

    fn visit_item_impl_mut(&mut self, item: &mut syn::ItemImpl) {
        item.items.retain(|item| match item {
            ImplItem::Fn(function) => !is_test(&function.attrs),
            ImplItem::Const(constant) => !is_test(&constant.attrs),
            _ => true,
        });
        visit_mut::visit_item_impl_mut(self, item);
    }

    /// Doc comments are attributes; what they say is no code.
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.retain(|attribute| !attribute.path().is_ident("doc"));
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = attribute.meta.to_token_stream().to_string();
        text == "test" || text.starts_with("cfg (test") || text.starts_with("cfg (all (test")
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The module that a file under `src/` holds.
fn module_of(path: &str) -> ItemPath {
    let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
    if ["lib", "main"].contains(&path) {
        return Vec::new();
    }
    path.split('/').map(str::to_owned).collect()
}

fn flatten(tokens: TokenStream, out: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                out.push(open.to_owned());
                flatten(group.stream(), out);
                out.push(close.to_owned());
            }
            TokenTree::Literal(_) => out.push("0".to_owned()),
            other => out.push(other.to_string()),
        }
    }
}

fn is(tokens: &[String], at: usize, text: &str) -> bool {
    tokens.get(at).is_some_and(|token| token == text)
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The full path of each leaf of a `use` tree, and the name by which the file knows it.
fn flatten_use(tree: &UseTree, prefix: &mut ItemPath, out: &mut Vec<(ItemPath, String)>) {
    match tree {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            flatten_use(&path.tree, prefix, out);
            prefix.pop();
        }
        UseTree::Name(name) if name.ident == "self" => {
            out.push((prefix.clone(), prefix.last().cloned().unwrap_or_default()));
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            out.push(([prefix.as_slice(), &[name.clone()]].concat(), name));
        }
        UseTree::Rename(rename) => {
            let path = [prefix.as_slice(), &[rename.ident.to_string()]].concat();
            out.push((path, rename.rename.to_string()));
        }
        UseTree::Glob(_) => out.push((prefix.clone(), "*".to_owned())),
        UseTree::Group(group) => {
            group
                .items
                .iter()
                .for_each(|tree| flatten_use(tree, prefix, out));
        }
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
            source.file_of_module(&[module.clone()]).is_some(),
            "no module {module}"
        );
    }
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
