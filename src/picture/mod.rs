//! Boards as pictures: what is marked on one, and how it is drawn in SVG.
//! Invariant: a picture needs nothing from outside itself; the drawings of the men are our own.

mod men;
mod svg;

use crate::rules::{Bitboard, Castling, Color, MoveKind, Piece, Position, Square, attacks};

pub use svg::{Diagram, STYLE, definitions, escape};

/// What stands out on a board.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Marks {
    /// Where the last move began and ended; castling ends where the king goes.
    pub last: Option<(Square, Square)>,
    /// The explosion of the last move.
    pub blast: Option<Blast>,
    /// The king of the side to move, if it is in check.
    pub check: Option<Square>,
}

/// An explosion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blast {
    /// The square of the capture.
    pub centre: Square,
    /// The centre and all squares around it.
    pub area: Bitboard,
    /// The men that left the board, the capturing one first and where it came from.
    pub gone: Vec<(Piece, Square)>,
}

impl Marks {
    /// The marks of the last move of `pos`, if it has one, and of a check.
    pub fn of(pos: &Position) -> Marks {
        let Some(mv) = pos.last_move() else {
            return Marks {
                check: check(pos),
                ..Marks::default()
            };
        };
        let mover = !pos.side();
        let to = if mv.kind() == MoveKind::Castle {
            Castling::king_to(mover, Castling::side_of(mv.from(), mv.to()))
        } else {
            mv.to()
        };
        let blast = mv.is_capture().then(|| Blast {
            centre: to,
            area: attacks::king(to).with(to),
            gone: pos
                .last_change()
                .map_or(Vec::new(), |change| change.removed.to_vec()),
        });
        Marks {
            last: Some((mv.from(), to)),
            blast,
            check: check(pos),
        }
    }
}

fn check(pos: &Position) -> Option<Square> {
    pos.king(pos.side()).filter(|_| pos.in_check())
}

impl Blast {
    /// The men that exploded, in words: the capturing one first, each with its colour where
    /// that changes, as in `white knight g5, black pawn f7, king e8`.
    pub fn victims(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        let mut last: Option<Color> = None;
        for (piece, square) in &self.gone {
            let man = format!("{} {square}", men::name(piece.kind()));
            let color = piece.color();
            words.push(if last.replace(color) == Some(color) {
                man
            } else {
                format!("{} {man}", color.to_string().to_lowercase())
            });
        }
        words.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    /// Plays moves given by their squares.
    fn played(moves: &[(&str, &str)]) -> Position {
        let mut pos = Position::startpos(Variant::Atomic);
        for (from, to) in moves {
            let wanted = (Square::parse(from), Square::parse(to));
            let found = pos.legal_moves().into_iter();
            let mut found = found.filter(|mv| (Some(mv.from()), Some(mv.to())) == wanted);
            pos.make(found.next().expect("a legal move"));
        }
        pos
    }

    #[test]
    fn a_capture_marks_what_it_blew_up() {
        let pos = played(&[
            ("g1", "f3"),
            ("a7", "a6"),
            ("f3", "g5"),
            ("a6", "a5"),
            ("g5", "f7"),
        ]);
        let marks = Marks::of(&pos);
        let blast = marks.blast.expect("an explosion");
        assert_eq!(blast.centre, Square::parse("f7").expect("a square"));
        assert_eq!(blast.area.count(), 9);
        // After the capturing man in the order of the squares; the pawns around stay.
        let victims = "white knight g5, black pawn f7, king e8, bishop f8, knight g8";
        assert_eq!(blast.victims(), victims);
        assert_eq!(pos.king(Color::Black), None);
    }

    #[test]
    fn castling_is_marked_where_the_king_goes() {
        let pos = played(&[
            ("g1", "f3"),
            ("a7", "a6"),
            ("g2", "g3"),
            ("a6", "a5"),
            ("f1", "g2"),
            ("a5", "a4"),
            ("e1", "h1"),
        ]);
        let squares = (Square::parse("e1"), Square::parse("g1"));
        let marks = Marks::of(&pos);
        assert_eq!(marks.last.map(|(a, b)| (Some(a), Some(b))), Some(squares));
        assert_eq!(marks.blast, None);
    }
}
