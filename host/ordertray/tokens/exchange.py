"""What goes into an enrolment and what comes out: events from tray and player, commands to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ordertray.messages import N_, Translator, identity
from ordertray.tokens.model import KIND_NAMES, Role
from ordertray.tokens.registry import TokenRegistry

# --- events ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Placed:
    """A disc was laid on a pad."""

    pad: str
    uid: str


@dataclass(frozen=True, slots=True)
class Removed:
    """The disc was taken off."""

    pad: str
    uid: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """The reader refuses what lies there: `two-tags`, `phone`, `unreadable`, `checksum`."""

    pad: str
    why: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The tray's answer to `Read` or `Write`: `why` when not ok, else the disc's UID and its NDEF message."""

    ok: bool
    why: str = ""
    uid: str = ""
    message: bytes = b""


@dataclass(frozen=True, slots=True)
class Skip:
    """The player has no disc for this one now; it is asked for again at the end."""


@dataclass(frozen=True, slots=True)
class Undo:
    """The last accepted disc was a mistake: it is forgotten and asked for again."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Take no discs for a while, or take them again."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What lies on the pads when the tray (re)connects: UID or nothing for each pad."""

    pads: Mapping[str, str | None]


Event = Placed | Removed | Refused | Answer | Skip | Undo | Pause | Snapshot

# --- commands -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Show:
    """Show this on the strip of `side`: `[colours, effects]` as in an `F` frame."""

    side: str
    strip: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Signal:
    """A short tone or blink: `ok`, `refused` or `undo`."""

    side: str
    do: str


@dataclass(frozen=True, slots=True)
class Read:
    """Read the NDEF message of the disc on this pad and answer."""

    pad: str


@dataclass(frozen=True, slots=True)
class Write:
    """Write this NDEF message to the disc on this pad and answer."""

    pad: str
    message: bytes


@dataclass(frozen=True, slots=True)
class Save:
    """Put this registry on disk, durably, before the disc's event is acknowledged."""

    registry: TokenRegistry


@dataclass(frozen=True, slots=True)
class Say:
    """Tell the player. `mood`: `ask`, `ok`, `refused`, `note` or `done`. `role` is named in the text as {disc}."""

    mood: str
    template: str
    params: Mapping[str, object] = field(default_factory=dict)
    role: Role | None = None

    def text(self, translate: Translator = identity) -> str:
        """The text in the language of `translate`."""
        params = {**self.params}
        if self.role is not None:
            params["disc"] = describe(self.role, translate)
        return translate(self.template).format(**params)


Command = Show | Signal | Read | Write | Save | Say


def describe(role: Role, translate: Translator = identity) -> str:
    """A disc in words: "Regular, group 1, number 3"."""
    parts = [translate(KIND_NAMES[role.kind])]
    if role.trooper is not None:
        parts.append(role.trooper)
    if role.group is not None:
        parts.append(translate(N_("group {group}")).format(group=role.group))
    if role.number is not None:
        parts.append(translate(N_("number {number}")).format(number=role.number))
    if role.state is not None:
        parts.append(role.state)
    return ", ".join(parts)
