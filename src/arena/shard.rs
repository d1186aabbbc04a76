//! A shard of a job that is divided among several machines.
//! Invariant: the shards 1/N to N/N of a range cover it without overlap, in order, and their lengths
//! differ by at most one.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// Shard `number` of `count`, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    number: u64,
    count: u64,
}

impl Shard {
    /// The shard of a range.
    pub fn of(self, range: Range<u64>) -> Range<u64> {
        let length = u128::from(range.end.saturating_sub(range.start));
        // At most `length`, so it fits.
        let border = |number: u64| {
            range.start + (length * u128::from(number) / u128::from(self.count)) as u64
        };
        border(self.number - 1)..border(self.number)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parse = |text: &str| text.parse::<u32>().ok().map(u64::from);
        let numbers = text.split_once('/');
        let numbers = numbers.and_then(|(k, n)| Some((parse(k)?, parse(n)?)));
        match numbers {
            Some((number, count)) if 1 <= number && number <= count => Ok(Shard { number, count }),
            _ => Err(format!("{text:?} is not K/N with 1 ≤ K ≤ N ≤ 4294967295")),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_cover_a_range_once() {
        for length in 0..40 {
            for count in 1..12 {
                let mut at = 5;
                for number in 1..=count {
                    let Range { start, end } = Shard { number, count }.of(5..5 + length);
                    assert_eq!(start, at);
                    assert!([0, 1].contains(&(end - start - length / count)));
                    at = end;
                }
                assert_eq!(at, 5 + length);
            }
        }
        assert_eq!("3/4".parse::<Shard>().unwrap().to_string(), "3/4");
        assert_eq!("2/3".parse::<Shard>().unwrap().of(0..10), 3..6);
        let wrong = ["", "1", "0/3", "4/3", "1/0", "-1/2", "1/2/3", "a/b"];
        for wrong in wrong.iter().chain(&["1/99999999999"]) {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
