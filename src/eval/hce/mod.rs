//! Handcrafted evaluation: a sum of readable terms, tapered between midgame and endgame
//! and scaled towards a draw. Invariant: mirrored positions have equal values.

mod blast;
mod params;
mod terms;

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use crate::eval::draw;
use crate::eval::score::{TABLE_BOUND, Value};
use crate::rules::{Bitboard, Color, PieceType, Position, attacks};

/// A value for the midgame and one for the endgame, in internal units.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pair {
    /// With all pieces on the board.
    pub mg: i32,
    /// With none but kings and pawns.
    pub eg: i32,
}

impl Add for Pair {
    type Output = Pair;
    fn add(self, other: Pair) -> Pair {
        Pair {
            mg: self.mg + other.mg,
            eg: self.eg + other.eg,
        }
    }
}

impl AddAssign for Pair {
    fn add_assign(&mut self, other: Pair) {
        *self = *self + other;
    }
}

impl Sub for Pair {
    type Output = Pair;
    fn sub(self, other: Pair) -> Pair {
        Pair {
            mg: self.mg - other.mg,
            eg: self.eg - other.eg,
        }
    }
}

impl Mul<i32> for Pair {
    type Output = Pair;
    fn mul(self, factor: i32) -> Pair {
        Pair {
            mg: self.mg * factor,
            eg: self.eg * factor,
        }
    }
}

impl Neg for Pair {
    type Output = Pair;
    fn neg(self) -> Pair {
        self * -1
    }
}

/// Midgame, endgame.
impl From<Pair> for [i32; 2] {
    fn from(pair: Pair) -> [i32; 2] {
        [pair.mg, pair.eg]
    }
}

/// The names of the terms, in the order in which they are added.
const TERMS: [&str; 10] = [
    "material",
    "piece count",
    "piece-square",
    "mobility",
    "blast threats",
    "king ring",
    "confined king",
    "touching kings",
    "passed pawns",
    "tempo",
];

type Account = [[Pair; 2]; TERMS.len()];

/// One line of the evaluation's account: a term's name and its value for each side.
#[derive(Clone, Debug)]
pub struct TraceTerm {
    /// The term's name.
    pub name: &'static str,
    /// The term for White, then for Black.
    pub sides: [Pair; 2],
}

/// The evaluation of a position term by term.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The terms in the order in which they are added.
    pub terms: Vec<TraceTerm>,
    /// Game phase from 0 (endgame) to 256 (all pieces).
    pub phase: i32,
    /// Draw scaling in 256ths.
    pub scale: i32,
    /// The sum from White's view in internal units, after tapering and scaling.
    pub total: i32,
}

/// Which squares the men of each side attack, by type; kings left out, as they capture
/// nothing.
struct Reach {
    by_kind: [[Bitboard; 5]; 2],
    all: [Bitboard; 2],
}

impl Reach {
    fn new() -> Reach {
        Reach {
            by_kind: [[Bitboard::EMPTY; 5]; 2],
            all: [Bitboard::EMPTY; 2],
        }
    }

    fn add(&mut self, color: Color, kind: PieceType, squares: Bitboard) {
        self.by_kind[color.index()][kind.index()] |= squares;
        self.all[color.index()] |= squares;
    }
}

/// The value of a position with both kings, in internal units from the side to move's view.
pub fn evaluate(pos: &Position) -> Value {
    let account = account(pos);
    let total = account
        .iter()
        .fold(Pair::default(), |sum, [white, black]| sum + *white - *black);
    let value = draw::scaled(pos, taper(total, phase(pos)), Color::White);
    match pos.side() {
        Color::White => value,
        Color::Black => -value,
    }
}

/// The account of a position's evaluation.
pub fn trace(pos: &Position) -> Trace {
    let account = account(pos);
    let sum = account
        .iter()
        .fold(Pair::default(), |sum, [white, black]| sum + *white - *black);
    let phase = phase(pos);
    let raw = taper(sum, phase);
    let strong = if raw > 0 { Color::White } else { Color::Black };
    let terms = TERMS
        .iter()
        .zip(account)
        .map(|(&name, sides)| TraceTerm { name, sides });
    Trace {
        terms: terms.collect(),
        phase,
        scale: draw::scale(pos, strong),
        total: draw::scaled(pos, raw, Color::White),
    }
}

fn account(pos: &Position) -> Account {
    let mut reach = Reach::new();
    let mut account: Account = [[Pair::default(); 2]; TERMS.len()];
    for color in Color::ALL {
        let us = color.index();
        account[0][us] = terms::material(pos, color);
        account[1][us] = params::PIECE_COUNT * pos.colored(color).count() as i32;
        account[2][us] = terms::piece_square(pos, color);
        account[3][us] = terms::mobility(pos, color, &mut reach);
        account[8][us] = terms::passed_pawns(pos, color);
    }
    let (Some(white), Some(black)) = (pos.king(Color::White), pos.king(Color::Black)) else {
        return account;
    };
    let touch = attacks::king(white).contains(black);
    for color in Color::ALL {
        let us = color.index();
        let (own, other) = if color == Color::White {
            (white, black)
        } else {
            (black, white)
        };
        account[4][us] = blast::threats(pos, color, own, other, &reach);
        account[5][us] = blast::king_ring(pos, color, own, other, touch, &reach);
        account[6][us] = blast::confined_king(pos, color, own);
    }
    if touch {
        let lead = account[0][0].eg - account[0][1].eg;
        let behind = if lead > 0 { 1 } else { 0 };
        if lead != 0 {
            account[7][behind] = params::TOUCHING;
        }
    }
    account[9][pos.side().index()] = params::TEMPO;
    account
}

/// Game phase from 0 to 256 by the pieces left.
fn phase(pos: &Position) -> i32 {
    let weight = |kind: PieceType| params::PHASE[kind.index()] * pos.of_kind(kind).count() as i32;
    let sum: i32 = PieceType::ALL.into_iter().map(weight).sum();
    (sum * 256 / 24).min(256)
}

fn taper(total: Pair, phase: i32) -> Value {
    let value = (total.mg * phase + total.eg * (256 - phase)) / 256;
    value.clamp(-TABLE_BOUND + 1, TABLE_BOUND - 1)
}
