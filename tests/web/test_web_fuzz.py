"""A seeded sample of `make fuzz` at the page."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ordertray.web.serving.guard import Guard
from web.fuzz import tried


def test_no_request_breaks_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Guard, "_paced", lambda *_, **__: True)
    came = asyncio.run(asyncio.wait_for(tried(tmp_path, 400, 17), 240))
    assert came["2xx"] > 50 and came["4xx"] > 100
    assert not [record.getMessage() for record in caplog.records if record.exc_info]
