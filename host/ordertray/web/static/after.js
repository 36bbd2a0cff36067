// After the game: orders by round, group, kind and trooper, AROs, time per turn; the record to keep.

import {h, once} from "./dom.js";
import {mark, shape} from "./shapes.js";
import {clockText, language, t, word} from "./text.js";
import {ask} from "./live.js";
import {playerName} from "./table.js";

export class After {
  constructor() {
    this.charts = h("div", {class: "charts"});
    this.games = h("section", {class: "panel games", "aria-label": t("after.games")});
    this.node = h("div", {class: "after"}, this.charts, this.games);
  }

  /** Fetch what is to be shown; `game` a number, or "current". */
  async load(state, roles, game = "current") {
    this.state = state;
    this.roles = roles;
    const numbers = await ask("GET", `/games/${game}/statistics`);
    once(this.charts, numbers, () => numbers.seats ? this.#draw(numbers) : h("section", {class: "panel empty-note"}, h("p", {}, game === "current" ? t("after.later") : numbers.message), this.#confirm()));
    const list = roles.length ? await ask("GET", "/games") : {games: []};
    once(this.games, list, () => this.#drawGames(list.games ?? []));
  }

  /** The record opens when both seats, or the table, have confirmed the end. */
  #confirm() {
    if (!this.state.public?.over || this.state.end?.final || !this.roles.length) return null;
    const agreed = this.state.end?.agreed ?? [];
    return h("div", {class: "acts"}, h("button", {type: "button", class: "act primary", "data-key": "confirm", onclick: () => ask("POST", "/game/end", {})}, t("setup.confirm")), agreed.length ? h("p", {class: "note"}, t("setup.agreed", {seat: agreed.join(", ")})) : null);
  }

  #draw(numbers) {
    const game = numbers.game;
    return [h("section", {class: "panel"}, h("header", {class: "panel-head"}, h("h2", {}, t("after.title", {game})), this.roles.length ? h("p", {class: "downloads"}, h("a", {href: `/api/v1/games/${game}/record.json?language=${language}`, download: ""}, t("after.json")), " ", h("a", {href: `/api/v1/games/${game}/script.txt?language=${language}`, download: ""}, t("after.script"))) : null), this.#totals(numbers)),
      this.#panel("after.rounds", "rounds", numbers, (round) => t("after.round", {round})), this.#panel("after.groups", "groups", numbers, (group) => t("group", {group})),
      this.#panel("after.kinds", "kinds", numbers, (kind) => word("kind", kind), (kind) => shape(kind)), this.#panel("after.troopers", "troopers", numbers, (id) => id), this.#panel("after.aros", "aro_troopers", numbers, (id) => (id === "?" ? t("somebody") : id)), this.#turns(numbers.turns)];
  }

  #totals(numbers) {
    return h("table", {class: "totals"}, h("thead", {}, h("tr", {}, h("th", {scope: "col"}, t("after.player")), h("th", {scope: "col"}, t("after.orders")), h("th", {scope: "col"}, t("after.aro-count")), h("th", {scope: "col"}, t("after.time")))),
      h("tbody", {}, ["A", "B"].map((seat) => h("tr", {}, h("th", {scope: "row"}, mark(seat), playerName(this.state, seat)), h("td", {}, numbers.seats[seat].orders), h("td", {}, numbers.seats[seat].aros), h("td", {}, clockText(numbers.seats[seat].ms))))));
  }

  #panel(title, what, numbers, name, icon) {
    const most = Math.max(1, ...["A", "B"].flatMap((seat) => Object.values(numbers.seats[seat][what])));
    const sides = ["A", "B"].map((seat) => {
      const entries = Object.entries(numbers.seats[seat][what]);
      return h("div", {class: `chart-side seat-${seat}`}, h("h3", {}, mark(seat), playerName(this.state, seat)), entries.length ? h("ul", {class: "bars"}, entries.map(([key, count]) => h("li", {}, h("span", {class: "bar-name"}, icon?.(key) ?? null, name(key)), h("span", {class: "bar"}, h("span", {class: "bar-fill", style: {"--share": `${100 * count / most}%`}})), h("b", {}, count)))) : h("p", {class: "note"}, t("after.none")));
    });
    return h("section", {class: "panel chart"}, h("h2", {}, t(title)), h("div", {class: "chart-sides"}, sides));
  }

  #turns(turns) {
    const most = Math.max(1, ...turns.map((turn) => turn.ms));
    return h("section", {class: "panel chart"}, h("h2", {}, t("after.turns")), h("ul", {class: "bars"}, turns.map((turn) => h("li", {class: `seat-${turn.seat}`}, h("span", {class: "bar-name"}, mark(turn.seat), t("after.round", {round: turn.round})), h("span", {class: "bar"}, h("span", {class: "bar-fill", style: {"--share": `${100 * turn.ms / most}%`}})), h("b", {}, clockText(turn.ms)), h("span", {class: "note"}, t("after.turn-counts", {orders: turn.orders, aros: turn.aros}))))));
  }

  #drawGames(games) {
    if (!games.length) return [];
    return [h("h2", {}, t("after.games")), h("ul", {class: "game-list"}, games.map((game) => h("li", {}, h("button", {type: "button", class: "act", disabled: !game.open, "data-key": `game-${game.game}`, onclick: () => this.load(this.state, this.roles, game.game)}, t("after.game", {game: game.game, date: new Date(game.started_ms).toLocaleString(language)})), h("span", {class: "note"}, game.open ? this.#outcome(game) : t("after.still-on")))))];
  }

  /** Who played what, and how it ended: one line of the record's list. */
  #outcome(game) {
    const side = (seat) => [game.names[seat] ?? t("player", {seat}), game.armies[seat] ? ` (${game.armies[seat]})` : ""].join("");
    const {result} = game, points = result?.objective ? `${result.objective.A} : ${result.objective.B}` : "–";
    return [side("A"), " ", h("b", {}, points), " ", side("B"), result?.winner ? `. ${t("result.winner", {name: game.names[result.winner] ?? t("player", {seat: result.winner})})}` : "", `. ${word("over", result?.over ?? "")}`];
  }
}
