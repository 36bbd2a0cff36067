"""The page's server: in the event loop of the service, on a socket that is bound before anything is promised."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import uvicorn

from ...link import wall_ms
from ...rules import Army, Seat
from ...service.table_service import Notice, TableService
from ...tokens.registry import TokenRegistry
from ..doing.api import Api
from ..doing.hands import Hands, Tray
from ..doing.roles import ROLES
from ..doing.setup import Setup
from ..showing.hub import Hub
from ..showing.page import Page
from .access import Access
from .addresses import LOOPBACK, WebError, base_address, bound_socket, own_address
from .app import WebApp
from .certificates import Certificates, certificates
from .gate import Gate
from .guard import Guard, own_names
from .keys import KeysError, load_keys, save_keys

log = logging.getLogger(__name__)

KEYS_FILE = "page-keys.json"
#: Connections that wait to be accepted; they are accepted so many at once.
BACKLOG = 64


@dataclass(frozen=True)
class WebOptions:
    """How the page is served.

    `host`: loopback unless asked for the network. `port`: None for the usual one or, if that is taken, any free one.
    `folder`: where keys and enrolled discs are kept. `everything_open`: everybody has every role (loopback only).
    `names`: further host names that one may ask for; `proxies`: addresses of proxies that are believed.
    `tls`: https, by an authority of our own (`certificates`). `kind`: the
    tray is `virtual`, `real` or `none`; `tray_hands` moves a virtual one. `tokens`: the seats' discs, as given on the
    command line.
    """

    folder: Path
    host: str = "127.0.0.1"
    port: int | None = None
    everything_open: bool = False
    names: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    tls: bool = False
    kind: str = "none"
    tray_hands: Tray | None = None
    tokens: Mapping[Seat, TokenRegistry] = field(default_factory=dict)
    examples: Callable[[], Mapping[Seat, Army]] | None = None


@dataclass(frozen=True)
class Opened:
    """A page that is being served."""

    base: str
    page: Page
    hub: Hub
    access: Access
    certificates: Certificates | None = None

    def link(self, role: str) -> str:
        """The secret link of a role. The secret stands behind `#`, which browsers keep to themselves."""
        return f"{self.base}/#key={self.access.keys.secrets[role]}"


def links_of(opened: Opened) -> dict[str, Any]:
    """What `ordertray links` is answered: the address, and for each role its link and PIN."""
    return {
        "base": opened.base,
        "fingerprint": None if opened.certificates is None else opened.certificates.fingerprint,
        "links": {role: {"link": opened.link(role), "pin": opened.access.pins[role]} for role in ROLES},
    }


def version() -> str:
    """The host's version."""
    try:
        return metadata.version("ordertray")
    except metadata.PackageNotFoundError:
        return "0"


class _Server(uvicorn.Server):
    """uvicorn, whose signals are the service's."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield


def _why(task: asyncio.Task[None]) -> str:
    """Why a task is over."""
    error = None if task.cancelled() else task.exception()
    return "it was stopped" if error is None else f"{type(error).__name__}: {error}"


def _no_examples() -> Mapping[Seat, Army]:
    return {}


@contextlib.asynccontextmanager
async def serving(service: TableService, options: WebOptions) -> AsyncIterator[Opened]:
    """Serve the page of `service` while the context lasts. Raises `WebError` before anything is served."""
    if options.everything_open and options.host not in LOOPBACK:
        raise WebError(f"{options.host} is no loopback address: seats need their secrets there")
    listener = bound_socket(options.host, options.port)
    port = int(listener.getsockname()[1])
    own = (*own_names(), *(name.lower() for name in options.names))
    try:
        keys = load_keys(options.folder / KEYS_FILE)
        tls = certificates(options.folder, own, {"127.0.0.1", own_address()}) if options.tls else None
    except (KeysError, WebError) as error:
        listener.close()
        raise WebError(str(error)) from None
    access = Access(keys, now_s=time.monotonic, everything_open=options.everything_open)
    gate = Gate(listener, now_s=time.monotonic, proxies=options.proxies)
    setup = Setup(
        options.folder,
        options.kind == "virtual",
        options.examples or _no_examples,
        tokens=dict(options.tokens),
    )
    setup.load_tokens()
    if service.table is not None:
        setup.take_over(service.table)
    page = Page(service, wall_ms=wall_ms, tray=options.kind, setup=setup)
    hub = Hub(page)
    hands = None if options.tray_hands is None else Hands(options.tray_hands, service)
    api = Api(page, hub, setup, hands)
    base = base_address(options.host, port, secure=tls is not None)
    opened = Opened(base, page, hub, access, tls)

    def keep() -> None:
        try:
            save_keys(access.keys, options.folder / KEYS_FILE)
        except KeysError as error:  # in force all the same; not after a restart
            log.warning("%s", error)

    def renew(role: str) -> None:
        access.keys = access.keys.renewed(role)
        access.new_pins()
        keep()
        log.info("%s has a new link and PIN", role)

    def heard(notice: Notice) -> None:
        if notice.what == "game" and notice.table is not None:
            access.new_pins()

    api.renew_keys, api.keep_keys = renew, keep
    forget = service.listen(heard)
    web = WebApp(
        api, access, cookie=f"ordertray_{port}", version=version(), authority=None if tls is None else tls.authority
    )
    guarded = Guard(
        web.application(),
        names=own,
        now_s=time.monotonic,
        proxies=options.proxies,
        has_role=web.has_role,
        gate=gate,
    )
    server = _Server(
        uvicorn.Config(
            guarded,
            access_log=False,
            log_config=None,
            log_level="warning",
            lifespan="off",
            ws="websockets-sansio",
            ws_max_size=4096,
            ws_per_message_deflate=False,
            server_header=False,
            # Whom to believe about addresses is the guard's; who may stay how long, the gate's.
            proxy_headers=False,
            backlog=BACKLOG,
            ssl_certfile=None if tls is None else tls.page,
            ssl_keyfile=None if tls is None else str(tls.key),
            timeout_keep_alive=15,
            timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=16 * 1024,
        )
    )
    running = asyncio.create_task(server.serve(sockets=[gate]), name="page")
    sweeping = asyncio.create_task(gate.sweep(), name="gate")
    owner, died = asyncio.current_task(), False

    def ended(_: object) -> None:
        nonlocal died
        if not server.should_exit and owner is not None:  # by itself: whoever serves a page must hear of it
            died = True
            owner.cancel()

    try:
        # Nothing is promised before it is so: whoever reads the address finds the page there.
        while not server.started and not running.done():
            await asyncio.sleep(0.005)
        if running.done():
            raise WebError(f"the page cannot be served: {_why(running)}")
        running.add_done_callback(ended)
        yield opened
    except asyncio.CancelledError:
        if died:
            raise WebError(f"the page has ended: {_why(running)}") from None
        raise
    finally:
        forget()
        sweeping.cancel()
        server.should_exit = True
        with contextlib.suppress(asyncio.CancelledError, Exception):  # what it was is told above
            await running
        api.end_enrolment()
        if hands is not None:
            hands.close()
        page.close()
        gate.close()
