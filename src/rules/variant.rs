//! The two rule sets, and a predicate for each difference between them.
//! Invariant: move generation and outcomes depend on the variant only through these predicates.

use std::fmt;

/// The rules of the game, a run-time value stored in each position.
///
/// # Examples
/// ```
/// use brisance::rules::Variant;
///
/// assert_eq!(Variant::default(), Variant::Atomic);
/// assert_eq!(Variant::from_name("NoCheckAtomic"), Some(Variant::NoCheckAtomic));
/// assert_eq!(Variant::Atomic.to_string(), "atomic");
/// assert!(Variant::Atomic.has_check() && !Variant::NoCheckAtomic.has_check());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Variant {
    /// The rules of Lichess, FICS and Chess.com: a king must not be left in check, adjacent kings
    /// cannot check each other, and a move that explodes the enemy king is legal even in check.
    #[default]
    Atomic,
    /// The rules of the Internet Chess Club: there is no check, and the only illegal captures are
    /// those that explode the capturing side's king.
    NoCheckAtomic,
}

impl Variant {
    /// Both variants, the default first.
    pub const ALL: [Variant; 2] = [Variant::Atomic, Variant::NoCheckAtomic];

    /// True when a king must not stay on, move to or castle through an attacked square.
    #[inline]
    pub const fn has_check(self) -> bool {
        matches!(self, Variant::Atomic)
    }

    /// True when a single minor piece or rook cannot win against a bare king. Without check a
    /// bare king is never stalemated by attacked squares, so any piece may be enough to win.
    #[inline]
    pub(crate) const fn lone_piece_is_insufficient(self) -> bool {
        matches!(self, Variant::Atomic)
    }

    /// The value of the UCI option `UCI_Variant`.
    pub const fn name(self) -> &'static str {
        match self {
            Variant::Atomic => "atomic",
            Variant::NoCheckAtomic => "nocheckatomic",
        }
    }

    /// The variant with the given `UCI_Variant` name, in any case.
    pub fn from_name(name: &str) -> Option<Variant> {
        Variant::ALL.into_iter().find(|v| v.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
