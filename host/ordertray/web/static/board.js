// For a television: both sides, readable across a room, nothing to press.

import {h, once} from "./dom.js";
import {mark} from "./shapes.js";
import {alarms, pools, Side, standing, playerName} from "./table.js";
import {t} from "./text.js";

export class Board {
  constructor() {
    this.head = h("header", {class: "board-head"});
    this.alarms = h("div", {class: "alarms", role: "alert"});
    this.sides = {A: new Side("A"), B: new Side("B")};
    this.path = h("ol", {class: "path"});
    this.last = h("p", {class: "board-last"});
    this.node = h("div", {class: "board"}, this.head, this.alarms, h("div", {class: "board-sides"}, this.sides.A.node, this.sides.B.node), this.path, this.last);
  }

  update(state) {
    const {title, turn, phase} = standing(state);
    once(this.head, [title, turn, phase, state.names], () => [h("p", {class: "round"}, title), h("h1", {}, phase), turn ? h("p", {class: `whose seat-${turn}`}, mark(turn), playerName(state, turn)) : null]);
    once(this.alarms, [state.public?.order?.aro, state.public?.seats, state.names], () => (state.public ? alarms(state.public, state) : []));
    for (const side of Object.values(this.sides)) side.update(state);
    this.path.hidden = !state.public?.order;
    once(this.path, state.path, () => (state.path ?? []).map((station) => h("li", {class: `station ${station.state}`}, h("span", {class: "dot"}, station.state === "done" ? "✓" : ""), h("span", {class: "station-name"}, station.name), h("span", {class: "station-detail"}, station.detail))));
    const last = state.refusal ? `${t("refused")} ${state.refusal.rule}: ${state.refusal.text}` : state.history[0]?.text ?? "";
    this.last.textContent = last;
    this.last.classList.toggle("is-refusal", Boolean(state.refusal));
  }

  tick(state) { for (const side of Object.values(this.sides)) side.tick(state); }
}

export {pools};
