// For a television: what matters, readable from three metres on a 43 inch set; nothing to press.
// The side whose turn it is takes two thirds of the screen; digits first; a result at the end. Sizes are in `vh`, so that
// they are the same share of any set (a test works out the angle under which each word is seen).

import {h, once, setText, show} from "./dom.js";
import {mark, shape} from "./shapes.js";
import {ResultShown} from "./result.js";
import {clocksLeft, KINDS, playerName, standing} from "./table.js";
import {clockText, t, word} from "./text.js";

const OUT = new Set(["unconscious", "unconscious-active", "dead", "sepsitorized"]);

export class Board {
  constructor() {
    this.head = h("header", {class: "board-head"});
    this.round = h("span", {class: "board-round-clock", role: "timer"});
    this.sides = {A: new BoardSide("A"), B: new BoardSide("B")};
    this.pair = h("div", {class: "board-sides"}, this.sides.A.node, this.sides.B.node);
    this.result = new ResultShown();
    this.last = h("p", {class: "board-last"});
    this.node = h("div", {class: "board"}, this.head, this.pair, this.result.node, this.last);
  }

  update(state) {
    const {title, turn, phase} = standing(state);
    const view = state.public;
    once(this.head, [title, turn, phase, view?.active, state.names, Boolean(state.clock?.round)], () => [
      h("p", {class: "round"}, title), h("h1", {}, phase || t("no-orders")), state.clock?.round ? this.round : null]);
    const over = Boolean(view?.over);
    show(this.pair, Boolean(view) && !over);
    show(this.result.node, over);
    if (over) this.result.update(state);
    this.pair.classList.toggle("b-active", turn === "B");
    for (const side of Object.values(this.sides)) side.update(state, turn);
    const last = state.refusal ? `${t("refused")} ${state.refusal.rule}: ${state.refusal.text}` : state.story ?? state.history[0]?.text ?? state.hint.text;
    setText(this.last, last);
    show(this.last, Boolean(last) && !over);
    this.last.classList.toggle("is-refusal", Boolean(state.refusal));
    this.tick(state);
  }

  tick(state) {
    const left = clocksLeft(state);
    if (left.round !== null) setText(this.round, clockText(left.round));
    for (const side of Object.values(this.sides)) side.tick(state, left);
  }
}

/** One side: wide while it is its turn, narrow otherwise. */
class BoardSide {
  constructor(seat) {
    this.seat = seat;
    this.clock = h("span", {class: "board-clock", role: "timer"});
    this.head = h("header", {class: "board-name"});
    this.flags = h("div", {class: "board-flags", role: "alert"});
    this.counts = h("ul", {class: "board-counts"});
    this.order = h("div", {class: "board-order"});
    this.node = h("section", {class: `board-side seat-${seat}`}, this.head, this.flags, this.counts, this.order);
  }

  update(state, turn) {
    const {seat} = this, view = state.public;
    const name = playerName(state, seat), wide = turn === seat;
    this.node.classList.toggle("wide", wide);
    this.node.setAttribute("aria-label", name);
    if (!view) return;
    const side = view.seats[seat];
    const aro = view.order?.aro.open && view.active !== seat && !view.over ? view.order.aro : null;
    this.node.classList.toggle("reacting", Boolean(aro));
    once(this.head, [name, wide, view.active, Boolean(state.clock)], () => [mark(seat), h("h2", {}, name), wide && !view.active ? h("span", {class: "board-next"}, t("flag.next")) : null, this.clock]);
    const link = state.tray.kind === "none" ? "online" : state.links[seat] ?? "online";
    once(this.flags, [side.retreat, side.loss_of_lieutenant, aro, link], () => [
      side.retreat ? h("p", {class: "board-flag retreat"}, t("retreat")) : null,
      side.loss_of_lieutenant && !side.retreat ? h("p", {class: "board-flag loss"}, t("loss.short")) : null,
      aro ? h("p", {class: "board-flag aro"}, t("button.aro")) : null,
      link !== "online" ? h("p", {class: "board-flag link"}, t(`link.${link}`)) : null,
    ]);
    const standing = side.troopers.filter((one) => !one.states.some((name) => OUT.has(name)) && one.place !== "evacuated").length;
    const counts = [...countsOf(side), {kind: "trooper", group: null, left: standing, total: side.troopers.length}];
    // The other side's orders are of its last turn, or none yet: what it has now is its troopers and tokens.
    const shown = wide ? counts.filter((one) => (one.total || one.kind === "command") && one.kind !== "trooper") : counts.slice(-2).reverse();
    if (wide && shown.length < 4) shown.push(counts.at(-1));
    this.node.classList.toggle("few", shown.length < 4 && !side.retreat);
    once(this.counts, [shown, aro && wide], () => shown.map((one) => h("li", {class: `board-count kind-${one.kind}${one.left ? "" : " spent"}`},
      shape(one.kind), h("b", {}, one.left, wide && one.total && one.kind !== "trooper" ? h("small", {}, `/${one.total}`) : null), h("span", {}, one.group ? t("group", {group: one.group}) : one.kind === "trooper" ? t("board.standing") : one.kind === "command" && !wide ? t("tokens") : word("kind", one.kind)))));
    const words = wide ? this.#inOrder(state) : aro ? this.#reacting(aro) : this.#hurt(side);
    once(this.order, [words, wide], () => words.map((text, place) => h("p", {class: wide && place ? "board-now" : null}, text)));
    show(this.order, words.length > 0);
  }

  /** The order in progress: who does what. */
  #inOrder(state) {
    if (!state.public.order) return [];
    const said = (state.path ?? []).filter((one) => one.detail && !one.key.endsWith("_aro")).map((one) => one.detail);
    const now = (state.path ?? []).find((one) => one.state === "now");
    return [said.join(" · "), now ? now.name : ""].filter(Boolean).slice(0, 2);
  }

  /** Who has declared an ARO, the latest first. */
  #reacting(aro) {
    const said = aro.declared.map((one) => [one.trooper ?? t("somebody"), one.name ? word("skill", one.name) : ""].filter(Boolean).join(": "));
    return said.length > 4 ? [...said.slice(-3).reverse(), t("board.more", {count: said.length - 3})] : said.reverse();
  }

  /** Who is hurt: the last ones of the list that fit. */
  #hurt(side) {
    const hurt = side.troopers.filter((one) => one.states.length).map((one) => `${one.id}: ${one.states.map((name) => word("state", name)).join(", ")}`);
    return hurt.length > 6 ? [...hurt.slice(0, 5), t("board.more", {count: hurt.length - 5})] : hurt;
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

/** All a side has, in the order in which it matters; `total` 0: it has none of that kind. */
export function countsOf(side) {
  const pools = Object.entries(side.pools).map(([group, count]) => ({kind: "regular", group, ...count}));
  return [...pools, ...KINDS.map((kind) => ({kind, group: null, ...side[kind]})), {kind: "command", group: null, left: side.command_tokens, total: 0}];
}
