// Set-up: rosters, edition, options, discs; start, end, rematch.

import {h, once} from "./dom.js";
import {mark, shape} from "./shapes.js";
import {t} from "./text.js";
import {ask} from "./live.js";
import {canScan, scan} from "./scan.js";

export class Setup {
  constructor(tell, go) {
    Object.assign(this, {tell, go});
    this.seats = {A: h("section", {class: "panel roster seat-A", "aria-label": t("seat", {seat: "A"})}), B: h("section", {class: "panel roster seat-B", "aria-label": t("seat", {seat: "B"})})};
    this.options = h("section", {class: "panel options", "aria-label": t("setup.options")});
    this.start = h("section", {class: "panel start", "aria-label": t("setup.start")});
    this.enrolment = h("section", {class: "panel enrolment", "aria-label": t("setup.enrol")});
    this.node = h("div", {class: "setup"}, this.start, this.enrolment, h("div", {class: "setup-columns"}, this.seats.A, this.seats.B), this.options);
  }

  async #ask(path, body) {
    const answer = await ask("POST", path, body);
    if (answer.ok === false) this.tell(answer);
    return answer;
  }

  update(state, roles) {
    const setup = state.setup;
    if (!setup) return;
    const on = Boolean(state.public && state.position > 0 && !state.end?.final);
    once(this.start, [state.tray?.advice, on, Boolean(state.public?.over), state.end, roles, setup.seats.A.ready, setup.seats.B.ready, setup.seats.A.loaded, setup.seats.B.loaded], () => this.#drawStart(on, state, setup, roles));
    for (const seat of ["A", "B"]) once(this.seats[seat], [setup.seats[seat], roles, state.enrolment?.seat, state.tray.kind], () => this.#drawRoster(seat, setup.seats[seat], roles, state));
    const {seats, tokens_problem, ...options} = setup;
    once(this.options, [options, seats.A.name, seats.B.name, roles, on], () => this.#drawOptions(options, seats, roles, on));
    once(this.enrolment, state.enrolment ?? null, () => (state.enrolment ? this.#drawEnrolment(state.enrolment) : []));
    this.enrolment.hidden = !state.enrolment;
  }

  #drawStart(on, state, setup, roles) {
    const ready = setup.seats.A.ready && setup.seats.B.ready;
    const begin = async () => { const answer = await this.#ask("/game/start", {}); if (answer.ok) this.go("public"); };
    return [h("header", {class: "panel-head"}, h("h2", {}, on ? t("setup.on") : state.public?.over ? t("setup.again") : t("setup.start"))),
      on ? this.#drawEnd(state, roles) : h("div", {class: "acts"}, h("button", {type: "button", class: "act primary", "data-key": "start", disabled: !ready, onclick: begin}, state.public?.over ? t("setup.rematch") : t("setup.go"))),
      ...(on ? [] : ["A", "B"]).filter((seat) => !setup.seats[seat].ready).map((seat) => h("p", {class: "note"}, t(setup.seats[seat].loaded ? "setup.unfinished" : "setup.missing", {seat}))), ...(state.tray?.advice ?? []).map((text) => h("p", {class: "note"}, text)), roles.includes("table") ? this.#drawKeys() : null];
  }

  /** The end is both seats' to settle, or the table's: who has agreed, and what one can do. */
  #drawEnd(state, roles) {
    const agreed = state.end?.agreed ?? [];
    const mine = ["A", "B"].filter((seat) => roles.includes(seat));
    const waits = !roles.includes("table") && mine.length === 1 && agreed.includes(mine[0]);
    const end = state.public.over ? () => this.#ask("/game/end", {}) : () => this.#end();
    return [h("div", {class: "acts"},
      waits ? h("button", {type: "button", class: "act", "data-key": "play-on", onclick: () => this.#ask("/game/end", {do: "withdraw"})}, t("setup.end-no"))
        : h("button", {type: "button", class: state.public.over ? "act primary" : "act danger-act", "data-key": "end", onclick: end}, state.public.over ? t("setup.confirm") : t("setup.end"))),
    agreed.length ? h("p", {class: "note"}, t("setup.agreed", {seat: agreed.join(", ")})) : null];
  }

  /** New links and PINs, for a seat whose link has gone to somebody else. */
  #drawKeys() {
    const renew = async (role) => { const answer = await this.#ask("/keys/renew", {role}); if (answer.ok) this.tell({message: t("keys.done")}); };
    return h("details", {class: "keys"}, h("summary", {}, t("keys")), h("p", {class: "note"}, t("keys.about")),
      h("div", {class: "acts"}, ["A", "B"].map((role) => h("button", {type: "button", class: "act", "data-key": `renew-${role}`, onclick: () => renew(role)}, t("keys.renew", {seat: role})))));
  }

  #end() {
    const dialog = h("dialog", {class: "sheet"}, h("h2", {}, t("setup.end-sure")), h("div", {class: "acts"}, h("button", {type: "button", class: "act danger-act", "data-key": "end-yes", onclick: () => { dialog.close(); this.#ask("/game/end", {}); }}, t("setup.end-yes")), h("button", {type: "button", class: "act", onclick: () => dialog.close()}, t("setup.end-no"))));
    dialog.addEventListener("close", () => dialog.remove());
    this.node.append(dialog);
    dialog.showModal();
  }

  #drawRoster(seat, draft, roles, state) {
    const mine = roles.includes(seat) || roles.includes("table");
    const load = (kind, text = "", name = "") => this.#ask("/setup/roster", {seat, kind, text, name: name.slice(0, 200)});
    const parts = [h("header", {class: "panel-head"}, mark(seat), h("h2", {}, draft.army || (draft.ready ? t("roster.ready") : t("roster.none"))), draft.troopers ? h("span", {class: "note"}, t("roster.troopers", {count: draft.troopers})) : null)];
    if (!mine) return [...parts, h("p", {class: "note"}, t("roster.not-yours"))];
    const file = h("input", {type: "file", accept: ".toml,.csv,text/plain", "data-key": `file-${seat}`, id: `file-${seat}`, onchange: async () => { const one = file.files[0]; if (one) await load("file", await one.text(), one.name); file.value = ""; }});
    const quick = h("input", {type: "text", inputmode: "numeric", value: "10 4", size: 8, id: `quick-${seat}`, "data-key": `quick-${seat}`, autocomplete: "off"});
    const code = h("input", {type: "text", id: `code-${seat}`, "data-key": `code-${seat}`, autocomplete: "off", spellcheck: "false"});
    parts.push(h("div", {class: "form"},
      h("label", {for: `file-${seat}`}, t("roster.file")), file,
      h("label", {for: `quick-${seat}`}, t("roster.quick")), h("div", {class: "inline"}, quick, h("button", {type: "button", class: "act", "data-key": `quick-go-${seat}`, onclick: () => load("quick", quick.value)}, t("roster.take"))),
      h("label", {for: `code-${seat}`}, t("roster.code")), h("div", {class: "inline"}, code, h("button", {type: "button", class: "act", "data-key": `code-go-${seat}`, onclick: () => load("code", code.value)}, t("roster.take")),
        canScan() ? h("button", {type: "button", class: "act", "data-key": `scan-${seat}`, onclick: () => scan(this.node, (text) => load("code", text))}, t("roster.scan")) : null),
      h("span", {}, t("roster.try")), h("button", {type: "button", class: "act", "data-key": `example-${seat}`, onclick: () => load("example")}, t("roster.example"))));
    if (draft.problems?.length) parts.push(h("div", {class: "problems", role: "alert"}, h("p", {}, t("roster.problems", {source: draft.source, count: draft.problems.length})), h("ul", {}, draft.problems.map((text) => h("li", {}, text)))));
    parts.push(...this.#drawFilling(seat, draft), ...this.#drawData(seat, draft, roles));
    if (draft.warnings?.length) parts.push(h("details", {class: "fold"}, h("summary", {}, t("roster.warnings", {count: draft.warnings.length})), h("ul", {class: "warnings"}, draft.warnings.map((text) => h("li", {}, text)))));
    if (state.tray.kind !== "none" && (draft.ready || state.public)) parts.push(h("div", {class: "acts"}, h("button", {type: "button", class: "act", "data-key": `enrol-${seat}`, disabled: state.enrolment?.seat === seat, onclick: () => this.#ask("/enrolment", {do: "start", seat})}, t("enrol.start")), draft.discs === undefined ? null : h("span", {class: "note"}, `${t("enrol.have", {have: draft.discs, wanted: draft.discs_wanted})} · ${t("enrol.owner", {owner: draft.owner})}`)));
    if (draft.bound?.length) parts.push(h("details", {class: "fold"}, h("summary", {}, t("enrol.bound", {count: draft.bound.length})), h("div", {class: "form"}, draft.bound.map((disc) => this.#boundDisc(seat, disc)))));
    return parts;
  }

  #boundDisc(seat, disc) {
    const id = `bound-${seat}-${disc.kind}-${disc.number}`;
    const choose = (event) => this.#ask("/setup/bind", {seat, kind: disc.kind, number: disc.number, trooper: event.target.value});
    return [h("label", {for: id}, shape(disc.kind), ` ${disc.number}`), h("select", {id, "data-key": id, onchange: choose}, disc.choices.map(([value, label]) => h("option", {value, selected: value === disc.trooper}, label)))];
  }

  // What the army data did not know: a small form for each entry.
  #drawFilling(seat, draft) {
    const entries = draft.to_fill_in ?? [];
    if (!entries.length) return [];
    return [h("div", {class: "problems", role: "status"}, h("p", {}, t("fill.count", {count: entries.length})), ...entries.map((entry) => this.#fillForm(seat, entry)))];
  }

  #fillForm(seat, entry) {
    const id = (key) => `fill-${seat}-${entry.id}-${key}`;
    const text = (key, more = {}) => h("input", {type: "text", id: id(key), "data-key": id(key), value: entry[key], autocomplete: "off", ...more});
    const select = (key, choices) => h("select", {id: id(key), "data-key": id(key)}, choices.map(([value, label]) => h("option", {value, selected: String(entry[key]) === value}, label)));
    const row = (key, field) => [h("label", {for: id(key)}, t(`fill.${key}`)), field];
    const fields = entry.controllers.length
      ? {controller: select("controller", entry.controllers)}
      : {name: text("name", {maxlength: 60}), type: select("type", ["LI", "MI", "HI", "TAG", "REM", "SK", "WB", "VH"].map((one) => [one, one])), cost: text("cost", {inputmode: "decimal", size: 6}),
         training: select("training", ["regular", "irregular"].map((one) => [one, t(`fill.${one}`)])), lieutenant: h("input", {type: "checkbox", id: id("lieutenant"), "data-key": id("lieutenant"), checked: entry.lieutenant}),
         skills: text("skills", {maxlength: 300}), deploy: select("deploy", ["table", "hidden", "airborne", "marker", "reinforcement"].map((one) => [one, t(`fill.${one}`)]))};
    const take = () => this.#ask("/setup/fill", {seat, trooper: entry.id, ...Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, field.type === "checkbox" ? field.checked : field.value]))});
    return h("fieldset", {class: "form filling"}, h("legend", {}, t("fill.entry", {name: entry.name, group: entry.group})), Object.entries(fields).map(([key, field]) => row(key, field)),
      h("span", {}), h("button", {type: "button", class: "act", "data-key": id("go"), onclick: take}, t("roster.take")));
  }

  // Which army data codes are read with; where it is on this machine is the table's to say.
  #drawData(seat, draft, roles) {
    const note = draft.data ? [h("p", {class: "note"}, t("data.used", {data: draft.data}))] : [];
    if (!roles.includes("table") || seat !== "A") return note;
    const place = h("input", {type: "text", id: "army-data", "data-key": "army-data", autocomplete: "off", spellcheck: "false"});
    const told = h("ul", {class: "warnings", role: "status"});
    const look = async (body) => { const answer = await this.#ask("/setup/army-data", body); if (answer.ok) told.replaceChildren(...answer.lines.map((line) => h("li", {}, line))); };
    return [...note, h("details", {class: "fold", "data-key": "army-data-fold", ontoggle: (event) => event.target.open && !told.childElementCount && look({})}, h("summary", {}, t("data.where")), told,
      h("div", {class: "form"}, h("label", {for: "army-data"}, t("data.place")), h("div", {class: "inline"}, place, h("button", {type: "button", class: "act", "data-key": "army-data-go", onclick: () => look({place: place.value})}, t("roster.take")))))];
  }

  #drawOptions(options, seats, roles, on) {
    const set = (values) => this.#ask("/setup", values);
    const select = (key, label, choices) => [h("label", {for: `option-${key}`}, label), h("select", {id: `option-${key}`, "data-key": key, onchange: (event) => set({[key]: event.target.value})}, choices.map(([value, text]) => h("option", {value, selected: options[key] === value}, text)))];
    const tick = (key, label) => [h("span", {}), h("label", {class: "tick"}, h("input", {type: "checkbox", "data-key": key, checked: options[key], onchange: (event) => set({[key]: event.target.checked})}), label)];
    const number = (key, label, min, max) => [h("label", {for: `option-${key}`}, label), h("input", {type: "number", id: `option-${key}`, "data-key": key, min, max, value: options[key], onchange: (event) => set({[key]: Number(event.target.value) || min})})];
    const name = (seat) => roles.includes(seat) || roles.includes("table") ? [h("label", {for: `name-${seat}`}, t("option.name", {seat})), h("input", {type: "text", id: `name-${seat}`, "data-key": `name-${seat}`, maxlength: 40, autocomplete: "off", value: seats[seat].name, onchange: (event) => set({[`name_${seat.toLowerCase()}`]: event.target.value})})] : [];
    return [h("header", {class: "panel-head"}, h("h2", {}, t("setup.options")), on ? h("p", {class: "note"}, t("setup.options-next")) : null), h("div", {class: "form"}, name("A"), name("B"),
      select("edition", t("option.edition"), options.editions.map((one) => [one.id, one.title])), select("first", t("option.first"), [["A", t("seat", {seat: "A"})], ["B", t("seat", {seat: "B"})]]),
      select("pace", t("option.pace"), [["express", t("option.express")], ["full", t("option.full")]]), number("rounds", t("option.rounds"), 1, 20), number("clock_minutes", t("option.clock"), 0, 600), number("round_minutes", t("option.round-clock"), 0, 600), number("warning_minutes", t("option.warning"), 0, 600),
      tick("retreat", t("option.retreat")), tick("lieutenant_loss", t("option.loss")), tick("retreat_ends_game", t("option.retreat-ends")), select("retreat_base", t("option.base"), [["limit", t("option.base-limit")], ["list", t("option.base-list")]]))];
  }

  #drawEnrolment(one) {
    const act = (what, label, kind = "") => h("button", {type: "button", class: `act ${kind}`, "data-key": `enrol-${what}`, onclick: () => this.#ask("/enrolment", {do: what})}, label);
    return [h("header", {class: "panel-head"}, mark(one.seat), h("h2", {}, t("setup.enrol")), h("span", {class: "note"}, t("enrol.progress", {done: one.done, of: one.of}))),
      h("p", {class: "enrol-asks", role: "status"}, shape("command"), one.asks), one.said ? h("p", {class: `enrol-said ${one.mood}`, role: "status"}, one.said) : null,
      h("progress", {max: one.of, value: one.done, "aria-label": t("enrol.progress", {done: one.done, of: one.of})}),
      h("div", {class: "acts"}, one.finished ? null : [act("skip", t("enrol.skip")), act("undo", t("enrol.undo")), act("pause", one.paused ? t("enrol.resume") : t("enrol.pause"))], act("stop", one.finished ? t("enrol.done") : t("enrol.stop"), "primary"))];
  }
}
