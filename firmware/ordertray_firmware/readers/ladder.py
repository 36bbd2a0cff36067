"""The health of one reader: retry, soft reset, hard reset, failed with back-off, and back to life.

One that speaks, but wrongly, is cancelled and configured anew first. One that gives no sign of life may have its
antenna on: its reset line is pulled at once, if it has one. Without one the way out is the tray's plug (`NO_RESET`).

While a reader climbs the ladder its pad has no turn. The climbing is an operation of its own, stepped beside the other
pads' turns; when it has ended, the next look decides whether the reader is well.
"""

from ordertray_firmware import const
from ordertray_firmware.readers import ABSENT, FAILED, OK, RESET, RETRY, STARTING, ReaderFault
from ordertray_firmware.readers.waiting import pause

# Rungs.
_RETRIES = const(2)
_SOFT = const(3)
_HARD = const(4)
# Faults that are no sign of life.
_SILENCE = ("no-chip", "no-ack", "no-answer")
#: Why a reader that does not answer and has no reset line is given up: only its supply can end that.
NO_RESET = "no-reset-line"
# So many good looks in a row and the ladder starts at its foot again.
_PROOF_LOOKS = const(50)
_FIRST_BACK_OFF_MS = const(250)
_LAST_BACK_OFF_MS = const(4000)
# Supply and oscillator of the reader may come up after the Pico.
_BOOT_US = const(5000)
_LONGEST_STEP_US = const(5000)


class Ladder:
    """Health of one driver.

    health: STARTING at first, ABSENT if it does not answer then, OK once it has, RETRY, RESET or FAILED.
    why: what was wrong when the health changed last, "" for OK.
    counters: see the package.
    changed(health, was, why): called on every change.
    """

    def __init__(self, driver: "Driver", clock: "Clock", changed: "Callable[[str, str, str], None]") -> None:
        self.driver = driver
        self.health = STARTING
        self.why = ""
        self.counters = {
            "polls": 0,
            "faults": 0,
            "late": 0,
            "retries": 0,
            "soft_resets": 0,
            "hard_resets": 0,
            "failures": 0,
            "recoveries": 0,
            "renewals": 0,
            "nameless": 0,
        }
        self._clock = clock
        self._changed = changed
        self._seen_alive = False
        self._rung = 0
        self._good_looks = 0
        self._back_off_ms = _FIRST_BACK_OFF_MS
        self._work: Steps[None] | None = None
        self._due = 0
        self._start(self._boot())

    def climbing(self) -> bool:
        """Whether the reader is being brought (back) to life and must not be used."""
        return self._work is not None

    def proven(self) -> None:
        """A look was answered."""
        self._seen_alive = True
        self.counters["polls"] += 1
        if self.health != OK:
            self.counters["recoveries"] += 1
            self._set(OK, "")
        if self._rung:
            self._good_looks += 1
            if self._good_looks >= _PROOF_LOOKS:
                self._rung = 0
                self._back_off_ms = _FIRST_BACK_OFF_MS

    def late(self) -> None:
        """A look took longer than granted: let the reader settle. No fault, if it does."""
        self.counters["late"] += 1
        self._start(self._settle())

    def renew(self) -> None:
        """Nothing is known to be wrong: reset and configure the reader anew. No fault, if it does as it is told."""
        self.counters["renewals"] += 1
        self._start(self._renew())

    def fault(self, why: str) -> None:
        """The reader failed: climb."""
        self.counters["faults"] += 1
        self._good_looks = 0
        self._start(self._climb(why))

    def step(self) -> int:
        """Go on climbing; gives microseconds until the next step. Only while climbing()."""
        left = self._clock.ticks_diff(self._due, self._clock.ticks_us())
        if left > 0:
            return min(left, _LONGEST_STEP_US)
        assert self._work is not None
        try:
            wish = next(self._work)
        except StopIteration:
            self._work = None
            return 0
        except ReaderFault as fault:
            # Out of _settle and _renew only; the other operations keep their faults to themselves.
            self.fault(fault.why)
            return 0
        self._due = self._clock.ticks_add(self._clock.ticks_us(), wish)
        return min(wish, _LONGEST_STEP_US)

    def _start(self, work: "Steps[None]") -> None:
        self._work = work
        self._due = self._clock.ticks_us()

    def _set(self, health: str, why: str) -> None:
        self.why = why
        if health != self.health:
            was = self.health
            self.health = health
            self._changed(health, was, why)

    def _boot(self) -> "Steps[None]":
        yield from pause(self._clock, _BOOT_US)
        try:
            yield from self.driver.start()
        except ReaderFault as fault:
            yield from self._reset_until_it_works(fault.why)

    def _settle(self) -> "Steps[None]":
        yield from self.driver.settle()

    def _renew(self) -> "Steps[None]":
        yield from self._reset()
        yield from self.driver.start()

    def _reset(self) -> "Steps[None]":
        """By its line where there is one."""
        return self.driver.hard_reset() if self.driver.can_reset else self.driver.soft_reset()

    def _climb(self, why: str) -> "Steps[None]":
        self._rung += 1
        if why in _SILENCE and self.driver.can_reset and self._rung < _HARD:
            self._rung = _HARD
            yield from self._reset_until_it_works(why)
            return
        if self._rung <= _RETRIES:
            self.counters["retries"] += 1
            self._set(RETRY, why)
            try:
                yield from self.driver.settle()
                return
            except ReaderFault as fault:
                why = fault.why
                self._rung = _SOFT
        if self._rung <= _SOFT:
            self.counters["soft_resets"] += 1
            self._set(RESET, why)
            try:
                yield from self.driver.soft_reset()
                yield from self.driver.start()
                return
            except ReaderFault as fault:
                why = fault.why
        failed_after_hard_reset = self._rung > _HARD
        self._rung = _HARD
        if failed_after_hard_reset:
            yield from self._back_off(why)
        yield from self._reset_until_it_works(why)

    def _reset_until_it_works(self, why: str) -> "Steps[None]":
        while True:
            self.counters["hard_resets" if self.driver.can_reset else "soft_resets"] += 1
            if self.health not in (FAILED, ABSENT, STARTING):
                self._set(RESET, why)
            try:
                yield from self._reset()
                yield from self.driver.start()
                return
            except ReaderFault as fault:
                why = fault.why
            yield from self._back_off(why)

    def _back_off(self, why: str) -> "Steps[None]":
        health = FAILED if self._seen_alive else ABSENT
        if health == FAILED and why in _SILENCE and not self.driver.can_reset:
            why = NO_RESET
        if self.health != health:
            self.counters["failures"] += 1
            self._set(health, why)
        wait_ms = self._back_off_ms
        self._back_off_ms = min(wait_ms * 2, _LAST_BACK_OFF_MS)
        yield from pause(self._clock, wait_ms * 1000)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ordertray_firmware.readers.protocols import Clock, Driver, Steps
