// A grid of cells: noughts and crosses, five in a row, and any game that has no board of its own.

import { s } from "../dom.js";
import { CELL } from "./board.js";
import { stone } from "./stones.js";

/** Noughts and crosses, as tic-tac-toe is drawn. */
function cross() {
  return s("path", { d: "M-27 -27L27 27M27 -27L-27 27", class: "cross" });
}

function nought() {
  return s("circle", { r: 29, class: "nought" });
}

function ground(board, layer) {
  const { rows, cols } = board.info;
  layer.append(s("rect", { x: -8, y: -8, width: CELL * cols + 16, height: CELL * rows + 16, rx: 16, class: "sheet" }));
  let d = "";
  for (let i = 1; i < rows; i++) d += `M4 ${CELL * i}H${CELL * cols - 4}`;
  for (let i = 1; i < cols; i++) d += `M${CELL * i} 4V${CELL * rows - 4}`;
  layer.append(s("path", { d, class: "grid-line" }));
}

/** A stone; where there are kinds, it carries the mark of its kind. */
function piece(board, number) {
  const shape = stone(number % 2, 40), mark = board.info.marks?.[number >> 1];
  if (mark) shape.append(s("text", { class: "kind" }, mark));
  return shape;
}

export const cells = { name: "cells", ground, piece };

export const noughts = {
  name: "noughts", ground,
  piece: (board, number) => (number % 2 ? nought() : cross()),
};
