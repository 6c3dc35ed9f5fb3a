// The table of a tournament's standings: ratings, their 95% intervals as bars, what a move costs.

import { breakable, duration, h, percent } from "./dom.js";
import { table } from "./parts.js";

const COLUMNS = ["", "entrant", "Elo", "95%", "interval", "games", "+ = −", "score", "CPU a move"];

export class Standings {
  /** @param onEntrant called with the name of an entrant that has been clicked. */
  constructor(onEntrant) {
    this.onEntrant = onEntrant;
    this.rows = new Map();
    this.body = h("tbody", {});
    this.element = table("Standings", COLUMNS, this.body, { class: "standings" });
  }

  /**
   * @param rows of the server, best first.
   * @param others rows that the scale has room for as well.
   */
  show(rows, others = []) {
    const all = [...rows, ...others].filter(({ low95, high95 }) => low95 !== null && high95 !== null);
    // What only a prior bounds would leave no room for the rest: it may leave the scale.
    const low = Math.min(...all.map((row) => (row.note ? row.rating : row.low95)));
    const high = Math.max(...all.map((row) => (row.note ? row.rating : row.high95)));
    const at = (value) => `${(100 * (value - low)) / (high - low || 1)}%`;
    for (const [entrant, row] of this.rows) {
      if (!rows.some((one) => one.entrant === entrant)) { row.element.remove(); this.rows.delete(entrant); }
    }
    rows.forEach((one, place) => {
      const row = this.rows.get(one.entrant) ?? this.#newRow(one.entrant);
      const { low95, high95, rating } = one, known = low95 !== null && high95 !== null;
      [place + 1, null, Math.round(rating), known ? `± ${Math.round((high95 - low95) / 2)}` : "–", null, one.games,
        `${one.wins} ${one.draws} ${one.losses}`, percent(one.score), duration(one.mean_cpu_ms === null ? null : one.mean_cpu_ms / 1000)].forEach((text, i) => {
        if (text !== null) row.cells[i].textContent = String(text).replace(/^-/, "−");
      });
      row.cells[1].firstChild.title = one.note || one.entrant;
      row.cells[1].lastChild.textContent = one.note ? " *" : "";
      row.bar.hidden = !known;
      row.zero.hidden = !(low < 0 && high > 0);
      if (known) {
        row.bar.style.left = at(low95);
        row.bar.style.width = `${(100 * (high95 - low95)) / (high - low || 1)}%`;
        row.dot.style.left = at(rating);
        row.zero.style.left = at(0);
        row.cells[6].title = `${one.wins} won, ${one.draws} drawn, ${one.losses} lost`;
        row.cells[4].title = `${Math.round(low95)} to ${Math.round(high95)}`;
      }
      if (this.body.children[place] !== row.element) this.body.insertBefore(row.element, this.body.children[place] ?? null);
    });
  }

  #newRow(entrant) {
    const cells = COLUMNS.map(() => h("td", {}));
    const row = {
      cells, bar: h("span", { class: "span95" }), dot: h("span", { class: "at" }), zero: h("span", { class: "zero" }),
      element: h("tr", { "data-entrant": entrant }, cells),
    };
    cells[1].append(h("button", { type: "button", class: "link", onclick: () => this.onEntrant(entrant) }, ...breakable(entrant)), h("span", {}));
    cells[4].append(h("div", { class: "interval", "aria-hidden": "true" }, row.zero, row.bar, row.dot));
    this.rows.set(entrant, row);
    return row;
  }
}
