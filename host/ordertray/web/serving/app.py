"""The web application: sessions, the API's endpoints, the live socket, and the files of the page."""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import Scope
from starlette.websockets import WebSocket, WebSocketDisconnect

from ...messages import N_, languages, normalised, translator
from ...text import shown
from ..doing.api import Api, ApiError, Call, Ready, Text
from ..showing.hub import Client, CrowdedError, until_one_ends
from ..showing.texts import texts
from .access import SESSION_S, Access
from .endpoints import Endpoint, endpoints
from .fields import BodyError, Field, checked
from .guard import STREAM_POLICY, TooLargeError, address_of
from .reference import openapi, reference_page

log = logging.getLogger(__name__)

PREFIX = "/api/v1"
_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "webmanifest": "application/manifest+json",
}

SESSION_FIELDS = (
    Field("secret", str, "what stands after `key=` in a seat's link", required=False, most=100),
    Field("pin", str, "the six digits that the host's terminal shows", required=False, most=12),
)


class WebApp:
    """Makes the Starlette application of one table. `cookie`: its name (one for each port: cookies know no ports)."""

    def __init__(self, api: Api, access: Access, *, cookie: str, version: str, authority: Path | None = None) -> None:
        self.api = api
        self.access = access
        self.cookie = cookie
        self.version = version
        self._authority = authority
        self.endpoints = endpoints(api)
        self._files = _static_files()

    def application(self) -> Starlette:
        """The application, without its guard."""
        routes: list[Any] = [
            Route("/", self._index),
            Route("/static/{name}", self._static),
            Route("/authority.crt", self._trust),
            Route("/worker.js", self._worker),
            Route("/api", self._reference),
            Route("/api/openapi.json", self._openapi),
            Route(f"{PREFIX}/session", self._session_get, methods=["GET"]),
            Route(f"{PREFIX}/session", self._session_open, methods=["POST"]),
            Route(f"{PREFIX}/session", self._session_close, methods=["DELETE"]),
            Route(f"{PREFIX}/texts", self._texts),
            WebSocketRoute(f"{PREFIX}/live", self._live),
        ]
        routes += [
            Route(PREFIX + endpoint.path, self._serving(endpoint), methods=[endpoint.method])
            for endpoint in self.endpoints
        ]
        handlers: Mapping[Any, Any] = {
            404: _not_found,
            405: _not_found,
            TooLargeError: _too_large,
            Exception: _broken,
        }
        return Starlette(routes=routes, exception_handlers=handlers)

    # --- sessions ----------------------------------------------------------------------------------------------------

    def has_role(self, scope: Scope) -> bool:
        """Whether a request is from somebody with a seat or the table."""
        return bool(self._roles(HTTPConnection(scope)))

    def _roles(self, connection: HTTPConnection) -> frozenset[str]:
        roles = self.access.roles(connection.cookies.get(self.cookie))
        scheme, _, secret = connection.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and (role := self.access.open_by_secret(secret.strip())) is not None:
            roles = roles | {role}
        return roles

    def _session(self, roles: frozenset[str]) -> dict[str, Any]:
        return {
            "roles": sorted(roles),
            "tray": self.api.page.tray,
            "version": self.version,
            "languages": list(languages()),
            "open": self.access.everything_open,
        }

    async def _session_get(self, request: Request) -> Response:
        return JSONResponse(self._session(self._roles(request)), headers={"cache-control": "no-store"})

    async def _session_open(self, request: Request) -> Response:
        try:
            body = checked(SESSION_FIELDS, await _body(request))
        except (BodyError, ApiError) as error:
            return _error(getattr(error, "status", 400), getattr(error, "code", "bad-body"), str(error))
        translate = translator(_language(request))
        address = address_of(request.scope)
        role = None
        if "secret" in body:
            role = self.access.open_by_secret(body["secret"])
        elif "pin" in body:
            if not self.access.may_guess(address):
                log.warning("PINs from %s are not looked at for a while: too many wrong ones", shown(address))
                return _error(429, "too-many", translate(N_("Too many wrong PINs. Wait a minute, or use the link.")))
            role = self.access.open_by_pin("".join(body["pin"].split()), address)
        if role is None:
            log.warning("wrong %s from %s", "PIN" if "pin" in body else "secret", shown(address))
            return _error(403, "wrong-secret", translate(N_("That opens nothing here. Look at the host's terminal.")))
        before = request.cookies.get(self.cookie)
        roles = self._roles(request) | {role}
        response = JSONResponse(self._session(roles) | {"opened": role}, headers={"cache-control": "no-store"})
        response.set_cookie(
            self.cookie,
            self.access.session(roles, before),
            max_age=SESSION_S,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
            path="/",
        )
        return response

    async def _session_close(self, request: Request) -> Response:
        # The cookie may have been copied: it is to open nothing any more, wherever it is.
        if self.access.revoke(request.cookies.get(self.cookie)):
            self.api.keep_keys()
            self.api.hub.renew_rights()
        response = JSONResponse(self._session(frozenset()))
        response.delete_cookie(self.cookie, path="/")
        return response

    # --- the API -----------------------------------------------------------------------------------------------------

    def _serving(self, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        async def serve(request: Request) -> Response:
            try:
                return await self._call(endpoint, request)
            except ApiError as error:
                return _error(error.status, error.code, error.message)
            except BodyError as error:
                return _error(400, "bad-body", str(error))

        return serve

    async def _call(self, endpoint: Endpoint, request: Request) -> Response:
        roles = self._roles(request)
        call = Call(
            roles,
            checked(endpoint.fields, await _body(request)) if endpoint.method == "POST" else {},
            {name: str(value) for name, value in request.path_params.items()},
            dict(request.query_params),
            address_of(request.scope),
            _language(request),
        )
        if endpoint.who:
            call.need(*endpoint.who)
        answer = await endpoint.handler(call)
        if isinstance(answer, Text):
            headers = {"content-disposition": f'attachment; filename="{answer.file_name}"', "cache-control": "no-store"}
            return Response(answer.content, media_type=answer.media_type, headers=headers)
        if isinstance(answer, Ready):
            return Response(answer.content, media_type="application/json", headers={"cache-control": "no-store"})
        return JSONResponse(answer, headers={"cache-control": "no-store"})

    async def _live(self, socket: WebSocket) -> None:
        view = socket.query_params.get("view", "public")
        language = normalised(socket.query_params.get("language", "en"))
        await socket.accept()
        if self.api.allowed_view(view, self._roles(socket)) is None:
            await socket.close(4403, "not yours")
            return
        roles = self._roles(socket)
        client = Client(
            view,
            language,
            lambda: self.api.allowed_view(view, self._roles(socket)) is not None,
            address=address_of(socket.scope),
            role=bool(roles),
        )
        ended = ""

        async def send() -> None:
            nonlocal ended
            await socket.send_text(json.dumps({"type": "hello", **self._session(self._roles(socket))}))
            ended = await self.api.hub.serve(client, socket.send_text)

        async def receive() -> None:
            while True:
                client.acknowledge(_drawn(await socket.receive_text()))

        try:
            await until_one_ends(send(), receive())
            await socket.close(4403 if ended == "rights" else 4408, ended)
        except CrowdedError:
            await socket.close(4429, "too many pages")
        except WebSocketDisconnect:
            return
        except (ValueError, KeyError, RuntimeError):
            # Not a message of ours, or a socket that has gone while we wrote to it.
            log.info("live page %s: closed", shown(address_of(socket.scope)))
            await _close_quietly(socket)

    async def _texts(self, request: Request) -> Response:
        return JSONResponse(texts(_language(request)), headers={"cache-control": "no-cache"})

    async def _reference(self, request: Request) -> Response:
        return Response(reference_page(self.endpoints, SESSION_FIELDS), media_type="text/html")

    async def _openapi(self, request: Request) -> Response:
        return JSONResponse(openapi(self.endpoints, SESSION_FIELDS, self.version))

    async def _trust(self, request: Request) -> Response:
        """The certificate authority of the page, for a phone to trust; the host's terminal shows its fingerprint."""
        if self._authority is None:
            return _error(404, "not-found", "This page is served without TLS of its own.")
        return Response(self._authority.read_bytes(), media_type="application/x-x509-ca-cert")

    # --- files -------------------------------------------------------------------------------------------------------

    async def _index(self, request: Request) -> Response:
        response = self._file("index.html", request)
        if request.query_params.get("view") == "overlay":
            response.headers["content-security-policy"] = STREAM_POLICY
        return response

    async def _worker(self, request: Request) -> Response:
        """The page's service worker: at the root, for it may only keep what lies below it."""
        return self._file("worker.js", request)

    async def _static(self, request: Request) -> Response:
        return self._file(request.path_params["name"], request)

    def _file(self, name: str, request: Request) -> Response:
        found = self._files.get(name)
        if found is None:
            return _error(404, "not-found", "There is no such file.")
        content, packed, tag = found
        headers = {"etag": tag, "cache-control": "no-cache", "vary": "accept-encoding"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        media_type = _TYPES[name.rpartition(".")[2]]
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(packed, headers={**headers, "content-encoding": "gzip"}, media_type=media_type)
        return Response(content, headers=headers, media_type=media_type)


def _static_files() -> dict[str, tuple[bytes, bytes, str]]:
    """The page's files: content, compressed, entity tag. Few and small, so they are all kept in memory."""
    found = {}
    for entry in files("ordertray.web").joinpath("static").iterdir():
        if entry.name.rpartition(".")[2] in _TYPES:
            content = entry.read_bytes()
            tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
            found[entry.name] = (content, gzip.compress(content, mtime=0), tag)
    return found


def _drawn(text: str) -> int:
    """The number of the state that a page has drawn. Raises `ValueError`, `KeyError` for anything else."""
    message = json.loads(text)
    if not isinstance(message, dict) or not isinstance(message["drawn"], int):
        raise ValueError("not an acknowledgement")
    return message["drawn"]


async def _close_quietly(socket: WebSocket) -> None:
    try:
        await socket.close(4400)
    except RuntimeError:
        return


def _language(request: Request) -> str:
    return normalised(request.query_params.get("language", "en"))


async def _body(request: Request) -> object:
    """The JSON body; an empty one is an empty object. Raises `ApiError` 400, 415."""
    raw = await request.body()
    if not raw.strip():
        return {}
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        # Also keeps out forms of other sites, which cannot send this type unasked.
        raise ApiError(415, "not-json", "The body must be sent as application/json.")
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        raise ApiError(400, "not-json", "The body is not JSON.") from None


def _error(status: int, code: str, message: str) -> JSONResponse:
    return JSONResponse({"error": code, "message": message}, status_code=status, headers={"cache-control": "no-store"})


async def _not_found(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    return _error(status, "not-found" if status == 404 else "bad-method", "There is nothing here; see /api.")


async def _too_large(request: Request, error: Exception) -> Response:
    answer = _error(413, "too-large", "The request is too large.")
    answer.headers["connection"] = "close"  # the rest of the body is still on its way
    return answer


async def _broken(request: Request, error: Exception) -> Response:
    return _error(500, "broken", "Something went wrong in the host; its log says more.")
