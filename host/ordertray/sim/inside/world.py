"""The simulated table around the board: tags, fingers, wires and chips, told by the control channel.

One line of JSON each way on a socket. Lines to the board are `{"do": name, "n": number, ...}`, answered by
`{"n": number, "ok": true, ...}` or `{"n": number, "ok": false, "why": text}`. Unasked, the board tells what leaves it:
`{"px": side, "grb": hex}`, `{"tone": hz}`, `{"wdt": ms}`, `{"feed": 1}`, `{"scratch": number}`, `{"reset": 1}`.

Nothing runs in the background: whenever the firmware touches its hardware, `World.service()` looks at the channel, at
most once a millisecond. So commands work while the firmware boots, sleeps or crashes, just as a finger would.
"""

import json
import select
import socket

from ..chips import Chip, Pad, Tag, make_chip, make_tag

SERVICE_US = 1000
BOARD_FAULTS = {
    "crash": "the firmware's next look at its buttons throws an error",
    "hang": "the firmware stops dead in its next look at its buttons; only the watchdog helps, or mending it",
    "noise-button": "side=..., button=...: the contact chatters (percent=N of the samples wrong, default 10)",
}


# A touch lasts its time and at least so many looks of the firmware, so that a busy machine cannot swallow it.
CLICK_READS = 20
TAP_TRANSACTIONS = 100
# A reader that does not look any more cannot hold a tag back for longer than this.
TAP_PATIENCE_US = 2000000


class Contact:
    """One push button: closed or open, and bouncing for a while after each change."""

    def __init__(self) -> None:
        self.closed = False
        self.bounce_until_us = 0
        self.noise_percent = 0
        self.closed_us = 0
        self.release_after_us = 0
        self.reads = 0


class Tap:
    """A tag that is going to be taken away again by itself."""

    def __init__(self, pad: "Pad", tag: Tag, chip: "Chip | None", begun_us: int, for_us: int) -> None:
        self.pad = pad
        self.tag = tag
        self.chip = chip
        self.begun_us = begun_us
        self.for_us = for_us
        self.transactions = chip.transactions if chip is not None else 0

    def over(self, lain_us: int) -> bool:
        """Whether it has lain for its time and has been looked at often enough."""
        if lain_us < self.for_us:
            return False
        looked = self.chip is None or self.chip.transactions - self.transactions >= TAP_TRANSACTIONS
        return looked or lain_us >= self.for_us + TAP_PATIENCE_US


class World:
    """All that the simulated board is wired to.

    clock: the firmware's clock module. wiring: a checked configuration of the tray, taken as its wiring; chips: pad ->
    chip name, "none" for an empty socket.
    """

    def __init__(self, clock: "Clock", port: int, token: str) -> None:
        self.clock = clock
        self.contacts: dict[int, Contact] = {}
        self.chips: dict[str, Chip] = {}
        self.pads: dict[str, Pad] = {}
        self.by_select: dict[int, Chip] = {}
        self.by_reset: dict[int, Chip] = {}
        self.by_irq: dict[int, Chip] = {}
        self.strips: dict[int, str] = {}
        self.shown: dict[str, str] = {}
        self.tags: dict[str, Tag] = {}
        self.taps: list[Tap] = []
        self.running = False
        self.power_on = True
        self.unique_id = b""
        self.scratch = 0
        self.crash = False
        self.hang = False
        self._buttons: dict[str, int] = {}
        self._noise = 12345
        self._last_us = clock.ticks_us()
        self._input = bytearray()
        self._socket = socket.socket()
        self._socket.connect(socket.getaddrinfo("127.0.0.1", port)[0][-1])
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        self.tell({"token": token})

    def wire(self, wiring: "dict[str, Any]", chips: "dict[str, str]") -> None:
        """Build chips, buttons and strips as the configuration wires them."""
        for reader in wiring["readers"]:
            pad_name = reader["pad"]
            pad = self.pads[pad_name] = Pad()
            name = chips.get(pad_name, reader["chip"])
            if name == "none":
                continue
            chip = self.chips[pad_name] = make_chip(name, pad, self.clock)
            self.by_select[reader["cs"]] = chip
            if reader["rst"] is not None:
                self.by_reset[reader["rst"]] = chip
            if reader["irq"] is not None:
                self.by_irq[reader["irq"]] = chip
        for side in wiring["sides"]:
            part = wiring["sides"][side]
            self.strips[part["pixels"]["pin"]] = side
            for name in part["buttons"]:
                pin = part["buttons"][name]
                self.contacts[pin] = Contact()
                self._buttons[side + "." + name] = pin

    def tell(self, message: "dict[str, Any]") -> None:
        """Send one line to whoever holds the virtual tray."""
        data = json.dumps(message).encode() + b"\n"
        sent = 0
        while sent < len(data):
            sent += self._socket.send(data[sent:])

    def service(self) -> None:
        """Carry out what has been asked since the last look; returns at once when that was less than 1 ms ago."""
        now_us = self.clock.ticks_us()
        if self.running and self.clock.ticks_diff(now_us, self._last_us) < SERVICE_US:
            return
        self._last_us = now_us
        for tap in list(self.taps):
            if tap.over(self.clock.ticks_diff(now_us, tap.begun_us)):
                self.taps.remove(tap)
                if tap.tag in tap.pad.tags:
                    tap.pad.take(tap.tag.uid_text)
        while self._poll.poll(0):
            if not self._read():
                break

    def wait(self) -> None:
        """Serve the channel until `{"do": "go"}` has come."""
        while not self.running:
            if self._poll.poll(1000):
                self._read()

    def _read(self) -> bool:
        data = self._socket.recv(4096)
        if not data:
            # Whoever held the tray is gone: no table, no tray.
            raise SystemExit(0)
        self._input.extend(data)
        while True:
            end = self._input.find(b"\n")
            if end < 0:
                return True
            line = bytes(self._input[:end])
            self._input = self._input[end + 1 :]
            self._carry_out(json.loads(line.decode()))

    def _carry_out(self, order: "dict[str, Any]") -> None:
        answer: dict[str, Any] = {"n": order.get("n", 0), "ok": True}
        try:
            result = getattr(self, "_do_" + order["do"].replace("-", "_"))(order)
            if result:
                answer.update(result)
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            answer["ok"] = False
            answer["why"] = str(error)
        self.tell(answer)

    # --- what can be asked --------------------------------------------------------------------------------------------

    def _do_setup(self, order: "dict[str, Any]") -> None:
        self.unique_id = bytes.fromhex(order["id"])
        self.power_on = order["cause"] == "power"
        self.scratch = order["scratch"]
        self.wire(order["wiring"], order["chips"])

    def _do_go(self, order: "dict[str, Any]") -> None:
        self.running = True

    def _do_sync(self, order: "dict[str, Any]") -> None:
        pass

    def _do_place(self, order: "dict[str, Any]") -> None:
        pad = self.pads[order["pad"]]
        uid = order["uid"]
        # A tag keeps its memory while the board runs; two tags with one UID are told apart by `copy`.
        key = f"{order['tag']} {uid} {order.get('copy', 0)}"
        tag = self.tags.get(key)
        if tag is None or uid is None:
            tag = make_tag(order["tag"], uid)
            self.tags[key] = tag
        if order.get("pull_after"):
            tag.pull_after(order["pull_after"])
        if order.get("spoil"):
            tag.spoil(**order["spoil"])
        pad.put(tag)
        if order.get("for_us"):
            chip = self.chips.get(order["pad"])
            self.taps.append(Tap(pad, tag, chip, self.clock.ticks_us(), order["for_us"]))

    def _do_remove(self, order: "dict[str, Any]") -> None:
        self.pads[order["pad"]].take(order.get("uid"))

    def _do_memory(self, order: "dict[str, Any]") -> "dict[str, Any]":
        for key in self.tags:
            memory = getattr(self.tags[key], "memory", None)
            if key.split(" ")[1] == order["uid"] and memory is not None:
                if "set" in order:
                    memory[:] = bytes.fromhex(order["set"])
                return {"memory": bytes(memory).hex()}
        raise ValueError("no tag with memory of that UID has been laid down")

    def _do_contact(self, order: "dict[str, Any]") -> None:
        contact = self.contacts[self._buttons[order["side"] + "." + order["button"]]]
        contact.closed = order["closed"]
        contact.closed_us = self.clock.ticks_us()
        contact.release_after_us = order.get("for_us", 0)
        contact.reads = 0
        contact.bounce_until_us = self.clock.ticks_add(self.clock.ticks_us(), order.get("bounce_us", 0))

    def _do_fault(self, order: "dict[str, Any]") -> None:
        name, on = order["name"], order["on"]
        params = order.get("params", {})
        if "pad" in order:
            self.chips[order["pad"]].fault(name, on, **params)
        elif name == "crash":
            self.crash = on
        elif name == "hang":
            self.hang = on
        elif name == "noise-button":
            pin = self._buttons[params["side"] + "." + params["button"]]
            self.contacts[pin].noise_percent = params.get("percent", 10) if on else 0
        else:
            raise ValueError("the board has no fault " + repr(name))

    # --- what the board sees ------------------------------------------------------------------------------------------

    def closed(self, pin: int) -> bool:
        """Whether the button on this pin makes contact at this moment."""
        if self.crash:
            self.crash = False
            raise OSError(5, "injected fault")
        while self.hang:
            self.clock.sleep_us(20000)
            self.service()
        contact = self.contacts.get(pin)
        if contact is None:
            return False
        contact.reads += 1
        if contact.release_after_us and contact.reads > CLICK_READS:
            closed_us = self.clock.ticks_diff(self.clock.ticks_us(), contact.closed_us)
            if closed_us >= contact.release_after_us:
                contact.closed = False
                contact.release_after_us = 0
        if contact.bounce_until_us:
            if self.clock.ticks_diff(contact.bounce_until_us, self.clock.ticks_us()) > 0:
                return self._random(2) == 1
            contact.bounce_until_us = 0
        if contact.noise_percent and self._random(100) < contact.noise_percent:
            return not contact.closed
        return contact.closed

    def show(self, pin: int, grb: "bytes | bytearray") -> None:
        """A WS2812 strip took these bytes."""
        side = self.strips.get(pin)
        if side is not None:
            text = bytes(grb).hex()
            if self.shown.get(side) != text:
                self.shown[side] = text
                self.tell({"px": side, "grb": text})

    def _random(self, limit: int) -> int:
        self._noise = (self._noise * 1103515245 + 12345) & 0x7FFFFFFF
        return (self._noise >> 16) % limit


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..chips import Clock
