//! Corner cases of atomic chess. The random games cover most of them too; here a failure names
//! the broken rule.

use brisance::notation::{coord, fen, san};
use brisance::rules::{
    Bitboard, Color, GameResult, Move, Outcome, OutcomeReason, Position, PositionError, Setup,
    Square, Variant, attacks,
};

use crate::move_codes::{generated_codes, legal_codes};
use crate::peer::assert_same_as_reference;
use crate::table::rows;
use crate::walk::{play, position, position_in, x_fen};

/// All legal moves, castling as king takes rook, in alphabetical order.
fn names(pos: &Position) -> Vec<String> {
    let moves = pos.legal_moves();
    let mut names: Vec<String> = moves.iter().map(|&mv| coord::write(mv, true)).collect();
    names.sort();
    names
}

/// Whether a move is legal, by the generator and by `is_legal`.
fn is_legal(pos: &Position, name: &str) -> bool {
    let generated = names(pos).iter().any(|legal| legal == name);
    let code = legal_codes(pos).into_iter().any(|code| {
        let mv = Move::from_code(code).expect("a legal code is a move");
        coord::write(mv, true) == name
    });
    assert_eq!(generated, code, "{name}");
    generated
}

/// Checks a table with a position, legal moves and illegal moves in each row.
#[track_caller]
fn check_legality(table: &str) {
    for [text, legal, illegal] in rows(table) {
        for (names, expected) in [(legal, true), (illegal, false)] {
            for name in names.split_whitespace() {
                let found = is_legal(&position(text), name);
                assert_eq!(found, expected, "{name} in {text}");
            }
        }
    }
}

/// Plays a move and compares the position with the expected FEN and with the parsed FEN.
fn assert_leads(text: &str, name: &str, expected: &str) {
    let mut pos = position(text);
    play(&mut pos, name);
    let result = x_fen(&pos);
    assert_eq!(result, expected, "{text} {name}");
    let fresh = position(&result);
    assert!(fresh.same_as(&pos) && fresh.key() == pos.key());
}

/// [`assert_leads`] for each row of a table.
fn assert_all_lead(table: &str) {
    for [text, name, expected] in rows(table) {
        assert_leads(text, name, expected);
    }
}

fn win(winner: Color, reason: OutcomeReason) -> Option<Outcome> {
    let result = GameResult::Win(winner);
    Some(Outcome { result, reason })
}

fn draw(reason: OutcomeReason) -> Option<Outcome> {
    let result = GameResult::Draw;
    Some(Outcome { result, reason })
}

#[test]
fn a_capture_removes_both_pieces_and_all_adjacent_ones_except_pawns() {
    assert_all_lead(
        "
        7k/8/8/2pBn3/3r4/2PQN3/8/K7 w - - 0 1      | c3d4 | 7k/8/8/2p5/8/8/8/K7 b - - 0 1
        7k/8/8/2nnn3/2nrn3/2nnnN2/8/K7 w - - 5 1   | f3d4 | 7k/8/8/8/8/8/8/K7 b - - 0 1
        7k/8/8/2ppp3/2pPp3/2ppp1B1/8/K7 w - - 0 1  | g3e5 | 7k/8/8/2pp4/2pPp3/2ppp3/8/K7 b - - 0 1
        ",
    );
}

#[test]
fn kings_never_capture() {
    check_legality("8/8/8/8/8/8/4r3/4K2k w - - | | e1e2");
    check_legality("8/8/8/8/8/8/4k3/4K3 w - - | | e1e2");
    let pos = position("8/8/8/8/8/8/4p3/r3K2k w - -");
    assert_eq!(names(&pos), ["e1d2", "e1f2"]);
}

#[test]
fn en_passant_explodes_around_the_target_square() {
    let text = "7k/8/2N1b3/2ppP3/8/8/8/K7 w - d6 0 1";
    assert_leads(text, "e5d6", "7k/8/8/2p5/8/8/8/K7 b - - 0 1");
    let before = "3kK3/8/8/4N1N1/2NN1p2/3N1NN1/2NNPN2/4N3 w - - 0 1";
    let mut pos = position(before);
    play(&mut pos, "e2e4");
    assert_leads(&x_fen(&pos), "f4e3", "3kK3/8/8/4N1N1/2N5/6N1/2N5/4N3 w - - 0 2");
}

#[test]
fn en_passant_legality_follows_the_order_of_the_rules() {
    let mut pos = position("8/2k5/8/3pP3/8/8/8/K7 w - d6");
    play(&mut pos, "e5d6");
    assert_eq!(pos.outcome(), win(Color::White, OutcomeReason::Explosion));
    // The blast would explode the capturing side's king, so there is no en-passant square.
    let pos = position("7k/8/4K3/3pP3/8/8/8/8 w - d6");
    assert!(!is_legal(&pos, "e5d6") && pos.en_passant().is_none());
    // Both pawns leave the rank and expose the king.
    check_legality("7k/8/8/K2pP2r/8/8/8/8 w - d6 | | e5d6");
    // The blast removes the rook that pins the pawn; or no king is involved.
    check_legality("4k3/4r3/8/3pP3/8/8/8/4K3 w - d6 | e5d6 |");
    check_legality("7k/8/3r4/8/3pP3/8/8/K7 b - e3 | d4e3 |");
    // The pawn that just moved gives check.
    check_legality("7k/8/8/3pP3/2K5/8/8/8 w - d6 | e5d6 |");
    assert_leads(
        "rn2kb1r/2p1p2p/p2q1pp1/1pPP4/Q7/4P3/PP3P1P/R3K3 w Qkq b6 0 1",
        "c5b6",
        "rn2kb1r/2p1p2p/p2q1pp1/3P4/Q7/4P3/PP3P1P/R3K3 b Qkq - 0 1",
    );
}

#[test]
fn an_en_passant_square_needs_a_legal_capture() {
    // Position, move, whether there is an en-passant square afterwards.
    let cases = [
        ("4k3/8/8/8/1p6/8/P7/4K3 w - - 0 1", "a2a4", true),
        ("4k3/3pr3/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5", true),
        ("4k3/8/8/8/2p5/8/P7/4K3 w - - 0 1", "a2a4", false),
        ("8/8/8/8/1p6/1k6/P7/4K3 w - - 0 1", "a2a4", false),
    ];
    for (text, name, expected) in cases {
        let mut pos = position(text);
        play(&mut pos, name);
        assert_eq!(pos.en_passant().is_some(), expected, "{text}");
    }
}

#[test]
fn only_a_legal_en_passant_square_prevents_a_repetition() {
    // After the double push both kings move back and forth twice.
    let count = |text: &str, round: &str| {
        let mut pos = position(text);
        play(&mut pos, "a2a4");
        let mut earlier = Vec::new();
        for _ in 0..2 {
            play(&mut pos, round);
            earlier.push(pos.repetition_count());
        }
        earlier
    };
    let legal = "4k3/8/8/8/1p6/8/P7/4K3 w - - 0 1";
    assert_eq!(count(legal, "e8d8 e1d1 d8e8 d1e1"), [0, 1]);
    let own_blast = "8/8/8/8/1p6/1k6/P7/4K3 w - - 0 1";
    assert_eq!(count(own_blast, "b3c3 e1f1 c3b3 f1e1"), [1, 2]);
}

#[test]
fn threefold_repetition_is_a_draw() {
    let mut pos = Position::startpos(Variant::Atomic);
    for round in 0..2 {
        assert_eq!(pos.repetition_count(), round);
        assert_eq!(pos.outcome(), None);
        play(&mut pos, "g1f3 g8f6 f3g1 f6g8");
    }
    assert_eq!(pos.outcome(), draw(OutcomeReason::Repetition));
    assert_eq!(pos.outcome_by_rule(), None);
    // In a search, one repetition after the root or two in all are enough.
    assert!(pos.is_repetition(5) && pos.is_repetition(0));
    pos.unmake();
    assert!(pos.is_repetition(5) && !pos.is_repetition(4));
}

#[test]
fn a_capturing_promotion_explodes_and_is_four_moves() {
    let text = "k5br/6P1/8/8/8/8/8/K7 w - - 0 1";
    let moves = names(&position(text));
    assert_eq!(moves[2..], ["g7h8b", "g7h8n", "g7h8q", "g7h8r"]);
    assert_eq!(position(text).count_moves(), 6);
    for promoted in ["n", "b", "r", "q"] {
        let name = format!("g7h8{promoted}");
        assert_leads(text, &name, "k7/8/8/8/8/8/8/K7 b - - 0 1");
    }
}

#[test]
fn exploding_its_king_is_illegal_for_a_side() {
    check_legality("7k/8/8/3R4/8/8/3n4/4K3 w - - | | d5d2");
    check_legality("7k/8/8/3R4/8/8/3n4/K7 w - - | d5d2 |");
    check_legality("7k/8/8/8/8/8/3r4/2KR4 w - - | | d1d2");
    check_legality("k4r2/4P1K1/8/8/8/8/8/8 w - - | | e7f8q");
    // A promotion without a capture does not explode.
    check_legality("7k/PK6/8/8/8/8/8/8 w - - | a7a8q |");
    // Exploding both kings is illegal too.
    check_legality("8/8/8/2K5/2P5/2k1n3/8/2R5 b - - | | e3c4");
}

#[test]
fn a_blast_removes_castling_rights() {
    assert_all_lead(
        "
        # The a1 rook next to a capture on b1; a queen's blast on h2; a king.
        6k1/8/8/8/8/8/1r6/RN2K2R b KQ - 0 1    | b2b1 | 6k1/8/8/8/8/8/8/4K2R w K - 0 2
        7k/8/8/7q/8/8/7P/4K2R b K - 0 1        | h5h2 | 7k/8/8/8/8/8/8/4K3 w - - 0 2
        rnb1kbnr/pppppppp/8/4q3/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1
        | e5e2 | rnb1kbnr/pppppppp/8/8/8/8/PPPP1PPP/RNB3NR w kq - 0 2
        # Its rook explodes with a capture of the same side.
        4k3/8/8/8/6Q1/8/6n1/4K2R w K - 0 1     | g4g2 | 4k3/8/8/8/8/8/8/4K3 b - - 0 1
        # Rook takes rook removes the rights of both and no others.
        r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1   | a1a8 | 4k2r/8/8/8/8/8/8/4K2R b Kk - 0 1
        # An adjacent pawn does not protect the rook.
        4k3/8/8/8/8/8/1r4PP/RN2K2R b KQ - 0 1  | b2b1 | 4k3/8/8/8/8/8/6PP/4K2R w K - 0 2
        # King and rook moves.
        r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1   | e1e2 | r3k2r/8/8/8/8/8/4K3/R6R b kq - 1 1
        r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1   | h8g8 | r3k1r1/8/8/8/8/8/8/R3K2R w KQq - 1 2
        ",
    );
}

#[test]
fn touching_kings_are_immune() {
    let pos = position("8/8/kK6/8/8/8/Q7/8 b - -");
    assert!(pos.kings_touch() && !pos.in_check() && pos.checkers().is_empty());
    // The king must avoid both rooks when it leaves the other king.
    let pos = position("8/8/8/3kK3/8/8/8/2RR4 b - -");
    assert!(!pos.in_check());
    assert_eq!(names(&pos), ["d5d4", "d5d6", "d5e4", "d5e6"]);
    // Moving next to the other king is an evasion, even onto an attacked square.
    let pos = position("8/8/8/8/3k1K2/8/8/3RR3 b - -");
    assert!(pos.in_check());
    assert!(is_legal(&pos, "d4e4") && !is_legal(&pos, "d4d5"));
    // There are no pins while the kings touch.
    check_legality("3r4/8/8/8/3N4/3Kk3/8/8 w - - | d4f5 |");
    check_legality("3r4/8/8/8/3N4/3K1k2/8/8 w - - | | d4f5");
}

#[test]
fn evasions_by_explosion() {
    // Double check: one capture removes both checkers.
    let pos = position("1n1Q4/2k1R3/2p2p2/2b3P1/P7/1p2P3/6r1/1R5K b - - 0 32");
    assert_eq!(pos.checkers().count(), 2);
    assert!(is_legal(&pos, "c5e7"));
    assert_eq!(pos.outcome(), None);
    // Single check by a piece next to the captured one.
    check_legality("rn5k/2P5/8/8/8/8/8/K7 w - - | c7b8q |");
    // Capture of the checker, or a king move, as in chess.
    let pos = position("7k/8/8/8/4r3/8/3N4/R3K3 w - -");
    assert!(pos.in_check());
    assert_eq!(names(&pos), ["d2e4", "e1d1", "e1f1", "e1f2"]);
}

#[test]
fn exploding_the_king_is_legal_in_check_and_when_pinned() {
    let pos = position("8/8/1Q2pk2/8/8/8/3K4/1n6 w - -");
    assert!(pos.in_check() && is_legal(&pos, "b6e6") && !is_legal(&pos, "b6a7"));
    let mut pos = position("3r4/8/8/k7/1p1R4/8/8/3K4 w - -");
    assert!(is_legal(&pos, "d4b4") && !is_legal(&pos, "d4c4"));
    play(&mut pos, "d4b4");
    assert_eq!(pos.outcome(), win(Color::White, OutcomeReason::Explosion));
    assert!(pos.legal_moves().is_empty() && !pos.in_check());
}

#[test]
fn pins_differ_from_chess() {
    // A pinned knight may capture if the blast removes the pinning rook.
    check_legality("7k/3r4/2p5/8/3N4/8/8/3K4 w - - | d4c6 | d4f5");
    // No pin, but the blast removes the only piece between king and rook: an own piece, an
    // enemy piece; a pawn remains.
    check_legality("3r3k/8/8/8/3N4/4p3/8/3K2B1 w - - | | g1e3");
    check_legality("3r3k/8/8/8/3n4/4p3/8/3K2B1 w - - | | g1e3");
    check_legality("3r3k/8/8/8/3P4/4p3/8/3K2B1 w - - | g1e3 |");
    // Two pieces in between, both in the blast.
    check_legality("3r3k/8/8/3n4/3Np3/8/6B1/3K4 w - - | | g2e4");
}

#[test]
fn castling_next_to_the_enemy_king() {
    check_legality(
        "
        8/8/8/8/8/8/4k3/R3K2q w Q -                            | e1a1 |
        r3k2R/4K3/8/8/8/8/8/8 b q -                            | e8a8 |
        r3k1R1/pb2K2p/2n5/2pppr2/3P4/2P1P3/PP3P1P/R7 b q -     | e8a8 |
        8/8/8/8/8/8/2k5/rR4KR w KQ -                           | g1b1 |
        5b1r/1p5p/4ppp1/4Bn2/1PPP1PP1/4P2P/3k4/4K2R w K -      | e1h1 |
        7k/8/8/8/8/8/8/1RK5 w Q -                              | c1b1 |
        # Cute Chess rejects these.
        4r3/8/8/8/8/8/3k4/4K2R w K -                           | e1h1 |
        5r2/8/8/8/8/8/6k1/4K2R w K -                           | e1h1 |
        # In the last one the king stays on its square, which must be safe.
        8/8/8/8/8/8/5k2/R3K2r w Q -                            |      | e1a1
        8/8/8/8/8/8/6k1/R5Kr w Q -                             |      | g1a1
        8/8/8/8/8/8/4k3/r2RK2r w D -                           |      | e1d1
        8/8/8/8/8/8/4k3/rR4KR w KQ -                           |      | g1b1
        7k/8/8/8/8/8/2PP4/1RK4q w Q -                          |      | c1b1
        ",
    );
    let text = "8/8/8/8/8/8/4k3/R3K2q w Q - 0 1";
    assert_leads(text, "e1a1", "8/8/8/8/8/8/4k3/2KR3q b - - 1 1");
}

#[test]
fn castling_as_in_chess_elsewhere() {
    let text = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    assert_leads(text, "e1g1", "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1");
    assert_leads(text, "e1c1", "r3k2r/8/8/8/8/8/8/2KR3R b kq - 1 1");
    // Out of check, through check, into check; the rook's path may be attacked.
    check_legality("4r2k/8/8/8/8/8/8/R3K2R w KQ - | | e1h1");
    check_legality("5r1k/8/8/8/8/8/8/R3K2R w KQ - | | e1h1");
    check_legality("6rk/8/8/8/8/8/8/R3K2R w KQ - | | e1h1");
    check_legality("1r5k/8/8/8/8/8/8/R3K2R w KQ - | e1a1 |");
    // A piece blocks only the rook.
    check_legality("7k/8/8/8/8/8/8/RN2K2R w KQ - | | e1a1");
    // Castling written as king takes rook is not a capture.
    let text = "k7/8/8/8/8/8/8/5KR1 w G - 0 1";
    assert_leads(text, "f1g1", "k7/8/8/8/8/8/8/5RK1 b - - 1 1");
}

#[test]
fn mate_and_stalemate() {
    let mate = position("BQ6/Rk6/8/8/8/8/8/4K3 b - -");
    assert_eq!(mate.outcome(), win(Color::White, OutcomeReason::Checkmate));
    let stalemate = position("KQ6/Rk6/2B5/8/8/8/8/8 b - -");
    assert!(!stalemate.in_check());
    assert_eq!(stalemate.outcome(), draw(OutcomeReason::Stalemate));
    // A touching king is not in check and has moves.
    assert_eq!(position("8/8/kK6/8/8/8/Q7/8 b - -").outcome(), None);
    // An attack on a piece next to the king is not check, so this is stalemate.
    let indirect = position("7k/5Q1p/7P/8/8/8/8/K7 b - -");
    assert!(!indirect.in_check() && indirect.legal_moves().is_empty());
    assert_eq!(indirect.outcome(), draw(OutcomeReason::Stalemate));
}

#[test]
fn mate_on_the_hundredth_ply_is_mate() {
    let text = "B7/Rk6/8/8/8/8/7Q/4K3 w - - 99 1";
    let mut pos = position(text);
    play(&mut pos, "h2b8");
    assert_eq!(pos.halfmove_clock(), 100);
    assert_eq!(pos.outcome(), win(Color::White, OutcomeReason::Checkmate));
    let mut pos = position(text);
    play(&mut pos, "h2g2");
    assert_eq!(pos.outcome(), draw(OutcomeReason::FiftyMoves));
    assert_eq!(pos.outcome_by_rule(), None);
}

/// Neither side can win with bishops on opposite colours, but a mate still counts.
#[test]
fn mate_takes_precedence_over_insufficient_material() {
    let mate = position("8/8/8/8/3B4/8/b7/kb4K1 b - -");
    assert!(mate.has_insufficient_material() && mate.in_check());
    assert_eq!(mate.outcome(), win(Color::White, OutcomeReason::Checkmate));
    let before = position("8/8/8/8/8/8/b4B2/kb4K1 w - -");
    let mv = coord::parse(&before, "f2d4").unwrap();
    assert_eq!(san::write(&before, mv), "Bd4#");
}

#[test]
fn insufficient_material_by_side() {
    // Position, and who can win.
    let table = "
        8/3k4/8/8/8/8/3K4/8            |
        8/3k4/8/8/2N5/8/3K4/8          |
        8/4rk2/8/8/8/8/3K4/8           |
        8/4qk2/8/8/8/8/3K4/8           | black
        8/1k6/8/2n5/8/3NK3/8/8         | white black
        8/4bk2/8/8/8/8/3KB3/8          |
        4b3/5k2/8/8/8/8/3KB3/8         | white black
        3Q4/5kKB/8/8/8/8/8/8           | white
        8/5k2/8/8/8/8/5K2/4bb2         | black
        8/5k2/8/8/8/8/5K2/4nb2         | black
        8/5k2/8/8/8/8/5K2/4nn2         |
        8/5k2/8/8/8/4n3/5K2/4nn2       | black
        8/5k2/8/8/8/8/P4K2/8           | white
        8/5k2/8/8/8/8/p4K2/8           | black
        8/4nk2/8/8/8/8/P4K2/8          | white black
        7k/4b3/8/8/8/3B4/2B5/K7        |
        7k/4b3/8/8/8/3B4/3B4/K7        | white black";
    for [board, winners] in rows(table) {
        let [white, black] = ["white", "black"].map(|side| winners.contains(side));
        for side in ["w", "b"] {
            let pos = position(&format!("{board} {side} - - 0 1"));
            assert_eq!(pos.can_win(Color::White), white, "{board}");
            assert_eq!(pos.can_win(Color::Black), black, "{board}");
            assert_eq!(pos.has_insufficient_material(), !white && !black, "{board}");
            if !white && !black {
                let expected = draw(OutcomeReason::InsufficientMaterial);
                assert_eq!(pos.outcome(), expected, "{board}");
            }
        }
    }
}

#[test]
fn results_are_read_as_they_are_written_and_reasons_have_labels() {
    assert_eq!(OutcomeReason::FiftyMoves.label(), "fifty moves");
    assert_eq!(OutcomeReason::Stalemate.label(), "stalemate");
    for result in GameResult::ALL {
        assert_eq!(result.to_string().parse(), Ok(result));
    }
    assert!("1-0 ".parse::<GameResult>().is_err());
}

#[test]
fn a_missing_king_is_a_finished_game() {
    for side in ["w", "b"] {
        let pos = position(&format!("8/8/8/8/8/8/P7/K7 {side} - - 0 1"));
        assert_eq!(pos.outcome(), win(Color::White, OutcomeReason::Explosion));
        assert!(pos.legal_moves().is_empty() && pos.count_moves() == 0);
        assert!(legal_codes(&pos).is_empty());
        assert!(!pos.in_check() && !pos.kings_touch() && pos.win_in_one().is_none());
        assert!(!pos.threatens_explosion(Color::White));
    }
    let empty = Position::from_setup(&Setup::empty(Variant::Atomic));
    assert_eq!(empty.err(), Some(PositionError::NoKing));
    assert!(fen::parse("8/8/8/8/8/8/P7/8 w - -", Variant::Atomic).is_err());
}

#[test]
fn castling_rights_on_other_squares_need_chess960() {
    let table = "
        4k2r/8/8/8/8/8/8/R3K3 w Qk - | false
        4kr2/8/8/8/8/8/8/R3K3 w Qf - | true
        5k1r/8/8/8/8/8/8/R3K3 w Qk - | true
        5kr1/8/8/8/8/8/8/R3K3 w Q -  | false";
    for [text, expected] in rows(table) {
        assert_eq!(position(text).needs_chess960().to_string(), expected, "{text}");
    }
}

#[test]
fn castling_rights_and_en_passant_change_the_key_independently() {
    let key = |state: &str| position(&format!("4k3/8/8/3pP3/8/8/8/4K2R w {state}")).key();
    let [whole, castling, en_passant, none] = ["K d6", "K -", "- d6", "- -"].map(key);
    assert_eq!(whole ^ castling, en_passant ^ none);
    assert!(whole != castling && whole != en_passant);
}

#[test]
fn no_piece_attacks_its_own_square() {
    for square in Square::all() {
        let at = Bitboard::from_square(square);
        assert_eq!(attacks::blast(square) - attacks::king(square), at);
        assert!((attacks::queen(square, at) & at).is_empty());
    }
}

#[test]
fn fourteen_checkers_are_accepted() {
    let board = "3N1NB1/2N1Q1N1/3RkR2/2NP1PN1/3NKN2/8/8/n7";
    let mut pos = position(&format!("{board} b - - 0 1"));
    assert_eq!(pos.checkers().count(), 14);
    assert_same_as_reference(&mut pos);
    // The same with White to move.
    let mut pos = position(&format!("{board} w - - 0 1"));
    assert!(!pos.in_check() && pos.win_in_one().is_some());
    assert_same_as_reference(&mut pos);
}

/// Touching kings allow fifteen queens without check, so there can be more than the 218 moves of
/// chess.
#[test]
fn a_position_with_245_moves() {
    let mut pos = position("Q3QQ2/2Q4Q/4Q3/1Q4Q1/3Q4/Q4Q2/2Q4Q/kK2QQ2 w - - 0 1");
    assert_eq!(pos.legal_moves().len(), 245);
    assert_eq!(pos.count_moves(), 245);
    assert_eq!(legal_codes(&pos), generated_codes(&pos));
    assert_same_as_reference(&mut pos);
}

#[test]
fn corner_cases_agree_with_the_reference() {
    let texts = [
        "1n1Q4/2k1R3/2p2p2/2b3P1/P7/1p2P3/6r1/1R5K b - - 0 32",
        "1n6/2kPR3/2p2p2/2b3P1/P7/1p2P3/6r1/1R5K w - - 2 32",
        "8/8/8/8/8/8/4k3/rR4KR w KQ - 0 1",
        "4k3/8/8/1B6/8/8/8/4K3 w - - 0 1",
        "3kK3/8/8/4N1N1/2NN1p2/3N1NN1/2NNPN2/4N3 w - - 0 1",
    ];
    for variant in Variant::ALL {
        for text in texts {
            assert_same_as_reference(&mut position_in(variant, text));
        }
    }
}

#[test]
fn without_check_castling_needs_only_an_empty_path() {
    let text = "rnb1k2r/pppp1ppp/7n/8/8/2P5/PP1P1PPP/RNBK3R w kq - 0 1";
    for (variant, castles) in [(Variant::Atomic, false), (Variant::NoCheckAtomic, true)] {
        let mut pos = position_in(variant, text);
        play(&mut pos, "h1e1");
        assert_eq!(is_legal(&pos, "e8h8"), castles, "{variant}");
        assert_eq!(pos.in_check(), variant.has_check());
    }
}

#[test]
fn without_check_there_is_no_stalemate_by_check() {
    let text = "K7/8/8/8/8/8/7R/k7 w - - 0 1";
    let mut pos = position(text);
    play(&mut pos, "h2b2");
    assert!(pos.legal_moves().is_empty() && !pos.in_check());
    let outcome = pos.outcome().expect("a finished game");
    assert_eq!(outcome.result, GameResult::Draw);
    // Without check the king must step onto an attacked square and is exploded.
    let mut pos = position_in(Variant::NoCheckAtomic, text);
    play(&mut pos, "h2b2");
    assert_eq!(pos.outcome(), None);
    assert_eq!(names(&pos), ["a1a2", "a1b1"]);
    for mv in pos.legal_moves() {
        pos.make(mv);
        let win_in_one = pos.win_in_one().expect("the king is attacked");
        pos.make(win_in_one);
        assert_eq!(pos.outcome(), win(Color::White, OutcomeReason::Explosion));
        pos.unmake();
        pos.unmake();
    }
}

#[test]
fn without_check_only_own_explosions_are_illegal() {
    // The king may be left or moved into attack, and there are no pins.
    let pos = position_in(Variant::NoCheckAtomic, "3r3k/8/8/8/3N4/8/8/3K4 w - - 0 1");
    assert!(is_legal(&pos, "d4f5") && is_legal(&pos, "d1e1"));
    let pos = position_in(Variant::NoCheckAtomic, "3r3k/8/8/8/8/8/8/3K4 w - - 0 1");
    assert!(!pos.in_check() && is_legal(&pos, "d1d2"));
    // A king can be captured like any piece; exploding one's king stays illegal.
    let pos = position_in(Variant::NoCheckAtomic, "3r3k/8/8/8/8/8/3n4/3K3R w - - 0 1");
    assert!(is_legal(&pos, "h1h8"));
    let pos = position_in(Variant::NoCheckAtomic, "3r3k/8/8/8/8/8/3n3R/3K4 w - - 0 1");
    assert!(!is_legal(&pos, "h2d2") && !is_legal(&pos, "d1d2"));
    // Stalemate only if no piece can move at all.
    let pos = position_in(Variant::NoCheckAtomic, "7k/5Q1p/7P/8/8/8/8/K7 b - - 0 1");
    assert_eq!(names(&pos), ["h8g7", "h8g8"]);
}
