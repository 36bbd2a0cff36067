"""Enrolment at a real tray: its events go into the state machine, the machine's commands go out to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ordertray.link import NoAnswerError, TrayEvent
from ordertray.tokens.enrolment import Outcome, step
from ordertray.tokens.exchange import (
    Answer,
    Command,
    Event,
    Pause,
    Placed,
    Read,
    Refused,
    Removed,
    Save,
    Say,
    Show,
    Signal,
    Skip,
    Snapshot,
    Undo,
    Write,
)
from ordertray.tokens.prompts import PIXELS
from ordertray.tokens.registry import TokenRegistry

DARK = ["." * PIXELS, "." * PIXELS]


class Tray(Protocol):
    """What enrolment needs of a `TrayLink`."""

    def show(self, strips: Mapping[str, Any]) -> None:
        """Show these lamps."""

    def feedback(self, side: str, do: str) -> bool:
        """A short signal."""

    async def command(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send a command and wait for its answer's body."""


def event_of(body: Mapping[str, Any], pad: str) -> Event | None:
    """What a tray's event is to the enrolment on `pad`; None for what does not concern it.

    Buttons, of that side only: PASS skips the disc asked for, PASS held takes the last one back, OK pauses.
    """
    match body:
        case {"e": "placed", "pad": str(where), "uid": str(uid)}:
            return Placed(where, uid)
        case {"e": "removed", "pad": str(where)}:
            return Removed(where)
        case {"e": "refused", "pad": str(where), "why": str(why)}:
            return Refused(where, why)
        case {"e": "button", "side": side, "button": "pass", "edge": "hold"} if side == pad:
            return Undo()
        case {"e": "button", "side": side, "button": button, "edge": "up"} if side == pad and not body.get("held"):
            return Skip() if button == "pass" else Pause() if button == "ok" else None
    return None


def snapshot_of(body: Mapping[str, Any]) -> Snapshot:
    """What lies on the pads, by a tray's snapshot."""
    pads = body.get("pads")
    found = pads if isinstance(pads, Mapping) else {}
    lying = {str(pad): tag.get("uid") for pad, tag in found.items() if isinstance(tag, Mapping)}
    return Snapshot({pad: str(uid) for pad, uid in lying.items() if uid})


class EnrolmentRunner:
    """Carries an enrolment out. Its `on_event` and `on_snapshot` are a `TrayLink`'s handlers.

    A disc is saved before its event is acknowledged to the tray. `save` may raise `OSError`: then nothing has changed,
    `failed` holds the error, and `over` is set.
    """

    def __init__(self, begun: Outcome, save: Callable[[TokenRegistry], object], say: Callable[[Say], None]) -> None:
        self.state, self._first = begun
        self.over = asyncio.Event()
        self.failed: OSError | None = None
        self._save = save
        self._say = say
        self._tray: Tray | None = None
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, tray: Tray) -> None:
        """Ask for the first disc on this tray."""
        self._tray = tray
        for command in self._first:
            self._carry_out(command)

    async def on_event(self, event: TrayEvent) -> None:
        """Handler of a tray's events."""
        found = event_of(event.body, self.state.pad)
        if found is not None:
            await self.take(found)

    async def on_snapshot(self, event: TrayEvent) -> None:
        """Handler of a tray's snapshots."""
        await self.take(snapshot_of(event.body))

    async def take(self, event: Event) -> None:
        """Deal with one event, from the tray or the player's keyboard."""
        async with self._lock:
            state, commands = step(self.state, event)
            try:
                for command in commands:
                    if isinstance(command, Save):
                        self._save(command.registry)
            except OSError as error:
                self.failed = error
                self.over.set()
                return
            self.state = state
            for command in commands:
                self._carry_out(command)

    def _carry_out(self, command: Command) -> None:
        match command:
            case Say():
                self._say(command)
                if command.mood == "done":
                    self.over.set()
            case Show(side, strip) if self._tray is not None:
                self._tray.show({letter: list(strip) if letter == side else DARK for letter in ("A", "B")})
            case Signal(side, do) if self._tray is not None:
                self._tray.feedback(side, do)
            case Read(pad):
                self._ask_tray({"c": "ndef-read", "pad": pad})
            case Write(pad, message):
                self._ask_tray({"c": "ndef-write", "pad": pad, "ndef": message.hex().upper()})

    def _ask_tray(self, body: Mapping[str, Any]) -> None:
        """In a task of its own: the answer is an event too, and would wait for the handler that waits for it."""
        task = asyncio.create_task(self._answered(body))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answered(self, body: Mapping[str, Any]) -> None:
        assert self._tray is not None
        try:
            answer = answer_of(await self._tray.command(body))
        except NoAnswerError:
            answer = Answer(False, "no-answer")
        await self.take(answer)


def answer_of(body: Mapping[str, Any]) -> Answer:
    """A tray's answer to an NDEF command."""
    try:
        message = bytes.fromhex(str(body.get("ndef", "")))
    except ValueError:
        return Answer(False, "unreadable")
    return Answer(body.get("ok") is True, str(body.get("why", "")), str(body.get("uid") or ""), message)
