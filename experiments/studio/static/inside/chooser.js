// A search to choose: any position and algorithm.

import { ask } from "../api.js";
import { makeBoard } from "../boards/index.js";
import { capital, h } from "../dom.js";
import { writePlace } from "./search.js";

/** @param asked {source: the position, seed, change: the engine that was chosen before}. */
export function openChooser(root, app, offer, { source, seed: before, change }) {
  let board = null, shown = 0, wanted = null;
  const field = (id, label, input, note) => h("div", { class: "field" }, h("label", { for: id }, label), input, note ? h("small", {}, note) : "");
  const moves = h("input", { id: "inside-moves", type: "text", spellcheck: "false", autocomplete: "off", placeholder: "B2 A1", value: source.moves, onchange: () => look() });
  const algorithm = h("select", { id: "inside-algorithm", onchange: () => settle() },
    offer.algorithms.map(({ engine, title }) => h("option", { value: engine, selected: change.startsWith(`${engine}:`) }, title)));
  const about = h("small", {});
  const budget = h("input", { id: "inside-budget", type: "number", min: 1, required: true });
  const budgetLabel = h("label", { for: "inside-budget" });
  const explore = h("input", { id: "inside-explore", type: "number", min: 0, max: 100, step: "any", placeholder: "as usual" });
  const exploreField = h("div", { class: "field" }, h("label", { for: "inside-explore" }, "Weight of exploration"), explore);
  const seed = h("input", { id: "inside-seed", type: "number", min: 0, max: 2 ** 31, value: before, required: true });
  const frame = h("div", { class: "choose-board" });
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  const back = h("button", { type: "button", title: "Take back the last move (u)", onclick: undo }, "Back");
  const clear = h("button", { type: "button", onclick: () => { moves.value = ""; look(); } }, "Clear");
  const start = h("button", { type: "submit", class: "main" }, "Search");

  const form = h("form", { class: "inside-form panel", onsubmit: submit },
    h("div", { class: "choose-stage" }, frame, status, h("div", { class: "buttons" }, back, clear)),
    h("div", {}, field("inside-moves", "Moves to the position", moves, "click them on the board, or type them"),
      h("div", { class: "field" }, h("label", { for: "inside-algorithm" }, "Algorithm"), algorithm, about),
      h("div", { class: "field" }, budgetLabel, budget), exploreField, field("inside-seed", "Seed", seed, "the same seed gives the same search"),
      h("div", { class: "actions" }, start, h("a", { href: "#/inside" }, "Another game"))));
  root.append(h("div", { class: "inside chooser" }, h("h1", {}, "Which search would you like to see?"), form));

  function chosen() { return offer.algorithms.find(({ engine }) => engine === algorithm.value); }

  /** Fields as the algorithm has them. */
  function settle(given = {}) {
    const one = chosen(), sims = one.budget === "sims";
    about.textContent = one.summary;
    budgetLabel.textContent = sims ? `Simulations (up to ${offer.mostSimulations})` : `Depth in moves (up to ${offer.mostDepth})`;
    budget.max = sims ? offer.mostSimulations : offer.mostDepth;
    budget.value = given[one.budget] ?? one.usual;
    exploreField.hidden = !one.explore;
    explore.value = given[one.explore] ?? "";
  }

  /** Show the position; an impossible move gives a message. */
  async function look() {
    const mine = ++shown;
    await app.attempt(async () => {
      const found = await ask("/api/inside/position", { ...source, moves: moves.value });
      if (mine !== shown) return;
      board ??= makeBoard(found.info, add, (sentence) => app.say(sentence ?? "That is not a legal move."));
      frame.replaceChildren(board.element);
      const { position } = found;
      board.show(position, position.moves ?? [], {}, false);
      status.textContent = position.over ? `Game over: ${position.result}. Take a move back.` : `${capital(found.info.players[position.turn])} to move${position.note ? ` (${position.note})` : ""}.`;
      start.disabled = position.over;
      // An address with the moves outlives the game on the server.
      wanted = found.moves === null ? { ...source, moves: moves.value.trim() } : { game: found.info.game, moves: found.moves };
    });
  }

  function add(text) {
    moves.value = `${moves.value.trim()} ${text}`.trim();
    look();
  }

  function undo() {
    moves.value = moves.value.trim().split(/[\s,]+/).slice(0, -1).join(" ");
    look();
  }

  function submit(event) {
    event.preventDefault();
    if (start.disabled) return;
    const one = chosen(), parts = [`${one.budget}=${budget.value}`];
    if (one.explore && explore.value) parts.push(`${one.explore}=${explore.value}`);
    const engine = `${one.engine}:${parts.join()}`;
    app.go(`inside/${writePlace({ source: wanted, engine, seed: seed.value })}`);
  }

  settle(Object.fromEntries(change.split(":").slice(1).join(":").split(",").map((part) => part.split("="))));
  look();
  return {
    close() { shown += 1; },
    keys: [
      { key: "n", what: "search", run: () => form.requestSubmit() },
      { key: "u", what: "take a move back", run: undo },
    ],
  };
}
