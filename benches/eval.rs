//! Time of one static evaluation and of its account, over the positions of the bench.

use std::hint::black_box;

use brisance::cli::bench;
use brisance::engine::Engine;
use brisance::eval::hce;
use brisance::rules::Position;
use criterion::{Criterion, criterion_group, criterion_main};

fn evaluate(criterion: &mut Criterion) {
    let engines: Vec<Engine> = bench::positions().into_iter().map(engine_at).collect();
    criterion.bench_function("evaluate, all bench positions", |bencher| {
        bencher.iter(|| {
            for engine in &engines {
                black_box(black_box(engine).evaluate());
            }
        });
    });
}

fn trace(criterion: &mut Criterion) {
    let positions = bench::positions();
    criterion.bench_function("trace, all bench positions", |bencher| {
        bencher.iter(|| {
            for pos in &positions {
                black_box(hce::trace(black_box(pos)));
            }
        });
    });
}

fn engine_at(pos: Position) -> Engine {
    let mut engine = Engine::new();
    engine.set_position(pos);
    engine
}

criterion_group!(benches, evaluate, trace);
criterion_main!(benches);
