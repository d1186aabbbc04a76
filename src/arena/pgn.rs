//! Games as PGN: written whole, one after another, and read back to continue a match.
//! Invariant: what stands in the file before a crash is complete games, but for the last.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Cursor, Read, Seek, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use pgn_reader::{Outcome as PgnOutcome, RawTag, Reader, Visitor};

use super::game::{Game, Score};
use crate::eval::score::Shown;
use crate::notation::fen::{self, CastlingStyle};
use crate::notation::san;
use crate::rules::{Color, Position, Variant};

/// What a game's tags say besides the game itself.
pub(super) struct Tags<'a> {
    pub(super) event: &'a str,
    /// `pair.game`, both from 1.
    pub(super) round: (usize, usize),
    pub(super) names: [&'a str; 2],
    pub(super) controls: [String; 2],
    pub(super) date: &'a str,
}

/// The PGN text of a game.
pub(super) fn write(game: &Game, tags: &Tags) -> String {
    let mut text = String::new();
    let result = game.score.tag();
    let mut tag = |name: &str, value: &str| {
        let value: String = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "[{name} \"{value}\"]");
    };
    tag("Event", tags.event);
    tag("Site", "?");
    tag("Date", tags.date);
    tag("Round", &format!("{}.{}", tags.round.0, tags.round.1));
    tag("White", tags.names[0]);
    tag("Black", tags.names[1]);
    tag("Result", result);
    tag(
        "Variant",
        match game.start.variant() {
            Variant::Atomic => "Atomic",
            Variant::NoCheckAtomic => "NoCheckAtomic",
        },
    );
    let start = fen::write(&game.start, CastlingStyle::XFen);
    if start != fen::STARTPOS {
        tag("SetUp", "1");
        tag("FEN", &start);
    }
    if tags.controls[0] == tags.controls[1] {
        tag("TimeControl", &tags.controls[0]);
    } else {
        tag("WhiteTimeControl", &tags.controls[0]);
        tag("BlackTimeControl", &tags.controls[1]);
    }
    tag("PlyCount", &game.moves.len().to_string());
    tag("Termination", termination(game));
    text.push('\n');
    text.push_str(&wrap(&movetext(game)));
    text.push_str("\n\n");
    text
}

fn termination(game: &Game) -> &'static str {
    match game.failed {
        Some(_) if game.reason.contains("on time") => "time forfeit",
        Some(_) if game.reason.contains("illegal") => "rules infraction",
        Some(_) => "abandoned",
        None if game.reason.contains("adjudicated") => "adjudication",
        None => "normal",
    }
}

fn movetext(game: &Game) -> String {
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
    words.join(" ")
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

/// Breaks lines at blanks before the 80th column.
fn wrap(text: &str) -> String {
    let (mut lines, mut column) = (String::new(), 0);
    for word in text.split(' ') {
        if column > 0 && column + 1 + word.len() > 79 {
            lines.push('\n');
            column = 0;
        } else if column > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += word.len();
    }
    lines
}

/// A PGN file that grows by whole games.
pub(super) struct Archive {
    file: File,
}

impl Archive {
    /// Opens a new file, or with `resume` one that exists, and returns the games in it. A
    /// game cut off at its end is removed.
    pub(super) fn open(path: &Path, resume: bool) -> Result<(Archive, Vec<Old>), String> {
        let named = |error: io::Error| format!("{}: {error}", path.display());
        if !resume {
            let file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(path)
                .map_err(|error| {
                    if error.kind() == io::ErrorKind::AlreadyExists {
                        format!("{} exists; --resume continues it", path.display())
                    } else {
                        named(error)
                    }
                })?;
            return Ok((Archive { file }, Vec::new()));
        }
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(named)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(named)?;
        let whole = whole_games(&bytes);
        let old = read(&bytes[..whole]).map_err(|error| format!("{}: {error}", path.display()))?;
        file.set_len(whole as u64).map_err(named)?;
        file.seek(io::SeekFrom::End(0)).map_err(named)?;
        Ok((Archive { file }, old))
    }

    /// Adds a game and waits until the disk has it.
    pub(super) fn add(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())?;
        self.file.sync_data()
    }
}

/// How many bytes from the start are complete games: up to the last blank line that a
/// movetext ends with.
fn whole_games(bytes: &[u8]) -> usize {
    const RESULTS: [&[u8]; 3] = [b"1-0\n\n", b"0-1\n\n", b"1/2-1/2\n\n"];
    let mut end = bytes.len();
    while end > 0 && !RESULTS.iter().any(|result| bytes[..end].ends_with(result)) {
        end -= 1;
    }
    end
}

/// A game already in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Old {
    pub(super) round: (usize, usize),
    pub(super) names: [String; 2],
    pub(super) score: Score,
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
struct OldTags {
    round: Option<(usize, usize)>,
    names: [Option<String>; 2],
    score: Option<Score>,
}

impl Visitor for OldVisitor {
    type Tags = OldTags;
    type Movetext = OldTags;
    type Output = Option<Old>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(OldTags::default())
    }

    fn tag(
        &mut self,
        tags: &mut OldTags,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        let value = value.decode_utf8_lossy();
        match name {
            b"Round" => {
                tags.round = value
                    .split_once('.')
                    .and_then(|(pair, game)| Some((pair.parse().ok()?, game.parse().ok()?)));
            }
            b"White" => tags.names[0] = Some(value.into_owned()),
            b"Black" => tags.names[1] = Some(value.into_owned()),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: OldTags) -> ControlFlow<Self::Output, Self::Movetext> {
        ControlFlow::Continue(tags)
    }

    fn outcome(&mut self, tags: &mut OldTags, outcome: PgnOutcome) -> ControlFlow<Self::Output> {
        tags.score = match outcome.to_string().as_str() {
            "1-0" => Some(Score::Won(Color::White)),
            "0-1" => Some(Score::Won(Color::Black)),
            "1/2-1/2" => Some(Score::Drawn),
            _ => None,
        };
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, tags: OldTags) -> Self::Output {
        let [Some(white), Some(black)] = tags.names else {
            return None;
        };
        Some(Old {
            round: tags.round?,
            names: [white, black],
            score: tags.score?,
        })
    }
}
