"""What the firmware's end of the link costs in the real interpreter's heap (64-bit words: a Pico needs about half)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from ordertray.sim.process import _MICROPYTHON, firmware_folder

SCRIPT = """
import gc, json, sys
sys.path.insert(0, sys.argv[1])
from ordertray_firmware import wire
from ordertray_firmware.link import TrayEnd, session_tag
def used():
    gc.collect()
    return gc.mem_alloc()
before = used()
end = TrayEnd({"id": "E6616408432A1B2C", "fw": "0.1.0"}, "9f3c01aa", 0)
found = {"idle": used() - before}
end.feed(wire.encode("H", 0, 0, 0, {"proto": [1, 0], "nonce": "a"}), 0)
while end.event({"e": "placed", "pad": "A", "uid": "04A1B2C3D4E5F6", "tag": "ntag213"}, 0):
    pass
end.snapshot({}, 0)
while end.take(0):
    pass
found["full"] = used() - before
found["queued"] = end.queued
strips = ["g" * 32, "s" * 32]
lamps = wire.encode("F", 1, 0, session_tag("a", "9f3c01aa"), {"f": 12, "A": strips, "B": strips})
gc.collect()
gc.disable()
now = gc.mem_alloc()
end.feed(lamps, 1)
found["lamps"] = gc.mem_alloc() - now
end.take(1)
now = gc.mem_alloc()
for _ in range(100):
    end.tick(2)
    end.take(2)
    end.due_ms(2)
found["round"] = (gc.mem_alloc() - now) / 100
gc.enable()
noise = bytes(range(256)) * 20
before = used()
for _ in range(50):
    end.feed(noise, 2)
found["noise"] = used() - before
print(json.dumps(found))
"""


def test_heap_of_the_trays_end(tmp_path: Path) -> None:
    (tmp_path / "heap.py").write_text(SCRIPT)
    said = subprocess.run(
        [sys.executable, "-c", _MICROPYTHON, str(tmp_path / "heap.py"), str(firmware_folder())],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = json.loads(said)
    assert found["queued"] == 32
    assert found["idle"] < 4_000, found
    assert found["full"] < 12_000, found
    assert found["lamps"] < 3_500, found  # garbage of one lamp frame, JSON included
    assert found["round"] <= 64, found  # garbage of a round in which nothing happens
    assert found["noise"] < 500, found
