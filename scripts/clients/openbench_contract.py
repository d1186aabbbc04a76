#!/usr/bin/env python3
"""Uses the engine as an OpenBench worker does, with Python alone.

`make EXE=…` must build the binary at the given path, under any name; two simultaneous runs of
`bench` must end with the same node count and print nodes and speed; `genfens` must print the
requested positions, quickly and reproducibly.

    python3 scripts/clients/openbench_contract.py
    python3 scripts/clients/openbench_contract.py --engine target/release/brisance   # no make

Exit code: 0 no error, 1 an error, 2 something is missing.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from environment import ROOT, give_up


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", type=Path, help="a binary; without it `make` builds one")
    parser.add_argument("--network", type=Path, help="EVALFILE for make")
    parser.add_argument("--count", type=int, default=20, help="number of positions from genfens")
    return parser.parse_args()


def build(folder: Path, network: Path | None) -> Path:
    """Builds the binary with `make`, under a name as workers use it."""
    if shutil.which("make") is None or shutil.which("cargo") is None:
        give_up("make and cargo are needed; or use --engine PATH")
    target = folder / "Brisance-1A2B3C4D"
    command = ["make", f"EXE={target}"]
    if network is not None:
        command.append(f"EVALFILE={network.resolve()}")
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    suffix = ".exe" if os.name == "nt" else ""
    return target.with_name(target.name + suffix)


def benches(engine: Path) -> list[str]:
    """The errors of two simultaneous benches."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    running = [subprocess.Popen([engine, "bench"], **pipes) for _ in range(2)]
    counts = []
    for process in running:
        output, _ = process.communicate(timeout=600)
        found = re.findall(r"(\d+) nodes (\d+) nps", output)
        if process.returncode != 0 or not found:
            return [f"bench: exit code {process.returncode}, {output.splitlines()[-1:]}"]
        counts.append(int(found[-1][0]))
        print(f"bench: {found[-1][0]} nodes, {found[-1][1]} nps")
    return [] if counts[0] == counts[1] else [f"two benches count {counts[0]} and {counts[1]}"]


def genfens(engine: Path, count: int, seed: int, book: str) -> tuple[list[str], float]:
    """The positions, and the longest time between two of them in seconds."""
    command = [str(engine), f"genfens {count} seed {seed} book {book}", "quit"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    fens, slowest, last = [], 0.0, time.monotonic()
    for line in process.stdout:
        if line.startswith("info string genfens "):
            fens.append(line.removeprefix("info string genfens ").strip())
            slowest, last = max(slowest, time.monotonic() - last), time.monotonic()
    if process.wait() != 0:
        fens = []
    return fens, slowest


def positions(engine: Path, count: int) -> list[str]:
    """The errors of the generated positions."""
    errors = []
    for book in ("None", str(ROOT / "book" / "openings.epd")):
        fens, slowest = genfens(engine, count, 42, book)
        print(f"genfens, book {book}: {len(fens)} positions, the slowest in {slowest:.1f} s")
        if len(fens) != count or len(set(fens)) != count:
            errors.append(f"{len(set(fens))} positions instead of {count}")
        if any(len(fen.split()) != 6 for fen in fens):
            errors.append("a FEN without its six fields")
        if slowest > 15:
            errors.append(f"a position took {slowest:.1f} s, too long for a worker")
        if genfens(engine, count, 42, book)[0] != fens:
            errors.append("the same seed gave different positions")
        if genfens(engine, count, 43, book)[0] == fens:
            errors.append("another seed gave the same positions")
    return errors


def main() -> int:
    settings = arguments()
    with tempfile.TemporaryDirectory() as folder:
        try:
            engine = settings.engine or build(Path(folder), settings.network)
            engine = engine.resolve()
            errors = benches(engine) + positions(engine, settings.count)
        except (OSError, subprocess.SubprocessError) as error:
            give_up(f"{error}")
    for error in errors:
        print(f"error: {error}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
