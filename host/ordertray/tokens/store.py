"""Where the players' discs are kept: one registry file per owner in the user's data directory."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import platformdirs

from ordertray.files.problems import Problem
from ordertray.messages import N_
from ordertray.rules.army import Army
from ordertray.tokens.binding import bound
from ordertray.tokens.model import Role, Token, TokenKind
from ordertray.tokens.registry import RegistryError, TokenRegistry, load_registry, merge, save_registry


def default_directory() -> Path:
    """The user's own folder for registries; below `ORDERTRAY_HOME` where that is set."""
    home = os.environ.get("ORDERTRAY_HOME")
    return (Path(home) if home else platformdirs.user_data_path("ordertray")) / "tokens"


class TokenStore:
    """The registries of all owners on this machine."""

    def __init__(self, directory: Path | None = None) -> None:
        self.directory = directory if directory is not None else default_directory()

    def path(self, owner: str) -> Path:
        """The file of an owner, whose name may be in any script. Raises `RegistryError` for a name that makes none."""
        letters = "".join(c for c in unicodedata.normalize("NFKD", owner) if not unicodedata.combining(c)).casefold()
        name = re.sub(r"[\W_]+", "-", unicodedata.normalize("NFC", letters)).strip("-")
        if not name or len(name) > 60:
            raise RegistryError(owner, [Problem("", N_("an owner needs a name of letters or digits, of at most 60"))])
        return self.directory / f"{name}.toml"

    def load(self, owner: str) -> TokenRegistry:
        """An owner's discs; none yet is an empty registry. Raises `RegistryError`."""
        path = self.path(owner)
        if not path.exists():
            return TokenRegistry(owner=owner)
        registry = load_registry(path)
        if registry.owner.casefold() != owner.casefold():
            params = {"owner": registry.owner}
            raise RegistryError(
                str(path), [Problem("owner", N_("this file is {owner}'s: choose another name"), params)]
            )
        return registry

    def save(self, registry: TokenRegistry) -> Path:
        """Write an owner's discs, whole or not at all. Raises `OSError`."""
        path = self.path(registry.owner)
        save_registry(registry, path)
        return path

    def all(self) -> dict[str, TokenRegistry]:
        """Everybody's discs, by owner. Raises `RegistryError` with the faults of all files."""
        found: dict[str, TokenRegistry] = {}
        problems: list[Problem] = []
        for path in sorted(self.directory.glob("*.toml")):
            try:
                registry = load_registry(path)
            except RegistryError as error:
                problems.extend(replace(p, place=", ".join(filter(None, [path.name, p.place]))) for p in error.problems)
            else:
                found[registry.owner or path.stem] = registry
        if problems:
            raise RegistryError(str(self.directory), problems)
        return found

    def others(self, owner: str) -> dict[str, TokenRegistry]:
        """Everybody else's discs, by owner. Raises `RegistryError`."""
        mine = self.path(owner)
        return {name: registry for name, registry in self.all().items() if self.path(name) != mine}


def registry_for_game(
    seats: Mapping[str, TokenRegistry],
    armies: Mapping[str, Army],
    chosen: Mapping[str, Mapping[Role, str]] | None = None,
) -> TokenRegistry:
    """What each disc means in one game: both seats' discs, bound to their troopers, and the tags of their rosters.

    `chosen` are the bindings that a player wants otherwise than by number, by seat (`binding`).

    Raises `RegistryError` naming every disc that means two things, or belongs to both.
    """
    problems: list[Problem] = []
    found: dict[str, Token] = {}
    full: dict[str, TokenRegistry] = {}
    for seat, registry in seats.items():
        full[seat] = registry
        if seat in armies:
            full[seat] = bound(registry, armies[seat], (chosen or {}).get(seat))
        for trooper in armies[seat].troopers if seat in armies else ():
            if trooper.tag is None:
                continue
            role = Role(TokenKind.TROOPER, trooper.group, None, trooper.id)
            known = registry.get(trooper.tag)
            if known is None:
                full[seat] = full[seat].plus(Token(trooper.tag, role, registry.owner))
            elif known.kind is not TokenKind.TROOPER or known.trooper != trooper.id:
                params = {"uid": trooper.tag, "trooper": trooper.id, "kind": known.kind.value, "seat": seat}
                template = N_("disc {uid} is trooper {trooper} in the roster of {seat}, but a {kind} disc is enrolled")
                problems.append(Problem("", template, params))
    try:
        found = {token.uid: token for token in merge(full)}
    except RegistryError as error:
        problems.extend(error.problems)
    if problems:
        raise RegistryError(" + ".join(registry.owner or seat for seat, registry in seats.items()), problems)
    return TokenRegistry(found.values())
