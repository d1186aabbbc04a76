//! Tablebases in the binary: UCI options and messages, `analyse`, `datagen`, `match`.

use super::folder;
use crate::program::{Folder, assert_has, run};
use crate::uci::session::piped;

const SEARCH: &str = "position fen 8/8/8/3k4/8/8/8/KQ6 w - - 0 1";

#[test]
fn syzygy_path_loads_tables_and_reports_them() {
    let Some(folder) = folder() else { return };
    let tables = folder.display();
    let output = piped(&format!(
        "setoption name syzygypath value {tables}\n{SEARCH}\nd\nisready\ngo depth 3\n\
         setoption name SyzygyPath value <empty>\n{SEARCH}\nd\n"
    ));
    let output = output.join("\n");
    let found = "info string found 35 WDL and 35 DTZ tables of up to 4 pieces";
    assert!(output.starts_with(found), "{output}");
    let count = |part| output.matches(part).count();
    assert_eq!(count("Tablebases: WDL 2, DTZ "), 1, "{output}");
    assert_eq!(count("info string"), 1, "{output}");
    let mut lines = output.lines().filter(|line| line.contains(" depth 3 "));
    let line = lines.next().expect("a line");
    assert!(!line.contains("tbhits 0 "), "{line}");
}

#[test]
fn a_damaged_table_is_a_message() {
    let Some(tables) = folder() else { return };
    let folder = Folder::new();
    for (name, keep) in [("KQvK.atbw", 80), ("KRvK.atbw", 79), ("KRvK.atbz", 4000)] {
        let bytes = std::fs::read(tables.join(name)).expect("readable");
        folder.write(name, &bytes[..bytes.len().min(keep)]);
    }
    let (path, search) = (folder.at(""), format!("{SEARCH}\ngo depth 2"));
    let option = format!("setoption name SyzygyPath value {path}");
    let output = piped(&format!("{option}\n{search}\nisready\n{search}\n")).join("\n");
    let found = "info string found 1 WDL and 1 DTZ tables of up to 3 pieces";
    assert_has(&output, &[found, "bestmove"]);
    for name in ["KRvK", "KQvK"] {
        let message = format!("{name}.atbw is cut off or damaged");
        assert_eq!(output.matches(&message).count(), 1, "{output}");
    }
    assert!(!output.contains("error"), "{output}");
    folder.check(
        "0 analyse '8/8/8/3k4/8/8/8/KQ6 w - - 0 1' --depth 2 --syzygy .
         ! warning: Syzygy table ! KQvK.atbw",
    );
}

#[test]
fn commands_probe_the_tables() {
    let Some(tables) = folder() else { return };
    let tables = tables.display();
    let line = format!("analyse '8/8/3k4/8/8/8/P7/KN6 w - - 0 1' --depth 6 --syzygy {tables}");
    let lines = run(&format!("{line} --json")).code(0).json();
    let hits = lines[0]["tbhits"].as_u64();
    assert!(hits.is_some_and(|hits| hits > 0), "{lines:?}");
    let score = &lines.last().expect("a result")["score"];
    let is_won = score["cp"] == 20_000 || score["mate"].is_number();
    assert!(is_won, "{score}");
    Folder::new().check(&format!(
        "0 {line} | tables of up to 4 pieces
         0 datagen games --positions 300 --nodes 100 --threads 1 --syzygy {tables} | positions"
    ));
}
