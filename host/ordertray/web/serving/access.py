"""Who may see and do what on the page: secrets, PINs, signed sessions, and how often one may guess.

Three roles: `A` and `B`, the seats (what their player may know and do), and `table` (set-up, and both hands at a
virtual tray; nothing private). Whoever has no role watches. A role is opened by its secret (in a link) or its PIN.

Sessions are signed, not stored, so a restart of the service ends none. A session names the secret that opened it by a
fingerprint: renewing a role's secret closes every session of that role; and it has a name, so that one can be ended
alone. Its time is counted from when this service first saw it, by a clock that nobody sets: a Pi without a clock of its
own wakes up in the past, and gets the time of day when the players are in the middle of their game.

PINs are short, so they live short: new with the service, and with each game.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Iterable, Mapping

from ..doing.roles import ROLES
from .keys import Keys
from .pace import Bucket, Buckets

#: A convention is a weekend; a session outlives it.
SESSION_S = 3 * 24 * 3600
#: Sessions whose beginning is kept in mind.
MOST_SESSIONS = 1000
#: Addresses whose first guess at a PIN is looked at whatever others do; and those that were right are remembered.
MOST_FIRST_GUESSES = 300
MOST_RIGHT = 50

_PIN_DIGITS = 6


class Access:
    """Checks secrets and sessions.

    `now_s`: monotonic seconds. `everything_open`: everybody has every role (the demo on loopback).
    """

    def __init__(self, keys: Keys, *, now_s: Callable[[], float], everything_open: bool = False) -> None:
        self.keys = keys
        self.pins: Mapping[str, str] = {}
        self.everything_open = everything_open
        self._now_s = now_s
        self._begun_s: dict[str, float] = {}
        # Guesses at a PIN: five quickly, then one in 20 s from an address. From all addresses together one in 10 s, but
        # that many can guess must not shut out those who know: the first guess of an address is always looked at, and
        # who was right before is not held up by others.
        self._guesses_of = Buckets(1 / 20, 5)
        self._guesses = Bucket(1 / 10, 20)
        self._first: set[str] = set()
        self._right: dict[str, None] = {}
        self.new_pins()

    def new_pins(self) -> None:
        """Other PINs from now on; sessions stay. No two roles share one."""
        pins: dict[str, str] = {}
        while len(pins) < len(ROLES):
            pin = f"{secrets.randbelow(10**_PIN_DIGITS):0{_PIN_DIGITS}}"
            if pin not in pins.values():
                pins[ROLES[len(pins)]] = pin
        self.pins = pins
        self._first.clear()

    def may_guess(self, address: str) -> bool:
        """Whether a PIN from this address is looked at now."""
        now_s = self._now_s()
        if not self._guesses_of.of(address).has(now_s):
            return False
        first = address not in self._first and len(self._first) < MOST_FIRST_GUESSES
        return first or address in self._right or self._guesses.has(now_s)

    def open_by_pin(self, pin: str, address: str) -> str | None:
        """The role of a PIN; a wrong one uses up a guess. Ask `may_guess` first."""
        role = self._matching(self.pins, pin)
        if role is not None:
            self._right.pop(address, None)
            self._right[address] = None
            if len(self._right) > MOST_RIGHT:
                del self._right[next(iter(self._right))]
            return role
        now_s = self._now_s()
        self._guesses_of.of(address).take(now_s)
        if address in self._first and address not in self._right:
            self._guesses.take(now_s)
        if len(self._first) < MOST_FIRST_GUESSES:
            self._first.add(address)
        return None

    def open_by_secret(self, secret: str) -> str | None:
        """The role of a link's secret. It is long: guessing it needs no limit beyond that of requests."""
        return self._matching(self.keys.secrets, secret)

    def _matching(self, values: Mapping[str, str], given: str) -> str | None:
        found = None
        for role, value in values.items():  # all are compared, so that time tells nothing
            if hmac.compare_digest(value.encode(), given.encode(errors="replace")):
                found = role
        return found

    def session(self, roles: Iterable[str], before: str | None = None) -> str:
        """A signed session that has these roles. Of the one `before` it keeps the name, and so its time."""
        name = (None if before is None else self._name(before)) or secrets.token_urlsafe(9)
        self._age_s(name)
        content = {"r": {role: self._fingerprint(role) for role in sorted(roles)}, "n": name}
        body = _encoded(json.dumps(content, separators=(",", ":")).encode())
        return f"{body}.{self._signature(body)}"

    def roles(self, session: str | None) -> frozenset[str]:
        """The roles of a session; none for one that is forged, spoilt, ended, or of secrets renewed since."""
        if self.everything_open:
            return frozenset(ROLES)
        content = self._content(session)
        name = content.get("n")
        if not isinstance(name, str) or name in self.keys.revoked or self._age_s(name) > SESSION_S:
            return frozenset()
        return frozenset(role for role, of in content["r"].items() if role in ROLES and of == self._fingerprint(role))

    def _name(self, session: str) -> str | None:
        """The name of a session that opens something."""
        return str(self._content(session)["n"]) if self.roles(session) and not self.everything_open else None

    def revoke(self, session: str | None) -> bool:
        """End one session for good, wherever its cookie was copied to; whether it was one."""
        name = self._content(session).get("n")
        if not isinstance(name, str):
            return False
        self.keys = self.keys.without(name)
        return True

    def _content(self, session: str | None) -> Mapping[str, Mapping[str, str]]:
        """What a session says, if it is one of ours."""
        body, _, signature = (session or "").partition(".")
        if not body or not hmac.compare_digest(signature.encode(errors="replace"), self._signature(body).encode()):
            return {}
        content: Mapping[str, Mapping[str, str]] = json.loads(_decoded(body))
        return content

    def _age_s(self, name: str) -> float:
        """How long this service has known a session; from now on, if it has not yet."""
        now_s = self._now_s()
        if name not in self._begun_s and len(self._begun_s) >= MOST_SESSIONS:
            del self._begun_s[next(iter(self._begun_s))]
        return now_s - self._begun_s.setdefault(name, now_s)

    def _fingerprint(self, role: str) -> str:
        return hashlib.sha256(self.keys.secrets[role].encode()).hexdigest()[:12]

    def _signature(self, body: str) -> str:
        return _encoded(hmac.new(self.keys.signing, body.encode(errors="replace"), hashlib.sha256).digest())


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
