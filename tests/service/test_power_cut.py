"""A few power cuts of the real service (`make soak`: a few hundred), and the test of the test: cheats are found out."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from soak.power_cut import BrokenPromiseError, PowerCuts

CHEATS = {
    "acknowledges before it is on disk": (
        """
        def cheat(self, event, honest=TableService.on_event):
            async def later():
                await asyncio.sleep(0.4)
                await honest(self, event)
            async def now():
                asyncio.get_running_loop().create_task(later())
            return now()
        TableService.on_event = cheat
        """,
        "acknowledged and not in the record",
    ),
    "plays a tap again when it is delivered again": (
        """
        import itertools, os
        fresh = itertools.count(os.getpid() * 1000)
        Journal.outcome = lambda self, tap: None
        def cheat(self, *args, tap=None, honest=Journal.record, **options):
            try:
                return honest(self, *args, tap=tap, **options)
            except AlreadyRecordedError:
                return honest(self, *args, tap=None, **options)
        Journal.record = cheat
        """,
        "a tap was played twice|is not what its taps make of it|recorded (True|False), should be",
    ),
}
CHEATING = """
import asyncio, textwrap
from ordertray.commands.main import main
from ordertray.journal import AlreadyRecordedError, Journal
from ordertray.service.table_service import TableService
exec(textwrap.dedent({cheat!r}))
main()
"""


def test_nothing_is_lost_or_doubled_by_power_cuts(tmp_path: Path) -> None:
    counts = PowerCuts(tmp_path, seed=5).run(4)
    assert counts["killed"] + counts["stopped cleanly"] == 4
    assert counts["taps in the record"] > 0
    assert (counts["lost"], counts["doubled"]) == (0, 0)


@pytest.mark.parametrize("what", CHEATS)
def test_a_service_that_cheats_is_found_out(tmp_path: Path, what: str) -> None:
    cheat, found = CHEATS[what]
    command = (sys.executable, "-c", CHEATING.format(cheat=cheat))
    with pytest.raises(BrokenPromiseError, match=found):
        PowerCuts(tmp_path, seed=7, command=command).run(30)
