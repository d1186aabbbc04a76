#!/usr/bin/env python3
"""Checks the page of `brisance analyse --html` in headless Chromium.

Makes the page of two short games, or takes the page given, opens it as a file and checks that

- it has a board with pieces, all moves of the games, and a graph,
- a click on a move, the buttons, the arrow keys and a click on the graph change the board,
- a capture shows its explosion, and the board can be flipped,
- the second game can be selected and has its own board,
- the moves of lines can be played and explode what the rules explode, and a link leads to one
  move,
- names and comments of a game are text: no script in them runs,
- it loads nothing and logs no error in the console,
- it fits on a narrow screen.

    python3 scripts/clients/browser_page.py [--engine target/release/brisance] [--page PAGE]
                                            [--screenshots FOLDER]

Needs Chromium and its driver (Debian: apt-get install chromium chromium-driver) and selenium,
which it installs into target/selenium-venv if it is missing.

Exit code: 0 all checks passed, 1 a check failed, 2 the page could not be checked.
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
        f"{names[0]} is missing; nothing was checked.\n"
        "On Debian: apt-get install chromium chromium-driver"
    )
    raise AssertionError


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
[Orientation "black"]

1. e4 e5 (1... d5 { not taken } 2. exd5 (2. d4 dxe4) c6) 2. Nf3 d6 3. Nxe5 *
"""


def browser() -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = find("chromium", "chromium-browser", "google-chrome")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(find("chromedriver", "chromium.chromedriver"))
    try:
        return webdriver.Chrome(options=options, service=service)
    except WebDriverException as error:
        give_up(f"Chromium does not start: {error.msg}")
        raise


def make_page(engine: Path, folder: Path) -> Path:
    """Analyses the games above."""
    if not engine.exists():
        give_up(f"{engine} is missing; run cargo build --release or use --engine")
    games, page = folder / "games.pgn", folder / "games.html"
    games.write_text(GAMES, encoding="utf-8")
    command = [engine, "analyse", games, "--nodes", "2000", "--html", page]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return page


class Checks:
    """The checks; each prints its result."""

    def __init__(self, driver: webdriver.Chrome, is_own_page: bool) -> None:
        self.driver = driver
        self.is_own_page = is_own_page
        self.failures = 0

    def check(self, passed: bool, what: str) -> None:
        print(f"{'ok  ' if passed else 'FAIL'} {what}", flush=True)
        self.failures += not passed

    def one(self, selector: str):
        shown = [found for found in self.all(selector) if found.is_displayed()]
        return shown[0]

    def all(self, selector: str) -> list:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def board(self) -> str:
        """The SVG of the visible board."""
        script = (
            "return [...document.querySelectorAll('.game')].find((game) => !game.hidden)"
            ".querySelector('.stage .scene').innerHTML"
        )
        return self.driver.execute_script(script)

    def changes(self, what: str, action: Callable[[], None]) -> None:
        before = self.board()
        action()
        self.check(self.board() != before, f"{what} changes the board")

    def press(self, key: str) -> None:
        ActionChains(self.driver).send_keys(key).perform()

    def run(self) -> None:
        moves = [move for move in self.all(".moves button") if move.is_displayed()]
        self.check(self.board().count("piece-") > 1, "the board has pieces")
        self.check(len(moves) > 0, f"{len(moves)} moves are listed")
        if self.is_own_page:
            self.check(len(moves) == 15, "the first game has fifteen moves")
        self.check(bool(self.one(".plot svg").size["height"]), "the graph is drawn")
        self.changes("a click on a move", moves[0].click)
        self.link()
        moves = [move for move in self.all(".moves button") if move.is_displayed()]
        self.changes("a move of a line", self.all(".said .line button")[0].click)
        self.changes("the right arrow key in a line", lambda: self.press(Keys.ARROW_RIGHT))
        self.press(Keys.ESCAPE)
        moves[0].click()
        current = self.one(".moves [aria-current]")
        self.check(current.get_attribute("data-ply") == "1", "the clicked move is the current one")
        self.changes("the right arrow key", lambda: self.press(Keys.ARROW_RIGHT))
        self.changes("the left arrow key", lambda: self.press(Keys.ARROW_LEFT))
        self.changes("the Home key", lambda: self.press(Keys.HOME))
        self.changes("the button forward", self.one("[data-go=on]").click)
        plot = self.one(".plot")
        middle = ActionChains(self.driver).move_to_element(plot).click()
        self.changes("a click on the graph", middle.perform)
        self.changes("flipping the board", self.one("[data-go=flip]").click)
        self.changes("flipping it back", lambda: self.press("f"))
        self.changes("the button to the end", self.one("[data-go=last]").click)
        if self.is_own_page:
            self.check("burst" in self.board(), "the last capture explodes on the board")
            points = [point for point in self.all(".point") if point.is_displayed()]
            exploding = [point for point in points if "burst" in point.get_attribute("innerHTML")]
            self.check(bool(exploding), f"{len(points)} turning points, explosions drawn")
            self.press(Keys.HOME)
            jump = points[0].find_element(By.CSS_SELECTOR, "button")
            self.changes("a click on a turning point", jump.click)
            choice = Select(self.one("#choice"))
            self.changes("selecting the second game", lambda: choice.select_by_index(1))
            self.check("#2." in self.driver.current_url, "its address names it")
            first_rank = self.one(".stage .board text:nth-of-type(2)").text
            self.check(first_rank == "1", "its board has Black at the bottom")
            self.one("[data-go=on]").click()
            self.one("[data-go=on]").click()
            words = self.one(".said .lines").text
            self.check("1... d5" in words and "not taken" in words, "its variations are shown")
            self.variations()
            self.check("Second" in self.one("h1").text, "its players are shown")
            choice.select_by_index(0)
            self.check("onerror" in self.one("h1").text, "markup in a name is text")
            self.check("owned" not in self.driver.title, "no script of a game ran")
            self.check(not self.all("main img"), "no element came from a name")
        self.narrow()
        self.quiet()

    def link(self) -> None:
        """The address of a move opens the page at this move."""
        board = self.board()
        address = self.driver.current_url
        self.check(address.endswith(".1"), "the address names the move")
        self.press(Keys.END)
        self.driver.get("about:blank")
        self.driver.get(address)
        self.check(self.board() == board, "a link leads to the move")

    def variations(self) -> None:
        """The moves of the variations explode what the rules explode."""
        boards = {
            "2. exd5": "rnbqkbnr/ppp1pppp/8/8/8/8/PPPP1PPP/RNBQKBNR",
            "dxe4": "rnbqkbnr/ppp1pppp/8/8/3P4/8/PPP2PPP/RNBQKBNR",
        }
        for move, board in boards.items():
            buttons = [button for button in self.all(".said .line button") if button.is_displayed()]
            [button] = [button for button in buttons if button.text == move]
            button.click()
            label = self.one(".stage .board").get_attribute("aria-label")
            self.check(board in label, f"{move} explodes its surroundings: {label}")
        self.one("[data-go=first]").click()

    def narrow(self) -> None:
        self.driver.set_window_size(375, 800)
        width = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        over = self.driver.execute_script(width)
        self.check(over <= 0, f"the page fits on a narrow screen ({over} pixels too wide)")

    def quiet(self) -> None:
        errors = self.driver.get_log("browser")
        for entry in errors:
            print(f"     {entry['level']}: {entry['message']}")
        self.check(not errors, "the console is empty")
        requests = [
            entry["message"]
            for entry in self.driver.get_log("performance")
            if '"Network.requestWillBeSent"' in entry["message"]
            and '"url":"file:' not in entry["message"]
            and '"url":"data:' not in entry["message"]
        ]
        self.check(not requests, "nothing was loaded")


def shoot(driver: webdriver.Chrome, page: Path, folder: Path) -> None:
    """Takes screenshots in light and dark mode, wide and narrow."""
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
    parser.add_argument("--page", type=Path, help="a page to check instead of making one")
    parser.add_argument("--screenshots", type=Path, help="folder for pictures")
    args = parser.parse_args()
    driver = browser()
    with tempfile.TemporaryDirectory() as folder:
        page = (args.page or make_page(args.engine, Path(folder))).resolve()
        try:
            driver.set_window_size(1280, 900)
            driver.get(page.as_uri())
            checks = Checks(driver, is_own_page=args.page is None)
            checks.run()
            if args.screenshots:
                shoot(driver, page, args.screenshots)
        finally:
            driver.quit()
    print(f"{checks.failures} checks failed")
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
