//! A second implementation of the rules, as simple as possible: every pseudo-legal move is made
//! on a copy of a mailbox board, and the result is examined.
//! Invariant: shares nothing with `src/rules` except FEN.

/// File and rank from 0; may be outside of the board.
type Square = (i32, i32);

const EMPTY: char = '.';
/// The steps whose squared lengths are these: 1 for a rook, 2 for a bishop, 5 for a knight.
fn steps(lengths: &[i32]) -> Vec<Square> {
    let all = (-2..=2).flat_map(|file| (-2..=2).map(move |rank| (file, rank)));
    all.filter(|(file, rank)| lengths.contains(&(file * file + rank * rank))).collect()
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    squares: [[char; 8]; 8],
    white_to_move: bool,
    /// Colour (true is White) and file of each rook that may castle.
    castling_rights: Vec<(bool, i32)>,
    en_passant_square: Option<Square>,
    halfmove_clock: u32,
    fullmove_number: u32,
    /// False under the rules without check.
    has_check: bool,
}

/// A legal move in UCI text (castling is king takes rook) and the position after it.
pub struct Reply {
    pub text: String,
    pub after: Board,
}

struct PseudoMove {
    from: Square,
    to: Square,
    promotion: Option<char>,
    castles: bool,
}

impl PseudoMove {
    fn new(from: Square, to: Square, castles: bool) -> PseudoMove {
        PseudoMove { from, to, promotion: None, castles }
    }
}

fn step(square: Square, by: Square) -> Square {
    (square.0 + by.0, square.1 + by.1)
}

fn name(square: Square) -> String {
    format!("{}{}", (b'a' + square.0 as u8) as char, square.1 + 1)
}

fn touch(a: Square, b: Square) -> bool {
    a != b && (a.0 - b.0).abs() <= 1 && (a.1 - b.1).abs() <= 1
}

fn letter(piece: char, white: bool) -> char {
    if white { piece.to_ascii_uppercase() } else { piece.to_ascii_lowercase() }
}

impl Board {
    /// Reads a well-formed six-field FEN with Shredder castling letters.
    pub fn from_shredder_fen(fen: &str, has_check: bool) -> Board {
        let fields: Vec<&str> = fen.split(' ').collect();
        let mut squares = [[EMPTY; 8]; 8];
        let dots = |c: char| match c.to_digit(10) {
            Some(count) => ".".repeat(count as usize),
            None => c.to_string(),
        };
        for (row, text) in fields[0].split('/').enumerate() {
            let pieces: String = text.chars().map(dots).collect();
            for (square, piece) in squares[7 - row].iter_mut().zip(pieces.chars()) {
                *square = piece;
            }
        }
        let castling_rights = fields[2].chars().filter(|&c| c != '-').map(|c| {
            let file = c.to_ascii_lowercase() as i32 - 'a' as i32;
            (c.is_ascii_uppercase(), file)
        });
        let en_passant_square = (fields[3] != "-").then(|| {
            let bytes = fields[3].as_bytes();
            (i32::from(bytes[0] - b'a'), i32::from(bytes[1] - b'1'))
        });
        Board {
            squares,
            white_to_move: fields[1] == "w",
            castling_rights: castling_rights.collect(),
            en_passant_square,
            halfmove_clock: fields[4].parse().unwrap(),
            fullmove_number: fields[5].parse().unwrap(),
            has_check,
        }
    }

    /// The FEN with six fields and Shredder castling letters.
    pub fn shredder_fen(&self) -> String {
        let ranks = self.squares.iter().rev().map(String::from_iter);
        let mut text = ranks.collect::<Vec<String>>().join("/");
        for count in (1..=8).rev() {
            text = text.replace(&".".repeat(count), &count.to_string());
        }
        text += if self.white_to_move { " w " } else { " b " };
        let mut castling_rights = self.castling_rights.clone();
        castling_rights.sort_by_key(|&(white, file)| (!white, -file));
        for &(white, file) in &castling_rights {
            text.push(letter((b'a' + file as u8) as char, white));
        }
        if castling_rights.is_empty() {
            text.push('-');
        }
        let en_passant_square = self.en_passant_square.map_or("-".to_owned(), name);
        let clocks = [self.halfmove_clock, self.fullmove_number];
        format!("{text} {en_passant_square} {} {}", clocks[0], clocks[1])
    }

    /// The piece on a square, `EMPTY` if there is none; `None` outside of the board.
    fn at(&self, square: Square) -> Option<char> {
        let (file, rank) = square;
        ((0..8).contains(&file) && (0..8).contains(&rank))
            .then(|| self.squares[rank as usize][file as usize])
    }

    fn set(&mut self, square: Square, piece: char) {
        self.squares[square.1 as usize][square.0 as usize] = piece;
    }

    fn squares_with(&self, predicate: impl Fn(char) -> bool) -> Vec<Square> {
        let all = (0..64).map(|index| (index % 8, index / 8));
        all.filter(|&square| predicate(self.at(square).unwrap())).collect()
    }

    fn pieces_of(&self, white: bool) -> Vec<Square> {
        self.squares_with(|piece| piece != EMPTY && piece.is_ascii_uppercase() == white)
    }

    fn is_piece_of(&self, square: Square, white: bool) -> bool {
        self.at(square).is_some_and(|piece| piece != EMPTY && piece.is_ascii_uppercase() == white)
    }

    fn king(&self, white: bool) -> Option<Square> {
        let kings = self.squares_with(|piece| piece == letter('k', white));
        kings.first().copied()
    }

    /// The squares that the piece on `from` attacks.
    fn attacked_from(&self, from: Square) -> Vec<Square> {
        let piece = self.at(from).unwrap();
        let (steps, slides): (Vec<Square>, bool) = match piece.to_ascii_lowercase() {
            'p' => {
                let ahead = if piece == 'P' { 1 } else { -1 };
                (vec![(-1, ahead), (1, ahead)], false)
            }
            'n' => (steps(&[5]), false),
            'k' => (steps(&[1, 2]), false),
            'r' => (steps(&[1]), true),
            'b' => (steps(&[2]), true),
            _ => (steps(&[1, 2]), true),
        };
        let mut targets = Vec::new();
        for by in steps {
            let mut to = step(from, by);
            while let Some(piece) = self.at(to) {
                targets.push(to);
                if piece != EMPTY || !slides {
                    break;
                }
                to = step(to, by);
            }
        }
        targets
    }

    fn is_attacked(&self, square: Square, by_white: bool) -> bool {
        let mut attackers = self.pieces_of(by_white).into_iter();
        attackers.any(|from| self.attacked_from(from).contains(&square))
    }

    /// Whether the king of a side is attacked and the kings do not touch.
    fn is_in_check(&self, white: bool) -> bool {
        match (self.king(white), self.king(!white)) {
            (Some(own), Some(other)) => !touch(own, other) && self.is_attacked(own, !white),
            _ => false,
        }
    }

    pub fn has_lost_king(&self, white: bool) -> bool {
        self.king(white).is_none()
    }

    pub fn in_check(&self) -> bool {
        self.has_check && self.is_in_check(self.white_to_move)
    }

    /// The legal moves with the positions after them; none without a king.
    pub fn replies(&self) -> Vec<Reply> {
        if self.king(true).is_none() || self.king(false).is_none() {
            return Vec::new();
        }
        let mut replies = Vec::new();
        for mv in self.pseudo_legal_moves() {
            let mut after = self.after(&mv);
            if mv.castles || self.allows(&after) {
                after.drop_useless_en_passant();
                let promotion = mv.promotion.map_or(String::new(), String::from);
                replies.push(Reply { text: name(mv.from) + &name(mv.to) + &promotion, after });
            }
        }
        replies
    }

    /// Whether a move is legal, from the position after it.
    fn allows(&self, after: &Board) -> bool {
        let us = self.white_to_move;
        let is_won = after.king(!us).is_none();
        after.king(us).is_some() && (is_won || !self.has_check || !after.is_in_check(us))
    }

    fn pseudo_legal_moves(&self) -> Vec<PseudoMove> {
        let us = self.white_to_move;
        let mut moves = Vec::new();
        for from in self.pieces_of(us) {
            match self.at(from).unwrap().to_ascii_lowercase() {
                'p' => self.pawn_moves(from, &mut moves),
                piece => {
                    for to in self.attacked_from(from) {
                        let takes = self.at(to) != Some(EMPTY);
                        if !takes || (piece != 'k' && !self.is_piece_of(to, us)) {
                            moves.push(PseudoMove::new(from, to, false));
                        }
                    }
                }
            }
        }
        self.castling_moves(&mut moves);
        moves
    }

    fn pawn_moves(&self, from: Square, moves: &mut Vec<PseudoMove>) {
        let us = self.white_to_move;
        let (ahead, home, last) = if us { (1, 1, 7) } else { (-1, 6, 0) };
        let mut targets = Vec::new();
        let single = step(from, (0, ahead));
        if self.at(single) == Some(EMPTY) {
            targets.push(single);
            let double = step(single, (0, ahead));
            if from.1 == home && self.at(double) == Some(EMPTY) {
                targets.push(double);
            }
        }
        for to in self.attacked_from(from) {
            if self.is_piece_of(to, !us) || self.en_passant_square == Some(to) {
                targets.push(to);
            }
        }
        for to in targets {
            let promotions = if to.1 == last { "nbrq" } else { "." };
            for promotion in promotions.chars() {
                let mut mv = PseudoMove::new(from, to, false);
                mv.promotion = Some(promotion).filter(|&letter| letter != '.');
                moves.push(mv);
            }
        }
    }

    fn castling_moves(&self, moves: &mut Vec<PseudoMove>) {
        let us = self.white_to_move;
        let back = if us { 0 } else { 7 };
        let [king, other] = [us, !us].map(|white| self.king(white).expect("a king"));
        for &(_, file) in self.castling_rights.iter().filter(|right| right.0 == us) {
            let rook = (file, back);
            let (king_to, rook_to) = castled(king, rook);
            // Without king and rook, any piece on their paths blocks them.
            let mut lifted = self.clone();
            lifted.set(king, EMPTY);
            lifted.set(rook, EMPTY);
            let path = |a: Square, b: Square| a.0.min(b.0)..=a.0.max(b.0);
            let blocked = path(king, king_to)
                .chain(path(rook, rook_to))
                .any(|file| lifted.at((file, back)) != Some(EMPTY));
            if blocked {
                continue;
            }
            let mut without_king = self.clone();
            without_king.set(king, EMPTY);
            let mv = PseudoMove::new(king, rook, true);
            let completed = self.after(&mv);
            let safe =
                |board: &Board, square| touch(square, other) || !board.is_attacked(square, !us);
            let path_is_safe = path(king, king_to)
                .filter(|&file| file != king_to.0 || king == king_to)
                .all(|file| safe(&without_king, (file, back)));
            if !self.has_check || (path_is_safe && safe(&completed, king_to)) {
                moves.push(mv);
            }
        }
    }

    /// The position after a pseudo-legal move, with the en-passant square of any double push.
    fn after(&self, mv: &PseudoMove) -> Board {
        let us = self.white_to_move;
        let (from, to) = (mv.from, mv.to);
        let piece = self.at(from).unwrap();
        let is_pawn = piece.eq_ignore_ascii_case(&'p');
        let en_passant = is_pawn && self.en_passant_square == Some(to) && from.0 != to.0;
        let takes = !mv.castles && (en_passant || self.at(to) != Some(EMPTY));
        let mut after = self.clone();
        after.set(from, EMPTY);
        if mv.castles {
            let (king_to, rook_to) = castled(from, to);
            after.set(to, EMPTY);
            after.set(king_to, letter('k', us));
            after.set(rook_to, letter('r', us));
        } else if takes {
            after.set(to, EMPTY);
            if en_passant {
                after.set((to.0, from.1), EMPTY);
            }
            for by in steps(&[1, 2]) {
                let square = step(to, by);
                let piece = self.at(square);
                if piece.is_some_and(|piece| !piece.eq_ignore_ascii_case(&'p')) {
                    after.set(square, EMPTY);
                }
            }
        } else {
            after.set(to, letter(mv.promotion.unwrap_or(piece), us));
        }
        let untouched = |&&(white, file): &&(bool, i32)| {
            let back = if white { 0 } else { 7 };
            !(mv.castles && white == us)
                && self.king(white) == after.king(white)
                && self.squares[back][file as usize] == after.squares[back][file as usize]
        };
        let rights = self.castling_rights.iter().filter(untouched);
        after.castling_rights = rights.copied().collect();
        let double = is_pawn && (to.1 - from.1).abs() == 2;
        after.en_passant_square = double.then_some((from.0, (from.1 + to.1) / 2));
        after.halfmove_clock += 1;
        if takes || is_pawn {
            after.halfmove_clock = 0;
        }
        after.fullmove_number += u32::from(!us);
        after.white_to_move = !us;
        after
    }

    /// Removes the en-passant square unless a legal capture exists.
    fn drop_useless_en_passant(&mut self) {
        let us = self.white_to_move;
        let Some(en_passant_square) = self.en_passant_square else {
            return;
        };
        let legal = |from: Square| {
            let capture = PseudoMove::new(from, en_passant_square, false);
            self.attacked_from(from).contains(&en_passant_square)
                && self.allows(&self.after(&capture))
        };
        let pawns = self.squares_with(|piece| piece == letter('p', us));
        if !pawns.into_iter().any(legal) {
            self.en_passant_square = None;
        }
    }
}

/// The squares of king and rook after castling.
fn castled(king: Square, rook: Square) -> (Square, Square) {
    if rook.0 > king.0 { ((6, king.1), (5, king.1)) } else { ((2, king.1), (3, king.1)) }
}
