// The tray, drawn: for each side its strip as it shines, its pad, its buttons, and the discs that lie beside it.

import {h, s, once, setAttr, setText} from "./dom.js";
import {shape, mark} from "./shapes.js";
import {t, word} from "./text.js";
import {ask} from "./live.js";

const HOLD_MS = 1000; // the firmware's; it alone decides what was a hold
const REFUSED_MS = 500;
const CHASE_MS = 90;
const EFFECT_NAMES = {s: "steady", d: "dim", b: "blink", p: "pulse", c: "chase", f: "flash", q: "quick"};

// Which pixel shows what: as in lights/layout.py (a test compares).
export const FIELDS = [
  ["group1", 0, 10], ["lieutenant", 10, 2], ["tactical", 12, 2], ["turn", 14, 1], ["link", 15, 1],
  ["group2", 16, 10], ["impetuous", 26, 2], ["aro", 28, 2], ["retreat", 30, 1], ["loss_of_lieutenant", 31, 1],
];
const BUTTONS = ["basic", "short", "long", "aro", "pass", "ok"];
const HELD = {pass: "undo", ok: "next"};

const PITCH = 25.6, LEFT = 16, PIXEL = 17;

export class TraySide {
  /** One side of the tray. `tell` shows an answer of the host; `may()` says whether this page may touch the side. */
  constructor(seat, tell, may) {
    Object.assign(this, {seat, tell, may});
    this.pixels = [];
    this.buttons = {};
    this.chains = {};
    this.number = null;
    this.node = s("svg", {class: `tray-side seat-${seat}`, viewBox: "0 0 440 252", role: "group"},
      s("rect", {class: "device", x: 1, y: 1, width: 438, height: 250, rx: 22}),
      this.#strip(), this.#pad(), ...BUTTONS.map((name, place) => this.#button(name, place)));
  }

  #strip() {
    const parts = [s("rect", {class: "bezel", x: 9, y: 10, width: 422, height: 92, rx: 12})];
    for (const [name, first, length] of FIELDS) {
      const row = Math.floor(first / 16), column = first % 16;
      const x = LEFT + column * PITCH, y = 20 + row * 42;
      const field = s("g", {class: `field field-${name}`}, s("title", {}, t(`field.${name}.title`)));
      for (let place = 0; place < length; place++) {
        const px = x + place * PITCH + (PITCH - PIXEL) / 2;
        const lit = s("rect", {class: "lit", x: px, y, width: PIXEL, height: PIXEL, rx: 4.5});
        field.append(s("rect", {class: "well", x: px, y, width: PIXEL, height: PIXEL, rx: 4.5}), lit);
        this.pixels[first + place] = lit;
      }
      field.append(s("text", {class: length === 1 ? "label short" : "label", x: x + length * PITCH / 2, y: y + PIXEL + 11.5, "text-anchor": "middle"}, t(`field.${name}`)));
      parts.push(field);
    }
    this.strip = s("g", {class: "strip", role: "img"}, parts);
    return this.strip;
  }

  #pad() {
    this.onPad = s("g", {class: "on-pad"});
    return s("g", {class: "pad", transform: "translate(78 176)", "aria-hidden": "true"},
      s("circle", {class: "pad-ring", r: 62}), s("circle", {class: "pad-plate", r: 52}),
      ...[14, 24, 34].map((r) => s("path", {class: "wave", d: `M ${-r * 0.7} ${-r * 0.7} A ${r} ${r} 0 0 1 ${r * 0.7} ${-r * 0.7}`})),
      s("text", {class: "pad-letter", y: 30, "text-anchor": "middle"}, this.seat), this.onPad);
  }

  #button(name, place) {
    const x = 156 + (place % 3) * 92, y = 116 + Math.floor(place / 3) * 66;
    const ring = s("rect", {class: "hold-ring", x: 2, y: 2, width: 78, height: 52, rx: 14, pathLength: 100});
    const node = s("g", {class: `button button-${name}`, transform: `translate(${x} ${y})`, role: "button", tabindex: 0, "data-key": `${this.seat}-${name}`},
      s("rect", {class: "skirt", x: 0, y: 3, width: 82, height: 56, rx: 16}),
      s("rect", {class: "cap", x: 0, y: 0, width: 82, height: 56, rx: 16}),
      ring,
      s("text", {class: "cap-text", x: 41, y: HELD[name] ? 28 : 34, "text-anchor": "middle"}, t(`button.${name}`)),
      HELD[name] ? s("text", {class: "cap-held", x: 41, y: 44, "text-anchor": "middle"}, t(`button.${name}.held`)) : null);
    setAttr(node, "aria-label", `${this.seat}: ${t(`button.${name}`)}${HELD[name] ? ` (${t("button.hold-for", {what: t(`button.${name}.held`)})})` : ""}`);
    const down = () => { if (this.may()) this.#press(name); };
    const up = () => this.#release(name);
    node.addEventListener("pointerdown", (event) => { event.preventDefault(); node.focus({preventScroll: true}); try { node.setPointerCapture(event.pointerId); } catch { /* synthetic */ } down(); });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) node.addEventListener(end, up);
    node.addEventListener("keydown", (event) => { if ((event.key === "Enter" || event.key === " ") && !event.repeat) { event.preventDefault(); down(); } });
    node.addEventListener("keyup", up);
    node.addEventListener("blur", up);
    node.addEventListener("contextmenu", (event) => event.preventDefault());
    this.buttons[name] = node;
    return node;
  }

  #press(name) {
    const node = this.buttons[name];
    if (node.classList.contains("down")) return;
    node.classList.add("down");
    this.pressedAt = performance.now();
    this.#edge(name, "down");
  }

  #release(name) {
    const node = this.buttons[name];
    if (!node.classList.contains("down")) return;
    node.classList.remove("down");
    const heldMs = performance.now() - this.pressedAt;
    this.#edge(name, "up");
    if (HELD[name] && node.classList.contains("glow-hold") && heldMs < HOLD_MS) this.tell({ok: false, message: t("tray.hold-longer")});
  }

  /** Down and up reach the host in their order, whatever the network does. */
  #edge(name, edge) {
    const before = this.chains[name] ?? Promise.resolve();
    this.chains[name] = before.then(() => ask("POST", "/tray/button", {side: this.seat, button: name, edge})).then((answer) => { if (answer.status) this.tell(answer); });
  }

  update(state) {
    this.#shine(state);
    const touchable = this.may();
    for (const node of Object.values(this.buttons)) setAttr(node, "aria-disabled", touchable ? null : "true");
    setAttr(this.node, "aria-label", t("tray.side", {seat: this.seat}));
    this.#glow(state);
    this.#mirror(state);
  }

  #shine(state) {
    const [colours, effects] = state.lamps?.[this.seat] ?? [".".repeat(32), ".".repeat(32)];
    if (this.shown !== colours + effects) {
      this.shown = colours + effects;
      const now = performance.now();
      this.pixels.forEach((pixel, place) => {
        const colour = colours[place], effect = effects[place];
        setAttr(pixel, "class", colour === "." ? "lit off" : `lit ink-${colour} fx-${EFFECT_NAMES[effect] ?? "steady"}`);
        if (effect === "c") {
          let first = place;
          while (first % 16 && effects[first - 1] === "c") first -= 1;
          let end = place + 1;
          while (end % 16 && effects[end] === "c") end += 1;
          const period = (end - first) * CHASE_MS;
          pixel.style.setProperty("--period", `${period}ms`);
          pixel.style.animationDelay = `${-((now - (place - first) * CHASE_MS) % period)}ms`;
        } else pixel.style.animationDelay = `${-(now % 1600)}ms`;
      });
    }
    const link = state.links?.[this.seat];
    this.strip.classList.toggle("offline", link === "offline");
    const side = state.public?.seats?.[this.seat];
    setAttr(this.strip, "aria-label", t("tray.strip", {seat: this.seat, text: side ? spoken(side) : t("tray.dark")}));
    const refusal = state.refusal;
    if (refusal && refusal.side === this.seat && refusal.number !== this.number && this.number !== null) {
      this.strip.classList.remove("refused");
      void this.strip.getBoundingClientRect();
      this.strip.classList.add("refused");
      setTimeout(() => this.strip.classList.remove("refused"), REFUSED_MS);
    }
    this.number = refusal?.number ?? 0;
  }

  #glow(state) {
    for (const [name, node] of Object.entries(this.buttons)) {
      const place = this.may() && !state.story ? state.hint.do.findIndex((one) => one.side === this.seat && one.button === name) : -1;
      node.classList.toggle("glow", place >= 0);
      node.classList.toggle("glow-hold", place >= 0 && state.hint.do[place].hold);
    }
  }

  /** What a hand did at the tray: the disc lies on the pad for a moment, the button goes down. */
  #mirror(state) {
    const touch = state.touch;
    const number = touch?.number ?? 0;
    if (this.touched === undefined) { this.touched = number; return; }
    if (number === this.touched) return;
    this.touched = number;
    if (!touch || touch.side !== this.seat) return;
    if (touch.button) {
      const node = this.buttons[touch.button];
      node?.classList.add("mirrored");
      setTimeout(() => node?.classList.remove("mirrored"), touch.held ? 900 : 300);
    }
    if (touch.disc) this.lay(touch.disc);
  }

  lay(disc) {
    const kind = disc.split(" ")[0];
    const node = s("g", {class: `laid kind-${kind}`}, s("circle", {r: 38}), s("g", {transform: "translate(-18 -18) scale(1.5)"}, shape(kind).firstChild));
    this.onPad.replaceChildren(node);
    clearTimeout(this.laid);
    this.laid = setTimeout(() => this.onPad.replaceChildren(), 1100);
  }
}

function spoken(side) {
  const counts = Object.entries(side.pools).map(([group, count]) => t("spoken.group", {group, left: count.left, total: count.total}));
  for (const kind of ["irregular", "lieutenant", "tactical", "impetuous"]) {
    if (side[kind].total) counts.push(`${word("kind", kind)} ${side[kind].left}/${side[kind].total}`);
  }
  if (side.retreat) counts.push(t("retreat"));
  if (side.loss_of_lieutenant) counts.push(t("loss"));
  return counts.join(", ");
}

const ORDERS = ["regular", "irregular", "lieutenant", "tactical", "impetuous"];

/** The discs beside one side; a click lays one on its pad. */
export class Discs {
  constructor(seat, side, tell, may) {
    Object.assign(this, {seat, side, tell, may});
    this.orders = h("div", {class: "discs-orders", role: "group"});
    this.troopers = h("div", {class: "discs-troopers", role: "group"});
    this.fold = h("details", {class: "trooper-tags"}, h("summary", {}, t("discs.troopers")), this.troopers);
    this.node = h("div", {class: `discs seat-${seat}`}, this.orders, this.fold);
  }

  update(state) {
    const discs = state.discs?.[this.seat] ?? [];
    const may = this.may();
    const wanted = may && !state.story ? state.hint.do.filter((one) => one.side === this.seat && one.disc).map((one) => one.disc) : [];
    const blank = may && state.enrolment?.seat === this.seat && !state.enrolment.finished && state.tray.kind === "virtual";
    setAttr(this.orders, "aria-label", t("discs.orders", {seat: this.seat}));
    setAttr(this.troopers, "aria-label", t("discs.tags", {seat: this.seat}));
    once(this.orders, [discs.filter((disc) => disc.kind !== "trooper"), may, wanted, blank], () => [
      blank ? this.#disc({disc: "blank", kind: "command"}, true, true) : null,
      ...discs.filter((disc) => disc.kind !== "trooper").map((disc) => this.#disc(disc, may, wanted.includes(disc.disc))),
    ]);
    const tags = discs.filter((disc) => disc.kind === "trooper");
    const react = state.hint.seat === this.seat && state.public?.order?.aro.open || state.hint.tags.includes(this.seat);
    once(this.troopers, [tags, may, react, state.public?.order?.aro.declared], () => tags.map((disc) => this.#tag(disc, may, state)));
    if (react && may && !this.opened) { this.opened = true; this.fold.open = true; }
    if (!react) this.opened = false;
    this.fold.classList.toggle("glow", Boolean(react && may && !state.story));
    this.fold.hidden = !tags.length;
  }

  #disc(disc, may, glow) {
    const spent = disc.left === 0;
    const name = discName(disc);
    const count = disc.left === null || disc.left === undefined ? null : h("span", {class: "count"}, disc.total ? [disc.left, h("small", {}, `/${disc.total}`)] : "–");
    return h("button", {
      class: `disc kind-${disc.kind}${spent ? " spent" : ""}${glow ? " glow" : ""}`, type: "button", disabled: !may,
      "data-key": disc.disc, "data-disc": disc.disc, "aria-label": count ? t("disc.count", {name, left: disc.left, total: disc.total}) : name,
      onclick: () => this.#tap(disc.disc),
    }, h("span", {class: "face"}, shape(disc.kind), count), h("span", {class: "name"}, shortName(disc)));
  }

  #tag(disc, may, state) {
    const reacted = state.public?.order?.aro.declared.some((aro) => aro.trooper === disc.trooper) && state.public.active !== this.seat;
    const states = (disc.states ?? []).map((name) => word("state", name));
    return h("button", {
      class: `tag${disc.hidden ? " hidden-trooper" : ""}${states.length ? " hurt" : ""}${reacted ? " reacted" : ""}`, type: "button", disabled: !may, "data-key": disc.disc, "data-disc": disc.disc,
      onclick: () => this.#tap(disc.disc),
    }, shape("trooper"), disc.trooper, reacted ? h("em", {}, t("button.aro")) : null, states.length ? h("em", {}, states.join(", ")) : null, disc.hidden ? h("em", {}, t("disc.hidden")) : null);
  }

  async #tap(disc) {
    this.side.lay(disc === "blank" ? "command" : disc);
    const answer = await ask("POST", "/tray/tap", {pad: this.seat, disc});
    if (answer.ok === false) this.tell(answer);
    else if (answer.answered === false && disc !== "blank") this.tell({ok: false, message: t("tray.no-answer")});
  }
}

export function discName(disc) {
  const kind = word("kind", disc.kind);
  if (disc.disc === "blank") return t("disc.blank");
  if (disc.kind === "regular") return t("disc.of-group", {kind, group: disc.group});
  return disc.trooper ? `${kind}: ${disc.trooper}` : kind;
}

function shortName(disc) {
  if (disc.disc === "blank") return t("disc.blank");
  if (disc.kind === "regular") return t("disc.group", {group: disc.group});
  return disc.trooper ?? word("kind", disc.kind);
}

export {mark, ORDERS};
