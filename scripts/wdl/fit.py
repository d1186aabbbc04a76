#!/usr/bin/env python3
"""Fits a model of win, draw and loss probabilities to the games of `brisance match`.

    brisance match --engine "self name=a nodes=20000" --engine "self name=b nodes=24000" \\
        --games 5000 --openings book/openings.epd --seed 18 --pgn target/games.pgn
    python3 scripts/wdl/fit.py target/games.pgn --plot scripts/wdl/wdl.svg

The two players need different numbers of nodes, because otherwise both games of a pair are equal;
games on a clock differ anyway. Do not use --draw, --resign or --max-moves: a game that is
adjudicated by its score is no evidence.

The model: with value v and n pieces on the board the side to move wins with probability
1 / (1 + exp((c - v) / w)) and loses with that of -v, where log c and log w are polynomials of
degree two in (n - 16) / 16, fitted by maximum likelihood. Scores in the PGN are converted back to
internal values with the constants in src/eval/wdl.rs, which must be those of the binary that
played; --raw is for binaries without them.

Every fifth opening is held out: its games are compared with the predictions. Mate scores,
tablebase scores and exact draws are not evaluations and are ignored. All scores of a game with the
same number of pieces have a total weight of one, so that a few long endings do not dominate.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "clients"))
from environment import restart_with

try:
    import chess.pgn
    import chess.variant
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    import numpy as np
except ImportError:
    restart_with("wdl", ["chess==1.11.2", "numpy", "matplotlib"], "import chess, numpy, matplotlib")

SOURCE = Path(__file__).resolve().parents[2] / "src/eval/wdl.rs"
SCORE = re.compile(r"([+-]\d+\.\d+)/")
MAX_VALUE = 3000
HELD_OUT = 5
MIN_PIECES = 4


def powers(pieces: np.ndarray) -> np.ndarray:
    x = (np.clip(pieces, MIN_PIECES, 32) - 16) / 16
    return np.stack([x**0, x, x**2], 1)


def constants() -> tuple[np.ndarray, np.ndarray]:
    """The constants in the source: centre and width."""
    text = SOURCE.read_text()
    found = [re.search(name + r": \[f64; 3\] = \[([^\]]*)\]", text) for name in ("CENTRE", "WIDTH")]
    return tuple(np.array([float(word) for word in match[1].split(",")]) for match in found)


def read(paths: list[Path], raw: bool) -> np.ndarray:
    """One row per move: opening, game, pieces, value, result (2 won, 1 drawn, 0 lost by the mover)."""
    rows, game_number = [], 0
    for path in paths:
        with path.open() as file:
            while (game := chess.pgn.read_game(file)) is not None:
                result = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}.get(game.headers["Result"])
                if game.headers.get("Termination") != "normal" or result is None:
                    continue
                opening = int(game.headers["Round"].split(".")[0])
                board = game.board()
                for node in game.mainline():
                    pieces = chess.popcount(board.occupied)
                    if score := SCORE.match(node.comment):
                        own = result if board.turn else 2 - result
                        rows.append((opening, game_number, pieces, float(score[1]) * 100, own))
                    board.push(node.move)
                game_number += 1
    table = np.array(rows)
    if not raw:
        table[:, 3] *= np.exp(powers(table[:, 2]) @ constants()[0]) / 100
    return table


def probabilities(parameters: np.ndarray, pieces: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Columns: loss, draw, win."""
    x = powers(pieces)
    centre, width = np.exp(x @ parameters[:3]), np.exp(x @ parameters[3:])
    win, loss = (1 / (1 + np.exp((centre - sign * values) / width)) for sign in (1, -1))
    return np.stack([loss, 1 - win - loss, win], 1)


def loss(parameters: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> float:
    """Minus the mean logarithm of the chance given to what happened; rows: pieces, value, result."""
    prediction = probabilities(parameters, rows[:, 0], rows[:, 1])
    seen = prediction[np.arange(len(rows)), rows[:, 2].astype(int)]
    return -(np.log(np.maximum(seen, 1e-9)) * weight).sum() / weight.sum()


def weights(table: np.ndarray) -> np.ndarray:
    """Weights with sum one for all rows of a game with the same number of pieces."""
    _, which, counts = np.unique(table[:, 1:3], axis=0, return_inverse=True, return_counts=True)
    return 1 / counts[which.ravel()]


def fit(table: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The parameters of maximum likelihood, by BFGS with numerical gradients."""
    keys, which = np.unique(np.round(table[:, 2:]), axis=0, return_inverse=True)
    cells = np.column_stack([keys, np.bincount(which.ravel(), weight)])

    def cost(parameters: np.ndarray) -> float:
        return loss(parameters, cells[:, :3], cells[:, 3])

    def gradient(at: np.ndarray) -> np.ndarray:
        step = 1e-4
        return np.array([(cost(at + step * e) - cost(at - step * e)) / (2 * step) for e in unit])

    unit = np.eye(6)
    at, inverse = np.array([5.0, 0, 0, 5.0, 0, 0]), np.eye(6)
    here, down = cost(at), gradient(at)
    for _ in range(200):
        way, length = -inverse @ down, 1.0
        while cost(at + length * way) > here + 1e-4 * length * (down @ way) and length > 1e-9:
            length /= 2
        moved = length * way
        changed = gradient(at + moved) - down
        at, down, before, here = at + moved, down + changed, here, cost(at + moved)
        if before - here < 1e-10:
            break
        if (product := moved @ changed) > 1e-14:
            turn = unit - np.outer(moved, changed) / product
            inverse = turn @ inverse @ turn.T + np.outer(moved, moved) / product
    return at


def reliability(parameters: np.ndarray, table: np.ndarray, weight: np.ndarray) -> None:
    """Prints predictions and results by predicted probability."""
    prediction = probabilities(parameters, table[:, 2], table[:, 3])
    print("\nheld-out games by predicted probability: mean prediction, result, (weight)")
    print("probability   " + "".join(f"{name:26}" for name in ("win", "draw", "loss")))
    for low in np.arange(10) / 10:
        words = []
        for outcome in (2, 1, 0):
            part = (prediction[:, outcome] >= low) & (prediction[:, outcome] < low + 0.1)
            if not part.any():
                words.append(" " * 22)
                continue
            mean = np.average(prediction[part, outcome], weights=weight[part])
            seen = np.average(table[part, 4] == outcome, weights=weight[part])
            words.append(f"{mean:5.3f}  {seen:5.3f}  ({weight[part].sum():6.0f})")
        print(f"{low:.1f} to {low + 0.1:.1f}    " + "    ".join(words))


def cells(table: np.ndarray, weight: np.ndarray) -> list[tuple[float, ...]]:
    """Results by pieces and value: means of both, weights of won, drawn and lost games."""
    edges = [-MAX_VALUE - 1, -900, -600, -400, -300, -200, -140, -90, -45, 0]
    edges += [-edge for edge in edges[-2::-1]]
    pieces, values, found = table[:, 2], table[:, 3], []
    for low in range(2, 32, 5):
        for left, right in zip(edges, edges[1:]):
            part = (pieces > low) & (pieces <= low + 5) & (values > left) & (values <= right)
            own = weight[part]
            if own.sum() >= 10:
                counts = np.bincount(table[part, 4].astype(int), own, minlength=3)[::-1]
                means = (np.average(column[part], weights=own) for column in (pieces, values))
                found.append((*means, *counts))
    return found


def draw(parameters: np.ndarray, spread: np.ndarray, points: np.ndarray, path: Path) -> None:
    plt.rcParams.update({"svg.hashsalt": "wdl", "svg.fonttype": "none", "font.size": 9})
    figure, axes = plt.subplots(1, 4, figsize=(13, 3.2), layout="constrained")
    values = np.linspace(-1000, 1000, 201)
    colours = ("tab:green", "tab:gray", "tab:red")
    for axis, (low, high) in zip(axes, ((22, 32), (12, 17), (2, 12))):
        near = points[(points[:, 0] > low) & (points[:, 0] <= high)]
        total = near[:, 2:].sum(1)
        # Few games leave no points; the curve is then that of the middle.
        pieces = near[:, 0] @ total / total.sum() if len(near) else (low + 1 + high) / 2
        curves = probabilities(parameters, np.full(len(values), pieces), values)
        for index, (name, colour) in enumerate(zip(("win", "draw", "loss"), colours)):
            axis.plot(values, curves[:, 2 - index], color=colour, label=name)
            axis.scatter(near[:, 1], near[:, 2 + index] / total, s=8, color=colour, alpha=0.7)
        axis.set(title=f"{low + 1} to {high} pieces", xlabel="internal value", xlim=(-1000, 1000))
    axes[0].legend(loc="center left")
    pieces = np.arange(MIN_PIECES, 33)
    low, high = np.percentile([np.exp(powers(pieces) @ each[:3]) for each in spread], (2.5, 97.5), 0)
    axes[3].fill_between(pieces, low, high, alpha=0.3)
    axes[3].plot(pieces, np.exp(powers(pieces) @ parameters[:3]))
    axes[3].set(title="internal value of +1.00", xlabel="pieces on the board", ylim=(0, None))
    figure.savefig(path, metadata={"Date": None})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="+", type=Path, help="PGN files of brisance match")
    parser.add_argument("--raw", action="store_true", help="scores are internal values / 100")
    parser.add_argument("--plot", type=Path, help="the SVG to write")
    parser.add_argument("--counts", type=Path, help="the table of held-out counts to write")
    parser.add_argument("--resamples", type=int, default=20, help="resamples for the errors (default: 20)")
    arguments = parser.parse_args()
    for output in (arguments.plot, arguments.counts):
        if output and output.exists() and any(output.samefile(game) for game in arguments.games):
            parser.error(f"{output} is an input; use another file")

    table = read(arguments.games, arguments.raw)
    games = len(np.unique(table[:, 1]))
    even = table[:, 3] == 0
    print(f"{games} games, {len(table)} scores without mates, {even.sum()} of them exactly 0")
    print(f"of those with exactly 0, {100 * (table[even, 4] == 1).mean():.0f} % were drawn")
    table = table[~even & (np.abs(table[:, 3]) <= MAX_VALUE)]
    is_held = table[:, 0] % HELD_OUT == 0
    fitted, held = table[~is_held], table[is_held]
    weight, held_weight = weights(fitted), weights(held)
    parameters = fit(fitted, weight)
    print("\nfor src/eval/wdl.rs:")
    for name, part in (("CENTRE", parameters[:3]), ("WIDTH", parameters[3:])):
        print(f"const {name}: [f64; 3] = [{', '.join(f'{number:.4f}' for number in part)}];")

    rng, openings = np.random.default_rng(1), np.unique(fitted[:, 0])
    rows = {opening: np.flatnonzero(fitted[:, 0] == opening) for opening in openings}
    spread = []
    for _ in range(arguments.resamples):
        chosen = np.concatenate([rows[o] for o in rng.choice(openings, len(openings))])
        spread.append(fit(fitted[chosen], weight[chosen]))
    spread = np.array(spread)
    pieces = np.array([32, 28, 24, 20, 16, 12, 8, 6])
    print("\npieces +1.00 is    error (95 %)   width")
    for index, count in enumerate(pieces):
        x = powers(pieces)[index]
        error = 1.96 * np.exp(spread[:, :3] @ x).std()
        print(f"{count:3}   {np.exp(x @ parameters[:3]):8.1f}   ±{error:6.1f}   {np.exp(x @ parameters[3:]):12.1f}")

    base = np.bincount(held[:, 4].astype(int), held_weight, minlength=3) / held_weight.sum()
    source = np.concatenate(constants())
    print(f"\nlog loss: on the games fitted {loss(parameters, fitted[:, 2:], weight):.4f}, "
          f"held out {loss(parameters, held[:, 2:], held_weight):.4f}, "
          f"by the constants in the source {loss(source, held[:, 2:], held_weight):.4f}, "
          f"without any score {-(base * np.log(base)).sum():.4f}")
    reliability(parameters, held, held_weight)
    points = cells(held, held_weight)
    if arguments.plot:
        draw(parameters, spread, np.array(points).reshape(-1, 5), arguments.plot)
    if arguments.counts:
        lines = ["# Held-out games, by scripts/wdl/fit.py: pieces and internal value (means), then",
                 "# the weights of games won, drawn and lost by the side to move."]
        lines += [f"{point[0]:.2f} {point[1]:.1f} " + " ".join(f"{n:.1f}" for n in point[2:]) for point in points]
        arguments.counts.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
