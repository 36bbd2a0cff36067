"""What the strips show: palette, effects, brightness, current limit, and the tray's own patterns.

The host sends a frame only when something changes; everything that moves is worked out here. No hardware: `render`
fills one buffer of GRB bytes for each side, and the app hands changed buffers to the strips.

Letters are those of PROTOCOL.md, section Lamps. All bytes come from one table, colour by level:
(palette / 255 * level / 32 * brightness) ** gamma. A channel of the palette that is not 0 never becomes 0 while its
level is above 0, so that dim lamps keep their colour.
Current is the worst case of the WS2812 family: 20 mA for a channel at 255 and 1 mA for each pixel at rest.
"""

from . import const

PALETTE = {
    ".": (0, 0, 0),
    "w": (255, 230, 200),
    "r": (255, 0, 0),
    "g": (0, 255, 0),
    "b": (0, 0, 255),
    "y": (255, 180, 0),
    "o": (255, 85, 0),
    "p": (170, 0, 255),
    "c": (0, 255, 255),
}
COLOURS = ".wrgbyopc"
EFFECTS = ".sbpcdfq"  # dark, steady, blink, pulse, chase, dim, flash, quick

LEVELS = const(32)
ROW = const(16)
LINK_PIXEL = const(15)
CHANNEL_MA = const(20)
IDLE_MA = const(1)

BLINK_MS = const(800)
FLASH_MS = const(1600)
QUICK_MS = const(400)
PULSE_MS = const(1600)
CHASE_MS = const(90)
DIM_LEVEL = const(13)
REFUSE_MS = const(500)
BOOT_MS = const(700)
WARN_MS = const(2000)
REFRESH_MS = const(2000)

BOOT = const(0)
OFFLINE = const(1)
ONLINE = const(2)

_NONE, _STEADY, _BLINK, _PULSE, _CHASE, _DIM, _FLASH, _QUICK = EFFECTS.encode()
# What is on, then off: milliseconds on, and of the whole. A line here is all that a new effect of this kind takes.
_ON_OFF = (
    (_BLINK, BLINK_MS // 2, BLINK_MS),
    (_FLASH, FLASH_MS // 8, FLASH_MS),
    (_QUICK, QUICK_MS // 2, QUICK_MS),
)
_STILL = bytes((_NONE, _STEADY, _DIM))
_RED = const(0x72)  # r
_WHITE = const(0x77)  # w
_BLUE = const(0x62)  # b
_ORANGE = const(0x6F)  # o
_PURPLE = const(0x70)  # p
_DARK = const(0x2E)  # .
_TAIL = (LEVELS, 19, 11)
_TAIL_END = const(6)


def make_table(brightness: int, gamma: float) -> bytearray:
    """GRB bytes for every colour of `COLOURS` at every level 0..32: offset (colour * 33 + level) * 3.

    brightness: percent, 1..100, as the eye sees it; gamma: 1.0..3.0.
    """
    table = bytearray(len(COLOURS) * (LEVELS + 1) * 3)
    at = 0
    for letter in COLOURS:
        red, green, blue = PALETTE[letter]
        for level in range(LEVELS + 1):
            for base in (green, red, blue):
                if base and level:
                    share = base * level * brightness / (255.0 * LEVELS * 100.0)
                    table[at] = max(1, int(255.0 * share**gamma + 0.5))
                at += 1
    return table


_COLOUR_LETTERS = COLOURS.encode()
_EFFECT_LETTERS = EFFECTS.encode()


def _places() -> bytes:
    """For each byte where the entries of that colour begin in the table of make_table; 0, off, for what is none."""
    places = bytearray(256)
    for i in range(len(COLOURS)):
        places[ord(COLOURS[i])] = i
    return bytes(places)


_PLACES = _places()


def _nearest(letters: bytes, known: bytes, instead: int) -> bytes:
    """These letters, and for each that is not known the nearest: a capital's small letter, or `instead`."""
    # strip() takes the whole text away when every letter is known: a look at each by ourselves takes ten times as long.
    if not letters.strip(known):
        return letters
    return bytes([c if c in known else c | 32 if 64 < c < 91 and c | 32 in known else instead for c in letters])


def _ascii(letters: str) -> bytes:
    """One byte a letter; what is no ASCII becomes a letter that no table knows."""
    try:
        data = letters.encode()
        if len(data) == len(letters):
            return data
    except UnicodeError:  # a lone surrogate, on CPython
        pass
    return "".join([letter if ord(letter) < 128 else "?" for letter in letters]).encode()


class Lamps:
    """The pixels of all sides.

    sides: list of (side, count). brightness and gamma as in make_table; limit_ma: for all strips together.
    buffers: side -> bytearray of count * 3 GRB bytes, valid after render().
    mode: BOOT, OFFLINE or ONLINE, set by the app; warn: True adds a purple flash on the link pixel (faults at boot).
    """

    def __init__(
        self, sides: "list[tuple[str, int]]", brightness: int = 40, limit_ma: int = 250, gamma: float = 2.2
    ) -> None:
        self.sides = [side for side, _count in sides]
        self.mode = BOOT
        self.warn = False
        self.scale = 256
        self.bad_frames = 0
        self.new_letters = 0
        self._limit_ma = limit_ma
        self._table = make_table(brightness, gamma)
        self._counts = dict(sides)
        self._total = sum(count for _side, count in sides)
        self.buffers = {side: bytearray(count * 3) for side, count in sides}
        self._dark = {side: bytes(count * 3) for side, count in sides}
        self._shown = {side: bytearray(count * 3) for side, count in sides}
        # Letters, as the host sends them.
        self._colour = {side: b"." * count for side, count in sides}
        self._effect = {side: b"s" * count for side, count in sides}
        self._run_at = {side: bytearray(count) for side, count in sides}
        self._run_length = {side: bytearray(count) for side, count in sides}
        self._given: "dict[str, tuple[str, str] | None]" = {side: None for side, _count in sides}
        self._refused_ms: "dict[str, int]" = {}
        # By the letter of the effect.
        self._levels = bytearray(128)
        self._dirty = True
        # Effects that move something lit: of each side, and of all.
        self._moves = {side: b"" for side, _count in sides}
        self._moving = b""
        self._chasing = False
        self._drawn = bytearray(128)
        self._last_mode = -1
        self._mode_ms = 0
        self._written_ms = -REFRESH_MS

    def set_frame(self, side: str, colours: str, effects: str) -> bool:
        """Take one side's frame: one palette letter and one effect letter for each pixel.

        Missing letters mean dark, surplus ones are ignored. A letter that is not known is shown as the nearest that is
        (PROTOCOL.md, Lamps), and `new_letters` is one more. An unknown side changes nothing: the answer is False, and
        `bad_frames` one more.
        """
        if side not in self._counts:
            self.bad_frames += 1
            return False
        # The host sends both sides when one changes.
        given = (colours, effects)
        if given == self._given[side]:
            return True
        self._given[side] = given
        count = self._counts[side]
        colour = (_ascii(colours) + b"." * count)[:count]
        effect = (_ascii(effects) + b"s" * count)[:count]
        self._colour[side] = _nearest(colour, _COLOUR_LETTERS, _WHITE)
        self._effect[side] = _nearest(effect, _EFFECT_LETTERS, _STEADY)
        if self._colour[side] != colour or self._effect[side] != effect:
            self.new_letters += 1
        colour, effect = self._colour[side], self._effect[side]
        if _CHASE in effect:
            self._find_runs(side)
        self._dirty = True
        moves = set()
        if effect.strip(_STILL):
            for i in range(count):
                if colour[i] != _DARK and effect[i] not in _STILL:
                    moves.add(effect[i])
        self._moves[side] = bytes(moves)
        self._moving = b"".join(self._moves.values())
        self._chasing = _CHASE in self._moving
        return True

    def refuse(self, side: str, now_ms: int) -> None:
        """Blink one side red twice; "*" means every side."""
        for name in self.sides:
            if side in (name, "*"):
                self._refused_ms[name] = now_ms
        self._dirty = True

    def render(self, now_ms: int) -> bool:
        """Work out all buffers for this moment. True when a strip must be written (changed, or due for a refresh)."""
        if self.mode != self._last_mode:
            self._last_mode = self.mode
            self._mode_ms = now_ms
            self._dirty = True
        refresh = now_ms - self._written_ms >= REFRESH_MS
        if not (self._dirty or self.warn or self.mode != ONLINE):
            if self._chasing or (self._moving and self._set_levels(now_ms, LEVELS) != self._drawn):
                pass
            elif refresh:
                self._written_ms = now_ms
                return True
            else:
                return False
        self._dirty = False
        total = 0
        for side in self.sides:
            refused_ms = self._refused_ms.get(side)
            if refused_ms is not None and now_ms - refused_ms >= REFUSE_MS:
                del self._refused_ms[side]
                refused_ms = None
            if refused_ms is not None:
                self._dirty = True
                total += self._fill(side, _RED if (now_ms - refused_ms) * 4 // REFUSE_MS % 2 == 0 else _DARK, LEVELS)
            elif self.mode == BOOT:
                total += self._boot(side, now_ms - self._mode_ms)
            elif self.mode == OFFLINE:
                total += self._offline(side, now_ms)
            else:
                total += self._frame(side, now_ms, LEVELS)
            if self.warn and refused_ms is None and now_ms % WARN_MS < WARN_MS // 6:
                total += self._put(side, LINK_PIXEL, _PURPLE, LEVELS)
        self._drawn[:] = self._levels
        self._limit(total)
        changed = False
        for side in self.sides:
            if self.buffers[side] != self._shown[side]:
                self._shown[side][:] = self.buffers[side]
                changed = True
        if changed or refresh:
            self._written_ms = now_ms
            return True
        return False

    def current_ma(self) -> float:
        """Worst-case current of what the buffers hold, all strips together, in milliamperes."""
        total = 0
        for buffer in self.buffers.values():
            for byte in buffer:
                total += byte
        return self._total * IDLE_MA + total * CHANNEL_MA / 255

    def _limit(self, total: int) -> None:
        """Scale all buffers when the sum of their bytes would draw more than the limit."""
        allowed = max(0, self._limit_ma - self._total * IDLE_MA) * 255 // CHANNEL_MA
        self.scale = 256
        if total > allowed:
            self.scale = scale = allowed * 256 // total
            for side in self.sides:
                buffer = self.buffers[side]
                at = 0
                for byte in buffer:
                    if byte:
                        buffer[at] = byte * scale >> 8
                    at += 1

    def _find_runs(self, side: str) -> None:
        """For each chasing pixel: its place in the run of chasing pixels of its row, and the run's length."""
        effect, at, length = self._effect[side], self._run_at[side], self._run_length[side]
        count = self._counts[side]
        start = 0
        while start < count:
            end = start
            while end < count and effect[end] == _CHASE and (end == start or end % ROW):
                end += 1
            for i in range(start, end):
                at[i] = i - start
                length[i] = end - start
            start = max(end, start + 1)

    def _frame(self, side: str, now_ms: int, most: int) -> int:
        """The host's frame at this moment, no level above `most`. Returns the sum of the bytes."""
        levels = self._set_levels(now_ms, most)
        step = now_ms // CHASE_MS
        run_at, run_length = self._run_at[side], self._run_length[side]
        colour, effect, buffer, table = self._colour[side], self._effect[side], self.buffers[side], self._table
        buffer[:] = self._dark[side]
        total = at = green = red = blue = weight = 0
        last_colour = last_level = -1
        for i in range(self._counts[side]):
            kind = effect[i]
            if kind == _CHASE:
                behind = (step - run_at[i]) % run_length[i]
                level = min(most, _TAIL[behind] if behind < len(_TAIL) else _TAIL_END)
            else:
                level = levels[kind]
            # One pixel is mostly like the one before it: then its bytes are at hand.
            if colour[i] != last_colour or level != last_level:
                last_colour = colour[i]
                last_level = level
                entry = (_PLACES[last_colour] * (LEVELS + 1) + level) * 3
                green, red, blue = table[entry], table[entry + 1], table[entry + 2]
                weight = green + red + blue
            if weight:
                buffer[at] = green
                buffer[at + 1] = red
                buffer[at + 2] = blue
                total += weight
            at += 3
        return total

    def _set_levels(self, now_ms: int, most: int) -> bytearray:
        """The level of each effect but the chase at this moment, no level above `most`."""
        levels = self._levels
        levels[_STEADY] = most
        moving = self._moving
        if moving:
            for effect, on_ms, whole_ms in _ON_OFF:
                if effect in moving:
                    levels[effect] = most if now_ms % whole_ms < on_ms else 0
        if _PULSE in moving:
            phase = now_ms % PULSE_MS * 2 * (LEVELS - 6) // PULSE_MS
            levels[_PULSE] = min(most, 6 + (phase if phase <= LEVELS - 6 else 2 * (LEVELS - 6) - phase))
        levels[_DIM] = min(most, DIM_LEVEL)
        return levels

    def _boot(self, side: str, elapsed_ms: int) -> int:
        """A blue bar that grows over both rows while the tray starts, then stands."""
        count = self._counts[side]
        lit = min(count, 1 + elapsed_ms * count // BOOT_MS)
        total = self._fill(side, _DARK, 0)
        for i in range(lit):
            total += self._put(side, i, _BLUE, DIM_LEVEL)
        return total

    def _offline(self, side: str, now_ms: int) -> int:
        """The last frame, dim; an orange point that walks to and fro, and the link pixel blinking red."""
        total = self._frame(side, now_ms, DIM_LEVEL)
        count = self._counts[side]
        if count > 1:
            place = now_ms // 120 % (2 * count - 2)
            total += self._put(side, place if place < count else 2 * count - 2 - place, _ORANGE, LEVELS)
        blink = now_ms % BLINK_MS < BLINK_MS // 2
        return total + self._put(side, LINK_PIXEL, _RED if blink else _DARK, LEVELS)

    def _fill(self, side: str, colour: int, level: int) -> int:
        entry = (_PLACES[colour] * (LEVELS + 1) + level) * 3
        pixel = bytes(self._table[entry : entry + 3])
        count = self._counts[side]
        self.buffers[side][:] = pixel * count
        return sum(pixel) * count

    def _put(self, side: str, index: int, colour: int, level: int) -> int:
        """Set one pixel; returns by how much the sum of all bytes may have grown (never too little)."""
        if index >= self._counts[side]:
            return 0
        buffer, table = self.buffers[side], self._table
        entry = (_PLACES[colour] * (LEVELS + 1) + level) * 3
        at = index * 3
        for i in range(3):
            buffer[at + i] = table[entry + i]
        return table[entry] + table[entry + 1] + table[entry + 2]
