"""Runs KiCad over a `Board`: schematic, checks, netlist, layout, checks again, exports, pictures. Needs KiCad 9."""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, Final

from PIL import Image, ImageChops

from ordertray_hardware import drawing
from ordertray_hardware.bill import for_assembly
from ordertray_hardware.boards import BOARDS
from ordertray_hardware.circuit import GRID_MM, Board, Frame, check
from ordertray_hardware.layout import ORIGIN_MM, make_board
from ordertray_hardware.project import write_project
from ordertray_hardware.schematic import write_schematic

GERBER_LAYERS: Final = "F.Cu,B.Cu,F.Mask,B.Mask,F.Silkscreen,B.Silkscreen,Edge.Cuts"
SCORES_LAYER: Final = "User.Comments"
"""Where a panel's scored lines are drawn; its gerber bears that name."""
_NO_DATE: Final = "2026-01-01T00:00:00+00:00"
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[+-]\d\d:?\d\d|Z)?")
_ZIP_TIME: Final = (2026, 1, 1, 0, 0, 0)


class CheckFailedError(Exception):
    """A table, rule check or export found a fault; the message says which and where its report lies."""


def _kicad(folder: Path, *words: str) -> str:
    """Run kicad-cli in `folder` and return what it printed. Raises CheckFailedError if it fails."""
    environment = os.environ | {"KICAD_CONFIG_HOME": str(folder.parent.parent / ".kicad-config")}
    done = subprocess.run(
        ["kicad-cli", *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )  # fmt: skip
    if done.returncode:
        report = next((folder / word for word in words if word.endswith(".rpt")), None)
        details = report.read_text(encoding="utf-8") if report and report.exists() else done.stdout + done.stderr
        raise CheckFailedError(f"kicad-cli {' '.join(words)}: status {done.returncode}\n{details}")
    return done.stdout


def build_board(board: Board, folder: Path) -> dict[str, Any]:
    """Make and check everything of a board in `folder`; return the layout's report.

    Raises CheckFailedError at the first fault: in the table, in ERC or DRC (every severity), in parity.
    """
    if wrong := check(board):
        raise CheckFailedError("; ".join(wrong))
    folder.mkdir(parents=True, exist_ok=True)
    name = board.name
    write_project(board, folder)
    write_schematic(board, folder / f"{name}.kicad_sch")
    _kicad(folder, "sch", "erc", "--severity-all", "--exit-code-violations", "-o", "erc.rpt", f"{name}.kicad_sch")
    _kicad(folder, "sch", "export", "netlist", "-o", f"{name}.net", f"{name}.kicad_sch")
    report = make_board(board, folder / f"{name}.net", folder / f"{name}.kicad_pcb")
    _kicad(
        folder, "pcb", "drc", "--severity-all", "--schematic-parity", "--exit-code-violations", "-o", "drc.rpt",
        f"{name}.kicad_pcb",
    )  # fmt: skip
    _kicad(folder, "pcb", "export", "step", "--force", "--no-dnp", "-o", f"{name}.step", f"{name}.kicad_pcb")
    return report


def plot(pcb: Path, target: Path, *more_layers: str) -> Path:
    """Write gerbers and drill files of a board's file into a folder of its name in `target`; return their archive."""
    name = pcb.stem
    plots = target / name
    shutil.rmtree(plots, ignore_errors=True)
    plots.mkdir(parents=True)
    out = f"{plots.resolve()}/"
    layers = ",".join((GERBER_LAYERS, *more_layers))
    _kicad(pcb.parent, "pcb", "export", "gerbers", "-o", out, "-l", layers, pcb.name)
    # Plated and unplated holes apart, and slots as routed moves: G85 is what readers of drill files stumble over.
    _kicad(
        pcb.parent, "pcb", "export", "drill", "-o", out, "--excellon-separate-th", "--excellon-oval-format", "route",
        pcb.name,
    )  # fmt: skip
    archive = target / f"{name}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(plots.iterdir()):
            path.write_text(_DATE.sub(_NO_DATE, path.read_text(encoding="utf-8")), encoding="utf-8")
            entry = zipfile.ZipInfo(path.name, _ZIP_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, path.read_bytes())
    return archive


def fabricate(board: Board, folder: Path, target: Path) -> Path:
    """Write gerbers and drill files of a built board and zip them, and beside them an assembly house's two lists.

    Returns the archive.

    The dates that KiCad writes are replaced by a fixed one, so that the same board gives the same bytes.
    """
    archive = plot((folder / f"{board.name}.kicad_pcb").resolve(), target)
    report = json.loads((folder / f"{board.name}.json").read_text(encoding="utf-8"))
    assembly = target / "assembly"
    assembly.mkdir(exist_ok=True)
    (assembly / f"{board.name}-positions.csv").write_text(positions(board, report), encoding="utf-8")
    (assembly / f"{board.name}-bill.csv").write_text(for_assembly(board.name), encoding="utf-8")
    _for_people(board, folder, target)
    _drawing(board, target)
    return archive


def check_panel(pcb: Path) -> None:
    """DRC of a panel, errors only: doubled references are no fault there. Raises CheckFailedError."""
    _kicad(pcb.parent, "pcb", "drc", "--severity-error", "--exit-code-violations", "-o", "drc.rpt", pcb.name)


def _drawing(board: Board, target: Path) -> None:
    """The fabrication drawing, from the drill files that were just written."""
    plots = target / board.name
    plated, unplated = (
        drawing.drills((plots / f"{board.name}-{kind}.drl").read_text(encoding="utf-8")) for kind in ("PTH", "NPTH")
    )
    source = target / f"{board.name}-drawing.svg"
    source.write_text(drawing.svg(board, plated, unplated), encoding="utf-8")
    subprocess.run(
        ["rsvg-convert", "-f", "pdf", "-o", f"{board.name}-drawing.pdf", source.name], cwd=target, check=True
    )
    source.unlink()


def _for_people(board: Board, folder: Path, target: Path) -> None:
    """A page with the interactive bill (where is which part?), and the drill map with its table of holes as PDF."""
    pcb = (folder / f"{board.name}.kicad_pcb").resolve()
    bom = Path(sys.executable).with_name("generate_interactive_bom")
    words = ["--no-browser", "--dest-dir", str(target.resolve()), "--name-format", f"{board.name}-bill", str(pcb)]
    done = subprocess.run(
        [str(bom), *words],
        env=os.environ | {"INTERACTIVE_HTML_BOM_NO_DISPLAY": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    page = target / f"{board.name}-bill.html"
    if done.returncode or not page.exists():
        raise CheckFailedError(f"{board.name}: no interactive bill\n{(done.stdout + done.stderr)[-1000:]}")
    maps = target / f"{board.name}-maps"
    shutil.rmtree(maps, ignore_errors=True)
    maps.mkdir()
    _kicad(
        folder, "pcb", "export", "drill", "-o", f"{maps.resolve()}/", "--generate-map", "--map-format", "pdf", str(pcb)
    )
    (drawing,) = maps.glob("*.pdf")
    drawing.replace(target / f"{board.name}-drill-map.pdf")
    shutil.rmtree(maps)


POSITION_COLUMNS: Final = ("Designator", "Mid X", "Mid Y", "Layer", "Rotation")


def positions(board: Board, report: dict[str, Any]) -> str:
    """Return where each part of a board stands, in the columns that assembly houses take.

    The place is the middle of a part's courtyard, in the gerbers' coordinates (mm, y upwards from the page's corner).
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(POSITION_COLUMNS)
    boxes = {entry["ref"]: entry["box_mm"] for entry in report["parts"]}
    for part in board.parts:
        if part.item is None:
            continue
        x0, y0, x1, y1 = boxes[part.ref]
        x, y = ORIGIN_MM[0] + (x0 + x1) / 2, -(ORIGIN_MM[1] + (y0 + y1) / 2)
        layer = "Bottom" if part.board.back else "Top"
        writer.writerow([part.ref, f"{x:.3f}", f"{y:.3f}", layer, part.board.rotation_deg % 360])
    return out.getvalue()


def picture_board(board: Board, folder: Path, target: Path) -> list[Path]:
    """Draw a built board and its schematic as small PNGs into `target`; return their paths."""
    target.mkdir(parents=True, exist_ok=True)
    name = board.name
    _kicad(
        folder, "pcb", "render", "-o", "top.png", "--width", "2000", "--height", "1600",
        f"{name}.kicad_pcb",
    )  # fmt: skip
    _kicad(folder, "sch", "export", "pdf", "-o", "schematic.pdf", f"{name}.kicad_sch")
    subprocess.run(
        ["pdftoppm", "-r", str(_DPI), "-png", "-singlefile", "schematic.pdf", "schematic"], cwd=folder, check=True
    )
    found = []
    kinds = [("top.png", "board", 1000, 48), ("schematic.png", "schematic", 1900, 24)]
    if any(part.board.back for part in board.parts):
        _kicad(
            folder, "pcb", "render", "--side", "bottom", "-o", "bottom.png", "--width", "2000", "--height", "1600",
            f"{name}.kicad_pcb",
        )  # fmt: skip
        kinds.append(("bottom.png", "board-back", 1000, 48))
    picture_sheets(board, folder, target)
    for source, kind, width, colours in kinds:
        path = target / f"{name}-{kind}.png"
        shrink(folder / source, path, width, colours)
        found.append(path)
    return found


_DPI: Final = 150


def sheet_names(board: Board) -> dict[str, Frame]:
    """The sheets of a large schematic, each to be shown by itself: name of its picture to its frame."""
    first = {frame: re.split(r"[(:]", frame.title.lower())[0] for frame in board.frames}
    words = {frame: re.sub(r"[^a-z0-9]+", "-", word).strip("-") for frame, word in first.items()}
    return {f"{board.name}-sheet-{word}": frame for frame, word in words.items() if word in _SHEETS[board.name]}


_SHEETS: Final = {
    "tray": ("power", "the-strips-switch", "pixels", "controller", "readers", "buttons", "buzzer"),
    # The other seven registers are like the first, the lamps of side B like those of side A.
    "lamps": ("register-1", "raspberry-pi", "single-lamps-side-a", "passed-on-and-the-map-of-pins",
              "clock-and-output-enable", "link-lamp-3-3-v-for-chips-and-bars"),
    "buttons": (),
}  # fmt: skip


def picture_sheets(board: Board, folder: Path, target: Path) -> None:
    """Cut the sheets out of the whole schematic, drawn finely enough to be read."""
    whole = Image.open(folder / "schematic.png").convert("RGB")
    for name, frame in sheet_names(board).items():
        edges = (frame.left - 0.5, frame.top - 0.5, frame.right + 0.5, frame.bottom + 0.5)
        box = tuple(round(edge * GRID_MM / 25.4 * _DPI) for edge in edges)
        cut = folder / f"{name}.png"
        whole.crop((box[0], box[1], box[2], box[3])).save(cut)
        shrink(cut, target / f"{name}.png", 1200, 24)


def shrink(source: Path, target: Path, width: int, colours: int) -> None:
    """Cut off the margin of a picture, scale it to `width` and keep `colours` colours."""
    picture = Image.open(source).convert("RGBA")
    image = Image.new("RGB", picture.size, (255, 255, 255))
    image.paste(picture, mask=picture.getchannel("A"))
    margin = Image.new("RGB", image.size, image.getpixel((0, 0)))
    box = ImageChops.difference(image, margin).getbbox()
    if box:
        image = image.crop(box)
    if image.width > width:
        image = image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS)
    image.quantize(colours, dither=Image.Dither.NONE).save(target, optimize=True)


if __name__ == "__main__":
    try:
        build_board(BOARDS[sys.argv[1]], Path(sys.argv[2]))
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
