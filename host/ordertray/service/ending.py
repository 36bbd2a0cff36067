"""A clean end, whatever asks for it and whenever: lamps dark, socket file gone, status 0, within two seconds.

Three signals end the service: from the keyboard, from systemd, and when the terminal is closed, which is how most who
try it end it. Each is heard at any moment of the life: while modules are still loading, and while the end is under way.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
#: An end that takes longer is cut off: a disk or a port that hangs must not hold up a shutdown.
LAST_RESORT_S = 1.9


def _leave(number: int, frame: FrameType | None) -> None:
    # An exception may come up anywhere here, and some places turn it into another one (`__set_name__` did).
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    os._exit(0)


def leave_on_signals() -> None:
    """Before there is anything to put away: a signal is a clean end."""
    for number in SIGNALS:
        signal.signal(number, _leave)


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """While the block runs, a signal cancels it; the block ends quietly then.

    To be entered by the main task. After it no signal does anything any more: the program is ending.
    """
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None
    signalled = False

    def end() -> None:
        nonlocal signalled
        if not signalled:
            signalled = True
            timer = threading.Timer(LAST_RESORT_S, os._exit, (0,))
            timer.daemon = True
            timer.start()
            task.cancel()

    for number in SIGNALS:
        loop.add_signal_handler(number, end)
    try:
        yield
    except asyncio.CancelledError:
        if not signalled:
            raise
    finally:
        # Not handled as by default from here on, which would be an end with another status.
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)


def quiet_streams() -> None:
    """What could not be written to a terminal that is gone is no failure."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
