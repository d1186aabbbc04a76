//! The examples of all commands, for the help and the manual pages.
//! Invariant: every command has examples, and each of them is a valid command line of at most 78
//! columns.

/// The name of a command and its examples.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "brisance",
        "\
brisance                                     run a UCI session
brisance analyse                             analyse the start position
brisance analyse --moves e4 e5 Nf3 --depth 12
brisance analyse game.pgn --html game.html
brisance solve b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1
brisance 'genfens 10 seed 1 book None' quit",
    ),
    (
        "brisance analyse",
        "\
brisance analyse --moves e4 e5 Nf3 --time 30s --multipv 3
brisance analyse 4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1 --nodes 5M
brisance analyse games.pgn --html games.html > analysed.pgn
brisance analyse games.pgn --out analysed.pgn --nodes 200k
brisance analyse list.epd --depth 12 > searched.epd",
    ),
    (
        "brisance perft",
        "\
brisance perft 5 --divide --threads 2
brisance perft 4 4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1",
    ),
    (
        "brisance bench",
        "\
brisance bench
brisance bench --depth 10 --simd scalar",
    ),
    (
        "brisance eval",
        "\
brisance eval --moves e4 e5 Nf3
brisance eval 4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1 --handcrafted",
    ),
    (
        "brisance show",
        "\
brisance show --moves e4 e5 Nf3
brisance show --moves Nf3 f6 Nd4 Nh6 --svg board.svg --flip",
    ),
    (
        "brisance solve",
        "\
brisance solve b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1
brisance solve --moves Nf3 f6 Nd4 --for either --within 5 --time 5m
brisance solve --moves Nf3 a6 --tree proof.json
brisance solve --check proof.json",
    ),
    (
        "brisance match",
        "\
brisance match --engine self --engine \"cmd=./old name=old\" --tc 2+0.02 \\
    --concurrency 2
brisance match --engine \"self name=big option.Hash=64\" \\
    --engine \"self name=small\" --nodes 10k --sprt 0 5 \\
    --openings book/openings.epd --pgn games.pgn
brisance match --engine \"self name=big option.Hash=64\" \\
    --engine \"self name=small\" --nodes 10k --sprt 0 5 \\
    --openings book/openings.epd --pgn games.pgn --resume",
    ),
    (
        "brisance book",
        "\
brisance book show book/brisance.bin
brisance book build mine.bin --pgn games.pgn",
    ),
    (
        "brisance book build",
        "\
brisance book build mine.bin --pgn games.pgn more.pgn --min-games 5
brisance book build mine.bin --search --nodes 2M --max-plies 16",
    ),
    (
        "brisance book show",
        "\
brisance book show book/brisance.bin --moves Nf3 f6",
    ),
    (
        "brisance book browse",
        "\
brisance book browse book/brisance.bin
brisance book browse book/brisance.bin --moves Nf3",
    ),
    (
        "brisance book dump",
        "\
brisance book dump book/brisance.bin > book.epd
brisance book dump book/brisance.bin --moves Nf3 --plies 4 --json",
    ),
    (
        "brisance book merge",
        "\
brisance book merge all.bin one.bin two.bin",
    ),
    (
        "brisance openings",
        "\
brisance openings my.epd --count 5k --seed 7
brisance openings sharp.epd --count 500 --from 100 --to 200",
    ),
    (
        "brisance datagen",
        "\
brisance datagen a.games --positions 5M --nodes 500 --min-plies 4",
    ),
    (
        "brisance data",
        "\
brisance data info a.games
brisance data verify a.games",
    ),
    (
        "brisance data info",
        "\
brisance data info a.games b.games",
    ),
    (
        "brisance data verify",
        "\
brisance data verify a.games b.games",
    ),
    (
        "brisance data merge",
        "\
brisance data merge all.games a.games b.games",
    ),
    (
        "brisance data export",
        "\
brisance data export a.samples a.games
brisance data export a.samples a.games b.games --validation 0.05",
    ),
    (
        "brisance data show",
        "\
brisance data show a.games 1",
    ),
    (
        "brisance puzzles",
        "\
brisance puzzles games.pgn --out puzzles.epd
brisance puzzles a.games --out puzzles.epd --count 1k --per-grade 300",
    ),
    #[cfg(feature = "tune")]
    (
        "brisance spsa",
        "\
brisance spsa --list
brisance spsa tune.json --param rfp_margin:10 --openings book/openings.epd \\
    --pairs 20k --concurrency 2",
    ),
    (
        "brisance completions",
        "\
brisance completions zsh > ~/.zfunc/_brisance
brisance completions bash \\
    > ~/.local/share/bash-completion/completions/brisance",
    ),
    (
        "brisance man",
        "\
brisance man ~/.local/share/man/man1
brisance man | man -l -",
    ),
];

/// The examples of a command, one or more lines each; empty for an unknown name.
pub fn examples(name: &str) -> &'static str {
    let found = EXAMPLES.iter().find(|(command, _)| *command == name);
    found.map_or("", |(_, text)| text)
}
