"""Lamps off however the program ends: return, exception, `sys.exit`, SIGTERM, SIGINT, SIGHUP.

What no program can catch (SIGKILL, a crash of the interpreter) is mended from outside: the systemd unit runs
`python -m ordertray.lights.all_off` after the service has ended, however it ended.
"""

from __future__ import annotations

import atexit
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

from ordertray.lights.outputs import LampOutput

SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name))


@contextmanager
def released_at_exit(output: LampOutput) -> Iterator[LampOutput]:
    """Close `output` at the end of the block and on every way out of the program that can be caught.

    A signal closes it and then does what it would have done before. Only the main thread can watch signals; in another
    one the rest still holds. An asyncio program that handles the signals itself simply leaves the block by returning.
    """
    previous: dict[int, Any] = {}

    def on_signal(number: int, frame: FrameType | None) -> None:
        output.close()
        before = previous[number]
        if callable(before):
            before(number, frame)
        elif before != signal.SIG_IGN:
            # End as by this signal, so that whoever started us sees the truth.
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    atexit.register(output.close)
    if threading.current_thread() is threading.main_thread():
        for watched in SIGNALS:
            previous[watched] = signal.signal(watched, on_signal)
    try:
        yield output
    finally:
        output.close()
        for number, handler in previous.items():
            if signal.getsignal(number) is on_signal:
                signal.signal(number, handler)
        atexit.unregister(output.close)
