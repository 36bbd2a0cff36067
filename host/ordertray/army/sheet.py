"""Rosters as spreadsheets: CSV <-> `Army`, for those who rather edit a table.

Three rows say `name`, `points` and `edition`; after an empty row come the columns, and a row for each trooper.
Comma, semicolon or tab may part the cells; skills are parted by blanks (or by semicolons, where one has a blank in it);
`lieutenant`, `own-cost` and `incomplete` are marked `yes`. Fireteams are TOML's alone.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from ordertray.army.roster import MOST_TROOPERS, Reading, Roster, RosterError, roster_text
from ordertray.files.problems import Problem, did_you_mean, printable
from ordertray.files.tables import UnreadableError, read_text
from ordertray.messages import N_
from ordertray.rules.army import Army

COLUMNS = (
    "id", "name", "type", "cost", "group", "training", "lieutenant", "skills", "deploy", "controller", "tag",
    "own-cost", "incomplete",
)  # fmt: skip
_FLAGS = frozenset({"lieutenant", "own-cost", "incomplete"})
TOP = ("name", "points", "edition")
_YES, _NO = frozenset({"yes", "true", "x", "1", "sí", "si"}), frozenset({"no", "false", "0", "-"})


def format_csv(army: Army) -> str:
    """Write an army as CSV; `parse_csv` gives the same army back."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([["name", army.name], ["points", army.points], ["edition", army.edition or ""], [], COLUMNS])
    for trooper in army.troopers:
        cells = {
            **{flag: "yes" if getattr(trooper, flag.replace("-", "_")) else "" for flag in _FLAGS},
            "cost": f"{trooper.cost:g}",
            "skills": _skills_cell(sorted(trooper.skills)),
        }
        writer.writerow([cells[column] if column in cells else getattr(trooper, column) or "" for column in COLUMNS])
    return file.getvalue()


def read_csv(path: Path, edition: str | None = None) -> Roster:
    """Read a CSV roster. Raises `RosterError` with every fault and its line."""
    try:
        return parse_csv(read_text(path), str(path), edition)
    except UnreadableError as error:
        raise RosterError(str(path), [error.problem]) from None


def parse_csv(text: str | bytes, source: str = "roster.csv", edition: str | None = None) -> Roster:
    """Read a roster from CSV text. Raises `RosterError` with every fault and its line."""
    try:
        content = roster_text(text)
        rows = _rows(content)
    except UnreadableError as error:
        raise RosterError(source, [error.problem]) from None
    header = next((index for index, (_line, row) in enumerate(rows) if _is_header(row)), None)
    if header is None:
        template = N_('there is no row of columns, which begins with "id" ({columns})')
        raise RosterError(source, [Problem("", template, {"columns": ", ".join(COLUMNS)})])
    reading = Reading(source, edition)
    lines = {row[0].strip().lower(): line for line, row in rows[:header]}
    reading.top(_top(rows[:header]), lambda key: lines.get(key or ""))
    columns = [cell.strip().lower() for cell in rows[header][1]]
    while columns and not columns[-1]:
        columns.pop()
    _check_columns(reading, columns, rows[header][0])
    for index, (line, row) in enumerate(rows[header + 1 :]):
        values = {
            column: _value(column, cell.strip())
            for column, cell in zip(columns, row, strict=False)
            if column in COLUMNS and cell.strip()
        }
        reading.trooper(values, index, lambda key, line=line: line)  # type: ignore[misc]
        if index < MOST_TROOPERS and any(cell.strip() for cell in row[len(columns) :]):
            reading.tables[-1].fault(None, N_("has more cells than there are columns"))
    return reading.finish()


def _rows(content: str) -> list[tuple[int, list[str]]]:
    """The rows that have a cell filled, each with its line. Raises `UnreadableError`."""
    first = re.search(r"^[\"']?(?:id|name|points)[\"']?\s*([,;\t])", content, re.MULTILINE | re.IGNORECASE)
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=first[1] if first else ",")
    rows = []
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append((reader.line_num, row))
    except csv.Error as error:
        raise UnreadableError(
            Problem("", N_("this is not CSV: {reason}"), {"reason": error}, reader.line_num)
        ) from None
    return rows


def _is_header(row: list[str]) -> bool:
    names = [cell.strip().lower() for cell in row]
    return "id" in names and (len(names) == 1 or bool(set(names) & set(COLUMNS[1:])))


def _top(rows: list[tuple[int, list[str]]]) -> dict[str, object]:
    values: dict[str, object] = {}
    for _line, row in rows:
        key, value = row[0].strip().lower(), (row[1].strip() if len(row) > 1 else "")
        if value or key not in TOP:
            values[key] = _number(value) if key == "points" else value
    return values


def _check_columns(reading: Reading, columns: list[str], line: int) -> None:
    for place, column in enumerate(columns):
        problem = None
        if column not in COLUMNS:
            near = did_you_mean(column, COLUMNS)
            params = {"found": printable(column), "near": near or ", ".join(COLUMNS)}
            known = (
                N_('no such column {found}; did you mean "{near}"?'),
                N_("no such column {found}; known are {near}"),
            )
            problem = Problem("", known[0] if near else known[1], params, line)
        elif column in columns[:place]:
            problem = Problem("", N_("column {found} is given twice"), {"found": printable(column)}, line)
        if problem:
            reading.problems.append(problem)


def _value(column: str, cell: str) -> object:
    """A cell as the roster's type; what is none of it stays a text, and is refused as such."""
    if column in ("cost", "group"):
        return _number(cell)
    if column in _FLAGS:
        return True if cell.lower() in _YES else False if cell.lower() in _NO else cell
    if column == "skills":
        return [word.strip() for word in cell.split(";") if word.strip()] if ";" in cell else cell.split()
    return cell


def _skills_cell(skills: list[str]) -> str:
    return "".join(f"{skill};" for skill in skills) if any(" " in skill for skill in skills) else " ".join(skills)


def _number(cell: str) -> object:
    if re.fullmatch(r"-?[0-9]{1,9}", cell):
        return int(cell)
    return float(cell.replace(",", ".")) if re.fullmatch(r"-?[0-9]{1,9}[.,][0-9]{1,4}", cell) else cell
