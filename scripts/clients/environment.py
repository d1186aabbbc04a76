"""Gives the scripts beside this one python-chess, in an environment of its own if need be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / "target" / "python-chess-venv"
REQUIREMENT = "chess==1.11.2"


def give_up(message: str) -> None:
    print(message, file=sys.stderr)
    sys.exit(2)


def restart_with_python_chess() -> None:
    """Starts the running script again in a virtual environment that has python-chess."""
    python = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if Path(sys.prefix).resolve() == VENV.resolve():
        give_up(f"python-chess is broken in {VENV}; remove that folder and try again")
    if not python.exists() or not imports_chess(python):
        print(f"python-chess is not installed; putting {REQUIREMENT} into {VENV}", flush=True)
        for step in (
            [sys.executable, "-m", "venv", str(VENV)],
            [str(python), "-m", "pip", "install", "--quiet", REQUIREMENT],
        ):
            try:
                subprocess.run(step, check=True)
            except (OSError, subprocess.CalledProcessError) as error:
                give_up(
                    f"could not install {REQUIREMENT} ({error}).\n"
                    "Without access to a package index, install it some other way and run\n"
                    "this script with the Python that has it."
                )
    # Not exec: on Windows that would return to the shell at once.
    sys.exit(subprocess.run([str(python), *sys.argv]).returncode)


def imports_chess(python: Path) -> bool:
    check = [str(python), "-c", "import chess.engine, chess.variant"]
    return subprocess.run(check, stderr=subprocess.DEVNULL).returncode == 0
