"""Words of the core that players read: phases, states, reasons for an ARO. All are message ids for the catalogues."""

from __future__ import annotations

from collections.abc import Callable, Mapping


def N_(text: str) -> str:  # noqa: N802 - the field's name for "translate later"
    """Mark `text` for the catalogues."""
    return text


PHASES: Mapping[str, str] = {
    "tactical": N_("Tactical Phase"),
    "impetuous": N_("Impetuous Phase"),
    "orders": N_("Orders Phase"),
    "states": N_("States Phase"),
}

STATES: Mapping[str, str] = {
    "unconscious": N_("Unconscious"),
    "unconscious-active": N_("Unconscious and still acting"),
    "dead": N_("Dead"),
    "sepsitorized": N_("Sepsitorized"),
    "possessed": N_("Possessed"),
    "disconnected": N_("Disconnected"),
    "isolated": N_("Isolated"),
    "immobilized-a": N_("Immobilized-A"),
    "immobilized-b": N_("Immobilized-B"),
    "stunned": N_("Stunned"),
    "prone": N_("Prone"),
    "targeted": N_("Targeted"),
    "suppressive-fire": N_("in Suppressive Fire"),
    "engaged": N_("Engaged"),
    "camouflaged": N_("Camouflaged"),
    "burnt": N_("Burnt"),
}

REACTIONS: Mapping[str, str] = {
    "lof": N_("Line of Fire"),
    "zoc": N_("Zone of Control"),
    "special": N_("a special skill, weapon or equipment"),
    "template": N_("a template"),
    "comms": N_("a hacking program or comms attack"),
    "hacking": N_("Hacking Area"),
}

#: Parameters of messages that are words of ours, by their name; an empty table: the value is a message id itself.
#: All other parameters (ids, numbers) are shown as they are, whatever language.
_PARAMETERS: Mapping[str, Mapping[str, str]] = {
    "phase": PHASES,
    "state": STATES,
    "by": REACTIONS,
    "label": {},
    "first": {},
    "second": {},
    "name": {},
}


def fill(template: str, params: Mapping[str, object], translate: Callable[[str], str]) -> str:
    """`template` in the language of `translate`, its parameters filled in, words of ours translated too."""
    values = {}
    for name, value in params.items():
        words = _PARAMETERS.get(name)
        if words is not None and isinstance(value, str) and value:
            value = translate(words.get(value, value))
        values[name] = value
    return translate(template).format(**values)
