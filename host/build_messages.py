"""Build hook: compile the message catalogues (.po, committed) to what gettext reads (.mo, never committed)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class MessagesBuildHook(BuildHookInterface[Any]):
    """Runs for the wheel and for an editable install alike, so that a checkout speaks Spanish too."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile every catalogue below `host/ordertray/messages/locale`."""
        from babel.messages.mofile import write_mo
        from babel.messages.pofile import read_po

        for po in sorted(Path(self.root, "host/ordertray/messages/locale").glob("*/LC_MESSAGES/*.po")):
            with po.open("rb") as source, po.with_suffix(".mo").open("wb") as target:
                write_mo(target, read_po(source))
