"""What the running service costs: turn-around of a tap, start-up, memory, processor. (To the pins: bench_lights.py.)

    make bench            (or: PYTHONPATH=tests python tests/bench/bench_service.py [FOLDER])

Turn-around: from the read that brings a tap's frame to the write that takes the new lamps' frame out, in the real
service with its link on a pseudo-terminal and its record committed with FULL synchronisation. The yardstick takes turns
with it on the same disk: a bare SQLite commit (write-ahead log, FULL) of one row with as many bytes as the tap stored.
Both logs grow from empty, and both begin after the same rest, as a tap does: a processor that has rested is slower at
first. (The tap writes two pages, into two tables and its row in each; the bare commit one.)
The same once more with every synchronisation taking SLOW_MS longer, for both, as on a card: a C compiler is needed.
Start-up: until systemd would be told READY, beside a Python that does nothing. FOLDER: the disk to measure.
Last line: JSON.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from commands.cli_helpers import COMMAND, environment
from link.pty_tray import PtyTray, until
from ordertray import rules
from ordertray.army.quick import quick_army
from ordertray.games import store
from ordertray.journal import Journal
from ordertray.link import BoardSpec, open_port
from ordertray.link.port import Port
from ordertray.rules import Seat
from ordertray.service.table_service import TableService
from ordertray.table import Pace
from ordertray.tokens.model import TokenKind
from ordertray.tokens.virtual import virtual_tokens

ROUNDS = 300
REST_S = 0.02
SLOW_MS = 5
SECONDS = 6.0
TAPS_A_SECOND = 10
A, B = Seat
DISCS = virtual_tokens(quick_army(10, 4), "A")
DISC = next(disc.uid for disc in DISCS if disc.kind is TokenKind.REGULAR and disc.group == 1)
TAP = {"e": "placed", "pad": "A", "uid": DISC, "tag": "ntag213"}
NEXT = {"e": "button", "side": "A", "button": "ok", "edge": "hold"}
UNDO = {"e": "button", "side": "A", "button": "pass", "edge": "hold"}


class TimedPort:
    """A port that notes when a tap came in and when the lamps went out. `Port` without its constructor."""

    def __init__(self, port: Port, spans: list[float]) -> None:
        self._port, self._spans, self._tap_at = port, spans, 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._port, name)

    def read(self) -> bytes:
        """Note a tap."""
        data = self._port.read()
        if b"~T" in data:
            self._tap_at = time.perf_counter()
        return data

    def write(self, data: bytes) -> int:
        """Note the lamps that answer it."""
        taken = self._port.write(data)
        if self._tap_at and data.startswith(b"~F"):
            self._spans.append(time.perf_counter() - self._tap_at)
            self._tap_at = 0.0
        return taken


def stored_bytes(journal: Journal, after: int) -> int:
    """How many bytes the last tap stored: all columns of its entries, and its own."""
    columns: list[Any] = []
    for entry in journal.entries(1, after):
        columns += [
            1,
            entry.number,
            entry.position,
            entry.action,
            entry.seat,
            entry.events,
            entry.cause,
            entry.at_ms,
            2**32,
        ]
    columns += ["E6616408432A1B2C", "00000001", 1000, 1, after, {"ok": True, "signal": "ok"}, 1_790_000_000_000, 2**32]
    return sum(len(x if isinstance(x, str) else json.dumps(x, separators=(",", ":"))) for x in columns)


async def turn_around(place: Path) -> dict[str, list[float]]:
    """Seconds of each tap and of each bare commit."""
    spans: dict[str, list[float]] = {"bare commit": [], "turn-around": [], "judged and shown": [], "committed": []}
    bare = sqlite3.connect(place / "bare.db", isolation_level=None)
    bare.execute("PRAGMA journal_mode = WAL")
    bare.execute("PRAGMA synchronous = FULL")
    bare.execute("CREATE TABLE steps (number INTEGER PRIMARY KEY, step BLOB)")
    tray = PtyTray(place / "port")
    tray.plug()
    armies = {seat: quick_army(10, 4) for seat in Seat}
    with contextlib.closing(bare), Journal.open(place / "record.db") as journal:
        record = journal.record

        def timed(*arguments: Any, **options: Any) -> Any:
            began = time.perf_counter()
            try:
                return record(*arguments, **options)
            finally:
                spans["committed"].append(time.perf_counter() - began)

        journal.record = timed  # type: ignore[method-assign]
        service = TableService(
            journal, wall_ms=lambda: time.time_ns() // 1_000_000, specs=[BoardSpec(url=str(tray.path))]
        )
        tokens = {seat: virtual_tokens(armies[seat], str(seat)) for seat in Seat}
        service.begin(*store.begin(journal, armies, tokens, edition=rules.DEFAULT_EDITION, pace=Pace.EXPRESS, at_ms=0))
        assert service.trays is not None
        (link,) = service.trays.links
        opener: Any = lambda url: TimedPort(open_port(url), spans["turn-around"])  # noqa: E731
        link._opener = opener
        running = asyncio.create_task(service.run())
        await link.wait_online()
        tray.event(**NEXT)
        await until(lambda: len(spans["turn-around"]) == 1 and tray.end.acknowledged >= 2)
        for number in range(1, ROUNDS + 1):
            after = journal.last_number(1)
            await asyncio.sleep(REST_S)
            tray.event(**(UNDO if number % 2 == 0 else TAP))
            await until(lambda number=number: len(spans["turn-around"]) > number)
            data = b"x" * stored_bytes(journal, after)
            await asyncio.sleep(REST_S)
            began = time.perf_counter()
            bare.execute("BEGIN IMMEDIATE")
            bare.execute("INSERT INTO steps VALUES (?, ?)", (number, data))
            bare.execute("COMMIT")
            spans["bare commit"].append(time.perf_counter() - began)
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
    tray.unplug()
    del spans["turn-around"][0], spans["committed"][0]
    spans["judged and shown"] = [
        whole - part for whole, part in zip(spans["turn-around"], spans["committed"], strict=False)
    ]
    return spans


def memory_bytes(pid: int) -> int:
    """Resident memory of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def processor_s(pid: int) -> float:
    """Processor seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def started(home: Path, *arguments: str) -> tuple[subprocess.Popen[bytes], float]:
    """The service, and the seconds until it was ready."""
    address = str(home / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        manager.settimeout(60)
        began = time.perf_counter()
        process = subprocess.Popen(
            [*COMMAND, "run", "--quick", "10", "4", *arguments],
            env=environment(home) | {"NOTIFY_SOCKET": address}, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        while manager.recv(100) != b"READY=1":
            pass
        took = time.perf_counter() - began
    Path(address).unlink()
    return process, took


async def load(home: Path) -> dict[str, float]:
    """Processor share of the service with a tray: idle, and at ten taps a second; its memory then."""
    tray = PtyTray(home / "port")
    tray.plug()
    process, _ = await asyncio.to_thread(started, home, "--no-web", "--port", str(tray.path))
    try:
        await until(lambda: tray.end.online, 30)
        tray.event(**NEXT)
        await asyncio.sleep(1)
        used = processor_s(process.pid)
        await asyncio.sleep(SECONDS)
        idle = (processor_s(process.pid) - used) / SECONDS
        used, began = processor_s(process.pid), time.monotonic()
        for number in count(1):
            tray.event(**(UNDO if number % 2 == 0 else TAP))
            if number >= SECONDS * TAPS_A_SECOND:
                break
            await asyncio.sleep(max(0.0, began + number / TAPS_A_SECOND - time.monotonic()))
        busy = (processor_s(process.pid) - used) / (time.monotonic() - began)
        return {"idle": idle, "busy": busy, "memory": memory_bytes(process.pid)}
    finally:
        process.kill()
        process.wait()
        tray.unplug()


def nothing_s() -> float:
    """Seconds that a Python takes to start and do nothing."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - began


# Put before the C library's, for the whole process: yardstick and service sleep alike.
_SLOW_SYNC = """
#define _GNU_SOURCE
#include <unistd.h>
#include <sys/syscall.h>
int fsync(int file) { usleep(%d000); return syscall(SYS_fsync, file); }
int fdatasync(int file) { usleep(%d000); return syscall(SYS_fdatasync, file); }
"""


def on_a_slow_disk(folder: str | None) -> dict[str, list[float]] | None:
    """`turn_around` in a process whose every synchronisation takes SLOW_MS longer; None without a C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as place:
        library = Path(place) / "slow.so"
        source = _SLOW_SYNC % (SLOW_MS, SLOW_MS)
        subprocess.run(
            [compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=source, text=True, check=True
        )
        done = subprocess.run(
            [sys.executable, __file__, "--only-turn-around", *([folder] if folder else [])],
            env=os.environ | {"LD_PRELOAD": str(library)}, stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
    spans: dict[str, list[float]] = json.loads(done.stdout)
    assert min(spans["bare commit"]) > SLOW_MS / 1000, "the disk was not slowed"
    return spans


def measured(folder: str | None) -> dict[str, list[float]]:
    """`turn_around` on a disk."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        return asyncio.run(turn_around(Path(place)))


def told(spans: dict[str, list[float]], where: str) -> dict[str, float]:
    """Print; the medians in milliseconds."""
    medians = {name: median(values) * 1000 for name, values in spans.items()}
    for name, values in spans.items():
        print(
            f"{name}{where}: median {medians[name]:.3f} ms, 95th percentile {quantiles(values, n=20)[-1] * 1000:.3f} "
            f"ms, ratio {medians[name] / medians['bare commit']:.2f}"
        )
    return medians


def main(folder: str | None = None) -> None:
    """Measure, print."""
    medians = told(measured(folder), "")
    slow_spans = on_a_slow_disk(folder)
    slow = {} if slow_spans is None else told(slow_spans, f", syncs {SLOW_MS} ms slower")
    starts, nothing, memory = [], [], {}
    for web in ("--no-web", "--web"):
        for _ in range(3):
            with tempfile.TemporaryDirectory() as place:
                nothing.append(nothing_s())
                process, took = started(Path(place), "--no-tray", web, "--http-port", "0")
                memory[web] = memory_bytes(process.pid)
                process.kill()
                process.wait()
                if web == "--no-web":
                    starts.append(took)
    print(
        f"start-up: {min(starts):.2f} s, {min(starts) / min(nothing):.0f} times a Python that does nothing; "
        f"memory {memory['--no-web'] / 1e6:.0f} MB, with the table page {memory['--web'] / 1e6:.0f} MB"
    )
    with tempfile.TemporaryDirectory() as place:
        share = asyncio.run(load(Path(place)))
    print(
        f"processor: idle {share['idle']:.1%} of a core, at {TAPS_A_SECOND} taps a second {share['busy']:.1%}; "
        f"memory then {share['memory'] / 1e6:.0f} MB"
    )
    result = {
        "bench": "service",
        "median_ms": {name: round(value, 3) for name, value in medians.items()},
        "turn_around_ratio": round(medians["turn-around"] / medians["bare commit"], 3),
        "slow_sync_ms": {name: round(value, 3) for name, value in slow.items()},
        "slow_sync_ratio": round(slow["turn-around"] / slow["bare commit"], 3) if slow else None,
        "start_s": round(min(starts), 3),
        "start_ratio": round(min(starts) / min(nothing), 1),
        "memory_mb": {name.strip("-"): round(value / 1e6, 1) for name, value in memory.items()},
        "processor": {"idle": round(share["idle"], 4), "ten_taps_a_second": round(share["busy"], 4)},
    }
    print(json.dumps(result))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--only-turn-around"]:
        print(json.dumps(measured(sys.argv[2] if sys.argv[2:] else None)))
    else:
        main(*sys.argv[1:2])
