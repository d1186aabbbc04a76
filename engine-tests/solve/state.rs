//! `solve --state`: the tree is kept in a file, and the proof is that of an ordinary search.

use brisance::proof::{BestFirstTree, LeafSolver, NullListener, ProofVerdict, Solver};
use brisance::rules::{Color, Position};

use crate::program::{Folder, assert_has};
use crate::searching::solver;
use crate::walk::position;

/// Black wins in five or more moves, after about 300 leaves of this size.
const SEARCH: &str =
    "solve 'r4k2/1p1P1p1p/n1p3q1/pP2pP2/8/P1P5/R1K3PP/1N3B1R b - - 0 19' --leaf-nodes 20";

/// The number of lines of a state.
fn size(folder: &Folder) -> usize {
    folder.read("state").lines().count()
}

#[test]
fn a_search_goes_on_after_a_stop_and_a_kill() {
    let folder = Folder::new();
    let line = format!("{SEARCH} --state state");
    folder.run(&format!("{line} --nodes 5000")).code(1);
    let first = folder.read("state");
    assert!(size(&folder) > 3, "{first}");
    // A killed process has written a part of a line.
    folder.append("state", b"{\"fen\":\"8/8");
    folder.run(&format!("{line} --nodes 1")).code(1);
    assert!(folder.read("state").starts_with(&first));
    let proved = folder.stdout(&format!("{line} --tree proof.json"));
    assert_has(&proved, &["PROVED: Black wins within"]);
    folder.stdout("solve --check proof.json");

    // What the proof does not need is left out, and what is left suffices.
    let all = size(&folder);
    let again = folder.stdout(&line);
    assert_eq!(again.lines().nth(3), proved.lines().nth(3));
    assert!(size(&folder) < all, "{} of {all}", size(&folder));
    let kept = folder.read("state");
    folder.stdout(&line);
    assert_eq!(folder.read("state"), kept);
}

#[test]
fn what_is_not_needed_is_left_out_when_it_is_most_of_the_file() {
    let folder = Folder::new();
    // The header, one line that is needed, and others.
    for (others, kept) in [(1, 3), (3, 2)] {
        folder.run("solve FORCED --state state").code(0);
        for clock in 0..others {
            let line = format!(r#"{{"fen":"7k/8/8/8/8/8/8/K7 w - - {clock}","proved":5}}"#);
            folder.append("state", (line + "\n").as_bytes());
        }
        folder.run("solve FORCED --state state").code(0);
        assert_eq!(size(&folder), kept);
        folder.write("state", "");
    }
}

#[test]
fn lines_of_other_searches_can_be_added() {
    let folder = Folder::new();
    let line = format!("{SEARCH} --threads 2 --state state");
    folder.run(&format!("{line} --nodes 2000")).code(1);
    for part in 0..200 {
        let leaves = folder.stdout(&format!("{line} --leaves 2"));
        if leaves.is_empty() {
            let proved = folder.stdout(&format!("{line} --nodes 1"));
            return assert_has(&proved, &["PROVED"]);
        }
        for (number, leaf) in leaves.lines().enumerate() {
            let name = format!("part{part}-{number}");
            let options = format!("--for black --leaf-nodes 20 --nodes 1000 --state {name}");
            folder.run(&format!("solve '{leaf}' {options}"));
            let lines = folder.read(&name);
            let (_, lines) = lines.split_once('\n').expect("a header");
            folder.append("state", lines.as_bytes());
        }
    }
    panic!("no proof");
}

#[test]
fn a_file_of_something_else_is_unchanged() {
    let folder = Folder::new();
    let (this, other) = ("solve FORCED", "solve FORCED --moves Qe7+ --for other");
    folder.run(&format!("{other} --nodes 1 --state state"));
    let state = folder.read("state");
    let header = state.lines().next().expect("a header");
    let bad = format!("{header}\n{{\"fen\":\"8/8\",\"proved\":3}}\n");
    for (line, text, message) in [
        (this, &*state, "another search"),
        (this, "Important notes\n", "not a state of solve"),
        (this, "Important", "not a state of solve"),
        (other, &bad, "line 2"),
    ] {
        folder.write("state", text);
        folder.check(&format!("1 {line} --state state ! {message} ! unchanged"));
        assert_eq!(folder.read("state"), text);
    }
}

/// Searches best-first with small leaves. Whether the attacker wins.
fn best_first(pos: &Position, attacker: Color) -> bool {
    let solver = Solver::new(attacker);
    let leaves = LeafSolver::new(&solver, 3).expect("memory");
    let mut tree = BestFirstTree::new(pos, attacker);
    while let Some(leaf) = tree.take_leaf() {
        let (result, _) = leaves.search(&leaf, &NullListener).expect("a thread");
        tree.add(&leaf, &result);
    }
    let is_won = tree.verdict().expect("no leaf is left");
    if is_won {
        let result = solver.finish(&tree, &NullListener).expect("memory");
        assert!(matches!(result.verdict, ProofVerdict::Proved(_)));
    }
    is_won
}

#[test]
fn verdicts_are_those_of_one_search() {
    let mut counts = [0; 2];
    for text in [
        "8/8/8/8/8/2k5/p7/K7 b - - 0 1",
        "8/8/8/8/1q6/2k5/8/K7 b - - 90 1",
        "6k1/5ppp/8/8/2N5/8/5PPP/3R2K1 w - - 0 1",
        "8/1k1P4/8/8/3K4/8/2p5/8 w - - 0 1",
        "1r5k/6pp/8/8/8/8/PP6/K5R1 b - - 0 1",
        "7k/8/8/8/8/6q1/P7/K7 b - - 0 1",
        "b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1",
        "b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 95 1",
        "4k3/8/8/3p4/8/4P3/8/4K3 w - - 96 1",
    ] {
        let pos = position(text);
        for attacker in Color::ALL {
            let result = solver(attacker, 300_000).solve(&pos, &NullListener);
            let expected = match result.expect("memory").verdict {
                ProofVerdict::Proved(_) => true,
                ProofVerdict::Disproved => false,
                ProofVerdict::Unknown(_) => continue,
            };
            counts[usize::from(expected)] += 1;
            assert_eq!(best_first(&pos, attacker), expected, "{text} {attacker}");
        }
    }
    assert!(counts[0] >= 5 && counts[1] >= 3, "{counts:?}");
}
