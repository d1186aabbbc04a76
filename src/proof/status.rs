//! The status of a node from the attacker's point of view, and how it follows from the node's
//! children: proof and disproof numbers, and the conditions under which a result holds.
//! Invariant: `Proved` and `Disproved` are exact under the conditions they carry; `Unknown` is
//! only an estimate of the remaining work.

/// The proof number of a disproved node and the disproof number of a proved one.
pub const INFINITY: u32 = 1 << 30;

/// The status of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeStatus {
    /// The attacker wins.
    Proved {
        /// Upper bound on the length of the win in plies, counted from this node.
        plies: u16,
        /// Plies that must be left before the fifty-move rule applies: the win holds for every
        /// halfmove clock up to `100 - clock_needed`.
        clock_needed: u8,
    },
    /// The attacker does not win.
    Disproved {
        /// The result holds for this halfmove clock and higher ones; 0 unless a line ended by
        /// the fifty-move rule.
        min_clock: u8,
        /// The highest ancestor that a repetition below this node leads back to. The result
        /// holds only on paths through that ancestor (the graph-history interaction problem).
        /// A ply in the search; in the table the distance in plies up to the ancestor.
        depends_on: Option<u8>,
    },
    /// Neither proved nor disproved.
    Unknown {
        /// Proof number: an estimate of the leaves that must be proved to prove the node.
        proof: u32,
        /// Disproof number: an estimate of the leaves that must be disproved to disprove it.
        disproof: u32,
    },
}

impl NodeStatus {
    /// Disproved unconditionally.
    pub const DISPROVED: NodeStatus = NodeStatus::Disproved {
        min_clock: 0,
        depends_on: None,
    };

    /// A draw by the fifty-move rule.
    pub const FIFTY_MOVE_DRAW: NodeStatus = NodeStatus::Disproved {
        min_clock: 100,
        depends_on: None,
    };

    /// The attacker's last move has won the game.
    pub const GAME_WON: NodeStatus = NodeStatus::Proved {
        plies: 0,
        clock_needed: 0,
    };

    /// The attacker is to move and explodes the king.
    pub const WIN_IN_ONE: NodeStatus = NodeStatus::Proved {
        plies: 1,
        clock_needed: 1,
    };

    /// True for proved and disproved nodes.
    pub fn is_terminal(self) -> bool {
        !matches!(self, NodeStatus::Unknown { .. })
    }

    pub fn is_proved(self) -> bool {
        matches!(self, NodeStatus::Proved { .. })
    }

    /// The proof and disproof numbers from the point of view of the side to move: the attacker
    /// at an OR node, the defender at an AND node.
    pub fn numbers(self, is_or_node: bool) -> ProofNumbers {
        let (proof, disproof) = match self {
            NodeStatus::Proved { .. } => (0, INFINITY),
            NodeStatus::Disproved { .. } => (INFINITY, 0),
            NodeStatus::Unknown { proof, disproof } => (proof, disproof),
        };
        if is_or_node {
            ProofNumbers {
                phi: proof,
                delta: disproof,
            }
        } else {
            ProofNumbers {
                phi: disproof,
                delta: proof,
            }
        }
    }

    /// The status with its conditions expressed for the parent. After an irreversible move the
    /// parent's clock does not matter.
    fn at_parent(self, irreversible: bool) -> NodeStatus {
        match self {
            NodeStatus::Proved {
                plies,
                clock_needed,
            } => NodeStatus::Proved {
                plies: plies + 1,
                clock_needed: if irreversible { 1 } else { clock_needed + 1 },
            },
            NodeStatus::Disproved {
                min_clock,
                depends_on,
            } => NodeStatus::Disproved {
                min_clock: if irreversible {
                    0
                } else {
                    min_clock.saturating_sub(1)
                },
                depends_on,
            },
            unknown => unknown,
        }
    }
}

/// Proof and disproof number of a node, or thresholds for both, from the point of view of the
/// side to move, as in the negamax formulation of df-pn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProofNumbers {
    /// The proof number at an OR node, the disproof number at an AND node.
    pub(super) phi: u32,
    /// The disproof number at an OR node, the proof number at an AND node.
    pub(super) delta: u32,
}

/// A move of a node and the status of the position after it.
#[derive(Clone, Copy, Debug)]
pub struct ChildNode<M> {
    /// The move.
    pub(super) mv: M,
    /// True when the move resets the halfmove clock.
    pub(super) irreversible: bool,
    /// The status after the move.
    pub(super) status: NodeStatus,
}

/// The status of a node at `ply` from its children, of which there is at least one.
pub fn status_from_children<M>(
    children: &[ChildNode<M>],
    is_or_node: bool,
    ply: usize,
) -> NodeStatus {
    let statuses = children
        .iter()
        .map(|child| child.status.at_parent(child.irreversible));
    let (mut proved, mut disproved, mut any_unknown) = (None, None, false);
    for status in statuses {
        match status {
            NodeStatus::Proved {
                plies,
                clock_needed,
            } => {
                proved = Some(match proved {
                    None => (plies, clock_needed),
                    Some(old) if is_or_node => old.min((plies, clock_needed)),
                    Some((p, c)) => (plies.max(p), clock_needed.max(c)),
                });
            }
            NodeStatus::Disproved {
                min_clock,
                depends_on,
            } => {
                // Higher is more general: no dependency before a dependency, a dependency on a
                // nearer ancestor before one on a more distant ancestor.
                let generality = (
                    depends_on.map_or(u8::MAX, |ancestor| ancestor),
                    u8::MAX - min_clock,
                );
                disproved = Some(match disproved {
                    None => generality,
                    Some((d, c)) if is_or_node => (generality.0.min(d), generality.1.min(c)),
                    Some(old) => old.max(generality),
                });
            }
            NodeStatus::Unknown { .. } => any_unknown = true,
        }
    }
    match (proved, disproved, any_unknown) {
        (Some((plies, clock_needed)), None, false) => NodeStatus::Proved {
            plies,
            clock_needed,
        },
        (Some((plies, clock_needed)), _, _) if is_or_node => NodeStatus::Proved {
            plies,
            clock_needed,
        },
        (_, Some((ancestor, clock)), unknown) if !(is_or_node && unknown) => {
            NodeStatus::Disproved {
                min_clock: u8::MAX - clock,
                // A dependency on this node itself can be dropped: if the node were a win,
                // the win would not have to return to the node first.
                depends_on: (usize::from(ancestor) < ply).then_some(ancestor),
            }
        }
        _ => combined_numbers(children, is_or_node),
    }
}

/// Proof and disproof number of an unknown node. The sum over the children counts a leaf once
/// per path that leads to it, so it is capped: with the many transpositions of an endgame it
/// would otherwise grow without bound.
fn combined_numbers<M>(children: &[ChildNode<M>], is_or_node: bool) -> NodeStatus {
    const MAX_PATHS: u32 = 8;
    let (mut phi, mut sum, mut max, mut unsolved) = (INFINITY, 0u32, 0u32, 0u32);
    for child in children {
        let numbers = child.status.numbers(is_or_node);
        phi = phi.min(numbers.phi);
        sum = sum.saturating_add(numbers.delta);
        max = max.max(numbers.delta);
        unsolved += u32::from(numbers.delta > 0);
    }
    let delta = sum.min(max.saturating_mul(MAX_PATHS).saturating_add(unsolved));
    let delta = delta.min(INFINITY - 1);
    let (proof, disproof) = if is_or_node {
        (phi, delta)
    } else {
        (delta, phi)
    };
    NodeStatus::Unknown { proof, disproof }
}
