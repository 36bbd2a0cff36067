"""Games in the record: beginning one, and resuming it exactly where it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from .. import rules
from ..army.roster import format_army, parse_roster
from ..journal import Draft, Entry, GameRow, Journal, JournalReader
from ..rules import Army, Game, Options, Seat
from ..rules.options import MAX_ROUNDS
from ..table import Outcome, Pace, Step, Table
from ..table.kept import made_from_json, made_to_json, with_waiting
from ..table.meaning import replayed
from ..tokens.registry import TokenRegistry, format_registry, merge, parse_registry
from ..tokens.store import registry_for_game


class StoreError(Exception):
    """A recorded game that this version cannot go on with; the text says which and why."""


def begin(
    journal: Journal,
    armies: Mapping[Seat, Army],
    tokens: Mapping[Seat, TokenRegistry],
    *,
    edition: rules.Edition,
    pace: Pace,
    at_ms: int,
    options: Options | None = None,
    seats: Mapping[str, Any] | None = None,
) -> tuple[int, Table]:
    """Record a new game, in one commit; its number and its table. `at_ms`: Unix time in milliseconds.

    `seats`: what else is kept with the game, such as names and clocks.

    The rosters' own tags count as trooper tags. Raises `RegistryError` for discs that mean two things or that both
    sides have, `JournalError` if it cannot be written.
    """
    options = options or Options()
    # Who brings Reinforcements means to play with them; without the option no turn could begin (REI-01).
    late = any(trooper.deploy == "reinforcement" for army in armies.values() for trooper in army.troopers)
    if late and edition.command_tokens:
        options = replace(options, reinforcements=True)
    game = rules.new_game(armies, edition, options)
    discs = registry_for_game(
        {str(seat): registry for seat, registry in tokens.items()}, {str(seat): army for seat, army in armies.items()}
    )
    table = Table(game, discs, pace)
    number = journal.new_game(
        at_ms=at_ms,
        edition=edition.id,
        options=asdict(options),
        armies={str(seat): format_army(armies[seat]) for seat in Seat},
        seats={
            **(seats or {}),
            "pace": str(pace),
            "tokens": {str(seat): format_registry(discs.of_owner(seat)) for seat in Seat},
        },
    )
    return number, table


def first_position(row: GameRow) -> Game:
    """The game of `row` before its first action. Raises `StoreError`."""
    if row.edition not in rules.EDITIONS:
        raise StoreError(f"game {row.id} is of edition {row.edition!r}, which this version does not know")
    options = _options(row.options)
    armies = {seat: parse_roster(row.armies[seat], f"army {seat} of game {row.id}").army for seat in Seat}
    return rules.new_game(armies, rules.edition(row.edition), options)


def _options(kept: Mapping[str, Any]) -> Options:
    """The options of a recorded game. Raises KeyError, TypeError or ValueError for what are none."""
    defaults = Options()
    for name, value in kept.items():
        if name != "first" and type(value) is not type(getattr(defaults, name, None)):
            raise ValueError(f"option {name}: {value!r} is no value for it")
    if not 1 <= kept.get("rounds", 1) <= MAX_ROUNDS or kept.get("retreat_base", "limit") not in ("limit", "list"):
        raise ValueError("options: no such rounds or base of Retreat")
    return Options(**{**kept, "first": Seat(kept["first"])})


def steps_of(game: Game, entries: Iterator[Entry]) -> Iterator[tuple[int, Step]]:
    """The recorded steps, each with the number of its touch. Events are replayed as facts, not judged again."""
    for entry in entries:
        events = tuple(rules.from_json(event) for event in entry.events)
        action = rules.parse_action(entry.action)
        game = rules.replay(game, events, action)
        implied = bool(entry.cause.get("implied"))
        kept = entry.cause.get("made")
        made, back = (None, "") if kept is None else made_from_json(kept)
        yield (
            int(entry.cause.get("touch", -entry.number)),
            Step(action, events, game, implied, made, back),
        )


def resume(reader: JournalReader, row: GameRow) -> Table:
    """The table of a recorded game, as it stands after its last entry. Raises `StoreError`, `JournalError`."""
    return resumed(row, reader.entries(row.id))


def resumed(row: GameRow, entries: Iterator[Entry]) -> Table:
    """The table that these entries make of the game of `row`. Raises `StoreError`, and what `entries` raises."""
    try:
        game = first_position(row)
        tokens = merge(
            {seat: parse_registry(text, f"discs of seat {seat}") for seat, text in row.seats.get("tokens", {}).items()}
        )
        table = Table(game, tokens, Pace(row.seats.get("pace", Pace.EXPRESS)))
        table = replayed(table, steps_of(game, entries))
        return with_waiting(table, row.seats.get("waiting"))
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError) as fault:
        raise StoreError(f"game {row.id} cannot be resumed: {fault}") from fault


def next_touch(reader: JournalReader, row: GameRow) -> int:
    """A touch number that the game has not used yet."""
    return 1 + max((int(entry.cause.get("touch", 0)) for entry in reader.entries(row.id)), default=0)


def drafts_of(outcome: Outcome, touch: int, cause: Mapping[str, Any]) -> Sequence[Draft]:
    """What the record keeps of an outcome: one entry per action."""
    return [
        Draft(
            position=step.game.position,
            action=rules.format_action(replace(step.action, at=None)),
            seat=str(getattr(step.action, "seat", None) or ""),
            events=[rules.to_json(event) for event in step.events],
            cause={
                **cause,
                "touch": touch,
                **({"implied": True} if step.implied else {}),
                **({} if step.made is None else {"made": made_to_json(step.made, step.back)}),
            },
        )
        for step in outcome.steps
    ]


def script_of(reader: JournalReader, row: GameRow) -> str:
    """The game script that replays the game, with its options in front."""
    options = {**asdict(Options()), **row.options}
    lines = [f"# game {row.id}, edition {row.edition}"]
    defaults = Options()
    if options["first"] != defaults.first:
        lines.append(f"option first {options['first']}")
    if options["rounds"] != defaults.rounds:
        lines.append(f"option rounds {options['rounds']}")
    lines += ["option no-retreat"] * (not options["retreat"])
    lines += ["option no-lieutenant-loss"] * (not options["lieutenant_loss"])
    lines += ["option retreat-ends-game"] * options["retreat_ends_game"]
    if options["retreat_base"] != defaults.retreat_base:
        lines.append(f"option retreat-base {options['retreat_base']}")
    return "\n".join([*lines, *(entry.action for entry in reader.entries(row.id))]) + "\n"
