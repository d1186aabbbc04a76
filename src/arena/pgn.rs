//! The PGN record of a match: games are appended one by one and read back when the match is
//! resumed.
//! Invariant: after a crash all games in the file but the last are complete.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Cursor, Read, Seek, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pgn_reader::{Outcome as PgnOutcome, RawComment, RawTag, Reader, Visitor};

use super::end::Termination;
use super::game::MatchGame;
use crate::eval::wdl::DisplayScore;
use crate::notation::fen::{self, CastlingStyle};
use crate::notation::{pgn, san};
use crate::rules::{Color, GameResult, Position};

/// The tags that identify a game within a match. A resumed match must agree with them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct GameTags {
    pub(super) event: String,
    /// `pair.game`, both from 1.
    pub(super) round: (usize, usize),
    pub(super) names: [String; 2],
    pub(super) variant: String,
    /// The FEN of the first position.
    pub(super) start: String,
    pub(super) time_controls: [String; 2],
    /// The UCI options of White and Black.
    pub(super) options: [String; 2],
}

impl GameTags {
    /// Describes the first difference from the tags of another game.
    pub(super) fn difference(&self, other: &GameTags) -> Option<String> {
        let rows = [
            ("Event", &self.event, &other.event),
            ("White", &self.names[0], &other.names[0]),
            ("Black", &self.names[1], &other.names[1]),
            ("Variant", &self.variant, &other.variant),
            ("the opening", &self.start, &other.start),
            (
                "White's limit",
                &self.time_controls[0],
                &other.time_controls[0],
            ),
            (
                "Black's limit",
                &self.time_controls[1],
                &other.time_controls[1],
            ),
            ("WhiteOptions", &self.options[0], &other.options[0]),
            ("BlackOptions", &self.options[1], &other.options[1]),
        ];
        let (name, ours, theirs) = rows.into_iter().find(|row| row.1 != row.2)?;
        Some(format!("{name} is {ours:?} in the file and {theirs:?} now"))
    }
}

/// The tags with the options of White and Black; a player without options has none.
const OPTION_TAGS: [&str; 2] = ["WhiteOptions", "BlackOptions"];

/// Formats UCI options for a tag.
pub(super) fn options_tag(options: &[(String, String)]) -> String {
    let words: Vec<String> = options
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    words.join("; ")
}

/// Formats the first position for the FEN tag.
pub(super) fn start_tag(pos: &Position) -> String {
    fen::write(pos, CastlingStyle::XFen)
}

/// The PGN text of a game.
pub(super) fn write(game: &MatchGame, tags: &GameTags, date: &str) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| text.push_str(&pgn::tag_line(name, value));
    tag("Event", &tags.event);
    tag("Site", "?");
    tag("Date", date);
    tag("Round", &format!("{}.{}", tags.round.0, tags.round.1));
    tag("White", &tags.names[0]);
    tag("Black", &tags.names[1]);
    tag("Result", game.end.result().as_str());
    tag("Variant", &tags.variant);
    if tags.start != fen::STARTPOS {
        tag("SetUp", "1");
        tag("FEN", &tags.start);
    }
    if tags.time_controls[0] == tags.time_controls[1] {
        tag("TimeControl", &tags.time_controls[0]);
    } else {
        tag("WhiteTimeControl", &tags.time_controls[0]);
        tag("BlackTimeControl", &tags.time_controls[1]);
    }
    for (name, options) in OPTION_TAGS.into_iter().zip(&tags.options) {
        if !options.is_empty() {
            tag(name, options);
        }
    }
    tag("PlyCount", &game.moves.len().to_string());
    tag("Termination", game.end.termination().tag());
    text.push('\n');
    text.push_str(&pgn::wrap(&movetext(game)));
    text.push_str("\n\n");
    text
}

/// The moves, comments and result as words. A comment is one word, so it is never wrapped.
fn movetext(game: &MatchGame) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut pos: Position = game.start.clone();
    for (index, played) in game.moves.iter().enumerate() {
        if pos.side_to_move() == Color::White {
            words.push(format!("{}.", pos.fullmove_number()));
        } else if index == 0 {
            words.push(format!("{}...", pos.fullmove_number()));
        }
        words.push(san::write(&pos, played.mv));
        let depth = played
            .depth
            .map_or(String::new(), |depth| format!("/{depth}"));
        let score = played.score.map_or("?".to_owned(), score_text);
        let clock = played.clock.map_or(String::new(), |left| {
            format!(" [%clk {}]", clock_text(left))
        });
        words.push(format!(
            "{{{score}{depth} {:.3}s{clock}}}",
            played.time.as_secs_f64()
        ));
        pos.make(played.mv);
    }
    words.push(format!("{{{}}}", game.end.to_string().replace('}', ")")));
    words.push(game.end.result().to_string());
    words
}

fn score_text(score: DisplayScore) -> String {
    match score {
        DisplayScore::Centipawns(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        DisplayScore::Mate(moves) if moves > 0 => format!("+M{moves}"),
        DisplayScore::Mate(moves) => format!("-M{}", -moves),
    }
}

fn clock_text(left: Duration) -> String {
    let seconds = left.as_secs();
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!(
        "{hours}:{minutes:02}:{:02}.{:03}",
        seconds % 60,
        left.subsec_millis()
    )
}

/// Why the record of a match cannot be used.
#[derive(Debug)]
pub enum MatchRecordError {
    /// A new match would overwrite the file.
    Exists(PathBuf),
    /// Another match has locked the file.
    Locked(PathBuf),
    /// The file cannot be read or written.
    Io(PathBuf, io::Error),
    /// A game in the file (counted from 1) was not written by this program.
    ForeignGame(PathBuf, usize),
}

impl fmt::Display for MatchRecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatchRecordError::Exists(path) => {
                write!(f, "{} exists; --resume continues it", path.display())
            }
            MatchRecordError::Locked(path) => {
                write!(f, "{}: another match is writing to it", path.display())
            }
            MatchRecordError::Io(path, error) => write!(f, "{}: {error}", path.display()),
            MatchRecordError::ForeignGame(path, number) => write!(
                f,
                "{}: game {number} is not part of a recorded match; the file is unchanged",
                path.display()
            ),
        }
    }
}

impl std::error::Error for MatchRecordError {}

/// A PGN file to which complete games are appended.
pub(super) struct GameRecorder {
    file: File,
}

/// The existing record of a match, read but not yet modified.
pub(super) struct ExistingRecord {
    file: File,
    /// The offset at which the complete games end.
    complete_bytes: u64,
    /// The complete games.
    pub(super) games: Vec<RecordedGame>,
    /// True if nothing follows the complete games but the start of a game of the same match.
    pub(super) has_valid_tail: bool,
}

impl GameRecorder {
    /// Creates a file that must not exist yet.
    pub(super) fn create(path: &Path) -> Result<GameRecorder, MatchRecordError> {
        let file = File::create_new(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => MatchRecordError::Exists(path.to_owned()),
            _ => MatchRecordError::Io(path.to_owned(), error),
        })?;
        lock(&file, path)?;
        Ok(GameRecorder { file })
    }

    /// Opens the record of an interrupted match, or creates an empty one. The first tag of a
    /// partial game at the end of the file must name `event`.
    pub(super) fn open_existing(
        path: &Path,
        event: &str,
    ) -> Result<ExistingRecord, MatchRecordError> {
        let named = |error: io::Error| MatchRecordError::Io(path.to_owned(), error);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(named)?;
        lock(&file, path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(named)?;
        let complete = complete_games(&bytes);
        let (games, tail) = bytes.split_at(complete);
        let games = read(games).map_err(|error| match error {
            ReadError::Io(error) => named(error),
            ReadError::ForeignGame(number) => {
                MatchRecordError::ForeignGame(path.to_owned(), number)
            }
        })?;
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
    pub(super) fn add(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())?;
        self.file.sync_data()
    }
}

impl ExistingRecord {
    /// Removes a partial game from the end of the file.
    pub(super) fn into_recorder(mut self) -> io::Result<GameRecorder> {
        self.file.set_len(self.complete_bytes)?;
        self.file.seek(io::SeekFrom::End(0))?;
        if self.complete_bytes > 0 {
            self.file.write_all(b"\n\n")?;
        }
        Ok(GameRecorder { file: self.file })
    }
}

/// Locks the file against a second match, if the system supports file locks.
fn lock(file: &File, path: &Path) -> Result<(), MatchRecordError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(MatchRecordError::Locked(path.to_owned())),
        _ => Ok(()),
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

/// A game read from the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RecordedGame {
    pub(super) tags: GameTags,
    pub(super) result: GameResult,
    /// The last comment: how the game ended.
    pub(super) reason: String,
    /// The side whose failure ended the game.
    pub(super) failed: Option<Color>,
}

/// Why games cannot be read.
#[derive(Debug)]
enum ReadError {
    Io(io::Error),
    ForeignGame(usize),
}

fn read(bytes: &[u8]) -> Result<Vec<RecordedGame>, ReadError> {
    let mut games = Vec::new();
    let mut reader = Reader::new(Cursor::new(bytes));
    while let Some(game) = reader
        .read_game(&mut RecordVisitor)
        .map_err(ReadError::Io)?
    {
        let number = games.len() + 1;
        games.push(game.ok_or(ReadError::ForeignGame(number))?);
    }
    Ok(games)
}

struct RecordVisitor;

#[derive(Default)]
struct GameFields {
    tags: BTreeMap<String, String>,
    last_comment: String,
    result: Option<GameResult>,
}

impl Visitor for RecordVisitor {
    type Tags = GameFields;
    type Movetext = GameFields;
    type Output = Option<RecordedGame>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(GameFields::default())
    }

    fn tag(
        &mut self,
        game: &mut GameFields,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        game.tags.insert(
            String::from_utf8_lossy(name).into_owned(),
            value.decode_utf8_lossy().into_owned(),
        );
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, game: GameFields) -> ControlFlow<Self::Output, Self::Movetext> {
        ControlFlow::Continue(game)
    }

    fn comment(
        &mut self,
        game: &mut GameFields,
        comment: RawComment<'_>,
    ) -> ControlFlow<Self::Output> {
        game.last_comment = String::from_utf8_lossy(comment.as_bytes()).into_owned();
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, game: &mut GameFields, outcome: PgnOutcome) -> ControlFlow<Self::Output> {
        game.result = outcome.to_string().parse().ok();
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, mut game: GameFields) -> Self::Output {
        let mut take = |name: &str| game.tags.remove(name);
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
            options: OPTION_TAGS.map(|name| take(name).unwrap_or_default()),
        };
        let has_failed = Termination::from_tag(&take("Termination")?)?.is_failure();
        let failed = Color::ALL
            .into_iter()
            .find(|color| has_failed && game.last_comment.starts_with(&color.to_string()));
        Some(RecordedGame {
            tags,
            result: game.result?,
            reason: game.last_comment,
            failed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::end::GameEnd;
    use crate::arena::turn::Failure;
    use crate::rules::Variant;

    fn tags(number: usize) -> GameTags {
        GameTags {
            event: "a \"test\" \\ match".to_owned(),
            round: (3, number),
            names: ["a".to_owned(), "b".to_owned()],
            variant: pgn::variant_tag(Variant::Atomic).to_owned(),
            start: fen::STARTPOS.to_owned(),
            time_controls: ["1+0".to_owned(), "nodes 5".to_owned()],
            options: ["Hash=4; Use NNUE=false".to_owned(), String::new()],
        }
    }

    fn game() -> MatchGame {
        MatchGame {
            start: Position::startpos(Variant::Atomic),
            moves: vec![],
            end: GameEnd::Failure(Color::White, Failure::Illegal("{1-0} 1-0".to_owned())),
        }
    }

    #[test]
    fn written_games_are_read_back() {
        let text = write(&game(), &tags(1), "2026.01.02");
        let games = read(text.as_bytes()).unwrap();
        assert_eq!(games.len(), 1);
        assert_eq!(games[0].tags, tags(1));
        assert_eq!(games[0].result, GameResult::Win(Color::Black));
        assert_eq!(games[0].reason, "White played an illegal move: {1-0) 1-0");
        assert_eq!(games[0].failed, Some(Color::White));
        assert_eq!(tags(1).difference(&tags(1)), None);
    }

    #[test]
    fn truncation_anywhere_keeps_the_complete_games() {
        let first = write(&game(), &tags(1), "2026.01.02");
        let text = first.clone() + &write(&game(), &tags(2), "2026.01.02");
        let end = |text: &str| text.trim_end().len();
        for cut in 0..=text.len() {
            let expected = match cut {
                cut if cut >= end(&text) => end(&text),
                cut if cut >= end(&first) => end(&first),
                _ => 0,
            };
            assert_eq!(complete_games(&text.as_bytes()[..cut]), expected, "{cut}");
        }
    }

    #[test]
    fn clocks_and_scores() {
        assert_eq!(clock_text(Duration::from_millis(3_723_045)), "1:02:03.045");
        assert_eq!(score_text(DisplayScore::Centipawns(-7)), "-0.07");
        assert_eq!(score_text(DisplayScore::Mate(3)), "+M3");
        assert_eq!(score_text(DisplayScore::Mate(0)), "-M0");
    }
}
