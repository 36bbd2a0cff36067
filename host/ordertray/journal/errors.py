"""What can go wrong with the record: each error is one sentence for a person, with the place and the way out."""

from __future__ import annotations


class JournalError(Exception):
    """The record cannot be used as asked; the text names the file and the way out."""


class NotAJournalError(JournalError):
    """The file is something else. It was not touched."""


class JournalNewerError(JournalError):
    """The file was written by a newer version. It was not touched."""


class JournalOlderError(JournalError):
    """The file is of an older version, and was opened for reading only. It was not touched."""


class JournalDamagedError(JournalError):
    """The file is damaged. It was not touched."""


class JournalLockedError(JournalError):
    """Another process writes to the record; the text says which and since when."""


class JournalFullError(JournalError):
    """The entry could not be written (no space, or the disk failed). Nothing of it is in the record."""


class AlreadyRecordedError(JournalError):
    """This tap has its outcome in the record; nothing was added."""
