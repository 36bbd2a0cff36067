"""How long a command takes to start, with `python -c "import typer"` as the yardstick in the same run.

    make bench            (or: python tests/bench/bench_start.py [ROUNDS])

CPU seconds (user and system) of the whole process, the least of several rounds, taken in turn: other work on the
machine makes a round slower, never faster. Aim: each command within 1.5 times the yardstick, `play` of a ten-line
script included. Below what misses it stand the modules that cost most of their own, of those the yardstick does not
load. Last line: JSON.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

AIM: Final = 1.5
ROOT: Final = Path(__file__).parents[2]
YARDSTICK: Final = "import typer"
CODE: Final = "axZrZXN0cmVsLWNvbG9uaWFsLWZvcmNlBERlbW+BLAIBAQADACEBBAAAgwcBAQAAEAEBAAIBAAEAgIIBAQA="
SCRIPT: Final = """\
A start
A next
A next
A spend regular g1
A skill basic
B pass
A end
B pass
A resolve
A done
"""


def cpu_s(command: list[str], environment: dict[str, str]) -> float:
    """CPU seconds of one run, as a whole process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def own_costs_ms(command: list[str], environment: dict[str, str]) -> dict[str, float]:
    """Milliseconds that each module took of its own, by `-X importtime`."""
    run = [command[0], "-X", "importtime", *command[1:]]
    done = subprocess.run(
        run, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False
    )
    costs = {}
    for line in done.stderr.splitlines():
        parts = line.removeprefix("import time:").split("|")
        if len(parts) == 3 and parts[0].strip().isdigit():
            costs[parts[2].strip()] = int(parts[0]) / 1000
    return costs


def a_record(path: Path) -> None:
    """A record with a game in it."""
    from ordertray.army.quick import quick_army
    from ordertray.army.roster import format_army
    from ordertray.journal import Journal

    text = format_army(quick_army(10, name="Bench"))
    with Journal.open(path) as journal:
        journal.new_game(at_ms=0, edition="n5", options={}, armies={"A": text, "B": text})


def main() -> int:
    """Run and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with tempfile.TemporaryDirectory() as folder:
        script, record = Path(folder, "ten.txt"), Path(folder, "record.sqlite3")
        script.write_text(SCRIPT)
        armies = ["--a", str(ROOT / "examples/red.toml"), "--b", str(ROOT / "examples/blue.toml")]
        environment = dict(os.environ, ORDERTRAY_HOME=folder, ORDERTRAY_CONFIG="", COLUMNS="100")
        del environment["ORDERTRAY_CONFIG"]
        a_record(record)
        ours = [sys.executable, "-m", "ordertray"]
        commands = {
            "import typer": [sys.executable, "-c", YARDSTICK],
            "import ordertray.rules, whole": [sys.executable, "-c", "from ordertray.rules import *"],
            "ordertray --help": [*ours, "--help"],
            "ordertray --version": [*ours, "--version"],
            "ordertray status": [*ours, "status"],
            "ordertray army decode": [
                *ours,
                "army",
                "decode",
                CODE,
            ],
            "ordertray record list": [*ours, "record", "list"],
            "ordertray play, 10 lines": [*ours, "play", *armies, str(script)],
        }
        least = dict.fromkeys(commands, float("inf"))
        for _ in range(rounds):
            for name, command in commands.items():
                least[name] = min(least[name], cpu_s(command, environment))
        yardstick = least["import typer"]
        known = own_costs_ms(commands["import typer"], environment)
        for name, command in commands.items():
            ratio = least[name] / yardstick
            print(
                f"{name:32} {1000 * least[name]:6.0f} ms   {ratio:5.2f} x" + ("" if ratio <= AIM else f"  over {AIM} x")
            )
            if ratio > AIM:
                costs = own_costs_ms(command, environment)
                worst = sorted(((ms, module) for module, ms in costs.items() if module not in known), reverse=True)
                print("    " + ", ".join(f"{module} {ms:.1f}" for ms, module in worst[:10]))
    print(json.dumps({name: round(seconds / yardstick, 3) for name, seconds in least.items()}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
