"""`ordertray links`: where the page is, and what opens its seats."""

from __future__ import annotations

from rich.console import Console

from ..messages import detect_language, translator
from ..service.asking import NotRunningError, ask
from ..service.places import record_path
from .announce import announce
from .options import RecordPath, UserError


def links(record: RecordPath = None) -> None:
    """Show where the running service's page is, with the links, PINs and QR codes that open its seats.

    Example:  ordertray links
    """
    try:
        answer = ask(record or record_path(), "links")
    except NotRunningError as error:
        raise UserError(str(error)) from None
    if not answer["links"]:
        raise UserError("the service serves no page (it was started with --no-web, or 'ordertray[web]' is missing)")
    announce(answer, Console(), translator(detect_language()))
