"""`ordertray army`: from the army builder's code to a roster, and whatever one does with rosters."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ordertray.army.code_writing import encode
from ordertray.army.codes import ArmyCode, ArmyCodeError, CodeGroup, Framing, Member, decode
from ordertray.army.importing import ImportedArmy, import_army
from ordertray.army.settings import remember_data, remembered_data
from ordertray.commands import shared
from ordertray.commands.army_shown import army_tables, code_head, code_table
from ordertray.commands.terminal import MOST_TYPED, echo
from ordertray.files.problems import FileError, Problem
from ordertray.messages import N_, Translator
from ordertray.rules.army import Army
from ordertray.rules.editions import DEFAULT_EDITION, EDITIONS

app = typer.Typer(
    add_completion=False,
    help="Armies: codes of the army builder, rosters.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

EditionOption = Annotated[
    shared.EditionName | None,
    typer.Option("--edition", help="Edition to check under; else the roster's own, or n5."),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")]
Roster = Annotated[Path, typer.Argument(metavar="ROSTER", help="A roster: .toml or .csv")]


def _console(*, stderr: bool = False) -> Console:
    return Console(stderr=stderr, highlight=False)


@app.command("decode")
def decode_command(
    code: Annotated[str, typer.Argument(metavar="CODE", help="The code or its link; - reads standard input.")],
    data: Annotated[
        Path | None, typer.Option("--data", help="Folder (or file) of army data that you have; remembered.")
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the roster here (.toml, .csv).")] = None,
    edition: EditionOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what the code itself says, as JSON.")] = False,
    force: ForceOption = False,
) -> None:
    """Read an army code of the official army builder, and make a roster of it.

    The code has no costs, orders or skills: these come from army data that you have downloaded.

    What is not found there becomes an entry to fill in.

    \b
    Example:
      ordertray army decode axZrZX... --data ~/armydata -o mine.toml
    """
    _ = shared.language()
    console, messages = _console(), _console(stderr=True)
    try:
        read = decode(sys.stdin.buffer.read(MOST_TYPED).decode("utf-8", "replace") if code == "-" else code)
    except ArmyCodeError as error:
        shared.fail(error.text(_))
    if as_json:
        console.print_json(json.dumps(code_json(read), ensure_ascii=False))
        return
    place = data or remembered_data()
    if place is None:
        console.print(code_table(read, _))
    found = _imported(read, place, edition, _, messages)
    if place is not None:
        console.print(code_head(read, _))
        chosen = EDITIONS.get(found.army.edition or "", DEFAULT_EDITION)
        console.print(army_tables(found.army, chosen, _, found.weapons))
    for trooper_id, problem in found.notes:
        echo(f"{trooper_id or '-'}: {problem.text(_)}", err=True)
    for fault in found.problems():
        if fault.code == "incomplete":
            continue
        line = _("to correct: {problem} ({rule})")
        echo(line.format(problem=_(fault.template).format(**fault.params), rule=fault.rule), err=True)
    if found.proposals and output is not None and output.suffix.lower() != ".csv":
        line = _("{count} Fireteams that the chart allows stand at the end of the roster, as comments")
        echo(line.format(count=len(found.proposals) - 1), err=True)
    if found.to_fill_in:
        line = _("{count} of {all} entries are to be filled in before the list may play: {ids}")
        shown = ", ".join(trooper.id for trooper in found.army.troopers if trooper.incomplete)
        params = {"count": len(found.to_fill_in), "all": len(found.army.troopers), "ids": shown}
        echo(line.format(**params), err=True)
        echo(_("  ordertray army fill {path}").format(path=output or "ROSTER"), err=True)
    if place is None:
        echo(_("no army data: point --data at the folder of your JSON files to fill the roster in"), err=True)
    with shared.file_errors(_):
        if data is not None:
            remember_data(data)
        if output is not None:
            csv = output.suffix.lower() == ".csv"
            text = shared.format_any(found.army, output) if csv else found.toml(_)
            shared.save(output, text, force=force)
            echo(_("written: {path}").format(path=output))


def _imported(
    code: ArmyCode, place: Path | None, edition: str | None, translate: Translator, messages: Console
) -> ImportedArmy:
    if place is None:
        return import_army(code, None, edition)
    from ordertray.army.data_folder import open_army_data

    with shared.file_errors(translate), shared.progress_bar(messages, translate("army data")) as progress:
        return import_army(code, open_army_data(place, code, edition=edition, progress=progress), edition)


def code_json(code: ArmyCode) -> dict[str, object]:
    """An army code as JSON; `encode_json` reads it again."""
    return {**asdict(code), "framing": code.framing.value}


@app.command("encode")
def encode_command(
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="What `army decode --json` prints; - for standard input.")
    ],
    url: Annotated[bool, typer.Option("--url", help="Percent-encode it, for a link.")] = False,
) -> None:
    """Write an army code from its JSON form, to share it.

    \b
    Example:
      ordertray army decode axZrZX... --json > list.json
      ordertray army encode list.json --url
    """
    _ = shared.language()
    try:
        text = (
            sys.stdin.buffer.read(MOST_TYPED).decode("utf-8", "replace")
            if str(source) == "-"
            else source.read_text("utf-8-sig")
        )
        echo(encode(encode_json(text), url=url))
    except ArmyCodeError as error:
        shared.fail(error.text(_))
    except OSError as error:
        shared.fail(f"{source}: {error.strerror or error}")
    except (ValueError, RecursionError):
        shared.fail(_("{path}: this is not the JSON of an army code").format(path=source))


def encode_json(text: str) -> ArmyCode:
    """The army code in a JSON text of `code_json`. Raises `ValueError` for any other."""
    try:
        value = json.loads(text)
        groups = tuple(
            CodeGroup(
                tuple(
                    Member(
                        _whole(member["unit"]),
                        _whole(member["group"]),
                        _whole(member["option"]),
                        None if member.get("changes") is None else tuple(map(_text, member["changes"])),
                    )
                    for member in group["members"]
                ),
                bool(group.get("reinforcement", False)),
            )
            for group in value["groups"]
        )
        return ArmyCode(
            _whole(value["sectorial_id"]),
            _text(value["sectorial_slug"]),
            _text(value["name"]),
            _whole(value["points"]),
            groups,
            Framing(value.get("framing", "V1")),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(str(error)) from None


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("not a whole number")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("not a text")
    return value


@app.command()
def check(
    rosters: Annotated[list[Path], typer.Argument(metavar="ROSTER...", help="Rosters: .toml or .csv")],
    edition: EditionOption = None,
) -> None:
    """Check rosters: every fault, by its place; status 2 if there is any.

    \b
    Example:
      ordertray army check examples/red.toml examples/blue.toml
    """
    _ = shared.language()
    bad = False
    tags: dict[str, Path] = {}
    for path in rosters:
        try:
            roster = shared.read_any(path, edition)
        except FileError as error:
            echo(error.text(_), err=True)
            bad = True
            continue
        army = roster.army
        summary = _("{path}: good: {count} troopers, {total} of {limit} points")
        if roster.unfinished:
            summary = _("{path}: not ready to play: {count} troopers, {total} of {limit} points so far")
            bad = True
        count = sum(not trooper.is_peripheral for trooper in army.troopers)
        echo(summary.format(path=path, count=count, total=f"{army.total_points:g}", limit=army.points))
        for warning in roster.warnings:
            echo(f"  {warning.text(_)}")
        if incomplete := [trooper.id for trooper in army.troopers if trooper.incomplete]:
            line = _("{count} of {all} entries are to be filled in before the list may play: {ids}")
            echo(line.format(count=len(incomplete), all=len(army.troopers), ids=", ".join(incomplete)), err=True)
            echo(_("  ordertray army fill {path}").format(path=path), err=True)
        for trooper in army.troopers:
            if trooper.tag and tags.setdefault(trooper.tag, path) != path:
                text = _("disc {uid} is in {first} and in {second}")
                echo(text.format(uid=trooper.tag, first=tags[trooper.tag], second=path), err=True)
                bad = True
    if bad:
        raise typer.Exit(2)


@app.command()
def show(roster: Roster, edition: EditionOption = None) -> None:
    """Show a roster by combat group: orders, costs, skills. For your own eyes: costs and Lieutenant are private.

    \b
    Example:
      ordertray army show examples/red.toml
    """
    _ = shared.language()
    with shared.file_errors(_):
        read = shared.read_any(roster, edition)
    chosen = EDITIONS.get(edition or read.army.edition or "", DEFAULT_EDITION)
    _console().print(army_tables(read.army, chosen, _))
    for warning in read.warnings:
        echo(warning.text(_), err=True)


@app.command()
def fill(roster: Roster, edition: EditionOption = None) -> None:
    """Fill in what the army data did not know: asks for each incomplete entry, and writes after each.

    \b
    Example:
      ordertray army fill mine.toml
    """
    from ordertray.army.roster import with_trooper
    from ordertray.commands.army_questions import filled_in
    from ordertray.files.tables import read_text

    _ = shared.language()
    with shared.file_errors(_):
        read = shared.read_any(roster, edition)
        army = read.army
        for place, trooper in enumerate(army.troopers):
            if trooper.incomplete:
                army = filled_in(army, place, _)
                csv = roster.suffix.lower() == ".csv"
                text = shared.format_any(army, roster) if csv else with_trooper(read_text(roster), place, army)
                shared.save(roster, text, force=True)
        again = shared.read_any(roster, edition)
    left = sum(trooper.incomplete for trooper in again.army.troopers)
    if left or again.unfinished:
        for problem in again.unfinished:
            echo(problem.text(_), err=True)
        raise typer.Exit(2)
    echo(_("{path}: nothing is left to be filled in").format(path=roster))


@app.command("data")
def data_command(
    place: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER|FILE]", help="Where your army data is; remembered.")
    ] = None,
) -> None:
    """Say where your army data is, or show what is known of it: which armies, which version, how old.

    The tray ships no army data and fetches none: it is the publisher's.

    The army builder's web page loads it as JSON while you use it; your browser shows it (F12, "Network"). Save the
    answer of .../army/units/en/107 as 107.json (one file for each army; that of its Reinforcements ends in 99),
    and that of .../army/infinity/en/metadata as metadata.json, all in one folder.

    \b
    Example:
      ordertray army data ~/armydata
      ordertray army data
    """
    from ordertray.army.data_known import WHERE_DATA_COMES_FROM, data_in, data_lines

    _ = shared.language()
    with shared.file_errors(_):
        found = place or remembered_data()
        if found is None:
            echo(_("no army data is known yet"))
            echo(_(WHERE_DATA_COMES_FROM))
            return
        with shared.progress_bar(_console(stderr=True), _("army data")) as progress:
            known = data_in(found, progress=progress)
        if place is not None:
            remember_data(place)
    for line in data_lines(known, _):
        echo(line)
    if not known.files:
        raise typer.Exit(2)


@app.command()
def convert(
    source: Annotated[Path, typer.Argument(metavar="FROM", help="A roster: .toml or .csv")],
    target: Annotated[Path, typer.Argument(metavar="TO", help="The other: .csv or .toml")],
    force: ForceOption = False,
) -> None:
    """Turn a roster into a spreadsheet, or back.

    \b
    Example:
      ordertray army convert examples/red.toml red.csv
    """
    _ = shared.language()
    with shared.file_errors(_):
        roster = shared.read_any(source)
        shared.save(target, shared.format_any(roster.army, target), force=force)
    for warning in roster.warnings:
        echo(warning.text(_), err=True)
    echo(_("written: {path}").format(path=target))


@app.command()
def new(
    output: Annotated[Path, typer.Argument(metavar="ROSTER", help="Where to write it: .toml or .csv")],
    force: ForceOption = False,
) -> None:
    """Write a roster by answering questions.

    \b
    Example:
      ordertray army new mine.toml
    """
    from ordertray.commands.army_questions import guided_army

    _ = shared.language()
    with shared.file_errors(_):
        if output.exists() and not force:  # before the questions, not after
            raise FileError(str(output), [Problem("", N_("this file exists already; --force overwrites it"))])
        shared.format_any(Army("", 1, ()), output)  # the suffix too
        army = guided_army(_)
        shared.save(output, shared.format_any(army, output), force=force)
    echo(_("written: {path}").format(path=output))


@app.command()
def schema(
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write it here instead.")] = None,
    force: ForceOption = False,
) -> None:
    """Print the JSON schema of rosters, for editors that check while you type.

    \b
    Example:
      ordertray army schema -o roster.schema.json
    and as first line of a roster:
      #:schema ./roster.schema.json
    """
    from ordertray.army.schema import roster_schema

    _ = shared.language()
    text = json.dumps(roster_schema(), indent=2) + "\n"
    if output is None:
        typer.echo(text, nl=False)
        return
    with shared.file_errors(_):
        shared.save(output, text, force=force)
    echo(_("written: {path}").format(path=output))
