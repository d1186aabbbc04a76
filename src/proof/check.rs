//! The independent judge of a proof: replays every reply of the defender with the rules
//! alone. Shares no code and no table with the search.
//! Invariant: a proof that passes wins by force from its root, repetitions and the
//! fifty-move rule included.

use std::collections::{HashMap, HashSet};
use std::fmt;

use crate::notation::{coord, fen};
use crate::rules::{Color, Move, Outcome, PieceType, Position};

/// What was found in a proof that holds.
#[derive(Clone, Debug)]
pub struct Verified {
    /// Half-moves to the end against the longest resistance.
    pub plies: usize,
    /// A line of longest resistance.
    pub line: Vec<Move>,
    /// Positions with the attacker to move that occur.
    pub positions: usize,
    /// Replies of the defender that were played.
    pub replies: usize,
}

/// Why a proof does not hold, and the moves from its root to where it fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The moves to the position at fault.
    pub line: Vec<Move>,
    /// The position at fault.
    pub fen: String,
    /// What is wrong there.
    pub why: Why,
}

/// What is wrong with a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The proof has no move for the attacker.
    NoMove,
    /// The proof's move is not legal.
    Illegal(Move),
    /// The game ends otherwise than by the attacker's win.
    Ends(Outcome),
    /// The position stood on the board earlier in the line.
    Returns,
    /// The position would be reached too late for the fifty-move rule.
    TooLate,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            Why::NoMove => write!(f, "no move is given")?,
            Why::Illegal(mv) => write!(f, "{} is not legal", coord::write(*mv, true))?,
            Why::Ends(outcome) => write!(f, "the game ends: {outcome:?}")?,
            Why::Returns => write!(f, "the line returns to an earlier position")?,
            Why::TooLate => write!(f, "the fifty-move rule ends the game first")?,
        }
        write!(f, " in {}", self.fen)?;
        if !self.line.is_empty() {
            write!(f, " after")?;
            for &mv in &self.line {
                write!(f, " {}", coord::write(mv, true))?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}

/// Half-moves to the end, and half-moves that the fifty-move clock must have left.
type Cost = (usize, u16);

/// A position on the present line.
struct Frame {
    text: String,
    moves: Vec<Move>,
    next: usize,
    worst: Cost,
}

struct Judge<'a> {
    pos: Position,
    attacker: Color,
    strategy: &'a dyn Fn(&Position) -> Option<Move>,
    /// Positions that hold, by their text, so that no key can deceive.
    holds: HashMap<String, Cost>,
    line: HashSet<String>,
    stack: Vec<Frame>,
    replies: usize,
}

/// Replays all replies to a strategy of `attacker` from `root`.
///
/// # Errors
/// The first fault found.
pub fn verify(
    root: &Position,
    attacker: Color,
    strategy: &dyn Fn(&Position) -> Option<Move>,
) -> Result<Verified, Fault> {
    let mut judge = Judge {
        pos: root.clone(),
        attacker,
        strategy,
        holds: HashMap::new(),
        line: HashSet::new(),
        stack: Vec::new(),
        replies: 0,
    };
    let plies = match judge.run() {
        Ok((plies, _)) => plies,
        Err(why) => return Err(judge.fault(why)),
    };
    judge.pos = root.clone();
    Ok(Verified {
        plies,
        line: judge.longest_line(),
        positions: judge.positions(),
        replies: judge.replies,
    })
}

impl Judge<'_> {
    /// Walks depth first with a stack of its own: a file may hold lines of any length.
    fn run(&mut self) -> Result<Cost, Why> {
        let mut result = self.arrive()?;
        while let Some(frame) = self.stack.last_mut() {
            if let Some((plies, slack)) = result.take() {
                let mv = frame.moves[frame.next];
                self.pos.unmake();
                let slack = if resets_clock(&self.pos, mv) {
                    1
                } else {
                    slack + 1
                };
                frame.worst = (frame.worst.0.max(plies + 1), frame.worst.1.max(slack));
                frame.next += 1;
            }
            if let Some(&mv) = frame.moves.get(frame.next) {
                self.pos.make(mv);
                self.replies += usize::from(self.pos.side() == self.attacker);
                result = self.arrive()?;
            } else if let Some(frame) = self.stack.pop() {
                self.line.remove(&frame.text);
                self.holds.insert(frame.text, frame.worst);
                result = Some(frame.worst);
            }
        }
        Ok(result.unwrap_or_default())
    }

    /// Looks at the present position: its cost if that is known, else it goes on the stack.
    fn arrive(&mut self) -> Result<Option<Cost>, Why> {
        if let Some(outcome) = self.pos.outcome() {
            return match outcome {
                Outcome::Win { winner, .. } if winner == self.attacker => Ok(Some((0, 0))),
                _ => Err(Why::Ends(outcome)),
            };
        }
        let text = name(&self.pos);
        if self.line.contains(&text) {
            return Err(Why::Returns);
        }
        if let Some(&cost) = self.holds.get(&text) {
            return if self.pos.halfmove() + cost.1 <= 100 {
                Ok(Some(cost))
            } else {
                Err(Why::TooLate)
            };
        }
        let moves = if self.pos.side() == self.attacker {
            let mv = (self.strategy)(&self.pos).ok_or(Why::NoMove)?;
            if !self.pos.legal_moves().contains(&mv) {
                return Err(Why::Illegal(mv));
            }
            vec![mv]
        } else {
            self.pos.legal_moves().to_vec()
        };
        self.line.insert(text.clone());
        self.stack.push(Frame {
            text,
            moves,
            next: 0,
            worst: (0, 0),
        });
        Ok(None)
    }

    fn fault(&self, why: Why) -> Fault {
        let moves = self
            .stack
            .iter()
            .filter_map(|frame| frame.moves.get(frame.next));
        Fault {
            line: moves.copied().collect(),
            fen: fen::write(&self.pos, Default::default()),
            why,
        }
    }

    /// The line in which the defender holds out longest.
    fn longest_line(&mut self) -> Vec<Move> {
        let mut line = Vec::new();
        while self.pos.outcome().is_none() {
            let mv = if self.pos.side() == self.attacker {
                (self.strategy)(&self.pos)
            } else {
                let moves = self.pos.legal_moves();
                moves.into_iter().max_by_key(|&mv| self.plies_after(mv))
            };
            let Some(mv) = mv else { break };
            self.pos.make(mv);
            line.push(mv);
        }
        line
    }

    fn plies_after(&mut self, mv: Move) -> usize {
        self.pos.make(mv);
        let cost = self.holds.get(&name(&self.pos));
        let plies = cost.map_or(0, |&(plies, _)| plies);
        self.pos.unmake();
        plies
    }

    fn positions(&self) -> usize {
        let side = if self.attacker == Color::White {
            " w "
        } else {
            " b "
        };
        self.holds.keys().filter(|text| text.contains(side)).count()
    }
}

/// The first four fields of the FEN: all that tells positions apart but the clocks.
pub(super) fn name(pos: &Position) -> String {
    let text = fen::write(pos, fen::CastlingStyle::Shredder);
    let end = text
        .match_indices(' ')
        .nth(3)
        .map_or(text.len(), |(at, _)| at);
    text[..end].to_owned()
}

fn resets_clock(pos: &Position, mv: Move) -> bool {
    let piece = pos.piece_at(mv.from());
    mv.is_capture() || piece.is_some_and(|piece| piece.kind() == PieceType::Pawn)
}
