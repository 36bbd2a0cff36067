"""`kill -9` of the host between two touches: what waits and the question that is asked are there again."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import httpx
import pytest

from patience import patience
from web.browser_helpers import Host

API = "api/v1"


def asked(host: Host, seat: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """A touch by a seat, which must be accepted; without a body what the seat's page shows."""
    import json

    secret = json.loads((host.folder / "page-keys.json").read_text("utf-8"))["secrets"][seat]
    headers = {"authorization": f"Bearer {secret}"}
    with httpx.Client(base_url=host.base, headers=headers, timeout=patience(20)) as client:
        if body is None:
            answer = client.get(f"{API}/state", params={"view": seat}).json()
        else:
            answer = client.post(f"{API}/touch", json={"seat": seat, **body}).json()
            assert answer.get("ok"), (body, answer)
    found: dict[str, Any] = answer
    return found


def killed_and_back(host: Host) -> None:
    host.stop(signal.SIGKILL)
    assert host.process is not None and host.process.returncode == -signal.SIGKILL
    host.start()


@pytest.fixture
def host(tmp_path: Path) -> Any:
    made = Host(tmp_path, ("--quick", "4", "2"), tray=False)
    made.start()
    yield made
    made.stop()


def to_orders(host: Host) -> None:
    for _ in range(6):
        if asked(host, "A")["public"]["phase"] == "orders":
            return
        asked(host, "A", {"key": "ok", "hold": True})
    raise AssertionError("no Orders Phase in sight")


def test_a_touch_that_waits_and_a_question_asked_survive_kill_9(host: Host) -> None:
    to_orders(host)
    asked(host, "A", {"disc": "regular g1"})
    before = asked(host, "A")
    left = before["public"]["seats"]["A"]["pools"]["1"]["left"]

    asked(host, "A", {"disc": "state"})
    waiting = asked(host, "A")["pending"]
    assert [one["what"] for one in waiting] == ["state"]
    killed_and_back(host)
    after = asked(host, "A")
    assert [(one["seat"], one["what"]) for one in after["pending"]] == [("A", "state")]
    assert after["public"]["seats"]["A"]["pools"]["1"]["left"] == left
    asked(host, "A", {"disc": "state"})  # the same disc again ends it

    asked(host, "B", {"key": "pass", "hold": True})
    assert asked(host, "B")["consent"] == "B"
    killed_and_back(host)
    assert asked(host, "B")["consent"] == "B"
    asked(host, "A", {"key": "ok"})
    assert asked(host, "A")["public"]["seats"]["A"]["pools"]["1"]["left"] == left + 1
