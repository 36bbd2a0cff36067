"""A code from the phone's camera: a filmed QR code goes through the real video path into the set-up."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="needs playwright (make setup)")

import segno
import zxingcpp
from PIL import Image
from playwright.sync_api import expect

from army.made_up_data import code_of
from ordertray.army.code_writing import encode
from ordertray.army.codes import Member
from web.browser_helpers import browsing, hosting, visiting

#: Linux builds of Chromium have no detector of their own; this one has its pictures read outside, from the real video.
DETECTOR = """
  globalThis.asked = 0;
  globalThis.BarcodeDetector = class {
    constructor(options) { if (options.formats[0] !== "qr_code") throw new TypeError("formats"); }
    async detect(video) {
      globalThis.asked += 1;
      if (globalThis.asked === 1) throw new DOMException("a blurred picture");
      const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight);
      canvas.getContext("2d").drawImage(video, 0, 0);
      const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
      const text = await readPicture(btoa(Array.from(bytes, one => String.fromCharCode(one)).join("")));
      return text ? [{rawValue: text}] : [];
    }
  };
"""
TRACKS = """
  globalThis.tracks = [];
  const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async wish => {
    if (globalThis.leave) await globalThis.leave;
    const stream = await ask(wish);
    tracks.push(...stream.getTracks());
    return stream;
  };
"""


def filmed(text: str, path: Path) -> Path:
    """A film of one picture, a QR code on a table, in the form that Chromium takes for a camera's (YUV4MPEG2)."""
    png = io.BytesIO()
    segno.make(text, error="m", micro=False).save(png, kind="png", scale=6, border=4)
    code = Image.open(png).convert("L")
    picture = Image.new("L", (640, 640), 150)
    picture.paste(code, ((640 - code.width) // 2, (640 - code.height) // 2))
    grey = bytes([128]) * (320 * 320 * 2)
    path.write_bytes(b"YUV4MPEG2 W640 H640 F10:1 Ip A1:1 C420\n" + (b"FRAME\n" + picture.tobytes() + grey) * 2)
    return path


def read_picture(encoded: str) -> str:
    """What stands on a picture of the video."""
    found = zxingcpp.read_barcodes(Image.open(io.BytesIO(base64.b64decode(encoded))).convert("RGB"))
    return found[0].text if found else ""


def test_a_filmed_code_fills_the_seat_and_the_camera_goes_off(tmp_path: Path) -> None:
    film = filmed(encode(code_of(Member(1, 1, 1), Member(2, 1, 1))), tmp_path / "film.y4m")
    camera = (
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-video-capture={film}",
    )
    with (
        browsing(*camera) as browser,
        hosting(tmp_path, tray=False) as host,
        visiting(browser, host.link("table", view="setup")) as table,
    ):
        page = table.page
        page.add_init_script(DETECTOR)
        page.add_init_script(TRACKS)
        page.expose_function("readPicture", read_picture)
        page.reload()
        # Stopped while the browser still asks whether it may: the camera that comes then is put out.
        page.evaluate("() => { globalThis.leave = new Promise(done => { globalThis.allow = done; }); }")
        page.locator('[data-key="scan-A"]').click()
        page.locator('[data-key="scan-stop"]').click()
        page.evaluate("() => { allow(); }")
        table.wait(lambda: page.evaluate("tracks.map(one => one.readyState).join()") == "ended", "the camera to go off")
        page.evaluate("globalThis.leave = null")
        page.locator('[data-key="scan-A"]').click()
        # Without army data the code is understood, and the rest is asked for.
        expect(page.locator(".filling")).to_have_count(2)
        expect(page.locator("video.scanning")).to_have_count(0)
        table.wait(
            lambda: page.evaluate("tracks.map(one => one.readyState).join()") == "ended,ended", "the camera to go off"
        )
        assert page.evaluate("asked") > 1
