"""Every module here that says `ON_BOTH_INTERPRETERS = True` runs once more, on the real MicroPython interpreter.

pytest runs such a module on CPython as any other; here the same file runs in a MicroPython process, and each of its
tests is reported as a test of its own.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from patience import patience

TESTS = Path(__file__).parent.parent
ROOT = TESTS.parent
MICROPYTHON = "import sys; from micropython_unix import main; sys.exit(main())"


def marked(tree: ast.Module) -> bool:
    """Whether the module has the mark at its top level."""
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id == "ON_BOTH_INTERPRETERS"
        for node in tree.body
    )


def collect() -> list[tuple[str, str]]:
    """(module, test) of every test that must run on both interpreters."""
    found = []
    for path in sorted(TESTS.glob("firmware/test_*.py")):
        tree = ast.parse(path.read_text())
        if marked(tree):
            module = f"{path.parent.name}.{path.stem}"
            found += [
                (module, node.name)
                for node in tree.body
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
            ]
    return found


@functools.cache
def outcome(module: str) -> dict[str, str]:
    """What MicroPython says about each test of a module: "" for good, else its traceback."""
    runner = str(TESTS / "firmware" / "micropython_runner.py")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MICROPY")}
    folders = [str(TESTS), str(ROOT / "firmware"), str(ROOT / "host")]
    done = subprocess.run(
        [sys.executable, "-c", MICROPYTHON, "-X", "heapsize=8M", runner, module, *folders],
        capture_output=True,
        text=True,
        timeout=patience(900),
        env=environment,
        check=False,
    )
    results: dict[str, str] = {}
    name = ""
    for line in done.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word in ("ok", "failed"):
            name = rest
            results[name] = "" if word == "ok" else "failed\n"
        elif name and line.startswith("    "):
            results[name] += line + "\n"
    results["(whole module)"] = done.stdout + done.stderr if done.returncode else ""
    return results


CASES = collect()


def test_there_is_something_to_run() -> None:
    assert len({module for module, _test in CASES}) >= 5


@pytest.mark.skipif(importlib.util.find_spec("micropython_unix") is None, reason="no MicroPython interpreter here")
@pytest.mark.parametrize(("module", "test"), CASES, ids=["-".join(case) for case in CASES])
def test_on_micropython(module: str, test: str) -> None:
    results = outcome(module)
    if test not in results:
        pytest.fail("MicroPython did not get to this test\n" + results["(whole module)"], pytrace=False)
    if results[test]:
        pytest.fail(results[test], pytrace=False)
