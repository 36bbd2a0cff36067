"""Makes the examples of firmware/PROTOCOL.md from the real ends of the link."""

from __future__ import annotations

from binascii import crc32

from ordertray.link.host_end import HostEnd
from ordertray_firmware import wire
from ordertray_firmware.link import TrayEnd, session_tag

HOST_NONCE = "00c0ffee"
TRAY_NONCE = "9f3c01aa"
TAG = session_tag(HOST_NONCE, TRAY_NONCE)
HELLO = {
    "fw": "0.1.0",
    "mp": "1.28.0",
    "id": "E6616408432A1B2C",
    "reset": "power",
    "readers": [{"pad": "A", "chip": "pn532", "version": "1.6", "health": "ok"}],
    "buttons": {"A": ["basic", "short", "long", "aro", "pass", "ok"]},
    "pixels": {"A": 32},
    "faults": [],
    "errors": [],
}
SNAPSHOT = {"pads": {"A": None}, "buttons": {"A": []}, "health": {"A": "ok"}}
TAP = {"e": "placed", "pad": "A", "uid": "04A1B2C3D4E5F6", "tag": "ntag213"}
LAMPS = {"f": 1, "A": ["g" * 5 + "." * 27, "s" * 32]}


class FixedHost(HostEnd):
    """A host whose nonce the page can name."""

    def _draw(self, now_ms: int) -> None:
        super()._draw(now_ms)
        self.nonce = HOST_NONCE


def drain(end: HostEnd | TrayEnd, name: str, other: HostEnd | TrayEnd, now_ms: int, out: list[str]) -> None:
    """Everything one end has to say, to the other and to the page."""
    while (line := end.take(now_ms)) is not None:
        out.append(f"{name} {line.decode().rstrip()}")
        other.feed(line, now_ms)


def examples() -> dict[str, list[str]]:
    """The blocks of the page by name."""
    host = FixedHost("", "ordertray 0.1.0")
    tray = TrayEnd(HELLO, TRAY_NONCE)
    tray.take(0)  # the one at boot, before anybody listened
    session: list[str] = []
    host.show(LAMPS)
    drain(host, "host", tray, 500, session)
    tray.snapshot(SNAPSHOT, 500)
    drain(tray, "tray", host, 500, session)
    host.commit(1)
    drain(host, "host", tray, 501, session)
    drain(tray, "tray", host, 502, session)
    tray.event(TAP, 700)
    drain(tray, "tray", host, 700, session)
    host.commit(2)
    drain(host, "host", TrayEnd(HELLO, ""), 712, session)  # lost on its way
    host.send(wire.FEEDBACK, {"side": "A", "do": "ok"})
    again: list[str] = []
    drain(tray, "tray", host, 1100, again)
    drain(host, "host", tray, 1101, again)
    drain(tray, "tray", host, 1102, again)
    ping: list[str] = []
    drain(host, "host", tray, 1483, ping)
    drain(tray, "tray", host, 1484, ping)
    escapes = ["tray " + wire.encode("T", 3, 2, TAG, {"e": "refused", "why": "~ \u00e9"}).decode().rstrip()]
    newer = wire.encode("H", 0, 0, 0, {"proto": [2, 0], "sw": "ordertray 9.0", "nonce": HOST_NONCE})
    version = ["host " + newer.decode().rstrip()]
    old = TrayEnd({"fw": "0.1.0", "id": "E6616408432A1B2C"}, TRAY_NONCE)
    old.take(0)
    old.feed(newer, 500)
    line = old.take(500)
    assert line is not None
    version.append("tray " + line.decode().rstrip())
    good = wire.encode("T", 3, 2, TAG, {"e": "x"}).decode().rstrip()
    bad = [
        ("checksum", good.replace('"x"', '"y"')),
        ("cut short", good[:30]),
        ("layout", _with_crc(good[:22].replace("000003", "+00003") + '{"e":"x"}')),
        ("not JSON", _with_crc(good[:22] + '{"e":"x"')),
        ("not an object", _with_crc(good[:22] + '["e","x"]')),
    ]
    return {
        "session": session,
        "again": again,
        "ping": ping,
        "escapes": escapes,
        "version": version,
        "bad": [f"{why}: {line}" for why, line in bad],
    }


def _with_crc(line: str) -> str:
    return line + f" {crc32(line.encode()):08x}"
