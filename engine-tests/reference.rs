//! The rules of atomic chess once more, in the plainest mailbox style: every pseudo-legal
//! move is played on a copy of the board and the result is looked at.
//! Invariant: shares nothing with `src/rules` but the text of a FEN.

/// File and rank, from 0; may lie off the board.
type Cell = (i32, i32);

const EMPTY: char = '.';
const ROOK_STEPS: [Cell; 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
const BISHOP_STEPS: [Cell; 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];
const RING: [Cell; 8] = [
    (1, 0),
    (0, 1),
    (-1, 0),
    (0, -1),
    (1, 1),
    (-1, 1),
    (-1, -1),
    (1, -1),
];
const KNIGHT_STEPS: [Cell; 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

/// A position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    men: [[char; 8]; 8],
    white_to_move: bool,
    /// Colour (true is White) and file of each rook that may castle.
    rights: Vec<(bool, i32)>,
    passed: Option<Cell>,
    halfmove: u32,
    fullmove: u32,
    /// False under the rules without check.
    check_counts: bool,
}

/// A legal move in UCI text (castling is king takes rook) and the position after it.
pub struct Reply {
    pub text: String,
    pub after: Board,
}

struct Try {
    from: Cell,
    to: Cell,
    promotion: Option<char>,
    castles: bool,
}

fn step(cell: Cell, by: Cell) -> Cell {
    (cell.0 + by.0, cell.1 + by.1)
}

fn name(cell: Cell) -> String {
    format!("{}{}", (b'a' + cell.0 as u8) as char, cell.1 + 1)
}

fn touch(a: Cell, b: Cell) -> bool {
    a != b && (a.0 - b.0).abs() <= 1 && (a.1 - b.1).abs() <= 1
}

fn letter(man: char, white: bool) -> char {
    if white {
        man.to_ascii_uppercase()
    } else {
        man.to_ascii_lowercase()
    }
}

impl Board {
    /// Reads a well-formed six-field FEN with Shredder castling letters.
    pub fn from_shredder_fen(fen: &str, check_counts: bool) -> Board {
        let fields: Vec<&str> = fen.split(' ').collect();
        let mut men = [[EMPTY; 8]; 8];
        for (row, text) in fields[0].split('/').enumerate() {
            let mut file = 0;
            for c in text.chars() {
                if let Some(skip) = c.to_digit(10) {
                    file += skip as usize;
                } else {
                    men[7 - row][file] = c;
                    file += 1;
                }
            }
        }
        let rights = fields[2].chars().filter(|&c| c != '-').map(|c| {
            let file = c.to_ascii_lowercase() as i32 - 'a' as i32;
            (c.is_ascii_uppercase(), file)
        });
        let passed = (fields[3] != "-").then(|| {
            let bytes = fields[3].as_bytes();
            (i32::from(bytes[0] - b'a'), i32::from(bytes[1] - b'1'))
        });
        Board {
            men,
            white_to_move: fields[1] == "w",
            rights: rights.collect(),
            passed,
            halfmove: fields[4].parse().unwrap(),
            fullmove: fields[5].parse().unwrap(),
            check_counts,
        }
    }

    /// Six fields, Shredder castling letters.
    pub fn shredder_fen(&self) -> String {
        let mut text = String::new();
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                match self.at((file, rank)).unwrap() {
                    EMPTY => empty += 1,
                    man => {
                        if empty > 0 {
                            text += &empty.to_string();
                        }
                        empty = 0;
                        text.push(man);
                    }
                }
            }
            if empty > 0 {
                text += &empty.to_string();
            }
            if rank > 0 {
                text.push('/');
            }
        }
        text += if self.white_to_move { " w " } else { " b " };
        let mut rights = self.rights.clone();
        rights.sort_by_key(|&(white, file)| (!white, -file));
        for &(white, file) in &rights {
            text.push(letter((b'a' + file as u8) as char, white));
        }
        if rights.is_empty() {
            text.push('-');
        }
        let passed = self.passed.map_or("-".to_owned(), name);
        text + &format!(" {passed} {} {}", self.halfmove, self.fullmove)
    }

    /// The man on a cell, `EMPTY` for none; `None` off the board.
    fn at(&self, cell: Cell) -> Option<char> {
        let (file, rank) = cell;
        ((0..8).contains(&file) && (0..8).contains(&rank))
            .then(|| self.men[rank as usize][file as usize])
    }

    fn set(&mut self, cell: Cell, man: char) {
        self.men[cell.1 as usize][cell.0 as usize] = man;
    }

    fn cells(&self, wanted: impl Fn(char) -> bool) -> Vec<Cell> {
        let all = (0..64).map(|index| (index % 8, index / 8));
        all.filter(|&cell| wanted(self.at(cell).unwrap())).collect()
    }

    fn is_man_of(&self, cell: Cell, white: bool) -> bool {
        self.at(cell)
            .is_some_and(|man| man != EMPTY && man.is_ascii_uppercase() == white)
    }

    /// Where that side's king stands.
    fn king(&self, white: bool) -> Option<Cell> {
        self.cells(|man| man == letter('k', white)).first().copied()
    }

    /// The cells that the man on `from` attacks.
    fn attacked_from(&self, from: Cell) -> Vec<Cell> {
        let man = self.at(from).unwrap();
        let (steps, slides): (Vec<Cell>, bool) = match man.to_ascii_lowercase() {
            'p' => {
                let ahead = if man == 'P' { 1 } else { -1 };
                (vec![(-1, ahead), (1, ahead)], false)
            }
            'n' => (KNIGHT_STEPS.to_vec(), false),
            'k' => (RING.to_vec(), false),
            'r' => (ROOK_STEPS.to_vec(), true),
            'b' => (BISHOP_STEPS.to_vec(), true),
            _ => (RING.to_vec(), true),
        };
        let mut cells = Vec::new();
        for by in steps {
            let mut to = step(from, by);
            while let Some(man) = self.at(to) {
                cells.push(to);
                if man != EMPTY || !slides {
                    break;
                }
                to = step(to, by);
            }
        }
        cells
    }

    fn is_attacked(&self, cell: Cell, by_white: bool) -> bool {
        self.cells(|man| man != EMPTY && man.is_ascii_uppercase() == by_white)
            .into_iter()
            .any(|from| self.attacked_from(from).contains(&cell))
    }

    /// True when the king of that side is attacked and the kings do not touch.
    fn is_checked(&self, white: bool) -> bool {
        match (self.king(white), self.king(!white)) {
            (Some(own), Some(other)) => !touch(own, other) && self.is_attacked(own, !white),
            _ => false,
        }
    }

    /// True once the king of that side has exploded.
    pub fn has_lost_king(&self, white: bool) -> bool {
        self.king(white).is_none()
    }

    /// True when the side to move is in check.
    pub fn in_check(&self) -> bool {
        self.check_counts && self.is_checked(self.white_to_move)
    }

    /// The legal moves with their results; none once a king is gone.
    pub fn replies(&self) -> Vec<Reply> {
        if self.king(true).is_none() || self.king(false).is_none() {
            return Vec::new();
        }
        let mut replies = Vec::new();
        for attempt in self.attempts() {
            let mut after = self.after(&attempt);
            if attempt.castles || self.allows(&after) {
                after.drop_idle_en_passant();
                let promotion = attempt.promotion.map_or(String::new(), String::from);
                replies.push(Reply {
                    text: name(attempt.from) + &name(attempt.to) + &promotion,
                    after,
                });
            }
        }
        replies
    }

    /// Legality read off the board after the move, in the order of the rule.
    fn allows(&self, after: &Board) -> bool {
        let us = self.white_to_move;
        if after.king(us).is_none() {
            false
        } else if after.king(!us).is_none() || !self.check_counts {
            true
        } else {
            !after.is_checked(us)
        }
    }

    fn attempts(&self) -> Vec<Try> {
        let us = self.white_to_move;
        let mut tries = Vec::new();
        for from in self.cells(|man| man != EMPTY && man.is_ascii_uppercase() == us) {
            match self.at(from).unwrap().to_ascii_lowercase() {
                'p' => self.pawn_attempts(from, &mut tries),
                man => {
                    for to in self.attacked_from(from) {
                        let takes = self.at(to) != Some(EMPTY);
                        if !takes || (man != 'k' && !self.is_man_of(to, us)) {
                            tries.push(Try {
                                from,
                                to,
                                promotion: None,
                                castles: false,
                            });
                        }
                    }
                }
            }
        }
        self.castling_attempts(&mut tries);
        tries
    }

    fn pawn_attempts(&self, from: Cell, tries: &mut Vec<Try>) {
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
            if self.is_man_of(to, !us) || self.passed == Some(to) {
                targets.push(to);
            }
        }
        for to in targets {
            let promotions = if to.1 == last { "nbrq" } else { "." };
            for promotion in promotions.chars() {
                tries.push(Try {
                    from,
                    to,
                    promotion: (promotion != '.').then_some(promotion),
                    castles: false,
                });
            }
        }
    }

    fn castling_attempts(&self, tries: &mut Vec<Try>) {
        let us = self.white_to_move;
        let back = if us { 0 } else { 7 };
        for &(white, file) in &self.rights {
            if white != us {
                continue;
            }
            let (Some(king), Some(other)) = (self.king(us), self.king(!us)) else {
                continue;
            };
            let rook = (file, back);
            let (king_to, rook_to) = castled(king, rook);
            // Both men off the board: whatever is left on their ways is in the way.
            let mut lifted = self.clone();
            lifted.set(king, EMPTY);
            lifted.set(rook, EMPTY);
            let way = |a: Cell, b: Cell| a.0.min(b.0)..=a.0.max(b.0);
            let blocked = way(king, king_to)
                .chain(way(rook, rook_to))
                .any(|file| lifted.at((file, back)) != Some(EMPTY));
            if blocked {
                continue;
            }
            let mut without_king = self.clone();
            without_king.set(king, EMPTY);
            let attempt = Try {
                from: king,
                to: rook,
                promotion: None,
                castles: true,
            };
            let completed = self.after(&attempt);
            let safe = |board: &Board, cell| touch(cell, other) || !board.is_attacked(cell, !us);
            let way_is_safe = way(king, king_to)
                .filter(|&file| file != king_to.0 || king == king_to)
                .all(|file| safe(&without_king, (file, back)));
            if !self.check_counts || (way_is_safe && safe(&completed, king_to)) {
                tries.push(attempt);
            }
        }
    }

    /// The position after an attempt, with the en-passant square of any double push.
    fn after(&self, attempt: &Try) -> Board {
        let us = self.white_to_move;
        let (from, to) = (attempt.from, attempt.to);
        let man = self.at(from).unwrap();
        let is_pawn = man.eq_ignore_ascii_case(&'p');
        let en_passant = is_pawn && self.passed == Some(to) && from.0 != to.0;
        let takes = !attempt.castles && (en_passant || self.at(to) != Some(EMPTY));
        let mut after = self.clone();
        after.set(from, EMPTY);
        if attempt.castles {
            let (king_to, rook_to) = castled(from, to);
            after.set(to, EMPTY);
            after.set(king_to, letter('k', us));
            after.set(rook_to, letter('r', us));
        } else if takes {
            after.set(to, EMPTY);
            if en_passant {
                after.set((to.0, from.1), EMPTY);
            }
            for by in RING {
                let cell = step(to, by);
                if self
                    .at(cell)
                    .is_some_and(|man| !man.eq_ignore_ascii_case(&'p'))
                {
                    after.set(cell, EMPTY);
                }
            }
        } else {
            after.set(to, letter(attempt.promotion.unwrap_or(man), us));
        }
        let untouched = |&&(white, file): &&(bool, i32)| {
            let back = if white { 0 } else { 7 };
            !(attempt.castles && white == us)
                && self.king(white) == after.king(white)
                && self.men[back][file as usize] == after.men[back][file as usize]
        };
        after.rights = self.rights.iter().filter(untouched).copied().collect();
        let double = is_pawn && (to.1 - from.1).abs() == 2;
        after.passed = double.then_some((from.0, (from.1 + to.1) / 2));
        after.halfmove = if takes || is_pawn {
            0
        } else {
            self.halfmove + 1
        };
        after.fullmove += u32::from(!us);
        after.white_to_move = !us;
        after
    }

    /// A passed square counts only while a legal capture onto it exists.
    fn drop_idle_en_passant(&mut self) {
        let us = self.white_to_move;
        let Some(passed) = self.passed else { return };
        let legal = |from: Cell| {
            let capture = Try {
                from,
                to: passed,
                promotion: None,
                castles: false,
            };
            self.attacked_from(from).contains(&passed) && self.allows(&self.after(&capture))
        };
        if !self
            .cells(|man| man == letter('p', us))
            .into_iter()
            .any(legal)
        {
            self.passed = None;
        }
    }
}

/// Where king and rook end when that king castles with that rook.
fn castled(king: Cell, rook: Cell) -> (Cell, Cell) {
    if rook.0 > king.0 {
        ((6, king.1), (5, king.1))
    } else {
        ((2, king.1), (3, king.1))
    }
}
