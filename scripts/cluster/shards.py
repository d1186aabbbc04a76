"""Runs the shards of a job on a Ray cluster and keeps each result in a file.

A shard is one run of the engine's command line. Its result is written once, by the driver, under the
number of the shard, so a shard that is repeated after a failure is never counted twice. The same
command continues an interrupted job.
"""

from __future__ import annotations

import getpass
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import ray
from tqdm import tqdm

# Placeholders in the arguments of a shard.
INPUT, OUTPUT = "{input}", "{output}"
# Attempts for a shard whose engine fails. Attempts that end with the loss of a node do not count.
ATTEMPTS = 3
# Shards in flight per core of the cluster: enough that no core waits for the driver.
IN_FLIGHT = 2


class JobError(Exception):
    """The job cannot be done or finished; the text says why."""


class ShardError(Exception):
    """The engine failed on a shard."""


@dataclass(frozen=True)
class Shard:
    """One run of the engine.

    In `args`, INPUT is replaced by the name of a file with `input`, and OUTPUT by the name of the file
    that the run writes. Without OUTPUT the result is what the engine prints.

    An engine that skips invalid records of its input ends with exit code 1, as does one that is
    interrupted. With `quick_args` the run is then repeated with these arguments, and the result
    counts as complete if both have the same number of lines that start with `record`.
    """

    number: int
    args: tuple[str, ...]
    input: bytes = b""
    input_suffix: str = ""
    quick_args: tuple[str, ...] = ()
    record: str = ""
    # Exit codes of a complete run.
    codes: tuple[int, ...] = (0,)


@dataclass
class Job:
    """The shards of a job, the engine, and the files that all shards read.

    Arguments name these files as `shared_name` does.
    """

    engine: Path
    shards: Sequence[Shard]
    folder: Path
    files: Sequence[Path] = ()
    # What the progress bar counts, and how much of it each shard holds.
    unit: str = "shards"
    sizes: Sequence[int] | None = None

    def fingerprint(self) -> str:
        """Identifies the job: engine, files, inputs and arguments."""
        digest = hashlib.sha256(self.engine.read_bytes())
        for path in self.files:
            digest.update(shared_name(path).encode())
        for shard in self.shards:
            digest.update(json.dumps([shard.number, shard.args]).encode())
            digest.update(shard.input)
        return digest.hexdigest()

    def result(self, shard: Shard) -> Path:
        """The file of a shard's result."""
        return self.folder / f"{shard.number:06}"

    def prepare(self) -> list[Shard]:
        """Creates or checks the folder of the results. Returns the shards that have none."""
        self.folder.mkdir(parents=True, exist_ok=True)
        manifest, fingerprint = self.folder / "job", self.fingerprint()
        if manifest.exists():
            if manifest.read_text().strip() != fingerprint:
                raise JobError(
                    f"{self.folder} holds results of another job (other engine, files or settings); "
                    "remove it or choose another output"
                )
        else:
            write_atomically(manifest, fingerprint.encode())
        return [shard for shard in self.shards if not self.result(shard).exists()]

    def run(self) -> list[Path]:
        """Runs the shards that are left and returns the files of all results, in order."""
        left = self.prepare()
        sizes = self.sizes or [1] * len(self.shards)
        size = {shard.number: n for shard, n in zip(self.shards, sizes, strict=True)}
        total, remaining = sum(sizes), sum(size[shard.number] for shard in left)
        with tqdm(total=total, initial=total - remaining, unit=f" {self.unit}") as bar:
            for shard, result in run_on_cluster(self.engine, self.files, left):
                write_atomically(self.result(shard), result)
                bar.update(size[shard.number])
        return [self.result(shard) for shard in self.shards]

    def remove(self) -> None:
        """Removes the results of the shards, after they have been merged."""
        for shard in self.shards:
            self.result(shard).unlink(missing_ok=True)
        (self.folder / "job").unlink(missing_ok=True)
        self.folder.rmdir()


def write_atomically(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Writes a file that is either complete or absent, whenever the process is killed."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
        os.chmod(file.name, mode)
    os.replace(file.name, path)


def run_on_cluster(
    engine: Path, files: Sequence[Path], shards: Iterable[Shard]
) -> Iterator[tuple[Shard, bytes]]:
    """Yields each shard with its result, in the order in which they finish."""
    shards = iter(shards)
    program, *shared = [put_file(path) for path in (engine, *files)]
    running: dict[ray.ObjectRef, Shard] = {}
    while True:
        limit = max(1, IN_FLIGHT * int(ray.cluster_resources().get("CPU", 1)))
        while len(running) < limit and (shard := next(shards, None)) is not None:
            running[run_shard.remote(shard, program, shared)] = shard
        if not running:
            return
        # The timeout notices nodes that have joined.
        done, _ = ray.wait(list(running), timeout=10)
        for reference in done:
            shard = running.pop(reference)
            try:
                result = ray.get(reference)
            except ray.exceptions.RayError as error:
                for other in running:
                    ray.cancel(other, force=True)
                raise JobError(
                    f"shard {shard.number} failed; the results of the others are kept: {error}"
                ) from error
            yield shard, result


@dataclass(frozen=True)
class SharedFile:
    """A file in the object store, which each node copies to its disk once."""

    name: str
    # In a list, a reference is not resolved before the task starts.
    data: list[ray.ObjectRef]


def shared_name(path: Path) -> str:
    """The name of a shared file in the working folder of the engine: the same on every node."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] + path.suffix


def working_folder() -> Path:
    """The folder on this node that holds the shared files; the engine runs in it."""
    folder = Path(tempfile.gettempdir()) / f"brisance-cluster-{getpass.getuser()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def put_file(path: Path) -> SharedFile:
    """Puts a file into the object store."""
    return SharedFile(shared_name(path), [ray.put(path.read_bytes())])


def keep_copy(name: str, data: Callable[[], bytes]) -> None:
    """Makes the copy of a shared file on this node if it is missing."""
    path = working_folder() / name
    if not path.exists():
        write_atomically(path, data(), mode=0o700)


# The loss of a node is no fault of the shard: Ray runs it again on another node, without limit.
@ray.remote(num_cpus=1, max_retries=-1)
def run_shard(shard: Shard, engine: SharedFile, files: Sequence[SharedFile]) -> bytes:
    """Runs the engine on a shard and returns its result."""
    for file in (engine, *files):
        keep_copy(file.name, lambda file=file: ray.get(file.data[0]))
    program = working_folder() / engine.name
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return run_engine(program, shard)
        except ShardError as error:
            if attempt == ATTEMPTS:
                raise
            print(f"shard {shard.number}, attempt {attempt}: {error}", file=sys.stderr)
    raise AssertionError("unreachable")


def run_engine(program: Path, shard: Shard) -> bytes:
    """Runs the engine on a shard and checks that the result is complete."""
    code, result, errors = run_once(program, shard, shard.args)
    if code in shard.codes:
        return result
    if code == 1 and shard.quick_args:
        _, quick, _ = run_once(program, shard, shard.quick_args)
        if count_records(quick, shard.record) == count_records(result, shard.record):
            print(errors, file=sys.stderr)
            return result
    raise ShardError(f"exit code {code}: {errors[-2000:]}")


def count_records(text: bytes, start: str) -> int:
    return sum(line.startswith(start.encode()) for line in text.splitlines())


def run_once(program: Path, shard: Shard, args: Sequence[str]) -> tuple[int, bytes, str]:
    """Runs the engine. Returns its exit code, the result and what it printed on stderr."""
    with tempfile.TemporaryDirectory(prefix="brisance-shard-") as folder:
        source, target = Path(folder) / f"input{shard.input_suffix}", Path(folder) / "output"
        source.write_bytes(shard.input)
        names = [arg.replace(INPUT, str(source)).replace(OUTPUT, str(target)) for arg in args]
        run = subprocess.run(
            [*ended_with_parent(), str(program), *names],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=working_folder(),
            check=False,
        )
        result = run.stdout
        if any(OUTPUT in arg for arg in args):
            result = target.read_bytes() if target.exists() else b""
        return run.returncode, result, run.stderr.decode(errors="replace").strip()


def ended_with_parent() -> list[str]:
    """The start of a command that is killed when the Ray worker that runs it dies.

    Elsewhere than on Linux, an engine without its worker runs until its shard is done.
    """
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []
