// Round pieces, shared by several kinds of board. Colours are in style.css.

import { s } from "../dom.js";

/** A stone of Go; `side` is 0 or 1. */
export function stone(side, radius = 47) {
  return s("g", { class: `stone side${side}` },
    s("circle", { cx: 3, cy: 5, r: radius, class: "shadow" }),
    s("circle", { r: radius, class: "body" }),
    s("ellipse", { cx: -radius * 0.3, cy: -radius * 0.36, rx: radius * 0.36, ry: radius * 0.26, class: "shine" }));
}

/** A disc of Connect Four: a ring marks the first player's, a cross the second's. */
export function disc(side, radius = 41) {
  const mark = side === 0
    ? s("circle", { r: radius * 0.55, class: "mark" })
    : s("path", { d: `M0 ${-radius * 0.5}V${radius * 0.5}M${-radius * 0.5} 0H${radius * 0.5}`, class: "mark" });
  return s("g", { class: `disc side${side}` },
    s("circle", { r: radius, class: "body" }), s("circle", { r: radius - 5, class: "rim" }), mark);
}
