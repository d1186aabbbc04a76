//! Selects the network to embed in the binary: the file named by the environment variable
//! `EVALFILE`, or `nets/brisance.nnue` by default. The path is passed to the compiler as the
//! environment variable `BRISANCE_NET`.

use std::env;
use std::path::Path;

fn main() {
    let default = Path::new("nets").join("brisance.nnue");
    let chosen = env::var_os("EVALFILE").filter(|name| !name.is_empty());
    let file = chosen.map_or(default, Into::into);
    println!("cargo::rerun-if-env-changed=EVALFILE");
    println!("cargo::rerun-if-changed={}", file.display());
    match file.canonicalize() {
        Ok(path) => println!("cargo::rustc-env=BRISANCE_NET={}", path.display()),
        Err(error) => {
            println!(
                "cargo::error=cannot embed the network {}: {error}",
                file.display()
            );
        }
    }
}
