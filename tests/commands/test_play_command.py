"""`ordertray play`: answers line by line, JSON as promised, one message and status 2 for bad input."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from commands.cli_helpers import BLUE, COMMAND, RED, environment, ordertray

GAME = """\
# a comment, and a blank line

A start
A next
B spend regular g1
A next
A next
A spend regular g1 line1
"""


def test_answers_are_ok_and_the_position_or_refused_and_the_rule(tmp_path: Path) -> None:
    said = ordertray(tmp_path, "play", "--a", RED, "--b", BLUE, stdin=GAME).splitlines()
    assert len(said) == 6
    assert said[0].startswith("ok @1 round 1 A tactical executive")
    assert said[2].startswith("refused SEQ-01 ")
    assert "g1 8/9" in said[5]


def test_json_answers_carry_line_position_events_and_the_public_view(tmp_path: Path) -> None:
    said = [
        json.loads(line)
        for line in ordertray(tmp_path, "play", "--a", RED, "--b", BLUE, "--json", stdin=GAME).splitlines()
    ]
    assert [answer["line"] for answer in said] == [3, 4, 5, 6, 7, 8]
    assert said[0]["ok"] is True and said[0]["position"] == 1
    assert said[0]["events"][0] == {"v": 2, "type": "turn-started", "position": 1, "seat": "A", "round": 1}
    assert said[2] == {"line": 5, "ok": False, "rule": "SEQ-01", "message": said[2]["message"]}
    public = said[5]["public"]
    assert public["edition"] == "n5" and public["active"] == "A" and public["phase"] == "orders"
    assert public["step"] == "1.2" and public["over"] is False
    assert public["seats"]["A"]["pools"]["1"] == {"total": 9, "left": 8}
    assert public["order"]["trooper"] == "line1" and public["order"]["aro"]["open"] is False
    assert "seat" not in said[5]


def test_as_adds_the_seats_own_view(tmp_path: Path) -> None:
    said = ordertray(tmp_path, "play", "--a", RED, "--b", BLUE, "--json", "--as", "A", stdin="A start\n")
    seat = json.loads(said)["seat"]
    assert seat["lieutenant"] == "captain" and seat["victory_points"] == 300


def test_a_program_can_talk_to_it_line_by_line(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "play", "--a", RED, "--b", BLUE, "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        bufsize=1, env=environment(tmp_path),
    ) as talk:  # fmt: skip
        assert talk.stdin is not None and talk.stdout is not None
        for position, line in enumerate(("A start", "A next", "A next"), 1):
            talk.stdin.write(line + "\n")
            assert json.loads(talk.stdout.readline())["position"] == position
        talk.stdin.close()
    assert talk.returncode == 0


def test_a_line_that_is_no_notation_says_where_and_status_2_comes_at_the_end(tmp_path: Path) -> None:
    said = ordertray(
        tmp_path, "play", "--a", RED, "--b", BLUE, stdin="A start\nA dance\nA next\n", status=2
    ).splitlines()
    assert said[1].startswith("error line 2: ")
    assert said[2].startswith("ok ")
    broken = ordertray(tmp_path, "play", "--a", RED, "--b", BLUE, "--json", stdin='A skill "Move\n', status=2)
    assert json.loads(broken) == {"line": 1, "ok": False, "error": json.loads(broken)["error"]}


def test_a_position_line_starts_a_game(tmp_path: Path) -> None:
    line = ordertray(tmp_path, "play", "--a", RED, "--b", BLUE, stdin="A start\nA next\nposition\n").splitlines()[-1]
    position = line.split(" ", 2)[2]
    assert ordertray(tmp_path, "play", "--position", position, stdin="position\n").split(" ", 2)[2].strip() == position
    assert "field" in ordertray(tmp_path, "play", "--position", position[:-10], status=2)


def test_every_fault_of_both_rosters_is_listed_with_its_place(tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text(
        'points = 300\n[[trooper]]\nid = "a"\ntraining = "irregular"\nlieutenant = true\n'
        '[[trooper]]\nid = "a"\ntype = "XX"\n'
    )
    said = ordertray(tmp_path, "play", "--a", str(bad), "--b", str(bad), status=2)
    assert said.count("bad.toml") >= 2
    for word in ("line 5", "ORD-05", "line 7", "used twice", '"XX"'):
        assert said.count(word) >= 2, word


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("play",), "two rosters"),
        (("play", "--a", RED), "two rosters"),
        (("play", "--a", RED, "--b", "nowhere.toml"), "nowhere.toml"),
        (("play", "--a", RED, "--b", BLUE, "--edition", "n9"), "n5, n4"),
        (("play", "--a", RED, "--b", BLUE, "--as", "C"), "A and B"),
        (("play", "--a", RED, "--b", BLUE, "no-script.txt"), "no-script.txt"),
        (("record", "list"), "no record yet"),
        (("run", "--a", RED), "roster"),
        (("run", "--config", "no-config.toml"), "no-config.toml"),
        (("play", "--a", RED, "--b", BLUE, "--edition", "codeone"), "ORD-21"),
    ],
)
def test_bad_input_gets_one_message_and_status_2(tmp_path: Path, arguments: tuple[str, ...], word: str) -> None:
    assert word in ordertray(tmp_path, *arguments, status=2)


def test_a_configuration_tells_all_its_faults(tmp_path: Path) -> None:
    config = tmp_path / "ordertray.toml"
    config.write_text('pace = "exprss"\nspeed = 3\n[boards.aa]\nC = "A"\n[lamps.pins]\nlink = 14\n')
    said = ordertray(tmp_path, "run", "--config", str(config), status=2)
    for word in ("express", "speed", "boards.aa.C", "GPIO14"):
        assert word in said, said


def test_nothing_private_is_said_without_as(tmp_path: Path) -> None:
    said = ordertray(
        tmp_path, "play", "--a", RED, "--b", BLUE, "--json", stdin="A start\nA next\nshow\nA next\nA next\n"
    )
    assert "ghost" not in said and "captain" not in said.replace('{"id":"captain"', "")
