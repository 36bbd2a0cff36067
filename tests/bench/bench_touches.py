"""What a typical turn of ten orders costs in touches: on the virtual tray (through firmware and wire) and on the page.

Every touch is really made and must be accepted. Holds are counted among the touches, and once more beside them.
Cardboard tokens stand beside: one flip an order. The turn: `touch_turn.py`.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from bench.touch_turn import CARDBOARD, KINDS, TARGETS, WAYS, A, B, One, Part, army, cost, nine, pace_of, turn
from e2e.e2e_helpers import TableTop, table_top
from ordertray.rules import Seat
from ordertray.service.table_service import TableService
from ordertray.table.beside import uid_of
from ordertray.web.serving.guard import Guard
from web.web_helpers import API, Served, served

TIMES = {"attack": 6}


async def on_tray(top: TableTop, one: One) -> None:
    """One touch at the virtual tray."""
    table = top.service.table
    assert table is not None
    if one.key:
        notice = await (top.hand.hold if one.held else top.hand.press)(one.seat, one.key)
    else:
        owner, _, name = one.disc.rpartition(":")
        uid = uid_of(table, Seat(owner) if owner else one.seat, name, 0)
        assert uid is not None, one
        notice = await top.hand.tap(one.seat, uid)
    assert notice.outcome is not None and notice.outcome.accepted, (one, notice.outcome)


async def on_page(page: Served, one: One) -> None:
    """One touch on a phone. An enemy's casualty there is its name, then the state: two touches as well."""
    async with page.client(str(one.seat)) as client:
        if one.disc == "state":
            return  # opens the list of troopers: nothing is sent
        if one.disc.startswith("B:"):
            body = {"line": f"{one.seat} state {one.disc.replace('trooper ', '')} unconscious"}
            answer = (await client.post(f"{API}/actions", json=body)).json()
        else:
            what: dict[str, object] = {"disc": one.disc} if one.disc else {"key": one.key, "hold": one.held}
            answer = (await client.post(f"{API}/touch", json={"seat": str(one.seat), **what})).json()
    assert answer.get("ok"), (one, answer)


def check(service: TableService, part: Part) -> None:
    """Before its end the turn has come to what it should: one Regular order left, no other."""
    if part.kind == "end":
        assert service.table is not None
        side = service.table.game.side(A)
        assert (dict(side.pools)[1].left, side.lieutenant_orders.left, side.command_tokens) == (1, 0, 3)


async def play(way: str, where: str) -> list[Part]:
    """Play the turn; the parts that were played."""
    armies = {A: army("a"), B: army("b")}
    parts = list(turn(way))
    with tempfile.TemporaryDirectory() as folder:
        if where == "tray":
            async with table_top(Path(folder), armies, pace=pace_of(way)) as top:
                for part in parts:
                    check(top.service, part)
                    for one in part.touches:
                        await on_tray(top, one)
        else:
            async with served(Path(folder), armies, pace=pace_of(way)) as page:
                for part in parts:
                    check(page.service, part)
                    for one in part.touches:
                        await on_page(page, one)
    return parts


def _cell(a: int, b: int, holds: int) -> str:
    return f"{a}+{b}" + (f" ({holds}h)" if holds else "")


def main() -> int:
    """Play everything and print the table; 1 if a target was missed."""
    # Touches are counted here, and a program's come faster than any hand's: the page's limit would stop it.
    Guard._paced = lambda *_, **__: True  # type: ignore[method-assign]
    played = {(way, where): asyncio.run(play(way, where)) for way in WAYS for where in ("tray", "page")}
    names = {"count": "express, count only", "record": "express, recorded", "full": "full"}
    columns = [(way, where) for way in WAYS for where in ("tray", "page")]
    print("touches of A + B for one turn of ten orders (h: of these, keys held)")
    print(f"{'':24}{'cardboard':>11}" + "".join(f"{where:>14}" for _, where in columns))
    print(f"{'':35}" + "".join(f"{names[way]:>28}" for way in WAYS))
    for kind in KINDS:
        label = f"{TIMES[kind]} x {kind}, each" if kind in TIMES else kind
        cells = [_cell(*cost(played[column])[kind]) for column in columns]
        print(f"{label:24}{CARDBOARD[kind]:>11}" + "".join(f"{cell:>14}" for cell in cells))
    print(f"{'nine plain orders':24}{9:>11}" + "".join(f"{nine(played[column]):>14}" for column in columns))
    missed = [
        f"{way} on the {where}: {what} {found}, not {most}"
        for way, where in columns
        if way in TARGETS
        for what, most in TARGETS[way].items()
        if (found := nine(played[way, where]) if what == "nine" else sum(cost(played[way, where])[what][:2])) > most
    ]
    print(
        "\n".join(missed)
        if missed
        else "all targets reached (nine 9 and 24, Coordinated 3 and 6, casualty 2, mis-touch 1)"
    )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
