#!/usr/bin/env python3
"""Tests everything that the `SimpleEngine` of python-chess can send to an atomic engine.

Valid and invalid options, analysis with each kind of limit, MultiPV, infinite analysis, restricted
root moves, pondering, Chess960 with castling, and finished games. With --transcript the script
saves the whole conversation.

    python3 scripts/clients/python_chess_session.py --transcript target/python-chess.txt

Exit code: 0 no error, 1 an error, 2 the engine cannot be started.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections.abc import Callable
from pathlib import Path

from environment import give_up, restart_with_python_chess
from python_chess_match import LogCollector, default_engine

try:
    import chess
    import chess.engine
    import chess.variant
    from chess.engine import Limit, SimpleEngine
except ImportError:
    restart_with_python_chess()

MATE_IN_FOUR = "b2qk3/P7/1Pn4P/2PP1PP1/8/8/8/4K3 b - - 0 1"


class Transcript(logging.Handler):
    """Collects the lines in both directions from the log of python-chess."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if "<<" in text or ">>" in text:
            self.lines.append(text.split(": ", 1)[-1] if text.startswith("<Uci") else text)


def atomic(fen: str | None = None, chess960: bool = False) -> chess.variant.AtomicBoard:
    board = chess.variant.AtomicBoard(chess960=chess960)
    if fen is not None:
        board.set_fen(fen)
    return board


def options(engine: SimpleEngine) -> None:
    assert "atomic" in engine.options["UCI_Variant"].var
    assert engine.options["UCI_Variant"].default in engine.options["UCI_Variant"].var
    engine.configure({"Hash": 32, "Threads": 2, "Move Overhead": 100, "UCI_ShowWDL": True})
    for name, value in (("Hash", 0), ("Threads", 100_000), ("No Such Option", 1)):
        try:
            engine.configure({name: value})
        except chess.engine.EngineError:
            continue
        raise AssertionError(f"{name} = {value} was accepted")
    info = engine.analyse(atomic(), Limit(nodes=2000))
    assert info["wdl"].white().total() == 1000, info["wdl"]
    engine.configure({"Hash": 16, "Threads": 1, "UCI_ShowWDL": False})
    engine.configure({"Clear Hash": None})


def limits(engine: SimpleEngine) -> None:
    board = atomic()
    assert engine.analyse(board, Limit(depth=7))["depth"] == 7
    assert engine.analyse(board, Limit(nodes=5000))["nodes"] <= 5000
    bishops = engine.analyse(atomic("8/8/8/3k2n1/8/B1B5/1B1B4/K1B1B3 w - - 0 1"), Limit(nodes=1))
    assert bishops["score"].relative.score() > 100, bishops
    start = time.monotonic()
    info = engine.analyse(board, Limit(time=0.3))
    assert info["depth"] >= 1 and time.monotonic() - start < 3.0
    assert all(board.is_legal(move) for move in info["pv"][:1])
    forced = atomic(MATE_IN_FOUR)
    assert engine.analyse(forced, Limit(mate=4, nodes=400_000))["score"].relative.mate() == 4
    moves = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h4")]
    assert engine.analyse(board, Limit(depth=6), root_moves=moves)["pv"][0] in moves


def lines(engine: SimpleEngine) -> None:
    found = engine.analyse(atomic(), Limit(depth=7), multipv=4)
    assert [info["multipv"] for info in found] == [1, 2, 3, 4]
    assert len({info["pv"][0] for info in found}) == 4
    scores = [info["score"].relative for info in found]
    assert all(a >= b for a, b in zip(scores, scores[1:])), scores
    for info in found:
        board = atomic()
        for move in info["pv"]:
            assert board.is_legal(move), info
            board.push(move)
    # MultiPV larger than the number of moves.
    few = atomic("8/8/8/8/8/1k6/8/K6r w - - 0 1")
    assert len(engine.analyse(few, Limit(depth=4), multipv=50)) == few.legal_moves.count()


def infinite(engine: SimpleEngine) -> None:
    for fen in (None, MATE_IN_FOUR):
        with engine.analysis(atomic(fen)) as analysis:
            for info in analysis:
                if info.get("depth", 0) >= 6 and "score" in info and "pv" in info:
                    break
            analysis.stop()
            best = analysis.wait()
        assert best.move is not None
    # Stopped before its first output.
    analysis = engine.analysis(atomic())
    analysis.stop()
    assert analysis.wait().move in atomic().legal_moves


def bounds(engine: SimpleEngine) -> None:
    """With probabilities too, bounds are read; the engine sends them after three seconds."""
    board = atomic()
    for move in ("g1f3", "f7f6", "b1c3", "c7c6"):
        board.push_uci(move)
    engine.configure({"UCI_ShowWDL": True})
    found = 0
    with engine.analysis(board, Limit(time=60)) as analysis:
        for info in analysis:
            assert "score" not in info or "wdl" in info, info
            found += "lowerbound" in info or "upperbound" in info
            if found >= 2:
                break
    engine.configure({"UCI_ShowWDL": False})
    assert found >= 2, found


def pondering(engine: SimpleEngine) -> None:
    board, game = atomic(), object()
    hits = 0
    while not board.is_game_over(claim_draw=True) and board.ply() < 24:
        limit = Limit(white_clock=3.0, black_clock=3.0, white_inc=0.02, black_inc=0.02)
        answer = engine.play(board, limit, game=game, ponder=True, info=chess.engine.INFO_ALL)
        assert board.is_legal(answer.move) and answer.info["pv"][0] == answer.move
        board.push(answer.move)
        if board.is_game_over(claim_draw=True):
            break
        # Every other time the opponent plays what was pondered on.
        legal = list(board.legal_moves)
        expected = answer.ponder if answer.ponder in legal and board.ply() % 4 == 1 else None
        hits += expected is not None
        board.push(expected or legal[board.ply() % len(legal)])
    assert hits >= 1 or board.ply() < 6
    print(f"  {board.ply()} plies, {hits} ponder hits")


def chess960(engine: SimpleEngine) -> None:
    # Castling is the only sensible way out of the pin, and legal beside the enemy king.
    board = atomic("8/8/8/2k5/8/8/8/rR4KR w KQ - 0 1", chess960=True)
    castling = [move for move in board.legal_moves if board.is_castling(move)]
    assert castling
    best = engine.play(board, Limit(nodes=3000), root_moves=castling).move
    assert best in castling and board.is_castling(best), best
    castled = 0
    for number in (0, 311, 518, 959):
        board, game = atomic(chess960=True), object()
        board.set_chess960_pos(number)
        while not board.is_game_over(claim_draw=True) and board.ply() < 60:
            castling = [move for move in board.legal_moves if board.is_castling(move)]
            answer = engine.play(board, Limit(nodes=400), game=game, root_moves=castling or None)
            assert board.is_legal(answer.move)
            castled += board.is_castling(answer.move)
            board.push(answer.move)
        print(f"  array {number}: {board.ply()} plies, {board.result(claim_draw=True)}")
    assert castled >= 1
    print(f"  {castled} castlings")


def finished(engine: SimpleEngine) -> None:
    for fen in ("4k3/8/8/8/8/8/8/8 w - - 0 1", "KQ6/Rk6/2B5/8/8/8/8/8 b - - 0 1"):
        board = atomic(fen)
        assert engine.play(board, Limit(nodes=100)).move is None, fen
    board = atomic("6kr/6P1/8/8/8/8/8/K7 w - - 0 1")
    move = engine.play(board, Limit(nodes=1000)).move
    board.push(move)
    assert board.is_variant_end() and board.result() == "1-0", move


STEPS: list[Callable[[SimpleEngine], None]] = [
    options, limits, lines, bounds, infinite, pondering, chess960, finished,
]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", type=Path, help="binary (default: the newest cargo built)")
    parser.add_argument("--transcript", type=Path, help="file for the whole conversation")
    settings = parser.parse_args()
    path = (settings.engine or default_engine()).resolve()
    log_collector, transcript = LogCollector(), Transcript()
    log = logging.getLogger("chess.engine")
    log.setLevel(logging.DEBUG)
    log.propagate = False
    log.addHandler(log_collector)
    log.addHandler(transcript)
    try:
        engine = SimpleEngine.popen_uci(str(path), timeout=30)
    except (OSError, TimeoutError, chess.engine.EngineError) as error:
        give_up(f"{path} does not start: {type(error).__name__}: {error}")
    errors = 0
    with engine:
        print(engine.id["name"], flush=True)
        for step in STEPS:
            print(step.__name__, flush=True)
            try:
                step(engine)
            except (AssertionError, TimeoutError, chess.engine.EngineError) as error:
                errors += 1
                print(f"  error: {type(error).__name__}: {error}", flush=True)
    for text in log_collector.texts:
        errors += 1
        print(f"python-chess: {text}")
    if settings.transcript:
        settings.transcript.parent.mkdir(parents=True, exist_ok=True)
        settings.transcript.write_text("".join(f"{line}\n" for line in transcript.lines))
        print(f"{len(transcript.lines)} lines in {settings.transcript}")
    print(f"{errors} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
