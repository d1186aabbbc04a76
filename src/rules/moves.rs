//! Moves in 16 bits: from, to and a kind.
//! Castling is written king-takes-own-rook, which is unambiguous in Chess960 as well.

use std::fmt;
use std::num::NonZeroU16;

use arrayvec::ArrayVec;

use super::{PieceType, Square};

/// No position with at most 16 men a side has more moves: 15 men of at most 27 moves
/// each (a queen's reach; a pawn has at most 3 × 4), a king's 8 and two castlings.
pub const MAX_MOVES: usize = 15 * 27 + 8 + 2;

/// A list of moves on the stack.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

/// What a move does beyond its two squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum MoveKind {
    /// To an empty square, nothing else happens.
    Quiet = 0,
    /// A pawn's first move of two squares.
    DoublePush = 1,
    /// Castling; the target square is that of the own rook.
    Castle = 2,
    /// En passant; the blast is centred on the landing square.
    EnPassant = 3,
    /// Any capture that is neither en passant nor a promotion.
    Capture = 4,
    /// Promotion without capture, one code for each piece.
    PromoteKnight = 8,
    /// See [`MoveKind::PromoteKnight`].
    PromoteBishop = 9,
    /// See [`MoveKind::PromoteKnight`].
    PromoteRook = 10,
    /// See [`MoveKind::PromoteKnight`].
    PromoteQueen = 11,
    /// Promotion by capture: the promoted piece explodes, so all four lead to one position.
    CapturePromoteKnight = 12,
    /// See [`MoveKind::CapturePromoteKnight`].
    CapturePromoteBishop = 13,
    /// See [`MoveKind::CapturePromoteKnight`].
    CapturePromoteRook = 14,
    /// See [`MoveKind::CapturePromoteKnight`].
    CapturePromoteQueen = 15,
}

impl MoveKind {
    const CODES: [Option<MoveKind>; 16] = [
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
    pub const PROMOTIONS: [MoveKind; 4] = [
        MoveKind::PromoteKnight,
        MoveKind::PromoteBishop,
        MoveKind::PromoteRook,
        MoveKind::PromoteQueen,
    ];

    /// The four promotions with a capture, knight first.
    pub const CAPTURE_PROMOTIONS: [MoveKind; 4] = [
        MoveKind::CapturePromoteKnight,
        MoveKind::CapturePromoteBishop,
        MoveKind::CapturePromoteRook,
        MoveKind::CapturePromoteQueen,
    ];

    /// True when the move explodes: captures, capture-promotions and en passant.
    #[inline]
    pub const fn is_capture(self) -> bool {
        matches!(self as u8, 3 | 4 | 12..)
    }

    /// The piece promoted to.
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

/// A move: bits 0–5 from, 6–11 to, 12–15 kind. The code 0 (a1 to a1) is no move, which
/// lets `Option<Move>` fit in 16 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU16);

const _: () = assert!(size_of::<Option<Move>>() == 2);

impl Move {
    /// The move of the given squares and kind.
    ///
    /// # Panics
    /// When both squares are a1 and the kind is quiet, which no move is.
    #[inline]
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Move {
        let code = from.index() as u16 | (to.index() as u16) << 6 | (kind as u16) << 12;
        match NonZeroU16::new(code) {
            Some(code) => Move(code),
            None => panic!("a move from a1 to a1"),
        }
    }

    /// The move with the given code; `None` for 0 and for the three unused kinds.
    #[inline]
    pub const fn from_code(code: u16) -> Option<Move> {
        match (
            MoveKind::CODES[(code >> 12) as usize],
            NonZeroU16::new(code),
        ) {
            (Some(_), Some(code)) => Some(Move(code)),
            _ => None,
        }
    }

    /// Its 16-bit code, never 0.
    #[inline]
    pub const fn code(self) -> u16 {
        self.0.get()
    }

    /// The square it starts on.
    #[inline]
    pub const fn from(self) -> Square {
        Square::wrapping(self.0.get() as u32)
    }

    /// The square it ends on; for castling the square of the own rook.
    #[inline]
    pub const fn to(self) -> Square {
        Square::wrapping(self.0.get() as u32 >> 6)
    }

    /// What it does beyond its squares.
    #[inline]
    pub const fn kind(self) -> MoveKind {
        match MoveKind::CODES[(self.0.get() >> 12) as usize] {
            Some(kind) => kind,
            None => MoveKind::Quiet,
        }
    }

    /// True when the move explodes.
    #[inline]
    pub const fn is_capture(self) -> bool {
        matches!(self.0.get() >> 12, 3 | 4 | 12..)
    }

    /// The piece promoted to.
    #[inline]
    pub const fn promotion(self) -> Option<PieceType> {
        self.kind().promotion()
    }

    /// True for captures and promotions: what the noisy stage generates.
    #[inline]
    pub const fn is_noisy(self) -> bool {
        self.0.get() >> 12 > 2
    }

    /// True for one of the three capture-promotions that equal the queen's in effect.
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
