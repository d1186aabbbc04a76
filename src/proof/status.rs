//! The status of a node from the attacker's point of view, and how it follows from the node's
//! children: proof and disproof numbers, and the conditions under which a result holds.
//! Invariant: `Proved` and `Disproved` are exact under the conditions they carry; `Unknown` is
//! only an estimate of the remaining work.

/// The proof number of a disproved node and the disproof number of a proved one.
pub const INFINITY: u32 = 1 << 30;

/// The number of an ordinary leaf: an evaluation can make it larger or smaller.
pub const LEAF: u32 = 64;

/// A win of the attacker from a node. The shorter one is less.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Win {
    /// Upper bound on its length in plies.
    pub plies: u16,
    /// Plies that must be left before the fifty-move rule applies: the win holds for every
    /// halfmove clock up to `100 - clock_needed`.
    pub clock_needed: u8,
}

impl Win {
    /// A win within this many plies, none of which resets the clock.
    pub const fn within(plies: u8) -> Win {
        Win { plies: plies as u16, clock_needed: plies }
    }

    pub fn holds_at(self, clock: u16) -> bool {
        clock + u16::from(self.clock_needed) <= 100
    }

    /// The same win, seen from the node before it. After an irreversible move the parent's clock
    /// does not matter.
    pub fn at_parent(self, irreversible: bool) -> Win {
        let clock_needed = if irreversible { 0 } else { self.clock_needed };
        Win { plies: self.plies + 1, clock_needed: clock_needed.saturating_add(1) }
    }

    /// What holds of both wins.
    pub fn worst(self, other: Win) -> Win {
        Win {
            plies: self.plies.max(other.plies),
            clock_needed: self.clock_needed.max(other.clock_needed),
        }
    }
}

/// Why the attacker does not win: the conditions under which this holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Disproof {
    /// The result holds for this halfmove clock and higher ones; 0 unless a line ended by the
    /// fifty-move rule.
    pub min_clock: u8,
    /// The highest ancestor that a repetition below this node leads back to. The result holds
    /// only on paths through that ancestor (the graph-history interaction problem). A ply in the
    /// search; in the table the distance in plies up to the ancestor.
    pub depends_on: Option<u8>,
}

impl Disproof {
    /// How general the disproof is, seen from the node before it. Higher is more general: no
    /// dependency before a dependency, a dependency on a nearer ancestor before one on a more
    /// distant ancestor.
    fn generality_at_parent(self, irreversible: bool) -> (u8, u8) {
        let min_clock = if irreversible { 0 } else { self.min_clock };
        let min_clock = min_clock.saturating_sub(1);
        (self.depends_on.unwrap_or(u8::MAX), u8::MAX - min_clock)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeStatus {
    Proved(Win),
    Disproved(Disproof),
    Unknown {
        /// Proof number: an estimate of the leaves that must be proved to prove the node.
        proof: u32,
        /// Disproof number: an estimate of the leaves that must be disproved to disprove it.
        disproof: u32,
    },
}

impl NodeStatus {
    /// Disproved unconditionally.
    pub const DISPROVED: NodeStatus = NodeStatus::disproved(0, None);

    pub const FIFTY_MOVE_DRAW: NodeStatus = NodeStatus::disproved(100, None);

    /// The attacker's last move has won the game.
    pub const GAME_WON: NodeStatus = NodeStatus::Proved(Win::within(0));

    /// The attacker is to move and explodes the king.
    pub const WIN_IN_ONE: NodeStatus = NodeStatus::Proved(Win::within(1));

    /// Disproved under the conditions of a [`Disproof`].
    pub const fn disproved(min_clock: u8, depends_on: Option<u8>) -> NodeStatus {
        NodeStatus::Disproved(Disproof { min_clock, depends_on })
    }

    /// The status before any search: this many leaves to prove, one to disprove.
    pub const fn unknown(leaves: u32) -> NodeStatus {
        NodeStatus::Unknown { proof: leaves * LEAF, disproof: LEAF }
    }

    pub fn is_terminal(self) -> bool {
        !matches!(self, NodeStatus::Unknown { .. })
    }

    pub fn is_proved(self) -> bool {
        matches!(self, NodeStatus::Proved(_))
    }

    /// The proof and disproof numbers from the point of view of the side to move: the attacker
    /// at an OR node, the defender at an AND node.
    pub fn numbers(self, is_or_node: bool) -> ProofNumbers {
        let (proof, disproof) = match self {
            NodeStatus::Proved(_) => (0, INFINITY),
            NodeStatus::Disproved(_) => (INFINITY, 0),
            NodeStatus::Unknown { proof, disproof } => (proof, disproof),
        };
        let (phi, delta) = if is_or_node { (proof, disproof) } else { (disproof, proof) };
        ProofNumbers { phi, delta }
    }
}

/// Proof and disproof number of a node, or thresholds for both, from the point of view of the
/// side to move, as in the negamax formulation of df-pn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProofNumbers {
    /// The proof number at an OR node, the disproof number at an AND node.
    pub phi: u32,
    /// The disproof number at an OR node, the proof number at an AND node.
    pub delta: u32,
}

impl ProofNumbers {
    pub const INFINITE: ProofNumbers = ProofNumbers { phi: INFINITY, delta: INFINITY };
}

/// A move of a node and the status of the position after it.
#[derive(Clone, Copy, Debug)]
pub struct ChildNode<M> {
    pub mv: M,
    /// The table key of the position after the move.
    pub key: u64,
    /// True when the move resets the halfmove clock.
    pub irreversible: bool,
    pub status: NodeStatus,
}

/// The status of a node at `ply` from its children, of which there is at least one.
pub fn status_from_children<M>(
    children: &[ChildNode<M>],
    is_or_node: bool,
    ply: usize,
) -> NodeStatus {
    let (mut proved, mut disproved, mut any_unknown) = (None::<Win>, None, false);
    for child in children {
        match child.status {
            NodeStatus::Proved(win) => {
                let win = win.at_parent(child.irreversible);
                proved = Some(match proved {
                    None => win,
                    Some(old) if is_or_node => old.min(win),
                    Some(old) => old.worst(win),
                });
            }
            NodeStatus::Disproved(disproof) => {
                let (ancestor, clock) = disproof.generality_at_parent(child.irreversible);
                disproved = Some(match disproved {
                    None => (ancestor, clock),
                    Some((a, c)) if is_or_node => (ancestor.min(a), clock.min(c)),
                    Some(old) => old.max((ancestor, clock)),
                });
            }
            NodeStatus::Unknown { .. } => any_unknown = true,
        }
    }
    match (proved, disproved, any_unknown) {
        (Some(win), None, false) => NodeStatus::Proved(win),
        (Some(win), _, _) if is_or_node => NodeStatus::Proved(win),
        (_, Some((ancestor, clock)), unknown) if !(is_or_node && unknown) => {
            // A dependency on this node itself can be dropped: if the node were a win, the win
            // would not have to return to the node first.
            let depends_on = (usize::from(ancestor) < ply).then_some(ancestor);
            NodeStatus::disproved(u8::MAX - clock, depends_on)
        }
        _ => combined_numbers(children, is_or_node),
    }
}

/// Proof and disproof number of an unknown node. The sum over the children counts a leaf once
/// per path that leads to it, so it is capped: with the many transpositions of an endgame it
/// would otherwise grow without bound.
fn combined_numbers<M>(children: &[ChildNode<M>], is_or_node: bool) -> NodeStatus {
    const MAX_PATHS: u32 = 16;
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
    let (proof, disproof) = if is_or_node { (phi, delta) } else { (delta, phi) };
    NodeStatus::Unknown { proof, disproof }
}
