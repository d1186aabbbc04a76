"""Runs analyse, datagen, match, spsa or solve on a Ray cluster: see docs/cluster.md."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "clients")]

from environment import restart_with  # noqa: E402

try:
    import ray
    import tqdm  # noqa: F401
    import chess.pgn  # noqa: F401
except ImportError:
    restart_with(
        "ray", ["ray==2.60.0", "chess==1.11.2", "tqdm==4.70.1"], "import ray, tqdm, chess.pgn"
    )

import jobs  # noqa: E402
from shards import JobError  # noqa: E402


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def even(text: str) -> int:
    number = positive(text)
    if number % 2:
        raise argparse.ArgumentTypeError("must be even")
    return number


def parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    common.add_argument("--engine-binary", type=Path, default=Path("target/release/brisance"))
    common.add_argument("--address", help="address of the cluster; a local one is started without it")
    common.add_argument("--shards", type=positive, default=64, help="number of shards [default: 64]")
    top = argparse.ArgumentParser(
        description=__doc__,
        allow_abbrev=False,
        epilog="All other options are passed to the engine's command of the same name.",
    )
    commands = top.add_subparsers(dest="command", required=True)

    def command(name: str, text: str) -> argparse.ArgumentParser:
        return commands.add_parser(
            name, help=text, description=text, parents=[common], allow_abbrev=False
        )

    analyse = command("analyse", "analyse the games of a PGN file or a list of positions")
    analyse.add_argument("source", type=Path, help="file that ends in .pgn, .epd or .fen")
    analyse.add_argument("--out", type=Path, required=True, help="file to write")
    datagen = command("datagen", "generate training games")
    datagen.add_argument("out", type=Path, help="file to write")
    datagen.add_argument("--positions", type=positive, required=True, help="number of positions")
    datagen.add_argument("--seed", type=int, default=1, help="seed of the first shard [default: 1]")
    match = command("match", "play a match")
    match.add_argument("--pgn", type=Path, required=True, help="file to write")
    match.add_argument("--games", type=even, required=True, help="games per pairing")
    spsa = command("spsa", "tune search parameters; the binary needs the feature tune")
    spsa.add_argument("state", type=Path, help="state file")
    solve = command("solve", "prove a forced win")
    solve.add_argument("state", type=Path, help="file of the engine's option --state")
    solve.add_argument(
        "--seconds", type=positive, default=60, help="time of a shard [default: 60]"
    )
    solve.add_argument("--tree", type=Path, help="file for the proof")
    return top


def main() -> int:
    args, passed_on = parser().parse_known_args()
    engine = args.engine_binary
    if not engine.is_file():
        print(f"{engine}: no such program; build it or use --engine-binary", file=sys.stderr)
        return 2
    # Workers import shards.py from a copy of this folder.
    environment = {"working_dir": str(HERE), "excludes": ["__pycache__"]}
    ray.init(address=args.address, runtime_env=environment, include_dashboard=False)
    try:
        match args.command:
            case "analyse":
                jobs.analyse(engine, args.source, args.out, args.shards, passed_on)
            case "datagen":
                seed = args.seed
                jobs.datagen(engine, args.out, args.positions, seed, args.shards, passed_on)
            case "match":
                jobs.match(engine, args.pgn, args.games, args.shards, passed_on)
            case "spsa":
                jobs.spsa(engine, args.state, args.shards, passed_on)
            case "solve":
                limits = (args.shards, args.seconds)
                return jobs.solve(engine, args.state, *limits, args.tree, passed_on)
    except (JobError, OSError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; the same command continues", file=sys.stderr)
        return 1
    finally:
        ray.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
