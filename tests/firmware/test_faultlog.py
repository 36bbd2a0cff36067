"""The ring of crashes on flash."""

import os

from ordertray_firmware.faultlog import LONGEST, MOST, FaultLog

ON_BOTH_INTERPRETERS = True

PATH = "test-faults.%s.tmp"
_made = 0


def fresh() -> str:
    """A file name of this run's own in the current folder; cleaned by `drop`."""
    global _made
    _made += 1
    path = PATH % ("%d-%d" % (id(PATH) % 100000, _made))
    drop(path)
    return path


def drop(path: str) -> None:
    for name in (path, path + ".new"):
        try:
            os.remove(name)
        except OSError:
            pass


def test_entries_come_back_after_a_restart_until_they_were_seen() -> None:
    path = fresh()
    log = FaultLog(path)
    assert log.unseen() == []
    assert log.add("readers: ValueError: x", 61000)
    again = FaultLog(path)
    assert again.unseen() == ["#1 after 61 s: readers: ValueError: x"]
    assert again.mark_seen()
    assert FaultLog(path).unseen() == []
    assert FaultLog(path).all()[0]["text"] == "readers: ValueError: x"
    drop(path)


def test_the_ring_is_bounded_and_keeps_the_newest() -> None:
    path = fresh()
    log = FaultLog(path)
    for number in range(50):
        log.add("error %d " % number + "x" * 1000, number * 1000)
    entries = FaultLog(path).all()
    assert len(entries) == MOST
    assert entries[-1]["text"].startswith("error 49 ")
    assert entries[-1]["n"] == 50
    assert max(len(entry["text"]) for entry in entries) == LONGEST
    assert os.stat(path)[6] < 4096
    drop(path)


def test_a_spoilt_file_costs_only_its_spoilt_lines() -> None:
    path = fresh()
    FaultLog(path).add("first", 0)
    with open(path, "a") as file:
        file.write('half a li\n{"n": 2}\n[]\n"x"\n\n{"n": 3, "up_ms": 5, "text": "third", "seen": false}\n')
    assert [entry["text"] for entry in FaultLog(path).all()] == ["first", "third"]
    drop(path)


def test_noise_in_the_file_and_a_flash_that_takes_nothing_are_survived() -> None:
    path = fresh()
    with open(path, "wb") as file:
        file.write(bytes(range(128, 256)) * 10)
    assert isinstance(FaultLog(path).all(), list)
    drop(path)
    log = FaultLog("no/such/folder/faults.log")
    assert not log.add("lost", 0)
    assert log.unseen() == ["#1 after 0 s: lost"]


def test_mark_seen_without_news_writes_nothing() -> None:
    path = fresh()
    assert FaultLog(path).mark_seen()
    try:
        os.stat(path)
    except OSError:
        return
    raise AssertionError("a file was written")
