// The view Inside: a game to choose (#/inside), a position and a search of it, or a search step by step.

import { ask } from "./api.js";
import { openChooser } from "./inside/chooser.js";
import { readPlace, readPreset, readSearch } from "./inside/search.js";
import { openStage } from "./inside/stage.js";
import { h } from "./dom.js";
import { preparingWords } from "./parts.js";
import { openStart } from "./start.js";

let offer = null;

export async function open(root, place, app) {
  offer ??= await ask("/api/inside");
  const asked = readPlace(place);
  const preset = offer.presets.find(({ name }) => name === asked.preset);
  if (asked.preset && !preset) app.say(`There is no preset ${asked.preset}; the course lists all.`, true);
  if (!asked.source.from && !asked.source.game && !preset) {
    app.explain("Step through a search, forwards and backwards. Choose a game, or a prepared search of the ", h("a", { href: "#/course" }, "course"), ".");
    return openStart(root, app, "inside", "Which game should an engine search?");
  }
  if (!preset && !asked.engine) return openChooser(root, app, offer, asked);
  const { game, moves, engine, seed } = preset ?? {};
  return search(root, app, preset ? { ...asked, source: { game, moves }, engine, seed } : asked, preset);
}

/** Wait for a search, with what went wrong on the page, and show it. */
async function search(root, app, wanted, preset) {
  const control = new AbortController();
  let stage = null;
  const begin = async () => {
    const words = h("p", { class: "status", role: "status" }, "The engine searches …"), box = h("div", { class: "inside" }, words);
    root.replaceChildren(box);
    const onWait = (progress) => { words.textContent = preparingWords(progress) || "The engine searches …"; };
    try {
      const { source, engine, seed } = wanted, { signal } = control;
      const found = await (preset ? readPreset(preset, signal, onWait) : readSearch(source, engine, seed, signal, onWait));
      if (control.signal.aborted) return;
      root.replaceChildren();
      const { kind, title } = offer.algorithms.find(({ engine }) => engine === found.name);
      stage = openStage(root, app, { ...found, ...wanted, engine: found.engine, kind, title }, preset);
    } catch (error) {
      box.replaceChildren(h("div", { class: "trouble", role: "alert" }, h("p", {}, error.message), h("div", {},
        h("button", { class: "main", onclick: begin }, "Try again"),
        h("button", { onclick: () => app.go("inside") }, "Another search"))));
    }
  };
  begin();
  return {
    close() {
      control.abort();
      stage?.close();
    },
    get steps() { return stage?.steps; },
    get keys() { return stage?.keys ?? [{ key: "n", what: "another search", run: () => app.go("inside") }]; },
  };
}
