//! Games as PGN: written whole, one after another, and read back to continue a match.
//! Invariant: what stands in the file before a crash is complete games, but for the last.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Cursor, Read, Seek, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use pgn_reader::{Outcome as PgnOutcome, RawComment, RawTag, Reader, Visitor};

use super::game::{Fault, Game, Score};
use crate::eval::wdl::Shown;
use crate::notation::fen::{self, CastlingStyle};
use crate::notation::{pgn, san};
use crate::rules::{Color, Position};

/// What a game's tags say of its place in the match: what a match that is continued must
/// have in common with the games in its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tags {
    pub(super) event: String,
    /// `pair.game`, both from 1.
    pub(super) round: (usize, usize),
    pub(super) names: [String; 2],
    pub(super) variant: String,
    /// The position it begins with.
    pub(super) start: String,
    pub(super) controls: [String; 2],
    /// The UCI options that each was given.
    pub(super) options: [String; 2],
}

impl Tags {
    /// The first difference to the tags of another game, for a person to read.
    pub(super) fn difference(&self, other: &Tags) -> Option<String> {
        let rows = [
            ("Event", &self.event, &other.event),
            ("White", &self.names[0], &other.names[0]),
            ("Black", &self.names[1], &other.names[1]),
            ("Variant", &self.variant, &other.variant),
            ("the opening", &self.start, &other.start),
            ("White's limit", &self.controls[0], &other.controls[0]),
            ("Black's limit", &self.controls[1], &other.controls[1]),
            ("WhiteOptions", &self.options[0], &other.options[0]),
            ("BlackOptions", &self.options[1], &other.options[1]),
        ];
        let (name, ours, theirs) = rows.into_iter().find(|row| row.1 != row.2)?;
        Some(format!("{name} is {ours:?} there and {theirs:?} here"))
    }
}

/// Where the options stand of White and of Black; a player without any has no such tag.
const OPTION_TAGS: [&str; 2] = ["WhiteOptions", "BlackOptions"];

/// UCI options as they stand in a tag.
pub(super) fn options_tag(options: &[(String, String)]) -> String {
    let words: Vec<String> = options
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    words.join("; ")
}

/// A position as it stands in tags.
pub(super) fn start_tag(pos: &Position) -> String {
    fen::write(pos, CastlingStyle::XFen)
}

/// The PGN text of a game.
pub(super) fn write(game: &Game, tags: &Tags, date: &str) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| text.push_str(&pgn::tag_line(name, value));
    tag("Event", &tags.event);
    tag("Site", "?");
    tag("Date", date);
    tag("Round", &format!("{}.{}", tags.round.0, tags.round.1));
    tag("White", &tags.names[0]);
    tag("Black", &tags.names[1]);
    tag("Result", game.score.tag());
    tag("Variant", &tags.variant);
    if tags.start != fen::STARTPOS {
        tag("SetUp", "1");
        tag("FEN", &tags.start);
    }
    if tags.controls[0] == tags.controls[1] {
        tag("TimeControl", &tags.controls[0]);
    } else {
        tag("WhiteTimeControl", &tags.controls[0]);
        tag("BlackTimeControl", &tags.controls[1]);
    }
    for (name, options) in OPTION_TAGS.into_iter().zip(&tags.options) {
        if !options.is_empty() {
            tag(name, options);
        }
    }
    tag("PlyCount", &game.moves.len().to_string());
    tag("Termination", termination(game));
    text.push('\n');
    text.push_str(&pgn::wrap(&movetext(game)));
    text.push_str("\n\n");
    text
}

fn termination(game: &Game) -> &'static str {
    match game.failed {
        Some((_, Fault::Time)) => "time forfeit",
        Some((_, Fault::Rules)) => "rules infraction",
        Some((_, Fault::Absence)) => "abandoned",
        None if game.reason.contains("adjudicated") => "adjudication",
        None => "normal",
    }
}

/// Moves, comments and result; a comment is one word, so that no line breaks it.
fn movetext(game: &Game) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut pos: Position = game.start.clone();
    for (index, played) in game.moves.iter().enumerate() {
        if pos.side() == Color::White {
            words.push(format!("{}.", pos.fullmove()));
        } else if index == 0 {
            words.push(format!("{}...", pos.fullmove()));
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
    words.push(format!("{{{}}}", game.reason.replace('}', ")")));
    words.push(game.score.tag().to_owned());
    words
}

fn score_text(score: Shown) -> String {
    match score {
        Shown::Centipawns(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        Shown::Mate(moves) if moves > 0 => format!("+M{moves}"),
        Shown::Mate(moves) => format!("-M{}", -moves),
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

/// A PGN file that grows by whole games.
pub(super) struct Archive {
    file: File,
}

/// A PGN file that was read but not yet touched.
pub(super) struct Found {
    file: File,
    /// Where its complete games end.
    whole: u64,
    /// The complete games.
    pub(super) games: Vec<Old>,
    /// What stands after them is nothing, or the beginning of a game of the same match.
    pub(super) ends_as_ours: bool,
}

impl Archive {
    /// Creates a file that must not exist yet.
    pub(super) fn create(path: &Path) -> Result<Archive, String> {
        let file = File::create_new(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                format!("{} exists; --resume continues it", path.display())
            }
            _ => format!("{}: {error}", path.display()),
        })?;
        lock(&file, path)?;
        Ok(Archive { file })
    }

    /// Reads the file of a match that was cut off, and makes one where there is none.
    /// `event` tells the beginning of a game of ours from another file that happens to be
    /// there.
    pub(super) fn find(path: &Path, event: &str) -> Result<Found, String> {
        let named = |error: io::Error| format!("{}: {error}", path.display());
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(named)?;
        lock(&file, path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(named)?;
        let whole = whole_games(&bytes);
        let (games, rest) = bytes.split_at(whole);
        let games = read(games)
            .map_err(|error| format!("{}: {error}; it is left as it is", path.display()))?;
        let mut beginning = String::new();
        let _ = writeln!(beginning, "[Event \"{event}\"]");
        let (rest, beginning) = (rest.trim_ascii(), beginning.as_bytes());
        let shorter = rest.len().min(beginning.len());
        Ok(Found {
            file,
            whole: whole as u64,
            games,
            ends_as_ours: rest[..shorter] == beginning[..shorter],
        })
    }

    /// Adds a game and waits until the disk has it.
    pub(super) fn add(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())?;
        self.file.sync_data()
    }
}

impl Found {
    /// Cuts off what is not a complete game, and goes on from there.
    pub(super) fn repair(mut self) -> io::Result<Archive> {
        self.file.set_len(self.whole)?;
        self.file.seek(io::SeekFrom::End(0))?;
        if self.whole > 0 {
            self.file.write_all(b"\n\n")?;
        }
        Ok(Archive { file: self.file })
    }
}

/// Keeps a second match out of the file, where the system knows such locks.
fn lock(file: &File, path: &Path) -> Result<(), String> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(format!(
            "{}: another match is writing to it",
            path.display()
        )),
        _ => Ok(()),
    }
}

/// How many bytes from the start are complete games: up to the last result that stands
/// behind the end of a comment, as ours all do.
fn whole_games(bytes: &[u8]) -> usize {
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

/// A game already in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Old {
    pub(super) tags: Tags,
    pub(super) score: Score,
    pub(super) reason: String,
    /// The side whose failure ended it.
    pub(super) failed: Option<Color>,
}

fn read(bytes: &[u8]) -> Result<Vec<Old>, String> {
    let mut games = Vec::new();
    let mut reader = Reader::new(Cursor::new(bytes));
    while let Some(game) = reader
        .read_game(&mut OldVisitor)
        .map_err(|error| error.to_string())?
    {
        let number = games.len() + 1;
        games.push(game.ok_or_else(|| format!("game {number} is not one of a match of ours"))?);
    }
    Ok(games)
}

struct OldVisitor;

#[derive(Default)]
struct OldGame {
    tags: BTreeMap<String, String>,
    last_comment: String,
    score: Option<Score>,
}

impl Visitor for OldVisitor {
    type Tags = OldGame;
    type Movetext = OldGame;
    type Output = Option<Old>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(OldGame::default())
    }

    fn tag(
        &mut self,
        game: &mut OldGame,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        game.tags.insert(
            String::from_utf8_lossy(name).into_owned(),
            value.decode_utf8_lossy().into_owned(),
        );
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, game: OldGame) -> ControlFlow<Self::Output, Self::Movetext> {
        ControlFlow::Continue(game)
    }

    fn comment(
        &mut self,
        game: &mut OldGame,
        comment: RawComment<'_>,
    ) -> ControlFlow<Self::Output> {
        game.last_comment = String::from_utf8_lossy(comment.as_bytes()).into_owned();
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, game: &mut OldGame, outcome: PgnOutcome) -> ControlFlow<Self::Output> {
        game.score = match outcome.to_string().as_str() {
            "1-0" => Some(Score::Won(Color::White)),
            "0-1" => Some(Score::Won(Color::Black)),
            "1/2-1/2" => Some(Score::Drawn),
            _ => None,
        };
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, mut game: OldGame) -> Self::Output {
        let mut take = |name: &str| game.tags.remove(name);
        let round = take("Round")?;
        let (pair, number) = round.split_once('.')?;
        let controls = match take("TimeControl") {
            Some(control) => [control.clone(), control],
            None => [take("WhiteTimeControl")?, take("BlackTimeControl")?],
        };
        let tags = Tags {
            event: take("Event")?,
            round: (pair.parse().ok()?, number.parse().ok()?),
            names: [take("White")?, take("Black")?],
            variant: take("Variant")?,
            start: take("FEN").unwrap_or_else(|| fen::STARTPOS.to_owned()),
            controls,
            options: OPTION_TAGS.map(|name| take(name).unwrap_or_default()),
        };
        let has_failed = matches!(
            take("Termination")?.as_str(),
            "time forfeit" | "rules infraction" | "abandoned"
        );
        let failed = Color::ALL
            .into_iter()
            .find(|color| has_failed && game.last_comment.starts_with(&color.to_string()));
        Some(Old {
            tags,
            score: game.score?,
            reason: game.last_comment,
            failed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    fn tags(number: usize) -> Tags {
        Tags {
            event: "a \"match\" \\ of ours".to_owned(),
            round: (3, number),
            names: ["a".to_owned(), "b".to_owned()],
            variant: pgn::variant_tag(Variant::Atomic).to_owned(),
            start: fen::STARTPOS.to_owned(),
            controls: ["1+0".to_owned(), "nodes 5".to_owned()],
            options: ["Hash=4; Use NNUE=false".to_owned(), String::new()],
        }
    }

    fn game() -> Game {
        Game {
            start: Position::startpos(Variant::Atomic),
            moves: vec![],
            score: Score::Won(Color::Black),
            reason: "White played an illegal move: {1-0} 1-0".to_owned(),
            failed: Some((Color::White, Fault::Rules)),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let text = write(&game(), &tags(1), "2026.01.02");
        let old = read(text.as_bytes()).unwrap();
        assert_eq!(old.len(), 1);
        assert_eq!(old[0].tags, tags(1));
        assert_eq!(old[0].score, Score::Won(Color::Black));
        assert_eq!(old[0].reason, "White played an illegal move: {1-0) 1-0");
        assert_eq!(old[0].failed, Some(Color::White));
        assert_eq!(tags(1).difference(&tags(1)), None);
    }

    #[test]
    fn a_cut_anywhere_leaves_the_complete_games() {
        let first = write(&game(), &tags(1), "2026.01.02");
        let text = first.clone() + &write(&game(), &tags(2), "2026.01.02");
        let end = |text: &str| text.trim_end().len();
        for cut in 0..=text.len() {
            let expected = match cut {
                cut if cut >= end(&text) => end(&text),
                cut if cut >= end(&first) => end(&first),
                _ => 0,
            };
            assert_eq!(whole_games(&text.as_bytes()[..cut]), expected, "{cut}");
        }
    }

    #[test]
    fn clocks_and_scores() {
        assert_eq!(clock_text(Duration::from_millis(3_723_045)), "1:02:03.045");
        assert_eq!(score_text(Shown::Centipawns(-7)), "-0.07");
        assert_eq!(score_text(Shown::Mate(3)), "+M3");
        assert_eq!(score_text(Shown::Mate(0)), "-M0");
    }
}
