"""Buttons: a polled integrator for each, both edges, and the hold.

The tray samples all buttons as one bit mask, again and again. Each button has an integrator that counts the
milliseconds for which its contact read "pressed" up, and the others down. Only at the top does the button become
pressed, only at the bottom released; so contacts that bounce, on press or on release, give one edge. One sample counts
for at most `STEP_MS`: a loop that came late cannot take one noisy sample for a long press.
"""

from . import const

DOWN = const(0)
UP = const(1)
HOLD = const(2)
UP_AFTER_HOLD = const(3)

#: The buttons of a side, in their order on the tray.
NAMES = ("basic", "short", "long", "aro", "pass", "ok")
STEP_MS = const(4)
MAXIMUM = const(16)
_RING = const(32)


def button_names(buttons: "dict[str, int]") -> "list[str]":
    """Names of a side's buttons in their order on the tray: MicroPython's dicts keep none."""
    return [name for name in NAMES if name in buttons] + sorted([name for name in buttons if name not in NAMES])


class Buttons:
    """Up to 16 buttons, debounced.

    count: how many; bit i of every mask is button i.
    debounce_ms: a contact must read the same for this long (sum of both ways: noise counts back).
    hold_ms: after this time pressed, one HOLD; the later edge is then UP_AFTER_HOLD.
    quiet: nothing is pressed or on its way; then a look at open contacts changes nothing but last_ms, its time.
    Events wait in a ring of 32, `waiting` of them; `lost` counts those that nobody fetched in time (the oldest go).
    """

    def __init__(self, count: int, debounce_ms: int = 8, hold_ms: int = 1000) -> None:
        if not 0 <= count <= MAXIMUM:
            raise ValueError("0 to 16 buttons")
        self.count = count
        self.pressed = 0
        self.lost = 0
        self._debounce_ms = debounce_ms
        self._hold_ms = hold_ms
        self._level_ms = bytearray(count)
        self._since_ms = [0] * count
        self._held = 0
        self.last_ms = -1
        self.quiet = True
        self._ring = bytearray(_RING)
        self._first = 0
        self.waiting = 0

    def sample(self, mask: int, now_ms: int) -> None:
        """Take one sample: bit i of `mask` is 1 while contact i is closed. `now_ms` must not run backwards."""
        step_ms = now_ms - self.last_ms if self.last_ms >= 0 else 0
        if step_ms > STEP_MS:
            step_ms = STEP_MS
        self.last_ms = now_ms
        top = self._debounce_ms
        for i in range(self.count):
            bit = 1 << i
            level = self._level_ms[i]
            if mask & bit:
                level = min(top, level + step_ms)
                if level >= top and not self.pressed & bit:
                    self.pressed |= bit
                    self._since_ms[i] = now_ms
                    self._push(i, DOWN)
            else:
                level = max(0, level - step_ms)
                if level == 0 and self.pressed & bit:
                    self.pressed &= ~bit
                    self._push(i, UP_AFTER_HOLD if self._held & bit else UP)
                    self._held &= ~bit
            self._level_ms[i] = level
            if self.pressed & bit and not self._held & bit and now_ms - self._since_ms[i] >= self._hold_ms:
                self._held |= bit
                self._push(i, HOLD)
        self.quiet = not (mask or self.pressed or any(self._level_ms))

    def pop(self) -> int:
        """The oldest event as `index << 2 | kind`, or -1. Kinds: DOWN, UP, HOLD, UP_AFTER_HOLD."""
        if not self.waiting:
            return -1
        code = self._ring[self._first]
        self._first = (self._first + 1) % _RING
        self.waiting -= 1
        return code

    def _push(self, index: int, kind: int) -> None:
        if self.waiting == _RING:
            self.lost += 1
            self._first = (self._first + 1) % _RING
            self.waiting -= 1
        self._ring[(self._first + self.waiting) % _RING] = index << 2 | kind
        self.waiting += 1
