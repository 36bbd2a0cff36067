"""The keys of a table's page: the secrets in the links, and what sessions are signed with; a file of mode 600."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...files.writing import write_whole
from ..doing.roles import ROLES

#: Sessions that were ended by hand and are kept in mind.
MOST_REVOKED = 200


class KeysError(Exception):
    """The file of keys cannot be used; the text says why and what to do."""


@dataclass(frozen=True)
class Keys:
    """The secrets of one table. Not to be logged: `repr` shows none of them."""

    secrets: Mapping[str, str] = field(repr=False)
    signing: bytes = field(repr=False)
    revoked: tuple[str, ...] = ()
    """Sessions that somebody has ended before their time."""

    def renewed(self, role: str) -> Keys:
        """The same keys with a new secret for `role`."""
        return replace(self, secrets={**self.secrets, role: secrets.token_urlsafe(16)})

    def without(self, session: str) -> Keys:
        """The same keys, with which this session opens nothing any more."""
        return replace(self, revoked=(*(one for one in self.revoked if one != session), session)[-MOST_REVOKED:])


def new_keys() -> Keys:
    """Fresh keys."""
    return Keys({role: secrets.token_urlsafe(16) for role in ROLES}, secrets.token_bytes(32))


def load_keys(path: Path) -> Keys:
    """The keys kept at `path`, made there if there are none. The file is the owner's alone (mode 600).

    Raises `KeysError`.
    """
    try:
        values = json.loads(path.read_text("utf-8"))
        keys = Keys(
            {role: str(values["secrets"][role]) for role in ROLES},
            bytes.fromhex(values["signing"]),
            tuple(str(session) for session in values.get("revoked", ())),
        )
        if len(keys.signing) < 32 or any(len(secret) < 16 for secret in keys.secrets.values()):
            raise ValueError("a key is too short")
    except FileNotFoundError:
        keys = new_keys()
        save_keys(keys, path)
    except (ValueError, KeyError, TypeError) as fault:
        # The fault may quote the file: name its kind only.
        why = f"it holds no keys ({type(fault).__name__})"
        raise KeysError(f"{path}: {why}; delete it, and new links are made") from None
    except OSError as fault:
        raise KeysError(f"{path}: {fault.strerror}") from None
    return keys


def save_keys(keys: Keys, path: Path) -> None:
    """Keep the keys at `path`. Raises `KeysError`."""
    values = {"secrets": dict(keys.secrets), "signing": keys.signing.hex(), "revoked": list(keys.revoked)}
    try:
        write_whole(path, json.dumps(values) + "\n")
        path.chmod(0o600)
    except OSError as fault:
        raise KeysError(f"{path}: {fault.strerror}") from None
