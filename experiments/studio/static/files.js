// Games and reviews as files: opened by a button or by dropping them, saved, copied to another view.

import { ask, download, send } from "./api.js";
import { h } from "./dom.js";

export const saveFile = (app, path) => app.attempt(async () => app.say(`Saved as ${await download(path)}`));

/** Go to a game that the server makes, in a view. @param made a promise of it. */
export const goTo = (app, view, made) => app.attempt(async () => app.go(`${view}/${(await made).id}`));

/** Go on in another view with a copy of a game, up to a move; people play in it, unless players are named. An analysis gets all moves. */
export function copyTo(app, path, view, plies, players = {}) {
  const whole = view === "analyse";
  return app.attempt(async () => {
    const made = await ask(`${path}/copy`, whole ? {} : { plies, ...players });
    app.go(`${view}/${made.id}${whole ? `/${plies}` : ""}`);
  });
}

/** What was read otherwise than it is written in the file of a game, for its view. */
export const fileNotes = ({ notes }) => h("details", { class: "panel notes", open: true, hidden: !notes.length },
  h("summary", {}, "Notes on the file"), h("ul", {}, notes.map((note) => h("li", {}, note))));

/** The whole address of a place, such as "play/ID". */
export const linkTo = (place) => new URL(`#/${place}`, location.href).href;

/** Put a text into the clipboard; where the browser forbids it, the text is shown. */
export function copyText(app, text, words) {
  const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error());
  copied.then(() => app.say(words), () => app.say(text));
}

/** Opens saved games in a view: elsewhere than in Play, people play on in them. */
export function filePicker(app, view = "play") {
  const load = (file) => app.attempt(async () => {
    if (file.size > 256 * 1024) throw new Error(`${file.name} is larger than 256 KiB; choose a smaller file`);
    const people = view === "play" ? {} : { black: "human", white: "human" };
    const given = new URLSearchParams({ name: file.name, ...people });
    const made = await send(`/api/games/load?${given}`, await file.arrayBuffer());
    app.go(`${view}/${made.id}`);
  });
  const input = h("input", {
    type: "file", class: "hidden", tabindex: -1, accept: ".sgf,.pdn,.txt", "aria-label": "Saved game",
    onchange: () => { if (input.files[0]) load(input.files[0]); input.value = ""; },
  });
  return {
    /** The button and its key, as `controls` takes them. */
    open: ["Open a file …", "o", "open a saved game", () => input.click()],
    /** Files that are dropped on an element are opened, too. */
    on(element) {
      element.append(input);
      element.addEventListener("dragover", (event) => event.preventDefault());
      element.addEventListener("drop", (event) => {
        event.preventDefault();
        if (event.dataTransfer.files[0]) load(event.dataTransfer.files[0]);
      });
    },
  };
}
