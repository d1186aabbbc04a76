//! Selects the network to embed in the binary: the file named by the environment variable
//! `EVALFILE`, or `nets/brisance.nnue` by default. The path is passed to the compiler as the
//! environment variable `BRISANCE_NET`, the version as `BRISANCE_VERSION`, the name of the
//! compiler as `BRISANCE_RUSTC` and the target as `BRISANCE_TARGET`.
//! Invariant: a version with a commit is that of the source; it is left out where it is unknown.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    let default = Path::new("nets").join("brisance.nnue");
    let chosen = env::var_os("EVALFILE").filter(|name| !name.is_empty());
    let file = chosen.map_or(default, Into::into);
    println!("cargo::rerun-if-env-changed=EVALFILE");
    println!("cargo::rerun-if-changed={}", file.display());
    match file.canonicalize() {
        Ok(path) => println!("cargo::rustc-env=BRISANCE_NET={}", path.display()),
        Err(error) => {
            println!("cargo::error=cannot embed the network {}: {error}", file.display());
        }
    }
    let version = format!("{}{}", variable("CARGO_PKG_VERSION"), origin());
    println!("cargo::rustc-env=BRISANCE_VERSION={version}");
    let rustc = output(&variable("RUSTC"), &["--version"]);
    let rustc = rustc.unwrap_or_else(|| "an unknown rustc".to_owned());
    println!("cargo::rustc-env=BRISANCE_RUSTC={rustc}");
    println!("cargo::rustc-env=BRISANCE_TARGET={}", variable("TARGET"));
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

/// The commit of a release build, with `+` if the source has been changed since. A development
/// build does not name one, because it would be built again after every commit.
fn origin() -> String {
    if variable("PROFILE") != "release" {
        return " (development build)".to_owned();
    }
    // The source may be a copy in the repository of something else.
    let top = git(&["rev-parse", "--show-toplevel"]).map(|top| Path::new(&top).canonicalize());
    let here = Path::new(&variable("CARGO_MANIFEST_DIR")).canonicalize();
    match (top, here) {
        (Some(Ok(top)), Ok(here)) if top == here => {}
        _ => return String::new(),
    }
    // The log of HEAD changes with every commit and checkout.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"]);
    for path in log.iter().map(String::as_str).chain(SOURCE) {
        println!("cargo::rerun-if-changed={path}");
    }
    let status = ["status", "--porcelain", "--untracked-files=no", "--"];
    let changes = git(&[&status[..], &SOURCE].concat());
    let mark = if changes.is_some_and(|changes| !changes.is_empty()) { "+" } else { "" };
    git(&["rev-parse", "--short=10", "HEAD"])
        .map_or_else(String::new, |commit| format!(" ({commit}{mark})"))
}

/// The files that the binary is made from.
const SOURCE: [&str; 5] = ["src", "nets", "build.rs", "Cargo.toml", "Cargo.lock"];

fn git(arguments: &[&str]) -> Option<String> {
    output("git", arguments)
}

/// The trimmed output of a program that succeeds.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
