"""How colours look to people who do not see all of them. Colours are linear light: red, green, blue, 0 to 1.

Dichromats by the method of Viénot, Brettel and Mollon (1999), tritanopia by the two half planes of Brettel, Viénot and
Mollon (1997), for sRGB; and no colour at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

Light = tuple[float, float, float]
Matrix = tuple[Light, Light, Light]

_PROTAN: Matrix = ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0))
_DEUTAN: Matrix = ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0))
_TRITAN_1: Matrix = ((1.01277, 0.13548, -0.14826), (-0.01243, 0.86812, 0.14431), (0.07589, 0.80500, 0.11911))
_TRITAN_2: Matrix = ((0.93678, 0.18979, -0.12657), (0.06154, 0.81526, 0.12320), (-0.37562, 1.12767, 0.24796))
_TRITAN_PLANE: Light = (0.03901, -0.02788, -0.01113)


def _times(matrix: Matrix, light: Light) -> Light:
    red, green, blue = (max(0.0, min(1.0, sum(row[place] * light[place] for place in range(3)))) for row in matrix)
    return red, green, blue


def _tritan(light: Light) -> Light:
    side = sum(weight * part for weight, part in zip(_TRITAN_PLANE, light, strict=True))
    return _times(_TRITAN_1 if side >= 0 else _TRITAN_2, light)


def luminance(light: Light) -> float:
    """Relative luminance (ITU-R BT.709)."""
    red, green, blue = light
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _grey(light: Light) -> Light:
    return (luminance(light),) * 3


#: Ways to see, by their name.
VISIONS: Mapping[str, Callable[[Light], Light]] = {
    "deuteranopia": lambda light: _times(_DEUTAN, light),
    "protanopia": lambda light: _times(_PROTAN, light),
    "tritanopia": _tritan,
    "grey": _grey,
}


def lightness(light: Light) -> float:
    """CIE L*, 0 to 100: steps that look alike are alike."""
    part = luminance(light)
    return 116 * part ** (1 / 3) - 16 if part > 0.008856 else 903.3 * part


def linear(hexadecimal: str) -> Light:
    """The linear light of `#rrggbb`."""
    parts = (int(hexadecimal[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return red, green, blue
