//! The integration tests. Slow tests are ignored: those with names in `deep_` take seconds to minutes
//! and run before every merge, those in `exhaustive_` take minutes or more. So are those in `timing`,
//! which run one at a time.
//! `cargo test --release --test engine -- --ignored deep_`

// Which modules of `src` may import which, and who may print.
mod layering;
// Links and paths in the pages and the packages, the metadata, and the help of the scripts.
mod repository;
// The figures in the texts.
mod figures;

// Rules, evaluation and search.
mod invariants; // make and unmake, keys, change lists, null moves
mod levels; // play below full strength
mod move_codes; // every 16-bit move code: `is_legal` agrees with the generator
mod nnue; // the network: SIMD levels, symmetry, files, unrounded values
mod oracle; // random games compared with shakmaty and with the reference
mod perft; // published leaf counts from `data/*.perft`
mod policy; // the policy head: SIMD levels, symmetry, files, predictions
mod proof; // the solver compared with brute force, tablebases and the reference
mod rules; // corner cases of the rules
mod search; // mates, draws, limits, lines, reproducibility
mod tablebase; // probes, won endings, damaged files
mod tactics; // forced wins and draws from self-play, fortresses, published positions
mod threats; // gives_check, win_in_one and threatens_explosion compared with brute force
mod wdl; // predicted results compared with games

// Text formats.
mod notation; // FEN, EPD, SAN, UCI moves, numbers with units: round trips, variations, errors

// Any input.
mod fuzz; // the fuzz targets on mutated seeds

// The binary.
mod agreement; // the last report of a search and its result
mod arena; // matches: misbehaving engines, records, interruptions
mod book; // opening books: keys, files, building, play
mod cli; // exit codes, JSON, bad arguments, pipes
mod datagen; // training games: interruptions, exports, filters
mod exit_codes; // the table of exit codes, for every command
mod genfens; // `genfens`, and UCI commands as arguments
mod outputs; // output files: locks, checks, interrupts
mod picture; // boards as SVG and as text
mod puzzles; // the command, and the list of the browser board
mod review; // analysis of games and lists
mod solve; // `solve` and `go mate`
mod timing; // response times
mod uci; // sessions, recorded lines of real clients

// Helpers without tests.
mod export; // a strict reader of PGN in export format
mod folder; // a folder for one test
mod peer; // comparisons with shakmaty and with the reference
mod program; // runs the program and checks tables of commands
mod random; // the seeded random number generator
mod reference; // a second, simple implementation of the rules
mod searching; // searches in one line
mod table; // tables of cases as text
mod walk; // varied starting positions and random games
