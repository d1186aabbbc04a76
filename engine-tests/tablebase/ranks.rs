//! Ranks of moves and results of games compared with shakmaty's prober and with the rules.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use brisance::notation::coord;
use brisance::rules::{Color, GameResult, Position};
use brisance::tablebase::{Tablebase, Wdl};

use super::{Reference, engine, folder, open, random_position};
use crate::random::Random;
use crate::searching::{go, nodes};
use crate::walk::{play, position, x_fen};

/// The WDL value of a move from the mover's point of view, −2 to 2, and the number of plies until
/// the next capture, pawn move or end of the game.
fn reference_rank(reference: &Reference, after: &Position, mover: Color, clock: i32) -> (i32, i32) {
    match after.outcome() {
        Some(outcome) => match outcome.result {
            GameResult::Win(winner) => (if winner == mover { 2 } else { -2 }, 0),
            GameResult::Draw => (0, 0),
        },
        None if after.halfmove_clock() == 0 => {
            let wdl = -reference.wdl(after);
            (wdl, wdl.abs() / 2)
        }
        None => {
            let dtz = -reference.dtz(after).0;
            let plies = dtz.abs() + 1;
            let in_time = plies + clock <= 100;
            (dtz.signum() * if in_time { 2 } else { 1 }, plies)
        }
    }
}

#[test]
fn moves_are_ranked_by_result_and_distance() {
    let Some(folder) = folder() else { return };
    let (tables, reference) = (open(&folder), Reference::new(&folder));
    let mut random = Random::new(21);
    let mut counts = [0; 5];
    for round in 0..250 {
        let pos = random_position(3 + round % 2, &mut random);
        let clock = *random.pick(&[0, 1, 40, 70, 90, 97]);
        let pos = position(&x_fen(&pos).replace(" 0 1", &format!(" {clock} 70")));
        let moves = pos.legal_moves();
        let [ranks, without_rule50] = [true, false].map(|use_rule50| {
            let ranking = tables.rank_moves(&pos, &moves, use_rule50);
            let ranking = ranking.expect("all tables");
            assert!(ranking.by_dtz);
            ranking.ranks
        });
        let expected = moves.iter().map(|&mv| {
            let after = pos.after(mv);
            reference_rank(&reference, &after, pos.side_to_move(), clock)
        });
        let expected: Vec<(i32, i32)> = expected.collect();
        for (index, &(wdl, plies)) in expected.iter().enumerate() {
            let context = format!("{} {:?}", x_fen(&pos), moves[index]);
            assert_eq!(ranks[index].wdl().value(), wdl, "{context}");
            let value = without_rule50[index].wdl().value();
            assert_eq!(value, 2 * wdl.signum(), "{context}");
            counts[(wdl + 2) as usize] += 1;
            for (other, &(other_wdl, other_plies)) in expected.iter().enumerate() {
                let order = wdl.cmp(&other_wdl).then(match wdl {
                    1.. => other_plies.cmp(&plies),
                    0 => Ordering::Equal,
                    // Losing moves are equal unless the fifty-move limit is near.
                    _ => {
                        let near = |plies| if 2 * plies + clock >= 100 { plies } else { 0 };
                        near(plies).cmp(&near(other_plies))
                    }
                });
                assert_eq!(ranks[index].cmp(&ranks[other]), order, "{context}");
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}

/// A won position in which White and Black have moved to and fro: the position before `d5d6` has
/// occurred twice, the one after it and the start position once more with each further move.
fn to_and_fro(plies: usize) -> Position {
    let mut pos = position("8/8/8/3k4/8/8/8/KQ6 w - - 0 1");
    for name in ["b1b2", "d5d6", "b2b1", "d6d5"].iter().cycle().take(plies) {
        play(&mut pos, name);
    }
    pos
}

#[test]
fn a_win_is_ranked_as_a_draw_if_the_opponent_can_repeat() {
    let Some(folder) = folder() else { return };
    let tables = open(&folder);
    let pos = to_and_fro(6);
    let moves = pos.legal_moves();
    let [ranks, without_history] = [&pos, &pos.without_history()].map(|pos| {
        let ranking = tables.rank_moves(pos, &moves, true);
        ranking.expect("all tables").ranks
    });
    for (index, &mv) in moves.iter().enumerate() {
        // After the queen's return the king returns too, for the third time.
        if coord::write(mv, true) == "b2b1" {
            assert_eq!(ranks[index].wdl(), Wdl::Draw);
            assert_eq!(without_history[index].wdl(), Wdl::Win);
        } else {
            assert_eq!(ranks[index], without_history[index], "{mv:?}");
        }
    }
}

#[test]
fn the_losing_side_prefers_the_third_repetition() {
    let Some(folder) = folder() else { return };
    let tables = open(&folder);
    let pos = to_and_fro(7);
    let moves = pos.legal_moves();
    let ranking = tables.rank_moves(&pos, &moves, true);
    let ranks = ranking.expect("all tables").ranks;
    let best = ranks.iter().max().expect("a move");
    assert_eq!(best.wdl(), Wdl::Draw);
    let best_moves = moves.iter().zip(&ranks).filter(|(_, rank)| *rank == best);
    let names: Vec<String> = best_moves.map(|(&mv, _)| coord::write(mv, true)).collect();
    assert_eq!(names, ["d6d5"]);
    // The search ranks with the history too.
    let found = go(&mut engine(&folder), &pos, &nodes(200));
    assert_eq!(found.best_move(), coord::parse(&pos, "d6d5"));
    assert_eq!(found.value(), 0);
}

#[test]
fn results_agree_with_shakmaty() {
    let Some(folder) = folder() else { return };
    let (tables, reference) = (open(&folder), Reference::new(&folder));
    let mut random = Random::new(22);
    let mut counts = [0; 3];
    for _ in 0..300 {
        let pos = random_position(4, &mut random);
        let wdl = reference.wdl(&pos);
        let expected = match wdl {
            2 => GameResult::Win(pos.side_to_move()),
            -2 => GameResult::Win(!pos.side_to_move()),
            _ => GameResult::Draw,
        };
        assert_eq!(tables.result(&pos), Some(expected), "{}", x_fen(&pos));
        let found = tables.wdl(&pos).expect("all tables");
        assert_eq!((found.value(), (-found).value()), (wdl, -wdl));
        counts[expected.winner().map_or(2, Color::index)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 30), "{counts:?}");
}

#[test]
fn tables_in_memory_give_the_same_results() {
    let Some(folder) = folder() else { return };
    let files = std::fs::read_dir(&folder).expect("a folder");
    let three_pieces = files.filter_map(|file| {
        let path = file.expect("a file").path();
        let name = path.file_name()?.to_str()?.to_owned();
        let is_small = name.len() == "KQvK.atbw".len();
        is_small.then(|| (name, std::fs::read(&path).expect("a table").into()))
    });
    let contents: HashMap<String, Arc<[u8]>> = three_pieces.collect();
    assert!(contents.len() >= 10, "{} tables", contents.len());
    let in_memory = Tablebase::from_memory(contents).expect("tables");
    let on_disk = open(&folder);
    let mut random = Random::new(5);
    for _ in 0..300 {
        let pos = random_position(3, &mut random);
        assert!(in_memory.wdl(&pos).is_some(), "{}", x_fen(&pos));
        assert_eq!(in_memory.wdl(&pos), on_disk.wdl(&pos), "{}", x_fen(&pos));
        assert_eq!(in_memory.dtz(&pos), on_disk.dtz(&pos), "{}", x_fen(&pos));
    }
    for contents in
        [HashMap::new(), HashMap::from([("KQvK.atbw".to_owned(), Arc::from(&b"damaged"[..]))])]
    {
        Tablebase::from_memory(contents).expect_err("no usable table");
    }
}
