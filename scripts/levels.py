#!/usr/bin/env python3
"""Measures the strength levels: matches between them, and one scale fitted to all.

    python3 scripts/levels.py [--engine target/release/brisance] [--folder target/levels] [--games 200]

The games stay in the folder; a run that was cut off goes on. The whole engine with 10,000 nodes a
move is 2500, and the other strengths are those under which the results are likeliest, a draw counted
as half a win and half a loss (Bradley and Terry). Their errors, 95 %, are those against the anchor.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "scripts/clients"))
from environment import restart_with

try:
    import numpy as np
except ImportError:
    restart_with("levels", ["numpy"], "import numpy")

ANCHOR = "10,000 nodes"
ANCHOR_ELO = 2500.0
ANCHOR_NODES = 10_000
PAIRINGS = [
    *[(low, low + 2) for low in range(0, 18, 2)],
    (18, 19),
    *[(level, ANCHOR) for level in (12, 14, 16, 18, 19)],
]
# The logarithm of the odds grows by so much with each point of Elo.
PER_ELO = np.log(10) / 400


def player(who: int | str) -> str:
    if who == ANCHOR:
        return f"self name='{ANCHOR}' nodes={ANCHOR_NODES}"
    return f"self name='level {who}' 'option.Skill Level={who}'"


def play(args: argparse.Namespace, first: int | str, second: int | str) -> tuple[int, int, int]:
    """Wins, draws and losses of the first."""
    name = f"{first}-{second}".replace(" ", "-").replace(",", "")
    command = [
        args.engine, "match", "--engine", player(first), "--engine", player(second),
        "--nodes", "1000000", "--games", str(args.games), "--concurrency", str(args.concurrency),
        "--openings", str(ROOT / "book/openings.epd"), "--seed", "21",
        "--pgn", str(args.folder / f"{name}.pgn"), "--resume", "--json",
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"the match of {first} against {second} failed; the same command goes on with it")
    pairing = json.loads(done.stdout)["pairings"][0]
    return pairing["wins"], pairing["draws"], pairing["losses"]


def fit(results: list[tuple[int | str, int | str, tuple[int, int, int]]]) -> dict:
    """Elo and its error for each level, by Newton's method."""
    levels = sorted({who for first, second, _ in results for who in (first, second) if who != ANCHOR})
    elo = np.full(len(levels), ANCHOR_ELO)
    for _ in range(100):
        slope, curvature = np.zeros(len(levels)), np.zeros((len(levels),) * 2)
        for first, second, (wins, draws, losses) in results:
            games = wins + draws + losses
            # Which way the difference of the two moves with each level.
            way = np.array([float(first == level) - float(second == level) for level in levels])
            fixed = ANCHOR_ELO * (float(first == ANCHOR) - float(second == ANCHOR))
            expected = 1 / (1 + np.exp(-PER_ELO * (way @ elo + fixed)))
            slope += PER_ELO * (wins + draws / 2 - games * expected) * way
            curvature += PER_ELO**2 * games * expected * (1 - expected) * np.outer(way, way)
        elo += np.clip(np.linalg.solve(curvature, slope), -100, 100)
    errors = 1.96 * np.sqrt(np.diag(np.linalg.inv(curvature)))
    return {level: (elo[index], errors[index]) for index, level in enumerate(levels)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default=str(ROOT / "target/release/brisance"))
    parser.add_argument("--folder", type=Path, default=ROOT / "target/levels")
    parser.add_argument("--games", type=int, default=200, help="a match (200), an even number")
    parser.add_argument("--concurrency", type=int, default=2, help="games at a time (2)")
    args = parser.parse_args()
    if shutil.which(args.engine) is None:
        parser.error(f"{args.engine} is no program; cargo build --release makes one")
    args.folder.mkdir(parents=True, exist_ok=True)
    results = []
    for first, second in PAIRINGS:
        scored = play(args, first, second)
        results.append((first, second, scored))
        print(f"{first} against {second}: won {scored[0]}, drawn {scored[1]}, lost {scored[2]}", flush=True)
    for level, (elo, error) in fit(results).items():
        print(f"level {level}: {elo:.0f} ± {error:.0f}")


if __name__ == "__main__":
    main()
