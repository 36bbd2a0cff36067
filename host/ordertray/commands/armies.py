"""The armies that `play` and `run` are given: two rosters and the edition they are played in."""

from __future__ import annotations

from pathlib import Path

from ..army.roster import Roster, load_army, read_roster
from ..files.problems import FileError
from ..messages import detect_language, translator
from ..rules.army import Army
from ..rules.editions import DEFAULT_EDITION, EDITIONS, Edition
from ..rules.seats import Seat
from .options import UserError


def read_armies(a: Path, b: Path, edition: str | None) -> tuple[dict[Seat, Army], Edition]:
    """Both rosters, and the edition they are played in. Raises `FileError` with the faults of both, `UserError`."""
    if edition is not None and edition not in EDITIONS:
        raise UserError(f"--edition {edition}: it is one of {', '.join(EDITIONS)}")
    rosters: dict[Seat, Roster] = {}
    faults: list[FileError] = []
    for seat, path in ((Seat.A, a), (Seat.B, b)):
        try:
            rosters[seat] = read_roster(path, edition)
        except FileError as error:
            faults.append(error)
    if faults:
        raise UserError("\n".join(fault.text(translator(detect_language())) for fault in faults))
    written = {roster.army.edition for roster in rosters.values() if roster.army.edition}
    if edition is None and len(written) > 1:
        raise UserError(f"the rosters are of different editions ({', '.join(sorted(written))}); say --edition")
    chosen = EDITIONS[edition or next(iter(written), DEFAULT_EDITION.id)]
    armies: dict[Seat, Army] = {}
    for seat, path in ((Seat.A, a), (Seat.B, b)):
        armies[seat] = load_army(path, chosen.id)
    return armies, chosen
