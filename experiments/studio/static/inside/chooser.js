// A search to choose: any position and algorithm.

import { ask } from "../api.js";
import { makeBoard } from "../boards/index.js";
import { capital, h } from "../dom.js";
import { choices } from "../players.js";
import { writePlace } from "./search.js";

/** Games as specifications; any other can be typed. */
const GAMES = [
  ["tictactoe", "Tic-tac-toe"], ["connect4", "Connect Four"], ["connectn:cols=5,rows=4,n=3", "Connect 3 on 5×4"],
  ["go:size=4", "Go 4×4"], ["go:size=5", "Go 5×5"], ["go:size=9", "Go 9×9"], ["draughts", "Draughts"],
];

export async function openChooser(root, app, offer, asked) {
  const choice = await choices();
  const change = new URLSearchParams(location.hash.split("/").slice(2).join("/")).get("change") ?? "";
  let source = asked?.source?.from ? asked.source : { game: asked?.source?.game || "tictactoe", moves: asked?.source?.moves ?? "" };
  let board = null, shown = 0;

  const own = choice.ownGames.map((spec) => [spec, spec]);
  const listed = [...GAMES, ...own], isListed = listed.some(([spec]) => spec === source.game);
  const field = (id, label, input, note) => h("div", { class: "field" }, h("label", { for: id }, label), input, note ? h("small", {}, note) : "");
  const game = h("select", { id: "inside-game", onchange: () => { other.hidden = game.value !== "other"; if (other.hidden) restart(game.value); else other.focus(); } },
    source.from ? h("option", { value: "from" }, "A game of this studio") : "",
    listed.map(([spec, title]) => h("option", { value: spec, selected: spec === source.game }, title)),
    h("option", { value: "other", selected: !source.from && !isListed }, "Another game …"));
  const other = h("input", {
    type: "text", placeholder: "go:size=7,komi=5.5", spellcheck: "false", autocomplete: "off", maxlength: 400, "aria-label": "Specification of a game",
    hidden: source.from || isListed, value: source.game ?? "", onchange: () => restart(other.value.trim()),
  });
  const moves = h("input", { id: "inside-moves", type: "text", spellcheck: "false", autocomplete: "off", placeholder: "B2 A1", value: source.moves ?? "", onchange: () => look() });
  const algorithm = h("select", { id: "inside-algorithm", onchange: () => settle() },
    offer.algorithms.map(({ engine, title }) => h("option", { value: engine, selected: change.startsWith(`${engine}:`) }, title)));
  const about = h("small", {});
  const budget = h("input", { id: "inside-budget", type: "number", min: 1, required: true });
  const budgetLabel = h("label", { for: "inside-budget" });
  const explore = h("input", { id: "inside-explore", type: "number", min: 0, max: 100, step: "any", placeholder: "as usual" });
  const exploreField = h("div", { class: "field" }, h("label", { for: "inside-explore" }, "Weight of exploration"), explore);
  const seed = h("input", { id: "inside-seed", type: "number", min: 0, max: 2 ** 31, value: asked?.seed ?? 1, required: true });
  const frame = h("div", { class: "choose-board" });
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  const back = h("button", { type: "button", title: "Take back the last move (u)", onclick: undo }, "Back");
  const clear = h("button", { type: "button", onclick: () => { moves.value = ""; look(); } }, "Clear");
  const start = h("button", { type: "submit", class: "main" }, "Search");

  const form = h("form", { class: "inside-form panel", onsubmit: submit },
    h("div", { class: "choose-stage" }, frame, status, h("div", { class: "buttons" }, back, clear)),
    h("div", {}, field("inside-game", "Game", h("div", { class: "stacked" }, game, other)),
      field("inside-moves", "Moves to the position", moves, "click them on the board, or type them"),
      h("div", { class: "field" }, h("label", { for: "inside-algorithm" }, "Algorithm"), algorithm, about),
      h("div", { class: "field" }, budgetLabel, budget), exploreField, field("inside-seed", "Seed", seed, "the same seed gives the same search"),
      h("div", { class: "actions" }, start)));
  root.append(h("div", { class: "inside chooser" },
    h("h1", {}, "Watch an engine think"),
    h("p", { class: "look-for" }, "Step through a search, forwards and backwards. Start with a prepared one from the ",
      h("a", { href: "#/course" }, "course"), ", or choose a position."), form));

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

  function restart(spec) {
    source = spec === "from" ? { ...asked.source } : { game: spec };
    moves.value = "";
    look();
  }

  /** Show the position; an impossible move gives a message. */
  async function look() {
    const mine = ++shown;
    await app.attempt(async () => {
      const found = await ask("/api/inside/position", { ...source, moves: moves.value });
      if (mine !== shown) return;
      if (!board || board.info.game !== found.info.game) {
        board = makeBoard(found.info, add, (sentence) => app.say(sentence ?? "That is not a legal move."));
        frame.replaceChildren(board.element);
      }
      const { position } = found;
      board.show(position, position.moves ?? [], {}, false);
      status.textContent = position.over ? `Game over: ${position.result}. Take a move back.` : `${capital(found.info.players[position.turn])} to move${position.note ? ` (${position.note})` : ""}.`;
      start.disabled = position.over;
      source = { ...source, moves: moves.value.trim() };
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
    app.go(`inside/${writePlace({ source: { ...source, moves: moves.value.trim() }, engine, seed: seed.value })}`);
  }

  settle(Object.fromEntries(change.split(":").slice(1).join(":").split(",").map((part) => part.split("="))));
  look();
  if (asked) form.scrollIntoView({ block: "start" });
  return {
    close() { shown += 1; },
    keys: [
      { key: "n", what: "search", run: () => form.requestSubmit() },
      { key: "u", what: "take a move back", run: undo },
    ],
  };
}
