"""The table of commands: help says of each what the command itself says, and none is loaded before it is run."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from ordertray.commands.main import COMMANDS, USER_ERRORS, loaded, main
from patience import patience


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_of_a_command_what_the_command_says_itself(name: str) -> None:
    sentence = " ".join(loaded(name).help.split("\n\n")[0].split())
    assert COMMANDS[name][1] == sentence


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert f"ordertray {name}" in capsys.readouterr().out


@pytest.mark.parametrize(("module", "name"), sorted(USER_ERRORS))
def test_errors_that_are_told_are_where_the_table_says(module: str, name: str) -> None:
    found = getattr(import_module(module), name)
    assert issubclass(found, Exception)
    assert (found.__module__, found.__qualname__) == (module, name)


def test_an_unknown_command_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["paly"])
    assert ended.value.code == 2
    assert "paly" in capsys.readouterr().err


def test_help_loads_no_room() -> None:
    program = (
        "import sys; sys.argv = ['ordertray', '--help']\n"
        "from ordertray.commands.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "rooms = {name.split('.')[1] for name in sys.modules if name.startswith('ordertray.')}\n"
        "assert rooms == {'commands'}, rooms"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, timeout=patience(60))
