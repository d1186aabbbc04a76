//! The legal moves of a position in the order in which game files number them.
//! Invariant: this order and these classes are part of the format and never change:
//! they depend on the rules of the game and on nothing else of the program.

use arrayvec::ArrayVec;

use super::coder::{BitModel, Coder};
use crate::rules::{
    AttackSquares, Bitboard, MAX_MOVES, Move, MoveKind, PieceType, Position, Square, attacks,
};

const CLASSES: usize = 60;
/// The class of a move that lets the opponent explode the king of its side.
const LOSING: usize = 59;
/// The class of an underpromoting capture.
const REDUNDANT: usize = 58;
/// How likely a move of each class is to be played: 16 times the logarithm of the share of such
/// moves that were played in games.
const CHANCES: [i8; CLASSES] = [
    0, -17, -23, -27, -35, -61, -75, -33, -30, -71, // captures, promotions, castling
    -51, -13, -43, -17, -46, -29, -40, -27, // pawn moves by flags
    -48, -22, -55, -21, -43, -30, -51, -29, // knight
    -59, -30, -62, -28, -55, -34, -56, -28, // bishop
    -63, -20, -56, -18, -63, -27, -55, -21, // rook
    -63, -37, -50, -27, -68, -47, -59, -36, // queen
    -48, -53, -20, -53, -29, -53, -15, -53, // king
    -90, -90,
];

/// Models of moves, by class and by the logarithm of the number of moves left.
#[derive(Clone)]
pub struct MoveModels([[BitModel; 10]; CLASSES]);

impl MoveModels {
    pub const NEW: MoveModels = MoveModels([[BitModel::EVEN; 10]; CLASSES]);
}

/// Writes or reads a legal move: for each move in the order of [`MoveOrder`], whether it is the one.
/// `None` if there is no legal move.
pub fn code_move(
    coder: &mut impl Coder,
    models: &mut MoveModels,
    pos: &Position,
    mv: Option<Move>,
) -> Option<Move> {
    let order = MoveOrder::new(pos);
    let mut left = order.moves.len() as u32;
    for &ranked in &order.moves {
        let candidate = ranked.mv()?;
        if left == 1 {
            return Some(candidate);
        }
        let model = &mut models.0[order.class(ranked, candidate)][left.ilog2() as usize];
        if coder.bit(model, mv == Some(candidate)) {
            return Some(candidate);
        }
        left -= 1;
    }
    None
}

/// The legal moves, likely ones first.
struct MoveOrder<'a> {
    pos: &'a Position,
    moves: ArrayVec<RankedMove, MAX_MOVES>,
    enemy: EnemyAttacks,
}

/// A move below its class and above that its rank; they sort as numbers, the best the greatest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RankedMove(u32);

impl RankedMove {
    fn new(mv: Move, class: usize, rank: u8) -> RankedMove {
        RankedMove(u32::from(rank) << 24 | (class as u32) << 16 | u32::from(mv.code()))
    }

    fn mv(self) -> Option<Move> {
        Move::from_code(self.0 as u16)
    }

    fn class(self) -> usize {
        (self.0 >> 16 & 0xff) as usize
    }
}

/// What the enemy attacks and what it must protect. Its king counts as no attacker, since it does
/// not capture.
struct EnemyAttacks {
    /// Attacked squares, occupied or not.
    all: Bitboard,
    /// Those attacked by bishops, rooks and queens.
    by_sliders: Bitboard,
    /// The enemy can explode the king of the side to move.
    threatens: bool,
    /// The squares from which a piece attacks an enemy piece whose capture wins.
    hits: AttackSquares,
}

impl EnemyAttacks {
    fn new(pos: &Position) -> EnemyAttacks {
        let (us, them, occupied) = (pos.side_to_move(), !pos.side_to_move(), pos.occupied());
        let attacked_by = |kinds: &[PieceType]| {
            let mut attacked = Bitboard::EMPTY;
            for &kind in kinds {
                for square in pos.pieces(them, kind) {
                    attacked |= attacks::piece(kind, them, square, occupied);
                }
            }
            attacked
        };
        let by_sliders = attacked_by(&[PieceType::Bishop, PieceType::Rook, PieceType::Queen]);
        let all = by_sliders | attacked_by(&[PieceType::Pawn, PieceType::Knight]);
        EnemyAttacks {
            all,
            by_sliders,
            threatens: (all & pos.explosive_targets(them)).any(),
            hits: AttackSquares::new(pos.explosive_targets(us), us, occupied),
        }
    }
}

impl<'a> MoveOrder<'a> {
    fn new(pos: &'a Position) -> MoveOrder<'a> {
        let mut order = MoveOrder { pos, moves: ArrayVec::new(), enemy: EnemyAttacks::new(pos) };
        for mv in pos.legal_moves() {
            let class = order.class_unless_losing(mv);
            order.moves.push(RankedMove::new(mv, class, order.rank(mv, class)));
        }
        order.moves.sort_unstable_by(|a, b| b.cmp(a));
        order
    }

    /// The class of a move, which is below [`CLASSES`]: moves of one class are about equally likely.
    fn class(&self, ranked: RankedMove, mv: Move) -> usize {
        if self.loses(mv) { LOSING } else { ranked.class() }
    }

    fn class_unless_losing(&self, mv: Move) -> usize {
        if mv.is_redundant() {
            return REDUNDANT;
        }
        if mv.is_capture() {
            return match self.gain(mv) {
                50.. => 0,
                5..50 => 1,
                2..5 => 2,
                1 => 3,
                0 => 4,
                -2..0 => 5,
                _ => 6,
            };
        }
        match mv.kind() {
            MoveKind::PromoteQueen => 7,
            MoveKind::Castle => 8,
            kind if kind.promotion().is_some() => 9,
            _ => self.quiet_class(mv),
        }
    }

    /// The type of the piece and three bits: the move attacks a piece whose capture wins, the piece
    /// is attacked now, it will be attacked.
    fn quiet_class(&self, mv: Move) -> usize {
        let piece = self.pos.piece_at(mv.from());
        let kind = piece.map_or(PieceType::Pawn, |piece| piece.piece_type());
        10 + 8 * kind.index()
            + usize::from(self.enemy.hits.of(kind).contains(mv.to()))
            + 2 * usize::from(self.enemy.all.contains(mv.from()))
            + 4 * usize::from(self.enemy.all.contains(mv.to()))
    }

    /// Within a class, moves forward and to the centre come first.
    fn rank(&self, mv: Move, class: usize) -> u8 {
        let us = self.pos.side_to_move();
        let place = |square: Square| {
            let (file, rank) = (square.file() as i8, square.rank() as i8);
            file.min(7 - file) + rank.min(7 - rank) + square.relative_rank(us) as i8
        };
        (100 + CHANCES[class] + place(mv.to()) - place(mv.from())) as u8
    }

    /// Material that a capture removes from the enemy less what it removes from its side, in
    /// pawns.
    fn gain(&self, mv: Move) -> i32 {
        let victims = (self.pos.blast_victims(mv.to())).with(mv.from());
        let own = victims & self.pos.by_color(self.pos.side_to_move());
        let mut gain = i32::from(mv.kind() == MoveKind::EnPassant);
        // From the pawn to the king.
        for (kind, value) in PieceType::ALL.into_iter().zip([1, 3, 3, 5, 9, 100]) {
            let pieces = self.pos.by_type(kind);
            let (all, own) = ((victims & pieces).count(), (own & pieces).count());
            gain += (all as i32 - 2 * own as i32) * value;
        }
        gain
    }

    /// True when the opponent can explode the mover's king after a move.
    fn loses(&self, mv: Move) -> bool {
        let (pos, us) = (self.pos, self.pos.side_to_move());
        let (Some(king), Some(other)) = (pos.king(us), pos.king(!us)) else {
            return false;
        };
        let (from, to, kind) = (mv.from(), mv.to(), mv.kind());
        let is_simple = !mv.is_capture() && kind != MoveKind::Castle && from != king;
        if is_simple && !self.enemy.threatens && !self.enemy.by_sliders.contains(from) {
            // The move opens no line, so that only the piece itself can be captured.
            let is_vital = (attacks::blast(king) - attacks::blast(other)).contains(to);
            return is_vital && self.enemy.all.contains(to);
        }
        let (removed, added) = pos.changed_squares(from, to, kind);
        if removed.contains(other) {
            return false;
        }
        let own = (pos.by_color(us) - removed) | added;
        let enemy = pos.by_color(!us) - removed;
        let vital = (attacks::blast(pos.king_after(king, mv)) & own) - attacks::blast(other);
        let attackers = enemy.without(other);
        vital.into_iter().any(|square| (pos.attackers_to(square, own | enemy) & attackers).any())
    }
}
