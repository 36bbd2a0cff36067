"""Reading the player's TOML files: text from any bytes, lines of keys, and a table that takes note of every fault.

`tomllib` gives values without their places, so `Lines` finds the lines of `[[header]]` and `key =` again; where the
file is written in a way it does not follow (inline tables), the place is the entry's number and key alone.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from ordertray.files.problems import Problem, did_you_mean, printable
from ordertray.messages import N_

MAXIMUM_BYTES = 2_000_000
#: Of a roster; a real one has 4 kB.
MOST_ROSTER = 64_000
#: A club's discs are some hundreds of tables; no key of ours has more than three parts.
MOST_TABLES = 5_000
MOST_DOTS = 20
_STRINGS = re.compile(r"\"[^\"]*\"|'[^']*'")

_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


class UnreadableError(Exception):
    """The file yields nothing to check; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.text())


def read_text(path: Path, maximum_bytes: int = MAXIMUM_BYTES) -> str:
    """Read a UTF-8 text file (a byte order mark is dropped). Raises `UnreadableError` for anything else."""
    try:
        if path.is_dir():
            raise UnreadableError(Problem("", N_("this is a folder, not a file")))
        with path.open("rb") as file:  # by size of what is read: pipes and devices have none
            raw = file.read(maximum_bytes + 1)
        if len(raw) > maximum_bytes:
            raise UnreadableError(Problem("", N_("this file is far too big to be one of ours")))
    except FileNotFoundError:
        raise UnreadableError(Problem("", N_("there is no such file"))) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableError(Problem("", N_("it cannot be read: {reason}"), {"reason": reason})) from None
    return decode_text(raw)


def decode_text(raw: bytes) -> str:
    """Decode a file's bytes as UTF-8. Raises `UnreadableError` naming the line and the encoding it probably is."""
    for mark, name in _MARKS:
        if raw.startswith(mark):
            raise UnreadableError(Problem("", N_("this file is {name}; save it as UTF-8"), {"name": name}))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        if raw.count(b"\0") > len(raw) // 4:
            raise UnreadableError(
                Problem("", N_("this file is {name}; save it as UTF-8"), {"name": "UTF-16"})
            ) from None
        shown = raw[error.start : error.start + 1].decode("cp1252", "replace")
        raise UnreadableError(
            Problem(
                "",
                N_("not UTF-8 (byte 0x{byte:02X}, perhaps '{shown}' in Windows-1252): save the file as UTF-8"),
                {"byte": raw[error.start], "shown": shown},
                line,
            )
        ) from None


def parse_toml(text: str) -> dict[str, object]:
    """Parse TOML. Raises `UnreadableError` naming the line.

    The parser's time grows with the square of the parts of a dotted key, and of the tables: there is a limit to both.
    """
    tables = 0
    for number, row in enumerate(text.splitlines(), 1):
        tables += row.lstrip().startswith("[")
        if row.count(".") > MOST_DOTS and _STRINGS.sub("", row.partition("#")[0]).count(".") > MOST_DOTS:
            raise UnreadableError(Problem("", N_("a key of so many parts is none of ours"), line=number))
        if tables > MOST_TABLES:
            raise UnreadableError(Problem("", N_("far too many tables"), line=number))
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise UnreadableError(Problem("", N_("nested too deeply"))) from None
    except ValueError as error:
        where = re.search(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)", str(error))
        line = int(where[1]) if where and where[1] else (text.count("\n") + 1 if where else None)
        reason = str(error).replace(where[0], "") if where else str(error)
        reason = "".join(c if c.isprintable() else " " for c in reason)
        raise UnreadableError(Problem("", N_("this is not TOML: {reason}"), {"reason": reason}, line)) from None


class Lines:
    """Where the entries of `[[header]]` and their keys stand in a TOML text."""

    def __init__(self, text: str, header: str, count: int) -> None:
        """`count` is how many entries the parser found; if the scan finds another number, no line is given at all."""
        self._lines: dict[tuple[int | None, str | None], int] = {}
        entry: int | None = None
        found = 0
        inside = True  # the top of the file, or an entry of ours; not a table of another name
        fence = ""
        for number, line in enumerate(text.splitlines(), 1):
            if fence:
                fence = "" if fence in line else fence
                continue
            if re.match(rf"\s*\[\[\s*(['\"]?){re.escape(header)}\1\s*\]\]", line):
                entry, found = found, found + 1
                self._lines[entry, None] = number
                inside = True
            elif re.match(r"\s*\[\[?[\s\w'\".-]+\]\]?\s*(#.*)?$", line):
                inside = False
            elif not inside:
                pass
            elif key := re.match(r"\s*(['\"]?)([A-Za-z0-9_-]+)\1\s*=", line):
                self._lines.setdefault((entry, key[2]), number)
            fence = next((mark for mark in ('"""', "'''") if line.count(mark) % 2), "")
        if found != count:
            self._lines = {place: line for place, line in self._lines.items() if place[0] is None and place[1]}
            if not found:
                self._lines = {}

    def of(self, entry: int | None, key: str | None = None) -> int | None:
        """The line of a key of an entry (counted from 0; `None` is the top of the file), else of its header."""
        return self._lines.get((entry, key), self._lines.get((entry, None)))


LineOf = Callable[[str | None], int | None]
"""The line of a key of a table, or of the table itself, where known."""


class Table:
    """One TOML table being checked: each getter gives a usable value, and notes what was wrong with the written one."""

    def __init__(
        self,
        values: Mapping[str, object],
        problems: list[Problem],
        place: str,
        line_of: LineOf,
    ) -> None:
        self.values = values
        self.place = place
        self.problems = problems
        self._line_of = line_of
        self._asked: set[str] = set()
        self.faulty: set[str] = set()

    def fault(self, key: str | None, template: str, **params: object) -> None:
        """Take note of a fault of `key` (or of the whole entry)."""
        place = ", ".join(part for part in (self.place, key or "") if part)
        self.problems.append(Problem(place, template, params, self._line_of(key)))
        if key:
            self.faulty.add(key)

    def line(self, key: str | None) -> int | None:
        """The file's line of a key, where known."""
        return self._line_of(key)

    def ignore(self, *keys: str) -> None:
        """These keys are checked elsewhere."""
        self._asked.update(keys)

    def _value(self, key: str, required: bool) -> object | None:
        self._asked.add(key)
        value = self.values.get(key)
        if value is None and required:
            self.fault(key, N_("missing"))
        return value

    def _wrong(self, key: str, wanted: str, value: object) -> None:
        self.fault(key, N_("should be {wanted}, found {found}"), wanted=wanted, found=printable(value))

    def text(self, key: str, default: str = "", *, required: bool = False) -> str:
        """A text without control characters; blank counts as missing where it is required."""
        value = self._value(key, required)
        if value is None:
            return default
        if not isinstance(value, str):
            self._wrong(key, N_("a text in quotes"), value)
            return default
        if required and not value.strip():
            self.fault(key, N_("should not be empty"))
            return default
        if not value.isprintable():
            self.fault(key, N_("has characters that cannot be shown: {found}"), found=printable(value))
            return default
        return value.strip()

    def flag(self, key: str) -> bool:
        """`true` or `false`; false when not given."""
        value = self._value(key, False)
        if value is None or isinstance(value, bool):
            return bool(value)
        self._wrong(key, "true/false", value)
        return False

    def whole(self, key: str, default: int | None = None, *, minimum: int = 0, maximum: int = 9999) -> int:
        """A whole number within bounds; required when there is no default."""
        value = self._value(key, default is None)
        fallback = minimum if default is None else default
        if value is None:
            return fallback
        if isinstance(value, bool) or not isinstance(value, int):
            self._wrong(key, N_("a whole number"), value)
            return fallback
        if not minimum <= value <= maximum:
            self._out_of_bounds(key, minimum, maximum, value)
            return fallback
        return value

    def number(self, key: str, default: float = 0, *, maximum: float = 9999) -> float:
        """A number from 0 to `maximum`; whole ones stay whole."""
        value = self._value(key, False)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._wrong(key, N_("a number"), value)
        elif not 0 <= value <= maximum:  # not a number is refused here too
            self._out_of_bounds(key, 0, maximum, value)
        else:
            return int(value) if value == int(value) else value
        return default

    def _out_of_bounds(self, key: str, minimum: float, maximum: float, value: float) -> None:
        template = N_("should be {minimum} to {maximum}, found {found}")
        self.fault(key, template, minimum=minimum, maximum=maximum, found=printable(value))

    def choice(self, key: str, known: Collection[str], default: str | None = None) -> str:
        """One of the known words; required when there is no default."""
        value = self._value(key, default is None)
        fallback = next(iter(known)) if default is None else default
        if value is None:
            return fallback
        if not isinstance(value, str):
            self._wrong(key, N_("a text in quotes"), value)
        elif value in known:
            return value
        else:
            self._unknown_word(key, value, known)
        return fallback

    def words(self, key: str, known: Collection[str], *, others: bool = False) -> tuple[str, ...]:
        """A list of words, each once. With `others`, unknown ones pass unless they look like a slip of a known one."""
        value = self._value(key, False)
        if value is None:
            return ()
        if not isinstance(value, list):
            self._wrong(key, N_("a list of texts"), value)
            return ()
        found: list[str] = []
        for entry in value:
            if not isinstance(entry, str) or not entry.strip() or not entry.isprintable():
                self._wrong(key, N_("a list of texts"), entry)
            elif entry in found:
                self.fault(key, N_("{found} is given twice"), found=printable(entry))
            elif entry in known or (others and did_you_mean(entry, known) is None):
                found.append(entry)
            else:
                self._unknown_word(key, entry, known)
        return tuple(found)

    def _unknown_word(self, key: str, value: str, known: Iterable[str]) -> None:
        near = did_you_mean(value, known)
        if near:
            self.fault(key, N_('{found} is not known; did you mean "{near}"?'), found=printable(value), near=near)
        else:
            words = ", ".join(known)
            self.fault(key, N_("{found} is not known; it can be {known}"), found=printable(value), known=words)

    def finish(self) -> None:
        """Take note of every key that nobody asked for."""
        for key in self.values:
            if key not in self._asked:
                near = did_you_mean(key, self._asked)
                if near:
                    self.fault(printable(key)[1:-1], N_('no such key; did you mean "{near}"?'), near=near)
                else:
                    known = ", ".join(sorted(self._asked))
                    self.fault(printable(key)[1:-1], N_("no such key; known are {known}"), known=known)
