//! The fuzz targets on seeds and mutated seeds, without a fuzzer; `scripts/fuzz` runs the same
//! targets under libFuzzer. Recorded inputs that once failed are in `data/fuzz`.
//! Slow: `cargo test --release --test engine fuzz -- --ignored deep_`

pub mod targets;

use targets::{TARGETS, Target};

use crate::program::PrintOnPanic;
use crate::random::Random;

/// What mutations insert, with tildes in between.
const TOKENS: &[u8] = b" ~\n~\t~\0~\xff~\xc2\xa0~\xe3\x80\x80~\"~{~(~;~-~0~99999999999~O-O~=Q#";

fn run(target: &Target, input: &[u8]) {
    let name = target.name;
    let _input = PrintOnPanic(|| format!("target {name}, input \"{}\"", input.escape_ascii()));
    (target.run)(input);
}

fn mutate(input: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at = random.below(input.len() + 1);
        let end = at + random.below((input.len() - at).min(12) + 1);
        match random.below(6) {
            0 if at < input.len() => input[at] ^= 1 << random.below(8),
            1 if at < input.len() => input[at] = random.below(256) as u8,
            2 => drop(input.drain(at..end)),
            3 => {
                let tokens: Vec<&[u8]> = TOKENS.split(|&byte| byte == b'~').collect();
                input.splice(at..at, random.pick(&tokens).iter().copied());
            }
            4 => {
                let copy = input[at..end].to_vec();
                input.splice(at..at, copy);
            }
            _ => {
                let from = random.below(other.len() + 1);
                input.truncate(at);
                input.extend(&other[from..]);
            }
        }
    }
}

fn run_mutations(target: &Target, count: usize, seed: u64) {
    let mut random = Random::new(seed);
    let seeds = (target.seeds)();
    assert!(!seeds.is_empty(), "{}", target.name);
    for seed in &seeds {
        run(target, seed);
    }
    for _ in 0..count {
        let mut input = random.pick(&seeds).clone();
        let other = random.pick(&seeds).as_slice();
        mutate(&mut input, other, &mut random);
        run(target, &input);
    }
}

#[test]
fn mutated_seeds_break_no_target() {
    for target in TARGETS {
        run_mutations(target, target.mutations, 1);
    }
}

#[test]
#[ignore = "deep: a minute"]
fn deep_mutated_seeds_break_no_target() {
    for target in TARGETS {
        run_mutations(target, 10 * target.mutations, 2);
    }
}
