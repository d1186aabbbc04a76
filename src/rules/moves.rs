//! Moves in 16 bits: origin, destination and kind.
//! Invariant: a move is never 0, and castling is encoded as king takes own rook, which is
//! unambiguous in Chess960 too.

use std::fmt;
use std::num::NonZeroU16;

use arrayvec::ArrayVec;

use super::{PieceType, Square};

/// An upper bound on the legal moves of a position with at most 16 pieces a side: 15 pieces with at
/// most 27 moves each (a queen; a pawn has at most 3 × 4), 8 king moves and two castlings.
pub const MAX_MOVES: usize = 15 * 27 + 8 + 2;

/// A move list on the stack, large enough for every position.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

/// The kind of a move: what it does besides going from one square to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names say it")]
pub enum MoveKind {
    /// A move to an empty square that is none of the kinds below.
    Quiet = 0,
    /// A pawn's first move of two squares.
    DoublePush = 1,
    /// Castling; the destination is the square of the castling rook.
    Castle = 2,
    /// En passant; the blast is centred on the destination of the capturing pawn.
    EnPassant = 3,
    /// Any capture that is neither en passant nor a promotion.
    Capture = 4,
    /// Promotion to a knight without a capture.
    PromoteKnight = 8,
    PromoteBishop = 9,
    PromoteRook = 10,
    PromoteQueen = 11,
    /// Promotion to a knight by a capture. The promoted piece explodes, so all four
    /// capture-promotions lead to the same position.
    CapturePromoteKnight = 12,
    CapturePromoteBishop = 13,
    CapturePromoteRook = 14,
    CapturePromoteQueen = 15,
}

impl MoveKind {
    /// The kind of each 4-bit code; codes 5 to 7 are unused.
    const BY_CODE: [Option<MoveKind>; 16] = [
        Some(MoveKind::Quiet),
        Some(MoveKind::DoublePush),
        Some(MoveKind::Castle),
        Some(MoveKind::EnPassant),
        Some(MoveKind::Capture),
        None,
        None,
        None,
        Some(MoveKind::PromoteKnight),
        Some(MoveKind::PromoteBishop),
        Some(MoveKind::PromoteRook),
        Some(MoveKind::PromoteQueen),
        Some(MoveKind::CapturePromoteKnight),
        Some(MoveKind::CapturePromoteBishop),
        Some(MoveKind::CapturePromoteRook),
        Some(MoveKind::CapturePromoteQueen),
    ];

    /// The four promotions without a capture, knight first.
    pub(crate) const PROMOTIONS: [MoveKind; 4] = [
        MoveKind::PromoteKnight,
        MoveKind::PromoteBishop,
        MoveKind::PromoteRook,
        MoveKind::PromoteQueen,
    ];

    /// The four promotions with a capture, knight first.
    pub(crate) const CAPTURE_PROMOTIONS: [MoveKind; 4] = [
        MoveKind::CapturePromoteKnight,
        MoveKind::CapturePromoteBishop,
        MoveKind::CapturePromoteRook,
        MoveKind::CapturePromoteQueen,
    ];

    /// True for every kind that causes an explosion: captures, capture-promotions and en passant.
    #[inline]
    pub const fn is_capture(self) -> bool {
        matches!(self as u8, 3 | 4 | 12..)
    }

    /// The piece type that a pawn promotes to; `None` for other kinds.
    #[inline]
    pub const fn promotion(self) -> Option<PieceType> {
        match self as u8 {
            8 | 12 => Some(PieceType::Knight),
            9 | 13 => Some(PieceType::Bishop),
            10 | 14 => Some(PieceType::Rook),
            11 | 15 => Some(PieceType::Queen),
            _ => None,
        }
    }
}

/// A move: bits 0–5 are the origin, 6–11 the destination, 12–15 the kind. The code 0 (a1 to a1) is
/// not a move, so `Option<Move>` fits in 16 bits.
///
/// # Examples
/// ```
/// use brisance::notation::coord;
/// use brisance::rules::{Move, MoveKind, Position, Square, Variant};
///
/// let pos = Position::startpos(Variant::Atomic);
/// let mv = coord::parse(&pos, "g1f3").expect("a legal move");
/// assert_eq!(Some(mv.from()), Square::parse("g1"));
/// assert_eq!(Some(mv.to()), Square::parse("f3"));
/// assert_eq!(mv.kind(), MoveKind::Quiet);
/// assert!(!mv.is_capture());
/// assert_eq!(Move::from_code(mv.code()), Some(mv));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU16);

const _: () = assert!(size_of::<Option<Move>>() == 2);

impl Move {
    /// The move of the given kind between two squares.
    ///
    /// # Panics
    /// When both squares are a1 and the kind is quiet.
    #[inline]
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Move {
        let code = from.index() as u16 | (to.index() as u16) << 6 | (kind as u16) << 12;
        match NonZeroU16::new(code) {
            Some(code) => Move(code),
            None => panic!("a move from a1 to a1"),
        }
    }

    /// The move with a 16-bit code; `None` for 0 and for the unused kinds 5 to 7.
    #[inline]
    pub const fn from_code(code: u16) -> Option<Move> {
        match (MoveKind::BY_CODE[(code >> 12) as usize], NonZeroU16::new(code)) {
            (Some(_), Some(code)) => Some(Move(code)),
            _ => None,
        }
    }

    /// The 16-bit code, never 0.
    #[inline]
    pub const fn code(self) -> u16 {
        self.0.get()
    }

    /// The square that the piece leaves.
    #[inline]
    pub const fn from(self) -> Square {
        Square::from_index(self.0.get() as u32)
    }

    /// The destination; for castling the square of the castling rook.
    #[inline]
    pub const fn to(self) -> Square {
        Square::from_index(self.0.get() as u32 >> 6)
    }

    /// The kind of the move.
    #[inline]
    pub const fn kind(self) -> MoveKind {
        match MoveKind::BY_CODE[(self.0.get() >> 12) as usize] {
            Some(kind) => kind,
            None => MoveKind::Quiet,
        }
    }

    /// True when the move causes an explosion.
    #[inline]
    pub const fn is_capture(self) -> bool {
        matches!(self.0.get() >> 12, 3 | 4 | 12..)
    }

    /// The piece type that the move promotes to; `None` if it is not a promotion.
    #[inline]
    pub const fn promotion(self) -> Option<PieceType> {
        self.kind().promotion()
    }

    /// True for captures and promotions: the moves that [`Noisy`](super::Noisy) generates.
    #[inline]
    pub const fn is_noisy(self) -> bool {
        self.0.get() >> 12 > 2
    }

    /// True for an underpromoting capture, which leads to the same position as the capture that
    /// promotes to a queen.
    #[inline]
    pub const fn is_redundant(self) -> bool {
        matches!(self.0.get() >> 12, 12..=14)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}:{:?}", self.from(), self.to(), self.kind())
    }
}
