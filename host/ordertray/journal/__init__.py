"""The record of every game: one durable entry per step, in SQLite. See README.md."""

from ordertray.journal.copies import backup
from ordertray.journal.end_mark import Missing
from ordertray.journal.errors import (
    AlreadyRecordedError,
    JournalDamagedError,
    JournalError,
    JournalFullError,
    JournalLockedError,
    JournalNewerError,
    JournalOlderError,
    NotAJournalError,
)
from ordertray.journal.journal import Journal
from ordertray.journal.model import Doubt, Draft, Entry, GameRow, Tap
from ordertray.journal.reader import JournalReader
from ordertray.journal.salvage import Saved, salvage

__all__ = [
    "AlreadyRecordedError",
    "Doubt",
    "Draft",
    "Entry",
    "GameRow",
    "Journal",
    "JournalDamagedError",
    "JournalError",
    "JournalFullError",
    "JournalLockedError",
    "JournalNewerError",
    "JournalOlderError",
    "JournalReader",
    "Missing",
    "NotAJournalError",
    "Saved",
    "Tap",
    "backup",
    "salvage",
]
