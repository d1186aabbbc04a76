//! A strict reader of PGN in export format, for judging what the program writes.
//! Invariant: nothing of the engine is used here, and any other format panics.

/// A game as it is written.
#[derive(Default, Debug)]
pub struct Export {
    pub tags: Vec<(String, String)>,
    pub items: Vec<Item>,
    pub result: String,
}

/// A part of the moves.
#[derive(Debug)]
pub enum Item {
    San(String),
    Nag(u8),
    Comment(String),
    Open,
    Close,
}

/// All games of a text.
pub fn games(text: &str) -> Vec<Export> {
    let (mut games, mut rest) = (Vec::new(), text.trim_start());
    while !rest.is_empty() {
        let mut game = Export::default();
        while let Some(tag) = rest.strip_prefix('[') {
            let (tag, after) = tag.split_once("\"]\n").expect("a tag has a line");
            let (name, value) = tag.split_once(" \"").expect("a value in quotes");
            let value = value.replace("\\\"", "\"").replace("\\\\", "\\");
            game.tags.push((name.to_owned(), value));
            rest = after;
        }
        rest = rest
            .strip_prefix('\n')
            .expect("a blank line after the tags");
        while game.result.is_empty() {
            rest = game.read_item(rest.trim_start());
        }
        games.push(game);
        rest = rest.trim_start();
    }
    games
}

impl Export {
    /// Reads the next part of the moves, and returns the rest of the text.
    fn read_item<'a>(&mut self, text: &'a str) -> &'a str {
        let (first, after) = text.split_at(1);
        let item = match first {
            "(" => Item::Open,
            ")" => Item::Close,
            "{" => {
                let (comment, after) = after.split_once('}').expect("the end of a comment");
                self.items.push(Item::Comment(comment.trim().to_owned()));
                return after;
            }
            _ => {
                let end = text.find(|c: char| c.is_whitespace() || "(){}".contains(c));
                let (word, after) = text.split_at(end.expect("a game ends with a line end"));
                self.read_word(word);
                return after;
            }
        };
        self.items.push(item);
        after
    }

    fn read_word(&mut self, word: &str) {
        let san = word.trim_end_matches(['!', '?']);
        let glyphs = ["!", "?", "!!", "??", "!?", "?!"];
        match word {
            "1-0" | "0-1" | "1/2-1/2" | "*" => self.result = word.to_owned(),
            _ if word.ends_with('.') => {
                let number = word.trim_end_matches('.').parse::<u32>();
                assert!(number.is_ok(), "{word} is no move number");
            }
            _ if word.starts_with('$') => {
                let nag = word[1..].parse().expect("a number after the dollar sign");
                self.items.push(Item::Nag(nag));
            }
            _ => {
                self.items.push(Item::San(san.to_owned()));
                if san != word {
                    let glyph = glyphs.iter().position(|glyph| *glyph == &word[san.len()..]);
                    self.items
                        .push(Item::Nag(glyph.expect("a glyph") as u8 + 1));
                }
            }
        }
    }
}
