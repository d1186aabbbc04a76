//! The file that records a match: games are appended one by one and read back when the match is
//! resumed.
//! Invariant: after a crash all games in the file but the last are complete.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, Write};
use std::path::Path;

use super::end::Ending;
use super::error::MatchRecordError;
use super::pgn::{DETAILS_TAG, GameTags, LAG_TAG, OPTION_TAGS};
use crate::notation::fen;
use crate::notation::pgn::{TokenKind, Tokens};
use crate::rules::GameResult;
use crate::util;

/// The largest record that can be continued, in bytes.
const MAX_RECORD: u64 = 4 << 30;

/// A PGN file to which complete games are appended.
pub struct GameRecorder(File);

/// The existing record of a match, read but not yet modified.
pub struct ExistingRecord {
    file: File,
    /// The offset at which the complete games end.
    complete_bytes: u64,
    pub games: Vec<RecordedGame>,
    /// True if nothing follows the complete games but the start of a game of the same match.
    pub has_valid_tail: bool,
}

impl GameRecorder {
    /// Creates a file that must not exist yet.
    pub fn create(path: &Path) -> Result<GameRecorder, MatchRecordError> {
        let file = File::create_new(path);
        let file = file.and_then(|file| util::lock_file(&file).map(|()| file));
        file.map(GameRecorder).map_err(|error| refused(path, error))
    }

    /// Opens the record of an interrupted match, or creates an empty one. The first tag of a
    /// partial game at the end of the file must name `event`.
    pub fn open_existing(path: &Path, event: &str) -> Result<ExistingRecord, MatchRecordError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(|error| refused(path, error))?;
        let bytes = util::lock_file(&file).and_then(|()| util::read_bounded(&mut file, MAX_RECORD));
        let bytes = bytes.map_err(|error| refused(path, error))?;
        let complete = complete_games(&bytes);
        let (games, tail) = bytes.split_at(complete);
        let games = read(path, games)?;
        let first_tag = format!("[Event \"{event}\"]\n");
        let (tail, first_tag) = (tail.trim_ascii(), first_tag.as_bytes());
        let compared = tail.len().min(first_tag.len());
        Ok(ExistingRecord {
            file,
            complete_bytes: complete as u64,
            games,
            has_valid_tail: tail[..compared] == first_tag[..compared],
        })
    }

    /// Appends a game and flushes it to disk.
    pub fn add(&mut self, text: &str) -> io::Result<()> {
        self.0.write_all(text.as_bytes())?;
        self.0.sync_data()
    }
}

impl ExistingRecord {
    /// Removes a partial game from the end of the file.
    pub fn into_recorder(mut self) -> io::Result<GameRecorder> {
        self.file.set_len(self.complete_bytes)?;
        self.file.seek(io::SeekFrom::End(0))?;
        if self.complete_bytes > 0 {
            self.file.write_all(b"\n\n")?;
        }
        Ok(GameRecorder(self.file))
    }
}

/// Why a record cannot be opened or read.
fn refused(path: &Path, error: io::Error) -> MatchRecordError {
    match error.kind() {
        _ if path.is_dir() => MatchRecordError::Folder(path.to_owned()),
        io::ErrorKind::AlreadyExists => MatchRecordError::Exists(path.to_owned()),
        _ => MatchRecordError::Io(path.to_owned(), error),
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

fn read(path: &Path, bytes: &[u8]) -> Result<Vec<RecordedGame>, MatchRecordError> {
    let (mut games, mut tags, mut has_moves) = (Vec::new(), BTreeMap::new(), false);
    let foreign = |games: &[_]| MatchRecordError::ForeignGame(path.to_owned(), games.len() + 1);
    let mut tokens = Tokens::new(bytes);
    while let Some(token) = tokens.next().map_err(|error| refused(path, error))? {
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
            let games = read(Path::new("x"), text.as_bytes());
            assert_eq!(games.expect("games"), [expected]);
        }
        assert_eq!(tags(1).difference(&tags(1)), None);
    }

    #[test]
    fn an_ending_that_contradicts_the_termination_is_foreign() {
        for (from, to) in [("rules infraction", "normal"), ("an illegal move\"]", "a move\"]")] {
            let changed = text(1).replace(from, to);
            assert_ne!(changed, text(1));
            let games = read(Path::new("x"), changed.as_bytes());
            assert!(matches!(games, Err(MatchRecordError::ForeignGame(_, 1))), "{changed}");
        }
    }
}
