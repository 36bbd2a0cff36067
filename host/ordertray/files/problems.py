"""Faults of a file, each with its place, gathered so that a player sees all of them at once."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ordertray.messages import N_, Translator, identity
from ordertray.text import shown

#: Nobody mends more faults than this at once; each may be long, but not endless.
MOST_SHOWN = 50
MOST_LINE = 400


@dataclass(frozen=True)
class Problem:
    """One fault: where it is, what it is, and with `fatal=False` a warning that does not stop the file from being used.

    `template` is marked with `N_()` and filled with `params` after translating. `line` is the file's line where known.
    """

    place: str
    template: str
    params: Mapping[str, object] = field(default_factory=dict)
    line: int | None = None
    fatal: bool = True
    rule: str = ""
    """The rule of the game that it breaks, if any."""

    def text(self, translate: Translator = identity) -> str:
        """The fault in one line: `line 12, trooper 3 "anna", cost: ...`."""
        where = [translate(N_("line {line}")).format(line=self.line)] if self.line else []
        if self.place:
            where.append(self.place)
        params = dict(self.params)
        if isinstance(wanted := params.get("wanted"), str):
            params["wanted"] = translate(wanted)
        message = translate(self.template).format(**params) + (f" ({self.rule})" if self.rule else "")
        return ": ".join([", ".join(where), message]) if where else message


class FileError(ValueError):
    """A file that cannot be used. `problems` are all its faults, `source` the file as the player named it."""

    def __init__(self, source: str, problems: Iterable[Problem]) -> None:
        self.source = source
        self.problems = tuple(problems)
        super().__init__(self.text())

    def text(self, translate: Translator = identity) -> str:
        """All faults, one a line, headed by the file."""
        heading = translate(N_("{source}: {count} problem(s)")).format(
            source=shown(self.source, 300), count=len(self.problems)
        )
        return "\n".join([heading, *(f"  {line}" for line in shown_problems(self.problems, translate))])


def shown_problems(problems: Sequence[Problem], translate: Translator = identity) -> list[str]:
    """The faults as lines; of very many the first, and how many more there are. What is in them is quoted."""
    lines = [shown(problem.text(translate), MOST_LINE) for problem in problems[:MOST_SHOWN]]
    if len(problems) > MOST_SHOWN:
        lines.append(translate(N_("and {count} more")).format(count=len(problems) - MOST_SHOWN))
    return lines


def in_file_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """By line; those without one, as found, at the end."""
    return tuple(sorted(problems, key=lambda problem: (problem.line is None, problem.line or 0)))


def did_you_mean(value: str, known: Iterable[str]) -> str | None:
    """The known word that `value` was probably meant to be, if one is near."""
    words = {word.lower().replace("_", "-"): word for word in known}
    wanted = value.strip().lower().replace("_", "-").replace(" ", "-")
    near = difflib.get_close_matches(wanted, words, n=1, cutoff=0.72)
    return words[near[0]] if near else None


def printable(value: object, limit: int = 60) -> str:
    """A value from a file, as it may stand in a message: one line, no control characters, not endless."""
    try:
        text = (
            f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else repr(value)
        )
    except ValueError:  # Python writes no numbers of thousands of digits
        text = "0x…"
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text if len(text) <= limit else text[: limit - 1] + "…"
