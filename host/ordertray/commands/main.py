"""The entry of the command line: each command is loaded when it is run, and ends with one message, never a traceback.

A command stands in `COMMANDS` with the sentence that `--help` shows, so that help loads none of them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any

if sys.argv[1:2] == ["run"]:  # before what takes long to load: a signal is a clean end from here on
    from ..service.ending import leave_on_signals

    leave_on_signals()

import typer
from typer.core import TyperCommand, TyperGroup

from .options import STATUS_BAD_INPUT, UserError

#: No message is longer.
MOST_TOLD = 30_000

#: Name: where it is (`module:function`, or `module:app` for a group), what help says of it.
COMMANDS = {
    "play": ("play:play", "Play a game script line by line, and answer each line."),
    "run": ("run:run", "Run the table: trays, rules, record and lamps. An unfinished game goes on where it was."),
    "links": (
        "links:links",
        "Show where the running service's page is, with the links, PINs and QR codes that open its seats.",
    ),
    "status": ("status:status", "Show how the running service is: the game, the trays' links, their readers."),
    "demo": ("demo:demo", "Play an example on the virtual tray, then hand it to you. No hardware needed."),
    "record": ("record:app", "The record of all games."),
    "army": ("army:app", "Armies: codes of the army builder, rosters."),
    "tokens": ("tokens:app", "Order tokens: labels, enrolling discs."),
    "config": ("config:app", "The configuration: what holds, what is wrong, a new file."),
    "doctor": (
        "doctor:doctor",
        "Look for everything that could keep a tray from working; for each fault the command that mends it.",
    ),
    "flash": (
        "tray:flash_command",
        "Put this host's firmware on a tray: check MicroPython, copy what differs, restart, wait for HELLO.",
    ),
    "selftest": (
        "selftest:selftest",
        "Walk a builder through the new tray: readers, strips, buzzer, buttons, pads, lamps.",
    ),
    "measure": (
        "measure:measure",
        "Measure a real tray against what the simulation assumed of it.",
    ),
    "sim": (
        "tray:sim_command",
        "A virtual tray with a fault console: lay tags down, press buttons, break things, see every pixel.",
    ),
    "install": ("install:install_command", "Install the service: user, port rule, unit, configuration."),
    "uninstall": ("install:uninstall_command", "Take the service back; games and an edited configuration stay."),
}

#: What a command may raise that is the input's fault, by module and name: all carry a text for a person.
USER_ERRORS = {
    ("ordertray.commands.options", "UserError"),
    ("ordertray.files.problems", "FileError"),
    ("ordertray.journal.errors", "JournalError"),
    ("ordertray.games.store", "StoreError"),
    ("ordertray.link.errors", "LinkError"),
    ("ordertray.rules.position", "PositionError"),
    ("ordertray.web.serving.addresses", "WebError"),
}


class Named(TyperCommand):
    """What stands for a command in help: its name and its whole sentence."""

    def get_short_help_str(self, limit: int = 0) -> str:
        """The sentence, not cut off."""
        return self.help or ""


class Commands(TyperGroup):
    """All commands, none of them loaded."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names, as help lists them."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """What stands for a command in help: its name and its sentence."""
        if cmd_name not in COMMANDS:
            return None
        return Named(cmd_name, callback=lambda: None, help=COMMANDS[cmd_name][1], rich_markup_mode=None)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is run, loaded."""
        if args and args[0] in COMMANDS:
            return args[0], loaded(args[0]), args[1:]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=Commands,
    name="ordertray",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="The order tray: keeps count of orders in Infinity, so that the players need not.",
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        from ordertray_firmware import __version__

        print(f"ordertray {__version__}")
        raise typer.Exit


@app.callback()
def _ordertray(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """The order tray: keeps count of orders in Infinity, so that the players need not."""


#: Commands that talk to a tray, to a terminal key by key, or to a running service: by means that Windows lacks.
POSIX_ONLY = {"run", "links", "status", "demo", "doctor", "selftest", "measure", "sim", "install", "uninstall"}
NOT_HERE = (
    "this command needs Linux or macOS (on Windows: WSL, or a Raspberry Pi as the host); "
    "play, army, tokens labels, record, config and flash --image work here too"
)


def is_posix() -> bool:
    """Whether this system has what a serial port, a terminal and a running service are used by."""
    return find_spec("fcntl") is not None


def loaded(name: str) -> Any:
    """The command `name`, with all it needs to run. Raises UserError for one that this system cannot run."""
    if name in POSIX_ONLY and not is_posix():
        raise UserError(f"{name}: {NOT_HERE}")
    module, attribute = COMMANDS[name][0].split(":")
    found = getattr(import_module(f"ordertray.commands.{module}"), attribute)
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(pretty_exceptions_enable=False, add_completion=False, rich_markup_mode=None)
        alone.command(name)(found)
        found = alone
    command = typer.main.get_command(found)
    command.name = name
    return command


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of `ordertray`."""
    try:
        status = app(args=arguments, prog_name="ordertray", standalone_mode=False)
    except BrokenPipeError:
        # The reader went away (`| head`): no message, and no second one at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        status = _failed(error)
    sys.exit(status if isinstance(status, int) else 0)


def _failed(error: Exception) -> int:
    """Tell what went wrong; the status to end with. What is none of the input's fault is raised on."""
    from ..text import shown

    # Names of files and what is in them may be anything: a terminal gets no more than text.
    if hasattr(error, "format_message") and hasattr(error, "show"):  # Typer's own: how the command is used
        text = shown(error.format_message(), MOST_TOLD, lines=True)
        error.format_message = lambda: text
        error.show()
        return int(getattr(error, "exit_code", STATUS_BAD_INPUT))
    if type(error).__name__ == "Abort":
        print("ordertray: ended", file=sys.stderr)
        return 1
    if (known := told(error)) is None:
        raise error
    print(f"ordertray: {shown(known, MOST_TOLD, lines=True)}", file=sys.stderr)
    return int(getattr(error, "status", STATUS_BAD_INPUT))


def told(error: Exception) -> str | None:
    """What a person is told of an error that is the input's fault; None for one of ours."""
    kinds = {(kind.__module__, kind.__qualname__) for kind in type(error).__mro__}
    if not kinds & USER_ERRORS:
        return None
    if ("ordertray.files.problems", "FileError") in kinds:
        from ..files.problems import FileError
        from ..messages import detect_language, translator

        assert isinstance(error, FileError)
        return error.text(translator(detect_language()))
    return str(error)
