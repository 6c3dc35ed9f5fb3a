// The page: views by the address (#/play/...), keys, light and dark, messages.
//
// A view is a module with `open(root, place, app)`, which draws into `root` and returns
// {keys: [{key, what, run}], close?(), steps?}. `place` is the rest of the address. A new view is a name
// in views.js and a module beside it.

import { sounds } from "./boards/sounds.js";
import { capital, h } from "./dom.js";
import { openLecture } from "./lecture.js";
import { KEY_NAMES, onKeys } from "./parts.js";
import { takeToken } from "./transport.js";
import { NAMES, UNLISTED, load } from "./views.js";

const VIEWS = NAMES.map((name) => ({ name, title: capital(name) }));

const root = document.getElementById("main");
const keysDialog = document.getElementById("keys"), lesson = document.getElementById("lesson");
let current = null;
let turn = 0;

const app = {
  /** The module of a view. */
  load,

  /** Whether there is a view; those that need a server are not in a tab. */
  has: (name) => NAMES.includes(name) || UNLISTED.includes(name),

  /** Go to a view, such as "play/ID". */
  go(place) { location.hash = `#/${place}`; },

  /** A message that goes away by itself; errors stay longer. */
  say(text, bad = false) {
    const toast = h("div", { class: bad ? "toast bad" : "toast" }, text), toasts = document.getElementById("toasts");
    toasts.replaceChildren(toast, ...[...toasts.children].filter((one) => one.textContent !== text));  // the newest is seen
    setTimeout(() => toast.remove(), bad ? 8000 : 3500);
  },

  /** Say what to look for, above the view, until another is opened. */
  explain(...words) {
    lesson.replaceChildren(...words);
    lesson.hidden = false;
  },

  /** Do what may fail; what goes wrong is said. `otherwise` takes the error. */
  async attempt(work, otherwise = () => undefined) {
    try {
      return await work();
    } catch (error) {
      app.say(error.message, true);
      return otherwise(error);
    }
  },
};

async function show() {
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  if (!app.has(name)) { location.replace(`#/${NAMES[0]}`); return; }
  const mine = ++turn;
  current?.close?.();
  current = null;
  document.querySelector("#views [aria-current]")?.removeAttribute("aria-current");
  const link = document.querySelector(`#views [data-view=${name}]`);
  link?.setAttribute("aria-current", "page");
  link?.scrollIntoView({ block: "nearest", inline: "nearest" });
  document.title = `${capital(name)} · dlgo studio`;
  const again = ({ status }) => {
    if (status !== 0) return undefined;
    setTimeout(() => { if (mine === turn) show(); }, 3000);  // once the server answers, the view opens
    return null;
  };
  const module = await app.attempt(() => load(name), again);
  if (mine !== turn || !module) return;
  const box = h("div", { class: "view" });  // a view that opens too late has nowhere to be seen
  root.replaceChildren(box);
  lesson.hidden = true;
  const opened = await app.attempt(() => module.open(box, rest.join("/"), app), again);
  if (mine !== turn) opened?.close?.();
  else if (opened === undefined && rest.length) app.go(name);  // what it cannot open, it lets people choose
  else current = opened ?? null;
  // What had the focus is gone. In a frame, it may still be elsewhere in the page around.
  if (document.hasFocus() && document.activeElement === document.body) root.focus({ preventScroll: true });
}

const SIGNS = { auto: "◐", light: "☀", dark: "☾" };

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  localStorage.setItem("dlgo-theme", theme);
  const button = document.getElementById("theme");
  button.textContent = SIGNS[theme];
  button.setAttribute("aria-label", `Colours: ${theme}. Change`);
}

function nextTheme() {
  const themes = Object.keys(SIGNS), now = themes.indexOf(localStorage.getItem("dlgo-theme") ?? "auto");
  setTheme(themes[(now + 1) % themes.length]);
}

function setSounds(on) {
  sounds.on = on;
  document.getElementById("sounds").setAttribute("aria-pressed", String(on));
}

function switchSounds() {
  setSounds(!sounds.on);
  sounds.play("move");
}

const COMMON = [
  { key: "?", what: "show these keys", run: showKeys },
  { key: "t", what: "colours: automatic, light, dark", run: nextTheme },
  { key: "x", what: "sounds on or off", run: switchSounds },
  ...VIEWS.map((view, i) => ({
    key: String(i + 1), what: `view ${view.title}`, run: () => app.go(view.name),
  })),
];

function showKeys() {
  const board = [{ key: "Enter", what: "on the board, which Tab or a click reaches: choose a cell by ← ↑ → ↓; Enter plays, Esc ends this" }];
  document.getElementById("keys-list").replaceChildren(...[...(current?.keys ?? []), ...board, ...lecture.keys, ...COMMON].flatMap(({ key, what }) => [
    h("dt", {}, h("kbd", {}, KEY_NAMES[key] ?? key)), h("dd", {}, what),
  ]));
  if (!keysDialog.open) keysDialog.showModal();
}

onKeys(() => [...lecture.keys, ...(current?.keys ?? []), ...COMMON]);

document.getElementById("views").append(...VIEWS.map((view) => (
  h("a", { href: `#/${view.name}`, "data-view": view.name }, view.title)
)));
document.getElementById("theme").addEventListener("click", nextTheme);
document.getElementById("sounds").addEventListener("click", switchSounds);
document.getElementById("help").addEventListener("click", showKeys);
const lecture = openLecture(root, app, () => current);
setTheme(localStorage.getItem("dlgo-theme") ?? "auto");
setSounds(sounds.on);
takeToken();
addEventListener("hashchange", show);
show();
