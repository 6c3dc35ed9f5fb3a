// The value of every position of a game as a graph that can be clicked; the keys of the page walk
// along it.
//
// Up is good for black: the height is black's expected share of the point.
// Mistakes differ by shape as well as by colour.

import { h, percent, s } from "./dom.js";

const HEIGHT = 130, LEFT = 44, RIGHT = 12, TOP = 14, BOTTOM = 22;

/** A kind of mistake: the sign that annotators use, and a shape around (0, 0). */
export const KINDS = {
  blunder: { sign: "??", shape: () => s("path", { d: "M-8 -6H8L0 9Z" }) },
  mistake: { sign: "?", shape: () => s("path", { d: "M0 -8L8 0L0 8L-8 0Z" }) },
  inaccuracy: { sign: "?!", shape: () => s("circle", { r: 5.5 }) },
};

/** The sign of a verdict, where no sentence follows; chance may have made it one that is not sure. */
export const signOf = ({ kind, sure }) => `${KINDS[kind].sign}${sure ? "" : " probably"}`;

export function kindIcon(kind) {
  return s("svg", { class: `fault ${kind}`, viewBox: "-11 -11 22 22", "aria-hidden": "true" }, KINDS[kind].shape());
}

export class Graph {
  /**
   * @param name the player of the share, such as "red".
   * @param onPlace called with the number of a position that has been chosen.
   * @param words what is said of a position, for screen readers.
   */
  constructor(name, onPlace, words) {
    Object.assign(this, { onPlace, words });
    this.values = [];
    this.marks = this.slides = [];
    this.place = 0;
    this.width = 600;
    this.svg = s("svg", {
      class: "graph", role: "slider", tabindex: 0, height: HEIGHT, "aria-orientation": "horizontal",
      "aria-label": `Move by move: the share of the point that ${name} can expect`,
    });
    this.element = h("div", { class: "graph-frame" }, this.svg);
    this.svg.addEventListener("pointerdown", (event) => { this.svg.focus({ preventScroll: true }); this.#point(event); });
    this.svg.addEventListener("pointermove", (event) => { if (event.buttons & 1) this.#point(event); });
    new ResizeObserver(() => {
      const width = Math.max(this.element.clientWidth, 200);
      if (width !== this.width) { this.width = width; this.draw(); }
    }).observe(this.element);
  }

  /** @param values for each position {black} or null. @param marks [{turn, kind}]. @param slides [{from, to}]. */
  show(values, marks, slides) {
    Object.assign(this, { values, marks, slides });
    this.draw();
  }

  go(place) {
    this.place = place;
    this.#cursor();
  }

  x(place) {
    return LEFT + (this.width - LEFT - RIGHT) * place / Math.max(this.values.length - 1, 1);
  }

  y(share) { return TOP + (HEIGHT - TOP - BOTTOM) * (1 - share); }

  draw() {
    const { values, width } = this, last = values.length - 1, low = this.y(0), high = this.y(1);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    const parts = [s("rect", { x: LEFT, y: high, width: width - LEFT - RIGHT, height: low - high, class: "sky" })];
    for (const { from, to } of this.slides) {
      parts.push(s("rect", { x: this.x(from), y: high, width: this.x(to) - this.x(from), height: low - high, class: "slide" }));
    }
    for (const run of this.#runs()) {
      const points = run.map((place) => `${this.x(place)} ${this.y(values[place].black)}`);
      if (run.length > 1) {
        parts.push(s("path", { class: "ground", d: `M${this.x(run[0])} ${low}L${points.join("L")}L${this.x(run.at(-1))} ${low}Z` }));
        parts.push(s("path", { class: "curve", d: `M${points.join("L")}` }));
      } else parts.push(s("circle", { class: "dot", cx: this.x(run[0]), cy: this.y(values[run[0]].black), r: 2.5 }));
    }
    for (const share of [1, 0.5, 0]) {
      const y = this.y(share);
      parts.push(s("line", { x1: LEFT, x2: width - RIGHT, y1: y, y2: y, class: share === 0.5 ? "even" : "edge" }));
      parts.push(s("text", { x: LEFT - 6, y, class: "scale", "text-anchor": "end" }, percent(share)));
    }
    const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((n) => n * (width - LEFT) / Math.max(last, 1) >= 34) ?? 1000;
    for (let place = 0; place <= last; place += step) {
      parts.push(s("text", { x: this.x(place), y: HEIGHT - 6, class: "scale", "text-anchor": "middle" }, String(place)));
    }
    this.cursor = s("g", { class: "here" });
    const marks = this.marks.filter(({ turn }) => values[turn]).map(({ turn, kind, sure }) => (
      s("g", { class: `fault-mark ${kind}${sure ? "" : " unsure"}`, transform: `translate(${this.x(turn)} ${this.y(values[turn].black)})` }, KINDS[kind].shape())
    ));
    this.svg.replaceChildren(...parts, this.cursor, ...marks);
    this.#cursor();
  }

  /** Neighbouring positions with known values. */
  #runs() {
    const runs = [];
    this.values.forEach((value, place) => {
      if (!value) return;
      if (runs.at(-1)?.at(-1) === place - 1) runs.at(-1).push(place);
      else runs.push([place]);
    });
    return runs;
  }

  #cursor() {
    const { place } = this, value = this.values[place], x = this.x(place);
    const last = Math.max(this.values.length - 1, 0);
    const set = { "aria-valuemin": 0, "aria-valuemax": last, "aria-valuenow": place, "aria-valuetext": this.words(place) };
    for (const [name, text] of Object.entries(set)) this.svg.setAttribute(name, text);
    this.cursor?.replaceChildren(
      s("line", { x1: x, x2: x, y1: this.y(1) - 6, y2: this.y(0) }),
      ...(value ? [s("circle", { cx: x, cy: this.y(value.black), r: 5 })] : []));
  }

  #point(event) {
    const box = this.svg.getBoundingClientRect(), last = this.values.length - 1;
    const share = ((event.clientX - box.left) * this.width / box.width - LEFT) / (this.width - LEFT - RIGHT);
    const place = Math.round(Math.min(Math.max(share, 0), 1) * last);
    if (place !== this.place) this.onPlace(place);
  }
}
