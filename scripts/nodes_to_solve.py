#!/usr/bin/env python3
"""Counts the nodes that a search needs to find forced wins, for changed engine options.

    cargo build --release --features tune --target-dir target/tune
    python3 scripts/nodes_to_solve.py target/tune/release/brisance lmr_pv=0,70 rfp_depth=5+rfp_margin=60

Each argument is a setting of engine options: `+` joins several options, and a list of values makes
one setting per value. Each setting is compared with the default values on the positions of
`engine-tests/data/tactics.epd`. The result is the mean change in powers of two: -1 means half of
the nodes. A win counts as found at the first complete iteration with a mate or tablebase win and a
proved first move. A win that is not found within --nodes counts as twice that number. The result
does not depend on the load of the machine, because it counts nodes and not seconds.

Self-play does not reveal what both sides miss; these positions do. They test nothing else, so a
change that needs fewer nodes here must also be tested in a match.
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
# The lowest score of a tablebase win, in centipawns.
TB_WIN = 15_000


def positions(path: Path) -> list[tuple[str, set[str]]]:
    """Positions as FEN, and their winning moves as UCI."""
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
    """An engine process with some options set."""

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
                sys.exit(f"{path} has no numeric option {name}; build with --features tune for the search parameters")
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
        sys.exit("the engine exited unexpectedly")

    def nodes_to_solve(self, fen: str, best: set[str], max_nodes: int) -> int | None:
        """Nodes until the win is found, or None."""
        self.say("ucinewgame")
        self.say(f"position fen {fen}")
        self.say(f"go nodes {max_nodes}")
        found = None
        for line in self.process.stdout:
            if line.startswith("bestmove"):
                return found
            match = INFO.match(line)
            if found is None and match and not match[3]:
                won = int(match[2]) >= (1 if match[1] == "mate" else TB_WIN)
                if won and match[5] in best:
                    found = int(match[4])
                    self.say("stop")
        sys.exit("the engine exited unexpectedly")


def settings(arguments: list[str]) -> list[dict[str, int]]:
    """The settings of the arguments: `a=1,2+b=3` is two settings."""
    chosen = []
    for argument in arguments:
        parts = []
        for part in argument.split("+"):
            name, equals, values = part.partition("=")
            if not equals or not all(re.fullmatch(r"-?\d+", value) for value in values.split(",")):
                sys.exit(f"{argument} is not a setting: use name=number, name=number,number, or several joined by +")
            parts.append([(name, int(value)) for value in values.split(",")])
        chosen.extend(dict(choice) for choice in itertools.product(*parts))
    return chosen


def measure(path: str, options: dict[str, int], tasks: list[tuple[str, set[str]]], max_nodes: int) -> list[float]:
    """The base-2 logarithm of the nodes for each position."""
    engine = Engine(path, options)
    logs = [math.log2(engine.nodes_to_solve(fen, best, max_nodes) or 2 * max_nodes) for fen, best in tasks]
    engine.close()
    return logs


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("engine", help="the binary")
    parser.add_argument("settings", nargs="*", metavar="NAME=VALUES")
    parser.add_argument("--epd", type=Path, default=TACTICS, help="positions with best moves (bm)")
    parser.add_argument("--nodes", type=int, default=500_000, help="maximum nodes per position (default: 500,000)")
    parser.add_argument("--concurrency", type=int, default=os.cpu_count() or 1, help="settings measured in parallel")
    args = parser.parse_args()
    chosen = settings(args.settings)
    try:
        tasks = positions(args.epd)
        # Reports unknown options before anything is measured.
        for options in chosen:
            Engine(args.engine, options).close()
        base = measure(args.engine, {}, tasks, args.nodes)
    except OSError as error:
        sys.exit(str(error))
    unsolved = sum(logs > math.log2(args.nodes) for logs in base)
    print(f"{len(base)} positions, {unsolved} not solved; {2 ** statistics.mean(base):.0f} nodes", flush=True)

    def compare(options: dict[str, int]) -> None:
        changes = [b - a for a, b in zip(base, measure(args.engine, options, tasks, args.nodes))]
        error = 1.96 * statistics.stdev(changes) / math.sqrt(len(changes))
        name = " ".join(f"{name}={value}" for name, value in options.items())
        print(f"{statistics.mean(changes):+.2f} ± {error:.2f}  {name}", flush=True)

    with ThreadPoolExecutor(args.concurrency) as pool:
        list(pool.map(compare, chosen))


if __name__ == "__main__":
    main()
