//! Proof of forced wins: [`Solver`] finds them by depth-first proof-number search (df-pn), an
//! independent verifier replays every reply, and proofs are written to and read from files.
//! Invariant: a win is only reported as proved when the verifier has accepted the proof.

mod atomic;
mod best_first;
mod dfpn;
#[cfg(test)]
mod dfpn_tests;
pub mod file;
mod guide;
mod helpers;
pub mod pgn;
mod solver;
#[cfg(feature = "cli")]
pub(crate) mod state;
mod status;
mod table;
mod tree;
mod verifier;

pub use best_first::{BestFirstTree, Leaf, LeafResult, LeafStatus};
pub use guide::Guide;
pub use solver::{
    LeafSolver, NullListener, ProofVerdict, Solver, SolverError, SolverListener, SolverProgress,
    SolverResult, UnknownReason,
};
pub use tree::Proof;
pub use verifier::{ProofError, ProofErrorKind, VerifiedProof, verify};
