#!/usr/bin/env python3
"""Replays proofs of `brisance solve --tree FILE` with python-chess.

Plays every reply of the defender in every position of the proof. Each line must end with an
explosion of the defender's king or checkmate, without a repetition and before the fifty-move rule.

    brisance solve 'b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1' --tree proof.json
    python3 scripts/clients/python_chess_proof.py proof.json

Exit code: 0 all proofs are valid, 1 one is not, 2 the arguments are wrong.
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


class ProofError(Exception):
    """The proof is invalid."""


def name(board: chess.variant.AtomicBoard) -> str:
    """The first four FEN fields, with the en-passant square only if a capture is legal."""
    return board.epd(en_passant="legal", shredder=True)


def read(path: Path) -> tuple[chess.variant.AtomicBoard, bool, dict[str, str]]:
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    if not lines or lines[0].get("format") != "brisance proof 1":
        raise ProofError("not a proof file")
    header = lines[0]
    if header["variant"] != "atomic":
        raise ProofError(f"python-chess does not play {header['variant']}")
    root = chess.variant.AtomicBoard(header["fen"], chess960=header["chess960"])
    moves = {}
    for line in lines[1:]:
        board = chess.variant.AtomicBoard(line["fen"] + " 0 1", chess960=header["chess960"])
        moves[name(board)] = line["move"]
    return root, header["attacker"] == "white", moves


class Verifier:
    """Verifies a proof by replaying it."""

    def __init__(self, attacker: bool, moves: dict[str, str]) -> None:
        self.attacker, self.moves = attacker, moves
        # Of the verified positions: plies to the end, and plies that the fifty-move clock needs.
        self.verified: dict[str, tuple[int, int]] = {}
        self.line: set[str] = set()
        self.replies = 0

    def visit(self, board: chess.variant.AtomicBoard) -> tuple[int, int]:
        if board.is_variant_end() or not any(board.legal_moves):
            outcome = board.outcome()
            if outcome is None or outcome.winner is not self.attacker:
                raise ProofError(f"not won: {board.fen()}")
            return 0, 0
        key = name(board)
        if board.halfmove_clock >= 100 or board.is_insufficient_material():
            raise ProofError(f"drawn: {board.fen()}")
        if key in self.line:
            raise ProofError(f"the position repeats: {board.fen()}")
        if key in self.verified:
            if board.halfmove_clock + self.verified[key][1] > 100:
                raise ProofError(f"too late for the fifty-move rule: {board.fen()}")
            return self.verified[key]
        if board.turn is self.attacker:
            if key not in self.moves:
                raise ProofError(f"no move: {board.fen()}")
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
        self.verified[key] = plies, slack
        return self.verified[key]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", type=Path, help="proof files")
    errors = 0
    sys.setrecursionlimit(10_000)
    for path in parser.parse_args().files:
        try:
            root, attacker, moves = read(path)
            verifier = Verifier(attacker, moves)
            plies, _ = verifier.visit(root)
        except (ProofError, OSError, ValueError, KeyError) as error:
            errors += 1
            print(f"{path}: {error}")
            continue
        side = "White" if attacker else "Black"
        print(f"{path}: {side} wins within {(plies + 1) // 2} moves; {verifier.replies} replies replayed")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
