//! The handcrafted evaluation (HCE): a sum of readable terms, tapered between midgame and
//! endgame and scaled towards a draw. Play uses the network by default; the HCE serves as a
//! fallback and for the `eval` trace.
//! Invariant: a position and its mirror image with colors swapped have the same value.
//!
//! To add a term: add it to `Term` and `TERMS`, compute it in `evaluate_terms`, and put its
//! weights into `params.rs`.

mod blast;
mod params;
mod tapered;
mod terms;

use crate::eval::draw;
use crate::eval::score::{self, TB_WIN_IN_MAX_PLY, Value};
use crate::rules::{Color, PieceType, Position, attacks};
pub use tapered::TaperedScore;
use terms::AttackMap;

#[derive(Clone, Copy)]
enum Term {
    Material,
    PieceCount,
    PieceSquare,
    Mobility,
    BlastThreats,
    KingRing,
    ConfinedKing,
    TouchingKings,
    PassedPawns,
    Tempo,
}

/// The terms in the order in which they are displayed, with their names.
const TERMS: [(Term, &str); 10] = [
    (Term::Material, "material"),
    (Term::PieceCount, "piece count"),
    (Term::PieceSquare, "piece-square"),
    (Term::Mobility, "mobility"),
    (Term::BlastThreats, "blast threats"),
    (Term::KingRing, "king ring"),
    (Term::ConfinedKing, "confined king"),
    (Term::TouchingKings, "touching kings"),
    (Term::PassedPawns, "passed pawns"),
    (Term::Tempo, "tempo"),
];

/// The values of all terms, by term and colour.
#[derive(Default)]
struct TermValues([[TaperedScore; 2]; TERMS.len()]);

impl TermValues {
    fn at(&mut self, term: Term, color: Color) -> &mut TaperedScore {
        &mut self.0[term as usize][color.index()]
    }

    /// White's terms minus Black's.
    fn sum(&self) -> TaperedScore {
        let differences = self.0.iter().map(|&[white, black]| white - black);
        differences.fold(TaperedScore::default(), |sum, term| sum + term)
    }
}

/// One line of a [`Trace`].
#[derive(Clone, Debug)]
pub struct TraceTerm {
    /// The term's name for display.
    pub name: &'static str,
    /// The values for White and for Black.
    pub by_color: [TaperedScore; 2],
}

impl TraceTerm {
    /// The tapered value from White's point of view, before scaling.
    pub fn total(&self, phase: i32) -> i32 {
        let [white, black] = self.by_color;
        (white - black).taper(phase)
    }
}

/// The evaluation of a position term by term.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The terms in the order in which they are displayed.
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
    let terms = TERMS.map(|(term, name)| TraceTerm {
        name,
        by_color: values.0[term as usize],
    });
    Trace {
        terms: terms.into(),
        phase,
        scale: draw::scale_factor(pos, strong_side),
        total: draw::scale_value(pos, unscaled, Color::White),
    }
}

fn evaluate_terms(pos: &Position) -> TermValues {
    let mut attack_map = AttackMap::default();
    let mut values = TermValues::default();
    for color in Color::ALL {
        *values.at(Term::Material, color) = terms::material(pos, color);
        *values.at(Term::PieceCount, color) =
            params::PIECE_COUNT * pos.by_color(color).count() as i32;
        *values.at(Term::PieceSquare, color) = terms::piece_square(pos, color);
        *values.at(Term::Mobility, color) = terms::mobility(pos, color, &mut attack_map);
        *values.at(Term::PassedPawns, color) = terms::passed_pawns(pos, color);
    }
    let [Some(white_king), Some(black_king)] = Color::ALL.map(|color| pos.king(color)) else {
        return values;
    };
    let kings_touch = attacks::king(white_king).contains(black_king);
    for (color, king, enemy_king) in [
        (Color::White, white_king, black_king),
        (Color::Black, black_king, white_king),
    ] {
        *values.at(Term::BlastThreats, color) =
            blast::threats(pos, color, king, enemy_king, &attack_map);
        *values.at(Term::KingRing, color) =
            blast::king_ring(pos, color, king, enemy_king, kings_touch, &attack_map);
        *values.at(Term::ConfinedKing, color) = blast::confined_king(pos, color, king);
    }
    if kings_touch {
        let [white, black] = values.0[Term::Material as usize];
        let lead = white.eg - black.eg;
        if lead != 0 {
            let behind = if lead > 0 { Color::Black } else { Color::White };
            *values.at(Term::TouchingKings, behind) = params::TOUCHING_KINGS;
        }
    }
    *values.at(Term::Tempo, pos.side_to_move()) = params::TEMPO;
    values
}

fn phase(pos: &Position) -> i32 {
    let weight = |piece_type: PieceType| {
        params::PHASE[piece_type.index()] * pos.by_type(piece_type).count() as i32
    };
    let sum: i32 = PieceType::ALL.into_iter().map(weight).sum();
    (sum * 256 / 24).min(256)
}

fn taper(score: TaperedScore, phase: i32) -> Value {
    let value = score.taper(phase);
    value.clamp(-TB_WIN_IN_MAX_PLY + 1, TB_WIN_IN_MAX_PLY - 1)
}
