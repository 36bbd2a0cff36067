"""Who may see and do what on the page: secrets, PINs, signed sessions, and how often one may guess.

Three roles: `A` and `B`, the seats (what their player may know and do), and `table` (set-up, and both hands at a
virtual tray; nothing private). Whoever has no role watches. A role is opened by its secret (in a link) or its PIN.

Sessions are signed, not stored, so a restart of the service ends none. A session names the secret that opened it by a
fingerprint: renewing a role's secret closes every session of that role.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...files.writing import write_whole
from ..doing.roles import ROLES

#: A convention is a weekend; a session outlives it.
SESSION_S = 3 * 24 * 3600

_PIN_DIGITS = 6


class KeysError(Exception):
    """The file of keys cannot be used; the text says why and what to do."""


@dataclass(frozen=True)
class Keys:
    """The secrets of one table. Not to be logged: `repr` shows none of them."""

    secrets: Mapping[str, str] = field(repr=False)
    pins: Mapping[str, str] = field(repr=False)
    signing: bytes = field(repr=False)

    def renewed(self, role: str) -> Keys:
        """The same keys with a new secret and PIN for `role`."""
        pins = {**self.pins, role: _new_pin(pin for other, pin in self.pins.items() if other != role)}
        return replace(self, secrets={**self.secrets, role: secrets.token_urlsafe(16)}, pins=pins)


def new_keys() -> Keys:
    """Fresh keys; no two roles share a PIN."""
    pins: dict[str, str] = {}
    for role in ROLES:
        pins[role] = _new_pin(pins.values())
    return Keys({role: secrets.token_urlsafe(16) for role in ROLES}, pins, secrets.token_bytes(32))


def _new_pin(taken: Iterable[str]) -> str:
    others = set(taken)
    while (pin := f"{secrets.randbelow(10**_PIN_DIGITS):0{_PIN_DIGITS}}") in others:
        pass
    return pin


def load_keys(path: Path) -> Keys:
    """The keys kept at `path`, made there if there are none. The file is the owner's alone (mode 600).

    Raises `KeysError`.
    """
    try:
        values = json.loads(path.read_text("utf-8"))
        keys = Keys(
            {role: str(values["secrets"][role]) for role in ROLES},
            {role: str(values["pins"][role]) for role in ROLES},
            bytes.fromhex(values["signing"]),
        )
        if len(keys.signing) < 32 or any(len(secret) < 16 for secret in keys.secrets.values()):
            raise ValueError("a key is too short")
        if any(len(pin) != _PIN_DIGITS or not pin.isdecimal() for pin in keys.pins.values()):
            raise ValueError("a PIN is not of six digits")
    except FileNotFoundError:
        keys = new_keys()
        save_keys(keys, path)
    except (ValueError, KeyError, TypeError) as fault:
        # The fault may quote the file: name its kind only.
        why = f"it holds no keys ({type(fault).__name__})"
        raise KeysError(f"{path}: {why}; delete it, and new links and PINs are made") from None
    except OSError as fault:
        raise KeysError(f"{path}: {fault.strerror}") from None
    return keys


def save_keys(keys: Keys, path: Path) -> None:
    """Keep the keys at `path`. Raises `KeysError`."""
    values = {"secrets": dict(keys.secrets), "pins": dict(keys.pins), "signing": keys.signing.hex()}
    try:
        write_whole(path, json.dumps(values) + "\n")
        path.chmod(0o600)
    except OSError as fault:
        raise KeysError(f"{path}: {fault.strerror}") from None


class Bucket:
    """A token bucket: `burst` at once, then `per_s` a second. Times are monotonic seconds, given by the caller."""

    def __init__(self, per_s: float, burst: float) -> None:
        self._per_s = per_s
        self._burst = burst
        self._level = burst
        self._at_s: float | None = None

    def _fill(self, now_s: float) -> None:
        if self._at_s is not None:
            self._level = min(self._burst, self._level + (now_s - self._at_s) * self._per_s)
        self._at_s = now_s

    def has(self, now_s: float) -> bool:
        """Whether one could be taken."""
        self._fill(now_s)
        return self._level >= 1

    def take(self, now_s: float) -> bool:
        """Take one, if there is one."""
        if not self.has(now_s):
            return False
        self._level -= 1
        return True


class Buckets:
    """A bucket for each address; the least lately used are forgotten, so that nobody can fill the memory."""

    def __init__(self, per_s: float, burst: float, most: int = 1000) -> None:
        self._per_s = per_s
        self._burst = burst
        self._most = most
        self._buckets: dict[str, Bucket] = {}

    def of(self, address: str) -> Bucket:
        """The bucket of one address."""
        bucket = self._buckets.pop(address, None) or Bucket(self._per_s, self._burst)
        self._buckets[address] = bucket
        while len(self._buckets) > self._most:
            del self._buckets[next(iter(self._buckets))]
        return bucket


class Access:
    """Checks secrets and sessions.

    `now_s`: monotonic seconds; `wall_s`: Unix time. `everything_open`: everybody has every role (the demo on loopback).
    """

    def __init__(
        self, keys: Keys, *, now_s: Callable[[], float], wall_s: Callable[[], float], everything_open: bool = False
    ) -> None:
        self.keys = keys
        self.everything_open = everything_open
        self._now_s = now_s
        self._wall_s = wall_s
        # Guesses at a PIN: five quickly, then one in 20 s from an address; from all addresses together one in 10 s.
        self._guesses_of = Buckets(1 / 20, 5)
        self._guesses = Bucket(1 / 10, 20)

    def may_guess(self, address: str) -> bool:
        """Whether a PIN from this address is looked at now."""
        now_s = self._now_s()
        return self._guesses_of.of(address).has(now_s) and self._guesses.has(now_s)

    def open_by_pin(self, pin: str, address: str) -> str | None:
        """The role of a PIN; a wrong one uses up a guess. Ask `may_guess` first."""
        role = self._matching(self.keys.pins, pin)
        if role is None:
            now_s = self._now_s()
            self._guesses_of.of(address).take(now_s)
            self._guesses.take(now_s)
        return role

    def open_by_secret(self, secret: str) -> str | None:
        """The role of a link's secret. It is long: guessing it needs no limit beyond that of requests."""
        return self._matching(self.keys.secrets, secret)

    def _matching(self, values: Mapping[str, str], given: str) -> str | None:
        found = None
        for role, value in values.items():  # all are compared, so that time tells nothing
            if hmac.compare_digest(value.encode(), given.encode()):
                found = role
        return found

    def session(self, roles: Iterable[str]) -> str:
        """A signed session that has these roles until it expires."""
        content = {"r": {role: self._fingerprint(role) for role in sorted(roles)}, "e": self._wall_s() + SESSION_S}
        body = _encoded(json.dumps(content, separators=(",", ":")).encode())
        return f"{body}.{self._signature(body)}"

    def roles(self, session: str | None) -> frozenset[str]:
        """The roles of a session; none for one that is forged, spoilt, expired, or of secrets renewed since."""
        if self.everything_open:
            return frozenset(ROLES)
        body, _, signature = (session or "").partition(".")
        if not body or not hmac.compare_digest(signature.encode(), self._signature(body).encode()):
            return frozenset()
        content = json.loads(_decoded(body))
        if content["e"] < self._wall_s():
            return frozenset()
        return frozenset(role for role, of in content["r"].items() if role in ROLES and of == self._fingerprint(role))

    def _fingerprint(self, role: str) -> str:
        return hashlib.sha256(self.keys.secrets[role].encode()).hexdigest()[:12]

    def _signature(self, body: str) -> str:
        return _encoded(hmac.new(self.keys.signing, body.encode(), hashlib.sha256).digest())


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
