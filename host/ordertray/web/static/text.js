// The page's texts, in the player's language, from the host.

let texts = {};
export let language = "en";

const stored = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
const store = (key, value) => { try { localStorage.setItem(key, value); } catch { /* private window */ } };

export const preference = {get: stored, set: store};

export async function loadTexts(known, wanted) {
  const asked = wanted ?? stored("language") ?? (navigator.languages ?? ["en"]).map((name) => name.slice(0, 2)).find((name) => known.includes(name));
  language = known.includes(asked) ? asked : "en";
  const answer = await fetch(`/api/v1/texts?language=${language}`);
  texts = await answer.json();
  document.documentElement.lang = language;
}

export async function switchLanguage(known, name) {
  store("language", name);
  await loadTexts(known, name);
}

/** The text of `key`, its {fields} filled in. A key without a text shows itself: a test finds it. */
export function t(key, params) {
  const text = texts[key];
  if (text === undefined) { console.error(`no text: ${key}`); return key; }
  return params ? text.replace(/\{(\w+)\}/g, (all, name) => params[name] ?? all) : text;
}

/** A text whose key is made of words of the game; unknown words show themselves. */
export const word = (family, name) => texts[`${family}.${name}`] ?? name;

export function clockText(ms) {
  const sign = ms < 0 ? "−" : "";
  const seconds = Math.floor(Math.abs(ms) / 1000);
  return `${sign}${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

export const timeText = (ms) => new Date(ms).toLocaleTimeString(language, {hour: "2-digit", minute: "2-digit"});
