"""The strips as a picture (SVG): for the README and the page. Same frame, same bytes. Pure.

Blinking, pulsing and chasing are animated by style rules, held still for readers who ask for less motion; a ring around
the pixel tells the effect in a still picture.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Final

from ordertray.lights.frame import COLOURS, EFFECTS, PIXELS_PER_ROW, LampFrame, Pixel, Strip
from ordertray.lights.layout import FIELDS, Field
from ordertray.lights.state import SIDES, Side, TableState
from ordertray.messages import N_, identity

INKS: Final = {
    ".": "#262b33",
    "w": "#ffffff",
    "r": "#ff4b3e",
    "g": "#39d353",
    "b": "#4d9dff",
    "y": "#ffe14d",
    "o": "#ff9a2e",
    "p": "#b98bff",
    "c": "#3fe0e8",
}
_PITCH: Final = 44
_PIXEL: Final = 26
_LEFT: Final = 78
_PANEL_HEIGHT: Final = 172
_PANEL_GAP: Final = 16
_WIDTH: Final = _LEFT + PIXELS_PER_ROW * _PITCH + 30
_LEGEND_HEIGHT: Final = 40
_FONT: Final = "font-family=\"'DejaVu Sans',Verdana,sans-serif\""
_STYLE: Final = (
    "<style>"
    "@keyframes blink{0%,49%{opacity:1}50%,100%{opacity:.12}}"
    "@keyframes pulse{0%,100%{opacity:.35}50%{opacity:1}}"
    "@keyframes flash{0%,12%{opacity:1}13%,100%{opacity:.12}}"
    "@keyframes chase{0%,60%,100%{opacity:.25}20%{opacity:1}}"
    ".b{animation:blink 1s infinite}.p{animation:pulse 1.6s ease-in-out infinite}"
    ".c{animation:chase 1.6s linear infinite}.f{animation:flash 1.6s infinite}.q{animation:blink .4s infinite}"
    ".d{opacity:.32}"
    "@media (prefers-reduced-motion:reduce){.b,.p,.c,.f,.q{animation:none}}"
    "</style>"
)
_TURN_WORDS: Final = {
    "none": "",
    "ready": N_("its turn"),
    "order": N_("its turn: an order is running"),
    "housekeeping": N_("its turn"),
}
_LEGEND: Final = (
    (Pixel("g", "s"), N_("Regular")),
    (Pixel("y", "s"), N_("Irregular")),
    (Pixel("g", "d"), N_("spent")),
    (Pixel("r", "b"), N_("blinks")),
    (Pixel("c", "p"), N_("pulses")),
    (Pixel(".", "."), N_("dark")),
)


def frame_to_svg(frame: LampFrame, *, translate: Callable[[str], str] = identity) -> str:
    """Draw both strips, their labels and a legend as one SVG document (UTF-8 text ending in a line feed)."""
    height = 2 * _PANEL_HEIGHT + _PANEL_GAP + _LEGEND_HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'role="img" aria-label="{escape(translate(N_("The pixel strips of both sides")))}" {_FONT}>',
        _STYLE,
    ]
    for number, side in enumerate(SIDES):
        parts += _panel(side, frame, number * (_PANEL_HEIGHT + _PANEL_GAP), translate)
    parts += _legend(height - _LEGEND_HEIGHT // 2 + 4, translate)
    return "\n".join([*parts, "</svg>", ""])


def _panel(side: Side, frame: LampFrame, top: int, translate: Callable[[str], str]) -> list[str]:
    parts = [
        f'<g transform="translate(0 {top})">',
        f'<rect width="{_WIDTH}" height="{_PANEL_HEIGHT}" rx="14" fill="#12151a" stroke="#3a414c"/>',
        f'<text x="38" y="76" font-size="44" font-weight="bold" fill="#e8ecf1" text-anchor="middle">{side}</text>',
        f'<text x="{_LEFT}" y="24" font-size="13" fill="#aeb6c2">{escape(_headline(side, frame.table, translate))}'
        "</text>",
    ]
    strip = frame.strip(side)
    for field in FIELDS:
        parts += _field(field, strip, translate)
    return [*parts, "</g>"]


def _headline(side: Side, table: TableState, translate: Callable[[str], str]) -> str:
    """What the strip says, in words."""
    state = table.side(side)
    words = [
        translate(N_("game over")) if table.over else "",
        translate(N_("not begun")) if table.waiting else "",
        translate(_TURN_WORDS[state.turn]) if state.turn != "none" else "",
        translate(N_("ARO window open")) if state.aro_open else "",
        translate(N_("Retreat!")) if state.retreat else "",
        translate(N_("Loss of Lieutenant")) if state.loss_of_lieutenant or state.retreat else "",
        translate(N_("tray offline")) if state.link == "offline" else "",
    ]
    return " · ".join(word for word in words if word)


def _field(field: Field, strip: Strip, translate: Callable[[str], str]) -> list[str]:
    row, column = divmod(field.first, PIXELS_PER_ROW)
    left, top = _LEFT + column * _PITCH, 36 + row * 68
    width = field.length * _PITCH - 8
    parts = [
        f"<g><title>{escape(translate(field.title))}</title>",
        f'<text x="{left + width / 2:g}" y="{top + 49}" font-size="11" fill="#8d96a3" text-anchor="middle">'
        f"{escape(translate(field.label))}</text>",
    ]
    for place, number in enumerate(field.pixels):
        centre = left + place * _PITCH + (_PITCH - 8) // 2
        parts.append(_draw_pixel(strip[number], centre, top + 18, number))
    return [*parts, "</g>"]


def _draw_pixel(pixel: Pixel, x: int, y: int, number: int) -> str:
    """A pixel around (x, y): its body, a glow where lit, a ring that tells the effect without motion."""
    half = _PIXEL // 2
    ink = INKS[pixel.colour]
    body = (
        f'<rect x="{x - half}" y="{y - half}" width="{_PIXEL}" height="{_PIXEL}" rx="6" fill="{INKS["."]}" '
        f'stroke="#3a414c"/>'
    )
    if pixel.colour == ".":
        return body
    delay = f' style="animation-delay:{(number % PIXELS_PER_ROW) * 100}ms"' if pixel.effect == "c" else ""
    shown = {"s": "", "d": ' class="d"'}.get(pixel.effect, f' class="{pixel.effect}"{delay}')
    glow = "" if pixel.effect == "d" else f'<circle cx="{x}" cy="{y}" r="20" fill="{ink}" opacity=".22"/>'
    inner = 6 if pixel.effect == "d" else 10
    ring = {
        "b": f'<circle cx="{x}" cy="{y}" r="17" fill="none" stroke="{ink}" stroke-width="2" stroke-dasharray="5 4"/>',
        "p": f'<circle cx="{x}" cy="{y}" r="17" fill="none" stroke="{ink}" stroke-width="2"/>',
        "f": f'<circle cx="{x}" cy="{y}" r="17" fill="none" stroke="{ink}" stroke-width="2" stroke-dasharray="1 8"/>',
        "q": f'<circle cx="{x}" cy="{y}" r="17" fill="none" stroke="{ink}" stroke-width="2" stroke-dasharray="2 2"/>',
    }.get(pixel.effect, "")
    return (
        f"{body}<g{shown}>{glow}"
        f'<rect x="{x - inner}" y="{y - inner}" width="{2 * inner}" height="{2 * inner}" rx="5" fill="{ink}">'
        f"<title>{COLOURS[pixel.colour]}, {EFFECTS[pixel.effect]}</title></rect></g>{ring}"
    )


def _legend(y: int, translate: Callable[[str], str]) -> list[str]:
    parts: list[str] = []
    step = (_WIDTH - _LEFT) // len(_LEGEND)
    for place, (pixel, name) in enumerate(_LEGEND):
        x = _LEFT + place * step
        parts.append(f'<g transform="translate({x} {y - 4}) scale(.6)">{_draw_pixel(pixel, 14, 0, 0)}</g>')
        parts.append(f'<text x="{x + 26}" y="{y}" font-size="12" fill="#6b7480">{escape(translate(name))}</text>')
    return parts
