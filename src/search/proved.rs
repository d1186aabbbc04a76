//! What a proof beside the search changes at the root: when it is wanted, and the values and lines
//! of the root moves once there is one.
//! Invariant: a proof only bounds values; a shorter win that the search finds remains.

use super::prover::ProvedMove;
use super::root_move::{RootMove, canonical};
use super::worker::Searcher;
use crate::eval::score::{self, INFINITE, Value};
use crate::eval::wdl::WdlModel;
use crate::rules::Move;

/// Proofs begin after an iteration of at least this depth: earlier values change too often.
const MIN_DEPTH: i32 = 8;
/// The expected score of the better side from which on the root is nearly decided.
const NEARLY_DECIDED: f64 = 0.95;

impl Searcher<'_> {
    /// Searches until a limit is reached; the thread of the proof helper proves in between.
    pub fn iterate_with_proof(&mut self) -> i32 {
        let mut completed = self.iterative_deepening();
        while let Some(proof) = &self.shared.proof
            && proof.calls(self.index)
            && !self.shared.is_stopped()
        {
            proof.prove(&self.pos, &|| self.shared.is_stopped(), self.shared.tt);
            self.stopped = false;
            completed = self.iterative_deepening();
        }
        completed
    }

    /// Asks for a proof if the best value of a finished iteration calls for one.
    pub fn request_proof(&self, depth: i32) {
        let value = self.root_moves[0].reported_value();
        let Some(proof) = &self.shared.proof else {
            return;
        };
        if depth < MIN_DEPTH || score::is_mate(value) {
            return;
        }
        let us = self.pos.side_to_move();
        let expected = WdlModel::for_position(&self.pos).expected_score(value);
        if expected >= NEARLY_DECIDED {
            proof.request(us, self.elapsed());
        } else if expected <= 1.0 - NEARLY_DECIDED {
            proof.request(!us, self.elapsed());
        }
    }

    /// True if there is a proof that the root moves do not show yet.
    pub fn is_proof_new(&self) -> bool {
        let proof = self.shared.proof.as_ref();
        !self.is_proof_shown && proof.is_some_and(|proof| proof.result().is_some())
    }

    /// Gives the root moves the values and lines of the proof.
    pub fn show_proof(&mut self) {
        self.is_proof_shown = true;
        let moves: Vec<Move> = self.root_moves.iter().map(|known| known.mv).collect();
        for (index, mv) in moves.into_iter().enumerate() {
            let known = &self.root_moves[index];
            let searched = [known.value, known.previous_value];
            let searched = searched.into_iter().find(|&value| value > -INFINITE);
            self.root_moves[index].value = match searched {
                Some(value) => self.proved_value(mv, value),
                // A move without a value must not pass those that have one.
                None => self.value_of_proof(mv).unwrap_or(-INFINITE),
            };
            self.take_proved_line(mv);
        }
        self.root_moves.sort_by_key(RootMove::sort_key);
    }

    /// Gives a root move whose value is that of the proof the line of the proof.
    pub fn take_proved_line(&mut self, mv: Move) {
        let Some(root_move) = self.root_moves.iter().position(|known| known.mv == mv) else {
            return;
        };
        let value = self.root_moves[root_move].value;
        if let Some(line) = self.proved_line(mv, value).map(<[Move]>::to_vec) {
            self.root_moves[root_move].set_line(&line);
        }
    }

    /// The value of a root move after the search found `value`: a proof is a bound.
    pub fn proved_value(&self, mv: Move, value: Value) -> Value {
        match self.proved_move(mv) {
            Some((proved, true)) => value.max(score::mate_in(proved.plies)),
            Some((proved, false)) => value.min(score::mated_in(proved.plies)),
            None => value,
        }
    }

    /// The line of the proof for a root move with this value; `None` if the value is not that
    /// of the proof.
    fn proved_line(&self, mv: Move, value: Value) -> Option<&[Move]> {
        let (proved, _) = self.proved_move(mv)?;
        (self.value_of_proof(mv) == Some(value)).then_some(&proved.line)
    }

    /// The value that the proof gives a root move.
    fn value_of_proof(&self, mv: Move) -> Option<Value> {
        let (proved, is_win) = self.proved_move(mv)?;
        Some(match is_win {
            true => score::mate_in(proved.plies),
            false => score::mated_in(proved.plies),
        })
    }

    /// What is proved about a root move, and whether it wins.
    fn proved_move(&self, mv: Move) -> Option<(&ProvedMove, bool)> {
        let win = self.shared.proof.as_ref()?.result()?;
        let mut moves = win.root_moves.iter();
        let proved =
            moves.find(|proved| proved.line.first().map(|&mv| canonical(mv)) == Some(mv))?;
        Some((proved, win.winner == self.pos.side_to_move()))
    }
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use super::*;
    use crate::host::Instant;
    use crate::notation::{coord, fen};
    use crate::rules::{Color, Position, Variant};
    use crate::search::correction::CorrectionHistory;
    use crate::search::prover::ProofHelper;
    use crate::search::root_move;
    use crate::search::time::{ClockDelays, TimeManager};
    use crate::search::worker::{SearchShared, ThreadData};
    use crate::search::{
        Bound, Control, Limits, Listener, ProvedPosition, ProvedWin, RootProver, SearchInfo,
        SearchResult, SearchSetup, SearchThreads, TranspositionTable,
    };

    /// White is a queen up, but no mate is near.
    const WON: &str = "4k3/pppppppp/8/8/8/8/PPPPPPPP/Q3K2Q w - - 0 1";
    /// Plies of the pretended proof: too many for the search to find so soon.
    const PLIES: usize = 101;

    /// Pretends to have a proof.
    struct Pretender {
        line: Vec<Move>,
    }

    impl RootProver for Pretender {
        fn prove(
            &self,
            root: &Position,
            winner: Color,
            _: u64,
            _: &(dyn Fn() -> bool + Sync),
        ) -> Option<ProvedWin> {
            let proved = |mv: Move| ProvedMove {
                plies: PLIES,
                line: if mv == self.line[0] {
                    self.line.clone()
                } else {
                    vec![mv]
                },
            };
            let is_winner = winner == root.side_to_move();
            let all = root.legal_moves().to_vec();
            let moves = if is_winner { vec![self.line[0]] } else { all };
            Some(ProvedWin {
                winner,
                root_moves: moves.into_iter().map(proved).collect(),
                positions: vec![ProvedPosition {
                    key: 4711,
                    mv: is_winner.then_some(self.line[0]),
                    plies: 9,
                }],
            })
        }
    }

    /// Stops at the first mate and keeps the value of the last report of the second line.
    struct StopAtMate<'a> {
        control: &'a Control,
        second: &'a Mutex<Option<Value>>,
    }

    impl Listener for StopAtMate<'_> {
        fn report(&self, report: &SearchInfo) {
            if score::is_mate(report.value) {
                self.control.stop();
            }
            if report.multipv == 2 {
                *self.second.lock() = Some(report.value);
            }
        }
    }

    fn search(fen: &str, line: &[&str], prove: bool) -> (SearchResult, TranspositionTable) {
        let (summary, tt, _) = search_lines(fen, line, prove, 1);
        (summary, tt)
    }

    fn search_lines(
        fen: &str,
        line: &[&str],
        prove: bool,
        multipv: usize,
    ) -> (SearchResult, TranspositionTable, Option<Value>) {
        let pos = fen::parse(fen, Variant::Atomic).expect("a valid FEN");
        let mut next = pos.clone();
        let line = line.iter().map(|text| {
            let mv = coord::parse(&next, text).expect("a legal move");
            next.make(mv);
            mv
        });
        let prover = Pretender {
            line: line.collect(),
        };
        let tt = TranspositionTable::new(4).expect("4 MiB");
        let control = Control::default();
        let setup = SearchSetup {
            tt: &tt,
            control: &control,
            net: None,
            multipv,
            reported_lines: multipv,
            use_helpers: true,
            delays: ClockDelays::default(),
            syzygy: None,
            prover: Some(&prover),
            #[cfg(feature = "tune")]
            tuning: &crate::search::Tuning::default(),
        };
        let limits = Limits {
            prove,
            depth: (!prove).then_some(9),
            infinite: prove,
            ..Limits::default()
        };
        let pool = SearchThreads::new(2).expect("two threads");
        let second = Mutex::default();
        let listener = StopAtMate {
            control: &control,
            second: &second,
        };
        let summary = pool.search(&pos, &limits, &setup, &listener);
        let second = *second.lock();
        (summary, tt, second)
    }

    /// Runs `test` on the main thread of a search of two threads that has this proof already and has
    /// found `values` for its first root moves.
    fn with_proof(winner: Color, values: &[Value], test: impl FnOnce(&mut Searcher)) {
        let pos = fen::parse(WON, Variant::Atomic).expect("a valid FEN");
        let prover = Pretender {
            line: vec![coord::parse(&pos, "a1b1").expect("a legal move")],
        };
        let (tt, control) = (
            TranspositionTable::new(1).expect("1 MiB"),
            Control::default(),
        );
        let limits = Limits::default();
        let shared = SearchShared {
            tt: &tt,
            control: &control,
            is_over: AtomicBool::new(false),
            time_manager: TimeManager::new(&limits, &pos, ClockDelays::default(), Instant::now()),
            limits: &limits,
            line_count: 1,
            reported_lines: 1,
            net: None,
            correction_history: &CorrectionHistory::new(),
            nodes: &[],
            tb_prober: None,
            proof: ProofHelper::new(&prover, 2),
        };
        let proof = shared.proof.as_ref().expect("two threads");
        proof.request(winner, Duration::ZERO);
        proof.prove(&pos, &|| false, &tt);
        let mut data = ThreadData::new();
        let moves = root_move::root_moves(&pos, &[]);
        let mut searcher = Searcher::new(&shared, 0, &mut data, &pos, moves, None);
        // The move of the proof is not the best one found.
        let proved = |known: &RootMove| known.mv == prover.line[0];
        let index = searcher
            .root_moves
            .iter()
            .position(proved)
            .expect("a root move");
        searcher.root_moves.swap(index, 2);
        for (known, &value) in searcher.root_moves.iter_mut().zip(values) {
            known.previous_value = value;
        }
        test(&mut searcher);
    }

    #[test]
    fn a_proof_is_shown_at_once_and_leaves_the_other_values() {
        with_proof(Color::White, &[900, 800, 700], |searcher| {
            assert!(searcher.is_proof_new());
            let best = searcher.root_moves[0].mv;
            let proved = searcher.root_moves[2].mv;
            searcher.show_proof();
            assert!(!searcher.is_proof_new());
            let shown = |index: usize| {
                let known = &searcher.root_moves[index];
                (known.mv, known.reported_value())
            };
            assert_eq!(shown(0), (proved, score::mate_in(PLIES)));
            assert_eq!(shown(1), (best, 900));
            assert_eq!(shown(2).1, 800);
        });
    }

    #[test]
    fn a_shorter_mate_than_that_of_the_proof_is_kept() {
        with_proof(Color::White, &[900, 800, score::mate_in(9)], |searcher| {
            searcher.show_proof();
            assert_eq!(searcher.root_moves[0].reported_value(), score::mate_in(9));
        });
    }

    #[test]
    fn the_second_line_keeps_a_searched_value() {
        let line = ["a1b1", "a7a6", "b1a1"];
        let (summary, _, second) = search_lines(WON, &line, true, 2);
        assert_eq!(summary.value(), score::mate_in(PLIES));
        let second = second.expect("a second line");
        assert!(second > 300 && !score::is_mate(second), "{second}");
    }

    #[test]
    fn a_proved_win_is_the_result() {
        let line = ["a1b1", "a7a6", "b1a1"];
        let (summary, tt) = search(WON, &line, true);
        assert_eq!(summary.value(), score::mate_in(PLIES));
        let found: Vec<String> = summary
            .pv()
            .iter()
            .map(|&mv| coord::write(mv, false))
            .collect();
        assert_eq!(found, line);
        let entry = tt.probe(4711).expect("the position of the proof");
        assert_eq!(
            (entry.value, entry.bound),
            (score::mate_in(9), Bound::Lower)
        );

        let (unproved, _) = search(WON, &line, false);
        assert!(!score::is_mate(unproved.value()));
    }

    #[test]
    fn a_proved_loss_is_the_result() {
        let black_to_move = WON.replace(" w ", " b ");
        let (summary, tt) = search(&black_to_move, &["a7a6", "a1b1"], true);
        assert_eq!(summary.value(), score::mated_in(PLIES));
        let entry = tt.probe(4711).expect("the position of the proof");
        assert_eq!(
            (entry.value, entry.bound),
            (score::mated_in(9), Bound::Upper)
        );
    }
}
