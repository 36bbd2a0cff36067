"""How fast a change is on every page: 50 open pages, one of them on a seat, and one more that never draws.

For each of many changes: the time from the action's call - judging, and writing it to disk, included - until the last
page has the new state in hand. The pages live in a process of their own, as on other machines. Promise: within
100 ms, also at the 99th percentile. The yardstick in the same run: the same bytes to as many bare sockets.
The best of three rounds counts: whatever else the machine does can only make it slower.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

from ordertray.army.quick import quick_army
from ordertray.rules import Seat
from web.web_helpers import Live, Served, served

PAGES = 50
CHANGES = 60
ROUNDS = 3
PROMISE_MS = 100
_POSITION = re.compile(r'"position":(\d+)')


def percentile_99(ordered: list[float]) -> float:
    """The 99th percentile of numbers in order."""
    return ordered[int(len(ordered) * 0.99) - 1]


async def pages(port: int, session: str) -> None:
    """The other process: `PAGES` pages; prints `POSITION SECONDS` when the last one has a position."""
    from websockets.asyncio.client import connect

    arrived: dict[int, int] = {}

    async def one(number: int) -> None:
        view = "A" if number == 0 else "public"
        url = f"ws://127.0.0.1:{port}/api/v1/live?view={view}"
        # Ten pages from one address: more than 40 from one the host takes for an attack.
        own = (f"127.0.0.{2 + number // 10}", 0)
        async with connect(url, additional_headers={"cookie": session}, compression=None, local_addr=own) as socket:
            drawn, last = 0, -1
            async for text in socket:
                assert isinstance(text, str)
                if not text.startswith('{"type":"state"'):
                    continue
                drawn += 1
                await socket.send(f'{{"drawn":{drawn}}}')
                found = _POSITION.search(text)
                position = int(found.group(1)) if found else -1
                for passed in range(last + 1, position + 1):  # a page that skipped one has it all the same
                    arrived[passed] = arrived.get(passed, 0) + 1
                    if arrived[passed] == PAGES:
                        print(passed, time.monotonic(), flush=True)
                last = max(last, position)

    await asyncio.gather(*(one(number) for number in range(PAGES)))


async def measured(page: Served) -> list[float]:
    """Milliseconds until the last page had each change."""
    session = f"ordertray_{page.port}={page.opened.access.session({'A'})}"
    command = [sys.executable, __file__, "pages", str(page.port), session]
    child = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert child.stdout is not None

    async def at(position: int) -> float:
        while True:
            assert child.stdout is not None
            words = (await child.stdout.readline()).split()
            assert words, "the pages ended"
            if int(words[0]) == position:
                return float(words[1])

    try:
        async with page.live() as asleep:  # never acknowledges: must not matter
            assert isinstance(asleep, Live)
            await at(page.game.position)
            taken = []
            for number in range(CHANGES):
                began_s = time.monotonic()
                await page.play("A spend regular g1 r1-2" if number % 2 == 0 else "undo")
                taken.append((await at(page.game.position) - began_s) * 1000)
                await asyncio.sleep(0.05)  # players are no quicker
            return taken
    finally:
        with contextlib.suppress(ProcessLookupError):
            child.kill()
        await child.wait()


async def yardstick(size: int) -> float:
    """Median milliseconds to bring `size` bytes to as many bare sockets and read them."""
    readers: list[asyncio.StreamReader] = []
    writers: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(lambda reader, writer: writers.append(writer), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    mine = []
    for _ in range(PAGES):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        readers.append(reader)
        mine.append(writer)
    while len(writers) < PAGES:
        await asyncio.sleep(0)
    taken = []
    for _ in range(20):
        began_s = time.perf_counter()
        for writer in writers:
            writer.write(b"x" * size)
        await asyncio.gather(*(reader.readexactly(size) for reader in readers))
        taken.append((time.perf_counter() - began_s) * 1000)
    for writer in (*mine, *writers):
        writer.close()
    server.close()
    return statistics.median(taken)


#: Lighthouse's phone: a processor four times slower, 1.6 Mbit/s, 150 ms there and back.
SLOW_4G = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750}
GOAL_PAINT_MS, GOAL_BYTES, GOAL_CHANGE_MS = 1500, 150_000, 30
_READY = """new MutationObserver(() => {
  if (!globalThis.ready && document.querySelector(".seat-next > *")) globalThis.ready = performance.now();
}).observe(document, {childList: true, subtree: true});"""


def first_paint() -> None:
    """What a phone with an empty cache waits until a seat's page shows what can be done, and what it loads for that."""
    from web.browser_helpers import browsing, hosting

    with tempfile.TemporaryDirectory() as folder, hosting(Path(folder), "--quick", "10", "5", tray=False) as host:
        waited, loaded = [], 0.0
        with browsing() as browser:
            for _ in range(ROUNDS):
                context = browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True)
                page, sizes = context.new_page(), list[float]()
                cdp = context.new_cdp_session(page)
                cdp.on("Network.loadingFinished", lambda event, sizes=sizes: sizes.append(event["encodedDataLength"]))
                cdp.send("Network.enable")
                cdp.send("Network.emulateNetworkConditions", SLOW_4G)
                cdp.send("Emulation.setCPUThrottlingRate", {"rate": 4})
                page.add_init_script(_READY)
                page.goto(host.link("A"))
                page.locator(".seat-next > *").first.wait_for()
                waited.append(float(page.evaluate("ready")))
                loaded = sum(sizes)
                context.close()
    print(f"a seat's page on a slow phone: {min(waited):.0f} ms (goal {GOAL_PAINT_MS} ms), {loaded:.0f} bytes over the "
          f"line (goal {GOAL_BYTES})")  # fmt: skip


async def main() -> int:
    """Measure and judge; 1 if the promise is broken."""
    armies = {seat: quick_army(10, 5) for seat in Seat}
    with tempfile.TemporaryDirectory() as folder:
        async with served(Path(folder), armies) as page:
            await page.to_orders()
            size = len(page.opened.page.message("public", "en", 1).encode())
            bare_ms = await yardstick(size)
            recorded = []
            for line in ("A spend regular g1 r1-2", "undo") * 10:
                began_s = time.monotonic()
                await page.play(line)
                recorded.append((time.monotonic() - began_s) * 1000)
            rounds = []
            for _ in range(ROUNDS):
                rounds.append(sorted(await measured(page)))
                if percentile_99(rounds[-1]) <= PROMISE_MS:
                    break
            taken = min(rounds, key=percentile_99)
    static = Path(__file__).parents[2] / "host" / "ordertray" / "web" / "static"
    whole = sum(path.stat().st_size for path in static.iterdir())
    worst_ms = percentile_99(taken)
    print(f"change on {PAGES} pages: median {statistics.median(taken):.1f} ms, 99 % {worst_ms:.1f} ms "
          f"(promise {PROMISE_MS} ms, goal {GOAL_CHANGE_MS} ms)")  # fmt: skip
    print(f"of that, judging and recording alone: median {statistics.median(recorded):.1f} ms")
    print(f"state: {size} bytes; to as many bare sockets: {bare_ms:.1f} ms; page: {whole} bytes before compression")
    return 0 if worst_ms <= PROMISE_MS else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["pages"]:
        asyncio.run(pages(int(sys.argv[2]), sys.argv[3]))
    else:
        status = asyncio.run(main())
        first_paint()
        sys.exit(status)
