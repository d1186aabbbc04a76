#!/usr/bin/env python3
"""Compares the nodes per second of several threads with one.

    python3 scripts/threads.py [--engine target/release/brisance] [--threads 2] [--seconds 3]

Each round searches a position with 1, N and 1 threads. Its ratio is the speed of N threads divided
by the mean speed of one thread before and after.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent / "clients"))
import environment  # noqa: E402, F401

FENS = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqk1nr/p1p4p/4pp2/3p2p1/Pb1PP1P1/1PN2N2/5P1P/R1BQKB1R b KQkq - 2 4",
    "1r4kr/8/1N2pnpB/p1p2P1p/q2P4/1QP1P2P/P3b2R/4K3 b - - 3 20",
    "8/2k2B2/2P1p1r1/p5N1/Ppbp4/1P5p/7K/2B5 b - - 2 30",
]


def speed(engine: str, fen: str, threads: int, seconds: float) -> int:
    """The last nodes per second that the engine reports."""
    with subprocess.Popen(
        [engine], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        process.stdin.write(
            f"setoption name Threads value {threads}\nsetoption name Hash value 64\n"
            f"position fen {fen}\ngo movetime {seconds * 1000:.0f}\n"
        )
        process.stdin.flush()
        last = 0
        for line in process.stdout:
            words = line.split()
            if "nps" in words:
                last = int(words[words.index("nps") + 1])
            if words[:1] == ["bestmove"]:
                break
        process.stdin.write("quit\n")
        process.stdin.flush()
    if last == 0:
        sys.exit(f"{engine} reported no speed")
    return last


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default="target/release/brisance", help="the binary")
    parser.add_argument("--threads", type=int, default=2, help="number of threads (default: 2)")
    parser.add_argument("--seconds", type=float, default=3.0, help="per search (default: 3)")
    parser.add_argument("--rounds", type=int, default=2, help="rounds through the positions (default: 2)")
    args = parser.parse_args()
    if shutil.which(args.engine) is None:
        parser.error(f"{args.engine} is not a program; run cargo build --release")
    ratios = []
    for fen in FENS * args.rounds:
        before, several, after = (
            speed(args.engine, fen, threads, args.seconds) for threads in (1, args.threads, 1)
        )
        ratios.append(2 * several / (before + after))
        print(f"{before} {several} {after}: {ratios[-1]:.3f}", flush=True)
    print(f"median {statistics.median(ratios):.3f}, mean {statistics.mean(ratios):.3f}")


if __name__ == "__main__":
    main()
