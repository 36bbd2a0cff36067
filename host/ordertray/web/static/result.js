// The end of a game: who has won and by what, both sides' points, what was lost and spent.

import {h, once} from "./dom.js";
import {mark} from "./shapes.js";
import {playerName} from "./table.js";
import {t, word} from "./text.js";

export class ResultShown {
  constructor() {
    this.node = h("section", {class: "result", "aria-label": t("result")});
  }

  update(state) {
    const view = state.public;
    if (!view?.over) return;
    const result = view.result ?? null;
    once(this.node, [result, view.over, state.names, state.result ?? null], () => this.#draw(state, view, result));
  }

  #draw(state, view, result) {
    const winner = result?.winner;
    const head = !result ? [h("h1", {class: "result-who"}, t("over"))]
      : winner ? [h("h1", {class: `result-who seat-${winner}`}, mark(winner), t("result.winner", {name: playerName(state, winner)})), h("p", {class: "result-by"}, t(`result.by.${result.by}`))]
        : [h("h1", {class: "result-who"}, t("result.by.draw"))];
    return [...head, h("p", {class: "result-why"}, word("over", view.over)), result ? pointsTable(state, result) : null];
  }
}

/** Both sides' points as a table. */
export function pointsTable(state, result) {
  const rows = [["result.objective", result.objective], ["result.victory", result.victory]];
  const facts = state.result?.seats;
  if (facts) for (const name of ["lost", "orders"]) rows.push([name === "lost" ? "result.lost" : "result.orders", {A: facts.A[name], B: facts.B[name]}]);
  return h("table", {class: "result-points"},
    h("thead", {}, h("tr", {}, h("td", {}), ["A", "B"].map((seat) => h("th", {scope: "col", class: `seat-${seat}`}, mark(seat), h("span", {}, playerName(state, seat)))))),
    h("tbody", {}, rows.map(([key, values]) => h("tr", {}, h("th", {scope: "row"}, t(key)), ["A", "B"].map((seat) => h("td", {}, values?.[seat] ?? "–"))))));
}
