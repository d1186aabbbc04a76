//! Depth-first proof-number search: always opens the leaf that takes part in the cheapest
//! proof and the cheapest disproof at once, within thresholds that keep it in one subtree as
//! long as that one is the best.
//! Invariant: a stored win holds on every path; a stored denial that rests on a repetition is
//! used only where the path contains what was repeated.

use super::status::{ENDLESS, Kid, Numbers, Status, gather};
use super::table::Table;

/// The longest line searched, in half-moves.
pub(super) const MAX_PLY: usize = 240;

/// The guess for a position that was denied on another path: likely to be denied here too.
const DENIED_ELSEWHERE: Status = Status::Open {
    proof: 100,
    disproof: 1,
};

/// A game of two sides that move in turn, with a clock that ends it after a hundred moves
/// unless they are of the kind that starts it anew and that cannot be taken back.
pub(super) trait Game {
    /// A move.
    type Move: Copy;
    /// A list of moves.
    type Moves: IntoIterator<Item = Self::Move>;

    /// True when the side whose win is looked for is to move.
    fn attacking(&self) -> bool;
    /// The legal moves that differ in effect.
    fn moves(&self) -> Self::Moves;
    /// True for moves that start the clock anew.
    fn zeroes(&self, mv: Self::Move) -> bool;
    /// Makes a move.
    fn make(&mut self, mv: Self::Move);
    /// Takes the last move back.
    fn unmake(&mut self);
    /// Tells positions apart; the clock aside.
    fn key(&self) -> u64;
    /// Moves since the clock last started.
    fn clock(&self) -> u16;
    /// What is known without search, repetitions aside, if `depth` more moves may be made.
    /// A position without a move must be settled.
    fn look(&mut self, depth: Option<u16>) -> Status;
}

/// What a search has cost and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Positions visited.
    pub(super) nodes: u64,
    /// Thousandths of the table in use.
    pub(super) fill: u32,
    /// What is known of the root.
    pub(super) root: Status,
}

/// What ends a search before its answer.
pub(super) struct Brake<'a> {
    /// Positions to visit at most.
    pub(super) nodes: u64,
    /// Asked now and then; true ends the search.
    pub(super) stop: &'a mut dyn FnMut(Effort) -> bool,
}

/// The search for a win of one side.
pub(super) struct Solver<G: Game> {
    pub(super) game: G,
    table: Table,
    /// Keys of the positions from the root to the present one, without it.
    path: Vec<u64>,
    /// Fingerprints of the first `n` positions of the path.
    prints: Vec<u64>,
    effort: Effort,
    next_look: u64,
    stopped: bool,
    /// A line was cut at [`MAX_PLY`], so that a denial of the root proves nothing.
    pub(super) cut: bool,
    /// The winning move of the last root that was found won with the attacker to move.
    pub(super) choice: Option<Kid<G::Move>>,
}

/// Positions between two looks at the brake.
const LOOK_EVERY: u64 = 4096;

impl<G: Game> Solver<G> {
    pub(super) fn new(game: G, table: Table) -> Solver<G> {
        Solver {
            game,
            table,
            path: Vec::with_capacity(MAX_PLY),
            prints: vec![0],
            effort: Effort {
                nodes: 0,
                fill: 0,
                root: Status::Open {
                    proof: 1,
                    disproof: 1,
                },
            },
            next_look: 0,
            stopped: false,
            cut: false,
            choice: None,
        }
    }

    /// The cost so far.
    pub(super) fn effort(&self) -> Effort {
        Effort {
            fill: self.table.fill(),
            ..self.effort
        }
    }

    /// Searches the present position, taken for a root, until it is settled or the brake
    /// says stop. With `depth` the win must come within so many half-moves.
    pub(super) fn settle(&mut self, depth: Option<u16>, brake: &mut Brake) -> Status {
        let endless = Numbers {
            own: ENDLESS,
            other: ENDLESS,
        };
        self.next_look = self.effort.nodes;
        self.stopped = false;
        self.choice = None;
        let look = self.game.look(depth);
        if look.is_settled() {
            return look;
        }
        self.search(depth, endless, brake)
    }

    fn search(&mut self, depth: Option<u16>, goal: Numbers, brake: &mut Brake) -> Status {
        let before = self.effort.nodes;
        let (ply, attacking) = (self.path.len(), self.game.attacking());
        let key = self.key(depth);
        self.enter();
        let deeper = depth.map(|depth| depth.saturating_sub(1));
        let mut kids = self.expand(deeper);
        let status = loop {
            let status = gather(&kids, attacking, ply);
            let numbers = status.numbers(attacking);
            if ply == 0 {
                self.effort.root = status;
            }
            let reached = numbers.own >= goal.own || numbers.other >= goal.other;
            if status.is_settled() || reached || self.must_stop(brake) {
                break status;
            }
            let (best, aim) = choose(&kids, attacking, numbers, goal);
            self.game.make(kids[best].mv);
            kids[best].status = self.search(deeper, aim, brake);
            self.game.unmake();
        };
        self.leave();
        if ply == 0 && attacking && status.is_won() {
            self.choice = shortest(&kids);
        }
        self.store(key, status, ply, self.effort.nodes - before);
        status
    }

    fn must_stop(&mut self, brake: &mut Brake) -> bool {
        self.stopped |= self.effort.nodes >= brake.nodes;
        if !self.stopped && self.effort.nodes >= self.next_look {
            self.next_look = self.effort.nodes + LOOK_EVERY;
            self.stopped = (brake.stop)(self.effort());
        }
        self.stopped
    }

    fn enter(&mut self) {
        let key = self.game.key();
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
    fn expand(&mut self, depth: Option<u16>) -> Vec<Kid<G::Move>> {
        let attacking = self.game.attacking();
        let mut kids = Vec::new();
        for mv in self.game.moves() {
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
    pub(super) fn shortest_win(&mut self, depth: Option<u16>) -> Option<Kid<G::Move>> {
        let moves = self.game.moves();
        let kids: Vec<_> = moves.into_iter().map(|mv| self.kid(mv, depth)).collect();
        shortest(&kids)
    }

    fn kid(&mut self, mv: G::Move, depth: Option<u16>) -> Kid<G::Move> {
        let zeroing = self.game.zeroes(mv);
        self.game.make(mv);
        self.effort.nodes += 1;
        let status = self.known(depth);
        self.game.unmake();
        Kid {
            mv,
            zeroing,
            status,
        }
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
        // What the table knows from earlier clocks is void once the clock has run out.
        if self.game.clock() < 100
            && let Some(status) = self.stored(depth)
        {
            return status;
        }
        let status = self.game.look(depth);
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
        let (key, ply) = (self.game.key(), self.path.len());
        let reach = usize::from(self.game.clock()).min(ply);
        let back = (2..=reach).step_by(2);
        let found = back.map(|back| ply - back).find(|&at| self.path[at] == key);
        found.and_then(|at| u8::try_from(at).ok())
    }

    /// The table's answer, if it holds here.
    fn stored(&self, depth: Option<u16>) -> Option<Status> {
        let (status, print) = self.table.probe(self.key(depth))?;
        let (clock, ply) = (self.game.clock(), self.path.len());
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

    /// The table's key: of the position, and of the depth where there is one.
    fn key(&self, depth: Option<u16>) -> u64 {
        let key = self.game.key();
        depth.map_or(key, |depth| key ^ scatter(u64::from(depth) + 1))
    }
}

/// The most promising child and its thresholds: until it is no longer the best by a quarter,
/// or until this node reaches its own goal.
fn choose<M>(kids: &[Kid<M>], attacking: bool, here: Numbers, goal: Numbers) -> (usize, Numbers) {
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

fn shortest<M: Copy>(kids: &[Kid<M>]) -> Option<Kid<M>> {
    let plies = |kid: &Kid<M>| match kid.status {
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
