//! The structure of `src/`: imports follow the layers of `docs/architecture.md`, no files import
//! each other in a circle, and outside crates stay where they belong. Test code does not count.
//! That only some modules print is a lint of clippy.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Item, ItemMod, ItemUse, Macro, Token, UseTree, Visibility};

use crate::repository::{read, root};
use crate::table::rows;

/// Crates that only the files with these beginnings may name.
const CONFINED: [(&str, &str); 2] = [
    ("shakmaty", "tablebase opening/key.rs"),
    ("vampirc_uci", "uci/parse.rs uci/go.rs uci/moves.rs uci/search.rs uci/format.rs"),
];

/// A path to an item, from the root of the crate: `rules::Move`.
type ItemPath = Vec<String>;

/// What a file under `src/` uses.
#[derive(Default)]
struct SourceFile {
    /// The module of the file, empty for `lib.rs` and `main.rs`.
    module: ItemPath,
    /// The items that the code names, re-exports apart.
    uses: BTreeSet<ItemPath>,
    reexports: BTreeSet<ItemPath>,
    /// Names that the file imports or re-exports, and what they stand for.
    names: BTreeMap<String, ItemPath>,
    /// The first names of paths that may lead out of the crate.
    outside: BTreeSet<String>,
    /// The types and traits that the file defines.
    types: Vec<String>,
}

impl SourceFile {
    fn parse(path: &str, text: &str) -> SourceFile {
        let module = path.trim_end_matches(".rs").trim_end_matches("/mod");
        let mut file = SourceFile::default();
        if !["lib", "main"].contains(&module) {
            file.module = module.split('/').map(str::to_owned).collect();
        }
        let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
        file.visit_file(&parsed);
        file
    }

    /// The path from the root. Without a keyword in front it begins with a child module or a crate.
    fn absolute(&mut self, path: &[String]) -> ItemPath {
        let mut base = self.module.clone();
        let mut rest = path;
        match rest.first().map(String::as_str) {
            Some("crate" | "brisance") => (base, rest) = (vec![], &rest[1..]),
            Some("self" | "super") => {
                while let Some((first, after)) = rest.split_first() {
                    match first.as_str() {
                        "super" => drop(base.pop()),
                        "self" => {}
                        _ => break,
                    }
                    rest = after;
                }
            }
            first => self.outside.extend(first.map(str::to_owned)),
        }
        base.extend_from_slice(rest);
        base
    }

    /// Records the leaves of a `use` tree.
    fn add_use(&mut self, tree: &UseTree, mut path: ItemPath, is_reexport: bool) {
        let name = match tree {
            UseTree::Path(part) => {
                path.push(part.ident.to_string());
                return self.add_use(&part.tree, path, is_reexport);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_use(tree, path.clone(), is_reexport);
                }
                return;
            }
            UseTree::Name(name) if name.ident == "self" => path.last().cloned().unwrap_or_default(),
            UseTree::Name(name) => {
                path.push(name.ident.to_string());
                name.ident.to_string()
            }
            UseTree::Rename(rename) => {
                path.push(rename.ident.to_string());
                rename.rename.to_string()
            }
            UseTree::Glob(_) => "*".to_owned(),
        };
        let path = self.absolute(&path);
        self.names.insert(name, path.clone());
        let list = if is_reexport { &mut self.reexports } else { &mut self.uses };
        list.insert(path);
    }
}

impl<'a> Visit<'a> for SourceFile {
    fn visit_item_mod(&mut self, module: &'a ItemMod) {
        let is_test = |attribute: &Attribute| {
            let list = attribute.meta.require_list();
            let condition = list.map_or(String::new(), |list| list.tokens.to_string());
            condition.starts_with("test") || condition.starts_with("all (test")
        };
        if !module.attrs.iter().any(is_test) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item(&mut self, item: &'a Item) {
        let name = match item {
            Item::Enum(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            _ => None,
        };
        self.types.extend(name.map(ToString::to_string));
        visit::visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        let is_reexport = !matches!(item.vis, Visibility::Inherited);
        self.add_use(&item.tree, vec![], is_reexport);
    }

    /// The path in `pub(in path)` is no import.
    fn visit_visibility(&mut self, _: &'a Visibility) {}

    fn visit_path(&mut self, path: &'a syn::Path) {
        if path.segments.len() > 1 {
            let names = path.segments.iter().map(|part| part.ident.to_string());
            let path = self.absolute(&names.collect::<Vec<_>>());
            self.uses.insert(path);
        }
        visit::visit_path(self, path);
    }

    /// The arguments of `assert!` and others are expressions.
    fn visit_macro(&mut self, call: &'a Macro) {
        let arguments = call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
        for argument in arguments.into_iter().flatten() {
            SourceFile::visit_expr(self, &argument);
        }
        visit::visit_macro(self, call);
    }
}

/// The modules of the block that begins with `layers` in the architecture page, each with its row from
/// the top; a module may import only modules of later rows.
fn layers() -> BTreeMap<String, usize> {
    let page = read("docs/architecture.md");
    let (_, block) = page.split_once("```layers\n").expect("a block of layers");
    let (block, _) = block.split_once("```").expect("the end of the block");
    let rows = block.lines().enumerate().flat_map(|(row, line)| {
        let names = line.split_whitespace();
        names.map(move |name| (name.to_owned(), row))
    });
    rows.collect()
}

/// All files of the crate by their path under `src/`.
struct Crate(BTreeMap<String, SourceFile>);

impl Crate {
    fn read() -> Crate {
        let source = root().join("src");
        let mut files = BTreeMap::new();
        for path in rust_files(&source) {
            let name = path.strip_prefix(&source).expect("under src");
            let name = name.to_string_lossy().replace('\\', "/");
            if !name.ends_with("tests.rs") {
                let text = fs::read_to_string(path).expect("readable source");
                files.insert(name.clone(), SourceFile::parse(&name, &text));
            }
        }
        assert!(files.len() >= 100, "only {} files", files.len());
        Crate(files)
    }

    fn file_of_module(&self, module: &[String]) -> Option<&String> {
        let mut files = self.0.iter().filter(|(name, _)| *name != "main.rs");
        files.find(|(_, file)| file.module == module).map(|(name, _)| name)
    }

    /// The file that defines the item at a path, looking through re-exports.
    fn definition(&self, path: &[String], depth: usize) -> Option<&String> {
        let mut file = self.file_of_module(&[])?;
        for (at, name) in path.iter().enumerate() {
            if let Some(inner) = self.file_of_module(&path[..=at]) {
                file = inner;
                continue;
            }
            if let Some(target) = self.0[file].names.get(name).filter(|_| depth > 0) {
                let target = [target, &path[at + 1..]].concat();
                return self.definition(&target, depth - 1).or(Some(file));
            }
            break;
        }
        Some(file)
    }

    /// The files that each file imports from.
    fn imports(&self) -> BTreeMap<&String, BTreeSet<&String>> {
        let targets = |name: &String, file: &SourceFile| {
            let used = file.uses.iter().filter_map(|path| self.definition(path, 8));
            used.filter(|used| *used != name && *used != "lib.rs").collect()
        };
        let files = self.0.iter();
        files.map(|(name, file)| (name, targets(name, file))).collect()
    }

    /// The files that import each other in circles, and those in between. Files that import none of the
    /// rest, or that none of the rest imports, are left out one after the other.
    fn circles(&self) -> Vec<&String> {
        let mut graph = self.imports();
        loop {
            let count = graph.len();
            let imported: BTreeSet<&String> = graph.values().flatten().copied().collect();
            let names: BTreeSet<&String> = graph.keys().copied().collect();
            graph.retain(|name, used| imported.contains(name) && !used.is_disjoint(&names));
            if graph.len() == count {
                return graph.into_keys().collect();
            }
        }
    }

    /// What the file `name` breaks: imports against the layers, confined crates.
    fn violations(&self, layers: &BTreeMap<String, usize>, name: &str) -> Vec<String> {
        let file = &self.0[name];
        let module = name.split(['/', '.']).next().expect("a name");
        let mut found = Vec::new();
        // The root of the library only lists the modules.
        if module != "lib" {
            let used = file.uses.iter().chain(&file.reexports);
            let used: BTreeSet<&String> = used.filter_map(|path| path.first()).collect();
            for used in used {
                let rows = layers.get(module).zip(layers.get(used));
                let is_allowed = module == used || rows.is_some_and(|(from, to)| from < to);
                let is_module = self.file_of_module(std::slice::from_ref(used)).is_some();
                if is_module && !is_allowed {
                    found.push(format!("{name}: {module} may not import {used}"));
                }
            }
        }
        for (outside, homes) in CONFINED {
            let is_home = homes.split(' ').any(|home| name.starts_with(home));
            if file.outside.contains(outside) && !is_home {
                found.push(format!("{name}: names the crate {outside}"));
            }
        }
        found
    }
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the source is there");
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    let files = paths.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] });
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    files.filter(is_rust).collect()
}

#[test]
fn imports_follow_the_layers() {
    let (source, layers) = (Crate::read(), layers());
    let names = source.0.keys();
    let found: Vec<String> = names.flat_map(|name| source.violations(&layers, name)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    for module in layers.keys().filter(|module| *module != "main") {
        let file = source.file_of_module(std::slice::from_ref(module));
        assert!(file.is_some(), "no module {module}");
    }
    assert_eq!(source.circles(), [""; 0], "files in circles of imports");
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, file) in source.0 {
        for type_name in file.types {
            files.entry(type_name).or_default().push(name.clone());
        }
    }
    files.retain(|_, files| files.len() > 1);
    assert!(files.is_empty(), "types with one name: {files:#?}");
}

/// A small crate with one file more: `text` at `path`.
fn example(path: &str, text: &str) -> Crate {
    let table = "
        rules/mod.rs   | mod moves; pub use moves::Move; pub struct Position;
        rules/moves.rs | pub struct Move;
        eval/mod.rs    | pub mod score;
        eval/score.rs  | pub type Value = i32;
        search/mod.rs  | mod node; pub use node::search;
        search/node.rs | pub fn search() {}
        engine/mod.rs  | pub struct Engine;
        uci/mod.rs     |
        cli/mod.rs     |
        stray/mod.rs   |
        lib.rs         | pub mod rules;";
    let texts = rows(table).into_iter().filter(|[name, _]| *name != path);
    let texts = texts.chain([[path, text]]);
    let files = texts.map(|[name, text]| (name.to_owned(), SourceFile::parse(name, text)));
    Crate(files.collect())
}

#[test]
fn wrong_imports_are_found() {
    // The file, its text, and the number of things that are wrong in it.
    let table = r#"
        rules/perft.rs         | use crate::eval::score;                              | 1
        rules/perft.rs         | fn f() { crate::search::search() }                   | 1
        rules/perft.rs         | fn f() { assert!(crate::search::search()) }          | 1
        rules/attacks/magic.rs | use super::super::super::eval::score;                | 1
        rules/mod.rs           | use super::engine::Engine;                           | 1
        eval/hce.rs            | use crate::{rules::Position, search::search};        | 1
        eval/hce.rs            | use crate::{rules::{Move, Position}, eval::score, uci}; | 1
        eval/hce.rs            | fn f() { use crate::uci; }                           | 1
        eval/mod.rs            | pub use crate::engine::Engine;                       | 1
        search/mod.rs          | use crate::engine::Engine;                           | 1
        uci/mod.rs             | use crate::cli::Bench;                               | 1
        rules/mod.rs           | use crate::stray::Thing;                             | 1
        stray/mod.rs           | use crate::rules::Move;                              | 1
        rules/mod.rs           | #[cfg(test)] mod tests { use super::*; } use crate::eval::score; | 1
        notation.rs            | use shakmaty::fen::Fen;                              | 1
        opening/book.rs        | fn f() { shakmaty::zobrist::hash() }                 | 1
        uci/mod.rs             | use vampirc_uci::UciMessage;                         | 1
        main.rs                | use brisance::cli;                                   | 0
        lib.rs                 | pub mod search; pub use crate::engine::Engine;       | 0
        cli/bench.rs           | use crate::{engine::Engine, uci, rules::Move};       | 0
        uci/parse.rs           | use vampirc_uci::UciMessage; use crate::engine::Engine; | 0
        tablebase/probe.rs     | use shakmaty::variant::Atomic; use crate::rules::Position; | 0
        search/node.rs         | use super::stack::Frame; use crate::{eval::score, rules}; | 0
        eval/simd/avx2.rs      | use super::super::score; use crate::rules::Move;     | 0
        rules/make.rs          | use super::Position; pub(in crate::rules) fn f() {}  | 0
        rules/mod.rs           | /* crate::uci */ const A: &str = "crate::search";    | 0
        rules/mod.rs           | #[cfg(test)] mod tests { use crate::eval; }          | 0
        search/mod.rs          | fn shakmaty_like() {}                                | 0"#;
    for [path, text, count] in rows(table) {
        let found = example(path, text).violations(&layers(), path);
        assert_eq!(found.len().to_string(), count, "{path}: {text}: {found:?}");
    }
}

#[test]
fn circles_are_found_through_re_exports() {
    // `eval/score.rs` uses a type that `rules/mod.rs` re-exports from `rules/moves.rs`.
    let import = "use crate::rules::Move;";
    assert_eq!(example("eval/score.rs", import).circles(), [""; 0]);
    let text = "use crate::eval::score::Value; pub struct Move;";
    let mut texts = example("rules/moves.rs", text);
    let score = SourceFile::parse("eval/score.rs", import);
    texts.0.insert("eval/score.rs".to_owned(), score);
    assert_eq!(texts.circles(), ["eval/score.rs", "rules/moves.rs"]);
    let own = example("search/node.rs", "use super::search; pub fn search() {}");
    assert_eq!(own.circles(), [""; 0]);
}
