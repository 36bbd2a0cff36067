// A phone at the table: stays awake, and speaks up when it is its player's turn or ARO window. Nothing is loaded for it:
// the sound is made here, and so is the small silent moving picture that keeps a phone awake over plain http.

import {h} from "./dom.js";
import {preference, t} from "./text.js";

/** What can be chosen, and what it is for a player who has chosen nothing; spectators get none of it unasked. */
export const CHOICES = ["awake", "sound", "vibrate"];

export const chosen = (name, plays) => {
  const said = preference.get(name);
  return said === null ? plays : said === "yes";
};

export const choose = (name, on) => preference.set(name, on ? "yes" : "no");

/** Why `seat` is called now: `aro`, `turn`, or nothing. */
export function calls(state, seat) {
  const view = state?.public;
  if (!view || view.over || state.story) return "";
  if (view.order?.aro.open && view.active && view.active !== seat) return "aro";
  return (view.active ?? view.to_start) === seat ? "turn" : "";
}

export class Attention {
  /** `plays()`: whether this page is a player's. */
  constructor(plays) {
    this.plays = plays;
    this.called = null;
    this.awake = new Awake();
    // Browsers give sound and moving pictures to pages that have been touched.
    for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => this.#touched(), {capture: true});
    document.addEventListener("visibilitychange", () => this.settle());
    this.settle();
  }

  /** Choices or the view have changed. */
  settle() { this.awake.want(chosen("awake", this.plays()) && !document.hidden); }

  #touched() {
    this.settle();
    if (chosen("sound", this.plays())) this.#sounding();
  }

  #sounding() {
    const Sound = globalThis.AudioContext ?? globalThis.webkitAudioContext;
    if (!Sound) return null;
    this.audio ??= new Sound();
    if (this.audio.state === "suspended") this.audio.resume().catch(() => {});
    return this.audio;
  }

  /** A new state, seen from `seat` (null: nobody's page). Calls once when the seat's turn or window begins. */
  update(state, seat) {
    const call = seat ? calls(state, seat) : "";
    const title = seat ? `${t("brand")}: ${t("seat", {seat})}` : t("brand");
    document.title = call === "aro" ? `● ${t("button.aro")}! – ${title}` : call === "turn" ? `● ${t("title.turn")} – ${title}` : title;
    if (this.called !== null && call && call !== this.called) this.#call(call);
    this.called = call;
  }

  #call(call) {
    if (chosen("vibrate", this.plays())) navigator.vibrate?.(call === "aro" ? [120, 60, 120] : [220]);
    if (chosen("sound", this.plays())) this.#play(call === "aro" ? [880, 1175] : [587, 440]);
    dispatchEvent(new CustomEvent("ordertray-call", {detail: call}));
  }

  /** Two short tones: up for an ARO window, down for the turn. */
  #play(tones) {
    const audio = this.#sounding();
    if (!audio || audio.state !== "running") return;
    tones.forEach((hertz, place) => {
      const from = audio.currentTime + place * 0.16;
      const tone = audio.createOscillator(), loud = audio.createGain();
      tone.type = "triangle";
      tone.frequency.value = hertz;
      loud.gain.setValueAtTime(0, from);
      loud.gain.linearRampToValueAtTime(0.3, from + 0.015);
      loud.gain.exponentialRampToValueAtTime(0.001, from + 0.15);
      tone.connect(loud).connect(audio.destination);
      tone.start(from);
      tone.stop(from + 0.16);
    });
  }
}

/** Keeps the screen on: by the browser's own lock where the page is secure, else by a picture that moves. */
class Awake {
  constructor() {
    this.wanted = false;
    this.lock = null;
  }

  want(wanted) {
    this.wanted = wanted;
    if (wanted) this.#on().catch(() => {}); else this.#off();
  }

  async #on() {
    if (navigator.wakeLock) {
      if (this.lock && !this.lock.released) return;
      this.lock = await navigator.wakeLock.request("screen");
      if (!this.wanted) this.#off();
      return;
    }
    // Over plain http there is no lock. Chromium and Firefox keep a phone awake for a stream that plays in sight, however
    // small it is; Safari does not (README, "A phone that stays awake").
    if (!this.video) {
      const canvas = h("canvas", {width: 2, height: 2});
      if (!canvas.captureStream) return;
      const paint = canvas.getContext("2d");
      let step = 0;
      this.draw = () => { step = 1 - step; paint.fillStyle = step ? "#000" : "#010101"; paint.fillRect(0, 0, 2, 2); };
      this.video = h("video", {class: "awake", playsinline: true, "aria-hidden": "true", tabindex: -1});
      this.video.muted = true;
      this.video.srcObject = canvas.captureStream();
      document.body.append(this.video);
    }
    this.timer ??= setInterval(this.draw, 1000);
    await this.video.play();
  }

  #off() {
    this.lock?.release().catch(() => {});
    this.lock = null;
    clearInterval(this.timer);
    this.timer = null;
    this.video?.pause();
  }
}

/** The switches, as a small form. */
export function attentionForm(attention) {
  const able = {awake: true, sound: Boolean(globalThis.AudioContext ?? globalThis.webkitAudioContext), vibrate: Boolean(navigator.vibrate)};
  return h("div", {class: "attention"}, CHOICES.filter((name) => able[name]).map((name) => h("label", {class: "tick"},
    h("input", {type: "checkbox", "data-key": `attention-${name}`, checked: chosen(name, attention.plays()), onchange: (event) => { choose(name, event.target.checked); attention.settle(); }}), t(`attention.${name}`))));
}
