//! Every number of the search that tuning may change, in one table.
//! Constants in a release; in a `tune` build each can be set by name while running.

/// A tunable number: name, default, least and greatest sensible value.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// The value of a release build.
    pub default: i32,
    /// The least value worth trying.
    pub min: i32,
    /// The greatest value worth trying.
    pub max: i32,
}

/// Values for all tunable numbers, in the order of [`TABLE`]. Each engine has its own, so that
/// two settings can play each other in one process.
#[cfg(feature = "tune")]
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tuning([i32; TABLE.len()]);

#[cfg(feature = "tune")]
impl Default for Tuning {
    fn default() -> Tuning {
        Tuning(std::array::from_fn(|index| TABLE[index].default))
    }
}

#[cfg(feature = "tune")]
impl Tuning {
    /// Sets a number by name.
    ///
    /// # Errors
    /// When there is none of that name or the value is out of its range.
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), String> {
        let index = TABLE
            .iter()
            .position(|param| param.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| format!("no parameter is named {name:?}"))?;
        let Param { min, max, .. } = TABLE[index];
        if !(min..=max).contains(&value) {
            return Err(format!("{name} = {value} is not within {min} to {max}"));
        }
        self.0[index] = value;
        Ok(())
    }

    /// Makes these the values of the calling thread.
    pub(super) fn install(&self) {
        tuned::install(self.0);
    }
}

macro_rules! params {
    ($($(#[$doc:meta])* $name:ident = $default:literal in $min:literal ..= $max:literal;)*) => {
        /// All tunable numbers.
        pub const TABLE: &[Param] = &[
            $(Param { name: stringify!($name), default: $default, min: $min, max: $max },)*
        ];

        $(
            $(#[$doc])*
            #[cfg(not(feature = "tune"))]
            #[inline]
            pub(super) const fn $name() -> i32 {
                $default
            }
        )*

        $(
            $(#[$doc])*
            #[cfg(feature = "tune")]
            pub(super) fn $name() -> i32 {
                tuned::get(tuned::Index::$name)
            }
        )*

        #[cfg(feature = "tune")]
        mod tuned {
            use std::cell::Cell;

            #[expect(non_camel_case_types, reason = "one index per parameter name")]
            #[derive(Clone, Copy)]
            pub(super) enum Index { $($name),* }

            thread_local! {
                static VALUES: [Cell<i32>; super::TABLE.len()] = const { [$(Cell::new($default)),*] };
            }

            pub(super) fn get(index: Index) -> i32 {
                VALUES.with(|cells| cells[index as usize].get())
            }

            pub(super) fn install(values: [i32; super::TABLE.len()]) {
                VALUES.with(|cells| cells.iter().zip(values).for_each(|(cell, value)| cell.set(value)));
            }
        }
    };
}

params! {
    /// Blast SEE worth of a pawn, in internal centipawns like all values here.
    see_pawn = 90 in 50..=200;
    /// Blast SEE worth of a knight.
    see_knight = 257 in 100..=400;
    /// Blast SEE worth of a bishop.
    see_bishop = 266 in 100..=400;
    /// Blast SEE worth of a rook.
    see_rook = 377 in 200..=600;
    /// Blast SEE worth of a queen.
    see_queen = 700 in 400..=1000;

    /// Deepest node for reverse futility, in plies.
    rfp_depth = 7 in 3..=20;
    /// Reverse futility margin per ply.
    rfp_margin = 55 in 10..=300;
    /// Taken off the reverse futility margin when the enemy's last move made things worse for it.
    rfp_worsening = 50 in 0..=150;
    /// Deepest node for razoring.
    razor_depth = 3 in 1..=6;
    /// Razoring margin per ply.
    razor_margin = 345 in 150..=700;
    /// Null move reduction, constant part in plies.
    null_base = 4 in 2..=6;
    /// Null move reduction grows by one ply for each so many plies of depth.
    null_divisor = 4 in 2..=8;
    /// Least depth for reducing a node without a table move.
    iir_depth = 5 in 2..=8;
    /// Least depth for a singular extension.
    singular_depth = 7 in 5..=12;
    /// Singular margin per ply, in sixteenths of a centipawn.
    singular_margin = 31 in 8..=80;
    /// A move that is singular by so much more is searched two plies deeper.
    singular_double = 24 in 0..=200;

    /// Deepest node for futility of quiet moves.
    futility_depth = 7 in 3..=12;
    /// Futility margin, constant part.
    futility_base = 32 in 0..=400;
    /// Futility margin per ply.
    futility_margin = 78 in 15..=300;
    /// Late-move pruning: quiets allowed at depth 0.
    lmp_base = 8 in 2..=12;
    /// Late-move pruning: quiets more per squared ply, in hundredths.
    lmp_scale = 107 in 30..=400;
    /// A quiet move whose history is below this, negated, per ply is not searched near the leaves.
    hist_prune = 2561 in 0..=10000;
    /// Deepest node for pruning by SEE.
    see_depth = 6 in 3..=12;
    /// A quiet move may lose this per squared ply.
    see_quiet = 23 in 4..=100;
    /// A capture may lose this per ply.
    see_capture = 80 in 40..=300;
    /// Futility margin of captures per ply.
    cap_futility = 842 in 60..=1500;

    /// Late-move reduction, constant part in hundredths of a ply.
    lmr_base = 90 in 0..=150;
    /// Late-move reduction: divisor of the product of logarithms, in hundredths.
    lmr_divisor = 188 in 130..=350;
    /// Late-move reduction of captures, in hundredths of that of quiet moves.
    lmr_noisy = 39 in 0..=100;
    /// Late-move reduction of nodes expected to fail high, in hundredths of a ply.
    lmr_cut = 52 in 0..=250;
    /// More late-move reduction once several children failed high.
    lmr_cutoffs = 102 in 0..=200;
    /// Less late-move reduction on the principal variation.
    lmr_pv = 32 in 0..=250;
    /// Less late-move reduction where a principal variation once went.
    lmr_waspv = 96 in 0..=250;
    /// Less late-move reduction while the evaluation rises.
    lmr_improving = 25 in 0..=150;
    /// Less late-move reduction of checks and of moves that attack a fuse.
    lmr_forcing = 171 in 0..=250;
    /// A reduced move better than the best by less than this is searched again one ply less deep.
    lmr_close = 8 in 0..=60;
    /// Less late-move reduction of killers.
    lmr_killer = 141 in 0..=250;
    /// Less late-move reduction while the own king may explode.
    lmr_threat = 26 in 0..=250;
    /// History worth one ply of reduction.
    lmr_history = 4777 in 3000..=15000;

    /// Quiescence: least blast SEE of a capture.
    qs_see = 3 in -300..=100;
    /// Quiescence: what a capture must promise beyond its blast to be tried.
    delta_margin = 166 in 50..=600;
    /// Half-width of the first aspiration window.
    aspiration = 40 in 8..=80;

    /// Share of blast SEE in the order of captures, in sixteenths.
    order_see = 84 in 16..=512;
    /// A capture that loses more than this by SEE waits until after the quiet moves.
    bad_capture = 93 in 0..=200;
    /// Order of a quiet move that attacks a man in the enemy king's ring.
    order_fuse = 698 in 0..=16000;
    /// Weight of the history two plies back in the order of quiet moves, in quarters.
    cont_two = 3 in 0..=8;
    /// Weight of the history four plies back.
    cont_four = 4 in 0..=8;
    /// Weight of the history by pawns, in quarters.
    pawn_history = 4 in 0..=8;
    /// History bonus per squared ply.
    history_bonus = 23 in 4..=40;
    /// Greatest history bonus.
    history_limit = 2486 in 600..=3000;

    /// Weight of the correction by pawns, in sixty-fourths.
    corr_pawns = 17 in 0..=128;
    /// Weight of the correction by king rings.
    corr_rings = 48 in 0..=128;
    /// Weight of the correction by the pieces of each colour.
    corr_pieces = 36 in 0..=128;
    /// Weight of the correction by the last two moves.
    corr_moves = 52 in 0..=128;
    /// How fast corrections are learnt.
    corr_rate = 7 in 2..=64;

    /// Moves that a game is expected to last from any point on.
    time_horizon = 12 in 8..=60;
    /// Before this move of the game those up to it are expected too.
    time_opening = 28 in 0..=50;
    /// Share of the increment that a move is given, in hundredths.
    time_increment = 77 in 20..=120;
    /// Greatest share of the time left that a move may take, in hundredths.
    time_most = 42 in 10..=70;
    /// What a move may take at most, in hundredths of what it is given.
    time_hard = 388 in 120..=900;
    /// Stretches what a move is given while the best move is new, in hundredths.
    time_change = 132 in 60..=260;
    /// Taken off that for each iteration in which it stays, up to eight.
    time_steady = 8 in 0..=24;
    /// Added for a fall of the value by 100 centipawns.
    time_drop = 37 in 0..=150;
    /// Stretches what a move is given when the best move took no nodes, in hundredths.
    time_doubt = 134 in 80..=300;
    /// Taken off that when it took them all.
    time_share = 10 in 0..=200;
}
