"""From what a pad's reader sees, look by look, to one `placed` and one `removed` for each real placing.

Pure: no bus, no waiting; time comes in with every look. A tag is placed at its first sight (a tap must be quick) and
removed after three misses that span at least 300 ms. What is no clean answer (two tags, noise, a bad copy) is evidence
that something lies there, so it holds a tag for a while but not for ever.
"""

from ordertray_firmware import const
from ordertray_firmware.readers import CHECKSUM, NONE, PHONE, TAG, TWO_TAGS, UNREADABLE

MISSES = const(3)
GONE_MS = const(300)
# Spoilt answers hold a tag that was there this long after its last clean answer.
NOISE_HOLDS_MS = const(1500)
# A spoilt answer is shown when it comes twice running, or when silence follows it (the tag was pulled away).
SPOILT_LOOKS = const(2)
# What most looks lead to; made once, so that a pad where nothing happens makes no garbage.
_NO_EVENTS: "list[Event]" = []


class Presence:
    """One pad. `clock` is used for ticks_diff only (wrap safe); times are its ticks_ms.

    uid, tag: what lies there (None for nothing known); they survive a fault of the reader, which means "unknown".
    """

    def __init__(self, clock: "Ticks") -> None:
        self.uid: str | None = None
        self.tag: str | None = None
        self._clock = clock
        self._misses = 0
        self._miss_since = 0
        self._clean_ms = 0
        # A tag pushed aside by another a moment ago: seeing it again means that both lie there.
        self._aside: str | None = None
        self._aside_ms = 0
        # What is refused now, so that it is shown once.
        self._refused: str | None = None
        self._refused_ms = 0
        self._refused_misses = 0
        self._spoilt: str | None = None
        self._spoilt_looks = 0

    def unknown(self) -> None:
        """The reader is in trouble: whatever was counted so far proves nothing."""
        self._misses = 0
        self._refused_misses = 0
        self._spoilt = None
        self._spoilt_looks = 0
        self._aside = None

    def see(self, sighting: "Sighting", now_ms: int) -> "list[Event]":
        """Take one look's Sighting; gives a list of event bodies without the pad's name (not to be changed)."""
        outcome = sighting.outcome
        if self._refused is None and self._spoilt is None:
            if outcome == NONE and self.uid is None:
                return _NO_EVENTS
            if outcome == TAG and sighting.uid == self.uid and self._aside is None and self.tag is not None:
                self._misses = 0
                self._clean_ms = now_ms
                return _NO_EVENTS
        events: list[Event] = []
        if outcome == TAG and self._both_lie_there(sighting.uid, now_ms):
            outcome = TWO_TAGS
        self._calm(outcome, now_ms)
        if outcome == TAG and self._refused == TWO_TAGS and sighting.uid != self.uid:
            # One of two, seen alone: perhaps they are just being lifted. It counts once it has lain alone for a while.
            self._spoilt = None
            self._miss(now_ms, events)
        elif outcome == TAG:
            self._spoilt = None
            self._see_tag(sighting, now_ms, events)
        elif outcome == TWO_TAGS:
            # The one that was there is one of the two.
            self._spoilt = None
            self._misses = 0
            self._refuse(outcome, now_ms, events)
        elif outcome == PHONE:
            self._spoilt = None
            self._miss(now_ms, events)
            self._refuse(outcome, now_ms, events)
        elif outcome in (UNREADABLE, CHECKSUM):
            self._see_spoilt(outcome, now_ms, events)
        else:
            if self._spoilt is not None and self.uid is None:
                self._refuse(self._spoilt, now_ms, events)
            self._spoilt = None
            self._miss(now_ms, events)
        return events

    @property
    def quiet(self) -> bool:
        """Nothing lies there, and nothing is refused."""
        return self.uid is None and self._refused is None and self._spoilt is None

    def name_kind(self, tag: str) -> None:
        """The kind of the tag that lies there became known."""
        self.tag = tag

    def _since(self, now_ms: int, then_ms: int) -> int:
        return self._clock.ticks_diff(now_ms, then_ms)

    def _both_lie_there(self, uid: "str | None", now_ms: int) -> bool:
        """Two tags of unequal strength are seen in turn: a tag cannot be lifted, replaced and put back so fast."""
        if self._aside is None:
            return False
        if self._since(now_ms, self._aside_ms) >= GONE_MS:
            self._aside = None
            return False
        if uid == self._aside:
            self._aside_ms = now_ms
            return True
        return False

    def _see_tag(self, sighting: "Sighting", now_ms: int, events: "list[Event]") -> None:
        self._misses = 0
        self._clean_ms = now_ms
        if sighting.uid == self.uid:
            if self.tag is None:
                self.tag = sighting.tag
            return
        if self.uid is not None:
            events.append({"e": "removed", "uid": self.uid})
            self._aside = self.uid
            self._aside_ms = now_ms
        self.uid = sighting.uid
        self.tag = sighting.tag
        events.append({"e": "placed", "uid": self.uid, "tag": self.tag})

    def _see_spoilt(self, outcome: str, now_ms: int, events: "list[Event]") -> None:
        self._spoilt_looks = self._spoilt_looks + 1 if self._spoilt is not None else 1
        self._spoilt = outcome
        if self.uid is not None:
            if self._since(now_ms, self._clean_ms) < NOISE_HOLDS_MS:
                self._misses = 0
                return
            self._miss(now_ms, events)
            if self.uid is not None:
                return
        if self._spoilt_looks >= SPOILT_LOOKS:
            self._refuse(outcome, now_ms, events)

    def _miss(self, now_ms: int, events: "list[Event]") -> None:
        if self.uid is None:
            return
        if self._misses == 0:
            self._miss_since = now_ms
        self._misses += 1
        if self._misses >= MISSES and self._since(now_ms, self._miss_since) >= GONE_MS:
            events.append({"e": "removed", "uid": self.uid})
            self.uid = None
            self.tag = None
            self._misses = 0

    def _refuse(self, why: str, now_ms: int, events: "list[Event]") -> None:
        if why == UNREADABLE and self._refused is not None:
            # The vaguest of all adds nothing to what is shown already (lifting a bad copy ends like this).
            return
        self._refused_ms = now_ms
        self._refused_misses = 0
        if self._refused != why:
            self._refused = why
            events.append({"e": "refused", "why": why})

    def _calm(self, outcome: str, now_ms: int) -> None:
        """A refusal is over once its cause has been away as long as a tag must be."""
        if self._refused is None or outcome == self._refused:
            return
        self._refused_misses += 1
        if self._refused_misses >= MISSES and self._since(now_ms, self._refused_ms) >= GONE_MS:
            self._refused = None


TYPE_CHECKING = False
if TYPE_CHECKING:
    from ordertray_firmware.readers import Sighting
    from ordertray_firmware.readers.protocols import Event, Ticks
