// Games of columns: discs fall behind a board with holes.

import { s } from "../dom.js";
import { CELL } from "./board.js";
import { disc } from "./stones.js";

export const drop = {
  name: "drop",
  margin: 26,
  columns: true,
  labels: "columns",
  ground(board, layer) {
    const { rows, cols } = board.info;
    layer.append(s("rect", {
      x: -14, y: -14, width: CELL * cols + 28, height: CELL * rows + 28, rx: 26, class: "back",
    }));
  },
  front(board, layer) {
    const { rows, cols } = board.info, id = `${board.id}-holes`;
    const holes = [s("rect", { x: -20, y: -20, width: CELL * cols + 40, height: CELL * rows + 40, fill: "white" })];
    for (let row = 0; row < rows; row++) {
      for (let col = 0; col < cols; col++) {
        holes.push(s("circle", { cx: CELL * (col + 0.5), cy: CELL * (row + 0.5), r: 40, fill: "black" }));
        layer.append(s("circle", { cx: CELL * (col + 0.5), cy: CELL * (row + 0.5), r: 41, class: "hole" }));
      }
    }
    layer.prepend(
      s("mask", { id, maskUnits: "userSpaceOnUse", x: -20, y: -20, width: CELL * cols + 40, height: CELL * rows + 40 }, ...holes),
      s("rect", {
        x: -18, y: -18, width: CELL * cols + 36, height: CELL * rows + 36, rx: 28, class: "face", mask: `url(#${id})`,
      }));
  },
  piece: (board, piece) => disc(piece % 2),
};
