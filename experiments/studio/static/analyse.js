// The view Analyse: a position, what one or two engines see of it while they search, exact values.

import { ask, listen } from "./api.js";
import { HEATS, EngineView } from "./engine_view.js";
import { capital, h } from "./dom.js";
import { copyText, copyTo, fileNotes, filePicker, linkTo, saveFile } from "./files.js";
import { controls, desk, memory, navigation, toolbar, walk } from "./parts.js";
import { choices } from "./players.js";
import { canSetUp } from "./setup.js";
import { openStart } from "./start.js";
import { Variations } from "./variations.js";

const [remembered, remember] = memory("analyse");

export function open(root, place, app, wanted) {
  if (place.includes("=")) return openLink(root, place, app);
  return place ? openBoard(root, place.split("/"), app, wanted)
    : openStart(root, app, "analyse", "Which game would you like to analyse?");
}

/** A position in an address: `game=GAME&moves=MOVES`, as in the view Inside. */
async function openLink(root, place, app) {
  const made = await ask("/api/positions", Object.fromEntries(new URLSearchParams(place)));
  history.replaceState(null, "", `#/analyse/${made.id}`);
  return openBoard(root, [made.id], app);
}

/**
 * @param at how many moves of the game have been made in the position that is shown first; by default all.
 * @param wanted a preset's `engine`; "exact": the exact values.
 */
async function openBoard(root, [id, at], app, wanted = {}) {
  const path = `/api/games/${encodeURIComponent(id)}`;
  const [view, choice] = await Promise.all([ask(path), choices()]);
  if (view.sides.some((spec) => spec !== "human")) {  // only people move here
    const made = await ask(`${path}/copy`, {});
    history.replaceState(null, "", `#/analyse/${made.id}`);
    return openBoard(root, [made.id, at], app);
  }
  let { nodes, position } = await ask(`${path}/tree`);
  const first = nodes.find(({ plies }) => plies === Number(at ?? position.plies))?.id ?? position.node;
  if (first !== position.node) ({ position } = await ask(`${path}/tree?node=${first}`));
  let running = true, lead = "", stopExact = () => {}, asking = Promise.resolve(), asked = null;
  const layers = {
    heat: remembered("heat", "visits"), figures: remembered("figures", "yes") === "yes",
    line: remembered("line", "no") === "yes", territory: remembered("territory", "no") === "yes",
  };

  const engineViews = [];
  const place = () => variations.line().findIndex(({ id }) => id === asked);
  const steps = walk(() => (place() < 0 ? variations.path().length - 1 : place()), () => variations.line().length - 1,
    (n) => go(variations.line()[n].id));
  const status = h("p", { class: "status", role: "status", "aria-live": "polite", "data-caption": "" });
  const picker = filePicker(app, "analyse");
  const { buttons, keys, bars } = controls({
    navigation: {
      ...navigation(steps),
      before: [null, "ArrowUp", "previous variation", () => vary(-1)], after: [null, "ArrowDown", "next variation", () => vary(1)],
    },
    engine: {
      run: ["Stop", " ", "stop or continue the engines", toggle, { class: "main" }],
      exact: ["Exact values", "e", "exact values, where the game can be solved", exact],
    },
    view: {
      second: ["Second engine", "+", "show or hide a second engine", second],
      line: ["Line", "l", "the expected line on the board", () => layer("line")],
      figures: ["Figures", "v", "figures on the board", () => layer("figures")],
      draw: ["Draw", "d", "draw, as with the right mouse button; at the mark of the board, Enter draws a letter, Shift+Enter then Enter an arrow", draw, { "aria-pressed": "false" }],
      territory: ["Territory", "w", "who owns each point after random games", () => { layer("territory"); territory(); }],
      flip: ["Flip", "f", "turn the board", () => engineViews.forEach((engineView) => engineView.board.flip())],
      inside: ["Inside", "i", "step through a search of this position", inside],
      play: ["Play from here", "p", "play from this position", playOn],
    },
    file: {
      save: ["Save", "s", "save the moves with their variations as a file", () => asking.then(() => saveFile(app, `${path}/file`))],
      link: ["Copy link", "c", "copy a link to this position", () => copy("link")],
      command: ["Copy command", "C", "copy the command that analyses this position in the console", () => copy("command")],
      setup: ["Set up", "u", "set up a position, from this one", () => app.go(`setup/${id}/${position.node}`)],
      fresh: ["Another position", "n", "another position", () => app.go("analyse")],
      open: picker.open,
    },
  });
  const heat = h("select", { id: "heat", onchange: () => { layers.heat = heat.value; remember("heat", heat.value); redraw(); } },
    Object.entries(HEATS).map(([key, [title]]) => h("option", { value: key, selected: key === layers.heat }, title)));

  const grid = h("div", { class: "engine-views" }), panels = h("div", { class: "engine-panels" });
  const variations = new Variations(view, go, change, view.names.join() === "human,human" ? "Moves" : view.names.map((name) => view.called[name] ?? name).join(" – "));
  const box = desk("analyse", `Analysis of ${view.title}`, view, grid, [
    status, toolbar(bars, h("label", { class: "inline", for: "heat" }, "Heat ", heat)), panels, variations.element, fileNotes(view)]);
  root.append(box);
  picker.on(box);
  buttons.exact.hidden = !view.solvable;
  buttons.setup.hidden = !app.has("setup") || !canSetUp(view);
  buttons.territory.hidden = view.name !== "go";

  function addEngineView(spec) {
    const number = engineViews.length;
    const engineView = new EngineView(number, view, choice, spec, {
      layers, engineViews, onMove: (move) => change({ move }), onSay: app.say,
      onEngine: () => { remember(`${view.game} ${number}`, engineView.field.value()); start(engineView); },
    });
    engineView.board.onDraw = (from, to) => change({ draw: [from, to] });
    engineView.board.drawing = engineViews[0]?.board.drawing ?? false;
    engineViews.push(engineView);
    grid.append(engineView.element);
    arrange();
    engineView.show(position, true);
    start(engineView);
  }

  /** Put the tables of moves beside one board, or each below its board if there are two. */
  function arrange() {
    const two = engineViews.length > 1;
    box.classList.toggle("two", two);
    for (const { element, panel } of engineViews) (two ? element : panels).append(panel);
  }

  function start(engineView) {
    engineView.stop();
    engineView.check(path);
    if (running && !position.over) {
      engineView.seen = engineView.exact = null;
      engineView.look(`${path}/analysis?engine=${encodeURIComponent(engineView.field.value())}&node=${position.node}`);
    }
    engineView.draw();
  }

  function show(news) {
    position = news;
    stopExact();
    engineViews.forEach((engineView) => { engineView.show(position); start(engineView); });
    words();
    territory();
  }

  async function territory() {
    const { node } = position;
    lead = "";
    const wanted = layers.territory && !buttons.territory.hidden && !position.over;
    const news = wanted ? await app.attempt(() => ask(`${path}/territory?node=${node}`)) : { owner: [] };
    if (!news || node !== position.node || (wanted && !layers.territory)) return;
    if (wanted) lead = ` ${capital(news.words)}.`;
    engineViews.forEach((engineView) => { engineView.owner = news.owner; });
    redraw();
  }

  function copy(what) {
    return app.attempt(async () => {
      const engine = encodeURIComponent(engineViews[0].field.value());
      const { command, ...here } = await ask(`${path}/address?engine=${engine}&node=${position.node}`);
      if (what === "command") copyText(app, command, "The command for the console is copied");
      else copyText(app, linkTo(`analyse/${new URLSearchParams(here).toString().replaceAll("+", "%20")}`), "The link to this position is copied");
    });
  }

  function words() {
    variations.show(nodes, position.node);
    const last = variations.at, most = variations.line().at(-1).plies;
    const where = last.text ? `After ${last.text} (move ${position.plies}${position.plies < most ? ` of ${most}` : ""}). ` : "";
    const turn = position.over ? `Game over: ${position.result}.` : `${capital(view.players[position.turn])} to move${position.note ? ` (${position.note})` : ""}.`;
    status.textContent = where + turn + lead;
    buttons.run.textContent = running ? "Stop" : "Continue";
    buttons.start.disabled = buttons.back.disabled = position.plies === 0;
    buttons.forth.disabled = buttons.end.disabled = position.plies >= most;
    buttons.second.textContent = engineViews.length > 1 ? "One engine" : "Second engine";
    for (const name of ["line", "territory", "figures"]) buttons[name].setAttribute("aria-pressed", String(layers[name]));
    buttons.exact.disabled = buttons.inside.disabled = buttons.play.disabled = position.over;
  }

  function redraw() {
    engineViews.forEach((engineView) => engineView.draw(true));
    words();
  }

  /** Ask for a change of the node that is shown: a move, a comment, a mark, its place among the variations. */
  function change(what) {
    const { node } = position;
    return inTurn(async () => accept(await ask(`${path}/tree`, { node, ...what }), node));
  }

  function go(node) {
    asked = node;  // the next step is one on from there, also before the answer has come
    return inTurn(() => ask(`${path}/tree?node=${node}`).then(accept).finally(() => { if (asked === node) asked = null; }));
  }

  function vary(by) {
    asking.then(() => {
      const other = variations.beside(by);
      if (other) go(other.id);
    });
  }

  /** Requests follow each other, so that no answer shows an older tree. */
  const inTurn = (work) => (asking = asking.then(() => app.attempt(work)));

  /** Show what the server answers; of a node that was left meanwhile, only the list of moves. */
  function accept(answer, asked) {
    ({ nodes } = answer);
    if (answer.position.node !== asked) { show(answer.position); return; }
    if (asked === position.node) ({ position } = answer);
    engineViews.forEach((engineView) => { engineView.position = position; });
    redraw();
  }

  function draw() {
    const on = buttons.draw.getAttribute("aria-pressed") !== "true";
    buttons.draw.setAttribute("aria-pressed", String(on));
    engineViews.forEach(({ board }) => { board.drawing = on; });
  }

  function inside() {
    return app.attempt(async () => {
      const made = await ask(`${path}/copy`, { node: position.node });
      app.go(`inside/from=${encodeURIComponent(made.id)}&plies=${position.plies}`);
    });
  }

  function toggle() {
    running = !running;
    engineViews.forEach(start);
    words();
  }

  function layer(name) {
    layers[name] = !layers[name];
    remember(name, layers[name] ? "yes" : "no");
    redraw();
  }

  function second() {
    if (engineViews.length > 1) {
      const gone = engineViews.pop();
      gone.stop();
      gone.element.remove();
      arrange();
    } else addEngineView(remembered(`${view.game} 1`, "alphabeta:depth=6"));
    words();
  }

  function exact() {
    stopExact();
    running = false;
    engineViews.forEach(start);
    app.say("Computing exact values, move by move …");
    stopExact = listen(`${path}/exact?node=${position.node}`, (news) => {
      if (news.problem) { app.say(news.problem, true); return; }
      engineViews.forEach((engineView) => { engineView.exact = news.exact; engineView.draw(true); });
      status.textContent = `Exact values of ${news.exact.length} of ${news.of} moves, for the player to move, by ${news.who}.`;
    }, (error) => app.say(error.message, true));
    words();
  }

  function playOn() {
    return copyTo(app, path, "play", position.plies, {
      node: position.node, [position.turn ? "black" : "white"]: "mcts:sims=1000",
    });
  }

  const solve = wanted.engine === "exact";
  addEngineView((!solve && wanted.engine) || remembered(`${view.game} 0`, view.searches));
  words();
  if (solve) exact();
  territory();
  return {
    close() {
      engineViews.forEach((engineView) => engineView.stop());
      stopExact();
    },
    keys, steps,
  };
}
