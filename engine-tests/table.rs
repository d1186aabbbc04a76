//! Tables of cases as text: one case a line, with `|` between its columns. A line that begins with
//! `|` continues the last one; blank lines and lines that begin with `#` are no cases.

/// The rows of a table with `N` columns.
#[track_caller]
pub fn rows<const N: usize>(table: &str) -> Vec<[&str; N]> {
    let lines = table.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut rows: Vec<Vec<&str>> = Vec::new();
    for line in lines {
        let columns = line.split('|').map(str::trim);
        match rows.last_mut() {
            Some(row) if line.starts_with('|') => row.extend(columns.skip(1)),
            _ => rows.push(columns.collect()),
        }
    }
    assert!(!rows.is_empty());
    let array = |row: Vec<_>| {
        row.try_into().unwrap_or_else(|row| panic!("{row:?} has other than {N} columns"))
    };
    rows.into_iter().map(array).collect()
}
