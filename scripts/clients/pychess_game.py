#!/usr/bin/env python3
"""Lets the desktop program PyChess play a game of the engine against itself.

PyChess runs on an Xvfb display with its own settings; python-chess checks the record.

    python3 scripts/clients/pychess_game.py --screenshots target/pychess

Needs PyChess, Xvfb and ImageMagick (Debian: pychess, xvfb, imagemagick).
Exit code: 0 a complete and legal game, 1 an error, 2 something is missing.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from environment import give_up, restart_with_python_chess
from python_chess_match import default_engine
from screen import PATH, Screen, need, stop, wait_for

try:
    import chess.pgn
except ImportError:
    restart_with_python_chess()
from xboard_game import check

NAME = "Brisance"
INSIDE = Path(__file__).with_name("pychess_inside.py")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", type=Path, help="binary (default: the newest cargo built)")
    parser.add_argument("--python", default="/usr/bin/python3", help="the Python with PyChess")
    parser.add_argument("--base", type=int, default=60, help="seconds per side")
    parser.add_argument("--limit", type=float, default=600.0, help="time limit in seconds")
    parser.add_argument("--screenshots", type=Path, help="folder for pictures, record and log")
    return parser.parse_args()


def main() -> int:
    settings = arguments()
    need({**Screen.PROGRAMS, "pychess": "pychess"})
    installed = subprocess.run([settings.python, "-c", "import gi, pychess"], check=False)
    if installed.returncode != 0:
        give_up(f"{settings.python} has no PyChess; use --python")
    engine = (settings.engine or default_engine()).resolve()
    with tempfile.TemporaryDirectory() as scratch, Screen(Path(scratch)) as screen:
        config = Path(scratch) / ".config" / "pychess"
        config.mkdir(parents=True)
        entry = {"name": NAME, "protocol": "uci", "command": str(engine), "recheck": True}
        entry.update({"country": "unknown", "comment": "", "level": 2})
        entry["workingDirectory"] = scratch
        (config / "engines.json").write_text(json.dumps([entry]))
        folder = (settings.screenshots or Path(scratch) / "out").resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("game.pgn", "status", "variants"):
            (folder / name).unlink(missing_ok=True)
        program = shutil.which("pychess", path=PATH)
        command = [settings.python, str(INSIDE), NAME, program, str(folder), str(settings.base)]
        with (folder / "pychess.log").open("w") as log:
            pychess = screen.run(command, stdout=log, stderr=log)
            pictures = 0

            def over() -> bool:
                nonlocal pictures
                # Few pictures, because each takes a second of the game.
                if settings.screenshots and pictures < 8 and (folder / "variants").exists():
                    pictures += 1
                    screen.shoot(folder / f"playing{pictures}.png")
                return (folder / "status").exists() or pychess.poll() is not None

            in_time = wait_for(over, settings.limit, 5.0)
            if settings.screenshots:
                screen.shoot(folder / "end.png")
            stop(pychess)
        record, status = folder / "game.pgn", folder / "status"
        errors = check(record.read_text() if record.exists() else "", "")
        if status.exists():
            print(f"PyChess: {status.read_text().strip()}")
    if not in_time:
        errors.append(f"the game was not over after {settings.limit:g} s")
    for error in errors:
        print(f"error: {error}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
