//! The binary.
use brisance::engine::*;
use brisance::notation::*;
use brisance::rules::*;
use brisance::search::*;
struct L(Position);
impl Listener for L {
    fn report(&self, r: &Report) {
        println!(
            "d{} sd{} {:?} n{} nps{} {} ",
            r.depth,
            r.seldepth,
            brisance::eval::score::shown(r.value),
            r.nodes,
            r.nps(),
            san::write_line(&self.0, &r.pv).join(" ")
        );
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let p = fen::parse(&a[1], Variant::Atomic).unwrap();
    let mut e = Engine::new(Settings::default()).unwrap();
    e.set_position(p.clone());
    let l = Limits {
        move_time: Some(std::time::Duration::from_millis(a[2].parse().unwrap())),
        ..Default::default()
    };
    println!("{:?}", e.go(&l, &L(p)));
}
