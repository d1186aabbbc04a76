//! The binary.
use brisance::rules::*;
fn main() {
    let d: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut p = Position::startpos(Variant::Atomic);
    let t = std::time::Instant::now();
    let n = perft(&mut p, d);
    let e = t.elapsed().as_secs_f64();
    println!("{n} {:.1} Mnps", n as f64 / e / 1e6);
}
