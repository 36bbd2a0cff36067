"""The page's parts by themselves: choices, history, path, statistics, fields, hands, set-up."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordertray import rules
from ordertray.games import store
from ordertray.journal import Journal
from ordertray.link import TrayEvent
from ordertray.messages import identity
from ordertray.rules import EDITIONS, Game, Options, Seat
from ordertray.rules import actions as a
from ordertray.service.table_service import TableService
from ordertray.table import Pace, Table, act
from ordertray.table.beside import uid_of
from ordertray.tokens.virtual import virtual_tokens
from ordertray.web.doing.hands import MOST_WAITING, PRESS_S, BusyError, Hands
from ordertray.web.doing.setup import Setup, SetupError
from ordertray.web.serving.fields import BodyError, Field, checked
from ordertray.web.showing.choices import MOST_COORDINATED, fold, unfold
from ordertray.web.showing.history import History
from ordertray.web.showing.pathway import path_of
from ordertray.web.showing.statistics import statistics
from web.web_helpers import A, B, army, finish


def new_table(pace: Pace = Pace.EXPRESS, edition: str = "n5", options: Options | None = None) -> Table:
    game = rules.new_game({A: army("A"), B: army("B")}, EDITIONS[edition], options)
    tokens = [token for seat in Seat for token in virtual_tokens(game.army(seat), str(seat))]
    from ordertray.tokens.registry import TokenRegistry

    return Table(game, TokenRegistry(tokens), pace)


def played(table: Table, *lines: str) -> Table:
    for line in lines:
        outcome = act(table, rules.parse_action(line))
        assert outcome.accepted, (line, outcome.refusal)
        table = outcome.table
    return table


def to_orders(table: Table) -> Table:
    table = played(table, "A start")
    while table.game.state.phase != "orders":
        table = played(table, "A next")
    return table


def positions(seed: int, count: int) -> Iterator[Game]:
    """Positions of a game that does all sorts of things."""
    chance, game = random.Random(seed), new_table().game
    for _ in range(count):
        legal = [
            action for seat in Seat for action in rules.legal_actions(game, seat) if not isinstance(action, a.Undo)
        ]
        if not legal:
            return
        kind = chance.choice(sorted({type(action).__name__ for action in legal}))
        outcome = rules.play(game, chance.choice([one for one in legal if type(one).__name__ == kind]))
        assert not isinstance(outcome, rules.Refusal)
        game = outcome[0]
        yield game


@pytest.mark.parametrize("seed", range(3))
def test_choices_are_exactly_the_legal_actions(seed: int) -> None:
    """Folding adds nothing; it leaves out large companies, AROs without their target, and named ones of nobody."""
    for game in positions(seed, 40):
        for seat in Seat:
            legal = rules.legal_actions(game, seat)
            unfolded = list(unfold(seat, fold(legal)))
            assert all(action in legal for action in unfolded)
            shown = {rules.format_action(action) for action in unfolded}
            for action in legal:
                if len(getattr(action, "troopers", ())) > MOST_COORDINATED:
                    continue
                nobody = isinstance(action, a.DeclareAro) and action.trooper is None and action.name is not None
                if nobody or (isinstance(action, a.DeclareAro) and action.target is None):
                    continue
                assert rules.format_action(action) in shown


def test_history_strikes_out_what_undo_took_back() -> None:
    table = new_table()
    history = History(table.game)
    for number, line in enumerate(("A start", "A next", "undo", "A next")):
        outcome = act(table, rules.parse_action(line))
        history.add(outcome.steps, 1000 + number, "page")
        table = outcome.table
    shown = history.shown(None, "en")
    assert [item["undone"] for item in reversed(shown) if not item["undo"]].count(True) == 1
    assert sum(bool(item["undo"]) for item in shown) == 1
    assert shown[0]["at_ms"] == 1003


@pytest.mark.rule("ACT-13")
def test_the_path_follows_the_order_to_its_end() -> None:
    table = to_orders(new_table(Pace.FULL))

    def states() -> str:
        path = path_of(table.game, rules.public_view(table.game), identity)
        return " ".join(f"{station['key']}:{station['state']}" for station in path if station["state"] != "todo")

    assert states() == ""
    table = played(table, "A spend regular g1 a2")
    assert states() == "activation:done first_skill:now"
    table = played(table, 'A skill "Move"')
    assert states() == "activation:done first_skill:done first_aro:now"
    table = played(table, 'B aro b2 "Dodge"')
    detail = {s["key"]: s["detail"] for s in path_of(table.game, rules.public_view(table.game), identity)}
    assert detail["activation"] == "Regular: a2" and detail["first_skill"] == "Move"
    assert detail["first_aro"] == "b2 Dodge"
    table = played(table, "B pass", "A end")
    assert states().endswith("second_skill:none second_aro:none resolution:now")
    table = played(table, "A resolve")
    assert "now" not in states() and "resolution:done" in states()


@pytest.mark.rule("ACT-14")
@pytest.mark.parametrize("edition", list(EDITIONS))
def test_every_edition_has_its_own_path(edition: str) -> None:
    game = rules.new_game({A: plain(), B: plain()}, EDITIONS[edition])
    keys = [station["key"] for station in path_of(game, rules.public_view(game), identity)]
    assert ("validity" in keys) == (EDITIONS[edition].sequence.validity is not None)


def plain() -> rules.Army:
    """An army that every edition allows."""
    return rules.Army("", 100, tuple(rules.Trooper(f"t{n}", cost=10, lieutenant=n == 1) for n in range(1, 6)))


def test_a_finished_game_is_counted_without_what_was_taken_back(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "r.sqlite3") as journal:
        times = iter(range(1000, 10_000_000, 1000))
        service = TableService(journal, wall_ms=lambda: next(times))
        armies = {A: army("A"), B: army("B")}
        tokens = {seat: virtual_tokens(armies[seat], str(seat)) for seat in Seat}
        number, table = store.begin(
            journal, armies, tokens, edition=EDITIONS["n5"], pace=Pace.FULL, at_ms=0, options=Options(rounds=1)
        )
        service.begin(number, table)

        async def play() -> None:
            async def do(line: str) -> None:
                outcome = await service.act(rules.parse_action(line), {"by": "page"})
                assert outcome.accepted, (line, outcome.refusal)

            await do("A start")
            while service.table is not None and service.table.game.state.phase != "orders":
                await do("A next")
            for line in ("A spend regular g1 a2", "A skill basic", "B aro b2", "B aro b3", "undo", "B pass", "A end",
                         "A resolve", "A done", "A spend regular g2 a5", "undo", "A spend tactical a3"):  # fmt: skip
                await do(line)

        asyncio.run(play())
        row = journal.game(number)
        entries = list(journal.entries(number))
        steps = [step for _, step in store.steps_of(store.first_position(row), iter(entries))]
        counted = statistics(list(zip(entries, steps, strict=True)), row.started_ms)
        one = counted["seats"]["A"]
        assert (one["orders"], one["kinds"], one["groups"]) == (2, {"regular": 1, "tactical": 1}, {"1": 2})
        assert one["troopers"] == {"a2": 1, "a3": 1} and one["rounds"] == {"1": 2}
        assert counted["seats"]["B"]["aro_troopers"] == {"b2": 1}
        assert [turn["seat"] for turn in counted["turns"]] == ["A"]
        assert 0 < counted["turns"][0]["ms"] < 60_000


FIELDS = (Field("line", str, "", most=5), Field("on", bool, "", False), Field("n", int, "", False, most=3))


def test_every_fault_of_a_body_is_named_at_once() -> None:
    with pytest.raises(BodyError) as caught:
        checked(FIELDS, {"on": 1, "n": 9, "what": None})
    for word in ("line", "on", "n:", "what"):
        assert word in str(caught.value)
    assert checked(FIELDS, {"line": "x", "n": 3}) == {"line": "x", "n": 3}


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=8)


@settings(max_examples=150)
@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner)))
def test_no_body_breaks_the_check(body: Any) -> None:
    try:
        checked(FIELDS, body)
    except BodyError as fault:
        assert str(fault)


class ScriptedTray:
    """Stands for the tray below the hands: what it is told, it tells the service as the firmware would."""

    def __init__(self, service: TableService, answers: bool = True) -> None:
        self.service = service
        self.answers = answers
        self.done: list[tuple[float, str]] = []
        self.sequence = 0
        self.tasks: set[asyncio.Task[None]] = set()

    def _event(self, **body: object) -> None:
        self.sequence += 1
        event = TrayEvent("E6616408432B7A2E", "9f3c01aa", self.sequence, body, "tray")
        task = asyncio.ensure_future(self.service.on_event(event))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def _note(self, what: str) -> None:
        self.done.append((asyncio.get_running_loop().time(), what))

    def place(self, pad: str, uid: str) -> None:
        self._note(f"place {pad}")
        if self.answers:
            self._event(e="placed", pad=pad, uid=uid, tag="ntag213")

    def remove(self, pad: str, uid: str) -> None:
        self._note(f"remove {pad}")

    def press(self, side: str, button: str) -> None:
        self._note(f"down {side} {button}")
        if self.answers:
            self._event(e="button", side=side, button=button, edge="down")

    def release(self, side: str, button: str) -> None:
        self._note(f"up {side} {button}")
        if self.answers:
            self._event(e="button", side=side, button=button, edge="up")


def with_hands(folder: Path, story: Any, answers: bool = True) -> None:
    async def work() -> None:
        with Journal.open(folder / "r.sqlite3") as journal:
            service = TableService(journal, wall_ms=lambda: 1)
            armies = {A: army("A"), B: army("B")}
            tokens = {seat: virtual_tokens(armies[seat], str(seat)) for seat in Seat}
            number, table = store.begin(journal, armies, tokens, edition=EDITIONS["n5"], pace=Pace.EXPRESS, at_ms=0)
            service.begin(number, table)
            tray = ScriptedTray(service, answers)
            hands = Hands(tray, service)
            await story(hands, tray, service)
            hands.close()
            await asyncio.gather(*tray.tasks)

    finish(work())


def test_hands_answer_with_what_the_table_made_of_the_touch(tmp_path: Path) -> None:
    async def story(hands: Hands, tray: ScriptedTray, service: TableService) -> None:
        assert service.table is not None
        uid = uid_of(service.table, A, "regular g1", 0)
        assert uid is not None
        notice = await hands.tap(A, uid)
        assert notice is not None and notice.outcome is not None and notice.outcome.refusal is not None
        assert [what for _, what in tray.done] == ["place A", "remove A"]
        notice = await hands.click(A, "basic")
        assert notice is not None and notice.outcome is not None and not notice.outcome.accepted

    with_hands(tmp_path, story)


def test_a_press_is_long_enough_for_the_firmware_and_ends_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ordertray.web.doing.hands.FORGOTTEN_S", 0.2)

    async def story(hands: Hands, tray: ScriptedTray, service: TableService) -> None:
        hands.press(A, "ok")
        hands.release(A, "ok")
        hands.release(A, "ok")
        hands.press(B, "pass")  # nobody lets this one go
        while len(tray.done) < 4:
            await asyncio.sleep(0.01)
        times = {what: at for at, what in tray.done}
        assert times["up A ok"] - times["down A ok"] >= PRESS_S * 0.9
        assert times["up B pass"] > times["up A ok"]
        hands.press(A, "long")

    with_hands(tmp_path, story, answers=False)


def test_a_pad_takes_only_so_many_waiting_discs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ordertray.web.doing.hands.PATIENCE_S", 0.05)

    async def story(hands: Hands, tray: ScriptedTray, service: TableService) -> None:
        taps = [asyncio.ensure_future(hands.tap(A, f"04{n:012X}")) for n in range(MOST_WAITING + 2)]
        done = await asyncio.gather(*taps, return_exceptions=True)
        assert sum(isinstance(one, BusyError) for one in done) == 2
        assert [one for one in done if not isinstance(one, BusyError)] == [None] * MOST_WAITING
        down = 0
        for _, what in tray.done:  # never two discs on one pad
            down += 1 if what == "place A" else -1
            assert down in (0, 1)

    with_hands(tmp_path, story, answers=False)


def test_set_up_takes_rosters_of_every_kind_and_lists_every_fault(tmp_path: Path) -> None:
    setup = Setup(tmp_path, False, lambda: {A: army("A"), B: army("B")})
    setup.load(A, "file", 'points = "x"\n[[trooper]]\nid = "q"\ncost = -1\n', "mine.toml", "A")
    assert setup.drafts[A].army is None
    assert {problem.line for problem in setup.drafts[A].problems} >= {1, 4}
    for kind, text in (("quick", "10 x"), ("quick", "99"), ("code", "%%%"), ("file", "\x00")):
        setup.load(A, kind, text, "", "A")
        assert setup.drafts[A].problems and setup.drafts[A].army is None, kind
    setup.load(A, "quick", "10 4", "", "A")
    setup.load(B, "example", "", "", "B")
    assert not setup.drafts[A].problems and setup.drafts[B].army is not None
    setup.load(A, "file", "rubbish", "later.toml", "A")
    assert setup.drafts[A].problems and setup.drafts[A].army is not None  # the one before stays in use
    with pytest.raises(SetupError):
        setup.load(A, "poem", "", "", "A")
    with Journal.open(tmp_path / "r.sqlite3") as journal:
        setup.choose({"first": "B", "rounds": 2, "retreat": False, "clock_minutes": 30, "name_a": " Ana  Lu "})
        number, table = setup.begin(journal, at_ms=5)
        row = journal.game(number)
        assert (table.game.options.first, table.game.options.rounds, table.game.options.retreat) == (B, 2, False)
        assert row.seats["names"] == {"A": "Ana Lu"} and row.seats["clocks"]["limit_ms"] == 1_800_000


def test_set_up_without_rosters_or_with_bad_options_says_so_and_changes_nothing(tmp_path: Path) -> None:
    setup = Setup(tmp_path, False, dict)
    with Journal.open(tmp_path / "r.sqlite3") as journal, pytest.raises(SetupError) as caught:
        setup.begin(journal, at_ms=5)
    assert "A" in caught.value.text(identity)
    before = (setup.edition, setup.options, setup.pace)
    for values in ({"edition": "n9"}, {"rounds": 0}, {"rounds": 2, "first": "C"}, {"pace": "slow"},
                   {"rounds": 2, "name_a": "x" * 99}):  # fmt: skip
        with pytest.raises(SetupError):
            setup.choose(values)
    assert (setup.edition, setup.options, setup.pace) == before
