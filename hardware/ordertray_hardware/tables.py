"""The generated tables of hardware/README.md: `python -m ordertray_hardware.tables --write` puts them in. Pure.

Each stands between two comments that name it, so that a test can compare them.
"""

import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from ordertray_hardware import assembly_price, bill, electrical, pins
from ordertray_hardware.case.parameters import READERS, CaseParameters
from ordertray_hardware.circuit import REVISIONS, pin_label
from ordertray_hardware.tray_board import READER_HEADER

README: Final = Path(__file__).parent.parent / "README.md"
SLICES: Final = README.with_name("slices.json")


def pico_pins() -> str:
    """Every used pin of the Pico."""
    rows = ["| GP | pin | net | what |", "|---:|---:|---|---|"]
    meanings = {"SCK": "clock", "MOSI": "to readers", "MISO": "from readers", "CS": "select", "RST": "reset (low)",
                "IRQ": "interrupt (low)", "PIXELS_3V3": "strip data", "BUZZER": "sounder"}  # fmt: skip
    for net, gpio in sorted(pins.pico_nets().items(), key=lambda entry: entry[1]):
        side = f"side {net[0]}: " if net[:2] in ("A_", "B_") else ""
        word = net.removeprefix("A_").removeprefix("B_").removeprefix("SPI_")
        rows.append(
            f"| GP{gpio} | {pins.PICO_PHYSICAL[gpio]} | `{net}` | {side}{meanings.get(word, f'button {word}')} |"
        )
    return "\n".join(rows) + "\n"


def reader_pins() -> str:
    """The wires of a reader's ribbon, and what each kind of module calls its pins."""
    modules = {
        "READER_SCK": ("SCK", "SCK"), "SPI_MISO": ("MISO", "MISO"), "READER_MOSI": ("MOSI", "MOSI"),
        "{side}_CS": ("SS / NSS", "SDA"), "+3V3": ("VCC", "3.3V"), "GND": ("GND", "GND"), "{side}_IRQ": ("IRQ", "IRQ"),
        "{side}_RESET": ("RSTPDN, the pad on the back", "RST"), "VBUS_FUSED": ("(see below)", "never"),
    }  # fmt: skip
    rows = ["| wire | printed | red PN532 V3 | RC522 module |", "|---:|---|---|---|"]
    for number, net in enumerate(READER_HEADER, 1):
        one, other = modules[net]
        if net == "GND" and number > READER_HEADER.index("GND") + 1:
            one = other = "GND too, or cut off"
        rows.append(f"| {number} | {pin_label(net.format(side='A'))} | {one} | {other} |")
    return "\n".join(rows) + "\n"


_MATERIALS: Final = {
    "coupon": "as the lid; print it first", "base": "any, dark", "lid": "any, dark", "diffuser": "white or natural",
    "button-cap": "any, a colour a side looks good", "pico-stand": "any; without boards only",
    "lid-half-a": "as the lid; instead of it, with B", "lid-half-b": "as the lid; instead of it, with A",
    "lamp-diffuser-outer": "white or natural", "lamp-diffuser-inner": "white or natural",
    "lamp-diffuser-link": "white or natural", "lamp-tub": "any, dark", "lamp-lid": "any, dark",
    "reader-cradle-pn532": "any; for the red PN532 V3", "reader-cradle-mfrc522": "any; for the RC522 instead",
}  # fmt: skip


NOT_IN_A_TRAY: Final = ("reader-cradle-mfrc522", "pico-stand", "lid-half-a", "lid-half-b")
"""Printed instead of something else."""


def _prints(of_lamps: bool, total: str) -> str:
    slices = json.loads(SLICES.read_text(encoding="utf-8"))
    rows = ["| part | pieces | material | time each | grams each |", "|---|---:|---|---:|---:|"]
    minutes = grams = 0
    for name, part in sorted(slices.items(), key=lambda entry: -entry[1]["minutes"]):
        if name.startswith("lamp-") != of_lamps:
            continue
        hours, rest = divmod(part["minutes"], 60)
        time = f"{hours} h {rest:02} min" if hours else f"{rest} min"
        rows.append(f"| `{name}.stl` | {part['pieces']} | {_MATERIALS.get(name, 'any')} | {time} | {part['grams']} |")
        if name not in NOT_IN_A_TRAY:
            minutes += part["pieces"] * part["minutes"]
            grams += part["pieces"] * part["grams"]
    rows.append(f"| **{total}** | | | **{minutes / 60:.0f} h** | **{grams}** |")
    return "\n".join(rows) + "\n"


def prints() -> str:
    """Every printed part with the slicer's time and grams, from hardware/slices.json (`make slice`)."""
    return _prints(False, "a tray with PN532 readers")


def lamp_prints() -> str:
    """The same for the lamp board's case."""
    return _prints(True, "the lamp board's case")


def transients() -> str:
    """What the simulation shows, and the limits beside it. Needs ngspice."""
    from ordertray_hardware.simulation import figures

    rows = ["| what happens | computed | limit |", "|---|---|---|"]
    rows += [f"| {figure.event} | {figure.computed} | {figure.limit} |" for figure in figures()]
    return "\n".join(rows) + "\n"


def temperatures() -> str:
    """How warm parts get at their worst. Needs ngspice."""
    from ordertray_hardware.thermal import warmths

    rows = ["| part | worst case | takes | in a case of 40 °C | may be |", "|---|---|---:|---:|---:|"]
    for one in warmths():
        rows.append(f"| {one.part} | {one.case} | {one.load} | {one.celsius:.0f} °C | {one.limit_c:.0f} °C |")
    return "\n".join(rows) + "\n"


def revisions() -> str:
    """Every revision of the boards."""
    rows = ["| revision | month | what changed |", "|---|---|---|"]
    rows += [f"| {letter} | {month} | {what} |" for letter, month, what in REVISIONS]
    return "\n".join(rows) + "\n"


def pi_pins() -> str:
    """The Pi's lamps by pin of its header."""
    lines = {**pins.PI_LAMPS, **{f"chain.{name}": bcm for name, bcm in pins.PI_CHAIN.items()}}
    rows = ['| header pin | GPIO | lamp or line | with its jumper at "sound HAT" |', "|---:|---:|---|---|"]
    for name, bcm in sorted(lines.items(), key=lambda entry: pins.PI_PHYSICAL[entry[1]]):
        moved = pins.PI_MOVED.get(name)
        other = f"pin {pins.PI_PHYSICAL[moved[1]]}, GPIO{moved[1]}" if moved else ""
        rows.append(f"| {pins.PI_PHYSICAL[bcm]} | {bcm} | `{name}` | {other} |")
    return "\n".join(rows) + "\n"


def currents() -> str:
    """Worst-case currents against limits, as the tests check them."""
    rows = ["| | worst case mA | limit mA |", "|---|---:|---:|"]
    cases = (
        ("strips from USB, limit 250 mA", electrical.tray_loads(electrical.USB_STRIP_MA, from_usb=True)),
        ("strips from the jack, limit 1500 mA", electrical.tray_loads(electrical.JACK_LIMIT_MA, from_usb=False)),
        ("lamp board, all lit", electrical.lamp_loads()),
    )
    for title, loads in cases:
        rows.append(f"| *{title}* | | |")
        rows += [f"| {load.what} | {load.current_ma:.0f} | {load.limit_ma:.0f} |" for load in loads]
    return "\n".join(rows) + "\n"


def case_figures() -> str:
    """The dimensions a builder wants to know."""
    p = CaseParameters()
    rows = ["| | mm |", "|---|---:|"]
    rows += [
        f"| tray, width x depth x height | {p.width:g} x {p.depth:g} x {p.height:g} |",
        f"| bed needed | {p.bed:g} x {p.bed:g} |",
        f"| plastic over the antenna | {p.pad_thickness:g} |",
        f"| air (foam) between plastic and antenna | {p.reader_gap:g} |",
        f"| token to antenna | {p.token_to_antenna:g} |",
        f"| pixel pitch, wall between two pixels | {p.pixel_pitch:.3f}, {p.pixel_pitch - p.channel:.2f} |",
        f"| token, well | {p.token_diameter:g} x {p.token_thickness:g}, {p.well_diameter:g} x {p.well_depth:g} |",
    ]
    rows += [f"| {one.name} module the cradle is made for | {one.length:g} x {one.width:g} |" for one in READERS]
    return "\n".join(rows) + "\n"


TABLES: Final[Mapping[str, Callable[[], str]]] = MappingProxyType(
    {
        "pico-pins": pico_pins,
        "reader-pins": reader_pins,
        "pi-pins": pi_pins,
        "currents": currents,
        "prints": prints,
        "prints-lamps": lamp_prints,
        "revisions": revisions,
        "assembly": assembly_price.table,
        "case": case_figures,
        "bill-tray": lambda: bill.markdown("tray"),
        "bill-no-board": lambda: bill.markdown("no-board"),
        "bill-lamps": lambda: bill.markdown("lamps"),
    }
)


SIMULATED: Final[Mapping[str, Callable[[], str]]] = MappingProxyType(
    {"transients": transients, "temperatures": temperatures}
)
"""Tables that need ngspice and half a minute: made anew by `--write` only, and compared by a test of their own."""


def filled(text: str, tables: Mapping[str, Callable[[], str]] = TABLES) -> str:
    """Return `text` with every generated table made anew. Raises KeyError for an unknown table's name."""

    def table(match: re.Match[str]) -> str:
        name = match[1]
        if name not in tables and name in {**TABLES, **SIMULATED}:
            return match[0]
        return f"<!-- {name}: generated -->\n{tables[name]()}<!-- end of {name} -->"

    return re.sub(r"<!-- ([a-z-]+): generated -->\n.*?<!-- end of \1 -->", table, text, flags=re.DOTALL)


def main(arguments: list[str]) -> int:
    """Compare the README with the tables, or `--write` them into it; status 1 if it is stale."""
    text = README.read_text(encoding="utf-8")
    fresh = filled(text)
    if arguments == ["--write"]:
        fresh = filled(fresh, SIMULATED)
        README.write_text(fresh, encoding="utf-8")
        return 0
    if text != fresh:
        print("hardware/README.md: tables are stale: python -m ordertray_hardware.tables --write", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
