"""Telling the host where the page is: addresses, and - on a terminal only - the secret links, PINs and QR codes.

Standard output may be a log (systemd keeps it), and secrets do not belong there; `ordertray links` shows them then.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from rich.console import Console

from ..messages import N_, Translator
from ..web.serving.addresses import LOOPBACK, ROLE_TITLES


def announce(links: Mapping[str, Any], console: Console, translate: Translator, *, running: bool = False) -> None:
    """Print QR codes where a phone could use them, then the roles' links and PINs, and last the page's address.

    The last lines are the ones that stay in sight: codes come first, side by side, as many as the terminal can show.
    `running`: this is the terminal in which the table runs, so the way out is told too.
    """
    _ = translate
    base = str(links["base"])
    local = urlsplit(base).hostname in LOOPBACK
    if not local:
        _print_codes(links["links"], console, _)
    console.print()
    if fingerprint := links.get("fingerprint"):
        trust = N_("Trust this table once: open {address}, install what comes, and compare its fingerprint (SHA-256):")
        address = f"{base}/authority.crt"
        console.print(_(trust).format(address=address), highlight=False, soft_wrap=True)
        console.print(f"  {fingerprint}", highlight=False, soft_wrap=True)
        if not local and (code := qr_text(address)) is not None:
            console.print(_PLAIN.sub("", code), highlight=False, markup=False, soft_wrap=True)
    for role, secret in links["links"].items():
        title = _(ROLE_TITLES[role])
        line = f"{title}:  {secret['link']}  PIN {secret['pin']}"
        console.print(line, highlight=False, soft_wrap=True)
    if local:
        text = N_("Only this machine can open it. For phones at the table: --host 0.0.0.0")
        console.print(_(text), style="dim", highlight=False)
    heading = N_("The table page (to watch):")
    console.print(f"{_(heading)}  {base}/", style="bold", highlight=False, soft_wrap=True)
    if running:
        console.print(_(N_("Ctrl-C ends; `ordertray links` shows this again.")), style="dim", highlight=False)


def _print_codes(links: Mapping[str, Mapping[str, str]], console: Console, _: Translator) -> None:
    """The roles' QR codes, as many side by side as there is room for; what does not fit the height is left out."""
    codes = []
    for role, secret in links.items():
        code = qr_text(secret["link"])
        if code is None:
            return
        lines = [_PLAIN.sub("", line) for line in code.rstrip("\n").split("\n")]
        width = max(map(len, lines))
        codes.append([f" {_(ROLE_TITLES[role])}".ljust(width), *(line.ljust(width) for line in lines)])
    width, height = len(codes[0][0]) + 2, len(codes[0])
    beside = max(1, console.width // width)
    rows = max(1, (console.height - len(links) - 3) // height)
    for first in range(0, min(len(codes), beside * rows), beside):
        for parts in zip(*codes[first : first + beside], strict=True):
            console.print("  ".join(parts), highlight=False, markup=False, soft_wrap=True)


#: segno's half blocks need no colours: dark on light is what any reader takes either way round.
_PLAIN = re.compile(r"\x1b\[[0-9;]*m")


def qr_text(link: str) -> str | None:
    """The link as a QR code for a terminal; None without segno (the extra `web` brings it)."""
    try:
        import segno
    except ImportError:
        return None
    out = io.StringIO()
    segno.make(link, error="l", micro=False).terminal(out=out, compact=True, border=2)
    return out.getvalue()
