"""What stands before every request and websocket: known host, own origin, size, pace, and the headers of the answers.

A browser may be talked into sending requests by any page it shows. So a request that changes something, and every
websocket, must come from a page of this very host; and the host must be one that nobody else can point at us (an
address, this machine's own name), or a foreign name could be pointed here (DNS rebinding).
"""

from __future__ import annotations

import ipaddress
import json
import logging
import re
import socket
from collections.abc import Callable, Iterable
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .access import Buckets

log = logging.getLogger(__name__)

MOST_BYTES = 64 * 1024
#: Rosters are larger; nothing else is.
MOST_ROSTER_BYTES = 2 * 1024 * 1024
ROSTER_PATH = "/api/v1/setup/roster"
_SAFE = ("GET", "HEAD")
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?")

SECURITY_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        b"manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
#: The overlay's own: whoever shows it in a stream puts a style of theirs on it, and programs do that by an inline one.
STREAM_POLICY = SECURITY_HEADERS[0][1].decode().replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")


class TooLargeError(Exception):
    """The body is larger than it may be; the application answers 413."""


def own_names() -> frozenset[str]:
    """The names by which this machine is known to itself."""
    name = socket.gethostname().lower()
    return frozenset({"localhost", name, f"{name.split('.')[0]}.local"})


class Guard:
    """ASGI middleware; `names` are host names that may be asked for besides addresses."""

    def __init__(self, app: ASGIApp, *, names: Iterable[str], now_s: Callable[[], float]) -> None:
        self._app = app
        self._names = frozenset(name.lower() for name in names)
        self._now_s = now_s
        self._changes = Buckets(20, 60)
        self._sockets = Buckets(20, 120)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer why not."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            status, code, text = refusal
            log.warning("%s refused: %s %s", scope["path"], code, address_of(scope))
            if scope["type"] == "websocket":
                await _refuse_socket(receive, send, status)
            else:
                await _refuse(send, status, code, text)
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        most = MOST_ROSTER_BYTES if scope["path"] == ROSTER_PATH else MOST_BYTES
        await self._app(scope, _limited(receive, most), _with_headers(send))

    def _refusal(self, scope: Scope) -> tuple[int, str, str] | None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        if not self._known(host):
            return 421, "unknown-host", "This host name is not ours; use the address that the terminal shows."
        changes = scope["type"] == "websocket" or scope["method"] not in _SAFE
        origin = headers.get(b"origin")
        if changes and origin is not None and origin.partition("://")[2].lower() != host.lower():
            return 403, "foreign-origin", "This request comes from another site's page."
        if changes and headers.get(b"sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "foreign-origin", "This request comes from another site's page."
        if changes:
            buckets = self._sockets if scope["type"] == "websocket" else self._changes
            if not buckets.of(address_of(scope)).take(self._now_s()):
                return 429, "too-many", "Too many requests; wait a moment."
        most = MOST_ROSTER_BYTES if scope["path"] == ROSTER_PATH else MOST_BYTES
        length = headers.get(b"content-length", "0")
        if not length.isdecimal() or int(length) > most:
            return 413, "too-large", "The request is too large."
        return None

    def _known(self, host: str) -> bool:
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = match.group(1).strip("[]").lower()
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name in self._names
        return True


def address_of(scope: Scope) -> str:
    """Whose requests are counted together: an address; of IPv6 the network, where one machine has many addresses."""
    client = scope.get("client")
    if client is None:
        return "?"
    try:
        address = ipaddress.ip_address(client[0].partition("%")[0])
    except ValueError:
        return str(client[0])
    if address.version == 6 and not address.is_loopback:
        return str(ipaddress.ip_network((int(address), 64), strict=False).network_address)
    return str(address)


def _limited(receive: Receive, most: int) -> Receive:
    taken = 0

    async def limited() -> Message:
        nonlocal taken
        message = await receive()
        if message["type"] == "http.request":
            taken += len(message.get("body", b""))
            if taken > most:
                raise TooLargeError
        return message

    return limited


def _with_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = list(message.get("headers", ()))
            named = {name for name, _ in own}
            message = {**message, "headers": [*own, *(one for one in SECURITY_HEADERS if one[0] not in named)]}
        await send(message)

    return with_headers


async def _refuse(send: Send, status: int, code: str, text: str) -> None:
    body = json.dumps({"error": code, "message": text}).encode()
    headers: list[Any] = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    # The body of a request that was not read would be taken for the next request.
    headers += [(b"connection", b"close"), *SECURITY_HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _refuse_socket(receive: Receive, send: Send, status: int) -> None:
    await receive()
    await send({"type": "websocket.close", "code": {403: 4403, 429: 4429}.get(status, 4400)})
