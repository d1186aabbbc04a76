//! What is known of a position from the attacker's view, and how a node's knowledge follows
//! from its children's.
//! Invariant: `Won` and `NotWon` are facts under the conditions they carry; `Open` is only a
//! guess of the work left.

/// Work left beyond which no search goes.
pub(super) const ENDLESS: u32 = 1 << 30;

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Status {
    /// The attacker wins.
    Won {
        /// Half-moves to the end at most, counted from here.
        plies: u16,
        /// Half-moves that the fifty-move clock must have left: the win holds at every clock
        /// of at most 100 less this.
        slack: u8,
    },
    /// The attacker does not win.
    NotWon {
        /// Holds at this fifty-move clock and later; 0 unless the clock ran out somewhere.
        floor: u8,
        /// Where on the path lies the highest ancestor that a repetition led back to: the
        /// fact holds only below it. A ply, or in the table the distance up to it.
        tied: Option<u8>,
    },
    /// Nothing is settled.
    Open {
        /// Leaves to be won before the position is: the proof number.
        proof: u32,
        /// Leaves to be denied before the position is: the disproof number.
        disproof: u32,
    },
}

impl Status {
    /// A fact without conditions: not won.
    pub(super) const DENIED: Status = Status::NotWon {
        floor: 0,
        tied: None,
    };

    /// The fifty-move clock has run out before a win.
    pub(super) const OUT_OF_TIME: Status = Status::NotWon {
        floor: 100,
        tied: None,
    };

    /// The end of the game by the attacker's last move.
    pub(super) const OVER: Status = Status::Won { plies: 0, slack: 0 };

    /// The attacker, to move, explodes the king.
    pub(super) const WIN_IN_ONE: Status = Status::Won { plies: 1, slack: 1 };

    pub(super) fn is_settled(self) -> bool {
        !matches!(self, Status::Open { .. })
    }

    pub(super) fn is_won(self) -> bool {
        matches!(self, Status::Won { .. })
    }

    /// The numbers as the side to move sees them when it is the attacker (`true`) or the
    /// defender: what is left to reach its aim, and what is left for the other side.
    pub(super) fn numbers(self, attacking: bool) -> Numbers {
        let (proof, disproof) = match self {
            Status::Won { .. } => (0, ENDLESS),
            Status::NotWon { .. } => (ENDLESS, 0),
            Status::Open { proof, disproof } => (proof, disproof),
        };
        if attacking {
            Numbers {
                own: proof,
                other: disproof,
            }
        } else {
            Numbers {
                own: disproof,
                other: proof,
            }
        }
    }

    /// The condition on the clock seen from the parent. A move that starts the clock anew
    /// frees the parent from it.
    fn before(self, zeroing: bool) -> Status {
        match self {
            Status::Won { plies, slack } => Status::Won {
                plies: plies + 1,
                slack: if zeroing { 1 } else { slack + 1 },
            },
            Status::NotWon { floor, tied } => Status::NotWon {
                floor: if zeroing { 0 } else { floor.saturating_sub(1) },
                tied,
            },
            open => open,
        }
    }
}

/// Proof and disproof number, or the thresholds of both, from one side's view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Numbers {
    /// Of the aim of the side to move.
    pub(super) own: u32,
    /// Of the aim of the other side.
    pub(super) other: u32,
}

/// One move of a node and what is known of the position after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kid<M> {
    /// The move.
    pub(super) mv: M,
    /// It starts the fifty-move clock anew.
    pub(super) zeroing: bool,
    /// What is known after it.
    pub(super) status: Status,
}

/// What a node at `ply` knows from its children, of which there is at least one.
pub(super) fn gather<M>(kids: &[Kid<M>], attacking: bool, ply: usize) -> Status {
    let seen = kids.iter().map(|kid| kid.status.before(kid.zeroing));
    let (mut won, mut denied, mut open) = (None, None, false);
    for status in seen {
        match status {
            Status::Won { plies, slack } => {
                won = Some(match won {
                    None => (plies, slack),
                    Some(old) if attacking => old.min((plies, slack)),
                    Some((p, s)) => (plies.max(p), slack.max(s)),
                });
            }
            Status::NotWon { floor, tied } => {
                // An untied fact is worth more than a tied one, a loose tie more than a tight.
                let rank = (tied.map_or(u8::MAX, |ply| ply), u8::MAX - floor);
                denied = Some(match denied {
                    None => rank,
                    Some((t, f)) if attacking => (rank.0.min(t), rank.1.min(f)),
                    Some(old) => old.max(rank),
                });
            }
            Status::Open { .. } => open = true,
        }
    }
    match (won, denied, open) {
        (Some((plies, slack)), None, false) => Status::Won { plies, slack },
        (Some((plies, slack)), _, _) if attacking => Status::Won { plies, slack },
        (_, Some((tied, loose)), open) if !(attacking && open) => Status::NotWon {
            floor: u8::MAX - loose,
            // What depends on this node alone holds for good: had it a win, it would not need
            // to come back here first.
            tied: (usize::from(tied) < ply).then_some(tied),
        },
        _ => count(kids, attacking),
    }
}

/// Adding up the other side's numbers counts a leaf once for every way that leads to it; in
/// an endgame with its many ways the sum would soon be beyond all bounds.
fn count<M>(kids: &[Kid<M>], attacking: bool) -> Status {
    const MOST_WAYS: u32 = 8;
    let (mut own, mut sum, mut most, mut left) = (ENDLESS, 0u32, 0u32, 0u32);
    for kid in kids {
        let numbers = kid.status.numbers(attacking);
        own = own.min(numbers.own);
        sum = sum.saturating_add(numbers.other);
        most = most.max(numbers.other);
        left += u32::from(numbers.other > 0);
    }
    let other = sum.min(most.saturating_mul(MOST_WAYS).saturating_add(left));
    let other = other.min(ENDLESS - 1);
    let (proof, disproof) = if attacking {
        (own, other)
    } else {
        (other, own)
    };
    Status::Open { proof, disproof }
}
