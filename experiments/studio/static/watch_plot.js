// Strength per compute: Elo with its 95% interval against CPU time a move, a line for each family.
//
// The same numbers as the report's plot. Families differ by colour (Okabe and Ito's palette, safe
// for colour-blind readers) and by the shape of their points.

import { h, s } from "./dom.js";

const WIDTH = 600, HEIGHT = 400, LEFT = 56, RIGHT = 16, TOP = 22, BOTTOM = 44;
const COLOURS = 7, LEAST = 1e-4;
const SHAPES = [
  (x, y) => s("circle", { cx: x, cy: y, r: 5 }),
  (x, y) => s("rect", { x: x - 4.6, y: y - 4.6, width: 9.2, height: 9.2 }),
  (x, y) => s("path", { d: `M${x} ${y - 6}L${x + 5.6} ${y + 4.4}H${x - 5.6}Z` }),
  (x, y) => s("path", { d: `M${x} ${y - 6.4}L${x + 6.4} ${y}L${x} ${y + 6.4}L${x - 6.4} ${y}Z` }),
  (x, y) => s("path", { d: `M${x} ${y + 6}L${x + 5.6} ${y - 4.4}H${x - 5.6}Z` }),
];

/**
 * The plot with its legend.
 *
 * @param rows of the standings.
 * @param others rows that the axes have room for as well.
 */
export function strengthPlot(rows, others = []) {
  const drawn = (row) => row.mean_cpu_ms !== null && row.low95 !== null && row.high95 !== null;
  const points = rows.filter(drawn), all = [...points, ...others.filter(drawn)];
  if (!points.length) return h("p", {}, "There is nothing to draw yet.");
  const costs = all.map((row) => Math.max(row.mean_cpu_ms, LEAST));
  let from = Math.log10(Math.min(...costs)), to = Math.log10(Math.max(...costs));
  const air = Math.max(0.1 * (to - from), 0.5 * (1 - (to - from)), 0.08);
  [from, to] = [from - air, to + air];
  // What only a prior bounds would leave no room for the rest: its interval may leave the plot.
  let low = Math.min(...all.map((row) => (row.note ? row.rating : row.low95)));
  let high = Math.max(...all.map((row) => (row.note ? row.rating : row.high95)));
  const space = 0.06 * Math.max(high - low, 50);
  [low, high] = [low - space, high + space];
  const x = (ms) => LEFT + ((WIDTH - LEFT - RIGHT) * (Math.log10(Math.max(ms, LEAST)) - from)) / (to - from);
  const y = (elo) => TOP + ((HEIGHT - TOP - BOTTOM) * (high - elo)) / (high - low);
  const inside = (elo) => Math.min(Math.max(elo, low), high);

  const grid = s("g", { class: "axis" });
  for (let power = Math.ceil(from); power <= to; power++) {
    const at = x(10 ** power);
    grid.append(s("line", { x1: at, x2: at, y1: TOP, y2: HEIGHT - BOTTOM }), text(at, HEIGHT - BOTTOM + 17, tick(10 ** power), "middle"));
  }
  for (const elo of ticks(low, high)) {
    grid.append(s("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(elo), y2: y(elo) }), text(LEFT - 8, y(elo) + 4, String(elo).replace("-", "−"), "end"));
  }
  grid.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, "CPU time a move, ms (log scale)", "middle"), text(LEFT, TOP - 6, "Elo", "end"));

  const families = [...new Set([...rows, ...others].map((row) => row.family))].sort();
  const lines = s("g", {}), shapes = s("g", {}), boxes = [];
  for (const row of points) {
    const at = x(row.mean_cpu_ms);
    boxes.push([at - 7, y(row.rating) - 7, at + 7, y(row.rating) + 7], [at - 2, y(inside(row.high95)), at + 2, y(inside(row.low95))]);
  }
  families.forEach((family, number) => {
    const group = s("g", { class: `family f${number % COLOURS}` });
    const own = points.filter((row) => row.family === family).sort((a, b) => a.mean_cpu_ms - b.mean_cpu_ms);
    if (own.length > 1) {
      lines.append(s("polyline", { class: `family f${number % COLOURS}`, points: own.map((row) => `${x(row.mean_cpu_ms)},${y(row.rating)}`).join(" ") }));
    }
    for (const row of own) {
      const at = x(row.mean_cpu_ms), shape = SHAPES[number % SHAPES.length](at, y(row.rating));
      if (row.note) shape.setAttribute("class", "hollow");
      group.append(s("g", {}, s("title", {}, `${row.entrant}: ${Math.round(row.rating)} (${Math.round(row.low95)} to ${Math.round(row.high95)}) Elo`),
        s("path", { class: "error", d: `M${at - 4} ${y(inside(row.high95))}h8m-4 0V${y(inside(row.low95))}m-4 0h8` }), shape));
      const label = row.budget || family, place = roomFor(label, at, y(row.rating), boxes);
      if (place) group.append(text(place[0], place[1], label, "start"));
    }
    shapes.append(group);
  });
  const legend = h("figcaption", { class: "legend" }, families.map((family, number) => h("span", {},
    s("svg", { viewBox: "-8 -8 16 16", class: `strength-plot icon family f${number % COLOURS}`, "aria-hidden": "true" }, SHAPES[number % SHAPES.length](0, 0)), family)),
  rows.some((row) => row.note) ? h("span", {}, "hollow: bounded by a prior only") : "");
  const fragment = document.createDocumentFragment();
  fragment.append(s("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "strength-plot", role: "img",
    "aria-label": `Elo against CPU time a move: ${points.map((row) => `${row.entrant} ${Math.round(row.rating)}`).join(", ")}`,
  }, grid, lines, shapes), legend);
  return fragment;
}

function text(x, y, words, anchor) {
  return s("text", { x, y, "text-anchor": anchor }, words);
}

const tick = (value) => (value >= 1000 ? value.toLocaleString("en") : String(Number(value.toPrecision(3))));

/** Round numbers between two bounds, about six. */
function ticks(low, high) {
  const rough = (high - low) / 6, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((one) => one * power >= rough) ?? 10);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(Math.round(value));
  return found;
}

/** Where a label covers nothing, beside its point; null if there is no such place. */
function roomFor(label, x, y, boxes) {
  const width = 7.4 * label.length, height = 13;
  const places = [[x + 9, y + 4], [x - 9 - width, y + 4], [x + 7, y - 8], [x + 7, y + 16], [x - 7 - width, y - 8], [x - 7 - width, y + 16]];
  const free = places.find(([left, base]) => {
    const box = [left, base - height + 3, left + width, base + 3];
    return box[0] > LEFT && box[2] < WIDTH && box[1] > 0 && box[3] < HEIGHT - BOTTOM
      && boxes.every((other) => box[2] < other[0] || box[0] > other[2] || box[3] < other[1] || box[1] > other[3]);
  });
  if (free) boxes.push([free[0], free[1] - height + 3, free[0] + width, free[1] + 3]);
  return free ?? null;
}
