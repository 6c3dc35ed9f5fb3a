// Go: stones on the crossings of lines, 2x2 to 25x25.

import { s } from "../dom.js";
import { CELL } from "./board.js";
import { stone } from "./stones.js";

/** The dots of a real board: on the third or fourth lines, and in the middles. */
function starPoints(size) {
  if (size < 7) return [];
  const low = size > 11 ? 3 : 2, high = size - 1 - low, middle = (size - 1) / 2;
  const points = [[low, low], [low, high], [high, low], [high, high]];
  if (size % 2 && size > 7) points.push([middle, middle]);
  if (size % 2 && size > 13) {
    points.push([low, middle], [high, middle], [middle, low], [middle, high]);
  }
  return points;
}

export const lines = {
  name: "lines",
  margin: 4,
  ground(board, layer) {
    const { rows, cols } = board.info, half = CELL / 2;
    layer.append(s("rect", {
      x: 2 - board.left, y: 2 - board.margin, width: board.width - 4, height: board.height - 4, rx: 18, class: "wood",
    }));
    let d = "";
    for (let i = 1; i < rows - 1; i++) d += `M${half} ${CELL * i + half}H${CELL * cols - half}`;
    for (let i = 1; i < cols - 1; i++) d += `M${CELL * i + half} ${half}V${CELL * rows - half}`;
    layer.append(s("path", { d, class: "grid-line" }));
    layer.append(s("rect", {
      x: half, y: half, width: CELL * (cols - 1), height: CELL * (rows - 1), class: "grid-edge",
    }));
    for (const [row, col] of starPoints(rows)) {
      layer.append(s("circle", { cx: CELL * col + half, cy: CELL * row + half, r: 9, class: "star" }));
    }
  },
  piece: (board, piece) => stone(piece % 2),
};
