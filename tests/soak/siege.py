"""The page under siege: strangers hold sockets, dribble, and ask without end; the table plays on.

    make siege                (or: PYTHONPATH=tests python -m soak.siege [--seconds 20])

The real service in a process of its own with the usual 1,024 descriptors, a tray on a pseudo-terminal, a seat's page.
First in peace, then with so many idle sockets (which come back when they are closed), slow ones that send a header a
letter a second, and so many requests a second, from many addresses; and beside it a port that chatters text. Printed:
how long taps and the seat's requests take in peace and under siege, whether a session was lost, how the log grew.
Last line: JSON. Status 1 if the promise is not kept.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import pty
import re
import resource
import subprocess
import sys
import tempfile
import time
import tty
from collections import Counter
from pathlib import Path
from statistics import median

import httpx

from commands.cli_helpers import COMMAND, environment
from link.pty_tray import PtyTray, until
from ordertray.army.quick import quick_army
from ordertray.service.asking import ask
from ordertray.tokens.model import TokenKind
from ordertray.tokens.virtual import virtual_tokens

DISC = next(d.uid for d in virtual_tokens(quick_army(10, 4), "A") if d.kind is TokenKind.REGULAR and d.group == 1)
TAP = {"e": "placed", "pad": "A", "uid": DISC, "tag": "ntag213"}
NEXT = {"e": "button", "side": "A", "button": "ok", "edge": "hold"}
UNDO = {"e": "button", "side": "A", "button": "pass", "edge": "hold"}
REST_S = 0.1


# --- the strangers, in a process of their own -----------------------------------------------------------------------


async def holding(port: int, number: int, *, slow: bool) -> None:
    """One stranger that holds a connection: says nothing, or a letter a second; comes back when it is sent away."""
    source = f"127.{2 if slow else 1}.{number // 200}.{number % 200 + 1}"
    while True:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
            if slow:
                for letter in b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 1000:
                    writer.write(bytes([letter]))
                    await writer.drain()
                    await asyncio.sleep(1)
            await reader.read()
            writer.close()
        await asyncio.sleep(1)


async def asking(port: int, pace: float, came: Counter[str]) -> None:
    """Requests of strangers, some of them odd, at a pace."""
    paths = ("/api/v1/state", "/", "/static/main.js", "/api/v1/games/1/statistics", "/%0aFORGED%1b[31m" + "A" * 3000)
    number = 0

    async def one(number: int) -> None:
        source = f"127.3.0.{number % 200 + 1}"
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
            host = "evil.example" if number % 7 == 0 else f"127.0.0.1:{port}"
            request = f"GET {paths[number % len(paths)]} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
            writer.write(request.encode())
            answer = await asyncio.wait_for(reader.read(), 20)
            came[answer[9:12].decode("ascii", "replace") or "closed"] += 1
            writer.close()
        except (OSError, TimeoutError):
            came["none"] += 1

    tasks: set[asyncio.Task[None]] = set()
    while True:
        number += 1
        task = asyncio.create_task(one(number))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        await asyncio.sleep(1 / pace)


async def strangers(port: int, idle: int, slow: int, pace: float) -> None:
    """All of them, until somebody ends the process; what their requests came to is printed every second."""
    came: Counter[str] = Counter()
    work = [holding(port, number, slow=False) for number in range(idle)]
    work += [holding(port, number, slow=True) for number in range(slow)]
    tasks = [asyncio.create_task(one) for one in (*work, asking(port, pace, came))]
    while tasks:
        await asyncio.sleep(1)
        print(json.dumps(came), flush=True)


# --- the table ------------------------------------------------------------------------------------------------------


class Chatter:
    """A port that says text without end, as a board with a fault does."""

    def __init__(self, path: Path) -> None:
        self._ours, theirs = pty.openpty()
        tty.setraw(theirs)
        os.set_blocking(self._ours, False)
        path.symlink_to(os.ttyname(theirs))
        self._theirs = theirs

    async def run(self) -> None:
        """Until cancelled."""
        number = 0
        while True:
            with contextlib.suppress(OSError):
                for _ in range(20):
                    number += 1
                    os.write(self._ours, f"fault {number} in line {number % 97}: \x1b[31m{'x' * 60}\n".encode())
            await asyncio.sleep(0.01)


async def taps(tray: PtyTray, seconds: float) -> list[float]:
    """Seconds from each touch at the tray to its acknowledgement."""
    spans: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        number, before = len(spans), tray.end.acknowledged
        began = time.perf_counter()
        tray.event(**(UNDO if number % 2 else TAP))
        while tray.end.acknowledged <= before:
            await asyncio.sleep(0.0005)
            if time.perf_counter() - began > 20:
                raise TimeoutError("a tap was not answered")
        spans.append(time.perf_counter() - began)
        await asyncio.sleep(REST_S)
    return spans


async def requests(client: httpx.AsyncClient, until_s: float) -> list[float]:
    """Seconds of the seat's own requests, on the connection it has and on new ones."""
    spans: list[float] = []
    while time.monotonic() < until_s:
        began = time.perf_counter()
        answer = await client.get("/api/v1/state?view=A", headers={"connection": "close"} if len(spans) % 2 else {})
        if answer.status_code != 200:
            raise RuntimeError(f"the seat was answered {answer.status_code}")
        spans.append(time.perf_counter() - began)
        await asyncio.sleep(0.2)
    return spans


def strangers_log(log: Path) -> int:
    """Bytes of the log, without the steps of the game."""
    return sum(len(line) for line in log.read_bytes().splitlines(True) if b" I ordertray: @" not in line)


async def besieged(
    folder: Path, seconds: float, idle: int, slow: int, pace: float, settle_s: float = 8
) -> dict[str, object]:
    """The figures of one siege; after its beginning it is given `settle_s`: all come at once, deadlines pass."""
    tray, chatter = PtyTray(folder / "port"), Chatter(folder / "chatter")
    tray.plug()
    log, record = folder / "log.txt", folder / "record.sqlite3"
    with log.open("wb") as out:
        command = [*COMMAND, "run", "--quick", "10", "4", "--http-port", "0", "--record", str(record)]
        service = subprocess.Popen(
            [*command, "--port", str(tray.path), "--port", str(folder / "chatter")],
            stdout=out, stderr=out, env=environment(folder), preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1])),
        )  # fmt: skip
    attack: subprocess.Popen[bytes] | None = None
    chattering: asyncio.Task[None] | None = None
    try:
        await until(lambda: tray.end.online and "`ordertray links`" in log.read_text(), 60)
        base = re.findall(r"table page at (\S+)/", log.read_text())[0]
        links = (await asyncio.to_thread(ask, record, "links"))["links"]
        async with httpx.AsyncClient(base_url=base, timeout=20) as client:
            secret = links["A"]["link"].partition("=")[2]
            (await client.post("/api/v1/session", json={"secret": secret})).raise_for_status()
            tray.event(**NEXT)
            await until(lambda: tray.end.acknowledged >= 2, 30)
            sessions = tray.end.counters.sessions
            peace, peace_page = await asyncio.gather(
                taps(tray, seconds / 2), requests(client, time.monotonic() + seconds / 2)
            )
            size, began = strangers_log(log), time.monotonic()
            chattering = asyncio.create_task(chatter.run())
            arguments = [base.rpartition(":")[2], str(idle), str(slow), str(pace)]
            with (folder / "came").open("wb") as came_to:
                attack = subprocess.Popen(
                    [sys.executable, "-m", "soak.siege", "--strangers", *arguments],
                    stdout=came_to,
                    env={**os.environ, "PYTHONPATH": ":".join(path for path in sys.path if path)},
                )
            await until(lambda: bool((folder / "came").read_text()), 60)
            await asyncio.sleep(settle_s)
            war, war_page = await asyncio.gather(taps(tray, seconds), requests(client, time.monotonic() + seconds))
            # So many lines of a kind are let through a minute, most of them at its beginning.
            grown = (strangers_log(log) - size) / max(1.0, (time.monotonic() - began) / 60)
            descriptors = len(list(Path(f"/proc/{service.pid}/fd").iterdir()))
        came = json.loads((folder / "came").read_text().splitlines()[-1])
    finally:
        if chattering is not None:
            chattering.cancel()
        for process in (attack, service):
            if process is not None:
                process.terminate()
                process.wait(30)
        tray.unplug()
    text = log.read_text()
    return {
        "taps in peace, ms": round(median(peace) * 1000, 2),
        "taps under siege, ms": round(median(war) * 1000, 2),
        "ratio": round(median(war) / median(peace), 2),
        "worst tap, ms": round(max(war) * 1000, 1),
        "taps": len(war),
        "seat's page in peace, ms": round(median(peace_page) * 1000, 1),
        "seat's page under siege, ms": round(median(war_page) * 1000, 1),
        "sessions lost": tray.end.counters.sessions - sessions,
        "descriptors": descriptors,
        "log of strangers, bytes a minute": round(grown),
        "strangers were answered": came,
        "tracebacks": text.count("Traceback"),
        "escape sequences in the log": text.count("\x1b"),
        "status": service.returncode,
    }


def kept(figures: dict[str, object], ratio: float) -> list[str]:
    """What of the promise is not kept."""
    broken = [
        name for name in ("sessions lost", "tracebacks", "escape sequences in the log", "status") if figures[name]
    ]
    if float(str(figures["ratio"])) > ratio:
        broken.append("ratio")
    if int(str(figures["log of strangers, bytes a minute"])) > 10_000:
        broken.append("log")
    return broken


def main() -> None:
    """Lay siege, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strangers", nargs=4, metavar=("PORT", "IDLE", "SLOW", "PACE"))
    parser.add_argument("--seconds", type=float, default=20)
    chosen = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard) if hard > 0 else 8192, hard))
    if chosen.strangers:
        port, idle, slow, pace = chosen.strangers
        asyncio.run(strangers(int(port), int(idle), int(slow), float(pace)))
        return
    with tempfile.TemporaryDirectory() as name:
        figures = asyncio.run(besieged(Path(name), chosen.seconds, 2000, 200, 50))
    for what, figure in figures.items():
        print(f"{what:32} {figure}")
    print(json.dumps({"siege": figures}))
    if broken := kept(figures, 2.0):
        print(f"not kept: {', '.join(broken)}")
        sys.exit(1)


if __name__ == "__main__":
    main()
