//! A proof next to the search: when the root is nearly decided, the last thread leaves the search
//! and proves who wins. The proved win bounds the values of the root moves and fills the TT.
//! Invariant: only a proof that the verifier has accepted changes values, and a shorter win that
//! the search finds remains.

use std::sync::OnceLock;
use std::time::Duration;

use parking_lot::Mutex;

use super::Bound;
use super::root_move::canonical;
use super::tt::{TranspositionTable, TtEntry};
use crate::eval::nnue::Network;
use crate::eval::score::{self, MAX_PLY, Value};
use crate::host::Instant;
use crate::proof::{Proof, ProofVerdict, Solver, SolverListener};
use crate::rules::{Color, Move, Position};

/// Nodes of the first attempt; each further one has four times as many.
const FIRST_NODES: u64 = 500_000;
/// Attempts for the win of one side.
const MAX_ATTEMPTS: u32 = 7;
/// Share of the search time that failed attempts may take, as a divisor.
const TIME_SHARE: u32 = 4;

/// The proof next to one search.
pub(crate) struct ProofHelper {
    hash_mb: usize,
    attempts: Mutex<Attempts>,
    /// The winning move, if the winner is to move at the root; otherwise all legal moves.
    win: OnceLock<Vec<ProvedMove>>,
}

#[derive(Default)]
struct Attempts {
    /// The side whose win is requested or being proved, and the nodes for it.
    current: Option<(Color, u64)>,
    counts: [u32; 2],
    spent: Duration,
}

/// What is proved about a root move.
pub struct ProvedMove {
    /// A bound for the side to move at the root: the end comes no later.
    pub value: Value,
    /// The line of longest resistance, which starts with this move.
    pub line: Vec<Move>,
}

impl ProofHelper {
    /// A helper for a search with a TT of this size in MiB. The solver's hash table is a quarter as
    /// large, within bounds.
    pub(crate) fn new(tt_mb: usize) -> ProofHelper {
        ProofHelper {
            hash_mb: (tt_mb / 4).clamp(16, 1024),
            attempts: Mutex::default(),
            win: OnceLock::new(),
        }
    }

    /// A helper that knows how the side to move at the root wins, by a line of longest resistance.
    pub(crate) fn with_win(tt_mb: usize, line: Vec<Move>) -> ProofHelper {
        let value = score::mate_in(line.len().min(MAX_PLY - 1));
        ProofHelper {
            win: OnceLock::from(vec![ProvedMove { value, line }]),
            ..ProofHelper::new(tt_mb)
        }
    }

    pub fn has_win(&self) -> bool {
        self.win.get().is_some()
    }

    pub fn proved(&self, mv: Move) -> Option<&ProvedMove> {
        let mut moves = self.win.get()?.iter();
        moves.find(|proved| canonical(proved.line[0]) == mv)
    }

    /// Requests a proof that `winner` wins, unless the attempts so far have taken their share of
    /// the search time, `elapsed`. True if the thread that proves must leave the search.
    pub fn request(&self, winner: Color, elapsed: Duration) -> bool {
        let mut attempts = self.attempts.lock();
        let count = attempts.counts[winner.index()];
        let is_due = attempts.current.is_none()
            && count < MAX_ATTEMPTS
            && attempts.spent * TIME_SHARE <= elapsed
            && !self.has_win();
        if is_due {
            attempts.current = Some((winner, FIRST_NODES << (2 * count)));
            attempts.counts[winner.index()] += 1;
        }
        is_due
    }

    /// Tries what is requested. True if a win is proved.
    pub fn prove(
        &self,
        root: &Position,
        net: Option<&Network>,
        tt: &TranspositionTable,
        stop: &dyn SolverListener,
    ) -> bool {
        let start = Instant::now();
        let Some((winner, nodes)) = self.attempts.lock().current else {
            return false;
        };
        let solver = Solver {
            hash_mb: self.hash_mb,
            max_nodes: Some(nodes),
            net,
            guide: Some(tt),
            ..Solver::new(winner)
        };
        // Without memory for the proof the search goes on alone.
        let verdict = solver.solve(root, stop).map(|result| result.verdict);
        if let Ok(ProofVerdict::Proved(proved)) = verdict
            && let Some(moves) = proved_moves(&proved.0)
        {
            store_positions(&proved.0, tt);
            // No request follows a win, so this is the only one.
            let _ = self.win.set(moves);
        }
        let mut attempts = self.attempts.lock();
        attempts.current = None;
        attempts.spent += start.elapsed();
        self.has_win()
    }
}

/// What a proof says about the root moves; `None` if it is too long for a value.
fn proved_moves(proof: &Proof) -> Option<Vec<ProvedMove>> {
    let is_win = proof.root.side_to_move() == proof.attacker;
    let proved_move = |mv| {
        let after = proof.root.after(mv);
        let plies = 1 + proof.plies(&after).map_or(0, usize::from);
        let mut line = vec![mv];
        line.extend(proof.longest_line(&after));
        Some(ProvedMove { value: value_in(plies, is_win)?, line })
    };
    proof.moves(&proof.root).into_iter().map(proved_move).collect()
}

/// Stores the positions of a proof, with the winning move if the winner is to move. A win may be
/// shorter than the proof's, so the value is a bound.
fn store_positions(proof: &Proof, tt: &TranspositionTable) {
    for (key, mv, plies) in proof.positions() {
        let bound = if mv.is_some() { Bound::Lower } else { Bound::Upper };
        if let Some(value) = value_in(plies.into(), mv.is_some()) {
            let depth = i32::from(u8::MAX);
            tt.store(key, TtEntry { mv, value, raw_eval: None, depth, bound, is_pv: false });
        }
    }
}

/// The value of a win that takes `plies`, for the winner or the loser; `None` if it is too long for
/// a value.
fn value_in(plies: usize, is_winner: bool) -> Option<Value> {
    let value = if is_winner { score::mate_in(plies) } else { score::mated_in(plies) };
    (plies < MAX_PLY).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::coord;
    use crate::proof::NullListener;
    use crate::search::worker::Searcher;
    use crate::search::{
        Control, Limits, Listener, SearchInfo, SearchResult, SearchSetup, SearchThreads,
    };
    use crate::walk::{play, position};

    /// White is a queen up, but no mate is near.
    const WON: &str = "4k3/pppppppp/8/8/8/8/PPPPPPPP/Q3K2Q w - - 0 1";
    // After 1. Nf3 a6, 2. Ne5 threatens to explode the king on d7 and on f7.
    const WIN_IN_TWO: &str = "rnbqkbnr/1ppppppp/p7/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 2";
    /// Plies of the pretended proof: too many for the search to find so soon.
    const PLIES: usize = 101;

    /// A helper that pretends to have a proof that White wins with this line.
    fn with_win(root: &Position, line: &[Move]) -> ProofHelper {
        let value = score::relative_to(score::mate_in(PLIES), root.side_to_move());
        let first = ProvedMove { value, line: line.to_vec() };
        let mut moves = vec![first];
        if root.side_to_move() == Color::Black {
            let others = root.legal_moves().into_iter().filter(|mv| *mv != line[0]);
            moves.extend(others.map(|mv| ProvedMove { value, line: vec![mv] }));
        }
        let helper = ProofHelper::new(16);
        assert!(helper.win.set(moves).is_ok());
        helper
    }

    /// Stops at the first mate.
    struct StopAtMate<'a>(&'a Control);

    impl Listener for StopAtMate<'_> {
        fn report(&self, info: &SearchInfo) {
            if score::is_mate(info.value) {
                self.0.stop();
            }
        }
    }

    /// Searches with a pretended win of White, which begins with this line.
    fn search(fen: &str, line: &str, prove: bool) -> (SearchResult, Vec<Move>) {
        let pos = position(fen);
        let line = play(&mut pos.clone(), line);
        let helper = with_win(&pos, &line);
        let control = Control::default();
        let tt = TranspositionTable::new(4).expect("4 MiB");
        let setup = SearchSetup { proof: Some(&helper), ..SearchSetup::new(&tt, &control) };
        let limits =
            Limits { prove, depth: (!prove).then_some(9), infinite: prove, ..Limits::default() };
        let threads = SearchThreads::new(2).expect("two threads");
        let result = threads.search(&pos, &limits, &setup, &StopAtMate(&control));
        (result, line)
    }

    #[test]
    fn a_proved_win_is_the_result() {
        let (result, line) = search(WON, "a1b1 a7a6 b1a1", true);
        let value = score::mate_in(PLIES);
        assert_eq!((result.value(), result.pv()), (value, &line[..]));
        let (result, _) = search(WON, "a1b1", false);
        assert!(!score::is_mate(result.value()));
    }

    #[test]
    fn a_proved_loss_is_the_result() {
        let (result, _) = search(&WON.replace(" w ", " b "), "a7a6 a1b1", true);
        assert_eq!(result.value(), score::mated_in(PLIES));
    }

    /// Runs `test` on the main thread of a search of two threads that has a proof already and has
    /// found `values` for its first root moves.
    fn with_values(values: &[Value], test: impl FnOnce(&mut Searcher)) {
        let pos = position(WON);
        let mv = coord::parse(&pos, "a1b1").expect("a legal move");
        let helper = with_win(&pos, &[mv]);
        Searcher::with(&pos, Some(&helper), |searcher| {
            // The move of the proof is not the best one found.
            let index = searcher.root_moves.iter().position(|known| known.mv == mv);
            searcher.root_moves.swap(index.expect("a root move"), 2);
            for (known, &value) in searcher.root_moves.iter_mut().zip(values) {
                known.previous_value = value;
            }
            test(searcher);
        });
    }

    #[test]
    fn a_proof_is_shown_once_and_leaves_the_other_values() {
        with_values(&[900, 800, 700], |searcher| {
            let [best, _, proved] = [0, 1, 2].map(|index| searcher.root_moves[index].mv);
            assert!(searcher.show_new_proof());
            assert!(!searcher.show_new_proof());
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
        with_values(&[900, 800, score::mate_in(9)], |searcher| {
            assert!(searcher.show_new_proof());
            assert_eq!(searcher.root_moves[0].reported_value(), score::mate_in(9));
        });
    }

    /// What the solver proves on request, and the TT with its positions.
    fn prove(pos: &Position, winner: Color) -> (Option<Vec<ProvedMove>>, TranspositionTable) {
        let (helper, tt) = (ProofHelper::new(16), TranspositionTable::new(1).expect("1 MiB"));
        assert!(helper.request(winner, Duration::ZERO));
        assert!(!helper.request(winner, Duration::ZERO), "one at a time");
        let is_proved = helper.prove(pos, None, &tt, &NullListener);
        assert_eq!(is_proved, helper.has_win());
        (helper.win.into_inner(), tt)
    }

    #[test]
    fn a_win_has_its_first_move_and_a_loss_has_all_moves() {
        let mut pos = position(WIN_IN_TWO);
        let (win, tt) = prove(&pos, Color::White);
        let moves = win.expect("a win in two moves");
        assert_eq!((moves.len(), moves[0].value, moves[0].line.len()), (1, score::mate_in(3), 3));
        let best = moves[0].line[0];
        assert_eq!(coord::write(best, false), "f3e5");
        let entry = tt.probe(pos.key()).expect("the root");
        assert_eq!(
            (entry.mv, entry.value, entry.bound),
            (Some(best), score::mate_in(3), Bound::Lower)
        );

        pos.make(best);
        let (loss, tt) = prove(&pos, Color::White);
        let loss = loss.expect("a win on the next move");
        let mut proved: Vec<Move> = loss.iter().map(|known| known.line[0]).collect();
        let mut legal = pos.legal_moves().to_vec();
        proved.sort_by_key(|mv| mv.code());
        legal.sort_by_key(|mv| mv.code());
        assert_eq!(proved, legal);
        for known in &loss {
            let mut end = pos.clone();
            known.line.iter().for_each(|&mv| end.make(mv));
            assert!(
                end.king(Color::Black).is_none()
                    && known.value == score::mated_in(known.line.len())
            );
        }
        let entry = tt.probe(pos.key()).expect("the root");
        assert_eq!((entry.value, entry.bound), (score::mated_in(2), Bound::Upper));
    }
}
