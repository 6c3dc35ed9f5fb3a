// The view Compare (#/compare): engines play each other on all cores; their ratings, and what their strength costs.
//
// As with a ledger, the games that are missing are played: engines and pairs may be added at any time. An address can
// name what is compared: #/compare/game=GAME&engine=SPEC&engine=SPEC&pairs=10

import { ask, saveBlob } from "./api.js";
import { duration, h } from "./dom.js";
import { controls, memory } from "./parts.js";
import { choices, playerField } from "./players.js";
import { StrengthPlot } from "./strength.js";
import { openWorker } from "./workers.js";
import { Standings } from "./watch_standings.js";

const SEED = 1;  // as `dlgo tournament` has it
const [recall, remember] = memory("compare");
const played = new Map();  // of each game, rows of a report's games.csv; they stay while other views are open

const cell = (value) => (typeof value === "number" ? Number(value.toPrecision(6)) : /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
const csv = (rows) => [Object.keys(rows[0]), ...rows.map(Object.values)].map((cells) => `${cells.map(cell).join()}\n`).join("");
const slot = ({ first, second, pair }) => [first, second, pair].join("|");

export async function open(root, place, app) {
  const choice = await choices(), address = new URLSearchParams(place);
  let game = choice.games.find(({ spec }) => spec === (address.get("game") ?? recall("game"))) ?? choice.games[0];
  let entrants = [], control = null, began = null, rating = false, table = null;

  const number = (id, label, value, max) => {
    const input = h("input", { id, type: "number", min: 1, max, value, required: true, onchange: update });
    return { input, element: h("div", { class: "field" }, h("label", { for: id }, label), input) };
  };
  const select = h("select", { id: "compare-game", onchange: () => choose(choice.games[select.selectedIndex]) },
    choice.games.map((one) => h("option", { selected: one === game }, one.title)));
  const engine = playerField("entrant", "Engine", choice, "mcts:sims=1000", false);
  const chips = h("ul", { class: "chips", "aria-label": "Engines" });
  const pairs = number("compare-pairs", "Pairs of games", address.get("pairs") ?? 10, 1000);
  const workers = number("compare-workers", "Workers", navigator.hardwareConcurrency ?? 2, 64);
  const { buttons, keys, bars } = controls({
    engine: { add: ["Add", "e", "add the engine", () => add(engine.value())] },
    match: { start: ["Play", "n", "play the games that are missing", start, { class: "main" }], stop: ["Stop", ".", "stop playing", stop] },
    file: { save: ["Download games (CSV)", "s", "download the games for `dlgo rate` and `dlgo report`", save] },
  });
  const progress = h("progress", { class: "watch-progress", "aria-label": "Games played" });
  const status = h("p", { role: "status" }), command = h("code", {});
  const facts = h("p", { class: "facts" }), details = h("p", { class: "facts", "aria-live": "polite" });
  const standings = new Standings(against, ["time a move", "mean_wall_ms"]), plot = new StrengthPlot();
  const results = h("div", { class: "compare-results" },
    h("section", { class: "panel", "aria-label": "Ratings" }, h("div", { class: "table-scroll" }, standings.element), details, facts),
    h("section", { class: "panel", "aria-label": "Strength per compute" }, h("h2", {}, "Strength per compute"), plot.element,
      h("p", { class: "facts" }, "Grey: Pareto frontier. Hollow: bounded by a prior only, see the note in the table.")));
  const form = h("form", { class: "panel", onsubmit: (event) => { event.preventDefault(); start(); } },
    h("div", { class: "compare-form" }, h("div", { class: "field" }, h("label", { for: "compare-game" }, "Game"), select),
      engine.element, bars.engine, pairs.element, workers.element),
    h("datalist", { id: "engine-specs" }, choice.engines.map((one) => h("option", { value: one.default }, one.summary))),
    chips, h("div", { class: "actions" }, bars.match, bars.file), progress, status,
    h("details", {}, h("summary", {}, "The same in a console"), command));
  root.append(h("div", { class: "watch compare" }, h("h1", {}, "Which engine is stronger, and what does it cost?"), form, results));

  const shown = () => (played.get(game.spec) ?? []).filter(({ first, second }) => entrants.includes(first) && entrants.includes(second));

  /** The games of the plan in the order of `dlgo tournament`, without those that have been played. */
  function missing() {
    const done = new Set(shown().map(slot)), matches = entrants.flatMap((a, i) => entrants.slice(i + 1).map((b) => [a, b]));
    return Array.from({ length: pairs.input.validity.valid ? pairs.input.value : 0 }, (_, pair) => matches.flatMap(([a, b]) => [[a, b], [b, a]]
      .map(([first, second]) => ({ game: game.spec, first, second, pair, seed: SEED })))).flat().filter((task) => !done.has(slot(task)));
  }

  function choose(one) {
    stop();
    game = one;
    remember("game", one.spec);
    engine.fillFor(one.spec);
    const presets = choice.presets.filter(({ games }) => games?.includes(one.name) ?? true).map(({ spec }) => spec);
    entrants = JSON.parse(recall(one.spec, JSON.stringify(presets.slice(0, 4))));
    update();
    rate();
  }

  const add = (spec) => app.attempt(async () => {
    await ask("/api/entrants", { game: game.spec, spec });
    change([...new Set([...entrants, spec.replaceAll(/\s/g, "")])]);
  });

  function change(wanted) {
    stop();
    entrants = wanted;
    remember(game.spec, JSON.stringify(entrants));
    update();
    rate();
  }

  function update() {
    chips.replaceChildren(...entrants.map((spec) => h("li", {}, h("button", {
      class: "chip", title: `Leave out ${spec}`, "aria-label": `Leave out ${spec}`, onclick: () => change(entrants.filter((one) => one !== spec)),
    }, spec, " ×"))));
    const done = shown().length, open = missing().length;
    const seconds = began && (performance.now() - began.time) / 1000, speed = began && (done - began.done) / seconds;
    Object.assign(progress, { max: done + open || 1, value: done });
    Object.assign(buttons.start, { textContent: done && open ? "Continue" : "Play", hidden: control !== null, disabled: !open });
    buttons.stop.hidden = control === null;
    buttons.save.disabled = !done;
    status.textContent = [entrants.length < 2 ? "Add two engines or more" : `${control ? "Playing: " : ""}${done} of ${done + open} games`,
      control && seconds > 3 && speed > 0 && `about ${duration(open / speed)} left`].filter(Boolean).join(" · ");
    command.textContent = ["dlgo tournament --game", game.spec, ...entrants.map((spec) => `--engine ${spec}`),
      "--pairs", pairs.input.value, "--ledger games.sqlite"].join(" ");
  }

  async function start() {
    const tasks = missing(), mine = new AbortController();
    if (control || !tasks.length || !form.reportValidity()) return;
    control = mine;
    began = { time: performance.now(), done: shown().length };
    update();
    await app.attempt(() => Promise.all([...Array(Math.min(Number(workers.input.value), tasks.length))].map(() => work(tasks, mine))));
    if (control === mine) stop();  // all games are played, or an engine of a worker failed
  }

  /** Play game after game in a worker of its own. A game that is stopped is played anew. */
  async function work(tasks, { signal }) {
    const worker = openWorker();
    signal.addEventListener("abort", () => worker.close());
    try {
      for (let task; !signal.aborted && (task = tasks.shift());) {
        await worker.stream("/api/match", task, signal, ({ result }) => { if (result) record(result); });
      }
    } finally { worker.close(); }
  }

  function record(row) {
    played.set(row.game, [...played.get(row.game) ?? [], row]);
    update();
    rate();
  }

  function stop() {
    control?.abort();
    control = began = null;
    update();
  }

  /** Rate the games, again if others came meanwhile. */
  async function rate() {
    if (rating) return;
    rating = true;
    await new Promise((resolve) => setTimeout(resolve, 150));
    const games = shown(), rated = games.length ? await app.attempt(() => ask("/api/ratings", { games })) : null;
    rating = false;
    if (games.length === shown().length && games[0] === shown()[0]) draw(rated ?? null);
    else rate();
  }

  function draw(rated) {
    table = rated;
    results.hidden = !rated;
    details.textContent = "";
    standings.show(rated?.rows ?? []);
    plot.show(rated?.rows ?? []);
    if (!rated) return;
    const { games, repeated, firstMove, zero, remarks } = rated;
    facts.textContent = [`${games.toLocaleString("en")} games`, repeated && `${repeated} repetitions not rated`,
      firstMove && `moving first is worth ${Math.round(firstMove[1])} Elo`].filter(Boolean).join(", ") + `. Elo, ${zero}. ${remarks.join(" ")}`;
  }

  /** Points of an entrant against each other. */
  function against(entrant) {
    details.textContent = `${entrant}: ${table.rows.filter((row) => row.entrant !== entrant).map(({ entrant: opponent }) => {
      const scores = shown().flatMap(({ first, second, result }) => (
        first === entrant && second === opponent ? [result] : first === opponent && second === entrant ? [1 - result] : []));
      return `${scores.reduce((a, b) => a + b, 0)} of ${scores.length} against ${opponent}`;
    }).join(", ")}`;
  }

  function save() {
    app.say(`Saved as ${saveBlob(new Blob([csv(shown())], { type: "text/csv" }), `${game.spec.replaceAll(/[^\w.=-]+/g, "-")}.csv`)}`);
  }

  choose(game);
  if (address.has("engine")) change(address.getAll("engine"));
  return { keys, close: stop };
}
