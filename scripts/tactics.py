#!/usr/bin/env python3
"""Collects forced wins that a short search misses, from games of the engine with itself.

Each game begins at an opening of the book and is played with a few hundred nodes a move until
one side sees that it wins. Its earlier positions are looked at: one is kept when `brisance solve`
proves that it was won, and when the move that was played is not a winning one or the win long. Each winning first move has a proof
of its own; a move without one is not in the list. A game gives one position at most. All limits
are counts, so the same binary, seed and number of games give the same file.

    python3 scripts/tactics.py                       # the list in engine-tests/data
    python3 scripts/tactics.py --variant nocheckatomic --count 12 --out no-check.epd

A line has the winning moves (`bm`), the length of the shortest proof found (`c0`), what the
first move is like (`c1`) and the number of the game (`id`).
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
# Forced wins from games of the engine with itself, each proved. Made by
# scripts/tactics.py --variant {variant} --seed {seed} --count {count}
# bm: every first move with a proof of its own; c0: the shortest proof found.
"""


def main() -> int:
    settings = arguments()
    if not settings.engine.exists():
        print(f"no binary at {settings.engine}; build it or give --engine PATH", file=sys.stderr)
        return 2
    openings = [line for line in settings.openings.read_text().splitlines() if line]
    chance = random.Random(settings.seed)
    games = [(number, chance.choice(openings)) for number in range(1, settings.games + 1)]
    found: list[str] = []
    with ThreadPoolExecutor(settings.jobs) as pool, settings.out.open("w") as out:
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
    parser.add_argument("--openings", type=Path, default=ROOT / "book/openings.epd")
    parser.add_argument("--variant", default="atomic")
    parser.add_argument("--count", type=int, default=140, help="positions wanted")
    parser.add_argument("--games", type=int, default=2000, help="games at most")
    parser.add_argument("--nodes", type=int, default=500, help="of the search that is to miss it")
    parser.add_argument("--first", type=int, default=150_000, help="of the solver's first attempt")
    parser.add_argument("--each", type=int, default=120_000, help="of the solver for a first move")
    parser.add_argument("--look", type=int, default=200_000, help="of a search that is to find it")
    parser.add_argument("--long", type=int, default=3_000_000, help="of the solver for its move")
    parser.add_argument("--most", type=int, default=3, help="winning first moves at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="games at a time")
    return parser.parse_args()


class Look(NamedTuple):
    """A position of a game."""

    place: str
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
                raise RuntimeError("the engine is gone")
            lines.append(self.process.stdout.readline())
        return lines

    def look(self, fen: str, moves: list[str]) -> tuple[str, bool]:
        """The present position as a FEN, and whether the side to move is in check."""
        self.send(f"position fen {fen} moves {' '.join(moves)}")
        self.send("d")
        lines = self.read_until("Variant:")
        value = {line.split(":")[0]: line.split(":", 1)[1].strip() for line in lines if ":" in line}
        return value["Fen"], bool(value["Checkers"])

    def think(self, nodes: int) -> tuple[str, bool]:
        """The best move of a search from nothing, and whether it saw that it wins."""
        self.send("ucinewgame")
        self.send(f"go nodes {nodes}")
        lines = self.read_until("bestmove")
        scores = [line.split(" score ")[1] for line in lines if " score " in line]
        sees = bool(scores) and scores[-1].startswith("mate ") and int(scores[-1].split()[1]) > 0
        return lines[-1].split()[1], sees

    def close(self) -> None:
        self.send("quit")
        self.process.wait()


def search(settings: argparse.Namespace, number: int, opening: str) -> str | None:
    """Plays a game until someone sees a win; the line of an earlier position that had it."""
    start = " ".join(opening.split()[:4]) + " 0 1"
    moves: list[str] = []
    seen: list[Look] = []
    player = Player(settings)
    try:
        while len(moves) < 240:
            text, in_check = player.look(start, moves)
            played, sees = player.think(settings.nodes)
            if played == "(none)":
                return None
            if sees:
                return missed(settings, number, seen[-2::-2])
            # The clock of an EPD is 0: a proof must hold as the list gives the position.
            seen.append(Look(" ".join(text.split()[:4]), played, in_check))
            moves.append(played)
        return None
    finally:
        player.close()


def missed(settings: argparse.Namespace, number: int, looks: list[Look]) -> str | None:
    """The line of the earliest of the winner's last positions that is worth keeping."""
    won = []
    for look in looks[:8]:
        if not solve(settings, look.place, settings.first):
            break
        won.append(look)
    lines = (judge(settings, number, look) for look in reversed(won[-3:]))
    return next((line for line in lines if line is not None), None)


def solve(settings: argparse.Namespace, place: str, nodes: int, *words: str) -> list[dict]:
    """The answers of `brisance solve` that prove a win."""
    command = [settings.engine, "solve", place, "--variant", settings.variant, "--json"]
    command += ["--hash", "8", "--nodes", str(nodes), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{place}: {done.stderr}")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [answer for answer in answers if answer.get("verdict") == "proved"]


def judge(settings: argparse.Namespace, number: int, look: Look) -> str | None:
    """The line of a position with a forced win, if the win is a tactic and was missed."""
    place = look.place
    wins = solve(settings, place, settings.each, "--every-move")
    shortest = min((win["proof"]["moves"] for win in wins), default=0)
    uci = [win["first_move"]["uci"] for win in wins]
    if not 1 <= len(wins) <= settings.most or shortest < 2 or (look.played in uci and shortest < 4):
        return None
    wins.sort(key=lambda win: win["proof"]["moves"])
    # What a long search prefers deserves a long attempt: it may be another win.
    chosen = long_look(settings, place)
    if chosen not in uci:
        also = solve(settings, place, settings.long, "--moves", chosen, "--for", "other")
        if not also:
            return None
        san = show(settings, place, chosen)
        wins.append({"first_move": {"uci": chosen, "san": san}, "proof": also[0]["proof"]})
    for within in range(shortest - 1, 0, -1):
        shorter = solve(settings, place, settings.each, "--within", str(within))
        if not shorter:
            break
        shortest = shorter[0]["proof"]["moves"]
    themes = ", ".join(describe(place, wins[0]["first_move"], look.in_check))
    best = " ".join(win["first_move"]["san"] for win in wins)
    length = f"win within {shortest} move{'s' if shortest > 1 else ''}"
    return f'{place} bm {best}; c0 "{length}"; c1 "{themes}"; id "game {number}";'


def long_look(settings: argparse.Namespace, place: str) -> str:
    """The move that a search prefers which is to find the win."""
    player = Player(settings)
    try:
        player.look(place, [])
        return player.think(settings.look)[0]
    finally:
        player.close()


def show(settings: argparse.Namespace, place: str, uci: str) -> str:
    """A move in SAN."""
    command = [settings.engine, "solve", place, "--variant", settings.variant, "--json"]
    command += ["--every-move", "--nodes", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    moves = [json.loads(line)["first_move"] for line in done.stdout.splitlines()]
    return next(move["san"] for move in moves if move["uci"] == uci)


def describe(place: str, move: dict, in_check: bool) -> list[str]:
    """What a first move is like, in a few words."""
    men = board(place)
    uci, san = move["uci"], move["san"]
    mover, target = men[uci[:2]], men.get(uci[2:4])
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
    kings = [square for square, man in men.items() if man in "kK"]
    if max(abs(ord(a) - ord(b)) for a, b in zip(*kings)) == 1:
        themes.append("touching kings")
    if not takes and is_offered(men, uci):
        themes.append("offered")
    return themes


def board(place: str) -> dict[str, str]:
    """The men by square."""
    men = {}
    for rank, row in zip("87654321", place.split()[0].split("/")):
        file = 0
        for sign in row:
            if sign.isdigit():
                file += int(sign)
            else:
                men["abcdefgh"[file] + rank] = sign
                file += 1
    return men


def is_offered(men: dict[str, str], uci: str) -> bool:
    """Roughly: a piece goes to a square that an enemy pawn or knight attacks."""
    mover = men[uci[:2]]
    if mover in "pPkK":
        return False
    white = mover.isupper()
    file, rank = ord(uci[2]), ord(uci[3])
    pawn, knight = ("p", "n") if white else ("P", "N")
    up = 1 if white else -1
    pawns = [(-1, up), (1, up)]
    knights = [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)]
    return any(
        men.get(chr(file + a) + chr(rank + b)) == man
        for man, steps in ((pawn, pawns), (knight, knights))
        for a, b in steps
    )


if __name__ == "__main__":
    sys.exit(main())
