"""Provides the Python packages of the other scripts, in virtual environments."""

from __future__ import annotations

import atexit
import os
import runpy
import select
import subprocess
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from unittest.mock import MagicMock

ROOT = Path(__file__).resolve().parents[2]


def stdout_is_closed() -> bool:
    """Whether the reader of standard output has gone, as in `… | head`. Then nothing more is written."""
    try:
        sys.stdout.flush()
        if not hasattr(select, "poll"):
            return False
        poll = select.poll()
        poll.register(sys.stdout, 0)
        closed = any(event & select.POLLERR for _, event in poll.poll(0))
    except BrokenPipeError:
        closed = True
    if closed:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return closed


def report(kind: type, error: BaseException, trace: object) -> None:
    """Prints an uncaught exception, except one that comes of a closed standard output."""
    if not (kind is BrokenPipeError and stdout_is_closed()):
        sys.__excepthook__(kind, error, trace)


# The scripts that import this module end silently when nobody reads their output any more.
sys.excepthook = report
atexit.register(stdout_is_closed)


def give_up(message: str) -> None:
    print(message, file=sys.stderr)
    sys.exit(2)


def restart_with_python_chess() -> None:
    """Restarts the running script in an environment with python-chess."""
    restart_with("python-chess", ["chess==1.11.2"], "import chess.engine, chess.variant")


def restart_with(name: str, requirements: list[str], check: str) -> None:
    """Restarts the running script in a virtual environment with the given packages.

    `check` is a line of Python that fails if a package is missing. For `--help` nothing is
    installed.
    """
    if {"-h", "--help"} & set(sys.argv[1:]):
        show_help(check)
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


class StandIns(MetaPathFinder, Loader):
    """Stands in for missing packages, so that a script gets as far as its help."""

    def __init__(self, packages: set[str]) -> None:
        self.packages = packages

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        missing = name.partition(".")[0] in self.packages
        return ModuleSpec(name, self, is_package=True) if missing else None

    def create_module(self, spec: ModuleSpec) -> MagicMock:
        return MagicMock(__path__=[])

    def exec_module(self, module: MagicMock) -> None:
        pass


def show_help(check: str) -> None:
    """Prints the help of the running script, whose packages are missing, and exits."""
    packages = {name.partition(".")[0] for name in check.removeprefix("import ").split(", ")}
    sys.meta_path.insert(0, StandIns(packages))
    # Packages, and modules of these scripts that were left in the middle of their imports.
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        unfinished = Path(file).is_relative_to(ROOT / "scripts")
        if name.partition(".")[0] in packages or unfinished and name not in (__name__, "__main__"):
            del sys.modules[name]
    runpy.run_path(sys.argv[0], run_name="__main__")
    sys.exit(0)


def runs(python: Path, line: str) -> bool:
    return subprocess.run([str(python), "-c", line], stderr=subprocess.DEVNULL).returncode == 0
