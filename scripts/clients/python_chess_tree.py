#!/usr/bin/env python3
"""Writes the games of a PGN file as JSON, read by python-chess.

The last line of the output is a list with one entry for each game. An entry holds `errors` and
`moves`: every move, also of variations, with the SAN moves up to it, the FEN after it, and its
marks and comments.

    python3 scripts/clients/python_chess_tree.py games.pgn

Exit code: 0, or 2 if the file cannot be read.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from environment import give_up, restart_with_python_chess

try:
    import chess.pgn
    import chess.variant
except ImportError:
    restart_with_python_chess()


def moves_below(node: chess.pgn.GameNode, path: list[str]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for child in node.variations:
        here = [*path, child.san()]
        found.append(
            {
                "path": " ".join(here),
                "fen": child.board().fen(),
                "nags": sorted(child.nags),
                "comment": child.comment,
            }
        )
        found += moves_below(child, here)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pgn", type=Path, help="the file")
    path = parser.parse_args().pgn
    games = []
    try:
        with path.open(encoding="utf-8") as file:
            while game := chess.pgn.read_game(file):
                errors = [str(error) for error in game.errors]
                if not isinstance(game.board(), chess.variant.AtomicBoard):
                    errors.append(f"variant {game.headers.get('Variant')}")
                games.append({"errors": errors, "moves": moves_below(game, [])})
    except OSError as failure:
        give_up(f"{path}: {failure.strerror}")
    print(json.dumps(games))


if __name__ == "__main__":
    main()
