"""What the tests of the page share: a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, started once a file. Every visit has a context of its own, so no test sees another's cookies.

    Not once for all: while Playwright runs in a thread, `asyncio.run` of other tests cannot.
    """
    from web.browser_helpers import browsing

    with browsing() as found:
        yield found
