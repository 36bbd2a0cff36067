"""The record of every game: one durable entry per step, in SQLite. See README.md."""

from ordertray.on_demand import load_names

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    from ordertray.journal.salvage import Saved

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
]

__getattr__ = load_names(
    __name__,
    copies="backup",
    end_mark="Missing",
    errors=(
        "AlreadyRecordedError JournalDamagedError JournalError JournalFullError JournalLockedError "
        "JournalNewerError JournalOlderError NotAJournalError"
    ),
    journal="Journal",
    model="Doubt Draft Entry GameRow Tap",
    reader="JournalReader",
    salvage="Saved",
)
