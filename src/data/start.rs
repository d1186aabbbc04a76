//! Codes the start of a game: a Chess960 array by its number or any other position square by
//! square, then the moves of the opening.
//! Invariant: the position read has the clocks, the castling rights and the opening of the one
//! written.

use super::coder::{BitModel, Coder, NumberModel};
use super::order::{MoveModels, code_move};
use super::record::{MAX_PLIES, RecordError};
use crate::rules::{
    Castling, CastlingSide, Color, Move, Piece, Position, Setup, Square, Variant, chess960,
};

/// The number of the start position of chess among the Chess960 arrays.
const STANDARD: u16 = 518;

/// Models of start positions and of opening moves, which are mostly random.
#[derive(Clone)]
pub struct StartModels {
    variant: BitModel,
    is_array: BitModel,
    is_standard: BitModel,
    array: [BitModel; 1024],
    /// By the piece that stands on the square in the start position of chess.
    squares: [[BitModel; 16]; 13],
    side: BitModel,
    castling: [[BitModel; 2]; 2],
    rooks: [[BitModel; 8]; 2],
    en_passant: BitModel,
    files: [BitModel; 8],
    clocks: [NumberModel; 2],
    opening: NumberModel,
    moves: MoveModels,
}

impl StartModels {
    pub const NEW: StartModels = StartModels {
        variant: BitModel::EVEN,
        is_array: BitModel::EVEN,
        is_standard: BitModel::EVEN,
        array: [BitModel::EVEN; 1024],
        squares: [[BitModel::EVEN; 16]; 13],
        side: BitModel::EVEN,
        castling: [[BitModel::EVEN; 2]; 2],
        rooks: [[BitModel::EVEN; 8]; 2],
        en_passant: BitModel::EVEN,
        files: [BitModel::EVEN; 8],
        clocks: [NumberModel::NEW; 2],
        opening: NumberModel::NEW,
        moves: MoveModels::NEW,
    };
}

/// Writes or reads a position together with the moves in its history.
///
/// # Errors
/// When what is read is not a valid position or has an illegal move.
pub fn code(
    coder: &mut impl Coder,
    models: &mut StartModels,
    start: Option<&Position>,
) -> Result<Position, RecordError> {
    let known = start.map(split);
    let base = known.as_ref().map(|(base, _)| base);
    let is_no_check = base.is_some_and(|base| base.variant() == Variant::NoCheckAtomic);
    let variant = if coder.bit(&mut models.variant, is_no_check) {
        Variant::NoCheckAtomic
    } else {
        Variant::Atomic
    };
    let array = base.and_then(chess960::number_of);
    let mut pos = if coder.bit(&mut models.is_array, array.is_some()) {
        let array = array.unwrap_or(STANDARD);
        if coder.bit(&mut models.is_standard, array == STANDARD) {
            Position::startpos(variant)
        } else {
            let number = coder.bits(&mut models.array, 10, array.into());
            chess960::start_position(number as u16, variant)
        }
    } else {
        let setup = base.map_or(Setup::empty(variant), Position::setup);
        Position::from_setup(&code_setup(coder, models, setup))?
    };
    let opening = known.map_or(vec![], |(_, opening)| opening);
    let count = coder.number(&mut models.opening, opening.len() as u32);
    if coder.failed() || count as usize > MAX_PLIES {
        return Err(RecordError::TooLong(count));
    }
    for number in 0..count as usize {
        let mv = opening.get(number).copied();
        let mv = code_move(coder, &mut models.moves, &pos, mv).filter(|_| !coder.failed());
        pos.make(mv.ok_or(RecordError::IllegalOpening)?);
    }
    Ok(pos)
}

/// The position before the moves in the history, and the moves. A history with null moves counts
/// as none.
fn split(start: &Position) -> (Position, Vec<Move>) {
    let (mut base, mut moves) = (start.clone(), vec![]);
    while let Some(mv) = base.last_move() {
        base.unmake();
        moves.push(mv);
    }
    if base.ply() > 0 {
        return (start.without_history(), vec![]);
    }
    moves.reverse();
    (base, moves)
}

fn code_setup(coder: &mut impl Coder, models: &mut StartModels, known: Setup) -> Setup {
    let mut setup = Setup::empty(known.variant);
    let standard = Position::startpos(known.variant);
    let number = |piece: Option<Piece>| piece.map_or(0, |piece| 1 + piece.index());
    for square in Square::all() {
        let models = &mut models.squares[number(standard.piece_at(square))];
        let piece = number(known.board[square.index()]) as u32;
        let piece = coder.bits(models, 4, piece);
        let piece = (piece as usize).checked_sub(1);
        setup.board[square.index()] = piece.and_then(|piece| Piece::ALL.get(piece).copied());
    }
    if coder.bit(&mut models.side, known.side_to_move == Color::Black) {
        setup.side_to_move = Color::Black;
    }
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            let rook = castling_rook(&known, color, side);
            let model = &mut models.castling[color.index()][side as usize];
            if coder.bit(model, rook.is_some()) {
                let file = rook.map_or(0, |rook| rook.file().into());
                let file = coder.bits(&mut models.rooks[side as usize], 3, file);
                let rook = Square::new(file as u8, 0).relative(color);
                setup.castling.push((color, rook));
            }
        }
    }
    if coder.bit(&mut models.en_passant, known.en_passant.is_some()) {
        let file = known.en_passant.map_or(0, |square| square.file().into());
        let file = coder.bits(&mut models.files, 3, file);
        let square = Square::new(file as u8, 5).relative(setup.side_to_move);
        setup.en_passant = Some(square);
    }
    for (models, (clock, known)) in models.clocks.iter_mut().zip([
        (&mut setup.halfmove_clock, known.halfmove_clock),
        (&mut setup.fullmove_number, known.fullmove_number),
    ]) {
        *clock = coder.number(models, known.into()).min(u16::MAX.into()) as u16;
    }
    setup
}

/// The rook of a castling right of `setup`.
fn castling_rook(setup: &Setup, color: Color, side: CastlingSide) -> Option<Square> {
    let king = setup.king(color)?;
    let rooks = setup.castling.iter().filter(|right| right.0 == color);
    let mut rooks = rooks.map(|right| right.1);
    rooks.find(|&rook| Castling::side_of(king, rook) == side)
}
