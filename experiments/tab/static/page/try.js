// A search to try, for pages that explain it: #/try/game=GAME&moves=MOVES&engine=SPEC&option=sims:10..10000&option=cuts:yes|no
//
// Two engines search side by side. With `play=SPEC` in place of engines, a game against this engine begins. With `?cell`
// in the address, no view has the studio's header, so that it can stand in a frame of another page.

import { ask } from "./api.js";
import { duration, h, percent } from "./dom.js";
import { EngineView } from "./engine_view.js";
import { copyText, copyTo } from "./files.js";
import { controls, desk, table, toolbar } from "./parts.js";
import { choices } from "./players.js";

const LOG_ROWS = 6;
const FAR = 50;  // a slider of whole numbers whose ends differ by this factor has the stops 1, 2, 5, 10, ...

if (new URLSearchParams(location.search).has("cell")) {
  const page = document.documentElement;
  page.toggleAttribute("data-cell", true);
  addEventListener("message", ({ source, data }) => {  // the page around the frame has colours of its own
    if (source === parent && ["light", "dark"].includes(data?.theme)) page.dataset.theme = data.theme;
  });
}

/** The name and the options of a specification. */
function readSpec(text) {
  const [name, ...rest] = text.split(":");
  return { name, options: new Map(rest.join(":").split(",").filter(Boolean).map((part) => part.split("="))) };
}

/** The values of an option, as texts: "a|b" names them; "low..high" are numbers with as many decimals as `low` has. */
function valuesOf(range) {
  const [low, high] = range.split("..");
  if (high === undefined) return range.split("|");
  const digits = low.split(".")[1]?.length ?? 0, inside = (number) => number >= low && number <= high;
  if (!digits && low > 0 && high / low >= FAR) return Array.from({ length: 20 }, (_, power) => [1, 2, 5].map((n) => n * 10 ** power)).flat().filter(inside).map(String);
  return Array.from({ length: Math.round((high - low) * 10 ** digits) + 1 }, (_, i) => (Number(low) + i / 10 ** digits).toFixed(digits));
}

/** A slider or a list for an option such as "sims:10..10000". */
function optionField(text, specs, onChange) {
  const [name, range] = text.split(":"), values = valuesOf(range), id = `try-${name}`;
  const start = Math.max(0, values.indexOf(specs.find(({ options }) => options.has(name))?.options.get(name)));
  const output = h("output", { for: id }, values[start]), isSlider = range.includes("..");
  const input = isSlider ? h("input", { id, type: "range", min: 0, max: values.length - 1, value: start, "aria-valuetext": values[start] })
    : h("select", { id }, values.map((value, i) => h("option", { value: i, selected: i === start }, value)));
  const value = () => values[input.value];
  input.addEventListener("input", () => {
    output.textContent = value();
    input.setAttribute("aria-valuetext", value());
  });
  input.addEventListener("change", onChange);
  return { name, value, element: h("div", { class: "field" }, h("label", { for: id }, name, " ", isSlider ? output : ""), input) };
}

export async function open(root, place, app) {
  if (!place) { app.go("play"); return null; }
  const query = new URLSearchParams(place), opponent = query.get("play");
  const { id } = await ask("/api/positions", { game: query.get("game"), moves: query.get("moves") ?? "" }), path = `/api/games/${id}`;
  const [view, choice, tree] = await Promise.all([ask(path), choices(), ask(`${path}/tree`)]);
  let { position } = tree;
  if (opponent) {
    const made = await ask(`${path}/copy`, { node: position.node, [position.turn ? "black" : "white"]: opponent });
    location.replace(`#/play/${made.id}`);
    return null;
  }
  const specs = query.getAll("engine").map(readSpec), searching = new Set();
  const options = query.getAll("option").map((text) => optionField(text, specs, () => { command(); search(); }));
  const { buttons, keys, bars } = controls({
    navigation: { start: ["|◂", "Home", "go back to the first position", () => go(tree.position.node)] },
    engine: { run: ["Search", " ", "search, or stop", () => (searching.size ? stop() : search()), { class: "main" }] },
    view: {
      play: ["Play from here", "p", "play against this engine from here", () => (
        copyTo(app, path, "play", position.plies, { node: position.node, [position.turn ? "black" : "white"]: specOf(specs[0]) }))],
      copy: ["Copy command", "c", "copy the command that does the same in the console", () => copyText(app, commands.innerText, "The command for the console is copied")],
    },
  });
  const status = h("p", { class: "status", role: "status", "aria-live": "polite" }), log = h("tbody"), commands = h("pre", { class: "command", tabindex: "0", "aria-label": "Command for the console" });
  const layers = { heat: "visits", figures: true, line: false }, engineViews = [];
  for (const [number, spec] of specs.entries()) {
    const engineView = new EngineView(number, view, choice, specOf(spec), { layers, engineViews, onMove: (move) => go(position.node, move), onSay: app.say, onEngine() {} });
    engineView.field.element.replaceWith(h("h2", {}, specs.length > 1 ? query.getAll("engine")[number] : ""));
    engineView.onLook = (decision) => { if (decision.final) ended(engineView, specs[number], decision); };
    engineViews.push(engineView);
  }
  const two = engineViews.length > 1, panels = engineViews.map(({ panel }) => panel);
  const box = desk("analyse try", view.title, view, h("div", { class: "engine-views" }, engineViews.map(({ element }) => element)), [
    toolbar(bars), h("div", { class: "try-options" }, options.map(({ element }) => element)), status,
    table("Searches", ["engine", "plays", "value", "searched", "time"], log, { class: "searches" }), h("div", { class: "engine-panels" }, panels), commands]);
  box.classList.toggle("pair", two);
  root.append(box);

  /** A specification with the options as they are set. */
  function specOf({ name, options: fixed }) {
    const settings = new Map([...fixed, ...options.map((field) => [field.name, field.value()])]);
    return [name, [...settings].map((setting) => setting.join("=")).join()].filter(Boolean).join(":");
  }

  function search() {
    stop();
    if (position.over) return;
    engineViews.forEach((engineView, i) => {
      searching.add(engineView);
      engineView.show(position, true);
      engineView.look(`${path}/analysis?engine=${encodeURIComponent(specOf(specs[i]))}&node=${position.node}&once=1`);
      engineView.draw(true);
    });
    words();
  }

  function stop() {
    engineViews.forEach((engineView) => engineView.stop());
    searching.clear();
    words();
  }

  function ended(engineView, spec, { problem, text, proven, value, cost }) {
    searching.delete(engineView);
    words();
    if (problem) { app.say(problem, true); return; }
    const expects = proven === null ? percent(value === null ? null : (1 + value) / 2) : ["loss", "draw", "win"][proven + 1];
    const searched = cost.simulations ? `${cost.simulations.toLocaleString("en")} sims` : `${cost.nodes.toLocaleString("en")} node${cost.nodes === 1 ? "" : "s"}`;
    log.prepend(h("tr", {}, [specOf(spec).replace(/[:,]/g, "$&\u200b"), text, expects, searched, duration(cost.wall)].map((cell) => h("td", {}, cell))));
    if (log.rows.length > LOG_ROWS) log.lastChild.remove();
    status.textContent = `${specOf(spec)} plays ${text}.`;
  }

  function show() {
    for (const engineView of engineViews) {
      engineView.show(position);
      engineView.meter.show(null, "Not searched yet.");
    }
    command();
  }

  /** Go to a position, after a move of the reader's if there is one. */
  function go(node, move) {
    return app.attempt(async () => {
      ({ position } = move ? await ask(`${path}/tree`, { node, move }) : await ask(`${path}/tree?node=${node}`));
      stop();
      show();
    });
  }

  function words() {
    buttons.run.textContent = searching.size ? "Stop" : "Search";
    buttons.run.disabled = buttons.play.disabled = position.over;
    buttons.start.disabled = position.node === tree.position.node;
    status.textContent = position.over ? `Game over: ${position.result}.` : searching.size ? "The engine thinks …" : `${view.players[position.turn]} to move.`;
  }

  /** Say how the console does the same. */
  function command() {
    return app.attempt(async () => {
      const answers = await Promise.all(position.over ? [] : specs.map((spec) => (
        ask(`${path}/address?engine=${encodeURIComponent(specOf(spec))}&node=${position.node}`))));
      commands.textContent = answers.map((answer) => answer.command).join("\n");
    });
  }

  show();
  words();
  return { close: stop, keys };
}
