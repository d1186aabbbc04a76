//! The staged move picker: table move, captures by blast SEE and history, killers, quiet
//! moves by history, losing captures last.
//! Invariant: yields every legal move once (but one for each set of four equal
//! capture-promotions), or every noisy one where only those are asked for.

use arrayvec::ArrayVec;

use super::history::{Histories, PieceTo};
use super::params;
use super::see::{self, Worth};
use crate::rules::{
    Bitboard, MAX_MOVES, Move, MoveList, Noisy, PieceType, Position, Quiet, attacks,
};

/// What the order of moves depends on.
pub(super) struct Clues<'a> {
    pub(super) pos: &'a Position,
    pub(super) histories: &'a Histories,
    pub(super) worth: &'a Worth,
    /// The moves one and two plies before.
    pub(super) earlier: [Option<PieceTo>; 2],
    /// Enemy men whose capture would explode the enemy king.
    pub(super) fuses: Bitboard,
    /// The enemy could explode the king now.
    pub(super) threatened: bool,
}

impl Clues<'_> {
    /// What histories say of a quiet move.
    pub(super) fn quiet_history(&self, mv: Move) -> i32 {
        let side = self.pos.side();
        let mut score = self.histories.butterfly.get(side, self.threatened, mv);
        if let Some(this) = piece_to(self.pos, mv) {
            for earlier in self.earlier.into_iter().flatten() {
                score += self.histories.continuation.get(earlier, this);
            }
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

    /// True when the man that a quiet move brings to its square attacks a fuse from there:
    /// next move it could explode the king.
    pub(super) fn lights_fuse(&self, mv: Move) -> bool {
        self.fuses.any()
            && !mv.is_noisy()
            && self.pos.piece_at(mv.from()).is_some_and(|piece| {
                let occupied = self.pos.occupied().without(mv.from());
                piece.kind() != PieceType::King
                    && (attacks::of(piece.kind(), piece.color(), mv.to(), occupied) & self.fuses)
                        .any()
            })
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

/// Yields moves one by one, best first.
pub(super) struct Picker {
    step: Step,
    table: Option<Move>,
    killers: [Option<Move>; 2],
    noisy_only: bool,
    moves: ArrayVec<(Move, i32), MAX_MOVES>,
    next: usize,
    bad: usize,
}

impl Picker {
    /// A picker of all moves. The table move and the killers need not be legal here.
    pub(super) fn new(pos: &Position, table: Option<Move>, killers: [Option<Move>; 2]) -> Picker {
        Picker {
            step: Step::Table,
            table: table.filter(|&mv| !mv.is_redundant() && pos.is_legal(mv)),
            killers,
            noisy_only: false,
            moves: ArrayVec::new(),
            next: 0,
            bad: 0,
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

    /// The next move.
    pub(super) fn next(&mut self, clues: &Clues) -> Option<Move> {
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
                Step::GoodNoisy => match self.good_noisy(clues) {
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
                    if let Some((mv, _)) = self.best() {
                        return Some(mv);
                    }
                    self.start_bad();
                }
                Step::BadNoisy => {
                    if self.next < self.bad {
                        self.next += 1;
                        return Some(self.moves[self.next - 1].0);
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
            self.moves.push((mv, score));
        }
    }

    fn good_noisy(&mut self, _clues: &Clues) -> Option<Move> {
        while let Some((mv, score)) = self.best() {
            if score > -BAD / 2 {
                return Some(mv);
            }
            self.moves[self.bad] = (mv, score);
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
            let fuse = if clues.lights_fuse(mv) {
                params::order_fuse()
            } else {
                0
            };
            self.moves.push((mv, clues.quiet_history(mv) + fuse));
        }
    }

    /// Takes the best of what is left, by one pass of selection sort.
    fn best(&mut self) -> Option<(Move, i32)> {
        let left = &mut self.moves[self.next..];
        let (index, _) = left
            .iter()
            .enumerate()
            .max_by_key(|&(i, &(_, score))| (score, -(i as i32)))?;
        left.swap(0, index);
        self.next += 1;
        Some(left[0])
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
            let clues = Clues {
                pos: &pos,
                histories: &Histories::new(),
                worth: &see::worths(),
                earlier: [None; 2],
                fuses: pos.explosive_targets(pos.side()),
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
