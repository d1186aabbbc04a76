"""A virtual display for the other scripts, and pictures of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from environment import give_up

# Debian installs games here, which is not in the path of root.
PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])


def need(programs: dict[str, str]) -> None:
    """Exits if a program is missing. The values are the Debian packages."""
    missing = [name for name in programs if shutil.which(name, path=PATH) is None]
    if missing:
        packages = " ".join(sorted({programs[name] for name in missing}))
        give_up(f"missing: {', '.join(missing)}. On Debian: apt-get install {packages}")


class Screen:
    """An X server for the duration of a `with` block."""

    PROGRAMS = {"Xvfb": "xvfb", "import": "imagemagick"}

    def __init__(self, home: Path, size: str = "1280x900x24") -> None:
        self.size = size
        self.environment = {**os.environ, "PATH": PATH, "HOME": str(home)}

    def __enter__(self) -> Screen:
        reading, writing = os.pipe()
        # The server selects a free number and writes it when it is ready.
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", self.size],
            pass_fds=[writing],
            stderr=subprocess.DEVNULL,
        )
        os.close(writing)
        with os.fdopen(reading) as pipe:
            number = pipe.readline().strip()
        if not number:
            give_up("Xvfb does not start")
        self.environment["DISPLAY"] = f":{number}"
        return self

    def __exit__(self, *_: object) -> None:
        self.server.terminate()
        self.server.wait()

    def run(self, command: list[str], **more: object) -> subprocess.Popen:
        """Starts a program on this screen."""
        return subprocess.Popen(command, env=self.environment, **more)

    def shoot(self, path: Path) -> None:
        """Saves a picture of the whole screen."""
        subprocess.run(["import", "-window", "root", str(path)], env=self.environment, check=False)


def wait_for(test: Callable[[], bool], seconds: float, pause: float = 0.3) -> bool:
    """Polls until the test is true or the time is over; returns whether it is true."""
    end = time.monotonic() + seconds
    while not test():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True


def stop(process: subprocess.Popen) -> None:
    """Terminates a program, or kills it after ten seconds."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
