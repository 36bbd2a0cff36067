// The end of a game: who has won and by what, both sides' points, what was lost and spent. Each player enters the own
// Objective Points; the other confirms them with the end. Then: a slip to keep (PNG, JSON), the record, a rematch.

import {h, once} from "./dom.js";
import {ask} from "./live.js";
import {mark} from "./shapes.js";
import {playerName} from "./table.js";
import {clockText, language, t, word} from "./text.js";

const OUT = new Set(["unconscious", "unconscious-active", "dead", "sepsitorized"]);
const SEATS = ["A", "B"];

/** What is known of the result, in plain values: drawn on the page, on the slip, and saved as JSON. */
export function factsOf(state, numbers) {
  const view = state.public, result = view.result ?? {winner: null, by: null, objective: {}, victory: {}};
  const lost = (seat) => view.seats[seat].troopers.filter((one) => one.states.some((name) => OUT.has(name)) || one.place === "evacuated").length;
  const seats = Object.fromEntries(SEATS.map((seat) => [seat, {
    player: playerName(state, seat), objective_points: result.objective[seat] ?? 0, victory_points: result.victory[seat] ?? null,
    lost: lost(seat), orders: numbers?.seats?.[seat].orders ?? null, ms: numbers?.seats?.[seat].ms ?? null,
  }]));
  return {game: state.game?.number ?? null, date: new Date(state.at_ms).toISOString(), edition: view.edition, rounds: view.round, over: view.over, winner: result.winner, by: result.by, seats};
}

const ROWS = [["result.objective", "objective_points"], ["result.victory", "victory_points"], ["result.lost", "lost"], ["result.orders", "orders"], ["after.time", "ms"]];

/** The rows of the table, as texts; those that nobody knows yet are left out. */
function rowsOf(facts) {
  return ROWS.filter(([, name]) => SEATS.some((seat) => facts.seats[seat][name] !== null)).map(([key, name]) => [t(key), ...SEATS.map((seat) => { const value = facts.seats[seat][name]; return value === null ? "–" : name === "ms" ? clockText(value) : String(value); })]);
}

function headline(facts) {
  if (!facts.by) return [t("over"), ""];
  return facts.winner ? [t("result.winner", {name: facts.seats[facts.winner].player}), facts.by === "objective" ? t("result.by.objective") : t("result.by.victory")] : [t("result.by.draw"), ""];
}

export class ResultShown {
  /** `acts`: `{seats, play(line), tell(answer)}` of a page that may do something; none for a television. */
  constructor(acts = null) {
    this.acts = acts;
    this.numbers = null;
    this.node = h("section", {class: "result", "aria-label": t("result")});
  }

  update(state) {
    if (!state.public?.over) { this.numbers = null; return; }
    this.state = state;
    if (state.end?.final && this.numbers === null) this.#fetch();
    once(this.node, [state.public.result, state.public.over, state.names, state.end, this.numbers, state.public.seats.A.troopers, state.public.seats.B.troopers], () => this.#draw(state));
  }

  async #fetch() {
    this.numbers = {};
    const numbers = await ask("GET", "/games/current/statistics");
    if (numbers.seats) { this.numbers = numbers; this.update(this.state); }
  }

  #draw(state) {
    const facts = factsOf(state, this.numbers), [who, by] = headline(facts);
    return [h("h1", {class: `result-who${facts.winner ? ` seat-${facts.winner}` : ""}`}, facts.winner ? mark(facts.winner) : null, who), by ? h("p", {class: "result-by"}, by) : null, h("p", {class: "result-why"}, word("over", facts.over)),
      h("table", {class: "result-points"}, h("thead", {}, h("tr", {}, h("td", {}), SEATS.map((seat) => h("th", {scope: "col"}, mark(seat), " ", facts.seats[seat].player)))),
        h("tbody", {}, rowsOf(facts).map(([title, ...values]) => h("tr", {}, h("th", {scope: "row"}, title), values.map((value) => h("td", {}, value)))))),
      this.acts ? this.#doing(state, facts) : null];
  }

  /** Entering points, confirming, keeping, playing again. */
  #doing(state, facts) {
    const agreed = state.end?.agreed ?? [], mine = this.acts.seats;
    if (!state.end?.final) {
      const waits = mine.length === 1 && agreed.includes(mine[0]);
      return [mine.map((seat) => this.#enter(seat, facts)), h("div", {class: "acts"}, h("button", {type: "button", class: "act primary", "data-key": "confirm", disabled: waits, onclick: () => this.#ask("/game/end", {})}, t("setup.confirm")), agreed.length ? h("p", {class: "note"}, t("setup.agreed", {seat: agreed.join(", ")})) : h("p", {class: "note"}, t("result.confirm-note")))];
    }
    return h("div", {class: "acts"},
      h("button", {type: "button", class: "act primary", "data-key": "slip", onclick: () => slip(facts)}, t("result.slip")),
      h("button", {type: "button", class: "act", "data-key": "slip-json", onclick: () => save(new Blob([JSON.stringify(facts, null, 1)], {type: "application/json"}), `ordertray-result-${facts.game}.json`)}, t("result.json")),
      h("a", {class: "act", href: `/api/v1/games/${facts.game}/record.json?language=${language}`, download: ""}, t("after.json")),
      h("button", {type: "button", class: "act", "data-key": "rematch", onclick: () => this.#ask("/game/start", {})}, t("setup.rematch")));
  }

  #enter(seat, facts) {
    const points = facts.seats[seat].objective_points;
    const set = (value) => this.acts.play(`${seat} score ${Math.max(0, value)}`);
    const step = (by, label) => h("button", {type: "button", class: "act", "data-key": `score-${seat}${by}`, "aria-label": label, onclick: () => set(points + by)}, by > 0 ? "+" : "−");
    return h("div", {class: "score", role: "group", "aria-label": t("result.objective")}, mark(seat), h("span", {}, t("result.objective")), step(-1, t("result.fewer")), h("b", {class: "big-number"}, points), step(1, t("result.more")));
  }

  async #ask(path, body) {
    const answer = await ask("POST", path, body);
    if (answer.ok === false) this.acts.tell(answer);
  }
}

function save(blob, name) {
  const link = h("a", {href: URL.createObjectURL(blob), download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The slip: a picture with everything an organiser wants, and two lines to sign on. */
export function slip(facts) {
  const canvas = h("canvas", {width: 900, height: 1000}), pen = canvas.getContext("2d");
  const write = (text, x, y, font, align = "left") => { pen.font = `${font} system-ui, "Noto Sans", "DejaVu Sans", sans-serif`; pen.textAlign = align; pen.fillText(text, x, y, 780); };
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, 900, 1000);
  pen.fillStyle = "#141b24";
  const [who, by] = headline(facts);
  write(t("result"), 60, 90, "800 44px");
  write(`${new Date(facts.date).toLocaleDateString(language)} · ${facts.edition.toUpperCase()} · ${t("after.game-number", {game: facts.game})}`, 60, 135, "24px");
  write([who, by].filter(Boolean).join(" "), 60, 205, "700 34px");
  write(word("over", facts.over), 60, 245, "24px");
  SEATS.forEach((seat, place) => write(`${seat}: ${facts.seats[seat].player}`, 470 + place * 200, 330, "700 26px"));
  rowsOf(facts).forEach(([title, ...values], row) => {
    const y = 390 + row * 64;
    pen.fillRect(60, y - 42, 780, 1.5);
    write(title, 60, y, "26px");
    values.forEach((value, place) => write(value, 470 + place * 200, y, "800 34px"));
  });
  SEATS.forEach((seat, place) => { const x = 60 + place * 420; pen.fillRect(x, 880, 360, 2); write(`${facts.seats[seat].player}`, x, 915, "22px"); });
  canvas.toBlob((blob) => save(blob, `ordertray-result-${facts.game}.png`), "image/png");
}
