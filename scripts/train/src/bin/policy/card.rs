//! The card of a network with a policy head: the card of the network, with the head's training.
//! Invariant: the rows and the command of the network's own card are kept.

use std::fmt::Write;
use std::path::Path;

use crate::Args;

/// What precedes the arguments of the command at the end of the card.
const COMMAND: &str = "\nand\n\n    scripts/train/policy";

/// The card `text` of the network, with the new size and checksum of the file, and with the
/// examples, settings and losses of the head.
pub fn card(text: &str, args: &Args, bytes: &[u8], counts: [usize; 2], losses: &str) -> String {
    let name = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    };
    // The CRC-32 of a file that ends with its own CRC-32 is a constant.
    let (contents, _) = bytes.split_at(bytes.len().saturating_sub(4));
    let games: Vec<String> = args.games.iter().map(|path| name(path)).collect();
    let [train, validate] = counts;
    let rows = [
        (
            "policy head",
            format!(
                "{train} examples for training, {validate} for validation, from {}",
                games.join(", ")
            ),
        ),
        (
            "its epochs, batch, learning rate, seed",
            format!("{}, {}, {} to 0, {}", args.epochs, args.batch, args.rate, args.seed),
        ),
        ("its losses", losses.to_owned()),
    ];
    // The command of a head that this one replaces.
    let text = text.find(COMMAND).map_or(text, |end| &text[..end]);
    let mut card = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("| policy head |") || line.starts_with("| its ") {
            continue;
        }
        let line = if line.starts_with("| bytes, CRC-32 |") {
            format!("| bytes, CRC-32 | {}, {:08x} |", bytes.len(), crc32fast::hash(contents))
        } else {
            line.to_owned()
        };
        let _ = writeln!(card, "{line}");
        let ends_table = line.starts_with('|') && lines.peek().is_none_or(|next| next.is_empty());
        if ends_table {
            for (what, value) in &rows {
                let _ = writeln!(card, "| {what} | {value} |");
            }
        }
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    let _ = writeln!(card, "{COMMAND} {}", words.join(" "));
    card
}
