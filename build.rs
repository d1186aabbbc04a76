//! Tells the compiler which network to put into the binary: the file that the environment
//! variable `EVALFILE` names, or the repository's own.

use std::env;
use std::path::Path;

fn main() {
    let own = Path::new("nets").join("brisance.nnue");
    let chosen = env::var_os("EVALFILE").filter(|name| !name.is_empty());
    let file = chosen.map_or(own, Into::into);
    println!("cargo::rerun-if-env-changed=EVALFILE");
    println!("cargo::rerun-if-changed={}", file.display());
    match file.canonicalize() {
        Ok(path) => println!("cargo::rustc-env=BRISANCE_NET={}", path.display()),
        Err(error) => {
            println!(
                "cargo::error=no network to put into the binary: {}: {error}",
                file.display()
            );
        }
    }
}
