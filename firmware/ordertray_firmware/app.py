"""The tray's program: readers, buttons, strips, buzzer and link, wired together and kept alive.

One loop, `step()`, does one short piece of work and says how long nothing is due. A piece takes a few milliseconds at
most, so that buttons and readers come between the pieces of whatever is long:

- readers: whenever the station is due (readers/)
- buttons: sample, debounce, tell, every 2 ms
- serial: bytes in, one frame's meaning at a time, frames out, and the clock of the link
- lamps: buzzer, animation, strips, every 20 ms
- upkeep: watchdog, counters, memory

An event loop with a task for each would spend more of the Pico's time on changing tasks than on most of these.

Whatever throws ends the program: the error goes to the fault log, the strips turn red, the tray restarts and says at
the next HELLO what happened. A piece that hangs is ended by the watchdog.
"""

import gc
import json
import os
import sys

from . import __version__, clock, const, pixels, tidying
from .buttons import DOWN, HOLD, UP_AFTER_HOLD, Buttons, button_names
from .buzzer import Buzzer
from .clock import MICROPYTHON, Uptime
from .link import DOWN as LINK_DOWN
from .link import UP as LINK_UP
from .link import WANTED, TrayEnd
from .readers import Station, make_reader

try:
    from typing import Any
except ImportError:  # MicroPython: annotations are not evaluated there
    pass

SAMPLE_US = const(2000)
LINK_MS = const(100)
LAMPS_MS = const(20)
UPKEEP_MS = const(250)
HEALTH_MS = const(10000)
COLLECT_MS = const(2000)
# So many pieces of up to 64 bytes were read: time to collect, for each leaves a kilobyte or two of rubbish.
COLLECT_PIECES = const(24)
RED_MS = const(1500)
FAREWELL_MS = const(500)
HEALTH_WAITING = const(8)
# The largest `id` of a command that its answer repeats; others are answered with null.
LAST_NUMBER = const(0x3FFFFFFF)
_EDGES = ("down", "up", "hold", "up")


class App:
    """One run of the tray.

    board: hardware (board.Board). config: checked configuration; faults: what was wrong with it, as texts.
    fault_log: crashes of earlier runs (faultlog.FaultLog). ticks: the clock, and how to wait (module clock).
    """

    def __init__(
        self,
        board: "Any",
        config: "dict[str, Any]",
        faults: "list[str]",
        fault_log: "Any",
        # The stubs keep each kind of tick apart, the readers' protocol does not.
        ticks: "Any" = clock,
    ) -> None:
        self.board = board
        self.config = config
        self.fault_log = fault_log
        self.uptime = Uptime(ticks)
        self.sides = sorted(config["sides"])
        sides = config["sides"]
        self.lamps = pixels.Lamps(
            [(side, sides[side]["pixels"]["count"]) for side in self.sides],
            config["brightness"],
            config["current_limit_ma"],
            config["gamma"],
        )
        self.lamps.warn = bool(faults)
        self.strips = {
            side: board.strip(sides[side]["pixels"]["pin"], sides[side]["pixels"]["count"]) for side in self.sides
        }
        self.show()
        self.buzzer = Buzzer(board.tone(config["buzzer"]["pin"]), config["buzzer"]["on"])
        self.names = [(side, name) for side in self.sides for name in button_names(sides[side]["buttons"])]
        self.contacts = board.contacts([sides[side]["buttons"][name] for side, name in self.names])
        self.buttons = Buttons(len(self.names), config["debounce_ms"], config["hold_ms"])
        self.pads = [reader["pad"] for reader in config["readers"]]
        self.station = Station(
            [(reader["pad"], make_reader(reader["chip"], board.bus(reader), ticks)) for reader in config["readers"]],
            ticks,
            self._from_reader,
            config["search"],
        )
        version = sys.implementation.version
        self.end = TrayEnd(
            {
                "fw": __version__,
                "mp": "%d.%d.%d" % (version[0], version[1], version[2]),
                "id": board.unique_id,
                "reset": board.reset_cause,
                "readers": self.station.describe(),
                "buttons": {side: button_names(sides[side]["buttons"]) for side in self.sides},
                "pixels": {side: sides[side]["pixels"]["count"] for side in self.sides},
                "names": {side: sides[side]["name"] for side in self.sides},
                "faults": faults,
                "errors": fault_log.unseen(),
            },
            board.random_nonce(),
            self.uptime.now_ms(),
        )
        self.late_us = 0
        self.frames_shown = 0
        self._heap = board.heap()
        self._health: "list[dict[str, Any]]" = []
        self._snapshot_sequence = 0
        self._link_due_ms = 0
        self._ticks = ticks
        self._watchdog: "Any" = None
        # What the loop is at, for the fault log.
        self._doing = "start"
        self._sample_due_us = ticks.ticks_us()
        # Frames that were read and are not yet acted on, and whether a picture was taken and is not yet shown.
        self._items: "list[Any]" = []
        self._picture = False
        # The serial line has more to do at once.
        self._more = False
        self._lamps_due_ms = 0
        self._upkeep_due_ms = 0
        self._health_due_ms = HEALTH_MS
        self._collect_due_ms = COLLECT_MS
        self._pieces_read = 0
        self._report_step = 0
        self._restart = ""

    # --- the loop -----------------------------------------------------------------------------------------------------

    def run(self) -> str:
        """Run until something fails or a restart is asked for; the answer is the cause for board.restart()."""
        self._watchdog = self.board.watchdog()
        self.buzzer.play("fault" if self.lamps.warn else "boot", self.uptime.now_ms())
        step, sleep_us = self.step, self._ticks.sleep_us
        # Tidying up the heap took a while: nobody was late then.
        self._sample_due_us = self._ticks.ticks_us()
        try:
            while not self._restart:
                wait_us = step()
                if wait_us:
                    sleep_us(wait_us)
            # A restart that was asked for first lets the host have what is on its way to it.
            end_ms = self.uptime.now_ms() + FAREWELL_MS
            while self.end.online and self.end.queued and self.uptime.now_ms() < end_ms:
                sleep_us(step())
        except Exception as error:
            self.crash(self._doing, error)
        self._watchdog.feed()
        return self._restart

    def crash(self, doing: str, error: Exception) -> None:
        """Note an error that nobody caught; the run is over."""
        if self._restart == "crash":
            return
        self._restart = "crash"
        self.fault_log.add("%s: %s" % (doing, describe_error(error)), self.uptime.now_ms())

    def step(self) -> int:
        """One short piece of work; the microseconds until the next is due (0 to 2000)."""
        ticks = self._ticks
        self._doing = "readers"
        wait_us = self.station.step()
        left_us: int = ticks.ticks_diff(self._sample_due_us, ticks.ticks_us())
        if left_us > 0 and not self._more:
            return wait_us if wait_us < left_us else left_us
        now_ms = self.uptime.now_ms()
        if left_us <= 0:
            self._doing = "buttons"
            if left_us < -self.late_us:
                self.late_us = -left_us
            self._sample_due_us = ticks.ticks_add(ticks.ticks_us(), SAMPLE_US)
            mask = self.contacts.mask()
            if mask or not self.buttons.quiet:
                self._sample(mask, now_ms)
            else:
                self.buttons.last_ms = now_ms
        # And one piece of the rest; what comes round seldom goes first, so that a chattering host cannot keep it away.
        if now_ms >= self._lamps_due_ms:
            self._doing = "lamps"
            self._lamps_due_ms = now_ms + LAMPS_MS
            self._lamps(now_ms)
        elif now_ms >= self._upkeep_due_ms:
            self._doing = "upkeep"
            self._upkeep_due_ms = now_ms + UPKEEP_MS
            self._upkeep(now_ms)
        else:
            self._doing = "serial"
            self._more = self._serial(now_ms)
        return 0

    def _sample(self, mask: int, now_ms: int) -> None:
        self.buttons.sample(mask, now_ms)
        while self.buttons.waiting:
            self._button(self.buttons.pop(), now_ms)

    def _serial(self, now_ms: int) -> bool:
        """One piece: act on what was read, or read and write. False when there was nothing to do."""
        if self._picture or self._items:
            self._act(now_ms)
            return True
        data = self.board.serial.read()
        if not data and now_ms < self._link_due_ms:  # in between it has nothing to say, and asking costs memory
            return False
        self._talk(data, now_ms)
        return len(data) > 0 or len(self._items) > 0

    def _act(self, now_ms: int) -> None:
        """Show the picture that was taken, or do what the next frame says."""
        if self._picture:
            self._picture = False
            self.frames_shown += 1
            self._doing = "lamps"
            self.show()
        else:
            what, _sequence, body = self._items.pop(0)
            self._from_host(what, body, now_ms)

    def _talk(self, data: bytes, now_ms: int) -> None:
        """Give the link what was read, if anything, and write what it has to say."""
        serial, end = self.board.serial, self.end
        if data:
            self._pieces_read += 1
            self._items = end.feed(data, now_ms)
        else:
            self._items = end.tick(now_ms)
        if self._snapshot_sequence and end.acknowledged >= self._snapshot_sequence:
            # The host is done with a snapshot of this session, so it has read our HELLO with the errors in it.
            self._snapshot_sequence = 0
            if end.hello["errors"]:
                end.hello["errors"] = []
                self.fault_log.mark_seen()
        self._pump(now_ms)
        self._link_due_ms = now_ms + min(LINK_MS, end.due_ms(now_ms)) if serial.idle else 0

    def _lamps(self, now_ms: int) -> None:
        if self.lamps.mode == pixels.BOOT and now_ms >= pixels.BOOT_MS + 200:
            self.lamps.mode = pixels.ONLINE if self.end.online else pixels.OFFLINE
        self.buzzer.update(now_ms)
        tidying.fill()  # before the piece of work that asks for memory most often
        self.show()

    def _upkeep(self, now_ms: int) -> None:
        self._watchdog.feed()
        if now_ms >= self._health_due_ms:
            # Each takes the Pico some 10 ms, so one at a time. What is counted is what stays, not what is thrown away.
            self._upkeep_due_ms = now_ms
            self._report_step += 1
            if self._report_step == 1:
                self._collect(now_ms)
            elif self._report_step == 2:
                self._heap = self.board.heap()
            else:
                self._report_step = 0
                self._health_due_ms = now_ms + HEALTH_MS
                self._upkeep_due_ms = now_ms + UPKEEP_MS
                self._queue_health(self.report(now_ms))
                self.late_us = 0
        elif now_ms >= self._collect_due_ms or self._pieces_read >= COLLECT_PIECES:
            # By ourselves, so that it is not in mid-poll.
            self._collect(now_ms)

    def _collect(self, now_ms: int) -> None:
        self._collect_due_ms = now_ms + COLLECT_MS
        self._pieces_read = 0
        gc.collect()
        tidying.fill()

    # --- from the readers and buttons to the host ---------------------------------------------------------------------

    def _from_reader(self, kind: str, body: "dict[str, Any]") -> None:
        """What the station emits: tags to the host, health to the host and into HELLO."""
        now_ms = self.uptime.now_ms()
        if kind == "L":
            self.end.hello["readers"] = self.station.describe()
            self._queue_health(body)
            return
        side = body.get("pad", "*")
        if body.get("e") == "refused":
            self._refuse(side, now_ms)
        self._event(body, side, body.get("e") == "placed", now_ms)

    def _button(self, code: int, now_ms: int) -> None:
        side, name = self.names[code >> 2]
        kind = code & 3
        body = {"e": "button", "side": side, "button": name, "edge": _EDGES[kind]}
        if kind == UP_AFTER_HOLD:
            body["held"] = True
        self._event(body, side, kind in (DOWN, HOLD), now_ms)

    def _event(self, body: "dict[str, Any]", side: str, felt: bool, now_ms: int) -> None:
        """Queue an event; when it cannot be taken and a player did something (`felt`), show that."""
        if self.end.event(body, now_ms) is None:
            if felt:
                self._refuse(side, now_ms)
        else:
            self._link_due_ms = 0
            self._pump(now_ms)

    def _refuse(self, side: str, now_ms: int) -> None:
        self.lamps.refuse(side if side in self.sides else "*", now_ms)
        self.buzzer.play("refused", now_ms)

    def _queue_health(self, body: "dict[str, Any]") -> None:
        """Keep a report until the link has room for it (it holds one); the oldest of too many goes."""
        if self.end.online:
            self._health.append(body)
            if len(self._health) > HEALTH_WAITING:
                self._health.pop(0)
            self._link_due_ms = 0

    def _pump(self, now_ms: int) -> None:
        """Write what the link has to say, as much as the port takes."""
        serial, end = self.board.serial, self.end
        while serial.idle or serial.flush():
            line = end.take(now_ms)
            if line is None:
                if not self._health:
                    return
                end.health(self._health.pop(0))
                line = end.take(now_ms)
                if line is None:
                    return
            serial.write(line)

    # --- from the host ------------------------------------------------------------------------------------------------

    def _from_host(self, what: str, body: "dict[str, Any]", now_ms: int) -> None:
        if what == "F":
            for side in self.sides:
                self._frame_side(side, body.get(side))
            self._picture = True
        elif what == "B":
            self._feedback(body, now_ms)
        elif what == "C":
            self._command(body, now_ms)
        elif what == WANTED:
            sequence = self.end.snapshot(self.snapshot(), now_ms)
            if sequence is not None:
                self._snapshot_sequence = sequence
        elif what == LINK_UP:
            if self.lamps.mode != pixels.BOOT:
                self.lamps.mode = pixels.ONLINE
            self._health = []
        elif what == LINK_DOWN:
            self.lamps.mode = pixels.OFFLINE
            self._health = []

    def snapshot(self) -> "dict[str, Any]":
        """Tags on pads, buttons pressed, readers' health."""
        state: "dict[str, Any]" = self.station.snapshot()
        state["buttons"] = {side: [] for side in self.sides}
        for i in range(len(self.names)):
            if self.buttons.pressed & 1 << i:
                side, name = self.names[i]
                state["buttons"][side].append(name)
        return state

    def report(self, now_ms: int) -> "dict[str, Any]":
        """Counters of the last ten seconds and since boot."""
        free, used = self._heap
        return {
            "tray": {
                "up_ms": now_ms,
                "late_ms": self.late_us // 1000,
                "heap_free": free,
                "heap_used": used,
                "stalls": self.board.serial.stalls,
                "frames": self.frames_shown,
                "bad_frames": self.lamps.bad_frames,
                "new_letters": self.lamps.new_letters,
                "lost_edges": self.buttons.lost,
                "overlaps": self.station.overlaps,
            },
            "link": self.end.counters.as_dict(),
            "readers": self.station.counters(),
        }

    def _frame_side(self, side: str, part: "Any") -> None:
        if isinstance(part, list) and len(part) == 2 and isinstance(part[0], str) and isinstance(part[1], str):
            self.lamps.set_frame(side, part[0], part[1])
        elif part is not None:
            self.lamps.bad_frames += 1

    def _feedback(self, body: "dict[str, Any]", now_ms: int) -> None:
        do = body.get("do")
        side = body.get("side", "*")
        if isinstance(do, str) and isinstance(side, str):
            if do == "refused":
                self._refuse(side, now_ms)
                self.show()
            else:
                self.buzzer.play(do, now_ms)

    def show(self) -> None:
        """Bring the strips up to date."""
        if self.lamps.render(self.uptime.now_ms()):
            for side in self.sides:
                self.strips[side].write(self.lamps.buffers[side])

    # --- commands -----------------------------------------------------------------------------------------------------

    def _command(self, body: "dict[str, Any]", now_ms: int) -> None:
        """Carry out a `C` frame. Its answer is an event with the same `id`; `ok` is False with a `why` if refused."""
        number = body.get("id")
        if not isinstance(number, int) or not 0 <= number <= LAST_NUMBER:
            # Anything else may not fit the answer, or may not be put in words (MicroPython reads 1e999 as infinity).
            number = None
        name = body.get("c")
        pad = body.get("pad")
        if name in ("ndef-read", "ndef-write"):
            if not isinstance(pad, str) or pad not in self.pads:
                self._answer(number, {"ok": False, "why": "unknown pad"})
                return
            work: "tuple[Any, ...]" = ("read",)
            if name == "ndef-write":
                try:
                    work = ("write", bytes.fromhex(body["ndef"]))
                except (KeyError, ValueError, TypeError):
                    self._answer(number, {"ok": False, "why": "ndef must be hex"})
                    return
            self.station.request(pad, work, lambda answer: self._answer(number, answer))
        elif name == "selftest":
            self.buzzer.play("window", now_ms)
            answer = self.report(now_ms)
            answer.update({"ok": True, "health": self.station.describe(), "faults": self.end.hello["faults"]})
            self._answer(number, answer)
        elif name == "measure":
            self._measure(number, now_ms)
        elif name == "config":
            self._configure(number, body.get("set"))
        elif name == "errors":
            self._answer(number, {"ok": True, "errors": self.fault_log.all()})
        elif name == "restart":
            self._answer(number, {"ok": True})
            self._restart = "command"
        else:
            self._answer(number, {"ok": False, "why": "unknown command"})

    def _measure(self, number: "Any", now_ms: int) -> None:
        """What `ordertray measure` asks: how long chips and collections take, and how late the buttons were since."""
        ticks = self._ticks
        late_ms, self.late_us = self.late_us // 1000, 0
        begun_us = ticks.ticks_us()
        gc.collect()
        collect_us = ticks.ticks_diff(ticks.ticks_us(), begun_us)
        free, used = self.board.heap()
        answer = {
            "ok": True,
            "up_ms": now_ms,
            "late_ms": late_ms,
            "collect_us": collect_us,
            "pads": self.station.figures(),
        }
        answer.update({"heap_used": used, "heap_free": free, "overlaps": self.station.overlaps})
        self._answer(number, answer)

    def _configure(self, number: "Any", wanted: "Any") -> None:
        """Without `set`: tell the configuration in force. With it: check, and write it for the next start."""
        if wanted is None:
            self._answer(number, {"ok": True, "config": self.config})
            return
        # Not in memory all day: it is asked for once in a blue moon.
        from .config import FILE, check

        _config, faults = check(wanted)
        if faults:
            self._answer(number, {"ok": False, "why": "faults", "faults": faults})
            return
        try:
            with open(FILE + ".new", "w") as file:
                file.write(json.dumps(wanted))
            os.rename(FILE + ".new", FILE)
        except OSError as error:
            self._answer(number, {"ok": False, "why": "flash: %s" % error})
            return
        self._answer(number, {"ok": True, "restart": "needed"})

    def _answer(self, number: "Any", body: "dict[str, Any]") -> None:
        answer = {"e": "answer", "id": number}
        answer.update(body)
        now_ms = self.uptime.now_ms()
        try:
            self._event(answer, "*", False, now_ms)
        except ValueError:  # more than a line holds
            self._event({"e": "answer", "id": number, "ok": False, "why": "answer too long"}, "*", False, now_ms)


def describe_error(error: Exception) -> str:
    """Kind and text of an exception, and its innermost places (file:line), in one line."""
    if MICROPYTHON:
        import io

        out = io.StringIO()
        sys.print_exception(error, out)
        lines = out.getvalue().split("\n")
    else:
        import traceback

        lines = "".join(traceback.format_exception(error)).split("\n")
    lines = [line.strip() for line in lines if line.strip()]
    places = []
    for line in lines:
        if line.startswith('File "'):
            path, _quote, rest = line[6:].partition('"')
            places.append("%s:%s" % (path.split("/")[-1], rest.split(" ")[2].strip(",")))
    return "%s <- %s" % (lines[-1], " <- ".join(reversed(places[-5:])))
