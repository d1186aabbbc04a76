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
    /// Blast SEE worth of a pawn, in centipawns.
    see_pawn = 100 in 50..=200;
    /// Blast SEE worth of a knight.
    see_knight = 200 in 100..=400;
    /// Blast SEE worth of a bishop.
    see_bishop = 220 in 100..=400;
    /// Blast SEE worth of a rook.
    see_rook = 330 in 200..=600;
    /// Blast SEE worth of a queen.
    see_queen = 640 in 400..=1000;

    /// Deepest node for reverse futility, in plies.
    rfp_depth = 7 in 3..=12;
    /// Reverse futility margin per ply.
    rfp_margin = 120 in 50..=300;
    /// Deepest node for razoring.
    razor_depth = 3 in 1..=6;
    /// Razoring margin per ply.
    razor_margin = 330 in 150..=700;
    /// Null move reduction, constant part in plies.
    null_base = 4 in 2..=6;
    /// Null move reduction grows by one ply for each so many plies of depth.
    null_divisor = 4 in 2..=8;
    /// Deepest node for futility of quiet moves.
    futility_depth = 7 in 3..=12;
    /// Futility margin, constant part.
    futility_base = 130 in 30..=400;
    /// Futility margin per ply.
    futility_margin = 110 in 40..=300;
    /// Late-move pruning: quiets allowed at depth 0.
    lmp_base = 5 in 2..=12;
    /// Deepest node for pruning by SEE.
    see_depth = 8 in 3..=12;
    /// A quiet move may lose this per squared ply.
    see_quiet = 30 in 10..=100;
    /// A capture may lose this per ply.
    see_capture = 130 in 40..=300;
    /// Least depth for a singular extension.
    singular_depth = 7 in 5..=12;
    /// Singular margin per ply, in sixteenths of a centipawn.
    singular_margin = 24 in 8..=80;
    /// Least depth for reducing a node without a table move.
    iir_depth = 4 in 3..=8;
    /// Late-move reduction, constant part in hundredths of a ply.
    lmr_base = 70 in 0..=150;
    /// Late-move reduction: divisor of the product of logarithms, in hundredths.
    lmr_divisor = 215 in 130..=350;
    /// History worth one ply of reduction.
    lmr_history = 7000 in 3000..=15000;
    /// Quiescence: what a capture must promise beyond its blast to be tried.
    delta_margin = 200 in 50..=600;
    /// Half-width of the first aspiration window.
    aspiration = 25 in 8..=80;
    /// Share of blast SEE in the order of captures, in sixteenths.
    order_see = 128 in 16..=512;
    /// A capture that loses more than this by SEE waits until after the quiet moves.
    bad_capture = 30 in 0..=200;
    /// Order of a quiet move that attacks a man in the enemy king's ring.
    order_fuse = 5000 in 0..=16000;
    /// History bonus per squared ply.
    history_bonus = 16 in 4..=40;
    /// Greatest history bonus.
    history_limit = 1600 in 600..=3000;
}
