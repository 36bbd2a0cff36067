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

from ...text import shown
from .gate import Gate
from .limits import (
    CHANGES_BURST,
    CHANGES_PER_S,
    MOST_BYTES,
    MOST_ROSTER_BYTES,
    REQUESTS_BURST,
    REQUESTS_PER_S,
    SOCKETS_BURST,
    SOCKETS_PER_S,
    STRANGERS_BURST,
    STRANGERS_PER_S,
)
from .pace import Bucket, Buckets

log = logging.getLogger(__name__)

ROSTER_PATH = "/api/v1/setup/roster"
#: What costs the table most, in plain requests: the whole record is read.
COSTLY = re.compile(r"/api/v1/games(/.*)?")
COST = 5.0
#: What costs least: a page opens with some thirty files, and all phones of a table may come from one address.
CHEAP = re.compile(r"/static/.*")
CHEAP_COST = 0.25
_SAFE = ("GET", "HEAD")
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?")
#: What routers at home put behind the name of a machine.
_HOME = ("local", "lan", "home", "home.arpa", "fritz.box", "internal", "localdomain")

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
    """The names by which this machine is known to itself, and in a network at home."""
    full = socket.gethostname().lower()
    name = full.split(".")[0]
    return frozenset({"localhost", full, name, *(f"{name}.{home}" for home in _HOME)})


def _no_roles(scope: Scope) -> bool:
    return False


class Guard:
    """ASGI middleware; `names` are host names that may be asked for besides addresses.

    `proxies`: addresses that are believed when they say for whom they ask (`X-Forwarded-For`, `-Proto`). `has_role`:
    whether a request is from somebody with a seat or the table. `gate`: told who asks.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        names: Iterable[str],
        now_s: Callable[[], float],
        proxies: Iterable[str] = (),
        has_role: Callable[[Scope], bool] = _no_roles,
        gate: Gate | None = None,
    ) -> None:
        self._app = app
        self._names = frozenset(name.lower() for name in names)
        self._now_s = now_s
        self._proxies = frozenset(proxies)
        self._has_role = has_role
        self._gate = gate
        self._changes = Buckets(CHANGES_PER_S, CHANGES_BURST)
        self._sockets = Buckets(SOCKETS_PER_S, SOCKETS_BURST)
        self._requests = Buckets(REQUESTS_PER_S, REQUESTS_BURST)
        self._strangers = Bucket(STRANGERS_PER_S, STRANGERS_BURST)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer why not."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        peer = scope.get("client")
        scope = self._seen_through(scope)
        live, role = scope["type"] == "websocket", self._has_role(scope)
        if self._gate is not None:
            self._gate.asks(peer, role=role, live=live)
        try:
            await self._judge(scope, receive, send, role=role)
        finally:
            if self._gate is not None:
                self._gate.answered(peer)

    async def _judge(self, scope: Scope, receive: Receive, send: Send, *, role: bool) -> None:
        refusal = self._refusal(scope, role=role)
        if refusal is not None:
            status, code, text = refusal
            log.warning("refused: %s from %s: %s", code, shown(address_of(scope)), shown(scope["path"]))
            if scope["type"] == "websocket":
                await _refuse_socket(receive, send, status)
            else:
                await _refuse(send, status, code, text)
        elif scope["type"] == "websocket":
            await self._app(scope, receive, send)
        else:
            most = MOST_ROSTER_BYTES if scope["path"] == ROSTER_PATH else MOST_BYTES
            await self._app(scope, _limited(receive, most), _with_headers(send))

    def _seen_through(self, scope: Scope) -> Scope:
        """The request as a trusted proxy got it: from whom, and whether by https."""
        client = scope.get("client")
        if client is None or client[0] not in self._proxies:
            return scope
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        # The last address that no proxy of ours has added: what stands before it anybody may have written.
        asked_for = [word.strip() for word in headers.get(b"x-forwarded-for", "").split(",")]
        address = next((word for word in reversed(asked_for) if word and word not in self._proxies), client[0])
        secure = headers.get(b"x-forwarded-proto", "") == "https"
        plain = "ws" if scope["type"] == "websocket" else "http"
        return {**scope, "client": (address[:45], 0), "scheme": f"{plain}s" if secure else plain}

    def _refusal(self, scope: Scope, *, role: bool) -> tuple[int, str, str] | None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        if not self._known(host):
            text = "This host name is not ours; use the address that the terminal shows, or add it to `names`."
            return 421, "unknown-host", text
        changes = scope["type"] == "websocket" or scope["method"] not in _SAFE
        origin = headers.get(b"origin")
        if changes and origin is not None and origin.partition("://")[2].lower() != host.lower():
            return 403, "foreign-origin", "This request comes from another site's page."
        if changes and headers.get(b"sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "foreign-origin", "This request comes from another site's page."
        if not self._paced(scope, changes=changes, role=role):
            return 429, "too-many", "Too many requests; wait a moment."
        most = MOST_ROSTER_BYTES if scope["path"] == ROSTER_PATH else MOST_BYTES
        length = headers.get(b"content-length", "0")
        if not (length.isascii() and length.isdecimal() and len(length) < 12) or int(length) > most:
            return 413, "too-large", "The request is too large."
        return None

    def _paced(self, scope: Scope, *, changes: bool, role: bool) -> bool:
        """Whether it is not too much: for the address; and for all those together who have no role."""
        now_s, address = self._now_s(), address_of(scope)
        path = scope["path"]
        cost = COST if COSTLY.fullmatch(path) else CHEAP_COST if CHEAP.fullmatch(path) else 1.0
        if not self._requests.of(address).take(now_s, cost):
            return False
        if not role and not self._strangers.take(now_s, cost):
            return False
        if not changes:
            return True
        buckets = self._sockets if scope["type"] == "websocket" else self._changes
        return buckets.of(address).take(now_s)

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
