#!/usr/bin/env python3
"""Compares the PGN reader with python-chess, game by game: moves, tags and results.

The games of the files are compared as they are, as python-chess writes them, and in variations:
other spellings of moves and results, comments, variations, blank lines, other line ends. These must
give the same game again. Then bytes are damaged: where Brisance reads fewer plies than python-chess,
or other ones, it must name what it cannot read.

    cargo build --release --example read_pgn
    python3 scripts/clients/python_chess_reader.py games.pgn ... [--games N]

Exit code: 0 no difference, 1 a difference, 2 a file or the reader is missing.
"""

from __future__ import annotations

import argparse
import collections
import io
import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from environment import ROOT, give_up, restart_with_python_chess

try:
    import chess
    import chess.pgn
    import chess.variant
except ImportError:
    restart_with_python_chess()

FILES_PER_RUN = 500


@dataclass
class Expected:
    """A text and the games in it, each with its moves and its result."""

    source: str
    text: bytes
    games: list[tuple[list[str], str]]
    # The text may be damaged, so that the games are only those that python-chess finds.
    is_damaged: bool = False
    # The game before the damage.
    original: tuple[list[str], str] | None = None
    # The tags, apart from those that have several spellings.
    tags: dict[str, str] | None = None


class AtomicBuilder(chess.pgn.GameBuilder):
    """Reads games without the tag Variant as atomic chess."""

    def begin_headers(self) -> chess.pgn.Headers:
        headers = super().begin_headers()
        headers["Variant"] = "Atomic"
        return headers

    def handle_error(self, error: Exception) -> None:
        self.game.errors.append(error)


def read_with_python_chess(text: bytes) -> list[chess.pgn.Game]:
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError:
        decoded = text.decode("latin-1")
    # Text mode, as a file is opened: all line ends become line feeds.
    stream = io.StringIO(decoded.replace("\r\n", "\n").replace("\r", "\n"))
    games = []
    try:
        while game := chess.pgn.read_game(stream, Visitor=AtomicBuilder):
            games.append(game)
    except IndexError:
        # A known fault of python-chess 1.11.2: a comment after more `)` than `(`.
        pass
    return games


def plies(game: chess.pgn.Game) -> list[str]:
    return [move.uci() for move in game.mainline_moves()]


def summary(game: chess.pgn.Game) -> tuple[list[str], str]:
    result = game.headers.get("Result", "*")
    return plies(game), result if result in ("1-0", "0-1", "1/2-1/2") else "*"


def unescaped(value: str) -> str:
    """The value of a tag, which python-chess leaves as it is written."""
    return re.sub(r'\\(["\\])', r"\1", value)


def without_respelt(tags: Iterable[tuple[str, str]]) -> dict[str, str]:
    return {name: value for name, value in tags if name not in ("Variant", "Result", "SetUp")}


def pick(rng: random.Random, *texts: str) -> str:
    return rng.choice(texts)


def respelt_move(rng: random.Random, board: chess.Board, move: chess.Move) -> str:
    """The move in one of many spellings."""
    san = board.san(move)
    core = san.rstrip("+#")
    piece = board.piece_at(move.from_square)
    origin = chess.square_name(move.from_square)
    target = chess.square_name(move.to_square)
    promotion = chess.piece_symbol(move.promotion).upper() if move.promotion else ""
    sign = san[len(core):]
    if "O-O" in core:
        king = chess.square_name(chess.square(6 if core == "O-O" else 2, chess.square_rank(move.from_square)))
        spellings = [core, core.replace("O", "0"), core.replace("O", "o"), core.replace("-", "–")]
        if origin[0] == "e" and not board.chess960:
            spellings += [origin + king, f"K{origin}{king}", f"K{origin}-{king}"]
        return rng.choice(spellings) + sign
    letter = "" if piece.piece_type == chess.PAWN else piece.symbol().upper()
    joint = "x" if board.is_capture(move) else "-"
    promoted = pick(rng, "=" + promotion, promotion, f"({promotion})", "/" + promotion) if promotion else ""
    figurine = piece.unicode_symbol(invert_color=rng.random() < 0.5) if letter else ""
    core = core.split("=")[0]
    spellings = [
        core, core, core, f"{letter}{origin}{target}", f"{letter}{origin}{joint}{target}",
        origin + target, core.replace("x", ":"), core.replace("x", "×"), figurine + core[len(letter):],
    ]
    text = rng.choice(spellings) + promoted
    if board.is_en_passant(move) and rng.random() < 0.5:
        text += pick(rng, "ep", "e.p.", " e.p.", " ep")
    text += pick(rng, sign, sign, sign, "", "+", "++", "#", "†", "‡", " ch", " mate", " dbl ch")
    return text + pick(rng, *[""] * 12, "!", "?!", "!?", "±", "∓", "=", " +-", "-+", " □", " N", " $14", "\u200b")


def respelt_result(rng: random.Random, result: str) -> str:
    dash = pick(rng, "-", "–", ":", " - ")
    return {
        "1-0": f"1{dash}0",
        "0-1": f"0{dash}1",
        "1/2-1/2": pick(rng, f"1/2{dash}1/2", f"½{dash}½", "1/2", "0.5-0.5", "½"),
        "*": "*",
    }[result]


COMMENTS = (
    "{ [%clk 0:01:00] }", "{ good }", "{ a\nb }", "; a note\n", "{\n\n}", "{ see\n[Event \"x\"]\nhere }",
    "{ 1. e4 e5 (2. d4) }", "{}", "{ a\n\n[White \"x\"]\n\n1. e4 } ", "{ }", "\n% escaped\n",
)


def respelt_game(rng: random.Random, game: chess.pgn.Game) -> str:
    """The game with its tags, in other spellings."""
    lines = []
    for name, value in game.headers.items():
        if name == "Variant" and rng.random() < 0.1:
            value = pick(rng, "atomic", "ATOMIC", "Atomic Chess")
        value = unescaped(value).replace("\\", "\\\\").replace('"', '\\"')
        quoted = f'[{name} "{value}"]'
        if value and re.fullmatch(r"[\w /.-]+", value):
            quoted = pick(rng, quoted, quoted, quoted, f"[{name} {value}]", f"[{name} “{value}”]")
        lines.append(quoted + pick(rng, *["\n"] * 9, " ; c\n", "\n% c\n", " ", "\n\n", " {c}\n"))
    text = ["".join(lines), "\n"]
    board = game.board()
    is_first = True
    for move in game.mainline_moves():
        number = board.fullmove_number
        if board.turn == chess.WHITE:
            text.append(pick(rng, f"{number}. ", f"{number}.", f"{number} ", "" if not is_first else f"{number}. "))
        elif is_first or rng.random() < 0.2:
            text.append(pick(rng, f"{number}... ", f"{number}...", f"{number}…", f"{number}. ... ", f"{number} ... ", "…"))
        text.append(respelt_move(rng, board, move))
        # A blank line before move 1 without its number would begin another game.
        text.append(pick(rng, *[" "] * 20, "\n", "\n\n", "\t", "\u00a0", " \n \n"))
        if rng.random() < 0.1:
            text.append(rng.choice(COMMENTS) + " ")
        if rng.random() < 0.06:
            others = [other for other in board.legal_moves if other != move]
            if others:
                other = rng.choice(others)
                text.append(pick(rng, f"({board.san(other)}) ", f"( {board.san(other)} {{ c }} (--) ) ", "(--) ", "(Z0) ", "(=) "))
        board.push(move)
        is_first = False
    before = pick(rng, "", "", "\n", "\n\n")
    after = pick(rng, "", "", " { over }", " ; over", "\n{ over }")
    text.append(before + respelt_result(rng, summary(game)[1]) + after + "\n")
    whole = "".join(text)
    return whole.replace("\n", pick(rng, "\n", "\n", "\n", "\r\n", "\r"))


def damaged(rng: random.Random, text: bytes) -> bytes:
    """The text with some bytes removed, repeated, replaced or moved."""
    pieces = [b"{", b"}", b"(", b")", b"[", b"]", b'"', b";", b"\n", b"\n\n", b"%", b"$", b"*", b"1-0",
              b"1. e4 ", b"Sf3 ", b"\xff", b"\x00", b"...", b"0-0", b"--", b'[Event "z"]\n', b"x"]
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(text) + 1)
        length = rng.choice([0, 0, 1, 1, 2, 5, 20])
        text = text[:at] + rng.choice([b"", rng.choice(pieces)]) + text[at + length:]
    return text


def texts(files: list[Path], count: int, seed: int) -> list[Expected]:
    """The games of the files, in several forms."""
    rng = random.Random(seed)
    found = []
    originals = []
    for path in files:
        whole = path.read_bytes()
        is_short = len(whole) < 4096
        name = f"short files in {path.parent.name}" if is_short else path.name
        for part in [whole] if is_short else re.split(rb"(?m)(?<=\n)\n(?=\[)", whole):
            games = read_with_python_chess(part)
            found.append(Expected(name, part, [summary(game) for game in games], True))
            originals += [(name, game) for game in games if not game.errors]
    known = ("1-0", "0-1", "1/2-1/2", "*")
    complete = [
        (name, game)
        for name, game in originals
        if plies(game) and game.headers["Variant"] == "Atomic" and game.headers["Result"] in known
    ]
    if not complete:
        give_up("no games with moves")
    while len(found) < count:
        name, game = rng.choice(complete)
        expected, tags = [summary(game)], without_respelt(
            (name, unescaped(value)) for name, value in game.headers.items()
        )
        exported = str(game)
        source = f"{name}, as python-chess writes it"
        found.append(Expected(source, exported.encode(), expected, tags=tags))
        for _ in range(2):
            respelt = respelt_game(rng, game)
            found.append(Expected("other spellings", respelt.encode(), expected, tags=tags))
        for whole in (exported, respelt):
            text = damaged(rng, whole.encode("latin-1", "ignore") if rng.random() < 0.1 else whole.encode())
            games = [summary(game) for game in read_with_python_chess(text)]
            found.append(Expected("damaged bytes", text, games, True, expected[0]))
    return found


def read_with_brisance(reader: Path, expected: list[Expected]) -> list[list[dict]]:
    """What the reader says of each text."""
    found: list[list[dict]] = [[] for _ in expected]
    with tempfile.TemporaryDirectory() as folder:
        for first in range(0, len(expected), FILES_PER_RUN):
            paths = []
            for index in range(first, min(first + FILES_PER_RUN, len(expected))):
                path = Path(folder) / str(index)
                path.write_bytes(expected[index].text)
                paths.append(path)
            run = subprocess.run([reader, "--atomic", *paths], capture_output=True, text=True, check=True)
            for line in run.stdout.splitlines():
                game = json.loads(line)
                found[int(Path(game["file"]).name)].append(game)
    return found


def judge(expected: Expected, games: list[dict]) -> str:
    """How a text was read: `equal`, `named`, `more` or `DIFFERENT`."""
    ours = [(game["moves"], game["result"] or "*") for game in games]
    # A game without tags and moves is none for Brisance.
    theirs = [game for game in expected.games if game[0]]
    with_moves = [game for game in ours if game[0]]
    if expected.tags is not None and [without_respelt(game["tags"]) for game in games] != [expected.tags]:
        return "DIFFERENT"
    if with_moves == theirs:
        return "equal"
    if not expected.is_damaged:
        return "DIFFERENT"
    if any(game["error"] or game["warnings"] for game in games):
        return "named"
    count = sum(len(moves) for moves, _ in ours)
    if with_moves == [expected.original] or count > sum(len(moves) for moves, _ in theirs):
        return "more"
    if [moves for moves, _ in with_moves] == [moves for moves, _ in theirs]:
        # Only results differ: python-chess knows four spellings.
        fewer = any(one == "*" and other != "*" for (_, one), (_, other) in zip(with_moves, theirs))
        return "DIFFERENT" if fewer else "more"
    return "DIFFERENT"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pgn", type=Path, nargs="+", help="files of games")
    parser.add_argument("--games", type=int, default=1000, help="texts to compare (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, help="of the variations (default: 1)")
    parser.add_argument("--reader", type=Path, default=ROOT / "target/release/examples/read_pgn")
    parser.add_argument("--show", type=int, default=3, help="differences to print (default: 3)")
    args = parser.parse_args()
    if not args.reader.exists():
        give_up(f"{args.reader} is missing: cargo build --release --example read_pgn")
    try:
        expected = texts(args.pgn, args.games, args.seed)
    except OSError as failure:
        give_up(str(failure))
    found = read_with_brisance(args.reader, expected)
    counts: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    shown = 0
    for one, games in zip(expected, found):
        verdict = judge(one, games)
        counts[one.source][verdict] += 1
        counts[one.source]["plies"] += sum(len(game["moves"]) for game in games)
        if verdict == "DIFFERENT" and shown < args.show:
            shown += 1
            print(f"{one.source}: expected {one.games}, found {games} in\n{one.text!r}\n")
    for source, counter in sorted(counts.items()):
        kinds = ", ".join(f"{counter[kind]} {kind}" for kind in ("equal", "named", "more", "DIFFERENT", "plies"))
        print(f"{source}: {kinds}")
    differences = sum(counter["DIFFERENT"] for counter in counts.values())
    print(f"{len(expected)} texts, {differences} differences that are not named")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
