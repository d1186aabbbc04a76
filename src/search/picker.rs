//! The staged move picker: table move, captures by blast SEE and history, killers, quiet
//! moves by history, losing captures last.
//! Invariant: yields every legal move once (but one for each set of four equal
//! capture-promotions), or every noisy one, with or without quiet checks, where only those are
//! asked for.

use std::cell::OnceCell;
use std::ops::Range;

use arrayvec::ArrayVec;

use super::aim::Aims;
use super::history::{Histories, PieceTo, Row};
use super::see::{self, Worth};
use super::{memory, params};
use crate::eval::score::Value;
use crate::rules::{MAX_MOVES, Move, MoveList, Noisy, Piece, PieceType, Position, Quiet, Square};

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

    /// Brings what histories say of the side's quiet moves into the processor's caches.
    fn prefetch(&self) {
        let side = self.pos.side();
        for row in self.after.into_iter().chain([self.among]) {
            for kind in PieceType::ALL {
                let first = PieceTo::new(Piece::new(side, kind), Square::new(0, 0)).index();
                memory::prefetch(&row[first]);
                memory::prefetch(&row[first + 32]);
            }
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

/// Moves with what they are sorted by. The order is the same on every machine: of two moves with
/// the same score the one that came first wins.
///
/// Keys are apart from the moves, and each holds its place, because then the best of them is found
/// without a branch, several at a time.
struct Scores {
    /// The score above, the place below, counted from the end.
    keys: ArrayVec<i32, MAX_MOVES>,
    moves: ArrayVec<Move, MAX_MOVES>,
    /// The blast SEE of a noisy move, what a fuse added to the score of a quiet one.
    notes: ArrayVec<i16, MAX_MOVES>,
}

/// A move taken from [`Scores`].
struct Scored {
    mv: Move,
    score: i32,
    note: i32,
}

impl Scores {
    /// Bits of a key that hold the place.
    const PLACE: u32 = MAX_MOVES.next_power_of_two().trailing_zeros();
    const MASK: i32 = (1 << Scores::PLACE) - 1;
    /// The key of a move that is taken.
    const TAKEN: i32 = i32::MIN;

    fn new() -> Scores {
        Scores {
            keys: ArrayVec::new(),
            moves: ArrayVec::new(),
            notes: ArrayVec::new(),
        }
    }

    fn len(&self) -> usize {
        self.keys.len()
    }

    fn push(&mut self, mv: Move, score: i32, note: i32) {
        let place = Scores::MASK - self.len() as i32;
        self.keys.push(score << Scores::PLACE | place);
        self.moves.push(mv);
        self.notes.push(note as i16);
    }

    /// The place of the best of the moves in `range` that are left.
    fn best(&self, range: Range<usize>) -> Option<usize> {
        let keys = self.keys[range].iter();
        let best = keys.fold(Scores::TAKEN, |best, &key| best.max(key));
        (best != Scores::TAKEN).then_some((Scores::MASK - (best & Scores::MASK)) as usize)
    }

    /// The place of the first of the moves in `range` that are left.
    fn first(&self, range: Range<usize>) -> Option<usize> {
        let keys = &self.keys[range.clone()];
        let at = keys.iter().position(|&key| key != Scores::TAKEN)?;
        Some(range.start + at)
    }

    fn score(&self, at: usize) -> i32 {
        self.keys[at] >> Scores::PLACE
    }

    fn take(&mut self, at: usize) -> Scored {
        let score = self.score(at);
        self.keys[at] = Scores::TAKEN;
        Scored {
            mv: self.moves[at],
            score,
            note: i32::from(self.notes[at]),
        }
    }
}

/// Yields moves one by one, best first.
pub(super) struct Picker {
    step: Step,
    table: Option<Move>,
    killers: [Option<Move>; 2],
    wanted: Wanted,
    hurried: bool,
    scores: Scores,
    /// Noisy moves come before this place, quiet moves from it on.
    quiet: usize,
    known: Known,
}

/// Which moves a picker yields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    All,
    Noisy,
    NoisyAndChecks,
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
            wanted: Wanted::All,
            hurried: false,
            scores: Scores::new(),
            quiet: 0,
            known: Known::Nothing,
        }
    }

    /// A picker of captures and promotions alone.
    pub(super) fn noisy(pos: &Position, table: Option<Move>) -> Picker {
        let table = table.filter(|mv| mv.is_noisy());
        Picker {
            wanted: Wanted::Noisy,
            ..Picker::new(pos, table, [None; 2])
        }
    }

    /// A picker of captures, promotions and quiet checks.
    pub(super) fn noisy_and_checks(pos: &Position, table: Option<Move>) -> Picker {
        let table = table.filter(|&mv| mv.is_noisy() || (pos.is_legal(mv) && pos.gives_check(mv)));
        Picker {
            wanted: Wanted::NoisyAndChecks,
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
                Step::GoodNoisy => match self.noisy_above(-BAD / 2) {
                    None => {
                        self.step = match self.wanted {
                            Wanted::All => Step::Killers(0),
                            Wanted::Noisy => Step::BadNoisy,
                            Wanted::NoisyAndChecks => Step::MakeQuiets,
                        }
                    }
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
                    if self.wanted == Wanted::All {
                        self.make_quiets(clues);
                    } else {
                        self.make_checks(clues);
                    }
                    self.step = Step::Quiets;
                }
                Step::Quiets => {
                    let left = self.quiet..self.scores.len();
                    let place = if self.hurried {
                        let first = self.scores.first(left);
                        self.quiet = first.map_or(self.quiet, |first| first + 1);
                        first
                    } else {
                        self.scores.best(left)
                    };
                    if let Some(place) = place {
                        let Scored { mv, score, note } = self.scores.take(place);
                        self.known = Known::History(score - note);
                        return Some(mv);
                    }
                    self.step = Step::BadNoisy;
                }
                Step::BadNoisy => {
                    let found = self.noisy_above(i32::MIN);
                    if found.is_some() {
                        return found;
                    }
                    self.step = Step::Done;
                }
                Step::Done => return None,
            }
        }
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
            self.scores.push(mv, score, see);
        }
        self.quiet = self.scores.len();
    }

    /// The best noisy move that is left, if its score is above `bound`.
    fn noisy_above(&mut self, bound: i32) -> Option<Move> {
        let best = self.scores.best(0..self.quiet)?;
        if self.scores.score(best) <= bound {
            return None;
        }
        let Scored { mv, note, .. } = self.scores.take(best);
        self.known = Known::See(note);
        Some(mv)
    }

    fn make_checks(&mut self, clues: &Clues) {
        let mut list = MoveList::new();
        clues.pos.generate::<Quiet>(&mut list);
        for mv in list {
            if self.table != Some(mv) && clues.gives_check(mv) {
                self.scores.push(mv, clues.quiet_history(mv), 0);
            }
        }
    }

    fn make_quiets(&mut self, clues: &Clues) {
        clues.prefetch();
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
            self.scores.push(mv, clues.quiet_history(mv) + fuse, fuse);
        }
    }
}

/// Taken off the score of losing captures; greater than any sum of SEE and history.
const BAD: i32 = 1 << 21;

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
                let forcing = all
                    .iter()
                    .copied()
                    .filter(|&mv| mv.is_noisy() || pos.gives_check(mv))
                    .collect();
                check(Picker::noisy_and_checks(&pos, table), forcing);
            }
        }
    }
}
