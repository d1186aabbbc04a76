#!/usr/bin/env python3
"""Replays the proofs of a refutation book with python-chess, from its bytes alone.

The format is described in `src/opening/refutations.rs`. Every reply of the losing side is played;
each line must end with an explosion of its king or checkmate, without a repetition.

    python3 scripts/clients/python_chess_refutations.py book/refutations.bin
    python3 scripts/clients/python_chess_refutations.py new.bin --positions new.bin.jsonl

The positions are those up to three plies from the start, or those of a file of EPD lines or of
JSON lines with "epd"; the file must then have every position of the book.

Exit code: 0 all proofs are valid, 1 one is not, 2 the arguments are wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from environment import give_up, restart_with_python_chess

try:
    import chess
    import chess.polyglot
    import chess.variant
except ImportError:
    restart_with_python_chess()

Board = chess.variant.AtomicBoard
MAGIC = b"BRISREF1"
KEY, LENGTH = 5, 2
PLIES = 3


class ProofError(Exception):
    """The proof is invalid."""


def read(path: Path) -> dict[bytes, bytes]:
    """The proofs by the beginnings of the keys."""
    data = path.read_bytes()
    if data[:8] != MAGIC:
        give_up(f"{path}: not a refutation book")
    count = int.from_bytes(data[8:12], "big")
    lengths = 12 + KEY * count
    begin, proofs = lengths + LENGTH * count, {}
    for index in range(count):
        key = data[12 + KEY * index :][:KEY]
        length = int.from_bytes(data[lengths + LENGTH * index :][:LENGTH], "big")
        proofs[key] = data[begin : begin + length]
        begin += length
    if begin != len(data) or list(proofs) != sorted(proofs) or len(proofs) != count:
        give_up(f"{path}: damaged")
    return proofs


def sorted_moves(board: Board) -> list[chess.Move]:
    """The legal moves by their Polyglot codes."""
    def code(move: chess.Move) -> tuple[int, int, int]:
        to = move.to_square
        if board.is_castling(move) and not board.chess960:
            to = chess.square(7 if to > move.from_square else 0, chess.square_rank(to))
        return (move.promotion or 1, move.from_square, to)

    return sorted(board.legal_moves, key=code)


def explodes_king(board: Board, move: chess.Move) -> bool:
    if not board.is_capture(move):
        return False
    board.push(move)
    is_over = board.is_variant_loss()
    board.pop()
    return is_over


class Verifier:
    """Replays one proof."""

    def __init__(self, board: Board, proof: bytes) -> None:
        self.board, self.bytes = board, iter(proof)
        self.winner = board.turn
        self.verified: set[str] = set()
        self.line: set[str] = set()
        self.replies = 0

    def run(self) -> int:
        self.visit()
        if next(self.bytes, None) is not None:
            raise ProofError("the proof is too long")
        return self.replies

    def visit(self) -> None:
        board = self.board
        outcome = board.outcome()
        if outcome is not None:
            if outcome.winner is not self.winner:
                raise ProofError(f"not won: {board.fen()}")
            return
        name = board.epd(en_passant="legal")
        if name in self.line:
            raise ProofError(f"the position repeats: {board.fen()}")
        if name in self.verified:
            return
        moves = sorted_moves(board)
        if board.turn is self.winner:
            moves = [self.choose(moves)]
        self.line.add(name)
        for move in moves:
            board.push(move)
            self.visit()
            board.pop()
            self.replies += board.turn is not self.winner
        self.line.remove(name)
        self.verified.add(name)

    def choose(self, moves: list[chess.Move]) -> chess.Move:
        for move in moves:
            if explodes_king(self.board, move):
                return move
        index = next(self.bytes, None)
        if index is None or index >= len(moves):
            raise ProofError(f"no move: {self.board.fen()}")
        return moves[index]


def near_positions() -> Iterator[Board]:
    """The positions up to some plies from the start."""
    layer = {Board().epd(): Board()}
    for _ in range(PLIES):
        following = {}
        for board in layer.values():
            for move in board.legal_moves:
                after = board.copy(stack=False)
                after.push(move)
                if not after.is_variant_end():
                    following.setdefault(after.epd(en_passant="legal"), after)
        yield from following.values()
        layer = following


def positions_of(path: Path) -> Iterator[Board]:
    for line in path.read_text().splitlines():
        text = json.loads(line).get("epd") if line.startswith("{") else line
        if text:
            yield Board(" ".join(text.split()[:4]) + " 0 1")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("book", type=Path, help="the book")
    parser.add_argument("--positions", type=Path, help="positions to look up")
    parser.add_argument("--stride", type=int, default=1, metavar="N", help="replay every Nth proof")
    args = parser.parse_args()
    try:
        proofs = read(args.book)
        boards = positions_of(args.positions) if args.positions else near_positions()
        errors = replies = 0
        found: set[bytes] = set()
        for board in boards:
            key = chess.polyglot.zobrist_hash(board).to_bytes(8, "big")[:KEY]
            if key not in proofs or key in found:
                continue
            found.add(key)
            if len(found) % args.stride:
                continue
            try:
                replies += Verifier(board, proofs[key]).run()
            except ProofError as error:
                errors += 1
                print(error)
    except (OSError, ValueError) as error:
        give_up(str(error))
    if not found or (args.positions and len(found) < len(proofs)):
        errors += 1
        print(f"{len(proofs) - len(found)} of {len(proofs)} positions of the book are not there")
    count = len(found) // args.stride
    print(f"{count} of {len(proofs)} proofs, {replies} replies replayed; {errors} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
