"""The fault console: every command, and every wrong line told."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from ordertray.sim import VirtualTray
from ordertray.sim.console import Console, ConsoleError, run_console
from sim.sim_host import SimHost

UID = "04A1B2C3D4E5F6"


@pytest.fixture
def tray() -> Iterator[VirtualTray]:
    with VirtualTray() as tray:
        yield tray


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def console(tray: VirtualTray, said: list[str]) -> Console:
    return Console(tray, said.append)


def test_a_session_at_the_table(console: Console, tray: VirtualTray, said: list[str]) -> None:
    with SimHost(tray) as host:
        host.online()
        console.line(f"place A {UID.lower()}   # a comment")
        host.event(e="placed", uid=UID)
        console.line("remove A")
        host.event(e="removed", uid=UID)
        console.line("tap B phone")
        host.event(e="refused", pad="B", why="phone")
        console.line("click A ok")
        host.event(button="ok", edge="up")
        console.line("press B pass")
        host.event(button="pass", edge="down")
        console.line("release B pass")
        host.event(button="pass", edge="up")
        console.line("hold B aro")
        host.event(button="aro", edge="hold")
        host.end.show({"f": 1, "A": ["rg" + "." * 30, "s" * 32], "B": ["." * 32, "s" * 32]})
        host.wait(lambda: tray.colours("A").startswith("rg"))
        console.line("show")
        assert said[0] == "A rg.............."
        assert len(said) == 4
        console.line("fault A hang")
        host.wait(lambda: any(body.get("pad") == "A" and body["health"] != "ok" for body in host.health))
        console.line("mend A hang")
        console.line("fault A glitch percent=3")
        console.line("mend A glitch")
        tray.sync()
        console.line("reset")
        host.wait(lambda: len(host.hellos) == 2)


def test_cable(console: Console, tray: VirtualTray, said: list[str]) -> None:
    console.line("unplug")
    tray.wait_for(lambda: not tray.plugged and not tray.running)
    console.line("replug")
    tray.wait_for(lambda: tray.plugged and tray.running)
    console.line("unplug keep-power")
    tray.wait_for(lambda: not tray.plugged)
    assert tray.running
    console.line("url")
    assert said == [tray.url]


def test_lists(console: Console, said: list[str]) -> None:
    console.line("help")
    assert len(said) >= 18
    said.clear()
    console.line("faults")
    assert any(line.startswith("crash:") for line in said)
    said.clear()
    console.line("faults A")
    assert any(line.startswith("hang:") for line in said)
    said.clear()
    console.line("log")
    assert said[-1].startswith("running on ")
    console.line("")
    console.line("wait 0")
    console.line("quit")
    assert console.ended


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("dance", "unknown command 'dance'"),
        ("place", "usage: place PAD"),
        ("place Q", "unknown pad 'Q': A, B"),
        ("place A 04A1 ntag213 classic", "usage: place PAD"),
        ("place A coin", "neither a UID in hex nor a kind of tag"),
        ("place A 0401", "4, 7 or 10 bytes, this one 2"),
        ("press A", "usage: press SIDE BUTTON"),
        ("press A fire", "unknown button 'fire' of side A"),
        ("fault", "usage: fault"),
        ("fault A gremlin", "unknown fault 'gremlin'"),
        ("fault A glitch percent", "usage: fault"),
        ("mend A", "usage: mend"),
        ("faults Q", "unknown pad 'Q'"),
        ("unplug gently", "usage: unplug"),
        ("wait long", "could not convert"),
        ("show me", "usage: show"),
    ],
)
def test_a_wrong_line_is_told(console: Console, line: str, text: str) -> None:
    with pytest.raises(ConsoleError) as caught:
        console.line(line)
    assert text in str(caught.value)


def test_colours(tray: VirtualTray, said: list[str]) -> None:
    Console(tray, said.append, colour=True).line("show")
    assert said[0].count("\x1b[48;2;") == 16


def test_as_a_script(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("place A\nfly\nquit\nnever\n"))
    assert run_console() == 2
    out = capsys.readouterr().out
    assert "the virtual tray is at " in out
    assert "line 2: unknown command 'fly'" in out
    assert "line 4" not in out
    monkeypatch.setattr("sys.stdin", io.StringIO("url\n"))
    assert run_console(transport="socket") == 0
    assert "socket://" in capsys.readouterr().out


def test_a_tray_that_cannot_be_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_console(chips={"A": "acr122"}) == 2
    assert "unknown chip" in capsys.readouterr().err
