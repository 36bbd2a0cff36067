"""The log of the running service: a line of text for people, or a line of JSON for programs.

What strangers, trays and ports say gets into it. So a line is a line (what would end it or steer a terminal is written
out), it has an end, and of lines of one kind there are so many a minute and then a count: nobody can fill the card.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum

from ..text import MOST_SHOWN, shown

#: Of one kind in a minute: of anything, of the steps of the game (a table is quick at times), and with a traceback.
MOST_OF_A_KIND = 6
MOST_STEPS = 60
MOST_TRACEBACKS = 2
#: The logger that tells the game's steps, which no stranger can bring about.
STEPS = ("ordertray",)
MOST_KINDS = 200
MOST_LINE = 400
MOST_TRACEBACK = 4000

TEXT = "%(asctime)s %(levelname).1s %(name)s: %(message)s"


class LogFormat(StrEnum):
    """How the log is written."""

    TEXT = "text"
    JSON = "json"


class Pace(logging.Filter):
    """Lets through so many records of one kind a minute. A kind is a logger and a message before it is filled in.

    `now_s`: monotonic seconds.
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now_s = now_s
        self._minutes: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether this one is written; the first of a minute tells how many of the last one were not."""
        now_s, kind = self._now_s(), (record.name, str(record.msg)[:MOST_SHOWN])
        if kind not in self._minutes and len(self._minutes) >= MOST_KINDS:
            del self._minutes[next(iter(self._minutes))]
        began_s, count = self._minutes.pop(kind, (now_s, 0))
        most = MOST_TRACEBACKS if record.exc_info else MOST_STEPS if record.name in STEPS else MOST_OF_A_KIND
        if now_s - began_s >= 60:
            if count > most:
                record.msg = f"{record.getMessage()} (and {count - most} more like it within a minute)"
                record.args = ()
            began_s, count = now_s, 0
        self._minutes[kind] = (began_s, count + 1)
        return count < most


class OneLine(logging.Formatter):
    """A record as one line, of a bounded length; a traceback below it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        plain = logging.makeLogRecord({**record.__dict__, "exc_info": None, "exc_text": None, "stack_info": None})
        line = shown(super().format(plain), MOST_LINE)
        if record.exc_info:
            line += "\n" + shown(self.formatException(record.exc_info), MOST_TRACEBACK, lines=True)
        return line


class JsonLines(logging.Formatter):
    """One JSON object a line: `time` (UTC, ISO 8601), `level`, `name`, `message`, and `error` (a traceback) if any."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "name": record.name,
            "message": shown(record.getMessage(), MOST_LINE),
        }
        if record.exc_info:
            line["error"] = shown(self.formatException(record.exc_info), MOST_TRACEBACK, lines=True)
        return json.dumps(line, ensure_ascii=False)


def log_to_stderr(form: LogFormat = LogFormat.TEXT) -> None:
    """Log from level INFO on to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form is LogFormat.JSON else OneLine(TEXT))
    handler.addFilter(Pace())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
