// A player's own page: what can be done now, the own troopers with everything about them, states by two touches.

import {h, once, show} from "./dom.js";
import {shape, mark} from "./shapes.js";
import {t, word} from "./text.js";

const LABELS = ["basic", "short", "long"];
const ORDER_KINDS = ["irregular", "lieutenant", "tactical", "impetuous", "own"];

export class Seat {
  /** `play(line)` sends a line of the game script, without its position; `touch` a virtual disc or key. */
  constructor(seat, play, touch) {
    Object.assign(this, {seat, play, touch});
    this.now = h("section", {class: "panel now", "aria-label": t("seat.now")});
    this.army = h("section", {class: "panel army", "aria-label": t("seat.army")});
    this.points = h("section", {class: "panel points", "aria-label": t("seat.points")});
    this.others = h("section", {class: "panel others", "aria-label": t("seat.others")});
    this.sheet = h("dialog", {class: "sheet"});
    this.sheet.addEventListener("click", (event) => { if (event.target === this.sheet) this.#close(); });
    this.sheet.addEventListener("close", () => { this.opened = null; this.picked = []; });
    this.node = h("div", {class: `seat-view seat-${seat}`}, this.now, h("div", {class: "seat-columns"}, this.army, h("div", {class: "seat-side"}, this.points, this.others)), this.sheet);
    this.picked = [];
  }

  update(state, choices) {
    this.state = state;
    this.choices = choices && choices.position === state.position ? choices.choices : null;
    const own = state.seat;
    const current = this.choices;
    once(this.now, [current, state.hint.text, own?.lieutenant], () => this.#drawNow(current));
    once(this.army, [own?.troopers, own?.lieutenant, state.public?.order], () => own ? this.#drawArmy(own) : []);
    once(this.points, own && [own.victory_points, own.retreat_threshold, own.retreat_margin, own.points, own.army, state.public.seats[this.seat].retreat], () => own ? this.#drawPoints(own) : []);
    const other = this.seat === "A" ? "B" : "A";
    once(this.others, state.public && state.public.seats[other].troopers, () => state.public ? this.#drawOthers(state.public.seats[other].troopers, other) : []);
    if (this.opened) this.#drawSheet();
  }

  #act(line, key, label, kind = "quiet", icon = null) {
    return h("button", {type: "button", class: `act ${kind}`, "data-key": key ?? line, "data-line": line, onclick: () => { this.play(line); this.#close(); }}, icon, label);
  }

  /** A key or virtual disc of this seat: the same touch, the same meaning as on the tray. */
  #key(one, key, label, kind = "quiet", icon = null) {
    return h("button", {type: "button", class: `act ${kind}`, "data-key": key, "data-line": key, onclick: () => { this.touch({side: this.seat, ...one}); this.#close(); }}, icon, label);
  }

  // --- now ---------------------------------------------------------------------------------------------------------

  #drawNow(can) {
    const A = this.seat;
    if (!this.state.public) return h("p", {class: "empty-note"}, t("no-game"));
    const head = h("header", {class: "panel-head"}, h("h2", {}, t("seat.now")));
    if (!can) return [head, h("p", {class: "empty-note"}, t("seat.thinking"))];
    const parts = [];
    const row = (title, ...buttons) => { const kept = buttons.flat().filter(Boolean); if (kept.length) parts.push(h("div", {class: "act-row"}, title ? h("h3", {}, title) : null, h("div", {class: "acts"}, kept))); };
    row("", can.turn.includes("start") && this.#key({button: "ok", hold: true}, `${A} start`, t("act.start"), "primary"));
    row(t("act.spend"), can.spend.filter((one) => one.alone).map((one) => this.#key({disc: one.kind === "regular" ? `regular g${one.group}` : one.kind}, one.kind === "regular" ? `${A} spend regular g${one.group}` : `${A} spend ${one.kind}`, one.kind === "regular" ? t("disc.of-group", {kind: word("kind", "regular"), group: one.group}) : word("kind", one.kind), "primary", shape(one.kind))));
    row(t("act.spend-of"), can.spend.filter((one) => !one.alone && one.kind !== "regular").map((one) => one.troopers.map((trooper) => this.#act(`${A} spend ${one.kind} ${trooper}`, null, `${word("kind", one.kind)}: ${this.#name(trooper)}`, "quiet", shape(one.kind)))));
    row(t("act.who"), can.name.length && h("p", {class: "note"}, t("act.who-note")));
    row(t("act.skill"), LABELS.filter((label) => can.labels.includes(label)).map((label) => this.#key({button: label}, `${A} skill ${label}`, t(`button.${label}`), "primary")), can.end && this.#key({button: "pass"}, `${A} end`, t("act.end"), "quiet"));
    if (can.skills.length) parts.push(h("details", {class: "fold", "data-key": "skills"}, h("summary", {}, t("act.named")), h("div", {class: "acts"}, can.skills.map((name) => this.#act(`${A} skill "${name}"`, null, word("skill", name))))));
    const reactors = Object.keys(can.aro.troopers);
    if (can.pass || reactors.length) {
      row(t("act.aro"), reactors.map((trooper) => this.#key({disc: `trooper ${trooper}`}, `aro ${trooper}`, this.#name(trooper), "quiet", shape("trooper"))), can.aro.unnamed && this.#act(`${A} aro${this.#target(can)}`, null, t("act.aro-unnamed")));
      row("", can.pass && this.#key({button: "pass"}, `${A} pass`, this.state.public.order?.aro.declared.length ? t("act.pass-done") : t("act.pass"), "primary"), can.pass_all && this.#act(`${A} pass all`, null, t("act.pass-all")));
    }
    row("", can.check && this.#act(`${A} check`, null, t("act.check"), "primary"), can.resolve && this.#act(`${A} resolve`, null, t("act.resolve"), "primary"), can.done && this.#key({button: "ok"}, `${A} done`, t("act.done"), "primary"));
    if (can.idle.length && (can.check || can.resolve)) parts.push(h("details", {class: "fold"}, h("summary", {}, t("act.idle")), h("div", {class: "acts"}, can.idle.map((who) => this.#act(`${A} ${can.check ? "check" : "resolve"} idle ${who}`, null, t("act.idle-of", {trooper: who}))))));
    if (can.lieutenant.length) parts.push(h("div", {class: "act-row notice"}, h("h3", {}, t("act.lieutenant")), h("div", {class: "acts"}, can.lieutenant.map((trooper) => this.#act(`${A} lieutenant ${trooper}`, null, this.#name(trooper), "quiet", shape("lieutenant"))))));
    row("", can.turn.includes("strategos") && this.#act(`${A} strategos`, null, t("act.strategos")), can.turn.includes("next") && this.#key({button: "ok", hold: true}, `${A} next`, this.#nextText(), can.spend.length || can.lieutenant.length ? "quiet" : "primary"));
    const tokens = this.#tokens(can);
    if (tokens.length) parts.push(h("details", {class: "fold", "data-key": "tokens"}, h("summary", {}, shape("command"), t("act.tokens", {count: this.state.public.seats[A].command_tokens})), h("div", {class: "acts"}, tokens)));
    if (!parts.length) parts.push(h("p", {class: "empty-note"}, t("seat.wait")));
    return [head, h("p", {class: "note"}, this.state.hint.text), ...parts];
  }

  #nextText() {
    const {phase, step} = this.state.public;
    if (phase === "tactical") return step ? t(`step.${step}`) : t("act.next");
    if (phase === "orders") return t("act.next-states");
    if (phase === "states") return t("act.next-end");
    return t("act.next");
  }

  #target(can) { return can.aro.targets.length === 1 ? ` > ${can.aro.targets[0]}` : ""; }

  #tokens(can) {
    const A = this.seat, buttons = [];
    for (const [use, ways] of Object.entries(can.tokens)) {
      if (use === "cap") buttons.push(this.#act(`${A} token cap`, null, word("token", use)));
      if (use === "strip") for (const way of ways) buttons.push(this.#act(`${A} token strip ${way.groups.map((group) => `g${group}`).join(" ")}`, null, `${word("token", use)}: ${way.groups.map((group) => t("group", {group})).join(" + ")}`));
      if (use === "coordinate") buttons.push(h("button", {type: "button", class: "act", "data-key": "coordinate", onclick: () => this.#open(this.seat, null, "coordinate")}, shape("coordinated"), word("token", use)));
      else if (use !== "cap" && use !== "strip") buttons.push(h("span", {class: "note"}, `${word("token", use)}: ${t("act.token-trooper")}`));
    }
    return buttons;
  }

  // --- troopers ----------------------------------------------------------------------------------------------------

  #name(id) {
    const trooper = this.state.seat?.troopers.find((one) => one.id === id);
    return trooper?.name && trooper.name !== id ? `${trooper.name} (${id})` : id;
  }

  #drawArmy(own) {
    const groups = [...new Set(own.troopers.map((trooper) => trooper.group))].sort((a, b) => a - b);
    return [h("header", {class: "panel-head"}, h("h2", {}, t("seat.army")), h("p", {class: "note"}, t("seat.army-note"))),
      groups.map((group) => [h("h3", {class: "group-head"}, t("group", {group})), h("div", {class: "cards"}, own.troopers.filter((trooper) => trooper.group === group).map((trooper) => this.#card(trooper, own)))])];
  }

  #card(trooper, own) {
    const leads = own.lieutenant === trooper.id;
    const acts = this.state.public.active === this.seat && this.state.public.order?.troopers.includes(trooper.id);
    const gone = trooper.states.some((name) => ["dead", "sepsitorized"].includes(name)) || trooper.place === "evacuated";
    return h("button", {type: "button", class: `card${acts ? " acts-now" : ""}${gone ? " gone" : ""}${trooper.place === "off" ? " off-table" : ""}`, "data-key": trooper.id, "data-trooper": trooper.id, onclick: () => this.#open(this.seat, trooper.id)},
      h("span", {class: "card-name"}, trooper.name || trooper.id), h("span", {class: "card-cost"}, trooper.cost),
      h("span", {class: "card-line"}, `${this.state.disc_numbers?.[trooper.id] ? `${t("card.disc", {number: this.state.disc_numbers[trooper.id]})} · ` : ""}${trooper.id} · ${trooper.type}${trooper.controller ? ` · ${t("card.peripheral", {controller: trooper.controller})}` : ""}`),
      h("span", {class: "chips"}, leads ? h("span", {class: "chip lieutenant"}, shape("lieutenant"), t("card.lieutenant")) : null,
        trooper.place === "off" ? h("span", {class: "chip off"}, t("card.off")) : null, trooper.place === "evacuated" ? h("span", {class: "chip off"}, t("card.evacuated")) : null,
        trooper.regular || trooper.controller ? null : h("span", {class: "chip"}, shape("irregular"), word("kind", "irregular")),
        ...["tactical", "impetuous", "own"].filter((kind) => trooper[kind]?.left).map((kind) => h("span", {class: "chip"}, shape(kind), word("kind", kind))),
        trooper.retreat ? h("span", {class: "chip alarm-chip"}, t("retreat")) : null,
        ...trooper.states.map((name) => h("span", {class: "chip state"}, shape("state"), word("state", name)))));
  }

  #drawPoints(own) {
    const most = Math.max(own.points, own.victory_points, 1);
    return [h("header", {class: "panel-head"}, h("h2", {}, t("seat.points"))), h("p", {class: "big-number"}, own.victory_points, h("small", {}, ` ${t("points.of", {most: own.points})}`)),
      h("div", {class: "meter", role: "img", "aria-label": t("points.meter", {points: own.victory_points, threshold: own.retreat_threshold})},
        h("span", {class: "meter-fill", style: {"--share": `${100 * own.victory_points / most}%`}}), h("span", {class: "meter-mark", style: {"--share": `${100 * own.retreat_threshold / most}%`}})),
      h("p", {class: own.retreat_margin <= 0 ? "danger" : "note"}, own.retreat_margin > 0 ? t("points.margin", {margin: own.retreat_margin, threshold: own.retreat_threshold}) : t("points.in-retreat", {threshold: own.retreat_threshold})),
      own.army ? h("p", {class: "note"}, own.army) : null];
  }

  #drawOthers(troopers, seat) {
    return [h("header", {class: "panel-head"}, h("h2", {}, t("seat.others")), h("p", {class: "note"}, t("seat.others-note"))),
      h("div", {class: "tags"}, troopers.map((trooper) => h("button", {type: "button", class: `tag${trooper.states.length ? " hurt" : ""}`, "data-key": `${seat}:${trooper.id}`, onclick: () => this.#open(seat, trooper.id)}, mark(seat), trooper.id, trooper.states.length ? h("em", {}, trooper.states.map((name) => word("state", name)).join(", ")) : null)))];
  }

  // --- the sheet of one trooper ------------------------------------------------------------------------------------

  #open(owner, trooper, what = "trooper") {
    this.opened = {owner, trooper, what};
    this.picked = [];
    this.sheet._shown = null;
    this.#drawSheet();
    this.sheet.showModal();
  }

  #close() { if (this.sheet.open) this.sheet.close(); }

  #drawSheet() {
    const {owner, trooper, what} = this.opened;
    const can = this.choices;
    once(this.sheet, [this.opened, can, this.picked, this.state.seat?.troopers], () => {
      const head = h("header", {class: "sheet-head"}, mark(owner), h("h2", {}, what === "coordinate" ? word("token", "coordinate") : owner === this.seat ? this.#name(trooper) : trooper), h("button", {type: "button", class: "quiet close", "aria-label": t("close"), onclick: () => this.#close()}, "✕"));
      if (!can) return [head, h("p", {class: "empty-note"}, t("seat.thinking"))];
      return [head, what === "coordinate" ? this.#coordinate(can) : [owner === this.seat ? this.#own(trooper, can) : [], this.#states(owner, trooper, can)]];
    });
  }

  #own(trooper, can) {
    const A = this.seat, acts = [];
    for (const one of can.spend) {
      if (!one.troopers.includes(trooper)) continue;
      const kind = one.kind === "regular" ? t("disc.of-group", {kind: word("kind", "regular"), group: one.group}) : word("kind", one.kind);
      const disc = one.kind === "regular" ? `regular g${one.group}` : one.kind === "lieutenant" ? "lieutenant" : `${one.kind} ${trooper}`;
      const shown = [t("act.spend-kind", {kind}), "primary", shape(one.kind)];
      acts.push(one.kind === "own" ? this.#act(`${A} spend own ${trooper}`, null, ...shown) : this.#key({disc, trooper}, `${A} spend ${one.kind} ${trooper}`, ...shown));
    }
    if (can.name.includes(trooper)) acts.push(this.#act(`${A} trooper ${trooper}`, null, t("act.acts"), "primary"));
    for (const [family, key] of [["arrive", "act.arrive"], ["evacuate", "act.evacuate"], ["frenzy", "act.frenzy"], ["lieutenant", "act.name-lieutenant"]]) if (can[family].includes(trooper)) acts.push(this.#act(`${A} ${family} ${trooper}`, null, t(key)));
    for (const [use, ways] of Object.entries(can.tokens)) {
      if (["cap", "strip", "coordinate"].includes(use)) continue;
      for (const way of ways) if (way.troopers[0] === trooper) acts.push(this.#act(`${A} token ${use} ${trooper}${way.groups.length ? ` g${way.groups[0]}` : ""}`, null, `${word("token", use)}${way.groups.length ? `: ${t("group", {group: way.groups[0]})}` : ""}`, "quiet", shape("command")));
    }
    const parts = acts.length ? [h("h3", {}, t("sheet.orders")), h("div", {class: "acts"}, acts)] : [];
    if (trooper in can.aro.troopers) {
      const targets = can.aro.targets.length ? can.aro.targets : [null];
      for (const target of targets) {
        const aim = target ? ` > ${target}` : "";
        parts.push(h("h3", {}, targets.length > 1 ? t("sheet.aro-against", {target}) : t("sheet.aro")), h("div", {class: "acts"}, this.#act(`${A} aro ${trooper}${aim}`, null, t("act.aro-any"), "primary"), can.aro.troopers[trooper].map((name) => this.#act(`${A} aro ${trooper} "${name}"${aim}`, null, word("skill", name)))));
      }
      if (can.aro.lost.includes(trooper)) parts.push(h("div", {class: "acts"}, this.#act(`${A} pass ${trooper}`, null, t("act.lost"))));
    }
    return parts;
  }

  #states(owner, trooper, can) {
    const states = can.states[`${owner}:${trooper}`];
    if (!states) return [];
    const who = owner === this.seat ? trooper : `${owner}:${trooper}`;
    const has = states.clear;
    const all = [...has, ...states.set];
    return [h("h3", {}, t("sheet.states")), h("div", {class: "acts states"}, all.map((name) => h("button", {type: "button", class: `act state${has.includes(name) ? " on" : ""}`, "aria-pressed": String(has.includes(name)), "data-key": `state ${name}`, "data-line": `${this.seat} ${has.includes(name) ? "clear" : "state"} ${who} ${name}`, onclick: () => { this.play(`${this.seat} ${has.includes(name) ? "clear" : "state"} ${who} ${name}`); this.#close(); }}, has.includes(name) ? "✓ " : "", word("state", name))))];
  }

  /** The same touches as on the tray: Command disc, tags, Regular disc. */
  async #coordinateGo(group) {
    const picked = [...this.picked];
    this.#close();
    for (const disc of ["command", ...picked.map((id) => `trooper ${id}`), `regular g${group}`]) await this.touch({side: this.seat, disc});
  }

  #coordinate(can) {
    const ways = can.tokens.coordinate ?? [];
    const partners = (id) => ways.filter((way) => way.troopers.includes(id));
    const ids = [...new Set(ways.flatMap((way) => way.troopers))];
    const fits = (id) => this.picked.every((other) => other === id || partners(other).some((way) => way.troopers.includes(id)));
    const group = ways.find((way) => way.troopers.includes(this.picked[0]))?.groups[0];
    const toggle = (id) => { this.picked = this.picked.includes(id) ? this.picked.filter((one) => one !== id) : [...this.picked, id]; this.#drawSheet(); };
    return [h("p", {class: "note"}, t("sheet.coordinate")), h("div", {class: "acts"}, ids.map((id) => h("button", {type: "button", class: `act${this.picked.includes(id) ? " on" : ""}`, "aria-pressed": String(this.picked.includes(id)), "data-key": `pick ${id}`, disabled: !this.picked.includes(id) && (!fits(id) || this.picked.length >= 4), onclick: () => toggle(id)}, this.#name(id)))),
      this.picked.length > 1 ? h("div", {class: "acts"}, h("button", {type: "button", class: "act primary", "data-key": "coordinate-go", onclick: () => this.#coordinateGo(group)}, t("sheet.coordinate-go", {count: this.picked.length}))) : null];
  }
}

export {ORDER_KINDS, show};
