//! The staged move picker: TT move, the best captures by blast SEE and capture history, killers,
//! other good captures, and last the quiet moves by history together with the captures left. All
//! scores are on the scale of the histories of quiet moves.
//! Invariant: yields every move of its mode once, apart from the quiet moves that it skips on request.
//! Of four equivalent promotions by capture it yields one.

use arrayvec::ArrayVec;

use super::ordering::{self, OrderingKeys, QuietHistories};
use super::scored_moves::{ScoredMove, ScoredMoves};
use super::worker::Searcher;
use super::{params, see};
use crate::eval::score::Value;
use crate::rules::{CheckInfo, Move, MoveList, Noisy, Position, Quiet};

/// Bound of the blast SEE in the score of a noisy move. Greater numbers, which stand for an
/// exploding king, would not fit into a key.
const MAX_SCORED_SEE: Value = 4000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum PickerStage {
    TtMove,
    GenerateNoisy,
    GoodNoisy,
    Killers(usize),
    OkNoisy,
    GenerateQuiets,
    Quiets,
    Done,
}

/// Yields the moves of a position one by one, best first.
pub struct MovePicker {
    stage: PickerStage,
    tt_move: Option<Move>,
    killers: [Option<Move>; 2],
    keys: OrderingKeys,
    mode: PickerMode,
    check_info: Option<CheckInfo>,
    /// Quiet moves that are not forcing are no longer yielded.
    skip_quiets: bool,
    /// Number of moves left out for that reason since [`take_skipped`](Self::take_skipped).
    skipped: i32,
    moves: ScoredMoves,
    /// Number of noisy moves, which come first in `moves`.
    noisy_count: usize,
    /// Index of the best noisy move left.
    best_noisy: Option<usize>,
    /// Index of the first quiet move left.
    quiet_start: usize,
    last_score: LastScore,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PickerMode {
    All,
    Noisy,
    NoisyAndChecks,
}

#[derive(Clone, Copy)]
enum LastScore {
    None,
    See(Value),
    History(i32),
}

impl MovePicker {
    /// A picker of all moves. The TT move and the killers need not be legal.
    pub fn new(
        pos: &Position,
        keys: OrderingKeys,
        tt_move: Option<Move>,
        killers: [Option<Move>; 2],
    ) -> MovePicker {
        let tt_move = tt_move.filter(|&mv| !mv.is_redundant() && pos.is_legal(mv));
        MovePicker {
            stage: match tt_move {
                Some(_) => PickerStage::TtMove,
                None => PickerStage::GenerateNoisy,
            },
            tt_move,
            killers,
            keys,
            mode: PickerMode::All,
            check_info: None,
            skip_quiets: false,
            skipped: 0,
            moves: ScoredMoves::new(),
            noisy_count: 0,
            best_noisy: None,
            quiet_start: 0,
            last_score: LastScore::None,
        }
    }

    /// A picker of all moves but `excluded`, which is legal.
    pub fn excluding(
        pos: &Position,
        keys: OrderingKeys,
        excluded: Move,
        killers: [Option<Move>; 2],
    ) -> MovePicker {
        // A TT move that has been yielded is not yielded again.
        MovePicker {
            stage: PickerStage::GenerateNoisy,
            ..MovePicker::new(pos, keys, Some(excluded), killers)
        }
    }

    /// A picker of captures and promotions and, `with_checks`, of quiet checks.
    pub fn noisy(
        pos: &Position,
        keys: OrderingKeys,
        tt_move: Option<Move>,
        with_checks: bool,
    ) -> MovePicker {
        let is_yielded =
            |&mv: &Move| mv.is_noisy() || (with_checks && pos.is_legal(mv) && pos.gives_check(mv));
        MovePicker {
            mode: if with_checks { PickerMode::NoisyAndChecks } else { PickerMode::Noisy },
            ..MovePicker::new(pos, keys, tt_move.filter(is_yielded), [None; 2])
        }
    }

    /// The blast SEE of the move yielded last, if the picker has computed it.
    pub fn last_see(&self) -> Option<Value> {
        match self.last_score {
            LastScore::See(see) => Some(see),
            _ => None,
        }
    }

    /// The history score of the quiet move yielded last.
    pub fn history(&self, searcher: &Searcher, mv: Move) -> i32 {
        if let LastScore::History(history) = self.last_score {
            return history;
        }
        let piece = searcher.pos.piece_at(mv.from());
        piece.map_or(0, |piece| self.quiet_histories(searcher).score(piece, mv))
    }

    /// From now on yields only the quiet moves that give check or threaten to explode the king, in
    /// the order of generation.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// Number of quiet moves left out since the last call.
    pub fn take_skipped(&mut self) -> i32 {
        std::mem::take(&mut self.skipped)
    }

    pub fn next(&mut self, searcher: &mut Searcher) -> Option<Move> {
        self.last_score = LastScore::None;
        loop {
            match self.stage {
                PickerStage::TtMove => {
                    self.stage = PickerStage::GenerateNoisy;
                    if self.tt_move.is_some() {
                        return self.tt_move;
                    }
                }
                PickerStage::GenerateNoisy => {
                    self.generate_noisy(searcher);
                    self.stage = PickerStage::GoodNoisy;
                }
                PickerStage::GoodNoisy => {
                    let min_score = match self.mode {
                        PickerMode::All => params::noisy_first(),
                        PickerMode::Noisy | PickerMode::NoisyAndChecks => i32::MIN,
                    };
                    if let Some(mv) = self.next_noisy_above(min_score) {
                        return Some(mv);
                    }
                    self.stage = match self.mode {
                        PickerMode::All => PickerStage::Killers(0),
                        PickerMode::Noisy => PickerStage::Done,
                        PickerMode::NoisyAndChecks => PickerStage::GenerateQuiets,
                    };
                }
                PickerStage::Killers(index) => {
                    self.stage = if index == 1 {
                        PickerStage::OkNoisy
                    } else {
                        PickerStage::Killers(index + 1)
                    };
                    if let Some(killer) = self.killers[index]
                        && self.is_new_killer(index, killer, &searcher.pos)
                    {
                        return Some(killer);
                    }
                }
                PickerStage::OkNoisy => {
                    if let Some(mv) = self.next_noisy_above(params::noisy_early()) {
                        return Some(mv);
                    }
                    self.stage = PickerStage::GenerateQuiets;
                }
                PickerStage::GenerateQuiets => {
                    match self.mode {
                        PickerMode::All => self.generate_quiets(searcher),
                        PickerMode::Noisy | PickerMode::NoisyAndChecks => {
                            self.generate_checks(searcher);
                        }
                    }
                    self.stage = PickerStage::Quiets;
                }
                PickerStage::Quiets => {
                    let mv = self.next_of_rest(&searcher.pos);
                    if mv.is_some() {
                        return mv;
                    }
                    self.stage = PickerStage::Done;
                }
                PickerStage::Done => return None,
            }
        }
    }

    fn is_new_killer(&self, index: usize, killer: Move, pos: &Position) -> bool {
        self.tt_move != Some(killer)
            && (index == 0 || self.killers[0] != Some(killer))
            && !killer.is_noisy()
            && pos.is_legal(killer)
    }

    // Not inlined: the lists of moves would make every call of `next` reserve their stack.
    #[inline(never)]
    fn generate_noisy(&mut self, searcher: &Searcher) {
        let mut moves = MoveList::new();
        let pos = &searcher.pos;
        pos.generate::<Noisy>(&mut moves);
        for &mv in &moves {
            if self.tt_move == Some(mv) || mv.is_redundant() {
                continue;
            }
            let see = see::see(pos, mv, &searcher.see_values);
            let score = params::noisy_base()
                + see.clamp(-MAX_SCORED_SEE, MAX_SCORED_SEE) * params::noisy_see()
                + ordering::capture_history(searcher.histories, pos, mv) * params::noisy_history()
                    / 100;
            self.moves.push(mv, score, see);
        }
        self.noisy_count = self.moves.len();
        self.best_noisy = self.moves.best_index(0..self.noisy_count);
        self.quiet_start = self.noisy_count;
    }

    /// The best noisy move left, if its score is above `min_score`.
    fn next_noisy_above(&mut self, min_score: i32) -> Option<Move> {
        let best = self.best_noisy?;
        if self.moves.score(best) <= min_score {
            return None;
        }
        let ScoredMove { mv, extra, .. } = self.moves.take(best);
        self.best_noisy = self.moves.best_index(0..self.noisy_count);
        self.last_score = LastScore::See(extra);
        Some(mv)
    }

    /// The best move left. Once quiet moves are skipped, noisy moves come first.
    fn next_of_rest(&mut self, pos: &Position) -> Option<Move> {
        if self.skip_quiets {
            let noisy = self.next_noisy_above(i32::MIN);
            return noisy.or_else(|| self.next_forcing(pos));
        }
        let best = self.moves.best_index(self.quiet_start..self.moves.len());
        let min_score = best.map_or(i32::MIN, |best| self.moves.score(best));
        let noisy = self.next_noisy_above(min_score);
        if noisy.is_some() {
            return noisy;
        }
        self.take_quiet(best?)
    }

    /// The first forcing quiet move left; counts the others before it.
    fn next_forcing(&mut self, pos: &Position) -> Option<Move> {
        while self.quiet_start < self.moves.len() {
            let index = self.quiet_start;
            self.quiet_start += 1;
            if self.moves.is_taken(index) {
                continue;
            }
            let (mv, check_info) = (self.moves.get(index), self.check_info(pos));
            if check_info.gives_check(pos, mv) || check_info.threatens_explosion(pos, mv) {
                return self.take_quiet(index);
            }
            self.skipped += 1;
        }
        None
    }

    fn take_quiet(&mut self, index: usize) -> Option<Move> {
        let ScoredMove { mv, score, extra } = self.moves.take(index);
        self.last_score = LastScore::History(score - extra);
        Some(mv)
    }

    #[inline(never)]
    fn generate_checks(&mut self, searcher: &Searcher) {
        let pos = &searcher.pos;
        let check_info = *self.check_info(pos);
        let histories = self.quiet_histories(searcher);
        let mut moves = MoveList::new();
        pos.generate_quiets(&check_info.check_candidates(pos), &mut moves);
        for &mv in &moves {
            if self.tt_move != Some(mv) && check_info.gives_check(pos, mv) {
                let piece = pos.piece_at(mv.from());
                let history = piece.map_or(0, |piece| histories.score(piece, mv));
                self.moves.push(mv, history, 0);
            }
        }
    }

    #[inline(never)]
    fn generate_quiets(&mut self, searcher: &mut Searcher) {
        self.quiet_histories(searcher).prefetch();
        let mut moves = MoveList::new();
        searcher.pos.generate::<Quiet>(&mut moves);
        let check_info = *self.check_info(&searcher.pos);
        let mut bonuses = ArrayVec::new();
        if self.keys.with_policy {
            searcher.policy_bonuses(&check_info, &moves, &mut bonuses);
        }
        let histories = self.quiet_histories(searcher);
        for (index, &mv) in moves.iter().enumerate() {
            if self.tt_move == Some(mv) || self.killers.contains(&Some(mv)) {
                continue;
            }
            let Some(piece) = searcher.pos.piece_at(mv.from()) else {
                continue;
            };
            let explosion_squares = check_info.explosion_squares.of(piece.piece_type());
            let is_threat = explosion_squares.contains(mv.to());
            let threat_bonus = if is_threat { params::order_threat() } else { 0 };
            let policy_bonus = bonuses.get(index).copied().unwrap_or(0);
            let score = histories.score(piece, mv) + threat_bonus + policy_bonus;
            let extra = threat_bonus + policy_bonus - policy_bonus * params::policy_lmr() / 100;
            self.moves.push(mv, score, extra);
        }
    }

    fn quiet_histories<'b>(&self, searcher: &'b Searcher) -> QuietHistories<'b> {
        let us = searcher.pos.side_to_move();
        QuietHistories::new(searcher.histories, searcher.stack, &self.keys, us)
    }

    /// The check info of `pos`, the position of the picker; computed on first use.
    #[inline]
    pub fn check_info(&mut self, pos: &Position) -> &CheckInfo {
        self.check_info.get_or_insert_with(|| CheckInfo::new(pos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::coord;
    use crate::walk::position;

    const KEYS: OrderingKeys = OrderingKeys { ply: 0, king_threatened: false, with_policy: false };

    /// All moves that a picker has left.
    fn rest(picker: &mut MovePicker, searcher: &mut Searcher) -> Vec<Move> {
        std::iter::from_fn(|| picker.next(searcher)).collect()
    }

    /// All moves in the order of the picker, without histories.
    fn order(text: &str, killer: &str) -> Vec<String> {
        let pos = position(text);
        let killer = coord::parse(&pos, killer).unwrap();
        let mut picker = MovePicker::new(&pos, KEYS, None, [Some(killer), None]);
        let moves = Searcher::with(&pos, None, |searcher| rest(&mut picker, searcher));
        moves.iter().map(|&mv| coord::write(mv, false)).collect()
    }

    #[test]
    fn winning_captures_come_first_and_losing_ones_last() {
        // The pawn wins a queen, the knights are an equal exchange, the queen loses for a pawn.
        let moves = order("7k/2p5/8/1q6/P5n1/4N3/2Q5/K7 w - - 0 1", "a1a2");
        let place = |name: &str| moves.iter().position(|mv| mv == name).unwrap();
        let others = ["a4b5", "a1a2", "e3g4", "c2c7"];
        let is_quiet = |name: &String| !others.contains(&name.as_str());
        let first_quiet = moves.iter().position(is_quiet).unwrap();
        let last_quiet = moves.iter().rposition(is_quiet).unwrap();
        assert_eq!((place("a4b5"), place("a1a2")), (0, 1), "{moves:?}");
        assert!(place("e3g4") < first_quiet, "{moves:?}");
        assert!(place("c2c7") > last_quiet, "{moves:?}");
    }

    #[test]
    fn picker_yields_every_move_once() {
        for text in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "k5br/6P1/8/8/8/8/8/K7 w - - 0 1",
            "8/8/8/2k5/8/8/8/rR4KR w KQ - 0 1",
            "rn2kb1r/2p1p2p/p2q1pp1/1pPP4/Q7/4P3/PP3P1P/R3K3 w Qkq b6 0 1",
        ] {
            let pos = position(text);
            let all: Vec<Move> =
                pos.legal_moves().into_iter().filter(|mv| !mv.is_redundant()).collect();
            let those = |is_one: &dyn Fn(Move) -> bool| -> Vec<Move> {
                all.iter().copied().filter(|&mv| is_one(mv)).collect()
            };
            let quiets = those(&|mv| !mv.is_noisy());
            let illegal = Move::from_code(0x0fff);
            for (tt_move, killers) in [
                (None, [None; 2]),
                (illegal, [illegal; 2]),
                (all.first().copied(), [quiets.first().copied(), quiets.first().copied()]),
                (quiets.last().copied(), [quiets.first().copied(), quiets.last().copied()]),
            ] {
                let check = |mut picker: MovePicker, mut expected: Vec<Move>| {
                    let mut yielded =
                        Searcher::with(&pos, None, |searcher| rest(&mut picker, searcher));
                    yielded.sort_by_key(|mv| mv.code());
                    expected.sort_by_key(|mv| mv.code());
                    assert_eq!(yielded, expected, "{text}");
                };
                check(MovePicker::new(&pos, KEYS, tt_move, killers), all.clone());
                for &excluded in &all {
                    let picker = MovePicker::excluding(&pos, KEYS, excluded, killers);
                    check(picker, those(&|mv| mv != excluded));
                }
                for with_checks in [false, true] {
                    let is_yielded =
                        |mv: Move| mv.is_noisy() || (with_checks && pos.gives_check(mv));
                    let picker = MovePicker::noisy(&pos, KEYS, tt_move, with_checks);
                    check(picker, those(&is_yielded));
                }
            }
        }
    }

    #[test]
    fn skipping_leaves_noisy_and_forcing_moves() {
        // The knight and the rook give check, and the bishop attacks a pawn next to the king.
        let pos = position("6k1/5p2/8/4N3/8/8/1B4PP/R5K1 w - - 0 1");
        let check_info = CheckInfo::new(&pos);
        let is_forcing = |&mv: &Move| {
            mv.is_noisy()
                || check_info.gives_check(&pos, mv)
                || check_info.threatens_explosion(&pos, mv)
        };
        let all = pos.legal_moves();
        for yielded_before in 0..all.len() {
            let mut picker = MovePicker::new(&pos, KEYS, None, [None; 2]);
            let mut yielded = vec![];
            let rest = Searcher::with(&pos, None, |searcher| {
                for _ in 0..yielded_before {
                    yielded.extend(picker.next(searcher));
                }
                assert_eq!(picker.take_skipped(), 0);
                picker.skip_quiets();
                rest(&mut picker, searcher)
            });
            assert!(rest.iter().all(is_forcing), "{rest:?}");
            yielded.extend(rest);
            let skipped = all.len() - yielded.len();
            assert_eq!(picker.take_skipped() as usize, skipped);
            let left_out = all.iter().filter(|mv| !yielded.contains(mv));
            assert_eq!(left_out.filter(|mv| !is_forcing(mv)).count(), skipped);
        }
    }
}
