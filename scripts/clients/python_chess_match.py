#!/usr/bin/env python3
"""Plays the engine against itself over UCI, with python-chess as referee.

The rules are those of chess.variant.AtomicBoard; this script measures the clock around each move.
Illegal moves, losses on time, crashes and warnings of python-chess are errors.

    python3 scripts/clients/python_chess_match.py            # 20 games at 1 s + 0.01 s
    python3 scripts/clients/python_chess_match.py --ponder --chess960 --games 4

Exit code: 0 no error, 1 an error, 2 the engine cannot be started.
"""

from __future__ import annotations

import argparse
import collections
import logging
import os
import random
import sys
import time
from pathlib import Path

from environment import ROOT, give_up, restart_with_python_chess

try:
    import chess
    import chess.engine
    import chess.variant
except ImportError:
    restart_with_python_chess()


class GameError(Exception):
    """An error of the engine in a game."""


class LogCollector(logging.Handler):
    """Collects the warnings of python-chess about the output of the engine."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


def default_engine() -> Path:
    """The newest binary that cargo built."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    suffix = ".exe" if os.name == "nt" else ""
    found = [target / profile / f"brisance{suffix}" for profile in ("release", "debug")]
    found = [path for path in found if path.exists()]
    if not found:
        give_up(f"no binary in {target}; run `cargo build --release` or use --engine PATH")
    return max(found, key=lambda path: path.stat().st_mtime)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", type=Path, help="binary (default: the newest cargo built)")
    parser.add_argument("--games", type=int, default=20, help="number of games")
    parser.add_argument("--base", type=float, default=1.0, help="seconds for the game")
    parser.add_argument("--increment", type=float, default=0.01, help="seconds per move")
    parser.add_argument("--margin", type=float, default=0.0, help="tolerated overtime in seconds")
    parser.add_argument("--random-plies", type=int, default=4, help="random moves at the start of a game")
    parser.add_argument("--max-plies", type=int, default=600, help="length at which a game is a draw")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random moves")
    parser.add_argument("--ponder", action="store_true", help="let both sides ponder")
    parser.add_argument("--chess960", action="store_true", help="shuffled start positions")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="UCI option for both"
    )
    return parser.parse_args()


def start_board(settings: argparse.Namespace, rng: random.Random) -> chess.variant.AtomicBoard:
    """A start position after a few random moves that do not end the game."""
    while True:
        board = chess.variant.AtomicBoard(chess960=settings.chess960)
        if settings.chess960:
            board.set_chess960_pos(rng.randrange(960))
        for _ in range(settings.random_plies):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
        if ending(board) is None:
            return board


def ending(board: chess.variant.AtomicBoard) -> str | None:
    """Why the game is over, or None."""
    if board.is_variant_end():
        return "explosion"
    if board.is_checkmate():
        return "checkmate"
    if board.is_stalemate():
        return "stalemate"
    if board.is_insufficient_material():
        return "insufficient material"
    if board.halfmove_clock >= 100:
        return "fifty moves"
    if board.is_repetition(3):
        return "repetition"
    return None


def result(board: chess.variant.AtomicBoard, reason: str) -> str:
    """1-0, 0-1 or 1/2-1/2; fifty moves and repetitions are draws without a claim."""
    return board.result() if reason in ("explosion", "checkmate") else "1/2-1/2"


def play(
    settings: argparse.Namespace,
    players: dict[bool, chess.engine.SimpleEngine],
    board: chess.variant.AtomicBoard,
    slowest: list[float],
) -> tuple[str, str]:
    """Plays a game. Returns its result and the reason of its end. Raises GameError."""
    clocks = {chess.WHITE: settings.base, chess.BLACK: settings.base}
    game = object()
    while True:
        reason = ending(board)
        if reason is not None:
            return result(board, reason), reason
        if board.ply() >= settings.max_plies:
            return "1/2-1/2", "too long"
        mover = board.turn
        limit = chess.engine.Limit(
            white_clock=clocks[chess.WHITE],
            black_clock=clocks[chess.BLACK],
            white_inc=settings.increment,
            black_inc=settings.increment,
        )
        start = time.perf_counter()
        try:
            answer = players[mover].play(
                board, limit, game=game, info=chess.engine.INFO_ALL, ponder=settings.ponder
            )
        except chess.engine.EngineTerminatedError as error:
            raise GameError(f"crash: {error}") from error
        except chess.engine.EngineError as error:
            raise GameError(f"illegal move or broken line: {error}") from error
        spent = time.perf_counter() - start
        slowest[0] = max(slowest[0], spent)
        clocks[mover] -= spent
        if clocks[mover] < -settings.margin:
            raise GameError(f"loss on time by {-clocks[mover] * 1000:.1f} ms")
        clocks[mover] = max(clocks[mover], 0.0) + settings.increment
        if answer.move is None or not board.is_legal(answer.move):
            raise GameError(f"no legal move: {answer.move}")
        if "score" not in answer.info or not answer.info.get("pv"):
            raise GameError("bestmove without a line that has score and pv")
        board.push(answer.move)


def open_engine(settings: argparse.Namespace, path: Path) -> chess.engine.SimpleEngine:
    engine = chess.engine.SimpleEngine.popen_uci(str(path), timeout=30)
    engine.configure(dict(option.split("=", 1) for option in settings.option))
    return engine


def main() -> int:
    settings = arguments()
    path = (settings.engine or default_engine()).resolve()
    log = LogCollector()
    logging.getLogger("chess").addHandler(log)
    logging.getLogger("chess").propagate = False
    rng = random.Random(settings.seed)
    tally: collections.Counter[str] = collections.Counter()
    reasons: collections.Counter[str] = collections.Counter()
    errors: list[str] = []
    slowest, plies = [0.0], 0
    players: dict[bool, chess.engine.SimpleEngine] = {}
    print(f"{path}, {settings.games} games at {settings.base:g}+{settings.increment:g}", flush=True)
    for number in range(1, settings.games + 1):
        try:
            for color in (chess.WHITE, chess.BLACK):
                if color not in players:
                    players[color] = open_engine(settings, path)
        except (OSError, ValueError, TimeoutError, chess.engine.EngineError) as error:
            give_up(f"{path} does not start: {type(error).__name__}: {error}")
        board = start_board(settings, rng)
        try:
            score, reason = play(settings, players, board, slowest)
            tally[score] += 1
            reasons[reason] += 1
            print(f"game {number}: {score} ({reason}) after {board.ply()} plies", flush=True)
        except GameError as error:
            side = "White" if board.turn else "Black"
            errors.append(f"game {number}, {side} at {board.fen()}: {error}")
            print(errors[-1], flush=True)
            # The next game starts with new processes.
            for engine in players.values():
                engine.close()
            players = {}
        errors.extend(f"game {number}: python-chess: {text}" for text in log.texts)
        log.texts.clear()
        plies += board.ply()
    for engine in players.values():
        try:
            engine.quit()
        except (TimeoutError, chess.engine.EngineError) as error:
            errors.append(f"quit: {type(error).__name__}: {error}")
    print(f"results {dict(tally)}, endings {dict(reasons)}")
    print(f"{plies} plies, slowest move {slowest[0] * 1000:.1f} ms, {len(errors)} errors")
    for error in errors:
        print(f"  {error}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
