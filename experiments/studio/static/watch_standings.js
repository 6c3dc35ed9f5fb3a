// The table of a tournament's standings: ratings, their 95% intervals as bars, costs of moves.

import { breakable, duration, h, patch, percent } from "./dom.js";
import { table } from "./parts.js";

const COLUMNS = ["", "entrant", "Elo", "95%", "interval", "games", "+ = −", "score"];

const minus = (number) => String(number).replace(/^-/, "−");

export class Standings {
  /** @param onEntrant called with the name of an entrant that has been clicked. @param cost the last column, and milliseconds of a row. */
  constructor(onEntrant, cost = ["CPU a move", "mean_cpu_ms"]) {
    this.cost = cost[1];
    this.body = h("tbody", { onclick: ({ target }) => { if (target.dataset.entrant) onEntrant(target.dataset.entrant); } });
    this.element = table("Standings", [...COLUMNS, cost[0]], this.body, { class: "standings" });
  }

  /** @param rows of the server, best first. */
  show(rows) {
    const bounded = rows.filter(({ low95, high95 }) => low95 !== null && high95 !== null);
    // What only a prior bounds would leave no room for the rest: it may leave the scale.
    const low = Math.min(...bounded.map((row) => (row.note ? row.rating : row.low95)));
    const high = Math.max(...bounded.map((row) => (row.note ? row.rating : row.high95)));
    const share = (elo) => `${(100 * elo) / (high - low || 1)}%`, at = (value) => `left: ${share(value - low)}`;
    patch(this.body, rows.map((row, place) => {
      const known = bounded.includes(row), { entrant, low95, high95 } = row;
      return ["tr", {},
        ["td", {}, String(place + 1)],
        ["td", {}, ["button", { type: "button", class: "link", title: row.note || entrant, "data-entrant": entrant }, ...breakable(entrant)], row.note ? " *" : ""],
        ["td", {}, minus(Math.round(row.rating))],
        ["td", {}, known ? `± ${Math.round((high95 - low95) / 2)}` : "–"],
        ["td", { title: known ? `${Math.round(low95)} to ${Math.round(high95)}` : "" },
          ["div", { class: "interval", "aria-hidden": "true" }, ...(known ? [
            ...(low < 0 && high > 0 ? [["span", { class: "zero", css: at(0) }]] : []),
            ["span", { class: "span95", css: `${at(low95)}; width: ${share(high95 - low95)}` }],
            ["span", { class: "at", css: at(row.rating) }],
          ] : [])]],
        ["td", {}, String(row.games)],
        ["td", { title: `${row.wins} won, ${row.draws} drawn, ${row.losses} lost` }, `${row.wins} ${row.draws} ${row.losses}`],
        ["td", {}, percent(row.score)],
        ["td", {}, duration(row[this.cost] === null ? null : row[this.cost] / 1000)]];
    }));
  }
}
