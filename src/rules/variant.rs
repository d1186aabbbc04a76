//! The two rule sets and every predicate in which they differ.

use std::fmt;

/// The rules of the game. A value, not a type: a position carries it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Variant {
    /// Lichess, FICS and Chess.com: check is enforced, touching kings are immune,
    /// exploding the enemy king beats check.
    #[default]
    Atomic,
    /// The Internet Chess Club: no check at all; the only illegal moves are those that
    /// blow up one's own king.
    NoCheckAtomic,
}

impl Variant {
    /// Both, the default first.
    pub const ALL: [Variant; 2] = [Variant::Atomic, Variant::NoCheckAtomic];

    /// True when a king may not be left, moved or castled through attack.
    #[inline]
    pub const fn has_check(self) -> bool {
        matches!(self, Variant::Atomic)
    }

    /// True when a lone minor piece or rook cannot win against a bare king. Without check
    /// the bare king has no stalemate by check to hide in, so any man may be enough.
    #[inline]
    pub const fn bare_king_defends(self) -> bool {
        matches!(self, Variant::Atomic)
    }

    /// The name that `UCI_Variant` uses.
    pub const fn name(self) -> &'static str {
        match self {
            Variant::Atomic => "atomic",
            Variant::NoCheckAtomic => "nocheckatomic",
        }
    }

    /// The variant of that name, in any case.
    pub fn from_name(name: &str) -> Option<Variant> {
        Variant::ALL
            .into_iter()
            .find(|v| v.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
