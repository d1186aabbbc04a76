//! Positions: from a FEN, and in random games from varied starts with moves biased towards the
//! special cases (blasts near kings, touching kings, castling, en passant).
//! Invariant: the seed determines everything.

use brisance::notation::fen::{self, CastlingStyle};
use brisance::notation::san;
use brisance::rules::{
    Color, Move, MoveKind, Piece, PieceType, Position, Setup, Square, Variant, attacks,
};

use crate::random::Random;

pub fn position(text: &str) -> Position {
    position_in(Variant::Atomic, text)
}

pub fn position_in(variant: Variant, text: &str) -> Position {
    fen::parse(text, variant).unwrap_or_else(|error| panic!("{text}: {error}"))
}

pub fn x_fen(pos: &Position) -> String {
    fen::write(pos, CastlingStyle::XFen)
}

/// The FEN whose castling field has the files of the rooks.
pub fn shredder(pos: &Position) -> String {
    fen::write(pos, CastlingStyle::Shredder)
}

/// Plays moves in coordinates or SAN, and returns them.
#[track_caller]
pub fn play(pos: &mut Position, moves: &str) -> Vec<Move> {
    let play = |text| {
        san::play(pos, text).unwrap_or_else(|error| panic!("{error}"));
        pos.last_move().expect("a move")
    };
    moves.split_whitespace().map(play).collect()
}

/// Kinds of starting position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    Standard,
    /// A Chess960 position, different for both sides.
    Chess960,
    /// Two kings and a few pieces anywhere.
    Sparse,
    /// The same with touching kings.
    Touching,
    /// Kings and minor pieces, close to insufficient material.
    Minors,
    /// Kings and rooks on their first rank on random files, a king close to the enemy, few pieces.
    Castling,
    /// Pawns that can capture en passant now or soon, with sliders around.
    EnPassant,
    /// A full, random board: large explosions, many pins, several checkers.
    Crowded,
}

impl Start {
    /// The kinds in an endless cycle. The artificial ones are the most frequent because their
    /// games are the shortest.
    pub fn cycle() -> impl Iterator<Item = Start> {
        use Start::*;
        let games = [Standard, Chess960, Sparse, Touching, Minors, Sparse];
        let artificial = [Castling, EnPassant, Crowded, EnPassant];
        let round = games.map(|game| [&[game][..], &artificial].concat());
        round.concat().into_iter().cycle()
    }

    /// Maximum length of a game in plies: short for the artificial kinds, whose special features
    /// disappear after a few moves.
    pub fn max_plies(self) -> usize {
        match self {
            Start::Standard | Start::Chess960 => 50,
            Start::Sparse | Start::Touching | Start::Minors => 24,
            Start::Castling | Start::Crowded => 10,
            Start::EnPassant => 5,
        }
    }

    pub fn position(self, variant: Variant, random: &mut Random) -> Position {
        loop {
            let mut setup = Setup::empty(variant);
            if random.one_in(2) {
                setup.side_to_move = Color::Black;
            }
            match self {
                Start::Standard => return Position::startpos(variant),
                Start::Chess960 => {
                    setup.side_to_move = Color::White;
                    for color in Color::ALL {
                        chess960(&mut setup, color, random);
                    }
                }
                Start::Sparse => {
                    kings(&mut setup, random);
                    let count = 1 + random.below(12);
                    scatter(&mut setup, count, &PIECE_TYPES, random);
                }
                Start::Touching => {
                    touching_kings(&mut setup, random);
                    let count = 1 + random.below(20);
                    scatter(&mut setup, count, &PIECE_TYPES, random);
                }
                Start::Minors => {
                    kings(&mut setup, random);
                    let piece_types: &[PieceType] = match random.below(4) {
                        0 => &[PieceType::Bishop],
                        1 => &[PieceType::Knight],
                        _ => &[PieceType::Knight, PieceType::Bishop, PieceType::Rook],
                    };
                    let count = random.below(6);
                    scatter(&mut setup, count, piece_types, random);
                }
                Start::Castling => castling(&mut setup, random),
                Start::EnPassant => en_passant(&mut setup, random),
                Start::Crowded => {
                    if random.one_in(3) {
                        touching_kings(&mut setup, random)
                    } else {
                        kings(&mut setup, random)
                    }
                    scatter(&mut setup, 40, &PIECE_TYPES, random);
                }
            }
            if let Ok(position) = Position::from_setup(&setup) {
                return position;
            }
        }
    }
}

const PIECE_TYPES: [PieceType; 7] = {
    use PieceType::*;
    [Pawn, Pawn, Pawn, Knight, Bishop, Rook, Queen]
};

fn is_free(setup: &Setup, square: Square) -> bool {
    setup.board[square.index()].is_none()
}

fn put(setup: &mut Setup, color: Color, piece_type: PieceType, square: Square) {
    setup.board[square.index()] = Some(Piece::new(color, piece_type));
}

fn any_square(random: &mut Random) -> Square {
    Square::from_index(random.below(64) as u32)
}

fn any_color(random: &mut Random) -> Color {
    *random.pick(&Color::ALL)
}

fn scatter(setup: &mut Setup, count: usize, piece_types: &[PieceType], random: &mut Random) {
    for _ in 0..count {
        let (square, piece_type) = (any_square(random), *random.pick(piece_types));
        let back_rank = square.rank() == 0 || square.rank() == 7;
        if is_free(setup, square) && !(piece_type == PieceType::Pawn && back_rank) {
            put(setup, any_color(random), piece_type, square);
        }
    }
}

fn kings(setup: &mut Setup, random: &mut Random) {
    let white = any_square(random);
    put(setup, Color::White, PieceType::King, white);
    loop {
        let black = any_square(random);
        if black != white {
            put(setup, Color::Black, PieceType::King, black);
            return;
        }
    }
}

fn touching_kings(setup: &mut Setup, random: &mut Random) {
    let white = any_square(random);
    let ring: Vec<Square> = attacks::king(white).into_iter().collect();
    put(setup, Color::White, PieceType::King, white);
    put(setup, Color::Black, PieceType::King, *random.pick(&ring));
}

fn chess960(setup: &mut Setup, color: Color, random: &mut Random) {
    use PieceType::*;
    let mut back = [Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook];
    let file_of = |back: &[PieceType; 8], piece_type| {
        let files: Vec<usize> = (0..8).filter(|&file| back[file] == piece_type).collect();
        files
    };
    loop {
        random.shuffle(&mut back);
        let (rooks, bishops) = (file_of(&back, Rook), file_of(&back, Bishop));
        let king = file_of(&back, King)[0];
        if rooks[0] < king && king < rooks[1] && (bishops[0] + bishops[1]) % 2 == 1 {
            for (file, &piece_type) in back.iter().enumerate() {
                let square = |rank| Square::new(file as u8, rank).relative(color);
                put(setup, color, piece_type, square(0));
                put(setup, color, Pawn, square(1));
                if piece_type == Rook {
                    setup.castling.push((color, square(0)));
                }
            }
            return;
        }
    }
}

/// Both kings and up to four rooks on their first rank; often one king is close to the enemy,
/// where castling out of, through and into attack is legal.
fn castling(setup: &mut Setup, random: &mut Random) {
    let advanced = random.one_in(4).then(|| any_color(random));
    let advanced = advanced.or(Some(!setup.side_to_move)).filter(|_| !random.one_in(4));
    for color in Color::ALL {
        let home = |file: usize| Square::new(file as u8, 0).relative(color);
        if advanced == Some(color) {
            let near_enemy = Square::new(random.below(8) as u8, 5 + random.below(3) as u8);
            if is_free(setup, near_enemy.relative(color)) {
                put(setup, color, PieceType::King, near_enemy.relative(color));
            }
            continue;
        }
        // The standard squares half of the time.
        let (queen_side, king, king_side) = if random.one_in(2) {
            (0, 4, 7)
        } else {
            let king = 1 + random.below(6);
            let queen_side = random.below(king);
            (queen_side, king, king + 1 + random.below(7 - king))
        };
        if is_free(setup, home(king)) {
            put(setup, color, PieceType::King, home(king));
        }
        for file in [queen_side, king_side] {
            if !random.one_in(4) && is_free(setup, home(file)) {
                put(setup, color, PieceType::Rook, home(file));
                setup.castling.push((color, home(file)));
            }
        }
    }
    let count = random.below(10);
    scatter(setup, count, &PIECE_TYPES, random);
    // With a rook outside of the castling rook, X-FEN needs file letters.
    for _ in 0..random.below(3) {
        let color = any_color(random);
        let corner = Square::new(*random.pick(&[0, 7]), 0).relative(color);
        if is_free(setup, corner) {
            put(setup, color, PieceType::Rook, corner);
        }
    }
}

/// Pawns of the side to move on its fifth rank, enemy pawns just pushed next to them or on their
/// first squares, kings mostly within reach of the blast.
fn en_passant(setup: &mut Setup, random: &mut Random) {
    let (us, them) = (setup.side_to_move, !setup.side_to_move);
    let file = random.below(8) as u8;
    let at = |file: u8, rank: u8| Square::new(file, rank).relative(us);
    put(setup, them, PieceType::Pawn, at(file, 4));
    setup.en_passant = Some(at(file, 5));
    for side in [file.wrapping_sub(1), file + 1] {
        if side < 8 && !random.one_in(3) {
            put(setup, us, PieceType::Pawn, at(side, 4));
        }
    }
    for _ in 0..3 {
        let file = random.below(8) as u8;
        if is_free(setup, at(file, 1)) {
            put(setup, us, PieceType::Pawn, at(file, 1));
        }
        let file = random.below(8) as u8;
        if is_free(setup, at(file, 3)) {
            put(setup, them, PieceType::Pawn, at(file, 3));
        }
    }
    for color in Color::ALL {
        loop {
            let square = if random.one_in(2) {
                at(random.below(8) as u8, 3 + random.below(5) as u8)
            } else {
                any_square(random)
            };
            if is_free(setup, square) {
                put(setup, color, PieceType::King, square);
                break;
            }
        }
    }
    let count = random.below(8);
    let sliders = [PieceType::Rook, PieceType::Bishop, PieceType::Queen];
    scatter(setup, count, &sliders, random);
    // The en-passant square and the one behind it must be empty.
    for rank in [5, 6] {
        setup.board[at(file, rank).index()] = None;
    }
}

/// The next move of a random game, or `None` at its end. Moves that explode the king are rare
/// unless `prefers_wins`, so that most games are long enough for everything else.
pub fn choose(pos: &Position, prefers_wins: bool, random: &mut Random) -> Option<Move> {
    let moves = pos.legal_moves();
    if moves.is_empty() {
        return None;
    }
    let (us, kings) = (pos.side_to_move(), pos.by_type(PieceType::King));
    let near_king =
        |square: Square, reach: u8| kings.into_iter().any(|k| k.distance(square) <= reach);
    let other = pos.king(!us);
    let weight = |mv: &Move| -> u32 {
        if pos.explodes_king(*mv) {
            return if prefers_wins { 30 } else { 1 };
        }
        let king_moves = pos.king(us) == Some(mv.from());
        let distance = |square: Square| other.map_or(8, |k| k.distance(square));
        let base = match mv.kind() {
            MoveKind::EnPassant | MoveKind::Castle => 60,
            MoveKind::DoublePush => 6,
            MoveKind::Capture if near_king(mv.to(), 2) => 8,
            MoveKind::Capture => 3,
            MoveKind::Quiet if king_moves && distance(mv.to()) == 1 => 12,
            MoveKind::Quiet if king_moves && distance(mv.to()) < distance(mv.from()) => 8,
            MoveKind::Quiet => 4,
            _ => 8,
        };
        base + 16 * u32::from(pos.gives_check(*mv))
    };
    let weights: Vec<u32> = moves.iter().map(weight).collect();
    Some(moves[random.weighted(&weights)])
}

/// Whether `attacker` wins within this number of plies, by full-width search.
pub fn wins(pos: &mut Position, attacker: Color, plies: u32) -> bool {
    match pos.outcome() {
        Some(outcome) => return outcome.is_win_of(attacker),
        None if plies == 0 => return false,
        None => {}
    }
    let attacking = pos.side_to_move() == attacker;
    for mv in pos.legal_moves() {
        pos.make(mv);
        let won = wins(pos, attacker, plies - 1);
        pos.unmake();
        if won == attacking {
            return attacking;
        }
    }
    !attacking
}

/// Calls `visit` on at least `count` positions of random games from every kind of start, final
/// positions included.
pub fn visit(seed: u64, count: usize, variant: Variant, mut visit: impl FnMut(&mut Position)) {
    let mut random = Random::new(seed);
    let mut visited = 0;
    for start in Start::cycle() {
        let mut pos = start.position(variant, &mut random);
        let prefers_wins = random.one_in(8);
        for _ in 0..start.max_plies() {
            visit(&mut pos);
            visited += 1;
            match choose(&pos, prefers_wins, &mut random) {
                Some(mv) => pos.make(mv),
                None => break,
            }
        }
        if visited >= count {
            return;
        }
    }
}
