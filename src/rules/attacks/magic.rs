//! Sliding attacks by magic bitboards, in tables built at compile time.
//! Invariant: for every square and occupancy the entry equals the attacks found square by square.
//!
//! `examples/find_magics.rs`, a random search with a fixed seed, prints the multipliers.

use crate::rules::{Bitboard, Square};

#[rustfmt::skip]
const ROOK_MAGICS: [u64; 64] = [
    0x8080_0710_4000_2084, 0x5840_1000_2000_4000, 0x0200_1882_0020_4010, 0x4100_2420_1000_1900,
    0x0080_0400_8088_000a, 0x0200_2830_0c01_0200, 0x1080_0080_0200_2100, 0x0500_0122_0084_5100,
    0x8020_8002_60c0_0a80, 0x4280_8020_018a_4001, 0x4001_0041_0020_0250, 0x4000_8008_0030_0080,
    0x0801_0010_4800_4500, 0x0001_0008_1204_0100, 0x2041_000a_0003_000c, 0x2b01_0000_4a08_8100,
    0x0400_8080_0520_4000, 0x00a0_0040_0250_0024, 0x0160_0100_4100_2010, 0x8508_0080_0810_0180,
    0x0040_8080_0800_0400, 0x0100_8080_2400_8200, 0xc100_0400_0228_2110, 0x2400_3200_00d0_8104,
    0x0c00_4000_8001_2880, 0x8020_4001_0021_0180, 0x4060_0088_8010_00a0, 0x000a_3000_8008_0480,
    0x4009_4d01_0008_0011, 0x8002_0102_0008_1004, 0x8602_0002_0004_0821, 0x0008_8582_0004_0049,
    0x9008_4002_8680_0020, 0x2102_2000_4040_1000, 0x4000_2000_1500_4100, 0xc010_0080_1280_0800,
    0x2401_0010_0d00_1800, 0x0029_0004_0100_180a, 0x0800_0832_4c00_5001, 0x0940_0319_8200_0444,
    0x0040_0440_8000_8020, 0xc100_2010_0040_4000, 0x0100_2000_1000_8080, 0x2801_0050_02a1_0008,
    0x8012_0801_1101_0014, 0x8009_0008_0401_0002, 0x0028_0e01_0804_0010, 0x0010_3100_53a2_0004,
    0x2008_8010_2040_0080, 0x0884_8840_0060_0180, 0x8004_c200_1180_2200, 0x0091_0010_0020_0900,
    0x8412_0008_10a0_a600, 0x0080_0600_0400_8080, 0x0000_1008_2502_0400, 0x0010_6300_8044_0200,
    0x3403_0280_0030_a049, 0x0225_0040_2200_1282, 0x000d_0008_3220_0041, 0x0020_0810_0021_0005,
    0x1902_0030_4820_0406, 0xb006_0001_1088_0412, 0x0200_8290_0201_1804, 0x008c_0400_4100_8222,
];

#[rustfmt::skip]
const BISHOP_MAGICS: [u64; 64] = [
    0x4008_2004_204a_0020, 0x4408_1108_0200_4000, 0x4004_a904_0100_0000, 0x0004_0400_880a_0b80,
    0x0904_2420_0310_1000, 0x8002_1104_20a8_2000, 0x0202_0084_04c0_0000, 0x8082_01a4_0202_1041,
    0x4022_1002_0808_0088, 0x0000_2002_20a1_0101, 0x0000_44a8_0a00_4018, 0x0060_2404_0485_0840,
    0x0a10_020a_1004_2030, 0x0232_0208_0416_0400, 0x0008_8082_0821_0400, 0x2002_8144_4208_2100,
    0x0224_0040_1026_0a20, 0x0282_0010_0408_0388, 0x0082_2230_0082_0048, 0x00a8_0104_0452_1000,
    0x1106_8814_00a0_0441, 0x9001_0000_3002_1001, 0x2450_c000_8208_200c, 0x000b_0000_8420_8208,
    0x0210_4019_101c_8924, 0x0102_2002_0801_4401, 0x0800_2810_1000_8022, 0x0002_0080_0801_8002,
    0x02c2_8480_1400_2000, 0x8961_0840_1808_0805, 0x8c02_cb04_0484_1000, 0x00dc_0480_0841_4c00,
    0x8304_04a0_020c_2080, 0x0043_8210_c008_1040, 0x0001_0808_0001_0840, 0x0401_8202_8048_0180,
    0x1009_0104_0202_00a0, 0x2002_0800_4002_0048, 0x5a09_0801_0002_0120, 0x10d0_8404_4a00_8a00,
    0x0482_0115_4002_2008, 0x0009_00e2_2000_1000, 0x0046_2014_0200_1000, 0x0001_1042_0080_0801,
    0x1102_8202_0a02_0404, 0x8502_2005_c080_0100, 0x9120_0d93_0200_0110, 0x0018_0804_8281_8228,
    0x0204_0094_0420_0440, 0x0000_2404_0a18_0901, 0x4400_8975_0808_0001, 0x0000_0000_4202_0000,
    0x4002_4010_0202_0451, 0x0100_0810_5024_9041, 0x0010_0c10_9400_4004, 0x2098_0a08_0600_2400,
    0x0460_1206_0120_080a, 0x0100_8024_1402_0808, 0x0000_00d2_0052_0800, 0x0440_0074_808c_0c00,
    0x0105_0048_5021_0240, 0x4020_01a0_1282_4201, 0x2000_0460_0801_0520, 0x0020_2001_0900_3082,
];

const ROOK_ENTRIES: usize = 102_400;
const BISHOP_ENTRIES: usize = 5_248;
const ROOK_DIRECTIONS: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const BISHOP_DIRECTIONS: [(i32, i32); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];

/// The lookup of one square: `attacks[offset + ((occupied & mask) * magic >> shift)]`.
#[derive(Clone, Copy)]
struct MagicEntry {
    mask: u64,
    magic: u64,
    shift: u32,
    offset: u32,
}

struct MagicTable<const N: usize> {
    entries: [MagicEntry; 64],
    attacks: [u64; N],
}

static ROOKS: MagicTable<ROOK_ENTRIES> = build(&ROOK_MAGICS, &ROOK_DIRECTIONS);
static BISHOPS: MagicTable<BISHOP_ENTRIES> = build(&BISHOP_MAGICS, &BISHOP_DIRECTIONS);

/// The squares along the four directions up to and including the first occupied one. With
/// `relevant_only` the last square of each ray is left out, because its occupancy does not matter.
const fn ray_attacks(
    square: u32,
    occupied: u64,
    directions: &[(i32, i32); 4],
    relevant_only: bool,
) -> u64 {
    let mut attacks = 0;
    let mut d = 0;
    while d < 4 {
        let (df, dr) = directions[d];
        let mut file = (square & 7) as i32 + df;
        let mut rank = (square >> 3) as i32 + dr;
        while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
            let (next_file, next_rank) = (file + df, rank + dr);
            let last = next_file < 0 || next_file > 7 || next_rank < 0 || next_rank > 7;
            if relevant_only && last {
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

const fn build<const N: usize>(magics: &[u64; 64], directions: &[(i32, i32); 4]) -> MagicTable<N> {
    let mut table = MagicTable {
        entries: [MagicEntry { mask: 0, magic: 0, shift: 0, offset: 0 }; 64],
        attacks: [0; N],
    };
    let mut offset = 0;
    let mut square = 0;
    while square < 64 {
        let mask = ray_attacks(square, 0, directions, true);
        let shift = 64 - mask.count_ones();
        let magic = magics[square as usize];
        table.entries[square as usize] = MagicEntry { mask, magic, shift, offset };
        let mut occupied: u64 = 0;
        loop {
            let index = offset as usize + (occupied.wrapping_mul(magic) >> shift) as usize;
            let attacks = ray_attacks(square, occupied, directions, false);
            assert!(table.attacks[index] == 0 || table.attacks[index] == attacks);
            table.attacks[index] = attacks;
            occupied = occupied.wrapping_sub(mask) & mask;
            if occupied == 0 {
                break;
            }
        }
        offset += 1 << mask.count_ones();
        square += 1;
    }
    assert!(offset as usize == N);
    table
}

impl<const N: usize> MagicTable<N> {
    #[inline]
    fn attacks(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let entry = &self.entries[square.index()];
        let hash = (occupied.0 & entry.mask).wrapping_mul(entry.magic) >> entry.shift;
        Bitboard(self.attacks[entry.offset as usize + hash as usize])
    }
}

/// The squares that a rook on `square` attacks, given the occupied squares.
#[inline]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    ROOKS.attacks(square, occupied)
}

/// The squares that a bishop on `square` attacks, given the occupied squares.
#[inline]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    BISHOPS.attacks(square, occupied)
}

/// The attacks of a rook and of a bishop on an empty board, usable at compile time.
pub const fn empty_board_attacks(square: u32) -> (u64, u64) {
    (
        ray_attacks(square, 0, &ROOK_DIRECTIONS, false),
        ray_attacks(square, 0, &BISHOP_DIRECTIONS, false),
    )
}
