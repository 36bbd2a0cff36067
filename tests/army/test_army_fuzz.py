"""Mutated codes and data: one reading or one message, never a traceback, never silently another army.

A seeded sample runs by default; `ORDERTRAY_FUZZ=N` runs N codes and N / 2 or so data files (5000 are the thorough run).
"""

from __future__ import annotations

import base64
import copy
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from army.made_up_data import code_of, sectorial_content, write_folder
from ordertray.army.code_writing import encode
from ordertray.army.codes import ArmyCode, ArmyCodeError, CodeGroup, Framing, Member, decode
from ordertray.army.data_files import ArmyDataError, read_army_data
from ordertray.army.data_folder import open_army_data
from ordertray.army.importing import import_army
from ordertray.army.roster import RosterError, parse_roster
from ordertray.files.problems import FileError

COUNT = int(os.environ.get("ORDERTRAY_FUZZ", "250"))
MEMBERS = (Member(11, 1, 3), Member(11, 1, 1), Member(12, 1, 1), Member(13, 1, 1), Member(14, 1, 1), Member(15, 1, 1))


def made_up_code(dice: random.Random) -> ArmyCode:
    """A code of any framing."""
    framing = dice.choice([Framing.L0, Framing.V0, Framing.V1, Framing.V1M])
    changes = (None, ('[{"type":"skill","id":238}]',)) if framing is Framing.V1M else (None,)
    members = [Member(dice.choice((1, 130, 1803)), dice.randrange(4), dice.randrange(1, 9), dice.choice(changes))
               for _ in range(dice.randrange(1, 16))]  # fmt: skip
    cut = dice.randrange(len(members)) + 1
    groups = tuple(CodeGroup(tuple(part)) for part in (members[:cut], members[cut:]) if part)
    return ArmyCode(
        dice.choice((101, 961, 10101)), "ember-league", dice.choice(("", " ", "Liga Ñ")), 300, groups, framing
    )


#: What happens to a code on its way that does not change what it says.
HARMLESS: list[Callable[[str, random.Random], str]] = [
    lambda code, dice: code.rstrip("="),
    lambda code, dice: quote(quote(code, safe=""), safe=""),
    lambda code, dice: f"`{code}`",
    lambda code, dice: f"look at this: {code} what do you say",
    lambda code, dice: f"[list](https://army.example/army/list/{quote(code, safe='')})",
    lambda code, dice: "\n> ".join(code[at : at + 40] for at in range(0, len(code), 40)),
    lambda code, dice: code.replace("+", "-").replace("/", "_"),
    lambda code, dice: code + "\u200b",
    lambda code, dice: code.rstrip("=") + "%3D" + dice.choice("7aZ"),
    lambda code, dice: f"https://army.example/army/list/{quote(code, safe='')}/",
]


def damaged(code: str, dice: random.Random) -> str:
    """The code with something lost, doubled, swapped or changed."""
    at, other = sorted(dice.sample(range(len(code)), 2))
    letter = dice.choice("ABCxyz019+/=% \n-_")
    return dice.choice([
        code[:at], code[at:], code[:at] + code[other:], code[:other] + code[at:], code[:at] + letter + code[at + 1 :],
        code[:at] + letter + code[at:], code[:at] + code[other] + code[at + 1 : other] + code[at] + code[other + 1 :],
        code.swapcase(), code[::-1], code + code[: other - at],
    ])  # fmt: skip


def test_codes_on_their_way_keep_their_one_reading() -> None:
    dice = random.Random(16)
    for _ in range(COUNT // 2):
        army = made_up_code(dice)
        text = encode(army)
        for change in dice.sample(HARMLESS, 2):
            text = change(text, dice) if text == encode(army) else text
        assert decode(text) == army, text


def test_damaged_codes_have_one_reading_or_one_message() -> None:
    dice = random.Random(17)
    refused = 0
    for _ in range(COUNT):
        army = made_up_code(dice)
        code = damaged(encode(army), dice)
        try:
            read = decode(code)
        except ArmyCodeError as error:
            refused += 1
            assert str(error).strip() and "Traceback" not in str(error)
            continue
        # What still reads is exactly what its bytes say: written again it is read the same.
        assert decode(encode(read)).groups == read.groups
    assert refused > COUNT // 3


def test_a_bit_that_flips_in_the_framing_is_refused() -> None:
    raw = bytearray(base64.b64decode(encode(code_of(*MEMBERS))))
    silent = 0
    for bit in range(8 * len(raw)):
        flipped = bytearray(raw)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            decode(base64.b64encode(flipped).decode())
        except ArmyCodeError:
            continue
        silent += 1  # in a name, an id or the points: the format has no checksum to tell
    assert silent < 8 * len(raw) * 0.8


def holders(value: Any) -> list[Any]:
    """All lists and objects within."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = [value] if isinstance(value, dict | list) and value else []
    return found + [holder for entry in inner for holder in holders(entry)]


ODD: list[Any] = [
    None,
    True,
    -1,
    0,
    7,
    1e300,
    2.5,
    "",
    "REGULAR",
    "\u0000",
    "x" * 400,
    [],
    {},
    [[]],
    {"id": 238},
    [None],
    "961",
]


def mutated(content: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """The data with some values of other kinds, missing, doubled or moved: of a newer, older or broken builder."""
    content = copy.deepcopy(content)
    for _ in range(dice.randrange(1, 6)):
        holder = dice.choice(holders(content))
        key = dice.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        match dice.randrange(4):
            case 0:
                holder[key] = copy.deepcopy(dice.choice(ODD))
            case 1:
                del holder[key]
            case 2 if isinstance(holder, list):
                holder.append(copy.deepcopy(holder[key]))
            case 3 if isinstance(holder, dict):
                holder[f"{key}New"] = holder.pop(key)
        if not content:
            break
    return content


def test_mutated_data_is_one_message_or_a_roster_that_says_what_is_missing() -> None:
    dice = random.Random(18)
    content, code = sectorial_content(), code_of(*MEMBERS)
    used = 0
    for _ in range(COUNT * 2 // 5):
        try:
            data = read_army_data(mutated(content, dice), "mutated.json")
        except ArmyDataError as error:
            assert str(error)
            continue
        found = import_army(code, data)
        bought = [t for t in found.army.troopers if t.controller is None or t.own_cost]
        assert len(bought) >= len(MEMBERS)  # nobody is dropped
        for trooper in found.army.troopers:
            if trooper.incomplete:
                assert any(trooper_id == trooper.id for trooper_id, _note in found.notes)
        try:
            parse_roster(found.toml())
        except RosterError as error:
            assert str(error)
        used += 1
    assert used > COUNT // 10


@pytest.mark.parametrize("cut", [0.0, 0.3, 0.7, 0.99])
def test_files_that_are_cut_or_garbled_are_one_message(tmp_path: Path, cut: float) -> None:
    dice = random.Random(19)
    whole = json.dumps(sectorial_content()).encode()
    write_folder(tmp_path)
    for damage in (
        whole[: int(len(whole) * cut)],
        whole[: int(len(whole) * cut)] + dice.randbytes(40),
        dice.randbytes(200),
    ):
        (tmp_path / "961.json").write_bytes(damage)
        with pytest.raises(FileError) as caught:
            open_army_data(tmp_path, code_of(*MEMBERS))
        assert "961.json" in str(caught.value)
