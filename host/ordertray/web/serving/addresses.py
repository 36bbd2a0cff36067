"""Where the page is: sockets, addresses, names of the roles. Loads nothing that serves pages."""

from __future__ import annotations

import logging
import os
import socket
import webbrowser
from collections.abc import Mapping

from ...messages import N_
from ..doing.roles import TABLE

log = logging.getLogger(__name__)

DEFAULT_PORT = 8765
LOOPBACK = ("127.0.0.1", "::1", "localhost")

ROLE_TITLES: Mapping[str, str] = {"A": N_("Seat A"), "B": N_("Seat B"), TABLE: N_("Table")}


class WebError(Exception):
    """The page cannot be served; the text says why and what to do."""


def bound_socket(host: str, port: int | None) -> socket.socket:
    """A listening socket. Raises `WebError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        try:
            listener.bind((host, DEFAULT_PORT if port is None else port))
        except OSError:
            if port is not None:
                raise
            listener.bind((host, 0))
            log.warning(
                "port %d is taken: the page is on port %d, and links and codes printed before lead elsewhere",
                DEFAULT_PORT,
                listener.getsockname()[1],
            )
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise WebError(
            f"the page cannot be served on {host} port {port}: {error.strerror or error}; "
            "say another one with --http-port, or --no-web"
        ) from None
    return listener


def base_address(host: str, port: int, *, secure: bool = False) -> str:
    """The address to type: for "all interfaces" the one by which others reach this machine."""
    shown = own_address() if host in ("0.0.0.0", "::", "") else host
    scheme = "https" if secure else "http"
    return f"{scheme}://[{shown}]:{port}" if ":" in shown else f"{scheme}://{shown}:{port}"


def own_address() -> str:
    """This machine's address in its network; loopback if it is in none. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def open_browser(address: str) -> bool:
    """Open the page in a browser, where there is a screen to show one; whether it was opened."""
    if not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")) or os.environ.get("CI"):
        return False
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False
