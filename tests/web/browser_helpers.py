"""A real browser at a real host: `ordertray run --virtual` in a child process, firmware on MicroPython, Chromium."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, WebSocket, expect, sync_playwright

from ordertray.service.asking import ask
from patience import patience, wait_until

#: No sandbox: tests may run as root. No background traffic: there is no network.
CHROMIUM = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage")  # fmt: skip
PATIENCE_S = 30.0


def chromium() -> str:
    """The browser. Skips where there is none, with the reason; in CI that is a failure."""
    found = os.environ.get("ORDERTRAY_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if found is not None:
        return found
    reason = "needs Debian's chromium: apt-get install chromium (or ORDERTRAY_CHROMIUM=path)"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@contextlib.contextmanager
def browsing(*options: str) -> Iterator[Browser]:
    """Chromium, without a window; `options` of its command line besides."""
    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*CHROMIUM, *options])
        try:
            yield browser
        finally:
            browser.close()


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Host:
    """`ordertray run` on a record of its own; can be stopped and started again on the same port.

    With `tray` the virtual one is there, firmware on MicroPython; without, the page is all there is (and up sooner).
    """

    folder: Path
    arguments: tuple[str, ...]
    tray: bool = True
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> str:
        """What it has said so far."""
        path = self.folder / "host.log"
        return path.read_text("utf-8", "replace") if path.exists() else ""

    @property
    def base(self) -> str:
        """The page's address."""
        return f"http://127.0.0.1:{self.port}/"

    def start(self) -> None:
        """Start it, and wait until page and tray are up."""
        sign = " online at " if self.tray else "table page at "
        seen = self.log.count(sign)
        kind = "--virtual" if self.tray else "--no-tray"
        command = [sys.executable, "-m", "ordertray", "run", kind, "--http-port", str(self.port)]
        command += ["--record", str(self.folder / "record.sqlite3"), *self.arguments]
        environment = {**os.environ, "ORDERTRAY_HOME": str(self.folder), "ORDERTRAY_LANGUAGE": "en"}
        with (self.folder / "host.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        wait_until(lambda: self.log.count(sign) > seen or self.process_ended(), "the tray to be online", PATIENCE_S)
        assert not self.process_ended(), self.log

    def process_ended(self) -> bool:
        """Whether it is no longer there."""
        return self.process is None or self.process.poll() is not None

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it, and wait until it has."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(patience(PATIENCE_S))

    def pins(self) -> dict[str, str]:
        """The PINs of this game, as `ordertray links` is told them."""
        links: dict[str, dict[str, str]] = ask(self.folder / "record.sqlite3", "links")["links"]
        return {role: of["pin"] for role, of in links.items()}

    def link(self, *roles: str, view: str = "") -> str:
        """The secret link of some roles."""
        secrets = json.loads((self.folder / "page-keys.json").read_text("utf-8"))["secrets"]
        query = f"?view={view}" if view else ""
        return f"{self.base}{query}#key={','.join(secrets[role] for role in roles)}" if roles else self.base + query


@contextlib.contextmanager
def hosting(folder: Path, *arguments: str, tray: bool = True) -> Iterator[Host]:
    """A running host; its log is in the failure message if something raises."""
    host = Host(folder, arguments or ("--quick", "4", "2"), tray)
    try:
        host.start()
        yield host
    except BaseException:
        print(host.log)
        raise
    finally:
        host.stop()


@dataclass
class Visitor:
    """A page in a browser of its own, with everything that came to it over the network."""

    page: Page
    context: BrowserContext
    received: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def states(self) -> list[dict[str, Any]]:
        """The states that came over the websocket."""
        parsed = [json.loads(text) for text in self.received if text.startswith("{")]
        return [message for message in parsed if message.get("type") == "state"]

    def wait(
        self,
        condition: Callable[[], object],
        what: str,
        patience_s: float = PATIENCE_S,
        seen: Callable[[], object] = str,
    ) -> None:
        """Wait for something while the browser goes on; `seen` says what is there instead."""
        end = time.monotonic() + patience(patience_s)
        while not condition():
            assert time.monotonic() < end, f"waited {patience_s} s for {what}; {seen()}"
            self.page.wait_for_timeout(20)

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """Ask the API as the page does; the answer's object."""
        return self.page.evaluate(
            "([method, path, body]) => fetch('/api/v1' + path, {method, headers: {'content-type': 'application/json'},"
            " body: method === 'GET' ? undefined : JSON.stringify(body)}).then(answer => answer.json())",
            [method, path, body],
        )

    def act(self, *lines: str) -> None:
        """Send lines of the game script; each must be accepted."""
        for line in lines:
            answer = self.ask("POST", "/actions", {"line": line})
            assert answer["ok"], (line, answer)

    def to_orders(self, seat: str) -> None:
        """Begin a seat's turn and go on to its Orders Phase, whatever is open before."""
        view = self.ask("GET", "/state")["public"]
        while view["active"] not in (None, seat):
            self.act(f"{view['active']} next")
            view = self.ask("GET", "/state")["public"]
        if view["active"] is None:
            self.act(f"{seat} start")
        while self.ask("GET", "/state")["public"]["phase"] != "orders":
            self.act(f"{seat} next")

    def half(self, seat: str) -> Any:
        """One side of the table."""
        return self.page.locator(f".half.seat-{seat}")

    def press(self, seat: str, button: str) -> None:
        """Click a button of the drawn tray."""
        self.half(seat).locator(f".button-{button}").click()

    def hold(self, seat: str, button: str) -> None:
        """Press a button of the drawn tray with the mouse and let it go when its lamp frame has changed."""
        box = self.half(seat).locator(f".button-{button}").bounding_box()
        assert box is not None
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.page.mouse.down()
        before = len(self.states())
        self.page.wait_for_timeout(1250)  # a hand that holds for a second and a bit
        # The tray's own clock decides what was a hold: on a busy machine the press may have come late.
        with contextlib.suppress(AssertionError):
            self.wait(lambda: len(self.states()) > before, "the tray to notice", 1)
        self.page.mouse.up()

    def begin(self, seat: str, phase: str = "Orders Phase") -> None:
        """Begin a turn by holding OK, as far as the phase."""
        self.hold(seat, "ok")
        self.past_the_count(seat, phase)

    def past_the_count(self, seat: str, phase: str = "Orders Phase") -> None:
        """In the first turn OK rests after the count, where the other side may use a token (CMD-02): once more."""
        where = self.page.locator(".where .phase")
        expect(where).to_have_text(re.compile(f"{phase}|Tactical Phase"), timeout=1000 * patience(10))
        if where.text_content() == "Tactical Phase":
            self.hold(seat, "ok")
        self.phase(phase)

    def tap(self, seat: str, disc: str) -> None:
        """Click a disc."""
        if disc.startswith("trooper"):
            self.half(seat).locator(".trooper-tags").evaluate("node => { node.open = true; }")
        self.half(seat).locator(f'[data-disc="{disc}"]').click()

    def lit(self, seat: str, first: int, length: int) -> str:
        """The colour letters of some pixels as they are drawn; dim ones as capital letters."""
        pixels = self.half(seat).locator(".strip .lit")
        letters = ""
        for place in range(first, first + length):
            name = pixels.nth(place).get_attribute("class") or ""
            found = re.search(r"ink-(.)", name)
            letter = "." if found is None else found.group(1)
            letters += letter.upper() if "fx-dim" in name else letter
        return letters

    def phase(self, text: str) -> None:
        """Wait for the phase in the head."""
        expect(self.page.locator(".where .phase")).to_have_text(text, timeout=1000 * patience(10))

    def hint(self, text: str) -> None:
        """Wait for words in the hint."""
        expect(self.page.locator(".hint")).to_contain_text(text, timeout=1000 * patience(10))


@contextlib.contextmanager
def visiting(browser: Browser, address: str, **options: Any) -> Iterator[Visitor]:
    """Open a page; its errors fail the test."""
    options.setdefault("viewport", {"width": 1440, "height": 960})
    options.setdefault("reduced_motion", "reduce")
    options.setdefault("locale", "en-GB")
    context = browser.new_context(**options)
    page = context.new_page()
    visitor = Visitor(page, context)
    page.on("pageerror", lambda error: visitor.faults.append(str(error)))
    page.on("websocket", lambda ws: _listen(ws, visitor))
    page.on("response", lambda answer: _read(answer, visitor))
    page.goto(address)
    expect(page.locator("main")).to_be_visible(timeout=1000 * patience(15))
    try:
        yield visitor
        assert visitor.faults == []
    finally:
        context.close()


def _listen(ws: WebSocket, visitor: Visitor) -> None:
    ws.on("framereceived", lambda data: visitor.received.append(data if isinstance(data, str) else data.decode()))


def _read(answer: Any, visitor: Visitor) -> None:
    if "/api/" in answer.url:
        with contextlib.suppress(Exception):
            visitor.received.append(answer.text())
