"""Runs every job on a cluster of one head and two worker nodes on this machine, kills a worker in
the middle, and compares the results with those of single processes.

Prints one line per check, and the throughput of `analyse` relative to one process with as many
threads. Exit code 1 if a check fails.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "clients"))

from environment import restart_with  # noqa: E402

try:
    import ray  # noqa: F401
except ImportError:
    restart_with(
        "ray", ["ray==2.60.0", "chess==1.11.2", "tqdm==4.70.1"], "import ray, tqdm, chess.pgn"
    )

PORT = 6391
ADDRESS = f"127.0.0.1:{PORT}"
BOOK = ROOT / "book" / "openings.epd"
# A node starts in 5 to 20 seconds on an idle machine.
NODE_SECONDS = 180


class Cluster:
    """A head without cores and two workers with one core each, as separate processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.nodes = [self.start("head", "--head", f"--port={PORT}", "--num-cpus=0")]
        try:
            self.wait_for(0, "the head")
            # Two nodes that start on one machine at the same time choose the same socket.
            for cores in (1, 2):
                self.nodes.append(self.start_worker())
                self.wait_for(cores, f"worker {cores}")
        except BaseException:
            self.stop()
            raise

    def start(self, name: str, *words: str) -> subprocess.Popen:
        ray_program = Path(sys.executable).with_name("ray")
        log = (self.folder / f"{name}.log").open("a")
        return subprocess.Popen(
            [ray_program, "start", *words, "--block", "--disable-usage-stats"]
            + ["--node-ip-address=127.0.0.1", "--object-store-memory=200000000"]
            + (["--include-dashboard=false"] if "--head" in words else []),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )

    def start_worker(self) -> subprocess.Popen:
        return self.start("worker", f"--address={ADDRESS}", "--num-cpus=1")

    def kill_worker(self) -> None:
        """Kills a worker node, its tasks and their engines, without warning."""
        node = self.nodes.pop()
        os.killpg(node.pid, signal.SIGKILL)
        node.wait()

    def add_worker(self) -> None:
        self.nodes.append(self.start_worker())
        self.wait_for(2, "a new worker")

    def wait_for(self, cores: int, what: str) -> None:
        """Waits until the nodes that are alive have this many cores."""
        end = time.monotonic() + NODE_SECONDS
        while self.cores() != cores:
            ended = any(node.poll() is not None for node in self.nodes)
            if ended or time.monotonic() > end:
                logs = [path.read_text()[-2000:] for path in sorted(self.folder.glob("*.log"))]
                sys.exit("\n".join([f"{what} did not appear", *logs]))
            time.sleep(1)

    def cores(self) -> int | None:
        """The cores of all nodes that are alive, or None before the head answers."""
        question = (
            "import ray; "
            f"ray.init(address='{ADDRESS}', log_to_driver=False, logging_level='error'); "
            "print('CPU', int(ray.cluster_resources().get('CPU', 0)))"
        )
        try:
            run = subprocess.run(
                [sys.executable, "-c", question], capture_output=True, text=True, timeout=60
            )
        except subprocess.TimeoutExpired:
            return None
        # Messages about dead nodes may surround the answer.
        answer = re.search(r"^CPU (\d+)$", run.stdout, re.MULTILINE)
        return int(answer[1]) if run.returncode == 0 and answer else None

    def stop(self) -> None:
        self.nodes = [node for node in self.nodes if node.poll() is None]
        for node in reversed(self.nodes):
            os.killpg(node.pid, signal.SIGTERM)
        for node in self.nodes:
            try:
                node.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(node.pid, signal.SIGKILL)


class Proof:
    """The checks, and what they share."""

    def __init__(self, engine: Path, tuner: Path | None, folder: Path, scale: int) -> None:
        self.engine, self.tuner, self.folder, self.scale = engine, tuner, folder, scale
        self.cluster = Cluster(folder)
        self.failed = 0

    def check(self, name: str, is_right: bool, detail: str = "") -> None:
        print(f"{'ok  ' if is_right else 'FAIL'} {name}{': ' if detail else ''}{detail}", flush=True)
        self.failed += not is_right

    def job(self, *words: object, kill: bool = False, engine: Path | None = None) -> float:
        """Runs a job on the cluster and returns its duration in seconds.

        With `kill`, a worker is killed once a quarter of the shards has a result.
        """
        command = [sys.executable, HERE / "cluster.py", *words, "--address", ADDRESS]
        command += ["--engine-binary", engine or self.engine]
        command = [str(word) for word in command]
        log = self.folder / "job.log"
        start = time.monotonic()
        with log.open("a") as output:
            driver = subprocess.Popen(command, stdout=output, stderr=output)
            if kill:
                self.kill_during(driver)
            code = driver.wait()
        duration = time.monotonic() - start
        if code != 0:
            sys.exit(f"{words[0]} failed:\n{log.read_text()[-3000:]}")
        if kill:
            self.cluster.add_worker()
        return duration

    def kill_during(self, driver: subprocess.Popen) -> None:
        while driver.poll() is None:
            done = [file for file in self.folder.glob("*.shards/[0-9]*")]
            if len(done) >= SHARDS // 4:
                self.cluster.kill_worker()
                # The rest must be done by the other worker.
                print(f"     killed a worker after {len(done)} of {SHARDS} shards", flush=True)
                return
            time.sleep(0.05)
        sys.exit("the job ended before a worker could be killed")

    def alone(self, *words: object, engine: Path | None = None) -> float:
        """Runs the engine itself and returns its duration in seconds."""
        start = time.monotonic()
        command = [str(word) for word in (engine or self.engine, *words)]
        subprocess.run(command, check=True, capture_output=True)
        return time.monotonic() - start

    def analyse(self) -> None:
        positions, games = self.folder / "list.epd", self.folder / "games.pgn"
        lines = BOOK.read_text().splitlines()[: 200 * self.scale]
        positions.write_text("\n".join([*lines[:100], "not a position", "", *lines[100:]]) + "\n")
        self.alone(
            *("match", "--engine", "self name=A", "--engine", "self name=B", "--nodes", "200"),
            *("--games", 20 * self.scale, "--openings", BOOK, "--pgn", games),
        )
        for source, nodes in ((positions, 20_000), (games, 2_000)):
            clustered, single = self.folder / f"c{source.name}", self.folder / f"s{source.name}"
            words = ("analyse", source, "--nodes", nodes, "--out")
            self.job(*words, clustered, "--shards", SHARDS, kill=True)
            try:
                self.alone(*words, single)
            except subprocess.CalledProcessError:
                # The invalid line.
                assert source == positions
            same = clustered.read_bytes() == single.read_bytes()
            size = single.stat().st_size
            self.check(f"analyse {source.name}: byte-equal", same, f"{size} bytes")

    def datagen(self) -> None:
        killed, quiet = self.folder / "killed.games", self.folder / "quiet.games"
        words = ("--positions", 4000 * self.scale, "--seed", 9, "--nodes", 200, "--shards", SHARDS)
        self.job("datagen", killed, *words, kill=True)
        self.job("datagen", quiet, *words)
        self.check("datagen: the loss of a node changes nothing", same_bytes(killed, quiet))
        self.alone("data", "verify", killed)
        self.check("datagen: checksums", True, f"{killed.stat().st_size} bytes")

    def match(self) -> None:
        clustered, single = self.folder / "c.pgn", self.folder / "s.pgn"
        games = 20 * self.scale
        words = ("--engine", "self name=A", "--engine", "self name=B option.Hash=4", "--nodes", 800)
        words += ("--openings", BOOK, "--seed", 3)
        self.job("match", *words, "--games", games, "--pgn", clustered, "--shards", SHARDS, kill=True)
        self.alone("match", *words, "--games", games, "--pgn", single)
        ours, theirs = games_of(clustered), games_of(single)
        self.check("match: the same games", ours == theirs, f"{len(ours)} of {games}")

    def spsa(self) -> None:
        if self.tuner is None:
            print("skipped: spsa needs --tuner, a binary built with --features tune")
            return
        clustered, single = self.folder / "c.json", self.folder / "s.json"
        words = ("--param", "rfp_margin:20", "--param", "lmp_base:2", "--pairs", 16 * self.scale)
        words += ("--batch", 8, "--nodes", 300, "--openings", BOOK, "--seed", 4)
        self.job("spsa", clustered, *words, "--shards", 4, engine=self.tuner)
        self.alone("spsa", single, *words, engine=self.tuner)
        same = json.loads(clustered.read_text()) == json.loads(single.read_text())
        self.check("spsa: the same state", same, f"{16 * self.scale} pairs")

    def solve(self) -> None:
        state, tree = self.folder / "solve.state", self.folder / "proof.json"
        # Black wins in seven moves or fewer; a shard searches a small part of the tree.
        words = ("r4k2/1p1P1p1p/n1p3q1/pP2pP2/8/P1P5/R1K3PP/1N3B1R b - - 0 19", "--leaf-nodes", 1)
        self.job("solve", state, *words, "--tree", tree, "--shards", 4, "--seconds", 1)
        self.alone("solve", "--check", tree)
        self.check("solve: the proof is valid", True, f"{state.stat().st_size} bytes of state")

    def throughput(self) -> None:
        source = self.folder / "throughput.epd"
        lines = BOOK.read_text().splitlines()
        source.write_text("\n".join(lines[: 1000 * self.scale]) + "\n")
        ratios = []
        for turn in range(3):
            words = ("analyse", source, "--nodes", 100_000, "--out")
            clustered = self.job(*words, self.folder / f"ct{turn}", "--shards", SHARDS)
            single = self.alone(*words, self.folder / f"st{turn}", "--threads", 2)
            ratios.append(single / clustered)
            print(f"     cluster {clustered:.1f} s, one process {single:.1f} s", flush=True)
        ratio = sorted(ratios)[1]
        self.check("throughput relative to one process", ratio >= 0.9, f"median {ratio:.3f}")


SHARDS = 16


def same_bytes(first: Path, second: Path) -> bool:
    return first.read_bytes() == second.read_bytes()


def games_of(path: Path) -> dict[str, str]:
    """The games of a record by their round, without dates and times."""
    games = re.split(r"(?m)^(?=\[Event )", path.read_text())[1:]
    rounds = {}
    for game in games:
        number = re.search(r'\[Round "([^"]+)"\]', game)
        assert number is not None and number[1] not in rounds, "a game occurs twice"
        rounds[number[1]] = re.sub(r'\[Date "[^"]*"\]|\d+\.\d+s', "", game)
    return rounds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", type=Path, default=ROOT / "target/release/brisance")
    parser.add_argument("--tuner", type=Path, help="binary with the feature tune, for spsa")
    parser.add_argument("--scale", type=int, default=1, help="size of the jobs [default: 1]")
    parser.add_argument("--throughput", action="store_true", help="on a machine that is idle")
    args = parser.parse_args()
    os.environ["RAY_AUTH_MODE"] = "disabled"
    with tempfile.TemporaryDirectory(prefix="brisance-proof-") as folder:
        proof = Proof(args.engine.absolute(), args.tuner, Path(folder), args.scale)
        try:
            if args.throughput:
                proof.throughput()
            else:
                proof.analyse()
                proof.datagen()
                proof.match()
                proof.spsa()
                proof.solve()
        finally:
            proof.cluster.stop()
    print(f"{proof.failed} checks failed")
    return int(proof.failed > 0)


if __name__ == "__main__":
    sys.exit(main())
