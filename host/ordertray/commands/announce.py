"""Telling the host where the page is: addresses, and - on a terminal only - the secret links, PINs and QR codes.

Standard output may be a log (systemd keeps it), and secrets do not belong there; `ordertray links` shows them then.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from rich.console import Console

from ..messages import N_, Translator
from ..web.serving.addresses import LOOPBACK, ROLE_TITLES


def announce(links: Mapping[str, Any], console: Console, translate: Translator) -> None:
    """Print the page's address and the roles' links and PINs; QR codes where a phone could use them."""
    _ = translate
    base = str(links["base"])
    heading = N_("The table page (to watch):")
    console.print(f"\n{_(heading)}  {base}/", highlight=False, soft_wrap=True)
    for role, secret in links["links"].items():
        title = _(ROLE_TITLES[role])
        line = f"{title}:  {secret['link']}  PIN {secret['pin']}"
        console.print(line, highlight=False, soft_wrap=True)
    if urlsplit(base).hostname in LOOPBACK:
        text = N_("Only this machine can open it. For phones at the table: --host 0.0.0.0")
        console.print(_(text), style="dim", highlight=False)
        return
    for role, secret in links["links"].items():
        if (code := qr_text(secret["link"])) is not None:
            console.print(f"\n{_(ROLE_TITLES[role])}", style="bold")
            console.print(code, highlight=False, markup=False, soft_wrap=True)


def qr_text(link: str) -> str | None:
    """The link as a QR code for a terminal; None without segno (`pip install 'ordertray[web]'` brings it)."""
    try:
        import segno
    except ImportError:
        return None
    out = io.StringIO()
    segno.make(link, error="l", micro=False).terminal(out=out, compact=True)
    return out.getvalue()
