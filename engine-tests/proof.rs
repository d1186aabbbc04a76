//! Forced wins: the solver against full-width search, against tablebases, and its proofs
//! replayed by a second reading of the rules; and proofs that were tampered with.
//! The long tests: `cargo test --release --test engine proof -- --ignored --nocapture`.

use std::collections::HashMap;
use std::path::PathBuf;

use brisance::notation::fen::CastlingStyle;
use brisance::notation::{coord, fen};
use brisance::proof::file::{self, Claim};
use brisance::proof::{Answer, Proof, Task, Unwatched, Verdict, Verified, Why, solve};
use brisance::rules::{
    Color, Move, Outcome, Piece, PieceType, Position, Reason, Setup, Square, Variant,
};
use shakmaty::CastlingMode;
use shakmaty::variant::Atomic;
use shakmaty_syzygy::{AmbiguousWdl, MaybeRounded, Tablebase};

use crate::random::Random;
use crate::reference::Board;
use crate::walk;

fn position(text: &str) -> Position {
    fen::parse(text, Variant::Atomic).expect("the test's FEN is right")
}

fn text(pos: &Position) -> String {
    fen::write(pos, CastlingStyle::Shredder)
}

fn answer(pos: &Position, task: &Task) -> Answer {
    solve(pos, task, &Unwatched).expect("there is memory")
}

fn task(attacker: Color, nodes: u64) -> Task {
    Task {
        hash: 1,
        nodes: Some(nodes),
        ..Task::new(attacker)
    }
}

fn within(attacker: Color, moves: u16) -> Task {
    Task {
        within: Some(moves),
        ..task(attacker, u64::MAX)
    }
}

fn proved(verdict: Verdict) -> (Proof, Verified) {
    match verdict {
        Verdict::Proved(proved) => *proved,
        other => panic!("not proved: {other:?}"),
    }
}

/// Full-width search with the rules alone: does `attacker` win within so many half-moves?
fn wins(pos: &mut Position, attacker: Color, plies: u32) -> bool {
    match pos.outcome() {
        Some(Outcome::Win { winner, .. }) => return winner == attacker,
        Some(Outcome::Draw { .. }) => return false,
        None if plies == 0 => return false,
        None => {}
    }
    let attacking = pos.side() == attacker;
    for mv in pos.legal_moves() {
        pos.make(mv);
        let won = wins(pos, attacker, plies - 1);
        pos.unmake();
        if won == attacking {
            return attacking;
        }
    }
    !attacking
}

/// The same position with another fifty-move clock.
fn with_clock(pos: &Position, clock: usize) -> Position {
    let text = text(pos);
    let mut fields: Vec<&str> = text.split(' ').collect();
    let clock = clock.to_string();
    fields[4] = &clock;
    fen::parse(&fields.join(" "), pos.variant()).expect("still a position")
}

/// How often the answers were yes and no.
#[derive(Default, Debug)]
struct Tally {
    yes: u32,
    no: u32,
}

/// Asks for wins within 1 to `most` moves, for either side, in some of the positions of walks,
/// a third of them with a clock about to run out.
fn compare_with_brute_force(seed: u64, one_in: usize, count: usize, most: u16) -> Tally {
    let mut tally = Tally::default();
    for variant in Variant::ALL {
        let mut random = Random::new(seed);
        walk::visit(seed, count, variant, |pos| {
            if !random.one_in(one_in) || pos.outcome().is_some() {
                return;
            }
            let mut pos = pos.without_history();
            if random.one_in(3) {
                pos = with_clock(&pos, 94 + random.below(6));
            }
            let attacker = *random.pick(&Color::ALL);
            let attacking = u16::from(pos.side() == attacker);
            let mut expected = false;
            for moves in 1..=most {
                let plies = 2 * moves - attacking;
                expected = wins(&mut pos, attacker, u32::from(plies));
                let answer = answer(&pos, &within(attacker, moves));
                let place = format!("{} {attacker} {moves}: {answer:?}", text(&pos));
                match &answer.verdict {
                    Verdict::Proved(proved) => {
                        assert!(expected && proved.1.plies <= usize::from(plies), "{place}");
                        replay(&proved.0, &mut HashMap::new());
                        tally.yes += 1;
                    }
                    Verdict::Disproved => {
                        assert!(!expected, "{place}");
                        tally.no += 1;
                    }
                    Verdict::Unknown(_) => panic!("{place}"),
                }
            }
            // Without a bound on the length, a denial must leave no short win either.
            match answer(&pos, &task(attacker, 2_000)).verdict {
                Verdict::Proved(proved) => replay(&proved.0, &mut HashMap::new()),
                Verdict::Disproved => assert!(!expected, "{}", text(&pos)),
                Verdict::Unknown(_) => {}
            }
        });
    }
    tally
}

#[test]
fn wins_in_two_moves_are_those_of_brute_force() {
    let tally = compare_with_brute_force(31, 20, 5_000, 2);
    assert!(tally.yes > 50 && tally.no > 300, "{tally:?}");
}

#[test]
fn wins_in_three_moves_are_those_of_brute_force() {
    let tally = compare_with_brute_force(32, 150, 6_000, 3);
    assert!(tally.yes > 20 && tally.no > 80, "{tally:?}");
}

#[test]
#[ignore = "a few minutes"]
fn many_wins_in_three_moves_are_those_of_brute_force() {
    println!("{:?}", compare_with_brute_force(33, 20, 20_000, 3));
}

/// Plays a proof through with the second reading of the rules; `done` holds what was seen to
/// hold, with the half-moves that the clock needs.
fn replay(proof: &Proof, done: &mut HashMap<String, u32>) {
    let pos = &proof.root;
    let board = Board::from_shredder_fen(&text(pos), pos.variant().has_check());
    replay_from(proof, board, &mut Vec::new(), done);
}

fn replay_from(
    proof: &Proof,
    board: Board,
    line: &mut Vec<String>,
    done: &mut HashMap<String, u32>,
) -> u32 {
    let white = proof.attacker == Color::White;
    assert!(!board.has_lost_king(white));
    let replies = board.replies();
    if board.has_lost_king(!white) {
        return 0;
    }
    let fen = board.shredder_fen();
    let fields: Vec<&str> = fen.split(' ').collect();
    let attacking = (fields[1] == "w") == white;
    if replies.is_empty() {
        assert!(!attacking && board.in_check(), "no mate: {fen}");
        return 0;
    }
    let clock: u32 = fields[4].parse().unwrap();
    assert!(clock < 100, "{fen}");
    let name = fields[..4].join(" ");
    assert!(!line.contains(&name), "returns to {fen}");
    if let Some(slack) = done.get(&name) {
        assert!(clock + slack <= 100);
        return *slack;
    }
    let pos = fen::parse(&fen, proof.root.variant()).unwrap();
    let wanted = attacking.then(|| {
        let mv = proof
            .reply(&pos)
            .unwrap_or_else(|| panic!("no move in {fen}"));
        coord::write(mv, true)
    });
    line.push(name.clone());
    let (mut slack, mut played) = (0, 0);
    for reply in replies {
        if wanted.as_ref().is_none_or(|wanted| *wanted == reply.text) {
            let resets = reply.after.shredder_fen().split(' ').nth(4) == Some("0");
            let after = replay_from(proof, reply.after, line, done);
            slack = slack.max(if resets { 1 } else { after + 1 });
            played += 1;
        }
    }
    assert!(played > 0, "the proof's move is not legal in {fen}");
    line.pop();
    done.insert(name, slack);
    slack
}

/// Known forced wins, the least number of moves, and what makes them hard.
const KNOWN: [(&str, u16); 6] = [
    // Queen sacrifices beside the enemy king, published.
    ("b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1", 4),
    ("3qk3/8/2n5/1B1p4/5P1p/2P4P/8/4K2R b K - 0 1", 3),
    // A quiet move.
    ("7k/8/8/8/8/6q1/P7/K7 b - - 0 1", 2),
    // A lone queen.
    ("8/8/8/3k4/8/8/4Q3/4K3 w - - 0 1", 4),
    // On the last half-move before the fifty-move draw.
    ("B7/Rk6/8/8/8/8/7Q/4K3 w - - 99 1", 1),
    ("4k3/7R/8/8/8/8/8/R3K3 w - - 99 80", 1),
];

#[test]
fn known_wins_are_proved() {
    for (fen, least) in KNOWN {
        let pos = position(fen);
        let free = proved(answer(&pos, &task(pos.side(), 200_000)).verdict);
        assert!(free.1.plies >= usize::from(2 * least - 1), "{fen}");
        replay(&free.0, &mut HashMap::new());
        let (proof, verified) = proved(answer(&pos, &within(pos.side(), least)).verdict);
        assert_eq!(verified.plies, usize::from(2 * least - 1), "{fen}");
        replay(&proof, &mut HashMap::new());
        assert_eq!(verified.line.len(), verified.plies);
        if least > 1 {
            let verdict = answer(&pos, &within(pos.side(), least - 1)).verdict;
            assert!(matches!(verdict, Verdict::Disproved), "{fen}: {verdict:?}");
        }
    }
}

#[test]
fn what_is_no_win_is_not_proved() {
    for fen in [
        // Stalemate, dead material, a lost game, a win for the other side in one.
        "7k/8/6Q1/8/8/8/8/K7 b - - 0 1",
        "8/4rk2/8/8/8/8/3K4/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/8 w - - 0 1",
        "8/8/8/1r6/8/8/1P6/K1k5 w - - 0 1",
        // The clock has run out, or will before the win.
        "4k3/7R/8/8/8/8/8/R3K3 w - - 100 80",
        "8/8/8/3k4/8/8/4Q3/4K3 w - - 95 80",
    ] {
        let pos = position(fen);
        let verdict = answer(&pos, &task(pos.side(), 1_000_000)).verdict;
        assert!(matches!(verdict, Verdict::Disproved), "{fen}: {verdict:?}");
    }
    // A lone queen cannot separate kings that touch; nobody can search that to its end.
    let pos = position("2q1k3/4K3/8/8/8/8/8/8 b - - 0 1");
    let verdict = answer(&pos, &task(pos.side(), 100_000)).verdict;
    assert!(!matches!(verdict, Verdict::Proved(_)));
}

#[test]
fn a_position_that_stood_twice_is_no_step_of_a_win() {
    let start = position("7k/8/8/8/8/6q1/P7/K7 b - - 0 1");
    let quiet = coord::parse(&start, "g3a3").unwrap();
    let (_, verified) = proved(answer(&start, &within(Color::Black, 2)).verdict);
    assert_eq!(verified.line[0], quiet);
    let mut pos = start.clone();
    for _ in 0..2 {
        for mv in ["g3a3", "a1b1", "a3g3", "b1a1"] {
            pos.make(coord::parse(&pos, mv).expect("a legal shuffle"));
        }
    }
    // Now the position after the quiet move would come up for the third time, and this one
    // is here for the third time itself.
    assert!(matches!(
        answer(&pos, &within(Color::Black, 2)).verdict,
        Verdict::Disproved
    ));
    pos.unmake();
    pos.make(coord::parse(&pos, "b1c1").expect("legal"));
    let (proof, verified) = proved(answer(&pos, &task(Color::Black, 500_000)).verdict);
    let mut game = pos.clone();
    for &mv in &verified.line {
        assert_eq!(game.outcome(), None);
        game.make(mv);
    }
    let winner = Color::Black;
    assert!(matches!(game.outcome(), Some(Outcome::Win { winner: w, .. }) if w == winner));
    assert_eq!(proof.root.ply(), pos.ply());
}

fn tables() -> Option<Tablebase<Atomic>> {
    let named = std::env::var_os("BRISANCE_SYZYGY").map(PathBuf::from);
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/syzygy");
    let folder = named.unwrap_or(beside);
    let mut tables = Tablebase::new();
    match tables.add_directory(&folder) {
        Ok(count) if count > 0 => Some(tables),
        _ => {
            println!(
                "SKIPPED: no tables in {}; set BRISANCE_SYZYGY",
                folder.display()
            );
            None
        }
    }
}

/// A position with two kings and one or two more men that the tables know.
fn few_men(random: &mut Random) -> Position {
    const MEN: [PieceType; 5] = [
        PieceType::Pawn,
        PieceType::Knight,
        PieceType::Bishop,
        PieceType::Rook,
        PieceType::Queen,
    ];
    loop {
        let mut setup = Setup::empty(Variant::Atomic);
        setup.side = *random.pick(&Color::ALL);
        let mut put = |color, kind, random: &mut Random| {
            let square = Square::wrapping(random.below(64) as u32);
            setup.men[square.index()] = Some(Piece::new(color, kind));
        };
        for color in Color::ALL {
            put(color, PieceType::King, random);
        }
        for _ in 0..1 + random.below(2) {
            let (color, kind) = (*random.pick(&Color::ALL), *random.pick(&MEN));
            put(color, kind, random);
        }
        let Ok(pos) = Position::from_setup(&setup) else {
            continue;
        };
        let kings = Color::ALL.iter().all(|&color| pos.king(color).is_some());
        if kings && pos.occupied().count() > 2 && pos.outcome().is_none() {
            return pos;
        }
    }
}

/// What the solver says of random positions beside what the tables say: the wins that it
/// proves, of those that are close to the capture that decides, and of all.
fn compare_with_tables(
    tables: &Tablebase<Atomic>,
    seed: u64,
    count: u32,
    nodes: u64,
) -> [[u32; 2]; 2] {
    const NEAR: i32 = 9;
    let mut random = Random::new(seed);
    let mut shares = [[0; 2]; 2];
    for _ in 0..count {
        let pos = few_men(&mut random);
        let fen: shakmaty::fen::Fen = text(&pos).parse().unwrap();
        let Ok(theirs) = fen.into_position::<Atomic>(CastlingMode::Chess960) else {
            continue;
        };
        let (Ok(wdl), Ok(dtz)) = (tables.probe_wdl(&theirs), tables.probe_dtz(&theirs)) else {
            continue;
        };
        let winner = match wdl {
            AmbiguousWdl::Win => Some(pos.side()),
            AmbiguousWdl::Loss => Some(!pos.side()),
            _ => None,
        };
        for attacker in Color::ALL {
            let verdict = answer(&pos, &task(attacker, nodes)).verdict;
            let is_proved = matches!(verdict, Verdict::Proved(_));
            if winner == Some(attacker) {
                assert!(!matches!(verdict, Verdict::Disproved), "{}", text(&pos));
                let (MaybeRounded::Rounded(dtz) | MaybeRounded::Precise(dtz)) = dtz;
                // A pawn move may only be the first of many steps.
                let pawns = pos.of_kind(PieceType::Pawn).any();
                let near = dtz.0.abs() <= NEAR && !pawns;
                for counts in shares.iter_mut().skip(usize::from(!near)) {
                    counts[0] += u32::from(is_proved);
                    counts[1] += 1;
                }
            } else if !matches!(wdl, AmbiguousWdl::CursedWin | AmbiguousWdl::BlessedLoss) {
                assert!(!is_proved, "{} is no win of {attacker}", text(&pos));
            }
        }
    }
    shares
}

#[test]
fn proofs_and_denials_agree_with_tablebases() {
    let Some(tables) = tables() else { return };
    let [near, all] = compare_with_tables(&tables, 71, 300, 5_000);
    println!("proved {near:?} of the near wins, {all:?} of all");
    assert!(near[1] > 50 && near[0] * 10 >= near[1] * 8, "{near:?}");
}

#[test]
#[ignore = "a few minutes"]
fn many_proofs_and_denials_agree_with_tablebases() {
    let Some(tables) = tables() else { return };
    let [near, all] = compare_with_tables(&tables, 72, 5_000, 100_000);
    println!("proved {near:?} of the near wins, {all:?} of all");
}

/// A proof as the lines of its file.
fn lines(fen: &str) -> Vec<String> {
    let pos = position(fen);
    let (proof, verified) = proved(answer(&pos, &task(pos.side(), 1_000_000)).verdict);
    let mut out = Vec::new();
    file::write(&proof, &verified, false, &mut out).unwrap();
    String::from_utf8(out)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

fn read(lines: &[String]) -> Result<Claim, String> {
    Claim::read(lines.join("\n").as_bytes())
}

const FORCED: &str = "b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1";

#[test]
fn a_file_without_one_of_its_lines_does_not_hold() {
    let whole = lines(FORCED);
    let verified = read(&whole).unwrap().verify().unwrap();
    assert_eq!(verified.positions, whole.len() - 1);
    for without in 1..whole.len() {
        let mut torn = whole.clone();
        torn.remove(without);
        let fault = read(&torn).unwrap().verify().unwrap_err();
        assert_eq!(fault.why, Why::NoMove, "{fault}");
        assert!(whole[without].contains(fault.fen.rsplitn(3, ' ').nth(2).unwrap()));
    }
    assert!(read(&whole[1..]).unwrap_err().starts_with("line 1"));
}

#[test]
fn a_changed_move_is_found_unless_it_wins_too() {
    let whole = lines(FORCED);
    let (mut refused, mut fine) = (0, 0);
    for changed in 1..whole.len() {
        let line: serde_json::Value = serde_json::from_str(&whole[changed]).unwrap();
        let pos = position(line["fen"].as_str().unwrap());
        for mv in pos.legal_moves() {
            let mut torn = whole.clone();
            let fen = line["fen"].as_str().unwrap();
            let mv_text = coord::write(mv, false);
            torn[changed] = format!(r#"{{"fen":"{fen}","move":"{mv_text}"}}"#);
            match read(&torn).unwrap().verify() {
                Err(_) => refused += 1,
                // Then the move must win by the rules alone, within what the judge says.
                Ok(verified) => {
                    let mut after = pos.clone();
                    after.make(mv);
                    assert!(
                        wins(&mut after, Color::Black, verified.plies as u32),
                        "{mv_text} in {fen}"
                    );
                    fine += 1;
                }
            }
        }
    }
    assert!(
        refused > 200 && fine >= whole.len() as i32 - 1,
        "{refused} {fine}"
    );
}

#[test]
fn a_false_head_is_found() {
    let whole = lines(FORCED);
    let with = |from: &str, to: &str| {
        assert!(whole[0].contains(from));
        let mut lines = whole.clone();
        lines[0] = lines[0].replace(from, to);
        read(&lines).map(|claim| claim.verify().map(|verified| verified.plies))
    };
    // Another winner, another root, other rules, a clock that runs out within the line.
    assert!(with(r#""attacker":"black""#, r#""attacker":"white""#).is_err());
    assert_eq!(
        with("4K3 b", "3K4 b").unwrap().unwrap_err().why,
        Why::NoMove
    );
    assert!(with(r#""atomic""#, r#""nocheckatomic""#).is_ok_and(|result| result.is_err()));
    let late = with("b - - 0 1", "b - - 95 60").unwrap().unwrap_err().why;
    let fifty = Outcome::Draw {
        reason: Reason::FiftyMoves,
    };
    assert!(late == Why::Ends(fifty) || late == Why::TooLate, "{late:?}");
    assert_eq!(with("b - - 0 1", "b - - 93 60"), Ok(Ok(7)));
    for (from, to) in [
        ("brisance proof 1", "brisance proof 9"),
        (r#""atomic""#, r#""suicide""#),
        ("4K3 b", "4K3 x"),
        ("{", ""),
    ] {
        let error = with(from, to).unwrap_err();
        assert!(error.starts_with("line 1: "), "{error}");
    }
}

#[test]
fn bad_lines_are_named() {
    let whole = lines(FORCED);
    for (bad, why) in [
        ("no JSON", "line 2"),
        (r#"{"fen":"8/8/8/8/8/8/8/8 b - -","move":"a1a2"}"#, "line 2"),
        (
            r#"{"fen":"b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - -","move":"d8d9"}"#,
            "d8d9",
        ),
        (
            r#"{"fen":"b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 w - -","move":"e1e2"}"#,
            "White",
        ),
    ] {
        let mut lines = whole.clone();
        lines[1] = bad.to_owned();
        let error = read(&lines).unwrap_err();
        assert!(
            error.starts_with("line 2: ") && error.contains(why),
            "{error}"
        );
    }
    let mut twice = whole.clone();
    twice.push(whole[1].replace("d8e7", "d8d7"));
    assert!(read(&twice).unwrap_err().contains("second move"));
    assert!(read(&[]).unwrap_err().contains("empty"));
}

/// A strategy that walks in a circle is refused, not followed for ever.
#[test]
fn a_line_that_returns_is_refused() {
    let pos = position("8/8/8/3k4/8/8/4Q3/4K3 w - - 0 1");
    let shuffle = |pos: &Position| -> Option<Move> {
        ["e1d1", "d1e1"].iter().find_map(|mv| coord::parse(pos, mv))
    };
    let fault = brisance::proof::verify(&pos, Color::White, &shuffle).unwrap_err();
    assert_eq!(fault.why, Why::Returns, "{fault}");
    assert!(fault.line.len() >= 4);
}
