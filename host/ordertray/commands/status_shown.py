"""What `ordertray status` shows: the game, and of each tray the link's counters, readers and last frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from ..text import shown


def drawn(status: Mapping[str, Any], *, frames: bool) -> RenderableType:
    """The status for a terminal; with `frames` the last frames of each link, decoded."""
    game = Text(f"game {status['game']} @{status['position']}: " if status["game"] else "", style="bold")
    parts: list[RenderableType] = [game + Text(str(status["summary"]))]
    parts += [Text(f"in doubt: {shown(doubt, 600)}", style="bold red") for doubt in status.get("doubts", ())]
    for tray in status["trays"]:
        parts += [Text(), _tray(tray)]
        if frames:
            parts += [Text(shown(line, 2000), style="dim", overflow="fold") for line in tray["trace"]]
    if not status["trays"]:
        parts.append(Text("no tray is looked for"))
    return Group(*parts)


def _tray(tray: Mapping[str, Any]) -> RenderableType:
    table = RichTable(title=Text(shown(f"{tray['name']}: {tray['state']}")), title_justify="left", show_header=False)
    hello, said = tray["hello"], tray["health"]
    rows = {
        "looked for": tray["looked_for"],
        "port": tray["port"] or "-",
        "trouble": tray["error"] or "-",
        "board": tray["board"] or "-",
        "firmware": f"{hello.get('fw', '-')} on MicroPython {hello.get('mp', '-')}, reset: {hello.get('reset', '-')}",
        "versions": tray.get("advice") or "host and tray of one version",
        "round trip": f"{tray['round_trip_ms']} ms" if tray["round_trip_ms"] >= 0 else "-",
        "waiting": f"{tray['queued']} to send, {tray['unhandled']} to deal with",
        "opened": f"{tray['opened']} times, {tray['handler_failures']} failures of ours",
        "counters": ", ".join(f"{name} {count}" for name, count in tray["counters"].items() if count) or "-",
        "readers": "; ".join(
            _reader(pad, reader, reader.get("counters") or said.get("readers", {}).get(pad, {}))
            for pad, reader in tray["readers"].items()
        )
        or "-",
        "tray says": ", ".join(f"{name} {value}" for name, value in said.get("tray", {}).items()) or "-",
        "faults": "; ".join(str(fault) for fault in hello.get("faults", ())) or "-",
    }
    for name, value in rows.items():
        table.add_row(name, Text(shown(value, 1000), overflow="fold"))
    return table


def _reader(pad: str, reader: Mapping[str, Any], counters: Mapping[str, int]) -> str:
    words = ", ".join(f"{name} {count}" for name, count in counters.items() if count)
    state = f"{pad}: {reader.get('chip')} {reader.get('version')}, {reader.get('health')}"
    return f"{state} ({words})" if words else state
