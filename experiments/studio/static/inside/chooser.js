// A search to choose: its algorithm and settings. The position is set up in Analyse.

import { ask } from "../api.js";
import { pictureOf } from "../boards/index.js";
import { capital, h } from "../dom.js";
import { writePlace } from "./search.js";

/** @param asked {source: the position, seed, change: the engine that was chosen before}. */
export async function openChooser(root, app, offer, { source, seed: before, change }) {
  const { info, position, moves } = await ask("/api/inside/position", source);
  const lasting = moves === null ? source : { game: info.game, moves };  // the game may leave the server
  const given = Object.fromEntries(change.split(":").slice(1).join(":").split(",").map((part) => part.split("=")));
  const field = (label, input, note) => h("label", { class: "field" }, label, input, h("small", {}, note ?? ""));
  const algorithm = h("select", { id: "inside-algorithm", onchange: settle },
    offer.algorithms.filter(({ recorded }) => !recorded).map(({ engine, title }) => h("option", { value: engine, selected: change.startsWith(`${engine}:`) }, title)));
  const about = h("small", {}), limit = h("span", {});
  const budget = h("input", { type: "number", min: 1, required: true });
  const explore = h("input", { type: "number", min: 0, max: 100, step: "any", placeholder: "as usual" });
  const seed = h("input", { type: "number", min: 0, max: 2 ** 31, value: before, required: true });
  const exploring = field("Weight of exploration", explore);
  const board = pictureOf(info, position, "The position to search");
  const form = h("form", { class: "inside-form panel", onsubmit: submit },
    h("div", { class: "choose-stage" }, h("div", { class: "choose-board" }, board.element),
      h("p", { class: "status" }, position.over ? `Game over: ${position.result}.` : `${capital(info.players[position.turn])} to move.`),
      h("div", { class: "actions" },
        h("a", { href: `#/analyse/${moves === null ? source.from : writePlace({ source: lasting })}` }, "Another position"), h("a", { href: "#/inside" }, "Another game"))),
    h("div", {}, h("label", { class: "field" }, "Algorithm", algorithm, about), field(limit, budget), exploring,
      field("Seed", seed, "the same seed gives the same search"),
      h("button", { type: "submit", class: "main", disabled: position.over }, "Search")));
  root.append(h("div", { class: "inside chooser" }, h("h1", {}, "Which search would you like to see?"), form));

  function chosen() { return offer.algorithms.find(({ engine }) => engine === algorithm.value); }

  /** Fields as the algorithm has them. */
  function settle() {
    const one = chosen(), sims = one.budget === "sims";
    about.textContent = one.summary;
    budget.max = sims ? offer.mostSimulations : offer.mostDepth;
    limit.textContent = sims ? `Simulations (up to ${budget.max})` : `Depth in moves (up to ${budget.max})`;
    budget.value = given[one.budget] ?? one.usual;
    exploring.hidden = !one.explore;
    explore.value = given[one.explore] ?? "";
  }

  function submit(event) {
    event.preventDefault();
    const one = chosen(), weight = one.explore && explore.value ? `,${one.explore}=${explore.value}` : "";
    app.go(`inside/${writePlace({ source: lasting, engine: `${one.engine}:${one.budget}=${budget.value}${weight}`, seed: seed.value })}`);
  }

  settle();
  return { keys: [{ key: "n", what: "search", run: () => form.requestSubmit() }] };
}
