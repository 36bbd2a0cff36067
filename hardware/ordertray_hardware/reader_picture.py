"""How a reader's half ribbon meets a red PN532 V3: front with its header, back with the pad RSTPDN, as SVG. Pure.

Drawn from users' reports and the maker's description (the header's order, the pad's being on the back); the pad's exact
place differs between copies, so the picture says to look for the word.
"""

from typing import Final

from ordertray_hardware.circuit import pin_label
from ordertray_hardware.tray_board import READER_HEADER

HEADER: Final = ("SCK", "MISO", "MOSI", "SS", "VCC", "GND", "IRQ", "RSTO")
"""The eight-way header of the red module, as printed."""
TO_MODULE: Final = {"3V3": "VCC", "GND": "GND", "SCK": "SCK", "MISO": "MISO", "MOSI": "MOSI", "CS": "SS", "IRQ": "IRQ"}
"""Word of the ribbon's wire to the header's."""
ISOLATED: Final = "5V"
RESET: Final = "RST"

_WIDE, _HIGH = 940, 560
_WIRE = {"3V3": "#d97706", "GND": "#111111", "RST": "#7c3aed", "5V": "#999999"}
_OTHER = "#2563eb"


def wires() -> list[tuple[int, str]]:
    """Number and word of each wire of the ribbon; the second GND is left out, it may go to GND too or be cut off."""
    found: list[tuple[int, str]] = []
    for number, net in enumerate(READER_HEADER, 1):
        word = pin_label(net.format(side="A"))
        word = RESET if word == "RESET" else word
        if not (word == "GND" and any(known == "GND" for _number, known in found)):
            found.append((number, word))
    return found


def _text(x: float, y: float, words: str, size: int = 17, anchor: str = "start", colour: str = "#111") -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


def svg() -> str:
    """The picture: at the left the ribbon's wires, in the middle the module's front, at the right its back."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDE}" height="{_HIGH}" font-family="DejaVu Sans">',
        f'<rect width="{_WIDE}" height="{_HIGH}" fill="white"/>',
    ]
    front, back, top, side = 300, 650, 70, 250
    for x, title in ((front, "front (switches set to SPI)"), (back, "back")):
        lines.append(f'<rect x="{x}" y="{top}" width="{side}" height="{side + 30}" rx="8" fill="#c53030"/>')
        lines.append(_text(x + side / 2, top - 14, title, anchor="middle"))
    lines.append(
        f'<rect x="{front + 85}" y="{top + 40}" width="150" height="190" fill="none" stroke="#f6b7b7" '
        'stroke-width="5"/>'
    )
    lines.append(_text(front + 150, top + 140, "antenna", 15, "middle", "#fbd5d5"))
    pad_y = {word: top + 32 + 31 * index for index, word in enumerate(HEADER)}
    for word, y in pad_y.items():
        lines.append(f'<circle cx="{front + 14}" cy="{y}" r="7" fill="#e5b93c"/>')
        lines.append(_text(front + 28, y + 6, word, 15, colour="white"))
    reset_x, reset_y = back + 160, top + 205
    lines.append(f'<circle cx="{reset_x}" cy="{reset_y}" r="9" fill="#e5b93c"/>')
    lines.append(_text(reset_x, reset_y - 18, "RSTPDN", 17, "middle", "white"))
    lines.append(_text(20, top - 14, "ribbon, its red wire is 1"))
    for index, (number, word) in enumerate(wires()):
        y = top + 32 + 31 * index
        colour = _WIRE.get(word, _OTHER)
        lines.append(_text(20, y + 6, f"{number}", 17))
        lines.append(_text(50, y + 6, word, 17))
        if word == RESET:
            path = f"M110 {y} H200 V{top + side + 70} H{reset_x} V{reset_y + 9}"
        elif word == ISOLATED:
            lines.append(f'<path d="M110 {y} H150" stroke="{colour}" stroke-width="4"/>')
            lines.append(_text(160, y + 6, "isolate", 15, colour="#666"))
            continue
        else:
            path = f"M110 {y} C190 {y} 220 {pad_y[TO_MODULE[word]]} {front + 8} {pad_y[TO_MODULE[word]]}"
        lines.append(f'<path d="{path}" stroke="{colour}" stroke-width="4" fill="none"/>')
    y = pad_y["RSTO"]
    lines.append(
        f'<path d="M{front - 4} {y - 12} l24 24 M{front - 4} {y + 12} l24 -24" stroke="#111" stroke-width="4"/>'
    )
    for row, words in enumerate(
        (
            "RSTO is an output: nothing goes there. Wire 10 goes to the pad with the word RSTPDN on the back;",
            "where that pad lies may differ from copy to copy: look for the word (some print RSTPD_N).",
            "Wire 5, the second GND, goes to GND too or is cut off.",
        )
    ):
        lines.append(_text(20, 470 + 28 * row, words, 16))
    lines.append("</svg>")
    return "\n".join(lines) + "\n"
