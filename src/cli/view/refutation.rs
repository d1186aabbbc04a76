//! The sentence that names a losing move and its refutation.
//! Invariant: the refutation has been replayed against every reply.

use crate::notation::san;
use crate::opening::Refutation;
use crate::rules::Position;
use crate::util::count;

/// How the side to move wins by force: `1... a6 loses by force in 2 moves: 2. Ne5 h6 3. Nxd7#`.
pub fn refutation_text(pos: &Position, found: &Refutation) -> String {
    let line = san::write_numbered_line(pos, &found.verified.line).join(" ");
    let moves = count(found.moves(), "move");
    match pos.last_move() {
        Some(mv) => {
            let mut before = pos.clone();
            before.unmake();
            let losing = san::write_numbered(&before, mv);
            format!("{losing} loses by force in {moves}: {line}")
        }
        None => format!("{} wins by force in {moves}: {line}", pos.side_to_move()),
    }
}
