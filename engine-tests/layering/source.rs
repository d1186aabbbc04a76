//! Which items of the crate a source file uses, found with `syn`.
//! Invariant: test code, comments and strings do not count.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, ImplItem, Item, ItemUse, UseTree, Visibility};

const PRINTING_MACROS: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];
const PRINTING_CALLS: [&str; 2] = ["stdout", "stderr"];

/// A path to an item of this crate, from the crate's root.
pub type ItemPath = Vec<String>;

/// What one source file uses.
#[derive(Default)]
pub struct SourceFile {
    /// The module that the file holds, from the crate's root; empty for `lib.rs` and `main.rs`.
    pub module: ItemPath,
    /// Items of this crate that the code names.
    pub uses: BTreeSet<ItemPath>,
    /// Names that the file imports or re-exports, and what they stand for.
    pub names: BTreeMap<String, ItemPath>,
    /// Re-exported items: they resolve names, but are no imports of their own.
    pub reexports: BTreeSet<ItemPath>,
    /// First names of all other paths: outside crates among them.
    pub outside: BTreeSet<String>,
    pub prints: BTreeSet<String>,
    /// Names of the types and traits that the file defines.
    pub types: Vec<String>,
}

impl SourceFile {
    /// Parses the file at `path` under `src/`.
    pub fn parse(path: &str, text: &str) -> SourceFile {
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
            out.push((
                [prefix.as_slice(), std::slice::from_ref(&name)].concat(),
                name,
            ));
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
