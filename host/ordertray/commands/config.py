"""`ordertray config`: the configuration file, what of it holds, what is wrong with it, a new one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from platformdirs import user_config_path

from ..service.places import APPLICATION, FILE_NAME, find_settings, read_settings
from ..service.setting_keys import commented_file, shown
from ..service.settings import Settings, load_settings
from .options import ConfigPath
from .shared import fail, file_errors, language, save
from .terminal import echo

app = typer.Typer(
    no_args_is_help=True, help="The configuration: what holds, what is wrong, a new file.", rich_markup_mode=None
)


def _read(path: Path | None) -> tuple[Settings, dict[str, object], str]:
    """Settings, and the file's values and text; nothing of these where there is no file."""
    path = path or find_settings()
    settings = load_settings(path)
    values, text = read_settings(path) if path is not None else ({}, "")
    return settings, values, text


@app.command()
def show(config: ConfigPath = None, as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """Show every key with its value and where that comes from. Options of `ordertray run` win over all of them.

    Example:  ordertray config show
    """
    _ = language()
    with file_errors(_):
        settings, values, text = _read(config)
    rows = shown(settings, values, text, _)
    if as_json:
        keys = [{"key": row.key, "value": row.value, "from": row.origin} for row in rows]
        print(
            json.dumps(
                {"file": None if settings.source is None else str(settings.source), "keys": keys}, ensure_ascii=False
            )
        )
        return
    echo(str(settings.source) if settings.source else _("no configuration file: `ordertray config init` writes one"))
    widths = [max(len(getattr(row, field)) for row in rows) for field in ("key", "value")]
    for row in rows:
        echo(f"{row.key:<{widths[0]}}  {row.value:<{min(widths[1], 60)}}  {row.origin}")


@app.command()
def check(config: ConfigPath = None) -> None:
    """Check the configuration file: every fault with its line, status 2 if there is one.

    Example:  ordertray config check --config /etc/ordertray/ordertray.toml
    """
    _ = language()
    with file_errors(_):
        settings, _values, _text = _read(config)
    if settings.source is None:
        echo(_("no configuration file: `ordertray config init` writes one"))
    else:
        echo(_("{path}: can be used").format(path=settings.source))


@app.command()
def init(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to; else your configuration folder.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite one that is there.")] = False,
) -> None:
    """Write a configuration file that names every key, each as a comment with its default.

    Example:  ordertray config init
    """
    _ = language()
    path = output or user_config_path(APPLICATION) / FILE_NAME
    with file_errors(_):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            fail(f"{path.parent}: {error.strerror or error}")
        save(path, commented_file(_), force=force)
    echo(str(path))
