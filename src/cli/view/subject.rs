//! The search that is shown.
//! Invariant: it does not change while the search runs.

use crate::review::style::PositionStyle;

/// The search that is shown.
pub struct ViewSubject<'a> {
    pub style: PositionStyle<'a>,
    /// The number of lines to show.
    pub multipv: usize,
    /// The description of the tablebases, if any.
    pub tables: Option<String>,
    pub json: bool,
}
