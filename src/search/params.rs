//! The tunable parameters of the search.
//! Invariant: constants in a release build; in a `tune` build each engine can set them by name.

/// A tunable parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// The value in a release build.
    pub default: i32,
    /// The minimum sensible value.
    pub min: i32,
    /// The maximum sensible value.
    pub max: i32,
}

/// Values of all parameters, in the order of [`PARAMS`]. Each engine has its own, so that two
/// settings can play each other in one process.
#[cfg(feature = "tune")]
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tuning([i32; PARAMS.len()]);

#[cfg(feature = "tune")]
impl Default for Tuning {
    fn default() -> Tuning {
        Tuning(std::array::from_fn(|index| PARAMS[index].default))
    }
}

/// Why a parameter cannot be set.
#[cfg(feature = "tune")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what is wrong")]
pub enum ParamError {
    #[error("no parameter is named {0:?}")]
    UnknownName(String),
    #[error("{name} = {value} is not within {min} to {max}")]
    OutOfRange { name: String, value: i32, min: i32, max: i32 },
}

#[cfg(feature = "tune")]
impl Tuning {
    /// Sets a parameter by name; case is ignored.
    ///
    /// # Errors
    /// If there is no such parameter or the value is out of its range.
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), ParamError> {
        let index = PARAMS
            .iter()
            .position(|param| param.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| ParamError::UnknownName(name.to_owned()))?;
        let Param { min, max, .. } = PARAMS[index];
        if !(min..=max).contains(&value) {
            return Err(ParamError::OutOfRange { name: name.to_owned(), value, min, max });
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
        /// All tunable parameters.
        pub const PARAMS: &[Param] = &[
            $(Param { name: stringify!($name), default: $default, min: $min, max: $max },)*
        ];

        $(
            $(#[$doc])*
            #[inline]
            pub(super) fn $name() -> i32 {
                #[cfg(feature = "tune")]
                {
                    tuned::get(tuned::Index::$name)
                }
                #[cfg(not(feature = "tune"))]
                {
                    $default
                }
            }
        )*

        #[cfg(feature = "tune")]
        mod tuned {
            use std::cell::Cell;

            #[expect(non_camel_case_types, reason = "one index per parameter name")]
            #[derive(Clone, Copy)]
            pub enum Index { $($name),* }

            thread_local! {
                static VALUES: [Cell<i32>; super::PARAMS.len()] = const { [$(Cell::new($default)),*] };
            }

            pub fn get(index: Index) -> i32 {
                VALUES.with(|cells| cells[index as usize].get())
            }

            pub fn install(values: [i32; super::PARAMS.len()]) {
                VALUES.with(|cells| cells.iter().zip(values).for_each(|(cell, value)| cell.set(value)));
            }
        }
    };
}

params! {
    /// Blast SEE value of a pawn, in internal centipawns like all values here.
    see_pawn = 90 in 50..=200;
    /// Blast SEE value of a knight.
    see_knight = 257 in 100..=400;
    /// Blast SEE value of a bishop.
    see_bishop = 266 in 100..=400;
    /// Blast SEE value of a rook.
    see_rook = 377 in 200..=600;
    /// Blast SEE value of a queen.
    see_queen = 700 in 400..=1000;

    /// Maximum depth of reverse futility pruning, in plies.
    rfp_depth = 7 in 3..=20;
    /// Reverse futility margin per ply of depth.
    rfp_margin = 51 in 10..=300;
    /// Subtracted from the reverse futility margin if the opponent's last move worsened its
    /// evaluation.
    rfp_worsening = 50 in 0..=150;
    /// Maximum depth of razoring.
    razor_depth = 3 in 1..=6;
    /// Razoring margin per ply of depth.
    razor_margin = 390 in 150..=700;
    /// Null move reduction: constant part in plies.
    null_base = 4 in 2..=6;
    /// Null move reduction: plies of depth per additional ply.
    null_divisor = 4 in 2..=8;
    /// How far above beta the evaluation must be for a null move, at depth 0; a tenth less for each
    /// ply of depth.
    null_margin = 120 in 0..=300;
    /// Minimum depth of internal iterative reductions (nodes without a TT move).
    iir_depth = 5 in 2..=8;
    /// Minimum depth of singular extensions.
    singular_depth = 7 in 5..=12;
    /// Singular margin per ply of depth, in sixteenths of a centipawn.
    singular_margin = 53 in 8..=80;
    /// Additional margin for a double extension.
    singular_double = 96 in 0..=200;

    /// Minimum depth at which the policy head orders quiet moves.
    policy_depth = 2 in 1..=20;
    /// Bonus of a quiet move per unit of its logit, on the scale of the histories.
    policy_weight = 3660 in 0..=20000;
    /// Share of this bonus in the history of the move, on which LMR and pruning depend, in hundredths.
    policy_lmr = 67 in 0..=200;

    /// Maximum depth of futility pruning of quiet moves.
    futility_depth = 7 in 3..=12;
    /// Futility margin: constant part.
    futility_base = 76 in 0..=400;
    /// Futility margin per ply of depth.
    futility_margin = 155 in 15..=300;
    /// Late move pruning: quiet moves at depth 0.
    lmp_base = 8 in 2..=12;
    /// Late move pruning: additional quiet moves per squared ply of depth, in hundredths.
    lmp_scale = 35 in 30..=400;
    /// Late move pruning: change of the number of quiet moves if the evaluation is 100 centipawns
    /// or more above or below alpha, in hundredths.
    lmp_gap = 42 in 0..=90;
    /// History pruning: quiet moves with a history below minus this per ply are not searched near
    /// the leaves.
    hist_prune = 3180 in 0..=10000;
    /// Maximum depth of SEE pruning.
    see_depth = 6 in 3..=12;
    /// SEE pruning: what a quiet move may lose per squared ply of depth.
    see_quiet = 12 in 4..=100;
    /// SEE pruning: what a capture may lose per ply of depth.
    see_capture = 55 in 40..=300;
    /// Futility margin of captures per ply of depth.
    cap_futility = 842 in 60..=1500;

    /// Late move reduction: constant part in hundredths of a ply.
    lmr_base = 29 in 0..=150;
    /// Late move reduction: divisor of the product of logarithms, in hundredths.
    lmr_divisor = 171 in 130..=350;
    /// Late move reduction of captures, in hundredths of that of quiet moves.
    lmr_noisy = 41 in 0..=100;
    /// More reduction in cut nodes, in hundredths of a ply.
    lmr_cut = 45 in 0..=250;
    /// More reduction once several children failed high.
    lmr_cutoffs = 148 in 0..=200;
    /// Less reduction in PV nodes.
    lmr_pv = 60 in 0..=250;
    /// Less reduction if the TT entry is from a PV node.
    lmr_ttpv = 19 in 0..=250;
    /// Less reduction while the evaluation improves.
    lmr_improving = 64 in 0..=150;
    /// Less reduction of a quiet move for each 100 centipawns by which the evaluation is above
    /// alpha, and more if it is below.
    lmr_gap = 72 in 0..=200;
    /// Less reduction of checks and of attacks on explosive targets.
    lmr_forcing = 210 in 0..=250;
    /// Less reduction of killers.
    lmr_killer = 175 in 0..=250;
    /// Less reduction while the king of the side to move may explode.
    lmr_threat = 140 in 0..=250;
    /// The search after a reduced one is a ply shallower if the value beats the best by less.
    lmr_close = 8 in 0..=50;
    /// History score equal to one ply of reduction.
    lmr_history = 11100 in 3000..=15000;

    /// Qsearch: minimum blast SEE of a capture.
    qs_see = 3 in -300..=100;
    /// Qsearch: futility margin of a capture beyond its blast SEE.
    delta_margin = 401 in 50..=600;
    /// Qsearch: maximum number of moves searched when not in check.
    qs_moves = 4 in 1..=64;
    /// Half-width of the first aspiration window.
    aspiration = 44 in 8..=80;

    /// Ordering score of a noisy move with a blast SEE of 0 and no history, on the scale of the
    /// scores of quiet moves.
    noisy_base = 18000 in -20000..=60000;
    /// Weight of a centipawn of blast SEE in the ordering score of a noisy move.
    noisy_see = 61 in 5..=200;
    /// Weight of the capture history in the ordering score of a noisy move, in hundredths.
    noisy_history = 300 in 20..=1000;
    /// Noisy moves with a higher score are searched before the killers.
    noisy_first = 35000 in 0..=100000;
    /// Noisy moves with a higher score are searched before quiet moves are generated.
    noisy_early = 25000 in -20000..=100000;
    /// Ordering bonus of a quiet move that attacks an explosive target.
    order_threat = 1120 in 0..=16000;
    /// Weight of the two-ply continuation history in the ordering of quiet moves, in quarters.
    conthist2 = 3 in 0..=8;
    /// Weight of the four-ply continuation history, in quarters.
    conthist4 = 4 in 0..=8;
    /// Weight of the pawn history, in quarters.
    pawn_history = 4 in 0..=8;
    /// History bonus per squared ply of depth.
    history_bonus = 33 in 4..=40;
    /// Maximum history bonus.
    history_limit = 2750 in 600..=3000;

    /// Weight of the pawn correction, in sixty-fourths.
    corr_pawns = 17 in 0..=128;
    /// Weight of the king ring correction, in sixty-fourths.
    corr_rings = 28 in 0..=128;
    /// Weight of the non-pawn correction of each colour, in sixty-fourths.
    corr_pieces = 22 in 0..=128;
    /// Weight of the continuation correction (last two moves), in sixty-fourths.
    corr_moves = 93 in 0..=128;
    /// Bonus of a correction per centipawn of error and ply of depth.
    corr_rate = 7 in 2..=64;

    /// Expected number of moves to the end of the game.
    time_horizon = 15 in 8..=60;
    /// Before this move number, the moves up to it are added to the expected number.
    time_opening = 26 in 0..=50;
    /// Share of the increment in the soft limit, in hundredths.
    time_increment = 114 in 20..=120;
    /// Maximum share of the remaining time for a move, in hundredths.
    time_most = 42 in 10..=70;
    /// Hard limit in hundredths of the soft limit.
    time_hard = 617 in 120..=900;
    /// Factor of the soft limit while the best move is new, in hundredths.
    stability_base = 224 in 60..=260;
    /// Subtracted from that factor for each iteration with the same best move, up to eight.
    stability_step = 19 in 0..=24;
    /// Added to that factor if the value drops by 100 centipawns.
    time_drop = 88 in 0..=150;
    /// Factor of the soft limit if the best move took no nodes, in hundredths.
    effort_base = 125 in 80..=300;
    /// Subtracted from that factor if the best move took all nodes.
    effort_scale = 48 in 0..=200;
}
