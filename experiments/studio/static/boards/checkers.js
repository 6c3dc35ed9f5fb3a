// Draughts: men and kings on the dark squares, numbered 1 to 32.

import { s } from "../dom.js";
import { CELL } from "./board.js";

function man(side, king) {
  const parts = [
    s("circle", { cx: 3, cy: 5, r: 39, class: "shadow" }),
    s("circle", { r: 39, class: "body" }),
    s("circle", { r: 31, class: "rim" }),
    s("circle", { r: 22, class: "rim" }),
  ];
  if (king) {
    parts.push(s("path", { d: "M-19 14L-22 -11L-10 0L0 -17L10 0L22 -11L19 14Z", class: "crown" }));
  }
  return s("g", { class: `man side${side}` }, ...parts);
}

export const checkers = {
  name: "checkers",
  margin: 30,
  labels: false,
  ground(board, layer) {
    const { rows, cols, cellNames } = board.info;
    layer.append(s("rect", {
      x: -26, y: -26, width: CELL * cols + 52, height: CELL * rows + 52, rx: 14, class: "edge",
    }));
    cellNames.forEach((name, cell) => {
      const [x, y] = board.place(cell);
      layer.append(s("rect", {
        x: x - 50, y: y - 50, width: CELL, height: CELL, class: name ? "dark" : "light",
      }));
      if (name) layer.append(s("text", { x: x - 44, y: y - 33, class: "number" }, name));
    });
  },
  piece: (board, piece) => man(piece % 2, piece > 1),
};
