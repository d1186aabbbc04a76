//! The binary: speaks UCI.

use std::process::ExitCode;

fn main() -> ExitCode {
    brisance::uci::run(brisance::uci::Extensions::default())
}
