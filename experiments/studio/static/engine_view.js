// One engine's look at a position: its board with heat, figures and expected line, and its table.

import { listen } from "./api.js";
import { makeBoard } from "./boards/index.js";
import { amount, duration, h, patch, percent } from "./dom.js";
import { Meter, preparingWords, table } from "./parts.js";
import { judgeOf, playerField } from "./players.js";

const expected = (move) => (move.value === undefined ? undefined : (1 + move.value) / 2);

/** The choices of the heat map: a name, the number of a move, 0 to 1, and whether the other engine's is taken off. */
export const HEATS = {
  visits: ["visits", (move) => move.share],
  prior: ["policy before the search", (move) => move.prior],
  value: ["expected value", expected],
  apart: ["difference: visits", (move) => move.share, true],
  valueApart: ["difference: value", expected, true],
  none: ["nothing", () => undefined],
};

// Looks that may wait to be drawn, one in each frame of the screen; a page that cannot keep up leaves
// out the oldest.
const WAITING = 3;
const TABLE_ROWS = 12;

export class EngineView {
  constructor(number, info, choice, spec, { layers, engineViews, onMove, onSay, onEngine }) {
    Object.assign(this, { info, layers, engineViews });
    this.seen = null;
    this.stop = () => {};
    this.onLook = () => {};
    this.board = makeBoard(info, onMove, onSay);
    this.field = playerField(`engine-view-${number}`, number ? "Second engine" : "Engine", choice, spec, false, onEngine, info.searches);
    this.field.fillFor(info.game);
    this.meter = new Meter(info);
    this.line = h("p", { class: "line" });
    this.key = h("p", { class: "line", hidden: true });
    this.doubt = h("p", { class: "cannot", role: "status", hidden: true });  // that the engine cannot judge this game
    this.preview = null;  // the text of the move whose line is shown
    this.board.onPoint = (cell) => this.#preview((move) => move.path.at(-1) === cell);
    const row = ({ target }) => this.#preview(({ text }) => text === target.closest("tr")?.dataset.row);
    this.body = h("tbody", {
      onclick: ({ target }) => { if (target.dataset.move) onMove(target.dataset.move); },
      onpointerover: row, onfocusin: row, onpointerleave: row, onfocusout: () => this.#preview(() => false),
    });
    this.table = table("Favourite moves", ["move", "visits", "share", "policy before", "for"], this.body, { class: "seen" });
    this.expects = this.table.querySelector("th:last-child");  // the lists are for the player to move
    const name = number ? "Second engine" : "Engine";
    this.element = h("section", { class: "engine-view", "aria-label": `${name}: board` }, this.meter.element, this.board.element);
    this.panel = h("section", { class: "panel engine-panel", "aria-label": `${name}: moves` }, this.field.element, this.line, this.key, this.table, this.doubt);
    this.looks = [];
    this.owner = [];  // of each cell, see `ownerMarks`
  }

  /** The other engine's view, if there is one. */
  get other() { return this.engineViews.find((one) => one !== this); }

  /** Show a position; what was seen of another is forgotten. */
  show(position, still) {
    this.position = position;
    this.seen = this.exact = this.preview = null;
    this.owner = [];
    this.draw(still);
  }

  /** Say whether the engine can judge the game of a `path`; asked once for each engine. */
  async check(path) {
    const engine = this.field.value();
    if (engine === this.checked) return;
    this.checked = engine;
    this.doubt.hidden = true;
    const { problem } = await judgeOf(path, engine);
    if (engine === this.checked) Object.assign(this.doubt, { textContent: problem, hidden: !problem });
  }

  /** Begin the analysis; the engine searches until `stop` is called. */
  look(path) {
    this.stop();
    const end = listen(path, (event) => {
      if ("progress" in event) { this.meter.show(null, preparingWords(event.progress) || "The engine thinks …"); return; }
      this.looks.push(event);
      this.looks.splice(0, this.looks.length - WAITING);  // in a hidden tab, no frame comes
      if (event.final) end();
      this.#awaitFrame();
    }, (error) => { this.meter.show(null, error.message); });
    this.looking = true;
    this.stop = () => {
      end();
      this.looking = false;
      this.looks = [];
      this.stop = () => {};
    };
  }

  #awaitFrame() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (!this.looks.length) return;
      this.seen = this.looks.shift();
      this.draw();
      this.onLook(this.seen);
      if (HEATS[this.layers.heat][2]) this.other?.draw(true);
      if (this.looks.length) this.#awaitFrame();
    });
  }

  draw(still = false) {
    const { seen } = this, share = seen?.black ?? null;
    this.board.show(this.position, this.position.moves ?? [], this.#marks(), still);
    if (seen?.look) this.element.dataset.look = seen.look;
    else delete this.element.dataset.look;
    this.meter.show(share, this.#words(share));
    const line = this.#line();
    patch(this.line, line.length ? ["Line: ", ...line.map(({ player, text }, i) => (
      ["span", { class: `step side${player}` }, `${i + 1}. ${text} `]
    ))] : []);
    const apart = HEATS[this.layers.heat][2];
    this.key.hidden = !apart;
    if (apart) this.key.textContent = this.other ? "Blue: more than the other engine; orange: less." : "A second engine shows the difference.";
    const moves = seen?.moves ?? [];
    if (seen) patch(this.body, moves.slice(0, TABLE_ROWS).map((move) => this.#row(move)));  // until then, the room of the last look
    this.expects.textContent = `for ${this.info.players[this.position.turn]}`;
    this.table.classList.toggle("empty", !moves.length);
  }

  /** The expected line, or that of the move that is pointed at. */
  #line() {
    const { seen, preview } = this;
    return seen?.moves?.find(({ text }) => text === preview)?.line ?? seen?.line ?? [];
  }

  #preview(fits) {
    const move = this.seen?.moves?.find((one) => one.line && fits(one))?.text ?? null;
    if (move === this.preview) return;
    this.preview = move;
    this.draw(true);
  }

  /** The number of each cell: of the best move that ends there. */
  heat() {
    const [, number] = HEATS[this.layers.heat], heat = new Map();
    for (const move of this.seen?.moves ?? []) {
      const cell = move.path.at(-1), value = number(move);
      if (cell !== undefined && value !== undefined) heat.set(cell, Math.max(value, heat.get(cell) ?? 0));
    }
    return heat;
  }

  #heatMarks() {
    const heat = this.heat(), { heat: kind } = this.layers, apart = HEATS[kind][2];
    if (!apart) return [heat, kind === "value" ? 1 : Math.max(...heat.values(), 2 / heat.size)];
    const other = this.other?.heat() ?? new Map(), cells = new Set([...heat.keys(), ...other.keys()]);
    if (!heat.size || !other.size) return [new Map(), 1];
    const both = [...cells].filter((cell) => kind === "apart" || (heat.has(cell) && other.has(cell)))
      .map((cell) => [cell, (heat.get(cell) ?? 0) - (other.get(cell) ?? 0)]);
    return [new Map(both), Math.max(...both.map(([, value]) => Math.abs(value)), 0.05)];
  }

  #row({ text, visits, share, prior, value, line }) {
    return ["tr", { "data-row": text },
      ["td", {}, ["button", { type: "button", class: "link", "data-move": text, ...(line ? { title: `Line: ${line.map((move) => move.text).join(" ")}` } : {}) }, text]],
      ["td", {}, visits === undefined ? "" : amount(visits)],
      ["td", { class: "share" }, ["span", { class: "fill", css: `transform: scaleX(${(share ?? 0).toFixed(3)})` }], ["span", {}, percent(share, 1)]],
      ["td", {}, percent(prior, 1)],
      ["td", {}, percent(expected({ value }), 1)]];
  }

  #words(share) {
    const { seen } = this, name = this.info.players[0];
    if (!seen) return this.looking ? "The engine starts …" : " ";
    if (seen.problem) return seen.problem;
    const words = [];
    if (seen.proven !== null) words.push(`proved: ${["loss", "draw", "win"][seen.proven + 1]} for the player to move`);
    else if (share !== null) words.push(`expects ${percent(share)} for ${name}`);
    else words.push(`plays ${seen.text}, without an estimate`);
    const { simulations, nodes, wall } = seen.cost;
    if (simulations) words.push(`${amount(simulations)} simulations`);
    else if (nodes > 1) words.push(`${amount(nodes)} nodes`);
    if (seen.depth) words.push(`depth ${seen.depth}`);
    if (seen.lead != null && seen.proven === null) words.splice(1, 0, `score ${seen.lead > 0 ? "+" : ""}${seen.lead.toFixed(1)} for ${name}`);
    words.push(duration(wall));
    return words.join(" · ");
  }

  #marks() {
    const { seen, layers, preview } = this, marks = { hints: [], ghost: !preview, ownership: this.owner };
    if (this.exact) {
      marks.hints = this.exact.map(({ path, value, plies }) => ({
        path, kind: ["exact loss", "exact draw", "exact win"][value + 1],
        label: [["loss", "draw", "win"][value + 1], ...(plies && value ? [`in ${plies}`] : [])],
      }));
      return marks;
    }
    if (!seen?.moves) return marks;
    const [heat, most] = this.#heatMarks();
    marks.heat = new Map([...heat].map(([cell, value]) => [cell, value / most]).filter(([, value]) => Math.abs(value) > 0.04));
    if (layers.line || preview) marks.line = this.#line();
    else if (layers.figures) {
      const best = seen.moves.slice(0, 6).filter(({ share }, i) => !i || (share ?? 0) > 0.02);
      [marks.hints, marks.others] = [best, seen.moves.filter((move) => !best.includes(move))].map((moves) => moves.map((move) => ({
        path: move.path, label: move.value === undefined ? "" : [
          percent((1 + move.value) / 2), ...(move.visits === undefined ? [] : [amount(move.visits)])],
      })));
    }
    return marks;
  }
}
