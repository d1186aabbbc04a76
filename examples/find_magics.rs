//! Prints the multipliers of the magic bitboards in `src/rules/attacks/magic.rs`: rooks first,
//! then bishops. The seed is fixed, so the output is always the same.
//! `cargo run --release --example find_magics`

const ROOK_DIRECTIONS: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const BISHOP_DIRECTIONS: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

fn main() {
    let mut state = 0x4252_4953_414e_4345;
    for directions in [ROOK_DIRECTIONS, BISHOP_DIRECTIONS] {
        for square in 0..64 {
            println!("{:#018x},", find_magic(square, directions, &mut state));
        }
        println!();
    }
}

fn xorshift(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

fn bit(file: i32, rank: i32) -> u64 {
    if (0..8).contains(&file) && (0..8).contains(&rank) { 1 << (8 * rank + file) } else { 0 }
}

/// The squares along four rays up to and including the first occupied one.
fn attacks(square: i32, occupied: u64, directions: [(i32, i32); 4]) -> u64 {
    let mut attacks = 0;
    for (df, dr) in directions {
        let (mut file, mut rank) = (square % 8 + df, square / 8 + dr);
        while bit(file, rank) != 0 {
            attacks |= bit(file, rank);
            if occupied & bit(file, rank) != 0 {
                break;
            }
            (file, rank) = (file + df, rank + dr);
        }
    }
    attacks
}

/// The squares whose occupancy matters: those of each ray except the last.
fn relevant_squares(square: i32, directions: [(i32, i32); 4]) -> u64 {
    let mut squares = 0;
    for (df, dr) in directions {
        let (mut file, mut rank) = (square % 8 + df, square / 8 + dr);
        while bit(file + df, rank + dr) != 0 {
            squares |= bit(file, rank);
            (file, rank) = (file + df, rank + dr);
        }
    }
    squares
}

/// A multiplier that maps occupancies with different attacks to different slots.
fn find_magic(square: i32, directions: [(i32, i32); 4], state: &mut u64) -> u64 {
    let mask = relevant_squares(square, directions);
    let bits = mask.count_ones();
    let mut subsets = Vec::new();
    let mut occupied: u64 = 0;
    loop {
        subsets.push((occupied, attacks(square, occupied, directions)));
        occupied = occupied.wrapping_sub(mask) & mask;
        if occupied == 0 {
            break;
        }
    }
    'candidate: loop {
        let magic = xorshift(state) & xorshift(state) & xorshift(state);
        let mut slots = vec![0; 1 << bits];
        for &(occupied, attacks) in &subsets {
            let slot = &mut slots[(occupied.wrapping_mul(magic) >> (64 - bits)) as usize];
            if *slot != 0 && *slot != attacks {
                continue 'candidate;
            }
            *slot = attacks;
        }
        return magic;
    }
}
