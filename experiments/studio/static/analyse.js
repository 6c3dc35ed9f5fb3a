// The view Analyse: a position, what one or two engines see of it while they search, exact values.

import { ask, listen } from "./api.js";
import { HEATS, Eye } from "./eye.js";
import { capital, h } from "./dom.js";
import { choices, fileDrop, filePicker, openStart } from "./start.js";

const remembered = (key, usual) => localStorage.getItem(`dlgo-analyse-${key}`) ?? usual;
const remember = (key, value) => localStorage.setItem(`dlgo-analyse-${key}`, value);

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
  const button = (text, key, run, more = {}) => h("button", {
    type: "button", title: `${text} (${key})`, onclick: run, ...more,
  }, text);
  const picker = filePicker(app, "analyse");
  const buttons = {
    run: button("Stop", "space", toggle, { class: "main" }),
    back: button("◂ Back", "←", () => step(-1)), forth: button("Forth ▸", "→", () => step(1)),
    second: button("Second engine", "+", second),
    exact: button("Exact values", "e", exact), line: button("Line", "l", () => layer("line")),
    figures: button("Figures", "v", () => layer("figures")),
    setUp: button("Set up", "s", setUp), flip: button("Flip", "f", () => eyes.forEach((eye) => eye.board.flip())),
    inside: button("Inside", "i", inside),
    play: button("Play from here", "p", playOn), fresh: button("Another position", "n", () => app.go("analyse")),
  };
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
    if (buttons.exact.hidden || buttons.exact.disabled) return;
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

  function inside() {
    if (!buttons.inside.disabled) app.go(`inside/from=${encodeURIComponent(id)}&plies=${position.plies}`);
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
    keys: [
      { key: " ", what: "stop the engines, or let them go on", run: toggle },
      { key: "ArrowLeft", what: "a move back", run: () => step(-1) },
      { key: "ArrowRight", what: "a move forth", run: () => step(1) },
      { key: "v", what: "figures on the board", run: () => layer("figures") },
      { key: "l", what: "the expected line on the board", run: () => layer("line") },
      { key: "+", what: "a second engine, or one only", run: second },
      { key: "e", what: "exact values, where the game can be solved", run: exact },
      { key: "s", what: "set up a position (Go, draughts)", run: () => { if (!buttons.setUp.hidden) setUp(); } },
      { key: "f", what: "turn the board", run: () => eyes.forEach((eye) => eye.board.flip()) },
      { key: "i", what: "step through a search from here", run: inside },
      { key: "p", what: "play on from here", run: playOn },
      { key: "o", what: "open a saved game", run: () => picker.input.click() },
      { key: "n", what: "another position", run: () => app.go("analyse") },
    ],
  };
}
