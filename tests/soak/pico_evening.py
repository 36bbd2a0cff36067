"""An evening at the emulated Pico: taps, keys, lamps and readers that fail, for hours of emulated time.

Run: ORDERTRAY_UF2=image.uf2 python tests/soak/pico_evening.py [MINUTES] [SEED]

MINUTES of emulated time (default 180, an evening; each takes some 15 to 20 minutes of a processor of one's own, so that
is for a night or two). One line for each minute: heap in use after a collection, how late the buttons were looked at
at worst, the readers' health. Ends with status 1 if the tray restarted, told of a disc that was not there, lost one
that was, left a reader broken, or its heap grew.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from ordertray.sim.pico import EmulatedPico
from ordertray.traycare.flash import build_files
from pico.pico_forks import ForkHost

#: What befalls a reader: fault, and how long it lasts (0: it is over at once).
FAULTS = (("hang", 0.0), ("brown-out", 0.0), ("forgotten", 0.0), ("no-ack", 0.4), ("no-answer", 1.0), ("dead", 2.0))
#: Longest until a reader that was in trouble is well again: its back-off, and a reset.
RECOVERY_S = 9.0
GROWTH_BYTES = 3000


@dataclass
class Evening:
    """What happened: one entry for each minute, and what must not have been."""

    minutes: list[dict[str, Any]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    taps: int = 0
    missed: int = 0
    faults: int = 0


class Table:
    """Two hands and two readers that fail now and then."""

    def __init__(self, host: ForkHost, seed: int) -> None:
        self.host = host
        self.dice = Random(seed)
        self.evening = Evening()

    def play(self, minutes: int) -> Evening:
        """Play for so many emulated minutes."""
        host, pico, evening = self.host, self.host.pico, self.evening
        for minute in range(1, minutes + 1):
            end_s = pico.now_s + 60
            while pico.now_s < end_s:
                self.act()
            report = host.command("selftest")
            entry = {
                "minute": minute,
                "heap_used": report["tray"]["heap_used"],
                "late_ms": max((*host.late_ms, report["tray"]["late_ms"])),
                "health": {reader["pad"]: reader["health"] for reader in report["health"]},
                "taps": evening.taps,
                "missed": evening.missed,
                "faults": evening.faults,
            }
            host.late_ms.clear()
            evening.minutes.append(entry)
            print(json.dumps(entry), flush=True)
        self.judge()
        return evening

    def judge(self) -> None:
        """What must not have happened."""
        evening, pico = self.evening, self.host.pico
        if pico.boots != 1:
            evening.wrong.append(f"the tray restarted: {pico.log[-3:]}")
        for problem in pico.problems:
            evening.wrong.append(f"on the wires: {problem}")
        heaps = [entry["heap_used"] for entry in evening.minutes]
        if heaps and heaps[-1] - heaps[0] > GROWTH_BYTES:
            evening.wrong.append(f"the heap grew: {heaps}")

    def act(self) -> None:
        """One thing that people do, or that happens, and a pause."""
        self.dice.choices((self.tap, self.lamps, self.key, self.left_lying, self.trouble), (50, 25, 15, 7, 3))[0]()
        self.host.talk_for(self.dice.uniform(0.1, 1.2))

    def lamps(self) -> None:
        """The host shows another picture."""
        letters = "".join(self.dice.choices(".wrgbyopc", k=32))
        effects = "".join("." if letter == "." else self.dice.choice("sdbpfq") for letter in letters)
        self.host.end.show({"f": 1, "A": [letters, effects], "B": [letters, effects]})

    def key(self) -> None:
        """A key pressed on either side."""
        self.host.pico.click(self.dice.choice("AB"), self.dice.choice(("basic", "short", "aro", "pass", "ok")))

    def tap(self) -> None:
        """A disc tapped on a pad; it must be placed, once, and removed."""
        self.disc(self.dice.uniform(0.06, 0.4))

    def left_lying(self) -> None:
        """A disc left lying for a while."""
        self.disc(self.dice.uniform(1.0, 5.0))

    def disc(self, lying_s: float) -> None:
        """Lay a disc down and take it away; look at what the tray said of it."""
        host, pad = self.host, self.dice.choice("AB")
        uid = f"04{self.dice.randrange(1 << 24):06X}00CC77"
        host.events.clear()
        host.pico.place(pad, uid)
        host.talk_for(lying_s)
        host.pico.remove(pad)
        host.talk_for(0.5)
        said = [event["e"] for event in host.events if event.get("pad") == pad]
        of_it = [event["e"] for event in host.events if event.get("uid") == uid]
        self.evening.taps += 1
        if not of_it:
            self.evening.missed += 1
        if of_it != ["placed", "removed"]:
            self.evening.wrong.append(f"{lying_s:.2f} s on pad {pad}: {said}")

    def trouble(self) -> None:
        """A reader fails and is well again in time."""
        host, pad = self.host, self.dice.choice("AB")
        name, lasts_s = self.dice.choice(FAULTS)
        chip = host.pico.hardware.chips[pad]
        if name not in chip.FAULTS:
            return
        self.evening.faults += 1
        chip.fault(name)
        host.talk_for(lasts_s)
        if lasts_s:
            chip.fault(name, on=False)
        end_s = host.pico.now_s + RECOVERY_S
        while host.pico.now_s < end_s:
            host.talk_for(0.25)
            health = {reader["pad"]: reader["health"] for reader in host.command("selftest")["health"]}
            if health[pad] == "ok":
                return
        self.evening.wrong.append(f"reader {pad} is {health[pad]} {RECOVERY_S} s after {name}")


def evening(image: Path, minutes: int, seed: int = 1) -> Evening:
    """An evening with a PN532 and an MFRC522."""
    config = {"readers": [{"pad": "A", "chip": "pn532"}, {"pad": "B", "chip": "mfrc522"}]}
    files = {**build_files(), "config.json": json.dumps(config).encode()}
    with EmulatedPico(image, files=files, config=config) as pico:
        host = ForkHost(pico)
        host.wait(lambda: host.snapshots, 5, "a session")
        host.talk_for(1.5)
        return Table(host, seed).play(minutes)


def main(minutes: int, seed: int) -> None:
    """Play and judge."""
    name = os.environ.get("ORDERTRAY_UF2")
    if not name:
        print("skipped: ORDERTRAY_UF2 is not set (firmware/README.md says where to get MicroPython's image)")
        return
    played = evening(Path(name), minutes, seed)
    for wrong in played.wrong:
        print(f"wrong: {wrong}")
    print(f"{minutes} minutes, {played.taps} taps, {played.faults} faults: {len(played.wrong)} wrong")
    if played.wrong:
        sys.exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 180, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
