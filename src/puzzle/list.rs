//! The list of puzzles: which puzzles are taken, and their lines in the file.
//! Invariant: whether a puzzle is taken depends only on the puzzles before it, and the state can be
//! read back from the lines.

use std::collections::{HashMap, HashSet};

use super::{Grade, Puzzle};
use crate::notation::coord;
use crate::notation::epd::{self, Epd};
use crate::rules::{Move, Variant};

#[derive(Clone, Copy, Default, Debug)]
pub struct PuzzleCaps {
    pub count: usize,
    pub per_opening: usize,
    pub per_grade: usize,
    /// With the same number of moves.
    pub per_length: usize,
}

/// What the list needs of a puzzle that was taken.
struct TakenPuzzle {
    id: String,
    key: u64,
    line: String,
    moves: usize,
    grade: u8,
    opening: u32,
    /// The number of the game, from 1.
    game: u64,
}

#[derive(Default)]
pub struct PuzzleList {
    caps: PuzzleCaps,
    keys: HashSet<u64>,
    ids: HashSet<String>,
    lines: HashSet<String>,
    openings: HashMap<u32, usize>,
    lengths: HashMap<usize, usize>,
    grades: [usize; Grade::MAX as usize],
    last_game: u64,
}

impl PuzzleList {
    pub fn new(caps: PuzzleCaps) -> PuzzleList {
        PuzzleList { caps, ..PuzzleList::default() }
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_full(&self) -> bool {
        let mut grades = self.grades.iter();
        self.len() >= self.caps.count || grades.all(|&count| count >= self.caps.per_grade)
    }

    /// The number of puzzles of each grade, from 1.
    pub fn grades(&self) -> &[usize] {
        &self.grades
    }

    /// The number of the game of the last puzzle, from 1; 0 if there is none.
    pub fn last_game(&self) -> u64 {
        self.last_game
    }

    /// Takes a puzzle of a game, counted from 1, and returns its line with a newline. `None` if it
    /// is a duplicate, by its position or by its whole line, or if there are enough of its kind.
    pub fn add(&mut self, puzzle: &Puzzle, game: u64) -> Option<String> {
        let taken = TakenPuzzle {
            id: id(puzzle),
            key: puzzle.pos.key(),
            line: move_list(&puzzle.solution.line, " "),
            moves: puzzle.solution.moves(),
            grade: puzzle.grade.number,
            opening: puzzle.opening,
            game,
        };
        if !self.accepts(&taken) {
            return None;
        }
        let text = epd_line(puzzle, &taken);
        self.take(taken);
        Some(text)
    }

    /// Reads a line of the file back; false if it was not written with these caps.
    pub fn read(&mut self, line: &str) -> bool {
        let taken = parse(line).filter(|taken| taken.game > self.last_game && self.accepts(taken));
        let is_valid = taken.is_some();
        taken.into_iter().for_each(|taken| self.take(taken));
        is_valid
    }

    fn accepts(&self, puzzle: &TakenPuzzle) -> bool {
        let count = |count: Option<&usize>| count.copied().unwrap_or_default();
        let is_new = !self.keys.contains(&puzzle.key)
            && !self.ids.contains(&puzzle.id)
            && !self.lines.contains(&puzzle.line);
        is_new
            && self.len() < self.caps.count
            && count(self.openings.get(&puzzle.opening)) < self.caps.per_opening
            && count(self.lengths.get(&puzzle.moves)) < self.caps.per_length
            && self.grades[usize::from(puzzle.grade) - 1] < self.caps.per_grade
    }

    fn take(&mut self, puzzle: TakenPuzzle) {
        self.keys.insert(puzzle.key);
        self.ids.insert(puzzle.id);
        self.lines.insert(puzzle.line);
        *self.openings.entry(puzzle.opening).or_default() += 1;
        *self.lengths.entry(puzzle.moves).or_default() += 1;
        self.grades[usize::from(puzzle.grade) - 1] += 1;
        self.last_game = puzzle.game;
    }
}

/// A name that depends on the position only.
fn id(puzzle: &Puzzle) -> String {
    let mut text = Epd::new(puzzle.pos.clone()).to_string();
    if puzzle.pos.variant() != Variant::Atomic {
        text.push_str(puzzle.pos.variant().name());
    }
    format!("p{:08x}", crc32fast::hash(text.as_bytes()))
}

fn epd_line(puzzle: &Puzzle, taken: &TakenPuzzle) -> String {
    let mut epd = Epd::new(puzzle.pos.clone());
    epd.set("id", format!("\"{}\"", taken.id));
    if let Some((pos, mv)) = &puzzle.before {
        let pos = Epd::new(pos.clone());
        epd.set("before", format!("\"{pos} {}\"", coord::write(*mv, false)));
    }
    epd.set("line", &taken.line);
    let equal = puzzle.solution.equal.iter();
    let equal = equal.map(|(place, moves)| format!("{place}:{}", move_list(moves, ",")));
    let equal: Vec<String> = equal.collect();
    if !equal.is_empty() {
        epd.set("equal", equal.join(" "));
    }
    epd.set("dm", taken.moves);
    epd.set("grade", taken.grade);
    if let Some(nodes) = puzzle.grade.nodes {
        epd.set("acn", nodes);
    }
    let variant = puzzle.pos.variant();
    if variant != Variant::Atomic {
        epd.set("variant", variant.name());
    }
    let (game, ply, opening) = (taken.game, puzzle.ply, taken.opening);
    let source = format!("\"game {game} ply {ply} opening {opening:08x}\"");
    epd.set("c0", source);
    format!("{epd}\n")
}

fn parse(line: &str) -> Option<TakenPuzzle> {
    // The fields of both variants are the same; only the key differs.
    let mut epd = epd::parse_line(line, Variant::Atomic).ok()??;
    if let Some(name) = epd.operand("variant") {
        epd = epd::parse_line(line, Variant::from_name(name)?).ok()??;
    }
    let source: Vec<&str> = epd.operand("c0")?.split(' ').collect();
    let ["game", game, "ply", _, "opening", opening] = source[..] else {
        return None;
    };
    let grade: Option<u8> = epd.operand("grade")?.parse().ok();
    Some(TakenPuzzle {
        id: epd.operand("id")?.to_owned(),
        key: epd.pos.key(),
        line: epd.operand("line")?.to_owned(),
        moves: epd.operand("dm")?.parse().ok()?,
        grade: grade.filter(|grade| (1..=Grade::MAX).contains(grade))?,
        opening: u32::from_str_radix(opening, 16).ok()?,
        game: game.parse().ok()?,
    })
}

fn move_list(moves: &[Move], separator: &str) -> String {
    let moves: Vec<String> = moves.iter().map(|&mv| coord::write(mv, false)).collect();
    moves.join(separator)
}
