// Strength per compute: Elo with 95% intervals against the time of a move, as in a report (reports/plots.py).

import { duration, h, s } from "./dom.js";

const HEIGHT = 340, LEFT = 54, RIGHT = 14, TOP = 12, BOTTOM = 42, COLOURS = 7, LINE = 14, LETTER = 6.8;
const LEAST = 1e-4;  // milliseconds: a clock may report 0
const BUDGET = /^(sims|depth|nodes|evals|cpu|wall)=/;

/** An entrant without its budget: the line of the plot that it is on. */
function familyOf(entrant) {
  const [name, options = ""] = entrant.split(/:(.*)/s);
  return [name, options.split(",").filter((option) => option && !BUDGET.test(option)).join()].join(":");
}

/** Round steps on an axis, at most 8 of them. */
function ticks(low, high) {
  const size = 10 ** Math.floor(Math.log10((high - low) / 8));
  const step = [1, 2, 2.5, 5, 10].map((part) => part * size).find((one) => (high - low) / one <= 8), first = Math.ceil(low / step);
  return [...Array(Math.floor(high / step) - first + 1).keys()].map((i) => (first + i) * step);
}

export class StrengthPlot {
  constructor() {
    this.rows = [];
    this.svg = s("svg", { class: "strength", role: "img", height: HEIGHT });
    this.element = h("div", { class: "strength-frame" }, this.svg);
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** @param rows of the ratings, best first. */
  show(rows) {
    this.rows = rows.filter(({ mean_wall_ms: cost }) => cost !== null).map((row) => ({ ...row, log: Math.log10(Math.max(row.mean_wall_ms, LEAST)) }));
    this.draw();
  }

  draw() {
    const { rows, svg } = this, width = Math.max(this.element.clientWidth, 280);
    svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    svg.setAttribute("aria-label", `Strength per compute: ${rows.map(({ entrant, rating, mean_wall_ms: cost }) => (
      `${entrant} ${Math.round(rating)} Elo for ${duration(cost / 1000)} a move`)).join("; ")}`);
    if (!rows.length) { svg.replaceChildren(); return; }
    const logs = rows.map(({ log }) => log), range = Math.max(...logs) - Math.min(...logs), margin = Math.max(0.11 * range, 0.8 * (1 - range), 0.08);
    const begin = Math.min(...logs) - margin, end = Math.max(...logs) + margin;
    // An interval that only a prior bounds may leave the scale.
    const low = Math.min(...rows.map((row) => (row.note ? row.rating : row.low95))) - 25;
    const high = Math.max(...rows.map((row) => (row.note ? row.rating : row.high95))) + 25;
    const bottom = HEIGHT - BOTTOM, right = width - RIGHT;
    const x = (log) => LEFT + (right - LEFT) * (log - begin) / (end - begin);
    const y = (elo) => bottom - (bottom - TOP) * (Math.min(Math.max(elo, low), high) - low) / (high - low);
    const decades = [...Array(Math.ceil(end) - Math.floor(begin)).keys()].map((i) => Math.floor(begin) + i);
    const costs = decades.flatMap((decade) => (end - begin < 3 ? [1, 2, 5] : [1]).map((part) => decade + Math.log10(part)))
      .filter((log) => log > begin && log < end);
    const families = [...new Set(rows.map(({ entrant }) => familyOf(entrant)))].sort();
    const hue = ({ entrant }) => `hue${families.indexOf(familyOf(entrant)) % COLOURS}`;
    const byCost = [...rows].sort((a, b) => a.log - b.log || a.rating - b.rating);
    let best = -Infinity, frontier = "";
    for (const { log, rating } of byCost) {
      if (rating <= best) continue;
      frontier += `${frontier ? "H" : "M"}${x(log)} ${frontier ? "V" : ""}${y(rating)}`;
      best = rating;
    }
    const labels = [];
    for (const row of [...rows].sort((a, b) => b.rating - a.rating)) {
      const long = LETTER * row.entrant.length, spots = [-0.5, 1, 0.2, -1.5, 2].flatMap((shift) => ["start", "end"].map((anchor) => {
        const at = x(row.log) + (anchor === "start" ? 9 : -9), from = anchor === "start" ? at : at - long;
        return { row, anchor, at, from, to: from + long, height: y(row.rating) + LINE * shift };
      }));
      const free = ({ from, to, height }) => from > 0 && to < width && labels.every((label) => (
        label.from > to || label.to < from || Math.abs(label.height - height) >= LINE)) && rows.every((other) => (
        x(other.log) > to + 5 || x(other.log) < from - 5 || Math.abs(y(other.rating) + 4 - height) >= 9));
      labels.push(spots.find(free) ?? spots[0]);
    }
    svg.replaceChildren(
      ...ticks(low, high).flatMap((elo) => [s("path", { class: "grid", d: `M${LEFT} ${y(elo)}H${right}` }),
        s("text", { x: LEFT - 6, y: y(elo) + 4, "text-anchor": "end" }, String(elo).replace("-", "−"))]),
      ...costs.flatMap((log) => [s("path", { class: "grid", d: `M${x(log)} ${TOP}V${bottom}` }),
        s("text", { x: x(log), y: bottom + 16, "text-anchor": "middle" }, duration(10 ** log / 1000))]),
      s("text", { class: "axis", x: right, y: HEIGHT - 6, "text-anchor": "end" }, "wall time per move (mean, log scale)"),
      s("text", { class: "axis", transform: `translate(12 ${TOP}) rotate(-90)`, "text-anchor": "end" }, "Elo (95% interval)"),
      s("path", { class: "frontier", d: `${frontier}H${right}` }),
      ...families.map((family) => {
        const line = byCost.filter(({ entrant }) => familyOf(entrant) === family);
        return s("polyline", { class: `family ${hue(line[0])}`, points: line.map((row) => `${x(row.log)},${y(row.rating)}`).join(" ") });
      }),
      ...rows.flatMap((row) => [s("path", { class: `span ${hue(row)}`, d: `M${x(row.log)} ${y(row.low95)}V${y(row.high95)}` }),
        s("circle", { class: `point ${hue(row)} ${row.note ? "hollow" : ""}`, cx: x(row.log), cy: y(row.rating), r: 5 })]),
      ...labels.map(({ anchor, at, height, row }) => (
        s("text", { class: `label ${hue(row)}`, x: at, y: height, "text-anchor": anchor }, row.entrant))));
  }
}
