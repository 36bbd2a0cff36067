// A player's own page, for one hand: what stands on top, the troopers in the middle, what can be done now under the thumb.
// Nothing needs to be scrolled for in a whole turn. Orders, keys and tags are touches, as on the tray (POST /touch).

import {h, once, setText, show} from "./dom.js";
import {countsOf} from "./board.js";
import {mark, shape} from "./shapes.js";
import {ResultShown} from "./result.js";
import {clocksLeft, History, orderName, playerName, standing} from "./table.js";
import {clockText, t, word} from "./text.js";
import {Picker, Sheet, Troopers} from "./troopers.js";

const LABELS = new Set(["basic", "short", "long"]);
const tilesFit = () => (matchMedia("(min-height: 760px)").matches ? 9 : 6); // rows of three under the thumb
const RANKS = ["regular", "lieutenant", "", "tactical", "irregular", "impetuous"]; // pools, keys, then single troopers' orders
const rank = (one) => RANKS.indexOf(one.disc ? one.disc.split(" ")[0] : "");
const ONES = new Set(["irregular", "tactical", "impetuous", "trooper"]); // discs that name a trooper

export class SeatPage {
  /** `play(line)` sends a line of the game script; `touch` a virtual disc or key; `tray` draws the seat's side of it. */
  constructor(seat, {play, touch, tell, tray, where}) {
    Object.assign(this, {seat, play, touch, where});
    this.other = seat === "A" ? "B" : "A";
    this.lines = {[seat]: new Line(seat), [this.other]: new Line(this.other)};
    this.hint = h("div", {class: "seat-hint", role: "status"});
    this.path = h("ol", {class: "path", hidden: true});
    this.past = new History(() => this.#undo());
    this.sheet = new Sheet(seat, play, (one) => this.#touch(one));
    this.picker = new Picker(seat, (one) => this.#touch(one), (id) => this.sheet.open(seat, id));
    this.troopers = new Troopers(seat, (owner, id) => this.sheet.open(owner, id));
    this.result = new ResultShown({seats: [seat], play, tell});
    this.pane = h("section", {class: "seat-pane army", "aria-label": t("seat.army")}, this.troopers.tabs, this.picker.node, this.troopers.node);
    this.extra = h("div", {class: "seat-extra"});
    this.points = h("section", {class: "panel points", "aria-label": t("seat.points")});
    this.tiles = h("div", {class: "seat-tiles"});
    this.undo = h("button", {type: "button", class: "quiet undo", "data-key": "undo", onclick: () => this.#undo()}, "↶ ", t("undo"));
    this.next = h("div", {class: "seat-next"});
    const wide = matchMedia("(min-width: 900px)").matches;
    const fold = (title, node, open) => h("details", {class: "fold", open: open || null}, h("summary", {}, title), node);
    this.folds = h("div", {class: "seat-folds"}, this.extra, this.points, fold(t("seat.tray"), tray, wide), fold(t("history"), this.past.node, wide));
    this.node = h("div", {class: `seat-view seat-${seat}`},
      h("div", {class: "seat-top"}, this.lines[seat].node, this.lines[this.other].node, this.hint, this.path),
      h("div", {class: "seat-middle"}, this.past.refusal, this.result.node, this.pane, this.folds),
      h("div", {class: "seat-dock now", "aria-label": t("seat.now"), role: "group"}, this.tiles, h("div", {class: "seat-bar"}, this.undo, this.next)),
      this.sheet.node);
  }

  #undo() { this.touch({side: this.seat, button: "pass", hold: true}); }
  #touch(one) { return this.touch({side: this.seat, ...one}); }

  update(state, choices) {
    this.state = state;
    const can = choices && choices.position === state.position ? choices.choices : null;
    for (const line of Object.values(this.lines)) line.update(state);
    this.#head(state);
    this.result.update(state);
    show(this.result.node, Boolean(state.public?.over));
    if (state.view !== this.seat) return;
    const mine = state.story ? [] : state.hint.do.filter((one) => one.side === this.seat);
    const reacting = this.#reacting(state);
    const named = mine.filter((one) => one.disc && ONES.has(one.disc.split(" ")[0]));
    const picking = !reacting && named.length > 3;
    const rest = picking ? mine.filter((one) => !named.includes(one)) : mine;
    const first = picking ? null : rest[0] ?? null;
    const tiles = rest.filter((one) => one !== first).sort((a, b) => rank(a) - rank(b)).slice(0, tilesFit());
    this.picker.update(state, can, reacting ? null : picking ? named : []);
    this.troopers.update(state, this.picker.shown ? (reacting ? t("button.aro") : named[0]?.disc.startsWith("trooper") ? t("card.lieutenant") : t("sheet.orders")) : "");
    show(this.picker.node, this.picker.shown && this.troopers.tab === "now");
    show(this.troopers.node, this.troopers.tab !== "now");
    once(this.tiles, [tiles, state.public?.seats[this.seat], state.seat?.troopers.length], () => tiles.map((one) => this.#tile(one, "act")));
    show(this.tiles, tiles.length > 0);
    once(this.next, [first, state.public?.seats[this.seat], state.public?.over, picking, state.names, state.hint.seat], () => this.#primary(first, picking));
    show(this.undo, Boolean(state.public) && state.position > 0);
    once(this.extra, [can, state.position], () => (can ? this.#extra(can) : []));
    once(this.points, state.seat && [state.seat.victory_points, state.seat.retreat_threshold, state.seat.retreat_margin, state.seat.points, state.seat.army], () => (state.seat ? pointsOf(state.seat) : []));
    this.past.update(state, false);
    this.sheet.update(state, can);
    this.tick(state);
  }

  #reacting(state) {
    const view = state.public;
    return Boolean(view?.order?.aro.open && view.active === this.other && !view.over);
  }

  /** Round, phase, whose turn; what to do in words; how far the order is. */
  #head(state) {
    const {title, turn, phase} = standing(state);
    const view = state.public;
    const whose = !turn ? "" : turn === this.seat ? t("title.turn") : t("turn-of", {name: playerName(state, turn)});
    once(this.where, [title, phase, whose], () => [h("span", {class: "top-round"}, title, phase ? h("b", {class: "phase"}, phase) : null), turn ? h("span", {class: `top-whose${turn === this.seat ? " mine" : ""} seat-${turn}`}, whose) : null]);
    const mine = this.#reacting(state);
    const at = (state.path ?? []).findIndex((one) => one.state === "now");
    const station = at < 0 ? null : `${state.path[at].name} ${at + 1}/${state.path.length}`;
    const declared = view?.order?.aro.declared ?? [];
    once(this.hint, [state.hint.text, state.story, mine, station, declared, state.hint.trouble], () => [
      mine ? h("strong", {class: "alarm-word"}, t("button.aro")) : state.hint.seat ? mark(state.hint.seat) : null,
      h("p", {}, state.story ?? (mine && declared.length ? declared.map((one) => [one.trooper ?? t("somebody"), one.name ? word("skill", one.name) : ""].filter(Boolean).join(" ")).join(", ") : mine && !state.hint.trouble ? t("seat.react") : state.hint.text)),
      station ? h("button", {type: "button", class: "quiet station-chip", "data-key": "path", "aria-expanded": String(!this.path.hidden), onclick: (event) => { show(this.path, this.path.hidden); event.currentTarget.setAttribute("aria-expanded", String(!this.path.hidden)); }}, station) : null,
    ]);
    this.hint.className = `seat-hint hint${state.hint.trouble ? " trouble" : ""}${state.hint.seat ? ` seat-${state.hint.seat}` : ""}${mine ? " aro" : ""}`;
    this.node.classList.toggle("reacting", mine);
    once(this.path, state.path, () => (state.path ?? []).map((one) => h("li", {class: `station ${one.state}`}, h("span", {class: "dot", "aria-hidden": "true"}, one.state === "done" ? "✓" : one.state === "none" ? "–" : ""), h("span", {class: "station-name"}, one.name), h("span", {class: "station-detail"}, one.detail), h("span", {class: "spoken"}, t(`station.${one.state}`)))));
    if (!station) show(this.path, false);
  }

  /** One touch as a button: a disc with its shape and what is left of it, or a key. */
  #tile(one, kind) {
    const key = one.disc ? `${one.side} ${one.disc}` : `${one.side}${one.button}${one.hold}`;
    const line = one.disc && !one.disc.startsWith("trooper") ? `${one.side} spend ${one.disc}` : null;
    return h("button", {type: "button", class: `${kind}${one.disc ? " is-order" : ""}`, "data-key": key, "data-line": line, onclick: () => this.touch(one)}, this.#face(one));
  }

  #face(one) {
    if (!one.disc) return h("span", {}, one.label, LABELS.has(one.button) && this.state.public.order?.skills.length === 1 && one.button !== "long" ? h("small", {}, t("act.second")) : null);
    const [kind, which] = one.disc.split(" ");
    const side = this.state.public.seats[this.seat];
    const count = kind === "regular" ? side.pools[which.slice(1)] : kind === "lieutenant" ? side.lieutenant : null;
    const text = kind === "regular" ? t("group", {group: which.slice(1)}) : which ?? orderName(one.disc);
    return [shape(kind), h("span", {}, text), count ? h("b", {}, count.left, h("small", {}, `/${count.total}`)) : null];
  }

  /** The bar's big button: the next thing to press; or why there is nothing. */
  #primary(one, picking) {
    if (one) return this.#tile(one, "primary");
    const {state} = this;
    if (picking) return h("p", {class: "seat-idle"}, t("seat.pick"));
    if (!state.public) return h("p", {class: "seat-idle"}, t("no-game"));
    if (state.public.over) return h("p", {class: "seat-idle"}, t("over"));
    return h("p", {class: "seat-idle"}, t("seat.wait", {name: playerName(state, state.hint.seat ?? this.other)}));
  }

  #act(line, label, kind = "quiet", icon = null) {
    return h("button", {type: "button", class: `act ${kind}`, "data-key": line, "data-line": line, onclick: () => this.play(line)}, icon, label);
  }

  /** What is done rarely: skills by their name, Command Tokens, who was Idle, and so on. */
  #extra(can) {
    const A = this.seat, parts = [];
    const fold = (key, title, ...buttons) => { const kept = buttons.flat().filter(Boolean); if (kept.length) parts.push(h("details", {class: "fold", "data-key": key}, h("summary", {}, title), h("div", {class: "acts"}, kept))); };
    if (can.turn.includes("reinforce")) parts.push(h("div", {class: "acts"}, this.#act(`${A} reinforce`, t("act.reinforce"), "primary")));
    const own = can.spend.filter((one) => one.kind === "own").flatMap((one) => one.troopers);
    fold("own", word("kind", "own"), own.map((id) => this.#act(`${A} spend own ${id}`, id, "quiet", shape("own"))));
    fold("skills", t("act.named"), can.skills.map((name) => this.#act(`${A} skill "${name}"`, word("skill", name))));
    fold("lieutenant", t("act.lieutenant"), can.lieutenant.map((id) => this.#act(`${A} lieutenant ${id}`, id, "quiet", shape("lieutenant"))));
    fold("tokens", [shape("command"), " ", t("act.tokens", {count: this.state.public.seats[A].command_tokens})], this.#tokens(can));
    const view = this.state.public, mayForm = view.seats[A].teams && !view.order && (view.active ?? A) === A;
    fold("teams", t("team.form"), mayForm ? h("button", {type: "button", class: "act", "data-key": "team-form", onclick: () => this.sheet.team()}, t("team.form")) : null, (can.teams.cancel ?? []).filter((id) => view.seats[A].teams.some((team) => team.leader === id)).map((id) => this.#act(`${A} team cancel ${id}`, t("team.cancel", {trooper: id}))));
    fold("idle", t("act.idle"), can.check || can.resolve ? can.idle.map((who) => this.#act(`${A} ${can.check ? "check" : "resolve"} idle ${who}`, t("act.idle-of", {trooper: who}))) : []);
    fold("window", t("act.pass-all"), can.pass_all ? this.#act(`${A} pass all`, t("act.pass-all")) : null);
    fold("strategos", "Strategos", can.turn.includes("strategos") ? this.#act(`${A} strategos`, t("act.strategos")) : null);
    fold("steps", t("act.check"), can.check ? this.#act(`${A} check`, t("act.check")) : null);
    return parts;
  }

  #tokens(can) {
    const A = this.seat, buttons = [];
    for (const [use, ways] of Object.entries(can.tokens)) {
      if (use === "cap") buttons.push(this.#act(`${A} token cap`, word("token", use)));
      else if (use === "strip") for (const way of ways) buttons.push(this.#act(`${A} token strip ${way.groups.map((group) => `g${group}`).join(" ")}`, `${word("token", use)}: ${way.groups.map((group) => t("group", {group})).join(" + ")}`));
      else if (use === "coordinate") buttons.push(h("button", {type: "button", class: "act", "data-key": "coordinate", onclick: () => this.sheet.coordinate()}, shape("coordinated"), word("token", use)));
      else buttons.push(h("span", {class: "note"}, `${word("token", use)}: ${t("act.token-trooper")}`));
    }
    return buttons;
  }

  tick(state) {
    const left = clocksLeft(state);
    for (const line of Object.values(this.lines)) line.tick(state, left);
  }
}

/** One side in one line: its orders, its flags, its clock. */
class Line {
  constructor(seat) {
    this.seat = seat;
    this.clock = h("span", {class: "clock", role: "timer", hidden: true});
    this.facts = h("div", {class: "line-facts"});
    this.node = h("section", {class: `seat-line seat-${seat}`}, mark(seat), this.facts, this.clock);
  }

  update(state) {
    const {seat} = this, view = state.public;
    const turn = view && !view.over && (view.active ?? view.to_start) === seat;
    this.node.classList.toggle("active", Boolean(turn));
    this.node.setAttribute("aria-label", playerName(state, seat));
    const side = view?.seats[seat];
    const link = state.tray.kind === "none" ? "online" : state.links[seat] ?? "online";
    const counts = side ? countsOf(side).filter((one) => one.total || one.kind === "command") : [];
    once(this.facts, [counts, side?.retreat, side?.loss_of_lieutenant, link], () => [
      ...counts.map((one) => h("span", {class: `line-count kind-${one.kind}${one.left ? "" : " spent"}`, role: "img", "aria-label": t("disc.count", {name: one.group ? t("disc.of-group", {kind: word("kind", one.kind), group: one.group}) : word("kind", one.kind), left: one.left, total: one.total || one.left})}, shape(one.kind), h("b", {}, one.left), one.group && counts[1]?.group ? h("small", {}, one.group) : null)),
      side?.retreat ? h("span", {class: "flag retreat"}, t("retreat")) : side?.loss_of_lieutenant ? h("span", {class: "flag loss"}, t("loss.short")) : null,
      link !== "online" ? h("span", {class: `flag link ${link}`}, t(`link.${link}`)) : null,
    ]);
  }

  tick(state, left) {
    const ms = left[this.seat];
    show(this.clock, ms !== null);
    if (ms === null) return;
    setText(this.clock, clockText(ms));
    this.clock.classList.toggle("runs", state.clock.running === this.seat && !state.clock.paused);
    this.clock.classList.toggle("late", ms < (state.clock.warn_ms ?? 0));
  }
}

/** Victory Points left, and how far Retreat is. */
function pointsOf(own) {
  const most = Math.max(own.points, own.victory_points, 1);
  return [h("header", {class: "panel-head"}, h("h2", {}, t("seat.points"))), h("p", {class: "big-number"}, own.victory_points, h("small", {}, ` ${t("points.of", {most: own.points})}`)),
    h("div", {class: "meter", role: "img", "aria-label": t("points.meter", {points: own.victory_points, threshold: own.retreat_threshold})},
      h("span", {class: "meter-fill", style: {"--share": `${100 * own.victory_points / most}%`}}), h("span", {class: "meter-mark", style: {"--share": `${100 * own.retreat_threshold / most}%`}})),
    h("p", {class: own.retreat_margin <= 0 ? "danger" : "note"}, own.retreat_margin > 0 ? t("points.margin", {margin: own.retreat_margin, threshold: own.retreat_threshold}) : t("points.in-retreat", {threshold: own.retreat_threshold})),
    own.army ? h("p", {class: "note"}, own.army) : null];
}
