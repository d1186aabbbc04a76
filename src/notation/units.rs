//! Numbers and times as users write them: `25000`, `10k`, `2.5M`, `500ms`, `1.5s`, `2m`, `1h`.
//! All options of all commands and the engine specifications of matches are read here.
//! Invariant: a number is exact or rejected, and every error gives an example.

use std::ops::{Bound, RangeBounds};
use std::time::Duration;

use thiserror::Error;

/// What a text should have been: a description with an example.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("expected {0}")]
pub struct Expected(String);

/// The units of numbers, which may be in either case.
const NUMBERS: [(&str, u128); 4] = [("", 1), ("k", 1_000), ("m", 1_000_000), ("g", 1_000_000_000)];

/// The units of times in nanoseconds.
const TIMES: [(&str, u128); 4] =
    [("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000)];

/// The unit of a time without one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeUnit {
    /// Seconds.
    Second,
    /// Thousandths of a second.
    Millisecond,
}

/// Parses a whole number with an optional unit, `k`, `M` or `G`; `_` may separate digits.
///
/// # Errors
/// The text is not a number, or not one within `range` and `T`.
///
/// # Examples
/// ```
/// use brisance::notation::units;
///
/// assert_eq!(units::number::<u64>("2.5M", &(1..)), Ok(2_500_000));
/// let error = units::number::<u8>("-1", &(1..=12)).unwrap_err();
/// assert_eq!(error.to_string(), "expected a whole number from 1 to 12, such as 10");
/// ```
pub fn number<T: TryFrom<i128>>(text: &str, range: &impl RangeBounds<i128>) -> Result<T, Expected> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let exact =
        |(product, divisor): (u128, u128)| (product % divisor == 0).then_some(product / divisor);
    scaled(digits, &NUMBERS)
        .and_then(exact)
        .and_then(|number| i128::try_from(number).ok())
        .map(|number| sign * number)
        .filter(|number| range.contains(number))
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| expected_number(range))
}

fn expected_number(range: &impl RangeBounds<i128>) -> Expected {
    let limit = |bound: Bound<&i128>, step: i128| match bound {
        Bound::Included(&number) => Some(number),
        Bound::Excluded(&number) => Some(number + step),
        Bound::Unbounded => None,
    };
    let least = limit(range.start_bound(), 1);
    let greatest = limit(range.end_bound(), -1);
    let limits = match (least, greatest) {
        (Some(least), Some(greatest)) => format!(" from {least} to {greatest}"),
        (Some(least), None) => format!(" of at least {least}"),
        (None, Some(greatest)) => format!(" of at most {greatest}"),
        (None, None) => String::new(),
    };
    let examples = [(1_000_000, "10000 or 10k"), (10, "10"), (1, "1")];
    let example = examples.iter().find(|(number, _)| range.contains(number));
    let example = example.map_or(String::new(), |(_, text)| format!(", such as {text}"));
    Expected(format!("a whole number{limits}{example}"))
}

/// Parses a time with an optional unit, `ms`, `s`, `m` or `h`; `plain` is the unit of a time
/// without one. Parts of a nanosecond are dropped.
///
/// # Errors
/// The text is not a time, or not one within `range`.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use brisance::notation::units::{self, TimeUnit};
///
/// let half = Duration::from_millis(500);
/// assert_eq!(units::time("500ms", TimeUnit::Second, &..), Ok(half));
/// assert_eq!(units::time("0.5", TimeUnit::Second, &..), Ok(half));
/// ```
pub fn time(
    text: &str,
    plain: TimeUnit,
    range: &impl RangeBounds<Duration>,
) -> Result<Duration, Expected> {
    let unit = match plain {
        _ if text.ends_with(|c: char| c.is_ascii_alphabetic()) => "",
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
    };
    scaled(&format!("{text}{unit}"), &TIMES)
        .map(|(product, divisor)| product / divisor)
        .filter(|nanoseconds| *nanoseconds <= Duration::MAX.as_nanos())
        .map(Duration::from_nanos_u128)
        .filter(|time| range.contains(time))
        .ok_or_else(|| {
            let mut text = "a time".to_owned();
            if !range.contains(&Duration::ZERO) {
                text.push_str(" above 0");
            }
            if let Bound::Included(&greatest) = range.end_bound() {
                text.push_str(&format!(" up to {}s", seconds(greatest)));
            }
            Expected(text + ", such as 500ms, 5s, 2m or 1h")
        })
}

/// Parses a share of a whole.
///
/// # Errors
/// The text is not a number from 0 to 1.
pub fn share(text: &str) -> Result<f64, Expected> {
    let number = text.parse().ok();
    number
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| Expected("a number from 0 to 1, such as 0.25".to_owned()))
}

/// The seconds of a time, without loss: `0.08`, `40`.
pub fn seconds(time: Duration) -> String {
    let text = format!("{}.{:09}", time.as_secs(), time.subsec_nanos());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A decimal number times the factor of its unit, as a fraction.
fn scaled(text: &str, units: &[(&str, u128)]) -> Option<(u128, u128)> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = &text[digits.len()..];
    let (_, factor) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_separated = |part: &str| part.starts_with('_') || part.ends_with('_');
    if is_separated(whole) || fraction.contains(|c: char| !c.is_ascii_digit()) {
        return None;
    }
    let decimals = fraction.trim_end_matches('0');
    let digits = whole.replace('_', "") + decimals;
    let is_number = !digits.is_empty() || !fraction.is_empty();
    if !is_number || digits.contains(|c: char| !c.is_ascii_digit()) {
        return None;
    }
    let number: u128 = format!("0{digits}").parse().ok()?;
    let places = u32::try_from(decimals.len()).ok()?;
    Some((number.checked_mul(*factor)?, 10_u128.checked_pow(places)?))
}
