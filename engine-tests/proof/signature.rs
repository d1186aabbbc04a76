//! What the solver visits: a change of its numbers, thresholds or table shows here, as a change of
//! the search shows in `bench`. After an intended change, the new counts replace these.

use brisance::proof::{BestFirstTree, LeafResult, LeafSolver};

use super::*;

/// Positions of openings after these moves, from which White is to win.
const OPENINGS: [&str; 8] = [
    "g1f3 f7f5",
    "g1f3 d7d6",
    "g1f3 e7e5",
    "g1h3 h7h6",
    "e2e3 a7a6",
    "b1c3 d7d5",
    "e2e4 e7e5",
    "d2d4 b8c6",
];

fn after(moves: &str) -> Position {
    let mut pos = position(fen::STARTPOS);
    play(&mut pos, moves);
    pos.without_history()
}

/// The plies of a proof or the verdict of a search, its nodes, and the permille of the table that it
/// fills.
fn cost(pos: &Position, solver: &Solver) -> String {
    let result = solve(pos, solver);
    let verdict = match result.verdict {
        ProofVerdict::Proved(proved) => proved.1.plies.to_string(),
        ProofVerdict::Disproved => "-".to_owned(),
        ProofVerdict::Unknown(_) => "?".to_owned(),
    };
    format!("{verdict}:{}/{}", result.nodes, result.hashfull)
}

#[test]
fn the_nodes_of_the_solver() {
    let alone = solver(Color::White, 60_000);
    let guided = Solver { guide: Some(&Chance), max_nodes: Some(300_000), ..alone };
    let costs = |solver| OPENINGS.map(|moves| cost(&after(moves), &solver)).join(" ");
    let mut found = vec![costs(alone), costs(guided)];
    for (fen, least) in FORCED_WINS {
        let pos = position(fen);
        let us = pos.side_to_move();
        let [free, enemy] = [solver(us, 60_000), solver(!us, 20_000)];
        let guided = [free, enemy].map(|solver| Solver { guide: Some(&Chance), ..solver });
        let limited = [least, least - 1].map(|moves| solver_within(us, moves));
        let costs = [free, enemy, guided[0], guided[1], limited[0], limited[1]];
        found.push(costs.map(|solver| cost(&pos, &solver)).join(" "));
    }
    // The fifty-move rule draws some lines.
    let queen = position(FORCED_WINS[3].0);
    let clocks = [83, 88, 91, 94].map(|clock| with_clock(&queen, clock));
    found.push(clocks.map(|pos| cost(&pos, &solver(Color::White, 60_000))).join(" "));
    let expected = [
        "5:134/0 ?:60021/61 ?:60010/61 ?:60003/46 5:141/0 ?:60013/51 9:1961/1 ?:60017/48",
        "5:1018/1 ?:300006/239 ?:300005/451 ?:300012/200 ?:300017/219 ?:300022/302 ?:300000/203 \
         ?:300009/230",
        "7:741/0 -:5392/11 7:2148/3 ?:20006/43 7:741/0 -:13019/23",
        "5:205/0 -:2401/3 5:297/0 -:1820/2 5:205/0 -:458/0",
        "3:32/0 -:192/1 3:32/0 -:80/0 3:32/0 -:26/0",
        "19:7211/8 -:4787/15 43:15408/25 -:5652/27 7:4345/6 -:15792/27",
        "1:0/0 -:0/0 1:0/0 -:0/0 1:0/0 -:0/0",
        "1:39/0 -:1/0 1:39/0 -:1/0 1:39/0 -:0/0",
        "13:7322/8 11:5686/7 7:4342/5 ?:60011/110",
    ];
    assert_eq!(found, expected);
}

/// A guide that knows no mate, and cannot search.
struct Draws;

impl Guide for Draws {
    fn known(&self, _pos: &Position) -> Option<(Value, Option<Move>)> {
        Some((0, None))
    }
}

#[test]
fn a_guide_that_knows_no_mate_changes_nothing() {
    for (fen, _) in FORCED_WINS {
        let pos = position(fen);
        let alone = solver(pos.side_to_move(), 30_000);
        let guided = Solver { guide: Some(&Draws), ..alone };
        assert_eq!(cost(&pos, &guided), cost(&pos, &alone), "{fen}");
        assert_eq!(Draws.search(&pos, 1_000, None, &|| false), 0);
    }
}

#[test]
fn the_leaves_of_a_best_first_search() {
    let starts = [
        (after("g1f3 f7f5"), 20),
        (after("e2e3 a7a6"), 20),
        (after("g1f3 e7e5"), 300),
        (position(FORCED_WINS[0].0), 20),
        (position(FORCED_WINS[3].0), 200),
        (position("8/8/8/3k4/8/8/4Q3/4K3 w - - 97 80"), 3),
    ];
    let mut found: Vec<String> = Vec::new();
    for (pos, nodes) in starts {
        let solver = solver(pos.side_to_move(), 5_000);
        let leaves = LeafSolver::new(&solver, nodes).expect("memory");
        let mut tree = BestFirstTree::new(&pos, solver.attacker);
        let mut results = HashMap::new();
        for _ in 0..60 {
            // As two threads take them.
            let taken = [tree.take_leaf(), tree.take_leaf()];
            for leaf in taken.into_iter().flatten() {
                let (result, _) = leaves.search(&leaf, &NullListener).expect("a stack");
                tree.add(&leaf, &result);
                results.insert(shredder(&leaf.pos), result);
            }
        }
        let mut needed = HashMap::new();
        tree.visit_needed(&mut |pos| {
            let name = shredder(pos);
            needed.insert(name.clone(), results.get(&name).cloned());
        });
        let find = |pos: &Position| -> Option<LeafResult> { needed.get(&shredder(pos))?.clone() };
        let mut restored = BestFirstTree::new(tree.root(), solver.attacker);
        restored.restore(&find);
        assert_eq!(restored.verdict(), tree.verdict());
        assert_eq!(restored.numbers(), tree.numbers());
        let finished = match tree.verdict() {
            Some(true) => solver.finish(&restored, &NullListener).expect("memory").nodes,
            _ => 0,
        };
        let sizes = [tree.size(), results.len(), needed.len(), restored.size()];
        let (verdict, hashfull) = (tree.verdict(), leaves.hashfull());
        found.push(format!("{verdict:?} {:?} {sizes:?} {finished} {hashfull}", tree.numbers()));
    }
    let expected = [
        "Some(true) (0, 16777216) [59, 5, 20, 41] 82 0",
        "Some(true) (0, 16777216) [48, 3, 2, 31] 87 0",
        "None (104, 41) [2995, 119, 2995, 2995] 0 42",
        "Some(true) (0, 16777216) [165, 15, 10, 151] 306 0",
        "Some(true) (0, 16777216) [387, 51, 6, 91] 1117 13",
        "Some(false) (16777216, 0) [134, 51, 49, 134] 0 1",
    ];
    assert_eq!(found, expected);
}
