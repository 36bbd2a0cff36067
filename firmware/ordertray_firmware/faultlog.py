"""The tray's memory for its own crashes: a bounded ring of short texts on flash.

One JSON line for each crash; at most `MOST` lines of at most `LONGEST` characters. The file is written anew beside the
old one and renamed over it, so that a power cut leaves one of the two. Entries that a host has not seen yet are marked.
Nothing here ever raises: a full or worn flash must not stop the tray.
"""

import json
import os

from . import const

try:
    from typing import Any
except ImportError:  # MicroPython: annotations are not evaluated there
    pass

FILE = "faults.log"
MOST = const(8)
LONGEST = const(300)


class FaultLog:
    """The ring in `path`; a line that is no entry is dropped when the file is read."""

    def __init__(self, path: str = FILE) -> None:
        self._path = path
        self._entries = _read(path)

    def add(self, text: str, uptime_ms: int) -> bool:
        """Keep one crash, the newest `MOST` of them; `text` is cut to `LONGEST` characters."""
        self._entries.append({"n": self._next(), "up_ms": uptime_ms, "text": text.strip()[:LONGEST], "seen": False})
        del self._entries[:-MOST]
        return self._write()

    def unseen(self) -> "list[str]":
        """Texts that no host has seen yet, oldest first, each with its number and the uptime in seconds."""
        return [
            "#%d after %d s: %s" % (entry["n"], entry["up_ms"] // 1000, entry["text"])
            for entry in self._entries
            if not entry["seen"]
        ]

    def all(self) -> "list[dict[str, Any]]":
        """All entries, oldest first: dicts with n, up_ms, text, seen."""
        return [dict(entry) for entry in self._entries]

    def mark_seen(self) -> bool:
        """A host has seen them all. Writes only when something changed."""
        if all(entry["seen"] for entry in self._entries):
            return True
        for entry in self._entries:
            entry["seen"] = True
        return self._write()

    def _next(self) -> int:
        return self._entries[-1]["n"] + 1 if self._entries else 1

    def _write(self) -> bool:
        fresh = self._path + ".new"
        try:
            with open(fresh, "w") as file:
                for entry in self._entries:
                    file.write(json.dumps(entry))
                    file.write("\n")
            os.rename(fresh, self._path)
        except OSError:
            return False
        return True


def _read(path: str) -> "list[dict[str, Any]]":
    entries: "list[dict[str, Any]]" = []
    try:
        with open(path) as file:
            for line in file:
                try:
                    entry = json.loads(line)
                    entries.append(
                        {
                            "n": int(entry["n"]),
                            "up_ms": int(entry["up_ms"]),
                            "text": str(entry["text"])[:LONGEST],
                            "seen": bool(entry["seen"]),
                        }
                    )
                except (ValueError, KeyError, TypeError):
                    continue
    except (OSError, ValueError):
        return entries[-MOST:]
    return entries[-MOST:]
