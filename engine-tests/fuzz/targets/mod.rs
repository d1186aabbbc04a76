//! The fuzz targets: each takes any bytes and panics if the engine misbehaves on them. The crate
//! in `fuzz` runs them under libFuzzer, the ordinary tests on seeds and mutated seeds.
//! Invariant: the outcome depends on the bytes only, except for the order of threads in a session.

mod files;
mod games;
mod options;
pub mod seeds;
mod session;
mod text;

use std::sync::OnceLock;

use brisance::notation::{epd, fen};
use brisance::rules::{Position, Variant};
use shakmaty::variant::Atomic;

use crate::peer;

/// A fuzz target.
pub struct Target {
    /// Its name, also that of its binary in `fuzz`.
    pub name: &'static str,
    /// Runs it once.
    pub run: fn(&[u8]),
    /// Makes its seeds.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Mutated inputs in the ordinary tests.
    pub mutations: usize,
}

macro_rules! targets {
    ($($name:ident = $text:literal, $run:path, $seeds:ident, $mutations:literal;)*) => {
        $(
            #[doc = concat!("The target `", $text, "`.")]
            pub const $name: Target = Target {
                name: $text,
                run: $run,
                seeds: seeds::$seeds,
                mutations: $mutations,
            };
        )*

        /// All targets.
        pub static TARGETS: &[Target] = &[$($name),*];
    };
}

targets! {
    FEN = "fen", text::fen, fens, 10_000;
    SAN = "san", text::san, sans, 10_000;
    EPD = "epd", text::epd, epds, 10_000;
    PGN = "pgn", text::pgn, pgns, 5_000;
    UCI_LINE = "uci_line", text::uci_line, uci_lines, 10_000;
    UCI_SESSION = "uci_session", session::uci_session, uci_sessions, 50;
    NETWORK = "network", files::network, networks, 40;
    BOOK = "book", files::book, books, 5_000;
    GAME_FILE = "game_file", files::game_file, game_files, 3_000;
    PROOF = "proof", files::proof, proofs, 5_000;
    POLYGLOT_KEY = "polyglot_key", games::polyglot_key, random_bytes, 2_000;
    OPTIONS = "options", options::options, option_texts, 10_000;
    RULES = "rules", games::rules, random_bytes, 500;
}

/// The lines of the perft lists with their variants.
pub const PERFT_LISTS: [(&str, Variant); 2] = [
    (include_str!("../../data/atomic.perft"), Variant::Atomic),
    (include_str!("../../data/nocheckatomic.perft"), Variant::NoCheckAtomic),
];

/// Forced wins from self-play.
pub const TACTICS: &str = include_str!("../../data/tactics.epd");

/// A position of the test data.
pub struct KnownPosition {
    /// The position.
    pub pos: Position,
    /// The same for shakmaty, if it knows the variant and accepts the position.
    pub other: Option<Atomic>,
}

/// The positions of the perft lists and of the tactics list.
pub fn positions() -> &'static [KnownPosition] {
    static POSITIONS: OnceLock<Vec<KnownPosition>> = OnceLock::new();
    POSITIONS.get_or_init(|| {
        let perft = PERFT_LISTS.iter().flat_map(|&(list, variant)| {
            list.lines()
                .filter_map(|line| line.split('|').nth(1))
                .filter_map(move |text| fen::parse(text.trim(), variant).ok())
        });
        let tactics = TACTICS
            .lines()
            .filter_map(|line| epd::parse_line(line, Variant::Atomic).ok().flatten());
        let known = |pos: Position| {
            let is_atomic = pos.variant() == Variant::Atomic;
            let other = peer::shakmaty_position(&pos).filter(|_| is_atomic);
            KnownPosition { pos, other }
        };
        let all = perft.chain(tactics.map(|epd| epd.pos));
        all.map(known).collect()
    })
}

/// The position that a byte selects from [`positions`].
fn position(selector: u8) -> &'static KnownPosition {
    let all = positions();
    &all[usize::from(selector) % all.len()]
}
