//! White's expected score over the game, as an SVG curve that stretches with the page. Marks and
//! labels are HTML on top of it, so they do not stretch.

use std::fmt::Write as _;

use super::game_page::GamePage;
use crate::picture::escape;
use crate::util::count;

pub fn write(text: &mut String, game_page: &GamePage) {
    let last = (game_page.curve.len() - 1).max(1);
    let mut path = String::from("M0 100");
    for (ply, share) in game_page.curve.iter().enumerate() {
        let _ = write!(path, "L{ply} {:.1}", 100.0 - 100.0 * share);
    }
    // A game without moves is a horizontal line.
    if game_page.curve.len() == 1 {
        let _ = write!(path, "L1 {:.1}", 100.0 - 100.0 * game_page.curve[0]);
    }
    let _ = write!(path, "L{last} 100z");
    let _ = writeln!(
        text,
        "<figure class=\"graph\"><figcaption>White's winning chances</figcaption>\n\
         <div class=\"plot\" data-last=\"{last}\">\
         <svg viewBox=\"0 0 {last} 100\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">\
         <rect class=\"theirs\" width=\"{last}\" height=\"100\"/><path class=\"ours\" d=\"{path}\"/>\
         <path class=\"even\" d=\"M0 50H{last}\"/></svg>\
         <span class=\"scale top\">100%</span><span class=\"scale middle\">50%</span>\
         <span class=\"scale bottom\">0%</span><span class=\"cursor\"></span>",
        escape(&summary(game_page))
    );
    for ply in 1..=game_page.sans.len() {
        let Some(mark) = game_page.mark(ply) else {
            continue;
        };
        let label = game_page.numbered(ply);
        let _ = write!(
            text,
            "<button type=\"button\" class=\"dot {}\" data-ply=\"{ply}\" tabindex=\"-1\" \
             style=\"left:{:.2}%;top:{:.1}%\" title=\"{label}\" aria-label=\"{label}\"></button>",
            mark.name().to_lowercase(),
            100.0 * ply as f64 / last as f64,
            100.0 - 100.0 * game_page.curve[ply],
            label = escape(&label)
        );
    }
    text.push_str("</div></figure>\n");
}

/// A text alternative of the graph.
fn summary(game_page: &GamePage) -> String {
    let percent = |share: f64| format!("{:.0}%", 100.0 * share);
    let bounds = |better: fn(f64, f64) -> f64| game_page.curve.iter().copied().reduce(better);
    format!(
        "White's winning chances over {}: {} at the start, {} at the end, between {} and {}.",
        count(game_page.sans.len().div_ceil(2), "move"),
        percent(game_page.curve.first().copied().unwrap_or(0.5)),
        percent(game_page.curve.last().copied().unwrap_or(0.5)),
        percent(bounds(f64::min).unwrap_or(0.5)),
        percent(bounds(f64::max).unwrap_or(0.5))
    )
}
