// Elements of HTML and SVG from values. Text always becomes a text node, never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** An HTML element: h("button", {class: "main", onclick: run}, "Start"). A button sends no form unless its type says so. */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), tag === "button" ? { type: "button", ...attributes } : attributes, children);
}

export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** A group of SVG elements around a point. */
export function at(x, y, ...children) {
  return s("g", { transform: `translate(${x} ${y})` }, ...children);
}

const shown = new WeakMap();  // of each node that `patch` has made: its kind and its attributes

/**
 * Make the children of an element equal to those wanted; only differences are changed.
 *
 * Wanted is a list of texts, of [tag, attributes, ...children], and of {key, make()} for an element that is made once and kept while its key stays. What is drawn many times a second costs little this way.
 */
export function patch(parent, wanted) {
  let next = parent.firstChild;
  for (const want of wanted) {
    const kind = typeof want === "string" ? "" : Array.isArray(want) ? want[0] : want.key;
    let node = next;
    next = next?.nextSibling ?? null;
    if (shown.get(node)?.kind !== kind) {
      const made = !kind ? new Text() : want.make?.() ?? document.createElementNS(parent.namespaceURI, kind);
      shown.set(made, { kind, attributes: {} });
      if (node) node.replaceWith(made);
      else parent.append(made);
      node = made;
    }
    if (!kind) { if (node.data !== want) node.data = want; }
    else if (!want.make) {
      refresh(node, want[1]);
      patch(node, want.slice(2));
    }
  }
  while (next) { const gone = next; next = next.nextSibling; gone.remove(); }
}

function refresh(element, wanted) {
  const known = shown.get(element), before = known.attributes;
  for (const [name, value] of Object.entries(wanted)) {
    if (before[name] === value) continue;
    // A content security policy forbids the attribute `style`, not the property.
    if (name === "css") element.style.cssText = value;
    else element.setAttribute(name, value);
  }
  if (before.css && !wanted.css) element.style.cssText = "";
  for (const name of Object.keys(before)) if (!(name in wanted)) element.removeAttribute(name);
  known.attributes = wanted;
}

/** Seconds as people read them: "0.46 ms", "12 ms", "1.4 s", "3:05". */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 0.01) return `${Number((1000 * seconds).toPrecision(2))} ms`;
  if (seconds < 0.9995) return `${Math.round(1000 * seconds)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

/** A count as people read it: "1,000", "12k", "3.4M". */
export function amount(n) {
  if (n >= 1e6) return `${(n / 1e6).toFixed(1)}M`;
  if (n >= 1e4) return `${Math.round(n / 1e3)}k`;
  return n.toLocaleString("en");
}

/** A long name as `patch` takes it: it breaks after an option, not within. */
export const breakable = (name) => name.split(/(?<=[:,])/).flatMap((part) => [part, ["wbr", {}]]);

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A share as "46%"; "" if it is not known. */
export const percent = (share, digits = 0) => (share == null ? "" : `${(100 * share).toFixed(digits)}%`);
