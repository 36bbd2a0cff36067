"""The record of every game: one durable entry per step, in SQLite. See README.md."""

from ordertray.journal.copies import Saved, backup, salvage
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
from ordertray.journal.model import Draft, Entry, GameRow, Tap
from ordertray.journal.reader import JournalReader

__all__ = [
    "AlreadyRecordedError",
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
    "NotAJournalError",
    "Saved",
    "Tap",
    "backup",
    "salvage",
]
