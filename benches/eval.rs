//! Time of one static evaluation, handcrafted and by the network, and of the network's two
//! kinds of work on each kind of processor: a fresh start and the moves of a search.

use std::hint::black_box;

use brisance::cli::bench;
use brisance::eval;
use brisance::eval::hce;
use brisance::eval::nnue::{Accumulators, Network, Path};
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

/// Every legal move of every position made, evaluated and taken back: one update and one
/// output for each.
fn moves(criterion: &mut Criterion) {
    let net = network();
    let mut positions: Vec<(Position, Vec<Move>)> = Vec::new();
    for pos in bench::positions() {
        let moves = pos.legal_moves().into_iter().collect();
        positions.push((pos, moves));
    }
    let count: usize = positions.iter().map(|(_, moves)| moves.len()).sum();
    for &path in Path::all() {
        let name = format!("network, {count} moves, {}", path.name());
        let mut accumulators = Accumulators::new(path);
        criterion.bench_function(&name, |bencher| {
            bencher.iter(|| {
                for (pos, moves) in &mut positions {
                    accumulators.reset(&net, pos);
                    black_box(accumulators.evaluate(&net, pos));
                    for &mv in moves.iter() {
                        pos.make(mv);
                        accumulators.forget(pos);
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
    for &path in Path::all() {
        let name = format!("network, all bench positions from nothing, {}", path.name());
        let mut accumulators = Accumulators::new(path);
        criterion.bench_function(&name, |bencher| {
            bencher.iter(|| {
                for pos in &positions {
                    accumulators.reset(&net, pos);
                    black_box(accumulators.evaluate(&net, black_box(pos)));
                }
            });
        });
    }
}

criterion_group!(benches, handcrafted, moves, refreshes);
criterion_main!(benches);
