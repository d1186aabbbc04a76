"""Runs inside PyChess, with its Python; `pychess_game.py` starts this file.

PyChess cannot start a game from its command line. This waits for its window and its engines, and
then starts a game as the dialog for new games does.
"""

from __future__ import annotations

import asyncio
import os
import runpy
import sys
import traceback
from pathlib import Path

if len(sys.argv) != 5:
    print(__doc__)
    sys.exit(0 if "--help" in sys.argv else 2)
engine_name, program, folder, seconds = sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])
# Seconds per move, an integer as in PyChess's dialog; PyChess itself uses tenths of a second.
INCREMENT = 1


async def until(test, limit: float) -> None:
    waited = 0.0
    while not test():
        if waited > limit:
            raise TimeoutError("PyChess does not become ready")
        await asyncio.sleep(0.5)
        waited += 0.5


async def game() -> None:
    from pychess.perspectives import perspective_manager
    from pychess.Players.engineNest import discoverer
    from pychess.Savers import pgn
    from pychess.Utils.const import ARTIFICIAL, BLACK, RUNNING, WAITING_TO_START, WHITE, reprResult
    from pychess.Utils.GameModel import GameModel
    from pychess.Utils.TimeModel import TimeModel
    from pychess.Variants.atomic import AtomicBoard

    def is_ready():
        engine = discoverer.getEngineByName(engine_name)
        return engine is not None and engine.get("options")

    await until(lambda: perspective_manager.get_perspective("games") is not None and is_ready(), 120)
    engine = discoverer.getEngineByName(engine_name)
    offered = discoverer.getEngineVariants(engine)
    (folder / "variants").write_text(" ".join(map(str, offered)) + f" atomic={AtomicBoard.variant}\n")
    model = GameModel(TimeModel(seconds, INCREMENT), AtomicBoard)

    def player(color):
        strength, moves, no_pondering = 20, 0, False
        arguments = (engine, color, strength, AtomicBoard, seconds, INCREMENT, moves, no_pondering)
        return ARTIFICIAL, discoverer.initPlayerEngine, arguments, engine_name

    games = perspective_manager.get_perspective("games")
    await games.generalStart(model, player(WHITE), player(BLACK))
    await until(lambda: model.status not in (WAITING_TO_START, RUNNING), 600)
    await asyncio.sleep(2)
    with (folder / "game.pgn").open("w") as record:
        pgn.save(record, model)
    (folder / "status").write_text(f"{reprResult[model.status]} {model.reason}\n")


async def drive() -> None:
    try:
        await game()
    except Exception:
        traceback.print_exc()
        sys.stderr.flush()
    # Leaves time for a last picture.
    await asyncio.sleep(8)
    os._exit(0)


def main() -> None:
    run_forever = asyncio.SelectorEventLoop.run_forever

    def run(loop: asyncio.AbstractEventLoop) -> None:
        task = loop.create_task(drive())
        run_forever(loop)
        task.cancel()

    asyncio.SelectorEventLoop.run_forever = run
    sys.argv = [program, "--no-version-check", "--no-gettext", "--log-debug"]
    from pychess.System import conf

    conf.set("dont_show_externals_at_startup", True)
    conf.set("show_tip_at_startup", False)
    # PyChess would play the first moves from its own book of standard chess.
    conf.set("book_depth_max", 0)
    runpy.run_path(program, run_name="__main__")


main()
