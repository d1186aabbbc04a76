//! The examples of the policy head: positions with the quiet move that a search has chosen.
//! Invariant: the move of an example is one of the quiet moves of its position that do not let the
//! king explode.

use std::path::PathBuf;

use brisance::data::{GameReader, GameRecord, Sample};
use brisance::eval::nnue::{AccumulatorStack, Activations, Network, PolicyRows, PolicyThreats};
use brisance::rules::{CheckInfo, Move, MoveKind, MoveList, Position, Quiet, Variant};

/// Games that are for training or for validation together: cut nodes of one search lie side by side
/// and resemble each other.
const BLOCK: usize = 64;

/// A position and the move that a search has chosen in it.
#[derive(Clone, Copy)]
pub struct Example {
    position: Sample,
    mv: Move,
}

/// All examples of some games.
#[derive(Default)]
pub struct Examples {
    /// For training.
    pub train: Vec<Example>,
    /// For validation, from other blocks of games.
    pub validate: Vec<Example>,
}

impl Examples {
    /// Reads the examples of games, one block of games in `validation` for validation. Leaves out moves with
    /// a value beyond `cap`.
    pub fn read(paths: &[PathBuf], validation: usize, cap: i32) -> Result<Examples, String> {
        let (mut examples, mut count) = (Examples::default(), 0_usize);
        for path in paths {
            let mut reader = GameReader::open(path).map_err(|error| error.to_string())?;
            while let Some(games) = reader.next_chunk().map_err(|error| error.to_string())? {
                for game in games {
                    let is_validation = (count / BLOCK + 1).is_multiple_of(validation);
                    let part =
                        if is_validation { &mut examples.validate } else { &mut examples.train };
                    add_game(&game, cap, part);
                    count += 1;
                }
            }
        }
        Ok(examples)
    }
}

fn add_game(game: &GameRecord, cap: i32, examples: &mut Vec<Example>) {
    if game.start.variant() != Variant::Atomic {
        return;
    }
    for (pos, ply) in game.positions() {
        // A sample has no castling rights, so that castling would not be one of its moves.
        let is_example = !ply.random
            && !ply.mv.is_noisy()
            && ply.mv.kind() != MoveKind::Castle
            && i32::from(ply.value).abs() <= cap
            && !pos.in_check()
            && !pos.allows_explosion(ply.mv);
        if is_example {
            let position = Sample::new(&pos, 0.5, None, 0);
            examples.push(Example { position, mv: ply.mv });
        }
    }
}

/// What the policy head sees of an example.
pub struct Input {
    pub position: Position,
    pub moves: MoveList,
    pub activations: Activations,
    /// The rows of the origin and of the target of each move.
    pub rows: Vec<[usize; 2]>,
    /// The bias of the threats of each move.
    pub threats: Vec<usize>,
    /// The index of the chosen move.
    pub chosen: usize,
}

impl Input {
    pub fn new(
        example: &Example,
        net: &Network,
        accumulators: &mut AccumulatorStack,
    ) -> Option<Input> {
        let position = example.position.position()?;
        let mut moves = MoveList::new();
        position.generate::<Quiet>(&mut moves);
        // The search leaves out moves that let the king explode. Most are played under a threat.
        if position.threatens_explosion(!position.side_to_move()) {
            moves.retain(|mv| !position.allows_explosion(*mv));
        }
        let chosen = moves.iter().position(|&mv| mv == example.mv)?;
        let policy_rows = PolicyRows::new(&position)?;
        let check_info = CheckInfo::new(&position);
        let policy_threats = PolicyThreats::new(&position, &check_info)?;
        let (mut rows, mut threats) = (vec![], vec![]);
        for mv in &moves {
            let (from, to) = (mv.from(), mv.to());
            let piece_type = position.piece_at(from)?.piece_type();
            let origin = policy_rows.origin(piece_type, from);
            rows.push([origin, policy_rows.target(piece_type, to)]);
            threats.push(policy_threats.index(piece_type, from, to));
        }
        accumulators.reset(&position);
        let activations = accumulators.activations(net, &position)?.clone();
        Some(Input { position, moves, activations, rows, threats, chosen })
    }
}
