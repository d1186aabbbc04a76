//! The handcrafted evaluation (HCE): a sum of readable terms, tapered between midgame and
//! endgame and scaled towards a draw. Play uses the network by default; the HCE serves as a
//! fallback and for the `eval` trace.
//! Invariant: a position and its mirror image with colors swapped have the same value.
//!
//! To add a term: add a variant to [`Term`], compute it in `evaluate_terms`, and put its
//! weights into `params.rs`.

mod attack_map;
mod blast;
mod params;
mod tapered;
mod terms;

use std::ops::{Index, IndexMut};

use crate::eval::draw;
use crate::eval::score::{self, TB_WIN_IN_MAX_PLY, Value};
use crate::rules::{Color, PieceType, Position, attacks};
use attack_map::AttackMap;
pub use tapered::TaperedScore;

/// A term of the evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    /// Piece values.
    Material,
    /// A bonus per piece of any type.
    PieceCount,
    /// Piece-square tables.
    PieceSquare,
    /// Attacked squares.
    Mobility,
    /// Material that captures would win by their explosions.
    BlastThreats,
    /// Attacks on the ring of the enemy king.
    KingRing,
    /// Pieces next to the own king.
    ConfinedKing,
    /// Adjacent kings, which favour the side with less material.
    TouchingKings,
    /// Passed pawns.
    PassedPawns,
    /// The right to move.
    Tempo,
}

impl Term {
    /// All terms in the order in which they are displayed.
    pub const ALL: [Term; 10] = [
        Term::Material,
        Term::PieceCount,
        Term::PieceSquare,
        Term::Mobility,
        Term::BlastThreats,
        Term::KingRing,
        Term::ConfinedKing,
        Term::TouchingKings,
        Term::PassedPawns,
        Term::Tempo,
    ];

    /// The name for display.
    pub const fn name(self) -> &'static str {
        match self {
            Term::Material => "material",
            Term::PieceCount => "piece count",
            Term::PieceSquare => "piece-square",
            Term::Mobility => "mobility",
            Term::BlastThreats => "blast threats",
            Term::KingRing => "king ring",
            Term::ConfinedKing => "confined king",
            Term::TouchingKings => "touching kings",
            Term::PassedPawns => "passed pawns",
            Term::Tempo => "tempo",
        }
    }
}

/// The values of all terms, by term and colour.
#[derive(Default)]
struct TermValues([[TaperedScore; 2]; Term::ALL.len()]);

impl TermValues {
    /// White's terms minus Black's.
    fn sum(&self) -> TaperedScore {
        self.0
            .iter()
            .fold(TaperedScore::default(), |sum, &[white, black]| {
                sum + white - black
            })
    }
}

impl Index<(Term, Color)> for TermValues {
    type Output = TaperedScore;
    fn index(&self, (term, color): (Term, Color)) -> &TaperedScore {
        &self.0[term as usize][color.index()]
    }
}

impl IndexMut<(Term, Color)> for TermValues {
    fn index_mut(&mut self, (term, color): (Term, Color)) -> &mut TaperedScore {
        &mut self.0[term as usize][color.index()]
    }
}

/// One line of a [`Trace`].
#[derive(Clone, Debug)]
pub struct TraceTerm {
    /// The term's name, see [`Term::name`].
    pub name: &'static str,
    /// The values for White and for Black.
    pub by_color: [TaperedScore; 2],
}

/// The evaluation of a position term by term.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The terms in the order of [`Term::ALL`].
    pub terms: Vec<TraceTerm>,
    /// Game phase from 0 (endgame) to 256 (all pieces).
    pub phase: i32,
    /// Draw scaling in 256ths.
    pub scale: i32,
    /// The value from White's point of view in internal units, after tapering and scaling.
    pub total: i32,
}

/// The value of a position with both kings, in internal units from the side to move's point of
/// view.
pub fn evaluate(pos: &Position) -> Value {
    let sum = evaluate_terms(pos).sum();
    let value = draw::scale_value(pos, taper(sum, phase(pos)), Color::White);
    score::relative_to(value, pos.side_to_move())
}

/// The evaluation of a position with both kings, term by term.
///
/// # Examples
///
/// ```
/// use brisance::eval::hce;
/// use brisance::notation::fen;
/// use brisance::rules::Variant;
///
/// let pos = fen::parse("4k3/8/8/8/8/8/3PPP2/3QK3 w - - 0 1", Variant::Atomic)?;
/// let trace = hce::trace(&pos);
/// let material = &trace.terms[0];
/// assert_eq!(material.name, "material");
/// assert!(material.by_color[0].mg > material.by_color[1].mg);
/// assert_eq!(trace.total, hce::evaluate(&pos));
/// # Ok::<(), fen::FenError>(())
/// ```
pub fn trace(pos: &Position) -> Trace {
    let values = evaluate_terms(pos);
    let phase = phase(pos);
    let unscaled = taper(values.sum(), phase);
    let strong_side = if unscaled > 0 {
        Color::White
    } else {
        Color::Black
    };
    let terms = Term::ALL.map(|term| TraceTerm {
        name: term.name(),
        by_color: Color::ALL.map(|color| values[(term, color)]),
    });
    Trace {
        terms: terms.into(),
        phase,
        scale: draw::scale_factor(pos, strong_side),
        total: draw::scale_value(pos, unscaled, Color::White),
    }
}

fn evaluate_terms(pos: &Position) -> TermValues {
    let mut attack_map = AttackMap::new();
    let mut values = TermValues::default();
    for color in Color::ALL {
        values[(Term::Material, color)] = terms::material(pos, color);
        values[(Term::PieceCount, color)] =
            params::PIECE_COUNT * pos.by_color(color).count() as i32;
        values[(Term::PieceSquare, color)] = terms::piece_square(pos, color);
        values[(Term::Mobility, color)] = terms::mobility(pos, color, &mut attack_map);
        values[(Term::PassedPawns, color)] = terms::passed_pawns(pos, color);
    }
    let (Some(white_king), Some(black_king)) = (pos.king(Color::White), pos.king(Color::Black))
    else {
        return values;
    };
    let kings_touch = attacks::king(white_king).contains(black_king);
    for color in Color::ALL {
        let (king, enemy_king) = match color {
            Color::White => (white_king, black_king),
            Color::Black => (black_king, white_king),
        };
        values[(Term::BlastThreats, color)] =
            blast::threats(pos, color, king, enemy_king, &attack_map);
        values[(Term::KingRing, color)] =
            blast::king_ring(pos, color, king, enemy_king, kings_touch, &attack_map);
        values[(Term::ConfinedKing, color)] = blast::confined_king(pos, color, king);
    }
    if kings_touch {
        let material = |color| values[(Term::Material, color)].eg;
        let lead = material(Color::White) - material(Color::Black);
        if lead != 0 {
            let behind = if lead > 0 { Color::Black } else { Color::White };
            values[(Term::TouchingKings, behind)] = params::TOUCHING_KINGS;
        }
    }
    values[(Term::Tempo, pos.side_to_move())] = params::TEMPO;
    values
}

/// Game phase from 0 (endgame) to 256 (all pieces).
fn phase(pos: &Position) -> i32 {
    let weight = |piece_type: PieceType| {
        params::PHASE[piece_type.index()] * pos.by_type(piece_type).count() as i32
    };
    let sum: i32 = PieceType::ALL.into_iter().map(weight).sum();
    (sum * 256 / 24).min(256)
}

fn taper(score: TaperedScore, phase: i32) -> Value {
    let value = (score.mg * phase + score.eg * (256 - phase)) / 256;
    value.clamp(-TB_WIN_IN_MAX_PLY + 1, TB_WIN_IN_MAX_PLY - 1)
}
