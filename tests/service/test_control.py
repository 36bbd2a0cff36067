"""Asking the running service: one line each way, whatever is asked."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from ordertray.commands.status_shown import drawn
from ordertray.service.asking import NotRunningError, ask, socket_of
from ordertray.service.control import LONGEST_LINE, answering
from ordertray.service.status import status_of
from service.service_helpers import begun, bench_on

ANSWERS = {"status": lambda: {"summary": "well"}}


async def raw(path: Path, line: bytes) -> dict[str, object]:
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(line)
    await writer.drain()
    writer.write_eof()
    answer: dict[str, object] = json.loads(await reader.readline())
    writer.close()
    return answer


def test_a_question_is_answered_and_the_socket_is_gone_afterwards(tmp_path: Path) -> None:
    record = tmp_path / "r.sqlite3"

    async def work() -> None:
        async with answering(record, ANSWERS) as path:
            assert path.stat().st_mode & 0o777 == 0o600
            assert await asyncio.to_thread(ask, record, "status") == {"ok": True, "summary": "well"}
        assert not path.exists()

    asyncio.run(work())
    with pytest.raises(NotRunningError, match="no service is running"):
        ask(record, "status")


@settings(max_examples=25, derandomize=True, deadline=None)
@given(st.one_of(st.binary(max_size=200), st.just(b"x" * (LONGEST_LINE + 10) + b"\n"), st.just(b"[" * 4000 + b"\n")))
def test_nonsense_gets_an_error_and_the_service_goes_on(line: bytes) -> None:
    async def work() -> None:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            async with answering(Path(folder) / "r", ANSWERS) as path:
                answer = await raw(path, line.replace(b"\n", b" ") + b"\n")
                assert answer["ok"] is False
                assert (await raw(path, b'{"ask":"status"}\n'))["ok"] is True

    asyncio.run(work())


def test_a_long_path_has_a_socket_all_the_same(tmp_path: Path) -> None:
    record = tmp_path / ("x" * 120) / "r.sqlite3"
    assert len(str(socket_of(record))) <= 100

    async def work() -> None:
        async with answering(record, ANSWERS):
            assert (await asyncio.to_thread(ask, record, "status"))["ok"]

    asyncio.run(work())


def test_the_status_tells_game_and_trays_and_nothing_private(tmp_path: Path) -> None:
    bench = begun(tmp_path / "r.sqlite3")
    status = status_of(bench.service)
    assert status["game"] == 1 and status["position"] == 0
    assert "cost" not in json.dumps(status)
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(drawn(status, frames=True))
    assert "game 1" in console.export_text()
    assert status_of(bench_on(tmp_path / "other.sqlite3").service)["summary"] == "no game is on"
