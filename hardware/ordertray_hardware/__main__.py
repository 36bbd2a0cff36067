"""Builds the hardware: `python -m ordertray_hardware STEP ...`, steps as in `STEPS`, results in build/hardware.

`all` is every step, `files` all but the guide's pictures.
"""

import argparse
import fcntl
import hashlib
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Final

from ordertray_hardware.boards import BOARDS

PACKAGE: Final = Path(__file__).parent
ROOT: Final = PACKAGE.parent.parent
TARGET: Final = ROOT / "build" / "hardware"
PICTURES: Final = ROOT / "hardware" / "pictures"
INSTALL: Final = "run hardware/install-tools.sh"


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the steps asked for; status 0, 1 if a check failed, 2 if a tool is missing."""
    parser = argparse.ArgumentParser(prog="ordertray_hardware", description=__doc__)
    parser.add_argument("steps", nargs="+", choices=[*STEPS, "all", "files"])
    parser.add_argument("--fresh", action="store_true", help="build again what is up to date")
    options = parser.parse_args(arguments)
    if missing := missing_tools():
        print(f"hardware: missing {', '.join(missing)}: {INSTALL}", file=sys.stderr)
        return 2
    TARGET.mkdir(parents=True, exist_ok=True)
    asked = list(STEPS) if "all" in options.steps else options.steps
    if "files" in asked:
        # What somebody builds from, without the guide's pictures: half the time.
        asked = [step for step in STEPS if not step.startswith(("pictures", "steps"))]
    try:
        with (TARGET / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if options.fresh:
                for stamp in TARGET.glob(".*.stamp"):
                    stamp.unlink()
            _two_at_a_time(asked)
    except Exception as error:
        print(f"hardware: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


def missing_tools() -> list[str]:
    """What this machine lacks, in words."""
    missing = [name for name in ("kicad-cli", "dot", "pdftoppm", "ngspice") if shutil.which(name) is None]
    for module in ("pcbnew", "build123d", "trimesh", "manifold3d", "embreex", "PIL", "numba", "gerbonara", "kikit"):
        try:
            __import__(module)
        except ImportError:
            missing.append(f"{module} (run with build/hardware-venv/bin/python)")
    if not Path("/usr/share/kicad/footprints").is_dir():
        missing.append("KiCad's libraries")
    return missing


def source_digest(step: str) -> str:
    """Digest of every source that the outputs of a step depend on.

    Of a board's table only its own contents count, so that a change of one board builds that board alone.
    """
    digest = hashlib.sha256()
    kind, _, name = step.partition("-")
    folders = {"case": ("case",), "lampcase": ("case",), "steps": ("case",)}.get(kind, ("",))
    sources = [path for folder in folders for path in (PACKAGE / folder).glob("*.py")]
    if folders == ("",):
        sources = [path for path in sources if path.name in _ENGINE.get(kind, _ENGINE["fab"])]
    for path in sorted(sources):
        digest.update(path.relative_to(PACKAGE.parent).as_posix().encode() + b"\0" + path.read_bytes())
    of_a_tray = ("tray", "buttons")
    for board in (
        (name,)
        if name in BOARDS
        else {"case": of_a_tray, "panel": of_a_tray, "lampcase": ("lamps",), "steps": of_a_tray}.get(
            kind, tuple(BOARDS)
        )
    ):
        digest.update(stable(BOARDS[board]).encode())
    return digest.hexdigest()


def stable(value: Any) -> str:
    """A text of a table that is the same in every run: sets in order."""
    if is_dataclass(value) and not isinstance(value, type):
        return "(" + ",".join(f"{f.name}={stable(getattr(value, f.name))}" for f in fields(value)) + ")"
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{stable(value[key])}" for key in value) + "}"
    if isinstance(value, frozenset):
        return "<" + ",".join(sorted(stable(one) for one in value)) + ">"
    if isinstance(value, tuple | list):
        return "[" + ",".join(stable(one) for one in value) + "]"
    return repr(value)


_LAYOUT: Final = frozenset(
    {"schematic.py", "layout.py", "router.py", "pathfinder.py", "silkscreen.py", "project.py", "sexpr.py"}
)
_ENGINE: Final[Mapping[str, frozenset[str]]] = {
    "board": _LAYOUT,
    "fab": _LAYOUT | {"fabrication.py", "drawing.py", "catalogue.py", "bill.py"},
    "pictures": _LAYOUT | {"fabrication.py"},
    "panel": _LAYOUT | {"fabrication.py", "panel.py"},
    "wiring": frozenset({"wiring.py", "pins.py", "strip_board.py", "reader_picture.py"}),
    "bill": frozenset({"bill.py", "catalogue.py"}),
}
"""The modules, besides the tables, whose change makes the outputs of a kind of step stale."""


def _two_at_a_time(asked: list[str]) -> None:
    """Two boards beside each other, then the rest one after the other."""
    boards = [step for step in asked if step.startswith("board-") and not _is_fresh(step)]
    waiting = list(boards)
    running: dict[str, subprocess.Popen[bytes]] = {}
    while waiting or running:
        while waiting and len(running) < 2:
            step = waiting.pop(0)
            command = [sys.executable, "-c", f"from ordertray_hardware.__main__ import _run; _run({step!r})"]
            running[step] = subprocess.Popen(command, cwd=PACKAGE.parent)
        for step, process in list(running.items()):
            if process.poll() is not None:
                del running[step]
                if process.returncode:
                    for other in running.values():
                        other.wait()
                    raise RuntimeError(f"{step} failed")
        time.sleep(0.2)
    for step in asked:
        _run(step)


def _stamp(step: str) -> Path:
    return TARGET / f".{step}.stamp"


def _is_fresh(step: str) -> bool:
    stamp = _stamp(step)
    return stamp.exists() and stamp.read_text(encoding="utf-8") == source_digest(step)


def _run(step: str) -> None:
    if _is_fresh(step):
        return
    digest = source_digest(step)
    begin = time.monotonic()
    finished = threading.Event()

    def tell() -> None:
        while not finished.wait(PROGRESS_S):
            print(f"hardware: {step} ... {time.monotonic() - begin:.0f} s", flush=True)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        STEPS[step]()
    finally:
        finished.set()
        teller.join()
    _stamp(step).write_text(digest, encoding="utf-8")
    print(f"hardware: {step} ({time.monotonic() - begin:.0f} s)", flush=True)


PROGRESS_S: Final = 10.0


def _board(name: str) -> Callable[[], None]:
    def build() -> None:
        # In a process of its own: KiCad numbers what it makes in the order of making, so that whatever was made
        # before would change the bytes.
        command = [sys.executable, "-m", "ordertray_hardware.fabrication", name, str(TARGET / "boards" / name)]
        done = subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"board {name}: {done.stderr.strip() or done.stdout.strip()}")

    return build


def _case() -> None:
    from ordertray_hardware.case.build import build_case

    build_case(TARGET / "boards", TARGET / "case")


def _lamp_case() -> None:
    from ordertray_hardware.case.build import build_lamp_case

    build_lamp_case(TARGET / "boards" / "lamps", TARGET / "case")


def _wiring() -> None:
    from ordertray_hardware.wiring import HARNESSES, as_yaml

    folder = TARGET / "wiring"
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in HARNESSES.items():
        (folder / f"{name}.yml").write_text(as_yaml(make()), encoding="utf-8")
        wireviz = str(Path(sys.executable).with_name("wireviz"))
        subprocess.run([wireviz, "-f", "spt", f"{name}.yml"], cwd=folder, check=True, capture_output=True)
    from ordertray_hardware import reader_picture, strip_board

    for name, drawing in (("strip-board", strip_board.svg()), ("reader", reader_picture.svg())):
        (folder / f"{name}.svg").write_text(drawing, encoding="utf-8")
        subprocess.run(["rsvg-convert", "-o", f"{name}.png", f"{name}.svg"], cwd=folder, check=True)


def _bill() -> None:
    from ordertray_hardware import bill
    from ordertray_hardware.boards import SETS

    folder = TARGET / "bill"
    folder.mkdir(parents=True, exist_ok=True)
    for name in SETS:
        (folder / f"{name}.md").write_text(bill.markdown(name), encoding="utf-8")
        (folder / f"{name}.csv").write_text(bill.as_csv(name), encoding="utf-8")


def _fab(name: str) -> Callable[[], None]:
    def build() -> None:
        from ordertray_hardware.fabrication import fabricate

        fabricate(BOARDS[name], TARGET / "boards" / name, TARGET / "fab")

    return build


def _panel() -> None:
    command = [sys.executable, "-m", "ordertray_hardware.panel", str(TARGET / "boards"), str(TARGET / "fab")]
    done = subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"panel: {done.stderr.strip()[-2000:]}")


def _picture(name: str) -> Callable[[], None]:
    def draw() -> None:
        from ordertray_hardware.case.populated import picture
        from ordertray_hardware.fabrication import picture_board

        picture_board(BOARDS[name], TARGET / "boards" / name, TARGET / "pictures")
        picture(BOARDS[name], TARGET / "boards", TARGET / "pictures" / f"{name}-populated.png")

    return draw


def _steps() -> None:
    from ordertray_hardware.case.parameters import CaseParameters
    from ordertray_hardware.case.step_pictures import closing_pictures, solder_pictures

    solder_pictures(TARGET / "boards", TARGET / "pictures")
    closing_pictures(TARGET / "boards", TARGET / "pictures", CaseParameters())


def _pictures() -> None:
    from ordertray_hardware.fabrication import shrink

    folder = TARGET / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("assembled", "exploded"):
        shutil.copyfile(TARGET / "case" / f"{name}.png", folder / f"case-{name}.png")
        shutil.copyfile(TARGET / "case" / f"lamp-{name}.png", folder / f"lamp-case-{name}.png")
    for name, width in (("tray-without-board", 1500), ("pi-lamps", 1100), ("strip-board", 1300), ("reader", 940)):
        shrink(TARGET / "wiring" / f"{name}.png", folder / f"wiring-{name}.png", width, 128)


STEPS: Final[dict[str, Callable[[], None]]] = {
    "board-tray": _board("tray"),
    "board-buttons": _board("buttons"),
    "board-lamps": _board("lamps"),
    "case": _case,
    "lampcase": _lamp_case,
    "wiring": _wiring,
    "bill": _bill,
    **{f"fab-{name}": _fab(name) for name in BOARDS},
    "panel": _panel,
    **{f"pictures-{name}": _picture(name) for name in BOARDS},
    "steps": _steps,
    "pictures": _pictures,
}

if __name__ == "__main__":
    sys.exit(main())
