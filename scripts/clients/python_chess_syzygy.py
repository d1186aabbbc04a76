#!/usr/bin/env python3
"""Compares the tablebase results of the engine with python-chess on random positions.

    python3 scripts/clients/python_chess_syzygy.py --tables DIR [--positions 5000]

The positions have three or four pieces, with all combinations equally often; they include
en-passant squares, touching kings, checks and finished games. The result (WDL) and the distance to
zeroing (DTZ) must be equal. With --write FILE the results of python-chess are saved, one line per
position, as in engine-tests/data/syzygy.txt.

Without --tables the variable BRISANCE_SYZYGY names the directory.

Exit code: 0 all results are equal, 1 some differ, 2 the engine or the tables are missing.
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

PIECES = "QRBNP"


def materials() -> list[str]:
    """All sets of three or four pieces with a king on both sides, White's pieces first."""
    found = []
    for count in (1, 2):
        for white in range(count + 1):
            for ours in itertools.combinations_with_replacement(PIECES, white):
                for theirs in itertools.combinations_with_replacement(PIECES, count - white):
                    found.append("K" + "".join(ours) + "k" + "".join(theirs).lower())
    return found


def random_board(material: str, rng: random.Random) -> chess.variant.AtomicBoard:
    """A legal position with these pieces: the side that has just moved is not in check."""
    while True:
        board = chess.variant.AtomicBoard(None)
        for letter, square in zip(material, rng.sample(range(64), len(material))):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.choice(chess.COLORS)
        if "P" in material and "p" in material and rng.random() < 0.3:
            add_en_passant(board, rng)
        if board.is_valid() and not board.was_into_check():
            return board


def add_en_passant(board: chess.variant.AtomicBoard, rng: random.Random) -> None:
    """Places a pawn that just moved two squares beside a pawn of the side to move."""
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
    """The tablebase results of the engine, from its command `d`."""

    def __init__(self, program: Path, tables: Path) -> None:
        self.process = subprocess.Popen(
            [str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.send(f"setoption name SyzygyPath value {tables}")
        lines = self.until_ready()
        if not any("found" in line for line in lines):
            give_up("the engine finds no tables: " + " ".join(lines))
        print(lines[0].removeprefix("info string "))

    def send(self, line: str) -> None:
        self.process.stdin.write(line + "\n")

    def until_ready(self) -> list[str]:
        self.send("isready")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline()) and line.strip() != "readyok":
            lines.append(line.strip())
        if not line:
            give_up("the engine exited")
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
    parser.add_argument("--positions", type=int, default=5000, help="number of positions")
    parser.add_argument("--seed", type=int, default=1, help="seed of the positions")
    parser.add_argument("--write", type=Path, help="file for the results of python-chess")
    args = parser.parse_args()
    if args.tables is None or not args.tables.is_dir():
        give_up(f"no directory of tables: {args.tables}; use --tables or BRISANCE_SYZYGY")
    if not args.engine.is_file():
        give_up(f"no engine at {args.engine}; use --engine")

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
