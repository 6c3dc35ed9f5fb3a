// A game that is being or has been reviewed: board, graph, mistakes, table. It asks no server: what
// it shows is given to it, so that a saved page shows the same.

import { makeBoard, pieceIcon } from "./boards/index.js";
import { capital, h, patch, percent } from "./dom.js";
import { Graph, KINDS, kindIcon, signOf } from "./graph.js";
import { controls, desk, navigation, playerCard, table, toolbar, walk } from "./parts.js";

export class Reviewed {
  /**
   * @param info the constant data: the board, as the server describes it.
   * @param data the review: turns, values, verdicts, names.
   * @param placeAt returns the position after a number of turns, or a promise of it; of undefined if it fails.
   * @param say shows a message.
   */
  constructor(info, data, placeAt, say) {
    Object.assign(this, { info, data, placeAt, say });
    this.place = 0;
    this.detail = null;
    this.line = true;
    this.board = makeBoard(info);
    this.graph = new Graph(data.sides[0], (place) => this.go(place), (place) => this.#placeWords(place));
    this.where = h("h2", { class: "review-where", "data-caption": "" });
    this.words = h("p", { class: "status", role: "status", "aria-live": "polite", "data-caption": "" });
    this.verdict = h("div", { class: "verdict" });
    this.steps = walk(() => this.place, () => this.data.turns.length, (n) => this.#go(n));
    const { buttons, keys, bars } = controls({
      navigation: {
        ...navigation(this.steps),
        before: ["◂ Mistake", "M", "go to the previous mistake", () => this.mistake(-1), { "aria-label": "Previous mistake" }],
        next: ["Mistake ▸", "m", "go to the next mistake", () => this.mistake(1), { class: "main", "aria-label": "Next mistake" }],
      },
      view: {
        line: ["Line", "l", "show the better line, or only the better move", () => this.toggleLine(), { "aria-label": "Show the better line on the board" }],
        flip: ["Flip", "f", "turn the board", () => this.board.flip()],
      },
    });
    Object.assign(this, { buttons, keys, bars });
    this.cards = [0, 1].map((side) => playerCard(info, side, data.names[side] || capital(data.sides[side])));
    const choose = ({ target }) => {
      const button = target.closest("[data-place]");
      if (button) this.go(Number(button.dataset.place));
    };
    this.list = h("ol", { class: "mistakes", onclick: choose });
    this.none = h("p", { class: "none" });
    this.slides = h("ul", { class: "mistakes", "aria-label": "Drops that no single move explains", onclick: choose });
    this.body = h("tbody", { onclick: choose });
    this.graphPanel = h("section", { class: "panel" },
      h("h2", {}, `What ${data.sides[0]} could expect`), this.graph.element,
      h("p", { class: "review-legend" }, ...Object.entries({ blunder: "25%", mistake: "10%", inaccuracy: "5%" }).map(([kind, cost]) => (
        h("span", { title: `${kind}: ${cost} of the point or more` }, kindIcon(kind), `${KINDS[kind].sign} −${cost}`)))));
    this.mistakePanel = h("section", { class: "panel mistake-panel" },
      h("h2", {}, "Mistakes, the largest first"), this.none, this.list, this.slides);
    this.tablePanel = h("details", { class: "panel change all-moves" }, h("summary", {}, "All moves as a table"),
      h("div", { class: "scroll" }, table(`Every move, what ${data.sides[0]} could expect after it, and what it cost its player`,
        ["", "move", `for ${data.sides[0]}`, "cost"], this.body)));
    this.element = desk("review", `Review of ${info.title}`, info, this.board.element, [
      h("div", { class: "review-first" }, toolbar(bars), h("div", { class: "panel about" }, this.where, this.verdict, this.words)),
      this.graphPanel, this.mistakePanel,
      h("div", { class: "players" }, ...this.cards.map(({ element }) => element)), this.tablePanel]);
    this.update(data);
    this.go(0);
  }

  /** Show what has become known. */
  update(data) {
    this.data = data;
    this.verdicts = new Map(data.verdicts.map((verdict) => [verdict.turn, verdict]));
    this.graph.show(data.values, data.verdicts, data.slides);
    this.cards.forEach(({ note }, side) => { note.textContent = data.summaries[side]; });
    this.#mistakes();
    this.#table();
    const { detail } = this;
    if (detail && !detail.known && data.values[this.place]) this.#load();
    else this.#draw();
  }

  /** Show the position after `place` turns; a promise that it is drawn. */
  go(place) { return this.steps.go(place); }

  #go(place) {
    this.place = place;
    this.graph.go(place);
    this.#table();
    return this.#load();
  }

  /** To the position before the next mistake, or before the last one. */
  mistake(by) {
    const places = this.data.verdicts.map(({ turn }) => turn - 1).sort((a, b) => by * (a - b));
    const next = places.find((place) => by * (place - this.place) > 0);
    if (next !== undefined) this.go(next);
    else this.say(places.length ? `There is no mistake ${by > 0 ? "after" : "before"} this position.` : "No mistake has been found.");
  }

  toggleLine() {
    this.line = !this.line;
    this.#draw();
  }

  async #load() {
    const { place } = this;
    const detail = await this.placeAt(place);
    if (!detail || place !== this.place) return;
    const still = this.detail === null || Math.abs(this.detail.place - place) !== 1;
    this.detail = detail;
    this.#draw(still);
  }

  #draw(still = true) {
    const { detail, place } = this, { turns } = this.data;
    this.buttons.start.disabled = this.buttons.back.disabled = place === 0;
    this.buttons.forth.disabled = this.buttons.end.disabled = place === turns.length;
    this.buttons.line.setAttribute("aria-pressed", String(this.line));
    const last = turns[place - 1], over = place === turns.length;
    this.where.textContent = last ? `After move ${place} of ${turns.length}: ${this.data.sides[last.player]} ${last.text}` : `The start; ${turns.length} moves follow`;
    this.verdict.replaceChildren(...[this.#verdictWords(place + 1, "Next, "), this.#verdictWords(place, "")].filter(Boolean));
    if (!detail || detail.place !== place) return;
    this.board.show(detail.position, [], this.#marks(), still);
    const end = over && this.data.result ? ` The game ended: ${this.data.result}.` : "";
    this.words.hidden = this.verdicts.has(place + 1);  // it says the same, and more
    this.words.textContent = `${capital(detail.words)}.${end && !detail.words.includes(this.data.result) ? end : ""}`;
  }

  #verdictWords(number, before) {
    const verdict = this.verdicts.get(number);
    if (!verdict) return null;
    const turn = this.data.turns[number - 1];
    const head = `${before}move ${number}, ${this.data.sides[turn.player]} ${turn.text}`;
    return h("p", { class: before ? "next" : "made" }, kindIcon(verdict.kind), h("b", {}, `${capital(head)} ${KINDS[verdict.kind].sign} `), verdict.text,
      before && verdict.best ? h("span", { class: "key" }, " On the board: ✗ played, ", this.line ? "1, 2, … the better line." : "✓ better.") : "");
  }

  #marks() {
    const { detail, place } = this, verdict = this.verdicts.get(place + 1);
    if (!verdict) return {};
    const played = this.data.turns[place], end = played.path.at(-1);
    const marks = { hints: [{ path: played.path, label: "✗", kind: "played" }] };
    if (!verdict.best) return marks;
    if (this.line && detail.line.length) {
      const later = detail.line.findIndex(({ path }) => path.length && path.at(-1) === end);
      if (later >= 0) marks.hints[0].label = ["✗", String(later + 1)];
      marks.line = detail.line;
    } else marks.hints.push({ path: verdict.best.path, label: "✓", kind: "better" });
    return marks;
  }

  #mistakes() {
    const mistakes = this.data.verdicts.toSorted((a, b) => b.loss - a.loss || a.turn - b.turn);
    this.none.hidden = mistakes.length > 0 && !this.data.cannot;
    this.none.textContent = this.data.cannot || (this.data.final ? "No mistakes were found." : "No mistakes so far.");
    this.none.classList.toggle("cannot", Boolean(this.data.cannot));
    this.buttons.next.disabled = this.buttons.before.disabled = !mistakes.length;
    patch(this.slides, this.data.slides.map(({ from, text }) => ["li", {}, ["button", { type: "button", "data-place": from }, ["span", { class: "text" }, text]]]));
    patch(this.list, mistakes.map((verdict) => {
      const { turn, kind, text, best, cost, exact, margin } = verdict;
      const made = this.data.turns[turn - 1];
      return ["li", {}, ["button", {
        type: "button", "data-place": turn - 1, title: text,
      },
      { key: kind, make: () => kindIcon(kind) }, ["span", { class: "number" }, `${turn}.`], this.#icon(made.player), ["span", { class: "hidden" }, this.data.sides[made.player]],
      ["span", { class: "text" }, ["b", {}, `${made.text} ${signOf(verdict)}`], best ? ` better ${best.text}` : ""],
      ["span", { class: "value" }, `−${cost}${exact ? " exact" : margin ? ` ± ${percent(margin)}` : ""}`]]];
    }));
  }

  #table() {
    patch(this.body, this.data.turns.map(({ player, text }, i) => {
      const verdict = this.verdicts.get(i + 1);
      return ["tr", { class: this.place === i + 1 ? "current" : "" }, ["td", {}, `${i + 1}.`],
        ["td", {}, this.#icon(player), ["span", { class: "hidden" }, this.data.sides[player]],
          ["button", { type: "button", class: "link", "data-place": i + 1 }, text]],
        ["td", {}, this.data.values[i + 1]?.text ?? "…"],
        ["td", {}, verdict ? `${signOf(verdict)} −${verdict.cost}` : ""]];
    }));
  }

  #icon(player) { return { key: `icon${player}`, make: () => pieceIcon(this.info, player) }; }

  /** What screen readers hear of a place of the graph. */
  #placeWords(place) {
    const turn = this.data.turns[place - 1], value = this.data.values[place], verdict = this.verdicts?.get(place);
    const words = [turn ? `after move ${place}, ${this.data.sides[turn.player]} ${turn.text}` : "the start"];
    words.push(value ? `${value.text} for ${this.data.sides[0]}` : "not evaluated");
    if (verdict) words.push(verdict.kind);
    return words.join(", ");
  }
}
