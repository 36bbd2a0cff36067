"""Talking to systemd at run time: started, alive, stopping. Source: sd_notify(3).

Outside a service (no NOTIFY_SOCKET) every call does nothing, so the service program need not ask.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping

READY = "READY=1"
ALIVE = "WATCHDOG=1"
STOPPING = "STOPPING=1"


def notify(*states: str, environment: Mapping[str, str] | None = None) -> bool:
    """Tell systemd `states` (READY, ALIVE, STOPPING, "STATUS=..."); True if there was someone to tell.

    A manager that does not listen is no reason to stop a game, so nothing is raised.
    """
    address = (os.environ if environment is None else environment).get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return False
    # "@" is the abstract name space, which sockets write as a leading NUL.
    target = "\0" + address[1:] if address.startswith("@") else address
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as link:
            link.connect(target)
            link.sendall("\n".join(states).encode())
    except OSError:
        return False
    return True


def watchdog_interval_ms(environment: Mapping[str, str] | None = None, *, process: int | None = None) -> int | None:
    """How often to send ALIVE, in milliseconds: half of what systemd allows. None if it does not watch this process."""
    values = os.environ if environment is None else environment
    try:
        allowed_us = int(values.get("WATCHDOG_USEC", ""))
        watched = int(values.get("WATCHDOG_PID", "") or -1)
    except ValueError:
        return None
    if allowed_us <= 0 or watched not in (-1, os.getpid() if process is None else process):
        return None
    return max(1, allowed_us // 2000)
