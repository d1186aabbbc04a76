//! The critical moves of a game, each next to the best move, and the explosion that ended the
//! game.

use std::fmt::Write as _;

use super::game_page::GamePage;
use crate::eval::MoveMark;
use crate::notation::{coord, san};
use crate::picture::{BoardMarks, escape};
use crate::rules::Position;

/// The greatest number of critical moves shown; the worst are kept.
const MAX_POINTS: usize = 12;

/// Writes the section; nothing if no move was a mistake.
pub fn write(text: &mut String, game_page: &GamePage) {
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
    let loss = |ply: usize| game_page.judged.moves[ply - 1].severity;
    let is_bad = |ply: &usize| game_page.mark(*ply) >= Some(MoveMark::Mistake);
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
    let title = game_page.numbered(ply);
    let _ = writeln!(
        text,
        "<article class=\"point\"><h3><button type=\"button\" data-ply=\"{ply}\">{}</button></h3>\n\
         <p>{}</p>\n<div class=\"pair\">",
        escape(&title),
        escape(&game_page.remark(ply))
    );
    let played = format!("Played: {title}");
    write_board(text, ply, "", &game_page.positions[ply], &played);
    let is_bad = game_page.mark(ply).is_some();
    let lines = game_page.review.lines(ply - 1);
    let best = lines.first().and_then(|(_, line)| line.first());
    if let Some(&best) = best.filter(|_| is_bad) {
        let before = &game_page.positions[ply - 1];
        let caption = format!("Better: {}", san::write_numbered(before, best));
        let better = coord::write(best, true);
        write_board(text, ply, &better, &before.after(best), &caption);
    }
    text.push_str("</div>\n");
    if is_bad {
        let _ = writeln!(text, "<div class=\"lines\" data-at=\"{}\"></div>", ply - 1);
    }
    text.push_str("</article>\n");
}

/// The place of a board, which the script draws: the position at `ply` or, with a better move,
/// the position after that move instead of the one played. `pos` is the position shown.
fn write_board(text: &mut String, ply: usize, better: &str, pos: &Position, caption: &str) {
    let label = match BoardMarks::from_position(pos).blast {
        Some(blast) => format!("{caption}. Exploded: {}", blast.describe_removed()),
        None => caption.to_owned(),
    };
    let _ = writeln!(
        text,
        "<figure data-at=\"{ply}\" data-better=\"{better}\" data-label=\"{}\">\
         <figcaption>{}</figcaption></figure>",
        escape(&label),
        escape(caption)
    );
}
