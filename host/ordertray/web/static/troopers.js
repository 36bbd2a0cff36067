// The troopers on a seat's page: as a grid with filters; as names to pick from when one must be named; and one trooper's
// sheet, with its states under the thumb.

import {h, once} from "./dom.js";
import {mark, shape} from "./shapes.js";
import {t, word} from "./text.js";

const ORDER_KINDS = ["irregular", "lieutenant", "tactical", "impetuous", "own"];
const GONE = new Set(["dead", "sepsitorized"]);
const COMMON = ["unconscious", "dead"]; // the states that nearly all casualties are

const shortName = (trooper) => trooper.name || trooper.id;
/** The id beside a name that several bear. */
const which = (trooper, all) => (all.filter((one) => shortName(one) === shortName(trooper)).length > 1 ? trooper.id : "");

/** All troopers of both sides, filtered. */
export class Troopers {
  constructor(seat, open) {
    Object.assign(this, {seat, open});
    this.tab = "mine";
    this.wish = "mine";
    this.tabs = h("div", {class: "tabs", role: "group", "aria-label": t("seat.filter")});
    this.node = h("div", {class: "trooper-grid"});
  }

  /** `now`: what is to be picked from now (a tab of its own, in front), or nothing. */
  update(state, now) {
    const other = this.seat === "A" ? "B" : "A";
    const own = state.seat?.troopers ?? [], theirs = state.public?.seats[other].troopers ?? [];
    if (now !== this.now) this.tab = now ? "now" : this.wish;
    this.now = now;
    const hurt = [...own.filter((one) => one.states.length).map((one) => [this.seat, one]), ...theirs.filter((one) => one.states.length).map((one) => [other, one])];
    const tabs = [...(now ? [["now", now]] : []), ["mine", t("seat.mine", {count: own.length})], ["theirs", t("seat.theirs", {count: theirs.length})], ["hurt", t("seat.hurt", {count: hurt.length})]];
    once(this.tabs, [tabs, this.tab], () => tabs.map(([name, label]) => h("button", {type: "button", class: "tab", "data-key": `tab-${name}`, "aria-pressed": String(this.tab === name), onclick: () => { this.tab = name; if (name !== "now") this.wish = name; this.redraw(); }}, label)));
    this.redraw = () => { this.update(state, now); this.changed?.(); };
    const shown = this.tab === "hurt" ? hurt : this.tab === "theirs" ? theirs.map((one) => [other, one]) : own.map((one) => [this.seat, one]);
    this.numbers = state.disc_numbers;
    const acting = state.public?.active === this.seat ? state.public.order?.troopers ?? [] : [];
    once(this.node, [shown, acting, state.seat?.lieutenant, this.tab, this.numbers], () => shown.length ? shown.map(([owner, one]) => this.#tile(owner, one, state.seat?.lieutenant, acting, own)) : h("p", {class: "empty-note"}, t("after.none")));
  }

  #tile(owner, one, lieutenant, acting, all) {
    const number = owner === this.seat ? this.numbers?.[one.id] : null;
    const mine = owner === this.seat;
    const gone = one.states.some((name) => GONE.has(name)) || one.place === "evacuated";
    const states = one.states.map((name) => word("state", name)).join(", ");
    const note = states || (one.place === "off" ? t("card.off") : one.place === "evacuated" ? t("card.evacuated") : "");
    const orders = mine ? ORDER_KINDS.filter((kind) => kind !== "lieutenant" && one[kind]?.left) : [];
    return h("button", {type: "button", class: `trooper${mine ? "" : " theirs"}${gone ? " gone" : one.states.length ? " hurt" : ""}${acting.includes(one.id) ? " acts-now" : ""}${one.place === "off" ? " off-table" : ""}`,
      "data-key": `${owner}:${one.id}`, "data-trooper": one.id, onclick: () => this.open(owner, one.id)},
    mine ? null : mark(owner), h("span", {class: "trooper-name"}, mine && lieutenant === one.id ? shape("lieutenant", t("card.lieutenant")) : null, shortName(one)), h("span", {class: "trooper-note"}, note || (mine ? [[number ? t("card.disc", {number}) : which(one, all), one.cost].filter(Boolean).join(" · "), " ", orders.map((kind) => shape(kind, word("kind", kind)))] : "")));
  }
}

/** Names to pick one from: who reacts, whose order it is, who is to be Lieutenant. In two columns. */
export class Picker {
  constructor(seat, touch, more) {
    Object.assign(this, {seat, touch, more});
    this.node = h("div", {class: "picker"});
    this.reacted = {};
    this.shown = false;
    this.window = null;
    this.order = [];
  }

  /** `named`: touches with a trooper each; null: who may react. */
  update(state, can, named) {
    const reacting = named === null;
    if (reacting) this.#follow(state, can);
    else this.window = null;
    const declared = state.public?.order?.aro.declared.map((one) => one.trooper) ?? [];
    const items = reacting ? this.order.map((id) => ({id, disc: `trooper ${id}`, kind: "trooper", on: declared.includes(id), off: can && !(id in can.aro.troopers)}))
      : named.map((one) => ({id: one.disc.split(" ")[1], disc: one.disc, kind: one.disc.split(" ")[0]}));
    this.shown = items.length > 0;
    const unnamed = reacting && Boolean(can?.aro.unnamed);
    once(this.node, [items, unnamed, state.seat?.troopers], () => [
      ...items.map((one) => h("div", {class: `pick${one.on ? " on" : ""}`},
        h("button", {type: "button", class: "pick-name", "data-key": reacting ? `aro ${one.id}` : `pick ${one.disc}`, "data-line": reacting ? null : `${this.seat} spend ${one.disc}`, disabled: one.off && !one.on, "aria-pressed": reacting ? String(one.on) : null, onclick: () => this.touch({disc: one.disc})}, one.on ? "✓ " : shape(one.kind), h("span", {}, this.#name(state, one.id), this.#which(state, one.id))),
        h("button", {type: "button", class: "pick-more", "data-key": `more ${one.id}`, "aria-label": t("seat.more-of", {trooper: this.#name(state, one.id)}), onclick: () => this.more(one.id)}, "⋯"))),
      unnamed ? h("div", {class: "pick"}, h("button", {type: "button", class: "pick-name", "data-key": "aro-unnamed", onclick: () => this.touch({button: "aro"})}, h("span", {}, t("act.aro-unnamed")))) : null,
    ]);
  }

  /** Who can react in this window; the order does not change while it is open: whoever has reacted before comes first. */
  #follow(state, can) {
    const order = state.public.order, window = `${state.game?.number} ${state.public.turn ?? ""} ${order.aro.window} ${order.kind} ${order.troopers}`;
    const able = can ? Object.keys(can.aro.troopers) : null;
    if (this.window !== window) {
      this.window = window;
      this.order = [];
    }
    const known = new Set([...this.order, ...(able ?? []), ...order.aro.declared.map((one) => one.trooper).filter(Boolean)]);
    if (known.size > this.order.length) {
      const list = (state.seat?.troopers ?? []).map((one) => one.id).filter((id) => known.has(id));
      this.order = this.order.length ? [...this.order, ...list.filter((id) => !this.order.includes(id))] : list.sort((a, b) => (this.reacted[b] ?? 0) - (this.reacted[a] ?? 0));
    }
    for (const one of order.aro.declared) {
      const key = `${window} ${one.trooper}`;
      if (one.trooper && this.counted !== key) { this.counted = key; this.reacted[one.trooper] = (this.reacted[one.trooper] ?? 0) + 1; }
    }
  }

  #which(state, id) {
    const all = state.seat?.troopers ?? [], trooper = all.find((one) => one.id === id), text = trooper ? which(trooper, all) : "";
    return text ? h("small", {}, text) : null;
  }

  #name(state, id) {
    const trooper = state.seat?.troopers.find((one) => one.id === id);
    return trooper ? shortName(trooper) : id;
  }
}

/** The sheet of one trooper: states first, then orders and AROs. */
export class Sheet {
  constructor(seat, play, touch) {
    Object.assign(this, {seat, play, touch});
    this.node = h("dialog", {class: "sheet"});
    this.node.addEventListener("click", (event) => { if (event.target === this.node) this.close(); });
    this.node.addEventListener("close", () => { this.opened = null; this.picked = []; });
    this.picked = [];
  }

  update(state, can) {
    Object.assign(this, {state, can});
    if (this.opened) this.#draw();
  }

  open(owner, trooper, what = "trooper") {
    this.opened = {owner, trooper, what};
    this.picked = [];
    this.node._shown = null;
    this.#draw();
    this.node.showModal();
  }

  /** Who takes part in a Coordinated Order. */
  coordinate() { this.open(this.seat, null, "coordinate"); }

  /** Who forms a Fireteam (FT-01). */
  team() { this.open(this.seat, null, "team"); }

  close() { if (this.node.open) this.node.close(); }

  #name(id) {
    const trooper = this.state.seat?.troopers.find((one) => one.id === id);
    return trooper?.name && trooper.name !== id ? `${trooper.name} (${id})` : id;
  }

  #act(line, label, kind = "quiet", icon = null, key = line) {
    return h("button", {type: "button", class: `act ${kind}`, "data-key": key, "data-line": line, onclick: () => { this.play(line); this.close(); }}, icon, label);
  }

  #draw() {
    const {owner, trooper, what} = this.opened, {can} = this;
    once(this.node, [this.opened, can, this.picked, this.state.seat?.troopers], () => {
      const head = h("header", {class: "sheet-head"}, mark(owner), h("h2", {}, what === "coordinate" ? word("token", "coordinate") : what === "team" ? t("team.form") : owner === this.seat ? this.#name(trooper) : trooper), h("button", {type: "button", class: "quiet close", "aria-label": t("close"), onclick: () => this.close()}, "✕"));
      if (!can) return [head, h("p", {class: "empty-note"}, t("seat.thinking"))];
      return [head, what === "coordinate" ? this.#coordinate(can) : what === "team" ? this.#team() : [this.#states(owner, trooper, can), owner === this.seat ? this.#own(trooper, can) : []]];
    });
  }

  #states(owner, trooper, can) {
    const states = can.states[`${owner}:${trooper}`];
    if (!states) return [];
    const who = owner === this.seat ? trooper : `${owner}:${trooper}`;
    const has = states.clear, all = [...has, ...states.set];
    const button = (name) => { const on = has.includes(name); return this.#act(`${this.seat} ${on ? "clear" : "state"} ${who} ${name}`, [on ? "✓ " : "", word("state", name)], on ? "state on" : "state", null, `state ${name}`); };
    const first = all.filter((name) => COMMON.includes(name) || has.includes(name)), rest = all.filter((name) => !first.includes(name));
    return [h("div", {class: "acts states"}, first.map(button)), rest.length ? h("details", {class: "fold"}, h("summary", {}, t("sheet.states")), h("div", {class: "acts states"}, rest.map(button))) : null];
  }

  #own(trooper, can) {
    const A = this.seat, acts = [];
    for (const one of can.spend) {
      if (!one.troopers.includes(trooper)) continue;
      const kind = one.kind === "regular" ? t("disc.of-group", {kind: word("kind", "regular"), group: one.group}) : word("kind", one.kind);
      const disc = one.kind === "regular" ? `regular g${one.group}` : one.kind === "lieutenant" ? "lieutenant" : `${one.kind} ${trooper}`;
      const line = one.kind === "regular" ? `${A} spend regular g${one.group} ${trooper}` : `${A} spend ${one.kind} ${trooper}`;
      const button = this.#act(line, t("act.spend-kind", {kind}), "primary", shape(one.kind));
      acts.push(one.kind === "own" ? button : h("button", {type: "button", class: "act primary", "data-key": line, "data-line": line, onclick: () => { this.touch({disc, trooper}); this.close(); }}, shape(one.kind), t("act.spend-kind", {kind})));
    }
    if (can.reveal.includes(trooper)) acts.push(this.#act(`${A} reveal ${trooper}`, t("act.reveal")));
    for (const use of ["aro", "join", "leave"]) if (can.teams[use]?.includes(trooper)) acts.push(this.#act(`${A} team ${use} ${trooper}`, t(`team.${use}`)));
    if (can.name.includes(trooper)) acts.push(this.#act(`${A} trooper ${trooper}`, t("act.acts"), "primary"));
    for (const [family, key] of [["arrive", "act.arrive"], ["evacuate", "act.evacuate"], ["frenzy", "act.frenzy"], ["lieutenant", "act.name-lieutenant"]]) if (can[family].includes(trooper)) acts.push(this.#act(`${A} ${family} ${trooper}`, t(key)));
    for (const [use, ways] of Object.entries(can.tokens)) {
      if (["cap", "strip", "coordinate"].includes(use)) continue;
      for (const way of ways) if (way.troopers[0] === trooper) acts.push(this.#act(`${A} token ${use} ${trooper}${way.groups.length ? ` g${way.groups[0]}` : ""}`, `${word("token", use)}${way.groups.length ? `: ${t("group", {group: way.groups[0]})}` : ""}`, "quiet", shape("command")));
    }
    const parts = acts.length ? [h("h3", {}, t("sheet.orders")), h("div", {class: "acts"}, acts)] : [];
    if (trooper in can.aro.troopers) {
      const targets = can.aro.targets.length ? can.aro.targets : [null];
      for (const target of targets) {
        const aim = target ? ` > ${target}` : "";
        parts.push(h("h3", {}, targets.length > 1 ? t("sheet.aro-against", {target}) : t("sheet.aro")), h("div", {class: "acts"}, this.#act(`${A} aro ${trooper}${aim}`, t("act.aro-any"), "primary"), can.aro.troopers[trooper].map((name) => this.#act(`${A} aro ${trooper} "${name}"${aim}`, word("skill", name)))));
      }
      // One reaction of the whole Fireteam (FT-04).
      const team = this.state.public.seats[A].teams?.find((one) => one.members.includes(trooper));
      const others = (team?.members ?? []).filter((id) => id !== trooper && id in can.aro.troopers);
      if (others.length) {
        const names = can.aro.troopers[trooper].filter((name) => others.every((id) => can.aro.troopers[id].includes(name)));
        const aim = can.aro.targets.length ? ` > ${can.aro.targets[0]}` : "", all = [trooper, ...others].join(" ");
        parts.push(h("h3", {}, t("team.all", {count: others.length + 1})), h("div", {class: "acts"}, this.#act(`${A} aro ${all}${aim}`, t("act.aro-any"), "primary"), names.map((name) => this.#act(`${A} aro ${all} "${name}"${aim}`, word("skill", name)))));
      }
      if (can.delay.includes(trooper)) parts.push(h("div", {class: "acts"}, this.#act(`${A} delay ${trooper}`, t("act.delay"))));
      if (can.aro.lost.includes(trooper)) parts.push(h("div", {class: "acts"}, this.#act(`${A} pass ${trooper}`, t("act.lost"))));
    }
    return parts;
  }

  #coordinate(can) {
    const ways = can.tokens.coordinate ?? [];
    const partners = (id) => ways.filter((way) => way.troopers.includes(id));
    const ids = [...new Set(ways.flatMap((way) => way.troopers))];
    const fits = (id) => this.picked.every((other) => other === id || partners(other).some((way) => way.troopers.includes(id)));
    const group = ways.find((way) => way.troopers.includes(this.picked[0]))?.groups[0];
    const toggle = (id) => { this.picked = this.picked.includes(id) ? this.picked.filter((one) => one !== id) : [...this.picked, id]; this.#draw(); };
    return [h("p", {class: "note"}, t("sheet.coordinate")), h("div", {class: "acts"}, ids.map((id) => h("button", {type: "button", class: `act${this.picked.includes(id) ? " on" : ""}`, "aria-pressed": String(this.picked.includes(id)), "data-key": `pick ${id}`, disabled: !this.picked.includes(id) && (!fits(id) || this.picked.length >= 4), onclick: () => toggle(id)}, this.#name(id)))),
      this.picked.length > 1 ? h("div", {class: "acts"}, h("button", {type: "button", class: "act primary", "data-key": "coordinate-go", onclick: () => this.#coordinateGo(group)}, t("sheet.coordinate-go", {count: this.picked.length}))) : null];
  }

  /** A Fireteam to be: the Leader first, all of one group. Whether it may be is for the rules to say. */
  #team() {
    const mine = this.state.seat?.troopers ?? [], group = mine.find((one) => one.id === this.picked[0])?.group;
    const toggle = (id) => { this.picked = this.picked.includes(id) ? this.picked.filter((one) => one !== id) : [...this.picked, id]; this.#draw(); };
    const fits = (one) => !this.picked.length || one.group === group;
    return [h("p", {class: "note"}, t("team.pick")), h("div", {class: "acts"}, mine.map((one) => h("button", {type: "button", class: `act${this.picked.includes(one.id) ? " on" : ""}`, "aria-pressed": String(this.picked.includes(one.id)), "data-key": `pick ${one.id}`, disabled: !this.picked.includes(one.id) && (!fits(one) || this.picked.length >= 5), onclick: () => toggle(one.id)}, this.#name(one.id)))),
      this.picked.length > 1 ? h("div", {class: "acts"}, this.#act(`${this.seat} team form ${this.picked.join(" ")}`, t("team.go", {count: this.picked.length}), "primary", null, "team-go")) : null];
  }

  /** The same touches as on the tray: Command disc, tags, Regular disc. */
  async #coordinateGo(group) {
    const picked = [...this.picked];
    this.close();
    for (const disc of ["command", ...picked.map((id) => `trooper ${id}`), `regular g${group}`]) await this.touch({disc});
  }
}
