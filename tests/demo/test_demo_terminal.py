"""`ordertray demo` in real terminals: what is needed is on the screen, whatever its size; and every way out."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from rich.text import Text

from commands.cli_helpers import COMMAND, environment
from demo.terminal import terminal
from ordertray.demo.keys import KEYS, TABLE_KEYS, TAG_LETTERS
from ordertray.demo.picture import moments
from ordertray.demo.screen import HELP_TEXTS, Shown, composed
from ordertray.demo.story import CAPTIONS
from ordertray.lights import render
from ordertray.messages import languages, translator
from ordertray.rules import Seat, public_view
from patience import patience

ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/")


@pytest.mark.parametrize(("rows", "columns"), [(24, 80), (40, 120)])
def test_address_keys_and_way_out_are_always_in_sight(tmp_path: Path, rows: int, columns: int) -> None:
    with terminal(tmp_path, "demo", rows=rows, columns=columns) as shown:
        shown.wait(lambda text: "Two players" in text, "the story")
        assert ADDRESS.search(shown.lines[0]) and "x leave" in shown.lines[0] and "let me play" in shown.lines[0]
        shown.type(" ")
        shown.wait(lambda text: "m State" in text, "the tray to be handed over")
        assert "Now it is your tray" in shown.lines[1]
        # The story's own doings are gone: the screen does not contradict the empty strips.
        assert "Regular disc" not in shown.text and " | " not in shown.text
        for seat, keys in KEYS.items():
            for key in keys:
                assert f"{key.key} {key.label}" in shown.text, (seat, key)

        # Positions are for whoever works on it, where there is room.
        def begun(text: str) -> bool:
            return "Impetuous Phase" in text and (" | " in text) == (rows > 30)

        shown.press_until("D", begun, "A's turn to begin")
        shown.press_until("6", lambda text: "ARO ◆◆" in text, "B's ARO lamp")
        shown.type("p")
        shown.wait(lambda text: "Whose tag, side B?" in text, "the troopers of B")
        shown.type("b")
        # Faster than hands: within an eye's blink of the window's opening the tray asks whether this one is meant.
        shown.wait(lambda text: "ARO ◆●" in text or "once more" in text, "the ARO of a trooper, or to be asked again")
        if "once more" in shown.text:
            shown.type("pb")
        shown.wait(lambda text: "ARO ◆●" in text, "the ARO of a trooper")
        shown.type("9")
        shown.wait(lambda text: "ORD-" in text or "ACT-" in text or "SEQ-" in text, "a refusal with its rule")
        shown.type("?")
        shown.wait(lambda text: "NFC pad" in text, "the help")
        assert ADDRESS.search(shown.lines[0]) and "x leave" in shown.lines[0]
        shown.type("xx")
        assert shown.ended() == 0
        assert b"Task" not in shown.everything and b"Traceback" not in shown.everything


@pytest.mark.parametrize("way", ["\x03", "\x04", "x", "hang up"])
def test_every_way_out_is_clean(tmp_path: Path, way: str) -> None:
    with terminal(tmp_path, "demo", "--no-web") as shown:
        shown.wait(lambda text: "Two players" in text, "the story")
        if way == "hang up":
            shown.hang_up()
            pid, shown.status = shown.pid, 0
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
            return
        shown.type(way)
        assert shown.ended() == 0
        assert b"Task" not in shown.everything and b"Traceback" not in shown.everything


def test_a_pipe_plays_by_keys_and_its_end_is_the_end(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "demo", "--no-web"], input=" ", capture_output=True, text=True, timeout=patience(60), check=False,
        env=environment(tmp_path),
    )  # fmt: skip
    assert done.returncode == 0 and done.stderr == ""


def test_another_size_is_drawn_at_once(tmp_path: Path) -> None:
    with terminal(tmp_path, "demo", "--no-web") as shown:
        shown.wait(lambda text: "Two players" in text, "the story")
        shown.type(" ")
        shown.wait(lambda text: "m State" in text, "the keys")
        shown.resize(40, 120)
        shown.wait(lambda text: "6 Impetuous  q BASIC" in text and "m State" in shown.lines[39], "wider lines")


@pytest.mark.parametrize("language", languages())
def test_every_language_fits_80_by_24(language: str) -> None:
    translate = translator(language)
    frame = render(public_view(moments()[0]), {"state": "online"})
    tags = [f"trooper{number:02}" for number in range(15)]
    refusal = Text("ORD-17 " + "word " * 30)
    for mode in ("story", "keys", "tags", "help"):
        for caption in CAPTIONS.values():
            shown = Shown("http://192.168.178.123:8765/", translate(caption), frame, [refusal], ["position"], mode)
            shown.tags = tags
            lines = composed(shown, 80, 24, translate)
            text = "\n".join(line.plain for line in lines)
            assert len(lines) <= 24 and max(line.cell_len for line in lines) <= 80
            assert "http://192.168.178.123:8765/" in lines[0].plain and lines[0].plain.rstrip()[-1] != "…"
            if mode == "keys":
                assert all(f"{key.key} {translate(key.label)}" in text for keys in KEYS.values() for key in keys)
            if mode == "tags":
                assert all(tag in text for tag in tags)
            if mode == "help":
                flat = " ".join(text.split())
                assert all(" ".join(translate(help_text).split()) in flat for help_text in HELP_TEXTS)


def test_no_key_means_two_things() -> None:
    assert len(TABLE_KEYS) == sum(len(keys) for keys in KEYS.values())
    assert not {"x", "?", " "} & set(TABLE_KEYS) and "x" not in TAG_LETTERS
    for seat in Seat:
        assert {key.button for key in KEYS[seat] if not key.held} >= {"basic", "short", "long", "aro", "pass", "ok"}
        assert {key.button for key in KEYS[seat] if key.held} == {"ok", "pass", "short"}  # every hold has a meaning
