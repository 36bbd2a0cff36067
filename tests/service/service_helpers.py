"""A service without ports: taps are handed to it as a tray's link would."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from pathlib import Path

from ordertray import rules
from ordertray.army.quick import quick_army
from ordertray.games import store
from ordertray.journal import Journal
from ordertray.link import TrayEvent
from ordertray.rules import Seat
from ordertray.service.table_service import Notice, TableService
from ordertray.table import Pace
from ordertray.tokens.model import TokenKind
from ordertray.tokens.virtual import virtual_tokens

A, B = Seat
BOARD = "E6616408432B7A2E"


@dataclass
class Bench:
    """A service, its record, and a tray's event numbers."""

    service: TableService
    journal: Journal
    notices: list[Notice]
    nonce: str = "9f3c01aa"

    def __post_init__(self) -> None:
        self._sequence = count(1)

    def event(self, **body: object) -> TrayEvent:
        """The next event of the tray."""
        return TrayEvent(BOARD, self.nonce, next(self._sequence), body, "tray")

    def placed(self, uid: str, pad: Seat = A) -> TrayEvent:
        """A disc is laid down."""
        return self.event(e="placed", pad=str(pad), uid=uid, tag="ntag213")

    def held(self, side: Seat, button: str) -> TrayEvent:
        """A button is held."""
        return self.event(e="button", side=str(side), button=button, edge="hold")

    def pressed(self, side: Seat, button: str) -> TrayEvent:
        """A button that can be held is pressed shortly: it counts when it is let go."""
        return self.event(e="button", side=str(side), button=button, edge="up")

    def disc(self, seat: Seat, kind: TokenKind, group: int | None = None) -> str:
        """UID of a disc; of one that is not spent, as a hand would take it."""
        table = self.service.table
        assert table is not None
        uids = [t.uid for t in table.tokens if t.owner == seat and t.kind is kind and group in (None, t.group)]
        spent = table.spent()
        return next((uid for uid in uids if uid not in spent), uids[0])

    @property
    def game(self) -> rules.Game:
        """The game as it stands."""
        assert self.service.table is not None
        return self.service.table.game

    def reopened(self, path: Path) -> Bench:
        """The service after its host died and came back: same record, nothing else."""
        self.journal.close()
        bench = bench_on(path)
        assert bench.service.resume()
        return bench


def bench_on(path: Path) -> Bench:
    """A service on the record at `path`, without a game."""
    journal = Journal.open(path)
    notices: list[Notice] = []
    service = TableService(journal, wall_ms=lambda: 1_700_000_000_000)
    service.listen(notices.append)
    return Bench(service, journal, notices)


def begun(path: Path, pace: Pace = Pace.EXPRESS) -> Bench:
    """A service with a new game: two anonymous armies of 6 and 2."""
    bench = bench_on(path)
    armies = {seat: quick_army(6, 2, name=f"army {seat}") for seat in Seat}
    tokens = {seat: virtual_tokens(armies[seat], str(seat)) for seat in Seat}
    number, table = store.begin(
        bench.journal, armies, tokens, edition=rules.DEFAULT_EDITION, pace=pace, at_ms=1_700_000_000_000
    )
    bench.service.begin(number, table)
    return bench
