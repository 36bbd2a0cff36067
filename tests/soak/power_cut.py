"""Power cuts: the real `ordertray run` killed at random moments while hands tap discs on a virtual tray.

    make soak     (or: PYTHONPATH=tests python tests/soak/power_cut.py --cycles 300)

The tray is the real firmware on the real interpreter and outlives the host, as on a table whose Pi loses its power. A
listener on the cable knows what the tray told and what it was told in return. After each cut the record, as the disk
has it, must hold every tap that was ever acknowledged, once and in order, and the game in it must be exactly what those
taps make of it, worked out anew from the first position. A tap that is in no record must have been refused visibly,
or be delivered later; only what an unplugged or reset board had in its memory may be gone, for that everybody sees. At
the end, when all is quiet, the strips show the game.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from commands.cli_helpers import COMMAND, environment
from ordertray import rules
from ordertray.army.quick import quick_army
from ordertray.games import store
from ordertray.journal import GameRow, Journal
from ordertray.lights import render
from ordertray.rules import Refusal
from ordertray.table import Outcome, Pace, Seating, Table, touch, touch_of
from ordertray.tokens.model import TokenKind
from ordertray.tokens.registry import merge, parse_registry
from ordertray.tokens.virtual import virtual_tokens
from ordertray_firmware.link import QUEUE
from soak.wire_tap import LOW_TONE_HZ, HeardTray

#: A machine with much else to do needs this long for what takes two seconds.
PATIENCE_S = 60.0
#: Roughly what hands do: (weight, action).
HABITS = (
    (40, "disc A"), (22, "disc B"), (8, "pass B"), (4, "pass A"), (5, "next A"), (4, "next B"),
    (7, "undo A"), (3, "ok A"), (3, "aro B"), (2, "short A"), (2, "state A"),
)  # fmt: skip


class BrokenPromiseError(AssertionError):
    """Something was lost, doubled, or out of order."""


@dataclass
class Lay:
    """A disc that was laid down."""

    uid: str
    refused: bool = False
    unsure: bool = False
    """Only a refusal that may have been the host's, of another tap, was heard."""
    told: bool = False
    boots: int = 0
    """How often the board had started when the disc was laid down."""


class Hands:
    """Both players' hands, in a thread of their own: they tap while there is a host and while there is none."""

    def __init__(self, tray: HeardTray, seed: int, stop: threading.Event) -> None:
        self.lays: list[Lay] = []
        self.fault = ""
        self._tray, self._stop, self._random = tray, stop, random.Random(seed)
        self._discs = {
            seat: list(virtual_tokens(quick_army(10, 4), seat)) for seat in "AB"
        }  # as `ordertray run --quick 10 4` gives them out
        self._thread = threading.Thread(target=self._work, name="hands", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the hands to come to rest."""
        self._stop.set()
        self._thread.join(PATIENCE_S)

    def _work(self) -> None:
        try:
            weights, habits = zip(*HABITS, strict=True)
            self._do("next", "A")
            while not self._stop.is_set():
                what, seat = self._random.choices(habits, weights)[0].split()
                self._do(what, seat)
        except Exception:
            self.fault = traceback.format_exc()

    def _do(self, what: str, seat: str) -> None:
        if what in ("disc", "state"):
            kind = TokenKind.REGULAR if what == "disc" else TokenKind.STATE
            # A disc that comes back at once is to the reader one that never went.
            lately = [lay.uid for lay in self.lays[-3:]]
            self._lay(
                seat,
                self._random.choice(
                    [disc.uid for disc in self._discs[seat] if disc.kind is kind and disc.uid not in lately]
                    or [self._discs[seat][0].uid]
                ),
            )
        elif what in ("next", "undo"):
            self._tray.hold(seat, "ok" if what == "next" else "pass", 1150)
            self._pause(1.3)
        else:
            self._tray.click(seat, what, 60)
            self._pause(0.15)

    def _pause(self, seconds: float) -> None:
        time.sleep(seconds)

    def _lay(self, pad: str, uid: str) -> None:
        """Lay a disc down until the tray has told of it, or has refused it, then take it away."""
        wire, lay = self._tray.wire, Lay(uid, boots=self._tray.boots)
        with wire.mutex:
            before, by_host = len(wire.events), wire.refused_by_host
        refusals = self._tray.refusals
        self.lays.append(lay)
        self._tray.place(pad, uid)

        def noticed() -> bool:
            lay.refused = lay.refused or self._tray.tone_hz == LOW_TONE_HZ or self._tray.refusals > refusals
            with wire.mutex:
                lay.unsure = lay.refused and self._tray.refusals - refusals <= wire.refused_by_host - by_host
                told = list(wire.events.values())[before:]
            lay.told = lay.told or any(body.get("e") == "placed" and body.get("uid") == uid for body in told)
            return lay.refused or lay.told

        # If its window is full, it goes over the line when there is a host again, or is found missing at the end.
        with contextlib.suppress(TimeoutError):
            self._tray.wait_for(noticed, 2.0)
        self._pause(self._random.uniform(0.02, 0.1))
        noticed()
        self._tray.remove(pad, uid)
        self._pause(self._random.uniform(0.35, 0.5))  # a hand is no quicker, and a disc must be seen to go


@dataclass
class Found:
    """What the record says after a cut."""

    rows: list[GameRow]
    taps: dict[tuple[str, int], tuple[int | None, bool]]
    tables: dict[int, Table]
    entries: dict[int, list[str]]
    times: dict[tuple[str, int], int]
    """When each tap was judged: Unix time in milliseconds."""


class PowerCuts:
    """One tray, one record, one service after the other."""

    def __init__(self, folder: Path, seed: int, command: Sequence[str] = COMMAND) -> None:
        self.home = folder
        self.command = command
        self.record = folder / "record.sqlite3"
        self.random = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self._stop = threading.Event()
        self._before: Found | None = None
        self.tray = HeardTray()
        self.hands = Hands(self.tray, seed, self._stop)

    def run(self, cycles: int) -> Counter[str]:
        """So many services killed, then one that comes to rest. Raises BrokenPromiseError, TimeoutError."""
        with self.tray:
            try:
                self._first()
                self.hands.start()
                for _ in range(cycles):
                    self._cycle()
                self.hands.join()
                if self.hands.fault:
                    raise BrokenPromiseError(self.hands.fault)
                self._rest()
            finally:
                self._stop.set()
        return self.counts

    # --- cycles ------------------------------------------------------------------------------------------------------

    def _start(self) -> subprocess.Popen[bytes]:
        self.counts["services"] += 1
        log = (self.home / "log.txt").open("ab")
        with log:
            return subprocess.Popen(
                [*self.command, "run", "--no-web", "--port", self.tray.url, "--quick", "10", "4"],
                stdout=log, stderr=log, env=environment(self.home),
            )  # fmt: skip

    def _wait(self, service: subprocess.Popen[bytes], condition: Callable[[], object], what: str) -> None:
        def look() -> object:
            if service.poll() is not None:
                tail = (self.home / "log.txt").read_text(errors="replace")[-3000:]
                raise BrokenPromiseError(f"the service ended by itself with status {service.returncode}:\n{tail}")
            return condition()

        self.tray.wait_for(look, PATIENCE_S, what)

    def _first(self) -> None:
        """A service that is left alone until the game is in the record."""
        service = self._start()
        try:
            self._wait(service, lambda: self.tray.wire.sessions, "the first session")
        finally:
            service.kill()
            service.wait()

    def _cycle(self) -> None:
        service = self._start()
        try:
            sessions = len(self.tray.wire.sessions)
            # Some are cut while they start, most while they play; of these most when a tap has just gone by.
            if self.random.random() < 0.25:
                self.counts["cut while starting"] += 1
                time.sleep(self.random.uniform(0.0, 1.5))
            else:
                self._wait(service, lambda: len(self.tray.wire.sessions) > sessions, "a session")
                time.sleep(self.random.uniform(0.0, 1.2))
                how = self.random.random()
                if how < 0.5:
                    # Nothing is harder to get right than a cut between the commit and the acknowledgement.
                    self.counts["cut at a commit"] += 1
                    self._await_commit(service)
                elif how < 0.8:
                    self.counts["cut at a tap"] += 1
                    told = len(self.tray.wire.events)
                    self._wait(service, lambda: len(self.tray.wire.events) > told, "a tap")
                    time.sleep(self.random.uniform(0.0, 0.03))
            self._board(self.random.random())
            if self.random.random() < 0.1:
                self.counts["stopped cleanly"] += 1
                service.send_signal(signal.SIGTERM)
                service.wait(PATIENCE_S)
            else:
                self.counts["killed"] += 1
                service.kill()
        finally:
            service.kill()
            service.wait()
        self._check()

    def _board(self, how: float) -> None:
        """Sometimes the board goes down just before the host, as when one plug feeds both; its cable may go with it."""
        if how > 0.2:
            return
        if how < 0.1:
            self.counts["board reset"] += 1
            self.tray.reset()
        else:
            self.counts["board unplugged"] += 1
            self.tray.unplug()
            self.tray.replug()
        time.sleep(self.random.choice((0.0, self.random.uniform(0.0, 0.3))))

    def _written_ns(self) -> int:
        """When the record's log was last written to."""
        try:
            return self.record.with_name(self.record.name + "-wal").stat().st_mtime_ns
        except FileNotFoundError:
            return 0

    def _await_commit(self, service: subprocess.Popen[bytes]) -> None:
        """Look closely, without holding up the tray, until the log is written to."""
        before_ns, end = self._written_ns(), time.monotonic() + PATIENCE_S
        while self._written_ns() == before_ns:
            if service.poll() is not None or time.monotonic() > end:
                self._wait(service, lambda: False, "a commit")
            time.sleep(0.0005)

    def _rest(self) -> None:
        """The last service comes to rest: everything delivered, the strips show the game."""
        service = self._start()
        try:
            sessions = len(self.tray.wire.sessions)
            self._wait(service, lambda: len(self.tray.wire.sessions) > sessions, "the last session")
            # A tray that was offline has refused; one that was not has now told everything that it still held.
            self._wait(service, lambda: self.tray.wire.quiet, "all taps to be dealt with")
            time.sleep(1.0)  # a tap that waits behind a full window would go over the line now
            self._wait(service, lambda: self.tray.wire.quiet, "all taps to be dealt with")
            found = self._check()
            table = found.tables[max(found.tables)]
            frame = render(rules.public_view(table.game), {"A": "online", "B": "online"})
            for side in "AB":
                colours, effects = frame.letters("A" if side == "A" else "B")
                self._wait(
                    service,
                    lambda side=side, wanted=[colours, effects]: self.tray.wire.lamps.get(side) == wanted,  # type: ignore[misc]
                    f"the frame of side {side}",
                )
                self._wait(
                    service,
                    lambda side=side, colours=colours, effects=effects: all(  # type: ignore[misc]
                        shown == wanted or effect not in "sd" or (effect == "d" and shown in ".oy")
                        for shown, wanted, effect in zip(self.tray.colours(side), colours, effects, strict=True)
                    ),
                    f"strip {side} to show {colours} {effects}",
                )
        finally:
            service.kill()
            service.wait()
        self._account()

    # --- what must hold ----------------------------------------------------------------------------------------------

    def _read(self) -> Found:
        """The record as the disk has it: a copy of the file and its log, opened anew as a new host would."""
        with tempfile.TemporaryDirectory(dir=self.home) as folder:
            copy = Path(folder) / self.record.name
            for name in (self.record.name, self.record.name + "-wal"):
                if (self.record.parent / name).exists():
                    shutil.copy(self.record.parent / name, copy.parent / name)
            with Journal.open(copy) as journal:
                journal.verify()
                rows = journal.games()
                tables = {row.id: store.resume(journal, row) for row in rows}
                entries = {row.id: [entry.action for entry in journal.entries(row.id)] for row in rows}
                order: dict[int, list[tuple[str, int]]] = {}
                touches = {row.id: {entry.cause["touch"] for entry in journal.entries(row.id)} for row in rows}
                for row in rows:
                    order[row.id] = [(e.cause["nonce"], e.cause["sequence"]) for e in journal.entries(row.id)]
            connection = sqlite3.connect(copy)
            try:
                kept = connection.execute("SELECT board, nonce, sequence, game, outcome, at_ms FROM taps").fetchall()
            finally:
                connection.close()
        boots = self.tray.wire.boots
        for game, keys in order.items():
            ranks = [(boots.index(nonce), sequence) for nonce, sequence in keys]
            if ranks != sorted(ranks):
                raise BrokenPromiseError(f"game {game}: steps out of order: {keys}")
        for game, actions in entries.items():
            # What a tap did stands under one touch; judged twice, it stands there under two.
            self.counts["doubled"] += len(touches[game]) - len(set(order[game]))
            if len(touches[game]) != len(set(order[game])):
                raise BrokenPromiseError(f"game {game}: a tap was played twice: {actions}")
        if {board for board, *_ in kept} - {self.tray.wire.board}:
            raise BrokenPromiseError("a tap of no tray of ours")
        taps = {(nonce, sequence): (game, '"ok":true' in outcome) for _, nonce, sequence, game, outcome, _ in kept}
        times = {(nonce, sequence): at_ms for _, nonce, sequence, _, _, at_ms in kept}
        return Found(rows, taps, tables, entries, times)

    def _check(self) -> Found:
        """Everything that must hold at any moment."""
        wire = self.tray.wire
        with wire.mutex:  # what was acknowledged by now, before we look at the disk
            acknowledged, events, boots = dict(wire.acknowledged), dict(wire.events), list(wire.boots)
        found = self._read()
        with wire.mutex:
            events.update(wire.events)
            boots = list(wire.boots)
            if wire.contradictions:
                raise BrokenPromiseError(f"told again in other words: {wire.contradictions}")
        meant = {key: what for key, body in events.items() if (what := touch_of(Seating(), wire.board, body))}
        lost = [key for key in meant if key[1] <= acknowledged.get(key[0], 0) and key not in found.taps]
        self.counts["lost"] += len(lost)
        if lost:
            raise BrokenPromiseError(f"acknowledged and not in the record: {lost}")
        if unknown := set(found.taps) - set(meant):
            raise BrokenPromiseError(f"in the record, but never told by the tray: {sorted(unknown)}")
        self.counts["cut between commit and acknowledgement"] += any(
            key[1] > acknowledged.get(key[0], 0) for key in found.taps
        )
        # What the taps make of the game, worked out anew, tap by tap.
        tables = {row.id: self._beginning(row) for row in found.rows}
        for key in sorted(found.taps, key=lambda key: (boots.index(key[0]), key[1])):
            game, accepted = found.taps[key]
            if game is None:
                raise BrokenPromiseError(f"tap {key} was in no game")
            _, meaning = meant[key]
            if isinstance(meaning, Refusal):
                outcome = Outcome(tables[game], None, "refused", (), meaning)
            else:
                outcome = touch(tables[game], meaning, found.times[key])
            if outcome.accepted != accepted:
                raise BrokenPromiseError(f"tap {key} {events[key]}: recorded {accepted}, should be {outcome.accepted}")
            tables[game] = outcome.table
        for number, table in tables.items():
            resumed = found.tables[number]
            if (table.game, table.touches, table.played) != (resumed.game, resumed.touches, resumed.played):
                raise BrokenPromiseError(f"game {number} is not what its taps make of it: {found.entries[number][-8:]}")
        # Nothing that was there once is gone.
        if self._before is not None:
            for number, entries in self._before.entries.items():
                if found.entries[number][: len(entries)] != entries:
                    raise BrokenPromiseError(f"game {number} has lost entries")
            if not set(self._before.taps) <= set(found.taps):
                raise BrokenPromiseError("taps are gone from the record")
        self._before = found
        return found

    @staticmethod
    def _beginning(row: GameRow) -> Table:
        tokens = merge({seat: parse_registry(text, "discs") for seat, text in row.seats["tokens"].items()})
        return Table(store.first_position(row), tokens, Pace(row.seats["pace"]))

    def _account(self) -> None:
        """Every disc that was laid down was told, in its order, or was refused visibly."""
        told = [body["uid"] for body in self.tray.wire.events.values() if body["e"] == "placed"]
        # How many of those told may be accounted for by the discs so far: a refused one may have been told all the same
        # (the tone was the host's), another one must have been. Only one that waited untold in a board that went down
        # before the queue can have moved on may be gone. And to a board that starts, a disc that lies there is new.
        reached = {0}
        lays = self.hands.lays
        boots = [*(lay.boots for lay in lays), *[self.tray.boots] * QUEUE]
        for number, lay in enumerate(lays):
            before = reached
            reached = {at + 1 for at in before if at < len(told) and told[at] == lay.uid}
            if boots[number + 1] > lay.boots:
                reached |= {at + 2 for at in before if told[at : at + 2] == [lay.uid, lay.uid]}
            gone = not lay.told and not lay.refused and boots[number + QUEUE] > lay.boots
            self.counts["untold in a board that went down"] += gone
            if lay.refused or gone:
                reached |= before
            if not reached:
                self.counts["lost"] += 1
                laid = [f"{lay.uid}{'!' * lay.refused}" for lay in self.hands.lays]
                raise BrokenPromiseError(
                    f"disc {number} {lay.uid} was laid down, and neither told nor refused (!); laid {laid}; told {told}"
                )
        if len(told) not in reached:
            raise BrokenPromiseError("the tray told of discs that nobody laid down")
        self.counts["refused by the tray itself"] += sum(lay.refused and not lay.told for lay in lays)
        self.counts["perhaps refused for another tap"] += sum(lay.unsure and not lay.told for lay in lays)
        assert self._before is not None
        self.counts["discs laid down"] += len(self.hands.lays)
        self.counts["taps told"] += len(self.tray.wire.events)
        self.counts["taps in the record"] += len(self._before.taps)
        self.counts["of them accepted"] += sum(accepted for _, accepted in self._before.taps.values())
        self.counts["delivered again"] += self.tray.wire.repeats
        self.counts["sessions"] += len(self.tray.wire.sessions)
        self.counts["games"] += len(self._before.rows)


def run(seed: int, cycles: int) -> tuple[Counter[str], str]:
    """One table through so many cuts; its counts, and the traceback if a promise was broken."""
    with tempfile.TemporaryDirectory(prefix="ordertray-power-") as folder:
        cuts = PowerCuts(Path(folder), seed)
        try:
            return cuts.run(cycles), ""
        except Exception:
            log = Path(folder) / "log.txt"
            tail = log.read_text(errors="replace")[-3000:] if log.exists() else ""
            cuts.counts["failed"] += 1
            return cuts.counts, f"seed {seed}: {traceback.format_exc()}\n{tail}"


def _task(task: tuple[int, int]) -> tuple[Counter[str], str]:
    return run(*task)


def report(counts: Counter[str], seconds: float) -> str:
    """The counts in words."""
    faults = counts["killed"] + counts["stopped cleanly"] + counts["board reset"] + counts["board unplugged"]
    names = (
        "services", "killed", "cut while starting", "cut at a tap", "cut at a commit",
        "cut between commit and acknowledgement", "stopped cleanly", "board reset", "board unplugged", "sessions",
        "games",
        "discs laid down", "refused by the tray itself", "perhaps refused for another tap",
        "untold in a board that went down", "taps told", "delivered again", "taps in the record",
        "of them accepted",
    )  # fmt: skip
    said = ", ".join(f"{name} {counts[name]}" for name in names)
    return (
        f"power cuts: {faults} faults injected in {seconds:.0f} s, {counts['failed']} runs failed; {said}\n"
        f"lost {counts['lost']}, doubled {counts['doubled']}"
    )


def main(arguments: list[str] | None = None) -> int:
    """Run and report; answers the exit status: 0 if every promise was kept, 1 if not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cycles", type=int, default=300)
    parser.add_argument("--each", type=int, default=25, help="cuts at one table before the next one is laid")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    tables = [
        (options.seed + number, min(options.each, options.cycles - start))
        for number, start in enumerate(range(0, options.cycles, options.each))
    ]
    began = time.monotonic()
    counts: Counter[str] = Counter()
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        for found, failure in pool.imap_unordered(_task, tables):
            counts.update(found)
            if failure:
                print(failure, flush=True)
    print(report(counts, time.monotonic() - began))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
