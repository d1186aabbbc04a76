#!/usr/bin/env python3
"""Checks the page of `brisance analyse --html` in a real browser, headless Chromium.

Makes a page of two short games (or takes one that is named), opens it from the disk and checks
that

- it shows a board with men, as many moves as the games have, and a graph,
- a click on a move, the buttons, the arrow keys and a click on the graph change the board,
- a capture shows its explosion, and the board can be turned,
- the second game can be chosen and has a board of its own,
- names and comments of a game stay text: no script in them runs,
- it does not ask for anything from outside and leaves no error in the console,
- on a narrow screen nothing sticks out sideways.

    python3 scripts/clients/browser_page.py [--engine target/release/brisance] [--page PAGE]
                                            [--screenshots FOLDER]

Needs Chromium and its driver (Debian: apt-get install chromium chromium-driver) and selenium,
which it installs into target/selenium-venv when it is missing.

Exit code: 0 all is right, 1 something is not, 2 it could not be checked.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from environment import ROOT, give_up, restart_with

def find(*names: str) -> str:
    for name in names:
        if path := shutil.which(name):
            return path
    give_up(
        f"{names[0]} is not there; nothing was checked.\n"
        "On Debian: apt-get install chromium chromium-driver"
    )
    raise AssertionError


CHROMIUM = find("chromium", "chromium-browser", "google-chrome")
DRIVER = find("chromedriver", "chromium.chromedriver")

try:
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select
except ImportError:
    restart_with("selenium", ["selenium==4.46.0"], "import selenium.webdriver")

GAMES = """\
[Event "A <script>document.title = 'owned'</script> game"]
[White "<img src=x onerror=alert(1)>"]
[Black "Zoë & \\"Co\\""]
[Result "1-0"]
[Variant "Atomic"]

1. Nf3 { [%clk 0:03:00] </script><script>document.title = 'owned'</script> } f6
2. Nc3 Nh6 3. g4 c6 4. d4 e6 5. Nd5 a6 6. Nc7+ Kf7 7. Ng5+ Kg6 8. Nxh7# 1-0

[White "Second"]
[Black "Game"]
[Result "*"]
[Variant "Atomic"]

1. e4 e5 2. Nf3 d6 3. Nxe5 *
"""


def browser() -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(DRIVER)
    try:
        return webdriver.Chrome(options=options, service=service)
    except WebDriverException as error:
        give_up(f"Chromium does not start: {error.msg}")
        raise


def make_page(engine: Path, folder: Path) -> Path:
    """Analyses the games above."""
    if not engine.exists():
        give_up(f"{engine} is not there; build it with cargo build --release, or name --engine")
    games, page = folder / "games.pgn", folder / "games.html"
    games.write_text(GAMES, encoding="utf-8")
    command = [engine, "analyse", games, "--nodes", "2000", "--html", page]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return page


class Checks:
    """The checks, each told as it is made."""

    def __init__(self, driver: webdriver.Chrome, is_ours: bool) -> None:
        self.driver = driver
        self.is_ours = is_ours
        self.faults = 0

    def tell(self, right: bool, what: str) -> None:
        print(f"{'ok  ' if right else 'FAIL'} {what}", flush=True)
        self.faults += not right

    def one(self, selector: str):
        shown = [found for found in self.all(selector) if found.is_displayed()]
        return shown[0]

    def all(self, selector: str) -> list:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def board(self) -> str:
        """What the board of the shown game shows."""
        script = (
            "return [...document.querySelectorAll('.game')].find((game) => !game.hidden)"
            ".querySelector('.stage .scene').innerHTML"
        )
        return self.driver.execute_script(script)

    def changes(self, what: str, action: Callable[[], None]) -> None:
        before = self.board()
        action()
        self.tell(self.board() != before, f"{what} changes the board")

    def press(self, key: str) -> None:
        ActionChains(self.driver).send_keys(key).perform()

    def run(self) -> None:
        moves = [move for move in self.all(".moves button") if move.is_displayed()]
        self.tell(self.board().count("man-") > 1, "the board has men")
        self.tell(len(moves) > 0, f"{len(moves)} moves are listed")
        if self.is_ours:
            self.tell(len(moves) == 15, "all fifteen of the first game")
        self.tell(bool(self.one(".plot svg").size["height"]), "the graph is drawn")
        self.changes("a click on a move", moves[0].click)
        current = self.one(".moves [aria-current]")
        self.tell(current.get_attribute("data-ply") == "1", "the move clicked is the current one")
        self.changes("the arrow to the right", lambda: self.press(Keys.ARROW_RIGHT))
        self.changes("the arrow to the left", lambda: self.press(Keys.ARROW_LEFT))
        self.changes("the key Home", lambda: self.press(Keys.HOME))
        self.changes("the button on", self.one("[data-go=on]").click)
        plot = self.one(".plot")
        middle = ActionChains(self.driver).move_to_element(plot).click()
        self.changes("a click on the graph", middle.perform)
        self.changes("turning the board", self.one("[data-go=flip]").click)
        self.changes("turning it back", lambda: self.press("f"))
        self.changes("the button for the end", self.one("[data-go=last]").click)
        if self.is_ours:
            self.tell("burst" in self.board(), "the last capture explodes on the board")
            points = [point for point in self.all(".point") if point.is_displayed()]
            exploding = [point for point in points if "burst" in point.get_attribute("innerHTML")]
            self.tell(bool(exploding), f"{len(points)} turning points, explosions drawn")
            self.press(Keys.HOME)
            jump = points[0].find_element(By.CSS_SELECTOR, "button")
            self.changes("a click on a turning point", jump.click)
            choice = Select(self.one("#choice"))
            self.changes("choosing the second game", lambda: choice.select_by_index(1))
            self.tell("Second" in self.one("h1").text, "its players are named")
            choice.select_by_index(0)
            self.tell("onerror" in self.one("h1").text, "markup in a name is text")
            self.tell("owned" not in self.driver.title, "no script of a game ran")
            self.tell(not self.all("main img"), "no element came from a name")
        self.narrow()
        self.quiet()

    def narrow(self) -> None:
        self.driver.set_window_size(375, 800)
        width = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        over = self.driver.execute_script(width)
        self.tell(over <= 0, f"nothing sticks out on a narrow screen ({over} pixels)")

    def quiet(self) -> None:
        errors = self.driver.get_log("browser")
        for entry in errors:
            print(f"     {entry['level']}: {entry['message']}")
        self.tell(not errors, "the console is empty")
        asked = [
            entry["message"]
            for entry in self.driver.get_log("performance")
            if '"Network.requestWillBeSent"' in entry["message"]
            and '"url":"file:' not in entry["message"]
            and '"url":"data:' not in entry["message"]
        ]
        self.tell(not asked, "nothing was asked for from outside")


def shoot(driver: webdriver.Chrome, page: Path, folder: Path) -> None:
    """Pictures in light and dark, wide and narrow."""
    folder.mkdir(parents=True, exist_ok=True)
    for scheme in ("light", "dark"):
        feature = [{"name": "prefers-color-scheme", "value": scheme}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": feature})
        for name, width in (("wide", 1280), ("narrow", 390)):
            driver.set_window_size(width, 900)
            driver.get(page.as_uri())
            height = driver.execute_script("return document.documentElement.scrollHeight")
            driver.set_window_size(width, min(height + 150, 6000))
            path = folder / f"{scheme}-{name}.png"
            driver.save_screenshot(str(path))
            print(f"     {path}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", type=Path, default=ROOT / "target" / "release" / "brisance")
    parser.add_argument("--page", type=Path)
    parser.add_argument("--screenshots", type=Path)
    args = parser.parse_args()
    driver = browser()
    with tempfile.TemporaryDirectory() as folder:
        page = (args.page or make_page(args.engine, Path(folder))).resolve()
        try:
            driver.set_window_size(1280, 900)
            driver.get(page.as_uri())
            checks = Checks(driver, is_ours=args.page is None)
            checks.run()
            if args.screenshots:
                shoot(driver, page, args.screenshots)
        finally:
            driver.quit()
    print(f"{checks.faults} faults")
    return 1 if checks.faults else 0


if __name__ == "__main__":
    sys.exit(main())
