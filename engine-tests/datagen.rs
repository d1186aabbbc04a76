//! Training games: a killed run loses nothing that was written and continues; merging, exports and
//! filters.

use brisance::data::sample::SampleReader;

use crate::program::{Folder, wait_until};

/// The numbers of games and positions of a file, by `data verify`.
fn counts(folder: &Folder, file: &str) -> (u64, u64) {
    let text = folder.stdout(&format!("data verify {file}"));
    let (_, counts) = text.split_once(": ").expect("the file's name first");
    let mut numbers = counts.split(' ').filter_map(|word| word.parse().ok());
    let mut number = || numbers.next().expect("a number");
    (number(), number())
}

/// A run that writes `games` and does not end.
const ENDLESS: &str = "datagen games --positions 1000000000 --nodes 40 --threads 1";

#[test]
fn a_killed_run_continues_after_its_last_chunk() {
    let folder = Folder::new();
    let mut written = 0;
    for _ in 0..2 {
        let mut run = folder.command(ENDLESS).spawn().unwrap();
        // More than the header of the file.
        wait_until("chunk", || folder.size("games") >= written + 1000);
        run.kill().unwrap();
        run.wait().unwrap();
        written = folder.size("games");
    }
    // An incomplete chunk, as a kill leaves it.
    folder.write(
        "games",
        [&folder.bytes("games")[..], b"CHNK\x10\x00"].concat(),
    );
    folder.check("0 datagen games --positions 5000 --nodes 40 --threads 1");
    let (games, positions) = counts(&folder, "games");
    assert!(
        games > 50 && positions >= 10_000,
        "{games} games, {positions} positions"
    );
    assert!(folder.size("games") >= written);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_reports_it_and_keeps_its_games() {
    let folder = Folder::new();
    let run = folder.command(ENDLESS).spawn().unwrap();
    wait_until("chunk", || folder.size("games") >= 1000);
    let ended = crate::program::interrupt(run).code(1);
    let (games, positions) = counts(&folder, "games");
    assert!(games > 0);
    let message = format!("interrupted after {positions} of 1000000000 positions");
    assert!(ended.err.contains(&message), "{}", ended.err);
}

#[test]
fn two_runs_cannot_write_one_file() {
    let folder = Folder::new();
    let mut first = folder.command(ENDLESS).spawn().unwrap();
    wait_until("file", || folder.size("games") >= 12);
    folder.check(
        "1 datagen games --positions 100 --nodes 40
         ! games ! another process is writing to it",
    );
    first.kill().unwrap();
    first.wait().unwrap();
    folder.check("0 datagen games --positions 100 --nodes 40 --threads 1");
}

/// A folder with a file of version 1.
fn with_version_1() -> Folder {
    let folder = Folder::new();
    folder.write("version1.games", include_bytes!("data/version1.games"));
    folder
}

#[test]
fn imported_and_merged_files_keep_the_settings_of_each_part() {
    let folder = with_version_1();
    folder.check(
        "
        0 data import imported version1.games --set nodes=1500 | 8 games, 281 positions
        1 data import imported version1.games --set nodes=1500 ! exists
        1 data import merged imported --set nodes=7
        ! imported is of version 2 already and needs no conversion; `brisance data merge` joins files
        2 data import merged version1.games --set nodes ! NAME=VALUE
        1 datagen version1.games ! version 1 is only read
        2 data show imported 0 ! at least 1
        1 data show imported 9 ! imported has only 8 games
        ",
    );
    assert!(!folder.has("merged"));
    folder.check("0 datagen new --positions 300 --nodes 40 --threads 1 --random-moves 0.1");
    let (games, positions) = counts(&folder, "new");
    folder.check("0 data merge merged new imported");
    assert_eq!(counts(&folder, "merged"), (games + 8, positions + 281));
    let info = folder.stdout("data info merged version1.games");
    let parts: Vec<_> = info.split("  part ").collect();
    assert_eq!(parts.len(), 4);
    for (part, expected) in [
        (1, "nodes          40\n"),
        (1, "seed           1\n"),
        (1, "variant        atomic\n"),
        (1, ", CRC-32 "),
        (1, "random moves   0.1\n"),
        (2, "source         bare\n"),
        (2, "nocheckatomic  "),
        (3, "does not have the settings"),
    ] {
        assert!(segments[segment].contains(expected), "{expected}: {info}");
    }
    for file in ["version1.games", "imported"] {
        let shown = folder.stdout(&format!("data show {file} 1"));
        assert_eq!(shown.lines().count(), 8);
    }
    assert_eq!(
        folder.names(),
        ["imported", "merged", "new", "version1.games"]
    );
}

#[test]
fn a_converted_file_gives_the_same_samples_within_the_rounding_of_values() {
    let folder = with_version_1();
    folder.check("0 data import imported version1.games");
    // The rest of a chunk, as a file that was cut off has it, is skipped.
    let mut bytes = folder.bytes("imported");
    let chunk = bytes[12..].to_vec();
    bytes.extend(&chunk[..chunk.len() / 2]);
    folder.write("imported", bytes);
    let samples = |file: &str| {
        let more = "--force --validation 0 --cap 31999 --keep-captures --keep-duplicates";
        let ended = folder
            .run(&format!("data export samples {file} {more}"))
            .code(0);
        assert_eq!(
            file == "imported",
            ended.err.contains("is skipped"),
            "{}",
            ended.err
        );
        let mut reader = SampleReader::open(&folder.path("samples")).unwrap();
        let (mut samples, train) = (vec![], reader.train);
        reader.read(0, train, &mut samples).unwrap();
        samples
    };
    let (before, after) = (samples("version1.games"), samples("imported"));
    assert!(before.len() > 200 && before.len() == after.len());
    for (before, after) in before.iter().zip(&after) {
        // 1.25 % of a value changes an expected score by at most 0.0028.
        assert!((before.label() - after.label()).abs() < 0.0029);
        assert_eq!(before.0[..24], after.0[..24]);
        assert_eq!(before.0[26..], after.0[26..]);
    }
}

#[test]
fn limits_that_no_opening_meets_end_the_run() {
    Folder::new().check(
        "1 datagen games --nodes 1 --balance=-1 --positions 9 --threads 1
         | 0 games, 0 positions
         ! only 0 of 9 positions: 10000 openings in a row were discarded (--balance,",
    );
}

#[test]
fn cut_nodes_go_to_another_file() {
    let folder = Folder::new();
    let few = "--positions 2000 --nodes 40 --threads 1";
    folder.check(&format!(
        "0 datagen plain {few}
         0 datagen games {few} --cut-nodes nodes --cut-node-divisor 1"
    ));
    assert_eq!(counts(&folder, "games"), counts(&folder, "plain"));
    let (count, positions) = counts(&folder, "nodes");
    assert!(count > 50 && count == positions, "{count} {positions}");
    folder.check(
        "
        0 data info nodes | contents       cut nodes
        0 data merge merged games nodes
        1 data export samples nodes ! cut nodes are only for the training
        1 data export samples merged ! cut nodes are only for the training
        # One file for both would be of no use afterwards.
        1 datagen nodes --positions 1 --threads 1 ! holds cut nodes, not games
        1 datagen games --cut-nodes plain --positions 1 --threads 1 ! holds games, not cut nodes
        2 datagen games --cut-nodes games ! FILE and --cut-nodes both name
        2 datagen games --cut-node-divisor 3 ! --cut-nodes
        ",
    );
}

#[test]
fn exports_are_deterministic_and_filters_optional() {
    let folder = Folder::new();
    folder.check("0 datagen games --positions 4000 --nodes 40 --threads 1");
    let (_, positions) = counts(&folder, "games");
    let export = |more: &str| {
        folder.check(&format!("0 data export --force samples games {more}"));
        let samples = SampleReader::open(&folder.path("samples")).unwrap();
        (samples.train, samples.validate)
    };
    let all = "--keep-captures --keep-promotions --keep-wins --keep-duplicates --cap 32000 \
               --validation 0.3";
    let (train, validate) = export(all);
    assert_eq!(train + validate, positions);
    assert!(validate > positions / 10 && validate < positions / 2);
    let first = folder.bytes("samples");
    assert_eq!(export(all), (train, validate));
    assert!(
        first == folder.bytes("samples"),
        "the seed determines the split"
    );
    let total = |more: &str| {
        let (train, validate) = export(more);
        train + validate
    };
    let usual = total("");
    assert!(usual < positions * 9 / 10, "{usual} of {positions}");
    for more in ["--keep-captures", "--keep-duplicates"] {
        assert!(total(more) > usual, "{more}");
    }
    for fewer in ["--drop-checks", "--early 10", "--cap 100"] {
        assert!(total(fewer) < usual, "{fewer}");
    }
    let before = folder.bytes("samples");
    folder.check(
        "
        1 data export --force samples games --cap=-1 ! no position passed the filters
        2 data export samples games --validation 2 ! '2' for '--validation
        2 data export samples games --lambda 1.5 ! '1.5' for '--lambda
        ",
    );
    assert!(folder.bytes("samples") == before, "nothing replaces it");
}
