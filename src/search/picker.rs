//! The staged move picker: table move, captures by blast SEE and history, killers, quiet
//! moves by history, losing captures last.
//! Invariant: yields every legal move once (but one for each set of four equal
//! capture-promotions), or every noisy one where only those are asked for.

use std::cell::OnceCell;

use arrayvec::ArrayVec;

use super::aim::Aims;
use super::history::{Histories, PieceTo, Row};
use super::params;
use super::see::{self, Worth};
use crate::eval::score::Value;
use crate::rules::{MAX_MOVES, Move, MoveList, Noisy, PieceType, Position, Quiet};

/// What the order of moves depends on.
pub(super) struct Clues<'a> {
    pub(super) pos: &'a Position,
    pub(super) histories: &'a Histories,
    pub(super) worth: &'a Worth,
    /// What is known of moves after those one, two and four plies before.
    pub(super) after: [&'a Row; 3],
    /// What is known of moves among the pawns on the board.
    pub(super) among: &'a Row,
    /// What the side to move can aim at, worked out when first asked for.
    pub(super) aims: &'a OnceCell<Aims>,
    /// The enemy could explode the king now.
    pub(super) threatened: bool,
}

impl Clues<'_> {
    /// What histories say of a quiet move.
    pub(super) fn quiet_history(&self, mv: Move) -> i32 {
        let side = self.pos.side();
        let mut score = self.histories.butterfly.get(side, self.threatened, mv);
        if let Some(this) = piece_to(self.pos, mv) {
            let [last, two, four] = self.after.map(|row| i32::from(row[this.index()]));
            let pawn = i32::from(self.among[this.index()]);
            score += last
                + (two * params::cont_two()
                    + four * params::cont_four()
                    + pawn * params::pawn_history())
                    / 4;
        }
        score
    }

    /// What history says of a capture.
    pub(super) fn capture_history(&self, mv: Move) -> i32 {
        match self.pos.piece_at(mv.from()) {
            Some(piece) => self
                .histories
                .capture
                .get(piece, mv.to(), victim(self.pos, mv)),
            None => 0,
        }
    }

    fn aims(&self) -> &Aims {
        self.aims.get_or_init(|| Aims::of(self.pos))
    }

    /// True when the man that a quiet move brings to its square attacks a fuse from there:
    /// next move it could explode the king.
    pub(super) fn lights_fuse(&self, mv: Move) -> bool {
        self.aims().lights_fuse(self.pos, mv)
    }

    /// True when a legal move leaves the other side in check.
    pub(super) fn gives_check(&self, mv: Move) -> bool {
        self.aims().gives_check(self.pos, mv)
    }
}

/// The index of a move in continuation histories.
pub(super) fn piece_to(pos: &Position, mv: Move) -> Option<PieceTo> {
    pos.piece_at(mv.from())
        .map(|piece| PieceTo::new(piece, mv.to()))
}

/// The type of man that a capture takes; the pawn for promotions without capture.
pub(super) fn victim(pos: &Position, mv: Move) -> PieceType {
    pos.piece_at(mv.to())
        .map_or(PieceType::Pawn, |piece| piece.kind())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Table,
    MakeNoisy,
    GoodNoisy,
    Killers(usize),
    MakeQuiets,
    Quiets,
    BadNoisy,
    Done,
}

/// A move with what it is sorted by, in one number: score, blast SEE of a capture, code of the
/// move, and whether a quiet move lights a fuse. One comparison orders two of them, the same way
/// on every machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Scored(i64);

impl Scored {
    fn noisy(mv: Move, score: i32, see: Value) -> Scored {
        Scored(i64::from(score) << 33 | i64::from(see as i16 as u16) << 17 | Self::code(mv))
    }

    fn quiet(mv: Move, score: i32, lit: bool) -> Scored {
        Scored(i64::from(score) << 33 | Self::code(mv) | i64::from(lit))
    }

    fn code(mv: Move) -> i64 {
        i64::from(mv.code()) << 1
    }

    fn score(self) -> i32 {
        (self.0 >> 33) as i32
    }

    fn see(self) -> Value {
        Value::from((self.0 >> 17) as i16)
    }

    fn lit(self) -> bool {
        self.0 & 1 == 1
    }

    fn mv(self) -> Option<Move> {
        Move::from_code((self.0 >> 1) as u16)
    }
}

/// Yields moves one by one, best first.
pub(super) struct Picker {
    step: Step,
    table: Option<Move>,
    killers: [Option<Move>; 2],
    noisy_only: bool,
    hurried: bool,
    moves: ArrayVec<Scored, MAX_MOVES>,
    next: usize,
    bad: usize,
    known: Known,
}

/// What the picker knows of the move last yielded.
#[derive(Clone, Copy)]
enum Known {
    Nothing,
    See(Value),
    History(i32),
}

impl Picker {
    /// A picker of all moves. The table move and the killers need not be legal here.
    pub(super) fn new(pos: &Position, table: Option<Move>, killers: [Option<Move>; 2]) -> Picker {
        Picker {
            step: Step::Table,
            table: table.filter(|&mv| !mv.is_redundant() && pos.is_legal(mv)),
            killers,
            noisy_only: false,
            hurried: false,
            moves: ArrayVec::new(),
            next: 0,
            bad: 0,
            known: Known::Nothing,
        }
    }

    /// A picker of captures and promotions alone.
    pub(super) fn noisy(pos: &Position, table: Option<Move>) -> Picker {
        let table = table.filter(|mv| mv.is_noisy());
        Picker {
            noisy_only: true,
            ..Picker::new(pos, table, [None; 2])
        }
    }

    /// The blast SEE of the move last yielded, where the picker knows it.
    pub(super) fn known_see(&self) -> Option<Value> {
        match self.known {
            Known::See(see) => Some(see),
            _ => None,
        }
    }

    /// What histories say of the quiet move last yielded, where the picker knows it.
    pub(super) fn known_history(&self) -> Option<i32> {
        match self.known {
            Known::History(history) => Some(history),
            _ => None,
        }
    }

    /// From now on quiet moves may come in any order, because few of them will be searched.
    pub(super) fn hurry(&mut self) {
        self.hurried = true;
    }

    /// The next move.
    pub(super) fn next(&mut self, clues: &Clues) -> Option<Move> {
        self.known = Known::Nothing;
        loop {
            match self.step {
                Step::Table => {
                    self.step = Step::MakeNoisy;
                    if self.table.is_some() {
                        return self.table;
                    }
                }
                Step::MakeNoisy => {
                    self.make_noisy(clues);
                    self.step = Step::GoodNoisy;
                }
                Step::GoodNoisy => match self.good_noisy() {
                    None if self.noisy_only => self.start_bad(),
                    None => self.step = Step::Killers(0),
                    found => return found,
                },
                Step::Killers(index) => {
                    self.step = if index == 1 {
                        Step::MakeQuiets
                    } else {
                        Step::Killers(index + 1)
                    };
                    if let Some(killer) = self.killers[index]
                        && self.is_fresh_killer(index, killer, clues.pos)
                    {
                        return Some(killer);
                    }
                }
                Step::MakeQuiets => {
                    self.make_quiets(clues);
                    self.step = Step::Quiets;
                }
                Step::Quiets => {
                    let scored = if self.hurried {
                        self.any()
                    } else {
                        self.best()
                    };
                    if let Some(scored) = scored {
                        let fuse = i32::from(scored.lit()) * params::order_fuse();
                        self.known = Known::History(scored.score() - fuse);
                        return scored.mv();
                    }
                    self.start_bad();
                }
                Step::BadNoisy => {
                    if self.next < self.bad {
                        let scored = self.moves[self.next];
                        self.next += 1;
                        self.known = Known::See(scored.see());
                        return scored.mv();
                    }
                    self.step = Step::Done;
                }
                Step::Done => return None,
            }
        }
    }

    fn start_bad(&mut self) {
        self.step = Step::BadNoisy;
        self.next = 0;
    }

    fn is_fresh_killer(&self, index: usize, killer: Move, pos: &Position) -> bool {
        self.table != Some(killer)
            && (index == 0 || self.killers[0] != Some(killer))
            && !killer.is_noisy()
            && pos.is_legal(killer)
    }

    fn make_noisy(&mut self, clues: &Clues) {
        let mut list = MoveList::new();
        clues.pos.generate::<Noisy>(&mut list);
        for mv in list {
            if self.table == Some(mv) || mv.is_redundant() {
                continue;
            }
            let see = see::see(clues.pos, mv, clues.worth);
            let score = see * params::order_see() / 16 + clues.capture_history(mv) / 8;
            // The sign of the list's end tells the bad from the good without a second SEE.
            let score = if see < -params::bad_capture() {
                score - BAD
            } else {
                score
            };
            self.moves.push(Scored::noisy(mv, score, see));
        }
    }

    fn good_noisy(&mut self) -> Option<Move> {
        while let Some(scored) = self.best() {
            if scored.score() > -BAD / 2 {
                self.known = Known::See(scored.see());
                return scored.mv();
            }
            self.moves[self.bad] = scored;
            self.bad += 1;
        }
        None
    }

    fn make_quiets(&mut self, clues: &Clues) {
        self.moves.truncate(self.bad);
        self.next = self.bad;
        let mut list = MoveList::new();
        clues.pos.generate::<Quiet>(&mut list);
        for mv in list {
            if self.table == Some(mv) || self.killers.contains(&Some(mv)) {
                continue;
            }
            let lit = clues.lights_fuse(mv);
            let score = clues.quiet_history(mv) + i32::from(lit) * params::order_fuse();
            self.moves.push(Scored::quiet(mv, score, lit));
        }
    }

    fn any(&mut self) -> Option<Scored> {
        let scored = self.moves.get(self.next).copied()?;
        self.next += 1;
        Some(scored)
    }

    /// Takes the best of what is left, by one pass of selection sort.
    fn best(&mut self) -> Option<Scored> {
        let left = &mut self.moves[self.next..];
        let (first, rest) = left.split_first_mut()?;
        // Swapping while passing would move every rising maximum; one swap at the end is enough.
        let mut top = *first;
        let mut at = None;
        for (index, &scored) in rest.iter().enumerate() {
            if scored > top {
                top = scored;
                at = Some(index);
            }
        }
        if let Some(index) = at {
            std::mem::swap(first, &mut rest[index]);
        }
        self.next += 1;
        Some(top)
    }
}

/// Taken off the score of losing captures; greater than any sum of SEE and history.
const BAD: i32 = 1 << 24;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::fen;
    use crate::rules::Variant;

    #[test]
    fn yields_every_move_once() {
        for text in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "k5br/6P1/8/8/8/8/8/K7 w - - 0 1",
            "8/8/8/2k5/8/8/8/rR4KR w KQ - 0 1",
            "rn2kb1r/2p1p2p/p2q1pp1/1pPP4/Q7/4P3/PP3P1P/R3K3 w Qkq b6 0 1",
        ] {
            let pos = fen::parse(text, Variant::Atomic).unwrap();
            let all: Vec<Move> = pos
                .legal_moves()
                .into_iter()
                .filter(|mv| !mv.is_redundant())
                .collect();
            let histories = Histories::new();
            let clues = Clues {
                pos: &pos,
                histories: &histories,
                worth: &see::worths(),
                after: [histories.continuation.after(None); 3],
                among: histories.pawn.among(0),
                aims: &OnceCell::new(),
                threatened: false,
            };
            let quiets: Vec<Move> = all.iter().copied().filter(|mv| !mv.is_noisy()).collect();
            let foreign = Move::from_code(0x0fff);
            for (table, killers) in [
                (None, [None; 2]),
                (foreign, [foreign; 2]),
                (
                    all.first().copied(),
                    [quiets.first().copied(), quiets.first().copied()],
                ),
                (
                    quiets.last().copied(),
                    [quiets.first().copied(), quiets.last().copied()],
                ),
            ] {
                let check = |mut picker: Picker, mut expected: Vec<Move>| {
                    let mut yielded = vec![];
                    while let Some(mv) = picker.next(&clues) {
                        yielded.push(mv);
                    }
                    yielded.sort_by_key(|mv| mv.code());
                    expected.sort_by_key(|mv| mv.code());
                    assert_eq!(yielded, expected, "{text}");
                };
                check(Picker::new(&pos, table, killers), all.clone());
                let noisy = all.iter().copied().filter(|mv| mv.is_noisy()).collect();
                check(Picker::noisy(&pos, table), noisy);
            }
        }
    }
}
