// Elements without a framework: `h` makes them, `once` redraws a part only when what it shows has changed.

const SVG = "http://www.w3.org/2000/svg";

function apply(node, props) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, one] of Object.entries(value)) node.style.setProperty(key, one);
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
}

function fill(node, children) {
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child);
  }
}

export function h(tag, props, ...children) {
  const node = document.createElement(tag);
  fill(node, children);
  apply(node, props);
  return node;
}

export function s(tag, props, ...children) {
  const node = document.createElementNS(SVG, tag);
  fill(node, children);
  apply(node, props);
  return node;
}

/** Redraw `node` by `draw()` only if `shown` differs from last time. Focus stays where it was (by `data-key`). */
export function once(node, shown, draw) {
  const text = JSON.stringify(shown);
  if (node._shown === text) return;
  node._shown = text;
  const focused = node.contains(document.activeElement) ? document.activeElement.dataset?.key : null;
  const children = [draw()].flat(3).filter((child) => child !== null && child !== undefined && child !== false);
  node.replaceChildren(...children);
  if (focused) node.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({preventScroll: true});
}

export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setAttr(node, name, value) {
  if (value === null || value === false || value === undefined) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
  } else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, String(value));
}

export const show = (node, shown) => setAttr(node, "hidden", shown ? null : "");
