// The view Analyse: a position, what one or two engines see of it while they search, exact values.

import { ask, listen } from "./api.js";
import { HEATS, EngineView } from "./engine_view.js";
import { capital, h } from "./dom.js";
import { copyTo, fileDrop, filePicker } from "./files.js";
import { controls, desk, memory, walk } from "./parts.js";
import { choices } from "./players.js";
import { openStart } from "./start.js";

const [remembered, remember] = memory("analyse");

export function open(root, place, app, wanted) {
  return place ? openBoard(root, place, app, wanted)
    : openStart(root, app, "analyse", "Which game would you like to analyse?");
}

/** @param wanted a preset's `engine`; "exact": the exact values. */
async function openBoard(root, id, app, wanted = {}) {
  const path = `/api/games/${encodeURIComponent(id)}`;
  const [view, choice] = await Promise.all([ask(path), choices()])
    .catch((error) => { app.go("analyse"); throw error; });
  if (view.sides.some((spec) => spec !== "human")) {  // only people move here
    const made = await ask(`${path}/copy`, {});
    history.replaceState(null, "", `#/analyse/${made.id}`);
    return openBoard(root, made.id, app);
  }
  let moves = view.history, position = { ...view.position, plies: view.plies };
  let running = true, stopExact = () => {};
  const layers = {
    heat: remembered("heat", "visits"), figures: remembered("figures", "yes") === "yes",
    line: remembered("line", "no") === "yes",
  };

  const engineViews = [];
  const status = h("p", { class: "status", role: "status", "aria-live": "polite", "data-caption": "" });
  const picker = filePicker(app, "analyse");
  const { buttons, keys, bars } = controls({
    navigation: {
      back: ["◂ Back", "ArrowLeft", "one move back", () => steps.go(steps.at - 1)],
      forth: ["Forward ▸", "ArrowRight", "one move forward", () => steps.go(steps.at + 1)],
    },
    engine: {
      run: ["Stop", " ", "stop or continue the engines", toggle, { class: "main" }],
      second: ["Second engine", "+", "show or hide a second engine", second],
      exact: ["Exact values", "e", "exact values, where the game can be solved", exact],
    },
    view: {
      line: ["Line", "l", "the expected line on the board", () => layer("line")],
      figures: ["Figures", "v", "figures on the board", () => layer("figures")],
      flip: ["Flip", "f", "turn the board", () => engineViews.forEach((engineView) => engineView.board.flip())],
      inside: ["Inside", "i", "step through a search of this position", () => app.go(`inside/from=${encodeURIComponent(id)}&plies=${position.plies}`)],
      play: ["Play from here", "p", "play from this position", playOn],
    },
    file: {
      open: [null, "o", "open a saved game", () => picker.input.click()],
      fresh: ["Another position", "n", "another position", () => app.go("analyse")],
    },
  });
  const heat = h("select", { id: "heat", onchange: () => { layers.heat = heat.value; remember("heat", heat.value); redraw(); } },
    Object.entries(HEATS).map(([key, [title]]) => h("option", { value: key, selected: key === layers.heat }, title)));

  bars.view.prepend(h("label", { class: "inline", for: "heat" }, "Heat ", heat));
  bars.file.append(picker.button, picker.input);
  const grid = h("div", { class: "engine-views" }), panels = h("div", { class: "engine-panels" });
  const box = desk("analyse", `Analysis of ${view.title}`, view, grid, [
    status, h("div", { class: "tools" }, ...Object.values(bars)), panels]);
  root.append(box);
  fileDrop(box, picker.load);
  buttons.exact.hidden = !view.solvable;

  function addEngineView(spec) {
    const number = engineViews.length;
    const engineView = new EngineView(number, view, choice, spec, {
      onMove: play,
      onSay: (sentence, text) => (sentence ? app.say(sentence) : play(text)),
      onEngine: () => { remember(`engine-${number}`, engineView.field.value()); start(engineView); },
    });
    engineView.layers = layers;
    engineViews.push(engineView);
    grid.append(engineView.element);
    panels.append(engineView.panel);
    box.classList.toggle("two", engineViews.length > 1);
    engineView.show(position, position.moves ?? [], true);
    start(engineView);
  }

  function start(engineView) {
    engineView.stop();
    if (running && !position.over) {
      engineView.seen = engineView.exact = null;
      engineView.look(`${path}/analysis?engine=${encodeURIComponent(engineView.field.value())}&plies=${position.plies}`);
    }
    engineView.draw();
  }

  function show(news, still = false) {
    position = news;
    stopExact();
    engineViews.forEach((engineView) => { engineView.show(position, position.moves ?? [], still); start(engineView); });
    words();
  }

  function words() {
    const last = moves.filter(({ plies }) => plies <= position.plies).at(-1);
    const where = last ? `After ${last.text} (move ${position.plies}${position.plies < (moves.at(-1)?.plies ?? 0) ? ` of ${moves.at(-1).plies}` : ""}). ` : "";
    const turn = position.over ? `Game over: ${position.result}.` : `${capital(view.players[position.turn])} to move${position.note ? ` (${position.note})` : ""}.`;
    status.textContent = where + turn;
    buttons.run.textContent = running ? "Stop" : "Go on";
    buttons.back.disabled = position.plies === 0;
    buttons.forth.disabled = position.plies >= (moves.at(-1)?.plies ?? 0);
    buttons.second.textContent = engineViews.length > 1 ? "One engine" : "Second engine";
    buttons.line.setAttribute("aria-pressed", String(layers.line));
    buttons.figures.setAttribute("aria-pressed", String(layers.figures));
    buttons.exact.disabled = buttons.inside.disabled = buttons.play.disabled = position.over;
  }

  function redraw() {
    engineViews.forEach((engineView) => engineView.draw(true));
    words();
  }

  function play(text) {
    return app.attempt(async () => {
      await ask(`${path}/move`, { move: text, plies: position.plies });
      const now = await ask(path);
      moves = now.history;
      show({ ...now.position, plies: now.plies });
    });
  }

  const places = () => [0, ...moves.map(({ plies }) => plies)];
  const steps = walk(() => places().indexOf(position.plies), () => moves.length,
    (n) => app.attempt(async () => show(await ask(`${path}/positions/${places()[n]}`))));

  function toggle() {
    running = !running;
    engineViews.forEach((engineView) => { if (running) start(engineView); else engineView.stop(); });
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
      gone.panel.remove();
      box.classList.remove("two");
    } else addEngineView(remembered("engine-1", "alphabeta:depth=6"));
    words();
  }

  function exact() {
    stopExact();
    running = false;
    engineViews.forEach((engineView) => engineView.stop());
    app.say("Computing exact values, move by move …");
    stopExact = listen(`${path}/exact?plies=${position.plies}`, (news) => {
      if (news.problem) { app.say(news.problem, true); return; }
      engineViews.forEach((engineView) => { engineView.exact = news.exact; engineView.draw(true); });
      status.textContent = `Exact values of ${news.exact.length} of ${news.of} moves, for the player to move, by ${news.who}.`;
    }, (error) => app.say(error.message, true));
    words();
  }

  function playOn() {
    return copyTo(app, path, "play", position.plies, {
      [position.turn ? "black" : "white"]: "mcts:sims=1000",
    });
  }

  const solve = wanted.engine === "exact";
  addEngineView((!solve && wanted.engine) || remembered("engine-0", "mcts:sims=1000"));
  words();
  if (solve) exact();
  return {
    close() {
      engineViews.forEach((engineView) => engineView.stop());
      stopExact();
    },
    keys, steps,
  };
}
