"""Where the page is said to be: on a terminal with secrets and QR codes, in a log without; settings and options."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from rich.console import Console

from ordertray.commands.announce import announce, qr_text
from ordertray.messages import identity
from ordertray.service.places import SettingsError
from ordertray.service.settings import load_settings
from ordertray.web.serving.addresses import open_browser
from patience import patience


def start(folder: Path, *arguments: str, stdout: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "ordertray", "run", "--no-tray", "--quick", "3", "1", "--http-port", "0"]
    command += ["--record", str(folder / "r.sqlite3"), *arguments]
    environment = {**os.environ, "ORDERTRAY_HOME": str(folder), "ORDERTRAY_LANGUAGE": "en", "COLUMNS": "200"}
    return subprocess.Popen(command, stdout=stdout, stderr=subprocess.PIPE, env=environment, cwd=folder)


def log_until(process: subprocess.Popen[bytes], word: str) -> str:
    """The log up to the line with this word."""
    assert process.stderr is not None
    text = ""
    while word not in text:
        line = process.stderr.readline().decode()
        assert line, text
        text += line
    return text


def secrets_of(folder: Path) -> list[str]:
    keys = json.loads((folder / "page-keys.json").read_text())
    return [*keys["secrets"].values()]


def pins_in(shown: str) -> list[str]:
    """The PINs that are shown; there is one for each role, and no two are alike."""
    pins = re.findall(r"PIN ([0-9]{6})\b", shown)
    assert len(set(pins)) == len(pins) == 3, shown
    return pins


def test_a_log_holds_no_secret_and_the_links_command_shows_them(tmp_path: Path) -> None:
    process = start(tmp_path, stdout=subprocess.PIPE)
    try:
        text = log_until(process, "ordertray links")
        base = text.partition("table page at ")[2].split()[0]
        with urllib.request.urlopen(base, timeout=patience(10)) as answer:
            assert b"<title>Order tray</title>" in answer.read()
        end = time.monotonic() + patience(10)
        while not (tmp_path / "r.sqlite3.control").exists():
            assert time.monotonic() < end
            time.sleep(0.02)
        command = [sys.executable, "-m", "ordertray", "links", "--record", str(tmp_path / "r.sqlite3")]
        shown = subprocess.run(command, capture_output=True, timeout=patience(30), check=True, text=True).stdout
        assert base in shown and all(secret in shown for secret in secrets_of(tmp_path))
    finally:
        process.terminate()
        out, err = process.communicate(timeout=patience(15))
    assert process.returncode == 0
    for secret in (*secrets_of(tmp_path), *pins_in(shown)):
        assert secret not in text + out.decode() + err.decode()
        assert secret in secrets_of(tmp_path) or secret not in (tmp_path / "page-keys.json").read_text()


def test_a_terminal_is_shown_links_and_pins(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = start(tmp_path, stdout=theirs)
    os.close(theirs)
    try:
        log_until(process, "table page at ")
        shown = b""
        while shown.count(b"PIN") < 3:
            shown += os.read(ours, 65536)
        for secret in secrets_of(tmp_path):
            assert secret.encode() in shown.replace(b"\r\n", b"")
        pins_in(shown.decode())
    finally:
        process.terminate()
        process.communicate(timeout=patience(15))
        os.close(ours)


def test_links_without_a_service_say_so(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ordertray", "links", "--record", str(tmp_path / "r.sqlite3")]
    done = subprocess.run(command, capture_output=True, timeout=patience(30), check=False, text=True)
    assert done.returncode == 2 and "Traceback" not in done.stderr and done.stderr.startswith("ordertray: ")


def test_a_taken_port_is_one_message_and_a_status_to_try_again(tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = start(tmp_path, "--http-port", str(taken.getsockname()[1]), stdout=subprocess.PIPE)
        _, err = process.communicate(timeout=patience(30))
    assert process.returncode == 75 and b"Traceback" not in err and b"--http-port" in err


def test_phones_get_qr_codes_and_loopback_a_word_about_it() -> None:
    links = {"A": {"link": "http://192.0.2.7:8765/#key=abc", "pin": "123456"}}
    for base, codes in (("http://192.0.2.7:8765", 1), ("http://127.0.0.1:8765", 0)):
        console = Console(file=io.StringIO(), width=200)
        announce({"base": base, "links": links}, console, identity)
        text = console.file.getvalue()  # type: ignore[attr-defined]
        assert "123456" in text and links["A"]["link"] in text
        assert (text.count("▄") > 50) == bool(codes) and ("--host 0.0.0.0" in text) == (not codes)
    code = qr_text("http://192.0.2.7:8765/#key=abc")
    assert code is not None and len(set(map(len, code.splitlines()))) <= 2


def test_no_browser_is_opened_where_there_is_no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    assert not open_browser("http://127.0.0.1:1/")


def test_the_configuration_asks_for_the_network(tmp_path: Path) -> None:
    path = tmp_path / "ordertray.toml"
    path.write_text('host = "0.0.0.0"\nhttp_port = 80\n')
    settings = load_settings(path)
    assert (settings.host, settings.http_port) == ("0.0.0.0", 80)
    path.write_text("")
    assert (load_settings(path).host, load_settings(path).http_port) == ("127.0.0.1", None)
    path.write_text('host = 7\nhttp_port = "many"\n')
    with pytest.raises(SettingsError) as caught:
        load_settings(path)
    assert {problem.line for problem in caught.value.problems} == {1, 2}
