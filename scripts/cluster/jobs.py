"""How the commands of the engine are divided into shards and how the results are merged.

The shards of a job depend only on its arguments, so the result does not depend on the cluster.
"""

from __future__ import annotations

import io
import json
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import chess.pgn
from tqdm import tqdm

from shards import (
    INPUT,
    OUTPUT,
    Job,
    JobError,
    Shard,
    keep_copy,
    run_on_cluster,
    shared_name,
    working_folder,
    write_atomically,
)

# Options of the engine that name a file, and the words of an engine specification that do.
FILE_OPTIONS = ("--eval-file", "--openings")
SPEC_FILES = ("cmd", "option.EvalFile", "option.BookFile")
SPEC_OPTIONS = ("--engine",)


def share_files(args: Sequence[str]) -> tuple[list[str], list[Path]]:
    """Replaces the names of files in the arguments by their names on the nodes."""
    files: list[Path] = []

    def share(name: str) -> str:
        path = Path(name)
        if not path.is_file():
            raise JobError(f"{name}: no such file")
        if path not in files:
            files.append(path)
        return shared_name(path)

    def share_spec(spec: str) -> str:
        words = [word.partition("=") for word in shlex.split(spec)]
        names = {key for key, _, _ in words}
        program = next((value for key, _, value in words if key == "cmd"), None)
        if program and "name" not in names:
            words.append(("name", "=", Path(program).stem))
        shared = [
            (key, sign, ("./" if key == "cmd" else "") + share(value) if key in SPEC_FILES else value)
            for key, sign, value in words
        ]
        return shlex.join("".join(word) for word in shared)

    shared_args, option = [], ""
    for arg in args:
        name, sign, value = arg.partition("=")
        if option in FILE_OPTIONS:
            shared_args.append(share(arg))
        elif option in SPEC_OPTIONS:
            shared_args.append(share_spec(arg))
        elif sign and name in FILE_OPTIONS:
            shared_args.append(f"{name}={share(value)}")
        elif sign and name in SPEC_OPTIONS:
            shared_args.append(f"{name}={share_spec(value)}")
        else:
            shared_args.append(arg)
        option = arg
    return shared_args, files


def results_folder(out: Path) -> Path:
    """The folder that holds the results of the shards until they are merged."""
    return out.with_name(out.name + ".shards")


def refuse_existing(out: Path) -> None:
    if out.exists():
        raise JobError(f"{out} already exists")


def cut(items: Sequence, count: int) -> list[tuple[int, int]]:
    """Cuts a sequence into at most `count` ranges of nearly equal length, none empty."""
    count = max(1, min(count, len(items)))
    borders = [len(items) * index // count for index in range(count + 1)]
    return list(zip(borders, borders[1:], strict=False))


def analyse(engine: Path, source: Path, out: Path, shards: int, args: Sequence[str]) -> None:
    """Analyses the games of a PGN file or the positions of a list."""
    refuse_existing(out)
    data = source.read_bytes()
    if source.suffix == ".pgn":
        pieces, sizes, record, unit = cut_games(data, shards), None, "[Event ", "games"
        pieces, sizes = zip(*pieces, strict=True)
    else:
        pieces, sizes, record, unit = *cut_lines(data, shards), "", "positions"
    shared_args, files = share_files(args)
    command = ("analyse", INPUT, "--out", OUTPUT, "--threads", "1")
    job = Job(
        engine,
        [
            Shard(
                number,
                (*command, *shared_args),
                piece,
                source.suffix,
                quick_args=(*command, *without_limits(shared_args), "--nodes", "1"),
                record=record,
            )
            for number, piece in enumerate(pieces)
        ],
        results_folder(out),
        files,
        unit,
        sizes,
    )
    merge_bytes(job.run(), out)
    job.remove()


def without_limits(args: Sequence[str]) -> list[str]:
    """Removes the limits of a search from the arguments."""
    limits, rest, skip = ("--nodes", "--depth", "--time"), [], False
    for arg in args:
        if not skip and not arg.startswith(tuple(f"{limit}=" for limit in limits)):
            if arg not in limits:
                rest.append(arg)
        skip = not skip and arg in limits
    return rest


def cut_games(data: bytes, count: int) -> list[tuple[bytes, int]]:
    """Cuts a PGN file between games. Returns each piece with its number of games."""
    # A byte order mark would stand before the first tag, which would then begin a game of its own.
    data = data.removeprefix(b"\xef\xbb\xbf")
    # Latin-1 maps each byte to one character, so positions in the text are positions in the file.
    text = io.StringIO(data.decode("latin-1"), newline="")
    starts = []
    while True:
        start = text.tell()
        if chess.pgn.read_headers(text) is None:
            break
        starts.append(start)
    if not starts:
        raise JobError("the file holds no games")
    borders = [0, *starts[1:], len(data)]
    return [
        (data[borders[first] : borders[last]], last - first) for first, last in cut(starts, count)
    ]


def cut_lines(data: bytes, count: int) -> tuple[list[bytes], list[int]]:
    """Cuts a list of positions between lines. Returns the pieces and their numbers of lines.

    Empty lines stand for the lines before a piece, so that messages name the right line.
    """
    lines = data.removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True)
    if not lines:
        raise JobError("the file holds no positions")
    ranges = cut(lines, count)
    pieces = [b"\n" * first + b"".join(lines[first:last]) for first, last in ranges]
    return pieces, [last - first for first, last in ranges]


def merge_bytes(results: Sequence[Path], out: Path) -> None:
    """Joins the results of the shards into one new file."""
    with tempfile.NamedTemporaryFile(dir=out.parent, prefix=".", delete=False) as file:
        for result in results:
            with result.open("rb") as part:
                shutil.copyfileobj(part, file)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(out)


def datagen(
    engine: Path, out: Path, positions: int, seed: int, shards: int, args: Sequence[str]
) -> None:
    """Generates training games. Shard N has the seed `seed` + N and plays on one thread."""
    refuse_existing(out)
    shared_args, files = share_files(args)
    ranges = cut(range(positions), shards)
    sizes = [last - first for first, last in ranges]
    job = Job(
        engine,
        [
            Shard(
                number,
                ("datagen", OUTPUT, "--positions", str(size), "--seed", str(seed + number))
                + ("--threads", "1", *shared_args),
            )
            for number, size in enumerate(sizes)
        ],
        results_folder(out),
        files,
        "positions",
        sizes,
    )
    results = job.run()
    subprocess.run([engine, "data", "merge", out, *results], check=True)
    job.remove()


def match(engine: Path, pgn: Path, games: int, shards: int, args: Sequence[str]) -> None:
    """Plays a match. Shard N of M plays part N of M of its pairs.

    At the end the engine reads the joined record as that of an interrupted match: it rejects games
    that do not belong to it or occur twice, and prints the table.
    """
    refuse_existing(pgn)
    for option in ("--sprt", "--concurrency", "--resume"):
        if any(arg == option or arg.startswith(f"{option}=") for arg in args):
            raise JobError(f"{option} is not available on a cluster")
    shared_args, files = share_files(args)
    command = ("match", *shared_args, "--games", str(games))
    ranges = cut(range(games // 2), shards)
    job = Job(
        engine,
        [
            Shard(number, (*command, "--part", f"{number + 1}/{len(ranges)}", "--pgn", OUTPUT))
            for number in range(len(ranges))
        ],
        results_folder(pgn),
        files,
        "games",
        [2 * (last - first) for first, last in ranges],
    )
    part = pgn.with_name(pgn.name + ".part").absolute()
    merge_bytes(job.run(), part)
    for file in files:
        keep_copy(shared_name(file), file.read_bytes)
    subprocess.run(
        [engine.absolute(), *command, "--resume", "--pgn", part], cwd=working_folder(), check=True
    )
    part.replace(pgn)
    job.remove()


def spsa(engine: Path, state: Path, shards: int, args: Sequence[str]) -> None:
    """Tunes parameters. The pairs of each batch are divided among the shards.

    The state is replaced after each batch, so the same command continues an interrupted run.
    """
    shared_args, files = share_files(args)
    if not state.exists():
        subprocess.run([engine, "spsa", state, *args, "--prepare"], check=True)
    while True:
        before = state.read_bytes()
        progress = json.loads(before)
        if progress["played"] >= progress["pairs"]:
            break
        count = min(shards, progress["batch"], progress["pairs"] - progress["played"])
        batch = [
            Shard(
                number,
                ("spsa", INPUT, *shared_args, "--play-part", f"{number + 1}/{count}"),
                before,
                ".json",
            )
            for number in range(count)
        ]
        results = dict((shard.number, text) for shard, text in run_on_cluster(engine, files, batch))
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for number in range(count):
                names.append(Path(folder) / f"{number}.json")
                write_atomically(names[-1], results[number])
            update = [engine, "spsa", state, *args]
            subprocess.run([*update, *(f"--results={name}" for name in names)], check=True)
    subprocess.run([engine, "spsa", state, *args], check=True)


def solve(
    engine: Path, state: Path, shards: int, seconds: int, tree: Path | None, args: Sequence[str]
) -> int:
    """Searches for a forced win best-first. Each shard searches a position of the tree for a while.

    The lines of its own tree then join the state, so the same command continues an interrupted run.
    At the end the engine builds the proof and writes it to `tree`. Returns its exit code: 0 if the
    win is proved.
    """
    command = [engine, "solve", *args, "--state", state]
    while True:
        choice = subprocess.run(
            [*command, "--leaves", str(shards)], check=True, stdout=subprocess.PIPE, text=True
        )
        leaves = choice.stdout.splitlines()
        if not leaves:
            end = ["--tree", tree] if tree else []
            return subprocess.run([*command, *end], check=False).returncode
        with state.open() as file:
            header = json.loads(file.readline())
        side, variant = header["attacker"], header["variant"]
        words = ("--for", side, "--variant", variant, "--time", f"{seconds}s", "--state", OUTPUT)
        batch = [
            Shard(number, ("solve", *leaf.split(), *words), codes=(0, 1))
            for number, leaf in enumerate(leaves)
        ]
        for _, result in tqdm(run_on_cluster(engine, (), batch), total=len(batch), unit=" shards"):
            with state.open("ab") as file:
                file.writelines(result.splitlines(keepends=True)[1:])
