"""A bad line between the two real ends of the link, in a time of its own, and the promise that must hold over it.

`World` holds the firmware's `TrayEnd` (in this process, or in the real MicroPython interpreter), the host's `HostEnd`,
a line in each direction that does everything a line can do, and the least application that can tell whether the
promise was kept: a ledger that survives when the host is killed, and lamps that show what the ledger says.

The promise (`World.check`): what the ledger holds is taps that the tray took, in order, each once, and among them all
that were acknowledged to the tray; a tap that the tray refused is not in it; queues stay bounded; and when the line has
been quiet for a while, every tap that was taken is in the ledger, the lamps show it, and the host knows what lies on
the pads. (Taps in the memory of a board that was reset before they were acknowledged are gone with it.)

Everything is drawn from one seed: a run that failed is repeated by its number. No ports, no clock, no threads.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from ordertray.link.host_end import HostEnd
from ordertray.sim.bad_line import CLEAN, Faults, Line
from ordertray_firmware import link, wire

BOARD = "E6616408432A1B2C"


class PromiseBrokenError(AssertionError):
    """The link did what it must never do; the text says what."""


class Tray(Protocol):
    """The tray's end as the world drives it: `TrayEnd` itself, or one in another interpreter."""

    @property
    def online(self) -> bool: ...
    @property
    def queued(self) -> int: ...
    @property
    def acknowledged(self) -> int: ...
    def feed(self, data: bytes, now_ms: int) -> list[link.Item]: ...
    def tick(self, now_ms: int) -> list[link.Item]: ...
    def take(self, now_ms: int) -> bytes | None: ...
    def due_ms(self, now_ms: int) -> int: ...
    def event(self, body: dict[str, Any], now_ms: int) -> int | None: ...
    def snapshot(self, body: dict[str, Any], now_ms: int) -> int | None: ...


# Makes a tray that just booted: HELLO, nonce, the clock's milliseconds.
MakeTray = Callable[[dict[str, Any], str, int], Tray]


class Ledger(Protocol):
    """What survives when the host is killed."""

    def known(self, nonce: str, sequence: int) -> bool: ...
    def record(self, nonce: str, sequence: int, number: int) -> None: ...
    def numbers(self) -> list[int]: ...


class MemoryLedger:
    """A ledger for most runs; some use the real journal."""

    def __init__(self) -> None:
        self._known: set[tuple[str, int]] = set()
        self._numbers: list[int] = []

    def known(self, nonce: str, sequence: int) -> bool:
        """Whether this tap is in."""
        return (nonce, sequence) in self._known

    def record(self, nonce: str, sequence: int, number: int) -> None:
        """Put a tap in, durably."""
        self._known.add((nonce, sequence))
        self._numbers.append(number)

    def numbers(self) -> list[int]:
        """The taps in their order."""
        return self._numbers


@dataclass
class Boot:
    """What happened in one life of the board."""

    nonce: str
    taken: list[tuple[int, int]] = field(default_factory=list)  # (sequence, number of the tap)
    acknowledged: int = 0


class World:
    """Two ends, two lines, one seed. Act on it with its methods, then `settle()` and `check()`."""

    def __init__(self, seed: int, make_tray: MakeTray = link.TrayEnd, ledger: Ledger | None = None) -> None:
        self.rng = random.Random(seed)
        # The clocks of the two ends have nothing to do with each other, and the tray's is about to wrap.
        self.now_ms = 0
        self._tray_clock_ms = 2**30 - self.rng.randrange(60_000)
        self._host_clock_ms = self.rng.randrange(10**9)
        self.counts: Counter[str] = Counter()
        self.up = Line(self.rng, self.counts)
        self.down = Line(self.rng, self.counts)
        self.ledger: Ledger = ledger if ledger is not None else MemoryLedger()
        self._make_tray = make_tray
        self.taps = 0
        self.refused: set[int] = set()
        self.boots: list[Boot] = []
        self.pad: str | None = None  # what lies on the pad
        self.lamps: Any = None  # what the strip shows
        self.known_pad: str | None = None  # what the host believes
        self._plugged = True
        self._tray_stalled_until_ms = 0
        self._host_stalled_until_ms = 0
        self._host_starts_ms = 0
        self._port = 0
        self.host: HostEnd | None = None
        self._inbox: list[tuple[int, str, int, str, dict[str, Any]]] = []
        self._commit_ms = 5
        self.tray = self._boot()
        self._start_host()

    # --- what can happen --------------------------------------------------------------------------------------------

    def tap(self) -> None:
        """A player taps a token on the pad, or takes it away."""
        self.taps += 1
        self.pad = None if self.pad else f"04{self.taps:012X}"
        body = {"e": "placed" if self.pad else "removed", "pad": "A", "uid": self.pad, "n": self.taps}
        sequence = self.tray.event(body, self._tray_ms())
        if sequence is None:
            self.refused.add(self.taps)
            self.counts["refused"] += 1
        else:
            self.boots[-1].taken.append((sequence, self.taps))
        self._pump()

    def advance(self, span_ms: int) -> None:
        """Let time pass."""
        end_ms = self.now_ms + span_ms
        while True:
            self._pump()
            if self.now_ms >= end_ms:
                return
            self.now_ms = min(end_ms, self.now_ms + max(1, self._due_ms()))

    def line_faults(self, up: Faults, down: Faults) -> None:
        """From now on the cable is this bad."""
        self.up.faults, self.down.faults = up, down

    def stall_tray(self, span_ms: int) -> None:
        """The board does not come round to reading or writing."""
        self.counts["stall tray"] += 1
        self._tray_stalled_until_ms = self.now_ms + span_ms

    def stall_host(self, span_ms: int) -> None:
        """The host's process does not get the processor."""
        self.counts["stall host"] += 1
        self._host_stalled_until_ms = self.now_ms + span_ms

    def slow_commits(self, commit_ms: int) -> None:
        """The host's disk takes this long."""
        self._commit_ms = commit_ms

    def reset_board(self) -> None:
        """The board starts again: its memory is gone."""
        self.counts["reset board"] += 1
        self.tray = self._boot()

    def kill_host(self, away_ms: int) -> None:
        """The host's process ends at once, perhaps between its commit and its acknowledgement; it is started again."""
        self.counts["kill host"] += 1
        self.host = None
        self._inbox.clear()
        self._host_starts_ms = self.now_ms + away_ms

    def unplug(self, away_ms: int) -> None:
        """The cable is pulled and put back; the board keeps its power."""
        self.counts["unplug"] += 1
        self._plugged = False
        self.up.clear()
        self.down.clear()
        self._close_port()
        self.advance(away_ms)
        self._plugged = True

    def rename(self) -> None:
        """The port comes back under another name, and the host opens that."""
        self.counts["rename"] += 1
        self._port += 1
        self.unplug(self.rng.randrange(50, 2000))

    def _close_port(self) -> None:
        if self.host is not None:
            self.host.port_changed()
            self._handle_host(self.host.restart("the port went away", self._host_ms()))

    # --- the promise ------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """The line is clean again and nobody does anything: wait until everything has arrived, or say what has not."""
        self.line_faults(CLEAN, CLEAN)
        self._tray_stalled_until_ms = self._host_stalled_until_ms = self.now_ms
        self._commit_ms = 5
        waited_ms = 0
        while not self._settled():
            if waited_ms > 60_000:
                raise PromiseBrokenError(f"not settled after a minute of quiet: {self._state()}")
            self.advance(100)
            waited_ms += 100
        self.counts["settled in ms"] += waited_ms

    def _settled(self) -> bool:
        host = self.host
        return (
            host is not None
            and host.online
            and self.tray.online
            and not self._inbox
            and not self.tray.queued
            and host.idle
            and self.lamps == self._lamps_due()
            and self.known_pad == self.pad
        )

    def _state(self) -> str:
        host = self.host
        return (
            f"host {host and host.state}, tray online {self.tray.online}, queued {self.tray.queued}, "
            f"inbox {len(self._inbox)}, lamps {self.lamps} of {self._lamps_due()}, pad {self.known_pad} of {self.pad}"
        )

    def check(self, settled: bool = False) -> None:
        """Raises PromiseBrokenError if the promise is broken; after `settle()` also its second half."""
        self.boots[-1].acknowledged = self.tray.acknowledged
        numbers = self.ledger.numbers()
        if numbers != sorted(set(numbers)):
            raise PromiseBrokenError(f"doubled or out of order: {numbers}")
        recorded = set(numbers)
        if recorded & self.refused:
            raise PromiseBrokenError(f"refused and recorded: {recorded & self.refused}")
        for boot in self.boots:
            taken = [number for _, number in boot.taken]
            theirs = [number for number in taken if number in recorded]
            if theirs != taken[: len(theirs)]:
                raise PromiseBrokenError(f"boot {boot.nonce}: recorded {theirs}, which skips some of {taken}")
            for sequence, number in boot.taken:
                if sequence <= boot.acknowledged and number not in recorded:
                    raise PromiseBrokenError(f"tap {number} was acknowledged and is lost")
        if recorded - {number for boot in self.boots for _, number in boot.taken}:
            raise PromiseBrokenError("recorded what was never tapped")
        if self.tray.queued > link.QUEUE or (self.host is not None and self.host.queued > link.QUEUE):
            raise PromiseBrokenError("a queue grew past its bound")
        if len(self._inbox) > link.WINDOW:
            raise PromiseBrokenError("more events in hand than the window allows")
        if settled:
            missing = [number for _, number in self.boots[-1].taken if number not in recorded]
            if missing:
                raise PromiseBrokenError(f"taken and never recorded: {missing}")

    # --- how it works -----------------------------------------------------------------------------------------------

    def _tray_ms(self) -> int:
        return (self.now_ms + self._tray_clock_ms) & (2**30 - 1)

    def _host_ms(self) -> int:
        return self.now_ms + self._host_clock_ms

    def _boot(self) -> Tray:
        if self.boots:
            self.boots[-1].acknowledged = self.tray.acknowledged
        nonce = f"{self.rng.randrange(2**32):08x}"
        self.boots.append(Boot(nonce))
        self.lamps = None
        return self._make_tray({"id": BOARD, "fw": "0.1.0"}, nonce, self._tray_ms())

    def _start_host(self) -> None:
        self.host = HostEnd(f"{self.rng.randrange(2**64):016x}", "soak", self._host_ms())
        self.known_pad = None
        self.host.show(self._lamps_due())

    def _lamps_due(self) -> dict[str, Any]:
        numbers = self.ledger.numbers()
        return {"n": len(numbers), "last": numbers[-1] if numbers else 0}

    def _due_ms(self) -> int:
        """Milliseconds until something can happen by itself."""
        due = [1000]
        if self._plugged:
            due.extend(ms for ms in (self.up.due_ms(self.now_ms), self.down.due_ms(self.now_ms)) if ms is not None)
        due.append(self.tray.due_ms(self._tray_ms()))
        if self.host is None:
            due.append(self._host_starts_ms - self.now_ms)
        elif self._plugged:
            due.append(self.host.due_ms(self._host_ms()))
        if self._inbox:
            due.append(self._inbox[0][0] - self.now_ms)
        return min(due)

    def _pump(self) -> None:
        if self.host is None and self.now_ms >= self._host_starts_ms:
            self._start_host()
        for _ in range(100):  # until this moment holds nothing more
            if not (self._pump_tray() | self._pump_host()):
                return
        raise PromiseBrokenError("the ends talk without end")

    def _pump_tray(self) -> bool:
        if self.now_ms < self._tray_stalled_until_ms:
            return False
        now_ms = self._tray_ms()
        data = self.down.receive(self.now_ms) if self._plugged else b""
        self._handle_tray(self.tray.feed(data, now_ms) if data else self.tray.tick(now_ms))
        busy = bool(data)
        # A board without a host on its port writes into the void.
        while not self.up.full and (line := self.tray.take(now_ms)) is not None:
            busy = True
            if self._plugged:
                self.up.send(line, self.now_ms)
        return busy

    def _handle_tray(self, items: list[link.Item]) -> None:
        for what, _, body in items:
            if what == link.WANTED:
                self.tray.snapshot({"pads": {"A": self.pad}}, self._tray_ms())
            elif what == wire.LAMPS:
                self.lamps = body
            elif what == link.DOWN:
                self.counts["tray offline"] += 1

    def _pump_host(self) -> bool:
        host = self.host
        if host is None or not self._plugged or self.now_ms < self._host_stalled_until_ms:
            return False
        now_ms = self._host_ms()
        data = self.up.receive(self.now_ms)
        self._handle_host(host.feed(data, now_ms) if data else host.tick(now_ms))
        busy = bool(data) | self._work_through()
        while not self.down.full and (line := host.take(now_ms)) is not None:
            busy = True
            self.down.send(line, self.now_ms)
        return busy

    def _handle_host(self, items: list[link.Item]) -> None:
        host = self.host
        assert host is not None
        for what, sequence, body in items:
            if what in (wire.EVENT, wire.SNAPSHOT):
                self._inbox.append((self.now_ms + self._commit_ms, what, sequence, host.tray_nonce, body))
            elif what == link.UP:
                self.counts["sessions"] += 1
                self._inbox.clear()
            elif what == link.DOWN:
                self.counts["lost sessions"] += 1
                self._inbox.clear()

    def _work_through(self) -> bool:
        """The application deals with the oldest event in hand, if the disk is ready."""
        host = self.host
        if host is None or not self._inbox or self._inbox[0][0] > self.now_ms:
            return False
        _, what, sequence, nonce, body = self._inbox.pop(0)
        if what == wire.SNAPSHOT:
            self.known_pad = body["pads"]["A"]
        else:
            self.known_pad = body["uid"]
            if self.ledger.known(nonce, sequence):
                self.counts["recognised again"] += 1
            else:
                self.ledger.record(nonce, sequence, body["n"])
                host.show(self._lamps_due())
                host.send(wire.FEEDBACK, {"side": "A", "do": "ok"})
                if self.rng.random() < 0.01:  # between commit and acknowledgement
                    self.kill_host(self.rng.randrange(50, 4000))
                    return False
        host.commit(sequence)
        return True


def story(world: World, steps: int) -> None:
    """A random run: `steps` things happen, then quiet; the promise is checked all along."""
    rng = world.rng
    for _ in range(steps):
        chance = rng.random()
        if chance < 0.45:
            for _ in range(rng.choice((1, 1, 1, 2, 5, 45))):
                world.tap()
                if rng.random() < 0.5:
                    world.advance(rng.randrange(1, 60))
        elif chance < 0.70:
            world.advance(rng.choice((1, 30, 300, 1500, 5000)))
        elif chance < 0.80:
            world.line_faults(Faults.draw(rng), Faults.draw(rng))
        elif chance < 0.84:
            world.stall_tray(rng.choice((20, 500, 2500, 6000)))
        elif chance < 0.88:
            world.stall_host(rng.choice((20, 500, 2500, 6000)))
        elif chance < 0.90:
            world.slow_commits(rng.choice((0, 5, 60, 400, 2500)))
        elif chance < 0.92:
            world.reset_board()
        elif chance < 0.95:
            world.kill_host(rng.choice((10, 500, 4000)))
        elif chance < 0.98:
            world.unplug(rng.choice((10, 500, 4000)))
        else:
            world.rename()
        world.check()
    world.settle()
    world.check(settled=True)
