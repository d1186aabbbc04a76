//! Training games: a killed run loses nothing that was written and continues; merging, exports and
//! filters.

use brisance::data::sample::SampleReader;

use crate::program::{Folder, kill, wait_until};

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
        let run = folder.command(ENDLESS).spawn().unwrap();
        // More than the header of the file.
        wait_until("chunk", || folder.size("games") >= written + 1000);
        kill(run);
        written = folder.size("games");
    }
    // An incomplete chunk, as a kill leaves it.
    folder.append("games", b"CHNK\x10\x00");
    folder.check("0 datagen games --positions 5000 --nodes 40 --threads 1");
    let (games, positions) = counts(&folder, "games");
    assert!(games > 50, "{games} games");
    // More than this run was asked for: the chunks of the killed runs are there.
    assert!(positions >= 10_000, "{positions} positions");
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

/// The fixture of the format, 20 games, without the header of its only segment.
fn bare_games() -> Vec<u8> {
    let mut bytes = include_bytes!("data/version2.games").to_vec();
    assert!(bytes[12..].starts_with(b"PART"));
    let length = u32::from_le_bytes(bytes[16..20].try_into().unwrap());
    bytes.drain(12..32 + length as usize);
    bytes
}

#[test]
fn merged_files_keep_the_settings_of_each_segment() {
    let (folder, _) = Folder::with("bare", bare_games());
    folder.check(
        "
        0 datagen new --positions 300 --nodes 40 --threads 1 --random-moves 0.1
        0 data merge merged new bare
        2 data show bare 0 ! at least 1
        1 data show bare 21 ! bare has only 20 games
        ",
    );
    let [old, new, all] = ["bare", "new", "merged"].map(|file| counts(&folder, file));
    assert_eq!((old.0, all), (20, (old.0 + new.0, old.1 + new.1)));
    let info = folder.stdout("data info merged bare");
    let segments: Vec<_> = info.split("  part ").collect();
    assert_eq!(segments.len(), 4);
    for (segment, expected) in [
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
    assert_eq!(folder.stdout("data show bare 1").lines().count(), 8);
    assert_eq!(folder.names(), ["bare", "merged", "new"]);
}

#[test]
fn an_incomplete_chunk_is_skipped_and_another_version_refused() {
    let folder = Folder::new();
    let mut bytes = bare_games();
    folder.write("whole", &bytes);
    let chunk = bytes[12..].to_vec();
    bytes.extend(&chunk[..chunk.len() / 2]);
    folder.write("cut", &bytes);
    let samples = |file: &str| {
        let line = format!("data export --force samples {file} --validation 0");
        let warning = folder.run(&line).code(0).err;
        assert_eq!(file == "cut", warning.contains("is skipped"), "{warning}");
        folder.bytes("samples")
    };
    assert!(samples("whole") == samples("cut"));
    bytes[8] = 1;
    folder.write("cut", &bytes);
    folder.check(
        "
        1 datagen cut ! unsupported version 1, expected 2
        1 data verify cut ! unsupported version 1, expected 2
        ",
    );
    assert!(folder.bytes("cut") == bytes);
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
    let few = "--positions 3000 --nodes 40 --threads 1";
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
    // The seed determines the split.
    assert!(first == folder.bytes("samples"));
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
    folder.check("1 data export --force samples games --cap=-1 ! no position passed the filters");
    assert!(folder.bytes("samples") == before, "nothing replaces it");
}
