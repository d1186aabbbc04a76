//! Sliding attacks by magic multiplication into one table built at compile time.
//! Invariant: for every square and occupancy the entry equals the ray walk (tested).
//!
//! The multipliers were found by `tests::find_magics`, a random search with a fixed seed.

use crate::rules::{Bitboard, Square};

#[rustfmt::skip]
const ROOK_MAGICS: [u64; 64] = [
    0x4100_1044_2100_8000, 0x0240_0040_2000_1000, 0x0880_0890_0120_0280, 0x0500_0910_0004_2100,
    0x0600_2010_0804_0200, 0x0200_1004_0802_0001, 0x2600_040a_0018_0083, 0x0200_0024_0200_4081,
    0x8004_8000_4000_8020, 0x0040_4010_0040_2000, 0x0401_0020_0100_4019, 0x0009_0020_1001_0008,
    0x8881_0008_0010_0500, 0x0065_0009_0002_0400, 0x0010_8001_0080_0200, 0x2018_8000_4100_1880,
    0x0080_0040_2000_4002, 0x4190_0040_0020_0040, 0x2000_8480_2000_1000, 0x1000_8480_0800_1000,
    0x4002_0200_1008_2004, 0x0006_0080_8002_0400, 0x1000_0101_0004_0200, 0x9200_0200_1110_8844,
    0x0045_a080_8002_4004, 0xc040_0284_8020_0048, 0x1a58_2000_8080_1000, 0x0310_0411_0021_0008,
    0x4008_0080_8004_000a, 0x0994_0004_8080_0200, 0x0412_1004_0082_0108, 0x1001_0c42_0019_1284,
    0x6280_0020_0040_0042, 0x2020_2010_0040_4000, 0x0101_0020_0100_4010, 0x0010_0044_0240_0801,
    0x8000_8128_0180_0400, 0x0a02_0008_0200_0410, 0x1042_0004_4200_0881, 0x4006_2420_4600_0081,
    0x0080_0020_0040_4000, 0xa220_5000_2000_4008, 0x0010_0024_0800_2000, 0x0006_0108_2042_0012,
    0x0001_0010_0803_0004, 0x0642_00c8_0412_0030, 0x0004_4182_2824_0010, 0x0300_0081_0042_0004,
    0x0c80_0240_0220_0440, 0x8008_2283_0440_0100, 0x0208_4420_0100_1100, 0x0521_0a22_0140_1200,
    0x9802_0801_0010_0500, 0x2024_0100_0200_4040, 0x8600_4108_1002_0400, 0x0c00_1041_0420_8200,
    0x0325_8000_3068_4101, 0x0001_00b4_c006_8021, 0x40c2_0020_1008_8042, 0x0006_0010_4004_0822,
    0x3801_0004_1002_0801, 0x2001_0008_0400_0201, 0x0100_0081_3028_2204, 0x22d1_8840_3484_0102,
];

#[rustfmt::skip]
const BISHOP_MAGICS: [u64; 64] = [
    0x0020_2002_0089_0810, 0x0060_11a2_0085_0008, 0x1010_1082_0249_0400, 0x0098_0604_4804_0644,
    0x8881_1040_0000_0002, 0x0082_0804_0400_0004, 0x1016_4442_0840_0000, 0x0840_4020_9808_4088,
    0x1080_c082_4881_0100, 0x0401_6108_0104_4084, 0x2400_0840_8102_0800, 0x0000_8808_4500_0000,
    0x0000_0450_4000_a080, 0x0604_0511_0840_8880, 0x0020_0084_0402_4000, 0x0000_0110_4104_2000,
    0x08a0_8084_0890_4110, 0x0010_4182_0408_0094, 0x0001_0018_0201_2600, 0x0000_8268_1200_4122,
    0x084c_0200_80a0_4000, 0x0001_0002_0041_0400, 0x8915_0024_4802_1002, 0x1000_8000_4c10_8800,
    0x1008_0449_4010_6241, 0x2002_0840_1001_2800, 0x8012_0104_0204_0400, 0x2004_0021_8402_0880,
    0x0300_4040_2401_0050, 0x0030_0408_4080_8420, 0x4008_0200_0852_0200, 0x0002_0200_0341_0480,
    0x0001_0440_1410_3060, 0x0040_8209_0010_1000, 0x1208_2130_0208_0880, 0x9408_8200_8018_0080,
    0x1004_0e40_1024_0100, 0x8021_1002_8011_080a, 0x0010_40a1_0000_8401, 0x8032_006a_0051_0080,
    0x2048_0410_0908_0401, 0x8004_0402_8283_0800, 0x4006_0602_0100_0a00, 0x0808_0220_9100_0800,
    0x0840_4002_9300_0200, 0x0001_1010_0082_c041, 0xc004_0428_8600_0401, 0x0001_0106_2088_0200,
    0x4104_00a4_0420_804c, 0x2122_1080_b808_0000, 0x80e0_0104_8804_8480, 0x0020_1922_8404_4100,
    0x0080_000a_1024_0201, 0x0028_0448_1089_0820, 0x0004_1090_0101_0741, 0x4020_0811_4040_8022,
    0x4404_8400_8210_02a0, 0x0040_08c9_0819_1020, 0x6020_4289_4104_4110, 0x4800_2080_0042_0200,
    0xb000_0200_1020_2204, 0x3210_0008_2008_008a, 0x0202_4450_2408_0090, 0x0050_2000_8404_4440,
];

const ROOK_ENTRIES: usize = 102_400;
const BISHOP_ENTRIES: usize = 5_248;
const ROOK_DIRECTIONS: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const BISHOP_DIRECTIONS: [(i32, i32); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];

#[derive(Clone, Copy)]
struct Magic {
    mask: u64,
    factor: u64,
    shift: u32,
    offset: u32,
}

struct Tables<const N: usize> {
    magics: [Magic; 64],
    attacks: [u64; N],
}

static ROOKS: Tables<ROOK_ENTRIES> = build(&ROOK_MAGICS, &ROOK_DIRECTIONS);
static BISHOPS: Tables<BISHOP_ENTRIES> = build(&BISHOP_MAGICS, &BISHOP_DIRECTIONS);

/// Squares attacked along the four directions until the first occupied one, which is
/// included; `inner` leaves out the last square of each ray (the relevant occupancy).
const fn walk(square: u32, occupied: u64, directions: &[(i32, i32); 4], inner: bool) -> u64 {
    let mut attacks = 0;
    let mut d = 0;
    while d < 4 {
        let (df, dr) = directions[d];
        let mut file = (square & 7) as i32 + df;
        let mut rank = (square >> 3) as i32 + dr;
        while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
            let (next_file, next_rank) = (file + df, rank + dr);
            let last = next_file < 0 || next_file > 7 || next_rank < 0 || next_rank > 7;
            if inner && last {
                break;
            }
            let bit = 1 << (rank * 8 + file);
            attacks |= bit;
            if occupied & bit != 0 {
                break;
            }
            (file, rank) = (next_file, next_rank);
        }
        d += 1;
    }
    attacks
}

const fn build<const N: usize>(factors: &[u64; 64], directions: &[(i32, i32); 4]) -> Tables<N> {
    let mut tables = Tables {
        magics: [Magic {
            mask: 0,
            factor: 0,
            shift: 0,
            offset: 0,
        }; 64],
        attacks: [0; N],
    };
    let mut offset = 0;
    let mut square = 0;
    while square < 64 {
        let mask = walk(square, 0, directions, true);
        let shift = 64 - mask.count_ones();
        let factor = factors[square as usize];
        tables.magics[square as usize] = Magic {
            mask,
            factor,
            shift,
            offset,
        };
        let mut occupied: u64 = 0;
        loop {
            let index = offset as usize + (occupied.wrapping_mul(factor) >> shift) as usize;
            let attacks = walk(square, occupied, directions, false);
            assert!(tables.attacks[index] == 0 || tables.attacks[index] == attacks);
            tables.attacks[index] = attacks;
            occupied = occupied.wrapping_sub(mask) & mask;
            if occupied == 0 {
                break;
            }
        }
        offset += 1 << mask.count_ones();
        square += 1;
    }
    assert!(offset as usize == N);
    tables
}

impl<const N: usize> Tables<N> {
    #[inline]
    fn look_up(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let magic = &self.magics[square.index()];
        let hash = (occupied.0 & magic.mask).wrapping_mul(magic.factor) >> magic.shift;
        Bitboard(self.attacks[magic.offset as usize + hash as usize])
    }
}

/// Squares a rook on `square` attacks when `occupied` is occupied.
#[inline]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    ROOKS.look_up(square, occupied)
}

/// Squares a bishop on `square` attacks when `occupied` is occupied.
#[inline]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    BISHOPS.look_up(square, occupied)
}

/// Empty-board reach of a rook and of a bishop, for tables built at compile time.
pub(super) const fn empty_board(square: u32) -> (u64, u64) {
    (
        walk(square, 0, &ROOK_DIRECTIONS, false),
        walk(square, 0, &BISHOP_DIRECTIONS, false),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    #[test]
    fn look_up_equals_ray_walk() {
        let mut state = 1;
        for square in Square::all() {
            for _ in 0..2_000 {
                let occupied = next(&mut state) & next(&mut state);
                let index = square.index() as u32;
                let walked = |directions| Bitboard(walk(index, occupied, directions, false));
                assert_eq!(rook(square, Bitboard(occupied)), walked(&ROOK_DIRECTIONS));
                assert_eq!(
                    bishop(square, Bitboard(occupied)),
                    walked(&BISHOP_DIRECTIONS)
                );
            }
        }
    }

    /// A multiplier that sends every relevant occupancy to a slot of its own or to one
    /// with equal attacks.
    fn find(square: u32, directions: &[(i32, i32); 4], state: &mut u64) -> u64 {
        let mask = walk(square, 0, directions, true);
        let bits = mask.count_ones();
        let mut subsets = vec![];
        let mut occupied: u64 = 0;
        loop {
            subsets.push((occupied, walk(square, occupied, directions, false)));
            occupied = occupied.wrapping_sub(mask) & mask;
            if occupied == 0 {
                break;
            }
        }
        'candidate: loop {
            let factor = next(state) & next(state) & next(state);
            let mut slots = vec![0; 1 << bits];
            for &(occupied, attacks) in &subsets {
                let slot = &mut slots[(occupied.wrapping_mul(factor) >> (64 - bits)) as usize];
                if *slot != 0 && *slot != attacks {
                    continue 'candidate;
                }
                *slot = attacks;
            }
            return factor;
        }
    }

    #[test]
    #[ignore = "prints fresh multipliers; only needed to make the tables anew"]
    fn find_magics() {
        let mut state = 0x4252_4953_414e_4345;
        for directions in [&ROOK_DIRECTIONS, &BISHOP_DIRECTIONS] {
            for square in 0..64 {
                println!("{:#018x},", find(square, directions, &mut state));
            }
            println!();
        }
    }
}
