"""The API's own documentation: a page for people, OpenAPI for machines. Both from the same table as the checks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from .endpoints import Endpoint
from .fields import TYPE_NAMES, Field

_PREFIX = "/api/v1"
_OWN = (
    ("GET", "/session", "Which roles this browser has.", (), '{"roles":["A"],"tray":"virtual",…}'),
    ("POST", "/session", "Open a role by its link's secret or its PIN; sets a cookie.", None, '{"opened":"A",…}'),
    ("DELETE", "/session", "Close all roles of this browser.", (), '{"roles":[]}'),
    ("GET", "/texts", "The page's texts; `?language=en|es`.", (), '{"key":"text"}'),
)


def reference_page(endpoints: Sequence[Endpoint], session_fields: Sequence[Field]) -> str:
    """The reference as an HTML page."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Order tray: API</title>',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        '<link rel="stylesheet" href="/static/page.css"></head><body class="reference"><main>',
        "<h1>Order tray: API</h1>",
        "<p>JSON over HTTP below <code>/api/v1</code>, and one websocket for changes. The actions are lines of the "
        "game script, the views those of <code>ordertray play --json</code>. "
        'Machines read <a href="/api/openapi.json">openapi.json</a>.</p>',
        "<h2>Who</h2><p>A seat is opened by the secret of its link or by its PIN, both printed on the host's terminal; "
        "then a cookie is kept. Programs send <code>Authorization: Bearer SECRET</code> instead. Without either one "
        "watches. Roles: <code>A</code>, <code>B</code> (the seats), <code>table</code> (set-up, and both hands at a "
        "virtual tray).</p>",
        "<h2>Answers</h2><p>What the rules refuse is answered with status 200: "
        '<code>{"ok":false,"rule":"ACT-07","message":…}</code>. Errors of the request itself: 400 a faulty body, '
        "403 not yours, or from another site's page, 404 nothing there, 409 not now, 413 too large, 415 not JSON, "
        '421 a foreign host name, 429 too many; all as <code>{"error":…,"message":…}</code>. '
        "<code>?language=es</code> gives the messages in Spanish.</p>",
        "<h2>Live</h2><p><code>ws://HOST/api/v1/live?view=public|A|B|table&amp;language=en|es</code>: first "
        '<code>{"type":"hello",…}</code>, then <code>{"type":"state","revision":N,…}</code> whole whenever something '
        'changes, for a seat <code>{"type":"choices",…}</code> after it, and <code>{"type":"beat"}</code> when all is '
        'quiet. Answer the n-th state with <code>{"drawn":n}</code>: only two are on their way, and what '
        "was missed in between is never sent. Close codes: 4403 not yours, 4408 silent, 4429 too many.</p>",
        "<h2>Endpoints</h2>",
    ]
    for method, path, about, fields, answer in _OWN:
        parts.append(_endpoint(method, path, about, session_fields if fields is None else fields, (), answer))
    for e in endpoints:
        parts.append(_endpoint(e.method, e.path, e.about, e.fields, sorted(e.who), e.answer))
    return "\n".join([*parts, "</main></body></html>"])


def _endpoint(method: str, path: str, about: str, fields: Sequence[Field], who: Sequence[str], answer: str) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(f.name)}</code></td><td>{TYPE_NAMES[f.type]}{'' if f.required else ', may be left out'}"
        f"</td><td>{_code(f.about)}{': ' + ', '.join(f.choices) if f.choices else ''}</td></tr>"
        for f in fields
    )
    table = f"<table><tbody>{rows}</tbody></table>" if rows else ""
    roles = f"<p>Needs one of: {', '.join(who)}.</p>" if who else ""
    return (
        f"<section><h3><code>{method} {_PREFIX}{escape(path)}</code></h3><p>{_code(about)}</p>{roles}{table}"
        f"<p>Answers <code>{escape(answer)}</code></p></section>"
    )


def _code(text: str) -> str:
    """Text whose parts in backquotes are code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if place % 2 else part for place, part in enumerate(parts))


def openapi(endpoints: Sequence[Endpoint], session_fields: Sequence[Field], version: str) -> dict[str, Any]:
    """The same in OpenAPI 3.1."""
    paths: dict[str, dict[str, Any]] = {}
    listed: list[tuple[str, str, str, Sequence[Field]]] = [
        (method, path, about, session_fields if fields is None else fields) for method, path, about, fields, _ in _OWN
    ]
    listed += [(e.method, e.path, e.about, e.fields) for e in endpoints]
    for method, path, about, fields in listed:
        operation: dict[str, Any] = {"summary": about, "responses": {"200": {"description": "see /api"}}}
        if "{game}" in path:
            operation["parameters"] = [{"name": "game", "in": "path", "required": True, "schema": {"type": "string"}}]
        if method == "POST":
            schema = {
                "type": "object",
                "properties": {field.name: field.schema() for field in fields},
                "required": [field.name for field in fields if field.required],
                "additionalProperties": False,
            }
            operation["requestBody"] = {"content": {"application/json": {"schema": schema}}}
        paths.setdefault(_PREFIX + path, {})[method.lower()] = operation
    return {"openapi": "3.1.0", "info": {"title": "Order tray", "version": version}, "paths": paths}
