//! The file that records a match: games are appended one by one and read back when the match is
//! resumed.
//! Invariant: after a crash all games in the file but the last are complete.

use std::collections::BTreeMap;
use std::path::Path;

use super::end::Ending;
use super::error::MatchRecordError;
use super::pgn::{DETAILS_TAG, GameTags, LAG_TAG, OPTION_TAGS};
use crate::files::{self, AppendFile, EarlierOutput, FileError};
use crate::notation::fen;
use crate::notation::pgn::{TokenKind, Tokens};
use crate::rules::GameResult;

/// The record of a match, read but not yet modified; a new one is empty.
pub struct MatchRecord {
    output: EarlierOutput,
    /// The offset at which the complete games end.
    complete_bytes: usize,
    pub games: Vec<RecordedGame>,
    /// True if nothing follows the complete games but the start of a game of the same match.
    pub has_valid_tail: bool,
}

impl MatchRecord {
    /// Opens the record of a match, or creates it; one with content is opened only to `resume`. The
    /// first tag of a partial game at the end of the file must name `event`.
    pub fn open(path: &Path, resume: bool, event: &str) -> Result<MatchRecord, MatchRecordError> {
        let output = AppendFile::resume(path)?;
        files::refuse_existing(path, resume, "--resume continues it")?;
        let complete_bytes = complete_games(output.text.as_bytes());
        let (games, tail) = output.text.split_at(complete_bytes);
        let games = read(path, games)?;
        let first_tag = format!("[Event \"{event}\"]\n");
        let (tail, first_tag) = (tail.trim().as_bytes(), first_tag.as_bytes());
        let compared = tail.len().min(first_tag.len());
        let has_valid_tail = tail[..compared] == first_tag[..compared];
        Ok(MatchRecord { output, complete_bytes, games, has_valid_tail })
    }

    /// Removes a partial game from the end of the file, to which games are then appended.
    pub fn keep_complete(self) -> Result<AppendFile, FileError> {
        let mut file = self.output.keep(self.complete_bytes)?;
        if self.complete_bytes > 0 {
            file.append("\n\n")?;
        }
        Ok(file)
    }
}

/// The length in bytes of the complete games at the start of the file: they end with the last
/// result that follows a comment, because every recorded game ends with a comment and a result.
fn complete_games(bytes: &[u8]) -> usize {
    const RESULTS: [&[u8]; 3] = [b"1-0", b"0-1", b"1/2-1/2"];
    let mut end = bytes.len();
    while let Some(brace) = bytes[..end].iter().rposition(|&byte| byte == b'}') {
        let after = &bytes[brace + 1..];
        let blanks = after.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let word = &after[blanks..];
        let length = word.iter().take_while(|b| !b.is_ascii_whitespace()).count();
        if blanks > 0 && RESULTS.contains(&&word[..length]) {
            return brace + 1 + blanks + length;
        }
        end = brace;
    }
    0
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedGame {
    pub tags: GameTags,
    pub result: GameResult,
    pub ending: Ending,
}

fn read(path: &Path, text: &str) -> Result<Vec<RecordedGame>, MatchRecordError> {
    let (mut games, mut tags, mut has_moves) = (Vec::new(), BTreeMap::new(), false);
    let foreign = |games: &[_]| MatchRecordError::ForeignGame(path.to_owned(), games.len() + 1);
    let mut tokens = Tokens::new(text.as_bytes());
    while let Some(token) =
        tokens.next().map_err(|error| FileError::Read(files::shown(path), error))?
    {
        match token.kind {
            // Tags behind moves are those of the next game, and this one has no result.
            TokenKind::Tag(..) if has_moves => return Err(foreign(&games)),
            TokenKind::Tag(name, value) => drop(tags.insert(name, value)),
            TokenKind::Word(_) => has_moves = true,
            TokenKind::Result(result) => {
                has_moves = false;
                let recorded = recorded(std::mem::take(&mut tags), result);
                games.push(recorded.ok_or_else(|| foreign(&games))?);
            }
            _ => {}
        }
    }
    Ok(games)
}

/// The game with these tags and this result, unless it is not one of a match.
fn recorded(
    mut tags: BTreeMap<String, String>,
    result: Option<GameResult>,
) -> Option<RecordedGame> {
    let mut take = |name: &str| tags.remove(name);
    let round = take("Round")?;
    let (pair, number) = round.split_once('.')?;
    let time_controls = match take("TimeControl") {
        Some(control) => [control.clone(), control],
        None => [take("WhiteTimeControl")?, take("BlackTimeControl")?],
    };
    let tags = GameTags {
        event: take("Event")?,
        round: (pair.parse().ok()?, number.parse().ok()?),
        names: [take("White")?, take("Black")?],
        variant: take("Variant")?,
        start: take("FEN").unwrap_or_else(|| fen::STARTPOS.to_owned()),
        time_controls,
        lag: take(LAG_TAG).unwrap_or_default(),
        options: OPTION_TAGS.map(|name| take(name).unwrap_or_default()),
    };
    let termination = take("Termination")?;
    let ending = Ending::from_label(&take(DETAILS_TAG)?);
    let ending = ending.filter(|ending| ending.termination() == termination)?;
    Some(RecordedGame { tags, result: result?, ending })
}

#[cfg(test)]
mod tests {
    use super::super::end::GameEnd;
    use super::super::failure::Failure;
    use super::super::game::MatchGame;
    use super::super::pgn::write;
    use super::*;
    use crate::notation::pgn::variant_tag;
    use crate::rules::{Color, Position, Variant};

    fn tags(number: usize) -> GameTags {
        GameTags {
            event: "a \"test\" \\ match".to_owned(),
            round: (3, number),
            names: ["a".to_owned(), "b".to_owned()],
            variant: variant_tag(Variant::Atomic).to_owned(),
            start: fen::STARTPOS.to_owned(),
            time_controls: ["1+0".to_owned(), "nodes 5".to_owned()],
            lag: "100 ms".to_owned(),
            options: ["Hash=4; Use NNUE=false".to_owned(), String::new()],
        }
    }

    fn game(end: GameEnd) -> MatchGame {
        MatchGame { start: Position::startpos(Variant::Atomic), moves: vec![], end }
    }

    fn text(number: usize) -> String {
        let end = GameEnd::by_failure(Color::White, &Failure::illegal("{1-0} 1-0"));
        write(&game(end), &tags(number), "2026.01.02")
    }

    #[test]
    fn written_games_are_read_back() {
        let result = GameResult::Win(Color::White);
        for ending in Ending::all() {
            let text = write(&game(GameEnd::new(ending, result)), &tags(1), "2026.01.02");
            let tags = tags(1);
            let expected = RecordedGame { tags, result, ending };
            let games = read(Path::new("x"), &text);
            assert_eq!(games.expect("games"), [expected]);
        }
        assert_eq!(tags(1).difference(&tags(1)), None);
    }

    #[test]
    fn an_ending_that_contradicts_the_termination_is_foreign() {
        for (from, to) in [("rules infraction", "normal"), ("an illegal move\"]", "a move\"]")] {
            let changed = text(1).replace(from, to);
            assert_ne!(changed, text(1));
            let games = read(Path::new("x"), &changed);
            let error = games.expect_err("foreign").to_string();
            assert!(error.contains("game 1 is not part of a recorded match"), "{error}");
        }
    }
}
