// The live connection: the newest state, reconnecting by itself; and requests to the API.

import {language, t} from "./text.js";

const QUIET_MS = 5000; // the host beats every 2 s
const FIRST_RETRY_MS = 400;
const LAST_RETRY_MS = 5000;

export class Live {
  constructor(onState, onChoices, onStatus, onSession) {
    Object.assign(this, {onState, onChoices, onStatus, onSession});
    this.retryMs = FIRST_RETRY_MS;
    this.heardAt = 0;
    this.socket = null;
    setInterval(() => this.#watch(), 500);
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.#watch(); });
    addEventListener("online", () => this.#retryNow());
  }

  /** Show another view from now on. */
  open(view) {
    this.view = view;
    this.retryMs = FIRST_RETRY_MS;
    this.#connect();
  }

  #connect() {
    clearTimeout(this.timer);
    this.timer = null;
    const old = this.socket;
    this.socket = null;
    old?.close();
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/v1/live?view=${this.view}&language=${language}`);
    this.socket = socket;
    let drawn = 0;
    socket.onmessage = (event) => {
      if (this.socket !== socket) return;
      this.heardAt = Date.now();
      const message = JSON.parse(event.data);
      if (message.type === "hello") { this.retryMs = FIRST_RETRY_MS; this.onSession(message); }
      if (message.type === "choices") this.onChoices(message);
      if (message.type === "state") {
        this.onState(message);
        drawn += 1;
        socket.send(JSON.stringify({drawn}));
      }
      this.#tell();
    };
    socket.onclose = (event) => {
      if (this.socket !== socket) return;
      this.socket = null;
      if (event.code === 4403) { this.onSession(null); return; }
      this.#later();
    };
    this.#tell();
  }

  #later() {
    if (this.timer) return;
    this.timer = setTimeout(() => this.#connect(), this.retryMs);
    this.retryMs = Math.min(LAST_RETRY_MS, this.retryMs * 1.7);
    this.#tell();
  }

  #retryNow() {
    if (!this.socket || this.socket.readyState > 1) { this.retryMs = FIRST_RETRY_MS; this.#connect(); }
  }

  #watch() {
    const quiet = Date.now() - this.heardAt > QUIET_MS;
    if (quiet && this.socket && this.heardAt && this.socket.readyState === 1) {
      // Nothing heard: a connection that only looks alive.
      this.heardAt = Date.now();
      const socket = this.socket;
      this.socket = null;
      socket.close();
      this.#later();
    }
    this.#tell();
  }

  #tell() {
    const live = this.socket?.readyState === 1 && this.heardAt > 0;
    this.onStatus({live, sinceMs: this.heardAt ? Date.now() - this.heardAt : null});
  }
}

/** One request; the answer's object. Errors of the request itself become `{ok:false, message}` too. */
export async function ask(method, path, body) {
  try {
    const answer = await fetch(`/api/v1${path}${path.includes("?") ? "&" : "?"}language=${language}`, {
      method,
      headers: body === undefined ? {} : {"content-type": "application/json"},
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
    });
    const content = await answer.json();
    return answer.ok ? content : {ok: false, status: answer.status, code: content.error, message: content.message};
  } catch {
    return {ok: false, status: 0, code: "offline", message: t("error.offline")};
  }
}
