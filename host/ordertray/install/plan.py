"""What `ordertray install` and `ordertray uninstall` do, as a list of steps. Pure: nothing is touched here."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from ordertray.files.problems import Problem
from ordertray.install import files, layout
from ordertray.messages import N_, identity

_HIDDEN_FROM_THE_SERVICE: Final = ("/home", "/root", "/run/user", "/tmp", "/var/tmp")
"""Where the unit's ProtectHome and PrivateTmp hide programs from the service."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What a plan needs to know of a machine: its groups, whether systemd is there, and where this program lies.

    `program` is the `ordertray` command, `python` the Python of the same environment, `interpreter` what that leads to
    where known; all as the machine that will run them names them. `has_user`: the service user exists.
    """

    groups: frozenset[str]
    has_systemd: bool
    program: PurePosixPath
    python: PurePosixPath
    interpreter: PurePosixPath | None = None
    has_user: bool = False

    @property
    def serial_group(self) -> str:
        """The group that may open serial ports; the service's own where the machine has none of the usual."""
        return next((group for group in layout.SERIAL_GROUPS if group in self.groups), layout.USER)

    @property
    def service_groups(self) -> tuple[str, ...]:
        """The groups the service user joins."""
        wanted = (*(group for group in (self.serial_group,) if group != layout.USER), layout.GPIO_GROUP)
        return tuple(group for group in wanted if group in self.groups)


@dataclass(frozen=True, slots=True)
class WriteFile:
    """Write a file, root's, readable by all, or by `group` only. `keep`: leave one that is there as it is."""

    path: PurePosixPath
    text: str
    why: str
    group: str = ""
    keep: bool = False


@dataclass(frozen=True, slots=True)
class RemoveFile:
    """Remove a file; `only_if` = only while it still has this text (someone may have edited it)."""

    path: PurePosixPath
    why: str
    only_if: str | None = None


@dataclass(frozen=True, slots=True)
class RemoveDirectory:
    """Remove a directory; with `contents` whatever is in it, else only if it is empty."""

    path: PurePosixPath
    why: str
    contents: bool = False


@dataclass(frozen=True, slots=True)
class RunCommand:
    """Run a command. `in_root` is the same for a root directory that is not running ("{root}" stands for it);
    None where nothing is to be done there. `may_fail`: its failure is told, and the steps go on.
    """

    argv: tuple[str, ...]
    why: str
    in_root: tuple[str, ...] | None = None
    may_fail: bool = False


Step = WriteFile | RemoveFile | RemoveDirectory | RunCommand


class InstallError(ValueError):
    """The service cannot be installed like this; `problems` says everything that stands in the way."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        """Keep the problems."""
        super().__init__("; ".join(problem.text() for problem in problems))
        self.problems = problems


def plan_install(machine: Machine, *, translate: Callable[[str], str] = identity) -> list[Step]:
    """The steps that install the service; doing them again brings an older installation up to date.

    Raises InstallError with everything that stands in the way.
    """
    problems = tuple(_problems(machine))
    if problems:
        raise InstallError(problems)
    _ = translate
    groups = machine.service_groups
    sysusers_name = layout.SYSUSERS.name
    return [
        WriteFile(layout.SYSUSERS, files.sysusers_file(groups), _("the service's own user, without a login")),
        RunCommand(
            ("systemd-sysusers", str(layout.SYSUSERS)),
            _("make that user"),
            in_root=("systemd-sysusers", "--root={root}", sysusers_name),
        ),
        WriteFile(
            layout.UDEV_RULES,
            files.udev_rules(machine.serial_group),
            _("the tray's port: group, stable name, no ModemManager"),
        ),
        RunCommand(("udevadm", "control", "--reload"), _("read that rule"), may_fail=True),
        RunCommand(
            ("udevadm", "trigger", "--subsystem-match=usb", "--subsystem-match=tty"),
            _("apply it to a tray that is plugged in already"),
            may_fail=True,
        ),
        WriteFile(
            layout.CONFIGURATION,
            files.configuration(),
            _("the configuration; one that is there already is kept"),
            group=layout.USER,
            keep=True,
        ),
        WriteFile(
            layout.UNIT,
            files.unit(machine.program, machine.python, groups),
            _("the service: starts with the machine, restarts when it fails"),
        ),
        RunCommand(("systemctl", "daemon-reload"), _("read the service's unit")),
        RunCommand(
            ("systemctl", "enable", layout.UNIT_NAME),
            _("start it with the machine"),
            in_root=("systemctl", "--root={root}", "enable", layout.UNIT_NAME),
        ),
        RunCommand(("systemctl", "restart", layout.UNIT_NAME), _("start it now")),
    ]


def plan_uninstall(machine: Machine, *, purge: bool = False, translate: Callable[[str], str] = identity) -> list[Step]:
    """The steps that take the service back. Games and an edited configuration stay, unless `purge`."""
    _ = translate
    steps: list[Step] = [
        RunCommand(
            ("systemctl", "disable", "--now", layout.UNIT_NAME),
            _("stop the service, lamps off"),
            in_root=("systemctl", "--root={root}", "disable", layout.UNIT_NAME),
            may_fail=True,
        ),
        RemoveFile(layout.UNIT, _("the service")),
        RunCommand(("systemctl", "daemon-reload"), _("forget it"), may_fail=True),
        RemoveFile(layout.UDEV_RULES, _("the rule for the tray's port")),
        RunCommand(("udevadm", "control", "--reload"), _("forget that rule"), may_fail=True),
        RemoveFile(layout.SYSUSERS, _("the service's user"), None),
    ]
    if machine.has_user:
        steps.append(
            RunCommand(
                ("userdel", layout.USER),
                _("remove that user and its group"),
                in_root=("userdel", "--prefix", "{root}", layout.USER),
            )
        )
    if purge:
        steps += [
            RemoveDirectory(layout.CONFIGURATION_DIRECTORY, _("the configuration"), contents=True),
            RemoveDirectory(layout.STATE_DIRECTORY, _("all games on record"), contents=True),
        ]
    else:
        steps += [
            RemoveFile(
                layout.CONFIGURATION, _("the configuration, unless it was edited"), only_if=files.configuration()
            ),
            RemoveDirectory(layout.CONFIGURATION_DIRECTORY, _("its directory, if empty")),
        ]
    return steps


def _problems(machine: Machine) -> list[Problem]:
    problems: list[Problem] = []
    if not machine.has_systemd:
        problems.append(
            Problem(
                "systemd",
                N_(
                    "there is no systemd here; start `ordertray run` by this system's own means, "
                    "as a user of group {group}"
                ),
                {"group": machine.serial_group},
            )
        )
    for path in (machine.program, machine.interpreter):
        hidden = next((place for place in _HIDDEN_FROM_THE_SERVICE if path and path.is_relative_to(place)), None)
        if hidden is None:
            continue
        problems.append(
            Problem(
                str(path),
                N_(
                    "the service cannot see programs in {place}; install into /opt/ordertray instead, from the "
                    "release's file or a clone's folder: sudo sh {installer} {wheel}"
                ),
                {"place": hidden, "installer": shlex.quote(str(layout.INSTALLER)), "wheel": layout.WHEEL},
            )
        )
    if not machine.program.is_absolute() or not machine.python.is_absolute():
        problems.append(Problem(str(machine.program), N_("must be called by its whole path")))
    for path in (machine.program, machine.python):
        if any(letter in str(path) for letter in " \t%\"'\\$"):
            problems.append(Problem(str(path), N_("a path with blanks, quotes, % or $ does not work in a unit")))
    return problems
