#!/usr/bin/env python3
"""Compares the engine's tablebase answers with python-chess's prober on random positions.

    python3 scripts/clients/python_chess_syzygy.py --tables DIR [--positions 5000]

The positions have three or four men, each combination of them about as often as the others;
en-passant squares, touching kings, checks and finished games occur. Result (WDL) and distance
to zeroing (DTZ) must be equal. With --write FILE python-chess's answers are also kept there,
one line a position: that is how engine-tests/data/syzygy.txt was made.

Without --tables the variable BRISANCE_SYZYGY names the directory.

Exit code: 0 all answers are equal, 1 some are not, 2 there is no engine or there are no tables.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from environment import ROOT, give_up, restart_with_python_chess

try:
    import chess
    import chess.syzygy
    import chess.variant
except ImportError:
    restart_with_python_chess()

MEN = "QRBNP"


def materials() -> list[str]:
    """Every set of three or four men with a king on both sides, White's men first."""
    found = []
    for count in (1, 2):
        for white in range(count + 1):
            for ours in itertools.combinations_with_replacement(MEN, white):
                for theirs in itertools.combinations_with_replacement(MEN, count - white):
                    found.append("K" + "".join(ours) + "k" + "".join(theirs).lower())
    return found


def random_board(material: str, rng: random.Random) -> chess.variant.AtomicBoard:
    """A position of these men that a game can reach: who has moved is not in check."""
    while True:
        board = chess.variant.AtomicBoard(None)
        for letter, square in zip(material, rng.sample(range(64), len(material))):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.choice(chess.COLORS)
        if "P" in material and "p" in material and rng.random() < 0.3:
            offer_en_passant(board, rng)
        if board.is_valid() and not board.was_into_check():
            return board


def offer_en_passant(board: chess.variant.AtomicBoard, rng: random.Random) -> None:
    """Puts the pawn of the side that has moved beside one of the side to move."""
    file = rng.randrange(8)
    beside = rng.choice([near for near in (file - 1, file + 1) if near in range(8)])
    rank, behind = (4, 5) if board.turn else (3, 2)
    for square in list(board.pieces(chess.PAWN, chess.WHITE) | board.pieces(chess.PAWN, chess.BLACK)):
        board.remove_piece_at(square)
    for at, color in ((beside, board.turn), (file, not board.turn)):
        board.set_piece_at(chess.square(at, rank), chess.Piece(chess.PAWN, color))
    board.ep_square = chess.square(file, behind)


def random_boards(count: int, seed: int) -> Iterator[chess.variant.AtomicBoard]:
    rng = random.Random(seed)
    everything = materials()
    for number in range(count):
        yield random_board(everything[number % len(everything)], rng)


class Engine:
    """The engine's answers, from the last line of its command `d`."""

    def __init__(self, program: Path, tables: Path) -> None:
        self.process = subprocess.Popen(
            [str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.send(f"setoption name SyzygyPath value {tables}")
        said = self.until_ready()
        if not any("found" in line for line in said):
            give_up("the engine finds no tables: " + " ".join(said))
        print(said[0].removeprefix("info string "))

    def send(self, line: str) -> None:
        self.process.stdin.write(line + "\n")

    def until_ready(self) -> list[str]:
        self.send("isready")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline()) and line.strip() != "readyok":
            lines.append(line.strip())
        if not line:
            give_up("the engine has gone")
        return lines

    def probe(self, fen: str) -> tuple[int, int] | None:
        self.send(f"position fen {fen}")
        self.send("d")
        for line in self.until_ready():
            if line.startswith("Tablebases: WDL "):
                wdl, _, dtz = line.removeprefix("Tablebases: WDL ").partition(", DTZ ")
                return int(wdl), int(dtz)
        return None


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", type=Path, default=ROOT / "target" / "release" / "brisance")
    parser.add_argument("--tables", type=Path, default=os.environ.get("BRISANCE_SYZYGY"))
    parser.add_argument("--positions", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path)
    args = parser.parse_args()
    if args.tables is None or not args.tables.is_dir():
        give_up(f"no directory of tables: {args.tables}; give --tables or BRISANCE_SYZYGY")
    if not args.engine.is_file():
        give_up(f"no engine at {args.engine}; give --engine")

    engine = Engine(args.engine, args.tables.resolve())
    counts: collections.Counter[int] = collections.Counter()
    wrong = {"WDL": 0, "DTZ": 0}
    lines = []
    with chess.syzygy.open_tablebase(
        str(args.tables), VariantBoard=chess.variant.AtomicBoard
    ) as tables:
        for board in random_boards(args.positions, args.seed):
            fen = board.fen()
            wdl, dtz = tables.probe_wdl(board), tables.probe_dtz(board)
            counts[wdl] += 1
            lines.append(f"{fen};{wdl};{dtz}\n")
            found = engine.probe(fen)
            if found is None or found[0] != wdl:
                wrong["WDL"] += 1
            if found is None or found[1] != dtz:
                wrong["DTZ"] += 1
            if found != (wdl, dtz):
                print(f"{fen}: python-chess {(wdl, dtz)}, engine {found}")
    if args.write:
        args.write.write_text("".join(lines), encoding="utf-8")
    spread = ", ".join(f"WDL {wdl}: {counts[wdl]}" for wdl in sorted(counts))
    print(f"{args.positions} positions ({spread})")
    print(f"different WDL: {wrong['WDL']}, different DTZ: {wrong['DTZ']}")
    return 1 if any(wrong.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
