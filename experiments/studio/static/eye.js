// One engine's look at a position: its board with heat, figures and expected line, and its table.

import { listen } from "./api.js";
import { makeBoard } from "./boards/index.js";
import { amount, duration, h, percent } from "./dom.js";
import { playerField } from "./start.js";

/** What the heat of the board can show: its name, and the number of a move, 0 to 1. */
export const HEATS = {
  visits: ["visits", (move) => move.share],
  prior: ["policy before the search", (move) => move.prior],
  value: ["expected value", (move) => (move.value === undefined ? undefined : (1 + move.value) / 2)],
  none: ["nothing", () => undefined],
};

export class Eye {
  constructor(number, info, choice, spec, { onMove, onSay, onEngine }) {
    this.info = info;
    this.seen = null;
    this.layers = { heat: "visits", figures: true, line: false };
    this.stop = () => {};
    this.board = makeBoard(info, onMove, onSay);
    this.field = playerField(`eye-${number}`, number ? "Second engine" : "Engine", choice, spec, false, onEngine);
    this.field.fillFor(info.name);
    this.bar = h("div", { class: "bar-fill" });
    this.meter = h("div", { class: `eval ${this.board.look.name}`, role: "img" }, this.bar);
    this.words = h("p", { class: "bar-text", "aria-live": "off" });
    this.line = h("p", { class: "line" });
    this.body = h("tbody", {});
    this.table = h("table", { class: "seen" }, h("thead", {}, h("tr", {},
      ["move", "visits", "share", "policy", "expects"].map((text) => h("th", {}, text)))), this.body);
    this.element = h("section", { class: "eye", "aria-label": number ? "Second engine" : "Engine" },
      h("div", { class: "eye-stage" }, h("div", { class: "eval-row" }, this.meter, this.words), this.board.element),
      h("div", { class: "eye-engine" }, this.field.element),
      h("div", { class: "panel eye-table" }, this.line, this.table));
    this.onMove = onMove;
  }

  /** Show a position; what was seen of another is forgotten. */
  show(position, moves, still) {
    this.position = position;
    this.moves = moves;
    this.seen = this.exact = null;
    this.draw(still);
  }

  /** Begin to look; the engine searches as long as nobody calls `stop`. */
  look(path) {
    this.stop();
    const mine = {};
    this.mine = mine;
    const end = listen(path, (news) => {
      if (this.mine !== mine) return;
      if (!this.pending) requestAnimationFrame(() => { this.pending = false; this.draw(); });
      this.pending = true;
      this.seen = news;
      if (news.final) end();
      this.updates = (this.updates ?? 0) + 1;
    }, (error) => { this.words.textContent = error.message; });
    this.stop = () => { this.mine = null; end(); };
  }

  draw(still = false) {
    const { seen, layers } = this;
    this.board.show(this.position, this.moves, this.#marks(), still);
    const share = seen?.black ?? null, name = this.info.players[0].replace(/^.*\((.*)\)$/, "$1");
    this.meter.classList.toggle("none", share === null);
    this.bar.style.width = percent(share ?? 0.5);
    this.words.textContent = this.#words(share, name);
    this.meter.setAttribute("aria-label", this.words.textContent);
    this.line.replaceChildren(...(seen?.line?.length ? ["Line: ", ...seen.line.map((step, i) => h("span", {
      class: `step side${step.player}`,
    }, `${i + 1}. ${step.text} `))] : []));
    const columns = seen?.moves ?? [];
    const most = Math.max(...columns.map(({ share: s }) => s ?? 0), 1e-9);
    this.body.replaceChildren(...columns.slice(0, 12).map((move) => {
      const fill = h("span", { class: "fill" });
      fill.style.width = percent((move.share ?? 0) / most);
      return h("tr", {},
        h("td", {}, h("button", { type: "button", class: "link", onclick: () => this.onMove(move.text) }, move.text)),
        h("td", {}, move.visits === undefined ? "" : amount(move.visits)),
        h("td", { class: "share" }, fill, h("span", {}, move.share === undefined ? "" : `${(100 * move.share).toFixed(1)}%`)),
        h("td", {}, move.prior === undefined ? "" : `${(100 * move.prior).toFixed(1)}%`),
        h("td", {}, move.value === undefined ? "" : `${(50 * (1 + move.value)).toFixed(1)}%`));
    }));
    this.table.classList.toggle("empty", !columns.length);
    this.table.classList.toggle("heat-only", layers.heat === "none");
  }

  #words(share, name) {
    const { seen } = this;
    if (!seen) return this.mine ? "The engine starts …" : " ";
    if (seen.problem) return seen.problem;
    const words = [];
    if (seen.proven !== null) words.push(`proved: ${["loss", "draw", "win"][seen.proven + 1]} for the player to move`);
    else if (share !== null) words.push(`expects ${percent(share)} for ${name}`);
    else words.push(`plays ${seen.text}, without an estimate`);
    const { simulations, nodes, wall } = seen.cost;
    if (simulations) words.push(`${amount(simulations)} simulations`);
    else if (nodes > 1) words.push(`${amount(nodes)} nodes`);
    if (seen.depth) words.push(`depth ${seen.depth}`);
    words.push(duration(wall));
    return words.join(" · ");
  }

  #marks() {
    const { seen, layers } = this, marks = { hints: [], ghost: true };
    if (this.exact) {
      marks.hints = this.exact.map(({ path, value, plies }) => ({
        path, kind: ["exact loss", "exact draw", "exact win"][value + 1],
        label: [["loss", "draw", "win"][value + 1], ...(plies && value ? [`in ${plies}`] : [])],
      }));
      return marks;
    }
    if (!seen?.moves) return marks;
    const [, number] = HEATS[layers.heat];
    const heat = new Map();
    for (const move of seen.moves) {
      const cell = move.path.at(-1), value = number(move);
      if (cell !== undefined && value !== undefined) heat.set(cell, Math.max(value, heat.get(cell) ?? 0));
    }
    const most = layers.heat === "value" ? 1 : Math.max(...heat.values(), 1e-9);
    marks.heat = new Map([...heat].map(([cell, value]) => [cell, value / most]).filter(([, value]) => value > 0.04));
    if (layers.line) {
      const cells = new Set();  // a cell that is played on twice shows the first number
      marks.line = seen.line.map((step, i) => ({ ...step, label: String(i + 1) })).filter(({ path }) => (
        !cells.has(path.at(-1)) && cells.add(path.at(-1))
      ));
    } else if (layers.figures) {
      marks.hints = seen.moves.slice(0, 6).filter(({ share }, i) => !i || (share ?? 0) > 0.02).map((move) => ({
        path: move.path, label: move.value === undefined ? "" : [
          percent((1 + move.value) / 2), ...(move.visits === undefined ? [] : [amount(move.visits)])],
      }));
    }
    return marks;
  }
}
