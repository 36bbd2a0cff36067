// The table view: what everybody may see. Where the game stands, what is left, who may react, what was refused.

import {h, s, once, show, setText} from "./dom.js";
import {shape, mark} from "./shapes.js";
import {clockText, t, timeText, word} from "./text.js";
import {ask} from "./live.js";

export const KINDS = ["irregular", "lieutenant", "tactical", "impetuous"];

export const playerName = (state, seat) => state.names?.[seat] ?? t("player", {seat});

/** Round, phase, whose turn; for a game that is on. */
export function standing(state) {
  const view = state.public;
  if (!view) return {title: t("no-game"), turn: null, phase: ""};
  if (view.over) return {title: t("over"), turn: null, phase: word("over", view.over)};
  const round = t("round", {round: Math.max(view.round, 1), rounds: view.rounds});
  const seat = view.active ?? view.to_start;
  return {title: round, turn: seat, phase: view.phase ? word("phase", view.phase) : t("phase.before")};
}

/** What is left on each clock now, in milliseconds; null where there is none. */
export function clocksLeft(state) {
  const clock = state?.clock;
  const since = clock && !clock.paused ? Date.now() - state.receivedAt : 0;
  const player = (seat) => (clock && clock.limit_ms !== null ? clock.limit_ms - clock.used_ms[seat] - (clock.running === seat ? since : 0) : null);
  return {A: player("A"), B: player("B"), round: clock?.round ? clock.round.limit_ms - clock.round.used_ms - (clock.round.on ? since : 0) : null};
}

export class Hero {
  /** The head of the table: where the game stands, what to do next, the ARO window, Retreat. */
  constructor(tell, touch) {
    this.tell = tell;
    this.touch = touch;
    this.where = h("div", {class: "where"});
    this.hint = h("div", {class: "hint", role: "status"});
    this.alarms = h("div", {class: "alarms", role: "alert"});
    this.path = h("ol", {class: "path"});
    this.node = h("section", {class: "hero", "aria-label": t("hero")}, this.where, this.hint, this.alarms, this.path);
  }

  update(state, may, withDiscs = false) {
    const view = state.public;
    const {title, turn, phase} = standing(state);
    const name = turn ? playerName(state, turn) : null;
    once(this.where, [title, turn, phase, name, view?.step], () => [
      h("p", {class: "round"}, title), h("h1", {class: "phase"}, phase),
      turn ? h("p", {class: `whose seat-${turn}`}, mark(turn), h("span", {}, view.active ? t("turn-of", {name}) : t("begins", {name}))) : null,
    ]);
    const hint = state.hint;
    const doable = hint.do.filter((one) => (one.button || withDiscs) && may(one.side));
    const aro = view?.order?.aro;
    const open = Boolean(aro?.open && !view.over);
    once(this.hint, [state.story, hint, doable, open && aro, state.names], () => [
      state.story ? h("span", {class: "story-mark", "aria-hidden": "true"}, "▶") : null,
      open && !hint.trouble ? aroAlarm(view, state) : state.story ? null : [hint.seat ? mark(hint.seat) : null, h("p", {}, hint.text)],
      state.story ? h("p", {}, state.story) : null,
      h("div", {class: "touches"}, state.story ? (may("A") ? h("button", {type: "button", class: "primary", "data-key": "enough", onclick: () => ask("POST", "/story/end", {})}, t("story.end")) : null)
        : doable.map((one) => h("button", {type: "button", class: one.disc ? "primary next-order" : doable[0] === one ? "primary" : "quiet", "data-key": one.disc ? `${one.side} ${one.disc}` : `${one.side}${one.button}${one.hold}`, onclick: () => this.touch(one)}, one.disc ? [shape(one.disc.split(" ")[0]), orderName(one.disc)] : one.label))),
    ]);
    this.hint.className = `hint${hint.trouble ? " trouble" : ""}${hint.seat ? ` seat-${hint.seat}` : ""}${state.story ? " story" : ""}${open ? " aro" : ""}`;
    once(this.alarms, [view && alarmFacts(view), state.names], () => (view ? flags(view, state) : []));
    show(this.path, Boolean(view && !view.over));
    once(this.path, [state.path, view?.order?.kind], () => (state.path ?? []).map((station) => h("li", {class: `station ${station.state}`, "aria-current": station.state === "now" ? "step" : null},
      h("span", {class: "dot", "aria-hidden": "true"}, station.state === "done" ? "✓" : station.state === "none" ? "–" : ""),
      h("span", {class: "station-name"}, station.name), h("span", {class: "station-detail"}, station.detail || (station.state === "now" ? t("station.now") : "")),
      h("span", {class: "spoken"}, t(`station.${station.state}`)))));
  }

}

/** The name on an order's button: its kind, then group or trooper. */
export function orderName(disc) {
  const [kind, which] = disc.split(" ");
  if (kind === "trooper") return which;
  if (!which) return word("kind", kind);
  return kind === "regular" ? t("disc.of-group", {kind: word("kind", kind), group: which.slice(1)}) : `${word("kind", kind)}: ${which}`;
}

function alarmFacts(view) {
  return [view.order?.aro, view.active, ...["A", "B"].map((seat) => [view.seats[seat].retreat, view.seats[seat].loss_of_lieutenant]), view.over];
}

/** The open ARO window: who may react, who declared what, who has lost its ARO. */
function aroAlarm(view, state) {
  const seat = view.active === "A" ? "B" : "A";
  const declared = view.order.aro.declared;
  return [h("strong", {class: "alarm-word"}, t("button.aro")), h("div", {class: "alarm-text"}, h("p", {}, mark(seat), t(view.order.aro.window === 2 ? "aro.second" : "aro.open", {name: playerName(state, seat)})),
    declared.length || view.order.aro.passed.length ? h("ul", {class: "declared"}, declared.map((aro) => h("li", {}, shape("trooper"), h("b", {}, aro.trooper ?? t("somebody")), aro.name ? ` ${word("skill", aro.name)}` : "", aro.target ? ` → ${aro.target}` : "", aro.by ? ` (${word("reaction", aro.by)})` : "")),
      view.order.aro.passed.map((trooper) => h("li", {class: "lost"}, `${trooper}: ${t("aro.lost")}`))) : state.story ? null : h("p", {class: "alarm-hint"}, state.hint.text))];
}

/** What must not be overlooked: the ARO window, Retreat, Loss of Lieutenant. */
export function alarms(view, state) {
  const open = view.order?.aro.open && !view.over;
  return [open ? h("div", {class: `alarm aro seat-${view.active === "A" ? "B" : "A"}`}, aroAlarm(view, state)) : null, ...flags(view, state)];
}

function flags(view, state) {
  const found = [];
  for (const seat of ["A", "B"]) {
    const side = view.seats[seat];
    if (side.retreat) found.push(h("div", {class: `alarm retreat seat-${seat}`}, h("strong", {class: "alarm-word"}, t("retreat")), h("div", {class: "alarm-text"}, h("p", {}, mark(seat), t("retreat.of", {name: playerName(state, seat)})))));
    else if (side.loss_of_lieutenant) found.push(h("div", {class: `alarm loss seat-${seat}`}, h("strong", {class: "alarm-word"}, t("loss.short")), h("div", {class: "alarm-text"}, h("p", {}, mark(seat), t("loss.of", {name: playerName(state, seat)})))));
  }
  return found;
}

/** A side's orders as shapes and numbers. */
export function pools(view, seat, state) {
  const side = view.seats[seat];
  const rows = Object.entries(side.pools).map(([group, count]) => pool("regular", t("group", {group}), count));
  for (const kind of KINDS) if (side[kind].total) rows.push(pool(kind, word("kind", kind), side[kind]));
  const tokens = h("div", {class: "pool tokens"}, shape("command"), h("span", {class: "pool-name"}, t("tokens")), h("span", {class: "pool-count"}, side.command_tokens));
  return [...rows, tokens];
}

function pool(kind, name, count) {
  return h("div", {class: `pool kind-${kind}${count.left ? "" : " empty"}`}, shape(kind), h("span", {class: "pool-name"}, name),
    h("span", {class: "pool-count"}, count.total ? [count.left, h("small", {}, `/${count.total}`)] : "–"),
    h("span", {class: "pips", "aria-hidden": "true"}, Array.from({length: Math.min(count.total, 20)}, (_, place) => h("i", {class: place < count.left ? "left" : "spent"}))));
}

export class Side {
  /** One player's half of the table: name, clock, flags, pools. */
  constructor(seat) {
    this.seat = seat;
    this.head = h("header", {class: "side-head"});
    this.clock = h("span", {class: "clock", role: "timer"});
    this.pools = h("div", {class: "pools"});
    this.node = h("section", {class: `side seat-${seat}`}, this.head, this.pools);
  }

  update(state) {
    const view = state.public, seat = this.seat;
    const name = playerName(state, seat);
    const active = view && (view.active ?? view.to_start) === seat && !view.over;
    this.node.classList.toggle("active", Boolean(active));
    this.node.setAttribute("aria-label", name);
    const side = view?.seats[seat];
    const link = state.tray.kind === "none" ? null : state.links[seat];
    once(this.head, [name, active, side?.retreat, side?.loss_of_lieutenant, link, Boolean(state.clock)], () => [
      mark(seat), h("h2", {}, name), active ? h("span", {class: "flag turn"}, t("flag.turn")) : null,
      side?.retreat ? h("span", {class: "flag retreat"}, t("retreat")) : null,
      side?.loss_of_lieutenant ? h("span", {class: "flag loss"}, t("loss.short")) : null,
      link && link !== "online" ? h("span", {class: `flag link ${link}`}, t(`link.${link}`)) : null,
      state.clock ? this.clock : null,
    ]);
    once(this.pools, [side && [side.pools, ...KINDS.map((kind) => side[kind]), side.command_tokens]], () => (view ? pools(view, seat, state) : h("p", {class: "empty-note"}, t("no-orders"))));
  }

  tick(state) {
    const ms = clocksLeft(state)[this.seat];
    if (ms === null) return;
    setText(this.clock, clockText(ms));
    this.clock.classList.toggle("runs", state.clock.running === this.seat && !state.clock.paused);
    this.clock.classList.toggle("late", ms < 0);
    this.clock.classList.toggle("warned", Boolean(state.clock.warned?.includes(this.seat)));
  }
}

export class History {
  /** The last refusal, what happened this turn, undo. */
  constructor(undo) {
    this.refusal = h("div", {class: "refusal", role: "alert"});
    this.dismissed = 0;
    this.list = h("ol", {class: "history"});
    this.undoButton = h("button", {type: "button", class: "quiet undo", onclick: undo}, "↶ ", t("undo"));
    this.node = h("section", {class: "panel past", "aria-label": t("history")}, this.refusal,
      h("header", {class: "panel-head"}, h("h2", {}, t("history")), this.undoButton), this.list);
  }

  update(state, mayUndo) {
    once(this.refusal, state.refusal, () => state.refusal ? [h("strong", {}, t("refused")), state.refusal.side ? mark(state.refusal.side) : null, h("span", {class: "rule"}, state.refusal.rule), h("p", {}, state.refusal.text), h("button", {type: "button", class: "quiet close", "aria-label": t("close"), onclick: () => { this.dismissed = state.refusal.number; show(this.refusal, false); }}, "✕")] : []);
    show(this.refusal, Boolean(state.refusal) && state.refusal.number !== this.dismissed);
    show(this.undoButton, mayUndo && Boolean(state.public) && state.position > 0);
    once(this.list, state.history, () => state.history.length ? state.history.map((item, place) => h("li", {class: `${item.undone ? "undone" : ""}${item.undo ? " taken-back" : ""}${place && state.history[place - 1].turn !== item.turn ? " new-turn" : ""}`},
      item.seat ? mark(item.seat) : h("span", {class: "mark-space"}), h("span", {class: "what"}, item.text, item.undone ? h("em", {}, ` (${t("undone")})`) : ""), h("time", {}, timeText(item.at_ms)))) : h("li", {class: "empty-note"}, t("history.empty")));
  }
}

export {s};
