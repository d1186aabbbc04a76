//! The files around the program: links and paths in the pages, also of the packages, the metadata,
//! and the help of the scripts. The packed crate has no scripts, so nothing is checked in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::folder::Folder;

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn is_packed() -> bool {
    !root().join("scripts/release").exists()
}

/// The text of a file of the repository.
pub fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files in a folder whose names end as given, by their path from the root.
fn files(folder: &str, end: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).expect("the folder");
    let names = entries.map(|entry| entry.expect("readable").file_name());
    let names = names.map(|name| name.into_string().expect("UTF-8"));
    let paths = names.map(|name| format!("{folder}/{name}"));
    let paths = paths.map(|path| path.trim_start_matches('/').to_owned());
    let is_named = |path: &String| path.ends_with(end) && root().join(path).is_file();
    let mut paths: Vec<String> = paths.filter(is_named).collect();
    paths.sort();
    paths
}

/// The links of a page, without those on the web: the file, empty for the page itself, and the
/// heading.
fn links(page: &str) -> Vec<(String, String)> {
    let text = read(page);
    let targets = text.split("](").skip(1);
    let targets = targets.filter_map(|rest| rest.split(')').next());
    let targets = targets.filter(|target| !target.contains("://"));
    let parts = targets.map(|target| target.split_once('#').unwrap_or((target, "")));
    parts.map(|(file, heading)| (file.to_owned(), heading.to_owned())).collect()
}

/// The anchors of the headings of a page, as forges make them.
fn anchors(page: &str) -> Vec<String> {
    let text = read(page).to_lowercase();
    let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
    let headings = headings.map(|heading| heading.trim_start_matches('#').trim().replace(' ', "-"));
    let letter = |letter: &char| letter.is_alphanumeric() || "-_".contains(*letter);
    headings.map(|heading| heading.chars().filter(letter).collect()).collect()
}

/// The paths of the repository that a page names in its text and its commands.
fn paths(page: &str) -> Vec<String> {
    const FOLDERS: &str =
        ".ci .github benches book docs engine-tests examples fuzz nets scripts src web";
    let text = read(page);
    let words = text.split(|letter: char| !letter.is_alphanumeric() && !"_./-…".contains(letter));
    let words = words.map(|word| word.trim_end_matches(['.', '/']));
    let in_folder = |word: &&str| match word.split_once('/') {
        Some((folder, _)) => FOLDERS.split(' ').any(|name| name == folder),
        None => false,
    };
    words.filter(in_folder).map(str::to_owned).collect()
}

/// A path from the root without `..`, as seen from a page.
fn resolve(page: &str, target: &str) -> String {
    if target.is_empty() {
        return page.to_owned();
    }
    let mut path = PathBuf::from(page);
    path.pop();
    for part in target.split('/') {
        match part {
            ".." => assert!(path.pop(), "{page}: {target} leaves the package"),
            part => path.push(part),
        }
    }
    path.to_str().expect("UTF-8").to_owned()
}

/// The files of the Debian package that are in the repository, by source and destination. The
/// archives have the same files, under the names of their sources.
fn packaged() -> Vec<(String, String)> {
    let manifest = read("Cargo.toml");
    let (_, rest) = manifest.split_once("\nassets = [\n").expect("the assets");
    let (rows, _) = rest.split_once("\n]").expect("their end");
    let mut found = Vec::new();
    for row in rows.lines().map(|row| row.trim().trim_end_matches(',')) {
        if row.starts_with('#') {
            continue;
        }
        let row: [String; 3] = serde_json::from_str(row).expect("source, folder, mode");
        let [source, folder, _] = row;
        let sources = match source.split_once('*') {
            _ if source.starts_with("target/") => continue,
            Some((start, end)) => files(start.trim_end_matches('/'), end),
            None => vec![source],
        };
        for source in sources {
            assert!(root().join(&source).is_file(), "{source} does not exist");
            let name = source.rsplit('/').next().expect("a name");
            found.push((source.clone(), format!("{folder}{name}")));
        }
    }
    found
}

/// The dead links of the pages of a package, whose files have these names.
fn dead_links(pages: &[(String, String)], name_of: impl Fn(&(String, String)) -> String) -> String {
    let names: BTreeSet<String> = pages.iter().map(&name_of).collect();
    let mut dead = String::new();
    for page in pages.iter().filter(|page| page.0.ends_with(".md")) {
        let name = name_of(page);
        for (target, _) in links(&page.0) {
            if !names.contains(&resolve(&name, &target)) {
                dead.push_str(&format!("{name}: {target}\n"));
            }
        }
    }
    dead
}

#[test]
fn no_link_in_a_package_is_dead() {
    if is_packed() {
        return;
    }
    let pages = packaged();
    assert!(pages.len() > 30, "{pages:?}");
    let in_archives = dead_links(&pages, |page| page.0.clone());
    let in_deb = dead_links(&pages, |page| page.1.clone());
    assert_eq!([in_archives, in_deb], ["", ""]);
    for needed in ["brisance.bin", "refutations.bin", "openings.epd"] {
        let needed = format!("book/{needed}");
        assert!(pages.iter().any(|(source, _)| *source == needed), "{needed}");
    }
    // A page that is left out is noticed.
    let mut fewer = pages;
    fewer.retain(|(source, _)| source != "CONTRIBUTING.md");
    assert!(dead_links(&fewer, |page| page.0.clone()).contains("CONTRIBUTING.md"));
}

#[test]
fn no_link_or_path_in_the_repository_is_dead() {
    if is_packed() {
        return;
    }
    // The build makes it.
    const MADE: &str = "web/npm/brisance.wasm";
    let folders = "book docs nets scripts scripts/packages web web/npm".split(' ');
    let folders = folders.chain([""]);
    let mut dead = String::new();
    for page in folders.flat_map(|folder| files(folder, ".md")) {
        for (target, heading) in links(&page) {
            let file = resolve(&page, &target);
            let exists = root().join(&file).exists();
            if !exists || !heading.is_empty() && !anchors(&file).contains(&heading) {
                dead.push_str(&format!("{page}: {target}#{heading}\n"));
            }
        }
        for path in paths(&page).iter().filter(|path| *path != MADE) {
            let exists = |path: &str| root().join(path).exists();
            if !exists(path) && !exists(&resolve(&page, path)) {
                dead.push_str(&format!("{page}: {path}\n"));
            }
        }
    }
    assert!(dead.is_empty(), "{dead}");
}

#[test]
fn the_metadata_are_the_same_everywhere() {
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const LICENCE: &str = env!("CARGO_PKG_LICENSE");
    const ADDRESS: &str = env!("CARGO_PKG_REPOSITORY");
    if is_packed() {
        return;
    }
    let json = |path| serde_json::from_str::<Value>(&read(path)).expect("JSON");
    let [package, lock] = ["web/npm/package.json", "web/npm/package-lock.json"].map(json);
    let pairs = [
        (&package["version"], VERSION.to_owned()),
        (&lock["version"], VERSION.to_owned()),
        (&lock["packages"][""]["version"], VERSION.to_owned()),
        (&package["license"], LICENCE.to_owned()),
        (&package["homepage"], ADDRESS.to_owned()),
        (&package["repository"]["url"], format!("git+{ADDRESS}.git")),
        (&package["bugs"], format!("{ADDRESS}/issues")),
    ];
    for (found, expected) in pairs {
        assert_eq!(*found, expected);
    }
    let citation = read("CITATION.cff");
    let address = format!("repository-code: \"{ADDRESS}\"");
    for line in [format!("version: {VERSION}"), format!("license: {LICENCE}"), address] {
        let is_there = citation.lines().any(|found| found == line);
        assert!(is_there, "CITATION.cff: {line}");
    }
    let changes = read("CHANGELOG.md");
    let newest = changes.lines().find_map(|line| line.strip_prefix("## "));
    let newest = newest.expect("a release");
    let is_this = newest.starts_with(VERSION) || newest.ends_with("(unreleased)");
    assert!(is_this, "{newest}");
}

#[test]
fn every_page_is_listed() {
    if is_packed() {
        return;
    }
    let list = links("docs/README.md");
    for page in files("docs", ".md") {
        let name = page.trim_start_matches("docs/");
        let listed = name == "README.md" || list.iter().any(|(target, _)| target == name);
        assert!(listed, "{page} is not in docs/README.md");
    }
}

/// The scripts that a person may call. Modules of others and what GUIs load are left out.
fn scripts() -> Vec<String> {
    const MODULES: [&str; 4] = ["environment.py", "screen.py", "jobs.py", "shards.py"];
    let folders = "scripts scripts/clients scripts/cluster scripts/platforms scripts/train \
                   scripts/wdl .ci";
    let folders = folders.split(' ');
    let mut found: Vec<String> = folders.flat_map(|folder| files(folder, "")).collect();
    found.push("web/build".to_owned());
    let is_script = |path: &String| {
        let first = fs::read(root().join(path)).unwrap_or_default();
        let is_module = MODULES.iter().any(|name| path.ends_with(name));
        (first.starts_with(b"#!") || path.ends_with(".py")) && !is_module
    };
    found.retain(is_script);
    found
}

/// `--help` of every script, with programs in the path that fail: nothing is built or installed.
#[test]
#[cfg(unix)]
fn every_script_has_a_help() {
    use std::os::unix::fs::PermissionsExt;

    let mut python = Command::new("python3");
    let status = python.arg("--version").stdout(Stdio::null()).status();
    if is_packed() || !status.is_ok_and(|status| status.success()) {
        return;
    }
    let scripts = scripts();
    assert!(scripts.len() > 30, "{scripts:?}");
    let folder = Folder::new();
    for name in ["cargo", "rustup", "npm", "pip", "apt-get", "git"] {
        let path = folder.write(name, "#!/bin/sh\necho \"called $0\"; exit 99\n");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", folder.at(""));
    let start = |script: String| {
        let is_python = script.ends_with(".py");
        let child = Command::new(if is_python { "python3" } else { "env" })
            .arg(root().join(&script))
            .arg("--help")
            .current_dir(root())
            .env("PATH", &path)
            .env("CARGO_TARGET_DIR", folder.path(""))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        (script, child.expect("an interpreter"))
    };
    // All at once.
    let children: Vec<_> = scripts.into_iter().map(start).collect();
    let mut failed = String::new();
    for (script, child) in children {
        let output = child.wait_with_output().expect("the end of a script");
        let text =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        let is_help = output.stdout.len() > 60 && !text.contains("installing");
        if !output.status.success() || !is_help || text.contains("called ") {
            failed.push_str(&format!("{script}: {:?}\n{text}\n", output.status.code()));
        }
    }
    assert!(failed.is_empty(), "{failed}");
}

/// A Python script whose reader goes away, as in `… | head`, ends without a traceback.
#[test]
#[cfg(unix)]
fn a_closed_pipe_gives_no_traceback() {
    if is_packed() {
        return;
    }
    let clients = root().join("scripts/clients");
    let text = "import environment\nfor n in range(100000): print(n)";
    let child = Command::new("python3")
        .args(["-c", text])
        .env("PYTHONPATH", clients)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else { return };
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the end of the script");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
