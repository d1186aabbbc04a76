#!/usr/bin/env python3
"""Measures the strength levels by matches between them and fits one Elo scale to the results.

    python3 scripts/levels.py [--engine target/release/brisance] [--folder target/levels] [--games 200]

The games are kept in the folder, so an interrupted run continues. The full-strength engine with
10,000 nodes per move is fixed at 2500. The other ratings maximise the likelihood of the results,
with a draw as half a win and half a loss (Bradley and Terry). Their errors (95 %) are relative to
the fixed rating.
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
# Change of the log odds per Elo.
PER_ELO = np.log(10) / 400


def player(name: int | str) -> str:
    if name == ANCHOR:
        return f"self name='{ANCHOR}' nodes={ANCHOR_NODES}"
    return f"self name='level {name}' 'option.Skill Level={name}'"


def play(args: argparse.Namespace, first: int | str, second: int | str) -> tuple[int, int, int]:
    """Wins, draws and losses of the first player."""
    name = f"{first}-{second}".replace(" ", "-").replace(",", "")
    command = [
        args.engine, "match", "--engine", player(first), "--engine", player(second),
        "--nodes", "1000000", "--games", str(args.games), "--concurrency", str(args.concurrency),
        "--openings", str(ROOT / "book/openings.epd"), "--seed", "21",
        "--pgn", str(args.folder / f"{name}.pgn"), "--resume", "--json",
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"the match of {first} against {second} failed; run the same command again to continue")
    pairing = json.loads(done.stdout)["pairings"][0]
    return pairing["wins"], pairing["draws"], pairing["losses"]


def fit(results: list[tuple[int | str, int | str, tuple[int, int, int]]]) -> dict:
    """Elo and its error for each level, by Newton's method."""
    levels = sorted({player for first, second, _ in results for player in (first, second) if player != ANCHOR})
    elo = np.full(len(levels), ANCHOR_ELO)
    for _ in range(100):
        slope, curvature = np.zeros(len(levels)), np.zeros((len(levels),) * 2)
        for first, second, (wins, draws, losses) in results:
            games = wins + draws + losses
            # The derivative of the rating difference by each level.
            sign = np.array([float(first == level) - float(second == level) for level in levels])
            fixed = ANCHOR_ELO * (float(first == ANCHOR) - float(second == ANCHOR))
            expected = 1 / (1 + np.exp(-PER_ELO * (sign @ elo + fixed)))
            slope += PER_ELO * (wins + draws / 2 - games * expected) * sign
            curvature += PER_ELO**2 * games * expected * (1 - expected) * np.outer(sign, sign)
        elo += np.clip(np.linalg.solve(curvature, slope), -100, 100)
    errors = 1.96 * np.sqrt(np.diag(np.linalg.inv(curvature)))
    return {level: (elo[index], errors[index]) for index, level in enumerate(levels)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default=str(ROOT / "target/release/brisance"))
    parser.add_argument("--folder", type=Path, default=ROOT / "target/levels")
    parser.add_argument("--games", type=int, default=200, help="games per match, an even number (default: 200)")
    parser.add_argument("--concurrency", type=int, default=2, help="games in parallel (default: 2)")
    args = parser.parse_args()
    if shutil.which(args.engine) is None:
        parser.error(f"{args.engine} is not a program; run cargo build --release")
    args.folder.mkdir(parents=True, exist_ok=True)
    results = []
    for first, second in PAIRINGS:
        scored = play(args, first, second)
        results.append((first, second, scored))
        print(f"{first} against {second}: {scored[0]} wins, {scored[1]} draws, {scored[2]} losses", flush=True)
    for level, (elo, error) in fit(results).items():
        print(f"level {level}: {elo:.0f} ± {error:.0f}")


if __name__ == "__main__":
    main()
