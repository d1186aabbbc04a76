#!/usr/bin/env python3
"""Collects forced wins that a short search misses, from self-play.

Each game starts from an opening of the book and is played with a few hundred nodes per move until
one side finds a forced win. An earlier position of the winner is kept if `brisance solve` proves
that it is won, and if the move played there does not win or the win is long. Every winning first
move in the list is proved. A game contributes at most one position. All limits are node counts, so
the same binary, seed and number of games produce the same file.

    python3 scripts/tactics.py --force               # the list in engine-tests/data
    python3 scripts/tactics.py --variant nocheckatomic --count 12 --out no-check.epd

A line has the winning moves (`bm`), the length of the shortest known proof (`c0`), the type of the
first move (`c1`) and the number of the game (`id`).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
HEADER = """\
# Forced wins from self-play, all proved. Made by
# scripts/tactics.py --variant {variant} --seed {seed} --count {count}
# bm: all first moves with a proof; c0: the shortest known proof; c1: the type of the first move.
"""


def main() -> int:
    settings = arguments()
    if not settings.engine.exists():
        print(f"no binary at {settings.engine}; build it or use --engine PATH", file=sys.stderr)
        return 2
    if settings.out.exists() and not settings.force:
        print(f"{settings.out} exists; use --force to replace it", file=sys.stderr)
        return 1
    openings = [line for line in settings.openings.read_text().splitlines() if line]
    rng = random.Random(settings.seed)
    games = [(number, rng.choice(openings)) for number in range(1, settings.games + 1)]
    found: list[str] = []
    # The old list stays until the new one is complete.
    part = settings.out.with_name(settings.out.name + ".part")
    with ThreadPoolExecutor(settings.jobs) as pool, part.open("w") as out:
        out.write(HEADER.format(**vars(settings)))
        for number, line in enumerate(pool.map(lambda game: search(settings, *game), games), 1):
            if line is None:
                continue
            found.append(line)
            print(line, file=out, flush=True)
            print(f"{len(found)} of {number} games: {line}", flush=True)
            if len(found) == settings.count:
                pool.shutdown(cancel_futures=True)
                break
    part.replace(settings.out)
    print(f"{len(found)} positions in {settings.out}")
    return 0 if len(found) == settings.count else 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    suffix = ".exe" if os.name == "nt" else ""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser.add_argument("--engine", type=Path, default=target / f"release/brisance{suffix}")
    parser.add_argument("--out", type=Path, default=ROOT / "engine-tests/data/tactics.epd")
    parser.add_argument("--force", action="store_true", help="replace an existing --out file")
    parser.add_argument("--openings", type=Path, default=ROOT / "book/openings.epd")
    parser.add_argument("--variant", default="atomic")
    parser.add_argument("--count", type=int, default=140, help="number of positions")
    parser.add_argument("--games", type=int, default=2000, help="maximum number of games")
    parser.add_argument("--nodes", type=int, default=500, help="nodes per move of the games")
    parser.add_argument("--first", type=int, default=150_000, help="nodes to prove that a position is won")
    parser.add_argument("--each", type=int, default=120_000, help="nodes to prove each first move")
    parser.add_argument("--look", type=int, default=200_000, help="nodes of the long search")
    parser.add_argument("--long", type=int, default=3_000_000, help="nodes to prove the move of the long search")
    parser.add_argument("--most", type=int, default=3, help="maximum number of winning first moves")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="games in parallel")
    return parser.parse_args()


class GamePosition(NamedTuple):
    """A position of a game, as the first four fields of a FEN."""

    fen: str
    played: str
    in_check: bool


class Player:
    """The engine over UCI."""

    def __init__(self, settings: argparse.Namespace) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([settings.engine], stdin=pipe, stdout=pipe, text=True)
        self.send("setoption name Hash value 1")
        self.send(f"setoption name UCI_Variant value {settings.variant}")

    def send(self, line: str) -> None:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read_until(self, start: str) -> list[str]:
        lines = [self.process.stdout.readline()]
        while not lines[-1].startswith(start):
            if not lines[-1]:
                raise RuntimeError("the engine exited")
            lines.append(self.process.stdout.readline())
        return lines

    def set_position(self, fen: str, moves: list[str]) -> tuple[str, bool]:
        """Sets the position. Returns its FEN and whether the side to move is in check."""
        self.send(f"position fen {fen} moves {' '.join(moves)}")
        self.send("d")
        lines = self.read_until("Variant:")
        value = {line.split(":")[0]: line.split(":", 1)[1].strip() for line in lines if ":" in line}
        return value["Fen"], bool(value["Checkers"])

    def go(self, nodes: int) -> tuple[str, bool]:
        """The best move of a search with an empty TT, and whether it found a mate."""
        self.send("ucinewgame")
        self.send(f"go nodes {nodes}")
        lines = self.read_until("bestmove")
        scores = [line.split(" score ")[1] for line in lines if " score " in line]
        is_mate = bool(scores) and scores[-1].startswith("mate ") and int(scores[-1].split()[1]) > 0
        return lines[-1].split()[1], is_mate

    def close(self) -> None:
        self.send("quit")
        self.process.wait()


def search(settings: argparse.Namespace, number: int, opening: str) -> str | None:
    """Plays a game until one side finds a win. Returns the line of an earlier position of it."""
    start = " ".join(opening.split()[:4]) + " 0 1"
    moves: list[str] = []
    positions: list[GamePosition] = []
    player = Player(settings)
    try:
        while len(moves) < 240:
            text, in_check = player.set_position(start, moves)
            played, is_mate = player.go(settings.nodes)
            if played == "(none)":
                return None
            if is_mate:
                return missed(settings, number, positions[-2::-2])
            # Without the clock, because the list does not have it.
            positions.append(GamePosition(" ".join(text.split()[:4]), played, in_check))
            moves.append(played)
        return None
    finally:
        player.close()


def missed(settings: argparse.Namespace, number: int, positions: list[GamePosition]) -> str | None:
    """The line of the earliest suitable position; `positions` are the winner's, newest first."""
    won = []
    for position in positions[:8]:
        if not solve(settings, position.fen, settings.first):
            break
        won.append(position)
    lines = (epd_line(settings, number, position) for position in reversed(won[-3:]))
    return next((line for line in lines if line is not None), None)


def solve(settings: argparse.Namespace, fen: str, nodes: int, *words: str) -> list[dict]:
    """The results of `brisance solve` that are proved wins."""
    command = [settings.engine, "solve", fen, "--variant", settings.variant, "--json"]
    command += ["--hash", "8", "--nodes", str(nodes), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{fen}: {done.stderr}")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [answer for answer in answers if answer.get("verdict") == "proved"]


def epd_line(settings: argparse.Namespace, number: int, position: GamePosition) -> str | None:
    """The EPD line of a position, or None if the win is too easy or has too many solutions."""
    fen = position.fen
    wins = solve(settings, fen, settings.each, "--every-move")
    shortest = min((win["proof"]["moves"] for win in wins), default=0)
    uci = [win["first_move"]["uci"] for win in wins]
    if not 1 <= len(wins) <= settings.most or shortest < 2 or (position.played in uci and shortest < 4):
        return None
    wins.sort(key=lambda win: win["proof"]["moves"])
    # The move of a long search may be another win that needs a longer proof.
    chosen = long_search(settings, fen)
    if chosen not in uci:
        also = solve(settings, fen, settings.long, "--moves", chosen, "--for", "other")
        if not also:
            return None
        san = to_san(settings, fen, chosen)
        wins.append({"first_move": {"uci": chosen, "san": san}, "proof": also[0]["proof"]})
    for within in range(shortest - 1, 0, -1):
        shorter = solve(settings, fen, settings.each, "--within", str(within))
        if not shorter:
            break
        shortest = shorter[0]["proof"]["moves"]
    themes = ", ".join(describe(fen, wins[0]["first_move"], position.in_check))
    best = " ".join(win["first_move"]["san"] for win in wins)
    length = f"win within {shortest} move{'s' if shortest > 1 else ''}"
    return f'{fen} bm {best}; c0 "{length}"; c1 "{themes}"; id "game {number}";'


def long_search(settings: argparse.Namespace, fen: str) -> str:
    """The best move of a search that is long enough to find the win."""
    player = Player(settings)
    try:
        player.set_position(fen, [])
        return player.go(settings.look)[0]
    finally:
        player.close()


def to_san(settings: argparse.Namespace, fen: str, uci: str) -> str:
    """A move in SAN."""
    command = [settings.engine, "solve", fen, "--variant", settings.variant, "--json"]
    command += ["--every-move", "--nodes", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    moves = [json.loads(line)["first_move"] for line in done.stdout.splitlines()]
    return next(move["san"] for move in moves if move["uci"] == uci)


def describe(fen: str, move: dict, in_check: bool) -> list[str]:
    """The type of a first move in a few words."""
    pieces = board(fen)
    uci, san = move["uci"], move["san"]
    mover, target = pieces[uci[:2]], pieces.get(uci[2:4])
    names = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
    castles = san.startswith("O-O")
    takes = not castles and (target is not None or (mover in "pP" and uci[0] != uci[2]))
    themes = [f"{names[mover.lower()]} {'takes' if takes else 'castles' if castles else 'moves'}"]
    if takes and target is None:
        themes.append("en passant")
    if len(uci) > 4:
        themes.append("promotion")
    if in_check:
        themes.append("out of check")
    if not takes and "+" in san:
        themes.append("with check")
    kings = [square for square, piece in pieces.items() if piece in "kK"]
    if max(abs(ord(a) - ord(b)) for a, b in zip(*kings)) == 1:
        themes.append("touching kings")
    if not takes and is_offered(pieces, uci):
        themes.append("offered")
    return themes


def board(fen: str) -> dict[str, str]:
    """The pieces by square."""
    pieces = {}
    for rank, row in zip("87654321", fen.split()[0].split("/")):
        file = 0
        for sign in row:
            if sign.isdigit():
                file += int(sign)
            else:
                pieces["abcdefgh"[file] + rank] = sign
                file += 1
    return pieces


def is_offered(pieces: dict[str, str], uci: str) -> bool:
    """Whether a piece moves to a square that an enemy pawn or knight attacks."""
    mover = pieces[uci[:2]]
    if mover in "pPkK":
        return False
    white = mover.isupper()
    file, rank = ord(uci[2]), ord(uci[3])
    pawn, knight = ("p", "n") if white else ("P", "N")
    up = 1 if white else -1
    pawns = [(-1, up), (1, up)]
    knights = [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)]
    return any(
        pieces.get(chr(file + a) + chr(rank + b)) == piece
        for piece, steps in ((pawn, pawns), (knight, knights))
        for a, b in steps
    )


if __name__ == "__main__":
    sys.exit(main())
