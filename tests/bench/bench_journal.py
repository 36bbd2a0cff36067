"""What a durable step costs, with a bare SQLite commit of the same bytes as the yardstick in the same run.

    make bench            (or: python tests/bench/bench_journal.py [FOLDER])

Three things take turns, so that all see the same disk at the same time: a bare commit (one table, one row with as many
bytes as the step stores, write-ahead log, synchronous FULL); a step of the journal (an entry and its tap); and a tap
from frame in to acknowledgement out (decode, step, encode) at the host's end of the link. FOLDER: the disk to measure.
Last line: JSON.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

from ordertray.journal import Draft, Journal, Tap
from ordertray.link import HostEnd
from ordertray_firmware import wire
from ordertray_firmware.link import TrayEnd

ROUNDS = 600
BOARD = "E6616408432A1B2C"
EVENTS = [
    {"e": "order_spent", "seat": "A", "group": 1, "kind": "regular", "trooper": "fusilier-2"},
    {"e": "window_opened", "seat": "B", "step": "2.1"},
]


def draft(number: int) -> Draft:
    """An ordinary step: an order spent."""
    cause = {"by": "tap", "board": BOARD, "nonce": "9f3c01aa", "sequence": number, "uid": "04A1B2C3D4E5F6", "pad": "A"}
    return Draft(number, "A spend regular g1 fusilier-2", "A", EVENTS, cause)


def stored_bytes(number: int) -> bytes:
    """As many bytes as a step stores: the columns of its entry and of its tap."""
    step = draft(number)
    columns = [1, number, step.position, step.action, step.seat, step.events, step.cause, 1_790_000_000_000, 2**32 - 1]
    tap = [BOARD, "9f3c01aa", number, 1, number, {"ok": True}, 1_790_000_000_000, 2**32 - 1]
    texts = (value if isinstance(value, str) else json.dumps(value, separators=(",", ":")) for value in columns + tap)
    return "".join(texts).encode()


def connected(host: HostEnd, tray: TrayEnd) -> None:
    """Both ends through HELLO."""
    for _ in range(3):
        while (line := host.take(0)) is not None:
            tray.feed(line, 0)
        while (line := tray.take(0)) is not None:
            host.feed(line, 0)
    assert host.online


def main(folder: str | None = None) -> None:
    """Measure, print."""
    taken: dict[str, list[float]] = {"bare": [], "journal": [], "turn-around": []}
    with tempfile.TemporaryDirectory(dir=folder) as place:
        bare = sqlite3.connect(Path(place) / "bare.db", isolation_level=None)
        bare.execute("PRAGMA journal_mode = WAL")
        bare.execute("PRAGMA synchronous = FULL")
        bare.execute("CREATE TABLE steps (number INTEGER PRIMARY KEY, step BLOB)")
        host, tray = HostEnd("bench", "bench"), TrayEnd({"id": BOARD}, "9f3c01aa")
        connected(host, tray)
        with Journal.open(Path(place) / "journal.db") as journal, Journal.open(Path(place) / "turn.db") as turn:
            games = [
                one.new_game(at_ms=0, edition="n5", options={}, armies={"A": "", "B": ""}) for one in (journal, turn)
            ]
            for number in range(1, ROUNDS + 1):
                data = stored_bytes(number)
                began = time.perf_counter()
                bare.execute("BEGIN IMMEDIATE")
                bare.execute("INSERT INTO steps VALUES (?, ?)", (number, data))
                bare.execute("COMMIT")
                taken["bare"].append(time.perf_counter() - began)

                began = time.perf_counter()
                journal.record(games[0], [draft(number)], at_ms=number, tap=Tap(BOARD, "9f3c01aa", number))
                taken["journal"].append(time.perf_counter() - began)

                assert tray.event({"e": "placed", "pad": "A", "uid": "04A1B2C3D4E5F6", "tag": "ntag213"}, 0)
                line = tray.take(0)
                assert line is not None
                began = time.perf_counter()
                ((what, sequence, _),) = host.feed(line, 0)
                turn.record(games[1], [draft(number)], at_ms=number, tap=Tap(BOARD, host.tray_nonce, sequence))
                host.commit(sequence)
                answer = host.take(0)
                taken["turn-around"].append(time.perf_counter() - began)
                assert what == wire.EVENT and answer is not None
                tray.feed(answer, 0)
                assert tray.acknowledged == sequence
            assert journal.verify() == turn.verify() == ROUNDS
        bare.close()
    medians = {name: median(spans) * 1000 for name, spans in taken.items()}
    for name, spans in taken.items():
        print(
            f"{name}: median {medians[name]:.3f} ms, 95th percentile {quantiles(spans, n=20)[-1] * 1000:.3f} ms, "
            f"ratio {medians[name] / medians['bare']:.2f}"
        )
    result = {
        "bench": "journal",
        "bytes": len(stored_bytes(1)),
        "median_ms": {name: round(value, 4) for name, value in medians.items()},
        "journal_ratio": round(medians["journal"] / medians["bare"], 3),
        "turn_around_ratio": round(medians["turn-around"] / medians["bare"], 3),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:2])
