"""Everything a stranger downloads, into dist/: `make dist`. The same bytes each time, for the same sources.

    python host/make_dist.py [--cheap] [--out DIST] [--hardware FOLDER]

--cheap leaves out what takes minutes (boards and case); --hardware takes these from a folder where they are built. What
cannot be made here is left out by name: the manifest says what, why, and what brings it. Dates in files are that of the
last commit (SOURCE_DATE_EPOCH, where it is set).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "hardware"), str(ROOT / "firmware"), str(ROOT / "host")]

NO_TOOLS: Final = "hardware/install-tools.sh && make dist"
BOARDS: Final = ("tray", "buttons", "lamps")


class DistError(Exception):
    """Something that must be there cannot be made; the text says what."""


@dataclass
class Dist:
    """What is being made: where, of which version, with which date; what each file is, and what was left out."""

    out: Path
    version: str
    epoch_s: int
    what: dict[str, str] = field(default_factory=dict)
    left_out: list[dict[str, str]] = field(default_factory=list)

    def add(self, name: str, data: bytes, what: str) -> None:
        """Write a file."""
        (self.out / name).write_bytes(data)
        self.what[name] = what

    def zipped(self, name: str, files: Mapping[str, bytes], what: str) -> None:
        """Write an archive of `files`: sorted, with one date."""
        path = self.out / name
        date = time.gmtime(max(self.epoch_s, 315_532_800))[:6]
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for inner in sorted(files):
                entry = zipfile.ZipInfo(inner, date)
                entry.external_attr = 0o644 << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, files[inner])
        self.what[name] = what

    def leave_out(self, what: str, why: str, brings_it: str) -> None:
        """Note what is not there."""
        self.left_out.append({"what": what, "why": why, "brings_it": brings_it})


def commit() -> str:
    """The commit the sources are at, "" outside a clone; with a "+" where they were changed since."""
    found = _git("rev-parse", "HEAD")
    return found + ("+" if found and _git("status", "--porcelain", "--untracked-files=no") else "")


def _git(*words: str) -> str:
    try:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def python_packages(dist: Dist) -> None:
    """Wheel and source archive."""
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(dist.epoch_s)}
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(dist.out)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise DistError(f"the wheel cannot be built:\n{done.stdout}{done.stderr}")
    for path in dist.out.glob("ordertray-*"):
        dist.what[path.name] = "the host, for install.sh" if path.suffix == ".whl" else "the host's source archive"
    dist.add("install.sh", (ROOT / "host/ordertray/install/install.sh").read_bytes(), "installs the host as a service")


def firmware(dist: Dist) -> None:
    """The tray's files, compiled as `ordertray flash` puts them there, and as MicroPython's installer takes them."""
    from ordertray.traycare.flash import build_files

    name = f"ordertray-firmware-{dist.version}"
    dist.zipped(f"{name}.zip", build_files(), "the tray's files, compiled: copy them onto a board with MicroPython")
    source = ROOT / "firmware"
    package = json.loads((source / "package.json").read_text())
    tree = {"package.json": (source / "package.json").read_bytes()}
    tree |= {place: (source / place).read_bytes() for _, place in package["urls"]}
    dist.zipped(f"{name}-mip.zip", tree, "the same as source, for `mpremote mip install package.json`")


def hardware(dist: Dist, built: Path | None, *, cheap: bool) -> None:
    """Boards, case, bills and drawings, from `built` or built here where the tools are."""
    what = "boards and case: fabrication files, STL, STEP, interactive bills, schematics"
    if built is None:
        built = ROOT / "build/hardware"
        if cheap:
            dist.leave_out(what, "asked to be cheap", "make dist")
            return
        if subprocess.run([str(ROOT / "hardware/install-tools.sh"), "--check"], capture_output=True).returncode:
            dist.leave_out(what, "KiCad and its tools are not here", NO_TOOLS)
            return
        python = ROOT / "build/hardware-venv/bin/python"
        environment = os.environ | {"PYTHONPATH": str(ROOT / "hardware")}
        subprocess.run([str(python), "-m", "ordertray_hardware", "all"], cwd=ROOT, env=environment, check=True)
    from ordertray_hardware.circuit import REVISION

    for board in BOARDS:
        name = f"ordertray-{board}-rev{REVISION}"
        for place, ending, told in (
            (f"fab/{board}.zip", ".zip", "to a board house: gerbers and drill files"),
            (f"fab/{board}-bill.html", "-bill.html", "interactive bill: where each part goes"),
            (f"boards/{board}/schematic.pdf", "-schematic.pdf", "schematic"),
            (
                f"fab/{board}-drawing.pdf",
                "-drawing.pdf",
                "drawing for the board house: outline, holes, what to make it of",
            ),
            (f"fab/{board}-drill-map.pdf", "-drill-map.pdf", "drawing of all holes"),
        ):
            path = built / place
            if path.is_file():
                dist.add(name + ending, undated(path.read_bytes(), dist.epoch_s), f"{board} board: {told}")
            else:
                dist.leave_out(f"{name}{ending}", f"{place} was not built", "make hardware && make dist")
        # Whatever else was made for a board house; the panel is below.
        for path in sorted((built / "fab").glob(f"{board}-*")):
            ending = path.name.removeprefix(board)
            if path.is_file() and name + ending not in dist.what and not ending.startswith("-panel"):
                words = path.stem.removeprefix(f"{board}-").replace("-", " ")
                dist.add(name + ending, undated(path.read_bytes(), dist.epoch_s), f"{board} board: {words}")
        assembly = {path.name: path.read_bytes() for path in sorted((built / "fab/assembly").glob(f"{board}-*.csv"))}
        if assembly:
            dist.zipped(f"{name}-assembly.zip", assembly, f"{board} board: bill and places for a house that assembles")
    panel = built / "fab/tray-panel.zip"
    if panel.is_file():
        told = "the same on one panel: a carrier and two button boards, to a board house"
        dist.add(f"ordertray-tray-panel-rev{REVISION}.zip", panel.read_bytes(), told)
    case = {
        path.name: undated(path.read_bytes(), dist.epoch_s)
        for path in sorted((built / "case").glob("*"))
        if path.suffix in (".stl", ".step")
    }
    if case:
        dist.zipped(f"ordertray-case-{dist.version}.zip", case, "the case: STL to print, STEP to change")


def undated(data: bytes, epoch_s: int) -> bytes:
    """A PDF or STEP file, with the date of the sources instead of that of its making; others as they are."""
    stamp = time.gmtime(epoch_s)
    if data.startswith(b"%PDF"):
        date = time.strftime("%Y%m%d%H%M%S", stamp).encode()
        return re.sub(rb"(/(?:CreationDate|ModDate)\s*\(D:)\d{14}", rb"\g<1>" + date, data)
    if data.startswith(b"ISO-10303-21"):
        date = time.strftime("%Y-%m-%dT%H:%M:%S", stamp).encode()
        head, mark, rest = data.partition(b"ENDSEC;")
        return re.sub(rb"'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", b"'" + date, head) + mark + rest
    return data


def documentation(dist: Dist) -> None:
    """The site, and what one prints: the guide to building, and what a touch means on one page."""
    build = [sys.executable, str(ROOT / "docs/build_site.py")]
    try:
        import sphinx  # noqa: F401
    except ImportError:
        dist.leave_out("the documentation as a site", "sphinx is not here", "make dist")
    else:
        environment = os.environ | {"SOURCE_DATE_EPOCH": str(dist.epoch_s)}
        done = subprocess.run(build, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise DistError(f"the site has faults:\n{done.stdout}{done.stderr}")
        site = ROOT / "build/site"
        files = {str(path.relative_to(site)): path.read_bytes() for path in site.rglob("*") if path.is_file()}
        dist.zipped(f"ordertray-site-{dist.version}.zip", files, "the documentation: unpack it, open index.html")
    browser = next((found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), None)
    if browser is None:
        dist.leave_out("guide and one page as PDF", "no chromium here", "sudo apt-get install chromium && make dist")
        return
    touches = section(ROOT / "host/ordertray/table/README.md", "The page beside the tray")
    dist.add(
        f"ordertray-what-a-touch-means-{dist.version}.pdf",
        printed(browser, "What a touch means", touches, ROOT / "host/ordertray/table", dist, small=True),
        "one page, to be laid beside the tray",
    )
    dist.add(
        f"ordertray-guide-{dist.version}.pdf",
        printed(browser, "", (ROOT / "hardware/README.md").read_text(encoding="utf-8"), ROOT / "hardware", dist),
        "how to build a tray",
    )


def section(page: Path, heading: str) -> str:
    """What stands under a heading of a page. Raises DistError where there is no such heading."""
    text = page.read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise DistError(f"{page}: has no section {heading!r}")
    return found[1]


STYLE: Final = """
@page { size: A4; margin: 14mm }
body { font: 10pt/1.4 "DejaVu Sans", sans-serif; color: #111 }
body.small { font-size: 9.2pt; line-height: 1.3 }
h1 { font-size: 1.7em } h2 { font-size: 1.35em; break-after: avoid } h3 { break-after: avoid }
table { border-collapse: collapse; width: 100%; margin: .6em 0 }
td, th { border: .2mm solid #bbb; padding: .25em .5em; vertical-align: top; text-align: left }
tr { break-inside: avoid } th { background: #eee }
code, pre { font-family: "DejaVu Sans Mono", monospace; font-size: .9em } pre { background: #f4f4f4; padding: .6em }
img { max-width: 100%; max-height: 230mm }
body:not(.small) table { font-size: .8em }
"""


def printed(browser: str, title: str, text: str, base: Path, dist: Dist, *, small: bool = False) -> bytes:
    """Markdown as PDF, by the browser. Raises DistError where that fails."""
    import tempfile

    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    head = f"<h1>{title}</h1>" if title else ""
    page = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Order tray</title><base href="{base.as_uri()}/">'
        f'<style>{STYLE}</style><body class="{"small" if small else ""}">{head}{body}</body></html>'
    )
    with tempfile.TemporaryDirectory(prefix="ordertray-print-") as folder:
        source, target = Path(folder, "page.html"), Path(folder, "page.pdf")
        source.write_text(page, encoding="utf-8")
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
                   f"--print-to-pdf={target}", f"--user-data-dir={folder}/profile", source.as_uri()]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        if not target.is_file():
            raise DistError(f"the browser prints nothing:\n{done.stderr[-500:]}")
        return undated(target.read_bytes(), dist.epoch_s)


def manifest(dist: Dist) -> dict[str, Any]:
    """Versions of all parts, every file with its checksum, and what was left out."""
    from ordertray.traycare.errors import LEAST_MICROPYTHON
    from ordertray_firmware.link import PROTOCOL
    from ordertray_hardware.circuit import REVISION, REVISION_DATE

    files = []
    for path in sorted(dist.out.iterdir()):
        data = path.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        files.append({"name": path.name, "bytes": len(data), "sha256": digest, "what": dist.what[path.name]})
    return {
        "name": "ordertray",
        "version": dist.version,
        "commit": commit(),
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(dist.epoch_s)),
        "parts": {
            "host": dist.version,
            "firmware": dist.version,
            "boards": {"version": dist.version, "revision": REVISION, "month": REVISION_DATE},
            "protocol": ".".join(map(str, PROTOCOL)),
            "micropython_at_least": ".".join(map(str, LEAST_MICROPYTHON)),
        },
        "files": files,
        "left_out": dist.left_out,
    }


def start_here(dist: Dist) -> bytes:
    """What somebody reads who sees nothing but these files: where to begin, and what each is."""
    lines = [
        f"# Order tray {dist.version}",
        "",
        f"- **Read**: unpack `ordertray-site-{dist.version}.zip`, open `index.html`.",
        "- **Try it, or install it on a Raspberry Pi or Debian**: `sudo sh install.sh` (`--dry-run` only tells), then",
        "  `ordertray demo`. As your own user, without the service: `pipx install './ordertray-...whl[demo]'`.",
        "- **Make a tray of a Pico**: with MicroPython's `RPI_PICO-....uf2` from micropython.org,",
        "  `ordertray flash --image RPI_PICO-....uf2 -o ordertray.uf2`; hold BOOTSEL while plugging the Pico in, and",
        "  copy that file onto the drive that appears.",
        "- **Check**: `sha256sum --check SHA256SUMS`.",
        "",
        "| file | what it is |",
        "|---|---|",
    ]
    lines += [f"| {name} | {dist.what[name]} |" for name in sorted(dist.what)]
    lines += ["", *(f"Left out: {left['what']} ({left['why']})." for left in dist.left_out)]
    return ("\n".join(lines).rstrip() + "\n").encode()


def make(out: Path, *, cheap: bool = False, built: Path | None = None) -> dict[str, Any]:
    """Make everything into `out`, which is emptied first; the manifest. Raises DistError.

    Only what this has made is emptied: a folder with other things in it is left alone.
    """
    from ordertray_firmware import __version__

    ours = out == ROOT / "dist" or not out.exists() or (out / "START-HERE.md").is_file()
    if not ours and (not out.is_dir() or any(out.iterdir())):
        raise DistError(f"{out}: is no folder that was made here; name one that is new or empty")
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or _git("log", "-1", "--format=%ct") or "1767225600"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    dist = Dist(out, __version__, int(epoch))
    python_packages(dist)
    firmware(dist)
    hardware(dist, built, cheap=cheap)
    documentation(dist)
    dist.add("START-HERE.md", start_here(dist), "where to begin")
    told = manifest(dist)
    (out / "manifest.json").write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    sums = [f"{entry['sha256']}  {entry['name']}" for entry in told["files"]]
    digest = hashlib.sha256((out / "manifest.json").read_bytes()).hexdigest()
    (out / "SHA256SUMS").write_text("\n".join([*sums, f"{digest}  manifest.json"]) + "\n", encoding="ascii")
    return told


def main() -> int:
    """Make it and say what is there and what is not; status 2 where something that must be there cannot be made."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cheap", action="store_true")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--hardware", type=Path)
    options = parser.parse_args()
    try:
        told = make(options.out, cheap=options.cheap, built=options.hardware)
    except DistError as error:
        print(f"dist: {error}", file=sys.stderr)
        return 2
    for entry in told["files"]:
        print(f"{entry['bytes']:>10}  {entry['name']}: {entry['what']}")
    for left in told["left_out"]:
        print(f"left out: {left['what']}: {left['why']}. It comes with: {left['brings_it']}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
