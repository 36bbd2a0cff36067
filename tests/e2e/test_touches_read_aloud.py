"""The table of touches, read aloud at a virtual tray: through the real firmware, over the wire, to record and lamps.

Each row of the page that lies beside the tray (host/ordertray/table/README.md), and a hand that does it. A row begins
with a new game in A's Orders Phase.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from e2e.e2e_helpers import ARO, GROUP_1, TURN, TableTop, table_top
from ordertray import rules
from ordertray.games import store
from ordertray.rules import Army, Seat, Trooper, public_view
from ordertray.service.table_service import Notice
from ordertray.table import ButtonPress, Outcome, Pace, explain_touch
from ordertray.table.told import say
from ordertray.tokens.model import TokenKind
from ordertray.tokens.virtual import virtual_tokens
from patience import patience

A, B = Seat
REGULAR, STATE, COMMAND = TokenKind.REGULAR, TokenKind.STATE, TokenKind.COMMAND


def army(letter: str) -> Army:
    """Five Regulars and an Irregular in group 1, one Regular in group 2."""
    ones = [Trooper(f"{letter}{n}", cost=20, group=1, lieutenant=n == 1) for n in range(1, 6)]
    wild = Trooper(f"{letter}wild", cost=20, group=1, training="irregular")
    return Army(letter, 200, (*ones, wild, Trooper(f"{letter}6", cost=20, group=2)))


class Aloud:
    """A hand that does what a row says, and a look at what came of it."""

    def __init__(self, top: TableTop) -> None:
        self.top, self.hand = top, top.hand

    @property
    def game(self) -> rules.Game:
        assert self.top.service.table is not None
        return self.top.service.table.game

    @property
    def order(self) -> dict[str, object] | None:
        """The order in progress, as everybody sees it."""
        found: dict[str, object] | None = public_view(self.game)["order"]
        return found

    def skills(self) -> list[str]:
        assert self.order is not None
        return [skill["label"] for skill in self.order["skills"]]  # type: ignore[attr-defined]

    def declared(self) -> list[str | None]:
        assert self.order is not None
        return [aro["trooper"] for aro in self.order["aro"]["declared"]]  # type: ignore[index]

    def step(self) -> object:
        return None if self.order is None else self.order["step"]

    def left(self, group: int = 1) -> int:
        return dict(self.game.side(A).pools)[group].left

    async def regular(self, group: int = 1, number: int | None = None) -> Outcome:
        """A's Regular disc: a fresh one, or that of a number."""
        table = self.top.service.table
        assert table is not None
        discs = self.hand.discs(A, REGULAR, group)
        unspent = [disc for disc in discs if disc.uid not in table.spent()]
        disc = unspent[0] if number is None else next(disc for disc in discs if disc.number == number)
        return outcome(await self.hand.tap(A, disc.uid))

    async def disc(self, seat: Seat, kind: TokenKind, pad: Seat | None = None) -> Outcome:
        return outcome(await self.hand.tap(pad or seat, self.hand.discs(seat, kind)[0].uid))

    async def tag(self, seat: Seat, trooper: str, pad: Seat | None = None) -> Outcome:
        return outcome(await self.hand.tap(pad or seat, self.hand.tag(seat, trooper).uid))

    async def press(self, seat: Seat, button: str) -> Outcome:
        return outcome(await self.hand.press(seat, button))

    async def hold(self, seat: Seat, button: str) -> Outcome:
        return outcome(await self.hand.hold(seat, button))

    async def shows(self, seat: Seat, what: slice | int, *wanted: str) -> None:
        await self.top.shows(seat, what, *wanted)


def outcome(notice: Notice) -> Outcome:
    assert notice.outcome is not None
    return notice.outcome


def told(made: Outcome) -> str:
    assert made.meant is not None, made.refusal
    return say(made.meant)


def why(made: Outcome) -> str:
    assert made.refusal is not None, "accepted"
    return explain_touch(made.refusal)


README = Path(__file__).parents[2] / "host/ordertray/table/README.md"

Row = Callable[[Aloud], Awaitable[None]]
ROWS: dict[str, Row] = {}


def row(words: str) -> Callable[[Row], Row]:
    """Put a row into the table."""

    def put(do: Row) -> Row:
        ROWS[words] = do
        return do

    return put


@row("order disc")
async def _(at: Aloud) -> None:
    assert told(await at.regular()) == "Regular order, group 1"
    await at.shows(B, ARO, "cc", "c.", ".c")
    assert told(await at.regular(group=2)) == "Regular order, group 2"
    assert (at.skills(), at.left(1), at.left(2)) == (["basic"], 4, 0)


@row("SHORT")
async def _(at: Aloud) -> None:
    await at.regular()
    await at.tag(B, "b2")
    assert told(await at.press(A, "short")) == "SHORT: second skill"
    assert (at.skills(), at.declared(), at.step()) == (["basic", "short"], ["b2"], "4.2")


@row("BASIC")
async def _(at: Aloud) -> None:
    await at.regular()
    await at.press(A, "basic")
    assert at.skills() == ["basic", "basic"]


@row("LONG")
async def _(at: Aloud) -> None:
    await at.regular()
    await at.tag(B, "b2")
    assert told(await at.press(A, "long")) == "LONG: the order is a LONG skill"
    assert (at.skills(), at.declared()) == (["long"], ["b2"])


@row("SHORT held")
async def _(at: Aloud) -> None:
    await at.regular()
    await at.hold(A, "short")
    assert at.skills() == ["short"]


@row("PASS, active side")
async def _(at: Aloud) -> None:
    await at.regular()
    await at.press(A, "pass")
    assert at.step() == "5"
    await at.shows(B, ARO, "..")


@row("OK")
async def _(at: Aloud) -> None:
    await at.regular()
    await at.press(B, "ok")
    assert at.step() == "3"
    await at.press(A, "ok")
    assert at.order is None


@row("OK held")
async def _(at: Aloud) -> None:
    made = await at.hold(A, "ok")
    assert made.accepted and at.game.state.phase == "orders"
    assert at.top.service.frame is not None and at.top.service.frame.a[0].effect == "q"
    assert told(await at.hold(A, "ok")) == "OK held: the turn is over"
    assert at.game.next_seat is B


@row("trooper's tag or ARO, reactive side")
async def _(at: Aloud) -> None:
    await at.regular()
    refused = await at.tag(B, "b2", pad=A)
    assert refused.refusal is not None and refused.refusal.rule == "ACT-09"
    await at.tag(B, "b2")
    await at.press(B, "aro")
    assert at.declared() == ["b2", None]


@row("ARO, active side")
async def _(at: Aloud) -> None:
    await at.regular()
    assert told(await at.press(A, "aro")) == "ARO: does anybody react?"
    assert at.top.service.table is not None and at.top.service.table.asked and at.declared() == []


@row("PASS, reactive side")
async def _(at: Aloud) -> None:
    await at.regular()
    assert told(await at.press(B, "pass")) == "PASS: done reacting"
    assert at.step() == "3"


@row("PASS held, one's own touch")
async def _(at: Aloud) -> None:
    await at.regular()
    assert (await at.hold(A, "pass")).signal == "undo"
    assert at.left() == 5 and at.order is None


@row("PASS held, the other side's touch")
async def _(at: Aloud) -> None:
    await at.regular()
    assert (await at.hold(B, "pass")).signal == "ask"
    assert at.left() == 4
    for seat in (A, B):
        await at.shows(seat, GROUP_1, "p" * 10)
    assert (await at.press(A, "ok")).signal == "undo"
    assert at.left() == 5


@row("State disc, trooper's tag")
async def _(at: Aloud) -> None:
    for states in ({"unconscious"}, {"dead"}, set[str]()):
        await at.disc(A, STATE)
        await at.shows(A, ARO, "ww")
        await at.tag(B, "b3", pad=A)
        assert at.game.side(B).troopers[2].states == states
    await at.shows(A, ARO, "..")


@row("State disc, Regular disc")
async def _(at: Aloud) -> None:
    await at.disc(A, STATE)
    assert not (await at.regular(number=3)).steps
    await at.regular(number=3)
    assert at.game.side(A).troopers[2].states == {"unconscious"} and at.left() == 5


@row("Command disc, Irregular disc or tag")
async def _(at: Aloud) -> None:
    await at.disc(A, COMMAND)
    await at.disc(A, TokenKind.IRREGULAR)
    assert at.left() == 6 and at.game.side(A).command_tokens == 3


@row("Command disc, two to four tags, Regular disc")
async def _(at: Aloud) -> None:
    await at.disc(A, COMMAND)
    for trooper in ("a2", "a3", "a4"):
        await at.tag(A, trooper)
    assert told(await at.regular()) == "Coordinated Order, group 1"
    assert at.order is not None and at.order["troopers"] == ["a2", "a3", "a4"]
    assert at.left() == 4 and at.game.side(A).command_tokens == 3


@row("Command disc, OK")
async def _(at: Aloud) -> None:
    await at.disc(A, COMMAND)
    await at.press(A, "ok")
    assert at.game.side(A).command_tokens == 3 and at.left() == 5


async def _leaderless(at: Aloud) -> None:
    """A's Lieutenant falls, B has a turn, and A begins in Loss of Lieutenant."""
    service = at.top.service
    await at.disc(A, STATE)
    await at.tag(A, "a1")
    for seat in (A, A, B, B, B, A):
        await service.touch(ButtonPress(seat, "ok", held=True), {"by": "page"})
    assert at.game.side(A).loss_of_lieutenant and at.game.state.phase == "orders"


@row("trooper's tag, order disc")
async def _(at: Aloud) -> None:
    await at.tag(A, "a3")
    await at.regular()
    assert at.order is not None and at.order["trooper"] == "a3"


@row("trooper's tag, Regular disc, in Loss of Lieutenant or Retreat")
async def _(at: Aloud) -> None:
    await _leaderless(at)
    await at.tag(A, "a4")
    await at.regular(number=2)
    assert at.order is not None and (at.order["kind"], at.order["trooper"]) == ("irregular", "a4")
    await at.regular(number=3)
    assert at.order is not None and at.order["trooper"] == "a3"
    assert why(await at.regular(number=1)) == "Disc 1 is a1, who has no order left. Of group 1 the discs 2, 5 are left."


@row("trooper's tag, OK, in the States Phase of Loss of Lieutenant")
async def _(at: Aloud) -> None:
    await _leaderless(at)
    for _ in range(2):
        await at.top.service.touch(ButtonPress(A, "ok", held=True), {"by": "page"})
    assert at.game.state.phase == "states"
    assert told(await at.tag(A, "a4")) == "waits for the second touch"
    assert told(await at.press(A, "ok")) == "a new Lieutenant is named"
    assert at.game.side(A).lieutenant == 3 and (await at.hold(A, "ok")).accepted and at.game.next_seat is B


@row("disc spent this turn")
async def _(at: Aloud) -> None:
    await at.regular(number=2)
    assert "spent" in why(await at.regular(number=2))
    assert at.left() == 4
    await at.regular(number=2)
    assert at.left() == 3


@row("disc of the other player")
async def _(at: Aloud) -> None:
    refused = await at.disc(B, REGULAR, pad=A)
    assert refused.refusal is not None and refused.refusal.rule == "SEQ-01" and at.left() == 5


def test_these_are_the_rows_of_the_page_beside_the_tray() -> None:
    text = README.read_text("utf-8").partition("## The page beside the tray")[2].partition("\n## ")[0]
    rows = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("|")][2:]
    assert rows == list(ROWS)


async def _new_game(top: TableTop) -> None:
    """A new game in A's Orders Phase, on the same tray."""
    armies = {A: army("a"), B: army("b")}
    tokens = {seat: virtual_tokens(armies[seat], str(seat)) for seat in Seat}
    await top.service.end()
    number, table = store.begin(
        top.service.journal, armies, tokens, edition=rules.DEFAULT_EDITION, pace=Pace.EXPRESS, at_ms=0
    )
    top.service.begin(number, table)
    for _ in range(2):  # it rests after the first count, where B may use a Command Token
        await top.service.touch(ButtonPress(A, "ok", held=True), {"by": "page"})
    assert table.game.state.active is None and top.service.table is not None
    await top.shows(A, TURN, "w")


def test_every_row_of_the_table_comes_true(tmp_path: Path) -> None:
    async def work() -> None:
        async with table_top(tmp_path, {A: army("a"), B: army("b")}) as top:
            for words, do in ROWS.items():
                await _new_game(top)
                try:
                    await do(Aloud(top))
                except (AssertionError, RuntimeError, TimeoutError) as fault:
                    pytest.fail(f"{words}: {fault!r}")
            assert top.tray.problems == []

    assert len(ROWS) >= 20
    asyncio.run(asyncio.wait_for(work(), patience(300)))


def test_a_disc_left_lying_across_the_end_of_a_turn_counts_once(tmp_path: Path) -> None:
    async def work() -> None:
        async with table_top(tmp_path, {A: army("a"), B: army("b")}) as top:
            await _new_game(top)
            at = Aloud(top)
            lying = at.hand.discs(A, REGULAR, 1)[0].uid
            top.tray.place("A", lying)
            await top.tray.wait_for_async(lambda: at.left() == 4, 10, "the order")
            for seat in (A, A, B, B, B, A):  # the turn ends, B has one, A's next begins
                await top.service.touch(ButtonPress(seat, "ok", held=True), {"by": "page"})
            assert at.game.state.active is A and at.game.state.round == 2
            await at.press(B, "pass")  # whatever the tray had to say of the disc has been said before this
            assert at.left() == 5
            top.tray.remove("A", lying)
            await asyncio.sleep(0.6)
            assert (await at.hold(A, "pass")).signal == "undo"  # the last touch is the begin of the turn, no order
            assert at.game.state.active is None

    asyncio.run(asyncio.wait_for(work(), patience(120)))


def test_taps_while_no_host_listens_are_refused_there_and_then_and_never_played(tmp_path: Path) -> None:
    async def work() -> None:
        async with table_top(tmp_path, {A: army("a"), B: army("b")}) as top:
            await _new_game(top)
            at = Aloud(top)
            table = top.service.table
            top.tray.unplug(keep_power=True)
            await top.tray.wait_for_async(lambda: "o" in top.tray.colours("A"), 10, "the offline pattern")
            heard = len(top.tray.tones)
            top.tray.tap("A", at.hand.discs(A, REGULAR, 1)[0].uid)
            await top.tray.wait_for_async(
                lambda: any(0 < tone < 400 for tone in top.tray.tones[heard:]), 10, "a low tone"
            )
            assert top.service.link_states()["A"] == "offline"
            top.tray.replug()
            assert top.service.trays is not None
            await asyncio.wait_for(top.service.trays.links[0].wait_online(), patience(30))
            assert (await at.press(B, "pass")).refusal is not None  # nothing was queued before it
            assert top.service.table is not None and table is not None
            assert top.service.table.game.position == table.game.position and at.left() == 5

    asyncio.run(asyncio.wait_for(work(), patience(120)))
