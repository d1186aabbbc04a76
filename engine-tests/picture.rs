//! Board pictures: well-formed SVG with the pieces where shakmaty has them, and the text board of
//! `brisance show`.

use brisance::picture::{BoardMarks, Diagram};
use brisance::rules::{Color, Position, Variant};
use roxmltree::{Document, Node};
use shakmaty::fen::Fen;
use shakmaty::{Board, Square};

use crate::peer::shakmaty_position;
use crate::program::{Folder, check, stdout};
use crate::walk;

/// The square at the coordinates of an element.
fn square(node: Node, bottom: Color) -> Square {
    let at = |name| {
        let text = node.attribute(name).expect("a coordinate");
        text.parse::<u32>().expect("a whole number") / 100
    };
    let (column, row) = (at("x"), at("y"));
    let (file, rank) = match bottom {
        Color::White => (column, 7 - row),
        Color::Black => (7 - column, row),
    };
    Square::from_coords(shakmaty::File::new(file), shakmaty::Rank::new(rank))
}

fn elements<'a>(document: &'a Document, name: &'a str) -> impl Iterator<Item = Node<'a, 'a>> {
    let nodes = document.descendants();
    nodes.filter(move |node| node.has_tag_name(name))
}

/// The pieces of a picture: on the board, and exploded.
fn pieces(document: &Document, bottom: Color) -> [Board; 2] {
    let mut boards = [Board::empty(), Board::empty()];
    for node in elements(document, "use") {
        let href = node.attribute("href").expect("a reference");
        let id = document.descendants().find(|other| other.attribute("id") == Some(&href[1..]));
        assert!(id.is_some(), "{href} is not in the picture");
        let Some(letter) = href.strip_prefix("#piece-") else {
            continue;
        };
        let class = node.attribute("class").expect("a class");
        let role = shakmaty::Role::from_char(letter.chars().next().expect("a letter"));
        let color = shakmaty::Color::from_white(class.starts_with("white"));
        let piece = role.expect("a piece").of(color);
        let board = &mut boards[usize::from(class.ends_with("gone"))];
        let square = square(node, bottom);
        assert!(board.piece_at(square).is_none(), "two pieces on {square}");
        board.set_piece_at(square, piece);
    }
    boards
}

fn shakmaty_board(pos: &Position) -> Board {
    let fen: Fen = walk::shredder(pos).parse().expect("a FEN");
    fen.into_setup().board
}

#[test]
fn pictures_are_well_formed_and_show_the_pieces() {
    let (mut blasts, mut checks) = (0, 0);
    walk::visit(31, 1500, Variant::Atomic, |pos| {
        let marks = BoardMarks::from_position(pos);
        for bottom in Color::ALL {
            let diagram = Diagram { pos, marks: &marks, bottom };
            let text = diagram.document("a \"title\" <&> with\u{1} everything");
            let document = Document::parse(&text).expect("well-formed");
            let [present, exploded] = pieces(&document, bottom);
            assert_eq!(present, shakmaty_board(pos));
            if marks.blast.is_some() {
                // Exploded are the pieces that were there before the move.
                let mut before = pos.clone();
                before.unmake();
                let mut missing = shakmaty_board(&before);
                for square in present.occupied() {
                    missing.discard_piece_at(square);
                }
                assert_eq!(exploded, missing);
            } else {
                assert_eq!(exploded, Board::empty());
            }
        }
        blasts += usize::from(marks.blast.is_some());
        if let Some(atomic) = shakmaty_position(pos) {
            use shakmaty::Position as _;
            let king = marks.check.map(|square| square.to_string());
            let expected = atomic.is_check().then(|| atomic.our(shakmaty::Role::King).first());
            let expected = expected.flatten().map(|square| square.to_string());
            assert_eq!(king, expected);
            checks += usize::from(king.is_some());
        }
    });
    assert!(blasts >= 50, "{blasts} blasts");
    assert!(checks >= 20, "{checks} checks");
}

#[test]
fn the_text_board() {
    let text = stdout("show WIN --move d3d7");
    let start = " 8  r n*.*.*. b n r\n 7  p p*p*.*. p p p\n 6  . .*.*.*. . . .\n";
    assert!(text.starts_with(start), "{text}");
    let text = stdout("show CHECKMATE --flip");
    let end = " 8  . . .!k . . . R\n    h g f e d c b a\n";
    assert!(text.contains(end) && text.contains("checkmate"), "{text}");
    let text = stdout("show --ascii EXPLODED");
    assert!(text.contains("game over") && !text.contains("to move"), "{text}");
    check(
        "
        0 show WIN --move d3d7 |  3  . . .>. . . . . | White wins by explosion
        | exploded: white queen d3, black pawn d7, bishop c8, king e8
        2 show --moves e4 Ke7 ! Ke7
        ",
    );
}

#[test]
fn the_picture_goes_to_a_file_or_a_pipe() {
    let folder = Folder::new();
    folder.check("0 show WIN --moves d3d7 --svg board.svg");
    let text = folder.read("board.svg");
    let document = Document::parse(&text).expect("well-formed");
    let mut titles = elements(&document, "title");
    let title = titles.next().and_then(|node| node.text()).expect("a title");
    assert!(title.contains("4. Qxd7#"), "{title}");
    assert_eq!(folder.stdout("show WIN --moves d3d7 --svg -"), text);
}
