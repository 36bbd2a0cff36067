"""Host and firmware of different versions: said in log, status, doctor and page, with what to do."""

from __future__ import annotations

import pytest

from ordertray.commands.status_shown import drawn
from ordertray.doctor import checks
from ordertray.link.versions import judged


@pytest.mark.parametrize(
    ("tray", "words"),
    [
        ("1.2.3", []),
        ("0.0.1", ["0.0.1", "1.2.3", "ordertray flash"]),
        ("1.10.0", ["newer", "`install.sh` of the newer release", "ordertray flash"]),
        ("nonsense", ["nonsense", "ordertray flash"]),
        ("", ["says no version", "ordertray flash"]),
        ("1.2", ["ordertray flash"]),
    ],
)
def test_another_version_is_told_with_what_to_do(tray: str, words: list[str]) -> None:
    text = judged({"fw": tray}, host="1.2.3")
    assert bool(text) is bool(words) and all(word in text for word in words)


def test_doctor_and_status_say_it() -> None:
    from rich.console import Console

    hello = {"fw": "0.0.1", "mp": "1.28.0", "readers": []}
    tray = {
        "name": "tray1", "state": "online", "looked_for": "x", "port": "p", "error": "", "board": "B", "hello": hello,
        "health": {}, "readers": {}, "counters": {}, "round_trip_ms": 1, "queued": 0, "unhandled": 0, "opened": 1,
        "handler_failures": 0, "trace": [], "advice": judged(hello),
    }  # fmt: skip
    console = Console(width=200, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    console.print(drawn({"game": None, "position": None, "summary": "-", "trays": [tray]}, frames=False))
    console.file.close()
    assert "ordertray flash" in console.export_text()
    found = [finding for finding in checks._tray(tray, str) if "0.0.1" in finding.text and finding.mend]
    assert [(finding.level, finding.mend) for finding in found] == [(checks.Level.NOTE, ("ordertray flash",))]
