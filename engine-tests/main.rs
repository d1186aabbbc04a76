//! The integration tests, one binary. Run the ordinary ones with `cargo test --release`; the
//! deep ones are ignored by default and each file says how to run its own.

// How the rooms of `src/` may import each other, and who may print.
mod layering;

// Positions, moves and outcomes.
mod chances; // forecasts beside games that were not fitted
mod codes; // every 16-bit move code: `is_legal` says what the generator says
mod invariants; // make and unmake, keys, change lists, null moves
mod levels; // play below full strength
mod nnue; // the network: paths, symmetry, files, the unrounded values
mod nocheck; // the rules without check against the plain reference
mod oracle; // random walks beside shakmaty's atomic chess
mod perft; // published leaf counts from `data/*.perft`
mod proof; // forced wins against brute force, tablebases, a second reading of the rules
mod rules; // named corner cases, one test a rule
mod search; // mates, draws, limits, lines, repeatability
mod tables; // tablebases: answers, won endings, damaged files
mod tactics; // forced wins from our own games, fortresses, famous misses
mod threats; // gives_check, win_in_one and threatens_explosion against brute force

// Text.
mod notation; // FEN, SAN and UCI moves: round trips, dialects, refusals

// The binary from outside.
mod arena; // matches: bad engines, records, interruptions
mod book; // opening books: keys, files, building, play
mod cli; // exit codes, JSON, bad arguments, pipes
mod datagen; // training games: kills, exports and their filters
mod genfens; // positions for frameworks, arguments that are UCI
mod picture; // boards in SVG and in the terminal
mod review; // whole games and lists
mod solve; // proofs and their files from the command line, `go mate`
mod uci; // sessions, recorded lines of real clients

// Helpers without tests of their own.
mod random; // the seeded generator behind every walk
mod reference; // a second, plain reading of the rules
mod walk; // starting positions of many kinds and biased random games
