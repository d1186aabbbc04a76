//! The critical moves of a game, each beside the best move, and the explosion that ended the
//! game.

use std::fmt::Write as _;

use super::game_page::{GamePage, numbered};
use crate::notation::san;
use crate::picture::{BoardMarks, Diagram, escape};
use crate::review::MoveMark;
use crate::rules::{Color, Position};

/// The greatest number of critical moves shown; those with the greatest loss are kept.
const MAX_POINTS: usize = 12;

/// Writes the section; nothing if no move was a mistake.
pub(super) fn write(text: &mut String, game_page: &GamePage) {
    let plies = plies(game_page);
    if plies.is_empty() {
        return;
    }
    text.push_str("<h2>Turning points</h2>\n<div class=\"points\">\n");
    for ply in plies {
        write_point(text, game_page, ply);
    }
    text.push_str("</div>\n");
}

/// The plies of the critical moves, in the order of the game.
fn plies(game_page: &GamePage) -> Vec<usize> {
    let loss = |ply: usize| {
        let judged = &game_page.judged[ply - 1];
        judged.before - judged.after
    };
    let is_bad = |ply: &usize| game_page.judged[*ply - 1].mark >= Some(MoveMark::Mistake);
    let last = game_page.sans.len();
    let mut plies: Vec<usize> = (1..=last).filter(is_bad).collect();
    plies.sort_by(|&a, &b| loss(b).total_cmp(&loss(a)));
    plies.truncate(MAX_POINTS);
    let is_over = game_page.positions[last].outcome_by_rule().is_some();
    if is_over && last > 0 && !plies.contains(&last) {
        plies.push(last);
    }
    plies.sort_unstable();
    plies
}

fn write_point(text: &mut String, game_page: &GamePage, ply: usize) {
    let title = format!("{}{}", game_page.numbered(ply), game_page.glyph(ply));
    let _ = writeln!(
        text,
        "<article class=\"point\"><h3><button type=\"button\" data-ply=\"{ply}\">{}</button></h3>\n\
         <p>{}</p>\n<div class=\"pair\">",
        escape(&title),
        escape(&game_page.remark(ply))
    );
    write_board(text, &game_page.positions[ply], &format!("Played: {title}"));
    let best = game_page.review.analyses[ply - 1].line.first();
    if let Some(&best) = best.filter(|_| game_page.judged[ply - 1].mark.is_some()) {
        let before = &game_page.positions[ply - 1];
        let name = numbered(before, &san::write(before, best));
        let mut after = before.clone();
        after.make(best);
        write_board(text, &after, &format!("Better: {name}"));
    }
    text.push_str("</div>\n");
    if game_page.judged[ply - 1].mark.is_some() {
        let line = escape(&game_page.line(ply - 1));
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
