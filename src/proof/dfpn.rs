//! Depth-first proof-number search: always opens the leaf that takes part in the cheapest
//! proof and the cheapest disproof at once, within thresholds that keep it in one subtree as
//! long as that one is the best.
//! Invariant: a stored win holds on every path; a stored denial that rests on a repetition is
//! used only where the path contains what was repeated.

use super::leaf;
use super::status::{ENDLESS, Kid, Numbers, Status, gather};
use super::table::Table;
use crate::rules::{Color, Move, MoveList, Piece, PieceType, Position};

/// The longest line searched, in half-moves.
pub(super) const MAX_PLY: usize = 240;

/// From this fifty-move clock on, positions that differ in it only are different ones.
const CLOCK_MATTERS: u16 = 40;

/// The guess for a position that was denied on another path: likely to be denied here too.
const DENIED_ELSEWHERE: Status = Status::Open {
    proof: 100,
    disproof: 1,
};

/// When a search ends before its answer, and how often it looks.
pub(super) struct Brake<'a> {
    /// Positions to visit at most.
    pub(super) nodes: u64,
    /// Asked now and then; given what was visited and the table's fill, true ends the search.
    pub(super) stop: &'a mut dyn FnMut(&Solver) -> bool,
}

/// The search for a win of one side.
pub(super) struct Solver {
    pub(super) pos: Position,
    pub(super) attacker: Color,
    /// The root moves to consider; empty means all.
    pub(super) only: Vec<Move>,
    /// Keys of positions that stood twice on the board before the root: the next time is a
    /// draw, whatever the path.
    spent: Vec<u64>,
    table: Table,
    /// Keys of the positions from the root to the present one, without it.
    path: Vec<u64>,
    /// Fingerprints of the first `n` positions of the path.
    prints: Vec<u64>,
    /// Positions visited.
    pub(super) nodes: u64,
    next_look: u64,
    pub(super) stopped: bool,
    /// A line was cut at [`MAX_PLY`], so that a denial of the root proves nothing.
    pub(super) cut: bool,
    /// Work left at the root by the last count.
    pub(super) outlook: Status,
    /// The winning move of the last root that was found won with the attacker to move.
    pub(super) choice: Option<Kid<Move>>,
}

/// Positions between two looks at the brake.
const LOOK_EVERY: u64 = 4096;

impl Solver {
    pub(super) fn new(pos: &Position, attacker: Color, only: Vec<Move>, table: Table) -> Solver {
        Solver {
            pos: pos.clone(),
            attacker,
            only,
            spent: spent(pos),
            table,
            path: Vec::with_capacity(MAX_PLY),
            prints: vec![0],
            nodes: 0,
            next_look: 0,
            stopped: false,
            cut: false,
            outlook: Status::Open {
                proof: 1,
                disproof: 1,
            },
            choice: None,
        }
    }

    /// Thousandths of the table in use.
    pub(super) fn fill(&self) -> u32 {
        self.table.fill()
    }

    /// True when the attacker is to move.
    pub(super) fn attacking(&self) -> bool {
        self.pos.side() == self.attacker
    }

    /// Searches the present position, taken for a root, until it is settled or the brake
    /// says stop. With `depth` the win must come within so many half-moves.
    pub(super) fn settle(&mut self, depth: Option<u16>, brake: &mut Brake) -> Status {
        let endless = Numbers {
            own: ENDLESS,
            other: ENDLESS,
        };
        self.next_look = self.nodes;
        self.choice = None;
        self.search(depth, endless, brake)
    }

    fn search(&mut self, depth: Option<u16>, goal: Numbers, brake: &mut Brake) -> Status {
        let before = self.nodes;
        let (ply, attacking) = (self.path.len(), self.attacking());
        let key = self.key(depth);
        self.enter();
        let deeper = depth.map(|depth| depth.saturating_sub(1));
        let mut kids = self.expand(deeper);
        let status = loop {
            let status = gather(&kids, attacking, ply);
            let numbers = status.numbers(attacking);
            if ply == 0 {
                self.outlook = status;
            }
            let reached = numbers.own >= goal.own || numbers.other >= goal.other;
            if status.is_settled() || reached || self.must_stop(brake) {
                break status;
            }
            let (best, aim) = choose(&kids, attacking, numbers, goal);
            self.pos.make(kids[best].mv);
            kids[best].status = self.search(deeper, aim, brake);
            self.pos.unmake();
        };
        self.leave();
        if ply == 0 && attacking && status.is_won() {
            self.choice = shortest(&kids);
        }
        if ply > 0 || self.only.is_empty() {
            self.store(key, status, ply, self.nodes - before);
        }
        status
    }

    fn must_stop(&mut self, brake: &mut Brake) -> bool {
        self.stopped |= self.nodes >= brake.nodes;
        if !self.stopped && self.nodes >= self.next_look {
            self.next_look = self.nodes + LOOK_EVERY;
            self.stopped = (brake.stop)(self);
        }
        self.stopped
    }

    fn enter(&mut self) {
        let key = self.pos.key();
        let print = self.prints[self.path.len()] ^ scatter(key);
        self.path.push(key);
        self.prints.push(print);
    }

    fn leave(&mut self) {
        self.path.pop();
        self.prints.pop();
    }

    /// The moves of the present position, each with what is known after it. Ends at the first
    /// move that settles the position for the side to move.
    fn expand(&mut self, depth: Option<u16>) -> Vec<Kid<Move>> {
        let attacking = self.attacking();
        let mut kids = Vec::new();
        for mv in self.moves() {
            let kid = self.kid(mv, depth);
            let decided = match kid.status {
                Status::Won { .. } => attacking,
                Status::NotWon { tied, .. } => !attacking && tied.is_none(),
                Status::Open { .. } => false,
            };
            if decided {
                return vec![kid];
            }
            kids.push(kid);
        }
        kids
    }

    /// The winning move that the table or a look knows to be the shortest.
    pub(super) fn shortest_win(&mut self, depth: Option<u16>) -> Option<Kid<Move>> {
        let kids: Vec<_> = self
            .moves()
            .into_iter()
            .map(|mv| self.kid(mv, depth))
            .collect();
        shortest(&kids)
    }

    /// The moves to consider: all that differ in effect, at a restricted root only some.
    fn moves(&self) -> MoveList {
        let mut moves = self.pos.legal_moves();
        moves.retain(|mv| !mv.is_redundant());
        if self.path.len() <= 1 && !self.only.is_empty() {
            moves.retain(|mv| self.only.contains(mv));
        }
        moves
    }

    fn kid(&mut self, mv: Move, depth: Option<u16>) -> Kid<Move> {
        let zeroing = self.is_zeroing(mv);
        self.pos.make(mv);
        self.nodes += 1;
        let status = self.known(depth);
        self.pos.unmake();
        Kid {
            mv,
            zeroing,
            status,
        }
    }

    pub(super) fn is_zeroing(&self, mv: Move) -> bool {
        let pawn = |piece: Piece| piece.kind() == PieceType::Pawn;
        mv.is_capture() || self.pos.piece_at(mv.from()).is_some_and(pawn)
    }

    /// What is known of the present position without searching it.
    fn known(&mut self, depth: Option<u16>) -> Status {
        let ply = self.path.len();
        // With a depth the graph has no cycles, and a win never needs to return.
        if depth.is_none()
            && let Some(tied) = self.repeated()
        {
            return Status::NotWon {
                floor: 0,
                tied: Some(tied),
            };
        }
        if self.spent.contains(&self.pos.key()) {
            return Status::DENIED;
        }
        if let Some(status) = self.stored(depth) {
            return status;
        }
        let status = leaf::look(&mut self.pos, self.attacker, depth);
        if ply >= MAX_PLY && !status.is_settled() {
            self.cut = true;
            return Status::NotWon {
                floor: 0,
                tied: Some(0),
            };
        }
        status
    }

    /// The ply of the path at which the present position stood before.
    fn repeated(&self) -> Option<u8> {
        let (key, ply) = (self.pos.key(), self.path.len());
        let reach = usize::from(self.pos.halfmove()).min(ply);
        let back = (4..=reach).step_by(2);
        let found = back.map(|back| ply - back).find(|&at| self.path[at] == key);
        found.and_then(|at| u8::try_from(at).ok())
    }

    /// The table's answer, if it holds here.
    fn stored(&self, depth: Option<u16>) -> Option<Status> {
        let (status, print) = self.table.probe(self.key(depth))?;
        let (clock, ply) = (self.pos.halfmove(), self.path.len());
        match status {
            Status::Won { slack, .. } => (clock + u16::from(slack) <= 100).then_some(status),
            Status::NotWon { floor, tied } => {
                let Some(distance) = tied else {
                    return (clock >= u16::from(floor)).then_some(status);
                };
                let at = ply.checked_sub(usize::from(distance));
                let at = at.filter(|&at| self.prints[ply] ^ self.prints[at] == print);
                match at.and_then(|at| u8::try_from(at).ok()) {
                    Some(at) if clock >= u16::from(floor) => Some(Status::NotWon {
                        floor,
                        tied: Some(at),
                    }),
                    _ => Some(DENIED_ELSEWHERE),
                }
            }
            Status::Open { .. } => Some(status),
        }
    }

    fn store(&mut self, key: u64, status: Status, ply: usize, work: u64) {
        let work = u32::try_from(work).unwrap_or(u32::MAX);
        let (status, print) = match status {
            Status::NotWon {
                floor,
                tied: Some(at),
            } => {
                let at = usize::from(at);
                let tied = u8::try_from(ply - at).ok();
                let print = self.prints[ply] ^ self.prints[at];
                (Status::NotWon { floor, tied }, print)
            }
            other => (other, 0),
        };
        self.table.store(key, status, print, work);
    }

    /// The table's key: of the position, of the depth where there is one, and of the
    /// fifty-move clock once it matters.
    fn key(&self, depth: Option<u16>) -> u64 {
        let clock = self.pos.halfmove();
        let clock = if clock < CLOCK_MATTERS { 0 } else { clock };
        let depth = depth.map_or(0, |depth| u64::from(depth) + 1);
        let context = u64::from(clock) << 32 | depth;
        if context == 0 {
            self.pos.key()
        } else {
            self.pos.key() ^ scatter(context)
        }
    }
}

/// Keys that occur twice in the history of a position.
fn spent(pos: &Position) -> Vec<u64> {
    let mut past = pos.clone();
    let mut keys = Vec::new();
    while past.ply() > 0 {
        past.unmake();
        keys.push(past.key());
    }
    keys.sort_unstable();
    let mut twice: Vec<u64> = keys
        .windows(2)
        .filter(|two| two[0] == two[1])
        .map(|two| two[0])
        .collect();
    twice.dedup();
    twice
}

/// The most promising child and its thresholds: until it is no longer the best by a quarter,
/// or until this node reaches its own goal.
fn choose(kids: &[Kid<Move>], attacking: bool, here: Numbers, goal: Numbers) -> (usize, Numbers) {
    let (mut best, mut first, mut second) = (
        0,
        Numbers {
            own: ENDLESS,
            other: ENDLESS,
        },
        ENDLESS,
    );
    for (index, kid) in kids.iter().enumerate() {
        let numbers = kid.status.numbers(attacking);
        if (numbers.own, numbers.other) < (first.own, first.other) {
            second = first.own;
            (best, first) = (index, numbers);
        } else {
            second = second.min(numbers.own);
        }
    }
    // Without the slack of a quarter two equal children would take turns at every step.
    let own = goal.own.min(second.saturating_add(second / 4 + 1));
    let rest = here.other - first.other.min(here.other);
    let other = if goal.other >= ENDLESS {
        ENDLESS
    } else {
        goal.other.saturating_sub(rest)
    };
    // The child's own view is the other way round.
    (
        best,
        Numbers {
            own: other,
            other: own,
        },
    )
}

fn shortest(kids: &[Kid<Move>]) -> Option<Kid<Move>> {
    let plies = |kid: &Kid<Move>| match kid.status {
        Status::Won { plies, .. } => Some(plies),
        _ => None,
    };
    let won = kids.iter().filter(|kid| plies(kid).is_some());
    won.min_by_key(|kid| plies(kid)).copied()
}

fn scatter(key: u64) -> u64 {
    let mixed = (key ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 32)
}
