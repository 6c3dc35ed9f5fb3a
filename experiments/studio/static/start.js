// A new game: its rules, size and players; or a game from a file.

import { ask } from "./api.js";
import { pictureOf } from "./boards/index.js";
import { clockField } from "./clock.js";
import { h } from "./dom.js";
import { fileDrop, filePicker } from "./files.js";

const SIZES = { size: [5, 9, 13, 19] };
let setup = null;

/** Games and engines there are; asked for once. */
export async function choices() {
  setup ??= await ask("/api/setup");
  return setup;
}

/** A field for an option of a game; `value()` is its text, "" for the default. */
function optionField(option) {
  const id = `option-${option.name}`;
  let input;
  if (option.kind === "bool") {
    input = h("input", { id, type: "checkbox", checked: option.default });
  } else if (option.choices.length) {
    input = h("select", { id }, option.choices.map((choice) => (
      h("option", { value: choice, selected: choice === option.default }, choice)
    )));
  } else {
    input = h("input", {
      id, type: "number", value: option.default, step: option.kind === "float" ? 0.5 : 1, required: true,
    });
  }
  const quick = (SIZES[option.name] ?? []).map((size) => h("button", {
    type: "button", class: "chip", onclick: () => { input.value = size; },
  }, String(size)));
  return {
    name: option.name,
    value: () => {
      const text = option.kind === "bool" ? (input.checked ? "yes" : "no") : input.value;
      const usual = option.kind === "bool" ? (option.default ? "yes" : "no") : String(option.default);
      return text === usual ? "" : text;
    },
    element: h("div", { class: "field" },
      h("label", { for: id }, option.name), h("div", { class: "with-chips" }, input, ...quick),
      h("small", {}, option.help + (option.range && !option.choices.length ? ` (${option.range})` : ""))),
  };
}

/** The choice of a player: a person, an engine of the list, or any specification. */
export function playerField(side, label, choice, value, person = true, onChange = () => {}) {
  const id = `player-${side}`;
  const select = h("select", { id });
  const own = h("input", {
    id: `${id}-own`, type: "text", class: "own", placeholder: "mcts:sims=5000,c_uct=1.2", spellcheck: "false",
    autocomplete: "off", maxlength: 400, "aria-label": `${label}: specification of an engine`, list: "engine-specs",
  });
  const note = h("small", {});
  const update = () => {
    own.hidden = select.value !== "own";
    const preset = choice.presets.find(({ spec }) => spec === select.value);
    note.textContent = preset?.note ?? (select.value === "own" ? "as on the command line; `dlgo engines` lists the options" : "");
  };
  select.addEventListener("change", () => {
    update();
    if (own.hidden) onChange();
    else own.focus();
  });
  own.addEventListener("change", onChange);
  const fillFor = (game) => {
    const before = select.value || value;
    const fits = choice.presets.filter(({ games }) => !games || games.includes(game));
    select.replaceChildren(
      person ? h("option", { value: "human" }, "A person") : "",
      ...fits.map(({ spec, title }) => h("option", { value: spec }, title)),
      ...choice.ownEngines.map((spec) => h("option", { value: spec }, spec)),
      h("option", { value: "own" }, "Another engine …"));
    select.value = before;
    if (select.selectedIndex < 0) select.value = "mcts:sims=1000";
    update();
  };
  return {
    fillFor,
    value: () => (select.value === "own" ? own.value.trim() : select.value),
    element: h("div", { class: "field" }, h("label", { for: id }, label), select, own, note),
  };
}

/** The form of a new game, which continues in a view; without players if people move. */
export async function openStart(root, app, view = "play", title = "What would you like to play?") {
  const choice = await choices(), playing = view === "play";
  let game = choice.games.find(({ name }) => name === localStorage.getItem("dlgo-game")) ?? choice.games[0];
  let fields = [];
  const options = h("div", { class: "options" });
  const rules = h("fieldset", { class: "panel" }, h("legend", {}, "Rules"), options);
  const black = playerField("black", "Moves first", choice, "human");
  const white = playerField("white", "Moves second", choice, "mcts:sims=1000");
  const clock = clockField();
  const own = choice.ownGames.map((name) => ({ name, title: name.split("/").at(-1), options: [] }));
  const cards = [...choice.games, ...own].map((one) => h("label", { class: "game-card" },
    h("input", { type: "radio", name: "game", value: one.name, checked: one === game, onchange: () => choose(one) }),
    one.info ? pictureOf(one.info, one.sample).svg : "", h("span", { class: "name" }, one.title)));

  function choose(one) {
    game = one;
    localStorage.setItem("dlgo-game", one.name);
    fields = one.options.map(optionField);
    options.replaceChildren(...fields.map(({ element }) => element));
    rules.hidden = !fields.length;
    black.fillFor(one.name);
    white.fillFor(one.name);
  }

  const button = h("button", { class: "main", type: "submit" }, playing ? "Start the game" : "Open the board");
  async function start(event) {
    event.preventDefault();
    button.disabled = true;
    const given = fields.map((field) => [field.name, field.value()]).filter(([, value]) => value !== "");
    const suffix = given.map(([name, value]) => `${name}=${value}`).join();
    await app.attempt(async () => {
      const made = await ask("/api/games", {
        game: suffix ? `${game.name}:${suffix}` : game.name,
        ...(playing ? { black: black.value(), white: white.value(), clock: clock.value() } : {}),
      });
      app.go(`${view}/${made.id}`);
    });
    button.disabled = false;
  }

  const picker = filePicker(app, view);
  const form = h("form", { class: "start", onsubmit: start },
    h("h1", {}, title),
    h("fieldset", { class: "games" }, h("legend", { class: "hidden" }, "Game"), ...cards),
    h("div", { class: "columns" },
      h("fieldset", { class: "panel", hidden: !playing }, h("legend", {}, "Players"), black.element, white.element, clock.element,
        h("datalist", { id: "engine-specs" }, choice.engines.map((engine) => h("option", { value: engine.default }, engine.summary)))),
      rules),
    h("div", { class: "actions" }, button, picker.button, picker.input));
  choose(game);
  root.append(form);
  fileDrop(form, picker.load);
  return {
    close() {},
    keys: [
      { key: "n", what: playing ? "start the game" : "open the board", run: () => form.requestSubmit() },
      { key: "o", what: "open a saved game", run: () => picker.input.click() },
    ],
  };
}
