//! Numbers and times with units.

use std::ops::Bound;
use std::time::Duration;

use brisance::notation::units::{TimeUnit, number, seconds, time};

#[test]
fn numbers_with_units() {
    let table = "25000 25000, 10k 10000, 2.5M 2500000, 5m 5000000, 1_000_000 1000000, 1.0 1, \
        .5k 500, 2.k 2000, 1.123G 1123000000, +7 7, -60 -60, 0 0, \
        9223372036854775807 9223372036854775807";
    for (text, expected) in table.split(", ").filter_map(|pair| pair.split_once(' ')) {
        let found = number::<i64>(text, &..).map(|number| number.to_string());
        assert_eq!(found.as_deref(), Ok(expected), "{text}");
    }
    let bad = "k|-|.|_|1_|_1|1._5k|0.5|1.0001k|10q|10kk|1e3|5 k| 5|five|--5|٣||\
        9223372036854775808|99999999999999999999999999999999999999999";
    for bad in bad.split('|') {
        assert!(number::<i64>(bad, &..).is_err(), "{bad:?}");
    }
    assert_eq!(number::<u64>("18446744073709551615", &(0..)), Ok(u64::MAX));
    assert!(number::<u8>("1k", &(1..)).is_err());
}

#[test]
fn times_with_units() {
    use TimeUnit::{Millisecond, Second};
    for (text, plain, milliseconds) in [
        ("500ms", Second, 500),
        ("5", Second, 5_000),
        ("1.5S", Second, 1_500),
        ("2m", Second, 120_000),
        ("1h", Second, 3_600_000),
        ("0.001", Second, 1),
        ("0", Second, 0),
        ("20", Millisecond, 20),
        ("0.5s", Millisecond, 500),
    ] {
        let expected = Duration::from_millis(milliseconds);
        assert_eq!(time(text, plain, &..), Ok(expected), "{text}");
    }
    for bad in "|s|-5s|1e3|5x|nan|inf|1..2|5 s|99999999999999999999h".split('|') {
        assert!(time(bad, Second, &..).is_err(), "{bad:?}");
    }
}

#[test]
fn errors_give_the_range_and_an_example() {
    use Bound::{Excluded, Included, Unbounded};
    for (start, end, expected) in [
        (Included(1), Included(1024), " from 1 to 1024, such as 10"),
        (Excluded(0), Unbounded, " of at least 1, such as 10000 or 10k"),
        (Unbounded, Excluded(5), " of at most 4, such as 1"),
        (Included(0), Included(0), " from 0 to 0"),
    ] {
        let error = number::<i64>("x", &(start, end)).unwrap_err().to_string();
        assert_eq!(error, format!("expected a whole number{expected}"));
    }
    let error = time("2d", TimeUnit::Second, &..=Duration::from_secs(86_400)).unwrap_err();
    let expected = "expected a time up to 86400s, such as 500ms, 5s, 2m or 1h";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn written_seconds_are_read_back() {
    for (duration, text) in [
        (Duration::ZERO, "0"),
        (Duration::from_millis(80), "0.08"),
        (Duration::from_secs(40), "40"),
        (Duration::new(u64::MAX, 1), "18446744073709551615.000000001"),
    ] {
        assert_eq!(seconds(duration), text);
        assert_eq!(time(text, TimeUnit::Second, &..), Ok(duration));
    }
}
