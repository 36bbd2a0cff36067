"""Set-up on the page: rosters, edition, options, discs; then a game begins. Knows files and armies, no HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ... import rules
from ...army.codes import ArmyCodeError, decode
from ...army.data_files import ArmyDataError
from ...army.data_folder import open_army_data
from ...army.importing import import_army
from ...army.quick import quick_army
from ...army.roster import Roster, RosterError, format_army, parse_roster
from ...army.settings import remembered_data
from ...army.sheet import parse_csv
from ...files.problems import FileError, Problem, shown_problems
from ...games import store
from ...journal import Journal
from ...messages import N_, Translator
from ...rules import EDITIONS, Army, Options, Seat
from ...rules.options import MAX_ROUNDS
from ...table import Pace, Table
from ...tokens.binding import bindings, bound, troopers_of_kind
from ...tokens.model import Role, TokenKind
from ...tokens.registry import RegistryError, TokenRegistry, load_registry
from ...tokens.store import TokenStore
from ...tokens.virtual import missing_tokens, roles_for
from .filling import FillingError, entries_to_fill_in, filled

MOST_NAME = 40
MOST_CLOCK_MINUTES = 600


class SetupError(Exception):
    """Something that keeps the set-up from going on; `template` is a message id."""

    def __init__(self, template: str, **params: object) -> None:
        super().__init__(template)
        self.template = template
        self.params = params

    def text(self, translate: Translator) -> str:
        """The reason in words."""
        return translate(self.template).format(**self.params)


@dataclass
class Draft:
    """What one seat brings. `problems` are those of the last upload, `warnings` of the roster in use."""

    army: Army | None = None
    source: str = ""
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    name: str = ""
    by: str = ""
    """Which role brought it: the others may know no more than that it is there (INF)."""
    data: str = ""
    """Which army data it was read with: file, version."""

    @property
    def ready(self) -> bool:
        """Whether it may play: there, and nothing left to be filled in."""
        return self.army is not None and not any(trooper.incomplete for trooper in self.army.troopers)


_CLOCKS = ("clock_minutes", "round_minutes", "warning_minutes")


@dataclass
class Setup:
    """The game to come. `folder` holds the discs enrolled here; with `virtual`, those that are missing are made up."""

    folder: Path
    virtual: bool
    examples: Callable[[], Mapping[Seat, Army]]
    edition: str = rules.DEFAULT_EDITION.id
    pace: Pace = Pace.EXPRESS
    options: Options = field(default_factory=Options)
    clock_minutes: int = 0
    round_minutes: int = 0
    warning_minutes: int = 5
    drafts: dict[Seat, Draft] = field(default_factory=lambda: {seat: Draft() for seat in Seat})
    tokens: dict[Seat, TokenRegistry] = field(default_factory=dict)
    tokens_problem: str = ""
    chosen: dict[Seat, dict[Role, str]] = field(default_factory=lambda: {seat: {} for seat in Seat})
    """Which trooper a nameless disc stands for, where a player wants another than by number."""

    @property
    def store(self) -> TokenStore:
        """Everybody's discs, as the command line has them too."""
        return TokenStore(self.folder / "tokens")

    def owner(self, seat: Seat) -> str:
        """Whose discs the seat plays with: the person's, by the name given here; without one the seat's own."""
        return self.drafts[seat].name or str(seat)

    def tokens_path(self, seat: Seat) -> Path:
        """Where the discs of a seat's person are kept. Raises `RegistryError` for a name that makes no file."""
        return self.store.path(self.owner(seat))

    def load_tokens(self) -> None:
        """Read the discs enrolled before by whoever sits here. A spoilt file is told on the page and left alone."""
        for seat in Seat:
            if seat in self.tokens:
                if self.tokens[seat].owner not in ("", *Seat):
                    self.drafts[seat].name = self.drafts[seat].name or self.tokens[seat].owner
                continue
            old = self.folder / f"discs-{seat}.toml"  # where the page kept them once
            try:
                if self.tokens_path(seat).exists() or self.drafts[seat].name or not old.exists():
                    self.tokens[seat] = self.store.load(self.owner(seat))
                else:
                    self.tokens[seat] = load_registry(old)
            except RegistryError as error:
                self.tokens_problem = str(error)

    def set_tokens(self, seat: Seat, registry: TokenRegistry) -> None:
        """These are the seat's discs now."""
        self.tokens[seat] = registry

    def take_over(self, table: Table) -> None:
        """Begin from a game that is on or over: a rematch needs no upload."""
        self.edition = table.game.edition.id
        self.pace = table.pace
        self.options = table.game.options
        for seat in Seat:
            if self.drafts[seat].army is None:
                self.drafts[seat].army = table.game.army(seat)
                self.drafts[seat].source = table.game.army(seat).name

    # --- rosters -----------------------------------------------------------------------------------------------------

    def load(self, seat: Seat, kind: str, text: str, name: str, by: str) -> None:
        """Take a roster from a role: `file` (TOML, or CSV by its name), `example`, `quick` ("10 4") or `code`.

        What is wrong with it stands in the seat's draft, all of it; the roster before stays in use then.
        Raises `SetupError` for a kind that is none.
        """
        draft = self.drafts[seat]
        source = name or kind
        draft.by = by
        try:
            draft.data = ""
            army, warnings = self._read(seat, kind, text, source)
        except FileError as error:
            draft.problems, draft.source = error.problems, source
            return
        draft.army, draft.source, draft.problems, draft.warnings = army, source, (), warnings
        self.chosen[seat] = {}

    def _read(self, seat: Seat, kind: str, text: str, source: str) -> tuple[Army, tuple[Problem, ...]]:
        if kind == "example":
            return self.examples()[seat], ()
        if kind == "quick":
            words = text.split()
            if not 1 <= len(words) <= 4 or not all(
                word.isascii() and word.isdigit() and len(word) < 4 for word in words
            ):
                raise RosterError(source, [Problem("", N_("write numbers of troopers, one for each group, like 10 4"))])
            return quick_army(*map(int, words), edition=self.edition), ()
        if kind == "file":
            parse = parse_csv if source.lower().endswith(".csv") else parse_roster
            roster: Roster = parse(text, source, self.edition)
            return roster.army, roster.warnings
        if kind == "code":
            return self._from_code(seat, text, source)
        raise SetupError(N_("No such kind of roster."))

    def _from_code(self, seat: Seat, text: str, source: str) -> tuple[Army, tuple[Problem, ...]]:
        try:
            code = decode(text)
        except ArmyCodeError as error:
            raise RosterError(source, [Problem("", "{text}", {"text": str(error)})]) from None
        place = remembered_data()
        try:
            data = None if place is None else open_army_data(place, code)
        except ArmyDataError as error:
            raise RosterError(source, error.problems) from None
        if data is not None:
            self.drafts[seat].data = f"{Path(data.source).name} {data.version}".strip()
        imported = import_army(code, data, self.edition)
        notes = tuple(
            Problem(trooper, note.template, note.params, note.line, False) for trooper, note in imported.notes
        )
        roster = parse_roster(imported.toml(), source, self.edition)
        return roster.army, (*notes, *roster.warnings)

    def fill(self, seat: Seat, values: Mapping[str, Any]) -> None:
        """Fill in one entry that the army data did not know. Raises `SetupError`."""
        draft = self.drafts[seat]
        if draft.army is None:
            raise SetupError(N_("Seat {seat} has no roster yet."), seat=seat)
        try:
            draft.army = filled(draft.army, values, self.edition)
        except FillingError as error:
            raise SetupError(error.template, **error.params) from None
        gone = str(values["trooper"])
        draft.warnings = tuple(problem for problem in draft.warnings if problem.place != gone and not problem.rule)

    def bind(self, seat: Seat, kind: str, number: int, trooper: str) -> None:
        """This disc stands for that trooper in the game to come; the one that had it gets the other's. Raises
        `SetupError`.
        """
        registry, army = self.tokens.get(seat), self.drafts[seat].army
        role = Role(TokenKind(kind), None, number)
        if registry is None or army is None or not registry.with_role(role):
            raise SetupError(N_("There is no such disc."))
        if trooper not in [one.id for one in troopers_of_kind(army, role.kind)]:
            raise SetupError(N_("That trooper has no such order."))
        now = {t.role: one.id for t in registry if (one := bindings(registry, army, self.chosen[seat]).get(t.uid))}
        other = next((disc for disc, one in now.items() if one == trooper and disc.kind is role.kind), None)
        if other is not None and role in now:
            now[other] = now[role]
        self.chosen[seat] = {**now, role: trooper}

    # --- choices -----------------------------------------------------------------------------------------------------

    def choose(self, values: Mapping[str, Any]) -> None:
        """Set edition, pace, options, names and clock. Raises `SetupError`; then nothing has changed."""
        edition = values.get("edition", self.edition)
        if edition not in EDITIONS:
            raise SetupError(N_("There is no edition {edition}."), edition=edition)
        pace = values.get("pace", str(self.pace))
        if pace not in tuple(Pace):
            raise SetupError(N_("The pace is express or full."))
        rounds = values.get("rounds", self.options.rounds)
        if not 1 <= rounds <= MAX_ROUNDS:
            raise SetupError(N_("A game has 1 to {most} rounds."), most=MAX_ROUNDS)
        first = values.get("first", str(self.options.first))
        base = values.get("retreat_base", self.options.retreat_base)
        if first not in ("A", "B") or base not in ("limit", "list"):
            raise SetupError(N_("That is no option of a game."))
        minutes = {name: values.get(name, getattr(self, name)) for name in _CLOCKS}
        if not all(0 <= number <= MOST_CLOCK_MINUTES for number in minutes.values()):
            raise SetupError(N_("A clock has at most {most} minutes."), most=MOST_CLOCK_MINUTES)
        for seat in Seat:
            name = " ".join(str(values.get(f"name_{seat.lower()}", self.drafts[seat].name)).split())
            if len(name) > MOST_NAME:
                raise SetupError(N_("A name has at most {most} letters."), most=MOST_NAME)
            if name != self.drafts[seat].name:  # another person: other discs
                self.drafts[seat].name = name
                self.tokens.pop(seat, None)
                self.chosen[seat] = {}
        self.options = Options(
            first=Seat(first),
            rounds=rounds,
            retreat=values.get("retreat", self.options.retreat),
            lieutenant_loss=values.get("lieutenant_loss", self.options.lieutenant_loss),
            retreat_ends_game=values.get("retreat_ends_game", self.options.retreat_ends_game),
            retreat_base=base,
        )
        self.edition, self.pace = edition, Pace(pace)
        for clock, number in minutes.items():
            setattr(self, clock, number)
        self.load_tokens()

    # --- begin -------------------------------------------------------------------------------------------------------

    def discs(self, seat: Seat) -> TokenRegistry:
        """The discs of a seat for the game: those enrolled; on a virtual tray the missing ones are made up."""
        known = self.tokens.get(seat, TokenRegistry())
        army = self.drafts[seat].army
        if army is None:
            return known
        mine = bound(known, army, self.chosen[seat])
        if not self.virtual:
            return mine
        return TokenRegistry([*mine, *missing_tokens(army, str(seat), mine)], str(seat))

    def begin(self, journal: Journal, *, at_ms: int) -> tuple[int, Table]:
        """Record a new game; its number and table. Raises `SetupError`, `FileError`, `JournalError`."""
        armies: dict[Seat, Army] = {}
        for seat, draft in self.drafts.items():
            if draft.army is None:
                raise SetupError(N_("Seat {seat} has no roster yet."), seat=seat)
            if left := len(entries_to_fill_in(draft.army)):
                template = N_("Seat {seat}'s list is not complete: {count} entries are to be filled in.")
                raise SetupError(template, seat=seat, count=left)
            # Checked again under the edition that is chosen now.
            armies[seat] = parse_roster(format_army(draft.army), draft.source or str(seat), self.edition).army
        seats: dict[str, Any] = {"names": {str(seat): draft.name for seat, draft in self.drafts.items() if draft.name}}
        if self.clock_minutes or self.round_minutes:
            limit_ms = self.clock_minutes * 60_000 or None
            seats["clocks"] = {"limit_ms": limit_ms, "used_ms": {"A": 0, "B": 0}, "running": None, "paused": False}
            seats["clocks"] |= {"warn_ms": self.warning_minutes * 60_000}
            if self.round_minutes:
                seats["clocks"]["round"] = {"limit_ms": self.round_minutes * 60_000, "used_ms": 0}
        return store.begin(
            journal,
            armies,
            {seat: self.discs(seat) for seat in Seat},
            edition=EDITIONS[self.edition],
            pace=self.pace,
            at_ms=at_ms,
            options=self.options,
            seats=seats,
        )

    def view(self, viewer: str, translate: Translator) -> dict[str, Any]:
        """What the page shows to a role: its own roster and those it brought; of others, whether there is one."""
        return {
            "edition": self.edition,
            "editions": [{"id": edition.id, "title": translate(edition.title)} for edition in EDITIONS.values()],
            "pace": str(self.pace),
            "first": str(self.options.first),
            "rounds": self.options.rounds,
            "retreat": self.options.retreat,
            "lieutenant_loss": self.options.lieutenant_loss,
            "retreat_ends_game": self.options.retreat_ends_game,
            "retreat_base": self.options.retreat_base,
            **{name: getattr(self, name) for name in _CLOCKS},
            "tokens_problem": self.tokens_problem,
            "seats": {
                str(seat): self._seat_view(seat, draft, viewer in (str(seat), draft.by), translate)
                for seat, draft in self.drafts.items()
            },
        }

    def _seat_view(self, seat: Seat, draft: Draft, full: bool, translate: Translator) -> dict[str, Any]:
        shown: dict[str, Any] = {"ready": draft.ready, "loaded": draft.army is not None, "name": draft.name}
        if full:
            army = draft.army
            shown |= {
                "source": draft.source,
                "army": None if army is None else army.name,
                "troopers": 0 if army is None else len(army.troopers),
                "problems": shown_problems(draft.problems, translate),
                "warnings": shown_problems(draft.warnings, translate),
                "to_fill_in": entries_to_fill_in(army),
                "data": draft.data,
                "bound": self._bound(seat, army),
                "owner": self.owner(seat),
                "discs": len(self.tokens.get(seat, ())),
                "discs_wanted": 0 if army is None else len(roles_for(army)),
            }
        return shown

    def _bound(self, seat: Seat, army: Army | None) -> list[dict[str, Any]]:
        """Which trooper each of the player's nameless discs stands for in this list."""
        registry = self.tokens.get(seat)
        if army is None or registry is None:
            return []
        found = bindings(registry, army, self.chosen[seat])
        return [
            {
                "kind": token.kind.value,
                "number": token.number,
                "trooper": found[token.uid].id,
                "choices": [[one.id, one.name or one.id] for one in troopers_of_kind(army, token.kind)],
            }
            for token in registry
            if token.uid in found
        ]
