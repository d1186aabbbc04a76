//! The handcrafted evaluation (HCE): a sum of readable terms, tapered between midgame and
//! endgame and scaled towards a draw. Play uses the network by default; the HCE serves as a
//! fallback and for the `eval` trace.
//! Invariant: a position and its mirror image with colours swapped have the same value.
//!
//! To add a term: compute it in `terms_of`, and put its weights into `params.rs`.

mod blast;
mod params;
mod tapered;
mod terms;

use crate::eval::draw;
use crate::eval::score::{self, TB_WIN_IN_MAX_PLY, Value};
use crate::rules::{Color, PieceType, Position, attacks};
pub use tapered::TaperedScore;
use terms::AttackMap;

/// The terms in the order in which they are displayed: their names, and the values for White and
/// for Black.
type Terms = [(&'static str, [TaperedScore; 2]); 10];

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
    let value = taper(sum(&terms_of(pos)), phase(pos));
    let value = draw::scale_value(pos, value, Color::White);
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
    let (terms, phase) = (terms_of(pos), phase(pos));
    let unscaled = taper(sum(&terms), phase);
    let strong_side = if unscaled > 0 { Color::White } else { Color::Black };
    let line = |(name, by_color)| TraceTerm { name, by_color };
    Trace {
        terms: terms.map(line).into(),
        phase,
        scale: draw::scale_factor(pos, strong_side),
        total: draw::scale_value(pos, unscaled, Color::White),
    }
}

/// White's terms minus Black's.
fn sum(terms: &Terms) -> TaperedScore {
    let differences = terms.iter().map(|&(_, [white, black])| white - black);
    differences.fold(TaperedScore::default(), |sum, term| sum + term)
}

fn terms_of(pos: &Position) -> Terms {
    let mut attack_map = AttackMap::default();
    let mobility = Color::ALL.map(|color| terms::mobility(pos, color, &mut attack_map));
    let material = Color::ALL.map(|color| terms::material(pos, color));
    let piece_square = Color::ALL.map(|color| terms::piece_square(pos, color));
    let passed_pawns = Color::ALL.map(|color| terms::passed_pawns(pos, color));
    let count = |color| params::PIECE_COUNT * pos.by_color(color).count() as i32;
    let [mut threats, mut ring, mut confined, mut touching, mut tempo] = <[[_; 2]; 5]>::default();
    if let [Some(white_king), Some(black_king)] = Color::ALL.map(|color| pos.king(color)) {
        let kings_touch = attacks::king(white_king).contains(black_king);
        for (color, king, enemy_king) in
            [(Color::White, white_king, black_king), (Color::Black, black_king, white_king)]
        {
            let at = color.index();
            threats[at] = blast::threats(pos, color, king, enemy_king, &attack_map);
            ring[at] = blast::king_ring(pos, color, king, enemy_king, kings_touch, &attack_map);
            confined[at] = blast::confined_king(pos, color, king);
        }
        let lead = material[0].eg - material[1].eg;
        if kings_touch && lead != 0 {
            touching[usize::from(lead > 0)] = params::TOUCHING_KINGS;
        }
        tempo[pos.side_to_move().index()] = params::TEMPO;
    }
    [
        ("material", material),
        ("piece count", Color::ALL.map(count)),
        ("piece-square", piece_square),
        ("mobility", mobility),
        ("blast threats", threats),
        ("king ring", ring),
        ("confined king", confined),
        ("touching kings", touching),
        ("passed pawns", passed_pawns),
        ("tempo", tempo),
    ]
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
