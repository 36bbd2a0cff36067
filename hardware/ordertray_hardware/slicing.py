"""Slices every printed part with PrusaSlicer and writes times and grams: `make slice`.

Not part of `make hardware`: the slicer is half a gigabyte and the tub alone takes it a minute. The figures land in
hardware/slices.json, from which the guide's table is made.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from ordertray_hardware.__main__ import TARGET

RESULTS: Final = Path(__file__).parent.parent / "slices.json"
SETTINGS: Final = {
    "layer-height": "0.2", "perimeters": "3", "fill-density": "15%", "nozzle-diameter": "0.4",
    "filament-diameter": "1.75", "filament-density": "1.27", "skirts": "0", "brim-width": "3",
    "perimeter-speed": "45", "external-perimeter-speed": "30", "infill-speed": "80", "solid-infill-speed": "60",
    "first-layer-speed": "20", "travel-speed": "150", "bed-shape": "0x0,220x0,220x220,0x220", "center": "110,110",
}  # fmt: skip
"""An ordinary printer at an ordinary speed, PETG."""


_REPORTS: Final = ("report", "lamp-report")


def minutes(text: str) -> int:
    """Minutes of a time as the slicer writes it ("1d 2h 3m 4s"). Raises ValueError for anything else."""
    match = re.fullmatch(r"(?:(\d+)d )?(?:(\d+)h )?(?:(\d+)m )?(\d+)s", text.strip())
    if match is None:
        raise ValueError(f"not a time: {text!r}")
    days, hours, mins, seconds = (int(part or 0) for part in match.groups())
    return round(days * 1440 + hours * 60 + mins + seconds / 60)


def slice_part(stl: Path) -> dict[str, Any]:
    """Slice one part; return minutes and grams, and the room it takes on the bed with its brim, in mm."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "part.gcode"
        words = [f"--{key}={value}" for key, value in SETTINGS.items()]
        done = subprocess.run(
            ["prusa-slicer", "--export-gcode", *words, "-o", str(out), str(stl)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode or not out.exists():
            raise RuntimeError(f"{stl.name}: {(done.stdout + done.stderr)[-500:]}")
        text = out.read_text(encoding="utf-8")
    time = re.search(r"estimated printing time \(normal mode\) = (.*)", text)
    volume = re.search(r"filament used \[cm3\] = ([\d.]+)", text)
    if time is None or volume is None:
        raise RuntimeError(f"{stl.name}: the slicer wrote no times")
    # Moves with plastic only: what must lie on the bed.
    moves = [(float(m[1]), float(m[2])) for m in re.finditer(r"^G1 X([\d.-]+) Y([\d.-]+) E[\d.]", text, re.MULTILINE)]
    xs, ys = zip(*moves, strict=True)
    return {
        "minutes": minutes(time[1]), "grams": round(float(volume[1]) * float(SETTINGS["filament-density"])),
        "room_mm": [round(min(xs), 1), round(min(ys), 1), round(max(xs), 1), round(max(ys), 1)],
    }  # fmt: skip


def main(names: Sequence[str] = ()) -> int:
    """Slice all parts of the built cases, or those named; status 1 if one does not fit the bed, 2 without a slicer."""
    if shutil.which("prusa-slicer") is None:
        print("hardware: prusa-slicer is missing: apt install prusa-slicer", file=sys.stderr)
        return 2
    reports = [json.loads((TARGET / "case" / f"{name}.json").read_text(encoding="utf-8")) for name in _REPORTS]
    parts = {name: part for report in reports for name, part in report["parts"].items()}
    found = json.loads(RESULTS.read_text(encoding="utf-8")) if names else {}
    for name, part in sorted(parts.items()):
        if names and name not in names:
            continue
        found[name] = {
            "pieces": part["count"],
            "volume_cm3": part["volume_cm3"],
            **slice_part(TARGET / "case" / f"{name}.stl"),
        }
        print(f"hardware: {name}: {found[name]['minutes']} min, {found[name]['grams']} g", flush=True)
        x0, y0, x1, y1 = found[name]["room_mm"]
        if x0 < 0 or y0 < 0 or x1 > 220 or y1 > 220:
            print(f"hardware: {name} does not fit the bed with its brim", file=sys.stderr)
            return 1
    RESULTS.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
