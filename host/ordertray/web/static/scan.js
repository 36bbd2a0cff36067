// A QR code by the phone's camera, where the browser can: it needs a secure page (https, or this very machine).

import {h} from "./dom.js";
import {t} from "./text.js";

export const canScan = () => "BarcodeDetector" in window && Boolean(navigator.mediaDevices?.getUserMedia);

export async function scan(parent, take) {
  const video = h("video", {class: "scanning", autoplay: true, playsinline: true, muted: true});
  const said = h("p", {class: "note", role: "status"}, t("scan.hold"));
  const dialog = h("dialog", {class: "sheet"}, video, said, h("div", {class: "acts"}, h("button", {type: "button", class: "act", "data-key": "scan-stop", onclick: () => dialog.close()}, t("scan.stop"))));
  let stream = null;
  dialog.addEventListener("close", () => { stream?.getTracks().forEach((track) => track.stop()); dialog.remove(); });
  parent.append(dialog);
  dialog.showModal();
  try {
    stream = await navigator.mediaDevices.getUserMedia({video: {facingMode: "environment"}});
    // Stopped while the browser still asked for leave: the camera must not stay on.
    if (!dialog.open) { stream.getTracks().forEach((track) => track.stop()); return; }
    video.srcObject = stream;
    const detector = new BarcodeDetector({formats: ["qr_code"]});
    const look = async () => {
      if (!dialog.open) return;
      // One picture that cannot be read is no reason to stop looking.
      const [found] = video.readyState > 1 ? await detector.detect(video).catch(() => []) : [];
      if (found?.rawValue) { dialog.close(); take(found.rawValue); return; }
      requestAnimationFrame(look);
    };
    await look();
  } catch (error) {
    said.textContent = t("scan.failed");
  }
}
