// Every kind of order has a shape of its own beside its colour, so that colour is never the only sign.

import {s} from "./dom.js";

const PATHS = {
  regular: "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18z",
  irregular: "M12 2.5 22 20.5H2z",
  lieutenant: "M12 1.8l3 6.6 7.2.8-5.4 4.8 1.5 7.1L12 17.5 5.7 21.1l1.5-7.1L1.8 9.2l7.2-.8z",
  tactical: "M12 1.8 22.2 12 12 22.2 1.8 12z",
  impetuous: "M2 4h7l6 8-6 8H2l6-8zM12 4h4l6 8-6 8h-4l6-8z",
  command: "M7 3h10l5 9-5 9H7l-5-9z",
  state: "M9 2h6v7h7v6h-7v7H9v-7H2V9h7z",
  trooper: "M12 2a5 5 0 0 1 5 5a5 5 0 0 1-10 0a5 5 0 0 1 5-5zM2.5 22c0-5.5 4-8.5 9.5-8.5s9.5 3 9.5 8.5z",
  own: "M12 2v11l4-4 2 2-6 6-6-6 2-2 4 4V2zM4 20h16v2H4z",
  coordinated: "M7 3a4 4 0 1 1 0 8a4 4 0 0 1 0-8zm10 0a4 4 0 1 1 0 8a4 4 0 0 1 0-8zM7 13a4 4 0 1 1 0 8a4 4 0 0 1 0-8zm10 0a4 4 0 1 1 0 8a4 4 0 0 1 0-8z",
  bell: "M12 2a2 2 0 0 1 2 2v.6a7 7 0 0 1 5 6.7V16l2 3H3l2-3v-4.700a7 7 0 0 1 5-6.700V4a2 2 0 0 1 2-2zM9.500 20.500h5a2.500 2 0 0 1-5 0z",
  A: "M12 2a10 10 0 1 0 0 20a10 10 0 0 0 0-20z",
  B: "M3 3h18v18H3z",
};

export function shape(kind, title) {
  const props = {class: `shape kind-${kind}`, viewBox: "0 0 24 24"};
  if (title) return s("svg", {...props, role: "img", "aria-label": title}, s("path", {d: PATHS[kind] ?? PATHS.regular}));
  return s("svg", {...props, "aria-hidden": "true"}, s("path", {d: PATHS[kind] ?? PATHS.regular}));
}

/** A seat's mark: a circle for A, a square for B, with its letter. */
export function mark(seat) {
  return s("svg", {class: `mark seat-${seat}`, viewBox: "0 0 24 24", "aria-hidden": "true"},
    s("path", {d: PATHS[seat]}),
    s("text", {x: 12, y: 17, "text-anchor": "middle", "font-size": 14, "font-weight": 800}, seat));
}
