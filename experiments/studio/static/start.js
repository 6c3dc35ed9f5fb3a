// A new game: its rules, size and players; or a game from a file.

import { ask } from "./api.js";
import { pictureOf } from "./boards/index.js";
import { clockField } from "./clock.js";
import { h } from "./dom.js";
import { filePicker, goTo } from "./files.js";
import { controls } from "./parts.js";
import { choices, playerField } from "./players.js";

/** A field for an option of a game; `value()` is its text, "" for the default. `sizes`: those to choose by a click. */
function optionField(option, sizes) {
  const id = `option-${option.name}`;
  const yesNo = option.kind === "bool", text = String;
  const input = yesNo ? h("input", { id, type: "checkbox", checked: option.default })
    : option.choices.length ? h("select", { id }, option.choices.map((choice) => (
      h("option", { value: choice, selected: choice === option.default }, choice))))
      : h("input", { id, type: "number", value: option.default, step: option.kind === "float" ? 0.5 : 1, required: true });
  const quick = (option.name === "size" ? sizes : []).map((size) => h("button", {
    class: "chip", onclick: () => { input.value = size; input.dispatchEvent(new Event("input", { bubbles: true })); },
  }, String(size)));
  return {
    name: option.name,
    value: () => {
      const chosen = text(yesNo ? input.checked : input.value);
      return chosen === text(option.default) ? "" : chosen;
    },
    element: h("div", { class: "field" },
      h("label", { for: id }, option.name), h("div", { class: "with-chips" }, input, ...quick),
      h("small", {}, option.help + (option.range && !option.choices.length ? ` (${option.range})` : ""))),
  };
}

/** A game from a file: its title, picture and options come once the server has loaded it. */
function ownGame(name) {
  const one = { name, title: name.split("/").at(-1), options: [] };
  one.loaded = ask(`/api/setup/game?name=${encodeURIComponent(name)}`)
    .then((found) => Object.assign(one, found), (error) => { one.problem = error.message; });
  return one;
}

/** The form of a new game, which continues in a view; without players if people move. */
export async function openStart(root, app, view = "play", title = "What would you like to play?") {
  const choice = await choices(), playing = view === "play";
  const games = [...choice.games, ...choice.ownGames.map(ownGame)];
  let game = games.find(({ name }) => name === localStorage.getItem("dlgo-game")) ?? games[0];
  let fields = [], preparing = null;
  const options = h("div", { class: "options", oninput: fillPlayers });
  const rules = h("fieldset", { class: "panel" }, h("legend", {}, "Rules"), options);
  const black = playerField("black", "Moves first", choice, "human", true, prepare);
  const white = playerField("white", "Moves second", choice, "level", true, prepare);
  const clock = clockField();
  const cards = games.map((one) => {
    const card = h("label", { class: "game-card" });
    const draw = () => card.replaceChildren(
      h("input", { type: "radio", name: "game", value: one.name, checked: one === game, onchange: () => choose(one) }),
      one.info ? pictureOf(one.info, one.sample).svg : h("small", {}, one.problem ?? ""), h("span", { class: "name" }, one.title));
    draw();
    one.loaded?.then(() => { draw(); if (one === game) choose(one); });
    return card;
  });

  /** The options that differ from the usual, as in a specification. */
  const suffix = () => fields.map((field) => [field.name, field.value()]).filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}=${value}`).join();

  const chosen = () => ({
    game: [game.name, suffix()].filter(Boolean).join(":"),
    ...(playing ? { black: black.value(), white: white.value(), clock: clock.value() } : {}),
  });

  function fillPlayers() {
    for (const field of [black, white]) field.fillFor(suffix() ? `${game.name}:${suffix()}` : game.spec);
    prepare();
  }

  /** The engines start, and compile, while people still choose. */
  function prepare() {
    clearTimeout(preparing);
    if (playing) preparing = setTimeout(() => ask("/api/prepare", chosen()).catch(() => {}), 300);
  }

  function choose(one) {
    game = one;
    localStorage.setItem("dlgo-game", one.name);
    fields = one.options.map((option) => optionField(option, one.sizes));
    options.replaceChildren(...fields.map(({ element }) => element));
    rules.hidden = !fields.length;
    fillPlayers();
  }

  const words = playing ? "Start the game" : "Open the board";
  const button = h("button", { class: "main", type: "submit" }, words);
  // Rules are compiled, once on a machine, or weights are loaded.
  const bar = h("progress", { class: "watch-progress", hidden: true, "aria-label": "Preparing the game" });
  async function start(event) {
    event.preventDefault();
    button.disabled = true;
    const waiting = setTimeout(() => { bar.hidden = false; button.textContent = "Preparing the game …"; }, 700);
    await goTo(app, view, ask("/api/games", chosen()));
    clearTimeout(waiting);
    bar.hidden = true;
    button.textContent = words;
    button.disabled = false;
  }

  const picker = filePicker(app, view), { buttons, keys } = controls({ file: {
    open: picker.open, games: ["Your games", "y", "all games that the server keeps", () => app.go("library"), { hidden: !app.has("library") }],
  } });
  const form = h("form", { class: "start", onsubmit: start },
    h("h1", {}, title),
    h("fieldset", { class: "games" }, h("legend", { class: "hidden" }, "Game"), ...cards),
    h("div", { class: "columns" },
      h("fieldset", { class: "panel", hidden: !playing }, h("legend", {}, "Players"), black.element, white.element, clock.element,
        h("datalist", { id: "engine-specs" }, choice.engines.map((engine) => h("option", { value: engine.default }, engine.summary)))),
      rules),
    h("div", { class: "actions" }, button, buttons.open, buttons.games, bar,
      app.has("library") ? "" : h("small", {}, "A page keeps games only until it is loaded again: save them as files.")));
  choose(game);
  root.append(form);
  picker.on(form);
  return {
    close() { clearTimeout(preparing); },
    keys: [{ key: "n", what: playing ? "start the game" : "open the board", run: () => form.requestSubmit() }, ...keys],
  };
}
