"""The JSON schema of roster files, for editors that complete and check while one types."""

from __future__ import annotations

from typing import Any

from ordertray.army.roster import FORMAT
from ordertray.rules.army import DEPLOYMENTS, KNOWN_SKILLS, TRAININGS, TROOPER_TYPES
from ordertray.rules.army_check import LARGEST_TEAM, SMALLEST_TEAM
from ordertray.rules.editions import EDITIONS


def roster_schema() -> dict[str, Any]:
    """The schema (JSON Schema 2020-12). What it cannot say, such as one Lieutenant a list, `army check` does."""
    trooper = {
        "type": "object",
        "required": ["id"],
        "additionalProperties": False,
        "properties": {
            "id": {
                "type": "string",
                "pattern": r"^[A-Za-z0-9][A-Za-z0-9_.\-]*$",
                "description": "Short name: the game script and trooper tags use it.",
            },
            "name": {"type": "string", "description": "What people call it."},
            "type": {"enum": list(TROOPER_TYPES), "default": "LI"},
            "cost": {
                "type": "number",
                "minimum": 0,
                "multipleOf": 0.5,
                "description": "Army points; a controller's contain its peripherals'. Halves in Code One only.",
            },
            "group": {"type": "integer", "minimum": 1, "default": 1, "description": "Combat group."},
            "training": {"enum": list(TRAININGS), "default": "regular"},
            "lieutenant": {"type": "boolean", "default": False},
            "skills": {
                "type": "array",
                "uniqueItems": True,
                "items": {"anyOf": [{"enum": list(KNOWN_SKILLS)}, {"type": "string"}]},
                "description": "Skills that the tray acts on; others may stand here and change nothing.",
            },
            "deploy": {"enum": list(DEPLOYMENTS), "default": "table", "description": "Where it begins the game."},
            "controller": {"type": "string", "description": "Id of its controller: makes it a peripheral."},
            "tag": {
                "type": "string",
                "pattern": "^([0-9A-Fa-f]{2}[: -]?){3,9}[0-9A-Fa-f]{2}$",
                "description": "UID of the NFC tag in its base or on its card.",
            },
            "own-cost": {
                "type": "boolean",
                "default": False,
                "description": "A peripheral that is paid for by itself: not part of its controller's cost.",
            },
            "incomplete": {
                "type": "boolean",
                "default": False,
                "description": "Somebody must fill this entry in; until then the list may not play.",
            },
        },
    }
    fireteam = {
        "type": "object",
        "required": ["members"],
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string", "description": "What people call it."},
            "members": {
                "type": "array",
                "uniqueItems": True,
                "minItems": SMALLEST_TEAM,
                "maxItems": LARGEST_TEAM,
                "items": {"type": "string"},
                "description": "Ids of its members, all of one combat group.",
            },
            "leader": {"type": "string", "description": "Id of the member that leads; the first one unless given."},
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Order tray roster",
        "type": "object",
        "required": ["points", "trooper"],
        "additionalProperties": False,
        "properties": {
            "format": {"const": FORMAT, "default": FORMAT, "description": "Format of this file."},
            "name": {"type": "string", "description": "Name of the list."},
            "points": {"type": "integer", "minimum": 1, "description": "Points limit of the game."},
            "edition": {"enum": list(EDITIONS), "default": "n5"},
            "trooper": {"type": "array", "minItems": 1, "items": trooper},
            "fireteam": {"type": "array", "items": fireteam, "description": "Fireteams it has from the start."},
        },
    }
