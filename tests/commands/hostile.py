"""Every command with hostile names, files and environments: one message, no traceback, no escape sequence through.

    python -m commands.hostile [--calls 2000] [--seed N]      (make fuzz)

In this process, by the command line's own entry: an interpreter for each call would cost a second each.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from ordertray.commands.main import COMMANDS, main

HOSTILE = (
    "\x1b[31mred",
    "a\nb",
    "[/b]",
    "[bold]x[/]",
    "\u202egnp",
    "{0}",
    "%s",
    "$(id)",
    "`id`",
    "; id",
    "-",
    "--",
    "..",
    "~",
    "",
    "x" * 5000,
    "\udcff\udcfe",
    "\x07",
    "a\tb",
    "ñ🦄",
    "\\",
    "'",
    '"',
    "/dev/null",
    "/",
    ".",
    "/proc/self/mem",
    "\r",
    "nul",
)
CONTENT = (
    b"",
    b"\x00" * 100,
    b"\xff\xfe" + "name".encode("utf-16-le"),
    b"\x1b[31m",
    b'name = "\\u001b[31m [/b]"\npoints = 1\n',
    b'name = "[/b]"\npoints = 100\n[[trooper]]\nid = "[x]"\nname = "[/bold]"\ncost = 50\nlieutenant = true\n',
    b"\xef\xbb\xbfpoints = 5",
    b"SQLite format 3\x00" + b"\xff" * 500,
    b'{"format":"ordertray-game"}',
    b"[" * 5000,
    b"a.b" * 9000,
    b'owner = "[/b]"\n[[token]]\nuid = "04A1B2C3D4E5F6"\nkind = "[/b]"\n',
    b"A start\n\x1b[31m\n[/b]\n" + b"\xff\n" * 20,
)
#: Calls as they are meant, F being a file.
MEANT = (
    "play --a F --b F",
    "play F --a F --b F",
    "play --position F",
    "record list --record F",
    "record check --record F",
    "record show --record F",
    "record export --record F",
    "record import F",
    "record salvage F --record F",
    "army check F",
    "record backup F --record F",
    "army show F",
    "army decode F",
    "army convert F",
    "army data F",
    "tokens list",
    "tokens labels F",
    "tokens check F",
    "links --record F",
    "status --record F",
    "army fill F",
    "tokens virtual F",
    "army encode F",
    "doctor",
)
#: What would go on for ever, wait for a tray, or change this machine.
NOT_RUN = {"run", "demo", "flash", "selftest", "measure", "sim", "install", "uninstall"}
GROUPS = {
    "record": ("list", "show", "export", "import", "backup", "check", "salvage"),
    "army": ("decode", "encode", "check", "show", "fill", "data", "convert", "new", "schema"),
    "tokens": ("labels", "list", "forget", "check", "virtual"),
}
OPTIONS = (
    "--record",
    "--a",
    "--b",
    "--edition",
    "--position",
    "--as",
    "--language",
    "--json",
    "--output",
    "-o",
    "--config",
    "--owner",
    "--help",
    "--host",
    "--port",
    "--data",
    "--out",
    "--script",
)


def arguments(folder: Path, rng: random.Random) -> list[str]:
    """One call of some command, with names and files that nobody sane has."""
    if rng.random() < 0.6:
        return [_word(folder, rng) if word == "F" else word for word in rng.choice(MEANT).split()]
    name = rng.choice([name for name in COMMANDS if name not in NOT_RUN])
    words = [name, *([rng.choice(GROUPS[name])] if name in GROUPS and rng.random() < 0.95 else [])]
    for _ in range(rng.randrange(4)):
        if rng.random() < 0.4:
            words.append(rng.choice(OPTIONS))
        words.append(_word(folder, rng))
    return words


def _word(folder: Path, rng: random.Random) -> str:
    if rng.random() < 0.4:
        return rng.choice(HOSTILE)
    name = rng.choice(
        [word for word in HOSTILE if word and "/" not in word and len(word) < 200 and word not in (".", "..")]
    )
    path = folder / f"{name}{rng.choice(('.toml', '.csv', '.json', '', '.sqlite3'))}"
    with contextlib.suppress(OSError):
        path.write_bytes(rng.choice(CONTENT))
    return str(path)


def called(words: list[str], stdin: bytes = b"") -> tuple[int, str]:
    """The status, and all that was written. Raises whatever a command lets through."""
    # As Python makes them: standard output is strict, what is said of errors is written somehow.
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="utf-8", errors="strict", write_through=True)
    err = io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", write_through=True)
    before = sys.stdin, Path.cwd()
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    status = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main(words)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    finally:
        sys.stdin = before[0]
        os.chdir(before[1])
    return status, raw.getvalue().decode()


def tried(folder: Path, calls: int, seed: int) -> Counter[int]:
    """So many calls. Raises AssertionError naming the first that lets something through."""
    rng, came = random.Random(seed), Counter[int]()
    home = {
        "HOME": str(folder),
        "ORDERTRAY_HOME": str(folder),
        "ORDERTRAY_LANGUAGE": "en",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    before, place = dict(os.environ), Path.cwd()
    os.environ.update(home)
    os.chdir(folder)  # a hostile name may be where something is written
    try:
        for _ in range(calls):
            words = arguments(folder, rng)
            if rng.random() < 0.1:
                os.environ[rng.choice(("LANG", "ORDERTRAY_LANGUAGE", "ORDERTRAY_CONFIG", "COLUMNS"))] = rng.choice(
                    HOSTILE
                ).replace("\0", "")
            try:
                status, said = called(words, rng.choice(CONTENT))
            except Exception as error:
                raise AssertionError(f"{words!r}: {''.join(traceback.format_exception(error))[-1500:]}") from error
            finally:
                os.environ.update(home)
                os.environ.pop("ORDERTRAY_CONFIG", None)
            assert "Traceback" not in said, f"{words!r}: {said[-1500:]}"
            wrong = sorted({repr(c) for c in said if c in "\x1b\x07\x00\u202e\r\u2028"})
            assert not wrong, f"{words!r}: lets {wrong} through: {said[:600]!r}"
            came[status] += 1
    finally:
        os.chdir(place)
        os.environ.clear()
        os.environ.update(before)
    return came


def run() -> None:
    """Call, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    chosen = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        came = tried(Path(folder), chosen.calls, chosen.seed)
    took = time.monotonic() - began
    print(f"commands: {chosen.calls} calls (seed {chosen.seed}, {took:.0f} s): tracebacks 0, escapes 0, {dict(came)}")


if __name__ == "__main__":
    run()
