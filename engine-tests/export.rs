//! A strict reader of PGN in export format, for judging what the program writes. Every move of a game
//! of atomic chess is played with shakmaty.
//! Invariant: nothing of the engine is used here, and any other format panics.

use std::collections::BTreeMap;

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::variant::Atomic;
use shakmaty::{CastlingMode, Position as _};

#[derive(Default, Debug)]
pub struct Game {
    pub tags: BTreeMap<String, String>,
    /// The moves of the main line, and the NAGs of each.
    pub sans: Vec<String>,
    pub nags: Vec<Vec<u8>>,
    /// The comments before the first move and after each.
    pub comments: Vec<Vec<String>>,
    /// The moves of each variation of the main line.
    pub variations: Vec<String>,
    pub result: String,
    /// In atomic chess, the positions before the first move and after each.
    pub positions: Vec<Atomic>,
}

/// The positions before and after the last move of a line, unknown outside of atomic chess.
type Line = [Option<Atomic>; 2];

pub fn games(text: &str) -> Vec<Game> {
    let (mut games, mut rest) = (Vec::new(), text.trim_start());
    while !rest.is_empty() {
        let mut game = Game::default();
        while let Some(tag) = rest.strip_prefix('[') {
            let (tag, after) = tag.split_once("\"]\n").expect("a tag has a line");
            let (name, value) = tag.split_once(" \"").expect("a value in quotes");
            let value = value.replace("\\\"", "\"").replace("\\\\", "\\");
            let earlier = game.tags.insert(name.to_owned(), value);
            assert_eq!(earlier, None, "{name} occurs twice");
            rest = after;
        }
        rest = rest.strip_prefix('\n').expect("a blank line after the tags");
        let start = game.start();
        game.positions.extend(start.clone());
        game.comments.push(Vec::new());
        let mut lines = vec![[start.clone(), start]];
        while game.result.is_empty() {
            rest = game.read_item(rest.trim_start(), &mut lines);
        }
        games.push(game);
        rest = rest.trim_start();
    }
    games
}

impl Game {
    /// The value of a tag, empty if there is none.
    pub fn tag(&self, name: &str) -> &str {
        self.tags.get(name).map_or("", String::as_str)
    }

    fn start(&self) -> Option<Atomic> {
        let start = match self.tag("FEN") {
            "" | "?" | "startpos" => Atomic::default(),
            text => {
                let fen: Fen = text.parse().expect("a FEN");
                fen.into_position(CastlingMode::Chess960).expect("a position")
            }
        };
        (self.tag("Variant") == "Atomic").then_some(start)
    }

    /// Reads the next part of the moves, and returns the rest of the text. The last of the lines is
    /// the innermost variation.
    fn read_item<'a>(&mut self, text: &'a str, lines: &mut Vec<Line>) -> &'a str {
        let (first, after) = text.split_at(1);
        match first {
            "(" => {
                let [before, _] = lines.last().expect("a line").clone();
                lines.push([before.clone(), before]);
                if lines.len() == 2 {
                    self.variations.push(String::new());
                }
                after
            }
            ")" => {
                lines.pop();
                after
            }
            "{" => {
                let (comment, after) = after.split_once('}').expect("the end of a comment");
                if lines.len() == 1 {
                    // A line break in a comment counts as a space.
                    let text = comment.split_whitespace().collect::<Vec<_>>().join(" ");
                    assert!(!text.contains(char::is_control), "{text:?}");
                    self.comments.last_mut().expect("a place").push(text);
                }
                after
            }
            _ => {
                let end = text.find(|c: char| c.is_whitespace() || "(){}".contains(c));
                let (word, after) = text.split_at(end.expect("a game ends with a line end"));
                self.read_word(word, lines);
                after
            }
        }
    }

    fn read_word(&mut self, word: &str, lines: &mut [Line]) {
        let san = word.trim_end_matches(['!', '?']);
        let glyphs = ["", "!", "?", "!!", "??", "!?", "?!"];
        match word {
            "1-0" | "0-1" | "1/2-1/2" | "*" => self.result = word.to_owned(),
            _ if word.ends_with('.') => {
                let number = word.trim_end_matches('.').parse::<u32>();
                assert!(number.is_ok(), "{word} is no move number");
            }
            _ if word.starts_with('$') => {
                let nag = word[1..].parse().expect("a number after the dollar sign");
                self.add_nag(nag, lines.len());
            }
            _ => {
                self.add_move(san, lines);
                let glyph = glyphs.iter().position(|glyph| *glyph == &word[san.len()..]);
                match glyph.expect("a glyph") {
                    0 => {}
                    nag => self.add_nag(nag as u8, lines.len()),
                }
            }
        }
    }

    fn add_nag(&mut self, nag: u8, depth: usize) {
        if depth == 1 {
            self.nags.last_mut().expect("a move").push(nag);
        }
    }

    fn add_move(&mut self, san: &str, lines: &mut [Line]) {
        let depth = lines.len();
        let [before, now] = lines.last_mut().expect("a line");
        before.clone_from(now);
        if let Some(now) = now {
            let parsed: SanPlus = san.parse().expect("SAN");
            let mv = parsed.san.to_move(now);
            now.play_unchecked(mv.unwrap_or_else(|error| panic!("{san}: {error}")));
        }
        match depth {
            1 => {
                self.sans.push(san.to_owned());
                self.nags.push(Vec::new());
                self.comments.push(Vec::new());
                self.positions.extend(now.clone());
            }
            2 => *self.variations.last_mut().expect("begun") += &format!("{san} "),
            _ => {}
        }
    }
}
