#!/usr/bin/env python3
"""Plays games as lichess-bot does, without Lichess: its options, calls and clocks.

lichess-bot is not in any package index and needs an account. This script repeats the calls of its
engine wrapper: the options of its configuration, a fixed time for the first moves, then the clock
minus an overhead, pondering, the opponent's name before the game and the result after it, and its
comments on every line, which must be legal to the end. The opponent plays random moves.

    python3 scripts/clients/lichess_bot_session.py
    python3 scripts/clients/lichess_bot_session.py --tables tables --games 4

Exit code: 0 no error, 1 an error, 2 the engine cannot be started.
"""

from __future__ import annotations

import argparse
import logging
import random
import sys
import time
from pathlib import Path

from environment import give_up, restart_with_python_chess
from python_chess_match import LogCollector, default_engine, ending

try:
    import chess
    import chess.engine
    import chess.variant
    from chess.engine import Limit, SimpleEngine
except ImportError:
    restart_with_python_chess()

# The `uci_options` of its default configuration, with less memory.
OPTIONS = {"Move Overhead": 100, "Threads": 2, "Hash": 64, "UCI_ShowWDL": True}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", type=Path, help="binary (default: the newest cargo built)")
    parser.add_argument("--tables", type=Path, help="folder for SyzygyPath")
    parser.add_argument("--games", type=int, default=2, help="number of games")
    parser.add_argument("--base", type=float, default=4.0, help="seconds for the game")
    parser.add_argument("--plies", type=int, default=40, help="maximum length of a game")
    return parser.parse_args()


def play(engine: SimpleEngine, settings: argparse.Namespace, number: int) -> str:
    """Plays a game and describes its end. Errors are exceptions."""
    rng = random.Random(number)
    board, ours = chess.variant.AtomicBoard(), number % 2 == 0
    clock, hits = settings.base, 0
    expected: chess.Move | None = None
    opponent = chess.engine.Opponent(name="somebody", title="BOT", rating=2000, is_engine=True)
    engine.send_opponent_information(opponent=opponent)
    while ending(board) is None and board.ply() < settings.plies:
        if board.turn is not ours:
            legal = list(board.legal_moves)
            # Sometimes the pondered move, so that `ponderhit` occurs.
            hit = expected in legal and rng.random() < 0.5
            hits += hit
            board.push(expected if hit else rng.choice(legal))
            continue
        if board.ply() < 2:
            limit = Limit(time=0.3, clock_id="first move")
        else:
            left = max(clock - 0.2, 0.05)
            limit = Limit(
                white_clock=left, black_clock=left, white_inc=0.02, black_inc=0.02, clock_id="real time"
            )
        start = time.monotonic()
        answer = engine.play(
            board, limit, info=chess.engine.INFO_ALL, ponder=board.ply() >= 2, draw_offered=False
        )
        clock += 0.02 - (time.monotonic() - start)
        assert clock > 0, f"lost on time by {-clock:.3f} s at {board.fen()}"
        # python-chess keeps only the lines after a ponder hit.
        assert "score" in answer.info and "wdl" in answer.info, answer.info
        # Raises if a move of the line is illegal, which would crash the bot.
        board.variation_san(answer.info["pv"])
        expected = answer.ponder
        board.push(answer.move)
    engine.send_game_result(board)
    return f"{ending(board) or 'stopped'} after {board.ply()} plies, {hits} ponder hits, {clock:.1f} s left"


def main() -> int:
    settings = arguments()
    path = (settings.engine or default_engine()).resolve()
    log = LogCollector()
    logging.getLogger("chess").addHandler(log)
    logging.getLogger("chess").propagate = False
    errors = []
    options = dict(OPTIONS)
    if settings.tables:
        options["SyzygyPath"] = str(settings.tables.resolve())
    for number in range(settings.games):
        # One process per game, as the bot starts them.
        try:
            engine = SimpleEngine.popen_uci([str(path)], timeout=10.0, debug=False, setpgrp=True)
        except (OSError, TimeoutError, chess.engine.EngineError) as error:
            give_up(f"{path} does not start: {type(error).__name__}: {error}")
        with engine:
            try:
                engine.configure(options)
                print(f"game {number + 1}: {play(engine, settings, number)}", flush=True)
                engine.ping()
                engine.quit()
            except (AssertionError, ValueError, TimeoutError, chess.engine.EngineError) as error:
                errors.append(f"game {number + 1}: {type(error).__name__}: {error}")
    errors += [f"python-chess: {text}" for text in log.texts]
    for fault in errors:
        print(fault)
    print(f"{len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
