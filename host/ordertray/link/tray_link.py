"""One tray, kept connected: find its port, open it, hold the session, deliver events, look again when it is gone."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Callable, Collection, Mapping
from importlib import metadata
from typing import Any

from ordertray.link.clock import MonotonicClock
from ordertray.link.delivery import Delivery
from ordertray.link.errors import LinkError, NoAnswerError, NotATrayError, PortLostError, ProtocolMismatchError
from ordertray.link.finder import BoardFinder, BoardSpec
from ordertray.link.host_end import HostEnd
from ordertray.link.model import EventHandler, TrayEvent, TrayStatus, no_handler
from ordertray.link.port import Port, open_port
from ordertray.link.threads import beside
from ordertray.link.versions import judged
from ordertray.text import scalar, shown
from ordertray_firmware import link, wire

log = logging.getLogger(__name__)

# Looking for the port again: at first, and at most.
BACK_OFF_FIRST_MS = 100
BACK_OFF_MOST_MS = 2000
# An open port that has not said a tray's HELLO by then is let go of.
GREETING_MS = 4000
#: What ends whatever runs at MicroPython's prompt, whichever of its modes it is in, and restarts the board.
RESTART = b"\r\x03\x03\x02\rimport machine; machine.reset()\r"
#: So often a board at its prompt is restarted before it is left alone: it may have no firmware.
RESTARTS = 2
# A port that takes longer to close is left to its thread.
CLOSING_MS = 1000
COMMAND_MS = 5000
# Lines of text kept to show what a port said that is no tray.
HEARD_LINES = 5


def software() -> str:
    """What this host calls itself in its HELLO."""
    try:
        return f"ordertray {metadata.version('ordertray')}"
    except metadata.PackageNotFoundError:
        return "ordertray"


class TrayLink:
    """The link to one tray.

    `run()` keeps it up until it is cancelled. `on_event` is awaited for every `T` event, `on_snapshot` for every
    snapshot, in the tray's order, one at a time; when it returns, the event is acknowledged to the tray. So it must not
    return before the outcome is on disk. If it raises, nothing is acknowledged: the session starts anew after a pause,
    and the tray delivers the event again. A handler that has begun is not cancelled with `run()`: it comes to its end
    while the event loop runs. `on_change` is called whenever `status().state` has changed.
    """

    def __init__(
        self,
        spec: BoardSpec,
        on_event: EventHandler,
        *,
        on_snapshot: EventHandler = no_handler,
        on_change: Callable[[TrayLink], None] | None = None,
        finder: BoardFinder | None = None,
        opener: Callable[[str], Port] = open_port,
        clock: MonotonicClock | None = None,
        nonce_seed: str | None = None,
        taken: Callable[[], Collection[str]] = tuple,
    ) -> None:
        self.spec = spec
        self._on_change = on_change
        self._finder = finder or BoardFinder()
        self._opener = opener
        self._clock = clock or MonotonicClock()
        self._taken = taken
        self._end = HostEnd(nonce_seed or secrets.token_hex(8), software(), self._clock.now_ms())
        self._state = "stopped"
        self._error = ""
        self._health: Mapping[str, Any] = {}
        self._readers: dict[str, dict[str, Any]] = {}
        self._last_hello: Mapping[str, Any] = {}
        self._opened = 0
        self._frame_number = 0
        self._delivery = Delivery(
            spec.name,
            on_event,
            on_snapshot,
            self._answered,
            clock=self._clock,
            session=lambda: self._end.counters.sessions,
            done=self._dealt_with,
            failed=self._not_dealt_with,
        )
        self._commands: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._command_number = 0
        self._heard: deque[str] = deque(maxlen=HEARD_LINES)
        self._echo = False
        self._restarted = 0
        self._port: Port | None = None
        self._port_url = ""
        self._out = b""
        self._lost: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._greeting: asyncio.TimerHandle | None = None
        self._waiting_to_write = False
        self._changed = asyncio.Event()

    # --- for the application -----------------------------------------------------------------------------------------

    @property
    def online(self) -> bool:
        """Whether there is a session with the tray."""
        return self._end.online

    @property
    def board(self) -> str:
        """The unique id of the tray, as it last said it; empty before its first HELLO."""
        return str(self._last_hello.get("id", ""))

    @property
    def hello(self) -> Mapping[str, Any]:
        """What the tray last said of itself."""
        return self._last_hello

    @property
    def nonce(self) -> str:
        """The nonce of the tray's boot, as it last said it."""
        return str(self._last_hello.get("nonce", ""))

    @property
    def told(self) -> int:
        """Up to which of its events the tray had been told, before this session, that they are dealt with.

        From its HELLO: the number before its `base`. 0 if it has not said so.
        """
        base = self._last_hello.get("base")
        return base - 1 if isinstance(base, int) else 0

    @property
    def readers(self) -> Mapping[str, Mapping[str, Any]]:
        """The readers by pad, as last heard: chip, version, health (ok, retry, reset, failed, absent), counters."""
        return self._readers

    @property
    def port(self) -> str:
        """The URL of the open port, or nothing."""
        return self._port_url

    def show(self, strips: Mapping[str, Any]) -> None:
        """Show these lamps: the body of an `F` frame without its number. Kept, and shown again in every new session.

        Raises ValueError for a frame too long for the wire.
        """
        self._frame_number += 1
        self._end.show({"f": self._frame_number, **strips})
        self._pump()

    def feedback(self, side: str, do: str) -> bool:
        """A short signal to the players: `side` A, B or `*`; `do` ok, refused, undo or window. False if offline."""
        sent = self._end.send(wire.FEEDBACK, {"side": side, "do": do}) is not None
        self._pump()
        return sent

    async def command(self, body: Mapping[str, Any], timeout_ms: int = COMMAND_MS) -> dict[str, Any]:
        """Send a `C` command (its `c` and parameters) and wait for its answer's body.

        Raises NoAnswerError: no session, the session ended, or the time was up.
        """
        self._command_number += 1
        number = self._command_number
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        if self._end.send(wire.COMMAND, {**body, "id": number}) is None:
            raise NoAnswerError(f"{self.spec.name}: no tray is connected ({self._error or self._state})")
        self._commands[number] = future
        self._pump()
        try:
            return await asyncio.wait_for(future, self._clock.seconds(timeout_ms))
        except TimeoutError:
            raise NoAnswerError(
                f"{self.spec.name}: the tray did not answer {body.get('c')} within {timeout_ms} ms"
            ) from None
        finally:
            self._commands.pop(number, None)

    async def flush(self, timeout_ms: int = 1000) -> bool:
        """Wait until the tray has everything that was shown and sent; False if it has not within the time."""
        try:
            async with asyncio.timeout(self._clock.seconds(timeout_ms)):
                while self._end.online and not self._end.idle:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return False
        return self._end.online

    async def wait_online(self) -> None:
        """Wait for a session."""
        while not self._end.online:
            self._changed.clear()
            await self._changed.wait()

    def status(self) -> TrayStatus:
        """How the link is: for `ordertray status`, with the last frames decoded."""
        return TrayStatus(
            name=self.spec.name,
            looked_for=str(self.spec),
            state=self._state,
            port=self._port_url,
            error=self._error,
            board=self.board,
            hello=dict(self._last_hello),
            advice=judged(self._last_hello) if self._last_hello else "",
            health=dict(self._health),
            readers={pad: dict(reader) for pad, reader in self._readers.items()},
            counters=self._end.counters.as_dict(),
            round_trip_ms=self._end.round_trip_ms,
            resend_ms=self._end.resend_ms,
            queued=self._end.queued,
            unhandled=len(self._delivery),
            opened=self._opened,
            handler_failures=self._delivery.failures,
            trace=self._end.trace(),
        )

    async def run(self) -> None:
        """Keep the link up until cancelled. Trouble is told by `status()` and the log, never raised."""
        ended = asyncio.Event()
        deliver = asyncio.create_task(self._delivery.run(ended))
        back_off_ms = BACK_OFF_FIRST_MS
        try:
            while True:
                sessions = self._end.counters.sessions
                try:
                    self._set_state("looking")
                    url = self._finder.find(self.spec, self._taken())
                    self._port_url = url  # claimed from here on, so that no other board's link tries it
                    self._set_state("opening")
                    port = await self._open(url)
                    await self._serve(port)
                except LinkError as error:
                    self._tell(str(error))
                except Exception as error:
                    # A port that vanishes at the wrong moment fails in ways no list is complete of; whatever it is, the
                    # tray must be found again when it is back.
                    log.exception("%s: the port failed in an unknown way", self.spec.name)
                    self._tell(f"{self._port_url or self.spec}: {type(error).__name__}: {error}")
                finally:
                    self._port_url = ""
                back_off_ms = (
                    BACK_OFF_FIRST_MS
                    if self._end.counters.sessions > sessions
                    else min(back_off_ms * 2, BACK_OFF_MOST_MS)
                )
                await asyncio.sleep(self._clock.seconds(back_off_ms))
        finally:
            ended.set()
            if not self._delivery.handling:
                deliver.cancel()
            self._set_state("stopped")

    # --- one open port -----------------------------------------------------------------------------------------------

    async def _open(self, url: str) -> Port:
        """Open in a thread; if we are cancelled meanwhile, the port is closed as soon as it is open."""
        opening = beside(lambda: self._opener(url), f"open {url}")
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(lambda done: None if done.exception() else done.result().close())
            raise

    async def _serve(self, port: Port) -> None:
        """Hold the session on this port until the port or the session is lost. Raises LinkError, the port closed."""
        loop = asyncio.get_running_loop()
        self._opened += 1
        self._out = b""
        self._heard.clear()
        self._echo = False
        self._end.port_changed()
        self._handle(self._end.restart("the port was opened anew", self._clock.now_ms()))
        self._port = port
        self._lost = loop.create_future()
        self._greet()
        try:
            loop.add_reader(port.fileno, self._readable)
            self._pump()
            await self._lost
        finally:
            # First let go of the port, so that a device that comes back can have its old name.
            if self._greeting is not None:
                self._greeting.cancel()
            if self._timer is not None:
                self._timer.cancel()
            loop.remove_reader(port.fileno)
            loop.remove_writer(port.fileno)
            self._waiting_to_write = False
            self._port = None
            await asyncio.wait([beside(port.close, "close a port")], timeout=self._clock.seconds(CLOSING_MS))
            self._handle(self._end.restart(self._error or "the port was closed", self._clock.now_ms()))

    def _fail(self, error: LinkError) -> None:
        if self._lost is not None and not self._lost.done():
            self._lost.set_exception(error)

    def _greet(self) -> None:
        """The port is open and there is no session: give the tray its time to say HELLO."""
        if self._greeting is not None:
            self._greeting.cancel()
        loop = asyncio.get_running_loop()
        self._greeting = loop.call_later(self._clock.seconds(GREETING_MS), self._no_greeting)
        self._set_state("greeting")

    def _no_greeting(self) -> None:
        if self._state != "greeting":
            return
        where = f"{self._port_url}: opened, but no tray answers there"
        if self._echo and self._restarted < RESTARTS:
            self._restart_board()
        elif self._echo:
            self._fail(NotATrayError(f"{where}: the board is at its prompt and does not restart: run ordertray flash"))
        elif self._heard:
            self._fail(NotATrayError(f"{where}; it says {' / '.join(repr(line[:60]) for line in self._heard)}"))
        else:
            self._fail(NotATrayError(f"{where}; it says nothing"))

    def _restart_board(self) -> None:
        """The board answers as MicroPython's prompt does (a stranger's Ctrl-C, a person who has gone): restart it."""
        self._restarted += 1
        self._tell(f"{self._port_url}: the board was at MicroPython's prompt; it is restarted")
        self._echo = False
        self._out = RESTART
        self._greet()
        self._pump()

    def _readable(self) -> None:
        if self._port is None:
            return
        try:
            data = self._port.read()
        except PortLostError as error:
            self._fail(error)
            return
        self._handle(self._end.feed(data, self._clock.now_ms()))
        # After the application, which is woken first: its part is long, ours is not.
        asyncio.get_running_loop().call_soon(self._pump)

    def _writable(self) -> None:
        if self._port is not None:
            asyncio.get_running_loop().remove_writer(self._port.fileno)
        self._waiting_to_write = False
        self._pump()

    def _pump(self) -> None:
        """Write what there is to say, and come back when there is more."""
        port = self._port
        if port is None:
            return
        loop = asyncio.get_running_loop()
        now_ms = self._clock.now_ms()
        self._handle(self._end.tick(now_ms))
        if not self._waiting_to_write:
            try:
                while self._out or (line := self._end.take(now_ms)) is not None:
                    if not self._out:
                        assert line is not None
                        self._out = line
                    self._out = self._out[port.write(self._out) :]
                    if self._out:
                        self._waiting_to_write = True
                        loop.add_writer(port.fileno, self._writable)
                        break
            except PortLostError as error:
                self._fail(error)
                return
        if self._timer is not None:
            self._timer.cancel()
        # A port that takes nothing must not make us spin: then only the ends of silences matter.
        due_ms = link.PING_MS if self._waiting_to_write else self._end.due_ms(now_ms)
        # A clock that counts whole milliseconds may be asked just before the moment.
        self._timer = loop.call_later(self._clock.seconds(due_ms + 1), self._pump)

    # --- what the tray said ------------------------------------------------------------------------------------------

    def _handle(self, items: list[link.Item]) -> None:
        for what, sequence, said in items:
            body = scalar(said)  # the border: a tray may say anything, and it is kept, shown and logged
            if what in (wire.EVENT, wire.SNAPSHOT):
                self._arrived(what, sequence, body)
            elif what == wire.HEALTH:
                self._heard_health(body)
            elif what == link.UP:
                self._delivery.clear()
                self._restarted = 0
                self._last_hello = body
                self._readers = {str(r.get("pad")): dict(r) for r in body.get("readers", ()) if isinstance(r, dict)}
                self._error = ""
                log.info(
                    "%s: tray %s online at %s, firmware %s", self.spec.name, self.board, self._port_url, body.get("fw")
                )
                if advice := judged(body):
                    log.warning("%s: %s", self.spec.name, advice)
                self._set_state("online")
            elif what == link.DOWN:
                # What waits unhandled was not acknowledged: it comes again.
                self._delivery.clear()
                self._tell(str(body["why"]))
                for future in self._commands.values():
                    if not future.done():
                        future.set_exception(NoAnswerError(f"{self.spec.name}: the session ended: {body['why']}"))
                if self._port is not None:
                    self._greet()
                if self._silent(str(body["why"])):
                    self._fail(PortLostError(f"{self._port_url}: {body['why']}"))
            elif what == link.REFUSED:
                self._set_state("incompatible")
                self._last_hello = body["hello"]
                mend = "install this host's firmware on the tray: ordertray flash"
                self._fail(ProtocolMismatchError(f"{self._port_url}: {body['why']}; {mend}"))
            elif what == link.ECHO:
                self._echo = True
            elif what == link.TEXT:
                self._heard.append(str(body["text"]))
                log.info("%s: tray says: %s", self.spec.name, shown(body["text"]))
        if items or self._end.idle:
            self._changed.set()

    def _heard_health(self, body: dict[str, Any]) -> None:
        """A reader's state has changed (a body with its pad), or the tray's report of itself every now and then."""
        pad = body.get("pad")
        if not isinstance(pad, str):
            self._health = body
            return
        self._readers[pad] = {**self._readers.get(pad, {}), **body}
        if self._on_change is not None:
            self._on_change(self)

    @staticmethod
    def _silent(why: str) -> bool:
        """Whether a session ended for silence: then the port itself is doubted and opened anew."""
        return why.startswith("no answer")

    def _arrived(self, what: str, sequence: int, body: dict[str, Any]) -> None:
        event = TrayEvent(self.board, self._end.tray_nonce, sequence, body, self.spec.name)
        if not self._delivery.put(what, event):  # no tray of ours does this
            self._fail(NotATrayError(f"{self._port_url}: sends more than its window allows"))

    def _dealt_with(self, sequence: int) -> None:
        self._end.commit(sequence)
        self._pump()

    def _not_dealt_with(self) -> None:
        why = "the application failed to deal with an event"
        self._handle(self._end.restart(why, self._clock.now_ms()))
        self._pump()

    def _answered(self, event: TrayEvent) -> None:
        number = event.body.get("id")
        future = self._commands.get(number) if isinstance(number, int) else None
        if future is not None and not future.done():
            future.set_result(dict(event.body))

    # --- telling -----------------------------------------------------------------------------------------------------

    def _tell(self, error: str) -> None:
        if error != self._error:
            log.warning("%s: %s", self.spec.name, error)
        self._error = error
        self._changed.set()

    def _set_state(self, state: str) -> None:
        if state != self._state:
            self._state = state
            self._changed.set()
            if self._on_change is not None:
                self._on_change(self)
