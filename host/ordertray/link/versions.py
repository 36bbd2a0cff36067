"""Whether a tray's firmware is the one that this host brings, and what to do if not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ordertray.messages import N_, Translator, identity
from ordertray_firmware import __version__ as ours

OLDER = N_("The tray has firmware {tray}, this host brings {host}: bring the tray up to date with `ordertray flash`.")
NEWER = N_(
    "The tray has firmware {tray}, newer than this host's {host}: update the host (`install.sh` of the newer release), "
    "or go back with `ordertray flash`."
)
UNKNOWN = N_("The tray says no version of its firmware ({tray}): make it this host's {host} with `ordertray flash`.")


def judged(hello: Mapping[str, Any], translate: Translator = identity, host: str = ours) -> str:
    """What is to be said of a tray's HELLO; nothing if its firmware is the host's. They play together all the same."""
    tray = str(hello.get("fw", ""))
    if tray == host:
        return ""
    theirs, own = _numbers(tray), _numbers(host)
    template = UNKNOWN if theirs is None or own is None else NEWER if theirs > own else OLDER
    return translate(template).format(tray=tray or "-", host=host)


def _numbers(version: str) -> tuple[int, ...] | None:
    """The numbers of a version like 1.2.3; what stands behind them is not looked at."""
    found = re.match(r"([0-9]{1,6})\.([0-9]{1,6})(?:\.([0-9]{1,6}))?", version)
    return None if found is None else tuple(int(part or 0) for part in found.groups())
