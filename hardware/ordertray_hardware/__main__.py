"""Builds the hardware: `python -m ordertray_hardware STEP ...`, steps as in `STEPS`, results in build/hardware."""

import argparse
import fcntl
import hashlib
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).parent
ROOT: Final = PACKAGE.parent.parent
TARGET: Final = ROOT / "build" / "hardware"
PICTURES: Final = ROOT / "hardware" / "pictures"
_NO_OUTPUT: Final = frozenset({"tables.py", "electrical.py", "__main__.py"})
_NOT_FOR_BOARDS: Final = frozenset({"wiring.py", "bill.py", "catalogue.py", "__init__.py"})
INSTALL: Final = "run hardware/install-tools.sh"


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the steps asked for; status 0, 1 if a check failed, 2 if a tool is missing."""
    parser = argparse.ArgumentParser(prog="ordertray_hardware", description=__doc__)
    parser.add_argument("steps", nargs="+", choices=[*STEPS, "all"])
    parser.add_argument("--fresh", action="store_true", help="build again what is up to date")
    options = parser.parse_args(arguments)
    if missing := missing_tools():
        print(f"hardware: missing {', '.join(missing)}: {INSTALL}", file=sys.stderr)
        return 2
    TARGET.mkdir(parents=True, exist_ok=True)
    asked = list(STEPS) if "all" in options.steps else options.steps
    try:
        with (TARGET / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if options.fresh:
                for stamp in TARGET.glob(".*.stamp"):
                    stamp.unlink()
            if "board-lamps" in asked and "case" in asked:
                return _two_at_a_time(asked)
            for step in asked:
                _run(step)
    except Exception as error:
        print(f"hardware: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


def missing_tools() -> list[str]:
    """What this machine lacks, in words."""
    missing = [name for name in ("kicad-cli", "dot", "pdftoppm") if shutil.which(name) is None]
    for module in ("pcbnew", "build123d", "trimesh", "manifold3d", "embreex", "PIL"):
        try:
            __import__(module)
        except ImportError:
            missing.append(f"{module} (run with build/hardware-venv/bin/python)")
    if not Path("/usr/share/kicad/footprints").is_dir():
        missing.append("KiCad's libraries")
    return missing


def source_digest(step: str) -> str:
    """Digest of every source that the outputs of a step depend on."""
    digest = hashlib.sha256()
    sources = [path for path in PACKAGE.rglob("*.py") if path.name not in _NO_OUTPUT]
    if step.startswith("board-"):
        sources = [path for path in sources if path.parent == PACKAGE and path.name not in _NOT_FOR_BOARDS]
    for path in sorted([*sources, PACKAGE.parent / "requirements.txt"]):
        digest.update(path.relative_to(PACKAGE.parent).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _two_at_a_time(asked: list[str]) -> int:
    """The lamp board takes longest and nothing waits for it but its own pictures: build it beside the rest."""
    if _is_fresh("board-lamps"):
        for step in asked:
            _run(step)
        return 0
    command = [sys.executable, "-c", "from ordertray_hardware.__main__ import _run; _run('board-lamps')"]
    beside = subprocess.Popen(command, cwd=PACKAGE.parent)
    try:
        for step in sorted(asked, key=lambda step: step in ("fab", "pictures")):
            if step in ("fab", "pictures") and beside.wait():
                return 1
            if step != "board-lamps":
                _run(step)
    finally:
        status = beside.wait()
    return 1 if status else 0


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
    STEPS[step]()
    _stamp(step).write_text(digest, encoding="utf-8")
    print(f"hardware: {step} ({time.monotonic() - begin:.0f} s)", flush=True)


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


def _wiring() -> None:
    from ordertray_hardware.wiring import HARNESSES, as_yaml

    folder = TARGET / "wiring"
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in HARNESSES.items():
        (folder / f"{name}.yml").write_text(as_yaml(make()), encoding="utf-8")
        wireviz = str(Path(sys.executable).with_name("wireviz"))
        subprocess.run([wireviz, "-f", "spt", f"{name}.yml"], cwd=folder, check=True, capture_output=True)


def _bill() -> None:
    from ordertray_hardware import bill
    from ordertray_hardware.boards import SETS

    folder = TARGET / "bill"
    folder.mkdir(parents=True, exist_ok=True)
    for name in SETS:
        (folder / f"{name}.md").write_text(bill.markdown(name), encoding="utf-8")
        (folder / f"{name}.csv").write_text(bill.as_csv(name), encoding="utf-8")


def _fab() -> None:
    from ordertray_hardware.boards import BOARDS
    from ordertray_hardware.fabrication import fabricate

    for name, board in BOARDS.items():
        fabricate(board, TARGET / "boards" / name, TARGET / "fab")


def _pictures() -> None:
    from ordertray_hardware.boards import BOARDS
    from ordertray_hardware.fabrication import picture_board, shrink

    folder = TARGET / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, board in BOARDS.items():
        picture_board(board, TARGET / "boards" / name, folder)
    for name in ("assembled", "exploded"):
        shutil.copyfile(TARGET / "case" / f"{name}.png", folder / f"case-{name}.png")
    for name, width in (("tray-without-board", 1500), ("pi-lamps", 1100)):
        shrink(TARGET / "wiring" / f"{name}.png", folder / f"wiring-{name}.png", width, 16)


STEPS: Final[dict[str, Callable[[], None]]] = {
    "board-tray": _board("tray"),
    "board-buttons": _board("buttons"),
    "board-lamps": _board("lamps"),
    "case": _case,
    "wiring": _wiring,
    "bill": _bill,
    "fab": _fab,
    "pictures": _pictures,
}

if __name__ == "__main__":
    sys.exit(main())
