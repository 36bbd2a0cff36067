"""Carrying out an installation plan, on this machine or in another root directory (a card being prepared, a test)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

from ordertray.install import layout
from ordertray.install.plan import Machine, RemoveDirectory, RemoveFile, RunCommand, Step, WriteFile

RUNNING_ROOT = Path("/")
Say = Callable[[str], None]


class StepFailedError(RuntimeError):
    """A step could not be carried out; the message says which and why, the steps before it are done."""


def this_machine(root: Path = RUNNING_ROOT, environment: Path | None = None) -> Machine:
    """Look at the machine, or at one that lies in `root`.

    `environment` is the virtual environment whose `ordertray` the service shall run, as that machine names it; the one
    this program runs in where it is not given.
    """
    if root == RUNNING_ROOT:
        import grp
        import pwd

        groups = frozenset(group.gr_name for group in grp.getgrall())
        users = frozenset(user.pw_name for user in pwd.getpwall())
        has_systemd = Path("/run/systemd/system").is_dir()
    else:
        groups, users = _names(root / "etc/group"), _names(root / "etc/passwd")
        has_systemd = any((root / place).exists() for place in ("usr/lib/systemd/systemd", "lib/systemd/systemd"))
    python = Path(sys.executable) if environment is None else environment / "bin/python3"
    # Of an environment in another root only that root could say where its Python leads.
    interpreter = PurePosixPath(python.resolve()) if root == RUNNING_ROOT and python.exists() else None
    return Machine(
        groups,
        has_systemd,
        PurePosixPath(python.with_name("ordertray")),
        PurePosixPath(python),
        interpreter,
        layout.USER in users,
    )


def _names(path: Path) -> frozenset[str]:
    """First fields of a colon-separated file; none if there is no file."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return frozenset()
    return frozenset(line.split(":", 1)[0] for line in lines if line)


def describe(steps: Sequence[Step]) -> str:
    """Everything the steps would do, with the text of every file: what `--dry-run` prints."""
    lines: list[str] = []
    for number, step in enumerate(steps, 1):
        lines.append(f"{number}. {step.why}")
        match step:
            case WriteFile():
                kept = " (kept if present)" if step.keep else ""
                mode = f" (0640, group {step.group})" if step.group else " (0644)"
                lines.append(f"   write {step.path}{mode}{kept}")
                lines += [f"   | {line}".rstrip() for line in step.text.splitlines()]
            case RemoveFile():
                lines.append(f"   remove {step.path}" + (" (if it is as it was written)" if step.only_if else ""))
            case RemoveDirectory():
                lines.append(f"   remove {step.path}/" + (" and all in it" if step.contents else " (if empty)"))
            case RunCommand():
                lines.append(f"   run {' '.join(step.argv)}" + (" (may fail)" if step.may_fail else ""))
    return "\n".join(lines) + "\n"


def perform(steps: Sequence[Step], *, root: Path = RUNNING_ROOT, say: Say = print) -> None:
    """Carry out the steps in order, telling each. Raises StepFailedError at the first that fails."""
    if root == RUNNING_ROOT and os.geteuid() != 0:
        raise StepFailedError("installing changes the system: run it as root (sudo)")
    for step in steps:
        try:
            _perform(step, root, say)
        except OSError as error:
            raise StepFailedError(f"{step.why}: {error}") from error


def _perform(step: Step, root: Path, say: Say) -> None:
    match step:
        case WriteFile():
            _write(step, root, say)
        case RemoveFile():
            _remove_file(step, _inside(root, step.path), say)
        case RemoveDirectory():
            _remove_directory(step, _inside(root, step.path), say)
        case RunCommand():
            _run(step, root, say)


def _inside(root: Path, path: PurePosixPath) -> Path:
    return root / path.relative_to("/")


def _write(step: WriteFile, root: Path, say: Say) -> None:
    path = _inside(root, step.path)
    if path.exists() and step.keep:
        say(f"kept {step.path}")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # Whole or not at all: udev and systemd may read at any time.
    unfinished = path.with_name(f".{path.name}.unfinished")
    unfinished.write_text(step.text, encoding="utf-8")
    unfinished.chmod(0o640 if step.group else 0o644)
    if step.group and os.geteuid() == 0:
        os.chown(unfinished, 0, _group_id(root, step.group))
    unfinished.replace(path)
    say(f"wrote {step.path}: {step.why}")


def _group_id(root: Path, name: str) -> int:
    """A group's number in the machine that lies in `root`, whose files need not be this machine's."""
    for line in (root / "etc/group").read_text(encoding="utf-8").splitlines():
        fields = line.split(":")
        if fields[0] == name:
            return int(fields[2])
    raise FileNotFoundError(f"there is no group {name}")


def _remove_file(step: RemoveFile, path: Path, say: Say) -> None:
    if not path.exists():
        return
    if step.only_if is not None and path.read_text(encoding="utf-8") != step.only_if:
        say(f"kept {step.path}: it was edited")
        return
    path.unlink()
    say(f"removed {step.path}: {step.why}")


def _remove_directory(step: RemoveDirectory, path: Path, say: Say) -> None:
    if not path.is_dir() or (any(path.iterdir()) and not step.contents):
        return
    shutil.rmtree(path)
    say(f"removed {step.path}: {step.why}")


def _run(step: RunCommand, root: Path, say: Say) -> None:
    argv = step.argv
    if root != RUNNING_ROOT:
        if step.in_root is None:
            return
        argv = tuple(word.format(root=root) for word in step.in_root)
    try:
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        failure = "" if done.returncode == 0 else (done.stderr or done.stdout).strip() or f"status {done.returncode}"
    except FileNotFoundError:
        failure = f"there is no command {argv[0]}"
    if not failure:
        say(f"ran {' '.join(argv)}: {step.why}")
    elif step.may_fail:
        say(f"went on without {' '.join(argv)}: {failure}")
    else:
        raise StepFailedError(f"{step.why}: {' '.join(argv)}: {failure}")
