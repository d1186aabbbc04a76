//! Tables of cases as text: one case a line, with `|` between its columns.
//! Blank lines and lines that begin with `#` are no cases.

/// The rows of a table with `N` columns.
#[track_caller]
pub fn rows<const N: usize>(table: &str) -> Vec<[&str; N]> {
    let lines = table.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut rows = Vec::new();
    for line in lines {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        let row = columns.try_into();
        rows.push(row.unwrap_or_else(|_| panic!("{line:?} has other than {N} columns")));
    }
    assert!(!rows.is_empty());
    rows
}
