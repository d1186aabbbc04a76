#!/usr/bin/env python3
"""Replays proofs written by `brisance solve --tree FILE` with python-chess as judge of the rules.

Every reply of the defender is played in every position that the proof leads to; each line must end
in an explosion of the defender's king or in checkmate, without a repetition and before the
fifty-move rule. Exit code 0 when all proofs hold, 1 when one does not, 2 for wrong arguments.

    brisance solve 'b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1' --tree proof.json
    python3 scripts/clients/python_chess_proof.py proof.json
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from environment import restart_with_python_chess

try:
    import chess
    import chess.variant
except ImportError:
    restart_with_python_chess()


class Fault(Exception):
    """The proof does not hold."""


def name(board: chess.variant.AtomicBoard) -> str:
    """What tells positions apart: the first four fields, en passant only where it is legal."""
    return board.epd(en_passant="legal", shredder=True)


def read(path: Path) -> tuple[chess.variant.AtomicBoard, bool, dict[str, str]]:
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    if not lines or lines[0].get("format") != "brisance proof 1":
        raise Fault("no proof file")
    head = lines[0]
    if head["variant"] != "atomic":
        raise Fault(f"python-chess does not play {head['variant']}")
    root = chess.variant.AtomicBoard(head["fen"], chess960=head["chess960"])
    moves = {}
    for line in lines[1:]:
        board = chess.variant.AtomicBoard(line["fen"] + " 0 1", chess960=head["chess960"])
        moves[name(board)] = line["move"]
    return root, head["attacker"] == "white", moves


class Judge:
    def __init__(self, attacker: bool, moves: dict[str, str]) -> None:
        self.attacker, self.moves = attacker, moves
        # Half-moves to the end, and half-moves that the fifty-move clock needs, of what holds.
        self.holds: dict[str, tuple[int, int]] = {}
        self.line: set[str] = set()
        self.replies = 0

    def visit(self, board: chess.variant.AtomicBoard) -> tuple[int, int]:
        if board.is_variant_end() or not any(board.legal_moves):
            outcome = board.outcome()
            if outcome is None or outcome.winner is not self.attacker:
                raise Fault(f"no win: {board.fen()}")
            return 0, 0
        key = name(board)
        if board.halfmove_clock >= 100 or board.is_insufficient_material():
            raise Fault(f"drawn: {board.fen()}")
        if key in self.line:
            raise Fault(f"the line returns: {board.fen()}")
        if key in self.holds:
            if board.halfmove_clock + self.holds[key][1] > 100:
                raise Fault(f"too late for the fifty-move rule: {board.fen()}")
            return self.holds[key]
        if board.turn is self.attacker:
            if key not in self.moves:
                raise Fault(f"no move: {board.fen()}")
            moves = [board.parse_uci(self.moves[key])]
        else:
            moves = list(board.legal_moves)
        self.line.add(key)
        plies = slack = 0
        for move in moves:
            resets = board.is_zeroing(move)
            board.push(move)
            after = self.visit(board)
            board.pop()
            self.replies += board.turn is not self.attacker
            plies = max(plies, after[0] + 1)
            slack = max(slack, 1 if resets else after[1] + 1)
        self.line.remove(key)
        self.holds[key] = plies, slack
        return self.holds[key]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    faults = 0
    sys.setrecursionlimit(10_000)
    for path in parser.parse_args().files:
        try:
            root, attacker, moves = read(path)
            judge = Judge(attacker, moves)
            plies, _ = judge.visit(root)
        except (Fault, OSError, ValueError, KeyError) as error:
            faults += 1
            print(f"{path}: {error}")
            continue
        side = "White" if attacker else "Black"
        print(f"{path}: {side} wins within {(plies + 1) // 2} moves; {judge.replies} replies replayed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
