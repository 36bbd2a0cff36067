"""The registries on disk, and all discs of one game."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ordertray.rules.army import Army
from ordertray.tokens.model import Role, Token, TokenKind
from ordertray.tokens.registry import RegistryError, TokenRegistry
from ordertray.tokens.store import TokenStore, registry_for_game
from ordertray.tokens.virtual import virtual_tokens, virtual_uid

UID = virtual_uid("one")


def registry(owner: str, *uids: str) -> TokenRegistry:
    """Command discs with these UIDs."""
    return TokenRegistry([Token(uid, Role(TokenKind.COMMAND), owner) for uid in uids], owner)


def test_each_owner_has_a_file(tmp_path: Path) -> None:
    store = TokenStore(tmp_path / "not" / "yet")
    assert store.load("Íñigo Ana") == TokenRegistry(owner="Íñigo Ana")
    assert store.all() == {}
    path = store.save(registry("Íñigo Ana", UID))
    assert path.name == "inigo-ana.toml" and store.load("Íñigo Ana") == registry("Íñigo Ana", UID)
    store.save(registry("Ben", virtual_uid("two")))
    assert set(store.all()) == {"Íñigo Ana", "Ben"}
    assert store.others("Ben") == {"Íñigo Ana": registry("Íñigo Ana", UID)}


@pytest.mark.parametrize(
    ("owner", "file"), [("Лена", "лена"), ("日本", "日本"), ("Ζωή Π.", "ζωη-π"), ("Łukasz", "łukasz")]
)
def test_owners_are_people_whatever_script_they_write(tmp_path: Path, owner: str, file: str) -> None:
    store = TokenStore(tmp_path)
    store.save(registry(owner, UID))
    assert [path.name for path in tmp_path.iterdir()] == [f"{file}.toml"]
    assert store.load(owner) == registry(owner, UID) and list(store.all()) == [owner]


@pytest.mark.parametrize("owner", ["", "///", "..", "...", "x" * 80])
def test_a_name_that_makes_no_file_is_refused(tmp_path: Path, owner: str) -> None:
    with pytest.raises(RegistryError, match="an owner needs a name"):
        TokenStore(tmp_path).path(owner)


def test_two_names_for_one_file_are_refused(tmp_path: Path) -> None:
    store = TokenStore(tmp_path)
    store.save(registry("Ana B", UID))
    with pytest.raises(RegistryError, match="this file is Ana B's"):
        store.load("Ana-B")


def test_the_faults_of_all_files_are_listed_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("[[token]]\nuid = 1\nkind = 'state'\n")
    (tmp_path / "b.toml").write_bytes(b"\xff")
    with pytest.raises(RegistryError, match=r"(?s)line 2, a.toml, token 1, uid: .*line 1, b.toml: not UTF-8") as caught:
        TokenStore(tmp_path).all()
    assert len(caught.value.problems) == 2


def test_the_tags_of_both_rosters_join_the_discs(red: Army, blue: Army) -> None:
    tagged = replace(red, troopers=(replace(red.troopers[0], tag=UID), *red.troopers[1:]))
    ana, ben = virtual_tokens(red, "Ana"), virtual_tokens(blue, "Ben")
    everything = registry_for_game({"A": ana, "B": ben}, {"A": tagged, "B": blue})
    assert len(everything) == len(ana) + len(ben) + 1
    assert everything.get(UID) == Token(UID, Role(TokenKind.TROOPER, 1, None, "captain"), "A")
    assert {token.owner for token in everything} == {"A", "B"}


def test_every_disc_that_means_two_things_is_named(red: Army, blue: Army) -> None:
    other = virtual_uid("two")
    both = [replace(army, troopers=(replace(army.troopers[0], tag=UID), *army.troopers[1:])) for army in (red, blue)]
    mixed = replace(both[0], troopers=(*both[0].troopers[:1], replace(red.troopers[1], tag=other), *red.troopers[2:]))
    with pytest.raises(RegistryError) as caught:
        registry_for_game({"A": registry("Ana", other), "B": TokenRegistry(owner="Ben")}, {"A": mixed, "B": both[1]})
    assert [problem.text() for problem in caught.value.problems] == [
        f"disc {other} is trooper line1 in the roster of A, but a command disc is enrolled",
        f"disc {UID} belongs to both sides (A, B)",
    ]
