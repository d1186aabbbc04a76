#!/usr/bin/env python3
"""Reads a Polyglot book of ours with python-chess, from the start position on.

Every entry must be legal for chess.variant.AtomicBoard, every position must be met on the way by
legal moves from book positions (nothing in the file that python-chess's keys do not find), and
`brisance book show` must give the same moves and weights for the first positions.

    python3 scripts/clients/python_chess_book.py book/brisance.bin [--engine PROGRAM]

Exit code: 0 all is right, 1 something is not, 2 the arguments were wrong.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from environment import give_up, restart_with_python_chess

try:
    import chess
    import chess.polyglot
    import chess.variant
except ImportError:
    restart_with_python_chess()

# Each costs a start of the program.
SHOWN = 40


def shown(engine: Path, book: Path, board: chess.variant.AtomicBoard) -> list[tuple[str, int]]:
    command = [str(engine), "book", "show", str(book), board.fen(), "--json"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return [(move["uci"], move["weight"]) for move in found["moves"]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("book", type=Path)
    parser.add_argument("--engine", type=Path, help="also ask this program for the first positions")
    args = parser.parse_args()
    try:
        reader = chess.polyglot.open_reader(args.book)
    except OSError as error:
        give_up(str(error))
    faults = 0
    with reader:
        layer, seen, entries, plies = [chess.variant.AtomicBoard()], set(), 0, 0
        while layer:
            following = []
            for board in layer:
                key = chess.polyglot.zobrist_hash(board)
                if key in seen:
                    continue
                seen.add(key)
                raw = list(reader.find_all(key, minimum_weight=0))
                legal = list(reader.find_all(board, minimum_weight=0))
                entries += len(legal)
                if len(raw) != len(legal):
                    faults += 1
                    print(f"illegal entry: {board.fen()}")
                if args.engine and len(seen) <= SHOWN:
                    wanted = [(board.uci(entry.move), entry.weight) for entry in legal]
                    found = shown(args.engine, args.book, board)
                    if found != wanted:
                        faults += 1
                        print(f"{board.fen()}: {found} instead of {wanted}")
                # Positions that no book move leads to any more are kept in a book of ours.
                for move in board.legal_moves:
                    after = board.copy(stack=False)
                    after.push(move)
                    if not after.is_variant_end() and reader.get(after, minimum_weight=0):
                        following.append(after)
            layer = following
            plies += bool(layer)
        if entries != len(reader):
            faults += 1
            print(f"{len(reader) - entries} of {len(reader)} entries are not met from the start")
    print(f"{entries} entries, up to {plies} plies from the start; {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
