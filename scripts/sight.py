#!/usr/bin/env python3
"""How soon forced wins are seen: nodes until the search announces them, with options changed.

    cargo build --release --features tune --target-dir target/tune
    python3 scripts/sight.py target/tune/release/brisance lmr_pv=0,70 rfp_depth=5+rfp_margin=60

Each argument is a setting of options of the engine: `+` joins several, and a list of values makes a
setting of each. All are held against the options' own values on `engine-tests/data/tactics.epd`,
position by position; -1 is twice as soon. A win counts as seen with the first whole iteration that
tells a mate or a win by the tablebases and a first move with a proof; one that is not seen within
--nodes counts as seen after twice as many. Nodes and not seconds are counted, so that other work on
the machine does not matter.

Matches of the engine with itself do not punish what both sides overlook; this does. It says nothing
about anything else, so a change that it likes must not lose a match.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import re
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "scripts/clients"))
from environment import restart_with_python_chess

try:
    import chess.variant
except ImportError:
    restart_with_python_chess()

TACTICS = ROOT / "engine-tests/data/tactics.epd"
SPIN = re.compile(r"option name (.+) type spin default (-?\d+) min (-?\d+) max (-?\d+)")
INFO = re.compile(r"info depth .* score (cp|mate) (-?\d+) (lowerbound|upperbound|).*nodes (\d+).* pv (\S+)")
# The least score of a win by the tablebases, in centipawns.
WON = 15_000


def positions(path: Path) -> list[tuple[str, set[str]]]:
    """Positions and the moves that win, as FEN and UCI."""
    found = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        board = chess.variant.AtomicBoard()
        try:
            best = board.set_epd(line).get("bm", [])
        except ValueError as error:
            sys.exit(f"{path}: line {number}: {error}")
        if not best:
            sys.exit(f"{path}: line {number}: no bm")
        found.append((board.fen(), {move.uci() for move in best}))
    return found


class Engine:
    """A process of the engine with some options set."""

    def __init__(self, path: str, options: dict[str, int]) -> None:
        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.say("uci")
        self.spins = {}
        for line in self.until("uciok"):
            if match := SPIN.match(line):
                self.spins[match[1]] = range(int(match[3]), int(match[4]) + 1)
        self.say("setoption name Hash value 32")
        for name, value in options.items():
            if name not in self.spins:
                sys.exit(f"{path} has no number called {name}; a build with --features tune has more")
            if value not in self.spins[name]:
                ends = self.spins[name]
                sys.exit(f"{name} must be from {ends.start} to {ends.stop - 1}, not {value}")
            self.say(f"setoption name {name} value {value}")

    def close(self) -> None:
        self.say("quit")
        self.process.wait()

    def say(self, line: str) -> None:
        print(line, file=self.process.stdin)

    def until(self, word: str) -> list[str]:
        lines = []
        for line in self.process.stdout:
            if line.startswith(word):
                return lines
            lines.append(line)
        sys.exit("the engine ended before its time")

    def seen(self, fen: str, best: set[str], most: int) -> int | None:
        """Nodes until the win is seen."""
        self.say("ucinewgame")
        self.say(f"position fen {fen}")
        self.say(f"go nodes {most}")
        found = None
        for line in self.process.stdout:
            if line.startswith("bestmove"):
                return found
            match = INFO.match(line)
            if found is None and match and not match[3]:
                won = int(match[2]) >= (1 if match[1] == "mate" else WON)
                if won and match[5] in best:
                    found = int(match[4])
                    self.say("stop")
        sys.exit("the engine ended before its time")


def settings(arguments: list[str]) -> list[dict[str, int]]:
    """What the arguments ask for: `a=1,2+b=3` is two settings."""
    asked = []
    for argument in arguments:
        parts = []
        for part in argument.split("+"):
            name, equals, values = part.partition("=")
            if not equals or not all(re.fullmatch(r"-?\d+", value) for value in values.split(",")):
                sys.exit(f"{argument} is no setting; name=number, name=number,number, or several joined by +")
            parts.append([(name, int(value)) for value in values.split(",")])
        asked.extend(dict(choice) for choice in itertools.product(*parts))
    return asked


def measure(path: str, options: dict[str, int], tasks: list[tuple[str, set[str]]], most: int) -> list[float]:
    """Logarithms to the base 2 of the nodes for each position."""
    engine = Engine(path, options)
    logs = [math.log2(engine.seen(fen, best, most) or 2 * most) for fen, best in tasks]
    engine.close()
    return logs


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("engine")
    parser.add_argument("settings", nargs="*", metavar="NAME=VALUES")
    parser.add_argument("--epd", type=Path, default=TACTICS, help="positions with bm")
    parser.add_argument("--nodes", type=int, default=500_000, help="most nodes a position (500,000)")
    parser.add_argument("--concurrency", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args()
    asked = settings(args.settings)
    try:
        tasks = positions(args.epd)
        # What the engine does not know is told before anything is measured.
        for options in asked:
            Engine(args.engine, options).close()
        base = measure(args.engine, {}, tasks, args.nodes)
    except OSError as error:
        sys.exit(str(error))
    unseen = sum(logs > math.log2(args.nodes) for logs in base)
    print(f"{len(base)} positions, {unseen} not seen; {2 ** statistics.mean(base):.0f} nodes", flush=True)

    def compare(options: dict[str, int]) -> None:
        changes = [b - a for a, b in zip(base, measure(args.engine, options, tasks, args.nodes))]
        error = 1.96 * statistics.stdev(changes) / math.sqrt(len(changes))
        name = " ".join(f"{name}={value}" for name, value in options.items())
        print(f"{statistics.mean(changes):+.2f} ± {error:.2f}  {name}", flush=True)

    with ThreadPoolExecutor(args.concurrency) as pool:
        list(pool.map(compare, asked))


if __name__ == "__main__":
    main()
