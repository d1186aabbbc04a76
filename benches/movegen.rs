//! Measures move generation, make/unmake and perft; perft is also measured with shakmaty.
//! Run with `cargo bench --bench movegen`; compare only results of the same run.

use std::hint::black_box;

use brisance::notation::fen;
use brisance::rules::{Move, Position, Variant, perft};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

/// Openings, middlegames, endgames, checks, touching kings and Chess960 castling.
const POSITIONS: [&str; 10] = [
    fen::STARTPOS,
    "rn2kb1r/1pp1p2p/p2q1pp1/3P4/2P3b1/4PN2/PP3PPP/R2QKB1R b KQkq - 0 1",
    "rn1qkb1r/p5pp/2p5/3p4/N3P3/5P2/PPP4P/R1BQK3 w Qkq - 0 1",
    "7r/2N2k1p/p1n3pb/3p1p2/6Pq/1PP1P3/P4P1P/R1BK1B1R w - - 3 17",
    "r3k1nr/ppp2ppp/8/8/P3q3/1n1b1P2/RPPb2PP/1NBQKBNR w Kkq - 1 18",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "5r2/8/4k1N1/4K2p/7P/p7/8/2q5 w - - 0 48",
    "r3k1rR/5K2/8/8/8/8/8/8 b kq - 0 1",
    "8/8/8/8/8/8/2k5/rR4KR w KQ - 0 1",
];

fn positions() -> Vec<Position> {
    let parse = |text| fen::parse(text, Variant::Atomic).expect("a valid FEN");
    POSITIONS.into_iter().map(parse).collect()
}

fn generation(c: &mut Criterion) {
    let positions = positions();
    let moves: u64 = positions.iter().map(Position::count_moves).sum();
    let mut group = c.benchmark_group("moves");
    group.throughput(Throughput::Elements(moves));
    group.bench_function("generate", |b| {
        b.iter(|| {
            for pos in &positions {
                black_box(black_box(pos).legal_moves());
            }
        });
    });
    group.bench_function("count", |b| {
        b.iter(|| positions.iter().map(|pos| black_box(pos).count_moves()).sum::<u64>());
    });
    let lists: Vec<(Position, Vec<Move>)> =
        positions.iter().map(|pos| (pos.clone(), pos.legal_moves().to_vec())).collect();
    group.bench_function("is_legal", |b| {
        b.iter(|| {
            let legal = |pos: &Position, mv: &Move| black_box(pos).is_legal(black_box(*mv));
            let count = |(pos, list): &(Position, Vec<Move>)| {
                list.iter().filter(|mv| legal(pos, mv)).count()
            };
            lists.iter().map(count).sum::<usize>()
        });
    });
    group.bench_function("make_unmake", |b| {
        b.iter_batched_ref(
            || lists.clone(),
            |lists| {
                for (pos, list) in lists {
                    for &mv in list.iter() {
                        pos.make(mv);
                        black_box(pos.key());
                        pos.unmake();
                    }
                }
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

fn start_position(c: &mut Criterion) {
    for (depth, leaves) in [(5, 4_864_979), (6, 118_926_425)] {
        let mut group = c.benchmark_group(format!("perft {depth}"));
        group.sample_size(10).throughput(Throughput::Elements(leaves));
        group.bench_function("brisance", |b| {
            let mut pos = Position::startpos(Variant::Atomic);
            b.iter(|| assert_eq!(perft(black_box(&mut pos), depth), leaves));
        });
        group.bench_function("shakmaty", |b| {
            let pos = shakmaty::variant::Atomic::default();
            b.iter(|| assert_eq!(shakmaty::perft(black_box(&pos), depth), leaves));
        });
        group.finish();
    }
}

criterion_group!(benches, generation, start_position);
criterion_main!(benches);
