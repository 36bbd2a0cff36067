"""Requests that no page of ours would send, over all endpoints, roles and states: no 500, nothing private.

python -m web.fuzz [--requests 100000] [--seed N]        (make fuzz)
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx

from ordertray.rules import Options
from ordertray.table import BUTTONS
from ordertray.web.doing.api import Api
from ordertray.web.serving.endpoints import Endpoint, endpoints
from ordertray.web.serving.guard import Guard
from ordertray.web.serving.limits import MOST_BYTES
from web.web_helpers import API, Served, served

ROLES: tuple[tuple[str, ...], ...] = ((), ("A",), ("B",), ("table",), ("A", "B"), ("A", "B", "table"))
#: What may stand anywhere: half characters, steering ones, markup, numbers that are none, what others stumble on.
TEXTS = (
    "",
    " ",
    "A",
    "B",
    "C",
    "\ud800",
    "a\udfff",
    "\x00",
    "\x1b[31mred",
    "a\nb",
    "\u202egnp.exe",
    "\u2028",
    "\ufeff",
    "🦄" * 30,
    "[/b]",
    "[bold]",
    "<script>alert(1)</script>",
    "{0.__class__}",
    "{uid}",
    "%s%n",
    "../../etc/passwd",
    "' OR 1=1 --",
    "١٢",
    "9" * 5000,
    "-1",
    "1e400",
    "NaN",
    "0x" + "f" * 6000,
    "ñ",
    "a" * 300,
    "a" * 70_000,
    "\\",
    '"',
    "@999999999999 undo",
    "A start",
    "undo",
    "A next",
    "B next",
    "A spend regular g1",
    "A spend regular g" + "1" * 400,
    'A skill "' + "x" * 300 + '"',
    "option rounds 99",
    "why A start",
    "show",
    "@2 A next",
    "A state B:a1 dead",
    "10 4",
    "10 4 3 2 1",
    "999 999",
    "٣ ٤",
    "0",
    "0 0 0 0",
    'points = 100\n[[trooper]]\nid = "x"\ncost = 10\n',
    "a.b" * 9000 + " = 1",
    "[[trooper]]\n" * 3000,
    "id,name\n" + "x," * 9000,
    "name = '''" + "[/x]" * 100 + "'''",
    "gr4Kbm9t",
    "=" * 4000,
    "regular g1",
    "regular g99",
    "trooper a1",
    "trooper veiledb",
    "blank",
)
NO_BODIES = (b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"a":' * 3000, b"NaN", b'{"line":1e999}', bytes(99))
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    3,
    45,
    99,
    2**63,
    -(2**70),
    1.5,
    1e308,
    [],
    {},
    [[[]]],
    {"a": {"b": [1]}},
    ["A"],
    {"A": 1},
)
WORDS = (
    *BUTTONS,
    "A",
    "B",
    "table",
    "down",
    "up",
    "click",
    "hold",
    "file",
    "example",
    "quick",
    "code",
    "express",
    "full",
    "start",
    "skip",
    "undo",
    "pause",
    "stop",
    "agree",
    "withdraw",
    "n5",
    "n4",
    "codeone",
    "limit",
    "list",
)
HEADERS: tuple[dict[str, str], ...] = (
    {},
    {},
    {},
    {},
    {"content-type": "text/plain"},
    {"host": "evil.example"},
    {"origin": "null"},
    {"content-length": "-5"},
    {"authorization": "Bearer x"},
    {"authorization": "Bearer"},
    {"cookie": "a=b; ordertray_0=x.y"},
    {"x-forwarded-for": "1.2.3.4"},
    {"accept-encoding": "gzip"},
    {"if-none-match": "*"},
    {"sec-fetch-site": "cross-site"},
)


def body_of(endpoint: Endpoint, rng: random.Random) -> bytes:
    """A body for an endpoint: often nearly right, sometimes anything."""
    if rng.random() < 0.05:
        return rng.choice(
            (b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"a":' * 3000, b"NaN", b'{"line":1e999}', b"\x00" * 99)
        )
    body: dict[str, Any] = {}
    for field in endpoint.fields:
        if not field.required and rng.random() < 0.5:
            continue
        kind = rng.random()
        if kind < 0.45 and field.choices:
            body[field.name] = rng.choice(field.choices)
        elif kind < 0.45 and field.type is bool:
            body[field.name] = rng.random() < 0.5
        elif kind < 0.45 and field.type is int:
            body[field.name] = rng.randrange(field.most + 2)
        elif kind < 0.6:
            body[field.name] = rng.choice(WORDS)
        elif kind < 0.92:
            body[field.name] = rng.choice(TEXTS)
        else:
            body[field.name] = rng.choice(VALUES)
    if rng.random() < 0.05:
        body[rng.choice(TEXTS)] = rng.choice(VALUES)
    return json.dumps(body).encode()


def path_of(endpoint: Endpoint, rng: random.Random) -> str:
    """Its path, with something where a word is asked for, and often a question behind."""
    game = rng.choice(("1", "2", "current", "0", "x", "-1", "9" * 30, "١", "%00", "%ed%a0%80", "..", "1%2f2"))
    path = endpoint.path.replace("{game}", game)
    if rng.random() < 0.6:
        name = rng.choice(("view", "seat", "language", "x"))
        value = rng.choice(("A", "B", "public", "table", "es", "xx", "%00", "%ed%a0%80", "%0a", "a" * 200, "%ff", ""))
        path += f"?{name}={value}"
    return path


async def fuzzed(page: Served, number: int, rng: random.Random) -> Counter[str]:
    """So many requests at a page; what they came to. Raises AssertionError for what must not be."""
    came: Counter[str] = Counter()
    api = Api(page.opened.page, page.opened.hub, None, None)  # type: ignore[arg-type]
    every = [*endpoints(api), *(Endpoint(method, "/session", "", api.state) for method in ("GET", "DELETE"))]
    every += [Endpoint("GET", "/texts", "", api.state), Endpoint("GET", "/../../static/main.js", "", api.state)]
    clients = {roles: page.client(*roles) for roles in ROLES}
    try:
        for count in range(number):
            endpoint, roles = rng.choice(every), rng.choice(ROLES)
            if count % 200 == 0:  # sessions end on the way: it is asked for
                for client in clients.values():
                    await client.aclose()
                clients = {roles: page.client(*roles) for roles in ROLES}
            path, headers = path_of(endpoint, rng), dict(rng.choice(HEADERS))
            body = body_of(endpoint, rng) if endpoint.method == "POST" else None
            if body is not None:
                headers = {"content-type": "application/json", **headers}
            what = f"{endpoint.method} {path} {(body or b'')[:300]!r} {headers} as {roles}"
            try:
                answer = await clients[roles].request(endpoint.method, API + path, content=body, headers=headers)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                # A body that is far too large is not waited for: the connection ends while it is still being sent.
                if headers.get("content-length") is None and len(body or b"") < MOST_BYTES:
                    raise AssertionError(f"{what}: {type(error).__name__}") from error
                came["not HTTP"] += 1
                continue
            came[f"{answer.status_code // 100}xx"] += 1
            assert answer.status_code < 500, f"{what}: {answer.status_code} {answer.text[:300]}"
            assert not set("\x1b\x00\u202e") & set(answer.text), f"{what}: {answer.text[:300]!r}"
            first_is_on = page.service.game_number == 1 and page.service.table is not None and not page.service.final
            if not set(roles) & {"A", "table"} and first_is_on:
                assert "veileda" not in answer.text, what
    finally:
        for client in clients.values():
            await client.aclose()
    for view in ("public", "A", "B", "table"):  # and everybody still sees the table
        async with page.live(view, "A", "B", "table") as live:
            await live.next("state")
    return came


async def tried(folder: Path, number: int, seed: int) -> Counter[str]:
    """Fuzz one page with a game of one round on it."""
    rng = random.Random(seed)
    async with served(folder, options=Options(rounds=1)) as page:
        await page.to_orders()
        return await fuzzed(page, number, rng)


class Tracebacks(logging.Handler):
    """Counts what was logged with a traceback."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep it."""
        if record.exc_info:
            self.found.append(record.getMessage())


def main() -> None:
    """Fuzz, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    chosen = parser.parse_args()
    Guard._paced = lambda *_, **__: True  # type: ignore[method-assign]
    tracebacks, came, began = Tracebacks(), Counter[str](), time.monotonic()
    logging.getLogger().addHandler(tracebacks)
    logging.getLogger().setLevel(logging.ERROR)
    for part in range(0, chosen.requests, 2000):
        with tempfile.TemporaryDirectory() as folder:
            try:
                came += asyncio.run(tried(Path(folder), min(2000, chosen.requests - part), chosen.seed + part))
            except AssertionError as error:
                print(f"seed {chosen.seed}, from request {part}: {error}")
                sys.exit(1)
    total = sum(came.values())
    print(f"page: {total} requests (seed {chosen.seed}, {time.monotonic() - began:.0f} s): 500 0, {dict(came)}")
    print(f"  tracebacks in the log: {len(tracebacks.found)} {tracebacks.found[:3]}")
    sys.exit(1 if tracebacks.found else 0)


if __name__ == "__main__":
    main()
