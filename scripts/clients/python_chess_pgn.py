#!/usr/bin/env python3
"""Checks the PGN of a match or an analysis with python-chess.

Each move, also of variations, must be legal for chess.variant.AtomicBoard, and a game that ended by
rule must have the result of python-chess. Games of other variants are errors. With --evaluations
every move except a winning one must have an evaluation that python-chess reads.

    python3 scripts/clients/python_chess_pgn.py games.pgn [--evaluations]

Exit code: 0 no error, 1 an error, 2 the file cannot be read.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from environment import give_up, restart_with_python_chess

try:
    import chess
    import chess.pgn
    import chess.variant
except ImportError:
    restart_with_python_chess()


def without_evaluation(game: chess.pgn.Game) -> str | None:
    """The first move of the main line without the required evaluation."""
    for node in game.mainline():
        if node.eval() is None and not node.board().is_variant_end() and not node.board().is_checkmate():
            return f"no evaluation after {node.san()} at ply {node.ply()}"
    return None


def find_error(game: chess.pgn.Game) -> str | None:
    """The first error of a game, or None."""
    if game.errors:
        return str(game.errors[0])
    if game.headers.get("Variant") != "Atomic":
        return f"variant {game.headers.get('Variant')}"
    board = game.end().board()
    if not isinstance(board, chess.variant.AtomicBoard):
        return "python-chess reads another variant"
    if int(game.headers.get("PlyCount", len(board.move_stack))) != len(board.move_stack):
        return "the number of plies is wrong"
    result = game.headers["Result"]
    if game.headers.get("Termination", "").lower() != "normal":
        return None if result in ("1-0", "0-1", "1/2-1/2") else f"result {result}"
    found = board.result(claim_draw=True)
    return None if found == result else f"result {result}, python-chess has {found}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pgn", type=Path, help="the file")
    parser.add_argument("--evaluations", action="store_true", help="require evaluations")
    args = parser.parse_args()
    path = args.pgn
    games = errors = plies = 0
    try:
        with path.open(encoding="utf-8") as file:
            while game := chess.pgn.read_game(file):
                games += 1
                plies += game.end().ply() - game.ply()
                error = find_error(game)
                if args.evaluations and error is None:
                    error = without_evaluation(game)
                if error:
                    errors += 1
                    print(f"game {games} (round {game.headers.get('Round')}): {error}")
    except OSError as failure:
        give_up(f"{path}: {failure.strerror}")
    if games == 0:
        give_up(f"{path}: no games")
    print(f"{games} games, {plies} plies, {errors} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
