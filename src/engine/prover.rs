//! The solver as the prover of a search.
//! Invariant: what it returns comes from a proof that the verifier has accepted.

use crate::proof::{Proof, ProofVerdict, Solver, SolverListener};
use crate::rules::{Color, Move, Position};
use crate::search::{ProvedMove, ProvedPosition, ProvedWin, RootProver};

/// The least and the largest size of the solver's own hash table in MiB.
const HASH_MB: [usize; 2] = [16, 1024];

/// The solver with a hash table of its own, a quarter as large as the TT.
pub struct SolverProver {
    hash_mb: usize,
}

impl SolverProver {
    /// For a TT of this size in MiB.
    pub fn new(tt_mb: usize) -> SolverProver {
        let [least, largest] = HASH_MB;
        SolverProver {
            hash_mb: (tt_mb / 4).clamp(least, largest),
        }
    }
}

/// Stops the solver with the search.
struct StopWith<'a>(&'a (dyn Fn() -> bool + Sync));

impl SolverListener for StopWith<'_> {
    fn is_stopped(&self) -> bool {
        (self.0)()
    }
}

impl RootProver for SolverProver {
    fn prove(
        &self,
        root: &Position,
        winner: Color,
        max_nodes: u64,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Option<ProvedWin> {
        let solver = Solver {
            hash_mb: self.hash_mb,
            max_nodes: Some(max_nodes),
            ..Solver::new(winner)
        };
        // Without memory for the proof the search goes on alone.
        let result = solver.solve(root, &StopWith(is_stopped)).ok()?;
        let ProofVerdict::Proved(proved) = result.verdict else {
            return None;
        };
        Some(proved_win(&proved.0))
    }
}

fn proved_win(proof: &Proof) -> ProvedWin {
    let root = &proof.root;
    let moves = match proof.reply(root) {
        Some(mv) => vec![mv],
        None => root.legal_moves().to_vec(),
    };
    let positions = proof.positions().map(|(key, mv, plies)| ProvedPosition {
        key,
        mv,
        plies: plies.into(),
    });
    ProvedWin {
        winner: proof.attacker,
        root_moves: moves.iter().map(|&mv| proved_move(proof, mv)).collect(),
        positions: positions.collect(),
    }
}

fn proved_move(proof: &Proof, mv: Move) -> ProvedMove {
    let mut after = proof.root.clone();
    after.make(mv);
    let mut line = vec![mv];
    line.extend(proof.longest_line(&after));
    ProvedMove {
        plies: 1 + proof.plies(&after).map_or(0, usize::from),
        line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{coord, fen};
    use crate::rules::Variant;

    // After 1. Nf3 a6, 2. Ne5 threatens to explode the king on d7 and on f7.
    const BEFORE: &str = "rnbqkbnr/1ppppppp/p7/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 2";

    fn prove(pos: &Position, winner: Color) -> Option<ProvedWin> {
        SolverProver::new(16).prove(pos, winner, 10_000, &|| false)
    }

    #[test]
    fn a_win_has_its_first_move_and_a_loss_has_all_moves() {
        let mut pos = fen::parse(BEFORE, Variant::Atomic).expect("a valid FEN");
        let win = prove(&pos, Color::White).expect("a win in two moves");
        assert_eq!(win.root_moves.len(), 1);
        let best = &win.root_moves[0];
        assert_eq!((best.plies, best.line.len()), (3, 3));
        assert_eq!(coord::write(best.line[0], false), "f3e5");
        assert!(win.positions.iter().any(|known| {
            (known.key, known.mv, known.plies) == (pos.key(), Some(best.line[0]), 3)
        }));

        pos.make(best.line[0]);
        let loss = prove(&pos, Color::White).expect("a win on the next move");
        let mut proved: Vec<Move> = loss.root_moves.iter().map(|known| known.line[0]).collect();
        let mut legal = pos.legal_moves().to_vec();
        proved.sort_by_key(|mv| mv.code());
        legal.sort_by_key(|mv| mv.code());
        assert_eq!(proved, legal);
        for known in &loss.root_moves {
            let mut end = pos.clone();
            known.line.iter().for_each(|&mv| end.make(mv));
            assert!(end.king(Color::Black).is_none() && known.line.len() == known.plies);
        }
    }

    #[test]
    fn a_side_that_does_not_win_has_no_proof() {
        let pos = fen::parse(BEFORE, Variant::Atomic).expect("a valid FEN");
        assert!(prove(&pos, Color::Black).is_none());
    }
}
