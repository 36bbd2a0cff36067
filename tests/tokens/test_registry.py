"""The token registry: its file, its faults, two players' discs in one game."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordertray.army.roster import load_army
from ordertray.rules.army import Army
from ordertray.tokens.model import BadUidError, Role, Token, TokenKind, normalised_uid
from ordertray.tokens.registry import (
    RegistryError,
    TokenRegistry,
    format_registry,
    load_registry,
    merge,
    parse_registry,
    save_registry,
)
from ordertray.tokens.virtual import roles_for, virtual_tokens, virtual_uid

EXAMPLES = Path(__file__).parents[2] / "examples"
UID = "04A1B2C3D4E5F6"


def faults(text: str | bytes) -> list[str]:
    """All faults of a registry, one text each."""
    with pytest.raises(RegistryError) as caught:
        parse_registry(text)
    return [problem.text() for problem in caught.value.problems]


def test_a_registry_is_found_by_uid() -> None:
    registry = parse_registry(
        'owner = "Ana"\n[[token]]\nuid = "04:a1:b2:c3:d4:e5:f6"\nkind = "regular"\ngroup = 1\nnumber = 3\n'
        '[[token]]\nuid = "04000000000001"\nkind = "state"\nstate = "dead"\nowner = "Ben"\n'
    )
    assert registry.get(UID) == Token(UID, Role(TokenKind.REGULAR, 1, 3), "Ana")
    assert registry.get("04000000000001") == Token("04000000000001", Role(TokenKind.STATE, state="dead"), "Ben")
    assert registry.get("04000000000002") is None
    assert UID in registry and len(registry) == 2 and len(registry.of_owner("Ben")) == 1


def test_every_fault_is_listed_at_once_with_its_line() -> None:
    text = """ownr = "x"
[[token]]
uid = "04A1B2C3D4E5F6"
kind = "regluar"
[[token]]
uid = "04a1b2c3d4e5f6"
kind = "regular"
[[token]]
kind = "trooper"
number = 0
[[token]]
uid = "08A1B2C3"
kind = "state"
state = "ded"
[[token]]
uid = "04A1B2C3D4E5F7"
kind = "command"
trooper = "x"
state = "dead"
[[token]]
uid = "04A1B2C3D4E5F8"
kind = "regular"
group = 1
number = 1
[[token]]
uid = "04A1B2C3D4E5F9"
kind = "regular"
group = 1
number = 1
"""
    assert faults(text) == [
        'line 1, ownr: no such key; did you mean "owner"?',
        'line 4, token 1, kind: "regluar" is not known; did you mean "regular"?',
        "line 5, token 2, group: missing: a regular disc names its combat group",
        "line 6, token 2, uid: disc 04A1B2C3D4E5F6 is already token 1",
        "line 8, token 3, uid: missing",
        "line 8, token 3, trooper: missing: a trooper's tag names the trooper's id in the roster",
        "line 10, token 3, number: should be 1 to 999, found 0",
        "line 12, token 4, uid: this is a phone's passing number (08...), not a disc's",
        'line 14, token 4, state: "ded" is not known; did you mean "dead"?',
        "line 18, token 5, trooper: a command disc names no trooper",
        "line 19, token 5, state: only a state disc names a state",
        "line 25, token 7: says the same as token 6; a number is for one disc",
    ]


@pytest.mark.parametrize(
    "raw", [b"\xff\xfe", b"token = 7", b"[token]\nuid = 1", b"[[token]\n", b"\xf1", b"token = [1]"]
)
def test_what_is_no_registry_is_refused(raw: bytes) -> None:
    assert faults(raw)


def test_two_players_with_the_same_disc_are_refused_naming_each() -> None:
    ana = TokenRegistry([Token(UID, Role(TokenKind.REGULAR, 1, 1), "Ana")], "Ana")
    ben = TokenRegistry([Token(UID, Role(TokenKind.COMMAND), "Ben")], "Ben")
    with pytest.raises(RegistryError, match=rf"Ana \+ Ben: 1 .*\n  disc {UID} belongs to both sides \(A, B\)"):
        merge({"A": ana, "B": ben})
    other = TokenRegistry([Token("04000000000001", Role(TokenKind.COMMAND), "Ben")], "Ben")
    both = merge({"A": ana, "B": other})
    assert [(token.uid, token.owner) for token in both] == [(UID, "A"), ("04000000000001", "B")]


def test_saving_leaves_the_old_file_or_the_new_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "deep" / "tokens.toml"
    old = TokenRegistry([Token(UID, Role(TokenKind.COMMAND), "Ana")], "Ana")
    save_registry(old, path)
    assert load_registry(path) == old

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        save_registry(TokenRegistry(owner="Ana"), path)
    monkeypatch.undo()
    assert load_registry(path) == old
    assert [entry.name for entry in path.parent.iterdir()] == ["tokens.toml"]


@pytest.mark.parametrize("name", ["red", "blue"])
def test_the_virtual_set_has_a_disc_for_every_order_and_trooper(name: str) -> None:
    army = load_army(EXAMPLES / f"{name}.toml")
    registry = virtual_tokens(army, "A")
    assert registry == virtual_tokens(army, "A")
    assert len(registry) == len(roles_for(army)) == len({token.uid for token in registry})
    assert all(normalised_uid(token.uid) == token.uid and token.uid.startswith("04") for token in registry)
    assert not set(registry._by_uid) & set(virtual_tokens(army, "B")._by_uid)
    members = [trooper for trooper in army.troopers if not trooper.is_peripheral]
    regular = [trooper for trooper in members if trooper.training == "regular"]
    assert sum(token.kind is TokenKind.REGULAR for token in registry) == len(regular)
    tagged = {token.trooper for token in registry if token.kind is TokenKind.TROOPER}
    assert tagged == {trooper.id for trooper in army.troopers}


@pytest.mark.rule("LOL-05")
def test_no_lieutenant_disc_names_the_trooper(blue: Army) -> None:
    discs = [token for token in virtual_tokens(blue, "A") if token.kind is TokenKind.LIEUTENANT]
    assert len(discs) == 2  # plus-1-order
    assert all(token.trooper is None and token.group is None for token in discs)


def test_a_tag_of_the_roster_keeps_its_uid(red: Army) -> None:
    text = format_registry(virtual_tokens(red, "A"))
    assert parse_registry(text) == virtual_tokens(red, "A")
    assert parse_registry((EXAMPLES / "tokens" / "red.toml").read_bytes()) == virtual_tokens(red, "red")
    assert parse_registry((EXAMPLES / "tokens" / "blue.toml").read_bytes()).owner == "blue"


@given(st.text(max_size=20))
def test_virtual_uids_have_the_form_of_real_ones(seed: str) -> None:
    uid = virtual_uid(seed)
    assert normalised_uid(uid) == uid and len(uid) == 14 and uid[6:8] != "88"


@given(st.text(max_size=24))
def test_any_text_as_uid_is_hex_or_refused(text: str) -> None:
    try:
        uid = normalised_uid(text)
    except BadUidError as error:
        assert str(error)
    else:
        assert bytes.fromhex(uid).hex().upper() == uid


roles = st.builds(
    Role,
    kind=st.sampled_from([TokenKind.IRREGULAR, TokenKind.TACTICAL]),
    group=st.none() | st.integers(1, 15),
    trooper=st.none() | st.sampled_from(["a", "b-1", 'q"uote', "ñ"]),
)
owners = st.sampled_from(["", "Ana", 'Be"n', "Íñigo"])
tokens = st.builds(Token, st.binary(min_size=6, max_size=6).map(lambda raw: "04" + raw.hex().upper()), roles, owners)


@settings(max_examples=50)
@given(st.lists(tokens, unique_by=lambda token: token.uid, max_size=5), owners)
def test_a_registry_survives_the_way_to_toml_and_back(found: list[Token], owner: str) -> None:
    registry = TokenRegistry(found, owner)
    assert parse_registry(format_registry(registry)) == registry
