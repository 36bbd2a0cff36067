"""The air between an antenna and the tags on a pad: who is reached, and what is heard when several answer at once."""

from .frames import Answer


def _bit(data: bytes, index: int) -> int:
    return (data[index >> 3] >> (index & 7)) & 1


def superpose(answers: "list[Answer]") -> "Answer | None":
    """What a reader hears when several tags answer at once; None for silence.

    Equal bits add up unnoticed; the first unequal one is the collision, after which the reader knows nothing. The
    merged data keeps the true bits before it and a one at it (load modulation is heard in both half bits).
    """
    if not answers:
        return None
    first = answers[0]
    if len(answers) == 1:
        return first
    shortest = min([answer.bits for answer in answers])
    longest = max([answer.bits for answer in answers])
    collision = None
    for index in range(shortest):
        if any(_bit(answer.data, index) != _bit(first.data, index) for answer in answers):
            collision = index
            break
    if collision is None and shortest == longest:
        return first
    merged = bytearray((longest + 7) // 8)
    for index in range(longest):
        for answer in answers:
            if index < answer.bits and _bit(answer.data, index):
                merged[index >> 3] |= 1 << (index & 7)
    delay = max([answer.delay_us for answer in answers])
    return Answer(merged, longest, shortest if collision is None else collision, shortest != longest, delay)


class Pad:
    """The place where tags lie, within reach of one antenna.

    Watchers (chips) are called before anything changes, so that what happened until now is settled first.
    """

    def __init__(self) -> None:
        self.tags: list[Tag] = []
        self.field_on = False
        self._field_since_us = 0
        self._watchers: list[Callable[[], None]] = []
        self._deafness: Callable[[], bool] | None = None
        self.log: list[tuple[str, bytes, int]] | None = None

    def watch(self, settle: "Callable[[], None]") -> None:
        """Call `settle` before every change on the pad."""
        self._watchers.append(settle)

    def _settle(self) -> None:
        for settle in self._watchers:
            settle()

    def put(self, tag: "Tag") -> "Tag":
        """Lay a tag on the pad."""
        self._settle()
        if tag not in self.tags:
            tag.enter()
            self.tags.append(tag)
        return tag

    def take(self, uid: "str | None" = None) -> "list[Tag]":
        """Take the tag with that UID away, or all of them; gives back what was taken."""
        self._settle()
        taken = [tag for tag in self.tags if uid is None or tag.uid_text == uid]
        self.tags = [tag for tag in self.tags if tag not in taken]
        return taken

    def deafen(self, deaf: "Callable[[], bool] | None") -> None:
        """A bad spot: `deaf()` is asked for each frame, True makes the tags miss it. None ends it."""
        self._settle()
        self._deafness = deaf

    def field(self, on: bool, now_us: int) -> None:
        """Antenna on or off at `now_us` (of the chip that owns the antenna)."""
        if on == self.field_on:
            return
        self.field_on = on
        self._field_since_us = now_us
        for tag in self.tags:
            tag.field(on, now_us)

    def transmit(self, frame: "bytes | bytearray", bits: int, now_us: int) -> "Answer | None":
        """Send `bits` bits of `frame` to every tag; what the antenna hears, or None for silence."""
        if not self.field_on:
            return None
        if self._deafness is not None and self._deafness():
            return None
        answers = []
        gone = []
        for tag in self.tags:
            tag.field(True, self._field_since_us)
            answer = tag.receive(bytes(frame), bits, now_us)
            if answer is not None:
                answers.append(answer)
            if tag.pulled:
                gone.append(tag)
        if gone:
            self.tags = [tag for tag in self.tags if tag not in gone]
        heard = superpose(answers)
        if self.log is not None:
            self.log.append(("sent", bytes(frame), bits))
            if heard is not None:
                self.log.append(("heard", heard.data, heard.bits))
        return heard


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .tags import Tag
