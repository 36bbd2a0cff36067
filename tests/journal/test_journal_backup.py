"""A backup while the game goes on."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from journal.journal_files import contents, filled, new_game, step
from ordertray.journal import Journal, JournalError, backup


def test_backup_while_a_game_is_written(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    with Journal.open(path) as journal:
        game = new_game(journal)
        step(journal, game, 1, 3)
        enough = threading.Event()
        written = [3]

        def write() -> None:
            number = 1
            while not enough.is_set():
                number += 1
                step(journal, game, number, 3)
                written[0] = number * 3

        writer = threading.Thread(target=write)
        writer.start()
        try:
            counts = []
            for number in range(5):
                copy = tmp_path / f"copy{number}.db"
                before = written[0]
                backup(path, copy)
                assert not copy.with_name(copy.name + "-wal").exists()
                with Journal.open(copy) as copied:
                    counts.append(copied.verify())
                    assert counts[-1] % 3 == 0 and counts[-1] >= before
                    assert len(copied.taps()) * 3 == counts[-1]
        finally:
            enough.set()
            writer.join()
        assert counts == sorted(counts)
        assert journal.verify() == written[0]


def test_a_backup_replaces_nothing(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    filled(path, 2)
    (tmp_path / "copy.db").write_text("my other file")
    with pytest.raises(JournalError, match="is there already"):
        backup(path, tmp_path / "copy.db")
    assert (tmp_path / "copy.db").read_text() == "my other file"
    with pytest.raises(JournalError, match="nowhere"):
        backup(path, tmp_path / "nowhere" / "copy.db")
    with pytest.raises(JournalError, match="no record yet"):
        backup(tmp_path / "none.db", tmp_path / "copy2.db")
    assert not (tmp_path / "copy2.db").exists()
    backup(path, tmp_path / "copy3.db")
    assert contents(tmp_path / "copy3.db") == contents(path)
