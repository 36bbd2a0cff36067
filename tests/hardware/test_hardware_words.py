"""Words: every mark the guide names is on a board's silkscreen or engraved in the case, and the other way round.

What is printed is read from the built boards, not from the tables: KiCad's own text items on the silkscreen.
"""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ordertray_hardware import steps, tables
from ordertray_hardware.boards import BOARDS
from ordertray_hardware.case.parameters import CaseParameters
from ordertray_hardware.circuit import REVISION, REVISION_DATE

GUIDE = tables.README.read_text(encoding="utf-8")
P = CaseParameters()
ENGRAVED = {word for word, _place in (*P.labels(), *P.lone_labels())}

Word = dict[str, Any]


@pytest.fixture(scope="module")
def silk(in_workshop: Callable[[str], Any], outputs: Path) -> dict[str, list[Word]]:
    """Board to its printed words: text, middle in mm, side."""
    found: dict[str, list[Word]] = in_workshop(
        f"""
import pcbnew
from ordertray_hardware.layout import to_mm
result = {{}}
for name in {sorted(BOARDS)!r}:
    board = pcbnew.LoadBoard({str(outputs / "boards")!r} + f"/{{name}}/{{name}}.kicad_pcb")
    items = [item for item in board.GetDrawings() if item.GetClass() == "PCB_TEXT"]
    for footprint in board.GetFootprints():
        items += [item for item in footprint.GraphicalItems() if item.GetClass() == "PCB_TEXT"]
        items += [footprint.Reference()] if footprint.Reference().IsVisible() else []
    result[name] = [
        {{"text": item.GetShownText(True), "place": to_mm(item.GetBoundingBox().Centre()),
          "back": item.GetLayer() == pcbnew.B_SilkS}}
        for item in items if item.GetLayer() in (pcbnew.F_SilkS, pcbnew.B_SilkS)
    ]
    result[name + " pads"] = [
        {{"ref": pad.GetParentFootprint().GetReference(), "number": pad.GetNumber(), "place": to_mm(pad.GetPosition())}}
        for pad in board.GetPads()
    ]
"""
    )
    return found


def _words(silk: dict[str, list[Word]], board: str) -> set[str]:
    return {word["text"] for word in silk[board]}


def _section(title: str) -> str:
    start = GUIDE.index(f"## {title}")
    end = GUIDE.find("\n## ", start + 3)
    return GUIDE[start:end]


def _parts_named(text: str) -> set[str]:
    """References in a text, ranges ("J2 to J5") spelt out."""
    found = set(re.findall(r"\b(?:BZ|JP|RN|SW|[CDFJQRU])\d+\b", text))
    for kind, first, last in re.findall(r"\b([CDFJQRU])(\d+) to (?:[CDFJQRU])?(\d+)\b", text):
        found |= {f"{kind}{number}" for number in range(int(first), int(last) + 1)}
    return found


def test_every_part_of_the_soldering_steps_is_printed_on_the_carrier(silk: dict[str, list[Word]]) -> None:
    section = _section("3. Solder").split("Button boards (two)")[0]
    named = _parts_named(section)
    assert named <= _words(silk, "tray"), named - _words(silk, "tray")
    # And none of the carrier's parts is forgotten; the Pico sits in a socket that the steps name in words.
    to_solder = {part.ref for part in BOARDS["tray"].parts if part.item} - {"U1"}
    assert named >= to_solder, to_solder - named


def test_every_part_the_guide_names_anywhere_is_printed_somewhere(silk: dict[str, list[Word]]) -> None:
    on_boards = set.union(*(_words(silk, name) for name in BOARDS))
    without_tables = re.sub(r"<!-- bill.*?<!-- end of bill-[a-z-]+ -->", "", GUIDE, flags=re.DOTALL)
    named = _parts_named(without_tables)
    assert named <= on_boards, named - on_boards


def test_each_soldering_step_has_the_picture_of_its_parts() -> None:
    """The numbered sentences name what `steps.SOLDERING` draws; U1 is there only as its two sockets, in words."""
    sentences = re.split(r"(?m)^\d\. ", _section("3. Solder").split("Button boards (two)")[0])[1:]
    assert len(sentences) == len(steps.SOLDERING)
    before: set[str] = set()
    for number, (sentence, refs) in enumerate(zip(sentences, steps.SOLDERING, strict=True), 1):
        named = _parts_named(sentence.split("![")[0])
        assert set(refs) - {"U1"} <= named <= set(refs) | before, number
        before |= set(refs)
        assert f"(pictures/step-3-{number}.png)" in sentence
    drawn = {ref for refs in steps.SOLDERING for ref in refs}
    assert drawn == {part.ref for part in BOARDS["tray"].parts if part.item}


def test_every_other_step_with_work_has_a_picture() -> None:
    for name, picture in steps.ON_THE_BOARD.items():
        assert f"![{picture.title}](pictures/step-{name}.png)" in GUIDE
    closing = re.split(r"(?m)^\d\. ", _section("7. Print and close"))[1:]
    assert len(closing) == len(steps.CLOSING)
    for sentence, (name, title) in zip(closing, steps.CLOSING.items(), strict=True):
        assert f"![{title}](pictures/step-{name}.png)" in sentence


def test_what_is_measured_is_printed(silk: dict[str, list[Word]]) -> None:
    """Test points, jumper ends, switch ends and lamps that step 4 and the table of troubles name."""
    words = _words(silk, "tray")
    section = _section("4. Measure before power") + _section("Trouble")
    measured = set()
    for names in re.findall(r"[Tt]est points? ((?:[A-Z0-9]+(?: [AB])?(?: and )?)+)", section):
        measured |= set(names.strip().split(" and "))
    assert {"5V", "GND", "3V3", "VBUS", "DC", "PIX A", "PIX B"} <= measured
    named = measured | {"USB", "DC", "ON", "OFF", "TOO HIGH", "REVERSED"}
    for word in ("**USB**", "**DC**", "**ON**", "**OFF**", "TOO HIGH", "REVERSED"):
        assert word in section, word
    assert named <= words, named - words


def test_each_test_points_word_stands_beside_its_own_pad(silk: dict[str, list[Word]]) -> None:
    """Level with it, and nearer to it than to any other pad of a test point."""
    pads = [pad for pad in silk["tray pads"] if pad["ref"].startswith("TP")]
    for pad in pads:
        word = BOARDS["tray"].part(pad["ref"]).silk
        level = [one for one in silk["tray"] if one["text"] == word and abs(one["place"][1] - pad["place"][1]) < 0.3]
        assert level, word
        nearest = min(level, key=lambda one: math.dist(one["place"], pad["place"]))
        others = [math.dist(nearest["place"], other["place"]) for other in pads if other is not pad]
        assert math.dist(nearest["place"], pad["place"]) < min(others), word


@pytest.mark.parametrize(
    ("word", "ref", "number", "not_number"),
    [
        ("USB", "JP1", "1", "3"),
        ("DC", "JP1", "3", "1"),
        ("OFF", "SW1", "1", "3"),
        ("ON", "SW1", "3", "1"),
        ("TOO HIGH", "D3", "2", None),
        ("REVERSED", "D4", "2", None),
        ("strip A", "J6", "2", None),
        ("strip B", "J7", "2", None),
        ("reader A", "J2", "2", None),
        ("reader B", "J3", "2", None),
        ("buttons A", "J4", "2", None),
        ("buttons B", "J5", "2", None),
    ],
)
def test_each_word_stands_at_what_it_names(
    word: str, ref: str, number: str, not_number: str | None, silk: dict[str, list[Word]], outputs: Path
) -> None:
    pads = {(pad["ref"], pad["number"]): pad["place"] for pad in silk["tray pads"]}
    places = [one["place"] for one in silk["tray"] if one["text"] == word]
    place = min(places, key=lambda one: math.dist(one, pads[ref, number]))
    if not_number is not None:
        assert math.dist(place, pads[ref, number]) + 1 < math.dist(place, pads[ref, not_number])
        return
    # No body of a like part (another lamp, another header) is nearer.
    report = json.loads((outputs / "boards" / "tray" / "tray.json").read_text(encoding="utf-8"))
    board = BOARDS["tray"]
    like = {part.ref for part in board.parts if part.symbol == board.part(ref).symbol}

    def away(box: list[float]) -> float:
        dx = max(box[0] - place[0], 0, place[0] - box[2])
        dy = max(box[1] - place[1], 0, place[1] - box[3])
        return math.hypot(dx, dy)

    boxes = {part["ref"]: part["box_mm"] for part in report["parts"] if part["ref"] in like}
    own = away(boxes.pop(ref))
    assert own < 4.0
    assert own < min(away(box) for box in boxes.values())


def test_volts_polarity_revision_and_licence_are_printed(silk: dict[str, list[Word]]) -> None:
    assert "5V ONLY" in _words(silk, "tray")
    assert any("CENTRE PLUS" in word for word in _words(silk, "tray"))
    for name in BOARDS:
        text = " ".join(_words(silk, name))
        for word in (f"revision {REVISION}", REVISION_DATE, "licence MIT", "hardware/README.md", f"rev {REVISION}"):
            assert word in text, (name, word)


def test_what_the_back_is_for_stands_on_the_back(silk: dict[str, list[Word]]) -> None:
    backs = {name: [word["text"] for word in silk[name] if word["back"]] for name in BOARDS}
    assert "J1" in backs["buttons"]
    assert all(backs.values())
    assert "J1 goes on the back" in _words(silk, "buttons")


def test_engraved_words_are_those_of_the_guide() -> None:
    """Both ways: what the guide says is engraved is, and what is engraved is in the guide."""
    section = _section("7. Print and close")
    sentence = section[section.index("The engraved words:") :]
    assert set(re.findall(r"`([A-Z0-9 ]+)`", sentence)) == ENGRAVED


def test_the_lamp_case_says_what_the_guide_says(in_workshop: Callable[[str], Any]) -> None:
    """Both ways: the words cut into its lid are those of the guide's sentence."""
    engraved = in_workshop(
        "from ordertray_hardware.case import lamp_case\nresult = [word for word, *_place in lamp_case.words()]"
    )
    section = _section("Lamps on a Raspberry Pi")
    sentence = section[section.index("The engraved words of the lid:") :].split("; on the board")[0]
    assert set(re.findall(r"`([A-Z0-9 ]+)`", sentence)) == set(engraved)
    for word in set(engraved) - {"LINK"}:
        assert engraved.count(word) == 2, "once for each player"


def test_the_lamp_boards_words_are_in_the_guide(silk: dict[str, list[Word]]) -> None:
    section = _section("Lamps on a Raspberry Pi")
    board = BOARDS["lamps"]
    parts = (
        {part.ref for part in board.parts} | {part.silk for part in board.parts} | {part.value for part in board.parts}
    )
    words = {word["text"] for word in silk["lamps"] if not word["back"]} - parts
    for word in words:
        for piece in re.findall(r"[A-Za-z0-9]{2,}", word):
            assert re.search(rf"\b{piece}\b", section + GUIDE, re.IGNORECASE), (word, piece)
    for word in ("default", "sound HAT", "RETREAT", "NO LT", "TURN", "LINK"):
        assert word in words and word in section, word


def test_printed_words_that_are_no_parts_are_in_the_guide(silk: dict[str, list[Word]]) -> None:
    """The reverse: a word on the carrier that the guide never says would puzzle its builder."""
    words = {word["text"] for word in silk["tray"] if not word["back"]}
    words -= {part.silk for part in BOARDS["tray"].parts if part.item and not part.ref.startswith(("D", "J"))}
    words -= {part.ref for part in BOARDS["tray"].parts}  # the tests above hold those against the guide
    for word in words:
        for piece in re.findall(r"[A-Za-z0-9]{2,}", word):
            assert re.search(rf"\b{piece}\b", GUIDE, re.IGNORECASE), (word, piece)
