"""Provides the Python packages of the other scripts, in virtual environments."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def give_up(message: str) -> None:
    print(message, file=sys.stderr)
    sys.exit(2)


def restart_with_python_chess() -> None:
    """Restarts the running script in an environment with python-chess."""
    restart_with("python-chess", ["chess==1.11.2"], "import chess.engine, chess.variant")


def restart_with(name: str, requirements: list[str], check: str) -> None:
    """Restarts the running script in a virtual environment with the given packages.

    `check` is a line of Python that fails if a package is missing.
    """
    packages = " ".join(requirements)
    venv = ROOT / "target" / f"{name}-venv"
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if Path(sys.prefix).resolve() == venv.resolve():
        give_up(f"{name} is broken in {venv}; remove that folder and try again")
    if not python.exists() or not runs(python, check):
        print(f"{name} is not installed here; installing {packages} into {venv}", flush=True)
        for step in (
            [sys.executable, "-m", "venv", str(venv)],
            [str(python), "-m", "pip", "install", "--quiet", *requirements],
        ):
            try:
                subprocess.run(step, check=True)
            except (OSError, subprocess.CalledProcessError) as error:
                give_up(
                    f"could not install {packages} ({error}).\n"
                    "Without access to a package index, install it in another way and run\n"
                    "this script with that Python."
                )
    # On Windows, exec would return to the shell at once.
    sys.exit(subprocess.run([str(python), *sys.argv]).returncode)


def runs(python: Path, line: str) -> bool:
    return subprocess.run([str(python), "-c", line], stderr=subprocess.DEVNULL).returncode == 0
