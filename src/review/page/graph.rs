//! White's winning chances over the game, as a curve that stretches with the page. Marks and
//! labels lie over it, so that they are not stretched.

use std::fmt::Write as _;

use super::sheet::Sheet;
use crate::picture::escape;

/// Writes the graph.
pub(super) fn write(text: &mut String, sheet: &Sheet) {
    let last = (sheet.curve.len() - 1).max(1);
    let mut path = String::from("M0 100");
    for (ply, share) in sheet.curve.iter().enumerate() {
        let _ = write!(path, "L{ply} {:.1}", 100.0 - 100.0 * share);
    }
    // A game without moves still has a level.
    if sheet.curve.len() == 1 {
        let _ = write!(path, "L1 {:.1}", 100.0 - 100.0 * sheet.curve[0]);
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
        escape(&summary(sheet))
    );
    for (index, judged) in sheet.judged.iter().enumerate() {
        let Some(mark) = judged.mark else {
            continue;
        };
        let ply = index + 1;
        let label = format!("{}{}", sheet.numbered(ply), sheet.glyph(ply));
        let _ = write!(
            text,
            "<button type=\"button\" class=\"dot {}\" data-ply=\"{ply}\" tabindex=\"-1\" \
             style=\"left:{:.2}%;top:{:.1}%\" title=\"{label}\" aria-label=\"{label}\"></button>",
            mark.name().to_lowercase(),
            100.0 * ply as f64 / last as f64,
            100.0 - 100.0 * sheet.curve[ply],
            label = escape(&label)
        );
    }
    text.push_str("</div></figure>\n");
}

/// The graph in words.
fn summary(sheet: &Sheet) -> String {
    let percent = |share: f64| format!("{:.0}%", 100.0 * share);
    let bounds = |better: fn(f64, f64) -> f64| sheet.curve.iter().copied().reduce(better);
    format!(
        "White's winning chances over {} moves: {} at the start, {} at the end, between {} and {}.",
        sheet.sans.len().div_ceil(2),
        percent(sheet.curve.first().copied().unwrap_or(0.5)),
        percent(sheet.curve.last().copied().unwrap_or(0.5)),
        percent(bounds(f64::min).unwrap_or(0.5)),
        percent(bounds(f64::max).unwrap_or(0.5))
    )
}
