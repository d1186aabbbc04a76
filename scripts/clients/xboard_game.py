#!/usr/bin/env python3
"""Lets XBoard play a game of the engine against itself, through the adapter uci2wb.

XBoard runs on an Xvfb display, saves the record and logs the communication of the three programs;
python-chess checks the record.

    python3 scripts/clients/xboard_game.py --screenshots target/xboard

Needs XBoard, uci2wb, Xvfb and ImageMagick (Debian: xboard, uci2wb, xvfb, imagemagick).
Exit code: 0 a complete and legal game, 1 an error, 2 something is missing.
"""

from __future__ import annotations

import argparse
import io
import shlex
import sys
import tempfile
from pathlib import Path

from environment import restart_with_python_chess
from python_chess_match import default_engine
from screen import Screen, need, stop, wait_for

try:
    import chess
    import chess.pgn
    import chess.variant
except ImportError:
    restart_with_python_chess()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", type=Path, help="binary (default: the newest cargo built)")
    parser.add_argument("--depth", type=int, default=5, help="search depth in plies")
    parser.add_argument("--limit", type=float, default=300.0, help="time limit in seconds")
    parser.add_argument("--screenshots", type=Path, help="folder for pictures and the debug log")
    return parser.parse_args()


def command(engine: Path, depth: int, folder: Path) -> list[str]:
    adapter = f"uci2wb debug {shlex.quote(str(engine))}"
    return [
        "xboard", "-variant", "atomic", "-fcp", f"{adapter}", "-scp", adapter,
        "-xponder", "-testClaims", "false", "-matchGames", "1", "-st", "1", "-depth", str(depth),
        "-saveGameFile", str(folder / "game.pgn"),
        "-debug", "-nameOfDebugFile", str(folder / "xboard.debug"), "-popupExitMessage", "false",
        "-soundProgram", "true",
    ]


def check(record: str, log: str) -> list[str]:
    """Prints the end of the game and returns its errors."""
    errors = [line for line in log.splitlines() if "Failed to start" in line or "illegal" in line.lower()]
    game = chess.pgn.read_game(io.StringIO(record))
    if game is None:
        return [*errors, "no game was saved"]
    errors += [f"python-chess: {error}" for error in game.errors]
    board = game.end().board()
    result, expected = game.headers["Result"], board.result(claim_draw=True)
    print(f"variant {game.headers.get('Variant')!r}, {board.ply()} plies, result {result}")
    print(f"ends with {board.fen()}")
    if not isinstance(board, chess.variant.AtomicBoard):
        errors.append("the record is not of atomic chess")
    if result != expected:
        errors.append(f"the record has {result}, python-chess {expected}")
    return errors


def main() -> int:
    settings = arguments()
    need({**Screen.PROGRAMS, "xboard": "xboard", "uci2wb": "uci2wb"})
    engine = (settings.engine or default_engine()).resolve()
    with tempfile.TemporaryDirectory() as scratch, Screen(Path(scratch)) as screen:
        folder = settings.screenshots or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        folder = folder.resolve()
        for name in ("game.pgn", "xboard.debug"):
            (folder / name).unlink(missing_ok=True)
        xboard = screen.run(command(engine, settings.depth, folder))
        record, log = folder / "game.pgn", folder / "xboard.debug"

        pictures = 0

        def over() -> bool:
            nonlocal pictures
            if record.exists() and record.read_text().strip():
                return True
            # Few pictures, because each takes a second of the game. The window is open when the
            # first move is in the log.
            text = log.read_text(errors="replace") if log.exists() else ""
            if settings.screenshots and pictures < 5 and ": move " in text:
                pictures += 1
                screen.shoot(folder / f"playing{pictures}.png")
            return xboard.poll() is not None

        in_time = wait_for(over, settings.limit, 1.0)
        if settings.screenshots:
            screen.shoot(folder / "end.png")
        stop(xboard)
        text = log.read_text(errors="replace") if log.exists() else ""
        errors = check(record.read_text() if record.exists() else "", text)
    if not in_time:
        errors.append(f"the game was not over after {settings.limit:g} s")
    for error in errors:
        print(f"error: {error}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
