//! Measures the handcrafted evaluation and the network. The network is measured at every SIMD
//! level that the processor supports, with incremental updates and with full refreshes.
//! Run with `cargo bench --bench eval`.

use std::hint::black_box;

use brisance::engine::bench;
use brisance::eval;
use brisance::eval::hce;
use brisance::eval::nnue::{AccumulatorStack, Network, SimdLevel};
use brisance::rules::{Move, Position};
use criterion::{Criterion, criterion_group, criterion_main};

fn network() -> std::sync::Arc<Network> {
    Network::embedded().expect("a usable network")
}

fn handcrafted(criterion: &mut Criterion) {
    let positions = bench::positions();
    criterion.bench_function("handcrafted, all bench positions", |bencher| {
        bencher.iter(|| {
            for pos in &positions {
                black_box(eval::evaluate(black_box(pos), None));
            }
        });
    });
    criterion.bench_function("trace, all bench positions", |bencher| {
        bencher.iter(|| {
            for pos in &positions {
                black_box(hce::trace(black_box(pos)));
            }
        });
    });
}

/// Makes, evaluates and unmakes every legal move of every position: one accumulator update and
/// one forward pass per move.
fn incremental_updates(criterion: &mut Criterion) {
    let net = network();
    let mut positions: Vec<(Position, Vec<Move>)> = Vec::new();
    for pos in bench::positions() {
        let moves = pos.legal_moves().into_iter().collect();
        positions.push((pos, moves));
    }
    let count: usize = positions.iter().map(|(_, moves)| moves.len()).sum();
    for &level in SimdLevel::supported() {
        let name = format!("network, {count} moves, {}", level.name());
        let mut accumulators = AccumulatorStack::new(level);
        criterion.bench_function(&name, |bencher| {
            bencher.iter(|| {
                for (pos, moves) in &mut positions {
                    accumulators.reset(pos);
                    black_box(accumulators.evaluate(&net, pos));
                    for &mv in moves.iter() {
                        pos.make(mv);
                        accumulators.invalidate(pos);
                        black_box(accumulators.evaluate(&net, pos));
                        pos.unmake();
                    }
                }
            });
        });
    }
}

fn refreshes(criterion: &mut Criterion) {
    let net = network();
    let positions = bench::positions();
    for &level in SimdLevel::supported() {
        let name = format!("network, refresh, all bench positions, {}", level.name());
        let mut accumulators = AccumulatorStack::new(level);
        criterion.bench_function(&name, |bencher| {
            bencher.iter(|| {
                for pos in &positions {
                    accumulators.reset(pos);
                    black_box(accumulators.evaluate(&net, black_box(pos)));
                }
            });
        });
    }
}

criterion_group!(benches, handcrafted, incremental_updates, refreshes);
criterion_main!(benches);
