//! The turning points: the moves that cost most, each beside what should have been played,
//! and the explosion that ended the game.

use std::fmt::Write as _;

use super::sheet::{Sheet, numbered};
use crate::notation::san;
use crate::picture::{Diagram, BoardMarks, escape};
use crate::review::Mark;
use crate::rules::{Color, Position};

/// More would make a long game's page unreadable; the costliest are shown.
const MOST: usize = 12;

/// Writes the section; nothing where no move was a mistake.
pub(super) fn write(text: &mut String, sheet: &Sheet) {
    let plies = plies(sheet);
    if plies.is_empty() {
        return;
    }
    text.push_str("<h2>Turning points</h2>\n<div class=\"points\">\n");
    for ply in plies {
        write_point(text, sheet, ply);
    }
    text.push_str("</div>\n");
}

/// The moves to be shown, in the order of the game.
fn plies(sheet: &Sheet) -> Vec<usize> {
    let loss = |ply: usize| {
        let judged = &sheet.judged[ply - 1];
        judged.before - judged.after
    };
    let is_bad = |ply: &usize| sheet.judged[*ply - 1].mark >= Some(Mark::Mistake);
    let last = sheet.sans.len();
    let mut plies: Vec<usize> = (1..=last).filter(is_bad).collect();
    plies.sort_by(|&a, &b| loss(b).total_cmp(&loss(a)));
    plies.truncate(MOST);
    let is_over = sheet.positions[last].outcome_by_rule().is_some();
    if is_over && last > 0 && !plies.contains(&last) {
        plies.push(last);
    }
    plies.sort_unstable();
    plies
}

fn write_point(text: &mut String, sheet: &Sheet, ply: usize) {
    let title = format!("{}{}", sheet.numbered(ply), sheet.glyph(ply));
    let _ = writeln!(
        text,
        "<article class=\"point\"><h3><button type=\"button\" data-ply=\"{ply}\">{}</button></h3>\n\
         <p>{}</p>\n<div class=\"pair\">",
        escape(&title),
        escape(&sheet.remark(ply))
    );
    write_board(text, &sheet.positions[ply], &format!("Played: {title}"));
    let best = sheet.review.found[ply - 1].line.first();
    if let Some(&best) = best.filter(|_| sheet.judged[ply - 1].mark.is_some()) {
        let before = &sheet.positions[ply - 1];
        let name = numbered(before, &san::write(before, best));
        let mut after = before.clone();
        after.make(best);
        write_board(text, &after, &format!("Better: {name}"));
    }
    text.push_str("</div>\n");
    if sheet.judged[ply - 1].mark.is_some() {
        let line = escape(&sheet.line(ply - 1));
        let _ = writeln!(text, "<p class=\"line\">The line: {line}</p>");
    }
    text.push_str("</article>\n");
}

fn write_board(text: &mut String, pos: &Position, caption: &str) {
    let marks = BoardMarks::from_position(pos);
    let diagram = Diagram {
        pos,
        marks: &marks,
        bottom: Color::White,
    };
    let blast = marks.blast.as_ref();
    let exploded = blast.map_or(String::new(), |blast| {
        format!(". Exploded: {}", blast.describe_removed())
    });
    let _ = writeln!(
        text,
        "<figure>{}<figcaption>{}</figcaption></figure>",
        diagram.inline(&format!("{caption}{exploded}")),
        escape(caption)
    );
}
