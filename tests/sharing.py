"""Which tests go to one worker: those that share what costs much to set up (a browser, built boards, an interpreter).

`pytest-xdist` has groups for that (`--dist loadgroup`), but tells them by a suffix of the test's name, which pytest 9.2
no longer lets it set: each worker then set up everything, and ran every MicroPython module once more.
"""

from __future__ import annotations

import re
from typing import Any, Final

#: What a test's name begins with, and what it shares: the file, or the part of it that the pattern picks out.
SHARED: Final = (
    re.compile(r"tests/(hardware)/"),
    re.compile(r"(tests/web/[^:]+\.py)::"),  # most start a browser
    re.compile(r"(tests/firmware/test_on_micropython\.py::test_on_micropython\[firmware\.\w+)-"),
)


def share_of(name: str) -> str:
    """The group of a test by its full name; its own name for most. The largest groups are started first."""
    for pattern in SHARED:
        if found := pattern.match(name):
            return found[1]
    return name


def scheduler(config: Any, log: Any) -> Any:
    """Make xdist's scheduler of scopes, with the shares as scopes."""
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

    class Sharing(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return share_of(nodeid)

    return Sharing(config, log)
