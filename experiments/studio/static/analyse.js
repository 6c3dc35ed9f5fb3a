// The view Analyse: a position, what one or two engines see of it while they search, exact values.

import { ask, listen } from "./api.js";
import { HEATS, Eye } from "./eye.js";
import { capital, h } from "./dom.js";
import { fileDrop, filePicker } from "./files.js";
import { controls, memory } from "./parts.js";
import { choices, openStart } from "./start.js";

const [remembered, remember] = memory("analyse");

export function open(root, place, app) {
  return place ? openBoard(root, place, app)
    : openStart(root, app, "analyse", "Which game would you like to analyse?");
}

async function openBoard(root, id, app) {
  const path = `/api/games/${encodeURIComponent(id)}`;
  const [view, choice] = await Promise.all([ask(path), choices()])
    .catch((error) => { app.go("analyse"); throw error; });
  if (view.sides.some((spec) => spec !== "human")) {  // nobody else is to move here
    const made = await ask(`${path}/copy`, {});
    history.replaceState(null, "", `#/analyse/${made.id}`);
    return openBoard(root, made.id, app);
  }
  let moves = view.history, position = { ...view.position, plies: view.plies };
  let running = true, editing = null, stopExact = () => {};
  const layers = {
    heat: remembered("heat", "visits"), figures: remembered("figures", "yes") === "yes",
    line: remembered("line", "no") === "yes",
  };

  const eyes = [];
  const grid = h("div", { class: "eyes" });
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  const picker = filePicker(app, "analyse");
  const { buttons, keys } = controls({
    run: ["Stop", " ", "stop the engines, or let them go on", toggle, { class: "main" }],
    back: ["◂ Back", "ArrowLeft", "a move back", () => step(-1)],
    forth: ["Forth ▸", "ArrowRight", "a move forth", () => step(1)],
    second: ["Second engine", "+", "a second engine, or one only", second],
    exact: ["Exact values", "e", "exact values, where the game can be solved", exact],
    line: ["Line", "l", "the expected line on the board", () => layer("line")],
    figures: ["Figures", "v", "figures on the board", () => layer("figures")],
    setUp: ["Set up", "s", "set up a position (Go, draughts)", setUp],
    flip: ["Flip", "f", "turn the board", () => eyes.forEach((eye) => eye.board.flip())],
    inside: ["Inside", "i", "step through a search from here", () => app.go(`inside/from=${encodeURIComponent(id)}&plies=${position.plies}`)],
    play: ["Play from here", "p", "play on from here", playOn],
    fresh: ["Another position", "n", "another position", () => app.go("analyse")],
    open: [null, "o", "open a saved game", () => picker.input.click()],
  });
  const heat = h("select", { id: "heat", onchange: () => { layers.heat = heat.value; remember("heat", heat.value); redraw(); } },
    Object.entries(HEATS).map(([key, [title]]) => h("option", { value: key, selected: key === layers.heat }, title)));
  const rate = h("select", { id: "rate", onchange: () => { remember("rate", rate.value); eyes.forEach(start); } },
    ["60", "20", "5", "1"].map((value) => h("option", { value, selected: value === remembered("rate", "60") }, value)));
  const tools = h("div", { class: "buttons", role: "group", "aria-label": "Pieces to set up", hidden: true });

  root.append(h("div", { class: "analyse" },
    h("div", { class: "buttons controls" }, ...Object.values(buttons), picker.button, picker.input,
      h("label", { class: "inline", for: "heat" }, "Heat: ", heat),
      h("label", { class: "inline", for: "rate", title: "The fewer looks, the quicker the search" }, "Looks a second: ", rate)), tools, status, grid));
  buttons.exact.hidden = !view.solvable;
  buttons.setUp.hidden = !["go", "draughts"].includes(view.name);

  function addEye(spec) {
    const number = eyes.length;
    const eye = new Eye(number, view, choice, spec, {
      onMove: play,
      onSay: (sentence, name, cell) => {
        if (sentence) app.say(sentence);
        else play(view.look === "drop" ? String(view.colLabels[cell % view.cols]) : name);
      },
      onEngine: () => { remember(`engine-${number}`, eye.field.value()); start(eye); },
    });
    eye.layers = layers;
    eyes.push(eye);
    grid.append(eye.element);
    grid.classList.toggle("two", eyes.length > 1);
    eye.show(position, position.moves ?? [], true);
    start(eye);
  }

  function start(eye) {
    eye.stop();
    if (!running || position.over || editing) { eye.draw(); return; }
    eye.seen = eye.exact = null;
    eye.look(`${path}/analysis?engine=${encodeURIComponent(eye.field.value())}&plies=${position.plies}&rate=${rate.value}`);
    eye.draw();
  }

  function show(news, still = false) {
    position = news;
    stopExact();
    eyes.forEach((eye) => { eye.show(position, position.moves ?? [], still); start(eye); });
    words();
  }

  function words() {
    const last = moves.filter(({ plies }) => plies <= position.plies).at(-1);
    const where = last ? `After ${last.text} (move ${position.plies}${position.plies < (moves.at(-1)?.plies ?? 0) ? ` of ${moves.at(-1).plies}` : ""}). ` : "";
    const turn = position.over ? `Game over: ${position.result}.` : `${capital(view.players[position.turn])} to move${position.note ? ` (${position.note})` : ""}.`;
    status.textContent = editing ? "Click cells to set pieces, then Done." : where + turn;
    buttons.run.textContent = running ? "Stop" : "Go on";
    buttons.back.disabled = position.plies === 0 || editing;
    buttons.forth.disabled = position.plies >= (moves.at(-1)?.plies ?? 0) || editing;
    buttons.second.textContent = eyes.length > 1 ? "One engine" : "Second engine";
    buttons.line.setAttribute("aria-pressed", String(layers.line));
    buttons.figures.setAttribute("aria-pressed", String(layers.figures));
    buttons.exact.disabled = buttons.inside.disabled = buttons.play.disabled = position.over || editing;
  }

  const redraw = () => { eyes.forEach((eye) => eye.draw(true)); words(); };

  function play(text) {
    return app.attempt(async () => {
      await ask(`${path}/move`, { move: text, plies: position.plies });
      const now = await ask(path);
      moves = now.history;
      show({ ...now.position, plies: now.plies });
    });
  }

  function step(by) {
    const places = [0, ...moves.map(({ plies }) => plies)];
    const next = places[places.indexOf(position.plies) + by];
    if (next === undefined || editing) return undefined;
    return app.attempt(async () => show(await ask(`${path}/positions/${next}`)));
  }

  function toggle() {
    running = !running;
    eyes.forEach((eye) => { if (running) start(eye); else eye.stop(); });
    words();
  }

  function layer(name) {
    layers[name] = !layers[name];
    remember(name, layers[name] ? "yes" : "no");
    redraw();
  }

  function second() {
    if (eyes.length > 1) {
      const gone = eyes.pop();
      gone.stop();
      gone.element.remove();
      grid.classList.remove("two");
    } else addEye(remembered("engine-1", "alphabeta:depth=6"));
    words();
  }

  function exact() {
    stopExact();
    running = false;
    eyes.forEach((eye) => eye.stop());
    app.say("Exact values come move by move …");
    stopExact = listen(`${path}/exact?plies=${position.plies}`, (events) => {
      const news = events.at(-1);
      if (news.problem) { app.say(news.problem, true); return; }
      eyes.forEach((eye) => { eye.exact = news.exact; eye.draw(true); });
      status.textContent = `Exact values of ${news.exact.length} of ${news.of} moves, for the player to move, by ${news.who}.`;
    }, (error) => app.say(error.message, true));
    words();
  }

  function playOn() {
    return app.attempt(async () => {
      const made = await ask(`${path}/copy`, { plies: position.plies });
      const sides = position.turn ? { black: "mcts:sims=1000", white: "human" } : { black: "human", white: "mcts:sims=1000" };
      await ask(`/api/games/${made.id}/players`, sides);
      app.go(`play/${made.id}`);
    });
  }

  // Setting up.

  function setUp() {
    if (editing) return finish();
    editing = { cells: [...position.cells], turn: position.turn, piece: 0 };
    eyes.forEach((eye) => { eye.stop(); eye.board.onCell = put; });
    const names = eyes[0].board;
    const kinds = [...Array(2 * view.kinds.length).keys(), -1];
    const choose = (piece) => { editing.piece = piece; mark(); };
    const pieces = kinds.map((piece) => h("button", { type: "button", onclick: () => choose(piece) }, piece < 0 ? "erase" : names.pieceName(piece)));
    const turn = h("button", { type: "button", onclick: () => { editing.turn = 1 - editing.turn; mark(); } });
    const mark = () => {
      pieces.forEach((one, i) => one.setAttribute("aria-pressed", String(kinds[i] === editing.piece)));
      turn.textContent = `${capital(view.players[editing.turn])} to move`;
    };
    mark();
    tools.replaceChildren(...pieces, turn,
      h("button", { type: "button", onclick: () => { editing.cells.fill(-1); preview(); } }, "Clear"),
      h("button", { type: "button", class: "main", onclick: finish }, "Done"),
      h("button", { type: "button", onclick: () => { leave(); show(position, true); } }, "Cancel"));
    tools.hidden = false;
    preview();
    words();
    return undefined;
  }

  function put(cell) {
    editing.cells[cell] = editing.cells[cell] === editing.piece ? -1 : editing.piece;
    preview();
  }

  function preview() {
    eyes.forEach((eye) => eye.show({ ...position, cells: editing.cells, last: null, won: [] }, [], true));
  }

  function leave() {
    editing = null;
    tools.hidden = true;
    eyes.forEach((eye) => { eye.board.onCell = null; });
  }

  function finish() {
    return app.attempt(async () => {
      const made = await ask("/api/positions", { game: view.game, cells: editing.cells, turn: editing.turn });
      leave();
      app.go(`analyse/${made.id}`);
    });
  }

  addEye(remembered("engine-0", "mcts:sims=1000"));
  words();
  const undrop = fileDrop(root, picker.load);
  return {
    close() {
      eyes.forEach((eye) => eye.stop());
      stopExact();
      undrop();
    },
    keys,
  };
}
