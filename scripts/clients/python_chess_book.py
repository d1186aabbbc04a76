#!/usr/bin/env python3
"""Reads a Polyglot book of `brisance book build` with python-chess, from the start position.

Every entry must be legal for chess.variant.AtomicBoard, every position must be reachable by legal
moves from book positions, and `brisance book show` must print the same moves and weights for the
first positions.

    python3 scripts/clients/python_chess_book.py book/brisance.bin [--engine PROGRAM]

Exit code: 0 no error, 1 an error, 2 the arguments are wrong.
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

# Positions compared with `book show`; each starts the program once.
COMPARED = 40


def shown(engine: Path, book: Path, board: chess.variant.AtomicBoard) -> list[tuple[str, int]]:
    command = [str(engine), "book", "show", str(book), board.fen(), "--json"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return [(move["uci"], move["weight"]) for move in found["moves"]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("book", type=Path, help="the book")
    parser.add_argument("--engine", type=Path, help="compare the first positions with this program")
    args = parser.parse_args()
    try:
        reader = chess.polyglot.open_reader(args.book)
    except OSError as error:
        give_up(str(error))
    errors = 0
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
                    errors += 1
                    print(f"illegal entry: {board.fen()}")
                if args.engine and len(seen) <= COMPARED:
                    expected = [(board.uci(entry.move), entry.weight) for entry in legal]
                    found = shown(args.engine, args.book, board)
                    if found != expected:
                        errors += 1
                        print(f"{board.fen()}: {found} instead of {expected}")
                # All legal moves, because book moves alone do not lead to every position.
                for move in board.legal_moves:
                    after = board.copy(stack=False)
                    after.push(move)
                    if not after.is_variant_end() and reader.get(after, minimum_weight=0):
                        following.append(after)
            layer = following
            plies += bool(layer)
        if entries != len(reader):
            errors += 1
            print(f"{len(reader) - entries} of {len(reader)} entries are unreachable from the start")
    print(f"{entries} entries, up to {plies} plies from the start; {errors} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
