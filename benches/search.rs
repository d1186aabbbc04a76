//! Time of a search to a fixed depth with an empty table.

use brisance::engine::Engine;
use brisance::rules::{Position, Variant};
use brisance::search::{Limits, Silent};
use criterion::{Criterion, criterion_group, criterion_main};

const DEPTH: i32 = 8;

fn search(criterion: &mut Criterion) {
    let mut engine = Engine::new();
    engine.set_position(Position::startpos(Variant::Atomic));
    let limits = Limits {
        depth: Some(DEPTH),
        ..Limits::default()
    };
    let name = format!("start position, depth {DEPTH}");
    let mut group = criterion.benchmark_group("search");
    group.sample_size(10);
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            engine.clear();
            engine.control().arm(false);
            engine.go(&limits, &Silent)
        });
    });
    group.finish();
}

criterion_group!(benches, search);
criterion_main!(benches);
