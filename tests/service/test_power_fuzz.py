"""Whatever stands in a file or on a socket: a clear message of its own kind, never another exception."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
import random
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ordertray.army.codes import ArmyCodeError, decode
from ordertray.army.quick import quick_army
from ordertray.army.roster import read_roster
from ordertray.files.problems import FileError
from ordertray.games.transfer import TransferError, export_game, import_game
from ordertray.journal import Journal
from ordertray.rules import Seat
from ordertray.service.asking import NotRunningError, ask, socket_of
from ordertray.service.control import answering
from ordertray.service.places import SettingsError
from ordertray.service.settings import load_settings
from ordertray.tokens.model import TokenKind
from ordertray.tokens.registry import format_registry, load_registry
from ordertray.tokens.virtual import virtual_tokens
from ordertray_firmware import config as tray_config
from service.service_helpers import begun

A, B = Seat
EXAMPLES = Path(__file__).parents[2] / "examples"
ROUNDS = 300
#: Values that have broken many a reader.
NASTY: list[Any] = [
    None, True, -1, 0, 2**31, 2**63, 2**64, 10**30, 1e308, "", "\x00", "A", "\ud800", "x" * 5000, [], [[]], {},
    {"": {}},
    [None] * 50, "../../etc", "1e999", "%s {0} {uid}", -0.0, ["A", 1],
]  # fmt: skip
PIECES = [
    b"", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"'''", b'"""', b"[[", b"]]", b"= 1e999\n", b"[lamps]\n", b"[boards.\n",
    b"{" * 300,
    b"= " + b"9" * 5000 + b"\n", b"[" * 2000, b"\r", b"\n#", b"= 1979-05-27T07:32:00Z\n", b"= nan\n",
    b"\\ud800", b"\xed\xa0\x80",
]  # fmt: skip

SETTINGS = b"""language = "es"
pace = "full"
record = "/var/lib/ordertray/record.sqlite3"
ports = ["/dev/ordertray", "socket://localhost:5000"]

[boards.E6616408432B7A2E]
A = "A"
B = "B"

[lamps]
"""


def mutated(good: bytes, rng: random.Random) -> bytes:
    """The bytes with one to four of: a bit flipped, a piece cut out, doubled, moved, or something nasty put in."""
    data = bytearray(good)
    for _ in range(rng.randint(1, 4)):
        at, to = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        match rng.randrange(6):
            case 0 if data:
                data[min(at, len(data) - 1)] ^= 1 << rng.randrange(8)
            case 1:
                del data[at : min(to, at + 40)]
            case 2:
                data[at:at] = data[at : min(to, at + 200)]
            case 3:
                data[at:] = b""
            case 4:
                data[at:at] = rng.choice(PIECES)
            case _:
                data[at:at] = rng.randbytes(rng.randrange(12))
    return bytes(data)


def respoilt(good: Any, rng: random.Random) -> Any:
    """The JSON value with one or two of its places spoilt."""
    value = copy.deepcopy(good)
    for _ in range(rng.randint(1, 2)):
        place: Any = value
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = rng.choice(keys)
            if isinstance(place[key], dict | list) and place[key] and rng.random() < 0.75:
                place = place[key]
                continue
            match rng.randrange(4):
                case 0:
                    del place[key]
                case 1 if isinstance(place, dict):
                    place[rng.choice(["", "touch", "seat", "at_ms", "what"])] = rng.choice(NASTY)
                case _:
                    place[key] = rng.choice(NASTY)
            break
    return value


def files(read: Callable[[Path], object], good: bytes, kind: type[Exception], folder: Path) -> None:
    """Read the good file and many spoilt ones: each is read, or refused by an error of that kind with its name."""
    path = folder / "spoilt.toml"
    path.write_bytes(good)
    read(path)
    rng = random.Random(20261129)
    refused = 0
    for number in range(ROUNDS):
        data = rng.randbytes(rng.randrange(300)) if number % 10 == 0 else mutated(good, rng)
        path.write_bytes(data)
        try:
            read(path)
        except kind as error:
            refused += 1
            assert "spoilt.toml" in str(error) and len(str(error)) < 100_000, data
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error} for {data!r}") from error
    assert refused > ROUNDS // 4


def test_rosters(tmp_path: Path) -> None:
    files(read_roster, (EXAMPLES / "red.toml").read_bytes()[:2500].rsplit(b"\n\n", 1)[0] + b"\n", FileError, tmp_path)


def test_the_configuration(tmp_path: Path) -> None:
    files(load_settings, SETTINGS, SettingsError, tmp_path)


def test_registries_of_discs(tmp_path: Path) -> None:
    good = format_registry(virtual_tokens(quick_army(3, 1), "A")).encode()
    files(load_registry, good, FileError, tmp_path)


def test_army_codes() -> None:
    good = b"axZrZXN0cmVsLWNvbG9uaWFsLWZvcmNlBERlbW+BLAIBAQADACEBBAAAgwcBAQAAEAEBAAIBAAEAgIIBAQA="
    decode(good.decode())
    rng = random.Random(7)
    refused = 0
    for _ in range(5 * ROUNDS):
        text = mutated(good, rng).decode("utf-8", rng.choice(["replace", "surrogateescape", "ignore"]))
        try:
            decode(text)
        except ArmyCodeError as error:
            refused += 1
            assert str(error)
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error} for {text!r}") from error
    assert refused > ROUNDS


def test_the_trays_own_configuration() -> None:
    """On the tray nobody reads an exception: it plays with what it can use, and tells the rest as faults."""
    good = json.loads(json.dumps(tray_config.default_config()))
    rng = random.Random(8)
    faulty = 0
    for number in range(5 * ROUNDS):
        text = json.dumps(respoilt(good, rng))
        if number % 3 == 0:
            text = mutated(text.encode(), rng).decode("latin-1")
        try:
            config, faults = tray_config.load(text)
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error} for {text!r}") from error
        assert set(config) == set(good) and all(isinstance(fault, str) for fault in faults)
        faulty += bool(faults)
    assert faulty > ROUNDS


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A short game as a file."""

    async def work() -> dict[str, Any]:
        bench = begun(tmp_path_factory.mktemp("fuzz") / "r.sqlite3")
        await bench.service.on_event(bench.held(A, "ok"))
        await bench.service.on_event(bench.placed(bench.disc(A, TokenKind.REGULAR, 1)))
        await bench.service.on_event(bench.placed(bench.disc(A, TokenKind.STATE)))
        with contextlib.closing(bench.journal):
            return export_game(bench.journal, bench.journal.game(1))

    return asyncio.run(work())


def test_exported_games(exported: dict[str, Any], tmp_path: Path) -> None:
    """What is taken in can be resumed, shown and given out again; all else is refused and leaves no trace."""
    from ordertray.games import store

    rng = random.Random(9)
    refused = 0
    with Journal.open(tmp_path / "r.sqlite3") as journal:
        for number in range(ROUNDS // 2):
            text = json.dumps(respoilt(exported, rng))
            if number % 4 == 0:
                text = mutated(text.encode(), rng).decode("utf-8", "replace")
            before = len(journal.games())
            try:
                game = import_game(journal, text)
            except TransferError as error:
                refused += 1
                assert str(error) and len(journal.games()) == before
                continue
            except Exception as error:
                raise AssertionError(f"{type(error).__name__}: {error} for {text[:3000]!r}") from error
            row = journal.game(game)
            assert store.resume(journal, row).game.position == len(exported["entries"])
            assert store.script_of(journal, row)
            again = json.dumps(export_game(journal, row))
            assert import_game(journal, again) == game + 1
        journal.verify()
    assert refused > ROUNDS // 6


def test_what_answers_on_the_control_socket_may_be_anything(tmp_path: Path) -> None:
    """Another program behind the socket, or one that dies while it answers."""
    record = tmp_path / "r.sqlite3"
    rng = random.Random(10)
    replies = [
        b"", b"\n", b"{", b"[]\n", b"3\n", b'"x"\n', b"null\n", b"\xff\xfe\n", b"[" * 5000 + b"\n",
        b'{"ok": true', b"{}\n{}\n",
        *(rng.randbytes(40) + b"\n" for _ in range(20)),
    ]  # fmt: skip
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(socket_of(record)))
        listener.listen(1)

        def serve() -> None:
            for reply in replies:
                line, _ = listener.accept()
                with line:
                    line.recv(1000)
                    line.sendall(reply)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        for reply in replies:
            try:
                assert isinstance(ask(record, "status"), dict)
            except NotRunningError as error:
                assert str(record) in str(error)
            except Exception as error:
                raise AssertionError(f"{type(error).__name__}: {error} for {reply!r}") from error
        thread.join(10)


def test_a_control_socket_that_cannot_be_made_does_not_stop_the_game(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    record = tmp_path / "r.sqlite3"
    socket_of(record).mkdir()

    async def work() -> bool:
        async with answering(record, {}):
            return True

    assert asyncio.run(work())
    assert "will find nobody" in caplog.text and socket_of(record).is_dir()
    with pytest.raises(NotRunningError):
        ask(record, "status")
