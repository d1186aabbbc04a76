//! The figures that readers see: `docs/figures.json` has each with what gives it and the texts that
//! state it. After a change of a figure, the tests name what is left to change.

use std::collections::BTreeMap;

use brisance::engine::Level;
use brisance::eval::nnue::Network;
use brisance::opening::{Book, Refutations};
use serde::Deserialize;

use crate::repository::{is_packed, read, root};

#[derive(Deserialize)]
struct Figure {
    value: String,
    /// The command or the file that gives the value.
    #[serde(rename = "from")]
    _from: String,
    /// Files with words of them, in which `{}` is the value.
    texts: Vec<(String, String)>,
}

fn figures() -> BTreeMap<String, Figure> {
    serde_json::from_str(&read("docs/figures.json")).expect("figures")
}

/// A number with commas between the thousands.
fn commas(number: usize) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", commas(number / 1000), number % 1000),
    }
}

#[test]
fn every_text_states_the_figures() {
    if is_packed() {
        return;
    }
    let mut missing = String::new();
    for (name, figure) in figures() {
        for (path, words) in figure.texts {
            // Lines may break anywhere.
            let text = read(&path).split_whitespace().collect::<Vec<_>>().join(" ");
            let words = words.replace("{}", &figure.value);
            if !text.contains(&words) {
                missing.push_str(&format!("{name}: {path} has no \"{words}\"\n"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing}");
}

#[test]
fn the_figures_are_those_of_the_program_and_its_files() {
    let network = Network::embedded().expect("the network");
    let book = Book::open(&root().join("book/brisance.bin")).expect("the book");
    let lines = |path| commas(read(path).lines().count());
    let (positions, moves) = (commas(book.positions()), commas(book.entries().len()));
    let cases = [
        ("bytes of the network", network.to_bytes().len().to_string()),
        ("oldest Rust", env!("CARGO_PKG_RUST_VERSION").to_owned()),
        ("positions of the refutation book", commas(Refutations::embedded().len())),
        ("positions and moves of the book", format!("{positions} positions and {moves} moves")),
        ("openings for matches", lines("book/openings.epd")),
        ("openings from Chess960", lines("book/openings960.epd")),
        ("strength levels", (Level::FULL + 1).to_string()),
        ("range of UCI_Elo", format!("{}–{}", Level::MIN_ELO, Level::MAX_ELO)),
    ];
    let figures = figures();
    for (name, value) in cases {
        assert_eq!(figures[name].value, value, "{name}");
    }
    let name = format!("network {}", figures["network"].value);
    let description = network.description();
    assert!(description.contains(&name), "{description}");
}
