// The page: opens what the link opens, chooses the view, and hands each new state to the parts that show it.

import {h, once, setText, show} from "./dom.js";
import {After} from "./after.js";
import {Attention, attentionForm} from "./attention.js";
import {Board} from "./board.js";
import {Live, ask} from "./live.js";
import {Overlay} from "./overlay.js";
import {ResultShown} from "./result.js";
import {SeatPage} from "./seat.js";
import {Setup} from "./setup.js";
import {mark, shape} from "./shapes.js";
import {clocksLeft, Hero, History, Side} from "./table.js";
import {hear} from "./warn.js";
import {clockText, language, loadTexts, preference, switchLanguage, t} from "./text.js";
import {Discs, TraySide} from "./tray.js";

const root = document.getElementById("page");
const query = new URLSearchParams(location.search);
let session = {roles: [], languages: ["en"], tray: "none"};
let state = null, choices = null, status = {live: false, sinceMs: null};
let view = query.get("view") ?? "table";
let parts = null, live = null;
const attention = new Attention(() => view === "A" || view === "B");

const may = (seat) => session.tray === "virtual" && (session.roles.includes(seat) || session.roles.includes("table"));
const mayTouch = (seat) => session.roles.includes(seat) || session.roles.includes("table");
const playing = () => session.roles.filter((role) => role !== "table");

// --- start -----------------------------------------------------------------------------------------------------------

async function start() {
  theme(preference.get("theme"));
  session = await firstSession();
  await loadTexts(session.languages, query.get("language"));
  const secrets = new URLSearchParams(location.hash.slice(1)).get("key");
  if (secrets) {
    // The secret leaves the address at once: neither history nor a shared screen should keep it.
    history.replaceState(null, "", location.pathname + location.search);
    for (const secret of secrets.split(",")) await open({secret});
  }
  // A player's phone opens, and reloads, on the player's page: also as an app, and after the link has been used.
  if (!query.get("view") && playing().length === 1 && session.roles.length === 1) view = playing()[0];
  addEventListener("hashchange", () => location.reload());
  live = new Live(onState, (message) => { choices = message; draw(); }, onStatus, onSession);
  build();
  live.open(feed());
  keepShell();
  setInterval(() => { parts?.tick?.(); }, 250);
}

async function firstSession() {
  for (let tries = 0; ; tries++) {
    try { return await (await fetch("/api/v1/session", {cache: "no-store"})).json(); } catch {
      if (tries === 0) await explain();
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
}

/** The page is there (kept by its worker), its host is not: say what is wrong, and go on trying. */
async function explain() {
  const wanted = query.get("language") ?? preference.get("language") ?? "en";
  try { await loadTexts([wanted, "en"], wanted); } catch { return; }
  root.replaceChildren(h("main", {id: "main", class: "unreachable"}, h("section", {class: "panel"}, h("img", {src: "/static/icon.svg", alt: "", width: 64, height: 64}), h("h1", {}, t("unreachable")), h("p", {}, t("unreachable.why", {host: location.host})), h("p", {class: "note", role: "status"}, h("span", {class: "spinner", "aria-hidden": "true"}), " ", t("stale.first")))));
}

/** A secure page keeps itself, to open as an app does; and its texts in the language it is read in. */
function keepShell() {
  if (!isSecureContext || !navigator.serviceWorker) return;
  navigator.serviceWorker.register("/worker.js").then(() => caches.open("ordertray-shell-1")).then((cache) => cache.add(`/api/v1/texts?language=${language}`)).catch(() => {});
}

async function open(body) {
  const answer = await ask("POST", "/session", body);
  if (answer.roles) session = answer; else tell(answer);
  return answer;
}

/** Which feed the view needs: a seat's, the table's for whoever may set up, else the public one. */
function feed() {
  if (view === "board" || view === "overlay") return "public";
  if ((view === "A" || view === "B") && session.roles.includes(view)) return view;
  if (view === "setup") return session.roles.includes("table") ? "table" : playing()[0] ?? "public";
  if (session.roles.includes("table")) return "table";
  return playing().length === 1 ? playing()[0] : "public";
}

function onSession(message) {
  if (message === null) {
    // The rights ended (a new link was made): watch from now on.
    ask("GET", "/session").then((answer) => { if (answer.roles) session = answer; if (["A", "B", "setup"].includes(view)) view = "table"; build(); live.open(feed()); });
    return;
  }
  const before = JSON.stringify([session.roles, session.version]);
  if (session.version && message.version !== session.version) location.reload();
  session = message;
  if (JSON.stringify([session.roles, session.version]) !== before) build();
}

function onState(message) {
  state = {...message, receivedAt: Date.now()};
  hear(state, view === "A" || view === "B" ? [view] : []);
  draw();
}

function onStatus(now) {
  status = now;
  if (!parts?.stale) return;
  const stale = !now.live;
  document.body.classList.toggle("is-stale", stale);
  show(parts.stale, stale);
  if (stale) setText(parts.staleText, now.sinceMs === null ? t("stale.first") : t("stale", {seconds: Math.round(now.sinceMs / 1000)}));
}

// --- acting ----------------------------------------------------------------------------------------------------------

let toastTimer = null;
/** Show an answer that is not simply yes. */
function tell(answer) {
  // What the rules refuse is in the state, for everybody to see.
  if (!parts?.toast || !answer.message || answer.rule) return;
  once(parts.toast, [answer, Date.now()], () => [answer.rule ? h("span", {class: "rule"}, answer.rule) : null, h("span", {}, answer.message)]);
  parts.toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { parts.toast.hidden = true; }, 6000);
}

async function play(line) {
  const answer = await ask("POST", "/actions", {line: state?.position === null || state === null ? line : `@${state.position} ${line}`});
  if (answer.ok === false) tell(answer);
}

let touched = null; // what the page showed when the touch was made that is still on its way
/** A touch of a seat: through the virtual tray where its hands are, else as a virtual disc or key (POST /touch). */
async function touch(one) {
  // One finger, one touch of what it sees; what the page shows since then it may touch before the first is answered.
  if (touched !== null && touched === state) return;
  const seen = touched = state;
  try {
    const virtual = session.tray === "virtual" && !one.disc && state?.links?.[one.side] === "online";
    const answer = virtual ? await ask("POST", "/tray/button", {side: one.side, button: one.button, edge: one.hold ? "hold" : "click"})
      : await ask("POST", "/touch", {seat: one.side, ...(one.disc ? {disc: one.disc, ...(one.trooper ? {trooper: one.trooper} : {})} : {key: one.button, hold: Boolean(one.hold)}), ...(state?.position === null ? {} : {at: state.position})});
    if (answer.ok === false) tell(answer);
  } finally { if (touched === seen) touched = null; }
}

function go(next) {
  if (view === next) return;
  view = next;
  const address = new URL(location.href);
  address.searchParams.set("view", next);
  history.replaceState(null, "", address);
  choices = null;
  build();
  live.open(feed());
  scrollTo(0, 0);
}

// --- drawing ---------------------------------------------------------------------------------------------------------

function theme(name) {
  document.documentElement.dataset.theme = name ?? "";
}

function header() {
  const tabs = [["table", t("view.table")], ...playing().map((seat) => [seat, t("seat", {seat})])];
  if (session.roles.length) tabs.push(["setup", t("view.setup")]);
  tabs.push(["after", t("view.after")], ["board", t("view.board")]);
  const languages = h("select", {class: "quiet", "aria-label": t("language"), onchange: async (event) => { await switchLanguage(session.languages, event.target.value); build(); live.open(feed()); }}, session.languages.map((name) => h("option", {value: name, selected: name === language}, name.toUpperCase())));
  const dark = () => document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const themeButton = h("button", {type: "button", class: "quiet icon", "aria-label": t("theme"), title: t("theme"), onclick: () => { const next = dark() === "dark" ? "light" : "dark"; preference.set("theme", next); theme(next); }}, "◐");
  const menu = h("div", {class: "menu", id: "menu"},
    h("nav", {"aria-label": t("views")}, tabs.map(([name, label]) => h("button", {type: "button", class: "tab", "aria-current": name === view ? "page" : null, onclick: () => go(name)}, name === "A" || name === "B" ? mark(name) : null, label))),
    h("div", {class: "tools"}, session.roles.length ? null : h("button", {type: "button", class: "tab", onclick: pin}, t("pin.open")), attentionFold(), languages, themeButton));
  const opener = h("button", {type: "button", class: "quiet icon menu-button", "aria-label": t("menu"), "aria-controls": "menu", "aria-expanded": "false", onclick: () => opener.setAttribute("aria-expanded", String(menu.classList.toggle("open")))}, "☰");
  return h("header", {class: "top"}, h("a", {class: "brand", href: "/", onclick: (event) => { event.preventDefault(); go("table"); }}, h("img", {src: "/static/icon.svg", alt: "", width: 28, height: 28}), t("brand")), parts.where, opener, menu);
}

function attentionFold() {
  return h("details", {class: "attention-fold"}, h("summary", {class: "quiet icon", "aria-label": t("attention"), title: t("attention")}, shape("bell")), attentionForm(attention));
}

function pin() {
  const input = h("input", {type: "text", inputmode: "numeric", autocomplete: "one-time-code", maxlength: 8, id: "pin", pattern: "[0-9 ]*"});
  const fault = h("p", {class: "danger", role: "alert"});
  const dialog = h("dialog", {class: "sheet"}, h("form", {method: "dialog", onsubmit: async (event) => {
    event.preventDefault();
    const answer = await ask("POST", "/session", {pin: input.value});
    if (!answer.roles) { setText(fault, answer.message); input.select(); return; }
    session = answer;
    dialog.close();
    view = answer.opened === "table" ? "table" : answer.opened;
    build();
    live.open(feed());
  }}, h("h2", {}, t("pin.title")), h("p", {class: "note"}, t("pin.note")), h("label", {for: "pin"}, t("pin.label")), input, fault, h("div", {class: "acts"}, h("button", {class: "act primary", type: "submit"}, t("pin.go")), h("button", {class: "act", type: "button", onclick: () => dialog.close()}, t("close")))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  input.focus();
}

function build() {
  const toast = h("div", {class: "toast", role: "status", hidden: true});
  const staleText = h("span", {});
  const stale = h("div", {class: "stale", role: "status", hidden: true}, h("span", {class: "spinner", "aria-hidden": "true"}), staleText);
  parts = {toast, stale, staleText, where: h("p", {class: "top-where"})};
  document.body.className = `view-${view}`;
  document.title = t("brand");
  attention.settle();
  if (view === "board" || view === "overlay") {
    const board = view === "board" ? new Board() : new Overlay(query.get("place"));
    Object.assign(parts, {draw: () => board.update(state), tick: () => state && board.tick(state)});
    // A stream shows the last that is known; a line about the connection is nothing for its picture.
    root.replaceChildren(...(view === "board" ? [stale] : []), h("main", {id: "main"}, board.node), ...(view === "board" ? [toast] : []));
  } else {
    root.replaceChildren(h("a", {class: "skip", href: "#main"}, t("skip")), header(), stale, h("main", {id: "main"}, body()), toast);
  }
  onStatus(status);
  if (state) draw();
}

function body() {
  if (view === "A" || view === "B") return seatBody(view);
  if (view === "setup") return setupBody();
  if (view === "after") {
    const after = new After();
    let shown = null;
    parts.draw = () => { const key = JSON.stringify([state.game, state.public?.over, state.end, session.roles]); if (key !== shown) { shown = key; after.load(state, session.roles); } };
    return after.node;
  }
  return tableBody();
}

function trayParts() {
  const sides = {}, discs = {};
  for (const seat of ["A", "B"]) {
    sides[seat] = new TraySide(seat, tell, () => may(seat));
    discs[seat] = new Discs(seat, sides[seat], tell, () => may(seat));
  }
  return {sides, discs};
}

function tableBody() {
  const hero = new Hero(tell, touch);
  const past = new History(() => play("undo"));
  const result = new ResultShown({seats: playing(), play, tell});
  result.node.classList.add("table-result");
  const people = {A: new Side("A"), B: new Side("B")};
  const {sides, discs} = trayParts();
  const clocks = h("div", {class: "clock-tools"}), round = h("span", {class: "clock round-clock", role: "timer", hidden: true});
  parts.draw = () => {
    hero.update(state, mayTouch, session.tray !== "virtual");
    past.update(state, session.roles.length > 0);
    result.acts = session.roles.length ? {seats: playing(), play, tell} : null;
    result.update(state);
    show(result.node, Boolean(state.public?.over));
    for (const seat of ["A", "B"]) {
      people[seat].update(state);
      sides[seat].update(state);
      discs[seat].update(state);
      // The discs of whoever may tap them say all that the pools say.
      show(discs[seat].node, may(seat));
      show(people[seat].pools, !may(seat));
    }
    once(clocks, state.clock && [state.clock.paused, session.roles], () => state.clock && session.roles.length ? h("button", {type: "button", class: "quiet", onclick: () => ask("POST", "/clock", {paused: !state.clock.paused})}, state.clock.paused ? t("clock.resume") : t("clock.pause")) : []);
  };
  parts.tick = () => { for (const side of Object.values(people)) side.tick(state); tickRound(round); };
  const half = (seat) => h("div", {class: `half seat-${seat}`}, people[seat].node, sides[seat].node, discs[seat].node);
  return [hero.node, result.node, h("div", {class: "halves"}, half("A"), half("B")), round, clocks, past.node];
}

/** The round's clock, where one is used. */
function tickRound(node) {
  const left = clocksLeft(state).round;
  show(node, left !== null);
  if (left === null) return;
  setText(node, t("clock.round", {time: clockText(left)}));
  node.classList.toggle("late", left < 0);
  node.classList.toggle("warned", Boolean(state.clock.warned?.includes("round")));
}

function seatBody(seat) {
  const {sides, discs} = trayParts();
  const tray = h("div", {class: "own-tray"}, sides[seat].node, discs[seat].node);
  const page = new SeatPage(seat, {play, touch, tell, tray, where: parts.where});
  page.troopers.changed = draw;
  parts.draw = () => {
    page.update(state, choices);
    sides[seat].update(state);
    discs[seat].update(state);
    show(discs[seat].node, may(seat));
  };
  parts.tick = () => state && page.tick(state);
  return page.node;
}

function setupBody() {
  const setup = new Setup(tell, (next) => go(next === "public" ? "table" : next));
  const {sides, discs} = trayParts();
  const tray = h("div", {class: "halves enrol-tray", hidden: true}, ["A", "B"].map((seat) => h("div", {class: `half seat-${seat}`}, sides[seat].node, discs[seat].node)));
  parts.draw = () => {
    setup.update(state, session.roles);
    show(tray, Boolean(state.enrolment));
    for (const seat of ["A", "B"]) {
      sides[seat].update(state);
      discs[seat].update(state);
      show(discs[seat].node, may(seat));
      tray.children[seat === "A" ? 0 : 1].hidden = state.enrolment?.seat !== seat;
    }
  };
  return [h("h1", {class: "spoken"}, t("view.setup")), setup.node, tray];
}

function draw() {
  if (!state || !parts?.draw) return;
  parts.draw();
  attention.update(state, view === "A" || view === "B" ? view : null);
}

start();
