// Parts that several views are made of: buttons with their keys, players, evaluations, moves.

import { pieceIcon } from "./boards/index.js";
import { capital, h, patch } from "./dom.js";

export const KEY_NAMES = { " ": "space", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };

const lists = new ResizeObserver((entries) => entries.forEach(({ target: list }) => {
  const item = list.querySelector("[aria-current=true]")?.getBoundingClientRect(), box = list.getBoundingClientRect();
  list.scrollTop += item ? Math.min(item.top - box.top, 0) + Math.max(item.bottom - box.bottom, 0) : -list.scrollTop;
}));

/** Scroll a list, and nothing around it, until its current item is seen, now and when its size changes; without one, to its start. */
export const follow = (list) => lists.observe(list);

/**
 * Buttons in groups, and the keys that do the same.
 *
 * @param groups by their names, in the order of all views (navigation, engine, view, file): actions by
 *   their names: [text, key, what it does, run, more attributes of the button]. Without a text there is a
 *   key only. The key of a button that is hidden or disabled does nothing.
 * @returns {buttons by name, keys as `app.js` lists them, bars: an element for each group}.
 */
export function controls(groups) {
  const buttons = {}, keys = [], bars = {};
  for (const [group, actions] of Object.entries(groups)) {
    bars[group] = h("div", { class: "buttons", role: "group", "aria-label": capital(group) });
    for (const [name, [text, key, what, run, more]] of Object.entries(actions)) {
      const button = text && h("button", {
        title: `${capital(what)} (${KEY_NAMES[key] ?? key})`, onclick: run,
        "aria-label": /\w/.test(text) ? null : capital(what), "data-key": KEY_NAMES[key] ?? key, ...more,  // a sign is no name
      }, text);
      if (button) bars[group].append(buttons[name] = button);
      keys.push({ key, what, run: () => { if (!button?.hidden && !button?.disabled) run(); } });
    }
  }
  return { buttons, keys, bars };
}

/** The bars of a view on one line: what is used all the time, and a menu of the rest, each with its key. */
export function toolbar({ view, file, ...used }, ...more) {
  const list = h("div", { class: "menu", popover: "", onclick: ({ target }) => { if (target.closest("button")) list.hidePopover(); } },
    ...more, view, file);
  const button = h("button", { "aria-haspopup": "true", "aria-label": "More", title: "More" }, "⋯");
  button.popoverTargetElement = list;
  return h("div", { class: "tools" }, ...Object.values(used), h("div", { class: "buttons" }, button, list));
}

const STEPPED = "[type=range], [type=radio]", WRITTEN = `input:not([type=checkbox], ${STEPPED}), textarea, [contenteditable]`;

/**
 * Listen to the keys of the page; a control that has the focus keeps those that mean something to it.
 *
 * A list that the mouse has chosen from has the focus, too, but its arrows and letters are the page's. Esc leaves a control.
 *
 * @param keys returns those in force, the first of its name first.
 */
export function onKeys(keys) {
  let byMouse = false;
  document.addEventListener("pointerdown", () => { byMouse = true; }, true);
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (key === "Tab") byMouse = false;
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    const control = target.closest?.(`${WRITTEN}, ${STEPPED}, select`);
    if (control && key === "Escape") { control.blur(); return; }
    const keeps = control?.matches(STEPPED) ? /^(Arrow|Home|End)/.test(key) : control?.matches(WRITTEN) || (control && !byMouse);
    if (keeps && !/^Page|^F5/.test(key)) return;
    if ((key === " " || key === "Enter") && target.closest?.("button, a, summary, input, select")) return;
    const found = keys().find((one) => one.key === key);
    if (!found) return;
    event.preventDefault();
    found.run();
  });
}

/** What an engine does before it thinks, from the server's news; "" otherwise. */
export const preparingWords = (progress, name = "The engine") => (progress?.phase === "compiling" ? `${name} compiles its code, once on this machine …`
  : progress?.before ? `Waiting for ${progress.before} other ${progress.before === 1 ? "search" : "searches"} …` : "");

/** A view of a board: the stage is as large as the window allows; the rest is beside it, or below. */
export function desk(name, title, info, stage, side) {
  const element = h("div", { class: `desk ${name}` }, h("h1", { class: "hidden" }, title),
    h("section", { class: "stage", "aria-label": title }, stage), h("aside", { class: "side", "aria-label": "Moves and tools" }, side));
  element.style.setProperty("--ratio", info.width / info.height);
  return element;
}

/** What a view remembers from visit to visit: two functions, to read and to write. */
export const memory = (view) => [
  (key, usual) => localStorage.getItem(`dlgo-${view}-${key}`) ?? usual,
  (key, value) => localStorage.setItem(`dlgo-${view}-${key}`, value),
];

/** The positions or steps of a view, in order: for its keys, for lectures and for films. */
export const walk = (at, last, show) => ({
  get at() { return at(); },
  get last() { return last(); },
  /** Show step `n`, or the nearest; a promise that it is drawn. */
  go(n) { return show(Math.min(Math.max(n, 0), last())); },
});

/** The group of buttons `navigation`, alike in all views: `steps` is a walk. */
export const navigation = (steps) => ({
  start: ["|◂", "Home", "go to the start", () => steps.go(0)], back: ["◂", "ArrowLeft", "one move back", () => steps.go(steps.at - 1)],
  forth: ["▸", "ArrowRight", "one move forward", () => steps.go(steps.at + 1)], end: ["▸|", "End", "go to the end", () => steps.go(steps.last)],
});

export function table(label, columns, body, more = {}) {
  return h("table", { "aria-label": label, ...more },
    h("thead", {}, h("tr", {}, columns.map((text) => h(text ? "th" : "td", {}, text)))), body);
}

/** A player of a game; `name` and `note` can be changed. */
export function playerCard(info, side, text) {
  const name = h("b", { title: text }, text), note = h("span", { class: "note" });
  return { name, note, element: h("div", { class: "player" }, pieceIcon(info, side), h("div", { class: "who" }, name, note)) };
}

let meters = 0;

/** Whom an engine expects to win: a bar that black's share fills, and words. */
export class Meter {
  constructor(info) {
    const id = `meter-${++meters}`;
    this.bar = h("div", { class: "bar-fill" });
    this.meter = h("div", { class: `eval ${info.look}`, role: "img", "aria-labelledby": id }, this.bar);
    this.words = h("p", { class: "bar-text", id });
    this.element = h("div", { class: "eval-row" }, this.meter, this.words);
  }

  /** @param share black's, 0 to 1, or null. @param words as `patch` takes them. */
  show(share, ...words) {
    this.meter.classList.toggle("none", share === null);
    this.bar.style.transform = `translateX(${(100 * (share ?? 0.5) - 100).toFixed(1)}%)`;
    patch(this.words, words);
  }
}
