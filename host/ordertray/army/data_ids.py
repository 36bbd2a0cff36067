"""Which ids of the army data mean what to the tray, and where that was seen.

Ids are the same in all editions and languages of the data; names are not: they carry no-break spaces, change with the
language and between versions. So everything is understood by its id, and a name serves only to find out that a newer
builder has given a known thing another id (`lookalike`).

Seen in the public data of versions 7.20332 to 7.26069 (some 2,000 sectorial files) and their metadata files, unless
another place is named.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

# profile `type`
TYPES: Mapping[int, str] = {1: "LI", 2: "MI", 3: "HI", 4: "TAG", 5: "REM", 6: "SK", 7: "WB", 8: "VH"}

# `chars` of profile and option
REGULAR, IRREGULAR, IMPETUOUS, PERIPHERAL_CHARACTERISTIC = 3, 4, 6, 27

COMMLINK_SKILL = 260

# `skills` that the tray acts on, by the words of a roster
SKILLS: Mapping[int, str] = {
    211: "nco",
    213: "tactical-awareness",
    256: "impetuous",
    250: "frenzy",
    84: "courage",
    83: "religious",
    88: "veteran",
    267: "warhorse",  # since 7.24351
    26: "chain-of-command",
    207: "counterintelligence",
    69: "strategos-1",
    70: "strategos-2",
    52: "inspiring-leadership",
    122: "number-2",
    85: "dogged",
    86: "no-wound-incapacitation",
    237: "shasvastii",
    COMMLINK_SKILL: "commlink",
}
LIEUTENANT_SKILL = 119
REGULAR_SKILL = 258  # makes an Irregular trooper Regular in this option (an FTO's); its `orders` say REGULAR
PERIPHERAL_SKILL = 243
CYBERPLUG_SKILL = 277  # who controls Cyberplug peripherals
DOCTOR, ENGINEER, PARAMEDIC = 53, 49, 64  # who controls Servants

# How a trooper comes on the table
COMBAT_JUMP, PARACHUTIST = 35, 33
HIDDEN_DEPLOYMENT = 238  # its name has a no-break space in every file
CAMOUFLAGE, IMPERSONATION = 29, 249
AIRBORNE = frozenset({COMBAT_JUMP, PARACHUTIST})
MARKERS = frozenset({CAMOUFLAGE, IMPERSONATION})

# `extra` of a skill
PLUS_1_COMMAND_TOKEN, PLUS_1_ORDER = 245, 246  # of Lieutenant
COMMLINK_EXTRAS: Mapping[int, str] = {298: "commlink-1", 299: "commlink-2", 1: "commlink-3"}  # "+1", "+2", "+3"
PERIPHERAL_KINDS: Mapping[int, str] = {  # of Peripheral
    40: "synchronized",
    41: "servant",
    47: "control",
    322: "ancillary",
    374: "cyberplug",
}

# All skill ids seen: those of 7.20332 to 7.26069. One that is none of these is newer than this table.
_SEEN = frozenset({
    *range(19, 27), 28, 29, 33, 35, 38, 39, 40, *range(46, 50), 52, 53, 55, 56, *range(58, 63), *range(64, 68),
    *range(69, 75), *range(82, 87), 88, 89, 109, *range(119, 123), 125, 127, 129, 131, 132, 138, 156, 161, 162, 164,
    181, 189, 191, 201, 204, 207, 211, 213, 215, 219, 220, 235, 237, 238, *range(240, 244), *range(246, 280), 1000,
})  # fmt: skip

# What a newer id may be called that matters here: the known names, folded, in the languages of the metadata.
_NAMES: Mapping[str, str] = {
    "lieutenant": "Lieutenant",
    "teniente": "Lieutenant",
    "hidden deployment": "Hidden Deployment",
    "despliegue oculto": "Hidden Deployment",
    "combat jump": "Combat Jump",
    "salto de combate": "Combat Jump",
    "parachutist": "Parachutist",
    "paracaidista": "Parachutist",
    "camouflage": "Camouflage",
    "camuflaje": "Camouflage",
    "impersonation": "Impersonation",
    "suplantacion": "Impersonation",
    "tactical awareness": "Tactical Awareness",
    "sentido tactico": "Tactical Awareness",
    "impetuous": "Impetuous",
    "impetuoso": "Impetuous",
    "frenzy": "Frenzy",
    "frenesi": "Frenzy",
    "peripheral": "Peripheral",
    "periferico": "Peripheral",
    "nco": "NCO",
    "suboficial": "NCO",
    "chain of command": "Chain of Command",
    "cadena de mando": "Chain of Command",
}
_GIVES_ORDERS = re.compile(
    r"\b(orders?|ordenes|orden|command token|token de mando|lieutenant|teniente|deployment|despliegue)\b"
)


def folded(name: str) -> str:
    """A name for comparing: without accents, case, and whatever kind of blanks."""
    plain = unicodedata.normalize("NFKD", name)
    return (
        re.sub(r"\s+", " ", "".join(letter for letter in plain if not unicodedata.combining(letter))).strip().casefold()
    )


def names_lieutenant(text: str) -> bool:
    """Whether a text of the data speaks of a Lieutenant."""
    return re.search(r"\b(lieutenant|teniente|lt|lugarteniente)\b", folded(text)) is not None


def lookalike(number: int, name: str) -> str | None:
    """What an id that is newer than this table seems to mean, by its name; None where it does not look like orders."""
    if number in _SEEN:
        return None
    plain = folded(name)
    if plain in _NAMES:
        return _NAMES[plain]
    return name if _GIVES_ORDERS.search(plain) else None
