//! Reviews as one self-contained HTML page: an evaluation graph, the moves, a board that follows
//! them, and diagrams of the critical moves.
//! Invariant: no text of a game becomes markup or script.

mod game_page;
mod graph;
mod points;

use std::fmt::Write as _;

use serde::Serialize;

use super::Review;
use crate::notation::fen::{self, CastlingStyle};
use crate::picture::{BoardMarks, Diagram, STYLE as BOARD_STYLE, definitions, escape};
use crate::rules::{Color, Square};
use game_page::{GamePage, LineData};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

pub fn page(reviews: &[Review]) -> String {
    let game_pages: Vec<GamePage> = reviews.iter().map(GamePage::new).collect();
    let title = match game_pages.as_slice() {
        [game_page] => format!("{}, {}", game_page.title(), game_page.review.game.result_str()),
        _ => format!("{} games of atomic chess", game_pages.len()),
    };
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{BOARD_STYLE}{STYLE}</style>\n</head>\n<body>\n\
         <svg class=\"shared\" aria-hidden=\"true\"><defs>\n{definitions}</defs></svg>\n",
        title = escape(&title),
        definitions = definitions(),
    );
    write_game_list(&mut text, &game_pages);
    text.push_str("<main>\n");
    for (index, game_page) in game_pages.iter().enumerate() {
        write_game(&mut text, game_page, index);
    }
    let _ = write!(
        text,
        "</main>\n<footer>Analysed by Brisance {}. Winning chances are White's share of the \
         point: 50% is even. Accuracy falls exponentially with the loss of a move, as on Lichess.</footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    text
}

/// The list of games; nothing for a single game.
fn write_game_list(text: &mut String, game_pages: &[GamePage]) {
    if game_pages.len() < 2 {
        return;
    }
    text.push_str("<nav class=\"choice\"><label>Game <select id=\"choice\">\n");
    for (index, game_page) in game_pages.iter().enumerate() {
        let _ = writeln!(
            text,
            "<option value=\"{index}\">{}. {}, {}</option>",
            game_page.review.number,
            escape(&game_page.title()),
            game_page.review.game.result_str()
        );
    }
    text.push_str("</select></label></nav>\n");
}

fn write_game(text: &mut String, game_page: &GamePage, index: usize) {
    let game = &game_page.review.game;
    let tags = ["Event", "Site", "UTCDate", "Date", "TimeControl", "Termination"];
    let tag_value =
        |name: &&str| game.tag(name).filter(|value| !value.starts_with('?') && *value != "-");
    let has_date = game.tag("UTCDate").is_some();
    let tags = tags.iter().filter(|&&name| name != "Date" || !has_date);
    let tags: Vec<String> = tags.filter_map(tag_value).map(escape).collect();
    let _ = writeln!(
        text,
        "<section class=\"game\" data-game=\"{number}\"{hidden} aria-label=\"{players}\">\n\
         <header><h1>{players} <span class=\"result\">{}</span></h1>\n<p class=\"facts\">{}</p>{faults}{accuracies}</header>\n\
         <div class=\"study\">\n<div class=\"stage\">",
        game.result_str(),
        tags.join(" · "),
        number = game_page.review.number,
        hidden = if index > 0 { " hidden" } else { "" },
        faults = paragraph(game_page.mark_counts()),
        accuracies = paragraph(game_page.accuracies()),
        players = escape(&game_page.title()),
    );
    let pos = &game_page.positions[0];
    let diagram = Diagram {
        pos,
        marks: &BoardMarks::from_position(pos),
        bottom: Color::ALL[usize::from(game_page.is_flipped())],
    };
    text.push_str(&diagram.inline("The board"));
    write_controls(text);
    text.push_str(
        "<div class=\"said\" aria-live=\"polite\"><p class=\"headline\"></p>\
         <p class=\"remark\"></p><p class=\"note\"></p><div class=\"lines\"></div></div>\n</div>\n\
         <div class=\"side\">\n",
    );
    graph::write(text, game_page);
    write_moves(text, game_page);
    text.push_str("</div>\n</div>\n");
    points::write(text, game_page);
    let _ = writeln!(
        text,
        "<script type=\"application/json\" class=\"data\">{}</script>\n</section>",
        data(game_page)
    );
}

/// A paragraph of HTML with a text; nothing without one.
fn paragraph(text: Option<String>) -> String {
    text.map_or(String::new(), |text| format!("<p>{}</p>", escape(&text)))
}

/// The buttons under the board: action, label and SVG path.
const CONTROLS: [(&str, &str, &str); 5] = [
    ("first", "First position", "M5 5h3v14h-3zM19 5v14l-10-7z"),
    ("back", "Move back", "M16 5v14l-10-7z"),
    ("on", "Move on", "M8 5v14l10-7z"),
    ("last", "Last position", "M16 5h3v14h-3zM5 5v14l10-7z"),
    ("flip", "Turn the board", "M8 4l-5 6h4v10h2v-10h4zM16 20l5-6h-4v-10h-2v10h-4z"),
];

fn write_controls(text: &mut String) {
    text.push_str("<div class=\"controls\" role=\"group\" aria-label=\"Go through the game\">\n");
    for (go, label, path) in CONTROLS {
        let _ = writeln!(
            text,
            "<button type=\"button\" data-go=\"{go}\" aria-label=\"{label}\" title=\"{label}\">\
             <svg viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"{path}\"/></svg></button>"
        );
    }
    text.push_str("</div>\n");
}

fn write_moves(text: &mut String, game_page: &GamePage) {
    text.push_str("<ol class=\"moves\" aria-label=\"Moves\">\n");
    let last = game_page.sans.len();
    for ply in 1..=last {
        let before = &game_page.positions[ply - 1];
        let is_white = before.side_to_move() == Color::White;
        if is_white || ply == 1 {
            let _ = write!(text, "<li><span class=\"number\">{}.</span>", before.fullmove_number());
        }
        if !is_white && ply == 1 {
            text.push_str("<span class=\"nothing\">…</span>");
        }
        let glyph = game_page.glyph(ply);
        let class = game_page.mark(ply).map_or("", |mark| mark.name());
        let _ = write!(
            text,
            "<button type=\"button\" data-ply=\"{ply}\" class=\"{}\"><span>{}{glyph}</span> \
             <small>{}</small></button>",
            class.to_lowercase(),
            escape(&game_page.sans[ply - 1]),
            game_page.value(ply)
        );
        if !is_white || ply == last {
            text.push_str("</li>\n");
        }
    }
    text.push_str("</ol>\n");
}

/// A position in the data of the page script.
#[derive(Serialize)]
struct PagePosition {
    /// The board field of the FEN.
    board: String,
    /// The origin and destination of the last move.
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blast: Option<String>,
    /// The pieces removed by the explosion: letter and square.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    removed: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<String>,
    headline: String,
    /// The judgement of the last move, its explosion, and the outcome.
    #[serde(skip_serializing_if = "String::is_empty")]
    remark: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    note: String,
    /// The lines of the engine from here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<LineData>,
    /// The variations of the source to the last move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    variations: Vec<LineData>,
}

#[derive(Serialize)]
struct PageData {
    flipped: bool,
    positions: Vec<PagePosition>,
}

/// The positions of a game as JSON that is safe inside a script element.
fn data(game_page: &GamePage) -> String {
    let positions: Vec<PagePosition> =
        (0..game_page.positions.len()).map(|ply| page_position(game_page, ply)).collect();
    let data = PageData { flipped: game_page.is_flipped(), positions };
    let json = serde_json::to_string(&data).unwrap_or_else(|_| "{}".to_owned());
    // These characters occur only inside JSON strings.
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn page_position(game_page: &GamePage, ply: usize) -> PagePosition {
    let pos = &game_page.positions[ply];
    let marks = BoardMarks::from_position(pos);
    let name = |square: Square| square.to_string();
    let fen = fen::write(pos, CastlingStyle::XFen);
    let what = match ply {
        0 => "Before the first move".to_owned(),
        _ => game_page.numbered(ply),
    };
    let clock = game_page.clock(ply).map_or(String::new(), |clock| format!(" · clock {clock}"));
    PagePosition {
        board: fen.split(' ').next().unwrap_or("").to_owned(),
        last: marks.last_move.map(|(from, to)| [name(from), name(to)]),
        removed: marks
            .blast
            .iter()
            .flat_map(|blast| &blast.removed)
            .map(|(piece, square)| format!("{}{square}", piece.letter()))
            .collect(),
        blast: marks.blast.map(|blast| name(blast.center)),
        check: marks.check.map(name),
        headline: format!(
            "{what} · {} · White's chances {:.0}%{clock}",
            game_page.value(ply),
            100.0 * game_page.curve[ply]
        ),
        remark: game_page.remark(ply),
        note: game_page.note(ply),
        lines: game_page.lines(ply),
        variations: game_page.variations(ply),
    }
}
