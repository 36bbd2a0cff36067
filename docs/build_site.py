"""The documentation as a site: the repository's own Markdown files, laid out as they lie here, and the docstrings.

    make site        # build/site; any link that leads nowhere, or to a heading that is not there, fails it

Nothing is written for the site: a README is the page of its folder, a link to a source file leads to a copy of it. Only
the order of the pages stands here, and the pages of the library are made from its docstrings.
"""

from __future__ import annotations

import ast
import functools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
LEFT_OUT: Final = {".venv", "build", "dist", ".git", ".pytest_cache", "node_modules"}
#: Captions and pages of the contents, in their order; what is not there (yet) is passed over.
CONTENTS: Final = (
    ("Play", ("README.md", "host/ordertray/table/README.md", "host/ordertray/army/README.md",
              "host/ordertray/tokens/README.md", "examples/README.md")),
    ("Build", ("hardware/README.md", "firmware/README.md")),
    ("Install", ("host/ordertray/install/README.md", "host/README.md", "host/ordertray/lights/README.md",
                 "host/ordertray/doctor/README.md")),
    ("Run a hall", ("host/ordertray/web/README.md", "host/ordertray/hall/README.md", "docs/hall.md")),
    ("Write a bot", ("docs/rules-core.md", "host/ordertray/rules/README.md")),
    ("The wire", ("firmware/PROTOCOL.md", "host/ordertray/link/README.md")),
)  # fmt: skip
LAST: Final = ("docs/licences.md", "CHANGELOG.md")
#: Rooms whose docstrings are the library's reference.
LIBRARY: Final = ("rules", "army", "tokens", "table", "journal", "lights", "link", "sim")
LINK: Final = re.compile(r"(\]\()([^)\s]+)(\))")

CONFIGURATION: Final = """\
project = "Order tray"
copyright = "the order tray's makers, MIT"
version = release = {version!r}
extensions = ["myst_parser"]
exclude_patterns = ["**/*.py"]
myst_heading_anchors = 6
html_theme = "furo"
html_title = "Order tray {version_text}"
html_show_sphinx = False
html_copy_source = False
html_last_updated_fmt = None
nitpicky = True
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
"""


class SiteError(Exception):
    """A link that leads nowhere; the text names every one."""


def pages() -> list[Path]:
    """Every Markdown file of the project, relative to its root."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT and not name.startswith("."))
        found += [Path(folder, name).relative_to(ROOT) for name in sorted(names) if name.endswith(".md")]
    return found


def outside_code(text: str) -> Iterator[tuple[bool, str]]:
    """The lines of a page, each with whether it is no part of a code block."""
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and not fence:
            fence = mark[1]
            yield False, line
        elif fence:
            if line.strip() == fence:
                fence = ""
            yield False, line
        else:
            yield True, line


def rewritten(page: Path, text: str, wanted: set[Path], faults: list[str]) -> str:
    """A page with links to folders made links to their README; every file that is linked to is added to `wanted`."""

    def link(match: re.Match[str]) -> str:
        target, _, anchor = match[2].partition("#")
        if re.match(r"[a-z]+:", target):
            return match[0]
        if not target:
            if anchor not in anchors(ROOT / page):
                faults.append(f"{page}: #{anchor}: there is no such heading")
            return match[0]
        path = Path(os.path.normpath(page.parent / target))
        if (ROOT / path).is_dir():
            path = path / "README.md"
        if path.parts[:1] == ("..",) or not (ROOT / path).is_file():
            faults.append(f"{page}: {match[2]} leads nowhere")
            return match[0]
        if path.suffix != ".md":
            wanted.add(path)
        elif anchor and anchor not in anchors(ROOT / path):
            faults.append(f"{page}: {match[2]}: there is no such heading")
        shown = os.path.relpath(path, page.parent)
        return f"{match[1]}{shown}{'#' + anchor if anchor else ''}{match[3]}"

    def line(outside: bool, one: str) -> str:
        if not outside:
            return one
        # What stands between backticks is no link.
        parts = re.split(r"(`+[^`]*`+)", one) if "`](" not in one else [one]
        return "".join(part if part.startswith("`") else LINK.sub(link, part) for part in parts)

    return "".join(line(outside, one) for outside, one in outside_code(text))


@functools.cache
def anchors(page: Path) -> frozenset[str]:
    """The names by which a page's headings are linked to: as the forges make them."""
    found: list[str] = []
    for outside, line in outside_code(page.read_text(encoding="utf-8")):
        if outside and (heading := re.match(r"#{1,6} (.+)", line)):
            words = re.sub(r"[^\w\- ]", "", heading[1].strip().lower()).replace(" ", "-")
            found.append(words if words not in found else f"{words}-{found.count(words)}")
    return frozenset(found)


def gather(target: Path) -> None:
    """Lay all pages, what they link to, and the library's reference into `target`. Raises SiteError."""
    wanted: set[Path] = set()
    faults: list[str] = []
    found = pages()
    for page in found:
        text = rewritten(page, (ROOT / page).read_text(encoding="utf-8"), wanted, faults)
        place = target / page
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    if faults:
        raise SiteError("\n".join(faults))
    for path in sorted(wanted):
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, target / path)
    library = reference(target)
    (target / "index.md").write_text(index(found, library), encoding="utf-8")


def index(found: list[Path], library: list[str]) -> str:
    """The contents. The project's README is the page one comes to."""
    named = {name for _, names in CONTENTS for name in names} | set(LAST)
    rooms = [str(page) for page in found if str(page) not in named and page.parts[0] != "tests"]
    rooms = ["CONTRIBUTING.md", *(name for name in rooms if name != "CONTRIBUTING.md")]
    tests = [str(page) for page in found if page.parts[0] == "tests" and str(page) not in named]
    groups = [*CONTENTS, ("How it works", (*rooms, *tests)), ("Library", tuple(library)), ("More", LAST)]
    out = ["```{include} README.md", "```", ""]
    there = {str(page) for page in found} | set(library)
    for caption, names in groups:
        out += ["```{toctree}", ":hidden:", f":caption: {caption}", ":maxdepth: 1", ""]
        out += [titled(name) for name in names if name in there]
        out += ["```", ""]
    return "\n".join(out)


def titled(name: str) -> str:
    """A line of the contents: the first page is called what one does there."""
    return "Order tray <README>" if name == "README.md" else name.removesuffix(".md")


def reference(target: Path) -> list[str]:
    """Pages of the library, one a room, from its docstrings; their names."""
    names = []
    for room in LIBRARY:
        folder = ROOT / "host/ordertray" / room
        lines = [f"# ordertray.{room}", ""]
        for path in sorted(folder.rglob("*.py")):
            module = ".".join(("ordertray", *path.relative_to(folder.parent).with_suffix("").parts)).removesuffix(
                ".__init__"
            )
            if any(
                part.startswith("_") and part != "__init__" for part in path.relative_to(folder).with_suffix("").parts
            ):
                continue
            lines += described(module, ast.parse(path.read_text(encoding="utf-8")))
        name = f"library/{room}.md"
        (target / "library").mkdir(exist_ok=True)
        (target / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        names.append(name)
    return names


def described(module: str, tree: ast.Module) -> list[str]:
    """A module's public classes and functions with what their docstrings say."""
    found: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            found += ["### " + f"`{node.name}{signature(node)}`", "", docstring(node), ""]
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            bases = ", ".join(ast.unparse(base) for base in node.bases)
            found += ["### " + f"`class {node.name}{f'({bases})' if bases else ''}`", "", docstring(node), ""]
            fields = [ast.unparse(inner) for inner in node.body if isinstance(inner, ast.AnnAssign | ast.Assign)]
            fields = [line for line in fields if not line.startswith(("_", "__slots__"))]
            if fields:
                found += ["```python", *fields, "```", ""]
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) and not inner.name.startswith("_"):
                    found += ["#### " + f"`{node.name}.{inner.name}{signature(inner)}`", "", docstring(inner), ""]
    if not found:
        return []
    return [f"## {module}", "", docstring(tree), "", *found]


def signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Arguments and result as the source has them."""
    result = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    arguments = re.sub(r"^(self|cls)(, )?", "", ast.unparse(node.args))
    return f"({arguments}){result}"


def docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """What a docstring says; what it sets in, such as a drawing, stays as it is."""
    text = ast.get_docstring(node) or ""
    # An indented or drawn part stays as it is; angle brackets are text.
    return "\n".join(line if line.startswith("    ") else line.replace("<", "\\<") for line in text.splitlines())


def build(out: Path, work: Path) -> None:
    """Build the site into `out`. Raises SiteError for links that lead nowhere, CalledProcessError for all else."""
    sys.path[:0] = [str(ROOT / "firmware")]
    from ordertray_firmware import __version__

    shutil.rmtree(work, ignore_errors=True)
    shutil.rmtree(out, ignore_errors=True)
    work.mkdir(parents=True)
    gather(work)
    (work / "conf.py").write_text(CONFIGURATION.format(version=__version__, version_text=__version__), encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "auto", "-b", "html",
               "-d", str(work.with_name("site-doctrees")), str(work), str(out)]  # fmt: skip
    subprocess.run(command, check=True)
    for name in (".buildinfo", "objects.inv"):
        (out / name).unlink(missing_ok=True)


if __name__ == "__main__":
    try:
        build(ROOT / "build/site", ROOT / "build/site-source")
    except SiteError as error:
        sys.exit(str(error))
    except subprocess.CalledProcessError:
        sys.exit("the site has faults, above")
    print(f"site: {ROOT / 'build/site/index.html'}")
