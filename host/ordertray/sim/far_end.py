"""A tray's end of the link that runs in the real MicroPython interpreter, with the methods of `TrayEnd`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ordertray_firmware import link

from .process import _MICROPYTHON, choose_interpreter, firmware_folder

_SERVER = Path(__file__).with_name("end_server.py")


class Interpreter:
    """A child process that holds ends of the link, one at a time. Use it as a context manager."""

    def __init__(self, interpreter: str = "micropython") -> None:
        chosen = choose_interpreter("cpython" if interpreter == "cpython" else "micropython")
        command = [sys.executable, "-c", _MICROPYTHON] if chosen == "micropython" else [sys.executable]
        self._child = subprocess.Popen(
            [*command, str(_SERVER), str(firmware_folder())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.__exit__(kind, error, trace)

    def ask(self, *question: Any) -> Any:
        """One question to `end_server.py`. Raises RuntimeError if the interpreter has ended: the firmware raised."""
        assert self._child.stdin is not None and self._child.stdout is not None
        self._child.stdin.write(json.dumps(question) + "\n")
        self._child.stdin.flush()
        answer = self._child.stdout.readline()
        if not answer:
            raise RuntimeError(f"the interpreter ended (status {self._child.wait()}) at {question[0]}")
        return json.loads(answer)

    def boot(self, hello: dict[str, Any], nonce: str, now_ms: int) -> FarEnd:
        """A tray that just booted; the one before it is gone."""
        self.ask("new", hello, nonce, now_ms)
        return FarEnd(self)


class FarEnd:
    """`TrayEnd`, there."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._ask = interpreter.ask

    @property
    def online(self) -> bool:
        """As `TrayEnd.online`."""
        return bool(self._ask("state")[0])

    @property
    def queued(self) -> int:
        """As `TrayEnd.queued`."""
        return int(self._ask("state")[1])

    @property
    def acknowledged(self) -> int:
        """As `TrayEnd.acknowledged`."""
        return int(self._ask("state")[2])

    def feed(self, data: bytes, now_ms: int) -> list[link.Item]:
        """As `TrayEnd.feed`."""
        return [(what, sequence, body) for what, sequence, body in self._ask("feed", data.hex(), now_ms)]

    def tick(self, now_ms: int) -> list[link.Item]:
        """As `TrayEnd.tick`."""
        return [(what, sequence, body) for what, sequence, body in self._ask("tick", now_ms)]

    def take(self, now_ms: int) -> bytes | None:
        """As `TrayEnd.take`."""
        line = self._ask("take", now_ms)
        return None if line is None else str(line).encode()

    def due_ms(self, now_ms: int) -> int:
        """As `TrayEnd.due_ms`."""
        return int(self._ask("due_ms", now_ms))

    def event(self, body: dict[str, Any], now_ms: int) -> int | None:
        """As `TrayEnd.event`."""
        sequence = self._ask("event", body, now_ms)
        return None if sequence is None else int(sequence)

    def snapshot(self, body: dict[str, Any], now_ms: int) -> int | None:
        """As `TrayEnd.snapshot`."""
        sequence = self._ask("snapshot", body, now_ms)
        return None if sequence is None else int(sequence)
