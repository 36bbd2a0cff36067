// For streams: a transparent bar over the picture of a game. Its classes, `data-` attributes and variables are a contract
// (host/ordertray/web/README.md, "For streams"): whoever has written a style for it keeps it.

import {h, once, setText, show} from "./dom.js";
import {countsOf} from "./board.js";
import {shape} from "./shapes.js";
import {clocksLeft, playerName, standing} from "./table.js";
import {clockText, t} from "./text.js";

export class Overlay {
  constructor(place) {
    this.round = h("div", {class: "overlay-round"});
    this.clock = h("div", {class: "overlay-round-clock", role: "timer"});
    this.sides = {A: new OverlaySide("A"), B: new OverlaySide("B")};
    this.node = h("div", {class: "overlay", "data-place": place === "top" ? "top" : "bottom"}, this.sides.A.node, h("div", {class: "overlay-middle"}, this.round, this.clock), this.sides.B.node);
  }

  update(state) {
    const {title, phase} = standing(state);
    once(this.round, [title, phase], () => [h("b", {}, title), h("span", {}, phase)]);
    for (const side of Object.values(this.sides)) side.update(state);
    this.tick(state);
  }

  tick(state) {
    const left = clocksLeft(state);
    show(this.clock, left.round !== null);
    if (left.round !== null) setText(this.clock, clockText(left.round));
    for (const side of Object.values(this.sides)) side.tick(left);
  }
}

class OverlaySide {
  constructor(seat) {
    this.seat = seat;
    this.name = h("span", {class: "overlay-name"});
    this.clock = h("span", {class: "overlay-clock", role: "timer"});
    this.flags = h("span", {class: "overlay-flags"});
    this.counts = h("div", {class: "overlay-counts"});
    this.node = h("section", {class: "overlay-side", "data-seat": seat}, h("header", {class: "overlay-head"}, this.name, this.flags, this.clock), this.counts);
  }

  update(state) {
    const {seat} = this, view = state.public, side = view?.seats[seat];
    setText(this.name, playerName(state, seat));
    const turn = Boolean(view) && !view.over && (view.active ?? view.to_start) === seat;
    const aro = Boolean(view?.order?.aro.open) && view.active !== seat && !view.over;
    this.node.dataset.turn = String(turn);
    this.node.dataset.aro = String(aro);
    const flags = [["aro", aro, t("button.aro")], ["retreat", side?.retreat, t("retreat")], ["loss-of-lieutenant", side?.loss_of_lieutenant && !side.retreat, t("loss.short")]].filter(([, is]) => is);
    once(this.flags, flags, () => flags.map(([name, , text]) => h("b", {class: "overlay-flag", "data-flag": name}, text)));
    const counts = side ? countsOf(side).filter((one) => one.total || one.kind === "command") : [];
    once(this.counts, counts, () => counts.map((one) => h("span", {class: "overlay-pool", "data-kind": one.kind, "data-group": one.group, "data-left": String(one.left)}, shape(one.kind), h("b", {class: "overlay-count"}, one.left), one.total ? h("small", {class: "overlay-total"}, `/${one.total}`) : null)));
  }

  tick(left) {
    show(this.clock, left[this.seat] !== null);
    if (left[this.seat] !== null) setText(this.clock, clockText(left[this.seat]));
  }
}
