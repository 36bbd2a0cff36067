"""The child process: lights lamps through the real RPi.GPIO, told by lines of JSON on standard input.

    {"do": "show", "view": {...}, "link": {...}, "now_ms": 0}     {"do": "tick", "now_ms": 500}
    {"do": "lamp_test", "now_ms": 0}     {"do": "close"}     {"do": "end", "how": "exception" | "exit"}

The first line is the configuration, {"lamps": {...}}. Each line is answered by {"begin_ns", "end_ns", "next_tick_ms"}
(CLOCK_MONOTONIC, the clock of the register log). End of input ends it.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from typing import Any

from ordertray.lights import render
from ordertray.lights.lamp_config import parse_lamp_config
from ordertray.lights.opening import NoLamps, open_lamps
from ordertray.lights.outputs import LampOutput
from ordertray.lights.release import released_at_exit

DEADLINE_S = 120
"""A child whose test has died ends too."""


def main() -> None:
    """Play until the input ends."""
    signal.alarm(DEADLINE_S)
    begin_ns = time.monotonic_ns()
    output = open_lamps(parse_lamp_config(json.loads(sys.stdin.readline())["lamps"]))
    if isinstance(output, NoLamps):
        raise SystemExit(f"player: {output.reason}")
    with released_at_exit(output):
        answer(begin_ns, output.next_tick_ms(0))
        for line in sys.stdin:
            command = json.loads(line)
            begin_ns = time.monotonic_ns()
            obey(output, command)
            answer(begin_ns, output.next_tick_ms(command.get("now_ms", 0)))


def obey(output: LampOutput, command: dict[str, Any]) -> None:
    """Carry out one command."""
    match command["do"]:
        case "show":
            output.show(render(command["view"], command["link"]), command["now_ms"])
        case "tick":
            output.tick(command["now_ms"])
        case "lamp_test":
            output.lamp_test(command["now_ms"])
        case "close":
            output.close()
        case "end":
            if command["how"] == "exit":
                sys.exit(3)
            raise ValueError("a fault of the program")
        case other:
            raise SystemExit(f"player: no such command: {other}")


def answer(begin_ns: int, next_tick_ms: int | None) -> None:
    """Say that it is done."""
    print(json.dumps({"begin_ns": begin_ns, "end_ns": time.monotonic_ns(), "next_tick_ms": next_tick_ms}), flush=True)


if __name__ == "__main__":
    main()
