"""The token registry: which disc is what. A file per owner, the same discs for every army.

    owner = "Ana"

    [[token]]
    uid = "04A1B2C3D4E5F6"
    kind = "regular"
    group = 1
    number = 3

`kind` is one of the kinds of `model.TokenKind`. `group` belongs to regular discs and may be given for the others;
`trooper` is a roster id (needed for a trooper's tag); `state` belongs to state discs. `owner` may stand at a token too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ordertray.files.problems import FileError, Problem, in_file_order, printable
from ordertray.files.tables import Lines, Table, UnreadableError, decode_text, parse_toml, read_text
from ordertray.files.writing import quoted, write_whole
from ordertray.messages import N_
from ordertray.tokens.model import KINDS_OF_A_TROOPER, STATES, BadUidError, Role, Token, TokenKind, normalised_uid


class RegistryError(FileError):
    """A token registry that cannot be used; all its faults at once."""


class TokenRegistry:
    """An immutable set of discs, found by UID."""

    def __init__(self, tokens: Iterable[Token] = (), owner: str = "") -> None:
        """`owner` is the file's owner; each token already carries its own. A UID twice raises `ValueError`."""
        self.owner = owner
        self._by_uid: dict[str, Token] = {}
        for token in tokens:
            if token.uid in self._by_uid:
                raise ValueError(f"disc {token.uid} is given twice")
            self._by_uid[token.uid] = token

    def get(self, uid: str) -> Token | None:
        """The disc with this UID (upper-case hex), if it is registered."""
        return self._by_uid.get(uid)

    def with_role(self, role: Role, owner: str | None = None) -> tuple[Token, ...]:
        """The discs that stand for exactly this role."""
        return tuple(t for t in self if t.role == role and (owner is None or t.owner == owner))

    def of_owner(self, owner: str) -> TokenRegistry:
        """Only this owner's discs."""
        return TokenRegistry((t for t in self if t.owner == owner), owner)

    def seated(self, seat: str) -> TokenRegistry:
        """The same discs, all owned by a seat ("A" or "B"): what a game uses."""
        return TokenRegistry((replace(t, owner=seat) for t in self), seat)

    def plus(self, token: Token) -> TokenRegistry:
        """With one disc more, or with the disc of this UID replaced."""
        return TokenRegistry({**self._by_uid, token.uid: token}.values(), self.owner)

    def without(self, uid: str) -> TokenRegistry:
        """Without the disc of this UID."""
        return TokenRegistry((t for t in self if t.uid != uid), self.owner)

    def __iter__(self) -> Iterator[Token]:
        return iter(self._by_uid.values())

    def __len__(self) -> int:
        return len(self._by_uid)

    def __contains__(self, uid: object) -> bool:
        return uid in self._by_uid

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TokenRegistry):
            return NotImplemented
        return self.owner == other.owner and self._by_uid == other._by_uid

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"TokenRegistry({list(self)!r}, owner={self.owner!r})"


def merge(seats: Mapping[str, TokenRegistry]) -> TokenRegistry:
    """Both players' discs for one game: `{"A": ana, "B": ben}` -> one registry whose owners are the seats.

    Raises `RegistryError` naming every disc that both have.
    """
    problems: list[Problem] = []
    tokens: dict[str, Token] = {}
    for seat, registry in seats.items():
        for token in registry.seated(seat):
            if token.uid in tokens:
                params = {"uid": token.uid, "seats": ", ".join([tokens[token.uid].owner, seat])}
                problems.append(Problem("", N_("disc {uid} belongs to both sides ({seats})"), params))
            else:
                tokens[token.uid] = token
    if problems:
        raise RegistryError(" + ".join(registry.owner or seat for seat, registry in seats.items()), problems)
    return TokenRegistry(tokens.values())


def load_registry(path: Path) -> TokenRegistry:
    """Read a registry file. Raises `RegistryError` with every fault and its line."""
    try:
        return parse_registry(read_text(path), str(path))
    except UnreadableError as error:
        raise RegistryError(str(path), [error.problem]) from None


def parse_registry(text: str | bytes, source: str = "tokens.toml") -> TokenRegistry:
    """Read a registry from text. Raises `RegistryError` with every fault and its line."""
    problems: list[Problem] = []
    try:
        content = decode_text(text) if isinstance(text, bytes) else text
        values = parse_toml(content)
    except UnreadableError as error:
        raise RegistryError(source, [error.problem]) from None
    entries = values.get("token", [])
    listed = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    lines = Lines(content, "token", len(listed))
    top = Table(values, problems, "", lambda key: lines.of(None, key))
    top.ignore("token")
    owner = top.text("owner")
    top.finish()
    if not isinstance(entries, list) or len(listed) != len(entries):
        top.fault("token", N_("should be {wanted}, found {found}"), wanted="[[token]]", found=printable(entries))
    tokens: list[Token] = []
    seen_uids: dict[str, int] = {}
    seen_roles: dict[tuple[str, Role], int] = {}
    for index, entry in enumerate(listed):
        table = Table(entry, problems, f"token {index + 1}", lambda key, index=index: lines.of(index, key))  # type: ignore[misc]
        token = _token(table, owner)
        table.finish()
        if token is None:
            continue
        first = seen_uids.setdefault(token.uid, index)
        if first != index:
            table.fault("uid", N_("disc {uid} is already token {number}"), uid=token.uid, number=first + 1)
            continue
        if token.number is not None and not table.faulty:
            first = seen_roles.setdefault((token.owner, token.role), index)
            if first != index:
                table.fault(None, N_("says the same as token {number}; a number is for one disc"), number=first + 1)
        tokens.append(token)
    if problems:
        raise RegistryError(source, in_file_order(problems))
    return TokenRegistry(tokens, owner)


def _token(table: Table, owner: str) -> Token | None:
    """One entry, or `None` if its UID cannot be used."""
    written = table.text("uid", required=True)
    uid: str | None = None
    if "uid" not in table.faulty:
        try:
            uid = normalised_uid(written)
        except BadUidError as error:
            table.fault("uid", str(error))
    kind = TokenKind(table.choice("kind", tuple(TokenKind)))
    known_kind = "kind" not in table.faulty
    owner = table.text("owner", owner)
    group = table.whole("group", 0, minimum=1, maximum=15) or None
    number = table.whole("number", 0, minimum=1, maximum=999) or None
    trooper = table.text("trooper") or None
    state = table.choice("state", STATES, "") or None
    if known_kind:
        if kind is TokenKind.REGULAR and group is None and "group" not in table.faulty:
            table.fault("group", N_("missing: a regular disc names its combat group"))
        if kind is TokenKind.TROOPER and trooper is None and "trooper" not in table.faulty:
            table.fault("trooper", N_("missing: a trooper's tag names the trooper's id in the roster"))
        if kind not in KINDS_OF_A_TROOPER and trooper is not None:
            table.fault("trooper", N_("a {kind} disc names no trooper"), kind=kind.value)
        if kind is not TokenKind.STATE and state is not None:
            table.fault("state", N_("only a state disc names a state"))
    return Token(uid, Role(kind, group, number, trooper, state), owner) if uid is not None else None


def format_registry(registry: TokenRegistry) -> str:
    """Write a registry as TOML; `parse_registry` gives the same back."""
    parts = [f"owner = {quoted(registry.owner)}\n"] if registry.owner else []
    for token in registry:
        lines = ["[[token]]", f'uid = "{token.uid}"', f'kind = "{token.kind.value}"']
        if token.owner != registry.owner:
            lines.append(f"owner = {quoted(token.owner)}")
        lines.extend(f"{key} = {value}" for key, value in (("group", token.group), ("number", token.number)) if value)
        for key, text in (("trooper", token.trooper), ("state", token.state)):
            if text is not None:
                lines.append(f"{key} = {quoted(text)}")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def save_registry(registry: TokenRegistry, path: Path) -> None:
    """Write a registry file whole or not at all (a new file takes the old one's place). Raises `OSError`."""
    write_whole(path, format_registry(registry))
