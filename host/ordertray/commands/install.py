"""The commands `ordertray install` and `ordertray uninstall`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from ordertray.install.perform import RUNNING_ROOT, StepFailedError, describe, perform, this_machine
from ordertray.install.plan import InstallError, Machine, Step, plan_install, plan_uninstall

STATUS_REFUSED = 2

DryRun = Annotated[bool, typer.Option("--dry-run", help="Print every step and every file; change nothing.")]
Root = Annotated[
    Path,
    typer.Option("--root", help="Install into the system in this directory instead of the running one.", exists=True),
]
Environment = Annotated[
    Path | None,
    typer.Option(
        "--environment",
        help="The virtual environment whose `ordertray` the service runs; this one's where it is left out.",
    ),
]


def install_command(dry_run: DryRun = False, root: Root = RUNNING_ROOT, environment: Environment = None) -> None:
    """Install the service: user, port rule, unit, configuration."""
    _carry_out(plan_install, dry_run=dry_run, root=root, environment=environment)


def uninstall_command(
    dry_run: DryRun = False,
    root: Root = RUNNING_ROOT,
    purge: Annotated[bool, typer.Option("--purge", help="Remove the games and the configuration too.")] = False,
) -> None:
    """Take the service back; games and an edited configuration stay."""
    _carry_out(lambda machine: plan_uninstall(machine, purge=purge), dry_run=dry_run, root=root)


def _carry_out(
    plan: Callable[[Machine], Sequence[Step]], *, dry_run: bool, root: Path, environment: Path | None = None
) -> None:
    root = root.resolve()
    try:
        steps = plan(this_machine(root, environment))
        if dry_run:
            typer.echo(describe(steps), nl=False)
        else:
            perform(steps, root=root, say=typer.echo)
    except InstallError as error:
        for problem in error.problems:
            typer.echo(f"ordertray: {problem.text()}", err=True)
        raise typer.Exit(STATUS_REFUSED) from error
    except StepFailedError as error:
        typer.echo(f"ordertray: {error}", err=True)
        raise typer.Exit(STATUS_REFUSED) from error
