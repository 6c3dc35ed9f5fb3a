// Games and reviews as files: opened by a button or by dropping them, saved, copied to another view.

import { ask, download, send } from "./api.js";
import { h } from "./dom.js";

/** A menu of what a view can save: [form, title] each, and what else is in it. */
export function saveMenu(title, forms, save, ...more) {
  const menu = h("details", { class: "menu" }, h("summary", { title }, "Save"),
    h("div", { onclick: () => { menu.open = false; } }, ...forms.map(([form, text]) => (
      h("button", { type: "button", onclick: () => save(form) }, text))), ...more));
  return menu;
}

/** Save what the server has at a path as a file, and say so. */
export const saveFile = (app, path) => app.attempt(async () => app.say(`Saved as ${await download(path)}`));

/** Go on in another view with a copy of a game, up to a move. */
export function copyTo(app, path, view, plies) {
  return app.attempt(async () => app.go(`${view}/${(await ask(`${path}/copy`, { plies })).id}`));
}

/** The games in the server's folder. */
export async function savedGames(app, view) {
  const { files } = await ask("/api/files");
  return h("section", { class: "panel saved" }, h("h2", {}, "Saved games"),
    files.length ? h("ul", {}, files.map((name) => h("li", {}, h("button", {
      type: "button", class: "link", onclick: () => app.attempt(async () => {
        const made = await ask(`/api/files/${encodeURIComponent(name)}/open`, people(view));
        made.notes.forEach((note) => app.say(note));
        app.go(`${view}/${made.id}`);
      }),
    }, name)))) : h("p", {}, "There are none yet."));
}

/** Who plays on in a game that is opened in a view: elsewhere than in Play no engine that it names. */
const people = (view) => (view === "play" ? {} : { black: "human", white: "human" });

/** A button that opens a saved game in a view. */
export function filePicker(app, view = "play") {
  const load = (file) => app.attempt(async () => {
    if (file.size > 256 * 1024) throw new Error(`${file.name} is larger than 256 KiB, so not a game`);
    const given = new URLSearchParams({ name: file.name, ...people(view) });
    const made = await send(`/api/games/load?${given}`, await file.arrayBuffer());
    made.notes.forEach((note) => app.say(note));
    app.go(`${view}/${made.id}`);
  });
  const input = h("input", {
    type: "file", class: "hidden", accept: ".sgf,.pdn,.txt", "aria-label": "Saved game",
    onchange: () => { if (input.files[0]) load(input.files[0]); input.value = ""; },
  });
  const button = h("button", { type: "button", onclick: () => input.click() }, "Open a file …");
  return { button, input, load };
}

/** Files that are dropped on an element are opened; the returned function ends that. */
export function fileDrop(element, load) {
  const over = (event) => event.preventDefault();
  const drop = (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) load(event.dataTransfer.files[0]);
  };
  element.addEventListener("dragover", over);
  element.addEventListener("drop", drop);
  return () => {
    element.removeEventListener("dragover", over);
    element.removeEventListener("drop", drop);
  };
}
