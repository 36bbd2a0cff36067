// A clock runs low: said once by sound and, on a phone, by its buzz. Browsers play sounds after the first touch only.

import {chosen} from "./attention.js";

let context = null;
let warned = new Set();

addEventListener("pointerdown", () => { try { context ??= new AudioContext(); } catch { /* no sound here */ } }, {once: true});

/** Hear of each new state; `mine` are the seats whose page this is (none: everybody's). */
export function hear(state, mine) {
  const now = new Set(state.clock?.warned ?? []);
  const fresh = [...now].filter((name) => !warned.has(name) && (name === "round" || !mine.length || mine.includes(name)));
  warned = now;
  if (!fresh.length) return;
  if (chosen("vibrate", mine.length > 0)) navigator.vibrate?.([200, 100, 200]);
  if (!chosen("sound", mine.length > 0)) return;
  for (const [place, hertz] of [660, 880, 660].entries()) beep(hertz, place * 0.22);
}

function beep(hertz, afterS) {
  if (!context || context.state !== "running") return;
  const tone = new OscillatorNode(context, {frequency: hertz}), volume = new GainNode(context, {gain: 0.12});
  tone.connect(volume).connect(context.destination);
  tone.start(context.currentTime + afterS);
  tone.stop(context.currentTime + afterS + 0.16);
}
