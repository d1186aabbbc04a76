#!/usr/bin/env python3
"""Reads the PGN of a match or an analysis with python-chess and checks every game by its rules.

Each move, those of variations too, must be legal for chess.variant.AtomicBoard, and where the
game ended by rule the result must be the one python-chess finds. Games of another variant are
refused. With --evaluations every move but one that wins must have an evaluation that
python-chess understands.

    python3 scripts/clients/python_chess_pgn.py games.pgn [--evaluations]

Exit code: 0 all games are right, 1 at least one is not, 2 the file could not be read.
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
    """The first move of the main line that should have an evaluation and has none."""
    for node in game.mainline():
        if node.eval() is None and not node.board().is_variant_end() and not node.board().is_checkmate():
            return f"no evaluation behind {node.san()} at ply {node.ply()}"
    return None


def fault(game: chess.pgn.Game) -> str | None:
    """What is wrong with a game."""
    if game.errors:
        return str(game.errors[0])
    if game.headers.get("Variant") != "Atomic":
        return f"variant {game.headers.get('Variant')}"
    board = game.end().board()
    if not isinstance(board, chess.variant.AtomicBoard):
        return "python-chess does not take it for atomic"
    if int(game.headers.get("PlyCount", len(board.move_stack))) != len(board.move_stack):
        return "the number of plies is wrong"
    result = game.headers["Result"]
    if game.headers.get("Termination", "").lower() != "normal":
        return None if result in ("1-0", "0-1", "1/2-1/2") else f"result {result}"
    found = board.result(claim_draw=True)
    return None if found == result else f"result {result}, python-chess says {found}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pgn", type=Path)
    parser.add_argument("--evaluations", action="store_true")
    args = parser.parse_args()
    path = args.pgn
    games = faults = plies = 0
    try:
        with path.open(encoding="utf-8") as file:
            while game := chess.pgn.read_game(file):
                games += 1
                plies += game.end().ply() - game.ply()
                what = fault(game)
                if args.evaluations and what is None:
                    what = without_evaluation(game)
                if what:
                    faults += 1
                    print(f"game {games} (round {game.headers.get('Round')}): {what}")
    except OSError as error:
        give_up(f"{path}: {error.strerror}")
    if games == 0:
        give_up(f"{path}: no games")
    print(f"{games} games, {plies} plies, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
