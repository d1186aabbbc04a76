//! Measures a search to a fixed depth from the start position with an empty transposition
//! table. Run with `cargo bench --bench search`.

use brisance::engine::Engine;
use brisance::rules::{Position, Variant};
use brisance::search::{Limits, NullListener};
use criterion::{Criterion, criterion_group, criterion_main};

const DEPTH: i32 = 8;

fn search(criterion: &mut Criterion) {
    let mut engine = Engine::new();
    engine.set_position(Position::startpos(Variant::Atomic));
    let limits = Limits { depth: Some(DEPTH), ..Limits::default() };
    let name = format!("start position, depth {DEPTH}");
    let mut group = criterion.benchmark_group("search");
    group.sample_size(10);
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            engine.clear();
            engine.go(&limits, &NullListener)
        });
    });
    group.finish();
}

criterion_group!(benches, search);
criterion_main!(benches);
