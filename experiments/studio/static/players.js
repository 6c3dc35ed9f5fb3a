// The choice of a player: a person, a level of measured strength, an engine of the list, or any specification.

import { ask } from "./api.js";
import { h } from "./dom.js";
import { fit, fitWords, round } from "./fit.js";
import { memory } from "./parts.js";

const [remembered, remember] = memory("level");
let setup = null;

/** Games and engines there are; asked for once. */
export async function choices() {
  setup ??= await ask("/api/setup");
  return setup;
}

/** Whether an engine can judge the game of a `path`: its `problem`, "" if it has none or cannot be asked. */
export function judgeOf(path, engine) {
  return ask(`${path}/judge?engine=${encodeURIComponent(engine)}`).catch(() => ({ problem: "" }));
}

/** The levels of a board. If none were measured: those of the most similar `board` of the game, without engines whose network fits only that board. */
function levelsOf({ levels, games }, spec) {
  if (levels[spec]) return { rows: levels[spec] };
  const [name, ...parts] = spec.split(/[:,]/), usual = games.find((one) => one.name === name)?.options.find((option) => option.name === "size")?.default;
  const sizeOf = (text) => Number(/\bsize=(\d+)/.exec(text)?.[1] ?? usual ?? 0);
  const away = (board) => Math.abs(sizeOf(board) - sizeOf(spec)) - 100 * board.split(/[:,]/).filter((part) => parts.includes(part)).length;
  const [board] = Object.keys(levels).filter((one) => one.split(":")[0] === name).sort((a, b) => away(a) - away(b));
  return { board, rows: (levels[board] ?? []).filter((level) => /^(random|heuristic|mcts|alphabeta)\b/.test(level.spec)) };
}

/**
 * A field for a player, filled for a game by `fillFor`; `value()` is a specification, or `human`.
 *
 * @param value what is chosen first; `level`: an engine by its level, where levels were measured.
 * @param usual what is chosen if the value is not offered for the board.
 */
export function playerField(side, label, choice, value, person = true, onChange = () => {}, usual = "mcts:sims=1000") {
  const id = `player-${side}`;
  let game = "", levels = [], borrowed = "";
  const select = h("select", { id });
  const own = h("input", {
    id: `${id}-own`, type: "text", class: "own", placeholder: "mcts:sims=5000,c_uct=1.2", spellcheck: "false",
    autocomplete: "off", maxlength: 400, "aria-label": `${label}: specification of an engine`, list: "engine-specs",
  });
  const slider = h("input", { id: `${id}-level`, type: "range", min: 1, "aria-label": `${label}: level`, oninput: () => take(slider.value) });
  const advice = h("button", { class: "link", onclick: () => take(fit(game, levels).level) });
  const note = h("small", {});
  const take = (level) => {
    slider.value = level;
    remember(game, level);
    update();
  };
  const update = () => {
    const byLevel = select.value === "level", level = levels[slider.value - 1], fitting = byLevel && fit(game, levels);
    const measured = borrowed && ` (measured on ${borrowed})`;
    own.hidden = select.value !== "own";
    slider.hidden = !byLevel;
    const preset = choice.presets.find(({ spec }) => spec === select.value);
    note.textContent = byLevel ? `Level ${slider.value} of ${levels.length}, about ${round(level.elo)} Elo above random moves${measured}: ${level.name}, ${level.spec}`
      : preset ? `${preset.spec}: ${preset.note}` : select.value === "own" ? "as on the command line; `dlgo engines` lists the options" : "";
    slider.setAttribute("aria-valuetext", note.textContent);
    advice.hidden = !byLevel || borrowed !== "";
    advice.disabled = !fitting || String(fitting.level) === slider.value;
    advice.textContent = fitWords(game, levels);
  };
  select.addEventListener("change", () => {
    update();
    if (own.hidden) onChange();
    else own.focus();
  });
  own.addEventListener("change", onChange);
  return {
    /** @param spec a game with its options: its levels are offered, and engines with a network only for their boards. */
    fillFor(spec = "") {
      const fits = (games) => !games || games.some((board) => spec === board || spec.startsWith(`${board},`));
      const before = select.value || value;
      game = spec;
      const { rows, board = "" } = levelsOf(choice, spec);
      [levels, borrowed] = [rows, board];
      select.replaceChildren(
        person ? h("option", { value: "human" }, "A person") : "", levels.length ? h("option", { value: "level" }, "An engine by level") : "",
        ...choice.presets.filter(({ games }) => fits(games)).map((preset) => h("option", { value: preset.spec }, preset.title)),
        choice.presets.some((preset) => preset.spec === usual) ? "" : h("option", { value: usual }, `The strongest: ${usual}`),
        ...choice.ownEngines.map((engine) => h("option", { value: engine }, engine)), h("option", { value: "own" }, "Another engine …"));
      const place = levels.findIndex((level) => level.spec === before) + 1;
      slider.max = levels.length;
      slider.value = place || remembered(game, fit(game, levels)?.level ?? 3);
      select.value = before;  // "" if that is none of them
      if (!select.value) {
        const listed = before === "level" || choice.presets.some((preset) => preset.spec === before);
        select.value = place ? "level" : listed ? usual : "own";
      }
      if (select.value === "own" && !own.value) own.value = before;
      update();
    },
    value: () => ({ own: own.value.trim(), level: levels[slider.value - 1]?.spec })[select.value] ?? select.value,
    element: h("div", { class: "field" }, h("label", { for: id }, label), select, own, slider, note, advice),
  };
}
